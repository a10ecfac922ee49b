// Package doc is a module of PTX in an editor: a text that changes, what is wrong with it, and what stands at a place of it. It
// knows nothing of the protocol that editors speak: places are offsets of bytes, and answers are spans of them.
//
// A Snapshot is one state of a text and is never changed; an edit makes another one. After an edit within the body of one
// function that function alone is parsed and judged again (recheck.go); the reference implementation is a judgement of the whole text.
package doc

// This file declares snapshots and how they come from each other.

import (
	"context"
	"slices"
	"sync"

	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/check"
	"ptxvm.invalid/ptxvm/internal/syntax"
)

// Span is a range of bytes of a text.
type Span = diag.Span

// Pos is an offset of a byte.
type Pos = diag.Pos

// Snapshot is one state of a text.
type Snapshot struct {
	Name string
	Text []byte // must not be changed
	opt  check.Options

	lines  func() []Pos
	source *diag.Source // of diagnostics whose places were moved

	base  *verdict // of the state before, moved to the places of this one; nil: there is none that helps
	dirty []int    // functions of base whose text has changed since

	mu     sync.Mutex
	said   *verdict
	whole  *View
	near   *View            // what an edit in a long function was judged by
	parts  map[int]*View    // of functions that were judged alone, by index
	solved map[int]*classes // of functions that were asked about, by index; nil: not known
}

// New is a text that nothing is known of yet.
func New(name string, text []byte, opt check.Options) *Snapshot {
	opt.Apart = true
	return &Snapshot{Name: name, Text: text, opt: opt, lines: lineTable(text), source: diag.NewSource(name, text)}
}

// Edit is the state after a part of the text was replaced. The span is cut to the text.
func (s *Snapshot) Edit(at Span, text string) *Snapshot {
	at.Start = min(max(at.Start, 0), Pos(len(s.Text)))
	at.End = min(max(at.End, at.Start), Pos(len(s.Text)))
	next := New(s.Name, slices.Concat(s.Text[:at.Start], []byte(text), s.Text[at.End:]), s.opt)
	s.mu.Lock()
	base, dirty := s.said, []int(nil)
	if base == nil {
		base, dirty = s.base, s.dirty
	}
	s.mu.Unlock()
	if base != nil {
		next.base, next.dirty = base.after(s, next, at, dirty)
	}
	return next
}

// Diagnostics are those that `ptxvm check` prints for the text, in its order. A context that ends leaves nothing half known.
func (s *Snapshot) Diagnostics(ctx context.Context) (diag.List, error) {
	v, err := s.verdict(ctx)
	if err != nil {
		return nil, err
	}
	return v.list(s), nil
}

func (s *Snapshot) verdict(ctx context.Context) (*verdict, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.said != nil {
		return s.said, nil
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if s.said = s.recheck(); s.said == nil {
		s.judgeWhole()
	}
	s.base, s.dirty = nil, nil
	return s.said, nil
}

// Foreign reports whether the text is no module of PTX: one begins with .version. Files of PreTeXt have the same ending.
func (s *Snapshot) Foreign() bool {
	f := syntax.Parse(s.Name, s.Text[:min(len(s.Text), foreignBytes)])
	for i := range f.Tokens {
		switch t := syntax.TokenID(i); f.Kind(t) {
		case syntax.Space, syntax.Comment:
		default:
			return f.Text(t) != ".version"
		}
	}
	return true
}

// foreignBytes is how far into a text its first directive is sought.
const foreignBytes = 1 << 16
