package jit

// The code of sweeps. It runs in the register block of the first warp, which nobody reads: its warp has ended, or
// begins anew. Numbers of patterns there are those of the warp whose turn it is.

import (
	"maps"
	"slices"

	"ptxvm.invalid/ptxvm/internal/jit/x86"
	"ptxvm.invalid/ptxvm/internal/sem"
)

// sweepable tells whether every access of a sweep is one of which all is known.
func (c *compiler) sweepable(w *sweep) bool {
	if w == nil {
		return false
	}
	c.sweeping = w
	defer func() { c.sweeping = nil }()
	for _, at := range w.spine {
		if a := c.accessAt(at.pc, false, allLanes); a != nil && a.static() == nil {
			return false
		}
	}
	return true
}

// beyond is how far the addresses of the last warp of a sweep are from those of the first.
func (w *sweep) beyond(p *pattern) (low, high int64) {
	if w == nil || p == nil {
		return 0, 0
	}
	return w.between(w.steps[p])
}

// between has the smallest and the largest distance of a warp from the first, given that from one to the next.
func (w *sweep) between(step int64) (low, high int64) {
	far := step * int64(w.warps-1)
	return min(far, 0), max(far, 0)
}

// sweptMore is how many steps more than usual a batch has that sweeps: they take a fifth of the time of others.
const sweptMore = 1 << 16

// sweepCode assembles the sweep of CTAs: batch.sweep, with a CTA that has begun and of which no warp
// runs. ordinary runs it warp by warp; without another one it goes out.
func (c *compiler) sweepCode(ordinary, out x86.Label) {
	next := c.NewLabel()
	c.title("all warps of a CTA")
	c.sweeping, c.covered, c.hosts, c.bases = c.swept, map[coverKey]cover{}, 0, [len(keepers)]keptBase{}
	c.Bind(c.batch.sweep)
	c.RM(x86.MOV, x86.S64, x86.RCX, batchWarps)
	c.RM(x86.MOV, x86.S64, rRegs, warpAt(x86.RCX, warpRegs))
	c.sweepHead(true, ordinary)
	covered := c.covered
	c.Bind(next)
	c.count()
	if c.sweepable(c.spanned) && c.uses(Spans) {
		one := c.NewLabel()
		c.sweeping, c.covered = c.spanned, maps.Clone(covered)
		c.maySpan(one)
		c.sweepAll(one)
		c.passSpan()
		c.endCTA(out, sweptMore)
		c.Jmp(next)
		c.Bind(one)
		c.title("all warps of one CTA")
		c.count()
	}
	c.sweeping, c.covered = c.swept, covered
	c.sweepAll(ordinary)
	c.endCTA(out, sweptMore)
	c.Jmp(next)
	c.sweeping = nil
}

// maySpan goes elsewhere unless all CTAs of a span may begin and are in a row of the grid, and the multiprocessors, which
// take CTAs in turn, are not fewer.
func (c *compiler) maySpan(one x86.Label) {
	n := c.sweeping.ctas
	c.MI(x86.CMP, x86.S32, batchCTAs, n-1)
	c.Jcc(x86.B, one)
	c.RM(x86.MOV, x86.S64, x86.RAX, batchPlace)
	c.RI(x86.ADD, x86.S64, x86.RAX, n)
	c.RM(x86.CMP, x86.S64, x86.RAX, batchGrid)
	c.Jcc(x86.A, one)
	c.MI(x86.CMP, x86.S64, batchSMs, n)
	c.Jcc(x86.B, one)
}

// passSpan makes the last CTA of a span the running one.
func (c *compiler) passSpan() {
	n, placed := c.sweeping.ctas-1, c.NewLabel()
	c.MI(x86.SUB, x86.S32, batchCTAs, n)
	c.MI(x86.ADD, x86.S32, batchDone, n)
	c.MI(x86.ADD, x86.S64, batchPlace, n)
	c.RM(x86.MOV, x86.S64, x86.RAX, batchPlace.Plus(24))
	c.RI(x86.ADD, x86.S64, x86.RAX, n)
	c.RM(x86.CMP, x86.S64, x86.RAX, batchSMs)
	c.Jcc(x86.B, placed)
	c.RM(x86.SUB, x86.S64, x86.RAX, batchSMs)
	c.Bind(placed)
	c.MR(x86.MOV, x86.S64, batchPlace.Plus(24), x86.RAX)
}

// loadPlaced brings what placeSpecials has written to where it stays.
func (c *compiler) loadPlaced() {
	for i := range c.code.Specials {
		s := &c.code.Specials[i]
		if _, ok := s.CTAPart(); !ok {
			continue
		}
		if _, resident := c.row.of(s.Off); resident {
			c.eachRegister(s.Off, func(v x86.Vec, m x86.Mem) { c.move(c.full(), v, m) })
		}
		for _, b := range c.bcast {
			if b.key.slot && b.key.value == uint64(s.Off) {
				c.loadValue(b.key, b.v)
			}
		}
	}
}

// sweepAll assembles the loop over the warps of a sweep, from its tests to what is counted behind it.
func (c *compiler) sweepAll(miss x86.Label) {
	w, again := c.sweeping, c.NewLabel()
	c.bases = [len(keepers)]keptBase{}
	c.placeSpecials()
	c.loadPlaced()
	c.sweepHead(false, miss)
	c.MovImm(rMask, uint64(w.warps))
	c.Bind(again)
	n := int32(1)
	if w == c.spanned || c.spanned == nil { // else few CTAs come here
		n = w.together()
	}
	c.title("all lanes, from 0, of %d warps", n)
	c.count()
	for c.ahead = 0; c.ahead < n; c.ahead++ {
		c.sweepBody()
	}
	c.ahead = 0
	for _, p := range w.moving {
		for run := range p.n() {
			c.MI(x86.ADD, p.typ.size(), p.number(run), int32(w.steps[p]*int64(n)))
		}
	}
	c.RI(x86.SUB, x86.S32, rMask, n)
	c.Jcc(x86.NE, again)
	c.title("all warps of a CTA have ended")
	c.count()
	c.RI(x86.ADD, x86.S64, rSteps, w.warps*int32(len(w.spine)))
	if w.guards != 0 {
		c.MI(x86.SUB, x86.S64, ctxOps, 32*w.warps*w.guards)
	}
	c.MI(x86.MOV, x86.S32, batchMoved, 1)
}

// sweepHead assembles what is done once: for the launch, or for the CTA, where the tests are.
func (c *compiler) sweepHead(launch bool, miss x86.Label) {
	for _, at := range c.sweeping.spine {
		s := &c.steps[at.pc]
		switch kind := s.op.Kind; {
		case at.once != launch || s.moot:
		case kind == sem.OpLoad || kind == sem.OpStore:
			a := c.accessAt(at.pc, false, allLanes)
			a.miss = miss
			m := a.static()
			if m.test(at.seg, at.pc, miss); launch {
				m.moveAll()
				c.wroteSlots(s, false)
			}
		case s.decided != nil:
			c.decide(s.decided, false, miss)
		case s.made != nil:
			c.makeNumbers(s, miss)
		case s.onSlots():
			c.compute(at.seg, at.pc, false, allLanes)
		}
	}
}

// layMade writes the row of a pattern that others read as one.
func (c *compiler) layMade(s *step) {
	if s.made != nil && s.made.home {
		c.layRow(s.made)
	}
}

// sweepBody assembles one warp.
func (c *compiler) sweepBody() {
	w := c.sweeping
	for k := 0; k < len(w.spine); k++ {
		at := &w.spine[k]
		s := &c.steps[at.pc]
		if u := c.fullRuns[at.pc]; u != nil {
			c.note(u.first, u.end)
			for _, pc := range u.scalars {
				c.layMade(&c.steps[pc])
			}
			c.runLanes(u, allLanes)
			k += int(u.end - u.first - 1)
			continue
		}
		c.note(at.pc, at.pc+1)
		switch kind := s.op.Kind; {
		case at.once || s.moot || s.onSlots():
		case kind == sem.OpLoad || kind == sem.OpStore:
			c.settleRows(s.settles)
			c.accessAt(at.pc, false, allLanes).static().moveAll()
		case kind == sem.OpBranch || kind == sem.OpExit || kind == sem.OpReturn:
		case s.made == nil:
			c.compute(at.seg, at.pc, false, allLanes)
		default:
			c.layMade(s)
		}
	}
}

// together is how many warps a turn of the loop has: several where warps are short and differ in addresses alone.
func (w *sweep) together() int32 {
	const short = 32
	for n := int32(4); n > 1 && !w.values && len(w.spine) <= short; n /= 2 {
		far := func(p *pattern) bool { return w.steps[p]*int64(n) != int64(int32(w.steps[p]*int64(n))) }
		if w.warps%n == 0 && !slices.ContainsFunc(w.moving, far) {
			return n
		}
	}
	return 1
}

// aheadOf is how far an address of the warp being assembled is from that of the first one in a turn of the loop.
func (s *static) aheadOf() int64 {
	if s.acc.c.ahead == 0 || s.acc.src[0].pat == nil {
		return 0
	}
	return int64(s.acc.c.ahead) * s.acc.c.sweeping.steps[s.acc.src[0].pat]
}
