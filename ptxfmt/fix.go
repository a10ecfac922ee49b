package ptxfmt

// This file applies the fixes that diagnostics carry, where they are mechanical.

import (
	"errors"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/mend"
)

// Applied is a fix that Mend has made.
type Applied struct {
	Line  int      // of the text, from 1: fixes change no line breaks
	Label string   // imperative: "add .rn"
	Of    []string // the words of which it wrote one, where several would have done; else nil
}

// Fix is Mend for those who want to know how many fixes are in the text, not which.
func Fix(filename string, src []byte, cfg *ptxvm.CompileConfig) ([]byte, int, error) {
	text, applied, err := Mend(filename, src, cfg)
	return text, len(applied), err
}

// Mend applies the mechanical fixes of Compile's errors to a module: those with one sensible
// meaning, such as a misspelled modifier or a missing semicolon. None changes what a statement
// says of widths, signs, rounding and state spaces. It returns the new text and the fixes that
// are in it, by line; all other bytes stay. A fix that does not make errors fewer is left out,
// so fixing the result changes nothing more. The error is about the configuration.
func Mend(filename string, src []byte, cfg *ptxvm.CompileConfig) ([]byte, []Applied, error) {
	text, made, err := mend.Mend(src, func(text []byte) (diag.List, error) { return judge(filename, text, cfg) })
	var applied []Applied
	for _, a := range made {
		applied = append(applied, Applied(a))
	}
	return text, applied, err
}

// judge is what Compile says of a text.
func judge(filename string, text []byte, cfg *ptxvm.CompileConfig) (diag.List, error) {
	m, err := ptxvm.Compile(filename, text, cfg)
	if rejected := (diag.List)(nil); errors.As(err, &rejected) {
		return rejected, nil
	}
	if err != nil {
		return nil, err
	}
	return m.Warnings(), nil
}
