package debug

import (
	"errors"
	"strconv"
	"strings"
)

// Destination is where to go: a moment, the fault that ends the launch, or one of its reports. The zero value is the start.
type Destination struct {
	moment uint64
	fault  bool
	report int // from 1; 0: none
}

// ErrDestination says what a destination may be.
var ErrDestination = errors.New("want a moment, such as 1200, fault, or report:2")

// ParseDestination reads a number, "fault", "report" or "report:N".
func ParseDestination(text string) (d Destination, err error) {
	what, which, numbered := strings.Cut(text, ":")
	switch {
	case text == "fault":
		return Destination{fault: true}, nil
	case text == "report":
		return Destination{report: 1}, nil
	case what == "report" && numbered:
		n, err := strconv.ParseUint(which, 10, 31)
		if err != nil || n == 0 {
			return d, ErrDestination
		}
		return Destination{report: int(n)}, nil
	}
	if d.moment, err = strconv.ParseUint(text, 0, 64); err != nil {
		return d, ErrDestination
	}
	return d, nil
}

// Start reports whether it is the start of the launch.
func (d Destination) Start() bool { return d == Destination{} }

// GoTo goes to a destination, forwards or backwards.
func (s *Session) GoTo(d Destination) (*Stop, error) {
	switch {
	case d.fault:
		return s.GotoFault()
	case d.report != 0:
		return s.GotoReport(d.report)
	}
	return s.Goto(d.moment)
}
