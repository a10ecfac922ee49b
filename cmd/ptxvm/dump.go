package main

// This file is the dump verb.

import (
	"strings"

	"ptxvm.invalid/ptxvm/internal/cli"
)

// newDump builds the dump verb: a stage of the way from text to code, as text.
func newDump(s streams) *cli.Command {
	var stage string
	cmd := &cli.Command{
		Use:   "dump --stage STAGE FILE",
		Short: "Print a stage: " + strings.Join(cli.Stages(), ", "),
		Args:  takes(1, 1),
		Run:   func(_ *cli.Command, args []string) error { return dumpFile(s, stage, args[0]) },
	}
	cmd.Flags().String(&stage, "stage", "", "", "`STAGE` to print: "+strings.Join(cli.Stages(), ", "))
	return cmd
}

func dumpFile(s streams, stage, file string) error {
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
	err = cli.DumpLinked(s.out, list, stage)
	if diags, ok := asDiagnostics(err); ok {
		writeDiagnostics(s, "auto", diags)
		return exitError{exitInvalid}
	}
	return wrapUsage(err)
}
