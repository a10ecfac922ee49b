package main

// This file gathers what sanitizers have reported.

import (
	"errors"

	"ptxvm.invalid/ptxvm"
)

// splitReports takes the reports of sanitizers out of an error: what they say, launch by launch, and what else it says.
func splitReports(err error) (all []*ptxvm.SanitizerError, rest error) {
	if one, ok := err.(*ptxvm.SanitizerError); ok { //nolint:errorlint // nothing wraps it but a join, below
		return []*ptxvm.SanitizerError{one}, one.Err
	}
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return nil, err
	}
	var others []error
	for _, e := range joined.Unwrap() {
		found, other := splitReports(e)
		all, others = append(all, found...), append(others, other)
	}
	if all == nil {
		return nil, err
	}
	return all, errors.Join(others...)
}

// leaks reports what kernels have allocated and not freed when all launches are over; nil if nothing.
func (s *session) leaks() error {
	reports := s.program.Leaks()
	if len(reports) == 0 {
		return nil
	}
	return &ptxvm.SanitizerError{Kernel: reports[0].Kernel, Reports: reports}
}
