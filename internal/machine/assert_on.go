//go:build ptxvm_assert

package machine

// This file is the assertion build: slow checks of invariants of the fragment loop.

import "fmt"

const asserting = true

// assertScalar checks that a scalar slot is written only while all lanes of the frame are
// together.
func (in *Inst) assertScalar(f *Fragment) {
	if in.Flags&WritesScalar != 0 && (f.mask != f.frame.lanes || f.frame.variant != converged) {
		panic(fmt.Sprintf("BUG: scalar slot written by lanes %08x of %08x", f.mask, f.frame.lanes))
	}
}
