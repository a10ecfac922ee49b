package dap

import (
	"fmt"
	"io"
	"sync"

	godap "github.com/google/go-dap"

	"ptxvm.invalid/ptxvm/internal/debug"
	"ptxvm.invalid/ptxvm/internal/debug/console"
)

// server talks with one client.
type server struct {
	open     Opener
	requests inbox
	out      outbox

	client   godap.InitializeRequestArguments
	initial  bool // initialize has been answered
	asked    Arguments
	program  *Program
	session  *debug.Session
	console  *console.Console
	commands commandOutput
	over     bool // the launch has ended, or was ended
	leaving  bool // the client has gone, or is about to

	after   []func() // what comes behind a response
	running bool     // the launch runs
	motion  motion
	stopped *debug.Stop // why the launch stands
	threads []godap.Thread
	texts   texts
	breaks  breakpoints
	handles handles
	format  byte            // of values, as FormatValue takes it
	told    map[string]bool // reports that the client has seen
}

func newServer(w io.Writer, open Opener) *server {
	s := &server{open: open, told: map[string]bool{}}
	s.out.to = w
	s.requests.arrived = make(chan struct{}, 1)
	s.handles.reset()
	return s
}

// inbox is the requests that wait for an answer.
type inbox struct {
	mu      sync.Mutex
	list    []*request
	arrived chan struct{} // has an element if list may have some
}

func (b *inbox) put(q *request) {
	b.mu.Lock()
	b.list = append(b.list, q)
	b.mu.Unlock()
	select {
	case b.arrived <- struct{}{}:
	default:
	}
}

// take is the next one; nil: there is none.
func (b *inbox) take() *request {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.list) == 0 {
		return nil
	}
	q := b.list[0]
	b.list = b.list[1:]
	return q
}

// putBack makes a request the next one again.
func (b *inbox) putBack(q *request) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.list = append([]*request{q}, b.list...)
}

func (b *inbox) empty() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.list) == 0
}

// outbox numbers messages and writes them, of any goroutine.
type outbox struct {
	mu  sync.Mutex
	to  io.Writer
	seq int
	err error // of the first message that could not be written
}

func (o *outbox) send(m godap.Message) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err != nil {
		return
	}
	o.seq++
	switch m := m.(type) {
	case godap.ResponseMessage:
		m.GetResponse().Seq = o.seq
	case godap.EventMessage:
		m.GetEvent().Seq = o.seq
	}
	o.err = godap.WriteProtocolMessage(o.to, m)
}

// failed is why the client cannot be written to.
func (o *outbox) failed() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err
}

// event names an event.
func event(name string) godap.Event {
	return godap.Event{ProtocolMessage: godap.ProtocolMessage{Type: "event"}, Event: name}
}

// loop answers requests until the client leaves.
func (s *server) loop() error {
	for !s.leaving {
		q := s.requests.take()
		if q == nil {
			<-s.requests.arrived
			continue
		}
		if q.last {
			if q.err != io.EOF {
				s.refuse(q, q.err)
				return fmt.Errorf("the debug adapter protocol: %w", q.err)
			}
			return s.out.failed()
		}
		s.answer(q)
		if err := s.out.failed(); err != nil {
			return err
		}
	}
	return s.out.failed()
}

// close ends the launch.
func (s *server) close() error {
	if s.session == nil {
		return nil
	}
	session := s.session
	s.session = nil
	return session.Close()
}

// answer answers one request, and does what comes behind the response.
func (s *server) answer(q *request) {
	response, err := s.serve(q)
	if err != nil {
		s.after = nil
		s.refuse(q, err)
		return
	}
	r := response.GetResponse()
	r.Type, r.RequestSeq, r.Success, r.Command = "response", q.seq, true, q.command
	s.out.send(response)
	after := s.after
	s.after = nil
	for _, do := range after {
		do()
	}
}

// refuse answers that a request cannot be done.
func (s *server) refuse(q *request, err error) {
	text := err.Error()
	s.out.send(&godap.ErrorResponse{
		Response: godap.Response{ProtocolMessage: godap.ProtocolMessage{Type: "response"}, RequestSeq: q.seq, Command: q.command, Message: text},
		Body:     godap.ErrorResponseBody{Error: &godap.ErrorMessage{Id: errorID, Format: "{text}", Variables: map[string]string{"text": text}, ShowUser: true}},
	})
}

// errorID is the number of all errors: clients tell them apart by their words.
const errorID = 1

// serve finds the handler of a request, and whether this is the time for it.
func (s *server) serve(q *request) (godap.ResponseMessage, error) {
	if q.err != nil {
		return nil, q.err
	}
	h := find(q.command)
	if h == nil {
		return nil, fmt.Errorf("%s is not served: docs/dap.md lists what is", q.command)
	}
	if err := s.fits(h); err != nil {
		return nil, fmt.Errorf("%s: %w", q.command, err)
	}
	return h.serve(s, q.message)
}

// fits reports why this is not the time for a request.
func (s *server) fits(h *handler) error {
	switch {
	case h.when == anytime:
		return nil
	case !s.initial:
		return fmt.Errorf("initialize comes first")
	case h.when == initialized:
		return nil
	case s.session == nil:
		return fmt.Errorf("nothing has been launched")
	case h.when == launched:
		return nil
	case s.running:
		return fmt.Errorf("the launch runs: pause it first")
	case s.over:
		return fmt.Errorf("the launch has ended")
	}
	return nil
}

// say shows a text to the user.
func (s *server) say(category, text string) {
	s.out.send(&godap.OutputEvent{Event: event("output"), Body: godap.OutputEventBody{Category: category, Output: text}})
}

// output is a writer whose text the client shows.
type output struct {
	s        *server
	category string
}

func (o output) Write(p []byte) (int, error) {
	if len(p) > 0 {
		o.s.say(o.category, string(p))
	}
	return len(p), nil
}
