package amd64

import (
	"encoding/binary"
	"fmt"

	"ptxvm.invalid/ptxvm/internal/jit/isel"
	"ptxvm.invalid/ptxvm/internal/jit/regalloc"
	"ptxvm.invalid/ptxvm/internal/jit/x86"
)

// This file has what functions that write instructions ask for: registers, places in memory, and what several of them
// write.

// Registers of definitions (g, v), uses (u, uv) and temporaries (t, tv).
func (c *code) g(i int) x86.Reg  { return x86.Reg(c.of(isel.General, c.Inst.Defs, c.Defs, i)) }
func (c *code) v(i int) x86.Vec  { return x86.Vec(c.of(isel.Vector, c.Inst.Defs, c.Defs, i)) }
func (c *code) u(i int) x86.Reg  { return x86.Reg(c.of(isel.General, c.Inst.Uses, c.Uses, i)) }
func (c *code) uv(i int) x86.Vec { return x86.Vec(c.of(isel.Vector, c.Inst.Uses, c.Uses, i)) }
func (c *code) t(i int) x86.Reg  { return x86.Reg(c.of(isel.General, c.Inst.Temps, c.Temps, i)) }
func (c *code) tv(i int) x86.Vec { return x86.Vec(c.of(isel.Vector, c.Inst.Temps, c.Temps, i)) }

// k, uk and tk are masks.
func (c *code) k(i int) x86.K  { return x86.K(c.of(isel.Mask, c.Inst.Defs, c.Defs, i)) }
func (c *code) uk(i int) x86.K { return x86.K(c.of(isel.Mask, c.Inst.Uses, c.Uses, i)) }
func (c *code) tk(i int) x86.K { return x86.K(c.of(isel.Mask, c.Inst.Temps, c.Temps, i)) }

// of is a register of a list. It has to be of the class that is asked for: mask 1 is not vector 1.
func (c *code) of(class isel.Class, list []isel.VReg, at []regalloc.Loc, i int) regalloc.Loc {
	if got := c.e.classOf(list[i]); got != class {
		panic(fmt.Sprintf("BUG: %v: register %d has class %d, not %d", c.Inst.Op, i, got, class))
	}
	return at[i]
}

// width is that of vectors.
func (c *code) width() x86.Width { return c.e.isa.width }

func (c *code) inMemory(i int) bool { return !c.Uses[i].IsReg() }

// at is where a use is that is in memory.
func (c *code) at(i int) x86.Mem { return c.e.place(c.Inst.Uses[i], c.Uses[i]) }

func (c *code) frameAt(off int) x86.Mem     { return x86.At(x86.RSP, int32(off)+c.pushed) }
func (c *code) stateAt(off uintptr) x86.Mem { return x86.At(rState, int32(off)) }

// mem is an operand in memory.
func (c *code) mem(m *mem) x86.Mem {
	switch m.kind {
	case atFrame:
		return c.frameAt(int(m.disp))
	case atState:
		return c.stateAt(uintptr(m.disp))
	}
	return x86.AtIndex(rGlobal, c.u(int(m.use)), 1, int32(m.disp)).By(m.access)
}

// move brings a number from register to register.
func (c *code) move(to, from x86.Reg) {
	if to != from {
		c.RR(x86.MOV, x86.S64, to, from)
	}
}

// into brings a use, wherever it is, into a general register.
func (c *code) into(to x86.Reg, use int) {
	c.e.moveOne(regalloc.Move{Value: c.Inst.Uses[use], To: regalloc.Loc(to), From: c.Uses[use]})
}

// set is a truth value by a condition.
func (c *code) set(cond x86.Cond, d x86.Reg) {
	c.Set(cond, d)
	c.RR(x86.MOVZXB, x86.S32, d, d)
}

// choose is a on a condition, else b.
func (c *code) choose(cond x86.Cond, d, a, b x86.Reg) {
	if d == b {
		c.Cmov(cond, x86.S64, d, a)
		return
	}
	if d != a {
		c.RR(x86.MOV, x86.S64, d, a)
	}
	c.Cmov(cond.Not(), x86.S64, d, b)
}

// add adds a constant to a counter.
func (c *code) add(r x86.Reg, n int64) {
	if int64(int32(n)) != n {
		refuse("a count of %d", n)
	}
	c.RI(x86.ADD, x86.S64, r, int32(n))
}

// addTimes adds n times a number to a counter; t is changed.
func (c *code) addTimes(r, t, of x86.Reg, n int64) {
	if int64(int32(n)) != n {
		refuse("a count of %d", n)
	}
	switch n {
	case 1:
		c.RR(x86.ADD, x86.S64, r, of)
	case -1:
		c.RR(x86.SUB, x86.S64, r, of)
	case 2, 4, 8:
		c.RM(x86.LEA, x86.S64, r, x86.AtIndex(r, of, uint8(n), 0))
	case 3, 5, 9:
		c.RM(x86.LEA, x86.S64, t, x86.AtIndex(of, of, uint8(n-1), 0))
		c.RR(x86.ADD, x86.S64, r, t)
	default:
		c.RRI(x86.IMUL, x86.S64, t, of, int32(n))
		c.RR(x86.ADD, x86.S64, r, t)
	}
}

// addIf adds n to a counter where a word is not 0; t is changed.
func (c *code) addIf(r, t, word x86.Reg, n int64) {
	if int64(int32(n)) != n {
		refuse("a count of %d", n)
	}
	c.RI(x86.CMP, x86.S32, word, 1) // 0 alone is below
	switch n {
	case 1:
		c.RI(x86.SBB, x86.S64, r, -1)
		return
	case 2, 4, 8:
		c.RR(x86.SBB, x86.S64, t, t)
		c.RM(x86.LEA, x86.S64, r, x86.AtIndex(r, t, uint8(n), int32(n)))
		return
	}
	c.RR(x86.SBB, x86.S64, t, t)
	c.R(x86.NOT, x86.S64, t)
	c.RI(x86.AND, x86.S64, t, int32(n))
	c.RR(x86.ADD, x86.S64, r, t)
}

// divide divides numbers.
func (c *code) divide(size x86.Size, rest bool) {
	zero, end := c.NewLabel(), c.NewLabel()
	c.MR(x86.MOV, x86.S64, c.frameAt(fDiv0), c.u(0))
	c.MR(x86.MOV, x86.S64, c.frameAt(fDiv1), c.u(1))
	c.RR(x86.TEST, size, c.u(1), c.u(1))
	c.Jcc(x86.E, zero)
	c.MR(x86.MOV, x86.S64, c.frameAt(fDiv2), x86.RAX)
	c.MR(x86.MOV, x86.S64, c.frameAt(fDiv3), x86.RDX)
	c.RM(x86.MOV, x86.S64, x86.RAX, c.frameAt(fDiv0))
	c.Zero(x86.RDX)
	c.M(x86.DIV, size, c.frameAt(fDiv1))
	from := x86.RAX
	if rest {
		from = x86.RDX
	}
	c.MR(x86.MOV, x86.S64, c.frameAt(fDiv0), from)
	c.RM(x86.MOV, x86.S64, x86.RAX, c.frameAt(fDiv2))
	c.RM(x86.MOV, x86.S64, x86.RDX, c.frameAt(fDiv3))
	c.RM(x86.MOV, x86.S64, c.g(0), c.frameAt(fDiv0))
	c.Jmp(end)
	c.Bind(zero)
	c.RI(x86.OR, size, c.g(0), -1)
	c.Bind(end)
}

// divideLanes divides lanes in the frame by those 32 bytes further. 64 bits that fit 32 are divided so, which takes
// half of the time.
func (c *code) divideLanes(size x86.Size, rest bool) {
	insert, move := x86.VPINSRD, x86.VMOVD
	if size == x86.S64 {
		insert, move = x86.VPINSRQ, x86.VMOVQ
	}
	result := x86.RAX
	if rest {
		result = x86.RDX
	}
	c.MR(x86.MOV, x86.S64, c.frameAt(fDiv2), x86.RAX)
	c.MR(x86.MOV, x86.S64, c.frameAt(fDiv3), x86.RDX)
	c.pieces(c.v(0), c.tv(0), c.e.isa.bytes()/size.Bytes(), func(lane int, to x86.Vec, k int) {
		c.divideLane(size, fTerms+lane*size.Bytes(), result)
		if k == 0 {
			c.VR(move, x86.W128, to, result)
		} else {
			c.VVRI(insert, x86.W128, to, to, result, uint8(k))
		}
	})
	c.RM(x86.MOV, x86.S64, x86.RAX, c.frameAt(fDiv2))
	c.RM(x86.MOV, x86.S64, x86.RDX, c.frameAt(fDiv3))
}

// pieces puts n lanes together, 128 bits after the other: put writes lane k of what it is given.
func (c *code) pieces(d, other x86.Vec, n int, put func(lane int, to x86.Vec, k int)) {
	per, insert := 16*n/c.e.isa.bytes(), x86.VINSERTI128
	if c.e.isa.Has(Masks) {
		insert = x86.VINSERTI32X4
	}
	for lane := range n {
		to, k := d, lane%per
		if lane >= per {
			to = other
		}
		if put(lane, to, k); k == per-1 && lane > k {
			c.VVVI(insert, c.width(), d, d, other, uint8(lane/per))
		}
	}
}

// divideLane divides one lane; by 0 it has all ones.
func (c *code) divideLane(size x86.Size, at int, result x86.Reg) {
	zero, end := c.NewLabel(), c.NewLabel()
	divisor := c.frameAt(at + c.e.isa.bytes())
	c.RM(x86.MOV, size, x86.RAX, c.frameAt(at))
	c.MI(x86.CMP, size, divisor, 0)
	c.Jcc(x86.E, zero)
	if size == x86.S64 {
		wide := c.NewLabel()
		c.RR(x86.MOV, x86.S64, x86.RDX, x86.RAX)
		c.RM(x86.OR, x86.S64, x86.RDX, divisor)
		c.RI(x86.SHR, x86.S64, x86.RDX, 32)
		c.Jcc(x86.NE, wide)
		c.M(x86.DIV, x86.S32, divisor)
		c.Jmp(end)
		c.Bind(wide)
	}
	c.Zero(x86.RDX)
	c.M(x86.DIV, size, divisor)
	c.Jmp(end)
	c.Bind(zero)
	c.MovImm(result, ^uint64(0))
	c.Bind(end)
}

// place is a location in memory.
func (e *encoder) place(v isel.VReg, l regalloc.Loc) x86.Mem {
	if n, ok := l.Slot(); ok {
		return x86.At(x86.RSP, int32(e.frame.slots()+e.isa.bytes()*n))
	}
	if l == regalloc.Scratch {
		return x86.At(x86.RSP, fCycle)
	}
	k, _ := e.homes.Func.Const(v)
	if e.homes.Func.ClassOf(v) != isel.Vector {
		return e.x.Const64(binary.LittleEndian.Uint64(k[:]))
	}
	return e.x.ConstRow(k[:e.isa.bytes()], e.isa.bytes())
}

// move makes moves in order.
func (e *encoder) move(moves []regalloc.Move) {
	for _, m := range moves {
		e.moveOne(m)
	}
}

// moveOne brings a value from place to place.
func (e *encoder) moveOne(m regalloc.Move) {
	if m.To == m.From {
		return
	}
	switch e.homes.Func.ClassOf(m.Value) {
	case isel.General:
		e.moveNumber(m)
		return
	case isel.Mask:
		e.moveMask(m)
		return
	}
	switch w := e.isa.width; {
	case !m.To.IsReg() && !m.From.IsReg():
		e.x.VM(x86.VMOVAPS, w, e.isa.temp(), e.place(m.Value, m.From))
		e.x.MV(x86.VMOVAPS, w, e.place(m.Value, m.To), e.isa.temp())
	case !m.To.IsReg():
		e.x.MV(x86.VMOVAPS, w, e.place(m.Value, m.To), x86.Vec(m.From))
	case m.From.IsReg():
		e.x.VV(x86.VMOVAPS, w, x86.Vec(m.To), x86.Vec(m.From))
	default:
		e.loadVector(x86.Vec(m.To), m)
	}
}

// loadVector loads a vector from its place; zeros and ones need no memory.
func (e *encoder) loadVector(to x86.Vec, m regalloc.Move) {
	if k, ok := e.homes.Func.Const(m.Value); ok && m.From == regalloc.Pool {
		switch k {
		case words(0):
			e.isa.zero(e.x, to)
			return
		case words(0xffffffff):
			e.isa.ones(e.x, to)
			return
		}
	}
	e.x.VM(x86.VMOVAPS, e.isa.width, to, e.place(m.Value, m.From))
}

func (e *encoder) moveNumber(m regalloc.Move) {
	k, _ := e.homes.Func.Const(m.Value)
	imm := binary.LittleEndian.Uint64(k[:])
	switch {
	case m.To.IsReg() && m.From == regalloc.Pool:
		e.x.MovImm(x86.Reg(m.To), imm)
	case m.To.IsReg() && m.From.IsReg():
		e.x.RR(x86.MOV, x86.S64, x86.Reg(m.To), x86.Reg(m.From))
	case m.To.IsReg():
		e.x.RM(x86.MOV, x86.S64, x86.Reg(m.To), e.place(m.Value, m.From))
	case m.From.IsReg():
		e.x.MR(x86.MOV, x86.S64, e.place(m.Value, m.To), x86.Reg(m.From))
	case m.From == regalloc.Pool && int64(imm) == int64(int32(imm)):
		e.x.MI(x86.MOV, x86.S64, e.place(m.Value, m.To), int32(imm))
	default:
		e.x.VM(x86.VMOVQ, x86.W128, e.isa.temp(), e.place(m.Value, m.From))
		e.x.MV(x86.VMOVQ, x86.W128, e.place(m.Value, m.To), e.isa.temp())
	}
}
