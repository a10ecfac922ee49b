package x86

// This file makes code count itself: each piece of it that runs from its first instruction to its last adds to a counter when it is entered.
// What has been executed is then, for each piece, its counter times its instructions.

// counting is how code counts.
type counting struct {
	next   func() (counter uint64, note string) // of the next piece: an address in the host, and a remark for the listing; nil: nothing counts
	begins bool                                 // a piece begins with the next instruction
}

// CountedEnd is the note behind what counts: the instructions of the piece follow.
const CountedEnd = "behind the counter"

// Count makes what is assembled from now on count, until Reset. A piece begins here, behind each label, and behind each jump. A counter
// has 8 bytes. What counts changes neither flags nor registers, and writes 16 bytes below the stack.
func (a *Asm) Count(next func() (counter uint64, note string)) { a.counting = counting{next, true} }

// piece begins a piece in front of an instruction, if one is to begin.
func (a *Asm) piece() {
	next := a.next
	counter, note := next()
	given, watch := a.deco, a.watch
	a.counting, a.deco, a.watch = counting{}, deco{}, nil
	a.Note(note)
	save, other := At(RSP, -8), At(RSP, -16)
	a.MR(MOV, S64, save, RAX)
	a.MR(MOV, S64, other, RCX)
	a.MovImm(RAX, counter)
	a.RM(MOV, S64, RCX, At(RAX, 0))
	a.RM(LEA, S64, RCX, At(RCX, 1)) // flags stay
	a.MR(MOV, S64, At(RAX, 0), RCX)
	a.RM(MOV, S64, RCX, other)
	a.RM(MOV, S64, RAX, save)
	a.Note(CountedEnd)
	a.counting, a.deco, a.watch = counting{next: next}, given, watch
}
