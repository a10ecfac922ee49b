package machine

// This file places what compiled code reaches by address.

import (
	"unsafe"
)

// nativeState returns the worker's context of compiled code.
func (wk *worker) nativeState() *NativeState {
	if wk.native == nil {
		wk.native = (*NativeState)(wk.slab.Get(int(unsafe.Sizeof(NativeState{}))))
		wk.native.Arena = uintptr(wk.arenaBase)
	}
	return wk.native
}

// newNativeTable makes the worker's table for some machine code.
func (wk *worker) newNativeTable(n *Native) *nativeTable {
	size := max(n.NumBounds, 1) * int(unsafe.Sizeof(NativeBounds{}))
	return &nativeTable{
		missed: -1, left: make([]uint64, len(n.Entries)),
		bounds: unsafe.Slice((*NativeBounds)(wk.slab.Get(size)), n.NumBounds),
	}
}

// fillNative sets the context of compiled code for a fragment.
func (w *Warp) fillNative(s *NativeState, t *nativeTable, f *Fragment) {
	g := w.cta.grid
	s.Regs, s.Shared = uintptr(w.regs), uintptr(w.cta.shared)
	s.Window, s.SharedBytes, s.Params = w.cta.window, uint64(g.Shared), g.params
	s.Bounds = uintptr(unsafe.Pointer(unsafe.SliceData(t.bounds)))
	s.Mask, s.Fuel, s.PollFuel = f.mask, f.fuel, pollCost<<w.hurry
	s.Steps, s.Ops, s.Exited, s.Looped, s.N = 0, 0, 0, 0, 0
}
