package jit

// What a warp need not compute again when it begins in another CTA: slots of the first segment that follow
// from the kernel's parameters and from special registers of the launch or of the warp's place. Each register
// has a slot of its own, so one that a single instruction writes still holds what it wrote in the CTA before,
// whoever executed it. The first segment has a second version without those instructions.

import (
	"slices"

	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/jit/x86"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/specials"
	"ptxvm.invalid/ptxvm/internal/sem"
)

// findLasting marks the instructions of the first segment whose results last.
func (r *region) findLasting() {
	if len(r.segs) == 0 || r.segs[0].first != 0 {
		return
	}
	lasting := map[uint32]bool{} // slots
	for i := range r.code.Specials {
		switch s := &r.code.Specials[i]; specials.ClassOf(s.Reg) {
		case specials.PerLaunch, specials.PerWarp:
			lasting[s.Off] = true
		}
	}
	once := r.writtenOnce()
	for pc := range r.segs[0].end {
		if s := &r.steps[pc]; r.lasts(pc, lasting, once) && r.uses(Lasting) {
			s.lasting, r.lasting = true, true
			for _, off := range s.slotsWritten() {
				lasting[off] = true
			}
		}
	}
}

// lastingSlots are those that last.
func (r *region) lastingSlots() map[uint32]bool {
	slots := map[uint32]bool{}
	for pc := range r.steps {
		if s := &r.steps[pc]; s.lasting {
			for _, off := range s.slotsWritten() {
				slots[off] = true
			}
		}
	}
	return slots
}

// writtenOnce has the registers that one instruction writes, and that are not read before.
func (r *region) writtenOnce() ir.Bits {
	once, more := ir.NewBits(len(r.f.Regs)), slices.Clone(r.live.entry)
	for pc := range r.f.Insts {
		for _, g := range r.live.uses.writes(int32(pc)) {
			if once.Has(int(g)) {
				more.Set(int(g))
			}
			once.Set(int(g))
		}
	}
	for i := range once {
		once[i] &^= more[i]
	}
	return once
}

// lasts tells whether an instruction makes the same slots of lasting ones in every CTA.
func (r *region) lasts(pc int32, lasting map[uint32]bool, once ir.Bits) bool {
	s := &r.steps[pc]
	slots := s.slotsWritten()
	if s.leaves || s.tests || r.insts[pc].Guard != machine.NoGuard || len(slots) == 0 {
		return false
	}
	ok := true
	for _, g := range r.live.uses.writes(pc) {
		ok = ok && once.Has(int(g)) && r.f.Regs[g].Bits > 1
	}
	if s.op.Kind == sem.OpLoad {
		return ok // from the parameters, at a constant
	}
	for k := range s.in {
		ok = ok && (s.in[k].known || s.in[k].slot && lasting[s.in[k].off])
	}
	return ok
}

// slotsWritten are the slots of all results of an instruction that computes, or loads a parameter; nil if it
// is another one.
func (s *step) slotsWritten() (list []uint32) {
	switch {
	case s.op.Kind == sem.OpLoad && s.op.Memory.By == sem.ByKernel && !s.op.Memory.Strong:
		for k := range s.op.Memory.At {
			d := &s.in[1+k]
			if d.off == machine.NoGuard {
				continue
			}
			if !d.slot {
				return nil
			}
			list = append(list, d.off)
		}
	case s.op.Kind == sem.OpLane && s.prog != nil && s.dst.slot && s.dst.typ != tM:
		list = append(list, s.dst.off)
	}
	return list
}

// againStub begins a full warp of another CTA without what lasts, else at other.
func (c *compiler) againStub(other x86.Label) {
	c.RI(x86.CMP, x86.S32, rMask, -1)
	c.Jcc(x86.NE, other)
	c.loadWarp(&c.segs[0])
	c.title("all lanes, from 0 in another CTA")
	c.again = true
	c.fullBody(0)
	c.again = false
}
