package jit

// Loads and stores of global, constant, parameter and own shared memory. One address for all
// lanes is checked and accessed once; lanes that follow each other are one vector; everything
// else, and what is not weak, goes lane by lane, in ascending order, all checked before the first is touched. What fails
// a check is left to the interpreter, which knows why.

import (
	"unsafe"

	"ptxvm.invalid/ptxvm/internal/jit/x86"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/abi"
	"ptxvm.invalid/ptxvm/internal/sem"
)

// memory plans a load or store; false if it is left to the interpreter. The first source is the
// address, the others are what a store stores.
func (r *region) memory(pc int32) bool {
	s := &r.steps[pc]
	m := &s.op.Memory
	if m.Space == machine.Local || len(m.At) > 4 || !r.address(pc) {
		return false
	}
	for k, off := range m.At {
		if s.op.Kind == sem.OpLoad && m.Bits[k] > 0 {
			s.in = append(s.in, source{typ: registerType(m.Bits[k]), off: off, row: -1, slot: s.op.Scalar})
		} else if s.op.Kind == sem.OpStore {
			s.in = append(s.in, r.source(pc, off, registerType(m.Bits[k]), false))
		} else {
			s.in = append(s.in, source{off: machine.NoGuard, row: -1})
		}
	}
	return true
}

// address makes the address of a memory instruction its first source, and gives it bounds. The sum of a
// 32-bit register and a displacement wraps; compiled code adds in 64 bits, and what wraps fails its test
// and is left to the interpreter. In shared memory that is certain, elsewhere such addresses are not compiled.
func (r *region) address(pc int32) bool {
	in, s := &r.insts[pc], &r.steps[pc]
	addr := source{row: -1}
	if by := s.op.Memory.By; (by == sem.ByRow32 || by == sem.BySlot32) && s.op.Memory.Space != machine.Shared {
		return false
	}
	switch s.op.Memory.By {
	case sem.ByRow64:
		addr = r.source(pc, in.A, tX, false)
	case sem.ByRow32:
		addr = r.source(pc, in.A, tW, false)
	case sem.BySlot64:
		addr = source{typ: tX, slot: true, off: in.A, row: -1}
	case sem.BySlot32:
		addr = source{typ: tW, slot: true, off: in.A, row: -1}
	case sem.ByConst, sem.ByKernel:
	default:
		return false
	}
	s.in = append(s.in, addr)
	if s.op.Memory.Space != machine.Shared {
		r.bounds[pc] = int32(r.nbound)
		r.nbound++
	}
	return true
}

func registerType(bits int) typ {
	if bits > 32 {
		return tX
	}
	return tW
}

// accessed is one memory instruction while it is assembled.
type accessed struct {
	c     *compiler
	pc    int32
	in    *machine.Inst
	s     *step
	src   []source
	m     *sem.MemoryUse
	use   maskUse
	bound int32
	miss  x86.Label
}

// access assembles a load or store.
func (c *compiler) access(i int, pc int32, masked bool, use maskUse) {
	s, a := &c.steps[pc], c.mem.accesses.one()
	*a = accessed{c: c, pc: pc, in: &c.insts[pc], s: s, src: s.in, m: &s.op.Memory, use: use, bound: c.bounds[pc]}
	a.miss = c.leaveAt(i, pc, masked, use)
	a.assemble()
}

// assemble assembles an access by its rows.
func (a *accessed) assemble() {
	switch {
	case a.s.op.Kind == sem.OpLoad && a.uniform():
		a.loadUniform()
	case a.fits():
		a.contiguous()
	default:
		a.apart()
	}
}

// leaveAt is the label of code that leaves before an instruction that nothing has been done of.
func (c *compiler) leaveAt(i int, pc int32, masked bool, use maskUse) x86.Label {
	return c.later(func() {
		if use == guardLanes {
			c.uncountBranch(masked)
		}
		c.exit(pc, masked, c.segs[i].end-pc)
	})
}

// uniform tells whether all lanes have one address.
func (a *accessed) uniform() bool {
	return a.src[0].slot || a.src[0].known || a.m.By == sem.ByConst || a.m.By == sem.ByKernel
}

// base leaves the address of all lanes, less the displacement, in RAX.
func (a *accessed) base() {
	switch addr := &a.src[0]; {
	case a.m.By == sem.ByConst:
		a.c.Zero(x86.RAX)
	case a.m.By == sem.ByKernel:
		a.c.RM(x86.MOV, x86.S64, x86.RAX, ctxParams)
	case addr.known:
		a.c.MovImm(x86.RAX, addr.value)
	case addr.typ == tX:
		a.c.RM(x86.MOV, x86.S64, x86.RAX, a.c.regs(addr.off))
	default:
		a.c.RM(x86.MOV, x86.S32, x86.RAX, a.c.regs(addr.off))
	}
}

// displace adds the displacement to a register; RCX is lost.
func (a *accessed) displace(r x86.Reg) {
	switch d := int64(a.in.Imm); {
	case d == 0:
	case d == int64(int32(d)):
		a.c.RI(x86.ADD, x86.S64, r, int32(d))
	default:
		a.c.MovImm(x86.RCX, a.in.Imm)
		a.c.RR(x86.ADD, x86.S64, r, x86.RCX)
	}
}

// limits leaves the first address in R8 and the last offset at which n bytes fit in RDX, or goes
// to fail.
func (a *accessed) limits(n int32, fail x86.Label) {
	switch {
	case a.s.local():
		a.c.Zero(x86.R8)
		a.c.MovImm(x86.RDX, uint64(a.c.localEnd()-n))
		return
	case a.bound < 0:
		a.c.RM(x86.MOV, x86.S64, x86.R8, ctxWindow)
		a.c.RM(x86.MOV, x86.S64, x86.RDX, ctxSharedBytes)
	default:
		a.c.RM(x86.MOV, x86.S64, x86.RDX, ctxBounds)
		a.c.RM(x86.MOV, x86.S64, x86.R8, a.c.boundsField(a.bound, unsafe.Offsetof(abi.Bounds{}.Start)))
		a.c.RM(x86.MOV, x86.S64, x86.RDX, a.c.boundsField(a.bound, a.end()))
		a.c.RR(x86.SUB, x86.S64, x86.RDX, x86.R8)
		a.c.Jcc(x86.B, fail)
	}
	a.c.RI(x86.SUB, x86.S64, x86.RDX, n)
	a.c.Jcc(x86.B, fail)
}

// end is where in the access's bounds the end is of what it may touch: atomic operations write.
func (a *accessed) end() uintptr { return boundsEnd(a.s.op.Kind == sem.OpLoad) }

// check goes to fail unless RAX is aligned and fits between the limits; R11 is lost.
func (a *accessed) check(fail x86.Label) {
	if a.m.Align > 1 {
		a.c.RI(x86.TEST, x86.S32, x86.RAX, int32(a.m.Align-1))
		a.c.Jcc(x86.NE, fail)
	}
	a.c.RR(x86.MOV, x86.S64, x86.R11, x86.RAX)
	a.c.RR(x86.SUB, x86.S64, x86.R11, x86.R8)
	a.c.RR(x86.CMP, x86.S64, x86.R11, x86.RDX)
	a.c.Jcc(x86.A, fail)
	a.c.prove(a.pc)
}

// host adds to a register what makes a host address of a device address.
func (a *accessed) host(r x86.Reg) {
	if a.bound < 0 {
		a.c.RM(x86.ADD, x86.S64, r, ctxSharedHost)
		return
	}
	a.c.RM(x86.ADD, x86.S64, r, ctxGlobalHost)
}

// element loads element k at RAX into R8, extended to its register.
func (a *accessed) element(k int) {
	a.elementAt(k, a.byProof(x86.At(x86.RAX, int32(k)*int32(a.m.Elem))))
}

// elementAt loads element k from its place.
func (a *accessed) elementAt(k int, m x86.Mem) {
	size, keep := x86.S32, false
	if a.src[1+k].typ == tX {
		size = x86.S64
	} else {
		keep = a.m.Signed && a.m.Elem*8 < uint32(a.m.Bits[k]) && a.m.Bits[k] < 32
	}
	switch {
	case a.m.Elem == 8:
		a.c.RM(x86.MOV, x86.S64, x86.R8, m)
	case a.m.Elem == 4 && a.m.Signed && size == x86.S64:
		a.c.RM(x86.MOVSXD, x86.S64, x86.R8, m)
	case a.m.Elem == 4:
		a.c.RM(x86.MOV, x86.S32, x86.R8, m)
	case a.m.Elem == 2 && a.m.Signed:
		a.c.RM(x86.MOVSXW, size, x86.R8, m)
	case a.m.Elem == 2:
		a.c.RM(x86.MOVZXW, x86.S32, x86.R8, m)
	case a.m.Signed:
		a.c.RM(x86.MOVSXB, size, x86.R8, m)
	default:
		a.c.RM(x86.MOVZXB, x86.S32, x86.R8, m)
	}
	if bits := a.m.Bits[k]; keep || bits < 32 && a.m.Signed {
		a.c.RI(x86.AND, x86.S32, x86.R8, int32(1)<<bits-1)
	}
}

// loadUniform loads once for all lanes.
func (a *accessed) loadUniform() {
	a.base()
	a.displace(x86.RAX)
	a.limits(int32(a.m.Size), a.miss)
	a.check(a.miss)
	a.host(x86.RAX)
	for k := range a.m.At {
		d := &a.src[1+k]
		if d.off == machine.NoGuard {
			continue
		}
		a.element(k)
		switch {
		case d.slot && d.typ == tX:
			a.c.MR(x86.MOV, x86.S64, a.c.regs(d.off), x86.R8)
		case d.slot:
			a.c.MR(x86.MOV, x86.S32, a.c.regs(d.off), x86.R8)
		default:
			a.fill(d)
		}
	}
}

// fill writes R8 to the executing lanes of a row.
func (a *accessed) fill(d *source) {
	v := a.c.alloc()
	a.c.replicate(a.c.full(), d.typ, v, x86.R8)
	a.c.wide = d.typ == tX
	n := a.c.parts(false)
	for a.c.part = range n {
		a.c.write(vecAt(v), d.typ, d, a.use)
	}
	a.c.release(temp(v))
}

// fits tells whether lanes that follow each other are one vector: one element as wide as its
// register, a row of addresses.
func (a *accessed) fits() bool {
	if a.uniform() || a.m.Strong || len(a.m.At) != 1 || a.src[1].off == machine.NoGuard {
		return false
	}
	bits := uint32(a.src[1].typ.bits())
	return a.m.Elem*8 == bits && a.m.Bits[0] >= int(a.m.Elem*8) || a.widens() != 0
}

// widens is the instruction that loads narrow elements into 32-bit ones, 0 if there is none: those that
// extend by their sign fill the register.
func (a *accessed) widens() x86.Op {
	if a.s.op.Kind != sem.OpLoad {
		return 0
	}
	return widener(a.m, &a.src[1])
}

// widener is widens of a load to d.
func widener(m *sem.MemoryUse, d *source) x86.Op {
	if d.typ != tW || m.Elem > 2 || m.Signed && m.Bits[0] < 32 || m.Bits[0] < int(m.Elem*8) {
		return 0
	}
	return [2][2]x86.Op{{x86.VPMOVZXBD, x86.VPMOVSXBD}, {x86.VPMOVZXWD, x86.VPMOVSXWD}}[m.Elem-1][bit(m.Signed)]
}

// contiguous accesses one vector if the lanes' addresses follow each other.
func (a *accessed) contiguous() {
	addr, data := &a.src[0], &a.src[1]
	done := a.c.NewLabel()
	slow := a.c.later(func() {
		a.apart()
		a.c.Jmp(done)
	})
	row := a.inMemory(addr, 0)
	a.fromEnds(row, slow)
	a.compareAddresses(addr, slow)
	a.displace(x86.RAX)
	a.limits(32*int32(a.m.Elem), slow)
	a.check(slow)
	a.host(x86.RAX)
	a.c.wide = data.typ == tX
	n := a.c.parts(false)
	for a.c.part = range n {
		m := a.byProof(x86.At(x86.RAX, int32(a.c.part*a.c.lanes)*int32(a.m.Elem)))
		if a.s.op.Kind == sem.OpLoad {
			a.loadPart(m, data)
		} else {
			a.storePart(m, data)
		}
	}
	a.c.Bind(done)
}

// fromEnds leaves in RAX the address of lane 0, if there is such a lane, and goes to other if the lowest
// and the highest executing lane already show that lanes do not follow each other.
func (a *accessed) fromEnds(row x86.Mem, other x86.Label) {
	t := a.src[0].typ
	size, elem := int32(t.bits()/8), int32(a.m.Elem)
	if a.use == allLanes {
		a.loadAddress(x86.RAX, row, t)
		a.loadAddress(x86.RCX, row.Plus(31*size), t)
		a.c.RI(x86.SUB, t.size(), x86.RCX, 31*elem)
	} else {
		a.c.active(x86.RDX, a.use)
		a.c.RR(x86.BSR, x86.S32, x86.RCX, x86.RDX)
		a.laneBase(x86.R8, x86.RCX, row)
		a.c.RR(x86.TZCNT, x86.S32, x86.RCX, x86.RDX)
		a.laneBase(x86.RAX, x86.RCX, row)
		a.c.RR(x86.MOV, x86.S64, x86.RCX, x86.R8)
	}
	a.c.RR(x86.CMP, t.size(), x86.RCX, x86.RAX)
	a.c.Jcc(x86.NE, other)
}

// laneBase leaves in r the address of a lane less what lies between lane 0 and it; the lane is lost.
func (a *accessed) laneBase(r, lane x86.Reg, row x86.Mem) {
	t := a.src[0].typ
	a.loadAddress(r, row.With(lane, uint8(t.bits()/8)), t)
	a.c.RRI(x86.IMUL, x86.S32, lane, lane, int32(a.m.Elem))
	a.c.RR(x86.SUB, x86.S64, r, lane)
}

func (a *accessed) loadAddress(r x86.Reg, m x86.Mem, t typ) {
	if t == tX {
		a.c.RM(x86.MOV, x86.S64, r, m)
	} else {
		a.c.RM(x86.MOV, x86.S32, r, m)
	}
}

// inMemory is a row in memory: its home, or a copy of its registers in place k of the state.
func (a *accessed) inMemory(s *source, k int) x86.Mem {
	m := x86.At(rCtx, saveRow+int32(256*k))
	if s.row < 0 {
		return a.c.regs(s.off)
	}
	bytes := a.c.full().Bytes()
	for i := range 128 / bytes {
		a.c.store(a.c.full(), m.Plus(int32(i*bytes)), x86.Vec(s.row+i))
	}
	return m
}

// compareAddresses goes to other unless each executing lane's address is RAX + lane·size.
func (a *accessed) compareAddresses(addr *source, other x86.Label) {
	a.followEachOther(addr)
	a.c.Jcc(x86.NE, other)
}

// followEachOther tells by NE whether an executing lane's address is not RAX + lane·size.
func (a *accessed) followEachOther(addr *source) {
	t, x := a.c.alloc(), a.c.alloc()
	sum := t // EVEX needs none
	if !a.c.evex {
		sum = a.c.alloc()
	}
	a.c.replicate(a.c.full(), addr.typ, t, x86.RAX)
	a.c.eachPart(addr.typ, func() {
		first := a.c.part * a.c.lanes
		steps := a.c.constRow(addr.typ, func(i int) uint64 { return uint64(first+i) * uint64(a.m.Elem) })
		add := vops[cAdd].avx2[addr.typ]
		a.c.VVM(add, a.c.full(), x, t, steps)
		a.differ(addr, x, sum)
	})
	if a.c.evex {
		a.c.KK(x86.KORTESTW, x86.K5, x86.K5)
	} else {
		a.c.VV(x86.VPTEST, a.c.full(), sum, sum)
		a.c.release(temp(sum))
	}
	a.c.release(temp(t))
	a.c.release(temp(x))
}

// differ collects in K5, or in sum, where x differs from the part's addresses.
func (a *accessed) differ(addr *source, x, sum x86.Vec) {
	have := a.c.operand(addr)
	if a.c.evex {
		defer a.c.release(have)
		op, k := icmp[cmpNE].op[addr.typ], x86.K5
		if a.c.part > 0 {
			k = x86.K6
		}
		if a.use != allLanes {
			a.c.Masked(a.c.laneMask(a.use))
		}
		if have.kind == inVec {
			a.c.KVVI(op, a.c.full(), k, x, have.v, 4)
		} else {
			a.c.KVMI(op, a.c.full(), k, x, have.m, 4)
		}
		if a.c.part > 0 {
			a.c.KKK(x86.KORW, x86.K5, x86.K5, x86.K6)
		}
		return
	}
	a.c.vvx(x86.VPXOR, a.c.full(), x, x, have)
	a.c.release(have)
	if a.use != allLanes {
		m := a.c.laneVector(a.use, addr.typ)
		a.c.VVV(x86.VPAND, a.c.full(), x, x, m.v)
		a.c.release(m)
	}
	if a.c.part == 0 {
		a.c.copy(a.c.full(), sum, x)
	} else {
		a.c.VVV(x86.VPOR, a.c.full(), sum, sum, x)
	}
}

func (a *accessed) loadPart(m x86.Mem, d *source) {
	load := x86.VMOVUPS
	if a.widens() != 0 {
		load = a.widens()
	}
	if d.row >= 0 && a.use == allLanes {
		a.c.VM(load, a.c.full(), x86.Vec(d.row+a.c.part), m)
		return
	}
	v := a.c.alloc()
	a.c.VM(load, a.c.full(), v, m)
	a.c.write(vecAt(v), d.typ, d, a.use)
	a.c.release(temp(v))
}

func (a *accessed) storePart(m x86.Mem, s *source) {
	from := a.dataOf(s)
	v := a.c.load(from, s.typ)
	a.storeVector(a.c.full(), m, s, v.v)
	a.c.unload(v, from)
	a.c.release(from)
}

// storeVector stores the part's executing lanes.
func (a *accessed) storeVector(w x86.Width, m x86.Mem, s *source, v x86.Vec) {
	switch {
	case a.use == allLanes:
		a.c.store(w, m, v)
	case a.c.evex && s.typ == tX:
		a.c.Masked(a.c.laneMask(a.use)).MV(x86.VMOVDQU64, w, m, v)
	case a.c.evex:
		a.c.Masked(a.c.laneMask(a.use)).MV(x86.VMOVDQU32, w, m, v)
	default:
		k := a.c.laneVector(a.use, s.typ)
		op := x86.VPMASKMOVD
		if s.typ == tX {
			op = x86.VPMASKMOVQ
		}
		a.c.MVV(op, w, m, k.v, v)
		a.c.release(k)
	}
}

// laneByLane checks all lanes and then accesses them one by one.
func (a *accessed) laneByLane() {
	if a.uniform() {
		a.limits(int32(a.m.Size), a.miss)
		a.base()
		a.displace(x86.RAX)
		a.check(a.miss)
	} else {
		a.hostAddresses()
	}
	places := make([]x86.Mem, len(a.m.At))
	for k := range a.m.At {
		if d := &a.src[1+k]; d.off != machine.NoGuard && !d.slot && !d.known {
			places[k] = a.inMemory(d, 1+k)
		}
	}
	if a.uniform() {
		a.base()
		a.displace(x86.RAX)
		a.host(x86.RAX)
	}
	a.loop(func() {
		if !a.uniform() {
			a.c.RM(x86.MOV, x86.S64, x86.RAX, x86.AtIndex(rCtx, x86.RCX, 8, saveRow))
		}
		for k := range a.m.At {
			a.laneElement(k, places[k])
		}
	})
	if a.s.op.Kind == sem.OpLoad {
		for k := range a.m.At {
			if d := &a.src[1+k]; d.row >= 0 && d.off != machine.NoGuard {
				bytes := a.c.full().Bytes()
				for i := range 128 / bytes {
					a.c.move(a.c.full(), x86.Vec(d.row+i), places[k].Plus(int32(i*bytes)))
				}
			}
		}
	}
}

// loop runs body for each executing lane, in ascending order, with its number in RCX.
func (a *accessed) loop(body func()) {
	a.c.active(x86.R10, a.use)
	again := a.c.NewLabel()
	a.c.Bind(again)
	a.c.RR(x86.TZCNT, x86.S32, x86.RCX, x86.R10)
	body()
	a.c.RR(x86.BLSR, x86.S32, x86.R10, x86.R10)
	a.c.Jcc(x86.NE, again)
}

// laneElement moves element k of lane RCX between memory at RAX and its row.
func (a *accessed) laneElement(k int, row x86.Mem) {
	d := &a.src[1+k]
	if d.off == machine.NoGuard {
		return
	}
	size := x86.S32
	if d.typ == tX {
		size = x86.S64
	}
	at := row.With(x86.RCX, uint8(d.typ.bits()/8))
	if a.s.op.Kind == sem.OpLoad {
		a.element(k)
		a.c.MR(x86.MOV, size, at, x86.R8)
		return
	}
	switch {
	case d.known:
		a.c.MovImm(x86.R8, d.value)
	case d.slot:
		a.c.RM(x86.MOV, size, x86.R8, a.c.regs(d.off))
	default:
		a.c.RM(x86.MOV, size, x86.R8, at)
	}
	to := a.byProof(x86.At(x86.RAX, int32(k)*int32(a.m.Elem)))
	a.c.MR(x86.MOV, a.elementSize(), to, x86.R8)
}

// elementSize is the size of an element in memory.
func (a *accessed) elementSize() x86.Size {
	return map[uint32]x86.Size{1: x86.S8, 2: x86.S16, 4: x86.S32, 8: x86.S64}[a.m.Elem]
}

// eachPart visits the parts of a row of a type.
func (c *compiler) eachPart(t typ, visit func()) {
	part, wide, lanes := c.part, c.wide, c.lanes
	c.wide = t == tX
	n := c.parts(false)
	for c.part = range n {
		visit()
	}
	c.part, c.wide, c.lanes = part, wide, lanes
}
