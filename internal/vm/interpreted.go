//go:build interp

package vm

// This file stands in place of compiled.go where ptxvm is built without its compiler.

import "fmt"

// newCompiler makes no compiler: the engine JIT is refused, as on processors that there is no compiler for.
func newCompiler(e Engine, _ int64) (compiler, error) {
	if e == JIT {
		return nil, fmt.Errorf("%w: built without the compiler (the tag interp); use --engine interp", ErrNoJIT)
	}
	return nil, nil
}
