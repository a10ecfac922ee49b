// Package diag holds positions, diagnostics, the catalogue of diagnostic codes and the
// renderers that print them. Every other room reports through it.
package diag

// This file answers where something stands in a source: offsets, spans, lines and columns.

import (
	"bytes"
	"sort"
	"sync"
)

// Pos is a byte offset into the text of one Source.
type Pos int32

// Span is the half-open byte range [Start, End) of one Source.
type Span struct{ Start, End Pos }

// Source is one input text. Its line table is built on first use, because most
// sources are never reported on. A Source is safe for concurrent use.
type Source struct {
	Name string
	Text []byte

	once  sync.Once
	lines []Pos // offset of the first byte of each line
}

// NewSource returns a Source over text, which must not change afterwards.
func NewSource(name string, text []byte) *Source {
	return &Source{Name: name, Text: text}
}

// Position converts an offset into a line and a column, both counted from 1; the
// column counts bytes. Offsets outside the text are clamped to it.
func (s *Source) Position(p Pos) (line, col int) {
	lines := s.lineTable()
	p = max(0, min(p, Pos(len(s.Text))))
	i := sort.Search(len(lines), func(i int) bool { return lines[i] > p }) - 1
	return i + 1, int(p-lines[i]) + 1
}

// Line returns the bytes of line n (from 1) without its line break, nil if there is none.
func (s *Source) Line(n int) []byte {
	lines := s.lineTable()
	if n < 1 || n > len(lines) {
		return nil
	}
	end := len(s.Text)
	if n < len(lines) {
		end = int(lines[n]) - 1
	}
	return bytes.TrimSuffix(s.Text[lines[n-1]:end], []byte("\r"))
}

// Lines returns the number of lines; an empty text has one.
func (s *Source) Lines() int { return len(s.lineTable()) }

func (s *Source) lineTable() []Pos {
	s.once.Do(func() {
		s.lines = make([]Pos, 1, 1+bytes.Count(s.Text, []byte{'\n'}))
		for i, c := range s.Text {
			if c == '\n' {
				s.lines = append(s.lines, Pos(i+1))
			}
		}
	})
	return s.lines
}
