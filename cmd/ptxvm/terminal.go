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

// dumb reports whether the terminal says that it only prints characters: no colours, and no line is drawn over.
func dumb() bool { return os.Getenv("TERM") == "dumb" }

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

// useColor decides --color. Auto honours NO_COLOR (no-color.org), then FORCE_COLOR (force-color.org); a terminal that
// calls itself dumb has no colours.
func useColor(w io.Writer, mode string) bool {
	switch mode {
	case "always":
		return true
	case "never":
		return false
	}
	switch force := os.Getenv("FORCE_COLOR"); {
	case os.Getenv("NO_COLOR") != "":
		return false
	case force != "":
		return force != "0" && force != "false"
	}
	return !dumb() && isTerminal(w)
}

// columnsOf is the width of a terminal; 0 where w is none.
func columnsOf(w io.Writer) int {
	f, ok := w.(*os.File)
	if !ok || !isTerminal(w) {
		return 0
	}
	columns, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return max(0, columns)
}

// screenOf is what pictures of characters are shown on.
func screenOf(w io.Writer, mode string) launchlang.Screen {
	return launchlang.Screen{Blocks: useColor(w, mode), Columns: columnsOf(w)}
}
