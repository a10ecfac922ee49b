package cli

// This file prints the stages on the way from text to decoded code.

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/check"
	"ptxvm.invalid/ptxvm/internal/decode"
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/jit"
	"ptxvm.invalid/ptxvm/internal/lower"
	"ptxvm.invalid/ptxvm/internal/machine/sizes"
	"ptxvm.invalid/ptxvm/internal/syntax"
)

// stages are what Dump prints, in the order in which a module passes them: up to code, then what the compiler makes of that, and what its
// new pipeline does.
var stages = append([]string{"tokens", "syntax", "info", "ir", "code", "asm"}, jit.Stages()...)

// Stages lists what Dump can print.
func Stages() []string { return slices.Clone(stages) }

// DumpOptions say what Dump prints.
type DumpOptions struct {
	Stage string // one of Stages; jit-opt may have the name of a pass behind a colon
	Width int    // bits of the vectors of machine code: 256, 512; 0: the widest that this processor has
	Only  string // of the new pipeline's stages: a regular expression for the blocks to be printed; empty: all of them
}

// check tells whether a stage can be printed so.
func (o DumpOptions) check() error {
	is, err := jit.IsStage(o.Stage)
	switch {
	case err != nil || is:
		return err
	case o.Only != "":
		return errors.New("only is for stages that begin with jit-")
	case slices.Contains(stages, o.Stage):
		return nil
	case o.Stage == "":
		return fmt.Errorf("want a stage, such as --stage ir; there are %s", strings.Join(stages, ", "))
	}
	return fmt.Errorf("stage %q does not exist; there are %s", o.Stage, strings.Join(stages, ", "))
}

// Source is the text of a module and what messages call it.
type Source struct {
	Name string
	Text []byte
}

// Dump prints one stage of the way from text to decoded code. Stages from info on need a
// valid module; otherwise the error is a Diagnostics. code is decoded for blocks of 256
// threads, and the stages behind it are what the compiler makes of that.
func Dump(w io.Writer, filename string, src []byte, stage string) error {
	return DumpLinked(w, []Source{{filename, src}}, DumpOptions{Stage: stage})
}

// DumpLinked is Dump of several modules: what each is by itself behind its name, and from ir on what they are together.
func DumpLinked(w io.Writer, modules []Source, o DumpOptions) error {
	if err := o.check(); err != nil {
		return err
	}
	alone := slices.Contains(stages[:slices.Index(stages, "ir")], o.Stage)
	var units []*check.Info
	for _, m := range modules {
		if alone && len(modules) > 1 {
			fmt.Fprintf(w, "// %s\n", diag.Escape(m.Name))
		}
		info, err := dumpAlone(w, syntax.Parse(m.Name, m.Text), o.Stage)
		if err != nil {
			return err
		}
		units = append(units, info)
	}
	if alone {
		return nil
	}
	return dumpLowered(w, units, o)
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

// dumpLowered prints what is made of linked modules.
func dumpLowered(w io.Writer, modules []*check.Info, o DumpOptions) error {
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
	target := sizes.Of(newest.Arch)
	switch o.Stage {
	case "ir":
		return ir.Print(w, linked)
	case "code":
		return decode.New(linked, nowhere{}).Write(w, (*ir.Func).OwnShape, target)
	}
	return dumpCompiled(w, linked, target, o)
}

// nowhere places variables and functions at 0: what is only printed has no addresses.
type nowhere struct{}

func (nowhere) Var(*ir.Var) uint64   { return 0 }
func (nowhere) Func(*ir.Func) uint64 { return 0 }
