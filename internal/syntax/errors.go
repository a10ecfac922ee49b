package syntax

// This file makes diagnostics and quotes input in them.

import (
	"fmt"

	"ptxvm.invalid/ptxvm/diag"
)

// maxErrors bounds the reports for one file; hostile input has millions.
const maxErrors = 100

// newError makes a diagnostic with the section that the catalogue gives for its code.
func newError(src *diag.Source, span diag.Span, code diag.Code, format string, args ...any) diag.Diagnostic {
	d := diag.Diagnostic{Code: code, Source: src, Span: span, Msg: fmt.Sprintf(format, args...)}
	if e, ok := diag.Lookup(code); ok {
		d.Spec = e.Spec
	}
	return d
}

const maxQuoted = 40

// quote returns text in quotes, shortened if it is long.
func quote(text string) string {
	if len(text) > maxQuoted {
		text = text[:maxQuoted] + "…"
	}
	return "'" + text + "'"
}
