package jit

// Assembling walks: copies of rows, one lane after the other, and what is counted.

import (
	"unsafe"

	"ptxvm.invalid/ptxvm/internal/jit/x86"
	"ptxvm.invalid/ptxvm/internal/machine"
)

const (
	longWalk  = 256 // trips of a walk, at most
	shortWalk = 16  // fewer are not worth it
	walksOff  = 16  // how many loops do not walk behind one that has missed, or that has not paid
)

// Where a walk keeps what it knows.
const (
	walkBase   = saveSpill + 128*(maxWalkRows+2)
	walkEnds   = walkBase + 64       // bytes, by trips but one: somebody has left behind so many
	walkSaved  = walkEnds + longWalk // general registers
	walkLimits = walkSaved + 64      // of each load the first index, their number, and a base of the host
)

var (
	walkTodo  = x86.At(rCtx, walkBase)    // lanes that have not walked
	walkStay  = x86.At(rCtx, walkBase+4)  // those who have not left
	walkLane  = x86.At(rCtx, walkBase+8)  // who walks
	walkLimit = x86.At(rCtx, walkBase+12) // trips
	walkOwn   = x86.At(rCtx, walkBase+16) // those of this lane
	walkMost  = x86.At(rCtx, walkBase+20) // trips of who has left last
	walkKinds = x86.At(rCtx, walkBase+24) // trips in which somebody has left
	walkSum   = x86.At(rCtx, walkBase+32) // trips of all lanes
	walkOther = x86.At(rCtx, walkBase+40) // who walks beside
	walkShy   = x86.At(rCtx, saveShy)     // loops that do not walk
)

// walkCopy is the copy of a row, from a byte on.
func walkCopy(k int, at int32) x86.Mem { return x86.At(rCtx, saveSpill+int32(128*k)+at) }

// walkBounds are the limits of a load.
func walkBounds(k int) (low, count, host x86.Mem) {
	at := walkLimits + int32(16*k)
	return x86.At(rCtx, at), x86.At(rCtx, at+4), x86.At(rCtx, at+8)
}

// walkFor is how lanes walk through a loop of turns, nil if they do not here.
func (c *compiler) walkFor(t *trips) *walk {
	w := c.walkOf(t)
	if w == nil || !w.plan(c.free) || !c.pays(w) || !c.uses(Walks) {
		return nil
	}
	return w
}

// walksWhole assembles where full warps come to a loop that lanes may walk through: they part unless walks have not paid of late. False if
// they stay, since they keep numbers there.
func (c *compiler) walksWhole(i int) bool {
	t, s := c.trips[i], &c.segs[i]
	if t == nil || !t.loads || c.opt.Whole || !c.numberless(t) || c.walkFor(t) == nil {
		return false
	}
	s.body = c.NewLabel()
	c.title("all lanes, before %d", s.first)
	c.Bind(s.full)
	c.stirWord(s)
	c.MI(x86.CMP, x86.S32, walkShy, 0)
	c.Jcc(x86.E, c.later(func() {
		c.apart(s.first)
		c.Jmp(s.stay)
	}))
	c.MI(x86.SUB, x86.S32, walkShy, 1)
	return true
}

// walks lets the lanes in EBX walk, or goes on to other where they cannot.
func (c *compiler) walks(w *walk, other x86.Label) {
	s := &c.segs[w.t.first]
	begin, go1, next, done := c.NewLabel(), c.NewLabel(), c.NewLabel(), c.NewLabel()
	missed, unable := c.NewLabel(), c.NewLabel()
	c.MI(x86.CMP, x86.S32, walkShy, 0)
	c.Jcc(x86.E, begin)
	c.MI(x86.SUB, x86.S32, walkShy, 1)
	c.Jmp(other)
	c.Bind(begin)
	c.title("some lanes, each alone from %d", s.first)
	c.count()
	c.note(s.first, s.end)
	c.whereKnown(w, other)
	c.RM(x86.LEA, x86.S32, x86.RAX, x86.At(rFuel, -1))
	c.RI(x86.CMP, x86.S32, x86.RAX, shortWalk)
	c.Jcc(x86.L, other)
	c.RI(x86.CMP, x86.S32, x86.RAX, longWalk)
	c.Jcc(x86.LE, go1)
	c.RI(x86.MOV, x86.S32, x86.RAX, longWalk)
	c.Bind(go1)
	c.MR(x86.MOV, x86.S32, walkLimit, x86.RAX)
	if w.known != nil {
		c.walkLengths(w, unable)
		c.sumTrips()
		c.unlessPays(w, unable)
	}
	c.beginWalks(w)
	switch {
	case w.beside != nil:
		c.walkInTurns(w, done, missed)
	case w.known != nil:
		c.knownTrips(w, done, missed)
	default:
		c.Bind(next)
		c.nextWalk(w, done, missed)
		c.walkTrips(w, next, missed)
	}
	c.Bind(done)
	c.restoreWalk(w)
	c.endWalks(w, begin)
	c.Bind(missed)
	c.restoreWalk(w)
	c.Bind(unable)
	c.MI(x86.MOV, x86.S32, walkShy, walksOff)
}

// whereKnown goes on to other where an allocation has not been learned: the loop of turns leaves there, and the machine learns of it. It
// leaves the table of bounds in RDX.
func (c *compiler) whereKnown(w *walk, other x86.Label) {
	c.RM(x86.MOV, x86.S64, x86.RDX, ctxBounds)
	for k := range w.loads {
		c.MI(x86.CMP, x86.S32, c.boundsField(c.bounds[w.loads[k].pc], unsafe.Offsetof(machine.NativeBounds{}.Count)), 0)
		c.Jcc(x86.E, other)
	}
}

// beginWalks copies rows and limits, and takes the registers.
func (c *compiler) beginWalks(w *walk) {
	c.title("lanes walk from %d", c.segs[w.t.first].first)
	c.count()
	for k := range w.rows {
		if !w.copied(k) {
			continue
		}
		c.eachPart(tW, func() {
			have := c.operand(&w.rows[k].src)
			v := c.load(have, tW)
			c.store(c.full(), walkCopy(k, int32(c.part*c.full().Bytes())), v.v)
			c.unload(v, have)
			c.release(have)
		})
	}
	c.MR(x86.MOV, x86.S32, walkTodo, rMask)
	if w.known == nil {
		c.MI(x86.MOV, x86.S64, walkSum, 0)
		c.MI(x86.MOV, x86.S32, walkStay, 0)
		c.MI(x86.MOV, x86.S32, walkMost, 0)
	}
	c.clearEnds()
	for k := range w.loads {
		c.walkBounds(w, k)
	}
	for k, r := range w.saved {
		c.MR(x86.MOV, x86.S64, x86.At(rCtx, walkSaved+int32(8*k)), r)
	}
	for k := range w.loads {
		l := &w.loads[k]
		low, count, host := walkBounds(k)
		for _, x := range []struct {
			r    x86.Reg
			size x86.Size
			m    x86.Mem
		}{{l.host, x86.S64, host}, {l.n, x86.S32, count}, {l.low, x86.S32, low}} {
			if x.r != x86.NoReg {
				c.RM(x86.MOV, x.size, x.r, x.m)
			}
		}
	}
	for v := range w.m.ops {
		if o := &w.m.ops[v]; o.code == cConst && w.at[v].has {
			c.VM(x86.VMOVSS, x86.W128, w.at[v].v, c.Const32(uint32(o.imm)))
		}
	}
}

// walkBounds copies the limits of a load; RDX has the table. What is tested each trip is the distance from the first index, which the
// base then has.
func (c *compiler) walkBounds(w *walk, k int) {
	l := &w.loads[k]
	c.prove(l.pc)
	low, count, host := walkBounds(k)
	at := func(field uintptr) x86.Mem { return c.boundsField(c.bounds[l.pc], field) }
	c.RM(x86.MOV, x86.S32, x86.RAX, at(unsafe.Offsetof(machine.NativeBounds{}.Count)))
	c.MR(x86.MOV, x86.S32, count, x86.RAX)
	c.RM(x86.MOVSXD, x86.S64, x86.RAX, at(unsafe.Offsetof(machine.NativeBounds{}.Low)))
	c.MR(x86.MOV, x86.S32, low, x86.RAX)
	if l.row >= 0 {
		c.Zero(x86.RAX)
	} else if l.shift > 0 {
		c.RI(x86.SHL, x86.S64, x86.RAX, int32(l.shift))
	}
	c.RM(x86.ADD, x86.S64, x86.RAX, at(unsafe.Offsetof(machine.NativeBounds{}.Host)))
	c.MR(x86.MOV, x86.S64, host, x86.RAX)
}

// restoreWalk gives the registers back.
func (c *compiler) restoreWalk(w *walk) {
	for k, r := range w.saved {
		c.RM(x86.MOV, x86.S64, r, x86.At(rCtx, walkSaved+int32(8*k)))
	}
}

// nextLane takes the next lane that has not walked to RCX, which is kept in memory, or goes on at done.
func (c *compiler) nextLane(done x86.Label, keep x86.Mem) {
	c.RM(x86.MOV, x86.S32, x86.RAX, walkTodo)
	c.RM(x86.TZCNT, x86.S32, x86.RCX, walkTodo)
	c.RR(x86.TEST, x86.S32, x86.RAX, x86.RAX)
	c.Jcc(x86.E, done)
	c.RR(x86.BLSR, x86.S32, x86.RAX, x86.RAX)
	c.MR(x86.MOV, x86.S32, walkTodo, x86.RAX)
	c.MR(x86.MOV, x86.S32, keep, x86.RCX)
}

// nextWalk lets the next lane begin.
func (c *compiler) nextWalk(w *walk, done, missed x86.Label) {
	c.nextLane(done, walkLane)
	c.RM(x86.MOV, x86.S32, w.count, walkLimit)
	for k := range w.loads {
		c.walkRoom(w, k, missed)
	}
	c.MR(x86.MOV, x86.S32, walkOwn, w.count)
	c.startRows(w)
	c.walkSteps(w)
}

// startRows gives the lane in RCX its rows.
func (c *compiler) startRows(w *walk) {
	for k := range w.rows {
		x := &w.rows[k]
		from := walkCopyOf(k)
		switch {
		case x.in == noVal || w.idle(x):
		case x.class == floatClass:
			c.VM(x86.VMOVSS, x86.W128, x.v, from)
		case x.index:
			c.RM(x86.MOVSXD, x86.S64, x.r, from)
		default:
			c.RM(x86.MOV, x86.S32, x.r, from)
		}
	}
}

// copied tells whether lanes work on a copy of a row: others they do not read, or it is known what they make of them.
func (w *walk) copied(k int) bool {
	for i := range w.loads {
		if w.passing(&w.loads[i]) && w.loads[i].row == k {
			return true
		}
	}
	return !w.idle(&w.rows[k])
}

// walkSteps makes the bases those behind the last trip, and counts up to zero, where the number of the trip tells rows.
func (c *compiler) walkSteps(w *walk) {
	if !w.up {
		return
	}
	for k := range w.loads {
		l := &w.loads[k]
		if !w.counts(l) {
			continue
		}
		_, _, host := walkBounds(k)
		first := w.rows[l.row].r
		if w.passing(l) {
			first = l.host
			c.RM(x86.MOVSXD, x86.S64, first, walkCopyOf(l.row))
		}
		c.RM(x86.LEA, x86.S64, l.host, x86.AtIndex(first, w.count, uint8(l.step), 0))
		if l.shift > 0 {
			c.RI(x86.SHL, x86.S64, l.host, int32(l.shift))
		}
		c.RM(x86.ADD, x86.S64, l.host, host)
	}
	c.R(x86.NEG, x86.S64, w.count)
}

// walkRoom makes a walk no longer than a load at an index that goes on is inside. Registers of rows are free.
func (c *compiler) walkRoom(w *walk, k int, missed x86.Label) {
	l := &w.loads[k]
	if l.row < 0 {
		return
	}
	low, count, _ := walkBounds(k)
	x := w.rows[l.row].r
	c.RM(x86.MOV, x86.S32, x, walkCopyOf(l.row))
	c.RM(x86.SUB, x86.S32, x, low)
	c.RM(x86.MOV, x86.S32, x86.RAX, count)
	c.RR(x86.SUB, x86.S32, x86.RAX, x)
	c.Jcc(x86.BE, missed)
	if n := log2(l.step); n > 0 { // of a step that begins inside the first index is
		c.RI(x86.SUB, x86.S32, x86.RAX, 1)
		c.RI(x86.SHR, x86.S32, x86.RAX, int32(n))
		c.RI(x86.ADD, x86.S32, x86.RAX, 1)
	}
	c.RR(x86.CMP, x86.S32, x86.RAX, w.count)
	c.Cmov(x86.B, x86.S32, w.count, x86.RAX)
}

func log2(n int64) (k int) {
	for ; n > 1; n >>= 1 {
		k++
	}
	return k
}

// walkTrips assembles the trips of a lane and what is noted at their end.
func (c *compiler) walkTrips(w *walk, next, missed x86.Label) {
	top, left := c.NewLabel(), c.NewLabel()
	c.Bind(top)
	c.walkValues(w, missed)
	back := c.walkCondition(w)
	c.walkMoves(w)
	c.Jcc(back^1, left)
	if w.up {
		c.RI(x86.ADD, x86.S64, w.count, 1)
	} else {
		c.RI(x86.SUB, x86.S32, w.count, 1)
	}
	c.Jcc(x86.NE, top)
	// The lane stands at the head of the loop, if it has walked as far as all may.
	c.RM(x86.MOV, x86.S32, x86.RAX, walkOwn)
	c.RM(x86.CMP, x86.S32, x86.RAX, walkLimit)
	c.Jcc(x86.NE, missed)
	c.RM(x86.MOV, x86.S32, x86.RCX, walkLane)
	c.storeWalk(w)
	c.MR(x86.ADD, x86.S64, walkSum, x86.RAX)
	c.RM(x86.MOV, x86.S32, x86.RAX, walkStay)
	c.RR(x86.BTS, x86.S32, x86.RAX, x86.RCX)
	c.MR(x86.MOV, x86.S32, walkStay, x86.RAX)
	c.Jmp(next)
	c.Bind(left)
	c.RM(x86.MOV, x86.S32, x86.RCX, walkLane)
	c.RM(x86.MOV, x86.S32, x86.RAX, walkOwn)
	if w.up {
		c.RR(x86.ADD, x86.S32, x86.RAX, w.count)
	} else {
		c.RR(x86.SUB, x86.S32, x86.RAX, w.count)
	}
	c.RI(x86.ADD, x86.S32, x86.RAX, 1)
	c.storeWalk(w)
	c.endWalk(w)
	c.Jmp(next)
}

// storeWalk writes the rows of the lane in RCX, which has gone RAX trips.
func (c *compiler) storeWalk(w *walk) {
	for k := range w.rows {
		x := &w.rows[k]
		to := walkCopyOf(k)
		switch {
		case x.out == noVal || x.passes:
		case x.class == floatClass:
			c.MV(x86.VMOVSS, x86.W128, to, x.v)
		case x.step != 0:
			c.RM(x86.LEA, x86.S32, x.r, x86.AtIndex(x.r, x86.RAX, uint8(x.step), 0))
			c.MR(x86.MOV, x86.S32, to, x.r)
		default:
			c.MR(x86.MOV, x86.S32, to, x.r)
		}
	}
}

// endWalk notes in which trip, RAX, a lane has left.
func (c *compiler) endWalk(w *walk) {
	n := x86.RAX
	c.MR(x86.ADD, x86.S64, walkSum, n)
	c.RM(x86.MOV, x86.S32, x86.RCX, walkMost)
	c.RR(x86.CMP, x86.S32, x86.RCX, n)
	c.Cmov(x86.B, x86.S32, x86.RCX, n)
	c.MR(x86.MOV, x86.S32, walkMost, x86.RCX)
	c.markEnd()
}

// markEnd notes that somebody leaves in trip RAX; of 0 nobody asks.
func (c *compiler) markEnd() {
	c.MI(x86.MOV, x86.S8, x86.AtIndex(rCtx, x86.RAX, 1, walkEnds-1), 1)
}

// clearEnds begins with no trip in which somebody leaves.
func (c *compiler) clearEnds() {
	v := c.alloc()
	c.zero(v)
	for at := 0; at < longWalk; at += c.full().Bytes() {
		c.store(c.full(), x86.At(rCtx, walkEnds+int32(at)), v)
	}
	c.release(temp(v))
}

// countKinds counts the trips in which somebody has left.
func (c *compiler) countKinds() {
	sum, t := c.alloc(), c.alloc()
	for at := 0; at < longWalk; at += c.full().Bytes() {
		from := x86.At(rCtx, walkEnds+int32(at))
		if at == 0 {
			c.move(c.full(), sum, from)
		} else {
			c.VVM(x86.VPADDB, c.full(), sum, sum, from)
		}
	}
	c.zero(t)
	c.VVV(x86.VPSADBW, c.full(), sum, sum, t)
	c.across(c.opFor(cAdd, tW), sum, t)
	c.RV(x86.VMOVD, x86.W128, x86.RAX, sum)
	c.MR(x86.MOV, x86.S32, walkKinds, x86.RAX)
	c.release(temp(t))
	c.release(temp(sum))
}

// endWalks makes the copies the rows, counts, and lets those wait who have left.
func (c *compiler) endWalks(w *walk, again x86.Label) {
	t := w.t
	x := &t.exits[0]
	left, stay, trips := x86.R8, x86.R10, x86.R9
	for k := range w.rows {
		if row := &w.rows[k]; row.out != noVal && !row.passes {
			c.eachPart(tW, func() {
				v := c.alloc()
				c.move(c.full(), v, walkCopy(k, int32(c.part*c.full().Bytes())))
				c.write(vecAt(v), tW, &row.src, allLanes)
				c.release(temp(v))
			})
		}
	}
	c.passRows(w)
	c.settleTrips(t, false)
	c.RM(x86.MOV, x86.S32, stay, walkStay)
	c.RR(x86.MOV, x86.S32, left, rMask)
	c.RR(x86.XOR, x86.S32, left, stay)
	c.RR(x86.MOV, x86.S32, x86.RAX, stay)
	if w.predNot {
		c.RR(x86.MOV, x86.S32, x86.RAX, left)
	}
	c.writeMask(w.pred, x86.RAX, runLanes)
	if w.known == nil {
		c.dearWalks(w)
	}
	c.RM(x86.MOV, x86.S64, x86.RAX, walkSum)
	c.RRI(x86.IMUL, x86.S64, x86.RAX, x86.RAX, t.ops)
	c.RR(x86.POPCNT, x86.S32, x86.RCX, left)
	c.RRI(x86.IMUL, x86.S64, x86.RCX, x86.RCX, x.ops)
	c.RR(x86.ADD, x86.S64, x86.RAX, x86.RCX)
	c.MR(x86.ADD, x86.S64, ctxOps, x86.RAX)
	c.countKinds()
	c.RM(x86.MOV, x86.S32, trips, walkMost)
	c.RR(x86.MOV, x86.S32, x86.RDX, trips)
	c.RR(x86.TEST, x86.S32, stay, stay)
	c.CmovM(x86.NE, x86.S32, trips, walkLimit)
	c.RRI(x86.IMUL, x86.S64, x86.RAX, trips, t.steps)
	c.MR(x86.ADD, x86.S64, ctxSteps, x86.RAX)
	c.walkFuel(x, trips, left)
	c.RR(x86.MOV, x86.S32, rMask, stay)
	c.RR(x86.TEST, x86.S32, rMask, rMask)
	c.Jcc(x86.E, c.skipTo(t.last+1))
	c.setMask(rMask, kMask, saveRun)
	c.Jmp(again)
}

// dearWalks lets the next loops run in vectors, if that would have been better for this one.
func (c *compiler) dearWalks(w *walk) {
	on := c.NewLabel()
	c.unlessPays(w, c.later(func() {
		c.MI(x86.MOV, x86.S32, walkShy, walksOff)
		c.Jmp(on)
	}))
	c.Bind(on)
}

// walkFuel pays for the trips that nobody has left; those who have wait with the fuel of the last trip of them, which is in EDX.
func (c *compiler) walkFuel(x *tripExit, trips, left x86.Reg) {
	none, free := c.NewLabel(), c.NewLabel()
	c.RM(x86.SUB, x86.S32, x86.RDX, walkKinds)
	c.RM(x86.SUB, x86.S32, trips, walkKinds)
	c.RR(x86.TEST, x86.S32, left, left)
	c.Jcc(x86.E, none)
	c.RR(x86.MOV, x86.S32, x86.RAX, rFuel)
	c.RR(x86.SUB, x86.S32, rFuel, x86.RDX)
	c.RM(x86.ADD, x86.S32, rFuel, tripAside)
	c.addPending(c.segs[x.seg].pending, left)
	c.RR(x86.MOV, x86.S32, rFuel, x86.RAX)
	c.Bind(none)
	c.RR(x86.SUB, x86.S32, rFuel, trips)
	c.MR(x86.MOV, x86.S32, tripFrom, rFuel)
	c.RR(x86.TEST, x86.S32, trips, trips)
	c.Jcc(x86.E, free)
	c.MI(x86.MOV, x86.S32, ctxLooped, 1)
	c.Bind(free)
}
