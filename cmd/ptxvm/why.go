package main

// This file is run --why OUT[i]: where an element of what a launch leaves comes from.

import (
	"context"
	"errors"
	"fmt"
	"io"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/internal/launchlang"
	"ptxvm.invalid/ptxvm/internal/whence"
)

// whyFlags are those of --why.
type whyFlags struct {
	what   string
	depth  int
	memory sizeFlag
	dot    string
}

// check refuses what cannot be asked.
func (w *whyFlags) check(f *runFlags) error {
	switch {
	case w.what == "" && w.dot != "":
		return usageError{fmt.Errorf("--why-dot %s: --why NAME[i] says what to explain", w.dot)}
	case w.what == "":
	case f.devices > 1:
		return usageError{errors.New("--why: on one device alone")}
	case w.depth < 1:
		return usageError{fmt.Errorf("--why-depth %d: want 1 or more", w.depth)}
	case w.memory < 1:
		return usageError{fmt.Errorf("--why-memory %d: want 1 or more bytes", w.memory)}
	}
	return nil
}

// explain prints where the value comes from.
func (w *whyFlags) explain(ctx context.Context, s streams, launches []*runFlags, files []string) error {
	ask := &whence.Question{Element: w.what, Depth: w.depth, Values: whence.MostValues, Memory: int64(w.memory)}
	told, err := ask.Ask(ctx, again(s, launches, files))
	if err != nil {
		return err
	}
	return told.Write(s.out, w.dot)
}

// again runs the launches of a command line once more.
func again(s streams, launches []*runFlags, files []string) whence.Again {
	return func(ctx context.Context, r *ptxvm.Record, do func(*launchlang.Job, *ptxvm.Record) error) error {
		return recorded(ctx, s, launches, files, r, do)
	}
}

// recorded runs the launches, quietly, by one worker that interprets, and calls do while the memory of the last of them, which has a
// record, is still there.
func recorded(ctx context.Context, s streams, launches []*runFlags, files []string, r *ptxvm.Record, do func(*launchlang.Job, *ptxvm.Record) error) (err error) {
	s.out, s.err = io.Discard, io.Discard
	flags := make([]*runFlags, len(launches))
	for i := range flags {
		flags[i] = launches[i].clone()
		flags[i].unwatched()
	}
	session, err := prepare(flags, files, s, ptxvm.DeviceConfig{Stdout: io.Discard})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, session.Close()) }()
	for i, j := range session.launches {
		if err := j.Fill(); err != nil {
			return err
		}
		last := i == len(session.launches)-1
		if last {
			j.Watch.Record = r
		}
		if _, err := j.Launch(ctx); err != nil {
			return err
		}
		if last {
			return do(j.Job, r)
		}
		if err := j.Release(); err != nil {
			return err
		}
	}
	return nil
}

// unwatched turns off what looks at a launch, and what depends on more than one worker.
func (f *runFlags) unwatched() {
	f.engine, f.workers, f.sanitize, f.keepGoing = "interp", 1, "", false
	f.unshown()
}

// unshown turns off what is written of a run.
func (f *runFlags) unshown() {
	f.capture, f.quiet = "", true
	f.trace, f.show, f.showTo, f.traceTo, f.report, f.newSuppressions = traceFlag{}, showFlag{}, "", "", "", ""
}
