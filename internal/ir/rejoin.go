package ir

// Rejoins reports whether lanes that go round the instruction at a pc, and those that execute it, come to the same code before they
// leave the function, whatever way they take: the block where all ways behind the instruction meet lies on every way to a return,
// holds more than that return, and is not the head of a loop that comes back to the instruction. Lanes that return early, before
// what the others do, do not rejoin them.
func (f *Func) Rejoins(pc int32) bool {
	at := f.BlockOf(pc)
	behind := f.Blocks[at].IPDom
	if behind == NoBlock || f.onlyLeaves(behind) || f.Dominates(behind, at) {
		return false
	}
	for _, exit := range f.exits() {
		if !f.Dominates(behind, BlockID(exit)) {
			return false
		}
	}
	return true
}

// onlyLeaves reports whether lanes do nothing in a block but leave the function.
func (f *Func) onlyLeaves(b BlockID) bool {
	for pc := f.Blocks[b].First; pc < f.Blocks[b].End; pc++ {
		if k := f.Insts[pc].flow(); k != flowRet && k != flowExit {
			return false
		}
	}
	return true
}
