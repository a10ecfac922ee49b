package doc

// This file reads a text through its tree: of all of it, or of the function that is asked about.

import (
	"context"
	"sort"
	"sync"

	"ptxvm.invalid/ptxvm/internal/check"
	"ptxvm.invalid/ptxvm/internal/syntax"
)

// View is a tree with what its names and statements mean. One of a part of the text has all declarations of the module, and some
// bodies; its places are converted by Whole and Part.
type View struct {
	File *syntax.File
	Info *check.Info

	snapshot *Snapshot
	pieces   []piece // nil: of the whole text
	cuts     []cut   // what it lacks, in places of the text

	once  sync.Once
	decls map[syntax.TokenID]*check.Object
}

// piece is a stretch of a view's text: where it begins there, and in the whole.
type piece struct{ part, whole Pos }

// Whole is where a place of the view is in the text.
func (w *View) Whole(p Pos) Pos {
	if w.pieces == nil {
		return p
	}
	i := sort.Search(len(w.pieces), func(i int) bool { return w.pieces[i].part > p }) - 1
	return p - w.pieces[i].part + w.pieces[i].whole
}

// Part is where a place of the text is in the view; one that it lacks is moved to the next that it has.
func (w *View) Part(p Pos) Pos {
	if w.pieces == nil {
		return p
	}
	i := sort.Search(len(w.pieces), func(i int) bool { return w.pieces[i].whole > p }) - 1
	at := p - w.pieces[i].whole + w.pieces[i].part
	if i+1 < len(w.pieces) {
		at = min(at, w.pieces[i+1].part)
	}
	return at
}

// span is where the tokens of a node are in the text.
func (w *View) span(r syntax.Range) Span { return w.wholeSpan(w.File.Span(r)) }

// tokenSpan is where a token is in the text.
func (w *View) tokenSpan(t syntax.TokenID) Span { return w.wholeSpan(w.File.TokenSpan(t)) }

// wholeSpan converts the ends of a span; the last byte decides where the end is.
func (w *View) wholeSpan(s Span) Span {
	if s.End <= s.Start {
		return Span{Start: w.Whole(s.Start), End: w.Whole(s.Start)}
	}
	return Span{Start: w.Whole(s.Start), End: w.Whole(s.End-1) + 1}
}

// View is a view that has the function at a place, and all declarations.
func (s *Snapshot) View(ctx context.Context, at Pos) (*View, error) {
	v, err := s.verdict(ctx)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.whole != nil || v.loose {
		return s.wholeLocked(), nil
	}
	i := v.around(at)
	if w := s.parts[i]; w != nil {
		return w, nil
	}
	w := s.alone(v, i)
	if s.parts == nil {
		s.parts = map[int]*View{}
	}
	s.parts[i] = w
	return w, nil
}

// Whole is the view of all of the text.
func (s *Snapshot) Whole(ctx context.Context) (*View, error) {
	if _, err := s.verdict(ctx); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.wholeLocked(), nil
}

func (s *Snapshot) wholeLocked() *View {
	if s.whole == nil {
		s.whole = &View{snapshot: s, File: syntax.Parse(s.Name, s.Text)}
		s.whole.judge()
	}
	return s.whole
}

// token is the token at a place: the one that covers it, or where two meet the one that is a word. Trivia do not count.
func (w *View) token(at Pos) syntax.TokenID {
	p := w.Part(at)
	toks := w.File.Tokens
	i := sort.Search(len(toks), func(i int) bool { return toks[i].Off > p }) - 1
	if i <= 0 {
		return syntax.NoToken
	}
	t := syntax.TokenID(i)
	joined := toks[i].Off == p && w.File.Kind(t) == syntax.DotWord && w.File.Kind(t-1) == syntax.Ident &&
		w.File.TokenSpan(t-1).End == p
	if worded(w.File.Kind(t)) && p <= w.File.TokenSpan(t).End && !joined { // of %tid.x the name
		return t
	}
	for before := t; before > 0 && w.File.TokenSpan(before).End >= p; before-- {
		if worded(w.File.Kind(before)) {
			return before
		}
	}
	if w.File.Kind(t) <= syntax.EOF || p >= w.File.TokenSpan(t).End {
		return syntax.NoToken
	}
	return t
}

// worded tells tokens that are asked about from punctuation.
func worded(k syntax.Kind) bool { return syntax.Ident <= k && k <= syntax.String }
