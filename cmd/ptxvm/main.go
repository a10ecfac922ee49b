// Command ptxvm checks, formats and runs PTX. It is a thin client of package ptxvm:
// results go to standard output, everything else to standard error, and the exit
// codes are those of docs/exit-codes.md.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/cli"
)

func main() {
	// What cannot be recovered says its reason and no more: stacks are for reports.
	if !wantStack() {
		debug.SetTraceback("none")
	}
	ignoreSignals()
	args := underOwnName(os.Args[0], os.Args[1:])
	ctx, stop := signal.NotifyContext(context.Background(), ending(args)...)
	context.AfterFunc(ctx, stop)             // a second signal ends the process at once
	if len(args) == 0 || args[0] != "exec" { // what it runs may have no use for one
		warnNoOutput(os.Stderr)
	}
	code := doMain(ctx, args, os.Stdin, os.Stdout, os.Stderr)
	if code == exitPipe {
		endByPipe()
	}
	os.Exit(code)
}

// ending are the signals that end a command line: debug stops the launch at an interrupt, and goes on.
func ending(args []string) []os.Signal {
	if len(args) > 0 && args[0] == debugVerb {
		return []os.Signal{syscall.SIGTERM}
	}
	return []os.Signal{os.Interrupt, syscall.SIGTERM}
}

// streams are the three standard streams of one invocation; tests pass their own.
type streams struct {
	in       io.Reader
	out, err io.Writer

	name  string   // of standard input in messages; empty: stdinName
	quiet bool     // no notes
	args  []string // the command line, for reports that say how to see the same again

	modules []*ptxvm.Module // what its files hold, where they have been read: they may be pipes
}

// doMain runs one command line and returns its exit code.
func doMain(ctx context.Context, args []string, in io.Reader, out, errw io.Writer) int {
	root := newRoot(streams{in: in, out: out, err: errw, args: args})
	return execute(ctx, root, out, errw, doubleDash(args))
}

// grace is how long a verb may take to notice that it is interrupted; a launch needs
// milliseconds, a read of standard input never notices.
const grace = time.Second

// execute runs the command on a goroutine of its own, so that an interrupt always ends it.
func execute(ctx context.Context, root *cli.Command, out, errw io.Writer, args []string) int {
	code := make(chan int, 1)
	go func() { code <- guarded(ctx, root, out, errw, args) }()
	select {
	case c := <-code:
		return c
	case <-ctx.Done():
	}
	select {
	case c := <-code:
		return c
	case <-time.After(grace):
		fmt.Fprintln(errw, "interrupted")
		return exitInterrupted
	}
}

// guarded turns a panic, which is a defect in ptxvm, into exit code 70 and a line on how to
// report it.
func guarded(ctx context.Context, root *cli.Command, out, errw io.Writer, args []string) (code int) {
	defer func() {
		if p := recover(); p != nil {
			code = reportDefect(errw, args, p)
		}
	}()
	return finish(errw, root.Execute(ctx, args, out))
}

// newRoot assembles the verbs.
func newRoot(s streams) *cli.Command {
	version := false
	root := &cli.Command{
		Use:     "ptxvm",
		Short:   "Check PTX as ptxas does, and run it on the CPU",
		Example: firstSteps,
		Run: func(root *cli.Command, args []string) error {
			if version && len(args) == 0 {
				return wrapUsage(writeVersion(s.out, cli.About()))
			}
			return noVerb(root, args) // a verb that does not exist is an argument
		},
		FlagError: flagError,
		Columns:   columnsOf(s.out),
	}
	root.Flags().Bool(&version, "version", "", "print what the verb version does")
	root.Add(newCheck(s), newFmt(s), newRun(s), newDebug(s), newDiff(s), newBench(s), newISA(s), newExplain(s), newDump(s), newInfo(s), newLSP(s), newVersion(s), newExample(s), newTest(s), newExec(s), newPytest(s), newMCP(s), newCudart(s), newPtxas(s), newSARIF(s))
	root.Add(laterVerbs()...)
	root.Add(newHelp(root))
	addCompletion(root)
	return root
}

// laterVerbs are promised by the contract and refused by name until they are built.
func laterVerbs() []*cli.Command {
	var verbs []*cli.Command
	for _, name := range []string{"serve"} {
		verbs = append(verbs, &cli.Command{
			Use: name, Hidden: true, Raw: true,
			Run: func(*cli.Command, []string) error {
				return usageError{fmt.Errorf("ptxvm %s is not built yet", name)}
			},
		})
	}
	return verbs
}

// finish prints an error that has not been printed yet and gives its exit code.
func finish(errw io.Writer, err error) int {
	var printed exitError
	switch {
	case err == nil || errors.As(err, &printed):
		return exitCode(err)
	case closedPipe(err):
		return exitPipe // the reader has seen enough, and wants no message
	}
	fmt.Fprintf(errw, "ptxvm: %s\n", escapeLines(strings.TrimPrefix(err.Error(), "ptxvm: ")))
	return exitCode(err)
}

// escapeLines makes a message of several lines safe for a terminal: names of files and
// kernels in it are input.
func escapeLines(text string) string {
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = diag.Escape(lines[i])
	}
	return strings.Join(lines, "\n")
}

// wantStack reports whether defects are shown with the stack of the goroutine.
func wantStack() bool { return os.Getenv("PTXVM_STACK") != "" }

// reportDefect prints what a report needs. A panic of a worker carries its stack behind the
// first line.
func reportDefect(errw io.Writer, args []string, p any) int {
	first, stack, carried := strings.Cut(fmt.Sprint(p), "\n")
	if !carried {
		stack = string(debug.Stack())
	}
	fmt.Fprintf(errw, "ptxvm: a defect in ptxvm, not in your PTX: %s\n", diag.Escape(first))
	fmt.Fprintf(errw, "ptxvm: please report it with the input file and this command line: ptxvm %q\n", args)
	if wantStack() {
		fmt.Fprintln(errw, stack)
	} else {
		fmt.Fprintln(errw, "ptxvm: PTXVM_STACK=1 in the environment adds the stack")
	}
	return exitDefect
}
