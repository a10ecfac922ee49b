package main

// This file writes --trace CTA[/THREAD][@LINE[-LINE]]: what a CTA executes, one line for each
// instruction of a warp, as text or as JSON (docs/json.md).

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/internal/launchlang"
	"ptxvm.invalid/ptxvm/internal/stepform"
)

// traceFlag reads --trace.
type traceFlag struct {
	what *ptxvm.Trace
	text string
}

func (f *traceFlag) String() string { return "" }
func (f *traceFlag) Type() string   { return "CTA[/THREAD][@LINE-LINE]" }

func (f *traceFlag) Set(text string) (err error) {
	t := &ptxvm.Trace{}
	rest, lines, ranged := strings.Cut(text, "@")
	if ranged {
		if t.From, t.To, err = parseLines(lines); err != nil {
			return err
		}
	}
	cta, thread, one := strings.Cut(rest, "/")
	if t.CTA, err = launchlang.ParsePoint(cta); err != nil {
		return fmt.Errorf("CTA %w", err)
	}
	if one {
		at, err := launchlang.ParsePoint(thread)
		if err != nil {
			return fmt.Errorf("thread %w", err)
		}
		t.Thread = &at
	}
	f.what, f.text = t, text
	return nil
}

// parseLines reads LINE or LINE-LINE.
func parseLines(text string) (from, to int, err error) {
	first, last, ranged := strings.Cut(text, "-")
	if !ranged {
		last = first
	}
	from, err = strconv.Atoi(first)
	if err == nil {
		to, err = strconv.Atoi(last)
	}
	if err != nil || from < 1 || to < from {
		return 0, 0, fmt.Errorf("lines %q: want LINE or LINE-LINE, lines of the PTX from 1", text)
	}
	return from, to, nil
}

// traceWriter writes the steps of all launches of a command line.
type traceWriter struct {
	out  *bufio.Writer
	file *launchlang.StagedFile // nil: standard error
	json bool
	max  uint64

	asked string // the last --trace
	steps uint64
	about string // kernel and CTA of the last header
	err   error
}

// openTrace returns what writes the launches' steps; nil if it is not wanted.
func openTrace(s streams, f *runFlags, launches []*launch) (*traceWriter, error) {
	t := &traceWriter{max: f.maxTrace, json: strings.HasSuffix(f.traceTo, ".json") || strings.HasSuffix(f.traceTo, ".jsonl")}
	asked := false
	for _, j := range launches {
		if j.flags.trace.what != nil {
			asked, t.asked, j.flags.trace.what.Each = true, j.flags.trace.text, t.step
		}
	}
	switch {
	case !asked && f.traceTo != "":
		return nil, usageError{fmt.Errorf("--trace-to %s: --trace CTA says what to show", f.traceTo)}
	case !asked:
		return nil, nil
	}
	if t.out = bufio.NewWriterSize(s.err, 1<<16); f.traceTo == "" {
		return t, nil
	}
	var err error
	if t.file, err = launchlang.Create(f.traceTo); err != nil {
		return nil, usageError{fmt.Errorf("cannot write --trace-to: %w", err)}
	}
	t.out.Reset(t.file)
	return t, nil
}

// step writes one line.
func (t *traceWriter) step(s *ptxvm.Step) {
	if t.steps++; t.steps > t.max || t.err != nil {
		return
	}
	if t.json {
		t.err = stepform.WriteJSON(t.out, s)
		return
	}
	if about := fmt.Sprintf("kernel %s, CTA (%d,%d,%d)", s.Kernel, s.CTA.X, s.CTA.Y, s.CTA.Z); about != t.about {
		t.about = about
		fmt.Fprintf(t.out, "trace: %s\n", about)
	}
	_, t.err = io.WriteString(t.out, stepform.Line(s))
}

// flush lets what is behind the buffer see what was written.
func (t *traceWriter) flush() {
	if t != nil && t.err == nil {
		t.err = t.out.Flush()
	}
}

// close ends the trace, and gives a file its name: whatever came of the run.
func (t *traceWriter) close(errw io.Writer) error {
	if t == nil {
		return nil
	}
	t.flush()
	switch {
	case t.steps == 0:
		fmt.Fprintf(errw, "note: --trace %s: that CTA or thread executed no instruction of these lines\n", t.asked)
	case t.steps > t.max:
		fmt.Fprintf(errw, "trace: %d more instructions are not shown (--max-trace %d)\n", t.steps-t.max, t.max)
	}
	if t.file == nil {
		return nil // standard error: there is nowhere to say that it cannot be written
	}
	err := t.err
	if err == nil {
		err = t.file.Commit()
	}
	if err = errors.Join(err, t.file.Discard()); err != nil {
		return usageError{fmt.Errorf("cannot write --trace-to: %w", err)}
	}
	return nil
}
