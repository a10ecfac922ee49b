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
	if i < 0 || v.broken() || farReaching(s, at) || farReaching(next,
		Span{Start: at.Start, End: at.End + grown}) {
		return nil, nil
	}
	moved := *v
	moved.funcs = slices.Clone(v.funcs)
	moved.funcs[i].body.End += grown
	body := v.funcs[i].body.Start
	moved.funcs[i].chunks = movedChunks(v.funcs[i].chunks, Span{Start: at.Start - body, End: at.End - body}, grown)
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

// broken reports whether functions of the text cannot be judged alone: its bodies may end elsewhere, or it has many errors.
func (v *verdict) broken() bool { return v.loose || v.hushed || len(v.diags) > fewDiagnostics }

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

// recheck judges the functions that have changed, nil if the whole text has to be judged: of long ones what is around the edits, or,
// where that may not be enough, all.
func (s *Snapshot) recheck() *verdict {
	if s.base == nil {
		return nil
	}
	if cuts, chunks := s.base.cuts(s.dirty, true); chunks {
		if v := s.recheckWithout(cuts, true); v != nil {
			return v
		}
	}
	cuts, _ := s.base.cuts(s.dirty, false)
	return s.recheckWithout(cuts, false)
}

// recheckWithout judges the text without what says nothing new.
func (s *Snapshot) recheckWithout(cuts []cut, near bool) *verdict {
	old := s.base
	w := s.without(cuts)
	found := w.judge()
	v := &verdict{stmts: old.stmts, inlines: old.inlines, alone: moveAll(w.Info.Alone, s.source, w.wholeSpan)}
	v.outline(w, found)
	if !old.certain(v, s.dirty) || near && !old.sameNames(v, s.dirty) {
		return nil
	}
	kept := slices.DeleteFunc(slices.Clone(old.diags), func(d diag.Diagnostic) bool {
		i := old.holder(d.Span.Start)
		return i < 0 || slices.Contains(s.dirty, i) // of what was left out of it there is nothing to say
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
	s.keep(v, w, near)
	return v
}

// keep takes over what a verdict does not know of what was left out, and the view that it comes from.
func (s *Snapshot) keep(v *verdict, w *View, near bool) {
	for i := range v.funcs {
		if f, was := &v.funcs[i], &s.base.funcs[i]; !slices.Contains(s.dirty, i) {
			f.open, f.shared, f.moves, f.chunks, f.names = was.open, was.shared, was.moves, was.chunks, was.names
		}
	}
	if near {
		s.near = w
		return
	}
	s.parts = map[int]*View{}
	for _, i := range s.dirty {
		s.parts[i] = w
	}
}

// sameNames reports whether long functions that have changed declare what they declared, and whether what was left out of them
// stands between statements.
func (v *verdict) sameNames(now *verdict, dirty []int) bool {
	for _, i := range dirty {
		if v.funcs[i].chunks != nil && (v.funcs[i].names != now.funcs[i].names || now.funcs[i].chunks == nil) {
			return false
		}
	}
	return !now.astray
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

// without is a view that lacks stretches of the text.
func (s *Snapshot) without(cuts []cut) *View {
	w := &View{snapshot: s, cuts: cuts}
	var text []byte
	from := Pos(0)
	add := func(to Pos) {
		w.pieces = append(w.pieces, piece{Pos(len(text)), from})
		text = append(text, s.Text[from:to]...)
	}
	for _, cut := range cuts {
		add(cut.Start)
		from = cut.End
	}
	add(Pos(len(s.Text)))
	w.File = syntax.Parse(s.Name, text)
	return w
}

// alone is a view of one function, and of all declarations of the module.
func (s *Snapshot) alone(v *verdict, i int) *View {
	cuts, _ := v.cuts([]int{i}, false)
	w := s.without(cuts)
	w.judge()
	return w
}

// inlines reports whether a .loc says that code is inlined.
func (w *View) inlines() (found bool) {
	w.eachStmt(1, syntax.TokenID(len(w.File.Tokens)-1), func(s syntax.Stmt) {
		l, ok := s.(*syntax.Loc)
		found = found || ok && l.Inlined != nil
	})
	return found
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
