package main

// This file is the diff verb: two launches on equal inputs, what they leave that differs, and from which instruction on they part.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/internal/cli"
	"ptxvm.invalid/ptxvm/internal/launchlang"
	"ptxvm.invalid/ptxvm/internal/value"
	"ptxvm.invalid/ptxvm/internal/whence"
)

// newDiff builds the diff verb.
func newDiff(s streams) *cli.Command {
	var f runFlags
	cmd := &cli.Command{
		Use:     "diff A [B] [flags]",
		Short:   "Run two modules, or one with two values of a flag, on equal inputs, and find where they part",
		Args:    needFiles,
		Example: "  ptxvm diff k-O0.ptx k-O3.ptx --block 64 --arg in:f32x64=rand:7 --arg out:f32x64\n  ptxvm diff k.ptx --assume U3=low,high --block 64 --arg out:f32x64",
		Run: func(cmd *cli.Command, files []string) error {
			return f.diff(cmd.Context(), s, files)
		},
	}
	f.why.memory = ptxvm.DefaultRecordBytes
	cmd.Flags().Group("What is shown")
	cmd.Flags().Add(&f.why.memory, "why-memory", "", "most bytes that are kept of what each launch executes, to find where they part")
	f.bind(cmd)
	for _, one := range cmd.Flags().All() {
		one.Hidden = one.Hidden || slices.Contains(ofRun, one.Name)
	}
	return cmd
}

// side is one of the two.
type side struct {
	name     string // A or B
	what     string // file or flag
	launches []*runFlags
	files    []string

	session *invocation
	job     *launchlang.Job
}

// diff runs both sides and compares them.
func (f *runFlags) diff(ctx context.Context, s streams, args []string) (err error) {
	sides, err := f.sides(args)
	if err != nil {
		return usageError{err}
	}
	defer func() {
		for _, d := range sides {
			if d.session != nil {
				err = errors.Join(err, d.session.Close())
			}
		}
	}()
	for _, d := range sides {
		if err := d.open(s); err != nil {
			return f.diffEnd(s, d, err)
		}
	}
	if err := sameParameters(sides); err != nil {
		return usageError{err}
	}
	if err := f.runBoth(ctx, s, sides); err != nil {
		return err
	}
	both := [2]*whence.Side{sides[0].again(s), sides[1].again(s)}
	changes, err := whence.Differences(both, f.tolerance())
	if err != nil || len(changes) == 0 {
		return err
	}
	fmt.Fprintf(s.out, "A: %s\nB: %s\n", sides[0].what, sides[1].what)
	for i := range changes {
		changes[i].Write(s.out)
	}
	if err := whence.Part(ctx, s.out, both, changes, int64(f.why.memory)); err != nil {
		return f.diffEnd(s, sides[0], err)
	}
	return exitError{exitDiffers}
}

// again is a side as it is run again, from modules that are compiled.
func (d *side) again(s streams) *whence.Side {
	s.modules = d.session.Modules
	return &whence.Side{Name: d.name, Job: d.job, Again: again(s, d.launches, d.files)}
}

// runBoth runs both sides, whatever becomes of the first, and says of each how it ended if one did not end well. The error is that of
// the first that has one.
func (f *runFlags) runBoth(ctx context.Context, s streams, sides []*side) (end error) {
	ends := make([]error, len(sides))
	for i, d := range sides {
		ends[i] = d.run(ctx)
	}
	if errors.Join(ends...) == nil {
		return nil
	}
	for i, d := range sides {
		if ends[i] == nil {
			fmt.Fprintf(s.err, "%s (%s) runs to its end\n", d.name, d.what)
			continue
		}
		if failed := f.diffEnd(s, d, ends[i]); end == nil {
			end = failed
		}
	}
	return end
}

// diffEnd prints why a side has ended early.
func (f *runFlags) diffEnd(s streams, d *side, err error) error {
	s.err = &headed{to: s.err, head: d.name + " (" + d.what + "):\n"}
	found, rest := splitReports(err)
	all := &reports{found: found}
	return printEnd(s, d.launches[0], all, rest)
}

// ofRun are flags that diff has no use for.
var ofRun = []string{"trace", "trace-to", "show", "show-to", "report", "expect", "write-suppressions", "devices", "stats", "keep-output", "max-trace"}

// sides makes the two launches of a command line: of two modules, or of one with two values of flags.
func (f *runFlags) sides(args []string) (sides []*side, err error) {
	var modules, options []string
	for _, arg := range args {
		if strings.HasPrefix(arg, "@") {
			options = append(options, arg)
		} else {
			modules = append(modules, arg)
		}
	}
	for _, name := range ofRun {
		if f.set.Given(name) {
			return nil, fmt.Errorf("diff: --%s is a flag of run: run each of the two with it", name)
		}
	}
	a, b, words, err := f.halves()
	switch {
	case err != nil:
		return nil, err
	case len(modules) > 2:
		return nil, fmt.Errorf("diff: have %d modules, want two", len(modules))
	case len(modules) == 1 && words[0] == "":
		return nil, errors.New("diff: want two modules, or one and a flag with two values: --engine interp,jit, --arch sm_80,sm_90, --assume U3=low,high")
	}
	for i, flags := range []*runFlags{a, b} {
		d := &side{name: string(rune('A' + i)), what: words[i]}
		own := options
		if len(modules) != 0 {
			own = append([]string{modules[i%len(modules)]}, options...)
		}
		if len(modules) == 2 {
			d.what = strings.TrimSpace(modules[i] + " " + words[i])
		}
		if d.launches, d.files, err = flags.launches(own); err != nil {
			return nil, err
		}
		for _, l := range d.launches {
			if l.devices > 1 || len(l.expects) != 0 {
				return nil, errors.New("diff: --devices and --expect are of run")
			}
		}
		sides = append(sides, d)
	}
	return sides, nil
}

// halves are the flags of each side, and the flags in which they differ, as words.
func (f *runFlags) halves() (a, b *runFlags, words [2]string, err error) {
	a, b = f.clone(), f.clone()
	for _, one := range []struct {
		name string
		of   func(*runFlags) *string
	}{
		{"engine", func(f *runFlags) *string { return &f.engine }}, {"arch", func(f *runFlags) *string { return &f.arch }},
		{"async", func(f *runFlags) *string { return &f.async }}, {"schedule", func(f *runFlags) *string { return &f.schedule }},
		{"judge", func(f *runFlags) *string { return &f.judge }}, {"assume", func(f *runFlags) *string { return &f.assume }},
	} {
		given := *one.of(f)
		first, second, err := twoValues(one.name, given)
		if err != nil {
			return nil, nil, words, err
		}
		if first == second {
			continue
		}
		*one.of(a), *one.of(b) = first, second
		for i, value := range []string{first, second} {
			words[i] = strings.TrimSpace(words[i] + " --" + one.name + " " + value)
		}
	}
	return a, b, words, nil
}

// twoValues splits V,W; of a list of KEY=V, in which a value that stands alone is another one of the key before, it makes two.
func twoValues(name, given string) (first, second string, err error) {
	words := strings.Split(given, ",")
	one, two := words[:1:1], slices.Clone(words[:1])
	for _, word := range words[1:] {
		last := len(two) - 1
		key, _, listed := strings.Cut(one[last], "=")
		switch {
		case listed && strings.Contains(word, "="):
			one, two = append(one, word), append(two, word)
		case one[last] != two[last]:
			return "", "", fmt.Errorf("diff: --%s %s: want one value or two", name, given)
		case listed:
			two[last] = key + "=" + word
		default:
			two[last] = word
		}
	}
	return strings.Join(one, ","), strings.Join(two, ","), nil
}

// open compiles and loads a side.
func (d *side) open(s streams) (err error) {
	s.out, s.err = io.Discard, io.Discard
	d.session, err = prepare(d.launches, d.files, s, ptxvm.DeviceConfig{Stdout: io.Discard})
	if err == nil {
		d.job = d.session.launches[len(d.session.launches)-1].Job
	}
	return err
}

// run runs its launches. The memory of the last one stays.
func (d *side) run(ctx context.Context) error {
	for _, j := range d.session.launches {
		if err := j.Fill(); err != nil {
			return err
		}
		if _, err := j.Launch(ctx); err != nil {
			return err
		}
		if j.Job == d.job {
			break
		}
		if err := j.Release(); err != nil {
			return err
		}
	}
	return nil
}

// sameParameters refuses kernels that cannot be given the same arguments.
func sameParameters(sides []*side) error {
	a, b := sides[0].job.Kernel.Info(), sides[1].job.Kernel.Info()
	same := len(a.Params) == len(b.Params)
	for i := 0; same && i < len(a.Params); i++ {
		same = a.Params[i].Size == b.Params[i].Size
	}
	if !same {
		return fmt.Errorf("diff: the kernels take other parameters\n  A: %s\n  B: %s", a.Signature(), b.Signature())
	}
	return nil
}

// tolerance is what counts as equal.
func (f *runFlags) tolerance() value.Tolerance {
	t, _ := value.ParseTolerance(f.tol) // read before
	if f.tol == "" {
		t = value.Tolerance{}
	}
	return t
}
