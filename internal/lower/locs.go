package lower

// This file turns .file, .loc and the string sections into source locations (11.5).

import (
	"strings"

	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/syntax"
)

// place is one (file, line, column) of the source language.
type place struct{ file, line, col int32 }

// inlinedPlace is a place with the call it was inlined through.
type inlinedPlace struct {
	place
	function nameAt // zero if not inlined
	at       ir.LocID
}

// locTable interns locations.
type locTable struct {
	l       *lowerer
	files   map[int32]int32 // number of .file → index of Module.Files
	strings map[syntax.Word]sectionString
	names   map[nameAt]string
	ids     map[inlinedPlace]ir.LocID
	last    map[place]ir.LocID // the latest location at a place: what inlined_at refers to
}

// nameAt is a function_name: a label and an offset.
type nameAt struct {
	label syntax.Word
	skip  int32
}

// sectionString is a label in a .section: where its bytes begin.
type sectionString struct {
	section *syntax.Section
	line    int
}

func (t *locTable) init(l *lowerer) {
	t.l = l
	t.files, t.strings = map[int32]int32{}, map[syntax.Word]sectionString{}
	t.names = map[nameAt]string{}
	t.ids, t.last = map[inlinedPlace]ir.LocID{}, map[place]ir.LocID{}
	l.m.Locs = make([]ir.Loc, 1)
	for _, s := range l.file.Stmts {
		switch s := s.(type) {
		case *syntax.FileDirective:
			t.files[l.integer(s.Index)] = int32(len(l.m.Files))
			l.m.Files = append(l.m.Files, unquote(l.file.Text(s.Name)))
		case *syntax.Section:
			for i := range s.Lines {
				if label := s.Lines[i].Label; label != syntax.NoToken {
					t.strings[l.file.Word(label)] = sectionString{s, i}
				}
			}
		}
	}
}

// id returns the location that a .loc sets.
func (t *locTable) id(s *syntax.Loc) ir.LocID {
	p := inlinedPlace{place: t.place(s.File, s.Line, s.Col)}
	if n := s.Inlined; n != nil {
		p.function = t.nameAt(n)
		p.at = t.caller(t.place(n.File, n.Line, n.Col))
	}
	return t.intern(p)
}

func (t *locTable) place(file, line, col syntax.TokenID) place {
	n, ok := t.files[t.l.integer(file)]
	if !ok {
		n = -1
	}
	return place{n, t.l.integer(line), t.l.integer(col)}
}

// caller finds the location of a call: the latest .loc at that place, so that chains of
// inlined calls join; compilers write the outer one first.
func (t *locTable) caller(p place) ir.LocID {
	if id, ok := t.last[p]; ok {
		return id
	}
	return t.intern(inlinedPlace{place: p})
}

func (t *locTable) intern(p inlinedPlace) ir.LocID {
	id, ok := t.ids[p]
	if !ok {
		id = ir.LocID(len(t.l.m.Locs))
		t.l.m.Locs = append(t.l.m.Locs, ir.Loc{File: p.file, Line: p.line, Col: p.col, Function: t.functionName(p.function), InlinedAt: p.at})
		t.ids[p] = id
	}
	t.last[p.place] = id
	return id
}

func (t *locTable) nameAt(n *syntax.Inlined) nameAt {
	at := nameAt{label: t.l.file.Word(n.Function)}
	if n.Offset != syntax.NoToken {
		at.skip = t.l.integer(n.Offset)
	}
	return at
}

// functionName returns the string that function_name refers to.
func (t *locTable) functionName(at nameAt) string {
	name, ok := t.names[at]
	if !ok {
		name = t.readName(at)
		t.names[at] = name
	}
	return name
}

// readName reads the bytes of a .section up to a zero.
func (t *locTable) readName(at nameAt) string {
	s, ok := t.strings[at.label]
	if !ok {
		return ""
	}
	var b strings.Builder
	skip := max(at.skip, 0)
	for _, line := range s.section.Lines[s.line:] {
		for at := t.l.file.FirstValue(&line); at != syntax.NoToken; {
			var v syntax.SectionValue
			v, at = t.l.file.SectionValue(at)
			c := t.l.integer(v.A)
			if c == 0 && skip == 0 || b.Len() > maxFunctionName {
				return b.String()
			}
			if skip > 0 {
				skip--
			} else {
				b.WriteByte(byte(c))
			}
		}
	}
	return b.String()
}

// maxFunctionName bounds names that lack their zero byte.
const maxFunctionName = 4096
