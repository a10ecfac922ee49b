package host

// This file shares a launch among workers. One that begins on its caller's worker alone, because that is thought to be
// better, wakes the others when it takes longer than was thought.

import (
	"sync/atomic"
	"time"
)

// helpers are those of a launch.
type helpers struct {
	list    []*helper
	parts   []part // for them and the caller
	began   time.Time
	relief  time.Duration
	lookout time.Duration // for the launch behind this one, 0 if none is expected
	awake   atomic.Bool   // they are called; set once, by the caller
	came    bool          // one of them has
}

// wake calls the helpers.
func (h *helpers) wake(g *grid) {
	h.awake.Store(true)
	for _, one := range h.list {
		one.call(g, h.lookout)
	}
}

// wait returns when no helper works, and none will.
func (h *helpers) wait() {
	if !h.awake.Load() {
		return
	}
	awake := awakeUntil(h.began)
	for _, one := range h.list {
		if one.wait(awake) {
			h.came = true
		}
	}
}

// relieve wakes the helpers of a launch that takes longer than it was thought to, and gives them what the worker has
// taken for itself.
func (wk *worker) relieve(g *grid) {
	h := &g.helpers
	if len(h.list) == 0 || h.awake.Load() || time.Since(h.began) < h.relief {
		return
	}
	g.sched.giveBack(wk.mine, wk.mineEnd)
	wk.mine, wk.mineEnd = 0, 0
	if g.sched.left() || g.sched.waiting.Load() != 0 {
		g.sched.share(h.parts, g.sched.parts[0].next.Load())
		h.wake(g)
	}
}

// run lets as many workers as there is work for execute the launch; the caller is one of them.
func (c *crew) run(g *grid) {
	n := len(c.workers)
	if g.workers > 0 {
		n = g.workers
	}
	if total := g.sched.total; uint64(n) > total {
		n = int(total)
	}
	if len(c.parts) < n {
		c.parts = make([]part, n)
	}
	g.sched.share(c.parts[:1], 0)
	if n == 1 {
		c.workers[0].work(g)
	} else {
		c.share(g, n)
	}
	for _, p := range g.sched.queue {
		c.workers[0].core.Adopt(p)
		c.workers[0].core.Retire(p)
	}
}

// share runs the clusters of a launch on n workers, or fewer, and remembers how long they take.
func (c *crew) share(g *grid, n int) {
	wk, h := c.workers[0], &g.helpers
	p := &wk.of(g.Entry).pace
	h.began = time.Now()
	if c.series.begin(h.began); c.series.expects() && spinning() {
		h.lookout = c.series.lookout
	}
	plan := p.plan(g.sched.total, n, h.lookout != 0 && c.series.number >= awakeAfter)
	g.sched.least = p.piece(g.sched.total, n)
	h.list, h.parts, h.relief = c.helpers[:n-1], c.parts[:n], plan.relief
	if plan.workers > 1 {
		h.list = h.list[:plan.workers-1]
		g.sched.share(c.parts[:plan.workers], 0)
		h.wake(g)
	}
	wk.workBeside(g)
	took := c.series.end(time.Now())
	p.learn(took, g.sched.total, h.came, plan)
}

// workBeside works beside the helpers, and returns, or ends with its goroutine, when none of them does any more.
func (wk *worker) workBeside(g *grid) {
	defer g.helpers.wait()
	wk.work(g)
}
