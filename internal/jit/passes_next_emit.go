package jit

// The code of turns for the next warps: what takes what another warp has run stands in front of a loop's passes, what runs
// them behind their tests.

import (
	"slices"
	"unsafe"

	"ptxvm.invalid/ptxvm/internal/jit/x86"
	"ptxvm.invalid/ptxvm/internal/machine"
)

func nextAt(off uintptr) x86.Mem { return ctxAt(unsafe.Offsetof(machine.NativeState{}.Next) + off) }

var (
	nextLeft  = nextAt(unsafe.Offsetof(machine.NativeNext{}.Left))
	nextTries = nextAt(unsafe.Offsetof(machine.NativeNext{}.Tries))
	nextMost  = nextAt(unsafe.Offsetof(machine.NativeNext{}.Most))
	nextLoop  = nextAt(unsafe.Offsetof(machine.NativeNext{}.Loop))
	nextPlace = nextAt(unsafe.Offsetof(machine.NativeNext{}.At))
	nextRan   = nextAt(unsafe.Offsetof(machine.NativeNext{}.Turns))
	nextKeys  = nextAt(unsafe.Offsetof(machine.NativeNext{}.Keys))
	nextRows  = nextAt(unsafe.Offsetof(machine.NativeNext{}.Rows))
	nextSums  = nextAt(unsafe.Offsetof(machine.NativeNext{}.Sums))

	// While turns are run: behind the rates.
	nextWarpsAt = x86.At(rCtx, saveRow+8*(maxRates+1))
	nextLeftAt  = x86.At(rCtx, saveRow+8*(maxRates+2))
	nextSteps   = x86.At(rCtx, saveRow+8*(maxRates+3))
)

// tries is how many warps may come with other numbers behind each other.
const tries = 4

// take goes to done with what another warp has run for this one, if it has.
func (n *nextWarps) take(done x86.Label) {
	c := n.compiler
	c.Bind(n.enter)
	c.title("turns that another warp has run, from %d", n.s.first)
	c.count()
	c.MI(x86.CMP, x86.S32, nextLeft, 0)
	c.Jcc(x86.E, n.miss)
	c.RM(x86.LEA, x86.S64, x86.RAX, x86.AtLabel(n.enter))
	c.RM(x86.CMP, x86.S64, x86.RAX, nextLoop)
	c.Jcc(x86.NE, n.miss)
	n.anew(n.s.body)
	for i, k := range n.keys {
		c.RM(x86.MOV, k.size, x86.RAX, k.at)
		c.RM(x86.CMP, k.size, x86.RAX, nextKeys.Plus(int32(8*i)))
		c.Jcc(x86.NE, n.miss)
	}
	n.sameRows()
	passed := c.later(func() { n.consume(); c.Jmp(n.miss) })
	c.RM(x86.MOV, x86.S64, x86.RCX, nextRan)
	c.RR(x86.CMP, x86.S32, x86.RCX, rFuel)
	c.Jcc(x86.G, passed)
	n.untilPoll(n.s, passed)
	c.RR(x86.CMP, x86.S64, x86.RAX, x86.RCX)
	c.Jcc(x86.L, passed)
	c.title("a warp takes its turns")
	c.count()
	n.takeRows()
	n.consume()
	n.behind(n.s, nextRan)
	for _, b := range c.bcast {
		if b.key.slot {
			c.loadValue(b.key, b.v)
		}
	}
	c.Jmp(done)
	c.Bind(n.miss)
}

// sameRows goes to miss unless the rows are those that turns have been run for.
func (n *nextWarps) sameRows() {
	c := n.compiler
	sum, v := c.alloc(), c.alloc()
	w := c.full()
	for i, off := range n.rows {
		n.eachPartOf(off, func(part int, has x86.Vec, ok bool, home x86.Mem) {
			to := v
			if i+part == 0 {
				to = sum
			}
			if !ok {
				c.move(w, v, home)
				has = v
			}
			c.VVM(c.opFor(cXor, tW), w, to, has, nextRows.Plus(int32(128*i+part*w.Bytes())))
			if to == v {
				c.VVV(c.opFor(cOr, tW), w, sum, sum, v)
			}
		})
	}
	c.branchIfAny(sum, n.miss)
	c.release(temp(sum))
	c.release(temp(v))
}

// takeRows takes the rows of the next warp.
func (n *nextWarps) takeRows() {
	c := n.compiler
	v := c.alloc()
	w := c.full()
	c.RM(x86.MOV, x86.S64, x86.RAX, nextPlace)
	for i, off := range n.t.carried {
		n.eachPartOf(off, func(part int, has x86.Vec, ok bool, home x86.Mem) {
			from := x86.At(x86.RAX, int32(128*i+part*w.Bytes())).By(inHost)
			if ok {
				c.move(w, has, from)
				return
			}
			c.move(w, v, from)
			c.store(w, home, v)
		})
	}
	c.release(temp(v))
}

// eachPartOf visits the registers of a row, if it has some, and where it is else.
func (n *nextWarps) eachPartOf(off uint32, visit func(part int, v x86.Vec, ok bool, home x86.Mem)) {
	row, ok := n.compiler.row.of(off)
	bytes := n.full().Bytes()
	for part := range 128 / bytes {
		visit(part, x86.Vec(row+part), ok, n.regs(off+uint32(part*bytes)))
	}
}

// consume goes on to what the warp behind the next one must bring. When all have come it may be run for more.
func (n *nextWarps) consume() {
	c := n.compiler
	for i, k := range n.keys {
		if k.by != 0 {
			c.MI(x86.ADD, k.size, nextKeys.Plus(int32(8*i)), int32(k.by))
		}
	}
	c.MI(x86.ADD, x86.S64, nextPlace, int32(128*len(n.t.carried)))
	c.MI(x86.MOV, x86.S32, nextTries, tries)
	c.MI(x86.SUB, x86.S32, nextLeft, 1)
	more := c.NewLabel()
	c.Jcc(x86.NE, more)
	c.MI(x86.MOV, x86.S32, nextMost, machine.NativeNextWarps)
	c.Bind(more)
}

// lead runs the turns for this warp and the next ones, if what the numbers will be is inside, and goes back to take.
// RBX is free: no code for whole warps looks at the mask.
func (n *nextWarps) lead() {
	c, plain := n.compiler, n.NewLabel()
	c.title("turns for the next warps, from %d", n.s.first)
	c.count()
	n.worth(plain)
	n.readsOnly(plain)
	n.howMany(plain)
	n.common(plain)
	n.insideAll(plain)
	c.storeRows(c.liveRows(n.s.first))
	n.begins()
	n.apart(func() {
		n.first = 0
		n.begin()
		n.turns()
	})
	n.reload(n.s.first)
	c.Jmp(n.enter)
	c.Bind(plain)
}

// worth goes to plain where nobody may follow, where others are still to take what has been run, or turns are near each other.
func (n *nextWarps) worth(plain x86.Label) {
	c, free := n.compiler, n.NewLabel()
	c.MI(x86.CMP, x86.S64, batchWarp, 0)
	c.Jcc(x86.E, plain)
	if !n.wide.fixed() {
		c.RM(x86.MOV, x86.S64, x86.RAX, n.rateAt(*n.wide))
		c.RI(x86.ADD, x86.S64, x86.RAX, nextStride-1)
		c.RI(x86.CMP, x86.S64, x86.RAX, 2*(nextStride-1))
		c.Jcc(x86.BE, plain)
	}
	c.MI(x86.CMP, x86.S32, nextLeft, 0)
	c.Jcc(x86.E, free)
	c.MI(x86.SUB, x86.S32, nextTries, 1)
	c.Jcc(x86.G, plain)
	c.MI(x86.MOV, x86.S32, nextLeft, 0)
	c.RM(x86.MOV, x86.S32, x86.RAX, nextMost)
	c.RI(x86.SHR, x86.S32, x86.RAX, 1)
	c.MR(x86.MOV, x86.S32, nextMost, x86.RAX)
	c.Bind(free)
}

// readsOnly goes to plain where the kernel has written to what the loop loads.
func (n *nextWarps) readsOnly(plain x86.Label) {
	start := unsafe.Offsetof(machine.NativeBounds{}.Start)
	n.RM(x86.MOV, x86.S64, x86.RDX, ctxBounds)
	for i := range n.t.bases {
		n.RM(x86.MOV, x86.S64, x86.RAX, n.boundsField(n.t.bases[i].bound, start))
		for _, to := range n.to {
			n.RM(x86.CMP, x86.S64, x86.RAX, n.boundsField(to, start))
			n.Jcc(x86.E, plain)
		}
	}
}

// howMany decides for how many warps: as many as will come in this batch, so that it does not take too long.
func (n *nextWarps) howMany(plain x86.Label) {
	c := n.compiler
	c.RM(x86.MOV, x86.S32, x86.RAX, batchLater)
	c.RR(x86.POPCNT, x86.S32, x86.RAX, x86.RAX)
	c.RM(x86.MOV, x86.S32, x86.RCX, batchAll)
	c.RR(x86.POPCNT, x86.S32, x86.RCX, x86.RCX)
	c.RM(x86.MOV, x86.S32, x86.RDX, batchCTAs)
	c.RR(x86.IMUL, x86.S64, x86.RCX, x86.RDX)
	c.RM(x86.LEA, x86.S64, x86.RCX, x86.AtIndex(x86.RCX, x86.RAX, 1, 1))
	c.RM(x86.MOV, x86.S32, x86.RAX, nextMost)
	n.limit()
	c.MovImm(x86.RAX, uint64(nextWork/int(n.s.end-n.s.first)))
	c.Zero(x86.RDX)
	c.M(x86.DIV, x86.S64, turnsLeft)
	n.limit()
	c.RI(x86.CMP, x86.S64, x86.RCX, 2)
	c.Jcc(x86.L, plain)
	c.MR(x86.MOV, x86.S64, nextWarpsAt, x86.RCX)
}

// common lowers the number of turns to what all of them have; to plain if that leaves this warp many.
func (n *nextWarps) common(plain x86.Label) {
	c, v := n.compiler, n.t.counter.v
	if by, _ := n.key(v); by != 0 {
		c.RM(x86.MOV, x86.S64, x86.RBX, nextWarpsAt)
		c.RI(x86.SUB, x86.S64, x86.RBX, 1)
		c.RRI(x86.IMUL, x86.S64, x86.RBX, x86.RBX, int32(by))
		n.divide(true, plain)
		c.RI(x86.ADD, x86.S64, x86.RCX, 1)
		c.RI(x86.CMP, x86.S64, x86.RCX, leastTurns)
		c.Jcc(x86.L, plain)
		c.RM(x86.MOV, x86.S64, x86.RAX, turnsLeft)
		c.RR(x86.SUB, x86.S64, x86.RAX, x86.RCX)
		c.RI(x86.CMP, x86.S64, x86.RAX, leastTurns)
		c.Jcc(x86.AE, plain) // below 0: the fuel does not last as long
		c.MR(x86.MOV, x86.S64, turnsLeft, x86.RCX)
	}
}

// insideAll goes to plain unless all addresses of the last of the warps are inside, too: those between are.
func (n *nextWarps) insideAll(plain x86.Label) {
	n.toLast()
	n.eachWidening(func(w *widening, run int) {
		if by, _ := n.key(&w.src); by != 0 {
			n.widens(w, run, by, plain)
		}
	})
	for i := range n.t.bases {
		b := &n.t.bases[i]
		if by, _ := n.key(&b.src); by != 0 {
			n.RM(x86.MOV, x86.S64, x86.RDX, ctxBounds)
			n.test(b, 0, by, plain)
		}
	}
}

// toFarthest makes of a number in RAX that of the last of the next warps, or goes to other.
func (k *turning) toFarthest(by int64, other x86.Label) {
	k.RM(x86.MOV, x86.S64, x86.R10, nextWarpsAt)
	k.RI(x86.SUB, x86.S64, x86.R10, 1)
	k.RRI(x86.IMUL, x86.S64, x86.R10, x86.R10, int32(by))
	k.RR(x86.ADD, x86.S64, x86.RAX, x86.R10)
	k.Jcc(x86.O, other)
}

// begins notes what warps must bring, and has the rows of all as they begin.
func (n *nextWarps) begins() {
	c := n.compiler
	for i, k := range n.keys {
		c.RM(x86.MOV, k.size, x86.RAX, k.at)
		c.MR(x86.MOV, k.size, nextKeys.Plus(int32(8*i)), x86.RAX)
	}
	c.RM(x86.LEA, x86.S64, x86.RAX, x86.AtLabel(n.enter))
	c.MR(x86.MOV, x86.S64, nextLoop, x86.RAX)
	c.RM(x86.LEA, x86.S64, x86.R11, nextSums)
	c.MR(x86.MOV, x86.S64, nextPlace, x86.R11)
	c.RM(x86.MOV, x86.S64, rMask, nextWarpsAt)
	c.MR(x86.MOV, x86.S32, nextLeft, rMask)
	c.MI(x86.MOV, x86.S32, nextTries, tries)
	c.RM(x86.MOV, x86.S64, x86.RAX, turnsLeft)
	c.MR(x86.MOV, x86.S64, nextRan, x86.RAX)
	v, w, again := c.alloc(), c.full(), c.NewLabel()
	for i, off := range n.rows {
		for at := 0; at < 128; at += w.Bytes() {
			c.move(w, v, c.regs(off+uint32(at)))
			c.store(w, nextRows.Plus(int32(128*i+at)), v)
		}
	}
	c.Bind(again)
	for i, off := range n.t.carried {
		for at := 0; at < 128; at += w.Bytes() {
			c.move(w, v, c.regs(off+uint32(at)))
			c.store(w, x86.At(x86.R11, int32(128*i+at)).By(inHost), v)
		}
	}
	c.RI(x86.ADD, x86.S64, x86.R11, int32(128*len(n.t.carried)))
	c.RI(x86.SUB, x86.S64, rMask, 1)
	c.Jcc(x86.NE, again)
	c.release(temp(v))
}

// turns assembles all turns: so many for each warp, again and again, then the rest one by one.
func (n *nextWarps) turns() {
	c := n.compiler
	c.RM(x86.MOV, x86.S64, x86.RAX, turnsLeft)
	c.MR(x86.MOV, x86.S64, nextLeftAt, x86.RAX)
	for _, turns := range []int32{nextTurns, 1} {
		n.eachStep(turns)
		again, done := c.NewLabel(), c.NewLabel()
		c.MI(x86.CMP, x86.S64, nextLeftAt, turns)
		c.Jcc(x86.L, done)
		c.Bind(again)
		n.block(int(turns))
		c.MI(x86.SUB, x86.S64, nextLeftAt, turns)
		c.MI(x86.CMP, x86.S64, nextLeftAt, turns)
		c.Jcc(x86.GE, again)
		c.Bind(done)
	}
}

// stepAt is where a base's step is that goes from a warp to the next, or from the last one back to the first.
func stepAt(base int, back bool) x86.Mem {
	if back {
		return nextSteps.Plus(int32(16*base + 8))
	}
	return nextSteps.Plus(int32(16 * base))
}

// eachStep computes them, behind some turns of a warp.
func (n *nextWarps) eachStep(turns int32) {
	c := n.compiler
	for i := range n.t.bases {
		b := &n.t.bases[i]
		by, _ := n.key(&b.src)
		n.Zero(x86.RAX)
		if b.goes != nil {
			c.MovImm(x86.RAX, uint64(turns))
			n.ahead(rMask, b.goes.rate, x86.RAX)
			c.RR(x86.MOV, x86.S64, x86.RAX, rMask)
		}
		c.RM(x86.MOV, x86.S64, rMask, nextWarpsAt)
		c.RRI(x86.IMUL, x86.S64, rMask, rMask, int32(by))
		c.R(x86.NEG, x86.S64, rMask)
		c.RR(x86.ADD, x86.S64, rMask, x86.RAX)
		c.MR(x86.MOV, x86.S64, stepAt(i, true), rMask)
		c.R(x86.NEG, x86.S64, x86.RAX)
		c.RI(x86.ADD, x86.S64, x86.RAX, int32(by))
		c.MR(x86.MOV, x86.S64, stepAt(i, false), x86.RAX)
	}
}

// block assembles some turns of each warp.
func (n *nextWarps) block(turns int) {
	c, again := n.compiler, n.NewLabel()
	rows := func(visit func(v x86.Vec, m x86.Mem)) {
		bytes := c.full().Bytes()
		for i, off := range n.t.carried {
			for p := range n.parts {
				visit(x86.Vec(n.rowAt[off]+p), x86.At(x86.R11, int32(128*i+p*bytes)).By(inHost))
			}
		}
	}
	c.RM(x86.LEA, x86.S64, x86.R11, nextSums)
	c.RM(x86.MOV, x86.S64, rMask, nextWarpsAt)
	c.Bind(again)
	c.title("turns of each of some warps: %d", turns)
	c.count()
	rows(func(v x86.Vec, m x86.Mem) { c.move(c.full(), v, m) })
	for range turns {
		n.turn(0, n.parts)
		n.toNext()
	}
	rows(func(v x86.Vec, m x86.Mem) { c.store(c.full(), m, v) })
	n.eachBaseStep(false)
	c.RI(x86.ADD, x86.S64, x86.R11, int32(128*len(n.t.carried)))
	c.RI(x86.SUB, x86.S64, rMask, 1)
	c.Jcc(x86.NE, again)
	n.eachBaseStep(true)
}

// eachBaseStep adds to each base what brings it to the next warp, or back to the first.
func (n *nextWarps) eachBaseStep(back bool) {
	n.eachBase(func(b *turnBase, _ int, r x86.Reg) {
		i := slices.IndexFunc(n.t.bases, func(o turnBase) bool { return o.key == b.key })
		n.RM(x86.ADD, x86.S64, r, stepAt(i, back))
	})
}
