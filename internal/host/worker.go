package host

// This file holds workers: goroutines that have cores run clusters of CTAs.

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/faults"
)

// worker has a core run one cluster after the other. It is the core's machine.Host.
type worker struct {
	core *machine.Core
	grid *grid // the launch that it works on

	// Clusters [mine, mineEnd) are this worker's to begin: taken from the schedule for batches.
	mine, mineEnd uint64
	keeps         bool   // the place of the cluster that has ended, for the next one
	index         int    // in its crew
	breathed      uint64 // steps at the last breath

	known    map[*machine.Code]*record
	lastCode *machine.Code
	last     *record
	_        [64]byte // keeps workers off each other's cache lines
}

// record is what a worker has learned of a function.
type record struct {
	heat   uint64 // steps interpreted
	parted uint32 // times that code for some lanes was missing
	pace   pace   // of launches of the function; worker 0 of a crew has it
}

// of returns what the worker knows of a function.
func (wk *worker) of(c *machine.Code) *record {
	if wk.lastCode == c {
		return wk.last
	}
	r := wk.known[c]
	if r == nil {
		r = new(record)
		wk.known[c] = r
	}
	wk.lastCode, wk.last = c, r
	return r
}

func newWorker(d *Device, index int) *worker {
	wk := &worker{index: index, known: map[*machine.Code]*record{}}
	wk.core = machine.NewCore(d.Arena, &d.Table, wk)
	return wk
}

// breatheEvery is the steps after which a worker lets other goroutines run: some 20 ms.
const breatheEvery = 1 << 20

// Breathe lets the scheduler of Go run others, now or if it is time: needed where there is one
// thread for all. It wakes others who could help, too.
func (wk *worker) Breathe(now bool) {
	wk.relieve(wk.grid)
	if steps := wk.core.Steps(); now || steps-wk.breathed > breatheEvery {
		wk.breathed = steps
		runtime.Gosched()
	}
}

// work runs clusters until none is left or the launch stops.
func (wk *worker) work(g *grid) {
	over := false
	defer func() {
		if p := recover(); p != nil {
			g.Crash(&faults.Defect{What: fmt.Sprint(p), Stack: string(debug.Stack())})
		} else if !over {
			g.Fail(ErrGoexit)
		}
	}()
	// A wild access of a handler is a defect to report, not the end of the process.
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	wk.runClusters(g)
	over = true
}

// runClusters is work without what follows from its end.
func (wk *worker) runClusters(g *grid) {
	wk.grid, wk.mine, wk.mineEnd, wk.keeps = g, 0, 0, false
	for !g.Stopped() {
		cl := wk.obtain(g)
		if cl == nil {
			return
		}
		wk.settle(g, cl, cl.Run())
		wk.relieve(g)
	}
}

// obtain returns the cluster that the worker runs next, nil if none is left for it.
func (wk *worker) obtain(g *grid) *machine.Cluster {
	s := &g.sched
	if s.leaves(wk.index) && !wk.keeps && !wk.own() {
		return nil
	}
	if wk.keeps || (wk.own() || s.left()) && s.enter() {
		wk.keeps = false
		if rank, ok := wk.next(g); ok {
			return wk.core.Begin(&g.Grid, rank)
		}
		s.leave()
	}
	cl := s.unpark()
	switch {
	case cl != nil:
		wk.core.Adopt(cl)
	case wk.own(): // no other worker will run it
		s.resident.Add(1)
		rank, _ := wk.next(g)
		cl = wk.core.Begin(&g.Grid, rank)
	}
	return cl
}

// own reports whether the worker has taken clusters that it has not begun.
func (wk *worker) own() bool { return wk.mine < wk.mineEnd }

// next returns a cluster that the worker is to begin, if there is one: of those that it has taken, else it takes some.
func (wk *worker) next(g *grid) (rank uint64, ok bool) {
	if wk.own() {
		rank = wk.mine
		wk.Begun(1)
		return rank, true
	}
	n := one
	if c := g.Entry.Batching(); c != nil && c.Start != 0 && g.Native && g.Seed == 0 && !g.Entry.Withdraws {
		n = g.sched.several
	}
	from, to := g.sched.take(wk.index, n)
	if from == to {
		return 0, false
	}
	wk.keep(g, from+1, to)
	return from, true
}

// keep makes clusters the worker's own.
func (wk *worker) keep(g *grid, from, to uint64) {
	if from < to {
		wk.mine, wk.mineEnd = from, to
		g.sched.taken.Add(1)
	}
}

// Begun tells that the worker has begun the first of its own clusters.
func (wk *worker) Begun(n uint64) {
	if wk.mine += n; n != 0 && wk.mine == wk.mineEnd {
		wk.grid.sched.taken.Add(-1)
	}
}

// Reserve returns how many clusters behind one the worker may begin by itself, one as soon as the
// other has ended. Some are left for the other workers.
func (wk *worker) Reserve(rank uint64) uint64 {
	if wk.grid.Entry.Withdraws {
		return 0
	}
	if !wk.own() {
		from, to := wk.grid.sched.more(wk.index)
		wk.keep(wk.grid, from, to)
	}
	if !wk.own() || wk.mine != rank+1 {
		return 0
	}
	return wk.mineEnd - wk.mine
}

// Withdraw takes the cluster that the worker would begin next. A kernel that asks for clusters has none reserved, so all
// that have not begun are the schedule's.
func (wk *worker) Withdraw() (rank uint64, ok bool) {
	from, to := wk.grid.sched.take(wk.index, one)
	return from, from < to
}

// settle does what follows from the way a cluster stopped.
func (wk *worker) settle(g *grid, cl *machine.Cluster, v machine.Verdict) {
	switch v {
	case machine.Polling:
		if !g.sched.ordered.Load() {
			g.sched.ordered.Store(true)
		}
		fallthrough
	case machine.Parked:
		g.sched.park(cl)
		wk.judge(g)
		return
	}
	wk.core.Retire(cl)
	if wk.keeps = wk.own() || g.sched.parts[wk.index].left() != 0; !wk.keeps {
		g.sched.leave()
	}
}

// Crowded reports whether another cluster could use the core.
func (wk *worker) Crowded() bool {
	s := &wk.grid.sched
	return s.crowded(wk.own()) || s.leaves(wk.index)
}

// Last reports whether no other cluster can use the core before the running one has ended.
func (wk *worker) Last() bool { return !wk.own() && wk.grid.sched.last() }

// GiveUp counts a cluster among those that have waited in vain, and tells whether no other one could help it.
func (wk *worker) GiveUp(first bool) bool {
	s := &wk.grid.sched
	if first {
		s.hopeless.Add(1)
	}
	return s.stuck()
}

// TakeHeart takes it back from them.
func (wk *worker) TakeHeart() { wk.grid.sched.hopeless.Add(-1) }

// take returns what the worker has executed in a launch that is over.
func (wk *worker) take() machine.Stats {
	wk.grid, wk.breathed = nil, 0
	return wk.core.TakeStats()
}
