// Package found holds what sanitizers find: the kinds of reports with their words (kinds.go), and the reports of a
// launch.
package found

import (
	"sync"

	"ptxvm.invalid/ptxvm/internal/machine"
)

// Relation says how far the threads of a race are from each other.
type Relation uint8

// The relations.
const (
	WithinWarp Relation = iota
	WithinCTA
	AcrossCTAs
	AcrossLaunches
)

// String is how far apart they are at most, as report.Report.Between has it.
func (r Relation) String() string { return [...]string{"warp", "cta", "gpu", "launches"}[r] }

// Report is something that a kernel's results must not depend on.
type Report struct {
	Kind   Kind
	Extent machine.Extent // what both touch
	Op     machine.Place  // the operation's issue
	Then   machine.Place  // the access; OpenAtExit: zero but for the CTA
	// Between is, of races, how far the threads are from each other.
	Between  Relation
	Unwaited bool    // AcrossLaunches: by a thread that had not executed griddepcontrol.wait, which would have ordered the two
	Text     string  // as the kinds say; of a race across launches, what Op or, where that is a copy, the other one is
	By       any     // AcrossLaunches: whose launch Op is of, nil if it is of the same or of none
	Object   string  // what it is about, if the reporter cannot tell by Extent
	Moment   *uint64 // of Then, where it is reported later; nil: now, or not known
}

// Reporter gets the reports of a launch, from several cores at a time.
type Reporter interface {
	Report(*Report)
}

// Counted is a report with the number of times that the same two instructions gave it about the same object, in either order of the two
// where that is no matter.
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
	max    int // reports that are kept, and as many notes
	judge  func(*Report) Fate
	object func(*Report) string
	Early  func(*Report) // is told, while the launch runs, of what is reported at its end; may be nil

	mu    sync.Mutex // no access that is right takes it
	last  []func()
	found Findings
	index map[pair]*Counted
}

// Findings is what a launch was found to do: of each pair of places and object the first time.
type Findings struct {
	Reports, Notes []*Counted // in the order in which they were made
	Lost           int        // pairs of places that had no report because there were too many
	Suppressed     int        // pairs of places whose reports are known
}

// pair is what makes two reports the same: kind, object, and instructions.
type pair struct {
	kind   Kind
	across bool // launches
	object string
	a, b   instruction
}

// instruction is a place in code.
type instruction struct {
	fn *machine.FuncInfo
	pc int32
}

// pairOf is what two reports have in common that are the same.
func (l *List) pairOf(r *Report) pair {
	kind, _ := r.Kind.EitherWay()
	p := pair{kind: kind, across: r.Between == AcrossLaunches, a: instruction{r.Op.Func, r.Op.PC}, b: instruction{r.Then.Func, r.Then.PC}}
	if l.object != nil {
		p.object = l.object(r)
	}
	return p
}

// find is the report of the same pair, if there was one: of races also of the other direction.
func (l *List) find(p pair) *Counted {
	f := l.index[p]
	if _, either := p.kind.EitherWay(); either && f == nil {
		p.a, p.b = p.b, p.a
		f = l.index[p]
	}
	return f
}

// NewList returns an empty list, which keeps at most so many reports. judge is asked once for each pair of places;
// nil: all are reported. object names what a report is about: two objects are two reports; nil: nothing is told apart by that.
func NewList(most int, judge func(*Report) Fate, object func(*Report) string) *List {
	return &List{max: most, judge: judge, object: object, index: map[pair]*Counted{}}
}

// AtEnd lets a detector report what it knows when the launch is over: before Found returns.
func (l *List) AtEnd(do func()) { l.last = append(l.last, do) }

// Found returns the reports, when the launch is over.
func (l *List) Found() Findings {
	for _, do := range l.last {
		do()
	}
	l.last = nil
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.found
}

// Report implements Reporter.
func (l *List) Report(r *Report) { l.Many(r, 1) }

// Many is Report of what has happened so many times.
func (l *List) Many(r *Report, times int) {
	key := l.pairOf(r)
	l.mu.Lock()
	defer l.mu.Unlock()
	if f := l.find(key); f != nil {
		f.Times += times
		f.Between = max(f.Between, r.Between) // what is missing is missing for all
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
