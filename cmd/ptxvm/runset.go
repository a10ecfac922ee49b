package main

// This file is about several runs of one command line: options files that name modules of their own, and --seeds.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"ptxvm.invalid/ptxvm/internal/cli"
)

// runSet is one run: launches of the same modules, on devices of its own.
type runSet struct {
	flags    *runFlags // its own: those of the command line
	args     []string  // files of the command line
	launches []*runFlags
	files    []string
}

// sets divides the files of a command line into runs. An options file that names modules, behind one that does, begins
// another run with the command line's flags; all else is of the run before.
func (f *runFlags) sets(args []string) ([]*runSet, error) {
	list := []*runSet{{flags: f}}
	isOptions := func(arg string) bool { return strings.HasPrefix(arg, "@") }
	first := slices.IndexFunc(args, isOptions)
	several := first >= 0 && slices.ContainsFunc(args[first+1:], isOptions) // one alone is read once: it may be a pipe
	named := false
	for _, arg := range args {
		if several && isOptions(arg) && namesModules(arg[1:]) {
			if named {
				list = append(list, &runSet{flags: f.clone()})
			}
			named = true
		}
		last := list[len(list)-1]
		last.args = append(last.args, arg)
	}
	if f.seeds.given {
		list = f.seeds.each(list)
	}
	for _, set := range list {
		var err error
		if set.launches, set.files, err = set.flags.launches(set.args); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// namesModules reports whether an options file has a line that is no option. One that cannot be read has none: launches says why.
func namesModules(name string) bool {
	f := new(runFlags)
	f.bind(&cli.Command{})
	files, err := readOptions(name, &[]*runFlags{f}, map[string]bool{})
	return err == nil && len(files) > 0
}

// clone copies the flags and their values.
func (f *runFlags) clone() *runFlags {
	g := new(runFlags)
	g.bind(&cli.Command{})
	verb, set := f.verb, g.set
	*g = *f
	g.verb, g.set = verb, set
	g.set.CopyGiven(f.set)
	for _, list := range []*[]string{&g.args, &g.images, &g.bufs, &g.globals, &g.expects} {
		*list = slices.Clone(*list)
	}
	return g
}

// seedsFlag reads FROM-TO, or one number.
type seedsFlag struct {
	from, to uint64
	given    bool
}

// maxSeeds bounds --seeds: each seed is a run.
const maxSeeds = 1 << 16

func (f *seedsFlag) String() string {
	if !f.given {
		return ""
	}
	return fmt.Sprintf("%d-%d", f.from, f.to)
}

func (f *seedsFlag) Type() string { return "FROM-TO" }

func (f *seedsFlag) Set(text string) (err error) {
	from, to, isRange := strings.Cut(text, "-")
	if !isRange {
		to = from
	}
	if f.from, err = strconv.ParseUint(from, 10, 64); err == nil {
		f.to, err = strconv.ParseUint(to, 10, 64)
	}
	if err != nil || f.to < f.from || f.to-f.from >= maxSeeds {
		return fmt.Errorf("want FROM-TO, such as 0-19, of at most %d seeds", maxSeeds)
	}
	f.given = true
	return nil
}

// each is every run with every seed.
func (f *seedsFlag) each(sets []*runSet) (list []*runSet) {
	for _, set := range sets {
		for seed := f.from; ; seed++ {
			flags := set.flags.clone()
			_ = flags.set.Set("seed", strconv.FormatUint(seed, 10)) // it is a number
			list = append(list, &runSet{flags: flags, args: set.args})
			if seed == f.to {
				break
			}
		}
	}
	return list
}

// name is what notes call a run among others.
func (r *runSet) name() string {
	name := strings.Join(r.args, " ")
	if r.flags.seeds.given {
		name += fmt.Sprintf(", --seed %d", r.flags.seed)
	}
	return name
}

// commandLine is that of this run alone.
func (r *runSet) commandLine(args, all []string) []string {
	var out []string
	for _, word := range withoutFlags(args, "seeds") {
		if !slices.Contains(all, word) || slices.Contains(r.args, word) {
			out = append(out, word)
		}
	}
	if r.flags.seeds.given {
		out = append(out, "--seed", strconv.FormatUint(r.flags.seed, 10))
	}
	return out
}

// runCommand does what a command line of run says: its runs one after the other, and one report of all. It ends as the first
// run that did not end well.
func (f *runFlags) runCommand(ctx context.Context, s streams, args []string) error {
	if err := checkReportName(f.report); err != nil {
		return usageError{fmt.Errorf("--report %s: %w", f.report, err)}
	}
	sets, err := f.sets(args)
	if err != nil {
		return f.refused(s, err)
	}
	seen := map[string]bool{}
	var all []*runReport
	var worst error
	for _, set := range sets {
		one := s
		if len(sets) > 1 {
			one.args = set.commandLine(s.args, args)
			one.err = &headed{to: s.err, head: "ptxvm run " + set.name() + ":\n", quiet: f.quiet}
		}
		r, end := runReported(ctx, one, set, seen)
		all = append(all, r)
		if worst == nil {
			worst = end
		}
		if exitCode(end) == exitInterrupted {
			break
		}
	}
	if f.report != "" {
		if failed := saveReports(s.out, f.report, all); failed != nil {
			return failed
		}
	}
	return worst
}

// refused writes the report of a command line that cannot be understood.
func (f *runFlags) refused(s streams, err error) error {
	if f.report != "" {
		r := new(runReport)
		r.end(err, exitCode(err), err.Error())
		_ = saveReports(s.out, f.report, []*runReport{r}) // the command line is what is told of
	}
	return err
}

// headed writes a line before the first one.
type headed struct {
	to    io.Writer
	head  string
	quiet bool
}

func (h *headed) Write(p []byte) (int, error) {
	if h.head != "" && !h.quiet {
		if _, err := io.WriteString(h.to, h.head); err != nil {
			return 0, err
		}
	}
	h.head = ""
	return h.to.Write(p)
}

// checkReportName refuses names that promise another form than JSON, which all are written in but .sarif.
func checkReportName(file string) error {
	ext := filepath.Ext(file)
	forms := []string{".json", ".jsonl", ".sarif"}
	switch near := cli.Nearest(ext, forms); {
	case slices.Contains([]string{".junit", ".xml"}, ext):
		return errors.New("run writes .json and .sarif; ptxvm test --format junit writes JUnit's XML, a case a test")
	case ext != "" && near != "" && near != ext:
		return fmt.Errorf("%s is no form of a report; did you mean %s?", ext, near)
	}
	return nil
}
