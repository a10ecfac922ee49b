package main

// This file is the check verb.

import (
	"errors"
	"io"

	"github.com/spf13/cobra"

	"ptxvm"
)

// checkFlags are the options of check.
type checkFlags struct {
	format, color, arch, judge string
	werror                     bool
}

// newCheck builds the check verb: diagnostics on standard output, exit 1 on errors.
func newCheck(s streams) *cobra.Command {
	var f checkFlags
	cmd := &cobra.Command{
		Use:   "check FILE…",
		Short: "Judge modules as ptxas does",
		Args:  needFiles,
		RunE:  func(_ *cobra.Command, files []string) error { return checkFiles(s, &f, files) },
	}
	fl := cmd.Flags()
	fl.StringVar(&f.format, "format", "text", "text, json or ptxas")
	fl.StringVar(&f.color, "color", "auto", "auto, always or never")
	fl.BoolVar(&f.werror, "werror", false, "warnings reject, too")
	fl.StringVar(&f.arch, "arch", "", "check for this architecture, such as sm_90; default the module's target")
	fl.StringVar(&f.arch, "gpu-name", "", "the same, as ptxas spells it")
	fl.StringVar(&f.judge, "judge", "ptxas", "ptxas or manual: whom to follow where they differ")
	fl.Var(laterFlag("fix"), "fix", "")
	fl.Lookup("fix").NoOptDefVal = "true"
	for _, hidden := range []string{"gpu-name", "fix"} {
		_ = fl.MarkHidden(hidden) // fails only for a flag that does not exist
	}
	return cmd
}

func checkFiles(s streams, f *checkFlags, files []string) error {
	format, err := ptxvm.ParseDiagnosticFormat(f.format)
	if err = errors.Join(err, checkColor(f.color)); err != nil {
		return usageError{err}
	}
	invalid := false
	for _, file := range files {
		ok, err := checkFile(s, f, format, file)
		if err != nil {
			return err
		}
		invalid = invalid || !ok
	}
	if invalid {
		return exitError{exitInvalid}
	}
	return nil
}

// checkFile prints the diagnostics of one file and tells whether it is valid.
func checkFile(s streams, f *checkFlags, format ptxvm.DiagnosticFormat, file string) (bool, error) {
	name, src, err := readSource(s, file)
	if err != nil {
		return false, err
	}
	judge, err := ptxvm.ParseJudge(f.judge)
	if err != nil {
		return false, usageError{err}
	}
	diags, err := ptxvm.Check(name, src, &ptxvm.CompileConfig{Arch: f.arch, Judge: judge, WarningsAreErrors: f.werror})
	if err != nil {
		return false, usageError{err}
	}
	return !diags.HasErrors(), writeCheck(s.out, f, format, name, diags)
}

func writeCheck(w io.Writer, f *checkFlags, format ptxvm.DiagnosticFormat, name string, diags ptxvm.Diagnostics) error {
	if format == ptxvm.DiagnosticJSON {
		return ptxvm.WriteDiagnosticsJSON(w, name, diags)
	}
	return ptxvm.WriteDiagnostics(w, diags, format, useColor(w, f.color))
}
