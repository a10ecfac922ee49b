package main

// This file is the fmt verb.

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/cli"
	"ptxvm.invalid/ptxvm/internal/launchlang"
	"ptxvm.invalid/ptxvm/ptxfmt"
)

// errInvalid says that fmt -l or -d found an unformatted file, or fmt a broken one.
var errInvalid = exitError{exitInvalid}

// newFmt builds the fmt verb, with gofmt's flags.
func newFmt(s streams) *cli.Command {
	var f fmtFlags
	cmd := &cli.Command{
		Use:   "fmt [-l] [-d] [-w] FILE…|DIR/...",
		Short: "Lay out PTX, as gofmt does for Go",
		Args:  needFiles,
		Run:   func(_ *cli.Command, files []string) error { return fmtFiles(s, &f, files) },
	}
	cmd.Flags().Bool(&f.list, "list", "l", "list files whose layout differs")
	cmd.Flags().Bool(&f.diff, "diff", "d", "print differences instead of the file")
	cmd.Flags().Bool(&f.write, "write", "w", "write the result to the file")
	return cmd
}

type fmtFlags struct{ list, diff, write bool }

func fmtFiles(s streams, f *fmtFlags, files []string) error {
	files, err := eachFile(files, isPTX, ".ptx file")
	if err != nil {
		return err
	}
	end := error(nil)
	for _, file := range files {
		switch err := fmtFile(s, f, file); {
		case errors.Is(err, errInvalid):
			end = cmp.Or(end, err)
		case errors.As(err, new(usageError)) && len(files) > 1: // those behind it are laid out all the same
			fmt.Fprintf(s.err, "ptxvm: %s\n", diag.Escape(err.Error()))
			end = exitError{exitUsage}
		case err != nil:
			return err
		}
	}
	return end
}

func fmtFile(s streams, f *fmtFlags, file string) error {
	if f.write && file == "-" {
		return usageError{errors.New("fmt -w cannot write to standard input")}
	}
	name, src, err := readSource(s, file)
	if err != nil {
		return err
	}
	out, err := ptxfmt.Format(name, src)
	diags, broken := asDiagnostics(err)
	if broken {
		writeDiagnostics(s, "auto", diags)
	} else if err != nil {
		return usageError{err}
	}
	if out == nil {
		return errInvalid
	}
	if err = f.result(s, file, name, src, out); err == nil && broken {
		return errInvalid
	}
	return err
}

// result prints or writes a formatted file as the flags ask for.
func (f *fmtFlags) result(s streams, file, name string, src, out []byte) error {
	switch {
	case !f.list && !f.diff && !f.write:
		_, err := s.out.Write(out)
		return err
	case string(out) == string(src):
		return nil
	}
	return f.changed(s, file, name, src, out)
}

// changed does what the flags ask for with a file that is not in layout.
func (f *fmtFlags) changed(s streams, file, name string, src, out []byte) error {
	if f.list {
		fmt.Fprintln(s.out, name)
	}
	if f.diff {
		fmt.Fprint(s.out, unifiedDiff(name, "formatted", src, out))
	}
	if f.write {
		return wrapUsage(launchlang.WriteWhole(file, out))
	}
	return errInvalid
}

// unifiedDiff compares a file with what a verb made of it, as diff -u prints it.
func unifiedDiff(name, made string, before, after []byte) string {
	text := string(diff.Diff(name, before, name+" ("+made+")", after))
	_, text, _ = strings.Cut(text, "\n") // the line "diff NAME NAME"
	return text
}
