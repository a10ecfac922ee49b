package jit

// This file prints what becomes of a kernel in the new pipeline, stage by stage.

import (
	"fmt"
	"slices"
	"strings"

	"ptxvm.invalid/ptxvm/internal/jit/build"
	"ptxvm.invalid/ptxvm/internal/jit/isel"
	"ptxvm.invalid/ptxvm/internal/jit/isel/amd64"
	"ptxvm.invalid/ptxvm/internal/jit/opt"
	"ptxvm.invalid/ptxvm/internal/jit/ssa"
	"ptxvm.invalid/ptxvm/internal/machine"
)

// Stages are those of the new pipeline, in order: ssa as it is built, behind a pass (the last but placing, if none is named), and placed;
// instructions on virtual registers; machine code.
func Stages() []string {
	return []string{"jit-ssa", stageOpt, "jit-place", "jit-isel", "jit-asm"}
}

// stageOpt is the stage that a colon and the name of a pass may follow.
const stageOpt = "jit-opt"

// IsStage tells whether a stage is one of the new pipeline; of a pass that does not exist it is an error.
func IsStage(stage string) (is bool, err error) {
	name, pass, named := strings.Cut(stage, ":")
	if named && name == stageOpt {
		var passes []string
		for _, p := range opt.Passes {
			passes = append(passes, p.Name)
		}
		if !slices.Contains(passes, pass) {
			return false, fmt.Errorf("pass %q does not exist; there are %s", pass, strings.Join(passes, ", "))
		}
		return true, nil
	}
	return slices.Contains(Stages(), stage), nil
}

// Stage is a stage of a kernel as text: what is made for vectors, which this processor need not have. A kernel that the new pipeline
// does not take has an error that says why.
func Stage(c *machine.Code, stage string, v Vectors) (string, error) {
	v = Options{Vectors: v}.vectors()
	b, err := build.Build(c, ForOwn(build.Options{}, v))
	if err != nil {
		return "", err
	}
	if stage == "jit-ssa" {
		return b.Func.String(), nil
	}
	var behind, last string
	_, pass, _ := strings.Cut(stage, ":")
	err = opt.Run(b.Func, opt.Options{Verify: true, Behind: func(name, text string) {
		if name == pass {
			behind = text
		} else if name != opt.Placing {
			last = text
		}
	}})
	switch {
	case err != nil:
		return "", err
	case pass != "":
		return behind, nil
	case stage == stageOpt:
		return last, nil
	case stage == "jit-place":
		return b.Func.String(), nil
	}
	return stageOwn(b.Func, stage, v)
}

// stageOwn is a stage of machine code of our own.
func stageOwn(f *ssa.Func, stage string, v Vectors) (string, error) {
	t := targets[v]
	if t == nil {
		t = amd64.AVX2
	}
	var made amd64.Trace
	code, err := amd64.Compile(f, t, amd64.Options{Check: true, Trace: &made})
	if err != nil {
		return "", err
	}
	if stage == "jit-asm" {
		return fmt.Sprintf("# %s by %v: %d bytes\n%s", f.Name, t, len(code), made.Listing), nil
	}
	return fmt.Sprintf("// %v\n%s%s", t, isel.Legend, made.Selected), nil
}
