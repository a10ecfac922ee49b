package main

// This file is the run verb: prepare, launch once, write results.

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"ptxvm"
)

// newRun builds the run verb.
func newRun(s streams) *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run FILE… [flags]",
		Short: "Run a kernel on the CPU; several files are linked",
		Args:  needFiles,
		RunE: func(cmd *cobra.Command, files []string) error {
			return report(s, &f, runOnce(cmd.Context(), s, &f, files))
		},
	}
	f.bind(cmd)
	return cmd
}

// needFiles asks for at least one FILE in words of its own.
func needFiles(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return usageError{fmt.Errorf("%s needs a PTX file; - is standard input", cmd.Name())}
	}
	for _, arg := range args {
		if strings.HasPrefix(arg, "@") {
			return usageError{fmt.Errorf("%s: options from a file are not built yet", arg)}
		}
	}
	return nil
}

func runOnce(ctx context.Context, s streams, f *runFlags, files []string) (err error) {
	bar := newProgressBar(s.err, f.quiet)
	job, err := prepare(f, files, s, ptxvm.DeviceConfig{Stdout: s.out, Progress: bar.update})
	if err != nil {
		return err
	}
	defer job.close(&err)
	stats, err := job.launch(ctx)
	bar.done()
	reported := f.keepable(err)
	if err != nil && reported == nil {
		return err
	}
	results, err := job.results()
	if err != nil {
		return err
	}
	if err := writeResults(s.out, results); err != nil {
		return err
	}
	if f.show.memory != nil {
		if err := printTensor(s.out, f.show.memory); err != nil {
			return err
		}
	}
	if stats.Leak != nil {
		fmt.Fprintf(s.err, "warning: %v\n", stats.Leak)
	}
	if f.stats {
		printStats(s.err, stats)
	}
	return reported
}

// keepable returns err if it is nothing but the reports of sanitizers about a kernel that ran to
// its end, and --keep-output asks for its results; else nil.
func (f *runFlags) keepable(err error) error {
	var reports *ptxvm.SanitizerError
	if f.keepOutput && errors.As(err, &reports) && reports.Err == nil {
		return err
	}
	return nil
}
