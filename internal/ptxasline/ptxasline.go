// Package ptxasline reads command lines of ptxas, as compilers write them: which options there are, and which have an effect on what
// is judged.
package ptxasline

import (
	"errors"
	"fmt"
	"strings"

	"ptxvm.invalid/ptxvm"
)

// option is an option of ptxas: its names, whether a value follows, and what it does here; nil: nothing, since it
// changes machine code alone.
type option struct {
	names string
	value bool
	set   func(a *Line, value string)
}

// options are all that ptxas takes.
var options = []option{
	{"gpu-name arch", true, func(a *Line, v string) { a.Config.Arch = v }},
	{"output-file o", true, func(a *Line, v string) { a.Output = v }},
	{"compile-only c", false, func(a *Line, _ string) { a.Config.CompileOnly = true }},
	{"warning-as-error Werror", false, func(a *Line, _ string) { a.Config.WarningsAreErrors = true }},
	{"disable-warnings w", false, func(a *Line, _ string) { a.Quiet = true }},
	{"device-debug g", false, func(a *Line, _ string) { a.Config.Debug = true }},
	{"maxrregcount", true, func(a *Line, _ string) { a.Config.BoundRegisters = true }},
	{"maxntid", true, func(a *Line, _ string) { a.bounds |= 1 }},
	{"minnctapersm", true, func(a *Line, _ string) { a.bounds |= 2 }},
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

// Line is what a command line of ptxas asks for.
type Line struct {
	Config       ptxvm.CompileConfig
	File, Output string
	Quiet        bool
	bounds       int // 1: the command line has -maxntid, 2: -minnctapersm
	Version      bool
	Help         bool
}

// Read reads a command line. Options have one dash or two, and their value behind = or as the next argument; letters have
// it without a space, too.
func Read(args []string) (*Line, error) {
	a := &Line{Output: "elf.o"}
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		if !strings.HasPrefix(arg, "-") || arg == "-" {
			if a.File != "" {
				return nil, fmt.Errorf("one file at a time, not %s and %s", a.File, arg)
			}
			a.File = arg
			continue
		}
		name, value, given := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(arg, "-"), "-"), "=")
		switch name {
		case "version", "V":
			a.Version = true
			return a, nil
		case "help", "h":
			a.Help = true
			return a, nil
		}
		o := optionOf(name)
		if o == nil && len(name) > 1 && !given { // -O3, -m64
			if o = optionOf(name[:1]); o != nil && o.value {
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
	if a.File == "" {
		return nil, errors.New("no file")
	}
	a.Config.BoundRegisters = a.Config.BoundRegisters || a.bounds == 3
	return a, nil
}

// Help lists the options: first those with an effect here.
func Help() string {
	var works, taken []string
	for _, o := range options {
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

func optionOf(name string) *option {
	for i, o := range options {
		for n := range strings.FieldsSeq(o.names) {
			if n == name {
				return &options[i]
			}
		}
	}
	return nil
}
