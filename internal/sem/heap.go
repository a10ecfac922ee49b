package sem

// malloc and free of kernels: allocations of the device's memory.

import (
	"errors"

	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/mem"
)

// deviceMalloc returns null when memory is short, as malloc does; of 0 bytes as well.
func deviceMalloc(w *machine.Warp, in *machine.Inst, c *nativeCall) machine.State {
	return perLane(w, func(lane int) machine.State {
		addr, size := uint64(0), c.arg(w, 0, lane)
		if size != 0 {
			a, err := w.Arena().Alloc(size, mem.Info{Label: "malloc", Heap: true})
			if err == nil {
				addr = a
				tellHeap(w, in, machine.Allocated, lane, a, size)
			}
		}
		c.give(w, lane, addr)
		return machine.Next
	})
}

// deviceFree takes what malloc returned; null is nothing to free.
func deviceFree(w *machine.Warp, in *machine.Inst, c *nativeCall) machine.State {
	return perLane(w, func(lane int) machine.State {
		addr := c.arg(w, 0, lane)
		if addr == 0 {
			return machine.Next
		}
		a, ok := w.Arena().Find(addr)
		tellHeap(w, in, machine.Freed, lane, addr, a.End-a.Start)
		if !ok || !a.Heap || a.Start != addr || errors.Is(w.Arena().Free(addr), mem.ErrNotAllocated) {
			return w.Fault(in, &machine.Fault{Kind: machine.IllegalInstruction, Lanes: w.Mask, Addr: addr})
		}
		return machine.Next
	})
}

// tellHeap tells observers what a lane allocates or is about to free.
func tellHeap(w *machine.Warp, in *machine.Inst, what machine.EventKind, lane int, addr, size uint64) {
	if w.Observing() {
		x := machine.Extent{Space: machine.Global, Lane: lane, From: addr, To: addr + size}
		w.Observe(in, machine.Event{What: what, Space: machine.Global, Lanes: w.Mask, Extent: &x})
	}
}
