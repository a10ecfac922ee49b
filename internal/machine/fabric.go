package machine

// This file keeps fabric operations from their issue to their submission (9.4: 9.7.11.3): one that is never submitted never
// takes place, and no mbarrier hears of it.

import (
	"fmt"

	"ptxvm.invalid/ptxvm/internal/machine/faults"
)

// heldOp is an operation that waits for fabric.submit.
type heldOp struct {
	op      *Op
	in      *Inst
	lanes   uint32 // any of which may submit it
	fetches bool   // it reads from the fabric
}

// Hold keeps an operation of some lanes.
func (w *Warp) Hold(in *Inst, lanes uint32, fetches bool, op *Op) {
	w.held = append(w.held, heldOp{op, in, lanes, fetches})
}

// Submit begins the operations that the running lanes hold, or those that fetch.
func (w *Warp) Submit(fetching bool) State {
	mask, held := w.Mask, w.held
	defer func() { w.Mask = mask }()
	w.held = nil
	for i, h := range held {
		if h.lanes&mask == 0 || fetching && !h.fetches {
			w.held = append(w.held, h)
			continue
		}
		w.Mask = h.lanes & -h.lanes
		if st := w.Issue(h.in, h.op); st == Faulted {
			w.held = append(w.held, held[i+1:]...)
			return st
		}
	}
	return Next
}

// unsubmitted faults where lanes exit and nothing is left that could submit an operation (9.4: 9.7.11.5).
func (w *Warp) unsubmitted(in *Inst, exiting uint32) State {
	for _, h := range w.held {
		if h.lanes&w.Live&^exiting == 0 {
			return w.Fault(in, &Fault{Kind: faults.BadHandle, Lanes: h.lanes & exiting, Text: "the thread exits without fabric.submit behind " + h.in.Ext.Sel.Text()})
		}
	}
	return Next
}

// withheld says which operations nothing has submitted while threads wait for an mbarrier; "": none.
func (c *CTA) withheld() string {
	for _, w := range c.warps {
		for _, h := range w.held {
			return fmt.Sprintf("; warp %d has issued %s and no fabric.submit behind it", w.index, h.in.Ext.Sel.Text())
		}
	}
	return ""
}
