package jit

// Assembling loops that lanes leave one after the other. A trip is its program, a test whether somebody leaves, and
// one of the fuel; everything else is done when somebody does, or when the fuel that is left for
// the next look at the clock is used.

import (
	"math/bits"

	"ptxvm.invalid/ptxvm/internal/jit/x86"
	"ptxvm.invalid/ptxvm/internal/machine/abi"
)

// tripLoop assembles the loop for the lanes in EBX, none of which is all lanes that there are.
func (c *compiler) tripLoop(t *trips) {
	s, last := &c.segs[t.first], &c.segs[t.last]
	top := c.NewLabel()
	c.startTrips(t, s)
	spent := c.later(func() { c.spentTrips(t, s) })
	c.Bind(top)
	c.title("some lanes, a trip from %d", s.first)
	c.count()
	c.note(s.first, last.end)
	c.merged(&t.merged, runLanes)
	c.tripMasks(t)
	c.tripArms(t)
	if len(t.exits) > 0 {
		c.anyLeaves(t)
		c.Jcc(x86.NE, c.later(func() { c.leaveTrips(t, top, spent) }))
	}
	c.RI(x86.SUB, x86.S32, rFuel, 1)
	c.Jcc(x86.G, top)
	c.Jmp(spent)
}

// startTrips puts so much fuel aside that the clock is looked at in time, unless lanes wait: then they run until theirs
// is used (ifNobodyWaits).
func (c *compiler) startTrips(t *trips, s *segment) {
	enough := c.NewLabel()
	c.MI(x86.MOV, x86.S32, tripAside, 0)
	for k := range t.arms {
		c.MI(x86.MOV, x86.S64, tripCount(k), 0)
	}
	c.ifNobodyWaits(enough)
	steps := c.segs[t.last].end - s.first
	c.RM(x86.MOV, x86.S64, x86.RCX, batchBudget)
	c.RM(x86.SUB, x86.S64, x86.RCX, ctxSteps)
	c.Zero(x86.RAX)
	c.RR(x86.TEST, x86.S64, x86.RCX, x86.RCX)
	c.Cmov(x86.L, x86.S64, x86.RCX, x86.RAX)
	c.RI(x86.SHR, x86.S64, x86.RCX, int32(bits.Len32(uint32(steps))))
	c.R(x86.INC, x86.S64, x86.RCX)
	c.RR(x86.MOV, x86.S32, x86.RAX, rFuel)
	c.RR(x86.SUB, x86.S32, x86.RAX, x86.RCX)
	c.Jcc(x86.LE, enough)
	c.MR(x86.MOV, x86.S32, tripAside, x86.RAX)
	c.RR(x86.MOV, x86.S32, rFuel, x86.RCX)
	c.Bind(enough)
	c.MR(x86.MOV, x86.S32, tripFrom, rFuel)
}

// tripMasks writes the predicates of a trip.
func (c *compiler) tripMasks(t *trips) {
	for k := range t.merged.masks {
		if off := t.merged.masks[k].off; off != noRow {
			c.writeMask(off, maskBits[k], runLanes)
		}
	}
}

// tripArms counts the ways that lanes take in a trip, and the lanes where that matters.
func (c *compiler) tripArms(t *trips) {
	for k, a := range t.arms {
		lanes := maskBits[a.bit]
		if a.ops != 0 {
			c.RR(x86.POPCNT, x86.S32, x86.RCX, lanes)
			c.MR(x86.ADD, x86.S64, tripCount(k), x86.RCX)
			continue
		}
		if a.rest {
			c.RR(x86.MOV, x86.S32, x86.RCX, lanes)
			c.RR(x86.XOR, x86.S32, x86.RCX, rMask)
			lanes = x86.RCX
		}
		c.RI(x86.CMP, x86.S32, lanes, 1) // carry: nobody
		c.MI(x86.SBB, x86.S32, tripCount(k), -1)
	}
}

// flushArms adds what tripArms has counted.
func (c *compiler) flushArms(t *trips) {
	for k, a := range t.arms {
		to, n := ctxSteps, a.steps
		if a.ops != 0 {
			to, n = ctxOps, a.ops
		}
		c.RM(x86.MOV, x86.S64, x86.RAX, tripCount(k))
		c.RRI(x86.IMUL, x86.S64, x86.RAX, x86.RAX, n)
		c.MR(x86.ADD, x86.S64, to, x86.RAX)
	}
}

// anyLeaves tests whether a lane has left in this trip.
func (c *compiler) anyLeaves(t *trips) {
	all := maskBits[t.exits[0].bit]
	if len(t.exits) > 1 {
		c.RR(x86.MOV, x86.S32, x86.RAX, all)
		for _, x := range t.exits[1:] {
			c.RR(x86.OR, x86.S32, x86.RAX, maskBits[x.bit])
		}
		all = x86.RAX
	}
	c.RR(x86.TEST, x86.S32, all, all)
}

// countTrips counts what the lanes in EBX have executed in trips that cost fuel, and in one that did not if free.
func (c *compiler) countTrips(t *trips, free bool) {
	none := c.NewLabel()
	c.RM(x86.MOV, x86.S32, x86.RCX, tripFrom)
	c.RR(x86.SUB, x86.S32, x86.RCX, rFuel)
	c.Jcc(x86.E, none)
	c.MI(x86.MOV, x86.S32, ctxLooped, 1)
	c.Bind(none)
	if free {
		c.R(x86.INC, x86.S32, x86.RCX)
	}
	c.MR(x86.MOV, x86.S32, tripFrom, rFuel)
	c.RR(x86.POPCNT, x86.S32, x86.RAX, rMask)
	c.RR(x86.IMUL, x86.S64, x86.RAX, x86.RCX)
	c.RRI(x86.IMUL, x86.S64, x86.RAX, x86.RAX, t.ops)
	c.MR(x86.ADD, x86.S64, ctxOps, x86.RAX)
	c.RRI(x86.IMUL, x86.S64, x86.RCX, x86.RCX, t.steps)
	c.MR(x86.ADD, x86.S64, ctxSteps, x86.RCX)
}

// leaveTrips lets those wait who have left, and goes on with the others.
func (c *compiler) leaveTrips(t *trips, top, spent x86.Label) {
	nobody := c.NewLabel()
	c.settleTrips(t, false)
	c.waitOutside(t)
	mayPay := c.payTrip(t)
	c.correctExits(t)
	for _, x := range t.exits {
		c.RR(x86.XOR, x86.S32, rMask, maskBits[x.bit])
	}
	c.RR(x86.TEST, x86.S32, rMask, rMask)
	c.Jcc(x86.E, nobody)
	c.setMask(rMask, kMask, saveRun)
	if mayPay {
		c.RR(x86.TEST, x86.S32, rFuel, rFuel)
		c.Jcc(x86.LE, spent)
	}
	c.Jmp(top)
	c.Bind(nobody)
	c.flushArms(t)
	c.Jmp(c.skipTo(t.last + 1))
}

// settleTrips makes the NaNs of the lanes in EBX canonical, in rows that lanes behind the loop look at, or in all.
func (c *compiler) settleTrips(t *trips, all bool) {
	for i := range t.lazy {
		d := &t.lazy[i].dst
		if d.any && !all {
			continue
		}
		c.settleTrip(d)
	}
}

// settleTrip is settleTrips for one row.
func (c *compiler) settleTrip(d *source) {
	c.eachPart(tW, func() {
		l := c.operand(d)
		v := c.canon(l, c.alloc)
		c.write(v, tW, d, runLanes)
		c.release(v)
		c.release(l)
	})
}

// waitOutside makes the lanes that leave wait where they go, with the fuel that they had in this trip.
func (c *compiler) waitOutside(t *trips) {
	c.RM(x86.ADD, x86.S32, rFuel, tripAside)
	for _, x := range t.exits {
		none := c.NewLabel()
		if len(t.exits) > 1 {
			c.RR(x86.TEST, x86.S32, maskBits[x.bit], maskBits[x.bit])
			c.Jcc(x86.E, none)
		}
		c.addPending(c.segs[x.seg].pending, maskBits[x.bit])
		c.Bind(none)
	}
	c.RM(x86.SUB, x86.S32, rFuel, tripAside)
}

// payTrip counts a trip that some lanes leave. It costs fuel if all lanes that have come to its end go back; true if
// that may be.
func (c *compiler) payTrip(t *trips) bool {
	free, done, may := c.NewLabel(), c.NewLabel(), false
	c.RR(x86.MOV, x86.S32, x86.RAX, rMask)
	for _, x := range t.exits {
		may = may || !x.latch
		c.RR(x86.XOR, x86.S32, x86.RAX, maskBits[x.bit])
	}
	if may {
		c.RR(x86.TEST, x86.S32, x86.RAX, x86.RAX)
		c.Jcc(x86.E, free)
		for _, x := range t.exits {
			if x.latch {
				c.RR(x86.TEST, x86.S32, maskBits[x.bit], maskBits[x.bit])
				c.Jcc(x86.NE, free)
			}
		}
		c.RI(x86.SUB, x86.S32, rFuel, 1)
		c.countTrips(t, false)
		c.Jmp(done)
	}
	c.Bind(free)
	c.countTrips(t, true)
	c.Bind(done)
	return may
}

// correctExits takes back what those have not executed who left in this trip, and what nobody has come to.
func (c *compiler) correctExits(t *trips) {
	for _, x := range t.exits {
		if x.ops != 0 {
			c.RR(x86.POPCNT, x86.S32, x86.RAX, maskBits[x.bit])
			c.RRI(x86.IMUL, x86.S64, x86.RAX, x86.RAX, x.ops)
			c.MR(x86.ADD, x86.S64, ctxOps, x86.RAX)
		}
	}
	for _, l := range t.late {
		some := c.NewLabel()
		c.RR(x86.MOV, x86.S32, x86.RAX, rMask)
		for _, k := range l.exits {
			c.RR(x86.XOR, x86.S32, x86.RAX, maskBits[t.exits[k].bit])
		}
		c.RR(x86.TEST, x86.S32, x86.RAX, x86.RAX)
		c.Jcc(x86.NE, some)
		c.MI(x86.SUB, x86.S64, ctxSteps, l.steps)
		c.Bind(some)
	}
}

// spentTrips gives way, goes on, or looks at the clock when the fuel is used that was not put aside.
func (c *compiler) spentTrips(t *trips, s *segment) {
	c.settleTrips(t, true)
	c.countTrips(t, false)
	c.flushArms(t)
	c.RM(x86.ADD, x86.S32, rFuel, tripAside)
	c.orGoOn(s)
}

// orGoOn is spentTrips without what a trip has left to do.
func (c *compiler) orGoOn(s *segment) {
	some := c.NewLabel()
	c.RR(x86.TEST, x86.S32, rFuel, rFuel)
	c.Jcc(x86.G, some)
	c.Zero(rFuel)
	c.partExit(s.first, 0, abi.FuelOut)
	c.Bind(some)
	c.RM(x86.MOV, x86.S64, x86.RCX, ctxSteps)
	c.RM(x86.CMP, x86.S64, x86.RCX, batchBudget)
	c.Jcc(x86.BE, s.stay)
	c.ifNobodyWaits(s.stay)
	c.partExit(s.first, 0, abi.Polled)
}
