package main

// This file is the run verb: prepare, launch once, write results.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/cli"
	"ptxvm.invalid/ptxvm/internal/forms"
	"ptxvm.invalid/ptxvm/internal/launchlang"
)

// newRun builds the run verb.
func newRun(s streams) *cli.Command {
	var f runFlags
	cmd := &cli.Command{
		Use:     "run FILE… [flags]",
		Short:   "Run a kernel on the CPU; several files are linked",
		Args:    needFiles,
		Example: aRun,
		Run: func(cmd *cli.Command, files []string) error {
			return f.runCommand(cmd.Context(), s, files)
		},
	}
	cmd.Flags().Group("Device and schedule")
	cmd.Flags().Add(&f.seeds, "seeds", "", "run once with each seed, FROM-TO such as 0-19: one command, one --report; what several report is printed once")
	cmd.Flags().Group("Data")
	cmd.Flags().String(&f.capture, "capture", "", "", "write the first launch, with the memory that it begins with, to the folder `DIR`: run @DIR/launch.txt runs it again").NamesFile()
	cmd.Flags().Add(&f.captureMax, "capture-max", "", "most bytes that --capture keeps, such as 4G; default 1G")
	cmd.Flags().Group("What is shown")
	cmd.Flags().String(&f.why.what, "why", "", "", "print where an element of a result comes from, `NAME[i]`: the instructions behind it with their values, back to inputs; the launch runs again for it, interpreted, on one thread")
	cmd.Flags().Int(&f.why.depth, "why-depth", "", 24, "follow --why through at most `N` values")
	cmd.Flags().String(&f.why.dot, "why-dot", "", "", "write --why to `FILE` as a graph for Graphviz, too").NamesFile()
	f.why.memory = ptxvm.DefaultRecordBytes
	cmd.Flags().Add(&f.why.memory, "why-memory", "", "most bytes that --why keeps of what the launch executes")
	f.bind(cmd)
	return cmd
}

// runReported runs, and says on standard error why a run ended early. seen are the ids of reports that have been printed.
func runReported(ctx context.Context, s streams, set *runSet, seen map[string]bool) (r *runReport, end error) {
	f := set.launches[0]
	r = new(runReport)
	var told strings.Builder
	err := runAll(ctx, s, set.launches, set.files, r)
	s.err = io.MultiWriter(s.err, &told)
	r.reports.found, err = splitReports(err)
	r.reports.fold(s.replay())
	set.moments(ctx, s, r, err)
	end = printEnd(s, f, r.reports.unseen(seen), err)
	if len(r.Launches) != 0 {
		if failed := f.writeSuppressions(r.reports.all()); failed != nil {
			return r, failed
		}
	}
	var printed exitError
	if end != nil && !errors.As(end, &printed) {
		told.WriteString(end.Error())
	}
	r.end(err, exitCode(end), strings.TrimSpace(told.String()))
	return r, end
}

// runAll runs the launches of a command line and writes what they leave.
func runAll(ctx context.Context, s streams, launches []*runFlags, files []string, to *runReport) (err error) {
	f := launches[0]
	if err := f.why.check(f); err != nil {
		return err
	}
	line := newProgressLine(s.err, f.quiet)
	defer line.Done()
	defer context.AfterFunc(ctx, line.End)()
	session, err := prepare(launches, files, s, ptxvm.DeviceConfig{Stdout: around(line, s.out), Progress: line.Report()})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, session.Close()) }()
	session.line, to.modules = line, session.Modules
	trace, err := openTrace(s, f, session.launches)
	if err != nil {
		return err
	}
	defer func() {
		switch failed := trace.close(s.err); {
		case err == nil:
			err = failed
		case failed != nil: // the run's own end decides the exit code
			fmt.Fprintf(s.err, "ptxvm: %v\n", failed)
		}
	}()
	if !f.quiet {
		session.warn(s, f.color)
	}
	defer session.unusedSuppressions(s, f)
	all, reported, failed := session.each(ctx, s, to, trace)
	if failed != nil {
		return errors.Join(reported, failed)
	}
	if left := session.leaks(); left != nil {
		reported = errors.Join(reported, left)
	}
	switch {
	case reported != nil && f.keepable(reported) == nil:
		return reported
	case len(all.differs) > 0:
		return errors.Join(reported, &launchlang.DiffersError{List: all.differs})
	}
	if err := session.writeResults(s, f.color, all.results); err != nil {
		return err
	}
	if err := session.printShown(s.out); err != nil {
		return errors.Join(reported, err)
	}
	if f.why.what != "" {
		s.modules = session.Modules
		return errors.Join(reported, f.why.explain(ctx, s, launches, files))
	}
	return reported
}

// each runs one launch after the other: what they leave, and what was reported of those that are forgiven; failed ends the rest.
func (s *invocation) each(ctx context.Context, to streams, r *runReport, trace *traceWriter) (all ran, reported, failed error) {
	f := s.launches[0].flags
	for _, j := range s.launches {
		s.line.About = j.Kernel.Info().Base()
		wrote, err := j.once(ctx, to, s.line, r)
		trace.flush()
		if err != nil && !f.goesOn(err) {
			return all, reported, err
		}
		reported = errors.Join(reported, err)
		all.results = append(all.results, wrote.results...)
		all.differs = append(all.differs, wrote.differs...)
	}
	return all, reported, nil
}

// writeResults writes the results of the launches, then what is read at their end.
func (s *invocation) writeResults(to streams, color string, results []launchlang.Result) error {
	last, err := s.LastResults()
	if err != nil {
		return err
	}
	shown, err := s.shown()
	if err != nil {
		return err
	}
	return launchlang.WriteResults(to.out, slices.Concat(results, last, shown), screenOf(to.out, color))
}

// warn says what may not be meant: what check warns of, then arguments that look misplaced.
func (s *invocation) warn(to streams, color string) {
	writeDiagnostics(to, color, s.Program.Warnings())
	for _, j := range s.launches {
		if j.Shape.Block == (ptxvm.Dim3{}) && j.Kernel.Info().ReadsThread {
			fmt.Fprintf(to.err, "note: without --block a CTA of %s has one thread\n", diag.Escape(j.Kernel.Info().Base()))
		}
		for _, text := range j.FewBytes() {
			fmt.Fprintf(to.err, "note: %s\n", diag.Escape(text))
		}
		for _, text := range launchlang.MixedTypes(j.Kernel.Info(), j.Specs) {
			fmt.Fprintf(to.err, "warning: %s\n", diag.Escape(text))
		}
	}
}

// ran is what a launch leaves.
type ran struct {
	results []launchlang.Result
	differs []launchlang.Mismatch
}

// once runs a launch and reads what it wrote. The error may be one that --keep-output forgives.
func (j *launch) once(ctx context.Context, s streams, line *forms.Progress, to *runReport) (out ran, err error) {
	peers := j.Peers()
	for _, p := range peers {
		if err := p.Fill(); err != nil {
			return out, err
		}
	}
	stats, err := j.LaunchAll(ctx)
	line.Done()
	to.ran(j.Job, stats)
	if err != nil && !j.flags.goesOn(err) {
		return out, err
	}
	if !j.flags.quiet {
		if err := j.notes(s); err != nil {
			return out, err
		}
	}
	if err := out.read(j.Job, peers); err != nil {
		return out, err
	}
	if stats.Replay == ptxvm.ReplayDiffers && !j.flags.quiet {
		fmt.Fprintln(s.err, "warning: memory is not as the captured launch left it: other flags or arguments, or a kernel whose results depend on the order of its threads")
	}
	if stats.Leak != nil && !j.flags.quiet {
		fmt.Fprintf(s.err, "warning: %v\n", stats.Leak)
	}
	if j.flags.stats {
		forms.PrintStats(s.err, stats)
	}
	return out, err
}

// read reads what the launch left on all devices, and frees their anonymous buffers.
func (out *ran) read(j *launchlang.Job, peers []*launchlang.Job) (failed error) {
	for _, p := range peers {
		list, err := p.Results()
		out.results = append(out.results, p.Labelled(list)...)
		failed = errors.Join(failed, err)
	}
	var unread error
	out.differs, unread = j.Compare()
	failed = errors.Join(failed, unread)
	for _, p := range peers {
		failed = errors.Join(failed, p.Release())
	}
	return failed
}

// notes says what a finished launch did that may not be meant.
func (j *launch) notes(s streams) error {
	written, err := j.WrittenInputs()
	for _, text := range written {
		fmt.Fprintf(s.err, "note: the kernel wrote into --arg %s, which is not shown; %s shows it\n", diag.Escape(text), diag.Escape("inout"+strings.TrimPrefix(text, "in")))
	}
	return err
}

// keepable returns err if it is nothing but the reports of sanitizers about a kernel that ran to
// its end, or faults that it went on behind, and --keep-output asks for its results; else nil.
func (f *runFlags) keepable(err error) error {
	if f.keepOutput && ended(err) {
		return err
	}
	return nil
}

// goesOn reports whether what comes behind a launch with this outcome is done.
func (f *runFlags) goesOn(err error) bool { return (f.keepOutput || f.keepGoing) && ended(err) }

// ended reports whether the launches of an outcome ran to their ends, with reports or with faults that they went on behind.
func ended(err error) bool {
	found, rest := splitReports(err)
	faults := faultsOf(rest)
	for _, launch := range faults {
		if launch.Err != nil {
			return false
		}
	}
	return rest == nil && found != nil || faults != nil
}

// unusedSuppressions notes the suppressions that have met nothing.
func (s *invocation) unusedSuppressions(to streams, f *runFlags) {
	if f.quiet || f.sanitize == "" {
		return
	}
	for _, one := range s.suppress.Unused() {
		fmt.Fprintf(to.err, "note: %s:%d: no report is suppressed by: %s\n", diag.Escape(one.File), one.Line, diag.Escape(one.Text))
	}
}
