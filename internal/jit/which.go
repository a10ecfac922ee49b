package jit

// This file says which of the two compilers makes a kernel's code. The new pipeline does unless
//
//   - it does not know all of the kernel: what the interpreter's handlers would execute in the middle of its code the old compiler mostly
//     has instructions for;
//   - warps wait at barriers: the old compiler makes one program of all warps of a CTA;
//   - lanes often take different ways in a loop, as in an interpreter of bytecode: of each way all is executed, under masks that are wanted
//     as vectors and as bits, which takes more registers than there are;
//   - the kernel is so long that compiling it would take a tenth of a second.
//
// bench/NOTES.md, "Which compiler a kernel gets", has the figures. Nothing here asks what a kernel is called, or what a launch gives it.

import (
	"fmt"

	"ptxvm.invalid/ptxvm/internal/jit/build"
	"ptxvm.invalid/ptxvm/internal/jit/isel/amd64"
	"ptxvm.invalid/ptxvm/internal/jit/ssa"
	"ptxvm.invalid/ptxvm/internal/machine"
)

const (
	mostInsts = 4000 // that a kernel may have
	mostWays  = 4    // that lanes may take apart in loops

	warpLevel = 2 // of blocks that a warp runs once (ssa.Block.Level)
)

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
	o.Waits, o.Helpers = false, false
	return o
}

// tooLong says of a kernel whether it is.
func tooLong(c *machine.Code) error {
	if n := len(c.Insts); n > mostInsts {
		return build.Refusal(fmt.Sprintf("%d instructions", n))
	}
	return nil
}

// slower says why the old compiler is likely faster than a placed function; nil if it is not.
func slower(f *ssa.Func) error {
	ways := 0
	for _, b := range f.Blocks {
		if b.Cold || b.Level <= warpLevel {
			continue
		}
		for _, i := range b.Items() {
			ways += waysApart(f, i)
		}
	}
	if ways > mostWays {
		return build.Refusal(fmt.Sprintf("lanes take %d ways apart in loops", ways))
	}
	return nil
}

// waysApart counts masks of lanes, but for those by which values are selected.
func waysApart(f *ssa.Func, i ssa.Item) int {
	switch {
	case i.Effect != nil || f.IsNum(i.Value):
	case f.TypeOf(i.Value) == ssa.M:
		return 1
	case f.Ops[i.Value].Code == ssa.Select:
		return -1
	}
	return 0
}
