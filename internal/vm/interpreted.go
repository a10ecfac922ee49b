//go:build interp

package vm

// This file stands in place of compiled.go where ptxvm is built without its compiler.

import "fmt"

// MissingForC says nothing: there is no engine CC.
//
//face:inside
func MissingForC() string { return "" }

// newCompiler makes no compiler: the engines JIT and CC are refused, as on processors that there is no compiler for.
func newCompiler(c *DeviceConfig, _ int64) (compiler, error) {
	if c.Engine == JIT || c.Engine == CC {
		return nil, fmt.Errorf("%w: built without the compiler (the tag interp); use --engine interp", ErrNoJIT)
	}
	return nil, nil
}
