package machine

// This file gives warps short turns (Launch.Fair), as on a GPU: its warps leave a barrier together and are never far
// from each other, where here a warp runs on for as long as it can. What a kernel without enough synchronisation
// computes depends on that.

// fairTurn is the instructions of a turn.
const fairTurn = 64

// turnEnds ends the turn of a warp in front of an instruction.
func (w *Warp) turnEnds(f *Fragment, pc int32) State {
	w.move(f, pc)
	w.cut = true
	return Diverge
}

// hadTurn reports whether a warp has had its turn; the fragments that have had theirs in this round are not forgotten.
func (w *Warp) hadTurn() bool {
	slice := w.cta.grid.slice
	if slice == 0 || !w.cut && w.steps < uint64(slice) {
		return false
	}
	w.cut = false
	return true
}

// leaves reports whether the last warp at a barrier goes on at once. If not, it does in its next turn, where it
// executes the barrier again: so it leaves together with those that have waited for it.
func (w *Warp) leaves() bool {
	w.cut = w.cut || w.cta.grid.slice != 0
	return !w.cut
}
