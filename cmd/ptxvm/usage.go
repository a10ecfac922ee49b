package main

// This file says what a command line must hold: verbs, how many arguments, help.

import (
	"fmt"
	"os"
	"strings"

	"ptxvm.invalid/ptxvm/internal/cli"
	"ptxvm.invalid/ptxvm/internal/launchlang"
)

// firstSteps stand in the answer to a command line without a verb.
const firstSteps = `  ptxvm example mandelbrot      run a kernel that comes along
  ptxvm check kernel.ptx        ask for ptxas's verdict, with fixes
  ptxvm run kernel.ptx          see which arguments its kernel takes
  ptxvm explain cvt             read about an instruction, a directive or an error code`

// aRun is a command line for the help of run.
const aRun = `  ptxvm run saxpy.ptx --grid 4 --block 256 --arg s32:1000 --arg f32:2.5 --arg in:@x.npy --arg inout:@y.npy:@out.npy`

// noVerb answers a command line without a verb that exists.
func noVerb(root *cli.Command, args []string) error {
	if len(args) == 0 {
		return usageError{fmt.Errorf("want a verb\n%s", strings.TrimSpace(root.Usage()))}
	}
	hint := ""
	var verbs []string
	for _, c := range root.Verbs() {
		if !c.Hidden {
			verbs = append(verbs, c.Name())
		}
	}
	if near := cli.Nearest(args[0], verbs); near != "" {
		hint = "; did you mean " + near + "?"
	} else if _, err := os.Stat(args[0]); err == nil {
		hint = fmt.Sprintf(", but a file; ptxvm run %[1]s runs it, ptxvm check %[1]s judges it", launchlang.ShellWord(args[0]))
	}
	return usageError{fmt.Errorf("there is no verb %q%s", args[0], hint)}
}

// newHelp builds the help verb.
func newHelp(root *cli.Command) *cli.Command {
	return &cli.Command{
		Use:   "help [VERB]",
		Short: "Describe a verb and its flags",
		Run: func(_ *cli.Command, args []string) error {
			if len(args) == 0 {
				return root.Help()
			}
			if verb := root.Find(args[0]); verb != nil && len(args) == 1 {
				return verb.Help()
			}
			return noVerb(root, args)
		},
	}
}

// takes asks for least to most arguments; most is -1 for any number.
func takes(least, most int) func(*cli.Command, []string) error {
	return func(cmd *cli.Command, args []string) error {
		if len(args) >= least && (most < 0 || len(args) <= most) {
			return nil
		}
		return usageError{fmt.Errorf("want ptxvm %s, have %d arguments", cmd.Use, len(args))}
	}
}

// needFiles asks for at least one FILE.
func needFiles(cmd *cli.Command, args []string) error {
	if len(args) == 0 {
		return usageError{fmt.Errorf("%s needs a PTX file; - is standard input", cmd.Name())}
	}
	return nil
}

// doubleDash lets -arch and -gpu-name stand for flags with two dashes, as ptxas spells them.
func doubleDash(args []string) []string {
	out := make([]string, len(args))
	for i, arg := range args {
		if name, _, _ := strings.Cut(arg, "="); name == "-arch" || name == "-gpu-name" {
			arg = "-" + arg
		}
		out[i] = arg
	}
	return out
}
