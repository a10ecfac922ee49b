package machine

// This file holds cores: what runs clusters one at a time, and the memory that it uses again and again.

import (
	"sync/atomic"

	"ptxvm.invalid/ptxvm/internal/machine/abi"
	"ptxvm.invalid/ptxvm/internal/machine/images"
	"ptxvm.invalid/ptxvm/internal/machine/regs"
	"ptxvm.invalid/ptxvm/internal/machine/shape"
	"ptxvm.invalid/ptxvm/internal/mem"
)

// Core runs clusters of CTAs, one at a time, for one goroutine at a time. Its pools are touched by it alone; pieces may
// come from the slab of another core of the same launch, as clusters change cores, so slabs end only together.
type Core struct {
	arena      *mem.Arena
	arenaBase  rowBase
	arenaFirst uint64 // the device address of what lies there
	images     *images.Table
	host       Host
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

	native     *abi.State
	waiting    []*abi.State // further ones, for code that is called while other code waits
	nested     int          // of them in use
	warps      *[32]abi.Warp
	natives    map[*installed]*nativeTable
	lastNative *installed
	lastTable  *nativeTable
	leaves     bool // one of them is used

	proof     *Proof // that is being made; nil mostly
	fence     atomic.Uint32
	stats     Stats
	published uint64   // LaneOps that Grid.laneOps has from this core
	_         [64]byte // keeps cores off each other's cache lines
}

// NewCore makes a core on a device's memory and images. host is what runs it.
func NewCore(a *mem.Arena, im *images.Table, host Host) *Core {
	return &Core{
		arena: a, arenaBase: a.Base(), arenaFirst: a.First(), images: im, host: host,
		pools: make(map[*Code]*blockPool), shared: make(map[uint32][]rowBase),
	}
}

// Begin starts the cluster that is at a place in the launch's order, which its seed permutes.
func (core *Core) Begin(g *Grid, at uint64) *Cluster {
	return core.newCluster(g, shape.Seed(g.Seed).Permute(at, g.Clusters()))
}

// Steps is how many warp instructions the core has executed in the launch.
func (core *Core) Steps() uint64 { return core.stats.Steps }

// TakeStats returns what the core has executed since it was asked last.
func (core *Core) TakeStats() Stats {
	core.stats.Left = core.left()
	s := core.stats
	core.stats, core.published = Stats{}, 0
	return s
}

// Bytes is the memory that the core keeps for the clusters to come.
func (core *Core) Bytes() uint64 { return core.slab.Bytes() }

// Codes is how many functions it keeps something of.
func (core *Core) Codes() int { return len(core.pools) }

// Close gives it back. No core of the same launches may run any more.
func (core *Core) Close() error { return core.slab.Close() }

// blockPool is the free register blocks of a function. Their constant rows are written.
type blockPool struct{ free []regs.Block }

func (core *Core) pool(c *Code) *blockPool {
	if core.lastCode == c {
		return core.lastPool
	}
	p := core.pools[c]
	if p == nil {
		p = new(blockPool)
		core.pools[c] = p
	}
	core.lastCode, core.lastPool = c, p
	return p
}

func (core *Core) takeBlock(c *Code) regs.Block {
	p := core.pool(c)
	if n := len(p.free); n > 0 {
		b := p.free[n-1]
		p.free = p.free[:n-1]
		return b
	}
	n := c.FrameBytes
	if c.Insts != nil {
		n += abi.Room + 32*c.LocalRoom
	}
	b := regs.Block{P: core.slab.Get(int(n)), N: c.FrameBytes}
	b.FillConsts(c.Consts)
	return b
}

func (core *Core) giveBlock(c *Code, b regs.Block) {
	p := core.pool(c)
	p.free = append(p.free, b)
}

func (core *Core) newFrame() *Frame {
	if n := len(core.frames); n > 0 {
		f := core.frames[n-1]
		core.frames = core.frames[:n-1]
		return f
	}
	return new(Frame)
}

func (core *Core) freeFrame(f *Frame) { core.frames = append(core.frames, f) }

// takeChunk returns a zeroed chunk of local memory.
func (core *Core) takeChunk() rowBase {
	if n := len(core.chunks); n > 0 {
		p := core.chunks[n-1]
		core.chunks = core.chunks[:n-1]
		regs.Block{P: p}.Clear(32 * localChunk)
		return p
	}
	return core.slab.Get(32 * localChunk)
}

func (core *Core) giveChunk(p rowBase) { core.chunks = append(core.chunks, p) }

// takeShared returns zeroed shared memory for a CTA.
func (core *Core) takeShared(n uint32) rowBase {
	free := core.shared[n]
	if k := len(free); k > 0 {
		core.shared[n] = free[:k-1]
		regs.Block{P: free[k-1]}.Clear(n)
		return free[k-1]
	}
	return core.slab.Get(int(n))
}

func (core *Core) giveShared(n uint32, p rowBase) { core.shared[n] = append(core.shared[n], p) }

// newCTA returns a started CTA: one at rest if it has the launch's shape.
func (core *Core) newCTA(g *Grid, cl *Cluster, crank uint32) *CTA {
	var c *CTA
	if n := len(core.ctas); n > 0 {
		c, core.ctas = core.ctas[n-1], core.ctas[:n-1]
		if c.warps[0].root.code != g.Entry || len(c.warps) != int(g.warps) {
			core.dismantle(c)
			c = nil
		}
	}
	fresh := true
	if c == nil {
		c = &CTA{warps: make([]*Warp, g.warps)}
		for i := range c.warps {
			c.warps[i] = &Warp{cta: c, index: int32(i)}
		}
	} else {
		fresh = c.launch != g.special.Number
	}
	if g.Shared != 0 {
		c.shared = core.takeShared(g.sharedRoom())
	}
	c.start(core, cl, crank, fresh)
	return c
}

// dismantle gives the register blocks of a CTA at rest back.
func (core *Core) dismantle(c *CTA) {
	for _, w := range c.warps {
		core.giveBlock(w.root.code, w.root.regs)
		core.freeFrame(w.root)
	}
}

// retire puts a CTA to rest, in whatever state it is.
func (core *Core) retire(c *CTA) {
	c.end()
	if c.grid.Shared != 0 {
		core.giveShared(c.grid.sharedRoom(), c.shared)
	}
	core.ctas = append(core.ctas, c)
}

// Adopt makes a parked cluster the core's own.
func (core *Core) Adopt(cl *Cluster) {
	cl.core = core
	for _, c := range cl.ctas {
		for _, w := range c.warps {
			w.core = core
		}
	}
}

// Fence is a fence.sc or fence.acq_rel at gpu or sys scope (9.7.13.4): an atomic
// read-modify-write, which Go orders with all other accesses of the goroutine. At CTA and cluster
// scope none is needed: one core runs the cluster.
func (w *Warp) Fence() { w.core.fence.Add(1) }

// publish counts finished CTAs where Grid.Progress looks.
func (core *Core) publish(g *Grid, ctas uint64) {
	if g.Counted {
		g.done.Add(ctas)
		g.laneOps.Add(core.stats.LaneOps - core.published)
		core.published = core.stats.LaneOps
	}
}

// publishEvery is the lane-ops after which a core tells of those of a CTA that has not ended.
const publishEvery = 1 << 20

// publishOps counts lane-ops where Grid.Progress looks.
func (core *Core) publishOps(g *Grid) {
	if g.Counted && core.stats.LaneOps-core.published >= publishEvery {
		core.publish(g, 0)
	}
}
