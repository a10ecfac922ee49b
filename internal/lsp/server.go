// Package lsp speaks the Language Server Protocol for modules of PTX: messages in, answers out. What there is to say of a module
// is known by package doc, which knows nothing of the protocol.
//
// Messages are taken one after the other by one goroutine, in the order in which they come, so that each request sees the text that
// the client had. Those that read a whole module run beside it, on the snapshot of their moment.
package lsp

// This file holds the server: its documents, and the queue of messages.

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"runtime/debug"
	"sync"

	"github.com/sourcegraph/jsonrpc2"

	"ptxvm.invalid/ptxvm/internal/check"
	"ptxvm.invalid/ptxvm/internal/lsp/doc"
)

// ErrNoShutdown says that a client has gone without the request for it.
var ErrNoShutdown = errors.New("the client ended without a shutdown request")

// Serve answers a client until it says exit, or its messages end.
func Serve(ctx context.Context, in io.Reader, out io.Writer, version string) error {
	s := &server{version: version, docs: map[string]*document{}, running: map[jsonrpc2.ID]context.CancelFunc{},
		ended: make(chan struct{})}
	s.ready = sync.NewCond(&s.mu)
	s.conn = jsonrpc2.NewConn(ctx, newStream(in, out, s.drain), s, jsonrpc2.SetLogger(log.New(io.Discard, "", 0)))
	go s.work()
	select {
	case <-s.ended:
	case <-s.conn.DisconnectNotify():
		s.finish()
		<-s.ended
	}
	s.beside.Wait()
	_ = s.conn.Close() // it may have closed by itself
	if !s.shutdown {
		return ErrNoShutdown
	}
	return nil
}

// server is the state of one connection.
type server struct {
	version string
	conn    *jsonrpc2.Conn

	// Of the reader and the worker:
	mu      sync.Mutex
	ready   *sync.Cond
	queue   []message
	closed  bool // nothing comes any more
	running map[jsonrpc2.ID]context.CancelFunc

	// Of the worker:
	docs        map[string]*document
	encoding    doc.Encoding
	client      clientAbilities
	options     options
	trace       *recording // the last one that was read
	initialized bool
	shutdown    bool
	ended       chan struct{}

	beside sync.WaitGroup // requests that read whole modules
	heavy  sync.Mutex     // one of them at a time
}

// document is an open file.
type document struct {
	*doc.Snapshot
	uri     string
	version int32
	changed bool // its diagnostics are to be sent
}

// message is one that waits.
type message struct {
	ctx    context.Context
	cancel context.CancelFunc
	req    *jsonrpc2.Request
}

// Handle takes a message from the connection. A cancellation acts at once, everything else waits for its turn.
func (s *server) Handle(ctx context.Context, _ *jsonrpc2.Conn, req *jsonrpc2.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if req.Method == "$/cancelRequest" {
		var p struct {
			ID jsonrpc2.ID `json:"id"`
		}
		if req.Params != nil && json.Unmarshal(*req.Params, &p) == nil {
			if cancel := s.running[p.ID]; cancel != nil {
				cancel()
			}
		}
		return
	}
	m := message{req: req}
	m.ctx, m.cancel = context.WithCancel(ctx)
	if !req.Notif {
		s.running[req.ID] = m.cancel
	}
	s.queue = append(s.queue, m)
	s.ready.Signal()
}

// finish lets the worker end once it has answered what waits.
func (s *server) finish() {
	s.mu.Lock()
	s.closed = true
	s.ready.Signal()
	s.mu.Unlock()
}

// drain waits until everything that came is answered.
func (s *server) drain() {
	s.finish()
	<-s.ended
	s.beside.Wait()
}

// next takes a message; idle is called first when none waits.
func (s *server) next(idle func()) (message, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.queue) == 0 && !s.closed {
		s.mu.Unlock()
		idle()
		s.mu.Lock()
	}
	for len(s.queue) == 0 {
		if s.closed {
			return message{}, false
		}
		s.ready.Wait()
	}
	m := s.queue[0]
	s.queue = s.queue[1:]
	return m, true
}

func (s *server) work() {
	defer close(s.ended)
	for {
		m, ok := s.next(s.publish)
		if !ok || m.req.Method == "exit" {
			return
		}
		s.take(m)
	}
}

// take answers a request, or does what a notification says.
func (s *server) take(m message) {
	method, known := methods[m.req.Method]
	switch {
	case !known && (m.req.Notif || len(m.req.Method) > 1 && m.req.Method[:2] == "$/" && m.req.Notif):
		m.cancel()
	case !known:
		s.answer(m, nil, &jsonrpc2.Error{Code: jsonrpc2.CodeMethodNotFound, Message: m.req.Method + " is not supported"})
	case !s.initialized && m.req.Method != "initialize":
		s.answer(m, nil, &jsonrpc2.Error{Code: codeNotInitialized, Message: "the first request is initialize"})
	case s.shutdown:
		s.answer(m, nil, &jsonrpc2.Error{Code: jsonrpc2.CodeInvalidRequest, Message: "after shutdown there is only exit"})
	default:
		s.run(m, method)
	}
}

// The codes of errors that the protocol adds to those of JSON-RPC.
const (
	codeNotInitialized = -32002
	codeCancelled      = -32800
	codeFailed         = -32803
)

// run calls a method: here, or beside the worker if it reads whole modules.
func (s *server) run(m message, method method) {
	call, err := s.prepared(m, method)
	if err != nil {
		s.answer(m, nil, &jsonrpc2.Error{Code: jsonrpc2.CodeInvalidParams, Message: err.Error()})
		return
	}
	if !method.whole {
		result, err := guarded(call)
		s.answer(m, result, err)
		return
	}
	s.beside.Go(func() {
		s.heavy.Lock()
		defer s.heavy.Unlock()
		result, err := guarded(call)
		s.answer(m, result, err)
	})
}

func (s *server) prepared(m message, method method) (func() (any, error), error) {
	params := json.RawMessage("{}")
	if m.req.Params != nil {
		params = *m.req.Params
	}
	return method.prepare(s, m.ctx, params)
}

// guarded turns a panic, which is a defect of the server, into an error: the client goes on.
func guarded(call func() (any, error)) (result any, err error) {
	defer func() {
		if p := recover(); p != nil {
			result, err = nil, fmt.Errorf("defect in ptxvm: %v\n%s", p, debug.Stack())
		}
	}()
	return call()
}

// answer replies to a request. A notification that failed is logged.
func (s *server) answer(m message, result any, err error) {
	cancelled := m.ctx.Err() != nil
	m.cancel()
	if m.req.Notif {
		if err != nil {
			s.log(err.Error())
		}
		return
	}
	s.mu.Lock()
	delete(s.running, m.req.ID)
	s.mu.Unlock()
	var refusal *jsonrpc2.Error
	switch {
	case err == nil && !cancelled:
		_ = s.conn.Reply(context.Background(), m.req.ID, result) // a client that has gone needs no answer
		return
	case cancelled:
		refusal = &jsonrpc2.Error{Code: codeCancelled, Message: "cancelled"}
	case !errors.As(err, &refusal):
		refusal = &jsonrpc2.Error{Code: codeFailed, Message: err.Error()}
	}
	_ = s.conn.ReplyWithError(context.Background(), m.req.ID, refusal)
}

func (s *server) log(text string) {
	_ = s.conn.Notify(context.Background(), "window/logMessage", messageParams{Type: 2, Message: text})
}

// publish sends the diagnostics of documents that have changed, once no message waits: of several keys those of the last.
func (s *server) publish() {
	for _, d := range s.docs {
		if !d.changed || s.client.TextDocument.Diagnostic != nil {
			continue
		}
		d.changed = false
		list, err := guarded(func() (any, error) { return s.diagnostics(context.Background(), d) })
		if err != nil {
			s.log(err.Error())
			continue
		}
		_ = s.conn.Notify(context.Background(), "textDocument/publishDiagnostics", publishParams{URI: d.uri,
			Version: d.version, Diagnostics: list.([]diagnostic)})
	}
}

// options are what a client may set, as initializationOptions or in settings under "ptxvm".
type options struct {
	Arch        string `json:"arch"`        // as check --arch
	Judge       string `json:"judge"`       // ptxas or manual
	CompileOnly bool   `json:"compileOnly"` // as check -c
	Inline      *bool  `json:"inline"`      // inline assembly: default in Python, since a C++ file has a server of its own
	Hints       *hints `json:"hints"`       // inlay hints: true, false, or their kinds; default true
	Lenses      *bool  `json:"lenses"`      // code lenses; default true
	Recording   string `json:"recording"`   // a trace as JSON lines, whose values stand in hovers
}

// hints are kinds of inlay hints.
type hints doc.HintKind

// usualHints are those that are few.
const usualHints = hints(doc.Widths | doc.Sources)

// UnmarshalJSON implements json.Unmarshaler. Kinds that are not known are left out.
func (h *hints) UnmarshalJSON(data []byte) error {
	*h = 0
	var on bool
	if json.Unmarshal(data, &on) == nil {
		if on {
			*h = usualHints
		}
		return nil
	}
	var names []string
	err := json.Unmarshal(data, &names)
	for _, name := range names {
		*h |= hints(doc.HintNames[name])
	}
	return err
}

func (o *options) hints() doc.HintKind {
	if o.Hints == nil {
		return doc.HintKind(usualHints)
	}
	return doc.HintKind(*o.Hints)
}

func on(setting *bool) bool { return setting == nil || *setting }

func (o options) check() check.Options {
	c := check.Options{Arch: o.Arch, WholeProgram: !o.CompileOnly, CompileOnly: o.CompileOnly}
	if o.Judge == "manual" {
		c.Judge = manual
	}
	return c
}
