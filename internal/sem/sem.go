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
//	Plan(f, …)            a hand-written handler, chosen and set up by f at decode
//	assumption(assume.X, …)    one of these for each position of an assumption about hardware; a plan asks
//	                      b.Assume(assume.X) and declares it: Plan(f).Assuming(assume.X)
//
// Handlers are called by package machine with rows of registers (DESIGN §7); package
// decode builds the instructions from these lines.
//
// Scalar chapters, memory, control and barriers are here. Chapters that are worlds of their own are wings, packages that give
// their lines and handlers as a Wing: matrix, async, image, and calls. Package table puts all together. What a wing is made
// with is all that this package exports for it:
//
//	the table      Line, Of and its like for conditions, Plan with Sees, Where and Assuming, Undescribed
//	the statement  Build.In, Sel and Out; Does names the operation, Ext().Data is its constant, Fail refuses, Assume asks
//	operands       Src, Dst, Rows, Optional, Halves, Constant, OperandBits: offsets of rows; Address, Find, AddressAt: of addresses
//	the lanes      Each, OneByOne, Lowest, LoadElem, StoreElem, StoreLanes, SetMask: what handlers do with them
//	memory         Rmw: what atomic operations compute; elements of memory are package mem's
//	its meaning    SpaceOf, ScopeOf, OrderOf, SyncOf, Multicasts: what modifiers and effects say, which package observe asks, too
package sem

import (
	"slices"

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

// Undescribed stands in lines of what ptxas takes and no manual describes: check accepts it, and it is not executed.
var Undescribed Do = silence{}

type silence struct{}

func (silence) Plan(b *Build)                { b.Fail("no manual describes it") }
func (silence) Reads(*isa.Sel, isa.Mod) bool { return true }
func (silence) Scalar() bool                 { return false }

// inClass reports whether a modifier is the statement's value of one of the classes.
func inClass(sel *isa.Sel, m isa.Mod, classes ...isa.Class) bool {
	return slices.ContainsFunc(classes, func(c isa.Class) bool { return sel.Get(c) == m })
}
