package doc

// This file converts offsets of bytes into lines and columns, and back.

import (
	"bytes"
	"slices"
	"sync"
	"unicode/utf8"
)

// Encoding says in which units columns count.
type Encoding uint8

// The encodings of columns that editors ask for.
const (
	UTF16 Encoding = iota
	UTF8
	UTF32
)

// lineTable finds where the lines of a text begin, once they are asked for.
func lineTable(text []byte) func() []Pos {
	return sync.OnceValue(func() []Pos {
		starts := make([]Pos, 1, bytes.Count(text, []byte("\n"))+1)
		for i := 0; ; {
			n := bytes.IndexByte(text[i:], '\n')
			if n < 0 {
				return starts
			}
			i += n + 1
			starts = append(starts, Pos(i))
		}
	})
}

// Lines is how many lines the text has.
func (s *Snapshot) Lines() int { return len(s.lines()) }

// Line is the text of a line, from 0, with its end; nil where there is none.
func (s *Snapshot) Line(n int) []byte {
	switch starts := s.lines(); {
	case n < 0 || n >= len(starts):
		return nil
	case n+1 == len(starts):
		return s.Text[starts[n]:]
	default:
		return s.Text[starts[n]:starts[n+1]]
	}
}

// LineOf is the line of an offset, from 0.
func (s *Snapshot) LineOf(p Pos) int {
	n, found := slices.BinarySearch(s.lines(), p)
	if !found {
		n--
	}
	return n
}

// LineSpan is a line from 0 without its end; lines outside of the text are the nearest ones.
func (s *Snapshot) LineSpan(n int) Span {
	starts := s.lines()
	n = min(max(n, 0), len(starts)-1)
	end := len(s.Text)
	if n+1 < len(starts) {
		end = int(starts[n+1]) - 1
	}
	if end > int(starts[n]) && s.Text[end-1] == '\r' {
		end--
	}
	return Span{Start: starts[n], End: Pos(end)}
}

// Position is the line and the column of an offset, both from 0.
func (s *Snapshot) Position(p Pos, enc Encoding) (line, column int) {
	p = min(max(p, 0), Pos(len(s.Text)))
	line = s.LineOf(p)
	return line, enc.columns(s.Text[s.lines()[line]:p])
}

// Offset is where a line and a column are; what lies outside of the text is moved to the nearest place in it.
func (s *Snapshot) Offset(line, column int, enc Encoding) Pos {
	if line >= s.Lines() {
		return Pos(len(s.Text))
	}
	if line < 0 {
		return 0
	}
	at := s.LineSpan(line)
	return at.Start + Pos(enc.bytes(s.Text[at.Start:at.End], column))
}

// columns counts the units of a text.
func (e Encoding) columns(text []byte) int {
	switch e {
	case UTF8:
		return len(text)
	case UTF32:
		return utf8.RuneCount(text)
	}
	n := 0
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		n += units16(r)
		text = text[size:]
	}
	return n
}

// bytes is the length of the first units of a text; of a character that would be cut, its beginning.
func (e Encoding) bytes(text []byte, units int) int {
	at := 0
	for at < len(text) && units > 0 {
		r, size := utf8.DecodeRune(text[at:])
		n := 1
		switch e {
		case UTF8:
			n = size
		case UTF16:
			n = units16(r)
		}
		if units -= n; units < 0 {
			break
		}
		at += size
	}
	return at
}

func units16(r rune) int {
	if r > 0xffff {
		return 2
	}
	return 1
}
