package ptxvm

// This file holds what the command needs beside running: rendering, formatting, explaining, dumping.

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
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/syntax"
)

// DiagnosticFormat chooses how diagnostics are printed.
type DiagnosticFormat uint8

// The formats.
const (
	DiagnosticText   DiagnosticFormat = iota // with the source line, caret, form and fix
	DiagnosticJSON                           // one object per file
	DiagnosticPtxas                          // as ptxas prints, for editors that know that
	DiagnosticSARIF                          // one SARIF 2.1.0 log of all files
	DiagnosticGitHub                         // workflow commands, which GitHub shows beside the lines
)

// diagnosticFormats are their names.
var diagnosticFormats = []string{"text", "json", "ptxas", "sarif", "github"}

// ParseDiagnosticFormat knows text, json, ptxas, sarif and github.
func ParseDiagnosticFormat(name string) (DiagnosticFormat, error) {
	i := slices.Index(diagnosticFormats, name)
	if i < 0 {
		last := len(diagnosticFormats) - 1
		return 0, fmt.Errorf("format %q: want %s or %s", name, strings.Join(diagnosticFormats[:last], ", "), diagnosticFormats[last])
	}
	return DiagnosticFormat(i), nil
}

// WriteDiagnostics prints a list as text, as ptxas does, as workflow commands or as a SARIF log; color is for text. A log
// is of all files together: append their lists. JSON names the file: WriteDiagnosticsJSON.
func WriteDiagnostics(w io.Writer, list Diagnostics, format DiagnosticFormat, color bool) error {
	switch format {
	case DiagnosticPtxas:
		return diag.WritePtxas(w, list)
	case DiagnosticSARIF:
		return diag.WriteSARIF(w, About().Version, list)
	case DiagnosticGitHub:
		return diag.WriteGitHub(w, list)
	}
	return diag.WriteText(w, list, diag.TextOptions{Color: color})
}

// WriteDiagnosticsJSON prints the list of one file as one JSON object on one line.
func WriteDiagnosticsJSON(w io.Writer, file string, list Diagnostics) error {
	return diag.WriteJSON(w, file, list)
}

// Escape makes text that comes from input safe for a terminal: control characters, line
// breaks, invisible characters and bytes that are no UTF-8 become \xNN or \u{…}.
func Escape(text string) string { return diag.Escape(text) }

// Format lays out a module as `ptxvm fmt` does: white space, and the order of specifiers and of
// modifiers. Comments stay; the result is a fixed point. With syntax errors the error is a Diagnostics,
// and the result has the broken statements as they were; it is nil for what is no PTX at all.
func Format(filename string, src []byte) ([]byte, error) {
	f := syntax.Parse(filename, src)
	if noPTX(f.Errors) {
		return nil, f.Errors
	}
	info, _ := check.Check(f, check.Options{})
	return syntax.Format(f, syntax.FormatOptions{Modifiers: info.ModifierOrder}), f.Errors.Err()
}

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
	m, err := Compile(filename, src, nil)
	if err != nil {
		return err
	}
	if stage == "info" {
		return m.info.Write(w)
	}
	return m.dumpLowered(w, stage)
}

// ownShape is the block that a kernel's code is decoded for where no launch gives one: what it requires (.reqntid), else 256
// threads.
func ownShape(f *ir.Func) ir.LaunchShape {
	if r := f.Perf.ReqNTid; r != [3]int32{} {
		return ir.LaunchShape{BlockX: max(r[0], 1), BlockY: max(r[1], 1), BlockZ: max(r[2], 1)}
	}
	return ir.LaunchShape{BlockX: 256, BlockY: 1, BlockZ: 1}
}

// dumpLowered prints ir or decoded code of a linked module.
func (m *Module) dumpLowered(w io.Writer, stage string) error {
	unit, err := lower.Module(m.info, lower.Options{})
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
	target := machine.TargetOf(m.info.Target.Arch)
	if stage == "asm" {
		return dumpAsm(w, linked, target)
	}
	return decode.New(linked, &image{}).Write(w, ownShape, target)
}
