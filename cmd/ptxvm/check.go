package main

// This file is the check verb.

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/cli"
	"ptxvm.invalid/ptxvm/internal/inlineasm"
	"ptxvm.invalid/ptxvm/internal/launchlang"
	"ptxvm.invalid/ptxvm/ptxfmt"
)

// checkFlags are the options of check.
type checkFlags struct {
	format, color, arch, judge string
	werror, compileOnly        bool
	fix, diff, inline          bool
}

// newCheck builds the check verb: diagnostics on standard output, exit 1 on errors.
func newCheck(s streams) *cli.Command {
	var f checkFlags
	cmd := &cli.Command{
		Use:   "check FILE…|DIR/...",
		Short: "Check modules: accept and reject what ptxas does",
		Args:  needFiles,
		Run:   func(_ *cli.Command, files []string) error { return checkFiles(s, &f, files) },
	}
	fl := cmd.Flags()
	fl.String(&f.format, "format", "", "text", "print as `text|json|ptxas|sarif|github`; sarif is one log of all files")
	fl.String(&f.color, "color", "", "auto", "colours, `auto|always|never`; auto: on a terminal")
	fl.Bool(&f.werror, "werror", "", "treat warnings as errors")
	fl.String(&f.arch, "arch", "", "", "check for this architecture, such as `sm_90`; default the module's target")
	fl.String(&f.arch, "gpu-name", "", "", "the same, as ptxas spells it").Hidden = true
	fl.String(&f.judge, "judge", "", "ptxas", "what decides where the two differ, `ptxas|manual`")
	fl.Bool(&f.compileOnly, "compile-only", "c", "check each file as one of several to be linked, as ptxas -c: what it does not define, another may")
	fl.Bool(&f.fix, "fix", "", "apply fixes that keep what a statement says, such as a misspelled or missing modifier, to the file; where several would do, it names the one")
	fl.Bool(&f.inline, "inline", "", "judge the PTX in asm(\"…\") of .cu files, too, where it stands and without a compiler, as in .cuh, .h and .py files; DIR/... is all of these")
	fl.Bool(&f.diff, "diff", "d", "with --fix: print a diff instead of writing")
	return cmd
}

func checkFiles(s streams, f *checkFlags, files []string) error {
	format, err := cli.ParseDiagnosticFormat(f.format)
	if err = errors.Join(err, checkColor(f.color), f.valid()); err != nil {
		return usageError{err}
	}
	judge, err := ptxvm.ParseJudge(f.judge)
	if err != nil {
		return usageError{err}
	}
	cfg := &ptxvm.CompileConfig{Arch: f.arch, Judge: judge, WarningsAreErrors: f.werror, CompileOnly: f.compileOnly}
	if files, err = f.files(files); err != nil {
		return err
	}
	invalid := false
	var unread error
	var all ptxvm.Diagnostics // of a log
	collectLess := lazyCollector()
	err = inOrder(len(files),
		func(i int) (source, error) {
			src, err := openSource(s, f, files[i])
			collectLess(len(src.text))
			if err != nil {
				return source{failed: err}, nil
			}
			return src, nil
		},
		func(src source) (judged, error) { return judgeSource(f, cfg, src) },
		func(j judged) error {
			if j.failed != nil { // those behind it are judged all the same
				if exitCode(j.failed) == exitInvalid { // the compiler of CUDA C++ rejects it
					invalid = true
				} else {
					unread = errors.Join(unread, j.failed)
				}
				fmt.Fprintf(s.err, "ptxvm: %s\n", diag.Escape(j.failed.Error()))
				return nil
			}
			invalid = invalid || j.diags.HasErrors()
			j.notePieces(s.err)
			if err := writeFix(s, f, &j); err != nil {
				return err
			}
			if format == cli.DiagnosticSARIF {
				all = append(all, j.diags...)
				return nil
			}
			return writeCheck(s.out, f, format, j.name, j.diags)
		})
	switch {
	case err != nil:
	case unread != nil:
		err = exitError{exitUsage}
	case invalid:
		err = exitError{exitInvalid}
	}
	if format == cli.DiagnosticSARIF {
		return errors.Join(err, writeCheckLog(s.out, all, err, unread))
	}
	return err
}

// writeCheckLog prints the diagnostics of all files as one SARIF log of a check that ended with end. What kept it from reading
// them all is in it, too: a log without results is no sign that all is well.
func writeCheckLog(w io.Writer, all ptxvm.Diagnostics, end, unread error) error {
	log, err := readBack(func(w io.Writer) error { return diag.WriteSARIF(w, cli.About().Version, all) })
	if err != nil {
		return err
	}
	why := ""
	var printed exitError
	switch {
	case unread != nil:
		why = unread.Error()
	case end != nil && !errors.As(end, &printed):
		why = end.Error()
	}
	log.Describe("check", exitCode(end), why)
	return log.Write(w)
}

// source is a file that was read.
type source struct {
	file, name string // as given, and as messages call it
	text       []byte
	linked     bool                // others of the file may define what it declares
	inline     *inlineasm.Language // what is judged is the inline assembly of a source
	failed     error               // why it could not be read
}

func openSource(s streams, f *checkFlags, file string) (source, error) {
	if _, ok := f.inlineOf(file); f.fix && (ok || isCUDA(file)) {
		return source{}, usageError{fmt.Errorf("%s: check --fix mends PTX, not CUDA C++ or Python", file)}
	}
	if language, ok := f.inlineOf(file); ok {
		name, text, err := readSource(s, file)
		return source{file: file, name: name, text: text, inline: &language}, err
	}
	name, text, err := readModule(s, file, f.arch)
	return source{file: file, name: name, text: text}, err
}

// judged is a file with what there is to say of it. Nothing is written before its turn has come.
type judged struct {
	source
	fixed []byte
	fixes []ptxfmt.Applied // in fixed
	diags ptxvm.Diagnostics

	pieces inlineasm.Result // of a source with inline assembly
}

func judgeSource(f *checkFlags, cfg *ptxvm.CompileConfig, src source) (j judged, err error) {
	j.source, j.fixed = src, src.text
	if src.failed != nil {
		return j, nil
	}
	if src.inline != nil {
		if err := j.judgeInline(cfg); err != nil || f.inline || j.pieces.Any() {
			return j, wrapUsage(err)
		}
	}
	if f.fix {
		if j.fixed, j.fixes, err = fixSource(f, cfg, src); err != nil {
			return j, usageError{err}
		}
	}
	text := j.fixed
	if f.diff {
		text = src.text
	}
	texts, err := embedded(src.name, text, cfg)
	for _, one := range texts {
		own := *cfg
		own.CompileOnly = own.CompileOnly || one.linked
		var diags ptxvm.Diagnostics
		if diags, err = ptxvm.Check(one.name, one.text, &own); err != nil {
			break
		}
		j.diags = append(j.diags, diags...)
	}
	return j, wrapUsage(err)
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

// fixSource applies mechanical fixes; without -d the file must be one that can be written.
func fixSource(f *checkFlags, cfg *ptxvm.CompileConfig, src source) ([]byte, []ptxfmt.Applied, error) {
	if src.file == "-" && !f.diff {
		return nil, nil, errors.New("check --fix cannot write to standard input; -d prints the differences")
	}
	return ptxfmt.Mend(src.name, src.text, cfg)
}

// writeFix replaces a file by its fixed text, or with -d prints the difference. Where a fix was one of several, it says which.
func writeFix(s streams, f *checkFlags, j *judged) error {
	if len(j.fixes) == 0 {
		return nil
	}
	for _, a := range j.fixes {
		if len(a.Of) > 0 {
			fmt.Fprintf(s.err, "%s:%d: %s, of %s\n", diag.Escape(j.name), a.Line, a.Label, strings.Join(a.Of, " "))
		}
	}
	if f.diff {
		_, err := io.WriteString(s.out, unifiedDiff(j.name, "fixed", j.text, j.fixed))
		return err
	}
	fmt.Fprintf(s.err, "%s: %d fixed\n", diag.Escape(j.name), len(j.fixes))
	return wrapUsage(launchlang.WriteWhole(j.file, j.fixed))
}

func writeCheck(w io.Writer, f *checkFlags, format cli.DiagnosticFormat, name string, diags ptxvm.Diagnostics) error {
	if format == cli.DiagnosticJSON {
		return diag.WriteJSON(w, name, diags)
	}
	return cli.WriteDiagnostics(w, diags, format, useColor(w, f.color))
}
