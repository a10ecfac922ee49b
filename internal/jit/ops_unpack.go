package jit

// mov of a register to the elements of a vector, 9.7.9.2: a program for each element.

import (
	"slices"

	"ptxvm.invalid/ptxvm/internal/jit/x86"
	"ptxvm.invalid/ptxvm/internal/machine"
)

// unpack plans it; scalars that an element overwrites are left to the interpreter.
func (r *region) unpack(pc int32) bool {
	in, s := &r.insts[pc], &r.steps[pc]
	if s.op.Scalar && slices.Contains(in.Ext.Dst, in.A) {
		return false
	}
	t := registerType(s.op.Bits)
	s.in = append(s.in, r.source(pc, in.A, t, s.op.Scalar))
	for k, off := range in.Ext.Dst {
		p := r.newProgram()
		v := r.input(p, s.in, 0)
		if at := uint64(k) * in.Imm; at > 0 {
			v = p.shrI(v, at)
		}
		if t == tX {
			v = p.trunc(v)
		}
		if in.Imm < 32 {
			v = p.lowBits(v, int(in.Imm))
		}
		p.result = v
		s.elements = append(s.elements, element{p, source{typ: tW, off: off, slot: s.op.Scalar, row: -1}})
	}
	return true
}

// element is a part of a register and where it goes.
type element struct {
	prog *program
	dst  source
}

// unpack assembles it. A source that an element overwrites is read from a copy.
func (c *compiler) unpack(s *step, use maskUse) {
	srcs := s.in
	overwrites := func(e element) bool { return e.dst.off == srcs[0].off }
	if !srcs[0].slot && !srcs[0].known && srcs[0].typ == tW && slices.ContainsFunc(s.elements, overwrites) {
		c.copyRow(&srcs[0], x86.At(rCtx, saveRow))
		srcs = []source{srcs[0]}
		srcs[0].saved, srcs[0].row = true, -1
	}
	for k := range s.elements {
		e := &s.elements[k]
		if e.dst.off == machine.NoGuard {
			continue
		}
		c.place(&e.dst)
		if s.op.Scalar {
			use = allLanes
		}
		c.run(e.prog, srcs, &e.dst, s.op.Scalar, use)
	}
}
