package main

// This file is the bench verb: run's flags, several launches, times.

import (
	"context"
	"errors"
	"fmt"
	"time"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/internal/cli"
	"ptxvm.invalid/ptxvm/internal/forms"
	"ptxvm.invalid/ptxvm/internal/launchlang"
)

// newBench builds the bench verb.
func newBench(s streams) *cli.Command {
	var f runFlags
	var repeat int
	var format string
	cmd := &cli.Command{
		Use:   "bench FILE… [flags]",
		Short: "Launch a kernel repeatedly and print times (its printf output is discarded)",
		Args:  needFiles,
		Run: func(cmd *cli.Command, files []string) error {
			if repeat < 1 || (format != "text" && format != "json") {
				return usageError{fmt.Errorf("want --repeat of at least 1 and --format text or json")}
			}
			var found reports
			err := benchFiles(cmd.Context(), s, &f, files, repeat, format)
			found.found, err = splitReports(err)
			return printEnd(s, &f, &found, err)
		},
	}
	f.bind(cmd)
	cmd.Flags().Int(&repeat, "repeat", "", 10, "launch it `N` times")
	cmd.Flags().String(&format, "format", "", "text", "print as `text|json`")
	return cmd
}

// benchFiles launches repeat times. Kernel printf is discarded, since it would stand between
// the figures. Results are those of the first launch, written when all have succeeded.
func benchFiles(ctx context.Context, s streams, f *runFlags, files []string, repeat int, format string) (err error) {
	launches, files, err := f.launches(files)
	if err == nil && len(launches) > 1 {
		err = usageError{fmt.Errorf("bench times one launch; the options hold %d, separated by ---", len(launches))}
	}
	if err != nil {
		return err
	}
	if f.report != "" || len(f.expects) > 0 || f.trace.what != nil || f.traceTo != "" || f.show.cta != nil {
		return usageError{fmt.Errorf("bench measures; --report, --expect, --trace and --show are for run")}
	}
	line := newProgressLine(s.err, f.quiet)
	defer line.Done()
	defer context.AfterFunc(ctx, line.End)()
	session, err := prepare(launches, files, s, ptxvm.DeviceConfig{Progress: line.Report()})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, session.Close()) }()
	session.line = line
	j := session.launches[0]
	if err := j.Fill(); err != nil {
		return err
	}
	bench := forms.Bench{Schema: 1, Kernel: j.Kernel.Info().Name}
	var first []launchlang.Result
	for i := range repeat {
		line.About = fmt.Sprintf("%s, launch %d of %d", j.Kernel.Info().Base(), i+1, repeat)
		err := j.measure(ctx, &bench)
		if line.Done(); err != nil {
			return err
		}
		if i == 0 {
			if first, err = j.AllResults(); err != nil {
				return err
			}
		}
	}
	if err := launchlang.WriteSinks(first); err != nil {
		return usageError{fmt.Errorf("cannot write results: %w", err)}
	}
	return bench.Write(s.out, format)
}

// measure restores the buffers and times one launch.
func (j *launch) measure(ctx context.Context, bench *forms.Bench) error {
	if err := j.RestoreAll(); err != nil {
		return err
	}
	start := time.Now()
	stats, err := j.Launch(ctx)
	if err == nil {
		bench.Add(time.Since(start), stats)
	}
	return err
}
