package stepform

// This file draws where a value comes from: as a tree of lines, and as a graph for Graphviz.

import (
	"fmt"
	"io"
	"math/bits"
	"strings"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/quote"
)

// Origins writes where values come from.
type Origins struct {
	Name func(*ptxvm.Origin) string // of the memory that an origin is about: "in[3]"
}

// Line is a value on one line, without its end: the place, the instruction, and its values in the lane that made it. The thread is left
// out where it is the one given, as Thread writes it.
func (f *Origins) Line(o *ptxvm.Origin, thread string) string {
	if o.Kind == ptxvm.OriginInput {
		return diag.Escape(f.Name(o)) + ", as the launch found it"
	}
	s := o.Step
	text := quote.Place(s.PTX)
	if len(s.Source) > 0 {
		text += " " + quote.Place(s.Source[0])
	}
	if me := Thread(o); me != thread {
		text += " " + me
	}
	text += "  " + diag.Escape(s.Text) + values(s, 1<<o.Lane)
	switch o.Kind {
	case ptxvm.OriginStored:
		text += "  to " + diag.Escape(f.Name(o))
	case ptxvm.OriginCopied:
		text += "  copies to " + diag.Escape(f.Name(o))
	case ptxvm.OriginUndefined:
		return o.Register + ", which nothing has written before " + text
	case ptxvm.OriginArgument:
		return "an argument of " + text
	}
	if o.Lanes&(o.Lanes-1) != 0 {
		text += fmt.Sprintf("  from lanes %08x", o.Lanes)
	} else if o.Lanes != 0 {
		text += fmt.Sprintf("  from lane %d", bits.TrailingZeros32(o.Lanes))
	}
	if o.Beyond {
		text += "  (its CTA is not followed)"
	}
	return text
}

// Thread is the thread that has made a value.
func Thread(o *ptxvm.Origin) string {
	c, t := o.Step.CTA, o.Thread
	return fmt.Sprintf("CTA (%d,%d,%d) thread (%d,%d,%d)", c.X, c.Y, c.Z, t.X, t.Y, t.Z)
}

// Tree writes a value, and below it those that it was made of, at most so many lines below each other; 0: all. mark stands before the
// first line, indent before the others. A value with sources that has several users stands at the first one, with a number that the
// others name. The error of w is its own to keep.
func (f *Origins) Tree(w io.Writer, root *ptxvm.Origin, mark, indent string, depth int) {
	t := originTree{Origins: f, w: w, numbers: map[*ptxvm.Origin]int{}}
	t.count(root, map[*ptxvm.Origin]int{}, depth)
	t.write(root, mark, indent, "", depth)
}

// originTree writes one tree.
type originTree struct {
	*Origins
	w       io.Writer
	numbers map[*ptxvm.Origin]int // of values with several users: 0 until they are written
	written int
}

// count finds the values with several users.
func (t *originTree) count(o *ptxvm.Origin, uses map[*ptxvm.Origin]int, depth int) {
	if uses[o]++; uses[o] == 2 && len(o.Sources) != 0 {
		t.numbers[o] = 0
	}
	if uses[o] > 1 || depth == 1 {
		return
	}
	for _, from := range o.Sources {
		t.count(from, uses, depth-1)
	}
}

// write writes a value below another one, whose thread is given.
func (t *originTree) write(o *ptxvm.Origin, mark, indent, thread string, depth int) {
	n, shared := t.numbers[o]
	if shared && n != 0 {
		fmt.Fprintf(t.w, "%s(%d) again\n", mark, n)
		return
	}
	if shared {
		t.written++
		t.numbers[o] = t.written
		mark += fmt.Sprintf("(%d) ", t.written)
	}
	fmt.Fprintf(t.w, "%s%s\n", mark, t.Line(o, thread))
	if o.Step != nil {
		thread = Thread(o)
	}
	if o.Cut {
		fmt.Fprintf(t.w, "%s└ …\n", indent)
	}
	if depth == 1 {
		return
	}
	for i, from := range o.Sources {
		if i == len(o.Sources)-1 {
			t.write(from, indent+"└ ", indent+"  ", thread, depth-1)
		} else {
			t.write(from, indent+"├ ", indent+"│ ", thread, depth-1)
		}
	}
}

// DOT writes the graph from the inputs to a result, which has a text of its own; root may be nil.
func (f *Origins) DOT(w io.Writer, root *ptxvm.Origin, result string) {
	fmt.Fprintf(w, "digraph why {\n  rankdir=BT; node [shape=box, fontname=monospace];\n  result [label=%s];\n", dotQuoted(result))
	numbers := map[*ptxvm.Origin]int{}
	var visit func(o *ptxvm.Origin) int
	visit = func(o *ptxvm.Origin) int {
		if n, ok := numbers[o]; ok {
			return n
		}
		n := len(numbers) + 1
		numbers[o] = n
		text := f.Line(o, "")
		if o.Cut {
			text += "  …"
		}
		fmt.Fprintf(w, "  n%d [label=%s];\n", n, dotQuoted(text))
		for _, from := range o.Sources {
			fmt.Fprintf(w, "  n%d -> n%d;\n", visit(from), n)
		}
		return n
	}
	if root != nil {
		fmt.Fprintf(w, "  n%d -> result;\n", visit(root))
	}
	fmt.Fprintln(w, "}")
}

// dotQuoted is a string of DOT; two blanks begin another line.
func dotQuoted(text string) string {
	text = strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text)
	return `"` + strings.ReplaceAll(text, "  ", `\l`) + `\l"`
}
