package jit

// Assembling loops that lanes leave silently.

import "ptxvm.invalid/ptxvm/internal/jit/x86"

// Behind the counts of trips: how many trips and lanes (in one number), the lanes that have entered, and how many
// have left by each exit but the last.
var (
	tripLanes   = x86.At(rCtx, saveTrips+72)
	tripEntered = x86.At(rCtx, saveTrips+80)
)

func tripLeft(k int) x86.Mem { return x86.At(rCtx, saveTrips+88+int32(8*k)) }

// tripUnit is one trip in tripLanes: fuel lasts for fewer than half as many lanes in all.
const tripUnit = 1 << 24

// rLastFuel is the fuel in the last trip that somebody left.
const rLastFuel = x86.RDX

// silentBits are where the masks of a trip are collected, that of the next trip behind the others.
var silentBits = [maxSilentMasks + 1]x86.Reg{x86.R8, x86.R10, x86.R11, rGuard}

// setReg is the register that has a set.
func (t *trips) setReg(s tripSet) x86.Reg {
	switch s {
	case setRun:
		return rMask
	case setNext:
		return silentBits[len(t.merged.masks)]
	}
	return silentBits[s]
}

// silentLoop assembles the loop for the lanes in EBX.
func (c *compiler) silentLoop(t *trips) {
	s, last := &c.segs[t.first], &c.segs[t.last]
	top, done, over := c.NewLabel(), c.NewLabel(), c.NewLabel()
	c.startTrips(t, s)
	c.MI(x86.MOV, x86.S64, tripLanes, 0)
	for k := range t.exits[1:] {
		c.MI(x86.MOV, x86.S64, tripLeft(k), 0)
	}
	c.MR(x86.MOV, x86.S32, tripEntered, rMask)
	back := c.loopRegisters(&t.merged)
	c.Bind(top)
	c.title("some lanes, a trip from %d", s.first)
	c.count()
	c.note(s.first, last.end)
	c.merged(&t.merged, runLanes)
	c.nextBits(t)
	for _, k := range t.under {
		c.RR(x86.AND, x86.S32, silentBits[k], rMask)
	}
	c.tripArms(t)
	c.silentTrip(t, top, done)
	c.Jmp(over)
	c.Bind(done)
	c.silentLate(t)
	c.Zero(rMask)
	c.Bind(over)
	c.title("some lanes, behind the trips from %d", s.first)
	c.count()
	back()
	c.endSilent(t, s)
}

// nextBits collects the lanes that run the next trip.
func (c *compiler) nextBits(t *trips) {
	row := t.merged.rows[len(t.merged.rows)-1].dst.row
	part := func(k int) loc {
		if row >= 0 {
			return vecAt(x86.Vec(row + k))
		}
		return loc{kind: inMem, m: x86.At(rCtx, saveRun+int32(32*k))}
	}
	a, b := c.alloc(), c.alloc()
	pack := func(d x86.Vec, k int) {
		l := part(k)
		x := l.v
		if l.kind == inMem {
			c.move(x86.W256, d, l.m)
			x = d
		}
		c.vvx(x86.VPACKSSDW, x86.W256, d, x, part(k+1))
	}
	pack(a, 0)
	pack(b, 2)
	c.VVV(x86.VPACKSSWB, x86.W256, a, a, b)
	c.move(x86.W256, b, c.constRow(tW, func(i int) uint64 { return uint64(i>>1 | i&1<<2) }))
	c.VVV(x86.VPERMD, x86.W256, a, b, a)
	c.RV(x86.VPMOVMSKB, x86.W256, t.setReg(setNext), a)
	c.release(temp(a))
	c.release(temp(b))
}

// silentTrip counts a trip and goes on with those who are left.
func (c *compiler) silentTrip(t *trips, top, done x86.Label) {
	next := t.setReg(setNext)
	c.RR(x86.POPCNT, x86.S32, x86.RCX, rMask)
	c.RI(x86.ADD, x86.S32, x86.RCX, tripUnit)
	c.MR(x86.ADD, x86.S64, tripLanes, x86.RCX)
	for k, x := range t.exits[:len(t.exits)-1] {
		if x.ops != t.exits[len(t.exits)-1].ops {
			c.exitLanes(t, x, x86.RCX)
			c.RR(x86.POPCNT, x86.S32, x86.RCX, x86.RCX)
			c.MR(x86.ADD, x86.S64, tripLeft(k), x86.RCX)
		}
	}
	c.RR(x86.MOV, x86.S32, x86.RAX, rMask)
	c.RR(x86.XOR, x86.S32, x86.RAX, next)
	c.Cmov(x86.NE, x86.S32, rLastFuel, rFuel)
	c.RR(x86.TEST, x86.S32, next, next)
	c.Jcc(x86.E, done)
	latch := t.exits[len(t.exits)-1]
	if latch.latch && !(latch.from == setRun && latch.rest == setNext) {
		c.exitLanes(t, latch, x86.RAX)
	}
	c.RR(x86.MOV, x86.S32, rMask, next)
	if latch.latch { // who leaves there leaves the trip unpaid
		c.RI(x86.CMP, x86.S32, x86.RAX, 1)
		c.RI(x86.SBB, x86.S32, rFuel, 0)
	} else {
		c.RI(x86.SUB, x86.S32, rFuel, 1)
	}
	c.Jcc(x86.G, top)
}

// exitLanes has those who leave by an exit in this trip.
func (c *compiler) exitLanes(t *trips, x tripExit, to x86.Reg) {
	c.RR(x86.MOV, x86.S32, to, t.setReg(x.from))
	if x.rest != setNone {
		c.RR(x86.XOR, x86.S32, to, t.setReg(x.rest))
	}
}

// silentLate takes back the steps of the last trip that nobody has come to.
func (c *compiler) silentLate(t *trips) {
	for _, l := range t.late {
		some := c.NewLabel()
		c.RR(x86.MOV, x86.S32, x86.RAX, rMask)
		for _, k := range l.exits {
			c.exitLanes(t, t.exits[k], x86.RCX)
			c.RR(x86.XOR, x86.S32, x86.RAX, x86.RCX)
		}
		c.RR(x86.TEST, x86.S32, x86.RAX, x86.RAX)
		c.Jcc(x86.NE, some)
		c.MI(x86.SUB, x86.S64, ctxSteps, l.steps)
		c.Bind(some)
	}
}

// endSilent counts what has been executed and lets those wait who have left; EBX has the others.
func (c *compiler) endSilent(t *trips, s *segment) {
	none := c.NewLabel()
	c.settleSilent(t)
	c.countSilent(t)
	c.flushArms(t)
	c.RM(x86.ADD, x86.S32, rFuel, tripAside)
	c.RM(x86.MOV, x86.S32, x86.R8, tripEntered)
	c.RR(x86.XOR, x86.S32, x86.R8, rMask)
	c.Jcc(x86.E, none)
	c.countLeft(t)
	c.RM(x86.ADD, x86.S32, rLastFuel, tripAside)
	c.RR(x86.MOV, x86.S32, x86.R10, rFuel)
	c.RR(x86.MOV, x86.S32, rFuel, rLastFuel)
	c.addPending(c.segs[t.exits[0].seg].pending, x86.R8)
	c.RR(x86.MOV, x86.S32, rFuel, x86.R10)
	c.Bind(none)
	c.RR(x86.TEST, x86.S32, rMask, rMask)
	c.Jcc(x86.E, c.skipTo(t.last+1))
	c.orGoOn(s)
}

// settleSilent makes NaNs canonical where lanes that have entered hold any.
func (c *compiler) settleSilent(t *trips) {
	if len(t.lazy) == 0 {
		return
	}
	c.RM(x86.MOV, x86.S32, x86.R8, tripEntered)
	c.setMask(x86.R8, kMask, saveRun)
	for i := range t.lazy {
		c.settleTrip(&t.lazy[i].dst)
	}
}

// countSilent counts the trips, and what those have executed who have gone on.
func (c *compiler) countSilent(t *trips) {
	free := c.NewLabel()
	c.RM(x86.CMP, x86.S32, rFuel, tripFrom)
	c.Jcc(x86.E, free)
	c.MI(x86.MOV, x86.S32, ctxLooped, 1)
	c.Bind(free)
	c.RM(x86.MOV, x86.S64, x86.RAX, tripLanes)
	c.RR(x86.MOV, x86.S64, x86.RCX, x86.RAX)
	c.RI(x86.SHR, x86.S64, x86.RCX, 24)
	c.RI(x86.AND, x86.S32, x86.RAX, tripUnit-1)
	c.RRI(x86.IMUL, x86.S64, x86.RAX, x86.RAX, t.ops)
	c.MR(x86.ADD, x86.S64, ctxOps, x86.RAX)
	c.RRI(x86.IMUL, x86.S64, x86.RCX, x86.RCX, t.steps)
	c.MR(x86.ADD, x86.S64, ctxSteps, x86.RCX)
}

// countLeft counts what the lanes in R8, who have left, have executed more than others.
func (c *compiler) countLeft(t *trips) {
	last := len(t.exits) - 1
	rest := t.exits[last].ops
	if rest != 0 {
		c.RR(x86.POPCNT, x86.S32, x86.RAX, x86.R8)
		c.RRI(x86.IMUL, x86.S64, x86.RAX, x86.RAX, rest)
		c.MR(x86.ADD, x86.S64, ctxOps, x86.RAX)
	}
	for k, x := range t.exits[:last] {
		if x.ops != rest {
			c.RM(x86.MOV, x86.S64, x86.RAX, tripLeft(k))
			c.RRI(x86.IMUL, x86.S64, x86.RAX, x86.RAX, x.ops-rest)
			c.MR(x86.ADD, x86.S64, ctxOps, x86.RAX)
		}
	}
}
