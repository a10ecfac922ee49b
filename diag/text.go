package diag

// This file renders diagnostics for people: message, source excerpt, caret, form and fixes.

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// TextOptions selects how WriteText prints.
type TextOptions struct {
	Color bool // ANSI colours
}

const (
	tabWidth    = 4
	maxExcerpt  = 160 // columns of a source line shown around the caret
	colorReset  = "\x1b[0m"
	colorBold   = "\x1b[1m"
	colorGreen  = "\x1b[32m"
	colorFaint  = "\x1b[2m"
	gutterWidth = 5
)

var severityColor = [...]string{Error: "\x1b[1;31m", Warning: "\x1b[1;35m", Remark: "\x1b[1;36m"}

// WriteText prints each diagnostic with an excerpt of its line:
//
//	vecadd.ptx:14:8: error P3004: .sat is not allowed with .u32
//	   14 |     add.sat.u32  %r3, %r1, %r2;
//	      |        ^^^^
//	      = form: add{.sat}.s32 d, a, b  (PTX ISA 9.7.1.1)
//	      = fix: remove .sat
func WriteText(w io.Writer, list List, opt TextOptions) error {
	t := &textWriter{color: opt.Color}
	for i := range list {
		if t.diagnostic(&list[i]); t.b.Len() < writeAtOnce {
			continue
		}
		if _, err := io.WriteString(w, t.b.String()); err != nil {
			return err
		}
		t.b.Reset()
	}
	_, err := io.WriteString(w, t.b.String())
	return err
}

// writeAtOnce is how much text is collected before it is written.
const writeAtOnce = 64 << 10

type textWriter struct {
	b     strings.Builder
	color bool
}

func (t *textWriter) paint(color, s string) string {
	if !t.color {
		return s
	}
	return color + s + colorReset
}

func (t *textWriter) diagnostic(d *Diagnostic) {
	head := d.Severity.String() + " " + d.Code.String() + ":"
	fmt.Fprintf(&t.b, "%s%s %s\n", t.paint(colorBold, d.place()), t.paint(severityColor[d.Severity], head), Escape(d.Msg))
	t.excerpt(d.Source, d.Span)
	t.formAndSpec(d)
	for _, n := range d.Related {
		t.note(n)
	}
	for _, f := range d.Fixes {
		t.remark("fix", f.Label)
	}
}

func (t *textWriter) formAndSpec(d *Diagnostic) {
	switch {
	case d.Form != "" && d.Spec != "":
		t.remark("form", d.Form+"  (PTX ISA "+d.Spec+")")
	case d.Form != "":
		t.remark("form", d.Form)
	case d.Spec != "":
		t.remark("see", "PTX ISA "+d.Spec)
	}
}

func (t *textWriter) remark(kind, text string) {
	fmt.Fprintf(&t.b, "%*s %s %s\n", gutterWidth, "", t.paint(colorFaint, "="), t.paint(colorBold, kind+":")+" "+Escape(text))
}

func (t *textWriter) note(n Note) {
	place := Diagnostic{Source: n.Source, Span: n.Span}.place()
	fmt.Fprintf(&t.b, "%s%s %s\n", place, t.paint(severityColor[Remark], "note:"), Escape(n.Msg))
	t.excerpt(n.Source, n.Span)
}

func (t *textWriter) excerpt(src *Source, span Span) {
	if src == nil {
		return
	}
	line, col := src.Position(span.Start)
	text := src.Line(line)
	start := min(col-1, len(text))
	// Of a line without end that many diagnostics are in, only what is shown is looked at.
	if from, to := window(text, start); bytes.IndexByte(text[from:to], 0) >= 0 {
		return // no text at all: an object file
	}
	end := min(start+int(span.End-span.Start), len(text))
	shown, caret, width := layout(text, start, end)
	fmt.Fprintf(&t.b, "%*d %s %s\n", gutterWidth, line, t.paint(colorFaint, "|"), shown)
	marks := strings.Repeat("^", max(1, width))
	fmt.Fprintf(&t.b, "%*s %s %s%s\n", gutterWidth, "", t.paint(colorFaint, "|"), strings.Repeat(" ", caret), t.paint(colorGreen, marks))
}

// layout returns the printable form of text, with tabs expanded and control characters
// escaped, and the columns of [start, end) in it. Long lines are cut around the caret.
func layout(text []byte, start, end int) (shown string, caret, width int) {
	from, to := window(text, start)
	before := printable(text[from:start], 0)
	if from > 0 {
		before = "…" + before
	}
	caret = utf8.RuneCountInString(before)
	end = min(end, to)
	at := printable(text[start:end], caret)
	width = utf8.RuneCountInString(at)
	shown = before + at + printable(text[end:to], caret+width)
	if to < len(text) {
		shown += "…"
	}
	return shown, caret, width
}

func window(text []byte, start int) (from, to int) {
	if len(text) <= maxExcerpt {
		return 0, len(text)
	}
	from = max(0, start-maxExcerpt/2)
	return from, min(len(text), from+maxExcerpt)
}

func printable(text []byte, col int) string {
	var b strings.Builder
	for i, part := range strings.Split(string(text), "\t") {
		if i > 0 {
			b.WriteString(strings.Repeat(" ", tabWidth-(col+utf8.RuneCountInString(b.String()))%tabWidth))
		}
		b.WriteString(Escape(part))
	}
	return b.String()
}
