package lsp

// This file carries messages between the connection and the client. The library's stream ends a connection at the first message that
// is broken; this one says so and goes on.

import (
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"sync"

	"github.com/sourcegraph/jsonrpc2"

	"ptxvm.invalid/ptxvm/internal/framing"
)

// maxMessage bounds the text of a message, in bytes.
const maxMessage = 1 << 30

// stream is a jsonrpc2.ObjectStream.
type stream struct {
	in  *framing.Reader
	end func() // called before the end of messages is told, which ends the connection: answers may be on their way

	mu     sync.Mutex
	out    io.Writer
	closed bool
}

func newStream(in io.Reader, out io.Writer, end func()) *stream {
	return &stream{in: framing.NewReader(in, maxMessage), out: out, end: end}
}

// WriteObject sends a message.
func (s *stream) WriteObject(object any) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return io.ErrClosedPipe
	}
	return jsonrpc2.VSCodeObjectCodec{}.WriteObject(s.out, object)
}

// ReadObject reads the next message that is one. Of those that are not the client is told.
func (s *stream) ReadObject(to any) error {
	for {
		body, err := s.in.Next()
		var broken *framing.Broken
		switch {
		case errors.As(err, &broken):
			err = s.refuse(jsonrpc2.CodeParseError, broken.Why)
		case err != nil:
			s.end()
			return err
		case !json.Valid(body):
			s.in.PutBack(body)
			err = s.refuse(jsonrpc2.CodeParseError, "the message is no JSON")
		case !decode(body, to):
			err = s.refuse(jsonrpc2.CodeInvalidRequest,
				"the message is neither a request nor a response; batches are not part of the protocol")
		default:
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// decode reads a message; of one that fails nothing is left.
func decode(body []byte, to any) bool {
	message := reflect.New(reflect.TypeOf(to).Elem())
	if json.Unmarshal(body, message.Interface()) != nil {
		return false
	}
	reflect.ValueOf(to).Elem().Set(message.Elem())
	return true
}

// Close ends writing. The reader may wait for a client that says no more; its file belongs to others.
func (s *stream) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	return nil
}

// refuse answers a message whose number is not known.
func (s *stream) refuse(code int64, why string) error {
	return s.WriteObject(map[string]any{"jsonrpc": "2.0", "id": nil, "error": map[string]any{"code": code,
		"message": why}})
}
