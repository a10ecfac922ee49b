package jit

// Control flow. Every segment exists twice: for full warps, where no mask is looked at, and for
// some lanes, whose mask is in EBX. Lanes that wait at a later segment are in the pending set (a
// bit in R12 or in memory, mask and fuel in memory); segments are laid out by pc and a masked segment collects
// who waits for it, which is the machine's order: the smallest pc runs first.

import (
	"unsafe"

	"ptxvm.invalid/ptxvm/internal/jit/x86"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/abi"
	"ptxvm.invalid/ptxvm/internal/machine/regs"
	"ptxvm.invalid/ptxvm/internal/sem"
	"ptxvm.invalid/ptxvm/internal/uop"
)

func ctxAt(off uintptr) x86.Mem { return x86.At(rCtx, int32(off)) }

var (
	ctxRegs        = ctxAt(unsafe.Offsetof(abi.State{}.Regs))
	ctxGlobalHost  = ctxAt(unsafe.Offsetof(abi.State{}.GlobalHost))
	ctxShared      = ctxAt(unsafe.Offsetof(abi.State{}.Shared))
	ctxWindow      = ctxAt(unsafe.Offsetof(abi.State{}.Window))
	ctxSharedBytes = ctxAt(unsafe.Offsetof(abi.State{}.SharedBytes))
	ctxSharedHost  = ctxAt(unsafe.Offsetof(abi.State{}.SharedHost))
	ctxParams      = ctxAt(unsafe.Offsetof(abi.State{}.Params))
	ctxBounds      = ctxAt(unsafe.Offsetof(abi.State{}.Bounds))
	ctxMask        = ctxAt(unsafe.Offsetof(abi.State{}.Mask))
	ctxFuel        = ctxAt(unsafe.Offsetof(abi.State{}.Fuel))
	ctxSteps       = ctxAt(unsafe.Offsetof(abi.State{}.Steps))
	ctxOps         = ctxAt(unsafe.Offsetof(abi.State{}.Ops))
	ctxExited      = ctxAt(unsafe.Offsetof(abi.State{}.Exited))
	ctxLooped      = ctxAt(unsafe.Offsetof(abi.State{}.Looped))
	ctxPollFuel    = ctxAt(unsafe.Offsetof(abi.State{}.PollFuel))
	ctxN           = ctxAt(unsafe.Offsetof(abi.State{}.N))
)

const (
	saveBase    = int32(unsafe.Offsetof(abi.State{}.Save))
	saveRun     = saveBase                                               // AVX2: the running lanes as 32 truth values
	saveGuard   = saveBase + 128                                         // those of a guard
	saveRow     = saveBase + 256                                         // rows for lane loops: an address and four elements
	saveSet     = saveBase + 1536                                        // the pending set from its second word on
	savePending = saveBase + 1664                                        // mask and fuel of each pending segment
	saveSpill   = saveBase + 8192                                        // values of programs
	saveLimits  = saveBase + int32(unsafe.Sizeof(abi.State{}.Save)) - 64 // what addresses are tested against (AVX2)
	placesBase  = int32(unsafe.Offsetof(abi.State{}.Places))
	placeBytes  = int32(unsafe.Sizeof(abi.Place{}))
	maxPending  = 800
)

// placeAt is a field of an abi.Place at base+at.
func placeAt(base x86.Reg, at, field int32) x86.Mem { return x86.At(base, at+field).By(inHost) }

const (
	placePC    = 0
	placeMask  = 4
	placeFuel  = 8
	placeFlags = 12
)

// pendingMask and pendingFuel are where the lanes that wait for a segment are kept.
func pendingMask(n int) x86.Mem { return x86.At(rCtx, savePending+int32(8*n)) }
func pendingFuel(n int) x86.Mem { return x86.At(rCtx, savePending+int32(8*n)+4) }

// pendingBit assembles bt, bts or btr of a segment's bit in the pending set, whose first word is in
// a register. Outside compiled code the set is empty.
func (c *compiler) pendingBit(op x86.Op, n int) {
	if n < 64 {
		c.RI(op, x86.S64, rPending, int32(n))
	} else {
		c.MI(op, x86.S64, pendingWord(n), int32(n%64))
	}
}

func pendingWord(n int) x86.Mem { return x86.At(rCtx, saveSet+int32(8*(n/64-1))) }

// fullSegment assembles a segment for warps of 32 running lanes.
func (c *compiler) fullSegment(i int) {
	s := &c.segs[i]
	c.title("all lanes, from %d", s.first)
	c.Bind(s.full)
	c.fullBody(i)
}

// fullBody assembles what a segment does.
func (c *compiler) fullBody(i int) {
	s := &c.segs[i]
	if n := s.end - s.first; n > 0 {
		c.count()
		c.RI(x86.ADD, x86.S64, rSteps, n)
	}
	if !c.instructions(i, s.end, func(pc int32) bool { return c.instruction(i, pc, false) }) {
		c.goOn(i, false)
	}
}

// instructions assembles a segment up to an instruction, until one says that nothing goes on behind it.
func (c *compiler) instructions(i int, end int32, alone func(pc int32) (leaves bool)) (left bool) {
	for pc := c.segs[i].first; pc < end; pc++ {
		c.note(pc)
		if alone(pc) {
			return true
		}
	}
	return false
}

func (c *compiler) ret() {
	c.None(x86.VZEROUPPER)
	c.None(x86.RET)
}

// flushSteps counts what full warps have executed.
func (c *compiler) flushSteps() {
	c.MR(x86.ADD, x86.S64, ctxSteps, rSteps)
	c.RI(x86.SHL, x86.S64, rSteps, 5)
	c.MR(x86.ADD, x86.S64, ctxOps, rSteps)
	c.Zero(rSteps)
}

func (c *compiler) leavePending() {
	for i := range c.segs {
		if c.opt.Whole {
			break // nobody ever waits
		}
		s := &c.segs[i]
		if s.pending < 0 || s.pending >= maxPending {
			continue
		}
		next := c.NewLabel()
		c.pendingBit(x86.BTR, s.pending)
		c.Jcc(x86.AE, next)
		c.RRI(x86.IMUL, x86.S64, x86.RCX, x86.RDX, placeBytes)
		c.RR(x86.ADD, x86.S64, x86.RCX, rCtx)
		c.MI(x86.MOV, x86.S32, placeAt(x86.RCX, placesBase, placePC), s.first)
		c.RM(x86.MOV, x86.S64, x86.RAX, pendingMask(s.pending))
		c.MR(x86.MOV, x86.S64, placeAt(x86.RCX, placesBase, placeMask), x86.RAX) // and fuel
		c.MI(x86.MOV, x86.S32, placeAt(x86.RCX, placesBase, placeFlags), 0)
		c.R(x86.INC, x86.S32, x86.RDX)
		c.Bind(next)
	}
	c.MR(x86.MOV, x86.S32, ctxN, x86.RDX)
	c.storeRows(c.allRows())
	c.flushSteps() // of other warps of a batch
	c.ret()
}

// partSegment assembles a segment for the lanes in EBX and those that are pending for it.
func (c *compiler) partSegment(i int) {
	s := &c.segs[i]
	c.title("some lanes, from %d", s.first)
	c.Bind(s.part)
	if s.pending >= 0 && s.pending < maxPending {
		c.collectPending(s.pending)
	}
	c.RR(x86.TEST, x86.S32, rMask, rMask)
	c.Jcc(x86.E, c.skipTo(i+1))
	c.RI(x86.CMP, x86.S32, rMask, -1)
	c.Jcc(x86.E, s.full)
	c.count()
	c.setMask(rMask, kMask, saveRun)
	c.countPart(s.end - s.first)
	if !c.instructions(i, s.end, func(pc int32) bool { return c.instruction(i, pc, true) }) {
		c.goOn(i, true)
	}
}

// skipTo is where control goes that has no lanes: the next segment that may have pending ones.
func (c *compiler) skipTo(i int) x86.Label {
	for ; i < len(c.segs); i++ {
		if c.segs[i].pending >= 0 {
			return c.segs[i].part
		}
	}
	return c.end()
}

// end is the place where nobody is left.
func (c *compiler) end() x86.Label {
	if c.nobody == 0 {
		c.nobody = c.later(func() {
			c.inBatch(c.batch.ended)
			c.Zero(x86.RDX)
			c.leaveAll()
		})
	}
	return c.nobody
}

// collectPending adds the lanes that wait for a segment to the running ones.
func (c *compiler) collectPending(n int) {
	nobody, have := c.NewLabel(), c.NewLabel()
	c.pendingBit(x86.BTR, n)
	c.Jcc(x86.AE, nobody)
	c.RM(x86.MOV, x86.S32, x86.RAX, pendingFuel(n))
	c.RR(x86.TEST, x86.S32, rMask, rMask)
	c.Jcc(x86.E, have)
	c.RR(x86.CMP, x86.S32, rFuel, x86.RAX)
	c.Cmov(x86.L, x86.S32, x86.RAX, rFuel)
	c.Bind(have)
	c.RR(x86.MOV, x86.S32, rFuel, x86.RAX)
	c.RM(x86.OR, x86.S32, rMask, pendingMask(n))
	c.Bind(nobody)
}

// addPending makes the lanes in a register wait for a segment, with the running fuel.
func (c *compiler) addPending(n int, lanes x86.Reg) {
	meet, done := c.NewLabel(), c.NewLabel()
	c.pendingBit(x86.BTS, n)
	c.Jcc(x86.B, meet)
	c.MR(x86.MOV, x86.S32, pendingMask(n), lanes)
	c.MR(x86.MOV, x86.S32, pendingFuel(n), rFuel)
	c.Jmp(done)
	c.Bind(meet)
	c.MR(x86.OR, x86.S32, pendingMask(n), lanes)
	c.MR(x86.CMP, x86.S32, pendingFuel(n), rFuel)
	c.Jcc(x86.LE, done)
	c.MR(x86.MOV, x86.S32, pendingFuel(n), rFuel)
	c.Bind(done)
}

// setMask makes a set of lanes the mask for vector writes.
func (c *compiler) setMask(lanes x86.Reg, k x86.K, save int32) {
	if c.evex {
		c.KR(x86.KMOVD, k, lanes)
		c.KKI(x86.KSHIFTRD, k+1, k, 16)
		return
	}
	all, v := c.alloc(), c.alloc()
	c.replicate(x86.W256, tW, all, lanes)
	c.wide, c.lanes = false, 8
	for c.part = range 4 {
		c.expand(v, all, tW)
		c.store(x86.W256, x86.At(rCtx, save+int32(32*c.part)), v)
	}
	c.release(temp(all))
	c.release(temp(v))
}

// countPart adds n instructions of the running lanes to the counts.
func (c *compiler) countPart(n int32) {
	if n == 0 {
		return
	}
	c.MI(x86.ADD, x86.S64, ctxSteps, n)
	c.RR(x86.POPCNT, x86.S32, x86.RCX, rMask)
	c.RRI(x86.IMUL, x86.S64, x86.RCX, x86.RCX, n)
	c.MR(x86.ADD, x86.S64, ctxOps, x86.RCX)
}

// guardLanes leaves in R9 the running lanes whose guard holds, and uncounts the others.
func (c *compiler) guardLanes(in *machine.Inst, masked bool) {
	c.loadGuard(in, masked)
	c.uncountOthers(masked)
}

// loadGuard leaves in R9 the running lanes whose guard holds.
func (c *compiler) loadGuard(in *machine.Inst, masked bool) {
	m := c.regs(in.Guard &^ 1)
	c.RM(x86.MOV, x86.S32, rGuard, m)
	if in.Guard&1 != 0 {
		c.R(x86.NOT, x86.S32, rGuard)
	}
	if masked {
		c.RR(x86.AND, x86.S32, rGuard, rMask)
	}
}

// instruction assembles one instruction; true if control does not come behind it.
func (c *compiler) instruction(i int, pc int32, masked bool) bool {
	in, s := &c.insts[pc], &c.steps[pc]
	use, skip := allLanes, x86.Label(0)
	if masked {
		use = runLanes
	}
	switch s.op.Kind {
	case sem.OpBranch:
		return c.branch(i, pc, masked)
	case sem.OpExit, sem.OpReturn:
		return c.leave(i, pc, masked)
	case sem.OpBarrier:
		c.barrier(i, pc, masked)
		return true
	}
	if in.Guard != machine.NoGuard {
		c.guardLanes(in, masked)
		skip = c.NewLabel()
		c.RR(x86.TEST, x86.S32, rGuard, rGuard)
		c.Jcc(x86.E, skip)
		if !s.op.Scalar && s.dst.typ != tM {
			c.setMask(rGuard, kGuard, saveGuard)
		}
		use = guardLanes
	}
	c.compute(i, pc, masked, use)
	if skip != 0 {
		c.Bind(skip)
	}
	return false
}

// compute assembles what an instruction does to lanes.
func (c *compiler) compute(i int, pc int32, masked bool, use maskUse) {
	in, s := &c.insts[pc], &c.steps[pc]
	switch s.op.Kind {
	case sem.OpMove:
		c.moveMask(in)
		c.writeMask(in.D, x86.R8, use)
	case sem.OpLogic:
		c.logic(in, s)
		c.writeMask(in.D, x86.R8, use)
	case sem.OpLoad, sem.OpStore:
		c.access(i, pc, masked, use)
	case sem.OpCompare:
		c.run(s.prog, s.in, &s.dst, s.op.Scalar, use)
		c.combine(&s.op.Masks, use)
	case sem.OpSetpPair:
		c.computeHalves(s, use)
	case sem.OpCarry:
		c.computeCarry(s, use)
	case sem.OpNothing:
	case sem.OpFence:
		c.fence()
	case sem.OpAtomic, sem.OpCas:
		c.atomic(i, pc, masked, use)
	case sem.OpLoadLocal, sem.OpStoreLocal:
		c.accessLocal(i, pc, masked, use)
	case sem.OpUnpack:
		c.unpack(s, use)
	default:
		if s.warp != nil {
			c.warpFunction(i, pc, masked, use)
			return
		}
		scalar := s.op.Scalar || s.dst.slot
		programUse := use
		if scalar {
			programUse = allLanes
		}
		c.run(s.prog, s.in, &s.dst, scalar, programUse)
		switch {
		case s.dst.typ == tM && scalar:
			c.MR(x86.MOV, x86.S32, c.regs(s.dst.off), x86.R8)
		case s.dst.typ == tM:
			c.writeMask(s.dst.off, x86.R8, use)
		}
	}
	if s.op.Scalar || s.dst.slot && s.prog != nil {
		c.wroteSlots(s, masked)
	}
}

// wroteSlots brings values that compiled code keeps of slots up to date, and in masked code the
// rows that the interpreter would have written.
func (c *compiler) wroteSlots(s *step, masked bool) {
	for _, b := range c.bcast {
		if b.key.slot && c.writesSlot(s, uint32(b.key.value)) {
			c.loadValue(b.key, b.v)
		}
	}
	if masked {
		for i := range s.op.Spread {
			c.spreadSlots([]*regs.Scalar{&s.op.Spread[i]})
		}
	}
}

func (r *region) writesSlot(s *step, off uint32) bool {
	if s.op.Kind == sem.OpLoad {
		for _, at := range s.op.Memory.At {
			if at == off {
				return true
			}
		}
		return false
	}
	for i := range s.elements {
		if s.elements[i].dst.off == off {
			return true
		}
	}
	return s.dst.off == off
}

// moveMask brings a predicate or its complement into R8.
func (c *compiler) moveMask(in *machine.Inst) {
	c.RM(x86.MOV, x86.S32, x86.R8, c.regs(in.A))
	if in.Imm != 0 {
		c.R(x86.NOT, x86.S32, x86.R8)
	}
}

// logic combines two predicates in R8.
func (c *compiler) logic(in *machine.Inst, s *step) {
	c.RM(x86.MOV, x86.S32, x86.R8, c.regs(in.A))
	if uint32(in.Imm) != 0 {
		c.R(x86.NOT, x86.S32, x86.R8)
	}
	c.RM(x86.MOV, x86.S32, x86.RCX, c.regs(in.B))
	if in.Imm>>32 != 0 {
		c.R(x86.NOT, x86.S32, x86.RCX)
	}
	c.word(s.op.Word, x86.R8, x86.RCX)
}

func (c *compiler) word(op uop.WordOp, d, b x86.Reg) {
	switch op {
	case uop.WordAnd:
		c.RR(x86.AND, x86.S32, d, b)
	case uop.WordOr:
		c.RR(x86.OR, x86.S32, d, b)
	case uop.WordXor:
		c.RR(x86.XOR, x86.S32, d, b)
	case uop.WordNot:
		c.R(x86.NOT, x86.S32, d)
	}
}

// combine writes the predicates of a setp from the comparison in R8.
func (c *compiler) combine(m *sem.MaskUse, use maskUse) {
	c.RR(x86.MOV, x86.S32, x86.R11, x86.R8)
	c.R(x86.NOT, x86.S32, x86.R11)
	c.combineBoth(m, use)
}

// combineBoth writes them from what R8 and R11 are to be combined of.
func (c *compiler) combineBoth(m *sem.MaskUse, use maskUse) {
	c.RM(x86.MOV, x86.S32, x86.R10, c.regs(m.C))
	if m.Flip != 0 {
		c.R(x86.NOT, x86.S32, x86.R10)
	}
	c.word(m.Op, x86.R8, x86.R10)
	c.word(m.Op, x86.R11, x86.R10)
	c.writeMask(m.P, x86.R8, use)
	c.writeMask(m.Q, x86.R11, use)
}

// writeMask writes the lanes of a predicate that execute; v is lost.
func (c *compiler) writeMask(off uint32, v x86.Reg, use maskUse) {
	if use != allLanes {
		lanes := rMask
		if use == guardLanes {
			lanes = rGuard
		}
		c.RM(x86.XOR, x86.S32, v, c.regs(off))
		c.RR(x86.AND, x86.S32, v, lanes)
		c.RM(x86.XOR, x86.S32, v, c.regs(off))
	}
	c.MR(x86.MOV, x86.S32, c.regs(off), v)
}

// boundsField is a field of an entry of the bounds table, which is at RDX.
func (c *compiler) boundsField(bound int32, field uintptr) x86.Mem {
	return x86.At(x86.RDX, bound*int32(boundsSize)+int32(field)).By(inBounds)
}

// boundsEnd is where in an entry the end is of what a load may touch, or another access.
func boundsEnd(load bool) uintptr {
	if load {
		return unsafe.Offsetof(abi.Bounds{}.End)
	}
	return unsafe.Offsetof(abi.Bounds{}.WriteEnd)
}
