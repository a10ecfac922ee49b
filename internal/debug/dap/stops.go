package dap

// This file says why the launch has stopped, and what stops it: exception filters and reports.

import (
	"errors"
	"fmt"

	godap "github.com/google/go-dap"

	"ptxvm.invalid/ptxvm/internal/debug"
	"ptxvm.invalid/ptxvm/internal/san"
	"ptxvm.invalid/ptxvm/internal/vm"
	"ptxvm.invalid/ptxvm/report"
)

// filter is one of the exception filters.
type filter struct {
	id, label, stops string
	on               bool // by default
}

// The filters that are no checks of the sanitizers.
const (
	filterFault    = "fault"
	filterDeadlock = "deadlock"
	filterEntry    = "entry"
	filterBlock    = "block"
	filterParting  = "divergence"
)

// filters are all there are.
func filters() []filter {
	list := []filter{
		{filterFault, "Faults", "an instruction faults, or a limit ends the launch: it stands before that instruction", true},
		{filterDeadlock, "Deadlocks", "no thread can go on", true},
	}
	for _, c := range san.Checks {
		list = append(list, filter{c.Name, "Sanitizer: " + c.Name, "`--sanitize " + c.Name + "` reports something: the launch stands behind that instruction", true})
	}
	return append(list,
		filter{filterEntry, "Kernel entry", "the kernel is about to execute its first instruction", false},
		filter{filterBlock, "Block start", "thread (0,0,0) of a block is about to execute its first instruction", false},
		filter{filterParting, "Divergence", "lanes of a warp part that stood together: the launch stands behind that instruction", false})
}

// isCheck reports whether a filter is a check of the sanitizers.
func isCheck(id string) bool {
	for _, c := range san.Checks {
		if c.Name == id {
			return true
		}
	}
	return false
}

// filterOf is the filter that a fault or a report stops by.
func filterOf(stop *debug.Stop) string {
	var deadlock *vm.DeadlockError
	switch {
	case stop.Report != nil:
		return stop.Report.Check
	case stop.Why == debug.Parted:
		return filterParting
	case errors.As(stop.Err, &deadlock):
		return filterDeadlock
	}
	return filterFault
}

// catches reports whether the client wants to stop at a fault or a report.
func (s *server) catches(stop *debug.Stop) bool { return s.breaks.catches(filterOf(stop)) }

// reported is told of a report while the launch runs.
func (s *server) reported(r *report.Report) (stop bool) {
	text := r.Detail()
	if !s.told[text] {
		s.told[text] = true
		s.say("stderr", text+"\n")
	}
	return s.breaks.catches(r.Check)
}

// tell sends why the launch has stopped.
func (s *server) tell(stop *debug.Stop) {
	body := godap.StoppedEventBody{Reason: "step", Description: fmt.Sprintf("Moment %d", s.session.Moment()), ThreadId: s.focusThread(), AllThreadsStopped: true}
	switch stop.Why {
	case debug.Began:
		body.Reason, body.Description = "entry", "Before the first instruction"
	case debug.AtBreak:
		s.tellBreak(stop, &body)
	case debug.AtWatch:
		body.Reason, body.HitBreakpointIds = "data breakpoint", []int{stop.Break.Number}
		body.Description = stop.Break.Location + s.watched(stop)
	case debug.Faulted:
		body.Reason, body.Description, body.Text = "exception", "Before the instruction that ended the launch", detail(stop.Err)
		if !s.told[body.Text] {
			s.told[body.Text] = true
			s.say("stderr", body.Text+"\n")
		}
	case debug.Reports:
		body.Reason, body.Description, body.Text = "exception", "Behind the instruction that "+stop.Report.Code.String()+" is about", stop.Report.Detail()
	case debug.Parted:
		body.Reason, body.Description, body.Text = "exception", fmt.Sprintf("Lanes have parted, moment %d", s.session.Moment()), parting(stop)
	case debug.Interrupted:
		body.Reason = "pause"
	case debug.NoMore:
		body.Reason, body.Description = "entry", "The first moment: there is nothing before it"
	case debug.Stepped:
		if s.motion.entry {
			body.Reason = "entry"
		}
	}
	s.out.send(&godap.StoppedEvent{Event: event("stopped"), Body: body})
}

// tellBreak says which breakpoint has stopped the launch.
func (s *server) tellBreak(stop *debug.Stop, body *godap.StoppedEventBody) {
	body.Reason, body.HitBreakpointIds = "breakpoint", []int{stop.Break.Number}
	if p := s.breaks.of[stop.Break]; p != nil {
		body.Reason = p.reason
	}
	body.Description = fmt.Sprintf("Breakpoint %d, moment %d", stop.Break.Number, s.session.Moment())
	if stop.Break.Failed != nil {
		body.Text = "The condition cannot be evaluated: " + stop.Break.Failed.Error()
	}
}

// watched says what a watchpoint has seen.
func (s *server) watched(stop *debug.Stop) string {
	text := ""
	if stop.Old != "" || stop.New != "" {
		text = fmt.Sprintf(": %s → %s", stop.Old, stop.New)
	}
	if stop.By != nil {
		text += ", by " + place(stop.By) + ": " + stop.By.Text
	}
	return text
}

// parting says which lanes go which way.
func parting(stop *debug.Stop) string {
	return fmt.Sprintf("lanes %08x and %08x part behind %s: %s", stop.Parting.Lanes, stop.Parting.Others, place(stop.By), stop.By.Text)
}

func (s *server) exceptionInfo(*godap.ExceptionInfoRequest) (godap.ResponseMessage, error) {
	if s.stopped == nil || s.stopped.Why != debug.Faulted && s.stopped.Why != debug.Reports && s.stopped.Why != debug.Parted {
		return nil, errors.New("no fault, no report and no divergence has stopped the launch")
	}
	body := godap.ExceptionInfoResponseBody{ExceptionId: filterOf(s.stopped), BreakMode: "always"}
	if r := s.stopped.Report; r != nil {
		body.ExceptionId, body.Description = r.Code.String(), r.Msg
		body.Details = &godap.ExceptionDetails{Message: r.Msg, TypeName: r.Check, StackTrace: r.Detail()}
	} else if s.stopped.Why == debug.Parted {
		body.Description = parting(s.stopped)
		body.Details = &godap.ExceptionDetails{Message: body.Description, TypeName: body.ExceptionId}
	} else {
		body.Description = s.stopped.Err.Error()
		body.Details = &godap.ExceptionDetails{Message: body.Description, TypeName: body.ExceptionId, StackTrace: detail(s.stopped.Err)}
	}
	return &godap.ExceptionInfoResponse{Body: body}, nil
}

// ChecksOf lists the names of the checks that a --sanitize asks for.
func ChecksOf(sanitize string) (names []string, err error) {
	set, err := san.Parse(sanitize)
	for _, c := range san.Checks {
		if err == nil && set&c.Set != 0 {
			names = append(names, c.Name)
		}
	}
	return names, err
}
