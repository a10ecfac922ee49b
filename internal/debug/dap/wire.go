package dap

// This file reads messages.

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	godap "github.com/google/go-dap"

	"ptxvm.invalid/ptxvm/internal/framing"
)

// maxMessage bounds a message, in bytes. The library's own reader ends a session, and its launch, at the first broken header.
const maxMessage = 4 << 20

// read reads requests to the last one. What cannot be read is put among them, to be refused in its turn.
func (s *server) read(r io.Reader) {
	from := framing.NewReader(r, maxMessage)
	for {
		data, err := from.Next()
		var broken *framing.Broken
		switch {
		case errors.As(err, &broken):
			s.requests.put(&request{err: err})
			continue
		case err != nil:
			s.requests.put(&request{err: err, last: true})
			return
		case !json.Valid(data):
			from.PutBack(data)
		}
		s.requests.put(decode(data))
	}
}

// request is a message from the client, or why there is none.
type request struct {
	message godap.RequestMessage // nil: it cannot be read
	seq     int
	command string
	err     error // what is wrong with it
	last    bool  // there are no further ones
}

// decode reads what a message says. One that cannot be read keeps its number and its command, if it has them.
func decode(data []byte) *request {
	message, err := godap.DecodeProtocolMessage(data)
	if q, ok := message.(godap.RequestMessage); ok && err == nil {
		return &request{message: q, seq: q.GetSeq(), command: q.GetRequest().Command}
	}
	var head struct {
		Seq     int    `json:"seq"`
		Type    string `json:"type"`
		Command string `json:"command"`
	}
	_ = json.Unmarshal(data, &head) // what it has is taken
	r := &request{seq: head.Seq, command: head.Command, err: err}
	var unknown *godap.DecodeProtocolMessageFieldError
	switch {
	case errors.As(err, &unknown) && unknown.FieldName == "command":
		r.err = fmt.Errorf("%q is no request of the protocol that is known here", unknown.FieldValue)
	case err == nil || errors.As(err, &unknown):
		r.err = fmt.Errorf("a message of type %q: want request", head.Type)
	}
	return r
}
