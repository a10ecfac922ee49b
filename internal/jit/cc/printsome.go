package cc

// This file prints accesses of some lanes that follow each other: one test from the first lane that is on to the last, and masked loads and
// stores.

import (
	"fmt"

	"ptxvm.invalid/ptxvm/internal/jit/ssa"
)

// someLanes prints an access by lanes that follow each other by a step, or by a strided index of 32 bits that does not wrap. What follows is
// for when a lane between the first and the last is outside.
func (p *printer) someLanes(e *ssa.Effect) bool {
	a, values := e.Access, e.Results
	if e.Kind == ssa.Store {
		values = e.Args
	}
	if p.off["masked"] || a.Count != 1 || p.f.IsNum(e.Mask) || a.Bits[0] == 0 || p.f.TypeOf(values[0]).Bits() != max(8*int(a.Elem), 32) || e.Kind == ssa.Store && a.Elem < 4 {
		return false
	}
	at, even := p.evenly(a)
	if even == "" {
		return false
	}
	p.linef("\t{ u32 m = %s; u64 at = %s; u32 first = m ? __builtin_ctz(m) : 0, last = m ? 31 - __builtin_clz(m) : 0;", p.bitsOf(e.Mask), at)
	if a.Elem < 4 { // there are no masked loads of these: all lanes are to be inside
		p.linef("\tfirst = 0, last = %d;", p.f.LanesIn(p.block)-1)
	}
	p.linef("\tif (%s && !(at & %d) && at + first * %d - start%d < fits(%s, (last - first + 1) * %d)) {", even, max(a.Align, 1)-1, a.Elem,
		a.Bounds, sizeOf(a.Bounds, e.Kind == ssa.Store), a.Elem)
	if a.Elem < 4 {
		p.loadFrom(e, "G + at")
	} else {
		p.masked(e, values[0])
	}
	p.linef("\t} else")
	return true
}

// evenly is the address of lane 0 of an access by lanes that follow each other, and on which condition they do; "" if that is not known.
func (p *printer) evenly(a *ssa.Access) (at, cond string) {
	at = fmt.Sprintf("%s + %dul", p.num(a.Base), uint64(a.Disp))
	if a.Index == 0 {
		return at, map[bool]string{true: "1"}[a.Step == int64(a.Elem)]
	}
	word, shift, signed := p.f.Extended(a.Index)
	o := &p.f.Ops[word]
	if word == 0 || !signed || o.Code != ssa.Strided || o.Imm<<shift != uint64(a.Elem) {
		return at, ""
	}
	last := uint32(1<<31 - 1 - int64(o.Imm)*int64(p.f.LanesOf(word)-1))
	return fmt.Sprintf("%s + ((u64)(s64)(s32)%s << %d)", at, p.num(o.A), shift), fmt.Sprintf("(s32)%s <= %d", p.num(o.A), last)
}

// masked prints masked loads or stores of words or of 64 bits.
func (p *printer) masked(e *ssa.Effect, v ssa.Value) {
	name, vector, mask, n := "d256", "w8", p.part, 8
	if p.f.TypeOf(v) == ssa.X {
		name, vector, mask, n = "q256", "x4", p.wide, 4
	}
	for i := range p.f.LanesOf(e.Mask) / n {
		at := fmt.Sprintf("(%s *)(G + at + %d)", vector, n*i*int(e.Access.Elem))
		if e.Kind == ssa.Load {
			p.linef("\tv%d_%d = __builtin_ia32_maskload%s((const %s, %s);", v, i, name, at[1:], mask(e.Mask, i))
		} else {
			p.linef("\t__builtin_ia32_maskstore%s(%s, %s, %s);", name, at, mask(e.Mask, i), p.part(v, i))
		}
	}
}
