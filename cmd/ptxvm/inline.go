package main

// This file lets check judge inline assembly: the PTX in sources of C++ and Python.

import (
	"fmt"
	"io"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/inlineasm"
)

// inlineOf returns the language of a file whose inline assembly is to be judged: of CUDA C++ only if asked for, since that
// is compiled else. Of one that has none, and was not asked about that, the checker says what it is.
func (f *checkFlags) inlineOf(file string) (inlineasm.Language, bool) {
	language, ok := inlineasm.LanguageOf(file)
	return language, ok && (f.inline || !isCUDA(file))
}

// files replaces trees by the files that are to be checked.
func (f *checkFlags) files(args []string) ([]string, error) {
	if !f.inline {
		return eachFile(args, isPTX, ".ptx file")
	}
	return eachFile(args, func(file string) bool {
		_, ok := inlineasm.LanguageOf(file)
		return ok || isPTX(file)
	}, ".ptx file, and none that may have inline assembly")
}

// judgeInline judges the assembly of a source. The error is about cfg.
func (j *judged) judgeInline(cfg *ptxvm.CompileConfig) (err error) {
	opt := inlineasm.Options{Arch: cfg.Arch, Manual: cfg.Judge == ptxvm.JudgeManual}
	j.pieces, err = inlineasm.Judge(j.name, j.text, *j.inline, opt)
	j.diags = j.pieces.Diagnostics
	for i := range j.diags {
		if cfg.WarningsAreErrors {
			j.diags[i].Severity = diag.Error
		}
	}
	return err
}

// mostSkipped is how many pieces that were not judged are named one by one.
const mostSkipped = 3

// notePieces says which pieces were not judged: what has not been looked at is not right for that.
func (j *judged) notePieces(errw io.Writer) {
	for i, s := range j.pieces.Skipped {
		if i == mostSkipped {
			fmt.Fprintf(errw, "note: %s: %d more\n", diag.Escape(j.name), len(j.pieces.Skipped)-mostSkipped)
			return
		}
		fmt.Fprintf(errw, "note: %s:%d: inline assembly not judged: %s\n", diag.Escape(j.name), s.Line, s.Why)
	}
}
