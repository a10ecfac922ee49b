package sem

// Scalar slots whose rows are read.

import (
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/regs"
)

// Spread makes the instruction, which runs on scalar slots, write the rows of its results too.
// The lanes of a converged frame execute together, so whole rows are written.
func (b *Build) Spread(to []regs.Scalar) {
	if len(to) == 0 {
		return
	}
	b.Ext().Spread = &machine.Spread{Inner: b.Out.Full, To: to}
	b.Out.Full, b.Out.Part = spreadRows, spreadRows
}

func spreadRows(w *machine.Warp, in *machine.Inst) machine.State {
	s := in.Ext.Spread
	st := s.Inner(w, in)
	if st == machine.Next {
		for i := range s.To {
			spread(w, &s.To[i])
		}
	}
	return st
}

func spread(w *machine.Warp, s *regs.Scalar) {
	if s.Width == regs.Row64 {
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
