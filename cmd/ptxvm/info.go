package main

// This file is the info verb: what a module holds.

import (
	"fmt"

	"ptxvm.invalid/ptxvm/internal/cli"
	"ptxvm.invalid/ptxvm/internal/forms"
)

// newInfo builds the info verb.
func newInfo(s streams) *cli.Command {
	var format string
	cmd := &cli.Command{
		Use:   "info FILE",
		Short: "Describe a module: target, kernels with their parameters, variables, forms not executed",
		Args:  takes(1, 1),
		Run: func(_ *cli.Command, args []string) error {
			if format != "text" && format != "json" {
				return usageError{fmt.Errorf("--format %s: want text or json", format)}
			}
			return infoFile(s, args[0], format)
		},
	}
	cmd.Flags().String(&format, "format", "", "text", "print as `text|json`")
	return cmd
}

func infoFile(s streams, file, format string) error {
	modules, err := compileFiles(s, nil, []string{file})
	if diags, ok := asDiagnostics(err); ok {
		writeDiagnostics(s, "auto", diags)
		return exitError{exitInvalid}
	}
	if err != nil {
		return err
	}
	for i, m := range modules {
		name := file
		if len(modules) > 1 {
			name = nameOf(file, i)
		}
		info := forms.Describe(name, m)
		if format == "json" {
			err = writeJSON(s.out, info)
		} else {
			err = info.Write(s.out)
		}
		if err != nil {
			return usageError{err}
		}
	}
	return nil
}
