package machine

// This file gives handlers the device's memory as a whole, and its images.

import (
	"ptxvm.invalid/ptxvm/internal/machine/images"
	"ptxvm.invalid/ptxvm/internal/mem"
)

// Arena returns the global memory of the device that runs the warp.
func (w *Warp) Arena() *mem.Arena { return w.core.arena }

// Images returns what the handles of the device name.
func (w *Warp) Images() *images.Table { return w.core.images }
