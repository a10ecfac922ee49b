package dap

// This file lets the launch run, and answers meanwhile.

import (
	"errors"
	"fmt"
	"time"

	godap "github.com/google/go-dap"

	"ptxvm.invalid/ptxvm/internal/debug"
)

// motion is what the launch runs for.
type motion struct {
	entry bool // to where the session begins
	back  bool // to go back: it does again what the client has been told of
	pause bool // the client has asked it to stop
	leave bool // a request waits that ends it
}

// patience is how soon a launch that runs looks whether requests have come.
const patience = 5 * time.Millisecond

// move lets the launch run, by what of the session does that, and tells where it has stopped.
func (s *server) move(m motion, run func() (*debug.Stop, error)) {
	var stop *debug.Stop
	var err error
	s.meanwhile(m, func() {
		if stop, err = run(); err != nil && !s.motion.leave {
			stop, err = s.recover(err)
		}
	})
	if !s.motion.leave {
		s.halted(stop, err)
	}
}

// recover says why the launch has not got to where it should have, and stops it where it is: a pause on the way back is no error.
func (s *server) recover(err error) (*debug.Stop, error) {
	if !s.motion.pause {
		s.say("stderr", err.Error()+"\n")
	}
	stop, err := s.session.Goto(s.session.Moment())
	if err == nil && stop.Why == debug.Stepped {
		stop.Why = debug.Interrupted
	}
	return stop, err
}

// meanwhile does something for which the launch runs.
func (s *server) meanwhile(m motion, do func()) {
	s.motion, s.running = m, true
	over, gone := make(chan struct{}), make(chan struct{})
	session := s.session
	go func() {
		defer close(gone)
		tick := time.NewTicker(patience)
		defer tick.Stop()
		for {
			select {
			case <-over:
				return
			case <-tick.C:
				if !s.requests.empty() {
					session.Interrupt()
				}
			}
		}
	}()
	do()
	s.running = false
	close(over)
	<-gone
}

// interrupted answers the requests that have come while the launch runs. It stops if one asks it to.
func (s *server) interrupted() (stop bool) {
	for {
		q := s.requests.take()
		if q == nil {
			return s.motion.pause
		}
		if h := find(q.command); q.last || h != nil && h.ends {
			s.requests.putBack(q)
			s.motion.leave = true
			return true
		}
		s.answer(q)
	}
}

// halted tells the client where the launch has stopped, and why.
func (s *server) halted(stop *debug.Stop, err error) {
	if err != nil {
		s.finish(err)
		return
	}
	s.stopped = stop
	s.refresh()
	switch {
	case !s.session.Running() || stop.Why == debug.Finished:
		s.finish(stop.Err)
	case stop.Why == debug.Faulted && !s.catches(stop):
		s.finish(stop.Err)
	default:
		s.tell(stop)
	}
}

// finish tells the client that the launch has ended, and how.
func (s *server) finish(end error) {
	if end != nil && !s.told[end.Error()] {
		s.say("stderr", detail(end)+"\n")
	}
	failed := s.session.Results()
	if failed != nil {
		s.say("stderr", failed.Error()+"\n")
	}
	code := 0
	if s.program.ExitCode != nil {
		code = s.program.ExitCode(errors.Join(end, failed))
	}
	s.exited(code)
}

func (s *server) exited(code int) {
	if !s.over {
		s.out.send(&godap.ExitedEvent{Event: event("exited"), Body: godap.ExitedEventBody{ExitCode: code}})
	}
	s.terminated()
}

// detail is a report of several lines where there is one.
func detail(err error) string {
	var long interface{ Detail() string }
	if errors.As(err, &long) {
		return long.Detail()
	}
	return err.Error()
}

func (s *server) goOn(q *godap.ContinueRequest) (godap.ResponseMessage, error) {
	if err := s.turnTo(q.Arguments.ThreadId); err != nil {
		return nil, err
	}
	if s.stopped != nil && s.stopped.Why == debug.Faulted {
		end := s.stopped.Err
		s.then(func() { s.finish(end) })
	} else {
		s.then(func() { s.move(motion{}, s.session.Continue) })
	}
	return &godap.ContinueResponse{Body: godap.ContinueResponseBody{AllThreadsContinued: true}}, nil
}

func (s *server) pause(*godap.PauseRequest) (godap.ResponseMessage, error) {
	s.motion.pause = s.running
	return &godap.PauseResponse{}, nil
}

// stepping moves by instruction or by line.
func (s *server) stepping(thread int, g godap.SteppingGranularity, m motion, instruction, line func() (*debug.Stop, error)) error {
	if err := s.turnTo(thread); err != nil {
		return err
	}
	run := line
	switch g {
	case "instruction":
		run = instruction
	case "", "line", "statement":
	default:
		return fmt.Errorf("granularity %q: want instruction, line or statement", g)
	}
	s.then(func() { s.move(m, run) })
	return nil
}

func (s *server) next(q *godap.NextRequest) (godap.ResponseMessage, error) {
	return &godap.NextResponse{}, s.stepping(q.Arguments.ThreadId, q.Arguments.Granularity, motion{},
		func() (*debug.Stop, error) { return s.session.StepInstruction(true) },
		func() (*debug.Stop, error) { return s.session.StepLine(true) })
}

func (s *server) stepIn(q *godap.StepInRequest) (godap.ResponseMessage, error) {
	return &godap.StepInResponse{}, s.stepping(q.Arguments.ThreadId, q.Arguments.Granularity, motion{},
		func() (*debug.Stop, error) { return s.session.StepInstruction(false) },
		func() (*debug.Stop, error) { return s.session.StepLine(false) })
}

func (s *server) stepOut(q *godap.StepOutRequest) (godap.ResponseMessage, error) {
	if err := s.turnTo(q.Arguments.ThreadId); err != nil {
		return nil, err
	}
	frames, err := s.session.Frames()
	switch {
	case err != nil:
		return nil, err
	case len(frames) == 1:
		return nil, errors.New("the thread stands in the kernel itself, which returns to nobody: continue runs it to its end")
	}
	s.then(func() { s.move(motion{}, s.session.Finish) })
	return &godap.StepOutResponse{}, nil
}

func (s *server) stepBack(q *godap.StepBackRequest) (godap.ResponseMessage, error) {
	return &godap.StepBackResponse{}, s.stepping(q.Arguments.ThreadId, q.Arguments.Granularity, motion{back: true},
		func() (*debug.Stop, error) { return s.session.ReverseStepInstruction(true) },
		func() (*debug.Stop, error) { return s.session.ReverseStepLine(true) })
}

func (s *server) reverseContinue(q *godap.ReverseContinueRequest) (godap.ResponseMessage, error) {
	if err := s.turnTo(q.Arguments.ThreadId); err != nil {
		return nil, err
	}
	s.then(func() { s.move(motion{back: true}, s.session.ReverseContinue) })
	return &godap.ReverseContinueResponse{}, nil
}
