package main

// This file makes launches of a command line: reads its flags, compiles its files.

import (
	"context"
	"fmt"
	"time"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/internal/cli"
	"ptxvm.invalid/ptxvm/internal/forms"
	"ptxvm.invalid/ptxvm/internal/launchlang"
	"ptxvm.invalid/ptxvm/report"
)

// invocation is the launches of a command line.
type invocation struct {
	*launchlang.Session
	launches []*launch // in their order
	line     *forms.Progress
	suppress *report.Suppressions // may be nil
}

// launch is one of them with its flags.
type launch struct {
	*launchlang.Job
	flags *runFlags
}

// prepare does everything before the first launch. What fails here leaves no trace. cfg holds
// what flags do not say; launches holds the flags of each launch, those of the device in the first.
func prepare(launches []*runFlags, files []string, s streams, cfg ptxvm.DeviceConfig) (*invocation, error) {
	ctx, cancel := launches[0].preparing()
	defer cancel()
	setup, requests, err := setUp(ctx, launches, files, s, cfg)
	if err != nil {
		return nil, err
	}
	session, err := launchlang.OpenSession(setup, requests)
	if err != nil {
		return nil, err
	}
	made := &invocation{Session: session, suppress: setup.Config.Suppress}
	for i, j := range session.Jobs {
		made.launches = append(made.launches, &launch{j, launches[i]})
	}
	return made, nil
}

// setUp reads flags and compiles files: what sessions are opened with, before ctx ends.
func setUp(ctx context.Context, launches []*runFlags, files []string, s streams, cfg ptxvm.DeviceConfig) (*launchlang.Setup, []launchlang.Request, error) {
	f := launches[0]
	if err := f.complete(&cfg); err != nil {
		return nil, nil, usageError{err}
	}
	if f.seed != 0 && !f.set.Given("workers") {
		cfg.Workers = 1
		if !f.quiet {
			fmt.Fprintf(s.err, "note: --seed %d runs on one thread, so that it repeats (--workers)\n", f.seed)
		}
	}
	if lacks := cli.LacksForEngine(f.engine); lacks != "" && !f.quiet {
		fmt.Fprintf(s.err, "warning: %s\n", lacks)
	}
	var requests []launchlang.Request
	for _, flags := range launches {
		r, err := flags.read()
		if err != nil {
			return nil, nil, usageError{err}
		}
		requests = append(requests, r)
	}
	var err error
	if cfg.Suppress, err = f.suppressions(files); err != nil {
		return nil, nil, usageError{err}
	}
	judge, err := ptxvm.ParseJudge(f.judge)
	if err != nil {
		return nil, nil, usageError{err}
	}
	f.sourceRoot.near(files)
	s.quiet = f.quiet
	modules := s.modules
	if modules == nil {
		modules, err = compileFilesWithin(ctx, int64(f.memory), s, &ptxvm.CompileConfig{Arch: f.arch, Judge: judge}, files)
	}
	if err != nil {
		return nil, nil, err
	}
	if cfg.Arch == "" {
		cfg.Arch = ptxvm.NewestTarget(modules...)
	}
	return &launchlang.Setup{Devices: f.devices, Config: cfg, Modules: modules, Files: files, Writes: f.writes(), Loading: ctx,
		Forgives: func(err error) bool { return f.keepable(err) != nil }}, requests, nil
}

// preparing bounds the time for compiling and loading: as long as a launch may take.
func (f *runFlags) preparing() (context.Context, context.CancelFunc) {
	if f.timeout > 0 {
		return context.WithTimeout(context.Background(), time.Duration(f.timeout))
	}
	return context.Background(), func() {}
}

// read reads the flags of a launch that have a grammar of their own.
func (f *runFlags) read() (launchlang.Request, error) {
	if err := f.checkShowTo(); err != nil {
		return launchlang.Request{}, err
	}
	o := &launchlang.Options{Kernel: f.kernel, SharedGiven: f.set.Given("shared"), Args: f.args, Images: f.images, Bufs: f.bufs, Globals: f.globals,
		Expects: f.expects, Tolerance: f.tol, Triton: f.triton, Timeout: time.Duration(f.timeout),
		Watch: ptxvm.Watch{Trace: f.trace.what, Tensor: f.show.cta}}
	o.Shape = ptxvm.Launch{Grid: f.grid.Dim3, Block: f.block.Dim3, Cluster: f.cluster.Dim3, Shared: int(f.shared), Capture: f.capture}
	if f.showTo != "" {
		o.Writes = append(o.Writes, launchlang.Output{Option: "--show-to " + f.showTo, File: f.showTo})
	}
	return launchlang.ReadRequest(o)
}

// writes are the files that a command line writes once.
func (f *runFlags) writes() []launchlang.Output {
	return []launchlang.Output{
		{Option: "--report " + f.report, File: f.report}, {Option: "--trace-to " + f.traceTo, File: f.traceTo},
		{Option: "--write-suppressions " + f.newSuppressions, File: f.newSuppressions},
	}
}
