// Package ptxfmt lays PTX out and mends it: what `ptxvm fmt` and `ptxvm check --fix` do.
//
//	text, err := ptxfmt.Format("k.ptx", src)
//	text, n, err := ptxfmt.Fix("k.ptx", src, nil)
package ptxfmt

import (
	"ptxvm.invalid/ptxvm/internal/check"
	"ptxvm.invalid/ptxvm/internal/syntax"
)

// Format lays out a module as `ptxvm fmt` does: white space, and the order of specifiers and of
// modifiers. Comments stay; the result is a fixed point. With syntax errors the error is a diag.List,
// and the result has the broken statements as they were; it is nil for what is no PTX at all.
func Format(filename string, src []byte) ([]byte, error) {
	f := syntax.Parse(filename, src)
	if syntax.NotPTX(f.Errors) {
		return nil, f.Errors
	}
	info, _ := check.Check(f, check.Options{})
	return syntax.Format(f, syntax.FormatOptions{Modifiers: info.ModifierOrder}), f.Errors.Err()
}
