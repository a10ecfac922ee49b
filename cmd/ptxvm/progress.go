package main

// This file shows how far a long run is.

import (
	"cmp"
	"io"

	"ptxvm.invalid/ptxvm/internal/cli"
	"ptxvm.invalid/ptxvm/internal/forms"
)

func newProgressLine(w io.Writer, quiet bool) *forms.Progress {
	if quiet || dumb() || !isTerminal(w) {
		return &forms.Progress{}
	}
	return &forms.Progress{To: w, Width: func() int { return cmp.Or(columnsOf(w), cli.StandardColumns) }}
}

// around is standard output for the kernel: where both are on a terminal, what it prints takes the place of the line.
func around(p *forms.Progress, out io.Writer) io.Writer {
	if p.To == nil || !isTerminal(out) {
		return out
	}
	return p.Beside(out)
}
