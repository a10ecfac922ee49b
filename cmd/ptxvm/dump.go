package main

// This file is the dump verb.

import (
	"strings"

	"ptxvm.invalid/ptxvm/internal/cli"
)

// newDump builds the dump verb: a stage of the way from text to code, as text.
func newDump(s streams) *cli.Command {
	var o cli.DumpOptions
	cmd := &cli.Command{
		Use:   "dump --stage STAGE FILE",
		Short: "Print a stage: " + strings.Join(cli.Stages(), ", "),
		Args:  takes(1, 1),
		Run:   func(_ *cli.Command, args []string) error { return dumpFile(s, o, args[0]) },
	}
	cmd.Flags().String(&o.Stage, "stage", "", "", "`STAGE` to print: "+strings.Join(cli.Stages(), ", ")+". Those with jit- are the compiler's new pipeline's; jit-opt:PASS is behind a pass")
	cmd.Flags().Int(&o.Width, "width", "", 0, "with asm, jit-isel and jit-asm: `BITS` of vectors, 256 (AVX2) or 512 (AVX-512); 0 is the widest here")
	cmd.Flags().String(&o.Only, "only", "", "", "with the stages that begin with jit-: the blocks with a line that matches the regular expression `RE`")
	return cmd
}

func dumpFile(s streams, o cli.DumpOptions, file string) error {
	name, src, err := readModule(s, file, "")
	if err != nil {
		return err
	}
	modules, err := embedded(name, src, nil)
	if err != nil {
		return err
	}
	var list []cli.Source
	for _, m := range modules {
		list = append(list, cli.Source{Name: m.name, Text: m.text})
	}
	err = cli.DumpLinked(s.out, list, o)
	if diags, ok := asDiagnostics(err); ok {
		writeDiagnostics(s, "auto", diags)
		return exitError{exitInvalid}
	}
	return wrapUsage(err)
}
