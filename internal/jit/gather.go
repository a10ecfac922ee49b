package jit

// Accesses of lanes that do not follow each other: all addresses are compared with the
// limits as vectors, then the elements are gathered or scattered. Of lanes that store to one place the highest
// stays, as scatters have it. AVX2 has no scatter: there stores go lane by lane (scatter256.go; gather256.go has what else differs).

import (
	"math/bits"

	"ptxvm.invalid/ptxvm/internal/jit/x86"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/sem"
)

// apart accesses lanes that do not follow each other.
func (a *accessed) apart() {
	if !a.strewable() {
		a.laneByLane()
		return
	}
	fail, done, size := a.miss, a.c.NewLabel(), a.m.Size
	if a.m.Elem < 4 { // they are gathered with what lies behind them: not at the end of an allocation
		fail, size = a.c.later(func() {
			a.laneByLane()
			a.c.Jmp(done)
		}), 4
	}
	a.inside(int32(size), fail)
	a.strew(a.hostBase())
	a.c.Bind(done)
}

// strew gathers or scatters all elements.
func (a *accessed) strew(base x86.Reg) {
	if a.s.op.Kind == sem.OpStore && !a.c.evex {
		a.scatter256(base)
		return
	}
	for k := range a.m.At {
		switch {
		case a.src[1+k].off == machine.NoGuard:
		case a.s.op.Kind == sem.OpLoad:
			a.gather(k, base)
		default:
			a.scatter(k, base)
		}
	}
}

// strewable tells whether lanes anywhere are one gather or scatter for each element.
func (a *accessed) strewable() bool {
	addr, load := &a.src[0], a.s.op.Kind == sem.OpLoad
	if !a.strewnRow() || a.m.Strong {
		return false
	}
	if len(a.m.At) > 1 && !load && a.m.Align != a.m.Size { // elements of two lanes could overlap
		return false
	}
	for k := range a.m.At {
		s, bits := &a.src[1+k], int(a.m.Elem)*8
		switch {
		case s.off == machine.NoGuard:
		case s.typ.bits() == bits && a.m.Bits[k] >= bits && (!load || !s.slot):
		case load && !s.slot && s.typ == tW && bits < 32 && a.m.Bits[k] >= bits && len(a.m.At) == 1:
		default:
			return false
		}
		if load && s.off == addr.off && len(a.m.At) > 1 {
			return false // the address is needed until the last element
		}
	}
	return true
}

// strewn tells whether addresses that differ between lanes can be tested as they are, and be scattered to. The displacement is
// aligned, and small: it cannot hide that a shared address wraps.
func (a *accessed) strewn() bool { return a.c.evex && a.strewnRow() }

// strewnRow is the same for either width.
func (a *accessed) strewnRow() bool {
	const far = 1 << 24
	d := int64(a.in.Imm)
	return !a.uniform() && (a.src[0].typ == tX || a.bound < 0) && d > -far && d < far && d%int64(max(a.m.Align, 1)) == 0
}

// inside goes to fail unless n bytes at the address of each executing lane are inside and aligned.
func (a *accessed) inside(n int32, fail x86.Label) {
	addr, low := &a.src[0], uint8(bits.TrailingZeros32(max(a.m.Align, 1)))
	defer a.c.prove(a.pc)
	a.limits(n, fail)
	if addr.typ == tX {
		a.c.R(x86.NEG, x86.S64, x86.R8)
	} else {
		a.window(fail)
		a.c.R(x86.NEG, x86.S32, x86.R8)
	}
	if d := int32(a.in.Imm); d != 0 && addr.typ == tX {
		a.c.RI(x86.ADD, x86.S64, x86.R8, d)
	}
	if !a.c.evex {
		a.inside256(fail)
		return
	}
	if low > 0 {
		a.c.RI(x86.SHR, x86.S64, x86.RDX, int32(low))
	}
	move, room, x := a.everywhere(addr.typ, x86.R8), a.everywhere(addr.typ, x86.RDX), a.c.alloc()
	ror, cmp := [...]x86.Op{tW: x86.VPRORD, tX: x86.VPRORQ}[addr.typ], [...]x86.Op{tW: x86.VPCMPUD, tX: x86.VPCMPUQ}[addr.typ]
	a.c.eachPart(addr.typ, func() {
		const greater = 6
		have := a.c.operand(addr)
		a.c.vvx(vops[cAdd].evex[addr.typ], a.c.full(), x, move, have)
		a.c.release(have)
		if low > 0 { // what is not aligned becomes large
			a.c.VVI(ror, a.c.full(), x, x, low)
		}
		k := x86.K5
		if a.c.part > 0 {
			k = x86.K6
		}
		if a.use != allLanes {
			a.c.Masked(a.c.laneMask(a.use))
		}
		a.c.KVVI(cmp, a.c.full(), k, x, room, greater)
		if a.c.part > 0 {
			a.c.KKK(x86.KORW, x86.K5, x86.K5, x86.K6)
		}
	})
	for _, v := range []x86.Vec{x, room, move} {
		a.c.release(temp(v))
	}
	a.c.KK(x86.KORTESTW, x86.K5, x86.K5)
	a.c.Jcc(x86.NE, fail)
}

// window makes of the limits in R8 and RDX those of a register of 32 bits that is extended by zeros before
// the displacement is added: no register below 0.
func (a *accessed) window(fail x86.Label) {
	d := int32(a.in.Imm)
	if d == 0 {
		return
	}
	a.c.RI(x86.SUB, x86.S64, x86.R8, d)
	if d < 0 {
		return
	}
	a.c.Zero(x86.RCX)
	a.c.RR(x86.ADD, x86.S64, x86.RDX, x86.R8)
	a.c.RR(x86.TEST, x86.S64, x86.R8, x86.R8)
	a.c.Cmov(x86.S, x86.S64, x86.R8, x86.RCX)
	a.c.RR(x86.SUB, x86.S64, x86.RDX, x86.R8)
	a.c.Jcc(x86.L, fail)
}

// everywhere is a temporary with a register in each element.
func (a *accessed) everywhere(t typ, r x86.Reg) x86.Vec {
	v := a.c.alloc()
	a.c.replicate(a.c.full(), t, v, r)
	return v
}

// hostBase is a register that makes host addresses of device addresses, R11 of shared ones.
func (a *accessed) hostBase() x86.Reg {
	if a.bound >= 0 {
		return rArena
	}
	a.c.RM(x86.MOV, x86.S64, x86.R11, ctxSharedHost)
	return x86.R11
}

// strewnOps are the gathers and scatters by the types of address and element.
var strewnOps = [2][2]struct{ gather, scatter x86.Op }{
	tW: {tW: {x86.VPGATHERDDK, x86.VPSCATTERDD}, tX: {x86.VPGATHERDQK, x86.VPSCATTERDQ}},
	tX: {tW: {x86.VPGATHERQDK, x86.VPSCATTERQD}, tX: {x86.VPGATHERQQK, x86.VPSCATTERQQ}},
}

// gather loads element k of the executing lanes into its row.
func (a *accessed) gather(k int, base x86.Reg) {
	d := &a.src[1+k]
	a.c.eachPart(d.typ, func() {
		if a.directly(d) {
			a.gatherLanes(k, x86.Vec(d.row+a.c.part), base)
			return
		}
		v := a.c.alloc()
		a.gatherPart(k, v, base)
		a.extend(k, v)
		a.c.write(vecAt(v), d.typ, d, a.use)
		a.c.release(temp(v))
	})
}

// directly tells whether elements can be gathered into the registers of their row: one gather for each.
func (a *accessed) directly(d *source) bool {
	addr := &a.src[0]
	return a.c.evex && d.row >= 0 && d.typ == tW && a.m.Elem == 4 && addr.typ == tW && d.row != addr.row
}

// gatherPart gathers the running part's elements of 32 or 64 bits.
func (a *accessed) gatherPart(k int, v x86.Vec, base x86.Reg) {
	if !a.c.evex {
		a.gatherPart256(k, v, base)
		return
	}
	if t := a.src[1+k].typ; t == a.src[0].typ || t == tX {
		a.gatherLanes(k, v, base)
		return
	}
	part, t := a.c.part, a.c.alloc() // 16 elements of 32 bits by addresses of 64
	a.c.wide, a.c.lanes, a.c.part = true, 8, 2*part
	a.gatherLanes(k, v, base)
	a.c.part++
	a.gatherLanes(k, t, base)
	a.c.wide, a.c.lanes, a.c.part = false, 16, part
	a.c.VVVI(x86.VINSERTI64X4, x86.W512, v, v, t, 1)
	a.c.release(temp(t))
}

// gatherLanes gathers the running part's elements.
func (a *accessed) gatherLanes(k int, v x86.Vec, base x86.Reg) {
	d, addr := &a.src[1+k], &a.src[0]
	have := a.c.operand(addr)
	at := a.c.load(have, addr.typ)
	if a.use == allLanes || !a.directly(d) {
		a.c.zero(v) // it waits for nothing that was there
	}
	a.c.Masked(a.executing()).VM(strewnOps[addr.typ][d.typ].gather, a.c.full(), v, a.places(k, base, at.v))
	a.c.unload(at, have)
	a.c.release(have)
}

// places are where element k lies at a vector of addresses.
func (a *accessed) places(k int, base x86.Reg, x x86.Vec) x86.Mem {
	return a.byProof(x86.AtVec(base, x, 1, int32(a.in.Imm)+int32(k)*int32(a.m.Elem)))
}

// executing has the part's executing lanes in K6, which gathers and scatters clear.
func (a *accessed) executing() x86.K {
	if a.use == allLanes {
		a.c.KKK(x86.KXNORW, x86.K6, x86.K6, x86.K6)
	} else {
		a.c.KK(x86.KMOVW, x86.K6, a.c.laneMask(a.use))
	}
	return x86.K6
}

// extend makes narrow elements of what has been gathered.
func (a *accessed) extend(k int, v x86.Vec) {
	bits := int(a.m.Elem) * 8
	if bits >= 32 {
		return
	}
	a.c.VVI(x86.VPSLLD, a.c.full(), v, v, uint8(32-bits))
	a.extendTop(k, v)
}

// extendTop brings narrow elements down from the top of their lanes.
func (a *accessed) extendTop(k int, v x86.Vec) {
	bits := int(a.m.Elem) * 8
	if !a.m.Signed {
		a.c.VVI(x86.VPSRLD, a.c.full(), v, v, uint8(32-bits))
		return
	}
	a.c.VVI(x86.VPSRAD, a.c.full(), v, v, uint8(32-bits))
	if to := a.m.Bits[k]; to < 32 {
		a.c.vvx(a.c.opFor(cAnd, tW), a.c.full(), v, v, a.c.constant(tW, 1<<to-1))
	}
}

// scatter stores element k of the executing lanes.
func (a *accessed) scatter(k int, base x86.Reg) {
	d, addr := &a.src[1+k], &a.src[0]
	widest := max(d.typ, addr.typ)
	a.c.eachPart(widest, func() {
		at, from := a.c.operand(addr), a.dataOf(d)
		row, v := a.c.load(at, addr.typ), a.c.load(from, d.typ)
		a.c.Masked(a.executing()).MV(strewnOps[addr.typ][d.typ].scatter, a.c.full(), a.places(k, base, row.v), v.v)
		a.c.unload(v, from)
		a.c.release(from)
		a.c.unload(row, at)
		a.c.release(at)
	})
}

// dataOf is what the running part stores of a source.
func (a *accessed) dataOf(s *source) loc {
	if s.known {
		return a.c.constant(s.typ, s.value)
	}
	return a.c.operand(s)
}
