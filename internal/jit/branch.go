package jit

// Branches and exits of lanes.

import (
	"slices"

	"ptxvm.invalid/ptxvm/internal/jit/x86"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/abi"
)

// branch assembles bra; true if control does not come behind it.
func (c *compiler) branch(i int, pc int32, masked bool) bool {
	in := &c.insts[pc]
	to := int32(in.Imm)
	if in.Guard == machine.NoGuard {
		c.take(i, pc, to, masked)
		return true
	}
	c.parting(i, pc, to, masked)
	c.goOn(i, masked)
	return true
}

// parting assembles a guarded branch whose lanes may part.
func (c *compiler) parting(i int, pc, to int32, masked bool) {
	c.loadGuard(&c.insts[pc], masked)
	if masked {
		c.RR(x86.CMP, x86.S32, rGuard, rMask)
	} else {
		c.RI(x86.CMP, x86.S32, rGuard, -1)
	}
	if to <= pc { // a loop goes on more often than not
		others := c.NewLabel()
		c.Jcc(x86.NE, others)
		c.take(i, pc, to, masked)
		c.Bind(others)
	} else {
		c.Jcc(x86.E, c.later(func() { c.take(i, pc, to, masked) }))
	}
	c.RR(x86.TEST, x86.S32, rGuard, rGuard)
	c.Jcc(x86.NE, c.later(func() {
		c.uncountOthers(masked)
		c.separate(i, pc, to, masked)
	}))
	c.uncountAll(masked)
}

// uncountAll takes the running lanes from the count: none of them takes a branch.
func (c *compiler) uncountAll(masked bool) {
	if !masked {
		c.MI(x86.SUB, x86.S64, ctxOps, 32)
		return
	}
	c.RR(x86.POPCNT, x86.S32, x86.RCX, rMask)
	c.MR(x86.SUB, x86.S64, ctxOps, x86.RCX)
}

// uncountOthers takes those of the running lanes from the count that are not in R9.
func (c *compiler) uncountOthers(masked bool) {
	c.countExcluded(masked)
	c.MR(x86.SUB, x86.S64, ctxOps, x86.RCX)
}

// goOn continues with the next segment.
func (c *compiler) goOn(i int, masked bool) {
	if s := &c.segs[i]; i+1 >= len(c.segs) || c.segs[i+1].first != s.end {
		c.behindSegment(s.end, masked)
	} // else it follows
}

// take sends all running lanes to a pc.
func (c *compiler) take(i int, pc, to int32, masked bool) {
	t := c.segAt[to]
	if to <= pc {
		if c.insts[pc].Flags&machine.QuietLoop != 0 {
			c.MI(x86.MOV, x86.S32, ctxLooped, 1)
			c.RI(x86.SUB, x86.S32, rFuel, 1)
		} else {
			c.RM(x86.SUB, x86.S32, rFuel, ctxPollFuel)
		}
		c.Jcc(x86.LE, c.later(func() {
			c.Zero(rFuel)
			if masked {
				c.partExit(to, 0, abi.FuelOut)
			} else {
				c.inBatch(c.later(func() { c.giveWay(t, to) }))
				c.fullExit(to, 0, abi.FuelOut)
			}
		}))
		c.poll(i, to, masked)
		c.Jmp(c.label(t, masked))
		return
	}
	if masked {
		c.forward(i, t)
		return
	}
	c.Jmp(c.segs[t].full)
}

// poll returns to the machine from a back edge when it is time to.
func (c *compiler) poll(i int, to int32, masked bool) {
	c.RM(x86.MOV, x86.S64, x86.RCX, ctxSteps)
	if !masked {
		c.RR(x86.ADD, x86.S64, x86.RCX, rSteps)
	}
	c.RM(x86.CMP, x86.S64, x86.RCX, batchBudget)
	c.Jcc(x86.A, c.later(func() {
		if !masked {
			c.fullExit(to, 0, abi.Polled)
			return
		}
		c.ifNobodyWaits(c.label(c.segAt[to], true))
		c.partExit(to, 0, abi.Polled)
	}))
}

// ifNobodyWaits goes to a label if lanes are pending: what is left with lanes at several places cannot be
// entered again, so they use up their fuel first.
func (c *compiler) ifNobodyWaits(other x86.Label) {
	c.RR(x86.TEST, x86.S64, rPending, rPending)
	c.Jcc(x86.NE, other)
	n := 0
	for i := range c.segs {
		n = max(n, c.segs[i].pending+1)
	}
	for word := 64; word < min(n, maxPending); word += 64 {
		c.MI(x86.CMP, x86.S64, pendingWord(word), 0)
		c.Jcc(x86.NE, other)
	}
}

func (c *compiler) label(t int, masked bool) x86.Label {
	if masked {
		return c.segs[t].part
	}
	return c.segs[t].full
}

// forward sends the running lanes to a later segment: past others only if nobody is pending there.
func (c *compiler) forward(i, t int) {
	var between [maxPending/64 + 1]uint64
	for k := i + 1; k < t; k++ {
		if c.canWait(k) {
			between[c.segs[k].pending/64] |= 1 << (c.segs[k].pending % 64)
		}
	}
	if !c.canWait(t) { // nothing goes by
		c.partExit(c.segs[t].first, 0, 0)
		return
	}
	somebody := x86.Label(0)
	for word, bits := range between {
		if bits == 0 {
			continue
		}
		if somebody == 0 {
			somebody = c.NewLabel()
		}
		c.MovImm(x86.RAX, bits)
		if word == 0 {
			c.RR(x86.TEST, x86.S64, rPending, x86.RAX)
		} else {
			c.MR(x86.TEST, x86.S64, pendingWord(64*word), x86.RAX)
		}
		c.Jcc(x86.NE, somebody)
	}
	c.Jmp(c.segs[t].part)
	if somebody == 0 {
		return
	}
	c.Bind(somebody)
	c.addPending(c.segs[t].pending, rMask)
	c.Zero(rMask)
	c.Jmp(c.skipTo(i + 1))
}

// meetsAhead reports whether lanes that part at a branch may go on by their pcs, the smallest first, until they meet: the place where
// they do is behind the branch, and no way there begins behind that. One that does never comes there: its lanes end (ir.Block.IPDom),
// and the others, who may be there at once, wait for that, as slots are theirs alone from there on.
func meetsAhead(in *machine.Inst, pc int32, ways ...int32) bool {
	meet := int32(in.D)
	return meet > pc && !slices.ContainsFunc(ways, func(to int32) bool { return to > meet })
}

// separate separates the lanes in R9, which take a branch, from the others.
func (c *compiler) separate(i int, pc, to int32, masked bool) {
	in, next := &c.insts[pc], i+1
	t := c.segAt[to]
	follows := next < len(c.segs) && c.segs[next].first == pc+1
	if c.opt.Whole {
		c.uncountBranch(masked)
		c.fullExit(pc, 1, abi.Parted)
		return
	}
	if !meetsAhead(in, pc, to) || !follows || !c.canWait(t) || !c.canWait(next) {
		c.uncountBranch(masked)
		c.exit(pc, masked, 1)
		return
	}
	if !masked {
		c.apart(pc)
	}
	c.RR(x86.XOR, x86.S32, rMask, rGuard) // those that go on
	if to > pc {
		c.addPending(c.segs[t].pending, rGuard)
		c.Jmp(c.segs[next].part)
		return
	}
	c.addPending(c.segs[next].pending, rMask)
	c.RR(x86.MOV, x86.S32, rMask, rGuard)
	c.Jmp(c.segs[t].part)
}

// apart goes over from code for full warps to code for some lanes, before an instruction.
func (c *compiler) apart(pc int32) {
	c.spreadRows(pc)
	c.flushSteps()
	c.MovImm(rMask, 0xffffffff)
}

// canWait tells whether lanes can be pending for a segment.
func (c *compiler) canWait(i int) bool {
	return c.segs[i].pending >= 0 && c.segs[i].pending < maxPending
}

// uncountBranch takes back what uncountOthers has subtracted.
func (c *compiler) uncountBranch(masked bool) {
	c.countExcluded(masked)
	c.MR(x86.ADD, x86.S64, ctxOps, x86.RCX)
}

// countExcluded leaves in RCX the number of running lanes that are not in R9.
func (c *compiler) countExcluded(masked bool) {
	if masked {
		c.RR(x86.MOV, x86.S32, x86.RCX, rMask)
		c.RR(x86.XOR, x86.S32, x86.RCX, rGuard)
	} else {
		c.RR(x86.MOV, x86.S32, x86.RCX, rGuard)
		c.R(x86.NOT, x86.S32, x86.RCX)
	}
	c.RR(x86.POPCNT, x86.S32, x86.RCX, x86.RCX)
}

// leave assembles exit, which ends the lanes that execute it.
func (c *compiler) leave(i int, pc int32, masked bool) bool {
	in := &c.insts[pc]
	if in.Guard == machine.NoGuard {
		if masked {
			c.MR(x86.OR, x86.S32, ctxExited, rMask)
			c.Zero(rMask)
			c.Jmp(c.skipTo(i + 1))
		} else {
			c.inBatch(c.batch.ended)
			c.MI(x86.MOV, x86.S32, ctxExited, -1)
			c.flushSteps()
			c.ret()
		}
		return true
	}
	c.leaving(i, pc, masked)
	c.goOn(i, masked)
	return true
}

// leaving assembles an exit of the lanes that its guard leaves.
func (c *compiler) leaving(i int, pc int32, masked bool) {
	c.loadGuard(&c.insts[pc], masked)
	some := c.later(func() {
		if c.opt.Whole {
			c.fullExit(pc, 1, abi.Parted)
			return
		}
		c.uncountOthers(masked)
		c.MR(x86.OR, x86.S32, ctxExited, rGuard)
		if !masked {
			c.apart(pc)
		}
		c.RR(x86.XOR, x86.S32, rMask, rGuard)
		c.afterExit(i)
	})
	c.RR(x86.TEST, x86.S32, rGuard, rGuard)
	c.Jcc(x86.NE, some)
	c.uncountAll(masked)
}

// afterExit goes on with the lanes that are left behind an exit.
func (c *compiler) afterExit(i int) {
	s := &c.segs[i]
	if i+1 < len(c.segs) && c.segs[i+1].first == s.end {
		c.Jmp(c.segs[i+1].part)
		return
	}
	nobody := c.skipTo(i + 1)
	c.RR(x86.TEST, x86.S32, rMask, rMask)
	c.Jcc(x86.E, nobody)
	c.partExit(s.end, 0, 0)
}
