package jit

import (
	"ptxvm/internal/decode"
	"ptxvm/internal/ir"
)

// LiveAt answers as the compiler's cursor does, for tests.
func LiveAt(f *ir.Func) func(pc int32) ir.Bits {
	return newLiveness(f, decode.RowOffsets(f), new(scratch)).at
}
