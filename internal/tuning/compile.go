//go:build !interp

package tuning

import "ptxvm.invalid/ptxvm/internal/jit"

// CompileWith makes a device of an engine that compiles do so with other options.
var CompileWith func(device any, o jit.Options) error
