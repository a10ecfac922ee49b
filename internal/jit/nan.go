package jit

// NaNs of f32. PTX has one NaN for every result, machines keep payloads; making each result
// canonical would double the cost of an fma. In code for full warps the registers that only feed
// float arithmetic, which cannot tell NaNs apart, hold any NaN: they are made canonical where
// their bits can be seen, that is at stores and where code leaves or goes over to masks.

import (
	"slices"

	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/jit/x86"
	"ptxvm.invalid/ptxvm/internal/sem"
)

// nanUse is what is known of a 32-bit register.
type nanUse struct {
	makes bool // arithmetic makes NaNs in it
	raw   bool // something else defines it: its payload must stay where it can be seen
	shown bool // its bits go elsewhere: to memory, or to the interpreter
	seen  bool // an instruction of compiled code looks at its bits
	to    []ir.Reg
}

// findLazy finds the registers that may hold any NaN and builds the programs that leave them so.
func (r *region) findLazy() {
	uses := r.mem.nans.take(len(r.f.Regs))
	for pc := range r.steps {
		r.noteNaNs(int32(pc), uses)
	}
	for again := true; again; {
		again = false
		for g := range uses {
			u := &uses[g]
			for _, d := range u.to { // a copy is as good as its source, and shows what its reader sees
				v := &uses[d]
				if v.seen && !u.seen || v.shown && !u.shown || u.raw && !v.raw || u.makes && !v.makes {
					u.seen, u.shown = u.seen || v.seen, u.shown || v.shown
					v.raw, v.makes = v.raw || u.raw, v.makes || u.makes
					again = true
				}
			}
		}
	}
	r.lazy = r.mem.bools.take(len(uses))
	for g := range uses {
		u := &uses[g]
		if r.lazy[g] = u.makes && !u.seen && !(u.raw && u.shown) && r.uses(LazyNaNs); r.lazy[g] {
			r.lazyRegs = append(r.lazyRegs, ir.Reg(g))
		}
	}
	for pc := range r.steps {
		r.relax(int32(pc))
	}
}

// noteNaNs notes what one instruction does with its 32-bit registers.
func (r *region) noteNaNs(pc int32, uses []nanUse) {
	s := &r.steps[pc]
	note := func(g ir.Reg, a ir.Access) {
		u := &uses[g]
		switch {
		case r.f.Regs[g].Width() != ir.W32 || r.f.Regs[g].Bits == 1:
			u.seen = true
		case a == ir.Read:
			r.noteRead(pc, s, g, uses)
		case s.leaves || s.prog == nil || s.dst.slot:
			u.raw = true
		case s.prog.ops[s.prog.result].code == cCanon:
			u.makes = true
		case s.copied() == nil && !s.prog.tame(s.prog.result):
			u.raw = true
		}
	}
	for _, g := range r.live.uses.reads(pc) {
		note(g, ir.Read)
	}
	for _, g := range r.live.uses.writes(pc) {
		note(g, ir.Write)
	}
}

// tame tells whether a value of 32 bits is never a NaN but the canonical one: such a definition beside
// arithmetic (a sum that begins with 0) leaves a register free to hold any NaN.
func (p *program) tame(v val) bool {
	const exponent = 0x7f800000
	switch o := &p.ops[v]; o.code {
	case cConst:
		return o.imm == nanF32 || o.imm&exponent != exponent || o.imm&^(exponent|signF32) == 0
	case cAnd:
		k, known := p.known(o.b)
		return known && k&exponent != exponent
	case cI2F, cU2F:
		return o.typ == tW
	case cSel:
		return p.tame(o.b) && p.tame(o.c)
	}
	return false
}

// noteRead notes how an instruction reads a register.
func (r *region) noteRead(pc int32, s *step, g ir.Reg, uses []nanUse) {
	u, off := &uses[g], r.offset(g)
	switch {
	case s.leaves, s.op.Kind == sem.OpStore && s.in[0].off != off:
		u.shown = true
	case s.prog == nil:
		u.seen = true
	case s.copied() != nil && s.copied().off == off && !s.copied().slot:
		if d, ok := r.written(pc); ok {
			u.to = append(u.to, d)
		} else {
			u.seen = true
		}
	default:
		u.seen = u.seen || !s.blind(off)
	}
}

// copied returns the source of an instruction that only copies a row.
func (s *step) copied() *source {
	if o := &s.prog.ops[s.prog.result]; o.code == cIn && s.in[o.imm].typ == tW && !s.in[o.imm].slot {
		return &s.in[o.imm]
	}
	return nil
}

// written is the 32-bit register that an instruction writes to a row.
func (r *region) written(pc int32) (reg ir.Reg, ok bool) {
	s := &r.steps[pc]
	for _, g := range r.live.uses.writes(pc) {
		if r.f.Regs[g].Width() == ir.W32 && r.offset(g) == s.dst.off && !s.dst.slot {
			reg, ok = g, true
		}
	}
	return reg, ok
}

// blind tells whether the program's result is the same for every NaN in a row.
func (s *step) blind(off uint32) bool {
	if s.prog.anyNaN {
		return true
	}
	need := needed(s.prog)
	for i := range s.prog.ops {
		o := &s.prog.ops[i]
		if in := o.code == cIn && need[i]; in && s.in[o.imm].off == off && s.in[o.imm].typ == tW && !s.in[o.imm].slot {
			if !s.prog.blind(val(i), need) {
				return false
			}
		}
	}
	return true
}

// blind tells whether all readers of a value treat NaNs alike. A sign more or less leaves a NaN.
func (p *program) blind(v val, need []bool) bool {
	if v == p.result {
		return false
	}
	for i := range p.ops {
		o := &p.ops[i]
		if !need[i] || !slices.Contains(o.args(), v) {
			continue
		}
		switch o.code {
		case cFAdd, cFSub, cFMul, cFFma, cFDiv, cFSqrt, cFCmp, cFInt, cCanon:
		case cAnd, cXor:
			k, known := p.known(o.b)
			if !known || o.code == cAnd && k != magF32 || o.code == cXor && k != signF32 || !p.blind(val(i), need) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// relax takes the last step of a program away whose result may be any NaN.
func (r *region) relax(pc int32) {
	s := &r.steps[pc]
	if s.leaves {
		return
	}
	if s.op.Kind == sem.OpStore {
		for _, g := range r.live.uses.reads(pc) {
			if r.lazy[g] && !slices.Contains(s.settles, r.offset(g)) {
				s.settles = append(s.settles, r.offset(g))
			}
		}
	}
	if s.prog == nil || s.prog.ops[s.prog.result].code != cCanon {
		return
	}
	if g, ok := r.written(pc); ok && r.lazy[g] {
		p := *s.prog
		p.result = p.ops[p.result].a
		p.settle()
		s.lazy = &p
	}
}

// unsettled has the rows that may hold any NaN before an instruction.
func (r *region) unsettled(pc int32) (list []uint32) {
	live := r.live.at(pc)
	for _, g := range r.lazyRegs {
		if off := r.live.rowOf[g]; off != noRow && live.Has(int(g)) {
			list = append(list, off)
		}
	}
	return list
}

// settleRows makes the NaNs of rows canonical.
func (c *compiler) settleRows(list []uint32) {
	c.wide = false
	n := c.parts(false)
	for _, off := range list {
		if row, resident := c.row.of(off); resident && n > 1 {
			c.settleRegisters(x86.Vec(row), n)
			continue
		}
		for i := range n {
			v, m := c.alloc(), c.regs(off+uint32(i*c.full().Bytes()))
			c.move(c.full(), v, m)
			c.canon(vecAt(v), func() x86.Vec { return v })
			c.store(c.full(), m, v)
			c.release(temp(v))
		}
	}
}

// settleRegisters makes the NaNs of a row in n registers canonical. One comparison asks about two registers, and the
// NaNs that there are, as a rule none, are mended aside.
func (c *compiler) settleRegisters(first x86.Vec, n int) {
	w, back := c.full(), c.NewLabel()
	if c.evex {
		k := c.allocK()
		mend := c.mendLater(first, n, back, func(v x86.Vec) {
			c.KVVI(x86.VCMPPSK, w, k, v, v, unordered)
			c.Masked(k)
			c.vvx(x86.VPBLENDMD, w, v, v, c.constant(tW, nanF32))
		})
		for i := 0; i < n; i += 2 {
			c.KVVI(x86.VCMPPSK, w, k, first+x86.Vec(i), first+x86.Vec(i+1), unordered)
			c.KK(x86.KORTESTW, k, k)
			c.Jcc(x86.NE, mend)
		}
		c.Bind(back)
		c.release(loc{kind: inK, k: k, owned: true})
		return
	}
	t, u := c.alloc(), c.alloc()
	mend := c.mendLater(first, n, back, func(v x86.Vec) {
		c.VVVI(x86.VCMPPS, w, t, v, v, unordered)
		if nan := c.constant(tW, nanF32); nan.kind == inVec {
			c.VVVV(x86.VBLENDVPS, w, v, v, nan.v, t)
		} else {
			c.VVMV(x86.VBLENDVPS, w, v, v, nan.m, t)
		}
	})
	c.VVVI(x86.VCMPPS, w, t, first, first+1, unordered)
	for i := 2; i < n; i += 2 {
		c.VVVI(x86.VCMPPS, w, u, first+x86.Vec(i), first+x86.Vec(i+1), unordered)
		c.VVV(x86.VORPS, w, t, t, u)
	}
	c.VV(x86.VTESTPS, w, t, t)
	c.Jcc(x86.NE, mend)
	c.Bind(back)
	c.release(temp(t))
	c.release(temp(u))
}

// unordered is the comparison that holds where one of two values is a NaN.
const unordered = 3

// mendLater assembles aside what mends each of some registers, and goes back.
func (c *compiler) mendLater(first x86.Vec, n int, back x86.Label, mend func(v x86.Vec)) x86.Label {
	return c.later(func() {
		for i := range n {
			mend(first + x86.Vec(i))
		}
		c.Jmp(back)
	})
}
