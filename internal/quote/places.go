package quote

import (
	"errors"
	"slices"

	"ptxvm.invalid/ptxvm"
)

// Of lists the places in sources that an error of a launch names: of a fault, of both sides of each sanitizer's report,
// of the warps that wait or that were stopped.
func Of(err error) (places []ptxvm.Location) {
	var found *ptxvm.SanitizerError
	if errors.As(err, &found) {
		for _, r := range found.Reports {
			places = append(places, OfReport(r)...)
		}
		err = found.Err
	}
	var fault *ptxvm.Fault
	var deadlock *ptxvm.DeadlockError
	var stopped *ptxvm.StoppedError
	switch {
	case errors.As(err, &fault):
		places = append(places, fault.Source...)
	case errors.As(err, &deadlock):
		for _, w := range deadlock.Waiters {
			places = append(places, w.Source...)
		}
	case errors.As(err, &stopped):
		for _, w := range stopped.Warps {
			places = append(places, w.Source...)
		}
	}
	return places
}

// OfReport lists the places of a sanitizer's report.
func OfReport(r *ptxvm.Report) []ptxvm.Location {
	if r.Other == nil {
		return r.Here.Source
	}
	return slices.Concat(r.Here.Source, r.Other.Source)
}
