package cli

// This file prints the stages on the way from text to decoded code.

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/check"
	"ptxvm.invalid/ptxvm/internal/decode"
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/lower"
	"ptxvm.invalid/ptxvm/internal/machine/sizes"
	"ptxvm.invalid/ptxvm/internal/syntax"
)

// stages are what Dump prints, in the order in which a module passes them.
var stages = []string{"tokens", "syntax", "info", "ir", "code", "asm"}

// Stages lists what Dump can print.
func Stages() []string { return slices.Clone(stages) }

// Source is the text of a module and what messages call it.
type Source struct {
	Name string
	Text []byte
}

// Dump prints one stage of the way from text to decoded code. Stages from info on need a
// valid module; otherwise the error is a Diagnostics. code is decoded for blocks of 256
// threads, and asm is what the engine makes of that here.
func Dump(w io.Writer, filename string, src []byte, stage string) error {
	return DumpLinked(w, []Source{{filename, src}}, stage)
}

// DumpLinked is Dump of several modules: what each is by itself behind its name, and from ir on what they are together.
func DumpLinked(w io.Writer, modules []Source, stage string) error {
	i := slices.Index(stages, stage)
	if i < 0 {
		if stage == "" {
			return fmt.Errorf("want a stage, such as --stage ir; there are %s", strings.Join(stages, ", "))
		}
		return fmt.Errorf("stage %q does not exist; there are %s", stage, strings.Join(stages, ", "))
	}
	alone := i <= slices.Index(stages, "info")
	var units []*check.Info
	for _, m := range modules {
		if alone && len(modules) > 1 {
			fmt.Fprintf(w, "// %s\n", diag.Escape(m.Name))
		}
		info, err := dumpAlone(w, syntax.Parse(m.Name, m.Text), stage)
		if err != nil {
			return err
		}
		units = append(units, info)
	}
	if alone {
		return nil
	}
	return dumpLowered(w, units, stage)
}

// dumpAlone prints a stage that looks at one module, or checks it for a later one.
func dumpAlone(w io.Writer, f *syntax.File, stage string) (*check.Info, error) {
	switch stage {
	case "tokens":
		return nil, syntax.WriteTokens(w, f)
	case "syntax":
		return nil, syntax.WriteTree(w, f)
	}
	if syntax.NotPTX(f.Errors) {
		return nil, f.Errors
	}
	info, diags := check.Check(f, check.Options{})
	switch {
	case diags.HasErrors():
		return nil, diags
	case stage == "info":
		return info, info.Write(w)
	}
	return info, nil
}

// dumpLowered prints ir or decoded code of linked modules.
func dumpLowered(w io.Writer, modules []*check.Info, stage string) error {
	var units []*ir.Module
	newest := modules[0].Target
	for _, info := range modules {
		unit, err := lower.Module(info, lower.Options{})
		if err != nil {
			return err
		}
		units = append(units, unit)
		if info.Target.Arch > newest.Arch {
			newest = info.Target
		}
	}
	linked, diags := lower.Link(units, decode.Provided)
	if err := diags.Err(); err != nil {
		return err
	}
	if stage == "ir" {
		return ir.Print(w, linked)
	}
	target := sizes.Of(newest.Arch)
	if stage == "asm" {
		return dumpAsm(w, linked, target)
	}
	return decode.New(linked, nowhere{}).Write(w, (*ir.Func).OwnShape, target)
}

// nowhere places variables and functions at 0: what is only printed has no addresses.
type nowhere struct{}

func (nowhere) Var(*ir.Var) uint64   { return 0 }
func (nowhere) Func(*ir.Func) uint64 { return 0 }
