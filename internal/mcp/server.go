// Package mcp lets programs that write kernels ask ptxvm: it answers the Model Context Protocol on two streams, one message of
// JSON a line. A tool is a command line of ptxvm, and its answer what that prints, with the line that gives it again; so the tools
// can do nothing that the command cannot, under the limits of their server.
package mcp

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"runtime"
	"sync"
	"time"
)

// maxMessage is the longest message that is read, in bytes: large modules as text.
const maxMessage = 64 << 20

// Server answers one client.
type Server struct {
	Version string // of the command
	Run     Runner
	Pages   fs.FS  // pages of documentation, NAME.md, which are the resources
	Folder  string // an existing folder for modules that come as text, which the caller removes

	Timeout time.Duration // of a call
	Memory  string        // of a launch's device, as --memory takes it
	Output  int           // bytes of a call's output that are kept

	out     io.Writer
	lock    sync.Mutex // held while a message is written, and for calls
	calls   map[string]context.CancelFunc
	running sync.WaitGroup // calls
	tools   []*tool
}

// Runner runs a program with arguments until it ends, or ctx does; standard input is empty. It keeps at most `most` bytes of its
// output, and of its errors. err says why it did not run at all.
type Runner func(ctx context.Context, program string, args []string, most int) (done Done, err error)

// Self is the program that stands for the command itself.
const Self = "ptxvm"

// Done is what a program has said, and its exit status; -1 where it did not end by itself.
type Done struct {
	Out, Err []byte
	Cut      int // bytes that were not kept
	Exit     int
}

// message is a request, or a notification, which has no id.
type message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params,omitempty"`
}

// reply is the answer to a request.
type reply struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  any             `json:"result,omitempty"`
	Error   *rpcError       `json:"error,omitempty"`
}

// rpcError is an error of the protocol; what a tool finds wrong is no such error.
type rpcError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// The codes of JSON-RPC 2.0, 5.1, and that of MCP for a resource that there is not.
const (
	parseError     = -32700
	invalidRequest = -32600
	noMethod       = -32601
	invalidParams  = -32602
	noResource     = -32002
)

func (e *rpcError) Error() string { return e.Message }

// Serve answers the messages of in until it ends or ctx does, and waits for the calls that are under way. The error is one of in or
// out, or ctx's.
func (s *Server) Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	s.out, s.calls, s.tools = out, map[string]context.CancelFunc{}, tools()
	slots := make(chan struct{}, max(2, runtime.GOMAXPROCS(0)))
	lines := bufio.NewReader(in)
	var err error
	for err == nil && ctx.Err() == nil {
		var line []byte
		if line, err = readLine(lines); errors.Is(err, errLong) {
			err = s.write(reply{Error: &rpcError{invalidRequest, fmt.Sprintf("a message has at most %d bytes", maxMessage)}})
			continue
		}
		if m, answer := parse(line); answer != nil {
			err = errors.Join(err, s.write(reply{ID: m.ID, Error: answer}))
		} else if m != nil {
			s.take(ctx, m, slots, cancel)
		}
	}
	s.Wait()
	if err == nil || errors.Is(err, io.EOF) {
		return context.Cause(ctx)
	}
	return err
}

// Wait waits for the calls that are under way.
func (s *Server) Wait() { s.running.Wait() }

var errLong = errors.New("a message that is too long")

// readLine reads a line, to its end or that of the stream; one that is too long is passed over.
func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	long := false
	for {
		part, err := r.ReadSlice('\n')
		if long = long || len(line)+len(part) > maxMessage; !long {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case long && err == nil:
			return nil, errLong
		default:
			return line, err
		}
	}
}

// parse reads a message; nil for a blank line, and with what is wrong for what is no message. An answer, to a request that this
// server never makes, is passed over.
func parse(line []byte) (*message, *rpcError) {
	if len(line) == 0 || len(line) == 1 && line[0] == '\n' || string(line) == "\r\n" {
		return nil, nil
	}
	m := &message{}
	if err := json.Unmarshal(line, m); err != nil {
		if json.Valid(line) {
			return &message{}, &rpcError{invalidRequest, "want one request as an object"}
		}
		return &message{}, &rpcError{parseError, "no JSON: " + err.Error()}
	}
	if m.Method == "" && m.ID != nil {
		return nil, nil
	}
	if m.Version != "2.0" || m.Method == "" {
		return m, &rpcError{invalidRequest, `want "jsonrpc": "2.0" and a method`}
	}
	return m, nil
}

// take answers a message, a call of a tool beside others.
func (s *Server) take(ctx context.Context, m *message, slots chan struct{}, broken context.CancelCauseFunc) {
	answer := func(result any, err error) {
		if err := s.write(answerTo(m, result, err)); err != nil {
			broken(err) // the client reads no more: nothing needs to go on
		}
	}
	switch {
	case m.ID == nil:
		s.note(m)
	case m.Method == "tools/call":
		ctx, cancel := context.WithCancel(ctx)
		s.lock.Lock()
		s.calls[string(m.ID)] = cancel
		s.lock.Unlock()
		s.running.Go(func() {
			defer cancel()
			slots <- struct{}{}
			defer func() { <-slots }()
			result, err := s.call(ctx, m.Params)
			s.lock.Lock()
			delete(s.calls, string(m.ID))
			s.lock.Unlock()
			answer(result, err)
		})
	default:
		answer(s.answer(m))
	}
}

// answerTo is the reply to a request.
func answerTo(m *message, result any, err error) reply {
	r := reply{ID: m.ID, Result: result}
	var known *rpcError
	if errors.As(err, &known) {
		r.Result, r.Error = nil, known
	}
	return r
}

// note takes a notification: the client needs a call no more.
func (s *Server) note(m *message) {
	var p struct {
		ID json.RawMessage `json:"requestId"`
	}
	if m.Method != "notifications/cancelled" || json.Unmarshal(m.Params, &p) != nil {
		return
	}
	s.lock.Lock()
	defer s.lock.Unlock()
	if cancel := s.calls[string(p.ID)]; cancel != nil {
		cancel()
	}
}

// write sends a message.
func (s *Server) write(r reply) error {
	r.Version = "2.0"
	if r.ID == nil {
		r.ID = json.RawMessage("null")
	}
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	s.lock.Lock()
	defer s.lock.Unlock()
	_, err = s.out.Write(append(line, '\n'))
	return err
}
