package calls

// malloc and free of kernels: allocations of the device's memory.

import (
	"fmt"

	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/events"
	"ptxvm.invalid/ptxvm/internal/machine/faults"
	"ptxvm.invalid/ptxvm/internal/mem"
	"ptxvm.invalid/ptxvm/internal/sem"
)

// deviceMalloc returns null when memory is short, as malloc does; of 0 bytes as well.
func deviceMalloc(w *machine.Warp, in *machine.Inst, c *nativeCall) machine.State {
	return sem.OneByOne(w, func(lane int) machine.State {
		addr, size := uint64(0), c.arg(w, 0, lane)
		if size != 0 {
			at := w.Place(in)
			a, err := w.Arena().Alloc(size, mem.Info{Label: "malloc", Heap: true, Made: &at})
			if err == nil {
				addr = a
				tellHeap(w, in, events.Allocated, lane, a, size)
			}
		}
		c.give(w, lane, addr)
		return machine.Next
	})
}

// deviceFree takes what malloc returned; null is nothing to free.
func deviceFree(w *machine.Warp, in *machine.Inst, c *nativeCall) machine.State {
	return sem.OneByOne(w, func(lane int) machine.State {
		addr := c.arg(w, 0, lane)
		if addr == 0 {
			return machine.Next
		}
		a, ok := w.Arena().Find(addr)
		if !ok || !a.Heap || a.Start != addr {
			return badFree(w, in, addr, a.Heap)
		}
		tellHeap(w, in, events.Freed, lane, addr, a.End-a.Start)
		at := w.Place(in)
		if w.Arena().FreeAt(addr, &at) != nil { // another lane was faster
			return badFree(w, in, addr, true)
		}
		return machine.Next
	})
}

// badFree reports a free of what malloc has not returned, or of what is freed already.
func badFree(w *machine.Warp, in *machine.Inst, addr uint64, heap bool) machine.State {
	f := &machine.Fault{Kind: faults.BadFree, Lanes: w.Mask, Addr: addr, Near: w.Block(addr)}
	switch n := f.Near; {
	case n == nil:
		f.Text = fmt.Sprintf("%#x is no address that malloc has returned", addr)
	case n.Freed && n.Start == addr:
		f.Text = fmt.Sprintf("the block at %#x is freed twice", addr)
	case n.Freed:
		f.Text = fmt.Sprintf("%#x lies %d bytes inside a block that is freed already", addr, addr-n.Start)
	case heap:
		f.Text = fmt.Sprintf("%#x lies %d bytes inside a block; free takes its start", addr, addr-n.Start)
	default:
		f.Text = fmt.Sprintf("the memory at %#x is not from malloc", addr)
	}
	return w.Fault(in, f)
}

// tellHeap tells observers what a lane allocates or is about to free.
func tellHeap(w *machine.Warp, in *machine.Inst, what events.Kind, lane int, addr, size uint64) {
	if w.Observing() {
		x := machine.Extent{Space: machine.Global, Lane: lane, From: addr, To: addr + size}
		w.Observe(in, machine.Event{What: what, Space: machine.Global, Lanes: w.Mask, Extent: &x})
	}
}
