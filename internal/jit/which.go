package jit

// This file says which of the two compilers makes a kernel's code. The new pipeline does unless
//
//   - it does not know all of the kernel: what the interpreter's handlers would execute in the middle of its code the old compiler mostly
//     has instructions for;
//   - the kernel is so long that compiling it would take a tenth of a second.
//
// bench/NOTES.md, "Which compiler a kernel gets", has the figures. Nothing here asks what a kernel is called, or what a launch gives it.

import (
	"fmt"

	"ptxvm.invalid/ptxvm/internal/jit/build"
	"ptxvm.invalid/ptxvm/internal/jit/isel/amd64"
	"ptxvm.invalid/ptxvm/internal/machine"
)

// mostInsts is how many instructions a kernel may have.
const mostInsts = 4000

// NotNew is why launches of a kernel have the old compiler's code, by vectors that this processor need not have; nil if they have the new
// pipeline's.
func NotNew(c *machine.Code, v Vectors) error {
	v = Options{Vectors: v}.vectors()
	b, _, err := (&throughC{opt: ByDefault(Options{}).c}).text(c, v, nil)
	if err == nil && targets[v] != nil {
		_, err = amd64.Compile(b.Func, targets[v], amd64.Options{})
	}
	return err
}

// chosen are options by which kernels are refused that are the old compiler's.
func chosen(o build.Options) build.Options {
	o.Waits, o.Helpers = true, false
	return o
}

// tooLong says of a kernel whether it is.
func tooLong(c *machine.Code) error {
	if n := len(c.Insts); n > mostInsts {
		return build.Refusal(fmt.Sprintf("%d instructions", n))
	}
	return nil
}
