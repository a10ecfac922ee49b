package jit

// The operations of a walk's trip, on one lane.

import "ptxvm.invalid/ptxvm/internal/jit/x86"

// walkValues computes the values of a trip, but for the condition.
func (c *compiler) walkValues(w *walk, missed x86.Label) {
	for i := range w.m.ops {
		o, v := &w.m.ops[i], val(i)
		l := w.loadOf(v)
		switch {
		case !w.need[i] || v == w.cond || o.code == cConst:
		case l != nil:
			c.walkLoad(w, l, missed)
		case o.code == cIn || w.stepped(v):
		case w.class[i] == floatClass:
			c.walkSingle(w, v, o)
		default:
			c.walkGeneral(w, v, o)
		}
	}
}

// walkLoad loads a word.
func (c *compiler) walkLoad(w *walk, l *walkLoad, missed x86.Label) {
	k := 0
	for &w.loads[k] != l {
		k++
	}
	low, count, host := walkBounds(k)
	x, base := w.at[l.index].r, l.host
	if l.row < 0 {
		if !w.lastRead(l) {
			c.RR(x86.MOV, x86.S32, x86.RAX, x)
			x = x86.RAX
		}
		c.withLimit(x86.SUB, x, l.low, low)
		c.withLimit(x86.CMP, x, l.n, count)
		c.Jcc(x86.AE, missed)
	}
	to := w.at[l.to]
	if base == x86.NoReg {
		c.walkFar(w, l, x, host)
		return
	}
	switch from := w.address(l, x); {
	case w.folded(l):
	case w.class[l.to] == floatClass:
		c.VM(x86.VMOVSS, x86.W128, to.v, from)
	default:
		c.RM(x86.MOV, x86.S32, to.r, from)
	}
}

// withLimit is an operation on a limit, wherever that is.
func (c *compiler) withLimit(op x86.Op, x, limit x86.Reg, m x86.Mem) {
	if limit == x86.NoReg {
		c.RM(op, x86.S32, x, m)
	} else {
		c.RR(op, x86.S32, x, limit)
	}
}

// counts tells whether a load's base is what it is behind the last trip, and the address counts up to it.
func (w *walk) counts(l *walkLoad) bool { return w.passing(l) || l.row >= 0 && w.rows[l.row].step != 0 }

// address is where a load at an index loads from.
func (w *walk) address(l *walkLoad, index x86.Reg) x86.Mem {
	if w.counts(l) {
		return x86.AtIndex(l.host, w.count, uint8(l.step<<l.shift), l.disp).By(inAccess + l.pc)
	}
	return x86.AtIndex(l.host, index, 1<<l.shift, l.disp).By(inAccess + l.pc)
}

// stepped tells whether a value is that of a row that the number of the trip tells.
func (w *walk) stepped(v val) bool {
	for i := range w.rows {
		if w.rows[i].out == v && w.rows[i].step != 0 {
			return true
		}
	}
	return false
}

// folded tells whether the operation that reads a load is the one that loads: the sum is in the register of the result.
func (w *walk) folded(l *walkLoad) bool {
	return l.fma != noVal && l.host != x86.NoReg && w.at[l.fma].v == w.at[w.m.ops[l.fma].c].v
}

// foldedIn is the load that an operation does itself, nil if there is none.
func (w *walk) foldedIn(v val) *walkLoad {
	for i := range w.loads {
		if l := &w.loads[i]; l.fma == v && w.folded(l) {
			return l
		}
	}
	return nil
}

// lastRead tells whether nobody else reads a load's index from here on, and no row has it.
func (w *walk) lastRead(l *walkLoad) bool {
	row := w.m.ops[l.index].code == cIn && w.loadOf(l.index) == nil
	return !row && w.last[l.index] == int(l.to)
}

// walkFar is the end of walkLoad where the base is in memory: the address is made in RAX.
func (c *compiler) walkFar(w *walk, l *walkLoad, x x86.Reg, host x86.Mem) {
	c.RM(x86.LEA, x86.S64, x86.RAX, x86.AtIndex(x86.NoReg, x, 1<<l.shift, l.disp))
	c.RM(x86.ADD, x86.S64, x86.RAX, host)
	if to := w.at[l.to]; w.class[l.to] == floatClass {
		c.VM(x86.VMOVSS, x86.W128, to.v, x86.At(x86.RAX, 0).By(inAccess+l.pc))
	} else {
		c.RM(x86.MOV, x86.S32, to.r, x86.At(x86.RAX, 0).By(inAccess+l.pc))
	}
}

// walkSingle computes a float.
func (c *compiler) walkSingle(w *walk, v val, o *operation) {
	d, a, b := w.at[v].v, w.at[o.a].v, w.at[o.b].v
	if o.code == cCanon {
		number := c.NewLabel()
		c.copy(x86.W128, d, a)
		c.VV(x86.VUCOMISS, x86.W128, d, d)
		c.Jcc(x86.NP, number)
		c.VM(x86.VMOVSS, x86.W128, d, c.Const32(nanF32))
		c.Bind(number)
		return
	}
	if o.code != cFFma {
		c.VVV(walkSingleOps[o.code], x86.W128, d, a, b)
		return
	}
	if l := w.foldedIn(v); l != nil {
		if o.a == l.to {
			a = b
		}
		c.VVM(x86.VFMADD231SS, x86.W128, d, a, w.address(l, w.at[l.index].r))
		return
	}
	switch s := w.at[o.c].v; d {
	case s:
		c.VVV(x86.VFMADD231SS, x86.W128, d, a, b)
	case a:
		c.VVV(x86.VFMADD213SS, x86.W128, d, b, s)
	case b:
		c.VVV(x86.VFMADD213SS, x86.W128, d, a, s)
	default:
		c.VV(x86.VMOVAPS, x86.W128, d, s)
		c.VVV(x86.VFMADD231SS, x86.W128, d, a, b)
	}
}

// walkGeneral computes a word.
func (c *compiler) walkGeneral(w *walk, v val, o *operation) {
	op, a, b, d := walkGeneralOps[o.code], o.a, o.b, w.at[v].r
	if o.n == 1 {
		c.walkMove(d, w.at[a].r)
		c.RI(op, x86.S32, d, int32(o.imm))
		return
	}
	if _, known := w.m.known(a); known || w.at[b].has && w.at[b].r == d && w.at[a].r != d {
		a, b = b, a // it commutes
	}
	size := x86.S32
	if w.isIndex(v) {
		size = x86.S64
	}
	k, known := w.m.known(b)
	if known && o.code == cMul {
		c.RRI(op, size, d, w.at[a].r, int32(k))
		return
	}
	c.walkMove(d, w.at[a].r)
	if known {
		c.RI(op, size, d, int32(k))
	} else {
		c.RR(op, size, d, w.at[b].r)
	}
}

// isIndex tells whether a value is the next one of an index of 64 bits.
func (w *walk) isIndex(v val) bool {
	for i := range w.rows {
		if x := &w.rows[i]; x.index && x.out == v && x.r == w.at[v].r {
			return true
		}
	}
	return false
}

func (c *compiler) walkMove(d, s x86.Reg) {
	if d != s {
		c.RR(x86.MOV, x86.S32, d, s)
	}
}

// walkCondition compares, and returns the condition of those who go back.
func (c *compiler) walkCondition(w *walk) x86.Cond {
	a := w.at[w.a].r
	if k, known := w.m.known(w.b); known {
		c.RI(x86.CMP, x86.S32, a, int32(k))
	} else {
		c.RR(x86.CMP, x86.S32, a, w.at[w.b].r)
	}
	back := [...]x86.Cond{cmpEQ: x86.E, cmpNE: x86.NE, cmpLTS: x86.L, cmpLES: x86.LE, cmpLTU: x86.B, cmpLEU: x86.BE}[w.how]
	if w.turned {
		back ^= 1
	}
	return back
}

// walkMoves gives rows what they have not got in place. The flags stay.
func (c *compiler) walkMoves(w *walk) {
	for i := range w.rows {
		x := &w.rows[i]
		if x.out == noVal || x.passes {
			continue
		}
		from := w.at[x.out]
		k, known := w.m.known(x.out)
		switch {
		case known && x.class == floatClass:
			c.VM(x86.VMOVSS, x86.W128, x.v, c.Const32(uint32(k)))
		case known:
			c.RI(x86.MOV, x86.S32, x.r, int32(k))
		case x.class == floatClass && from.v != x.v:
			c.VV(x86.VMOVAPS, x86.W128, x.v, from.v)
		case x.class != floatClass && from.r != x.r:
			c.RR(x86.MOV, x86.S32, x.r, from.r)
		}
	}
}
