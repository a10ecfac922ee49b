package jit

// The code of counting in passes. The numbers of counters go to general registers several at a time, as bytes or words:
// from memory where a load of the turn brings them so, else from vectors that are made narrow. Every one that has to be brought from a
// vector by itself takes longer than the operation.

import "ptxvm.invalid/ptxvm/internal/jit/x86"

// Registers of counting, besides those of tables and of values that slots have.
const numbersReg = x86.RAX

var numberRegs = [2]x86.Reg{x86.RCX, x86.RDX}

// countRegs are what turnRegs are in turns that count.
var countRegs = []x86.Reg{x86.R8, x86.R9, x86.R10, x86.R11}

// turnValue is a table's address on the host, or a value to count by, in a register.
type turnValue struct {
	src   source
	table bool
}

// is tells whether it is a table or a value from a source.
func (v *turnValue) is(src *source, table bool) bool {
	return v.table == table && v.src.known == src.known && v.src.value == src.value && (src.known || v.src.off == src.off)
}

// eachCount visits the operations of a turn.
func (t *passes) eachCount(visit func(n *turnCount)) {
	for i := range t.rows {
		if n := t.rows[i].dst.count; n != nil {
			visit(n)
		}
	}
}

// findValues finds what has registers while turns count.
func (k *turning) findValues() {
	add := func(src source, table bool) {
		for i := range k.values {
			if k.values[i].is(&src, table) {
				return
			}
		}
		k.values = append(k.values, turnValue{src: src, table: table})
	}
	k.t.eachCount(func(n *turnCount) {
		add(n.table(), true)
		if with := k.c.steps[n.pc].in[1]; with.slot {
			add(with, false)
		}
	})
}

// regsFor are the registers of a pass's bases.
func (k *turning) regsFor() []x86.Reg {
	if k.t.counting {
		return countRegs[:max(len(countRegs)-len(k.values), 0)]
	}
	return turnRegs
}

// valueReg is the register of a table or value.
func (k *turning) valueReg(src source, table bool) x86.Reg {
	for i := range k.values {
		if k.values[i].is(&src, table) {
			return countRegs[len(countRegs)-1-i]
		}
	}
	panic("jit: a value of a turn has no register")
}

// beginCounting brings tables and values to their registers.
func (k *turning) beginCounting() {
	for i := range k.values {
		v := &k.values[i]
		r := k.valueReg(v.src, v.table)
		k.loadNumber(r, &v.src)
		if v.table {
			k.c.RM(x86.ADD, x86.S64, r, ctxSharedHost)
		}
	}
}

// loadNumber loads a number of 32 bits that all lanes share.
func (k *turning) loadNumber(r x86.Reg, src *source) {
	if src.known {
		k.c.MovImm(r, src.value)
	} else {
		k.c.RM(x86.MOV, x86.S32, r, k.c.regs(src.off))
	}
}

// testCounts goes to other unless all counters that a turn can mean are inside and aligned. No address of them wraps: shared
// memory lies far below the end of 32 bits.
func (k *turning) testCounts(other x86.Label) {
	k.t.eachCount(func(n *turnCount) {
		table := n.table()
		k.loadNumber(x86.RAX, &table)
		k.c.RI(x86.TEST, x86.S32, x86.RAX, 3)
		k.c.Jcc(x86.NE, other)
		k.c.RM(x86.LEA, x86.S64, x86.R8, x86.At(x86.RAX, int32(k.c.insts[n.pc].Imm)))
		k.c.insideShared(4<<n.bits, other)
		k.c.prove(n.pc)
	})
}

// polledFuel leaves in RAX how many turns go until others have theirs, in loops that may wait for them; RDX and R8 are lost.
func (k *turning) polledFuel() {
	k.c.RM(x86.LEA, x86.S32, x86.RAX, x86.At(rFuel, -1))
	k.c.RM(x86.MOV, x86.S32, x86.R8, ctxPollFuel)
	k.c.Zero(x86.RDX)
	k.c.R(x86.DIV, x86.S32, x86.R8)
	k.c.RI(x86.ADD, x86.S32, x86.RAX, 1)
}

// burnPolled takes the fuel of RDX back edges; RCX is lost.
func (k *turning) burnPolled() {
	k.c.RM(x86.MOV, x86.S32, x86.RCX, ctxPollFuel)
	k.c.RR(x86.IMUL, x86.S32, x86.RCX, x86.RDX)
	k.c.RR(x86.SUB, x86.S32, rFuel, x86.RCX)
}

// giveCount does the part's operations on the counters that a value numbers.
func (r *room) giveCount(v val, n *turnCount) {
	c := &turnTally{turning: r.c.turning, turnCount: n, a: r.c.counterAt(n.pc), bytes: 1 + (n.bits-1)/8}
	if f := r.fromByte(v); f != nil {
		s := r.c.accessAt(f.pc, false, allLanes).static()
		for lane := 0; lane < r.c.lanes; lane += 8 {
			r.c.RM(x86.MOV, x86.S64, numbersReg, s.place(f.elem, r.c.part*r.c.lanes+lane))
			c.each()
		}
		return
	}
	l := r.get(v)
	r.spare(spareVecs)
	x := r.c.load(l, tW)
	c.narrow(x.v)
	r.c.unload(x, l)
}

// fromByte is the load that brings a value as bytes of lanes that follow each other, nil if none does.
func (r *room) fromByte(v val) *fetch {
	o := &r.m.ops[v]
	if o.code != cIn || r.m.in[o.imm].fetch == nil {
		return nil
	}
	f := r.m.in[o.imm].fetch
	s := r.c.accessAt(f.pc, false, allLanes).static()
	if !s.acc.s.narrow || s.acc.m.Signed || s.acc.m.Elem != 1 {
		return nil
	}
	return f
}

// turnTally is an operation while it is assembled.
type turnTally struct {
	turning *turning
	*turnCount
	a     *accessed
	bytes int // of a number
}

// narrow does the operations on the counters that a part's register of 32-bit elements numbers.
func (c *turnTally) narrow(x x86.Vec) {
	t := c.turning.c.alloc()
	defer c.turning.c.release(temp(t))
	switch {
	case !c.turning.c.evex:
		c.turning.c.VVI(x86.VEXTRACTI128, x86.W256, t, x, 1)
		c.turning.c.VVV(x86.VPACKUSDW, x86.W128, t, x, t)
		if c.bytes == 1 {
			c.turning.c.VVV(x86.VPACKUSWB, x86.W128, t, t, t)
		}
	case c.bytes == 1:
		c.turning.c.VV(x86.VPMOVDB, x86.W512, t, x)
	default:
		c.turning.c.VV(x86.VPMOVDW, x86.W512, t, x)
	}
	for lane := 0; lane < c.turning.c.lanes; lane += 8 / c.bytes {
		switch at := lane * c.bytes; {
		case at%16 == 8:
			c.turning.c.RVI(x86.VPEXTRQ, x86.W128, numbersReg, t, 1)
		case at == 16:
			c.turning.c.VVI(x86.VEXTRACTI128, x86.W256, t, t, 1)
			fallthrough
		default:
			c.turning.c.RV(x86.VMOVQ, x86.W128, numbersReg, t)
		}
		c.each()
	}
}

// each does the operations on the counters whose numbers are in a register.
func (c *turnTally) each() {
	one := [...]x86.Op{1: x86.MOVZXB, 2: x86.MOVZXW}[c.bytes]
	for k := range 8 / c.bytes {
		at := numberRegs[k%2]
		if k == 8/c.bytes-1 {
			at = numbersReg
		} else {
			c.turning.c.RR(one, x86.S32, at, numbersReg)
			c.turning.c.RI(x86.SHR, x86.S64, numbersReg, int32(8*c.bytes))
		}
		c.one(c.a.byProof(x86.AtIndex(c.turning.valueReg(c.table(), true), at, 4, int32(c.a.in.Imm))))
	}
}

// one does the operation on one counter.
func (c *turnTally) one(at x86.Mem) {
	op, with := atomicOps[c.a.s.op.Fn].direct, c.a.s.in[1]
	if with.known {
		c.turning.c.MI(op, x86.S32, at, int32(with.value))
	} else {
		c.turning.c.MR(op, x86.S32, at, c.turning.valueReg(with, false))
	}
}
