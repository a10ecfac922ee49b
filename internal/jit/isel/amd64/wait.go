package amd64

import (
	"math/bits"

	"ptxvm.invalid/ptxvm/internal/jit/isel"
	"ptxvm.invalid/ptxvm/internal/jit/ssa"
	"ptxvm.invalid/ptxvm/internal/jit/x86"
	"ptxvm.invalid/ptxvm/internal/machine/abi"
)

// This file lets warps wait at barriers: with their variables in their register block. In each pass the warps that can
// run have their turn, in ascending order, until they wait or end; who is the last to come to a barrier goes on, and
// those behind it in this pass (machine/nativebatch.go).
//
// Of the frame fBegun is 0: a warp that ends is taken out of fAlive at once. Who waits is in the state.

// barrier lets the running warp wait, unless it is the last to come.
func (s *selector) barrier(e *ssa.Effect) {
	s.flush()
	id, pc, at := int32(e.N), e.PC, abi.ByBarrier+e.Entry
	s.exit(s.perform("elsewhere", func(c *code) {
		here := c.NewLabel()
		c.MI(x86.CMP, x86.S32, c.stateAt(sWaiting), 0)
		c.Jcc(x86.E, here)
		c.MI(x86.CMP, x86.S32, c.stateAt(sBarrier), id)
		c.leave(x86.NE)
		c.Bind(here)
	}, nil), e.State, 0)
	s.keep(e.Homes, 32, 0)
	on := s.out.NewReg(isel.General)
	run := func(c *code) { c.wait(c.g(0), c.t(0), c.t(1), id, pc, at) }
	i := s.emit(s.out.NewInst(s.op(op{name: "barrier", run: run}), on))
	i.Temps, i.Early, i.Keep = s.temps(2, 0), true, true
	s.note(key{v: e.Results[0], kind: asNum}, on, s.block)
}

// keep writes variables to the running warp's register block: of a group of so many lanes from one on.
func (s *selector) keep(list []ssa.Home, lanes, first int) {
	homes, uses := s.homes(list, nil, lanes, first)
	s.perform("keep", func(c *code) {
		c.block(c.t(0))
		for _, h := range homes {
			c.home(&h, c.t(0), c.t(1))
		}
	}, s.temps(2, 0), uses...).Any = true
}

// resume brings the variables of the running warp from its register block.
func (s *selector) resume(e *ssa.Effect) {
	rows := s.plain("rows", func(c *code) { c.block(c.g(0)) })
	for n, h := range e.Homes {
		v := e.Results[n]
		switch t := s.f.TypeOf(v); {
		case s.f.IsNum(v):
			s.note(key{v: v, kind: asNum}, s.rowNumber(rows, h, sizeOf(t)), s.block)
		case h.Kind == ssa.Pred:
			for i, r := range s.masksFrom(s.rowNumber(rows, h, x86.S32), s.partsOf(v)) {
				s.note(key{v, asPart, int16(i)}, r, s.block)
			}
		default:
			for i := range s.partsOf(v) {
				if s.uses[v] == 0 {
					break
				}
				at := int32(h.Off) + int32(int(e.N)*t.Bits()/8+s.isa.bytes()*i)
				r := s.out.NewReg(isel.Vector)
				run := func(c *code) { c.VM(x86.VMOVUPS, c.width(), c.v(0), x86.At(c.u(0), at).By(ofRows)) }
				s.emit(s.out.NewInst(s.op(op{name: "row", run: run}), r, rows))
				s.note(key{v, asPart, int16(i)}, r, s.block)
			}
		}
	}
}

// rowNumber is what the first bytes of a variable hold.
func (s *selector) rowNumber(rows isel.VReg, h ssa.Home, size x86.Size) isel.VReg {
	at := int32(h.Off)
	return s.plain("row", func(c *code) { c.RM(x86.MOV, size, c.g(0), x86.At(c.u(0), at).By(ofRows)) }, rows)
}

// masksFrom are the parts of a mask whose bits a number has.
func (s *selector) masksFrom(bits isel.VReg, parts int) (list []isel.VReg) {
	if s.isa.Has(Masks) {
		for i := range parts {
			part := s.plain("bits", func(c *code) {
				c.move(c.g(0), c.u(0))
				c.RI(x86.SHR, x86.S32, c.g(0), int32(16*i))
			}, bits)
			list = append(list, s.maskFrom(part))
		}
		return list
	}
	all := s.spread(bits, ssa.W)
	for i := range parts {
		lane := s.out.Constant(isel.Vector, laneBits(8*i))
		list = append(list, s.vector(x86.VPCMPEQD, s.vector(x86.VPAND, all, lane), lane))
	}
	return list
}

// laneBits has a bit for each lane, from one on.
func laneBits(from int) isel.Const {
	var list [8]uint32
	for i := range list {
		list[i] = bits.RotateLeft32(1, from+i)
	}
	return words(list[:]...)
}

// entry is where the running warp goes on.
func (c *code) entry() {
	d, start := c.g(0), c.NewLabel()
	c.atRunning(d)
	c.RM(x86.MOV, x86.S64, d, x86.At(d, int32(wAt)).By(ofWarp))
	c.RI(x86.SUB, x86.S64, d, abi.ByBarrier)
	c.Jcc(x86.AE, start)
	c.Zero(d)
	c.Bind(start)
}

// turn chooses the next warp of the pass, or of the next pass.
func (c *code) turn(warp, later, t x86.Reg) {
	none, next, pass := c.exit(), c.NewLabel(), c.NewLabel()
	c.RM(x86.MOV, x86.S32, warp, c.frameAt(fLater))
	c.RR(x86.TEST, x86.S32, warp, warp)
	c.Jcc(x86.E, next)
	c.Bind(pass)
	c.pickOf(warp, later, t, none)
	c.aside(func() {
		c.Bind(next)
		c.RM(x86.MOV, x86.S32, t, c.stateAt(sPassed))
		c.RM(x86.CMP, x86.S32, t, c.stateAt(sLimit))
		c.Jcc(x86.GE, none)
		c.MI(x86.CMP, x86.S32, c.frameAt(fMoved), 0)
		c.Jcc(x86.E, none)
		c.RM(x86.MOV, x86.S32, warp, c.stateAt(sWaiting))
		c.R(x86.NOT, x86.S32, warp)
		c.RM(x86.AND, x86.S32, warp, c.frameAt(fAlive))
		c.Jcc(x86.E, none)
		c.M(x86.INC, x86.S32, c.stateAt(sPassed))
		c.MR(x86.MOV, x86.S32, c.frameAt(fLater), warp)
		c.MI(x86.MOV, x86.S32, c.frameAt(fMoved), 0)
		c.Jmp(pass)
	})
}

// endWaiting takes a warp that has ended out of the CTA: those who have waited for it alone go on.
func (c *code) endWaiting(warp, t x86.Reg) {
	none := c.NewLabel()
	c.MI(x86.MOV, x86.S32, c.frameAt(fMoved), 1)
	c.RM(x86.MOV, x86.S32, t, c.frameAt(fAlive))
	c.RR(x86.BTR, x86.S32, t, warp)
	c.MR(x86.MOV, x86.S32, c.frameAt(fAlive), t)
	c.RR(x86.TEST, x86.S32, t, t)
	c.Jcc(x86.E, none)
	c.RM(x86.CMP, x86.S32, t, c.stateAt(sWaiting))
	c.Jcc(x86.NE, none)
	c.release(warp, t)
	c.Bind(none)
}

// release lets the warps in t, which wait, go on: those behind a warp in this pass.
func (c *code) release(warp, t x86.Reg) {
	c.RRR(x86.SHRX, x86.S32, t, t, warp)
	c.RI(x86.AND, x86.S32, t, -2)
	c.RRR(x86.SHLX, x86.S32, t, t, warp)
	c.MR(x86.OR, x86.S32, c.frameAt(fLater), t)
	c.MI(x86.MOV, x86.S32, c.stateAt(sWaiting), 0)
}

// wait comes to a barrier: on says whether all others wait there already.
func (c *code) wait(on, warp, t x86.Reg, id, pc, at int32) {
	last, end := c.NewLabel(), c.NewLabel()
	c.MI(x86.MOV, x86.S32, c.stateAt(sBarrier), id)
	c.RM(x86.MOV, x86.S32, warp, c.frameAt(fWarp))
	c.RM(x86.MOV, x86.S32, t, c.stateAt(sWaiting))
	c.RR(x86.MOV, x86.S32, on, t)
	c.RR(x86.BTS, x86.S32, t, warp)
	c.RM(x86.CMP, x86.S32, t, c.frameAt(fAlive))
	c.Jcc(x86.E, last)
	c.MR(x86.MOV, x86.S32, c.stateAt(sWaiting), t)
	c.MI(x86.MOV, x86.S32, c.frameAt(fMoved), 1)
	c.atRunning(t)
	field := func(off uintptr) x86.Mem { return x86.At(t, int32(off)).By(ofWarp) }
	c.MI(x86.MOV, x86.S64, field(wAt), at)
	c.MI(x86.MOV, x86.S32, field(wPC), pc)
	if c.e.does.burn {
		c.RM(x86.MOV, x86.S32, on, c.frameAt(fFuel))
		c.MR(x86.MOV, x86.S32, field(wFuel), on)
	}
	c.Zero(on)
	c.Jmp(end)
	c.Bind(last)
	c.release(warp, on)
	c.MovImm(on, 1)
	c.Bind(end)
}
