package main

// This file is run --why OUT[i]: where an element of what a launch leaves comes from.

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/internal/launchlang"
	"ptxvm.invalid/ptxvm/internal/stepform"
	"ptxvm.invalid/ptxvm/internal/value"
)

// whyFlags are those of --why.
type whyFlags struct {
	what   string
	depth  int
	memory sizeFlag
	dot    string
}

// mostValues bounds what an explanation holds, and mostCTAs the CTAs whose values it follows.
const (
	mostValues = 4096
	mostCTAs   = 16
)

// check refuses what cannot be asked.
func (w *whyFlags) check(f *runFlags) error {
	switch {
	case w.what == "" && w.dot != "":
		return usageError{fmt.Errorf("--why-dot %s: --why NAME[i] says what to explain", w.dot)}
	case w.what == "":
	case f.devices > 1:
		return usageError{errors.New("--why: on one device alone")}
	case w.depth < 1:
		return usageError{fmt.Errorf("--why-depth %d: want 1 or more", w.depth)}
	case w.memory < 1:
		return usageError{fmt.Errorf("--why-memory %d: want 1 or more bytes", w.memory)}
	}
	return nil
}

// explain prints where the value comes from.
func (w *whyFlags) explain(ctx context.Context, s streams, launches []*runFlags, files []string) error {
	ask := &explaining{element: w.what, depth: w.depth, values: mostValues, memory: int64(w.memory)}
	told, err := ask.run(ctx, s, launches, files)
	if err != nil {
		return err
	}
	return told.write(s.out, w.dot)
}

// explaining is a question.
type explaining struct {
	element       string
	depth, values int
	memory        int64
}

// run runs the launches again, the last of them with a record, each time with one more of the CTAs behind the value.
func (q *explaining) run(ctx context.Context, s streams, launches []*runFlags, files []string) (told *explanation, err error) {
	var ctas []ptxvm.Index3
	for {
		err := recorded(ctx, s, launches, files, &ptxvm.Record{CTAs: ctas, Max: q.memory}, func(j *launchlang.Job, r *ptxvm.Record) (err error) {
			told, err = q.ask(j, r)
			return err
		})
		if err != nil {
			return nil, err
		}
		more := told.beyond()
		if len(more) == 0 || len(ctas) >= mostCTAs {
			return told, nil
		}
		ctas = append(ctas, more...)
		ctas = ctas[:min(len(ctas), mostCTAs)]
	}
}

// recorded runs the launches, quietly, by one worker that interprets, and calls do while the memory of the last of them, which has a
// record, is still there.
func recorded(ctx context.Context, s streams, launches []*runFlags, files []string, r *ptxvm.Record, do func(*launchlang.Job, *ptxvm.Record) error) (err error) {
	s.out, s.err = io.Discard, io.Discard
	flags := make([]*runFlags, len(launches))
	for i := range flags {
		flags[i] = launches[i].clone()
		flags[i].unwatched()
	}
	session, err := prepare(flags, files, s, ptxvm.DeviceConfig{Stdout: io.Discard})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, session.Close()) }()
	for i, j := range session.launches {
		if err := j.Fill(); err != nil {
			return err
		}
		last := i == len(session.launches)-1
		if last {
			j.Watch.Record = r
		}
		if _, err := j.Launch(ctx); err != nil {
			return err
		}
		if last {
			return do(j.Job, r)
		}
		if err := j.Release(); err != nil {
			return err
		}
	}
	return nil
}

// unwatched turns off what looks at a launch, and what depends on more than one worker.
func (f *runFlags) unwatched() {
	f.engine, f.workers, f.sanitize, f.keepGoing = "interp", 1, "", false
	f.unshown()
}

// unshown turns off what is written of a run.
func (f *runFlags) unshown() {
	f.capture, f.quiet = "", true
	f.trace, f.show, f.showTo, f.traceTo, f.report, f.newSuppressions = traceFlag{}, showFlag{}, "", "", "", ""
}

// explanation is where an element comes from, with names for memory.
type explanation struct {
	element launchlang.Element
	value   string
	root    *ptxvm.Origin
	names   map[*ptxvm.Origin]string
}

// ask asks a record.
func (q *explaining) ask(j *launchlang.Job, r *ptxvm.Record) (x *explanation, err error) {
	x = &explanation{names: map[*ptxvm.Origin]string{}}
	if x.element, err = j.ParseElement(q.element); err != nil {
		return nil, usageError{err}
	}
	typ := x.element.Type
	data := make([]byte, typ.Size())
	if _, err := x.element.Buffer.ReadAt(data, int64(x.element.Index*typ.Size())); err != nil {
		return nil, err
	}
	x.value = valueBits(typ, data)
	x.root, err = r.Explain(x.element.Address(), typ.Size(), ptxvm.OriginLimits{Depth: q.depth, Values: q.values})
	if err != nil {
		return nil, recordFull(err)
	}
	x.name(j, x.root)
	return x, nil
}

// recordFull says what keeps more.
func recordFull(err error) error {
	return usageError{fmt.Errorf("%w: --why-memory 8G keeps more", err)}
}

// name names memory by its element.
func (x *explanation) name(j *launchlang.Job, o *ptxvm.Origin) {
	if o == nil || x.names[o] != "" {
		return
	}
	x.names[o] = "?"
	if o.To > o.From {
		x.names[o] = fmt.Sprintf("%d bytes of %s memory at %#x", o.To-o.From, o.Space, o.From)
		if e, ok := j.At(o.From); ok && o.Space == "global" {
			x.names[o] = e.String()
		}
	}
	for _, from := range o.Sources {
		x.name(j, from)
	}
}

// form writes origins with these names.
func (x *explanation) form() *stepform.Origins {
	return &stepform.Origins{Name: func(o *ptxvm.Origin) string { return x.names[o] }}
}

// beyond lists the CTAs behind which the explanation could go on.
func (x *explanation) beyond() (list []ptxvm.Index3) {
	seen := map[*ptxvm.Origin]bool{}
	var visit func(o *ptxvm.Origin)
	visit = func(o *ptxvm.Origin) {
		if o == nil || seen[o] {
			return
		}
		seen[o] = true
		if o.Beyond && !slices.Contains(list, o.Step.CTA) {
			list = append(list, o.Step.CTA)
		}
		for _, from := range o.Sources {
			visit(from)
		}
	}
	visit(x.root)
	return list
}

// write prints the tree and, where a file is named, the graph.
func (x *explanation) write(w io.Writer, dot string) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "why %s = %s\n", x.element.String(), x.value)
	if x.root == nil {
		fmt.Fprintf(out, "  the launch has not written it\n")
	} else {
		x.form().Tree(out, x.root, "", "", 0)
	}
	if err := out.Flush(); err != nil || dot == "" {
		return err
	}
	f, err := launchlang.Create(dot)
	if err != nil {
		return usageError{fmt.Errorf("cannot write --why-dot: %w", err)}
	}
	to := bufio.NewWriter(f)
	x.form().DOT(to, x.root, x.element.String()+" = "+x.value)
	if err = to.Flush(); err == nil {
		err = f.Commit()
	}
	if err = errors.Join(err, f.Discard()); err != nil {
		return usageError{fmt.Errorf("cannot write --why-dot: %w", err)}
	}
	return nil
}

// valueBits is a value as a number and as bits.
func valueBits(t value.Type, data []byte) string {
	text, bits := t.Format(data), value.BitsType(8*t.Size()).Format(data)
	if text == bits {
		return text
	}
	return text + " (" + bits + ")"
}
