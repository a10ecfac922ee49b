// Package tuning lets tests and measurements choose when and how a device compiles and see what it does, which its
// configuration leaves to it. Package ptxvm sets the functions; device is a *ptxvm.Device that has not launched anything yet.
package tuning

import "ptxvm.invalid/ptxvm/internal/machine"

var (
	// QuickAfter sets how many steps for each instruction the engine Auto interprets before the quick tier compiles; from
	// HotAfter on it never does.
	QuickAfter func(device any, times uint32)
	// HotAfter sets how many steps for each instruction the engine Auto interprets before code is compiled well.
	HotAfter func(device any, times uint32)
	// PartsAfter sets how often code for some lanes is missed before it is compiled.
	PartsAfter func(device any, times uint32)
	// CTAsAfter sets how many steps for each instruction CTAs run before a program of theirs is compiled.
	CTAsAfter func(device any, times uint32)
	// Observe lets an observer see every event of the device's next launches; nil ends that.
	Observe func(device any, o machine.Observer)
	// Careful makes the sanitizers that follow values look at each lane of each instruction.
	Careful func(device any)
)
