package ptxvm

import (
	"ptxvm.invalid/ptxvm/internal/jit"
)

// CompileWith makes a device of an engine that compiles do so with other options, before its first launch.
func CompileWith(d *Device, o jit.Options) error {
	made, err := jit.NewEngine(o)
	if err != nil {
		return err
	}
	d.compileBy(made) // the engine before has made nothing that is to be given back
	return nil
}

// PartsAfter sets how often code for some lanes is missed before it is compiled.
func PartsAfter(d *Device, times uint32) { d.partsAfter = times }

// QuickAfter sets how many steps for each instruction the engine Auto interprets before the quick tier compiles; from HotAfter
// on it never does.
func QuickAfter(d *Device, times uint32) { d.quickAfter = times }

// HotAfter sets how many steps for each instruction the engine Auto interprets before code is compiled.
func HotAfter(d *Device, times uint32) { d.hotAfter = times }
