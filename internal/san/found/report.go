// Package found holds what sanitizers find: the kinds of reports with their words (kinds.go), and the reports of a launch.
package found

import (
	"sync"

	"ptxvm.invalid/ptxvm/internal/machine"
)

// Report is something that a kernel's results must not depend on.
type Report = machine.Report

// Reporter gets the reports of a launch, from several cores at a time.
type Reporter = machine.Reporter

// Counted is a report with the number of times that the same two instructions gave it.
type Counted struct {
	Report
	Times int
}

// Fate is what becomes of a report.
type Fate uint8

// The fates.
const (
	Reported   Fate = iota
	Noted           // it is no error
	Suppressed      // it is known, and counted only
)

// List is what is found in one launch.
type List struct {
	max   int // reports that are kept, and as many notes
	judge func(*Report) Fate

	mu    sync.Mutex // no access that is right takes it
	found Findings
	index map[pair]*Counted
}

// Findings is what a launch was found to do: of each pair of places the first time.
type Findings struct {
	Reports, Notes []*Counted // in the order in which they were made
	Lost           int        // pairs of places that had no report because there were too many
	Suppressed     int        // pairs of places whose reports are known
}

// pair is what makes two reports the same: kind and instructions.
type pair struct {
	kind   Kind
	across bool // launches
	a, b   *machine.FuncInfo
	pa, pb int32
}

// NewList returns an empty list, which keeps at most so many reports. judge is asked once for each pair of places; nil: all are
// reported.
func NewList(most int, judge func(*Report) Fate) *List {
	return &List{max: most, judge: judge, index: map[pair]*Counted{}}
}

// Found returns the reports so far.
func (l *List) Found() Findings {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.found
}

// Report implements Reporter.
func (l *List) Report(r *Report) { l.Many(r, 1) }

// Many is Report of what has happened so many times.
func (l *List) Many(r *Report, times int) {
	key := pair{r.Kind, r.Between == machine.AcrossLaunches, r.Op.Func, r.Then.Func, r.Op.PC, r.Then.PC}
	l.mu.Lock()
	defer l.mu.Unlock()
	if f := l.index[key]; f != nil {
		f.Times += times
		return
	}
	f := &Counted{*r, times}
	l.index[key] = f
	l.keep(f)
}

// keep keeps the first report of a pair of places.
func (l *List) keep(f *Counted) {
	fate := Reported
	if l.judge != nil {
		fate = l.judge(&f.Report)
	}
	switch s := &l.found; {
	case fate == Suppressed:
		s.Suppressed++
	case fate == Noted && len(s.Notes) < l.max:
		s.Notes = append(s.Notes, f)
	case fate == Noted:
	case len(s.Reports) == l.max:
		s.Lost++
	default:
		s.Reports = append(s.Reports, f)
	}
}
