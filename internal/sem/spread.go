package sem

// Scalar slots whose rows somebody reads.

import "ptxvm/internal/machine"

// Spread makes an instruction on scalar slots write the rows of its results too. The lanes of
// a converged frame execute together, so whole rows are written.
func Spread(out *machine.Inst, to []machine.ScalarSlot) {
	if len(to) == 0 {
		return
	}
	inner := out.Full
	h := func(w *machine.Warp, in *machine.Inst) machine.State {
		st := inner(w, in)
		if st == machine.Next {
			for i := range to {
				spread(w, &to[i])
			}
		}
		return st
	}
	out.Full, out.Part = h, h
}

func spread(w *machine.Warp, s *machine.ScalarSlot) {
	if s.Width == machine.Row64 {
		d, v := w.R64(s.Row), *w.S64(s.Slot)
		for i := range d {
			d[i] = v
		}
		return
	}
	d, v := w.R32(s.Row), *w.S32(s.Slot)
	for i := range d {
		d[i] = v
	}
}
