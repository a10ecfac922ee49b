package main

// This file is the verb that answers programs by the Model Context Protocol.

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"time"

	"ptxvm.invalid/ptxvm/docs"
	"ptxvm.invalid/ptxvm/internal/cli"
	"ptxvm.invalid/ptxvm/internal/launchlang"
	"ptxvm.invalid/ptxvm/internal/mcp"
)

// mcpFlags are the limits of mcp's calls.
type mcpFlags struct{ timeout, memory, output string }

func newMCP(s streams) *cli.Command {
	var f mcpFlags
	cmd := &cli.Command{
		Use:     "mcp",
		Short:   "Answer a coding agent by the Model Context Protocol, on standard input and output: check, run, sanitize, diff, explain, isa, grade",
		Example: "  claude mcp add ptxvm -- ptxvm mcp\n  ptxvm mcp --timeout 2m --memory 4G",
		Args:    takes(0, 0),
		Run:     func(cmd *cli.Command, _ []string) error { return f.serve(cmd.Context(), s) },
	}
	fl := cmd.Flags()
	fl.String(&f.timeout, "timeout", "", "30s", "wall clock limit of a call, such as `10s`")
	fl.String(&f.memory, "memory", "", "2G", "limit of device memory of a launch, a `SIZE`")
	fl.String(&f.output, "max-output", "", "64K", "most bytes of a call's output, a `SIZE`")
	return cmd
}

// serve answers until standard input ends.
func (f *mcpFlags) serve(ctx context.Context, s streams) error {
	timeout, err := time.ParseDuration(f.timeout)
	if err == nil && timeout <= 0 {
		err = errors.New("--timeout wants more than 0")
	}
	output, outputErr := launchlang.ParseByteSize(f.output)
	_, memoryErr := launchlang.ParseByteSize(f.memory)
	if err = errors.Join(err, outputErr, memoryErr); err != nil {
		return usageError{err}
	}
	folder, err := os.MkdirTemp("", "ptxvm-mcp-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	server := &mcp.Server{
		Version: cli.About().Version, Run: runProgram, Pages: docs.Pages, Folder: folder,
		Timeout: timeout, Memory: f.memory, Output: int(output),
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(ctx, s.in, s.out) }()
	select {
	case err = <-ended:
	case <-ctx.Done(): // its calls have been ended; standard input may never say anything again
		server.Wait()
		err = context.Cause(ctx)
	}
	return err
}

// runProgram runs this command, or Python, as mcp.Runner says.
func runProgram(ctx context.Context, program string, args []string, most int) (mcp.Done, error) {
	path, err := os.Executable()
	if program == mcp.Python {
		path, err = interpreter()
	}
	if err != nil {
		return mcp.Done{}, err
	}
	out, errs := kept{most: most}, kept{most: most}
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = &out, &errs, time.Second
	if program == mcp.Python && os.Getenv("PTXVM") == "" {
		if self, err := os.Executable(); err == nil {
			cmd.Env = append(os.Environ(), "PTXVM="+self)
		}
	}
	err = cmd.Run()
	done := mcp.Done{Out: out.bytes, Err: errs.bytes, Cut: out.cut + errs.cut}
	if cmd.ProcessState == nil {
		return done, err
	}
	done.Exit = cmd.ProcessState.ExitCode()
	return done, nil
}

// kept keeps the first bytes that are written to it, and counts the others.
type kept struct {
	bytes     []byte
	most, cut int
}

func (k *kept) Write(p []byte) (int, error) {
	n := min(len(p), k.most-len(k.bytes))
	k.bytes, k.cut = append(k.bytes, p[:n]...), k.cut+len(p)-n
	return len(p), nil
}
