package machine

// This file places what compiled code reaches by address.

import (
	"unsafe"

	"ptxvm.invalid/ptxvm/internal/machine/abi"
	"ptxvm.invalid/ptxvm/internal/machine/arguments"
)

// nativeState returns the core's context of compiled code.
func (core *Core) nativeState() *abi.State {
	if core.native == nil {
		core.native = core.newNativeState()
	}
	return core.native
}

func (core *Core) newNativeState() *abi.State {
	s := (*abi.State)(core.memory.Get(int(unsafe.Sizeof(abi.State{}))))
	s.GlobalHost = uintptr(core.hostOffset())
	return s
}

// newNativeTable makes the core's table for some machine code.
func (core *Core) newNativeTable(n *installed) *nativeTable {
	size := max(n.NumBounds, 1) * int(unsafe.Sizeof(abi.Bounds{}))
	return &nativeTable{
		missed: -1, shared: n.Shared, left: make([]uint64, len(n.Entries)), follows: make([]arguments.Follows, n.NumBounds),
		bounds: unsafe.Slice((*abi.Bounds)(core.memory.Get(size)), n.NumBounds),
	}
}

// batchWarps returns the core's places for the warps of a batch.
func (core *Core) batchWarps() *[32]abi.Warp {
	if core.warps == nil {
		core.warps = (*[32]abi.Warp)(core.memory.Get(int(unsafe.Sizeof([32]abi.Warp{}))))
	}
	return core.warps
}

// regsOf is the address of a frame's register block.
func regsOf(f *Frame) uintptr { return uintptr(f.regs.P) }

// fillNative sets the context of compiled code for a fragment.
func (w *Warp) fillNative(s *abi.State, t *nativeTable, f *Fragment) {
	w.cta.fillNative(s, t)
	s.Batch.Budget = nativeSlice
	s.Regs, s.Mask, s.Fuel, s.PollFuel = uintptr(w.regs), f.mask, f.fuel, pollCost<<w.hurry
}

// fillNative sets what is the same for all warps of a CTA.
func (c *CTA) fillNative(s *abi.State, t *nativeTable) {
	g := c.grid
	s.Shared, s.Window, s.SharedBytes, s.Params = uintptr(c.shared), c.window, uint64(g.Shared), g.special.Params
	s.SharedHost = uintptr(c.shared) - uintptr(c.window)
	if t.shared != 0 {
		start := uint64(s.Shared - s.GlobalHost)
		t.bounds[t.shared-1] = abi.Bounds{Start: start, End: start + s.SharedBytes, WriteEnd: start + s.SharedBytes}
	}
	s.Bounds = uintptr(unsafe.Pointer(unsafe.SliceData(t.bounds)))
	s.Steps, s.Ops, s.Exited, s.Looped, s.N, s.Help.HandlerOps, s.Help.Faulted, s.Help.Gone, s.Missed = 0, 0, 0, 0, 0, 0, false, false, 0
}

// fillWarps says where the warps of a batch are.
func fillWarps(b *abi.Batch, w *[32]abi.Warp) { b.Warps = uintptr(unsafe.Pointer(w)) }

// hostOffset makes host addresses of device addresses.
func (core *Core) hostOffset() uint64 { return uint64(uintptr(core.arenaBase)) - core.arenaFirst }
