package main

// This file is the debug verb: it opens the launch of a command line again and again for package debug, and gives package console
// its commands.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/internal/cli"
	"ptxvm.invalid/ptxvm/internal/debug"
	"ptxvm.invalid/ptxvm/internal/debug/console"
	"ptxvm.invalid/ptxvm/internal/launchlang"
)

// debugVerb is its name.
const debugVerb = "debug"

// debugFlags are run's, and its own.
type debugFlags struct {
	runFlags
	script string
	batch  bool
	at     momentFlag
	launch string // of a program
	dap    string // where an editor is served; empty: the terminal
}

// notDebugged are the flags of run that a debugger has no use for: they are refused, not passed over.
var notDebugged = []string{"workers", "devices", "timeout", "keep-output", "keep-going", "write-suppressions", "report", "expect", "tol",
	"trace", "trace-to", "max-trace", "show", "show-to", "stats"}

// newDebug builds the debug verb.
func newDebug(s streams) *cli.Command { return newDebugWith(s, &debugFlags{}) }

// newDebugWith builds it over its flags.
func newDebugWith(s streams, f *debugFlags) *cli.Command {
	cmd := &cli.Command{
		Use:   debugVerb + " FILE…|DIR|-- PROGRAM… [flags]",
		Short: "Step through a kernel, forwards and backwards; DIR is a captured launch, PROGRAM a CUDA program",
		Example: `  ptxvm debug saxpy.ptx --block 32 --arg s32:32 --arg f32:2 --arg in:f32x32=iota --arg inout:f32x32=1
  ptxvm debug capture/ -x commands.txt
  ptxvm debug --launch saxpy:3 -- ./program --its-own-flag`,
		Run: func(cmd *cli.Command, args []string) error {
			if f.dap != "" {
				return f.serveDAP(cmd.Context(), s, args)
			}
			return f.debug(cmd.Context(), s, args)
		},
	}
	cmd.Flags().Group("Debugger")
	cmd.Flags().String(&f.script, "command", "x", "", "do the commands of `FILE` instead of asking for some")
	cmd.Flags().Bool(&f.batch, "batch", "", "end with the first command that fails, with exit 2")
	cmd.Flags().Add(&f.at, "at", "", "begin at a moment that a fault, a report or a trace has named; at the fault that ends the launch; or behind the first report of a sanitizer, or the N-th")
	cmd.Flags().String(&f.launch, "launch", "", "", "of a program open `KERNEL[:N]`, the N-th launch of a kernel; default the first that faults or is reported, else the first")
	f.bindDAP(cmd)
	f.bind(cmd)
	return cmd
}

// debug opens the launch and does commands.
func (f *debugFlags) debug(ctx context.Context, s streams, args []string) error {
	_, program, has := programOf(s.args)
	switch {
	case has && len(args) != len(program):
		return usageError{errors.New("debug takes files, the folder of a capture, or -- and a program")}
	case has:
		launch, done, failed := f.captured(ctx, s, program)
		if failed != nil {
			return failed
		}
		return errors.Join(f.open(ctx, s, []string{"@" + launch}), done())
	case f.launch != "":
		return usageError{errors.New("--launch is for debug -- PROGRAM; a capture has one launch")}
	case len(args) == 0:
		return usageError{fmt.Errorf("%s needs a PTX file, the folder of a capture, or -- and a program", debugVerb)}
	}
	return f.open(ctx, s, args)
}

// open opens the launch of files and options, and does commands.
func (f *debugFlags) open(ctx context.Context, s streams, args []string) error {
	target, err := f.read(ctx, s, args)
	if err != nil {
		return printEnd(s, &f.runFlags, new(reports), err)
	}
	session, err := debug.Open(target)
	if err != nil {
		return printEnd(s, &f.runFlags, new(reports), err)
	}
	return errors.Join(f.converse(ctx, s, session), session.Close())
}

// read reads files and flags.
func (f *debugFlags) read(ctx context.Context, s streams, args []string) (debug.Target, error) {
	var none debug.Target
	launches, files, err := f.launches(withCaptures(args))
	switch {
	case err != nil:
		return none, err
	case len(launches) > 1:
		return none, usageError{fmt.Errorf("debug takes one launch, not %d", len(launches))}
	case f.script == "" && slices.Contains(files, "-"):
		return none, usageError{errors.New("debug reads its commands from standard input: give the PTX as a file, or the commands with -x")}
	}
	for _, name := range notDebugged {
		if f.set.Given(name) {
			return none, usageError{fmt.Errorf("debug does not take --%s", name)}
		}
	}
	return f.target(ctx, s, launches, files)
}

// withCaptures puts the options file of a captured launch in the place of its folder.
func withCaptures(args []string) []string {
	out := slices.Clone(args)
	for i, arg := range out {
		if info, err := os.Stat(arg); err == nil && info.IsDir() {
			out[i] = "@" + filepath.Join(arg, "launch.txt")
		}
	}
	return out
}

// target compiles the files; each launch gets a device and buffers of its own.
func (f *debugFlags) target(ctx context.Context, s streams, launches []*runFlags, files []string) (debug.Target, error) {
	quiet := s
	if f.set.Given("seed") {
		quiet.err = io.Discard // the note that one worker is taken
	}
	setup, _, err := setUp(ctx, launches, files, quiet, ptxvm.DeviceConfig{})
	if err != nil {
		return debug.Target{}, err
	}
	setup.Opened = debug.Prepare
	setup.Config.Engine, setup.Config.Workers, setup.Config.Deterministic = ptxvm.Interp, 1, true
	return debug.Target{Seed: f.seed, Output: s.out, Open: func(w ptxvm.Watch, seed uint64, out io.Writer) (*debug.Launch, error) {
		again := *setup
		again.Config.Seed, again.Config.Stdout = seed, out
		request, err := launches[0].read()
		if err != nil {
			return nil, usageError{err}
		}
		request.Options.Watch = w
		return f.openLaunch(&again, []launchlang.Request{request}, s)
	}}, nil
}

// openLaunch makes one launch.
func (f *debugFlags) openLaunch(setup *launchlang.Setup, requests []launchlang.Request, s streams) (*debug.Launch, error) {
	session, err := launchlang.OpenSession(setup, requests)
	if err != nil {
		return nil, err
	}
	j := session.Jobs[0]
	if err := j.Fill(); err != nil {
		return nil, errors.Join(err, session.Close())
	}
	return &debug.Launch{Kernel: j.Kernel, Shape: j.Shape, Close: session.Close,
		Run: func(ctx context.Context) error {
			_, err := j.Launch(ctx)
			return err
		},
		Result: func() error {
			results, err := j.AllResults()
			if err != nil {
				return err
			}
			return launchlang.WriteResults(s.out, results, screenOf(s.out, f.color))
		},
	}, nil
}

// momentFlag is where a session begins, as goto takes it.
type momentFlag string

func (f *momentFlag) String() string { return string(*f) }
func (f *momentFlag) Type() string   { return "M|fault|report[:N]" }

func (f *momentFlag) Set(text string) error {
	if _, err := debug.ParseDestination(text); err != nil {
		return err
	}
	*f = momentFlag(text)
	return nil
}

// converse does commands until they end.
func (f *debugFlags) converse(ctx context.Context, s streams, session *debug.Session) error {
	c := &console.Console{Session: session, Out: s.out, Source: f.sourceRoot.line, Batch: f.batch}
	in, err := f.commands(s, c)
	if err != nil {
		return usageError{err}
	}
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt)
	defer signal.Stop(interrupts)
	defer context.AfterFunc(ctx, session.Interrupt)()
	over := make(chan struct{})
	defer close(over)
	go func() {
		for {
			select {
			case <-interrupts:
				session.Interrupt()
			case <-over:
				return
			}
		}
	}()
	first := "cuda"
	if f.at != "" {
		first = "goto " + string(f.at)
	}
	c.Begin(first)
	ok, err := c.Run(in)
	switch {
	case err != nil:
		return usageError{fmt.Errorf("commands cannot be read: %w", err)}
	case !ok && f.batch:
		return exitError{exitUsage}
	}
	return nil
}
