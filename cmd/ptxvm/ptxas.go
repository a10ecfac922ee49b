package main

// This file is the ptxas verb: ptxas as compilers call it, for those that run it (Triton's TRITON_PTXAS_PATH). Instead of
// machine code it writes the PTX, in a container that ptxvm's CUDA driver loads.

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/cli"
	"ptxvm.invalid/ptxvm/internal/launchlang"
)

// ptxasRelease is the release whose verdicts check follows; compilers read it from --version.
const ptxasRelease = "13.5"

func newPtxas(s streams) *cli.Command {
	return &cli.Command{
		Use:     "ptxas [OPTION…] FILE",
		Short:   "Check a module as ptxas does, and write it for ptxvm's CUDA driver: a stand-in for TRITON_PTXAS_PATH",
		Example: "  ptxvm ptxas -lineinfo --gpu-name=sm_90 kernel.ptx -o kernel.cubin\n  ln -s \"$(command -v ptxvm)\" ptxas   # by this name, ptxvm is this verb",
		Raw:     true,
		Run:     func(verb *cli.Command, args []string) error { return assemble(s, verb, args) },
	}
}

// underOwnName puts the verb first where the program is called by its name.
func underOwnName(program string, args []string) []string {
	if strings.TrimSuffix(filepath.Base(program), ".exe") == "ptxas" {
		return append([]string{"ptxas"}, args...)
	}
	return args
}

// ptxasOption is an option of ptxas: its names, whether a value follows, and what it does here; nil: nothing, since it
// changes machine code alone.
type ptxasOption struct {
	names string
	value bool
	set   func(a *assembly, value string)
}

var ptxasOptions = []ptxasOption{
	{"gpu-name arch", true, func(a *assembly, v string) { a.cfg.Arch = v }},
	{"output-file o", true, func(a *assembly, v string) { a.output = v }},
	{"compile-only c", false, func(a *assembly, _ string) { a.cfg.CompileOnly = true }},
	{"warning-as-error Werror", false, func(a *assembly, _ string) { a.cfg.WarningsAreErrors = true }},
	{"disable-warnings w", false, func(a *assembly, _ string) { a.quiet = true }},
	{"device-debug g", false, func(a *assembly, _ string) { a.cfg.Debug = true }},
	{"maxrregcount", true, func(a *assembly, _ string) { a.cfg.BoundRegisters = true }},
	{"maxntid", true, func(a *assembly, _ string) { a.bounds |= 1 }},
	{"minnctapersm", true, func(a *assembly, _ string) { a.bounds |= 2 }},
	{"verbose v", false, nil}, {"generate-line-info lineinfo", false, nil}, {"suppress-debug-info", false, nil},
	{"opt-level O", true, nil}, {"fmad", true, nil}, {"machine m", true, nil}, {"regAllocOptLevel", true, nil},
	{"def-load-cache dlcm", true, nil}, {"def-store-cache dscm", true, nil}, {"allow-expensive-optimizations", true, nil},
	{"split-compile", true, nil}, {"device-function-maxrregcount", true, nil},
	{"suppress-stack-size-warning", false, nil}, {"warn-on-spills", false, nil}, {"warn-on-local-memory-usage", false, nil},
	{"warn-on-double-precision-use", false, nil}, {"suppress-double-demote-warning", false, nil}, {"disable-optimizer-constants", false, nil},
	{"position-independent-code pic", false, nil}, {"preserve-relocs", false, nil}, {"return-at-end", false, nil}, {"sp-bounds-check", false, nil},
	{"dont-merge-basicblocks", false, nil}, {"extensible-whole-program ewp", false, nil}, {"override-directive-values", false, nil},
	{"compile-as-tools-patch astoolspatch", false, nil},
}

// assembly is what a command line of ptxas asks for.
type assembly struct {
	cfg          ptxvm.CompileConfig
	file, output string
	quiet        bool
	bounds       int // 1: the command line has -maxntid, 2: -minnctapersm
	version      bool
	help         bool
}

func assemble(s streams, verb *cli.Command, args []string) error {
	a, err := readPtxas(args)
	if err != nil {
		return usageError{fmt.Errorf("ptxas: %w", err)}
	}
	if a.version {
		_, err := fmt.Fprintf(s.out, "ptxvm's stand-in for ptxas\nrelease %s, V%s.0\n", ptxasRelease, ptxasRelease)
		return err
	}
	if a.help {
		if err := verb.Help(); err != nil {
			return wrapUsage(err)
		}
		_, err := io.WriteString(s.out, ptxasHelp())
		return wrapUsage(err)
	}
	name, text, err := readSource(s, a.file)
	if err != nil {
		return err
	}
	diags, err := ptxvm.Check(name, text, &a.cfg)
	if err != nil {
		return usageError{err}
	}
	if a.quiet {
		diags = slices.DeleteFunc(diags, func(d ptxvm.Diagnostic) bool { return d.Severity == diag.Warning })
	}
	if err := writeCheck(s.err, &checkFlags{color: "never"}, cli.DiagnosticPtxas, name, diags); err != nil {
		return err
	}
	if diags.HasErrors() {
		return exitError{exitInvalid}
	}
	return writeContainer(s.out, a.output, text)
}

// readPtxas reads a command line. Options have one dash or two, and their value behind = or as the next argument; letters have
// it without a space, too.
func readPtxas(args []string) (*assembly, error) {
	a := &assembly{output: "elf.o"}
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		if !strings.HasPrefix(arg, "-") || arg == "-" {
			if a.file != "" {
				return nil, fmt.Errorf("one file at a time, not %s and %s", a.file, arg)
			}
			a.file = arg
			continue
		}
		name, value, given := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(arg, "-"), "-"), "=")
		switch name {
		case "version", "V":
			a.version = true
			return a, nil
		case "help", "h":
			a.help = true
			return a, nil
		}
		o := ptxasOptionOf(name)
		if o == nil && len(name) > 1 && !given { // -O3, -m64
			if o = ptxasOptionOf(name[:1]); o != nil && o.value {
				value, given = name[1:], true
			} else {
				o = nil
			}
		}
		switch {
		case o == nil:
			return nil, fmt.Errorf("unknown option %s", arg)
		case o.value && !given && len(args) == 0:
			return nil, fmt.Errorf("%s wants a value", arg)
		case o.value && !given:
			value, args = args[0], args[1:]
		}
		if o.set != nil && value != "false" {
			o.set(a, value)
		}
	}
	if a.file == "" {
		return nil, errors.New("no file")
	}
	a.cfg.BoundRegisters = a.cfg.BoundRegisters || a.bounds == 3
	return a, nil
}

// ptxasHelp lists the options: first those with an effect here.
func ptxasHelp() string {
	var works, taken []string
	for _, o := range ptxasOptions {
		words := strings.Fields(o.names)
		for i, w := range words {
			words[i] = "--" + w
			if len(w) <= len("arch") && i > 0 {
				words[i] = "-" + w
			}
		}
		text := strings.Join(words, ", ")
		if o.value {
			text += " VALUE"
		}
		if o.set != nil {
			works = append(works, text)
		} else {
			taken = append(taken, text)
		}
	}
	return "\nOptions:\n  " + strings.Join(works, "\n  ") + "\n  --version, -V\n  --help, -h\n" +
		"\nTaken without effect, since they change machine code alone:\n  " + strings.Join(taken, "\n  ") + "\n"
}

func ptxasOptionOf(name string) *ptxasOption {
	for i, o := range ptxasOptions {
		for n := range strings.FieldsSeq(o.names) {
			if n == name {
				return &ptxasOptions[i]
			}
		}
	}
	return nil
}

// writeContainer writes what ptxvm's driver takes for machine code.
func writeContainer(out io.Writer, file string, text []byte) error {
	data := cli.PackPTX(text)
	if file == launchlang.ToStdout {
		_, err := out.Write(data)
		return err
	}
	return wrapUsage(launchlang.WriteWhole(file, data))
}
