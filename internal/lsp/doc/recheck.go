package doc

// This file judges a text again after functions of it have changed: these with their bodies, all others without. What was said of
// the others stays, since a body is judged by the declarations of the module alone, which have not changed. Where that may
// not hold, the whole text is judged: the conditions stand in certain and settled.

import (
	"bytes"
	"slices"

	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/check"
	"ptxvm.invalid/ptxvm/internal/syntax"
)

// The checker and the parser stop to search for advice after some errors of a module. Below these bounds they have not.
const (
	fewDiagnostics  = 40
	fewSyntaxErrors = 12
)

// after is a verdict at the places of the next state, and the functions that are to be judged again; nil if that is all.
func (v *verdict) after(s, next *Snapshot, at Span, dirty []int) (*verdict, []int) {
	i := v.in(at)
	grown := Pos(len(next.Text) - len(s.Text))
	if i < 0 || v.loose || v.hushed || len(v.diags) > fewDiagnostics || farReaching(s, at) || farReaching(next,
		Span{Start: at.Start, End: at.End + grown}) {
		return nil, nil
	}
	moved := *v
	moved.funcs = slices.Clone(v.funcs)
	moved.funcs[i].body.End += grown
	for j := i + 1; j < len(moved.funcs); j++ {
		moved.funcs[j].head += grown
		moved.funcs[j].body.Start += grown
		moved.funcs[j].body.End += grown
	}
	move := func(s Span) Span {
		if s.Start >= at.End {
			s.Start, s.End = s.Start+grown, s.End+grown
		}
		return s
	}
	moved.diags, moved.alone = moveAll(v.diags, next.source, move), moveAll(v.alone, next.source, move)
	if !slices.Contains(dirty, i) {
		dirty = append(slices.Clone(dirty), i)
	}
	return &moved, dirty
}

// farReaching reports whether lines have what counts in other functions, too: places that code is inlined at, and what hides the text
// behind it.
func farReaching(s *Snapshot, at Span) bool {
	first, last := s.LineSpan(s.LineOf(at.Start)), s.LineSpan(s.LineOf(at.End))
	text := s.Text[first.Start:last.End]
	for _, word := range []string{".loc", "/*", "*/", `"`} {
		if bytes.Contains(text, []byte(word)) {
			return true
		}
	}
	return false
}

// recheck judges the functions that have changed, nil if the whole text has to be judged.
func (s *Snapshot) recheck() *verdict {
	if s.base == nil {
		return nil
	}
	old := s.base
	w := s.without(func(i int) bool { return slices.Contains(s.dirty, i) }, old.funcs)
	found := w.judge()
	v := &verdict{stmts: old.stmts, alone: moveAll(w.Info.Alone, s.source, w.wholeSpan)}
	v.outline(w)
	if !old.certain(v, s.dirty) {
		return nil
	}
	kept := slices.DeleteFunc(slices.Clone(old.diags), func(d diag.Diagnostic) bool {
		i := old.holder(d.Span.Start)
		return i < 0 || slices.Contains(s.dirty, i)
	})
	said := slices.DeleteFunc(moveAll(found, s.source, w.wholeSpan), func(d diag.Diagnostic) bool {
		i := old.holder(d.Span.Start)
		return i >= 0 && !slices.Contains(s.dirty, i)
	})
	if !settled(kept, said) {
		return nil
	}
	v.diags = slices.Concat(kept, said)
	v.diags.Sort()
	v.hushed = w.Info.Hushed > 0 && len(kept) > 0
	if !v.keepMoves(old) {
		return nil
	}
	for i := range v.funcs {
		if !slices.Contains(s.dirty, i) {
			was := old.funcs[i]
			v.funcs[i].open, v.funcs[i].shared, v.funcs[i].moves = was.open, was.shared, was.moves
		}
	}
	s.parts = map[int]*View{}
	for _, i := range s.dirty {
		s.parts[i] = w
	}
	return v
}

// holder is the function whose body begins at or before a place and ends behind it, -1 if there is none.
func (v *verdict) holder(p Pos) int {
	i, found := slices.BinarySearchFunc(v.funcs, p, func(f function, p Pos) int { return int(f.body.Start - p) })
	if !found {
		i--
	}
	if i < 0 || p >= v.funcs[i].body.End {
		return -1
	}
	return i
}

// certain reports whether the module has the same statements as before, with bodies at the same places, and whether nothing that
// only the whole program shows depends on bodies that were left out.
func (v *verdict) certain(now *verdict, dirty []int) bool {
	if now.loose || now.stmts != v.stmts || len(now.funcs) != len(v.funcs) {
		return false
	}
	moves := v.moves() || now.moves()
	for i, f := range now.funcs {
		was := v.funcs[i]
		changed := slices.Contains(dirty, i)
		switch {
		case f.body != was.body:
			return false
		case was.open && !changed:
			return false // it is reported where it stands first
		case (was.moves || f.moves) && (changed || !f.entry), moves && changed && !f.entry:
			return false // what is said of setmaxnreg depends on what kernels call
		case !f.entry && (was.shared || changed && f.shared):
			return false // counts for the kernels that call it
		}
	}
	return !has(v.alone, diag.TooMuchMemory)
}

// moves reports whether a function has setmaxnreg.
func (v *verdict) moves() bool {
	return slices.ContainsFunc(v.funcs, func(f function) bool { return f.moves })
}

// keepMoves takes over what was said of setmaxnreg, all of which is in kernels that have not changed; false if that is not known,
// since a module with errors is not judged as a program.
func (v *verdict) keepMoves(old *verdict) bool {
	if !old.moves() || v.diags.HasErrors() || v.alone.HasErrors() {
		return true
	}
	if old.diags.HasErrors() || old.alone.HasErrors() {
		return false
	}
	for _, d := range old.alone {
		if d.Code == diag.IgnoredSetmaxnreg {
			v.alone = append(v.alone, d)
		}
	}
	v.alone.Sort()
	return true
}

// settled reports whether what was kept and what is said of the changed functions do not depend on each other.
func settled(kept, said diag.List) bool {
	broken := syntaxErrors(kept)
	switch {
	case len(kept)+len(said) > fewDiagnostics, broken+syntaxErrors(said) > fewSyntaxErrors:
		return false
	case has(kept, diag.BadDirective), has(said, diag.BadDirective):
		return false // of places and names of inlined code, which others may give
	case broken > 0 && has(said, diag.Undeclared), syntaxErrors(said) > 0 && has(kept, diag.Undeclared):
		return false // a broken statement may declare the name
	}
	return true
}

// judge judges the text of a view, which is not the whole one.
func (w *View) judge() (list diag.List) {
	w.Info, list = check.Check(w.File, w.snapshot.opt)
	return list
}

// without is a view in which the bodies of functions are empty, but for those that keep names.
func (s *Snapshot) without(keep func(int) bool, funcs []function) *View {
	w := &View{snapshot: s}
	var text []byte
	from := Pos(0)
	piece := func(to Pos) {
		w.pieces = append(w.pieces, piece{Pos(len(text)), from})
		text = append(text, s.Text[from:to]...)
	}
	for i, f := range funcs {
		if keep(i) {
			continue
		}
		piece(f.body.Start + 1)
		from = f.body.End - 1
	}
	piece(Pos(len(s.Text)))
	w.File = syntax.Parse(s.Name, text)
	return w
}

// moveAll moves all places of a list, which is copied.
func moveAll(list diag.List, src *diag.Source, span func(Span) Span) diag.List {
	if list == nil {
		return nil
	}
	out := slices.Clone(list)
	for i := range out {
		d := &out[i]
		d.Source, d.Span = src, span(d.Span)
		d.Related, d.Fixes = slices.Clone(d.Related), slices.Clone(d.Fixes)
		for j := range d.Related {
			d.Related[j].Source, d.Related[j].Span = src, span(d.Related[j].Span)
		}
		for j := range d.Fixes {
			d.Fixes[j].Edits = slices.Clone(d.Fixes[j].Edits)
			for k := range d.Fixes[j].Edits {
				d.Fixes[j].Edits[k].Span = span(d.Fixes[j].Edits[k].Span)
			}
		}
	}
	return out
}
