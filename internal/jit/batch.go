package jit

// Batches (machine/nativebatch.go): a warp that has exited, or waits at a barrier, gives way to the
// next one here, without a return to the machine, and a CTA that has ended to the next CTA. What
// all warps share, the resident constants, is loaded once for a batch.

import (
	"slices"
	"unsafe"

	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/jit/x86"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/abi"
	"ptxvm.invalid/ptxvm/internal/machine/barriers"
	"ptxvm.invalid/ptxvm/internal/machine/regs"
	"ptxvm.invalid/ptxvm/internal/machine/specials"
)

func batchAt(off uintptr) x86.Mem { return ctxAt(unsafe.Offsetof(abi.State{}.Batch) + off) }

var (
	batchWarps     = batchAt(unsafe.Offsetof(abi.Batch{}.Warps))
	batchWarp      = batchAt(unsafe.Offsetof(abi.Batch{}.Warp))
	batchBudget    = batchAt(unsafe.Offsetof(abi.Batch{}.Budget))
	batchRest      = batchAt(unsafe.Offsetof(abi.Batch{}.Rest))
	batchBegan     = batchAt(unsafe.Offsetof(abi.Batch{}.Began))
	batchCurrent   = batchAt(unsafe.Offsetof(abi.Batch{}.Current))
	batchAlive     = batchAt(unsafe.Offsetof(abi.Batch{}.Alive))
	batchWaiting   = batchAt(unsafe.Offsetof(abi.Batch{}.Waiting))
	batchLater     = batchAt(unsafe.Offsetof(abi.Batch{}.Later))
	batchBarrier   = batchAt(unsafe.Offsetof(abi.Batch{}.Barrier))
	batchPassed    = batchAt(unsafe.Offsetof(abi.Batch{}.Passed))
	batchPassLimit = batchAt(unsafe.Offsetof(abi.Batch{}.PassLimit))
	batchMoved     = batchAt(unsafe.Offsetof(abi.Batch{}.Moved))
	batchCTAs      = batchAt(unsafe.Offsetof(abi.Batch{}.CTAs))
	batchDone      = batchAt(unsafe.Offsetof(abi.Batch{}.Done))
	batchAll       = batchAt(unsafe.Offsetof(abi.Batch{}.All))
	batchTurn      = batchAt(unsafe.Offsetof(abi.Batch{}.Turn))
	batchSlice     = batchAt(unsafe.Offsetof(abi.Batch{}.Slice))
	batchPlace     = batchAt(unsafe.Offsetof(abi.Batch{}.Place))
	batchGrid      = batchAt(unsafe.Offsetof(abi.Batch{}.Grid))
	batchSMs       = batchAt(unsafe.Offsetof(abi.Batch{}.SMs))
)

// warpAt is a field of the abi.Warp at a register.
func warpAt(r x86.Reg, off uintptr) x86.Mem { return x86.At(r, int32(off)).By(inHost) }

const (
	warpRegs  = unsafe.Offsetof(abi.Warp{}.Regs)
	warpGoOn  = unsafe.Offsetof(abi.Warp{}.At)
	warpPC    = unsafe.Offsetof(abi.Warp{}.PC)
	warpFuel  = unsafe.Offsetof(abi.Warp{}.Fuel)
	warpMask  = unsafe.Offsetof(abi.Warp{}.Mask)
	warpLanes = unsafe.Offsetof(abi.Warp{}.Lanes)
	warpShift = 5 // of its size
)

// batch is the labels of a function's batch code. Warps switch with the registers of the warp in
// memory, the pending set empty, and their steps in rSteps.
type batch struct {
	entry  x86.Label
	out    x86.Label           // a warp that compiled code cannot run
	start  x86.Label           // a warp begins; 0: there is none
	begin  x86.Label           // a batch with a CTA that is to begin; 0: there is none
	warp   map[int]x86.Label   // by segment: a warp that stands there
	resume map[int32]x86.Label // behind a barrier
	whole  map[int32]x86.Label // the same for warps that full code has left there
	ended  x86.Label           // all lanes of the warp have exited
	turn   x86.Label           // the warp waits or has exited
	next   x86.Label           // its turn is over
}

func (c *compiler) newBatch() {
	c.batch = batch{entry: c.NewLabel(), out: c.NewLabel(), ended: c.NewLabel(), turn: c.NewLabel(), next: c.NewLabel(), warp: map[int]x86.Label{}, resume: map[int32]x86.Label{}, whole: map[int32]x86.Label{}}
	for i := range c.segs {
		c.batch.warp[i] = c.NewLabel()
	}
}

// inBatch goes to a label if the warp runs in a batch.
func (c *compiler) inBatch(l x86.Label) {
	c.MI(x86.CMP, x86.S64, batchWarp, 0)
	c.Jcc(x86.NE, l)
}

// barrierID is the number of a barrier that compiled code knows: a constant.
func (r *region) barrierID(pc int32) (id int32, ok bool) {
	in := &r.insts[pc]
	k, ok := r.consts[in.A]
	return int32(k.Value), ok && k.Value < barriers.Named && in.Guard == machine.NoGuard
}

// barrier assembles bar.sync: in a batch, when all living lanes of the warp have come, the warp
// waits or, as the last one, goes on.
func (c *compiler) barrier(i int, pc int32, masked bool) {
	leave := c.later(func() { c.helpBarrier(pc, masked) })
	c.MI(x86.CMP, x86.S64, batchWarp, 0)
	c.Jcc(x86.E, leave)
	if masked {
		c.RM(x86.MOV, x86.S32, x86.RAX, ctxExited)
		c.R(x86.NOT, x86.S32, x86.RAX)
		c.RM(x86.AND, x86.S32, x86.RAX, ctxMask)
		c.RR(x86.CMP, x86.S32, x86.RAX, rMask)
		c.Jcc(x86.NE, leave)
	}
	id, _ := c.barrierID(pc)
	here := c.NewLabel()
	c.MI(x86.CMP, x86.S32, batchBarrier, id)
	c.Jcc(x86.E, here)
	c.MI(x86.CMP, x86.S32, batchWaiting, 0)
	c.Jcc(x86.NE, leave)
	c.MI(x86.MOV, x86.S32, batchBarrier, id)
	c.Bind(here)
	c.RM(x86.MOV, x86.S32, x86.RAX, batchWaiting)
	c.RR(x86.MOV, x86.S32, x86.RDX, x86.RAX)
	c.RM(x86.OR, x86.S32, x86.RDX, batchCurrent)
	c.RM(x86.CMP, x86.S32, x86.RDX, batchAlive)
	c.Jcc(x86.E, c.later(func() {
		c.releaseWaiting()
		if masked {
			c.Jmp(c.segs[i+1].part)
		} else {
			c.Jmp(c.segs[i+1].full)
		}
	}))
	c.MR(x86.MOV, x86.S32, batchWaiting, x86.RDX)
	if c.batch.resume[pc] == 0 {
		c.batch.resume[pc], c.batch.whole[pc] = c.NewLabel(), c.NewLabel()
	}
	if masked {
		c.park(pc, c.batch.resume[pc], true, c.liveRows(pc))
	} else {
		c.park(pc, c.batch.whole[pc], false, c.wholeRows(pc+1))
	}
	c.Jmp(c.batch.turn)
}

// helpBarrier has the machine execute a barrier at which the running warp cannot wait here: it may be the last to come.
func (c *compiler) helpBarrier(pc int32, masked bool) {
	if c.quick != nil || !c.mayHelp(pc) {
		c.exit(pc, masked, 1)
		return
	}
	if masked {
		c.countPart(-1)
	} else {
		c.RI(x86.SUB, x86.S64, rSteps, 1)
	}
	c.help(pc, masked)
}

// park leaves a warp at a pc, to go on at a label with some rows.
func (c *compiler) park(pc int32, at x86.Label, masked bool, rows []uint32) {
	c.storeRows(rows)
	c.RM(x86.MOV, x86.S64, x86.RCX, batchWarp)
	if masked {
		c.MR(x86.MOV, x86.S32, warpAt(x86.RCX, warpMask), rMask)
		c.MI(x86.MOV, x86.S32, ctxExited, 0)
	}
	c.MR(x86.MOV, x86.S32, warpAt(x86.RCX, warpFuel), rFuel)
	c.MI(x86.MOV, x86.S32, warpAt(x86.RCX, warpPC), pc)
	c.RM(x86.LEA, x86.S64, x86.RAX, x86.AtLabel(at))
	c.MR(x86.MOV, x86.S64, warpAt(x86.RCX, warpGoOn), x86.RAX)
}

// giveWay ends the turn of a full warp whose fuel is used, at a segment. It has not moved if it
// has only been in loops that may wait for others.
func (c *compiler) giveWay(t int, pc int32) {
	c.RM(x86.MOV, x86.S32, rFuel, batchTurn)
	c.park(pc, c.batch.warp[t], false, c.liveRows(pc))
	c.RM(x86.MOV, x86.S32, x86.RAX, ctxLooped)
	c.MR(x86.OR, x86.S32, batchMoved, x86.RAX)
	c.Jmp(c.batch.next)
}

// releaseWaiting lets the warps in RAX, which wait, go on: those behind the running one in this pass.
func (c *compiler) releaseWaiting() {
	c.RM(x86.MOV, x86.S32, x86.RDX, batchCurrent)
	c.R(x86.NEG, x86.S32, x86.RDX)
	c.RR(x86.ADD, x86.S32, x86.RDX, x86.RDX)
	c.RR(x86.AND, x86.S32, x86.RDX, x86.RAX)
	c.MR(x86.OR, x86.S32, batchLater, x86.RDX)
	c.MI(x86.MOV, x86.S32, batchWaiting, 0)
}

// batchCode assembles what lies between warps.
func (c *compiler) batchCode() {
	for i := range c.segs {
		if c.entry[c.segs[i].first] == 0 { // else it is part of the entry
			c.warpStub(i)
		}
	}
	for _, s := range c.segs {
		if l := c.batch.resume[s.end-1]; l != 0 && s.end > s.first {
			c.resumeStub(l, s.end)
			c.resumeWhole(c.batch.whole[s.end-1], s.end)
		}
	}
	if len(c.segs) > 0 && c.segs[0].first == 0 {
		c.startStub()
	}
	pick, out, ordinary := c.NewLabel(), c.NewLabel(), c.NewLabel()
	c.warpEnds()
	c.turnEnds(pick, out, ordinary)
	c.Bind(c.batch.entry)
	c.title("a batch begins")
	c.count()
	c.Zero(rSteps)
	c.Zero(rPending)
	c.loadConstants()
	c.RM(x86.MOV, x86.S32, x86.RAX, batchLater)
	c.Jmp(pick)
	c.Bind(c.batch.out)
	c.title("a batch ends")
	c.count()
	c.RM(x86.MOV, x86.S32, x86.RAX, batchCurrent)
	c.MR(x86.OR, x86.S32, batchLater, x86.RAX)
	c.Bind(out)
	c.MI(x86.MOV, x86.S32, batchCurrent, 0)
	c.flushSteps()
	c.ret()
}

// warpStub brings a warp from memory to a segment.
func (c *compiler) warpStub(i int) {
	s := &c.segs[i]
	c.Bind(c.batch.warp[i])
	c.title("a warp comes to %d", s.first)
	c.count()
	c.loadWarp(s)
	c.RI(x86.CMP, x86.S32, rMask, -1)
	c.Jcc(x86.E, s.full)
	c.Jmp(s.part)
}

// loadWarp loads what compiled code keeps of a warp in registers.
func (c *compiler) loadWarp(s *segment) { c.loadRows(c.liveRows(s.first)) }

func (c *compiler) loadRows(list []uint32) {
	for _, off := range list {
		c.eachRegister(off, func(v x86.Vec, m x86.Mem) { c.move(c.full(), v, m) })
	}
	for _, b := range c.bcast {
		if b.key.slot {
			c.loadValue(b.key, b.v)
		}
	}
}

// resumeStub goes on behind a barrier, which its end counts once more.
func (c *compiler) resumeStub(l x86.Label, pc int32) {
	whole := c.NewLabel()
	c.Bind(l)
	c.title("a warp comes from a barrier to %d", pc)
	c.count()
	c.RI(x86.CMP, x86.S32, rMask, -1)
	c.Jcc(x86.E, whole)
	c.countPart(1)
	c.Jmp(c.batch.warp[c.segAt[pc]])
	c.Bind(whole)
	c.RI(x86.ADD, x86.S64, rSteps, 1)
	c.Jmp(c.batch.warp[c.segAt[pc]])
}

// resumeWhole is resumeStub for a warp that full code has left: slots have no rows.
func (c *compiler) resumeWhole(l x86.Label, pc int32) {
	i := c.segAt[pc]
	c.Bind(l)
	c.title("a whole warp comes from a barrier to %d", pc)
	c.count()
	c.RI(x86.ADD, x86.S64, rSteps, 1)
	c.loadRows(c.wholeRows(pc))
	c.Jmp(c.segs[i].full)
}

// wholeRows are the live rows that code for full warps keeps: not those of slots.
func (c *compiler) wholeRows(pc int32) []uint32 {
	slots := map[uint32]bool{}
	for i := range c.code.Scalars {
		if s := &c.code.Scalars[i]; s.Width != regs.Pred && s.LiveAt(pc) {
			slots[s.Row] = true
		}
	}
	return slices.DeleteFunc(c.liveRows(pc), func(off uint32) bool { return slots[off] })
}

// startStub begins a warp in the registers of another one: those that may be read before they are written are
// cleared.
func (c *compiler) startStub() {
	zeros, ok := c.unwritten()
	if !ok {
		return
	}
	c.batch.start = c.NewLabel()
	c.beginWarp(c.batch.start, zeros)
	c.Jmp(c.batch.warp[0])
}

func (c *compiler) beginWarp(l x86.Label, zeros []extent) {
	c.Bind(l)
	c.title("a warp of another CTA begins")
	c.count()
	v := c.alloc()
	if len(zeros) > 0 {
		c.zero(v)
	}
	for _, z := range zeros {
		c.clearBytes(v, z.off, z.bytes)
	}
	c.release(temp(v))
	c.clearLocal()
	c.placeSpecials()
}

// placeSpecials writes the special registers that differ between CTAs.
func (c *compiler) placeSpecials() {
	v := c.alloc()
	for i := range c.code.Specials {
		c.placeSpecial(&c.code.Specials[i], v)
	}
	c.release(temp(v))
}

// extent is bytes of the register block.
type extent struct{ off, bytes uint32 }

// unwritten lists what is to be zero when a warp begins; false if that is much.
func (r *region) unwritten() (list []extent, ok bool) {
	live := r.live.entry
	for g := range r.f.Regs {
		if !live.Has(g) || r.f.Rows.Of[g] < 0 {
			continue
		}
		off := r.offset(ir.Reg(g))
		list = append(list, extent{off, [...]uint32{ir.WPred: 4, ir.W32: 128, ir.W64: 256, ir.W128: 512}[r.f.Regs[g].Width()]})
		for i := range r.code.Scalars {
			if s := &r.code.Scalars[i]; s.Row == off && s.Width != regs.Pred {
				list = append(list, extent{s.Slot, 8})
			}
		}
	}
	return list, len(list) <= 64
}

// clearBytes zeroes bytes of the register block; v is zero.
func (c *compiler) clearBytes(v x86.Vec, off, bytes uint32) {
	if bytes < 128 {
		c.MI(x86.MOV, map[uint32]x86.Size{4: x86.S32, 8: x86.S64}[bytes], c.regs(off), 0)
		return
	}
	for at := uint32(0); at < bytes; at += uint32(c.full().Bytes()) {
		c.store(c.full(), c.regs(off+at), v)
	}
}

// placeSpecial writes a special register that differs between CTAs.
func (c *compiler) placeSpecial(s *specials.Ref, v x86.Vec) {
	part, ok := s.CTAPart()
	if !ok {
		return
	}
	c.RM(x86.MOV, x86.S64, x86.RAX, batchPlace.Plus(8*int32(part)))
	if s.Add != 0 {
		c.MovImm(x86.RCX, s.Add)
		c.RR(x86.ADD, x86.S64, x86.RAX, x86.RCX)
	}
	switch s.Width {
	case regs.Row32, regs.Row64:
		t, n := tW, 128
		if s.Width == regs.Row64 {
			t, n = tX, 256
		}
		c.replicate(c.full(), t, v, x86.RAX)
		for at := 0; at < n; at += c.full().Bytes() {
			c.store(c.full(), c.regs(s.Off+uint32(at)), v)
		}
	case regs.Pred:
		c.RI(x86.AND, x86.S32, x86.RAX, 1)
		c.R(x86.NEG, x86.S32, x86.RAX)
		c.MR(x86.MOV, x86.S32, c.regs(s.Off), x86.RAX)
	default:
		c.MR(x86.MOV, x86.S64, c.regs(s.Off), x86.RAX)
	}
}

// warpEnds makes the running warp ready to begin in the next CTA. Those who only waited for it go on.
func (c *compiler) warpEnds() {
	c.Bind(c.batch.ended)
	c.title("a warp has ended")
	c.count()
	c.RM(x86.MOV, x86.S64, x86.RCX, batchWarp)
	if c.batch.start != 0 {
		c.RM(x86.LEA, x86.S64, x86.RAX, x86.AtLabel(c.batch.start))
		c.MR(x86.MOV, x86.S64, warpAt(x86.RCX, warpGoOn), x86.RAX)
	}
	c.RM(x86.MOV, x86.S32, x86.RAX, batchTurn)
	c.MR(x86.MOV, x86.S32, warpAt(x86.RCX, warpFuel), x86.RAX)
	c.RM(x86.MOV, x86.S32, x86.RAX, warpAt(x86.RCX, warpLanes))
	c.MR(x86.MOV, x86.S32, warpAt(x86.RCX, warpMask), x86.RAX)
	c.MI(x86.MOV, x86.S32, ctxExited, 0)
	c.RM(x86.MOV, x86.S32, x86.RDX, batchAlive)
	c.RM(x86.XOR, x86.S32, x86.RDX, batchCurrent)
	c.MR(x86.MOV, x86.S32, batchAlive, x86.RDX)
	c.RM(x86.MOV, x86.S32, x86.RAX, batchWaiting)
	c.RR(x86.TEST, x86.S32, x86.RAX, x86.RAX)
	c.Jcc(x86.E, c.batch.turn)
	c.RR(x86.CMP, x86.S32, x86.RAX, x86.RDX)
	c.Jcc(x86.NE, c.batch.turn)
	c.releaseWaiting()
}

// turnEnds goes on with the next warp of the pass, the next pass, or the next CTA.
func (c *compiler) turnEnds(pick, out, ordinary x86.Label) {
	pass, cta := c.NewLabel(), c.NewLabel()
	c.Bind(c.batch.turn)
	c.MI(x86.MOV, x86.S32, batchMoved, 1)
	c.Bind(c.batch.next)
	c.title("the next warp")
	c.count()
	c.RM(x86.MOV, x86.S32, x86.RAX, batchLater)
	c.RR(x86.TEST, x86.S32, x86.RAX, x86.RAX)
	c.Jcc(x86.E, pass)

	c.Bind(pick) // RAX is what is left of the pass
	c.RM(x86.MOV, x86.S64, x86.RCX, ctxSteps)
	c.RR(x86.ADD, x86.S64, x86.RCX, rSteps)
	c.RM(x86.CMP, x86.S64, x86.RCX, batchBudget)
	c.Jcc(x86.A, out)
	c.RR(x86.BLSI, x86.S32, x86.RDX, x86.RAX)
	c.RR(x86.TZCNT, x86.S32, x86.RCX, x86.RAX)
	c.RR(x86.BLSR, x86.S32, x86.RAX, x86.RAX)
	c.MR(x86.MOV, x86.S32, batchCurrent, x86.RDX)
	c.MR(x86.MOV, x86.S32, batchLater, x86.RAX)
	c.RI(x86.SHL, x86.S32, x86.RCX, warpShift)
	c.RM(x86.ADD, x86.S64, x86.RCX, batchWarps)
	c.MR(x86.MOV, x86.S64, batchWarp, x86.RCX)
	c.RM(x86.MOV, x86.S64, rRegs, warpAt(x86.RCX, warpRegs))
	c.RM(x86.MOV, x86.S32, rMask, warpAt(x86.RCX, warpMask))
	c.MR(x86.MOV, x86.S32, ctxMask, rMask)
	c.MI(x86.MOV, x86.S32, ctxLooped, 0)
	c.RM(x86.MOV, x86.S32, rFuel, warpAt(x86.RCX, warpFuel))
	c.M(x86.JMP, x86.S64, warpAt(x86.RCX, warpGoOn))

	c.Bind(pass)
	c.title("a pass has ended")
	c.count()
	c.RM(x86.MOV, x86.S32, x86.RAX, batchWaiting)
	c.R(x86.NOT, x86.S32, x86.RAX)
	c.RM(x86.AND, x86.S32, x86.RAX, batchAlive)
	c.Jcc(x86.E, cta)
	c.RM(x86.MOV, x86.S32, x86.RCX, batchPassed)
	c.RM(x86.CMP, x86.S32, x86.RCX, batchPassLimit)
	c.Jcc(x86.GE, out)
	c.MI(x86.CMP, x86.S32, batchMoved, 0) // all only polled: others shall have the worker
	c.Jcc(x86.E, out)
	c.R(x86.INC, x86.S32, x86.RCX)
	c.MR(x86.MOV, x86.S32, batchPassed, x86.RCX)
	c.beginPass(pick)

	c.Bind(cta)
	c.title("a CTA has ended")
	c.count()
	c.MI(x86.CMP, x86.S32, batchAlive, 0)
	c.Jcc(x86.NE, out)
	c.endCTA(out)
	c.Bind(ordinary)
	c.RM(x86.MOV, x86.S32, x86.RAX, batchAll)
	c.MR(x86.MOV, x86.S32, batchAlive, x86.RAX)
	c.beginPass(pick)
	if c.batch.start != 0 {
		c.beginBatch(ordinary)
	}
}

// beginBatch starts a batch with a CTA that is to begin.
func (c *compiler) beginBatch(ordinary x86.Label) {
	c.batch.begin = c.NewLabel()
	c.Bind(c.batch.begin)
	c.title("a batch begins with a CTA")
	c.count()
	c.Zero(rSteps)
	c.Zero(rPending)
	c.loadConstants()
	c.Jmp(ordinary)
}

// endCTA goes on to the next CTA, or out if none may begin.
func (c *compiler) endCTA(out x86.Label) {
	c.RM(x86.MOV, x86.S64, x86.RAX, ctxSteps)
	c.RR(x86.ADD, x86.S64, x86.RAX, rSteps)
	c.RM(x86.CMP, x86.S64, x86.RAX, batchRest)
	c.Jcc(x86.G, out)
	c.RM(x86.MOV, x86.S32, x86.RAX, batchCTAs)
	c.RI(x86.SUB, x86.S32, x86.RAX, 1)
	c.Jcc(x86.B, out)
	c.MR(x86.MOV, x86.S32, batchCTAs, x86.RAX)
	c.M(x86.INC, x86.S32, batchDone)
	c.callRoutine(routine{what: routineNextCTA}, c.nextCTA)
}

// beginPass lets the warps in RAX have their turns.
func (c *compiler) beginPass(pick x86.Label) {
	c.MR(x86.MOV, x86.S32, batchLater, x86.RAX)
	c.MI(x86.MOV, x86.S32, batchMoved, 0)
	c.Jmp(pick)
}

// nextCTA goes on to the next CTA: its place in the grid, and zeroed shared memory.
func (c *compiler) nextCTA() {
	c.RM(x86.MOV, x86.S64, x86.RAX, ctxSteps)
	c.RR(x86.ADD, x86.S64, x86.RAX, rSteps)
	c.MR(x86.MOV, x86.S64, batchBegan, x86.RAX)
	c.MI(x86.MOV, x86.S32, batchPassed, 1)
	c.RM(x86.MOV, x86.S32, x86.RAX, batchSlice)
	c.MR(x86.MOV, x86.S32, batchPassLimit, x86.RAX)
	placed := c.NewLabel()
	c.countUp(batchPlace.Plus(24), batchSMs, 0)
	c.countUp(batchPlace, batchGrid, placed)
	c.countUp(batchPlace.Plus(8), batchGrid.Plus(8), placed)
	c.M(x86.INC, x86.S64, batchPlace.Plus(16))
	c.Bind(placed)
	v, done, again := c.alloc(), c.NewLabel(), c.NewLabel()
	c.RM(x86.MOV, x86.S64, x86.RCX, ctxSharedBytes)
	c.RR(x86.TEST, x86.S64, x86.RCX, x86.RCX)
	c.Jcc(x86.E, done)
	c.RM(x86.MOV, x86.S64, x86.RAX, ctxShared)
	c.zero(v)
	c.Bind(again)
	for at := 0; at < 64; at += c.full().Bytes() { // a piece of a slab is a multiple of 64 bytes
		c.store(c.full(), x86.At(x86.RAX, int32(at)).By(inHost), v)
	}
	c.RI(x86.ADD, x86.S64, x86.RAX, 64)
	c.RI(x86.SUB, x86.S64, x86.RCX, 64)
	c.Jcc(x86.G, again)
	c.Bind(done)
	c.release(temp(v))
}

// countUp adds 1 to a counter and goes to a label (0: goes on) if it stays below a limit; else it is 0.
func (c *compiler) countUp(m, limit x86.Mem, below x86.Label) {
	wrap, done := c.NewLabel(), below
	if below == 0 {
		done = c.NewLabel()
	}
	c.RM(x86.MOV, x86.S64, x86.RAX, m)
	c.R(x86.INC, x86.S64, x86.RAX)
	c.RM(x86.CMP, x86.S64, x86.RAX, limit)
	c.Jcc(x86.AE, wrap)
	c.MR(x86.MOV, x86.S64, m, x86.RAX)
	c.Jmp(done)
	c.Bind(wrap)
	c.MI(x86.MOV, x86.S64, m, 0)
	if below == 0 {
		c.Bind(done)
	}
}

// batchOffsets says where the batch code is.
func (c *compiler) batchOffsets() (b Batch) {
	at := func(l x86.Label) int32 {
		if l == 0 {
			return -1
		}
		return int32(c.Offset(l))
	}
	b.Batch, b.Out, b.Start, b.Again, b.Begin = at(c.batch.entry), at(c.batch.out), at(c.batch.start), at(c.batch.start), at(c.batch.begin)
	for pc := range c.insts {
		warp := x86.Label(0)
		if c.entry[pc] != 0 {
			warp = c.batch.warp[c.segAt[int32(pc)]]
		}
		b.Warps, b.Resumes = append(b.Warps, at(warp)), append(b.Resumes, at(c.batch.resume[int32(pc)]))
		b.Wholes = append(b.Wholes, at(c.batch.whole[int32(pc)]))
	}
	return b
}
