//go:build !interp

package vm

// This file makes the compiler of a device. With the build tag interp there is none (interpreted.go): what is built so needs
// no time for it, and tests that ask for the interpreter do not wait for a compiler that they do not use.

import (
	"fmt"

	"ptxvm.invalid/ptxvm/internal/jit"
	"ptxvm.invalid/ptxvm/internal/jit/cc"
)

// CompileWith makes a device of an engine that compiles, which has launched nothing yet, do so with other options: for tests and
// measurements.
//
//face:inside
func CompileWith(d *Device, o jit.Options) error {
	made, err := jit.NewEngine(o)
	if err == nil {
		d.compileBy(made) // the engine before has made nothing that is to be given back
	}
	return err
}

// Pipeline, if it is not nil, changes the options by which devices of the engines JIT and Auto compile: whole packages
// of tests run so by the new pipeline alone, or by the old compiler. With a seed or sanitizers there are no batches, which the new
// pipeline compiles for.
//
//face:inside
var Pipeline func(jit.Options) (jit.Options, error)

// MissingForC says what the engine CC lacks on this machine, by which all kernels are compiled as by JIT; "" if it lacks nothing.
//
//face:inside
func MissingForC() string {
	if _, err := cc.Find(false); err != nil {
		return err.Error()
	}
	return ""
}

// alone is why warps of a device begin one by one; empty if they do not.
func alone(c *DeviceConfig) string {
	switch {
	case c.Seed != 0:
		return "a seed"
	case c.Sanitize != 0:
		return "sanitizers"
	}
	return ""
}

// newCompiler makes the engine that a configuration asks for; nil for the interpreter. What it makes takes at most
// room bytes.
func newCompiler(c *DeviceConfig, room int64) (compiler, error) {
	if c.Engine == Interp {
		return nil, nil
	}
	o := jit.Options{Room: room}
	switch {
	case c.Engine == CC:
		o = jit.ThroughC(o, &jit.PipelineC{Cache: true, Alone: alone(c)})
	case alone(c) == "":
		o = jit.ByDefault(o)
	}
	if Pipeline != nil && c.Engine != CC && alone(c) == "" {
		var err error
		if o, err = Pipeline(o); err != nil {
			return nil, err
		}
	}
	made, err := jit.NewEngine(o)
	switch {
	case err != nil && c.Engine == Auto:
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("%w: %w; use --engine interp", ErrNoJIT, err)
	}
	return made, nil
}
