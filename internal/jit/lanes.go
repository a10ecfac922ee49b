package jit

// What follows from the lane alone, as `threadIdx.x & 31` does: the same row, and the same predicate, in every warp of the
// launch. Such results are constants, and a shuffle of which those lanes are taken that a constant predicate names, the
// others being zero (a step of a sum over the lanes before), is one permutation.

import (
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/jit/x86"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/sem"
)

// noLane in the table of a permutation: zero, from no lane.
const noLane = 32

// zeroed is a shuffle together with the selection behind it, in code for full warps.
type zeroed struct {
	prog      *program
	dst       source
	selection int32 // where that is
}

// findLanes makes constants of what follows from the lane alone.
func (r *region) findLanes() {
	c := r.foresees()
	if c == nil || c.partial {
		return
	}
	know := c.settled()
	r.laneMasks = map[ir.Reg]uint32{}
	for pc := range r.steps {
		s := &r.steps[pc]
		if s.prog == nil || s.leaves || s.tests || s.made != nil || s.moot || s.onSlots() || r.insts[pc].Guard != machine.NoGuard {
			continue
		}
		v, g := c.result(int32(pc), know)
		if v == nil || v.slot || know[g] == nil || !v.byLane() || s.op.Kind != sem.OpLane || !r.uses(LaneConstants) {
			continue
		}
		p := r.newProgram()
		switch v.typ {
		case tM:
			m := v.mask(0)
			r.laneMasks[g] = m
			s.prog = p.becomes(p.lanes(m))
		case tW:
			s.prog = p.becomes(p.byLane(v))
		}
	}
	for pc := range r.steps {
		r.findZeroed(int32(pc))
	}
}

// becomes makes a value the result.
func (p *program) becomes(v val) *program {
	p.result = v
	p.settle()
	return p
}

// byLane is a value that follows from the lane alone, or not even from that.
func (p *program) byLane(v *foreseen) val {
	for _, other := range v.vals[:32] {
		if other != v.vals[0] {
			return p.table(func(i int) uint32 { return uint32(v.vals[i]) })
		}
	}
	return p.w(uint32(v.vals[0]))
}

// byLane tells whether the values of all warps are the same.
func (v *foreseen) byLane() bool {
	for n := 32; n < len(v.vals); n++ {
		if v.vals[n] != v.vals[n-32] {
			return false
		}
	}
	return true
}

// findZeroed finds the selection between what a shuffle brings and zero.
func (r *region) findZeroed(pc int32) {
	s := &r.steps[pc]
	if s.op.Kind != sem.OpShuffle || s.leaves || s.prog == nil || r.insts[pc].Guard != machine.NoGuard {
		return
	}
	o := &s.prog.ops[s.prog.result]
	if o.code != cPerm || s.prog.ops[o.a].code != cTable {
		return
	}
	g := r.rowWritten(pc, s.dst.off)
	if g == ir.NoReg || len(r.live.uses.writers(g)) != 1 || len(r.live.uses.readers(g)) != 1 {
		return
	}
	at := r.live.uses.readers(g)[0]
	taken, ok := r.selects(at, s.dst.off)
	if !ok || at < pc || r.segmentOf(at) != r.segmentOf(pc) || !r.leavesAlone(pc+1, at, r.steps[at].dst.off) {
		return
	}
	if !r.uses(Zeroed) {
		return
	}
	p := r.newProgram()
	from := &s.prog.tables[s.prog.ops[o.a].imm]
	table := p.table(func(i int) uint32 {
		if taken>>i&1 == 0 {
			return noLane
		}
		return from[i]
	})
	p.becomes(p.op2(cPerm, tW, table, p.input(1, tW), 0))
	s.zeroed, r.steps[at].moot = &zeroed{p, r.steps[at].dst, at}, true
}

// rowWritten is the register that an instruction writes to a row.
func (r *region) rowWritten(pc int32, off uint32) ir.Reg {
	for _, g := range r.live.uses.writes(pc) {
		if r.f.Regs[g].Bits > 1 && r.f.Rows.Of[g] >= 0 && r.offset(g) == off {
			return g
		}
	}
	return ir.NoReg
}

// selects has the lanes for which an instruction selects a row, if the others get zero and which those are is constant.
func (r *region) selects(pc int32, row uint32) (taken uint32, ok bool) {
	s := &r.steps[pc]
	if s.op.Kind != sem.OpSelect || s.leaves || s.op.Scalar || s.prog == nil || s.dst.slot || s.made != nil || s.dst.typ != tW || r.insts[pc].Guard != machine.NoGuard {
		return 0, false
	}
	mask, known := uint32(0), false
	for _, g := range r.live.uses.reads(pc) {
		if m, ok := r.laneMasks[g]; ok && r.offset(g) == s.in[2].off {
			mask, known = m, true
		}
	}
	shuffled := func(k int) bool { return !s.in[k].known && !s.in[k].slot && s.in[k].off == row }
	zero := func(k int) bool { return s.in[k].known && s.in[k].value == 0 }
	switch {
	case known && shuffled(0) && zero(1):
		return mask, true
	case known && shuffled(1) && zero(0):
		return ^mask, true
	}
	return 0, false
}

// leavesAlone tells whether instructions [from, to) go on and have nothing to do with a row.
func (r *region) leavesAlone(from, to int32, row uint32) bool {
	for pc := from; pc < to; pc++ {
		s := &r.steps[pc]
		if s.leaves || s.tests || r.rowAmong(r.live.uses.reads(pc), row) || r.rowAmong(r.live.uses.writes(pc), row) {
			return false
		}
		switch s.op.Kind {
		case sem.OpLane, sem.OpCompare, sem.OpMove, sem.OpLogic, sem.OpNothing:
		default:
			return false
		}
	}
	return true
}

// tableOf is the running part of a table.
func (e *emitter) tableOf(t *[32]uint32) loc {
	first := e.part * e.lanes
	return loc{kind: inMem, m: e.constRow(tW, func(i int) uint64 { return uint64(t[(first+i)&31]) })}
}

// truthOf is the running part of truth values that are known.
func (e *emitter) truthOf(mask uint32) loc {
	first := e.part * e.lanes
	if e.evex {
		k := e.allocK()
		e.KM(x86.KMOVW, k, e.Const32(mask>>first&0xffff))
		return loc{kind: inK, k: k, owned: true}
	}
	t := tW
	if e.wide {
		t = tX
	}
	return loc{kind: inMem, m: e.constRow(t, func(i int) uint64 { return -uint64(mask >> (first + i) & 1) }), elem: t}
}
