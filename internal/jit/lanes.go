package jit

// What follows from the lane alone, as `threadIdx.x & 31` does: the same row, and the same predicate, in every warp of the
// launch. Such results are constants.

import (
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/jit/x86"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/sem"
)

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
