package machine

// This file holds cores: what runs clusters one at a time, and the memory that it uses again and again.

import (
	"sync/atomic"

	"ptxvm.invalid/ptxvm/internal/machine/abi"
	"ptxvm.invalid/ptxvm/internal/machine/images"
	"ptxvm.invalid/ptxvm/internal/machine/pools"
	"ptxvm.invalid/ptxvm/internal/machine/regs"
	"ptxvm.invalid/ptxvm/internal/machine/shape"
	"ptxvm.invalid/ptxvm/internal/mem"
)

// Core runs clusters of CTAs, one at a time, for one goroutine at a time. Its memory is touched by it alone.
type Core struct {
	arena      *mem.Arena
	arenaBase  rowBase
	arenaFirst uint64 // the device address of what lies there
	images     *images.Table
	host       Host
	memory     pools.Memory[*Code]
	frames     []*Frame
	ctas       []*CTA     // at rest, all of the same entry and shape
	clusters   []*Cluster // at rest, without CTAs
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
		memory: pools.New[*Code](),
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
func (core *Core) Bytes() uint64 { return core.memory.Bytes() }

// Codes is how many functions it keeps something of.
func (core *Core) Codes() int { return core.memory.Kinds() }

// Close gives it back. No core of the same launches may run any more.
func (core *Core) Close() error { return core.memory.Close() }

func (core *Core) takeBlock(c *Code) regs.Block {
	if b, ok := core.memory.Block(c); ok {
		return b
	}
	more := uint32(0)
	if c.Insts != nil {
		more = 32 * c.LocalRoom
	}
	return core.memory.NewBlock(c.FrameBytes, more, c.Consts)
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
		c.shared = core.memory.Shared(g.sharedRoom())
	}
	c.start(core, cl, crank, fresh)
	return c
}

// dismantle gives the register blocks of a CTA at rest back.
func (core *Core) dismantle(c *CTA) {
	for _, w := range c.warps {
		core.memory.GiveBlock(w.root.code, w.root.regs)
		core.freeFrame(w.root)
	}
}

// retire puts a CTA to rest, in whatever state it is.
func (core *Core) retire(c *CTA) {
	c.end()
	if c.grid.Shared != 0 {
		core.memory.GiveShared(c.grid.sharedRoom(), c.shared)
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

// Arena returns the global memory of the device that runs the warp.
func (w *Warp) Arena() *mem.Arena { return w.core.arena }

// Images returns what the handles of the device name.
func (w *Warp) Images() *images.Table { return w.core.images }
