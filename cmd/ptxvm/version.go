package main

// This file is the version verb.

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"ptxvm.invalid/ptxvm/internal/cli"
)

// newVersion builds the version verb: what this build is, and what it can do here.
func newVersion(s streams) *cli.Command {
	var asJSON bool
	var format string
	cmd := &cli.Command{
		Use:   "version",
		Short: "Print version, commit, ranges of PTX and sm, forms done, CPU, engine",
		Args:  takes(0, 0),
		Run: func(*cli.Command, []string) error {
			switch {
			case asJSON || format == "json":
				return wrapUsage(writeJSON(s.out, cli.About()))
			case format == "text":
				return wrapUsage(writeVersion(s.out, cli.About()))
			}
			return usageError{fmt.Errorf("--format %s: want text or json", format)}
		},
	}
	cmd.Flags().String(&format, "format", "", "text", "print as `text|json`")
	cmd.Flags().Bool(&asJSON, "json", "", "what --format json prints")
	return cmd
}

// writeJSON prints an indented object; names such as <stdin> stay readable.
func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

func writeVersion(w io.Writer, b cli.BuildInfo) error {
	commit := b.Commit
	if b.Changed {
		commit += ", changed"
	}
	if commit != "" {
		commit = " (" + commit + ")"
	}
	_, err := fmt.Fprintf(w, `ptxvm   %s%s
go      %s %s/%s
ptx     %s to %s, %s to %s
forms   %d of %d executed, %d that no manual describes
cpu     %s
engine  %s: %s
`, b.Version, commit, b.Go, b.OS, b.Arch, b.PTX[0], b.PTX[1], b.Targets[0], b.Targets[1],
		b.Forms["done"], b.Forms["total"], b.Forms["undocumented"], strings.Join(b.CPU, " "), b.Engine, b.Why)
	return err
}
