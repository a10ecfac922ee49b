package machine

// This file gives handlers the device's memory as a whole.

import "ptxvm.invalid/ptxvm/internal/mem"

// Arena returns the global memory of the device that runs the warp.
func (w *Warp) Arena() *mem.Arena { return w.core.arena }
