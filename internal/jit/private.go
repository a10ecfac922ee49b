package jit

// Rows that only the lanes that run look at. In code for some lanes all others wait at later segments; what is not
// live at any of them may be written for all lanes, whatever comes of it there: no mask, no blend.

import (
	"slices"

	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/sem"
)

// findPrivate notes for each register the last segment at which lanes may wait that look at it, and which results of code
// for some lanes may be written for all.
func (r *region) findPrivate() {
	r.lastLive, r.lastHeld = r.mem.int32s.take(len(r.f.Regs)), r.mem.int32s.take(len(r.live.regsOf.first))
	for i := range r.segs {
		if s := &r.segs[i]; s.pending >= 0 {
			n := 0
			r.f.EachLiveIn(r.live.blockOf[s.first], func(g ir.Reg) {
				n++
				r.lastLive[g] = int32(i)
				r.lastHeld[r.live.regsOf.rowOf[g]] = int32(i)
			})
			r.effort.spend(n / enterUnit)
		}
	}
	for i := range r.segs {
		for pc := r.segs[i].first; pc < r.segs[i].end; pc++ {
			r.findPrivateResults(i, &r.steps[pc])
		}
	}
}

func (r *region) findPrivateResults(i int, s *step) {
	if s.dst.typ != tM && s.prog != nil {
		s.dst.any = r.private(i, s.dst.off) && r.uses(Private)
	}
	if s.op.Kind == sem.OpLoad {
		for k := range s.op.Memory.At {
			s.in[1+k].any = r.private(i, s.in[1+k].off) && r.uses(Private)
		}
	}
}

// findPrivate is the same for a run of a segment.
func (m *merged) findPrivate(r *region, i int) {
	for k := range m.rows {
		m.rows[k].dst.any = r.private(i, m.rows[k].dst.off)
	}
}

// private reports whether only running lanes look at a row, in a segment.
func (r *region) private(i int, off uint32) bool {
	if row := r.live.regsOf.index(off); row >= 0 {
		return r.lastHeld[row] <= int32(i)
	}
	regs := r.live.regsOf.of(off)
	return len(regs) > 0 && !slices.ContainsFunc(regs, func(g ir.Reg) bool { return r.lastLive[g] > int32(i) })
}

// usage is which lanes of a result are written where those of a mask execute.
func (s *source) usage(use maskUse) maskUse {
	if s.any && use == runLanes {
		return allLanes
	}
	return use
}
