package ptxvm

// This file says which forms keep a kernel from running.

import (
	"errors"

	"ptxvm.invalid/ptxvm/internal/decode"
	"ptxvm.invalid/ptxvm/internal/isa"
)

// unsupported puts decode's list of missing forms into the terms of the source.
func (p *Program) unsupported(kernel string, err error) error {
	var missing *decode.UnsupportedError
	if !errors.As(err, &missing) {
		return err
	}
	out := &UnsupportedError{Kernel: kernel}
	for _, f := range missing.Forms {
		e := isa.Table().Entry(f.ID)
		line, _ := p.module.Sources[f.Unit].Position(f.At[0])
		out.Forms = append(out.Forms, UnsupportedForm{Name: e.Name, Text: f.Text, Section: e.Section, Reason: f.Reason,
			Count: len(f.At), Line: line})
	}
	return out
}
