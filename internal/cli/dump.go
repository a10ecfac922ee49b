package cli

// This file prints the stages on the way from text to decoded code.

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"ptxvm.invalid/ptxvm/internal/check"
	"ptxvm.invalid/ptxvm/internal/decode"
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/lower"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/syntax"
)

// stages are what Dump prints, in the order in which a module passes them.
var stages = []string{"tokens", "syntax", "info", "ir", "code", "asm"}

// Stages lists what Dump can print.
func Stages() []string { return slices.Clone(stages) }

// Dump prints one stage of the way from text to decoded code. Stages from info on need a
// valid module; otherwise the error is a Diagnostics. code is decoded for blocks of 256
// threads, and asm is what the engine makes of that here.
func Dump(w io.Writer, filename string, src []byte, stage string) error {
	i := slices.Index(stages, stage)
	if i < 0 {
		if stage == "" {
			return fmt.Errorf("want a stage, such as --stage ir; there are %s", strings.Join(stages, ", "))
		}
		return fmt.Errorf("stage %q does not exist; there are %s", stage, strings.Join(stages, ", "))
	}
	f := syntax.Parse(filename, src)
	switch stage {
	case "tokens":
		return syntax.WriteTokens(w, f)
	case "syntax":
		return syntax.WriteTree(w, f)
	}
	if syntax.NotPTX(f.Errors) {
		return f.Errors
	}
	info, diags := check.Check(f, check.Options{})
	switch {
	case diags.HasErrors():
		return diags
	case stage == "info":
		return info.Write(w)
	}
	return dumpLowered(w, info, stage)
}

// dumpLowered prints ir or decoded code of a linked module.
func dumpLowered(w io.Writer, info *check.Info, stage string) error {
	unit, err := lower.Module(info, lower.Options{})
	if err != nil {
		return err
	}
	linked, diags := lower.Link([]*ir.Module{unit}, decode.Provided)
	if err := diags.Err(); err != nil {
		return err
	}
	if stage == "ir" {
		return ir.Print(w, linked)
	}
	target := machine.TargetOf(info.Target.Arch)
	if stage == "asm" {
		return dumpAsm(w, linked, target)
	}
	return decode.New(linked, nowhere{}).Write(w, (*ir.Func).OwnShape, target)
}

// nowhere places variables and functions at 0: what is only printed has no addresses.
type nowhere struct{}

func (nowhere) Var(*ir.Var) uint64   { return 0 }
func (nowhere) Func(*ir.Func) uint64 { return 0 }
