package main

// This file is the run verb: prepare, launch once, write results.

import (
	"context"
	"errors"
	"fmt"

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
	return nil
}

func runOnce(ctx context.Context, s streams, f *runFlags, files []string) (err error) {
	bar := newProgressBar(s.err, f.quiet)
	launches, files, err := f.launches(files)
	if err != nil {
		return err
	}
	session, err := prepare(launches, files, s, ptxvm.DeviceConfig{Stdout: s.out, Progress: bar.update})
	if err != nil {
		return err
	}
	defer session.close(&err)
	var results []result
	var reported error
	for _, j := range session.jobs {
		wrote, err := j.once(ctx, s)
		bar.done()
		if kept := f.keepable(err); err != nil && kept == nil {
			return err
		}
		reported = errors.Join(reported, err)
		results = append(results, wrote...)
	}
	last, err := session.results()
	if err != nil {
		return err
	}
	if err := writeResults(s.out, append(results, last...), f.color); err != nil {
		return err
	}
	for _, j := range session.jobs {
		if j.flags.show.memory == nil {
			continue
		}
		if err := printTensor(s.out, j.flags.show.memory); err != nil {
			return err
		}
	}
	return reported
}

// once runs a launch and reads what it wrote. The error may be one that --keep-output forgives.
func (j *job) once(ctx context.Context, s streams) ([]result, error) {
	if err := j.fill(); err != nil {
		return nil, err
	}
	stats, err := j.launch(ctx)
	if err != nil && j.flags.keepable(err) == nil {
		return nil, err
	}
	results, failed := j.results()
	if failed = errors.Join(failed, j.release()); failed != nil {
		return nil, failed
	}
	if stats.Leak != nil {
		fmt.Fprintf(s.err, "warning: %v\n", stats.Leak)
	}
	if j.flags.stats {
		printStats(s.err, stats)
	}
	return results, err
}

// allResults are those of a single launch with what outlives it.
func (j *job) allResults() ([]result, error) {
	own, err := j.results()
	if err != nil {
		return nil, err
	}
	shared, err := j.session.results()
	return append(own, shared...), err
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
