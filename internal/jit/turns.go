package jit

// Loops of one segment that load, in code for some lanes. As in trips.go nobody joins while lanes run, so a turn is its
// instructions and a test whether somebody leaves: masks stay, what is executed is counted when somebody leaves or when code is
// left in the middle, and sums of floats hold any NaN until then.

import (
	"slices"

	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/jit/x86"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/sem"
)

// turnsOf finds such a loop; nil if a segment is none.
func (r *region) turnsOf(i int) *trips {
	s := &r.segs[i]
	in, n := &r.insts[s.end-1], s.end-s.first
	if in.Guard == machine.NoGuard || int32(in.D) < s.end || in.Flags&machine.QuietLoop == 0 || n > maxTrip {
		return nil
	}
	if wait := r.segs[i+1].pending; wait < 0 || wait >= maxPending {
		return nil
	}
	loads := false
	for pc := s.first; pc < s.end-1; pc++ {
		st := &r.steps[pc]
		if !st.turns() {
			return nil
		}
		loads = loads || st.op.Kind == sem.OpLoad
	}
	if !loads {
		return nil
	}
	t := &trips{first: i, last: i, loads: true, steps: n, ops: n, exits: []tripExit{{seg: i + 1, ops: -1, latch: true}}}
	t.merged.mem = r.mem
	for pc := s.first; pc < s.end; pc++ {
		if u := r.partRuns[pc]; u != nil {
			t.loosen(r, u)
		}
	}
	return t
}

// turns tells whether an instruction can be in such a loop: it changes nothing but rows, and leaves the masks of the running
// lanes alone.
func (s *step) turns() bool {
	switch s.op.Kind {
	case sem.OpLane, sem.OpCompare, sem.OpSelect, sem.OpCarry:
		need := needed(s.prog)
		for i := range s.prog.ops {
			if need[i] && s.prog.ops[i].code == cDivide {
				return false
			}
		}
	case sem.OpMove, sem.OpLogic, sem.OpNothing, sem.OpLoad:
	default:
		return false
	}
	return !s.leaves
}

// loosen lets a run leave any NaN in rows that nobody looks at before lanes leave.
func (t *trips) loosen(r *region, u *run) {
	m, top := &u.merged, r.segs[t.first].first
	for k := range m.rows {
		d := &m.rows[k]
		if o := &m.ops[d.v]; o.code == cCanon && o.typ == tW && r.holdsAny(top, d.dst.off) && r.holdsAny(u.end, d.dst.off) {
			d.v = o.a
			t.lazy = append(t.lazy, rowResult{dst: source{typ: tW, off: d.dst.off, row: -1, any: d.dst.any}})
		}
	}
}

// holdsAny tells whether a row has a register that may hold any NaN, and no other, before an instruction.
func (r *region) holdsAny(pc int32, off uint32) bool {
	live := r.live.at(pc)
	return r.live.holds(live, off) && !slices.ContainsFunc(r.live.regsOf.of(off), func(g ir.Reg) bool { return live.Has(int(g)) && !r.lazy[g] })
}

// turnLoop assembles the loop for the lanes in EBX.
func (c *compiler) turnLoop(t *trips) {
	i := t.first
	s, top := &c.segs[i], c.NewLabel()
	c.startTrips(t, s)
	spent := c.later(func() { c.spentTrips(t, s) })
	c.Bind(top)
	c.title("some lanes, a turn from %d", s.first)
	c.count()
	c.inTurn = t
	c.instructions(i, s.end-1, true, func(pc int32) bool {
		c.instruction(i, pc, true)
		return false
	})
	c.inTurn = nil
	c.note(s.end-1, s.end)
	c.loadGuard(&c.insts[s.end-1], true)
	left := maskBits[t.exits[0].bit]
	c.RR(x86.MOV, x86.S32, left, rMask)
	c.RR(x86.XOR, x86.S32, left, rGuard)
	c.Jcc(x86.NE, c.later(func() { c.leaveTrips(t, top, spent) }))
	c.RI(x86.SUB, x86.S32, rFuel, 1)
	c.Jcc(x86.G, top)
	c.Jmp(spent)
}

// breakTurn makes of a turn what ordinary code would have done before an instruction that leaves: all of its segment is counted.
func (c *compiler) breakTurn(t *trips, pc int32) {
	for i := range t.lazy {
		if d := &t.lazy[i].dst; c.holdsAny(pc, d.off) {
			c.settleTrip(d)
		}
	}
	c.countTrips(t, false)
	c.RM(x86.ADD, x86.S32, rFuel, tripAside)
	c.countPart(t.steps)
}
