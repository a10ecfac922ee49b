package jit

// Patterns as vectors: from numbers to rows and back.

import "ptxvm.invalid/ptxvm/internal/jit/x86"

// lay is a temporary with the running part of a pattern.
func (e *emitter) lay(p *pattern) x86.Vec {
	w, v, first := e.width(p.typ), e.alloc(), e.part*e.lanes
	if p.w >= e.lanes {
		e.broadcast(w, p.typ, v, p.number(first/p.w))
	} else { // the number of lane i is word 2·(i div w) from the part's first number on
		places := e.constRow(tW, func(i int) uint64 { return uint64(2 * (i / p.w)) })
		e.move(w, v, places)
		e.VVM(x86.VPERMD, w, v, v, p.number(first/p.w))
	}
	some := false
	steps := func(i int) uint64 { return uint64(p.offset(first + i)) }
	for i := range e.lanes {
		some = some || steps(i) != 0
	}
	if some {
		steps := e.constRow(p.typ, steps)
		e.VVM(vops[cAdd].avx2[p.typ], w, v, v, steps)
	}
	return v
}

// eachPart visits the parts of a row of a type.
func (c *compiler) eachPart(t typ, visit func()) {
	part, wide, lanes := c.part, c.wide, c.lanes
	c.wide = t == tX
	n := c.parts(false)
	for c.part = range n {
		visit()
	}
	c.part, c.wide, c.lanes = part, wide, lanes
}

// layRow writes the row of a pattern, wherever the row is.
func (c *compiler) layRow(p *pattern) {
	c.eachPart(p.typ, func() {
		v := c.lay(p)
		c.write(vecAt(v), p.typ, c.rowOf(p), allLanes)
		c.release(temp(v))
	})
}

func (c *compiler) rowOf(p *pattern) *source {
	s := &c.mem.sources.take(1)[0]
	s.typ, s.off = p.typ, p.off
	c.place(s)
	return s
}

// layFor writes the rows of patterns for an instruction that reads rows in either version.
func (c *compiler) layFor(s *step, masked bool) {
	for k := range s.full {
		if p := s.full[k].pat; p != nil && !masked {
			c.layRow(p)
		}
	}
}

// layRows writes the rows that code for full warps has not written before an instruction.
func (c *compiler) layRows(pc int32) {
	for _, p := range c.patternsAt(pc) {
		c.callRoutine(routine{what: routineLays, of: p, row: c.rowAt(p.off, p.typ)}, func() { c.layRow(p) })
	}
}

// enterFull is where lanes that are all together go over to the full version of a segment. What
// is a pattern there by its definitions need not be one in rows that came from lanes apart: then
// they stay.
func (c *compiler) enterFull(s *segment) x86.Label {
	list := c.patternsAt(s.first)
	if len(list) == 0 {
		return s.full
	}
	return c.later(func() {
		for _, p := range list {
			c.takeUp(p, s.stay)
		}
		c.Jmp(s.full)
	})
}

// takeNumbers finds the numbers of a pattern in its row, in memory.
func (c *compiler) takeNumbers(p *pattern) {
	size, bytes := p.typ.size(), uint32(p.typ.bits()/8)
	for h := range p.n() {
		c.RM(x86.MOV, size, x86.RAX, c.regs(p.off+bytes*uint32(h*p.w)))
		c.MR(x86.MOV, size, p.number(h), x86.RAX)
	}
}

// takeUp is takeNumbers for a row that may be in registers, and that may hold something else.
func (c *compiler) takeUp(p *pattern, other x86.Label) {
	row := c.rowAt(p.off, p.typ)
	c.callRoutine(routine{what: routineTakes, of: p, row: row}, func() { c.matchNumbers(p, row >= 0) })
	c.Jcc(x86.NE, other)
}

// matchNumbers takes numbers from a row and tells by NE whether it is another than they stand for.
func (c *compiler) matchNumbers(p *pattern, resident bool) {
	if resident {
		c.eachRegister(p.off, func(v x86.Vec, m x86.Mem) { c.store(c.full(), m, v) })
	}
	c.takeNumbers(p)
	sum := c.alloc()
	c.zero(sum)
	c.eachPart(p.typ, func() {
		v := c.lay(p)
		c.vvx(c.opFor(cXor, p.typ), c.full(), v, v, c.operand(c.rowOf(p)))
		c.vvx(c.opFor(cOr, p.typ), c.full(), sum, sum, vecAt(v))
		c.release(temp(v))
	})
	c.testAny(sum)
	c.release(temp(sum))
}

// testAny tells by NE whether a vector has a bit.
func (c *compiler) testAny(v x86.Vec) {
	if c.evex {
		c.KVV(x86.VPTESTMD, x86.W512, x86.K5, v, v)
		c.KK(x86.KORTESTW, x86.K5, x86.K5)
	} else {
		c.VV(x86.VPTEST, x86.W256, v, v)
	}
}

// layMade writes the row of a pattern that others read as one.
func (c *compiler) layMade(s *step) {
	if s.made != nil && s.made.home {
		c.layRow(s.made)
	}
}
