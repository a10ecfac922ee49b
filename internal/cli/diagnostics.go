package cli

// This file prints diagnostics in the formats that the command knows.

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"ptxvm.invalid/ptxvm/diag"
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
// is of all files together: append their lists. JSON names the file: diag.WriteJSON.
func WriteDiagnostics(w io.Writer, list diag.List, format DiagnosticFormat, color bool) error {
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
