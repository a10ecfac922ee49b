package main

// This file is the check verb.

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"ptxvm"
)

// checkFlags are the options of check.
type checkFlags struct {
	format, color, arch, judge string
	werror                     bool
	fix, diff                  bool
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
	fl.BoolVar(&f.fix, "fix", false, "write mechanical fixes to the file: what is misspelled or missing and has one meaning")
	fl.BoolVarP(&f.diff, "diff", "d", false, "with --fix: print the differences instead of writing")
	_ = fl.MarkHidden("gpu-name") // fails only for a flag that does not exist
	return cmd
}

func checkFiles(s streams, f *checkFlags, files []string) error {
	format, err := ptxvm.ParseDiagnosticFormat(f.format)
	if err = errors.Join(err, checkColor(f.color), f.valid()); err != nil {
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
	cfg := &ptxvm.CompileConfig{Arch: f.arch, Judge: judge, WarningsAreErrors: f.werror}
	if f.fix {
		if src, err = fixFile(s, f, cfg, file, name, src); err != nil {
			return false, err
		}
	}
	diags, err := ptxvm.Check(name, src, cfg)
	if err != nil {
		return false, usageError{err}
	}
	return !diags.HasErrors(), writeCheck(s.out, f, format, name, diags)
}

// valid refuses flags that mean nothing together: what is printed as JSON is no diff.
func (f *checkFlags) valid() error {
	switch {
	case f.diff && !f.fix:
		return errors.New("check -d shows what --fix would change; it needs --fix")
	case f.diff && f.format != "text":
		return fmt.Errorf("check --fix -d prints a diff; it does not go with --format %s", f.format)
	}
	return nil
}

// fixFile applies mechanical fixes and returns the text to judge: the new one, or with -d,
// which prints the difference, still the old one.
func fixFile(s streams, f *checkFlags, cfg *ptxvm.CompileConfig, file, name string, src []byte) ([]byte, error) {
	if file == "-" && !f.diff {
		return nil, usageError{errors.New("check --fix cannot write to standard input; -d prints the differences")}
	}
	fixed, n, err := ptxvm.Fix(name, src, cfg)
	switch {
	case err != nil:
		return nil, usageError{err}
	case n == 0:
		return src, nil
	case f.diff:
		_, err := io.WriteString(s.out, unifiedDiff(name, "fixed", src, fixed))
		return src, err
	}
	fmt.Fprintf(s.err, "%s: %d fixed\n", ptxvm.Escape(name), n)
	return fixed, wrapUsage(writeWhole(file, fixed))
}

func writeCheck(w io.Writer, f *checkFlags, format ptxvm.DiagnosticFormat, name string, diags ptxvm.Diagnostics) error {
	if format == ptxvm.DiagnosticJSON {
		return ptxvm.WriteDiagnosticsJSON(w, name, diags)
	}
	return ptxvm.WriteDiagnostics(w, diags, format, useColor(w, f.color))
}
