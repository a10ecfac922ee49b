package main

// This file is debug --dap: it opens the launches that an editor asks for, and gives package dap the connection.

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os"
	"slices"
	"strings"

	"ptxvm.invalid/ptxvm/internal/cli"
	"ptxvm.invalid/ptxvm/internal/debug/dap"
)

// bindDAP declares --dap.
func (f *debugFlags) bindDAP(cmd *cli.Command) {
	cmd.Flags().String(&f.dap, "dap", "", "", "serve an editor by the Debug Adapter Protocol, over standard input and output or, with `ADDR`, to the first that connects to HOST:PORT or :PORT of this machine; FILE and flags may then come from the editor").Alone = dap.OverStdio
}

// serveDAP answers an editor. The address may stand behind --dap as a word of its own.
func (f *debugFlags) serveDAP(ctx context.Context, s streams, args []string) error {
	addr := f.dap
	if i := slices.IndexFunc(args, dap.IsAddress); i >= 0 && addr == dap.OverStdio {
		addr, args = args[i], slices.Delete(slices.Clone(args), i, i+1)
	}
	switch {
	case f.script != "" || f.batch:
		return usageError{errors.New("debug --dap reads no commands: leave out --command and --batch")}
	case f.launch != "" || slices.Contains(s.args, "--"):
		return usageError{errors.New("debug --dap -- PROGRAM is not served: capture a launch of the program, and launch the folder of the capture")}
	}
	open := f.dapOpener(ctx, s, args)
	if addr == dap.OverStdio {
		return wrapUsage(dap.Serve(s.in, s.out, open))
	}
	at, err := dap.ParseAddress(addr)
	if err != nil {
		return usageError{err}
	}
	client, err := dap.AcceptOne(at, func(bound netip.AddrPort) {
		fmt.Fprintf(s.err, "debug adapter protocol: waiting at %s\n", bound)
	})
	if err != nil {
		return usageError{fmt.Errorf("--dap %s: %w", addr, err)}
	}
	return wrapUsage(errors.Join(dap.Serve(client, client, open), client.Close()))
}

// dapOpener opens what a launch request asks for; one without a program means the files of the command line.
func (f *debugFlags) dapOpener(ctx context.Context, s streams, args []string) dap.Opener {
	return func(a *dap.Arguments, out, notes io.Writer) (*dap.Program, error) {
		inner := streams{in: strings.NewReader(""), out: out, err: notes}
		flags, files := f, args
		if a.Program != "" || len(a.Args) > 0 {
			if len(args) > 0 {
				return nil, errors.New("the command line of debug --dap has files of its own: launch without program and args")
			}
			if a.Cwd != "" {
				if err := os.Chdir(a.Cwd); err != nil {
					return nil, fmt.Errorf("cwd: %w", err)
				}
			}
			flags = &debugFlags{}
			var err error
			if files, err = dapFlags(inner, flags, a); err != nil {
				return nil, err
			}
		}
		if a.Sanitize != "" {
			if err := flags.set.Set("sanitize", string(a.Sanitize)); err != nil {
				return nil, err
			}
		}
		return flags.dapProgram(ctx, inner, files)
	}
}

// dapFlags reads the program and the flags of a launch request.
func dapFlags(s streams, f *debugFlags, a *dap.Arguments) (files []string, err error) {
	cmd := newDebugWith(s, f)
	if files, err = cmd.Parse(doubleDash(a.Args)); err != nil {
		return nil, err
	}
	if f.dap != "" || f.script != "" || f.batch || f.at != "" || f.launch != "" {
		return nil, errors.New("args: --dap, --command, --batch, --at and --launch are not for an editor; \"moment\" is where the session begins")
	}
	if a.Program != "" {
		files = append([]string{a.Program}, files...)
	}
	return files, nil
}

// dapProgram compiles the files. What compilers and flags have to say becomes the error's text.
func (f *debugFlags) dapProgram(ctx context.Context, s streams, files []string) (*dap.Program, error) {
	if len(files) == 0 {
		return nil, errors.New("launch needs \"program\": a PTX file, or the folder of a captured launch")
	}
	if slices.Contains(files, "-") {
		return nil, errors.New("standard input cannot be the program: give a file")
	}
	var said bytes.Buffer
	target, err := f.read(ctx, s, files)
	if err != nil {
		quiet := s
		quiet.out, quiet.err = &said, &said
		if end := printEnd(quiet, &f.runFlags, new(reports), err); said.Len() == 0 {
			return nil, end
		}
		return nil, errors.New(strings.TrimRight(said.String(), "\n"))
	}
	p := &dap.Program{Target: target, Line: f.sourceRoot.line, ExitCode: f.dapExitCode}
	sources := f.sourceRoot.sources()
	p.File = sources.Path
	p.Checks, err = dap.ChecksOf(f.sanitize)
	return p, err
}

// dapExitCode is run's exit code of a launch that has ended so.
func (f *debugFlags) dapExitCode(end error) int {
	var r reports
	if r.found, end = splitReports(end); r.found == nil && end == nil {
		return exitDone
	}
	return exitCode(printEnd(streams{out: io.Discard, err: io.Discard}, &f.runFlags, &r, end))
}
