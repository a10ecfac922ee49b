package main

// This file is the sarif verb: logs of several commands as one.

import (
	"bytes"
	"fmt"
	"os"

	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/cli"
	"ptxvm.invalid/ptxvm/internal/launchlang"
	"ptxvm.invalid/ptxvm/internal/sarif"
)

func newSARIF(s streams) *cli.Command {
	var out string
	cmd := &cli.Command{
		Use:     "sarif merge FILE…",
		Short:   "Merge SARIF logs into one, with one run for each tool and category",
		Example: "  ptxvm sarif merge check.sarif run.sarif -o all.sarif",
		Args:    takes(2, -1),
		Run: func(_ *cli.Command, args []string) error {
			if args[0] != "merge" {
				return usageError{fmt.Errorf("sarif %s: want sarif merge FILE…", args[0])}
			}
			return mergeLogs(s, out, args[1:])
		},
	}
	cmd.Flags().String(&out, "output", "o", "", "write to `FILE`; default standard output")
	return cmd
}

// mergeLogs merges what code scanning would refuse as several runs of one tool and category.
func mergeLogs(s streams, name string, files []string) error {
	var logs []*sarif.Log
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return usageError{err}
		}
		log, err := sarif.Read(bytes.NewReader(text))
		if err != nil {
			return usageError{fmt.Errorf("%s: %w", file, err)}
		}
		logs = append(logs, log)
	}
	merged := sarif.Merge(logs...)
	if why := sarif.GitHubRefuses(merged); why != "" {
		fmt.Fprintf(s.err, "note: GitHub's code scanning does not take it: %s\n", diag.Escape(why))
	}
	var b bytes.Buffer
	if err := merged.Write(&b); err != nil {
		return err
	}
	if name == "" || name == launchlang.ToStdout {
		_, err := s.out.Write(b.Bytes())
		return err
	}
	return wrapUsage(launchlang.WriteWhole(name, b.Bytes()))
}
