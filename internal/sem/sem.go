// Package sem says what each form of the ISA does.
//
// The semantics table has one file a chapter (int.go, float.go, …), each a slice of
// lines {form, condition on its modifiers, what executes it, note}. The most specific
// line that holds for a statement is its meaning; a form, type or modifier that no line
// accounts for is refused by name before anything runs. Nothing here is written twice:
// which instructions are executed, and how completely, is derived from the table.
//
//	lane(uop.AddSatS32)   a pure function of one lane; its loops are stamped by internal/gen
//	compare(lane(…))      the same to a predicate, with the combinations of setp
//	plan(f, …)            a hand-written handler, chosen and set up by f at decode
//	assumption(assume.X, …)    one of these for each position of an assumption about hardware; a plan asks
//	                      b.Assume(assume.X) and declares it: plan(f).assuming(assume.X)
//
// Handlers are called by package machine with rows of registers (DESIGN §7); package
// decode builds the instructions from these lines.
package sem

import (
	"fmt"
	"slices"
	"sync"

	"ptxvm.invalid/ptxvm/internal/isa"
)

// Line is one line of the semantics table.
type Line struct {
	ID   isa.ID // the form
	When Cond   // what must hold for a statement's modifiers
	Do   Do     // what executes it; undocumented: nothing says what it does
	Note string // what is not modelled, for users; of an undocumented statement what is not described; empty if nothing
}

// Do is what executes a statement.
type Do interface {
	// Plan sets up the decoded instruction b.Out for the statement b.In; b.Err says why it
	// could not.
	Plan(b *Build)
	// Reads tells whether Plan looks at a modifier of a statement.
	Reads(sel *isa.Sel, m isa.Mod) bool
	// Scalar tells whether Plan can set up execution on scalar slots.
	Scalar() bool
}

// chapters are the tables in the manual's order. They are made when they are first asked for: a process that checks
// needs none.
var chapters = sync.OnceValue(func() [][]Line {
	return [][]Line{
		intLines(), carryLines(), floatLines(), halfLines(), mixedLines(), mixed2Lines(), setPackedLines(),
		compareLines(), logicLines(), moveLines(), convertLines(), memoryLines(), surfaceLines(), textureLines(), atomicLines(),
		controlLines(), syncLines(), mbarrierLines(), warpLines(), videoLines(), stackLines(), tensorLines(), tensorProductLines(), withdrawLines(),
		productLines(), matrixLines(), wmmaLines(), wgmmaLines(), miscLines(), policyLines(), asyncLines(), asyncStoreLines(), asyncBulkLines(), bulkTensorLines(), multimemLines(), sparseLines(), fabricLines(),
	}
})

// byID is the table by form; lines keep their order.
var byID = sync.OnceValue(func() map[isa.ID][]*Line {
	table := map[isa.ID][]*Line{}
	for _, chapter := range chapters() {
		for i := range chapter {
			l := &chapter[i]
			table[l.ID] = append(table[l.ID], l)
		}
	}
	return table
})

// Lookup returns the line that says what a statement does. It fails with an error that
// names what is missing: the form, its type, or a modifier that no line accounts for.
func Lookup(sel *isa.Sel) (*Line, error) {
	best, tie := pick(byID()[sel.ID()], sel)
	switch {
	case best == nil:
		return nil, errNoLine
	case tie:
		return nil, fmt.Errorf("BUG: two semantics lines for %s", sel.Text())
	case best.Do == undocumented:
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

// undocumented stands in lines of what ptxas takes and no manual describes: check accepts it, and it is not executed.
var undocumented Do = silence{}

type silence struct{}

func (silence) Plan(b *Build)                { b.fail("no manual describes it") }
func (silence) Reads(*isa.Sel, isa.Mod) bool { return true }
func (silence) Scalar() bool                 { return false }

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

// inClass reports whether a modifier is the statement's value of one of the classes.
func inClass(sel *isa.Sel, m isa.Mod, classes ...isa.Class) bool {
	return slices.ContainsFunc(classes, func(c isa.Class) bool { return sel.Get(c) == m })
}
