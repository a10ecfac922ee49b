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

	"github.com/spf13/cobra"
)

func main() {
	os.Exit(doMain(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// streams are the three standard streams of one invocation; tests pass their own.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// doMain runs one command line and returns its exit code. It never panics: a
// panic below is a defect in ptxvm and becomes exit code 70 with a line on how to
// report it.
func doMain(args []string, in io.Reader, out, errw io.Writer) (code int) {
	s := streams{in, out, errw}
	defer func() {
		if p := recover(); p != nil {
			code = reportDefect(errw, args, p)
		}
	}()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	root := newRoot(s)
	root.SetArgs(doubleDash(args))
	err := root.ExecuteContext(ctx)
	return finish(errw, err)
}

// newRoot assembles the verbs.
func newRoot(s streams) *cobra.Command {
	root := &cobra.Command{
		Use:           "ptxvm",
		Short:         "PTX, checked as ptxas does and run on the CPU",
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.SetIn(s.in)
	root.SetOut(s.out)
	root.SetErr(s.err)
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err} })
	root.AddCommand(newCheck(s), newFmt(s), newRun(s), newBench(s), newISA(s), newExplain(s), newDump(s))
	root.AddCommand(laterVerbs()...)
	return root
}

// doubleDash lets -arch stand for --arch, as ptxas spells it.
func doubleDash(args []string) []string {
	out := make([]string, len(args))
	for i, arg := range args {
		if arg == "-arch" || strings.HasPrefix(arg, "-arch=") {
			arg = "-" + arg
		}
		out[i] = arg
	}
	return out
}

// laterVerbs are promised by the contract and refused by name until they are built.
func laterVerbs() []*cobra.Command {
	var verbs []*cobra.Command
	for _, name := range []string{"info", "example", "version", "test", "debug", "lsp", "serve", "ptxas"} {
		verbs = append(verbs, &cobra.Command{
			Use: name, Hidden: true, DisableFlagParsing: true,
			RunE: func(*cobra.Command, []string) error {
				return usageError{fmt.Errorf("ptxvm %s is not built yet", name)}
			},
		})
	}
	return verbs
}

// finish prints an error that nobody has printed yet and gives its exit code.
func finish(errw io.Writer, err error) int {
	if err == nil {
		return exitDone
	}
	var coded exitError
	if errors.As(err, &coded) {
		return coded.code
	}
	fmt.Fprintf(errw, "ptxvm: %v\n", err)
	return exitUsage
}

// reportDefect prints one line for the user and the stack for the report.
func reportDefect(errw io.Writer, args []string, p any) int {
	fmt.Fprintf(errw, "ptxvm: a defect in ptxvm, not in your PTX: %v\n", p)
	fmt.Fprintf(errw, "ptxvm: please report it with the input file and this command line: ptxvm %q\n", args)
	if os.Getenv("PTXVM_STACK") != "" {
		fmt.Fprintf(errw, "%s", debug.Stack())
	} else {
		fmt.Fprintln(errw, "ptxvm: PTXVM_STACK=1 in the environment adds the stack")
	}
	return exitDefect
}
