//go:build !interp

package rig

// This file runs the tests of a package by one of the two compilers: go test ./internal/testkit/launches -pipeline new.

import (
	"errors"
	"flag"
	"fmt"

	"ptxvm.invalid/ptxvm/internal/jit"
	"ptxvm.invalid/ptxvm/internal/jit/build"
	"ptxvm.invalid/ptxvm/internal/jit/isel/amd64"
	"ptxvm.invalid/ptxvm/internal/jit/opt"
	"ptxvm.invalid/ptxvm/internal/jit/ssa"
	"ptxvm.invalid/ptxvm/internal/jit/ssa/eval"
	"ptxvm.invalid/ptxvm/internal/vm"
)

// NewPipeline is by what devices that compile do so, as far as it takes kernels.
var NewPipeline = flag.String("pipeline", "",
	"new: kernels are compiled by the new pipeline, c: by way of C, eval: executed by package eval, as far as it takes them; "+
		"some: also those of which it does not know all, in front of which code leaves; old: by the old compiler; "+
		"if it is empty, as devices do: by the one that is likely faster")

// Note, if it is not nil, is called for each kernel that the new pipeline is asked for, with why it is not taken.
var Note func(kernel string, refused error)

// NoDefect panics, which ends a launch, unless an error by which the new pipeline does not take a kernel is nil or a refusal: the old compiler
// has the kernel then, too, so that tests pass.
func NoDefect(kernel string, err error) {
	if err != nil && !errors.As(err, new(build.Refusal)) && !errors.As(err, new(amd64.Refusal)) {
		panic(fmt.Errorf("BUG: %s: %w", kernel, err))
	}
}

func note(kernel string, err error) {
	NoDefect(kernel, err)
	if Note != nil {
		Note(kernel, err)
	}
}

func init() {
	vm.Pipeline = func(o jit.Options) (jit.Options, error) {
		c := &jit.PipelineC{Own: *NewPipeline != "c", Opt: opt.Options{Verify: true}, Note: note}
		c.Build = build.Options{Some: *NewPipeline == "some"}
		switch *NewPipeline {
		case "":
			return o, nil
		case "old":
			return jit.ThroughC(o, nil), nil
		case "eval":
			c.Instead = func(f *ssa.Func) (jit.WholeCode, error) { return eval.New(f, eval.Options{}) }
			fallthrough
		case "new", "c", "some":
			return jit.ThroughC(o, c), nil
		}
		return o, fmt.Errorf("-pipeline %s: there are new, c, eval, some and old", *NewPipeline)
	}
}
