package jit

// Atomic operations, 9.7.13.5: the addresses of all lanes are checked as vectors and kept as host
// addresses, then lane after lane does its operation, in ascending order. Shared memory belongs to the
// worker, so there they are plain operations; on global memory they are locked.

import (
	"math/bits"

	"ptxvm.invalid/ptxvm/internal/jit/x86"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/sem"
	"ptxvm.invalid/ptxvm/internal/uop"
)

// Registers of the loop over lanes, besides RCX, which has the lane.
const (
	atomOld  = x86.RAX // what was there
	atomAt   = x86.RDX // host address
	atomWith = x86.R8  // operand
	atomNew  = x86.R11
)

// atomicOp computes atomNew from atomOld and atomWith, which it keeps. direct is the instruction that
// does it in memory, where there is one. Elements of 16 bits have nothing above them.
type atomicOp struct {
	direct x86.Op
	update func(c *compiler, size x86.Size)
}

var atomicOps = map[uop.Op]atomicOp{
	uop.Add32: {x86.ADD, atomicBy(x86.ADD)}, uop.And32: {x86.AND, atomicBy(x86.AND)}, uop.Or32: {x86.OR, atomicBy(x86.OR)}, uop.Xor32: {x86.XOR, atomicBy(x86.XOR)},
	uop.Add64: {x86.ADD, atomicBy(x86.ADD)}, uop.And64: {x86.AND, atomicBy(x86.AND)}, uop.Or64: {x86.OR, atomicBy(x86.OR)}, uop.Xor64: {x86.XOR, atomicBy(x86.XOR)},
	uop.AtomExch32: {x86.MOV, atomicExchange}, uop.AtomExch64: {x86.MOV, atomicExchange},
	uop.MinU32: {update: atomicChoice(x86.B)}, uop.MinU64: {update: atomicChoice(x86.B)}, uop.MaxU32: {update: atomicChoice(x86.A)}, uop.MaxU64: {update: atomicChoice(x86.A)},
	uop.MinS32: {update: atomicChoice(x86.L)}, uop.MinS64: {update: atomicChoice(x86.L)}, uop.MaxS32: {update: atomicChoice(x86.G)}, uop.MaxS64: {update: atomicChoice(x86.G)},
	uop.AtomIncU32: {update: atomicInc}, uop.AtomDecU32: {update: atomicDec},
	uop.AddF64: {update: atomicAddF64}, uop.AddF32: {update: atomicAddF32}, uop.AtomAddGlobalF32: {update: atomicAddFtzF32},
	uop.AddF16: atomicTwin(uop.AddF16), uop.MinF16: atomicTwin(uop.MinF16), uop.MaxF16: atomicTwin(uop.MaxF16),
	uop.AddBF16: atomicTwin(uop.AddBF16), uop.MinBF16: atomicTwin(uop.MinBF16), uop.MaxBF16: atomicTwin(uop.MaxBF16),
	uop.AddF16x2: atomicTwin(uop.AddF16x2), uop.MinF16x2: atomicTwin(uop.MinF16x2), uop.MaxF16x2: atomicTwin(uop.MaxF16x2),
	uop.AddBF16x2: atomicTwin(uop.AddBF16x2), uop.MinBF16x2: atomicTwin(uop.MinBF16x2), uop.MaxBF16x2: atomicTwin(uop.MaxBF16x2),
}

// atomicTwin is a function of 32 bits that a vector operation computes, here for one lane.
func atomicTwin(op uop.Op) atomicOp {
	return atomicOp{update: func(c *compiler, _ x86.Size) {
		a, b := c.alloc(), c.alloc()
		c.VR(x86.VMOVD, x86.W128, a, atomOld)
		c.VR(x86.VMOVD, x86.W128, b, atomWith)
		v := c.oneElement(laneOf(op).twin, a, b)
		c.RV(x86.VMOVD, x86.W128, atomNew, v.v)
		c.release(v)
		c.release(temp(b))
		c.release(temp(a))
	}}
}

func atomicBy(op x86.Op) func(*compiler, x86.Size) {
	return func(c *compiler, size x86.Size) {
		c.RR(x86.MOV, size, atomNew, atomOld)
		c.RR(op, size, atomNew, atomWith)
	}
}

func atomicExchange(c *compiler, size x86.Size) { c.RR(x86.MOV, size, atomNew, atomWith) }

// atomicChoice takes the operand where it compares so with what was there.
func atomicChoice(better x86.Cond) func(*compiler, x86.Size) {
	return func(c *compiler, size x86.Size) {
		c.RR(x86.MOV, size, atomNew, atomOld)
		c.RR(x86.CMP, size, atomWith, atomOld)
		c.Cmov(better, size, atomNew, atomWith)
	}
}

// atomicInc: 0 from the limit on.
func atomicInc(c *compiler, _ x86.Size) {
	below := c.NewLabel()
	c.RM(x86.LEA, x86.S32, atomNew, x86.At(atomOld, 1))
	c.RR(x86.CMP, x86.S32, atomOld, atomWith)
	c.Jcc(x86.B, below)
	c.Zero(atomNew)
	c.Bind(below)
}

// atomicDec: the limit from 0 and from beyond it, that is, where one less is at least the limit.
func atomicDec(c *compiler, _ x86.Size) {
	c.RM(x86.LEA, x86.S32, atomNew, x86.At(atomOld, -1))
	c.RR(x86.CMP, x86.S32, atomNew, atomWith)
	c.Cmov(x86.AE, x86.S32, atomNew, atomWith)
}

func atomicAddF32(c *compiler, _ x86.Size) {
	c.RR(x86.MOV, x86.S32, atomNew, atomOld)
	c.addF32(func(x86.Reg) {})
}

// atomicAddF64 leaves NaNs as the machine makes them: of two that of its first operand stays, which is here the operand's, as num.AddF64 has it.
func atomicAddF64(c *compiler, _ x86.Size) {
	a, b := c.alloc(), c.alloc()
	c.VR(x86.VMOVQ, x86.W128, a, atomOld)
	c.VR(x86.VMOVQ, x86.W128, b, atomWith)
	c.VVV(x86.VADDSD, x86.W128, a, b, a)
	c.RV(x86.VMOVQ, x86.W128, atomNew, a)
	c.release(temp(b))
	c.release(temp(a))
}

// atomicAddFtzF32 flushes subnormal operands and results.
func atomicAddFtzF32(c *compiler, _ x86.Size) {
	flush := func(r x86.Reg) {
		normal := c.NewLabel()
		c.RI(x86.TEST, x86.S32, r, 0x7f800000)
		c.Jcc(x86.NE, normal)
		c.RI(x86.AND, x86.S32, r, -1<<31)
		c.Bind(normal)
	}
	c.RR(x86.MOV, x86.S32, atomNew, atomOld)
	flush(atomNew)
	flush(atomWith)
	c.addF32(flush)
}

// addF32 adds atomWith to atomNew, with the canonical NaN.
func (c *compiler) addF32(flush func(x86.Reg)) {
	a, b := c.alloc(), c.alloc()
	number := c.NewLabel()
	c.VR(x86.VMOVD, x86.W128, a, atomNew)
	c.VR(x86.VMOVD, x86.W128, b, atomWith)
	c.VVV(x86.VADDSS, x86.W128, a, a, b)
	c.VV(x86.VUCOMISS, x86.W128, a, a)
	c.RV(x86.VMOVD, x86.W128, atomNew, a)
	c.Jcc(x86.NP, number)
	c.RI(x86.MOV, x86.S32, atomNew, nanF32)
	c.Bind(number)
	flush(atomNew)
	c.release(temp(b))
	c.release(temp(a))
}

// atomic plans an atomic operation: its sources are the address and the operands.
func (r *region) atomic(pc int32) bool {
	in, s := &r.insts[pc], &r.steps[pc]
	m := &s.op.Memory
	if m.Space == machine.Local || s.op.Kind == sem.OpAtomic && atomicOps[s.op.Fn].update == nil || !r.address(pc) {
		return false
	}
	t := registerType(m.Bits[0])
	for _, off := range m.At {
		s.in = append(s.in, r.source(pc, off, t, false))
	}
	s.dst = source{typ: t, off: machine.NoGuard, row: -1}
	if len(in.Ext.Dst) != 0 && r.wanted(pc, in.Ext.Dst[0]) {
		s.dst.off = in.Ext.Dst[0]
	}
	return true
}

// wanted tells whether anybody reads what an instruction writes to a row.
func (r *region) wanted(pc int32, off uint32) bool { return r.live.behind(pc+1, off) }

// atomic assembles an atomic operation.
func (c *compiler) atomic(i int, pc int32, masked bool, use maskUse) {
	s := &c.steps[pc]
	a := &accessed{c: c, pc: pc, in: &c.insts[pc], s: s, src: s.in, m: &s.op.Memory, use: use, bound: c.bounds[pc]}
	a.miss = c.leaveAt(i, pc, masked, use)
	if a.uniform() {
		a.limits(int32(a.m.Size), a.miss)
		a.base()
		a.displace(x86.RAX)
		a.check(a.miss)
		a.host(x86.RAX)
		a.c.RR(x86.MOV, x86.S64, atomAt, x86.RAX)
	} else {
		a.hostAddresses()
	}
	a.atomicLanes()
}

// hostAddresses checks the addresses of the executing lanes and keeps those of the host in place 0 of
// the state's rows.
func (a *accessed) hostAddresses() {
	if !a.strewn() {
		a.hostAddressesOf64()
		return
	}
	a.inside(int32(a.m.Size), a.miss)
	from := a.hostBase()
	if d := int32(a.in.Imm); d != 0 {
		a.c.RM(x86.LEA, x86.S64, x86.RDX, x86.At(from, d))
		from = x86.RDX
	}
	base, x := a.everywhere(tX, from), a.c.alloc()
	a.c.eachPart(tX, func() {
		a.offsets(x, a.c.operand(&a.src[0]), vecAt(base))
		a.c.store(a.c.full(), x86.At(rCtx, saveRow+int32(a.c.part*a.c.full().Bytes())), x)
	})
	a.c.release(temp(x))
	a.c.release(temp(base))
}

// hostAddressesOf64 is hostAddresses in elements of 64 bits alone. With x the offset from the first byte and room the last one at which an element
// fits, x is inside exactly if neither x nor room-x has its top bit set; the next bits of both are
// then 0, and take those of x that alignment wants to be. What offsets count from is aligned more
// than any access.
func (a *accessed) hostAddressesOf64() {
	defer a.c.prove(a.pc)
	a.limits(int32(a.m.Size), a.miss)
	a.c.MovImm(x86.RAX, a.in.Imm)
	a.c.RR(x86.SUB, x86.S64, x86.RAX, x86.R8)
	a.host(x86.R8)
	a.c.RM(x86.LEA, x86.S64, x86.RCX, a.inMemory(&a.src[0], 1))
	a.c.callRoutine(routine{what: routineAddresses, typ: a.src[0].typ, use: a.use, align: a.m.Align, row: -1}, a.addressesAt)
	a.c.Jcc(x86.NE, a.miss)
}

// addressesAt is hostAddressesOf64 of the addresses at RCX, with what is added to an address for its offset in RAX, the last offset inside in RDX,
// and where offsets count from in R8. NE: one is outside.
func (a *accessed) addressesAt() {
	move, room, base := a.inEvery(0, x86.RAX), a.inEvery(1, x86.RDX), a.inEvery(2, x86.R8)
	x, t, bad := a.c.alloc(), a.c.alloc(), a.c.alloc()
	or := a.c.opFor(cOr, tX)
	low := bits.TrailingZeros32(a.m.Align)
	a.c.eachPart(tX, func() {
		a.offsets(x, a.partAt(), move)
		a.onlyActive(x)
		to := t
		if a.c.part == 0 {
			to = bad
		}
		a.fetch(to, room)
		a.c.VVV(x86.VPSUBQ, a.c.full(), to, to, x)
		a.c.VVV(or, a.c.full(), to, to, x)
		if a.c.part > 0 {
			a.c.VVV(or, a.c.full(), bad, bad, t)
		}
		if low > 0 {
			a.c.VVI(x86.VPSLLQ, a.c.full(), t, x, uint8(64-low))
			a.c.VVV(or, a.c.full(), bad, bad, t)
		}
		a.c.vvx(x86.VPADDQ, a.c.full(), x, x, base)
		a.c.store(a.c.full(), x86.At(rCtx, saveRow+int32(a.c.part*a.c.full().Bytes())), x)
	})
	a.testBits(bad, ^uint64(0)<<(64-max(low, 1)))
	for _, v := range []x86.Vec{bad, t, x} {
		a.c.release(temp(v))
	}
}

// offsets adds something to the part's addresses, which it has somewhere.
func (a *accessed) offsets(x x86.Vec, have, move loc) {
	from, wide := x, a.src[0].typ == tX
	switch {
	case wide && have.kind == inVec:
		from = have.v
	case wide:
		a.c.move(a.c.full(), x, have.m)
	case have.kind == inVec:
		a.c.VV(x86.VPMOVZXDQ, a.c.full(), x, have.v)
	default:
		a.c.VM(x86.VPMOVZXDQ, a.c.full(), x, have.m)
	}
	a.c.vvx(x86.VPADDQ, a.c.full(), x, from, move)
	a.c.release(have)
}

// inEvery is a register in every 64-bit element, in memory: part k of place 4 of the state's rows.
func (a *accessed) inEvery(k int32, r x86.Reg) loc {
	m := x86.At(rCtx, saveRow+4*256+64*k)
	if a.c.evex {
		a.c.MR(x86.MOV, x86.S64, m, r)
		return loc{kind: inBcast, m: m}
	}
	v := a.everywhere(tX, r)
	a.c.store(a.c.full(), m, v)
	a.c.release(temp(v))
	return loc{kind: inMem, m: m}
}

// fetch brings what inEvery has made into a register.
func (a *accessed) fetch(v x86.Vec, l loc) {
	if l.kind == inBcast {
		a.c.broadcast(a.c.full(), tX, v, l.m)
	} else {
		a.c.move(a.c.full(), v, l.m)
	}
}

// onlyActive makes the offsets of lanes that do not execute 0.
func (a *accessed) onlyActive(x x86.Vec) {
	switch {
	case a.use == allLanes:
	case a.c.evex:
		a.c.Zeroed(a.c.laneMask(a.use)).VV(x86.VMOVDQA64, a.c.full(), x, x)
	default:
		m := a.c.laneVector(a.use, tX)
		a.c.VVV(x86.VPAND, a.c.full(), x, x, m.v)
		a.c.release(m)
	}
}

// testBits tells by NE whether an element of a vector has one of some bits.
func (a *accessed) testBits(v x86.Vec, bits uint64) {
	if a.c.evex {
		a.c.KVM(x86.VPTESTMQ, a.c.full(), x86.K6, v, a.c.Const64(bits).Bcast())
		a.c.KK(x86.KORTESTW, x86.K6, x86.K6)
	} else {
		a.c.VM(x86.VPTEST, a.c.full(), v, a.c.constRow(tX, func(int) uint64 { return bits }))
	}
}

// lanesOf is how the loop over lanes reaches one operand.
type lanesOf struct {
	s   *source
	row x86.Mem
}

// atomicLanes does the operation for each executing lane.
func (a *accessed) atomicLanes() {
	size, inMemory := x86.S32, x86.S32 // of registers, of elements
	switch a.m.Elem {
	case 8:
		size, inMemory = x86.S64, x86.S64
	case 2:
		inMemory = x86.S16
	}
	var with []lanesOf
	for k := range a.s.in[1:] {
		s := &a.s.in[1+k]
		l := lanesOf{s: s}
		if !s.slot && !s.known {
			l.row = a.inMemory(s, 1+k)
		}
		with = append(with, l)
	}
	dst := &a.s.dst
	var to x86.Mem
	if dst.off != machine.NoGuard {
		to = a.inMemory(dst, 3)
	}
	a.loop(func() {
		if !a.uniform() {
			a.c.RM(x86.MOV, x86.S64, atomAt, x86.AtIndex(rCtx, x86.RCX, 8, saveRow))
		}
		a.laneOperand(size, atomWith, &with[len(with)-1])
		if a.s.op.Kind == sem.OpCas {
			a.laneOperand(size, atomOld, &with[0])
			a.locked().MR(x86.CMPXCHG, inMemory, a.byProof(x86.At(atomAt, 0)), atomWith)
		} else {
			a.atomicLane(inMemory)
		}
		if dst.off != machine.NoGuard {
			a.c.MR(x86.MOV, size, to.With(x86.RCX, uint8(dst.typ.bits()/8)), atomOld)
		}
	})
	if dst.off == machine.NoGuard || dst.row < 0 {
		return
	}
	bytes := a.c.full().Bytes()
	for i := range 128 / bytes {
		a.c.move(a.c.full(), x86.Vec(dst.row+i), to.Plus(int32(i*bytes)))
	}
}

// laneOperand leaves what lane RCX has of an operand in a register.
func (a *accessed) laneOperand(size x86.Size, r x86.Reg, l *lanesOf) {
	switch {
	case l.s.known:
		a.c.MovImm(r, l.s.value)
	case l.s.slot:
		a.c.RM(x86.MOV, size, r, a.c.regs(l.s.off))
	default:
		a.c.RM(x86.MOV, size, r, l.row.With(x86.RCX, uint8(l.s.typ.bits()/8)))
	}
}

// shared tells whether the operation is on shared memory.
func (a *accessed) shared() bool { return a.bound < 0 }

// locked makes the next instruction atomic where others may look.
func (a *accessed) locked() *x86.Asm {
	if a.shared() {
		return a.c.Asm
	}
	return a.c.Lock()
}

// atomicLane updates the element at atomAt and leaves what was there in atomOld, if anybody wants it.
func (a *accessed) atomicLane(size x86.Size) {
	f, at := atomicOps[a.s.op.Fn], a.byProof(x86.At(atomAt, 0))
	unwanted := a.s.dst.off == machine.NoGuard
	switch {
	case unwanted && f.direct == x86.MOV:
		a.c.MR(x86.MOV, size, at, atomWith)
	case unwanted && f.direct != 0:
		a.locked().MR(f.direct, size, at, atomWith)
	case a.shared():
		a.loadOld(size, at)
		f.update(a.c, size)
		a.c.MR(x86.MOV, size, at, atomNew)
	case f.direct == x86.MOV:
		a.c.RR(x86.MOV, size, atomOld, atomWith)
		a.c.MR(x86.XCHG, size, at, atomOld)
	case f.direct == x86.ADD:
		a.c.RR(x86.MOV, size, atomOld, atomWith)
		a.c.Lock().MR(x86.XADD, size, at, atomOld)
	default:
		a.loadOld(size, at)
		again := a.c.NewLabel()
		a.c.Bind(again)
		f.update(a.c, size)
		a.c.Lock().MR(x86.CMPXCHG, size, at, atomNew)
		a.c.Jcc(x86.NE, again)
	}
}

// loadOld loads an element, with nothing above it.
func (a *accessed) loadOld(size x86.Size, at x86.Mem) {
	if size == x86.S16 {
		a.c.RM(x86.MOVZXW, x86.S32, atomOld, at)
		return
	}
	a.c.RM(x86.MOV, size, atomOld, at)
}
