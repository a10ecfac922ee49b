package lsp

// This file reads and writes messages. The library's stream ends a connection at the first message that is broken; this one says so,
// finds the next header and goes on.

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/sourcegraph/jsonrpc2"
)

// maxMessage bounds the text of a message, in bytes.
const maxMessage = 1 << 30

// lengthHeader gives the bytes of a message's text.
var lengthHeader = regexp.MustCompile(`(?i)content-length:`)

// stream is a jsonrpc2.ObjectStream.
type stream struct {
	in  *bufio.Reader
	src *source
	end func() // called before the end of messages is told, which ends the connection: answers may be on their way

	mu     sync.Mutex
	out    io.Writer
	closed bool
}

func newStream(in io.Reader, out io.Writer, end func()) *stream {
	src := &source{rest: in}
	return &stream{in: bufio.NewReaderSize(src, 1<<16), src: src, out: out, end: end}
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
		body, err := s.message()
		if err != nil {
			s.end()
			return err
		}
		switch {
		case !json.Valid(body):
			s.putBack(body)
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

// message reads the text of the next message.
func (s *stream) message() ([]byte, error) {
	length := -1
	for {
		line, err := s.in.ReadSlice('\n')
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return nil, err
		}
		text := strings.TrimRight(string(line), "\r\n")
		if at := lengthHeader.FindStringIndex(text); at != nil {
			if length = parseLength(text[at[1]:]); length < 0 {
				err = s.refuse(jsonrpc2.CodeParseError, fmt.Sprintf("Content-Length: want a number of bytes up to %d",
					maxMessage))
				if err != nil {
					return nil, err
				}
			}
			continue
		}
		if text == "" && length >= 0 {
			break
		}
	}
	var body bytes.Buffer // grows with what comes: a length may promise more
	if _, err := io.CopyN(&body, s.in, int64(length)); err != nil {
		return nil, err
	}
	return body.Bytes(), nil
}

// parseLength is -1 for what is no length.
func parseLength(text string) int {
	n, err := strconv.ParseUint(strings.TrimSpace(text), 10, 31)
	if err != nil || n > maxMessage {
		return -1
	}
	return int(n)
}

// maxPutBack bounds how much of a broken message is looked at again, and so what hostile input costs.
const maxPutBack = 1 << 16

// putBack lets the next message be read from where it begins within a text that was too long for its own.
func (s *stream) putBack(body []byte) {
	body = body[max(0, len(body)-maxPutBack):]
	at := lengthHeader.FindIndex(body)
	if at == nil {
		return
	}
	unread, _ := s.in.Peek(s.in.Buffered())
	s.src.first = slices.Concat(body[at[0]:], unread, s.src.first)
	s.in.Reset(s.src)
}

// source is a reader that bytes can be put back into.
type source struct {
	first []byte
	rest  io.Reader
}

func (s *source) Read(p []byte) (int, error) {
	if len(s.first) > 0 {
		n := copy(p, s.first)
		s.first = s.first[n:]
		return n, nil
	}
	return s.rest.Read(p)
}

// refuse answers a message whose number is not known.
func (s *stream) refuse(code int64, why string) error {
	return s.WriteObject(map[string]any{"jsonrpc": "2.0", "id": nil, "error": map[string]any{"code": code,
		"message": why}})
}
