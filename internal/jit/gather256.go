package jit

// Gathers by AVX2, and the tests of their addresses: masks are vectors, of which the state has those of the running lanes.

import (
	"math/bits"

	"ptxvm.invalid/ptxvm/internal/jit/x86"
)

// addressPart is the running part of the addresses of lanes.
type addressPart func() loc

// testBelow tells by NE whether the address of an executing lane, less first, is not below what count brings or has one of some
// bits. The largest and the bits of all say so. The temporary first is given back.
func (a *accessed) testBelow(first x86.Vec, count func(to x86.Vec), odd uint32, part addressPart) {
	x, most, all := a.c.alloc(), a.c.alloc(), a.c.alloc()
	a.c.zero(x)
	a.c.VVV(x86.VPSUBD, a.c.full(), first, x, first)
	a.c.eachPart(tW, func() {
		to := x
		if a.c.part == 0 {
			to = most
		}
		have := part()
		a.c.vvx(x86.VPADDD, a.c.full(), to, first, have)
		a.c.release(have)
		a.onlyExecuting(to)
		switch {
		case a.c.part > 0 && odd != 0:
			a.c.VVV(x86.VPOR, a.c.full(), all, all, x)
		case odd != 0:
			a.c.copy(a.c.full(), all, most)
		}
		if a.c.part > 0 {
			a.c.VVV(x86.VPMAXUD, a.c.full(), most, most, x)
		}
	})
	count(x)
	a.c.VVV(x86.VPMAXUD, a.c.full(), x, most, x)
	a.c.VVV(x86.VPCMPEQD, a.c.full(), x, x, most)
	if odd != 0 {
		a.c.VVM(x86.VPAND, a.c.full(), all, all, a.c.constRow(tW, func(int) uint64 { return uint64(odd) }))
		a.c.VVV(x86.VPOR, a.c.full(), x, x, all)
	}
	a.c.VV(x86.VPTEST, a.c.full(), x, x)
	for _, v := range []x86.Vec{all, most, x, first} {
		a.c.release(temp(v))
	}
}

// onlyExecuting makes 0 of the elements of 32 bits of lanes that do not execute.
func (a *accessed) onlyExecuting(x x86.Vec) {
	if a.use != allLanes {
		a.c.VVM(x86.VPAND, a.c.full(), x, x, a.c.lanesAt(a.use))
	}
}

// limit256 is a limit that an address is tested against: in a register or, where few are free, in memory (saveLimits).
type limit256 struct {
	v        x86.Vec
	at       x86.Mem
	inMemory bool
}

// limitOf is the limit in a general register; k is its place in memory.
func (a *accessed) limitOf(r x86.Reg, k int, few bool) limit256 {
	if !few {
		return limit256{v: a.everywhere(tX, r)}
	}
	at := x86.At(rCtx, saveLimits+int32(8*k))
	a.c.MR(x86.MOV, x86.S64, at, r)
	return limit256{at: at, inMemory: true}
}

// limitIn has a limit in a register: its own, or another.
func (a *accessed) limitIn(l limit256, other x86.Vec) x86.Vec {
	if !l.inMemory {
		return l.v
	}
	a.c.broadcast(a.c.full(), tX, other, l.at)
	return other
}

// vecsInside256 is how many temporaries inside256 takes with its limits in registers.
const vecsInside256 = 6

// inside256 is inside with what is added to an address in R8, and the last offset inside in RDX. RCX is lost.
func (a *accessed) inside256(fail x86.Label) {
	if addr := &a.src[0]; addr.row >= 0 {
		a.testInside256(func() loc { return a.c.operand(addr) })
	} else {
		a.c.RM(x86.LEA, x86.S64, x86.RCX, a.inMemory(addr, 1))
		a.c.callRoutine(routine{what: routineInside, typ: addr.typ, use: a.use, align: a.m.Align}, func() { a.testInside256(a.partAt) })
	}
	a.c.Jcc(x86.NE, fail)
}

// partAt is the running part of the addresses, a row at RCX.
func (a *accessed) partAt() loc {
	return loc{kind: inMem, m: x86.At(x86.RCX, int32(a.c.part*a.c.lanes*a.src[0].typ.bits()/8)).By(inHost)}
}

// testInside256 tells by NE whether an executing lane's address is outside.
func (a *accessed) testInside256(part addressPart) {
	odd := max(a.m.Align, 1) - 1
	if a.src[0].typ == tW {
		a.c.R(x86.NEG, x86.S32, x86.R8)
		a.c.R(x86.INC, x86.S32, x86.RDX)
		count := x86.At(rCtx, saveLimits)
		a.c.MR(x86.MOV, x86.S32, count, x86.RDX)
		a.testBelow(a.everywhere(tW, x86.R8), func(to x86.Vec) { a.c.broadcast(a.c.full(), tW, to, count) }, odd, part)
		return
	}
	few := len(a.c.free) < vecsInside256
	move, room := a.limitOf(x86.R8, 0, few), a.limitOf(x86.RDX, 1, few)
	x, over, all := a.c.alloc(), a.c.alloc(), a.c.alloc()
	a.c.zero(over)
	a.c.zero(all)
	a.c.eachPart(tX, func() { // x is inside exactly if neither it nor room-x has its top bit set
		have := part()
		a.c.vvx(x86.VPADDQ, a.c.full(), x, a.limitIn(move, x), have)
		a.c.release(have)
		t := a.c.alloc()
		if a.use != allLanes {
			a.c.VM(x86.VPMOVSXDQ, a.c.full(), t, a.c.lanesAt(a.use))
			a.c.VVV(x86.VPAND, a.c.full(), x, x, t)
		}
		a.c.VVV(x86.VPOR, a.c.full(), all, all, x)
		a.c.VVV(x86.VPSUBQ, a.c.full(), x, a.limitIn(room, t), x)
		a.c.release(temp(t))
		a.c.VVV(x86.VPOR, a.c.full(), over, over, x)
	})
	a.c.VVV(x86.VPOR, a.c.full(), over, over, all)
	if odd != 0 {
		a.c.VVI(x86.VPSLLQ, a.c.full(), all, all, uint8(64-bits.Len32(odd)))
		a.c.VVV(x86.VPOR, a.c.full(), over, over, all)
	}
	missBits := ^uint64(0) << (64 - max(bits.Len32(odd), 1))
	a.c.VM(x86.VPTEST, a.c.full(), over, a.c.constRow(tX, func(int) uint64 { return missBits }))
	for _, v := range []x86.Vec{all, over, x} {
		a.c.release(temp(v))
	}
	for _, l := range []limit256{room, move} {
		if !l.inMemory {
			a.c.release(temp(l.v))
		}
	}
}

// gathers256 are the gathers of as many elements as addresses, by the types of address and element.
var gathers256 = [2][2]x86.Op{tW: {tW: x86.VPGATHERDD, tX: x86.VPGATHERDQ}, tX: {tX: x86.VPGATHERQQ}}

// gatherPart256 gathers the running part's elements of 32 or 64 bits.
func (a *accessed) gatherPart256(k int, v x86.Vec, base x86.Reg) {
	addr, d := &a.src[0], &a.src[1+k]
	if addr.typ == tX && d.typ == tW {
		a.gatherHalves(k, v, base)
		return
	}
	have := a.c.operand(addr)
	row := a.c.load(have, addr.typ)
	m := a.lanesWanted(d.typ)
	a.c.zero(v)
	a.c.VMV(gathers256[addr.typ][d.typ], a.c.full(), v, a.places(k, base, row.v), m)
	a.c.release(temp(m))
	a.c.unload(row, have)
	a.c.release(have)
}

// gatherHalves gathers 8 elements of 32 bits by addresses of 64.
func (a *accessed) gatherHalves(k int, v x86.Vec, base x86.Reg) {
	part, high := a.c.part, a.c.alloc()
	for half, to := range []x86.Vec{v, high} {
		a.c.wide, a.c.lanes, a.c.part = true, 4, 2*part+half
		have := a.c.operand(&a.src[0])
		row := a.c.load(have, tX)
		m := a.c.alloc()
		if a.use == allLanes {
			a.c.VVV(x86.VPCMPEQD, x86.W128, m, m, m)
		} else {
			a.c.move(x86.W128, m, a.c.lanesAt(a.use))
		}
		a.c.zero(to)
		a.c.VMV(x86.VPGATHERQD, a.c.full(), to, a.places(k, base, row.v), m)
		a.c.release(temp(m))
		a.c.unload(row, have)
		a.c.release(have)
	}
	a.c.wide, a.c.lanes, a.c.part = false, 8, part
	a.c.VVVI(x86.VINSERTI128, x86.W256, v, v, high, 1)
	a.c.release(temp(high))
}

// lanesWanted is a vector of truth values of the part's executing lanes, which a gather clears.
func (a *accessed) lanesWanted(t typ) x86.Vec {
	if a.use != allLanes {
		return a.c.laneVector(a.use, t).v
	}
	m := a.c.alloc()
	a.c.VVV(x86.VPCMPEQD, a.c.full(), m, m, m)
	return m
}
