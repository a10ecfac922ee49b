package jit

// Assembling walks whose trips are known: all lanes' are counted in vectors, with what says whether loads at indices that go on stay
// inside, then each lane is a loop that ends with a number.

import (
	"math/bits"
	"unsafe"

	"ptxvm.invalid/ptxvm/internal/jit/x86"
	"ptxvm.invalid/ptxvm/internal/machine"
)

// walkTrip has the trips of each lane, walkLeft those of lanes that leave, and 0 of others.
var walkTrip, walkLeft = maxWalkRows, maxWalkRows + 1

// withWord is an operation of a vector and a word in memory.
func (c *compiler) withWord(op x86.Op, d, a x86.Vec, m x86.Mem) {
	if c.evex {
		c.VVM(op, c.full(), d, a, m.Bcast())
		return
	}
	t := c.alloc()
	c.broadcast(c.full(), tW, t, m)
	c.VVV(op, c.full(), d, a, t)
	c.release(temp(t))
}

// withConstant is an operation of a vector and a constant.
func (c *compiler) withConstant(op code, d, a x86.Vec, k uint32) {
	c.vvx(c.opFor(op, tW), c.full(), d, a, c.constant(tW, uint64(k)))
}

// operate is an operation of two vectors.
func (c *compiler) operate(op code, d, a, b x86.Vec) {
	c.VVV(c.opFor(op, tW), c.full(), d, a, b)
}

// rowIn brings the part of a row into a register, with all bits turned if it counts down.
func (c *compiler) rowIn(d x86.Vec, s *source, down bool) {
	have := c.operand(s)
	v := c.load(have, tW)
	if down {
		c.withConstant(cXor, d, v.v, ^uint32(0))
	} else {
		c.copy(c.full(), d, v.v)
	}
	c.unload(v, have)
	c.release(have)
}

// walkLengths counts the trips of the lanes in EBX, or goes to missed if somebody's cannot be. RDX has the table of bounds.
func (c *compiler) walkLengths(w *walk, missed x86.Label) {
	bad := c.alloc()
	c.zero(bad)
	c.eachPart(tW, func() {
		t, b := c.alloc(), c.alloc()
		c.zero(b)
		n := c.alloc()
		c.lengths(w, n, t, b)
		c.tripsOfLanes(n, t)
		c.release(temp(n))
		for k := range w.loads {
			if w.loads[k].row >= 0 {
				c.lengthInside(w, &w.loads[k], t, b)
			}
		}
		c.runningOnly(t, b)
		c.operate(cOr, bad, bad, t)
		c.release(temp(b))
		c.release(temp(t))
	})
	c.branchIfAny(bad, missed)
	c.release(temp(bad))
	c.MR(x86.MOV, x86.S32, walkStay, x86.R8)
}

// lengths leaves the trips that lanes have if nothing ends them in n, at most one more than longWalk, and bits in b where it does not know.
func (c *compiler) lengths(w *walk, n, t, b x86.Vec) {
	l := w.known
	c.rowIn(n, &w.rows[l.row].src, l.down)
	if !l.before {
		c.withConstant(cAdd, n, n, l.step)
	}
	c.lengthBound(w, t, b)
	if !l.not {
		most := cMaxU
		if l.signed {
			most = cMaxS
		}
		c.operate(most, t, t, n)
	}
	c.operate(cSub, n, t, n)
	c.withConstant(cMinU, n, n, longWalk*l.step)
	if l.step > 1 {
		c.withConstant(cAdd, n, n, l.step-1)
		c.VVI(x86.VPSRLD, c.full(), n, n, uint8(bits.TrailingZeros32(l.step)))
	}
	c.withConstant(cAdd, n, n, 1)
}

// lengthBound leaves the bound that the row stays below in t, and bits in b where the row could pass it.
func (c *compiler) lengthBound(w *walk, t, b x86.Vec) {
	l := w.known
	if l.bound < 0 {
		have := c.constant(tW, uint64(l.value+uint32(bit(l.upTo))))
		v := c.load(have, tW)
		c.copy(c.full(), t, v.v)
		c.unload(v, have)
		return
	}
	c.rowIn(t, &w.rows[l.bound].src, l.down)
	if last, near := l.last(); near {
		most := cMaxU
		if l.signed {
			most = cMaxS
		}
		c.withConstant(most, b, t, last)
		c.withConstant(cXor, b, b, last)
	}
	if l.upTo {
		c.withConstant(cAdd, t, t, 1)
	}
}

// tripsOfLanes makes n the trips of the lanes that run in this walk, 0 of others, and keeps them; who stays is collected in R8.
func (c *compiler) tripsOfLanes(n, t x86.Vec) {
	c.runningOnly(t, n)
	c.withWord(c.opFor(cMinU, tW), n, t, walkLimit)
	c.store(c.full(), walkCopy(walkTrip, int32(c.part*c.full().Bytes())), n)
	c.operate(cSub, t, n, t) // below 0 of those who stay
	if c.evex {
		c.KVV(x86.VPTESTMD, c.full(), x86.K5, t, t)
		c.collect(loc{kind: inK, k: x86.K5})
	} else {
		c.collect(loc{kind: inVec, v: t, elem: tW})
	}
	c.VVI(x86.VPSRAD, c.full(), t, t, 31)
	c.VVV(c.opOf([2][2]x86.Op{{x86.VPANDND}, {x86.VPANDN}}, tW), c.full(), t, t, n)
	c.store(c.full(), walkCopy(walkLeft, int32(c.part*c.full().Bytes())), t)
}

// runningOnly makes d what the lanes in EBX have of s, and 0 for others.
func (c *compiler) runningOnly(d, s x86.Vec) {
	if c.evex {
		c.zero(d)
		c.blend(c.full(), tW, d, s, runLanes)
		return
	}
	c.VVM(x86.VPAND, c.full(), d, s, x86.At(rCtx, saveRun+int32(4*c.part*c.lanes)))
}

// lengthInside leaves bits in b where a load is not inside in all trips; RDX has the table of bounds. The first index is, and so many
// behind it as the last trip has gone on.
func (c *compiler) lengthInside(w *walk, l *walkLoad, t, b x86.Vec) {
	at := func(field uintptr) x86.Mem { return c.boundsField(c.bounds[l.pc], field) }
	c.rowIn(t, &w.rows[l.row].src, false)
	c.withWord(c.opFor(cSub, tW), t, t, at(unsafe.Offsetof(machine.NativeBounds{}.Low)))
	last := c.alloc()
	c.broadcast(c.full(), tW, last, at(unsafe.Offsetof(machine.NativeBounds{}.Count)))
	c.withConstant(cAdd, last, last, ^uint32(0))
	c.above(b, t, last)
	c.operate(cSub, last, last, t)
	c.move(c.full(), t, walkCopy(walkTrip, int32(c.part*c.full().Bytes())))
	c.withConstant(cAdd, t, t, ^uint32(0))
	c.VVI(x86.VPSLLD, c.full(), t, t, uint8(log2(l.step)))
	c.above(b, t, last)
	c.release(temp(last))
}

// above leaves bits in b where x is above most.
func (c *compiler) above(b, x, most x86.Vec) {
	t := c.alloc()
	c.operate(cMaxU, t, x, most)
	c.operate(cXor, t, t, most)
	c.operate(cOr, b, b, t)
	c.release(temp(t))
}

// sumTrips adds the trips of all lanes, and finds those of who leaves last.
func (c *compiler) sumTrips() {
	sum, t := c.alloc(), c.alloc()
	for _, x := range []struct {
		row  int
		op   code
		to   x86.Mem
		size x86.Size
	}{{walkTrip, cAdd, walkSum, x86.S64}, {walkLeft, cMaxU, walkMost, x86.S32}} {
		c.eachPart(tW, func() {
			from := walkCopy(x.row, int32(c.part*c.full().Bytes()))
			if c.part == 0 {
				c.move(c.full(), sum, from)
			} else {
				c.VVM(c.opFor(x.op, tW), c.full(), sum, sum, from)
			}
		})
		c.across(c.opFor(x.op, tW), sum, t)
		c.RV(x86.VMOVD, x86.W128, x86.RAX, sum)
		c.MR(x86.MOV, x.size, x.to, x86.RAX)
	}
	c.release(temp(t))
	c.release(temp(sum))
}

// nextKnown lets the next lane begin, which is kept in memory.
func (c *compiler) nextKnown(w *walk, done x86.Label, keep x86.Mem) {
	c.nextLane(done, keep)
	c.RM(x86.MOV, x86.S32, w.count, walkCopyOf(walkTrip))
	c.RM(x86.MOV, x86.S32, x86.RAX, walkCopyOf(walkLeft))
	c.markEnd()
	c.startRows(w)
	c.walkSteps(w)
}

// walkCopyOf is the element of the lane in RCX.
func walkCopyOf(k int) x86.Mem {
	from := walkCopy(k, 0)
	return from.With(x86.RCX, 4)
}

// knownTrips assembles the trips of all lanes, one after the other.
func (c *compiler) knownTrips(w *walk, done, missed x86.Label) {
	next, top := c.NewLabel(), c.NewLabel()
	c.Bind(next)
	c.nextKnown(w, done, walkLane)
	c.Bind(top)
	c.knownTrip(w, missed)
	c.Jcc(x86.NE, top)
	c.storeWalk(w)
	c.Jmp(next)
}

// knownTrip assembles a trip; behind the last one the flags say that two numbers are equal.
func (c *compiler) knownTrip(w *walk, missed x86.Label) {
	c.walkValues(w, missed)
	c.walkMoves(w)
	c.RI(x86.ADD, x86.S64, w.count, 1)
}

// storeLane writes the rows of the lane in memory.
func (c *compiler) storeLane(w *walk, keep x86.Mem) {
	c.RM(x86.MOV, x86.S32, x86.RCX, keep)
	c.storeWalk(w)
}

// passRows makes rows that pass what they are behind the walk.
func (c *compiler) passRows(w *walk) {
	for k := range w.rows {
		x := &w.rows[k]
		if !x.passes {
			continue
		}
		c.eachPart(tW, func() {
			n, t := c.alloc(), c.alloc()
			c.move(c.full(), n, walkCopy(walkTrip, int32(c.part*c.full().Bytes())))
			if x.by != 1 {
				c.withConstant(cMul, n, n, x.by)
			}
			c.rowIn(t, &x.src, false)
			c.operate(cAdd, t, t, n)
			c.write(vecAt(t), tW, &x.src, allLanes)
			c.release(temp(t))
			c.release(temp(n))
		})
	}
}
