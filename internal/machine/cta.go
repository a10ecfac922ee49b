package machine

// This file holds CTAs: their start, the schedule of their warps, and what stops them.

import (
	"fmt"
	"slices"
	"strings"

	"ptxvm.invalid/ptxvm/internal/machine/barriers"
	"ptxvm.invalid/ptxvm/internal/machine/events"
	"ptxvm.invalid/ptxvm/internal/machine/mbarriers"
	"ptxvm.invalid/ptxvm/internal/machine/queue"
	"ptxvm.invalid/ptxvm/internal/machine/shape"
	"ptxvm.invalid/ptxvm/internal/machine/specials"
	"ptxvm.invalid/ptxvm/internal/machine/tmem"
	"ptxvm.invalid/ptxvm/internal/machine/waits"
	"ptxvm.invalid/ptxvm/internal/mem"
)

// CTA is one cooperative thread array. It belongs to one core at a time, with its cluster.
type CTA struct {
	grid       *Grid
	launch     uint64 // the grid's number
	cluster    *Cluster
	crank      uint32 // in the cluster
	window     uint64 // shared address of the first byte it owns: rank<<24 | reserved block
	rank       uint64 // linear index in the grid
	id         [3]uint32
	warps      []*Warp
	like       specials.Facts // that its special registers are for
	of         *Launch        // that all are for, if it stays and nothing but it is told by them
	resting    bool           // its warps are as the CTA before has left them
	shared     rowBase
	async      *openOps // of the cluster: open ones count as able to run when a deadlock is looked for
	bars       [barriers.Named]barriers.Barrier
	clusterBar barriers.Cluster
	pending    uint16 // barriers at which a warp has arrived
	tensor     tmem.Memory
	alive      uint64 // warps with a living lane
	runnable   uint64 // warps that are not blocked
	cut        bool   // lanes have ended inside a function, or by a fault that the launch outlives
	cycles     uint64
	mbarriers  mbarriers.Set
	pool       registerPool
	issued     bool // griddepcontrol.launch_dependents
}

// start makes a CTA ready to run, with a rank in its cluster. fresh tells that it was last used
// by another launch.
func (c *CTA) start(core *Core, cl *Cluster, crank uint32, fresh bool) {
	g := cl.grid
	c.grid, c.launch, c.cluster, c.crank, c.cycles, c.async = g, g.special.Number, cl, crank, 0, &cl.async
	c.id, c.rank = g.Place(cl.rank, crank)
	c.window = uint64(crank)<<mem.RankShift + uint64(g.Target.ReservedShared)
	c.clearBarriers()
	c.clusterBar, c.cut, c.issued = barriers.Cluster{}, false, false
	c.mbarriers.Clear()
	c.pool = registerPool{owned: c.pool.owned[:0]}
	c.beginTensor()
	c.alive = 1<<len(c.warps) - 1
	c.runnable = c.alive
	filled := c.warps[0].root != nil
	if c.resting = filled && c.mayRest(); !c.resting {
		c.beginWarps()
	}
	if fresh {
		c.renewSpecials(filled)
	}
	c.tell(events.CTABegin, 0)
}

// begin puts all lanes of a warp at the start of the kernel.
func (w *Warp) begin(lanes uint32) {
	code := w.cta.grid.Entry
	if w.Live = lanes; w.cta.grid.Values == nil {
		w.flow = nil
	}
	if w.cta.grid.Numbers == nil {
		w.looked = nil
	}
	v := split
	if code.Insts != nil {
		v = converged
	}
	if w.root == nil {
		w.root = w.pushFrame(code, nil, lanes, v)
		w.takeRoom()
	} else {
		w.restartRoot(lanes, v)
	}
	w.renew()
	w.alone(lanes, 0, shape.Seed(w.cta.grid.Seed).FirstFuel(w.cta.rank, w.index, turn))
	w.steps, w.slept, w.ops, w.lost, w.heated, w.total = 0, 0, 0, 0, 0, 0
	w.ownLocal()
	if !w.cta.async.Instant() {
		w.groups = queue.Groups{}
	}
}

// restartRoot uses the kernel's frame of the CTA before again. Its registers stay as they are until prepare:
// compiled code that begins a warp clears only those that it will read.
func (w *Warp) restartRoot(lanes uint32, v variant) {
	w.root.lanes, w.root.variant = lanes, v
	w.stale = true
}

// alone makes lanes all that live of a warp, in one fragment of the kernel's own frame, for which nothing is open and
// which waits for nothing.
func (w *Warp) alone(lanes uint32, pc, fuel int32) *Fragment {
	f := &w.frags[0]
	*f = Fragment{frame: w.root, mask: lanes, pc: pc, fuel: fuel}
	w.Live, w.root.lanes = lanes, lanes
	w.used, w.ready, w.joining, w.yielded, w.arriving = 1, 1, 0, 0, 0
	w.watched, w.patient, w.parting, w.helping = 0, 0, false, false
	return f
}

// renew ends what the machine keeps, beside rows, of a warp in the CTA before.
func (w *Warp) renew() {
	w.hurry, w.held = 0, nil
	w.bars, w.gathers = w.bars[:0], w.gathers[:0]
	f := w.root
	f.retry, f.wait, f.moved, f.flow, f.rests = firstRetry, firstRetry, false, nil, false
}

// prepare makes the registers of a warp those of one that begins, if it is to.
func (w *Warp) prepare() {
	if w.stale {
		w.stale = false
		w.root.regs.Clear(w.root.code.RegBytes)
		w.placeSpecials(w.root)
	}
}

// end gives back what a CTA holds beyond its warps' own frames; it may be in any state.
func (c *CTA) end() {
	c.tell(events.CTAEnd, c.alive)
	if c.resting {
		return
	}
	for _, w := range c.warps {
		for m := w.used; m != 0; m &= m - 1 {
			f := &w.frags[first(m)]
			for frame := f.frame; frame != nil; {
				caller := frame.caller
				w.leave(frame, f.mask)
				frame = caller
			}
			*f = Fragment{}
		}
		w.used, w.ready, w.joining, w.yielded, w.arriving = 0, 0, 0, 0, 0
		w.bars, w.gathers = w.bars[:0], w.gathers[:0]
		w.clearLocal()
	}
}

// Verdict says why a cluster stopped running.
type Verdict uint8

// The verdicts.
const (
	Finished Verdict = iota
	Parked           // it had its slice
	Polling          // all that can run waits for other clusters
	Stuck            // deadlock: reported
	Broken           // fault, limit or cancellation
)

// ctaSlice is the passes over its warps after which a cluster lets others run.
const ctaSlice = 64

// pass lets every warp that can run have a turn, in ascending order from a first one that the
// seed chooses. moved is false if all of them only polled.
func (c *CTA) pass(number int) (moved, ok bool) {
	from := shape.Seed(c.grid.Seed).FirstWarp(c.rank, number, c.grid.warps)
	for k := 0; k < len(c.warps); k++ {
		i := (from + k) % len(c.warps)
		if c.runnable>>i&1 == 0 {
			continue
		}
		var out outcome
		if end, ran := c.batch(i, &moved); !ran {
			c.rouse()
			out = c.warps[i].run()
		} else if i, k = end.warp, end.warp; end.current {
			out = c.behindBatch(i, end.native)
		} else if c.cluster.core.host.Breathe(false); c.grid.stopped.Load() {
			return moved, false
		} else {
			continue
		}
		c.account(c.warps[i])
		if out == blocked {
			c.runnable &^= 1 << i // before operations go on: they may wake it
		}
		if len(c.async.Open()) != 0 && !c.async.Turn() {
			return moved, false
		}
		switch out {
		case failed:
			return moved, false
		case blocked:
			moved = true
		case done:
			moved = true
		case turnOver:
			moved = moved || !c.warps[i].polled
			if c.grid.stopped.Load() {
				return moved, false
			}
		}
	}
	return moved, true
}

// account moves a warp's counts to its core.
func (c *CTA) account(w *Warp) {
	s := &w.core.stats
	s.Steps += w.steps
	w.total += w.steps
	s.LaneOps += w.ops - w.lost
	c.cycles += w.steps + w.slept
	c.grid.charge(w.steps)
	w.core.publishOps(c.grid)
	if c.grid.Native {
		w.warm()
	}
	w.steps, w.ops, w.lost, w.slept = 0, 0, 0, 0
}

// Waiter is a set of lanes in a deadlock report.
type Waiter struct {
	CTA   [3]uint32
	Warp  int
	Lanes uint32
	Func  *FuncInfo
	PC    int32
	waits.Wait
}

// DeadlockError says that no thread of a CTA and its cluster can go on.
type DeadlockError struct {
	Kernel  string
	CTA     [3]uint32 // of the first waiter
	Cluster bool      // there are several CTAs in the cluster
	Waiters []Waiter
}

func (e *DeadlockError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "P7008: deadlock in kernel %s, CTA (%d,%d,%d)", e.Kernel, e.CTA[0], e.CTA[1], e.CTA[2])
	for _, v := range e.Waiters {
		b.WriteString("\n  ")
		if e.Cluster {
			fmt.Fprintf(&b, "CTA (%d,%d,%d) ", v.CTA[0], v.CTA[1], v.CTA[2])
		}
		fmt.Fprintf(&b, "warp %d lanes %08x at %s+%d: %s", v.Warp, v.Lanes, v.Func.Name, v.PC, v.Reason())
	}
	return b.String()
}

// deadlock describes a cluster in which no warp can go on. No warp outside can help, so this is
// known at once.
func (cl *Cluster) deadlock() error {
	e := &DeadlockError{Kernel: cl.grid.Entry.Func.Name, Cluster: len(cl.ctas) > 1, Waiters: cl.waiters()}
	e.CTA = e.Waiters[0].CTA
	return e
}

// waiters describes all lanes of a cluster, those of a warp by their first ones: which of them has come first differs between
// engines.
func (cl *Cluster) waiters() (list []Waiter) {
	for _, c := range cl.ctas {
		for _, w := range c.warps {
			begin := len(list)
			for m := w.used; m != 0; m &= m - 1 {
				list = append(list, w.waiter(&w.frags[first(m)]))
			}
			slices.SortFunc(list[begin:], func(a, b Waiter) int { return first(a.Lanes) - first(b.Lanes) })
		}
	}
	return list
}

func (w *Warp) waiter(f *Fragment) Waiter {
	at := f.frame.code.At(f.pc)
	v := Waiter{CTA: w.cta.id, Warp: int(w.index), Lanes: f.mask, Func: at.Func, PC: at.PC, Wait: waits.Wait{For: f.wait, Barrier: f.id}}
	switch f.wait {
	case waits.Members:
		v.Members = f.gather.members
		v.Missing = v.Members & w.Live &^ f.gather.Lanes
	case waits.Warp:
		v.Members = w.Live
		v.Missing = w.Live &^ w.bars.At(f.id, f.kind).Lanes
	case waits.Phase:
		v.Object, v.Text = w.phaseOf(f), w.cta.withheld()
	case waits.Aligned:
		v.Missing = w.Live &^ w.aligned()
	case waits.Tensor:
		v.Text = w.tensorReason(f)
	case waits.Registers:
		v.Text = w.poolReason(f)
	case waits.Cluster:
		v.Arrived, v.Want = w.cta.cluster.arrivals()
	case waits.CTA:
		b := &w.cta.bars[f.id]
		v.Arrived, v.Want = b.Arrived, b.Expects(w.cta.alive)
	}
	return v
}
