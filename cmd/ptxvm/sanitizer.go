package main

// This file gathers what sanitizers have reported.

import (
	"errors"
	"strings"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/diag"
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

// sanitizerReport is a report in --report.
type sanitizerReport struct {
	Check   string          `json:"check"`
	Code    string          `json:"code"`
	Kind    string          `json:"kind"`
	ID      string          `json:"id"`
	Message string          `json:"message"`
	Kernel  string          `json:"kernel"`
	Here    involvedReport  `json:"here"`
	Other   *involvedReport `json:"other"`
	Fix     string          `json:"fix"`
	Times   int             `json:"times"`
	Replay  string          `json:"replay"`
	Detail  string          `json:"detail"`
}

// involvedReport is one of its places.
type involvedReport struct {
	Role   string        `json:"role"`
	CTA    [3]uint32     `json:"cta"`
	Thread [3]uint32     `json:"thread"`
	Lanes  uint32        `json:"lanes"`
	Text   string        `json:"text"`
	PTX    placeReport   `json:"ptx"`
	Source []placeReport `json:"source"`
	Calls  []placeReport `json:"calls"`
}

func describeReport(r *ptxvm.Report, replay string) sanitizerReport {
	out := sanitizerReport{Check: r.Check, Code: r.Code.String(), Kind: r.Kind, ID: r.ID, Message: r.Msg, Kernel: r.Kernel,
		Here: describeInvolved(&r.Here), Fix: r.Fix, Times: r.Times, Replay: replay, Detail: r.Detail()}
	if r.Other != nil {
		other := describeInvolved(r.Other)
		out.Other = &other
	}
	return out
}

func describeInvolved(v *ptxvm.Involved) involvedReport {
	return involvedReport{v.Role, triple(v.CTA), triple(v.Thread), v.Lanes, v.Text, placeOf(v.PTX), placesOf(v.Source), placesOf(v.Calls)}
}

// replay is the command line that shows the same again: what was given, on one worker, where the seed decides the schedule.
func (s *streams) replay() string {
	words := []string{"ptxvm"}
	for _, w := range s.args {
		if w == "" || strings.ContainsAny(w, " \t\n'\"\\$`;&|<>()*?[]{}~#!") {
			w = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
		words = append(words, w)
	}
	return diag.Escape(strings.Join(append(words, "--workers", "1"), " "))
}
