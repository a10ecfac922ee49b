package machine

// This file holds workers: goroutines that run clusters of CTAs, and the memory they use again and again.

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"sync/atomic"

	"ptxvm.invalid/ptxvm/internal/mem"
)

// worker owns one cluster at a time. Its pools are touched by it alone; pieces may come from the
// slab of another worker of the same crew, so slabs end only together.
type worker struct {
	arena      *mem.Arena
	arenaBase  rowBase
	arenaFirst uint64 // the device address of what lies there
	images     *images
	slab       mem.Slab
	pools      map[*Code]*blockPool
	lastCode   *Code
	lastPool   *blockPool
	frames     []*Frame
	chunks     []rowBase
	shared     map[uint32][]rowBase // by size in bytes
	ctas       []*CTA               // at rest, all of the same entry and shape
	clusters   []*Cluster           // at rest, without CTAs
	cache      [256]cached

	native     *NativeState
	warps      *[32]NativeWarp
	natives    map[*Native]*nativeTable
	lastNative *Native
	lastTable  *nativeTable
	leaves     bool // one of them is used

	// Clusters [mine, mineEnd) are this worker's to begin: taken from the schedule for batches.
	mine, mineEnd uint64
	keeps         bool // the place of the cluster that has ended, for the next one
	index         int  // in its crew

	fence     atomic.Uint32
	stats     Stats
	breathed  uint64   // Steps at the last breath
	published uint64   // LaneOps that Grid.laneOps has from this worker
	_         [64]byte // keeps workers off each other's cache lines
}

// blockPool is the free register blocks of a function. Their constant rows are written.
type blockPool struct {
	free   []block
	heat   uint64 // steps interpreted
	parted uint32
	pace   pace // of launches of the function; worker 0 of a crew has it
}

func (wk *worker) pool(c *Code) *blockPool {
	if wk.lastCode == c {
		return wk.lastPool
	}
	p := wk.pools[c]
	if p == nil {
		p = new(blockPool)
		wk.pools[c] = p
	}
	wk.lastCode, wk.lastPool = c, p
	return p
}

func (wk *worker) takeBlock(c *Code) block {
	p := wk.pool(c)
	if n := len(p.free); n > 0 {
		b := p.free[n-1]
		p.free = p.free[:n-1]
		return b
	}
	n := c.FrameBytes
	if c.Insts != nil {
		n += NativeRoom
	}
	b := block{p: wk.slab.Get(int(n)), n: c.FrameBytes}
	b.fillConsts(c.Consts)
	return b
}

func (wk *worker) giveBlock(c *Code, b block) {
	p := wk.pool(c)
	p.free = append(p.free, b)
}

func (wk *worker) newFrame() *Frame {
	if n := len(wk.frames); n > 0 {
		f := wk.frames[n-1]
		wk.frames = wk.frames[:n-1]
		return f
	}
	return new(Frame)
}

func (wk *worker) freeFrame(f *Frame) { wk.frames = append(wk.frames, f) }

// takeChunk returns a zeroed chunk of local memory.
func (wk *worker) takeChunk() rowBase {
	if n := len(wk.chunks); n > 0 {
		p := wk.chunks[n-1]
		wk.chunks = wk.chunks[:n-1]
		block{p: p}.clear(32 * localChunk)
		return p
	}
	return wk.slab.Get(32 * localChunk)
}

func (wk *worker) giveChunk(p rowBase) { wk.chunks = append(wk.chunks, p) }

// takeShared returns zeroed shared memory for a CTA.
func (wk *worker) takeShared(n uint32) rowBase {
	free := wk.shared[n]
	if k := len(free); k > 0 {
		wk.shared[n] = free[:k-1]
		block{p: free[k-1]}.clear(n)
		return free[k-1]
	}
	return wk.slab.Get(int(n))
}

func (wk *worker) giveShared(n uint32, p rowBase) { wk.shared[n] = append(wk.shared[n], p) }

// newCTA returns a started CTA: one at rest if it has the launch's shape.
func (wk *worker) newCTA(g *Grid, cl *Cluster, crank uint32) *CTA {
	var c *CTA
	if n := len(wk.ctas); n > 0 {
		c, wk.ctas = wk.ctas[n-1], wk.ctas[:n-1]
		if c.warps[0].root.code != g.Entry || len(c.warps) != int(g.block.warps) {
			wk.dismantle(c)
			c = nil
		}
	}
	fresh := true
	if c == nil {
		c = &CTA{warps: make([]*Warp, g.block.warps)}
		for i := range c.warps {
			c.warps[i] = &Warp{cta: c, index: int32(i)}
		}
	} else {
		fresh = c.launch != g.number
	}
	if g.Shared != 0 {
		c.shared = wk.takeShared(g.Shared)
	}
	c.start(wk, cl, crank, fresh)
	return c
}

// dismantle gives the register blocks of a CTA at rest back.
func (wk *worker) dismantle(c *CTA) {
	for _, w := range c.warps {
		wk.giveBlock(w.root.code, w.root.regs)
		wk.freeFrame(w.root)
	}
}

// retire puts a CTA to rest, in whatever state it is.
func (wk *worker) retire(c *CTA) {
	c.end()
	if c.grid.Shared != 0 {
		wk.giveShared(c.grid.Shared, c.shared)
	}
	wk.ctas = append(wk.ctas, c)
}

// adopt makes a parked cluster the worker's own.
func (wk *worker) adopt(cl *Cluster) {
	cl.wk = wk
	for _, c := range cl.ctas {
		for _, w := range c.warps {
			w.wk = wk
		}
	}
}

// breathe lets the scheduler of Go run others, now or if it is time: needed where there is one
// thread for all. It wakes others who could help, too.
func (wk *worker) breathe(g *Grid, now bool) {
	wk.relieve(g)
	if now || wk.stats.Steps-wk.breathed > breatheEvery {
		wk.breathed = wk.stats.Steps
		runtime.Gosched()
	}
}

// Fence is a fence.sc or fence.acq_rel at gpu or sys scope (9.7.13.4): an atomic
// read-modify-write, which Go orders with all other accesses of the worker. At CTA and cluster
// scope none is needed: one worker runs the cluster.
func (w *Warp) Fence() { w.wk.fence.Add(1) }

// work runs clusters until none is left or the launch stops.
func (wk *worker) work(g *Grid) {
	over := false
	defer func() {
		if p := recover(); p != nil {
			g.crash(p)
		} else if !over {
			g.fail(ErrGoexit)
		}
	}()
	// A wild access of a handler is a defect to report, not the end of the process.
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	wk.runClusters(g)
	over = true
}

// runClusters is work without what follows from its end.
func (wk *worker) runClusters(g *Grid) {
	wk.mine, wk.mineEnd, wk.keeps = 0, 0, false
	crowded := func() bool { return g.sched.crowded(wk.own()) }
	for !g.stopped.Load() {
		cl := wk.obtain(g)
		if cl == nil {
			return
		}
		wk.settle(g, cl, cl.run(crowded))
		wk.relieve(g)
	}
}

// obtain returns the cluster that the worker runs next, nil if none is left for it.
func (wk *worker) obtain(g *Grid) *Cluster {
	s := &g.sched
	if wk.keeps || (wk.own() || s.left()) && s.enter() {
		wk.keeps = false
		if rank, ok := wk.next(g); ok {
			return wk.newCluster(g, s.permute(rank))
		}
		s.leave()
	}
	cl := s.unpark()
	switch {
	case cl != nil:
		wk.adopt(cl)
	case wk.own(): // nobody else will run it
		s.resident.Add(1)
		rank, _ := wk.next(g)
		cl = wk.newCluster(g, s.permute(rank))
	}
	return cl
}

// own tells whether the worker has taken clusters that it has not begun.
func (wk *worker) own() bool { return wk.mine < wk.mineEnd }

// next returns a cluster that the worker is to begin, if there is one: of those that it has taken, else it takes some.
func (wk *worker) next(g *Grid) (rank uint64, ok bool) {
	if wk.own() {
		rank = wk.mine
		wk.begun(g, 1)
		return rank, true
	}
	n := one
	if c := g.Entry.native.Load(); c != nil && c.Start != 0 && g.Compile != nil && g.Seed == 0 {
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
func (wk *worker) keep(g *Grid, from, to uint64) {
	if from < to {
		wk.mine, wk.mineEnd = from, to
		g.sched.taken.Add(1)
	}
}

// begun tells that the worker has begun the first of its own clusters.
func (wk *worker) begun(g *Grid, n uint64) {
	if wk.mine += n; n != 0 && wk.mine == wk.mineEnd {
		g.sched.taken.Add(-1)
	}
}

// reserve returns how many clusters behind one the worker may begin by itself, one as soon as the
// other has ended. Some are left for the other workers.
func (wk *worker) reserve(g *Grid, rank uint64) uint64 {
	if !wk.own() {
		from, to := g.sched.more(wk.index)
		wk.keep(g, from, to)
	}
	if !wk.own() || wk.mine != rank+1 {
		return 0
	}
	return wk.mineEnd - wk.mine
}

// settle does what follows from the way a cluster stopped.
func (wk *worker) settle(g *Grid, cl *Cluster, v verdict) {
	if v == parked {
		wk.stats.Parked++
		g.sched.park(cl)
		return
	}
	if v == finished {
		wk.stats.CTAs += uint64(len(cl.ctas))
		wk.publish(g, uint64(len(cl.ctas)))
	}
	wk.retireCluster(cl)
	if wk.keeps = wk.own() || g.sched.parts[wk.index].left() != 0; !wk.keeps {
		g.sched.leave()
	}
}

// publish counts finished CTAs where Launch.Progress looks.
func (wk *worker) publish(g *Grid, ctas uint64) {
	if g.Progress != nil {
		g.done.Add(ctas)
		g.laneOps.Add(wk.stats.LaneOps - wk.published)
		wk.published = wk.stats.LaneOps
	}
}

// publishEvery is the lane-ops after which a worker tells of those of a CTA that has not ended.
const publishEvery = 1 << 20

// publishOps counts lane-ops where Launch.Progress looks.
func (wk *worker) publishOps(g *Grid) {
	if g.Progress != nil && wk.stats.LaneOps-wk.published >= publishEvery {
		wk.publish(g, 0)
	}
}

// crash keeps a panic of a worker for the launch's result.
func (g *Grid) crash(p any) {
	g.mu.Lock()
	if g.crashed == nil {
		g.crashed = &Defect{fmt.Sprint(p), string(debug.Stack())}
	}
	g.mu.Unlock()
	g.stopped.Store(true)
}
