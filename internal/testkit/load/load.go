// Package load brings the text of tests to where it can be decoded.
package load

import (
	"ptxvm.invalid/ptxvm/internal/check"
	"ptxvm.invalid/ptxvm/internal/decode"
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/lower"
	"ptxvm.invalid/ptxvm/internal/syntax"
)

// Text checks, lowers and links a module; the error is what the checker or the linker complains about.
func Text(name, src string) (*ir.Module, error) {
	info, diags := check.Check(syntax.Parse(name, []byte(src)), check.Options{})
	if diags.HasErrors() {
		return nil, diags
	}
	m, err := lower.Module(info, lower.Options{})
	if err != nil {
		return nil, err
	}
	linked, diags := lower.Link([]*ir.Module{m}, decode.Provided)
	if diags.HasErrors() {
		return nil, diags
	}
	return linked, nil
}
