package dap

// This file reads and writes messages: a header that says how many bytes follow, and that many bytes of JSON.

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	godap "github.com/google/go-dap"
)

// Bounds of a message. The library's own reader takes a header of any length.
const (
	maxHeader  = 4096
	maxMessage = 4 << 20
)

// readMessage reads the bytes of one message; io.EOF behind the last one.
func readMessage(r *bufio.Reader) ([]byte, error) {
	size, read := -1, 0
	for {
		line, err := r.ReadSlice('\n')
		read += len(line)
		switch {
		case err == io.EOF && read == 0:
			return nil, io.EOF
		case err == io.EOF:
			return nil, errors.New("the input ends within a header")
		case errors.Is(err, bufio.ErrBufferFull) || read > maxHeader:
			return nil, fmt.Errorf("a header has more than %d bytes", maxHeader)
		case err != nil:
			return nil, err
		}
		text := string(bytes.TrimRight(line, "\r\n"))
		if text == "" {
			break
		}
		if size, err = contentLength(text, size); err != nil {
			return nil, err
		}
	}
	if size < 0 {
		return nil, errors.New("a header lacks Content-Length")
	}
	data := make([]byte, size)
	if n, err := io.ReadFull(r, data); err != nil {
		return nil, fmt.Errorf("the input ends within a message: %d of %d bytes", n, size)
	}
	return data, nil
}

// contentLength reads a line of a header; size is what was known before.
func contentLength(line string, size int) (int, error) {
	name, value, ok := strings.Cut(line, ":")
	if !ok {
		return 0, fmt.Errorf("%.40q is no line of a header: want Content-Length: N", line)
	}
	if !strings.EqualFold(strings.TrimSpace(name), "Content-Length") {
		return size, nil
	}
	n, err := strconv.Atoi(strings.TrimSpace(value))
	if err != nil || n < 0 {
		return 0, fmt.Errorf("%.40q: want Content-Length: N", line)
	}
	if n > maxMessage {
		return 0, fmt.Errorf("a message of %d bytes: at most %d", n, maxMessage)
	}
	return n, nil
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
