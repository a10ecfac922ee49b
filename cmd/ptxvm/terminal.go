package main

// This file decides what a terminal gets and a file does not.

import (
	"fmt"
	"io"
	"os"
	"slices"

	"golang.org/x/term"

	"ptxvm.invalid/ptxvm/internal/launchlang"
)

// isTerminal reports whether w is a terminal that a person looks at.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// checkColor refuses a --color that is none.
func checkColor(mode string) error {
	if !slices.Contains([]string{"auto", "always", "never"}, mode) {
		return fmt.Errorf("--color %s: want auto, always or never", mode)
	}
	return nil
}

// useColor decides --color; auto honours NO_COLOR (no-color.org).
func useColor(w io.Writer, mode string) bool {
	switch mode {
	case "always":
		return true
	case "never":
		return false
	}
	return os.Getenv("NO_COLOR") == "" && isTerminal(w)
}

// screenOf is what pictures of characters are shown on.
func screenOf(w io.Writer, mode string) launchlang.Screen {
	on := launchlang.Screen{Blocks: useColor(w, mode)}
	if f, ok := w.(*os.File); ok && isTerminal(w) {
		if columns, _, err := term.GetSize(int(f.Fd())); err == nil {
			on.Columns = max(0, columns)
		}
	}
	return on
}
