package check

// This file checks debugging directives (11.5).

import (
	"slices"

	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/syntax"
)

// fileDirective: each index names one file.
func (c *checker) fileDirective(s *syntax.FileDirective) {
	if s.Timestamp != syntax.NoToken {
		c.admitPart(s.Timestamp, ".file", "timestamp")
	}
	n, ok := c.index32(s.Index)
	if !ok {
		return
	}
	if c.fileSeen == nil {
		c.fileSeen = map[int64]bool{}
	}
	if c.fileSeen[n] {
		c.errorf(diag.BadDirective, c.at(s.Index), "file index %d is already taken", n)
	}
	c.fileSeen[n] = true
}

// section checks the name and that each number fits its type.
func (c *checker) section(s *syntax.Section) {
	c.admit(s.First)
	c.sections = append(c.sections, c.file.Word(s.Name))
	switch name := c.text(s.Name); {
	case c.file.Kind(s.Name) == syntax.Ident:
		c.errorf(diag.BadDirective, c.at(s.Name), "the name of a section begins with a point: .%s", name)
	case isa.LookupMod(name) != 0 || isa.LookupDirective(name) != nil:
		c.errorf(diag.BadDirective, c.at(s.Name), "%s is a word of PTX; a section has another name, such as .debug_info", name)
	}
	if c.sectionLabels == nil {
		c.sectionLabels = map[syntax.Word]bool{}
	}
	var t isa.Type
	ok, last := false, syntax.WordNone
	for i := range s.Lines {
		line := &s.Lines[i]
		if line.Label != syntax.NoToken {
			c.admitPart(line.Label, ".section", "label:")
			c.sectionLabel(line.Label)
			continue
		}
		if line.Packed {
			continue
		}
		if w := c.file.Word(line.Type); w != last { // lines of one type follow each other
			last = w
			t, ok = isa.LookupType(c.text(line.Type))
		}
		if !ok || t.Kind() != isa.Bits || t.Bits() > 64 {
			c.errorf(diag.BadDirective, c.at(line.Type), "data of sections are .b8 .b16 .b32 or .b64, not %s", c.text(line.Type))
		}
		c.sectionValues(line, t, ok)
	}
}

// sectionValues judges what stands behind a type, which is t if ok.
func (c *checker) sectionValues(line *syntax.SectionLine, t isa.Type, ok bool) {
	for first, at := true, c.file.FirstValue(line); at != syntax.NoToken; first = false {
		var v syntax.SectionValue
		v, at = c.file.SectionValue(at)
		if v.Neg || v.Op != syntax.NoToken {
			c.sectionParts(&v)
		}
		if c.file.Kind(v.A) != syntax.Int {
			c.sectionName(&v, t, first && at == syntax.NoToken)
		} else if ok && t.Bits() < 64 {
			c.sectionNumber(&v, t)
		}
	}
}

// sectionParts judges the gates of what a value is made of.
func (c *checker) sectionParts(v *syntax.SectionValue) {
	switch {
	case v.Neg:
		c.admitPart(v.A, ".section", "-number")
	case v.Op != syntax.NoToken && c.file.Kind(v.Op) == syntax.Minus:
		c.admitPart(v.Op, ".section", "label-label")
	case v.Op != syntax.NoToken:
		c.admitPart(v.Op, ".section", "label+bytes")
	}
}

// sectionLabel: a label is a name, and stands once in all sections.
func (c *checker) sectionLabel(tok syntax.TokenID) {
	switch name, word := c.text(tok), c.file.Word(tok); {
	case c.reserved(tok):
		c.errorf(diag.ReservedName, c.at(tok), "%s is reserved", name)
	case c.sectionLabels[word]:
		c.errorf(diag.DuplicateLabel, c.at(tok), "%s is already a label of a section", name)
	default:
		c.sectionLabels[word] = true
	}
}

// sectionName: a label or section stands alone, as 32 or 64 bits.
func (c *checker) sectionName(v *syntax.SectionValue, t isa.Type, alone bool) {
	if !alone || t.Bits() < 32 || c.file.Word(v.A) == syntax.WordWarpSize {
		c.errorf(diag.BadDirective, c.at(v.A), "%s: want a number; a label stands alone behind .b32 or .b64", c.text(v.A))
	}
}

// loc checks the numbers of a .loc, which have 32 bits, and that code is inlined at a place
// that an earlier one names.
func (c *checker) loc(s *syntax.Loc) {
	c.inlined = inlinedName{}
	if s.Packed != nil {
		c.packedLoc(s)
		return
	}
	at, ok := c.place(s.File, s.Line, s.Col)
	if c.file.Word(s.Keyword) != syntax.WordLoc {
		c.admit(s.Keyword)
		return
	}
	if in := s.Inlined; in != nil {
		c.inlined = inlinedName{in.Function, c.file.Word(in.Function)}
		c.admitPart(in.File, ".loc", "inlined_at")
		if to, ok := c.place(in.File, in.Line, in.Col); ok && !c.mem.places.has(to) {
			c.errorf(diag.BadDirective, c.at(in.File), "no .loc before this one names the place that the code is inlined at")
		}
	}
	if ok {
		c.mem.places.add(at)
	}
}

// packedLoc is loc for a line whose numbers fit. What it cannot point at is left to a check of the whole file.
func (c *checker) packedLoc(s *syntax.Loc) {
	l := s.Packed
	if l.Function != syntax.WordNone {
		c.inlined = inlinedName{s.Last, l.Function}
		if !c.admitPart(s.Last, ".loc", "inlined_at") || !c.mem.places.has(l.Caller) {
			c.unpack = true
		}
	}
	c.mem.places.add(l.At)
}

// inlinedName is the function_name of a .loc.
type inlinedName struct {
	token syntax.TokenID // of a packed line: all that stands behind .loc
	word  syntax.Word
}

// inlinedHere notes that an instruction comes from the function that the .loc before it names.
func (c *checker) inlinedHere() {
	if c.inlined.token != syntax.NoToken {
		c.inlinedNames = append(c.inlinedNames, c.inlined)
		c.inlined = inlinedName{}
	}
}

// inlinedFunctions judges the names of inlined functions: labels in sections, or sections, which may follow the code
// (11.5.4).
func (c *checker) inlinedFunctions() {
	seen := map[syntax.Word]bool{}
	for _, n := range c.inlinedNames {
		tok, word := n.token, n.word
		if c.sectionLabels[word] || slices.Contains(c.sections, word) || seen[word] {
			continue
		}
		seen[word] = true
		c.unpack = true
		c.errorf(diag.BadDirective, c.at(tok), "%s is no label in a .section and no section; function_name says where the name of the inlined function stands", c.text(tok))
	}
}

func (c *checker) place(file, line, col syntax.TokenID) (at syntax.Place, ok bool) {
	var n [3]int64
	for i, tok := range [...]syntax.TokenID{file, line, col} {
		if n[i], ok = c.index32(tok); !ok {
			return at, false
		}
	}
	return syntax.Place{File: uint32(n[0]), Line: uint32(n[1]), Col: uint32(n[2])}, true
}

// index32 reads a number of 32 bits.
func (c *checker) index32(tok syntax.TokenID) (int64, bool) {
	n, ok := c.literal(tok)
	if ok && uint64(n)>>32 != 0 {
		c.errorf(diag.ConstantOverflow, c.at(tok), "%s does not fit into 32 bits", c.text(tok))
		return 0, false
	}
	return n, ok
}

// dwarfWords begin a line of debug data of old versions.
var dwarfWords = map[string]bool{".section": true, ".byte": true, ".4byte": true, ".quad": true}

// dwarfLine checks the version, and what the line is.
func (c *checker) dwarfLine(s *syntax.DwarfLine) {
	const ats, name = 2, "@@DWARF"
	c.admitAs(s.First, isa.LookupDirective(name))
	word := s.First
	for range ats {
		word = c.file.Next(word)
	}
	if word = c.file.Next(word); !dwarfWords[c.text(word)] {
		c.errorf(diag.BadDirective, c.at(s.First), "%s is followed by .section, .byte, .4byte or .quad", name)
	}
}

func (c *checker) sectionNumber(v *syntax.SectionValue, t isa.Type) {
	// Numbers are cut to 32 bits first (ptxas 13.5).
	if n, ok := c.literal(v.A); ok && uint64(uint32(n))>>t.Bits() != 0 {
		c.errorf(diag.BadDirective, c.at(v.A), "%s does not fit into %v", c.text(v.A), t)
	}
}
