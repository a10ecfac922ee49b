package vm

// This file holds when code is compiled, and what else tests and measurements choose of a device that no configuration says.

import "ptxvm.invalid/ptxvm/internal/machine"

// Tuning is what a device does otherwise for tests and measurements, which change it before the device's first launch.
//
//face:inside
type Tuning struct {
	// How many steps for each instruction of code a worker of the engine Auto interprets before the quick tier compiles it; from
	// HotAfter on it never does.
	QuickAfter uint32
	// How many steps for each instruction such a worker interprets, of those in code of the quick tier four times as many, before code
	// is compiled as well as can be.
	HotAfter uint32
	// How often a worker leaves code for whole warps because lanes part, or has a warp of fewer, before code for them is made.
	PartsAfter uint32

	Observer machine.Observer // sees every event of launches; may change between them
	Careful  bool             // sanitizers that follow values look at each lane of each instruction

	OneRowEach bool // registers do not share rows: of programs that are loaded later
}

// TuningOf returns a device's tuning, to be changed.
//
//face:inside
func TuningOf(d *Device) *Tuning { return &d.tuning }

// untuned is the tuning of every device. The quick tier's code runs some times faster than the interpreter and costs little; HotAfter
// is about as long as compiling takes (bench/NOTES.md, "When code is compiled").
var untuned = Tuning{QuickAfter: 15, HotAfter: 60, PartsAfter: 40}
