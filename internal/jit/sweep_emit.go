package jit

// The code of sweeps. It runs in the register block of the first warp, which nobody reads: its warp has ended, or
// begins anew. Numbers of patterns there are those of the warp whose turn it is.

import (
	"ptxvm/internal/jit/x86"
	"ptxvm/internal/sem"
)

// sweepable tells whether every access of a sweep is one of which all is known.
func (c *compiler) sweepable() bool {
	if c.swept == nil {
		return false
	}
	c.sweeping = c.swept
	defer func() { c.sweeping = nil }()
	for _, at := range c.swept.spine {
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

// sweepCode assembles the sweep of CTAs: batch.sweep, with a CTA that has begun and of which no warp
// runs. ordinary runs it warp by warp; without another one it goes out.
func (c *compiler) sweepCode(ordinary, out x86.Label) {
	w, next, again := c.swept, c.NewLabel(), c.NewLabel()
	c.title("all warps of a CTA")
	c.sweeping, c.covered, c.hosts, c.bases = w, map[coverKey]cover{}, 0, [len(keepers)]keptBase{}
	c.Bind(c.batch.sweep)
	c.RM(x86.MOV, x86.S64, x86.RCX, batchWarps)
	c.RM(x86.MOV, x86.S64, rRegs, warpAt(x86.RCX, warpRegs))
	c.sweepHead(true, ordinary)
	c.Bind(next)
	c.count()
	c.placeSpecials()
	c.sweepHead(false, ordinary)
	c.MovImm(rMask, uint64(w.warps))
	c.Bind(again)
	c.title("all lanes, from 0, of each warp")
	c.count()
	c.sweepBody()
	c.RI(x86.SUB, x86.S32, rMask, 1)
	c.Jcc(x86.NE, again)
	c.title("all warps of a CTA have ended")
	c.count()
	c.RI(x86.ADD, x86.S64, rSteps, w.warps*int32(len(w.spine)))
	if w.guards != 0 {
		c.MI(x86.SUB, x86.S64, ctxOps, 32*w.warps*w.guards)
	}
	c.MI(x86.MOV, x86.S32, batchMoved, 1)
	c.endCTA(out)
	c.Jmp(next)
	c.sweeping = nil
}

// sweepHead assembles what is done once: for the launch, or for the CTA, where the tests are.
func (c *compiler) sweepHead(launch bool, miss x86.Label) {
	for _, at := range c.swept.spine {
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

// sweepBody assembles one warp, and goes on to the numbers of the next.
func (c *compiler) sweepBody() {
	w := c.swept
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
	for _, p := range w.moving {
		for run := range p.n() {
			c.MI(x86.ADD, p.typ.size(), p.number(run), int32(w.steps[p]))
		}
	}
}
