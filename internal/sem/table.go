package sem

// The table as a whole: the scalar chapters of this package and the wings beside it.

import (
	"fmt"
	"slices"

	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/uop"
)

// Wing is chapters in a package of their own.
type Wing struct {
	Lines    []Line                     // in the manual's order
	Handlers map[uop.Op]machine.Handler // what executes its operations, with all lanes of the frame or with some of them
}

// Table says what each statement means, and what executes each operation. It never changes.
type Table struct {
	lines    []Line
	byID     map[isa.ID][]*Line // by form; lines keep their order
	handlers [uop.FirstLane]handlers
}

// Assemble puts the scalar chapters, in the manual's order, and the wings together. It panics where an operation has two handlers.
func Assemble(wings ...Wing) *Table {
	t := &Table{lines: slices.Concat(
		intLines(), carryLines(), floatLines(), halfLines(), mixedLines(), mixed2Lines(), setPackedLines(),
		compareLines(), logicLines(), moveLines(), convertLines(), memoryLines(), atomicLines(),
		controlLines(), syncLines(), warpLines(), videoLines(), stackLines(), miscLines(), policyLines(),
	), byID: map[isa.ID][]*Line{}}
	copy(t.handlers[:], structural[:])
	for _, w := range wings {
		t.lines = append(t.lines, w.Lines...)
		for op, h := range w.Handlers {
			if t.handlers[op].full != nil {
				panic(fmt.Sprintf("sem: two handlers of %v", op))
			}
			t.handlers[op] = handlers{full: h}
		}
	}
	for i := range t.lines {
		l := &t.lines[i]
		t.byID[l.ID] = append(t.byID[l.ID], l)
	}
	return t
}

// Lookup returns the line that says what a statement does. It fails with an error that
// names what is missing: the form, its type, or a modifier that no line accounts for.
func (t *Table) Lookup(sel *isa.Sel) (*Line, error) {
	best, tie := pick(t.byID[sel.ID()], sel)
	switch {
	case best == nil:
		return nil, errNoLine
	case tie:
		return nil, fmt.Errorf("BUG: two semantics lines for %s", sel.Text())
	case best.Do == Undescribed:
		return nil, &UndocumentedError{best.Note}
	}
	if l, ok := best.Do.(limited); ok && !l.supports(sel) {
		return nil, errNoLine
	}
	if m := best.unread(sel); m != 0 {
		return nil, fmt.Errorf("%s is not executed yet", m)
	}
	return best, nil
}

// UndocumentedError says what no manual describes of a statement.
type UndocumentedError struct{ What string }

func (e *UndocumentedError) Error() string { return "no manual describes " + e.What }

// errNoLine is the reason when not even the type of a form is there.
var errNoLine = fmt.Errorf("not executed yet")

// pick returns the most specific line that holds, and whether another is as specific.
func pick(lines []*Line, sel *isa.Sel) (best *Line, tie bool) {
	for _, l := range lines {
		switch {
		case !l.When.holds(sel):
		case best == nil || len(l.When) > len(best.When):
			best, tie = l, false
		case len(l.When) == len(best.When):
			tie = true
		}
	}
	return best, tie
}

// unread returns a modifier of the statement that neither the line's condition nor its
// executor looks at and that is not known to be without effect; 0 if there is none.
func (l *Line) unread(sel *isa.Sel) isa.Mod {
	for _, m := range sel.Mods() {
		if !sel.Fixed(m) && !l.When.names(m) && !l.Do.Reads(sel, m) && !HasNoEffect(m) {
			return m
		}
	}
	return 0
}

// handlersOf looks an operation up; full is nil if nothing executes it.
func (t *Table) handlersOf(op uop.Op) handlers {
	if op.IsLane() {
		return stamps[op].handlers
	}
	return t.handlers[op]
}

// Prepare looks up what executes the instruction that a plan has made, and what it does first.
func (t *Table) Prepare(b *Build) {
	out := b.Out
	if out.Full, out.Part = t.handlersOf(out.Op).on(b.Scalar); out.Full == nil {
		b.Fail("BUG: %v has no handler", out.Op)
		return
	}
	if out.Ext == nil {
		return
	}
	switch out.Op {
	case uop.Setp, uop.Set: // pure: it may look at lanes that do not execute
		out.Inner, _ = t.handlersOf(combined(out).Fn).on(b.Scalar)
	case uop.Lop3Predicate:
		_, out.Inner = t.handlersOf(combined(out).Fn).on(b.Scalar)
	}
	if out.Ext.High != nil {
		out.Inner, out.Full, out.Part = out.Part, extendHigh, extendHigh
	}
}
