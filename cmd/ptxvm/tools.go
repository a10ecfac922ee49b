package main

// This file holds the verbs isa, explain and dump.

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"ptxvm"
)

// newISA builds the isa verb: every form with its gates, section and status.
func newISA(s streams) *cobra.Command {
	var format string
	var assumptions bool
	cmd := &cobra.Command{
		Use:   "isa [NAME]",
		Short: "List instruction forms: gates, section, status",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			name := strings.Join(args, "")
			if assumptions {
				return listAssumptions(s, name, format)
			}
			if err := ptxvm.WriteISA(s.out, name, format); err != nil {
				return usageError{err}
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&format, "format", "table", "table, json or md")
	cmd.Flags().BoolVar(&assumptions, "assumptions", false, "list the guesses about hardware instead: id, name, section, question, forms, positions")
	for _, later := range []string{"diff", "target"} {
		cmd.Flags().Var(laterFlag(later), later, "")
		_ = cmd.Flags().MarkHidden(later) // fails only for a flag that does not exist
	}
	return cmd
}

// listAssumptions prints all guesses.
func listAssumptions(s streams, name, format string) error {
	if name != "" {
		return usageError{fmt.Errorf("isa --assumptions lists all guesses; it takes no NAME")}
	}
	return wrapUsage(ptxvm.WriteAssumptions(s.out, format))
}

// newExplain builds the explain verb: an error code or an instruction, with examples.
func newExplain(s streams) *cobra.Command {
	return &cobra.Command{
		Use:   "explain CODE|NAME",
		Short: "Explain an error code, such as P3004, or an instruction, such as cvt",
		Args:  cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			text, err := ptxvm.Explain(args[0])
			if err != nil {
				return usageError{err}
			}
			_, err = fmt.Fprint(s.out, text)
			return err
		},
	}
}

// newDump builds the dump verb: a stage of the way from text to code, as text.
func newDump(s streams) *cobra.Command {
	var stage string
	cmd := &cobra.Command{
		Use:   "dump --stage STAGE FILE",
		Short: "Print a stage: " + strings.Join(ptxvm.Stages(), ", "),
		Args:  cobra.ExactArgs(1),
		RunE:  func(_ *cobra.Command, args []string) error { return dumpFile(s, stage, args[0]) },
	}
	cmd.Flags().StringVar(&stage, "stage", "", strings.Join(ptxvm.Stages(), ", "))
	return cmd
}

func dumpFile(s streams, stage, file string) error {
	name, src, err := readSource(s, file)
	if err != nil {
		return err
	}
	err = ptxvm.Dump(s.out, name, src, stage)
	if diags, ok := asDiagnostics(err); ok {
		writeDiagnostics(s, "auto", diags)
		return exitError{exitInvalid}
	}
	return wrapUsage(err)
}
