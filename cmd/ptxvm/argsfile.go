package main

// This file reads options from files: @ARGS.txt holds one option or FILE a line. A value is the
// rest of its line as it stands, without quotes; empty lines and lines that begin with # do not
// count. A line --- starts the options of the next launch, on the same device. Names of files are relative to the file that
// they stand in, unless that is a pipe.

import (
	"bufio"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"ptxvm.invalid/ptxvm/internal/cli"
	"ptxvm.invalid/ptxvm/internal/launchlang"
)

// perLaunch are the options that a launch behind the first may have; the others are of the
// device and all launches.
var perLaunch = []string{"kernel", "grid", "block", "cluster", "shared", "arg", "image", "buf", "global", "expect", "tol", "timeout", "show", "show-to", "trace", "triton"}

// nextLaunch is the line between launches.
const nextLaunch = "---"

// maxLine is the longest option in a file.
const maxLine = 1 << 20

// launches expands the @FILEs among the files: the flags of each launch, and the PTX files. Options
// that are lists go behind those of the command line; of the others, the command line's count.
func (f *runFlags) launches(args []string) (list []*runFlags, files []string, err error) {
	list = []*runFlags{f}
	given := map[string]bool{}
	for _, fl := range f.set.All() {
		given[fl.Name] = f.set.Given(fl.Name)
	}
	for _, arg := range args {
		name, isArgs := strings.CutPrefix(arg, "@")
		if !isArgs {
			files = append(files, arg)
			continue
		}
		more, err := readOptions(name, &list, given)
		if err != nil {
			return nil, nil, usageError{err}
		}
		files = append(files, more...)
	}
	if len(files) == 0 {
		return nil, nil, usageError{fmt.Errorf("run needs a PTX file; - is standard input")}
	}
	return list, files, nil
}

// readOptions reads one file into the last of the launches, and those that it starts.
func readOptions(name string, list *[]*runFlags, given map[string]bool) (files []string, err error) {
	file, err := launchlang.OpenOptions(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	from := optionsFile{name: name, dir: "."}
	if info.Mode().IsRegular() && !strings.HasPrefix(name, "/dev/") { // which may be a file, as standard input
		from.dir = filepath.Dir(name)
	}
	return from.scan(file, list, given)
}

// optionsFile is a file of options, and where the files lie that it names.
type optionsFile struct{ name, dir string }

// beside is a file that stands alone on a line.
func (from optionsFile) beside(name string) string {
	if name == "-" || filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(from.dir, name)
}

// scan is readOptions of text.
func (from optionsFile) scan(text io.Reader, list *[]*runFlags, given map[string]bool) (files []string, err error) {
	lines := bufio.NewScanner(io.LimitReader(text, 64*maxLine))
	lines.Buffer(nil, maxLine)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(strings.TrimPrefix(lines.Text(), "\ufeff"))
		switch {
		case line == "" || line[0] == '#':
		case line == nextLaunch:
			*list = append(*list, (*list)[0].next())
		case line[0] == '-' && line != "-":
			err = from.setOption(*list, line, given)
		case len(*list) > 1:
			err = fmt.Errorf("%q is no option; PTX files stand before the first %s", line, nextLaunch)
		default:
			files = append(files, from.beside(line))
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", from.name, n, err)
		}
	}
	return files, lines.Err()
}

// next is the flags of a further launch: those of the device and of all launches stay.
func (f *runFlags) next() *runFlags {
	g := new(runFlags)
	g.bind(&cli.Command{})
	g.arch, g.color, g.timeout, g.maxSteps = f.arch, f.color, f.timeout, f.maxSteps
	g.stats, g.quiet, g.sanitize, g.keepOutput = f.stats, f.quiet, f.sanitize, f.keepOutput
	return g
}

// setOption sets an option of the last launch. given are the command line's own, which win in the
// first launch unless they are lists.
func (from optionsFile) setOption(list []*runFlags, line string, given map[string]bool) error {
	f := list[len(list)-1]
	name, value, hasValue := cutOption(line)
	if name == "arch" || len(line) > 2 && line[:2] == "--" {
		fl := f.set.Lookup(name)
		switch {
		case fl == nil:
			return unknownFlag(f.verb, "--"+name)
		case !hasValue && fl.Alone == "":
			return fmt.Errorf("--%s needs a value, on the same line", name)
		case !hasValue:
			value = fl.Alone
		}
		if second := anotherOption(f.set, value); second != "" {
			return fmt.Errorf("one option a line: %s begins a second one", second)
		}
		if len(list) > 1 && !slices.Contains(perLaunch, name) {
			return fmt.Errorf("--%s is for all launches; write it before the first %s", name, nextLaunch)
		}
		if !fl.List() && given[name] && len(list) == 1 {
			return nil
		}
		if fl.Names != nil {
			value = fl.Names(from.dir, value)
		}
		return f.set.Set(name, value)
	}
	return fmt.Errorf("%q is no option: want --NAME VALUE", line)
}

// anotherOption is the flag that a value goes on with behind a space; "" where there is none.
func anotherOption(set *cli.Flags, value string) string {
	for _, word := range strings.Fields(value) {
		name, isFlag := strings.CutPrefix(word, "--")
		name, _, _ = strings.Cut(name, "=")
		if isFlag && set.Lookup(name) != nil {
			return "--" + name
		}
	}
	return ""
}

// cutOption splits --NAME VALUE or --NAME=VALUE.
func cutOption(line string) (name, value string, hasValue bool) {
	name = strings.TrimLeft(line, "-")
	i := strings.IndexAny(name, "= \t")
	if i < 0 {
		return name, "", false
	}
	return name[:i], strings.TrimSpace(name[i+1:]), true
}
