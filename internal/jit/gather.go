package jit

// Loads of lanes that do not follow each other, by AVX-512: all addresses are compared with the
// limits as vectors, those inside are gathered, and nothing is written unless all are. AVX2 has no
// gain from its gathers here (an address is 64 bits wide): it goes lane by lane.

import (
	"ptxvm/internal/jit/x86"
	"ptxvm/internal/machine"
	"ptxvm/internal/sem"
)

// gathers tells whether a load can be a gather: one element of 32 bits into a row.
func (a *accessed) gathers() bool {
	d := &a.src[1]
	return a.evex && !a.m.Strong && a.s.op.Kind == sem.OpLoad && !a.uniform() && len(a.m.At) == 1 && a.m.Elem == 4 &&
		d.off != machine.NoGuard && !d.slot && d.typ == tW && a.m.Bits[0] >= 32
}

// apart accesses lanes that do not follow each other.
func (a *accessed) apart() {
	if a.gathers() {
		a.gather()
	} else {
		a.laneByLane()
	}
}

// gather collects the elements in the state and moves them to their row when all lanes' addresses
// have been found to be inside.
func (a *accessed) gather() {
	const inside, base = x86.R10, x86.R11 // lanes with good addresses; host address of the first byte
	a.limits(4, a.miss)
	a.MovImm(x86.RAX, a.in.Imm)
	a.RR(x86.SUB, x86.S64, x86.RAX, x86.R8)
	a.RR(x86.MOV, x86.S64, base, x86.R8)
	a.host(base)
	a.Zero(inside)
	move, room := a.everywhere(x86.RAX), a.everywhere(x86.RDX)
	x, got := a.alloc(), a.alloc()
	a.wide = true
	n := a.parts(false)
	for a.part = range n {
		a.offsets(x, vecAt(move))
		a.within(x, room)
		a.RK(x86.KMOVB, x86.RAX, x86.K6)
		if a.part > 0 {
			a.RI(x86.SHL, x86.S32, x86.RAX, int32(a.part*a.lanes))
		}
		a.RR(x86.OR, x86.S32, inside, x86.RAX)
		a.VVV(x86.VPXORD, x86.W256, got, got, got)
		a.Masked(x86.K6).VM(x86.VPGATHERQDK, x86.W512, got, x86.AtVec(base, x, 1, 0))
		a.store(x86.W256, x86.At(rCtx, saveRow+int32(32*a.part)), got)
	}
	for _, v := range []x86.Vec{got, x, room, move} {
		a.release(temp(v))
	}
	a.active(x86.RAX, a.use)
	a.RR(x86.CMP, x86.S32, x86.RAX, inside)
	a.Jcc(x86.NE, a.miss)
	a.wide = false
	n = a.parts(false)
	for a.part = range n {
		a.loadPart(x86.At(rCtx, saveRow+int32(64*a.part)), &a.src[1])
	}
}

// everywhere is a temporary with a register in each 64-bit element.
func (a *accessed) everywhere(r x86.Reg) x86.Vec {
	v := a.alloc()
	a.replicate(a.full(), tX, v, r)
	return v
}

// offsets makes the part's addresses offsets from the first byte.
func (a *accessed) offsets(x x86.Vec, move loc) {
	addr := &a.src[0]
	have := a.operand(addr)
	from := x
	switch {
	case addr.typ == tX && have.kind == inVec:
		from = have.v
	case addr.typ == tX:
		a.move(a.full(), x, have.m)
	case have.kind == inVec:
		a.VV(x86.VPMOVZXDQ, a.full(), x, have.v)
	default:
		a.VM(x86.VPMOVZXDQ, a.full(), x, have.m)
	}
	a.vvx(x86.VPADDQ, a.full(), x, from, move)
	a.release(have)
}

// within leaves in K6 the executing lanes of the part whose offset is inside and aligned. What
// offsets count from is aligned more than any access.
func (a *accessed) within(x, room x86.Vec) {
	const lessOrEqual = 2
	if a.use != allLanes {
		a.Masked(a.laneMask(a.use))
	}
	a.KVVI(x86.VPCMPUQ, x86.W512, x86.K6, x, room, lessOrEqual)
	if a.m.Align > 1 {
		low := a.Const64(uint64(a.m.Align - 1))
		a.Masked(x86.K6).KVM(x86.VPTESTNMQ, x86.W512, x86.K6, x, low.Bcast())
	}
}
