package jit

// Rows of which the lanes have few values: what all lanes have, and a field of few bits, as in `table + 4*(x & 15)`.

import (
	"math/bits"

	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/sem"
)

// few is a row of 32 bits as a sum: from has a value for all lanes, nil for 0, and of the rest the bits of field
// may be set, no others. It holds where the row is computed: who reads it later tests it.
type few struct {
	from  *source
	field uint32
}

// maxFewDepth is how many instructions are looked through.
const maxFewDepth = 4

// fewOf is what is known of a row that an instruction reads.
func (r *region) fewOf(pc int32, s *source) few { return r.fewAt(pc, s, maxFewDepth) }

func (r *region) fewAt(pc int32, s *source, depth int) few {
	switch {
	case s.typ != tW:
	case s.known || s.slot:
		return few{from: s}
	default:
		at, ok := r.writerBefore(pc, r.readAt(pc, s))
		if !ok || depth == 0 {
			break
		}
		if t := &r.steps[at]; !t.leaves && t.op.Kind == sem.OpLane && t.prog != nil && t.dst.typ == tW && r.insts[at].Guard == machine.NoGuard {
			return t.prog.fewIn(t.prog.result, func(k int) few { return r.fewAt(at, &t.in[k], depth-1) })
		}
	}
	return few{field: ^uint32(0)}
}

// writerBefore is the instruction that writes what another one reads of a register: of several the last one in its block.
func (r *region) writerBefore(pc int32, g ir.Reg) (at int32, ok bool) {
	if g == ir.NoReg {
		return 0, false
	}
	list, first := r.live.uses.writers(g), r.f.Blocks[r.live.blockOf[pc]].First
	for k := len(list) - 1; k >= 0; k-- {
		if list[k] >= first && list[k] < pc {
			return list[k], true
		}
	}
	if len(list) == 1 && !r.live.entry.Has(int(g)) {
		return list[0], true
	}
	return 0, false
}

// fewIn is what is known of a value of a program, by what is known of its sources.
func (p *program) fewIn(v val, in func(k int) few) few {
	o := &p.ops[v]
	arg := func(v val) few { return p.fewIn(v, in) }
	switch o.code {
	case cConst:
		return few{from: &source{typ: tW, known: true, value: o.imm}}
	case cIn:
		return in(int(o.imm))
	case cAnd:
		return few{field: arg(o.a).bits() & arg(o.b).bits()}
	case cShlI:
		return few{field: arg(o.a).bits() << o.imm}
	case cShrI:
		return few{field: arg(o.a).bits() >> o.imm}
	case cAdd:
		a, b := arg(o.a), arg(o.b)
		switch {
		case a.field == 0:
			return few{a.from, b.bits()}
		case b.field == 0:
			return few{b.from, a.bits()}
		}
	}
	return few{field: ^uint32(0)}
}

// bits may be set in the whole.
func (f few) bits() uint32 {
	switch {
	case f.from == nil:
		return f.field
	case f.from.known && f.field == 0:
		return uint32(f.from.value)
	}
	return ^uint32(0)
}

// width is how many bits from the low one on a field has, 0 if it has others.
func (f few) width(low int) int {
	if n := bits.OnesCount32(f.field); f.field == (1<<n-1)<<low {
		return n
	}
	return 0
}
