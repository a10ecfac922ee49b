package main

// This file makes launches of a command line: reads its flags, compiles its files.

import (
	"time"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/report"
)

// invocation is the launches of a command line.
type invocation struct {
	*session
	launches []*launch // in their order
	line     *progressLine
	suppress *report.Suppressions // may be nil
}

// launch is one of them with its flags.
type launch struct {
	*job
	flags *runFlags
}

// prepare does everything before the first launch. What fails here leaves no trace. cfg holds
// what flags do not say; launches holds the flags of each launch, those of the device in the first.
func prepare(launches []*runFlags, files []string, s streams, cfg ptxvm.DeviceConfig) (*invocation, error) {
	f := launches[0]
	if err := f.complete(&cfg); err != nil {
		return nil, usageError{err}
	}
	var requests []request
	for _, flags := range launches {
		r, err := flags.read()
		if err != nil {
			return nil, usageError{err}
		}
		requests = append(requests, r)
	}
	var err error
	if cfg.Suppress, err = f.suppressions(files); err != nil {
		return nil, usageError{err}
	}
	judge, err := ptxvm.ParseJudge(f.judge)
	if err != nil {
		return nil, usageError{err}
	}
	f.sourceRoot.near(files)
	s.quiet = f.quiet
	modules, err := compileFiles(s, &ptxvm.CompileConfig{Arch: f.arch, Judge: judge}, files)
	if err != nil {
		return nil, err
	}
	if cfg.Arch == "" {
		cfg.Arch = ptxvm.NewestTarget(modules...)
	}
	session, err := openSession(&setup{devices: f.devices, config: cfg, modules: modules, files: files, writes: f.writes(),
		forgives: func(err error) bool { return f.keepable(err) != nil }}, requests)
	if err != nil {
		return nil, err
	}
	made := &invocation{session: session, suppress: cfg.Suppress}
	for i, j := range session.jobs {
		made.launches = append(made.launches, &launch{j, launches[i]})
	}
	return made, nil
}

// read reads the flags of a launch that have a grammar of their own.
func (f *runFlags) read() (request, error) {
	if err := f.checkShowTo(); err != nil {
		return request{}, err
	}
	o := &options{kernel: f.kernel, sharedGiven: f.set.Given("shared"), args: f.args, images: f.images, bufs: f.bufs, globals: f.globals,
		expects: f.expects, tolerance: f.tol, triton: f.triton, timeout: time.Duration(f.timeout),
		watch: ptxvm.Watch{Trace: f.trace.what, Tensor: f.show.cta}}
	o.shape = ptxvm.Launch{Grid: f.grid.Dim3, Block: f.block.Dim3, Cluster: f.cluster.Dim3, Shared: int(f.shared)}
	if f.showTo != "" {
		o.writes = append(o.writes, output{option: "--show-to " + f.showTo, file: f.showTo})
	}
	return readRequest(o)
}

// writes are the files that a command line writes once.
func (f *runFlags) writes() []output {
	return []output{
		{option: "--report " + f.report, file: f.report}, {option: "--trace-to " + f.traceTo, file: f.traceTo},
		{option: "--write-suppressions " + f.newSuppressions, file: f.newSuppressions},
	}
}
