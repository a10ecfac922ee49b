package jit

// redux.sync, 9.7.13.12, of integers, where all executing lanes have the same members.

import (
	"ptxvm.invalid/ptxvm/internal/jit/x86"
	"ptxvm.invalid/ptxvm/internal/uop"
)

// reduxOf has the operation of a reduction and the value that changes nothing.
var reduxOf = map[uop.Op]struct {
	code    code
	neutral uint32
}{
	uop.Add32: {cAdd, 0}, uop.And32: {cAnd, 0xffffffff}, uop.Or32: {cOr, 0}, uop.Xor32: {cXor, 0},
	uop.MinU32: {cMinU, 0xffffffff}, uop.MaxU32: {cMaxU, 0}, uop.MinS32: {cMinS, 0x7fffffff}, uop.MaxS32: {cMaxS, 0x80000000},
}

// planRedux plans a reduction.
func (r *region) planRedux(s *step, dst source, _ bool) bool {
	_, ok := reduxOf[s.op.Fn]
	s.dst = dst
	return ok
}

// redux replaces who is no peer by the neutral value, halves the row until one lane is left, and
// gives that to all.
func (c *compiler) redux(s *step, use maskUse, leave x86.Label) {
	f := reduxOf[s.op.Fn]
	op := c.opFor(f.code, tW)
	w := c.full()
	c.active(x86.R11, use)
	switch m := &s.in[inMembers]; {
	case m.known:
		c.RI(x86.AND, x86.S32, x86.R11, int32(uint32(m.value)))
	case m.slot:
		c.RM(x86.AND, x86.S32, x86.R11, c.regs(m.off))
	default:
		c.RR(x86.MOV, x86.S32, x86.R10, x86.R11)
		c.unite(m)
		c.RR(x86.CMP, x86.S32, x86.RAX, x86.RDX)
		c.Jcc(x86.NE, leave)
		c.RR(x86.AND, x86.S32, x86.R11, x86.RAX)
	}
	c.RR(x86.TEST, x86.S32, x86.R11, x86.R11)
	c.Jcc(x86.E, leave) // no peers: nobody's mask names itself
	sum, x := c.alloc(), c.alloc()
	c.wide = false
	n := c.parts(false)
	for c.part = range n {
		d := x
		if c.part == 0 {
			d = sum
		}
		c.peersOrNeutral(d, &s.in[1], f.neutral)
		if c.part > 0 {
			c.VVV(op, w, sum, sum, x)
		}
	}
	c.across(op, sum, x)
	c.VV(x86.VPBROADCASTD, w, sum, sum)
	for c.part = range n {
		c.write(vecAt(sum), tW, &s.dst, use)
	}
	c.release(temp(x))
	c.release(temp(sum))
}

// across halves a vector until its first element has what an operation makes of all; x is a temporary.
func (c *compiler) across(op x86.Op, sum, x x86.Vec) {
	if c.evex {
		c.VVI(x86.VEXTRACTI64X4, x86.W512, x, sum, 1)
		c.VVV(op, x86.W256, sum, sum, x)
		c.VVI(x86.VEXTRACTI32X4, x86.W512, x, sum, 1)
	} else {
		c.VVI(x86.VEXTRACTI128, x86.W256, x, sum, 1)
	}
	for _, swap := range []uint8{0, 0x4e, 0xb1} {
		if swap != 0 {
			c.VVI(x86.VPSHUFD, x86.W128, x, sum, swap)
		}
		c.VVV(op, x86.W128, sum, sum, x)
	}
}

// peersOrNeutral is the part of a row where R11 has the lane.
func (c *compiler) peersOrNeutral(d x86.Vec, row *source, neutral uint32) {
	w := c.full()
	have := c.operand(row)
	if row.known {
		have = c.constant(tW, row.value)
	}
	k := c.everyLane(x86.R11)
	if c.evex {
		bits := c.constRow(tW, func(i int) uint64 { return 1 << (16*c.part + i) })
		c.KVM(x86.VPTESTMD, w, x86.K6, k.v, bits)
		c.broadcast(w, tW, d, c.Const32(neutral))
		v := c.load(have, tW)
		c.Masked(x86.K6).VV(x86.VMOVDQA32, w, d, v.v)
		c.unload(v, have)
	} else {
		c.expand(k.v, k.v, tW)
		c.broadcast(w, tW, d, c.Const32(neutral))
		v := c.load(have, tW)
		c.VVVV(x86.VBLENDVPS, w, d, d, v.v, k.v)
		c.unload(v, have)
	}
	c.release(k)
	c.release(have)
}
