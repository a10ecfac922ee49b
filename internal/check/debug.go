package check

// This file checks debugging directives (11.5).

import (
	"strings"

	"ptxvm/internal/diag"
	"ptxvm/internal/isa"
	"ptxvm/internal/syntax"
)

// fileDirective: each index names one file.
func (c *checker) fileDirective(s *syntax.FileDirective) {
	if s.Timestamp != syntax.NoToken {
		c.admitPart(s.Timestamp, ".file", "timestamp")
	}
	n, ok := c.literal(s.Index)
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
	if c.file.Kind(s.Name) == syntax.Ident {
		c.errorf(diag.BadDirective, c.at(s.Name), "the name of a section begins with a point: .%s", c.text(s.Name))
	}
	for i := range s.Lines {
		line := &s.Lines[i]
		if line.Label != syntax.NoToken {
			c.admitPart(line.Label, ".section", "label:")
		}
		t, ok := isa.LookupType(strings.ToLower(c.text(line.Type)))
		for j := range line.Values {
			c.sectionParts(&line.Values[j])
			if ok && t.Bits() < 64 {
				c.sectionValue(&line.Values[j], t)
			}
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

// loc judges the gate of inlined_at.
func (c *checker) loc(s *syntax.Loc) {
	if s.Inlined != nil {
		c.admitPart(s.Inlined.File, ".loc", "inlined_at")
	}
	if c.file.Word(s.Keyword) != syntax.WordLoc {
		c.admit(s.Keyword)
	}
}

func (c *checker) sectionValue(v *syntax.SectionValue, t isa.Type) {
	if c.file.Kind(v.A) != syntax.Int {
		return
	}
	if n, ok := c.literal(v.A); ok && uint64(n)>>t.Bits() != 0 {
		c.errorf(diag.BadDirective, c.at(v.A), "%s does not fit into %v", c.text(v.A), t)
	}
}
