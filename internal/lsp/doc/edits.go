package doc

// This file lists edits: of the layout, and of fixes.

import (
	"context"
	"slices"

	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/check"
	"ptxvm.invalid/ptxvm/internal/mend"
	"ptxvm.invalid/ptxvm/internal/syntax"
)

// Format lists the edits that lay a part of the text out as `ptxvm fmt` does.
func (s *Snapshot) Format(ctx context.Context, within Span) ([]diag.Edit, error) {
	w, err := s.viewOf(ctx, within)
	if err != nil || syntax.NotPTX(w.File.Errors) {
		return nil, err
	}
	text := syntax.Format(w.File, syntax.FormatOptions{Modifiers: w.Info.ModifierOrder})
	edits, aligned := w.gaps(syntax.Parse(s.Name, text))
	if !aligned {
		if w.pieces != nil {
			return nil, nil
		}
		return []diag.Edit{{Span: Span{End: Pos(len(s.Text))}, New: string(text)}}, nil
	}
	return slices.DeleteFunc(edits, func(e diag.Edit) bool {
		return e.Span.Start < within.Start ||
			e.Span.End > within.End
	}), nil
}

// gaps compares the view with a text that has the same tokens in another layout: what differs is between tokens, or tokens that
// have changed their places. What lies across a body that the view lacks stays.
func (w *View) gaps(f *syntax.File) (edits []diag.Edit, aligned bool) {
	a, b := solid(w.File), solid(f)
	if len(a) != len(b) {
		return nil, false
	}
	fromA, fromB := Pos(0), Pos(0)
	replace := func(at Span, text string) {
		if string(w.File.Source.Text[at.Start:at.End]) == text {
			return
		}
		whole := Span{Start: w.Whole(at.Start), End: w.Whole(at.Start)}
		if at.End > at.Start {
			whole.End = w.Whole(at.End-1) + 1
		}
		if whole.End-whole.Start == at.End-at.Start {
			edits = append(edits, diag.Edit{Span: whole, New: text})
		}
	}
	for i := range a {
		x, y := w.File.TokenSpan(a[i]), f.TokenSpan(b[i])
		replace(Span{Start: fromA, End: x.Start}, string(f.Source.Text[fromB:y.Start]))
		replace(x, f.Text(b[i]))
		fromA, fromB = x.End, y.End
	}
	return edits, true
}

// solid are the tokens that are no trivia, and the end.
func solid(f *syntax.File) (list []syntax.TokenID) {
	for i := 1; i < len(f.Tokens); i++ {
		if t := syntax.TokenID(i); f.Kind(t) > syntax.Comment {
			list = append(list, t)
		}
	}
	return list
}

// Fix is a repair of a diagnostic.
type Fix struct {
	Of    diag.Diagnostic
	Label string
	Edits []diag.Edit
	Sure  bool // check --fix would make it
}

// Fixes lists the repairs of what is wrong in a part of the text.
func (s *Snapshot) Fixes(ctx context.Context, within Span) (list []Fix, err error) {
	all, err := s.Diagnostics(ctx)
	if err != nil {
		return nil, err
	}
	for _, d := range all {
		if d.Span.End < within.Start || d.Span.Start > within.End {
			continue
		}
		for _, f := range d.Fixes {
			if len(f.Edits) > 0 {
				list = append(list, Fix{d, f.Label, f.Edits, f.Mechanical})
			}
		}
	}
	return list, nil
}

// FixAll is the edit that makes what `check --fix` makes, nil if that is nothing.
func (s *Snapshot) FixAll(ctx context.Context) (*diag.Edit, error) {
	opt := s.opt
	opt.WholeProgram, opt.CompileOnly = false, false
	text, made, err := mend.Mend(s.Text, func(text []byte) (diag.List, error) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		f := syntax.Parse(s.Name, text)
		if syntax.NotPTX(f.Errors) {
			return f.Errors, nil
		}
		_, list := check.Check(f, opt)
		return list, nil
	})
	if err != nil || len(made) == 0 {
		return nil, err
	}
	first := 0
	for first < len(text) && first < len(s.Text) && text[first] == s.Text[first] {
		first++
	}
	n := 0
	for n < len(text)-first && n < len(s.Text)-first && text[len(text)-1-n] == s.Text[len(s.Text)-1-n] {
		n++
	}
	return &diag.Edit{Span: Span{Start: Pos(first), End: Pos(len(s.Text) - n)},
		New: string(text[first : len(text)-n])}, nil
}
