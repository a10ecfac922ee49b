package jit

// Counting: operations on shared memory whose results nobody wants, for all lanes at addresses of 32 bits. Each lane's
// is one instruction in memory, and addresses come from vector registers two at a time, which takes half as long as
// from memory.

import (
	"ptxvm.invalid/ptxvm/internal/jit/x86"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/sem"
)

// countsOnly tells whether that is all that an operation does.
func (a *accessed) countsOnly() bool {
	return a.s.op.Kind == sem.OpAtomic && a.use == allLanes && a.shared() && a.src[0].typ == tW && a.strewnRow() &&
		a.s.dst.off == machine.NoGuard && atomicOps[a.s.op.Fn].direct != 0
}

// countApart does the operation of 32 lanes, one behind the other.
func (a *accessed) countApart() {
	a.testInside(int32(a.m.Size), a.miss) // where it is not needed, too: additions right behind each other take longer
	size := x86.S32
	if a.m.Elem == 8 {
		size = x86.S64
	}
	with := &a.s.in[1]
	l := lanesOf{s: with}
	if with.known || with.slot {
		a.laneOperand(size, atomWith, &l)
	} else {
		l.row = a.inMemory(with, 1)
	}
	a.hostBase()
	a.c.eachPart(tW, func() {
		have := a.c.operand(&a.src[0])
		row := a.c.load(have, tW)
		a.eachPair(row.v, func(lane int, at x86.Mem) { a.countLane(size, &l, lane, at) })
		a.c.unload(row, have)
		a.c.release(have)
	})
}

// eachPair visits the places of the part's lanes: R11 and an address of 32 bits in a register, RAX, RCX and RDX in turn.
func (a *accessed) eachPair(row x86.Vec, visit func(lane int, at x86.Mem)) {
	t := a.c.alloc()
	for k := 0; k < a.c.lanes; k += 2 {
		from, op := row, x86.VPEXTRQ
		if k >= 4 {
			from = t
		}
		switch {
		case k%4 == 0 && k > 0 && a.c.evex:
			a.c.VVI(x86.VEXTRACTI32X4, x86.W512, t, row, uint8(k/4))
		case k%4 == 0 && k > 0:
			a.c.VVI(x86.VEXTRACTI128, x86.W256, t, row, 1)
		}
		if k%4 == 0 {
			op = x86.VMOVQ
		}
		pair := [...]x86.Reg{x86.RAX, x86.RDX}[k/2%2]
		if op == x86.VMOVQ {
			a.c.RV(op, x86.W128, pair, from)
		} else {
			a.c.RVI(op, x86.W128, pair, from, 1)
		}
		a.c.RR(x86.MOV, x86.S32, x86.RCX, pair)
		a.c.RI(x86.SHR, x86.S64, pair, 32)
		lane := a.c.part*a.c.lanes + k
		visit(lane, a.byProof(x86.AtIndex(x86.R11, x86.RCX, 1, int32(a.in.Imm))))
		visit(lane+1, a.byProof(x86.AtIndex(x86.R11, pair, 1, int32(a.in.Imm))))
	}
	a.c.release(temp(t))
}

// countLane does the operation of one lane.
func (a *accessed) countLane(size x86.Size, with *lanesOf, lane int, at x86.Mem) {
	op := atomicOps[a.s.op.Fn].direct
	switch s := with.s; {
	case s.known && int64(s.value) == int64(int32(s.value)):
		a.c.MI(op, size, at, int32(s.value))
		return
	case !s.known && !s.slot:
		a.c.RM(x86.MOV, size, atomWith, with.row.Plus(int32(lane)*int32(a.m.Elem)))
	}
	a.c.MR(op, size, at, atomWith)
}
