// Package whence says where values of launches come from: an element of what a launch leaves, back to inputs; and, of two launches that
// leave different memory, from which instruction on they part. Both run launches again, which a caller knows how to do.
package whence

// This file explains an element of memory.

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/internal/launchlang"
	"ptxvm.invalid/ptxvm/internal/stepform"
	"ptxvm.invalid/ptxvm/internal/value"
)

// Again runs launches again, quietly, by one worker that interprets, the last of them with a record, and calls do while its memory is
// still there.
type Again func(ctx context.Context, r *ptxvm.Record, do func(*launchlang.Job, *ptxvm.Record) error) error

// MostValues bounds what an explanation holds, and mostCTAs the CTAs whose values it follows.
const (
	MostValues = 4096
	mostCTAs   = 16
)

// Question asks for an element.
type Question struct {
	Element       string // "out[3]"
	Depth, Values int
	Memory        int64 // most bytes that are kept
}

// Ask runs the launches again, the last of them with a record, each time with one more of the CTAs behind the value.
func (q *Question) Ask(ctx context.Context, again Again) (told *Explanation, err error) {
	var ctas []ptxvm.Index3
	for {
		err := again(ctx, &ptxvm.Record{CTAs: ctas, Max: q.Memory}, func(j *launchlang.Job, r *ptxvm.Record) (err error) {
			told, err = q.ask(j, r)
			return err
		})
		if err != nil {
			return nil, err
		}
		more := told.root.CTAsBeyond()
		if len(more) == 0 || len(ctas) >= mostCTAs {
			return told, nil
		}
		ctas = append(ctas, more...)
		ctas = ctas[:min(len(ctas), mostCTAs)]
	}
}

// Explanation is where an element comes from, with names for memory.
type Explanation struct {
	element launchlang.Element
	value   string
	root    *ptxvm.Origin
	names   map[*ptxvm.Origin]string
}

// ask asks a record.
func (q *Question) ask(j *launchlang.Job, r *ptxvm.Record) (x *Explanation, err error) {
	x = &Explanation{names: map[*ptxvm.Origin]string{}}
	if x.element, err = j.ParseElement(q.Element); err != nil {
		return nil, err
	}
	typ := x.element.Type
	data := make([]byte, typ.Size())
	if _, err := x.element.Buffer.ReadAt(data, int64(x.element.Index*typ.Size())); err != nil {
		return nil, err
	}
	x.value = valueBits(typ, data)
	x.root, err = r.Explain(x.element.Address(), typ.Size(), ptxvm.OriginLimits{Depth: q.Depth, Values: q.Values})
	if err != nil {
		return nil, recordFull(err)
	}
	x.name(j, x.root)
	return x, nil
}

// recordFull says what keeps more.
func recordFull(err error) error {
	return fmt.Errorf("%w: --why-memory 8G keeps more", err)
}

// name names memory by its element.
func (x *Explanation) name(j *launchlang.Job, o *ptxvm.Origin) {
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
func (x *Explanation) form() *stepform.Origins {
	return &stepform.Origins{Name: func(o *ptxvm.Origin) string { return x.names[o] }}
}

// Write prints the tree and, where a file is named, the graph.
func (x *Explanation) Write(w io.Writer, dot string) error {
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
		return fmt.Errorf("cannot write --why-dot: %w", err)
	}
	to := bufio.NewWriter(f)
	x.form().DOT(to, x.root, x.element.String()+" = "+x.value)
	if err = to.Flush(); err == nil {
		err = f.Commit()
	}
	if err = errors.Join(err, f.Discard()); err != nil {
		return fmt.Errorf("cannot write --why-dot: %w", err)
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
