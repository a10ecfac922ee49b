package machine

// This file checks what native.go says must hold wherever compiled code is entered and left.

import (
	"fmt"

	"ptxvm.invalid/ptxvm/internal/machine/abi"
	"ptxvm.invalid/ptxvm/internal/machine/regs"
	"ptxvm.invalid/ptxvm/internal/machine/specials"
	"ptxvm.invalid/ptxvm/internal/machine/waits"
)

// Checked has each crossing between the machine and compiled code looked at, and each turn of a warp; a breach is a panic.
// Tests set it before they launch anything.
var Checked = asserting

// breach ends a run in which the machine and compiled code do not agree.
func (w *Warp) breach(where, format string, args ...any) {
	panic(fmt.Sprintf("BUG: %s, CTA %d, warp %d, living lanes %08x: %s", where, w.cta.rank, w.index, w.Live, fmt.Sprintf(format, args...)))
}

// checkEntry looks at a warp that compiled code is to enter.
func (w *Warp) checkEntry(f *Fragment) {
	const where = "compiled code is entered"
	switch bit := uint32(1) << f.index; {
	case w.used != bit || w.ready != bit || w.joining|w.patient|w.watched != 0:
		w.breach(where, "of the fragments %08x, %08x are ready and %08x join", w.used, w.ready, w.joining)
	case f.mask == 0 || f.mask != w.Live || f.mask != f.frame.lanes:
		w.breach(where, "for lanes %08x of %08x", f.mask, f.frame.lanes)
	case f.frame.variant != converged:
		w.breach(where, "in a split frame")
	case f.region != nil && f.region.frame == f.frame:
		w.breach(where, "for lanes that are to meet at %d", f.region.pc)
	case f.wait != waits.Nothing || f.woken || f.gather != nil || len(w.gathers)+len(w.bars) != 0:
		w.breach(where, "at %d with an instruction half done", f.pc)
	}
	w.checkSpecials(where, f.frame, f.mask)
}

// checkPlaces looks at what compiled code says of the lanes that have entered: each has exited or stands at one place.
func (w *Warp) checkPlaces(n *installed, s *abi.State) {
	const where = "compiled code is left"
	lanes := s.Exited
	for _, p := range s.Places[:s.N] {
		if p.Mask == 0 || p.Mask&lanes != 0 || p.PC < 0 || int(p.PC) >= len(n.Entries) {
			w.breach(where, "lanes %08x stand at %d, but %08x are elsewhere", p.Mask, p.PC, lanes)
		}
		lanes |= p.Mask
	}
	if lanes != s.Mask {
		w.breach(where, "lanes %08x have entered, %08x have come out", s.Mask, lanes)
	}
	for _, p := range s.Places[:s.N] {
		w.checkScalars(where, w.frag.frame, p.PC, p.Mask)
	}
}

// checkHelp looks at compiled code that has returned for a handler.
func (w *Warp) checkHelp(n *installed, s *abi.State) {
	h, f := &s.Help, w.frag.frame
	where := fmt.Sprintf("a handler executes %v at %d", n.code.Insts[h.PC].Op, h.PC)
	switch living := s.Living(); {
	case h.Mask == 0 || h.Mask&^living != 0 || f.lanes&living != living:
		w.breach(where, "for lanes %08x of %08x, of which %08x have exited, in a frame of %08x", h.Mask, s.Mask, s.Exited, f.lanes)
	case f.code != n.code || f.variant != converged || uintptr(h.Regs) != regsOf(f) || w.frag.woken:
		w.breach(where, "in another frame than the entered one")
	}
	if w.cta.rank == w.cta.cluster.rank+uint64(s.Batch.Done) || s.Batch.Warp == 0 {
		w.checkSpecials(where, f, h.Mask)
	}
}

// checkBatch looks at the warps of a CTA that a batch has left.
func (c *CTA) checkBatch(n *installed, b *abi.Batch) {
	const where = "a batch is left"
	for i, w := range c.warps {
		if w.stale || w.Live == 0 {
			continue
		}
		w.checkFragments(where)
		if w.used&(w.used-1) != 0 || c.cluster.core.batchWarps()[i].At == n.Out {
			continue
		}
		if f := &w.frags[first(w.used)]; f.frame != w.root || w.root.variant != converged || w.root.moved {
			w.breach(where, "in a split frame, or in another than the kernel's")
		}
		w.checkSpecials(where, w.root, w.Live)
	}
	if alive := c.living(); alive != uint64(b.Alive) {
		c.warps[0].breach(where, "warps %08x live, %08x have lanes", b.Alive, alive)
	}
}

// living are the warps that have living lanes.
func (c *CTA) living() (set uint64) {
	for i, w := range c.warps {
		if w.Live != 0 {
			set |= 1 << i
		}
	}
	return set
}

// checkFragments looks at a warp between two turns: its living lanes are each in one fragment, which is in one of the sets,
// and in the frames that have called its own; and who has met at an instruction is still there.
func (w *Warp) checkFragments(where string) {
	lanes, waiting := uint32(0), uint32(0)
	for m := w.used; m != 0; m &= m - 1 {
		f := &w.frags[first(m)]
		if f.mask == 0 || f.mask&lanes != 0 {
			w.breach(where, "a fragment has lanes %08x, others %08x", f.mask, lanes)
		}
		for at := f.frame; at != nil; at = at.caller {
			if f.mask&^at.lanes != 0 {
				w.breach(where, "lanes %08x are in a frame of %08x", f.mask, at.lanes)
			}
		}
		if lanes |= f.mask; f.wait != waits.Nothing && f.wait != waits.Sibling {
			waiting |= m & -m
		}
		w.checkGather(where, f)
	}
	if lanes != w.Live || w.ready&w.joining != 0 || (w.ready|w.joining)&waiting != 0 || w.ready|w.joining|waiting != w.used {
		w.breach(where, "fragments have lanes %08x; %08x are ready, %08x join, %08x wait, of %08x", lanes, w.ready, w.joining, waiting, w.used)
	}
	for _, g := range w.gathers {
		if w.fetching(g) != g.left {
			w.breach(where, "of lanes %08x that have met, %08x are to fetch the result, %08x are there", g.Lanes, g.left, w.fetching(g))
		}
	}
}

// checkGather looks at a fragment that waits at an instruction for others, or has done so.
func (w *Warp) checkGather(where string, f *Fragment) {
	if f.gather == nil {
		if f.wait == waits.Members {
			w.breach(where, "lanes %08x wait for nobody", f.mask)
		}
		return
	}
	if f.gather.full != f.woken || f.gather.full == (f.wait == waits.Members) {
		w.breach(where, "lanes %08x stand at %d with what they have met for elsewhere", f.mask, f.pc)
	}
}

// fetching are the lanes that are to fetch what others have brought.
func (w *Warp) fetching(g *Gather) (lanes uint32) {
	for m := w.used; m != 0; m &= m - 1 {
		if f := &w.frags[first(m)]; f.gather == g {
			lanes |= f.mask
		}
	}
	return lanes
}

// checkSpecials looks whether a frame has the special registers of its warp in its CTA.
func (w *Warp) checkSpecials(where string, f *Frame, lanes uint32) {
	for i := range f.code.Specials {
		r := &f.code.Specials[i]
		if r.Class() != specials.PerLane {
			if !r.HeldBy(f.regs, (*reader)(w)) {
				w.breach(where, "%v, component %d, is not %#x as in its CTA", r.Reg, r.Comp, r.Value((*reader)(w), 0))
			}
			continue
		}
		for m := lanes; m != 0; m &= m - 1 {
			if lane := first(m); r.Width == regs.Row32 && f.regs.Row32(r.Off)[lane] != uint32(r.Value((*reader)(w), lane)) {
				w.breach(where, "%v, component %d, of lane %d is %#x", r.Reg, r.Comp, lane, f.regs.Row32(r.Off)[lane])
			}
		}
	}
}

// checkScalars looks whether the rows of scalar slots that are read as rows, too, have their values where lanes stand.
func (w *Warp) checkScalars(where string, f *Frame, pc int32, lanes uint32) {
	for i := range f.code.Scalars {
		s := &f.code.Scalars[i]
		if !s.Spread || s.Width == regs.Pred || !s.LiveAt(pc) {
			continue
		}
		for m := lanes; m != 0; m &= m - 1 {
			lane, have := first(m), uint64(0)
			want := *f.regs.Slot(s.Slot) + uint64(lane)*s.Stride
			if have = uint64(f.regs.Row32(s.Row)[lane]); s.Width == regs.Row64 {
				have = f.regs.Row64(s.Row)[lane]
			} else {
				want = uint64(uint32(want))
			}
			if have != want {
				w.breach(where, "at %d the row at %d of lane %d is %#x, its scalar %#x", pc, s.Row, lane, have, want)
			}
		}
	}
}
