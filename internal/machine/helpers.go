package machine

// This file decides how many workers a launch has, and when. Waking one costs about as much as a small launch
// takes; so one that is thought to be brief, by the last of the same code, begins on its caller's alone, which
// wakes the others when it is not.

import (
	"sync"
	"sync/atomic"
	"time"
)

const (
	brief  = 80 * time.Microsecond // a launch that would take one worker so long is not shared
	relief = 40 * time.Microsecond // after so long a worker that was to be alone is not any more
)

// helpers are the workers of a launch beyond its caller's.
type helpers struct {
	workers []*worker
	began   time.Time
	awake   atomic.Bool // set once, by the caller
	list    []*helper
	running sync.WaitGroup
}

// helper is one of them; it begins unless it is told before that everything is done.
type helper struct{ settled atomic.Bool }

// wake starts the helpers.
func (h *helpers) wake(g *Grid) {
	h.awake.Store(true)
	for _, wk := range h.workers {
		one := new(helper)
		h.list = append(h.list, one)
		h.running.Add(1)
		go func() {
			if one.settled.CompareAndSwap(false, true) {
				defer h.running.Done()
				wk.work(g)
			}
		}()
	}
	// Go expects the goroutine that was started last to follow the one that has started it, and lets nobody else have it
	// for some 50 µs. Those before it are free at once.
	go func() {}()
}

// wait returns when no helper runs, and none will.
func (h *helpers) wait() {
	for _, one := range h.list {
		if one.settled.CompareAndSwap(false, true) {
			h.running.Done()
		}
	}
	h.running.Wait()
}

// alone tells whether the caller's worker has all clusters to itself.
func (h *helpers) alone() bool { return len(h.workers) == 0 || !h.awake.Load() }

// relieve wakes the helpers of a launch that is not as brief as it was thought to be, and gives them what the
// worker has taken for itself.
func (wk *worker) relieve(g *Grid) {
	h := &g.helpers
	if len(h.workers) == 0 || h.awake.Load() || time.Since(h.began) < relief {
		return
	}
	g.sched.giveBack(wk.mine, wk.mineEnd)
	wk.mine, wk.mineEnd = 0, 0
	if g.sched.next.Load() < g.sched.total || g.sched.waiting.Load() != 0 {
		h.wake(g)
	}
}

// run lets as many workers as there is work for execute the launch; the caller is one of them.
func (c *crew) run(g *Grid) {
	n := len(c.workers)
	if g.Workers > 0 {
		n = g.Workers
	}
	if total := g.sched.total; uint64(n) > total {
		n = int(total)
	}
	c.share(g, n)
	for _, p := range g.sched.queue {
		c.workers[0].adopt(p)
		c.workers[0].retireCluster(p)
	}
}

// share runs the clusters of a launch on n workers, and remembers how long one takes.
func (c *crew) share(g *Grid, n int) {
	wk := c.workers[0]
	if n == 1 {
		wk.work(g)
		return
	}
	h, p := &g.helpers, wk.pool(g.Entry)
	h.workers, h.began = c.workers[1:n], time.Now()
	if p.each == 0 || time.Duration(g.sched.total)*p.each > brief {
		h.wake(g)
	}
	wk.work(g)
	h.wait()
	p.each = time.Since(h.began) / time.Duration(g.sched.total)
	if h.awake.Load() {
		p.each *= time.Duration(n)
	}
	p.each = max(p.each, 1)
}
