package jit

// Counting in passes: operations on shared memory whose results nobody wants, at one of few places from a number on that
// stays, as in `table + 4*byte`. Which places those can be follows from the program of a turn, so one test in front of the
// loop serves all of them. The order does not matter, since each operation commutes and no load of the loop looks at shared memory.
//
// Here is which operations those are, passes_tally.go has the code.

import (
	"math/bits"

	"ptxvm.invalid/ptxvm/internal/jit/x86"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/sem"
)

// turnCount is such an operation: lane by lane on the counter numbered by a row.
type turnCount struct {
	pc   int32
	few  few
	bits int // of the number of a counter
}

// table is what the counters of a count lie behind.
func (t *turnCount) table() source {
	if t.few.from == nil {
		return source{typ: tW, known: true}
	}
	return *t.few.from
}

// maxCounterBits is how many bits the number of a counter has at most.
const maxCounterBits = 16

// counts tells whether an instruction is such an operation, as far as can be seen before the program of the turn is there.
func (t *passes) counts(r *region, s *segment, pc int32) bool {
	if t.counting = t.counting || r.commutes(pc); !r.commutes(pc) {
		return false
	}
	with := &r.steps[pc].in[1]
	if with.known {
		return true
	}
	by, ok := t.follows(r, s, pc, with)
	return ok && with.slot && by.zero()
}

// commutes tells whether an instruction is an operation of all lanes on counters of 32 bits, whose order nobody sees.
func (r *region) commutes(pc int32) bool {
	s := &r.steps[pc]
	if s.leaves || s.op.Kind != sem.OpAtomic || r.insts[pc].Guard != machine.NoGuard || s.op.Memory.Elem != 4 {
		return false
	}
	switch atomicOps[s.op.Fn].direct {
	case x86.ADD, x86.AND, x86.OR, x86.XOR:
		return r.planner().counterAt(pc).countsOnly()
	}
	return false
}

// counterAt is the operation at a pc for all lanes.
func (c *compiler) counterAt(pc int32) *accessed {
	s := &c.steps[pc]
	return &accessed{c: c, pc: pc, in: &c.insts[pc], s: s, src: s.in, m: &s.op.Memory, use: allLanes, bound: c.bounds[pc]}
}

// count adds to the program of a turn what the number of an operation's counter is.
func (g *merger) count(pc int32) {
	v := g.read(&g.r.steps[pc].in[0])
	t := &turnCount{pc: pc, few: g.m.fewOf(v)}
	t.bits = bits.Len32(t.few.field >> 2)
	g.counted = append(g.counted, rowResult{g.m.counter(v), source{typ: tW, off: machine.NoGuard, row: -1, count: t}})
}

// counted tells whether the counters of all operations are few.
func (m *merged) counted() bool {

	for i := range m.rows {
		if t := m.rows[i].dst.count; t != nil && (t.few.field&3 != 0 || t.bits == 0 || t.bits > maxCounterBits) {
			return false
		}
	}
	return true
}

// fewOf is what is known of a value of a turn.
func (m *merged) fewOf(v val) few {
	return m.fewIn(v, func(k int) few {
		switch s := &m.in[k]; {
		case s.slot:
			return few{from: s}
		case s.fetch != nil:
			return few{field: s.fetch.holds}
		}
		return few{field: ^uint32(0)}
	})
}

// counter is the number of the counter at an address: its field without the two low bits, which are 0.
func (m *merged) counter(v val) val {
	o := &m.ops[v]
	if o.code == cAdd {
		switch {
		case m.fewOf(o.b).field == 0:
			return m.counter(o.a)
		case m.fewOf(o.a).field == 0:
			return m.counter(o.b)
		}
	}
	if field := m.fewOf(o.a); o.code == cShlI && o.imm >= 2 && field.from == nil && field.field<<2>>2 == field.field {
		if o.imm == 2 {
			return o.a
		}
		return m.shlI(o.a, o.imm-2)
	}
	return m.shrI(v, 2)
}
