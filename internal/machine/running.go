package machine

// This file says where the warps were when a limit or a cancellation stopped a launch.

import (
	"cmp"
	"math/bits"
	"slices"

	"ptxvm.invalid/ptxvm/internal/machine/waits"
)

// Running is a warp of a launch that was stopped: its largest set of lanes that could go on, else the largest.
type Running struct {
	CTA   [3]uint32
	Warp  int
	Steps uint64 // that the warp executed by itself; those of CTAs that compiled code ran as one are not known by warp
	Lanes uint32
	Func  *FuncInfo
	PC    int32
	Calls []CallFrame // innermost first, without Func itself
	Waits string      // what the lanes wait for; empty: they could go on
}

// maxRunning is how many warps a launch names: those that executed most.
const maxRunning = 8

// noteRunning keeps the warps of a cluster that has not ended when the launch is stopped.
func (g *Grid) noteRunning(cl *Cluster) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, c := range cl.ctas {
		if c.resting {
			continue
		}
		for _, w := range c.warps {
			if w.used != 0 {
				g.running = append(g.running, w.running())
			}
		}
	}
	slices.SortStableFunc(g.running, func(a, b Running) int {
		return cmp.Or(-cmp.Compare(a.Steps, b.Steps), cmp.Compare(a.CTA[2], b.CTA[2]), cmp.Compare(a.CTA[1], b.CTA[1]), cmp.Compare(a.CTA[0], b.CTA[0]), cmp.Compare(a.Warp, b.Warp))
	})
	g.running = g.running[:min(len(g.running), maxRunning)]
}

func (w *Warp) running() Running {
	from := w.used
	if w.ready != 0 {
		from = w.ready
	}
	f := &w.frags[first(from)]
	for m := from; m != 0; m &= m - 1 {
		if other := &w.frags[first(m)]; bits.OnesCount32(other.mask) > bits.OnesCount32(f.mask) {
			f = other
		}
	}
	at := f.frame.at(f.pc)
	r := Running{CTA: w.cta.id, Warp: int(w.index), Steps: w.total + w.steps, Lanes: f.mask, Func: at.Func, PC: at.PC, Calls: at.Calls}
	if w.ready == 0 && f.wait >= waits.Members {
		v := w.waiter(f)
		r.Waits = v.Reason()
	}
	return r
}
