package main

// This file is the lsp verb.

import (
	"errors"
	"fmt"

	"ptxvm.invalid/ptxvm/internal/cli"
	"ptxvm.invalid/ptxvm/internal/lsp"
)

// newLSP builds the lsp verb: an editor talks to it over standard input and output.
func newLSP(s streams) *cli.Command {
	stdio := false
	cmd := &cli.Command{
		Use:     "lsp",
		Short:   "Serve an editor: the Language Server Protocol on standard input and output",
		Example: "  ptxvm lsp    what an editor starts; docs/howto/editors.md says how to tell it",
		Args:    takes(0, 0),
		Run: func(c *cli.Command, _ []string) error {
			err := lsp.Serve(c.Context(), s.in, s.out, cli.About().Version)
			if errors.Is(err, lsp.ErrNoShutdown) {
				return wrapUsage(fmt.Errorf("lsp: %w", err))
			}
			return err
		},
	}
	cmd.Flags().Bool(&stdio, "stdio", "", "over standard input and output, as some editors ask; there is no other way")
	return cmd
}
