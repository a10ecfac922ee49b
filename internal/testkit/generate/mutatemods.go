package generate

// This file changes modifiers and opcodes.

import (
	"fmt"
	"slices"
	"strings"

	"ptxvm.invalid/ptxvm/internal/isa"
)

// modifier draws the index of a modifier of the statement, 0 if it has none.
func (g *Generator) modifier(s *Statement) int {
	return g.modifierWhere(s, func(string) bool { return true })
}

func (g *Generator) modifierWhere(s *Statement, wanted func(string) bool) int {
	first := len(s.Entry.Opcode)
	for _, k := range g.r.Perm(len(s.Tokens) - first) {
		if wanted(s.Tokens[first+k]) {
			return first + k
		}
	}
	return 0
}

func dropModifier(g *Generator, s *Statement) string {
	i := g.modifier(s)
	if i == 0 {
		return ""
	}
	what := s.Tokens[i]
	s.Tokens = slices.Delete(s.Tokens, i, i+1)
	return "without " + what
}

// addModifier adds one of the entry's own modifiers.
func addModifier(g *Generator, s *Statement) string {
	m := g.ownModifier(s)
	if m == "" || slices.Contains(s.Tokens, m) {
		return ""
	}
	return g.insert(s, m)
}

// insert puts a modifier anywhere behind the opcode.
func (g *Generator) insert(s *Statement, m string) string {
	at := len(s.Entry.Opcode) + g.r.IntN(len(s.Tokens)-len(s.Entry.Opcode)+1)
	s.Tokens = slices.Insert(s.Tokens, at, m)
	return "with " + m
}

// replace writes another modifier in the place of one.
func (s *Statement) replace(i int, m string) string {
	if i == 0 || m == "" || s.Tokens[i] == m {
		return ""
	}
	old := s.Tokens[i]
	s.Tokens[i] = m
	return m + " for " + old
}

func (g *Generator) ownModifier(s *Statement) string {
	own := s.Entry.Modifiers()
	if len(own) == 0 {
		return ""
	}
	return own[g.r.IntN(len(own))].String()
}

func replaceModifier(g *Generator, s *Statement) string {
	return s.replace(g.modifier(s), g.ownModifier(s))
}

// unknownModifiers are modifiers that no instruction has.
var unknownModifiers = []string{".u24", ".f33", ".v3", ".x3", ".shared::block", ".rounded"}

func unknownModifier(g *Generator, s *Statement) string {
	return g.insert(s, unknownModifiers[g.r.IntN(len(unknownModifiers))])
}

func isType(m string) bool {
	_, ok := isa.LookupType(m)
	return ok
}

// replaceType replaces a type by any other; every third time one of the same width.
func replaceType(g *Generator, s *Statement) string {
	i := g.modifierWhere(s, isType)
	if i == 0 {
		return ""
	}
	old, _ := isa.LookupType(s.Tokens[i])
	var fit []isa.Type
	near := g.r.IntN(3) == 0
	for _, t := range isa.Types() {
		if !near || t.Bits() == old.Bits() {
			fit = append(fit, t)
		}
	}
	return s.replace(i, fit[g.r.IntN(len(fit))].String())
}

func swapModifiers(g *Generator, s *Statement) string {
	i, j := g.modifier(s), g.modifier(s)
	if i == 0 || s.Tokens[i] == s.Tokens[j] {
		return ""
	}
	s.Tokens[i], s.Tokens[j] = s.Tokens[j], s.Tokens[i]
	return fmt.Sprintf("%s and %s swapped", s.Tokens[i], s.Tokens[j])
}

// moveModifier moves one modifier to the front or to the end.
func moveModifier(g *Generator, s *Statement) string {
	i := g.modifier(s)
	if i == 0 {
		return ""
	}
	m, first := s.Tokens[i], len(s.Entry.Opcode)
	s.Tokens = slices.Delete(s.Tokens, i, i+1)
	if g.r.IntN(2) == 0 {
		s.Tokens = slices.Insert(s.Tokens, first, m)
		return m + " first"
	}
	s.Tokens = append(s.Tokens, m)
	return m + " last"
}

// repeatModifier writes a modifier, or a part of the opcode, a second time.
func repeatModifier(g *Generator, s *Statement) string {
	if len(s.Tokens) < 2 {
		return ""
	}
	m := s.Tokens[1+g.r.IntN(len(s.Tokens)-1)]
	g.insert(s, m)
	return m + " twice"
}

// foreignModifier takes a modifier that another instruction has: one of a relative, whose name
// begins alike, or of any.
func foreignModifier(g *Generator, s *Statement) string {
	own := s.Entry.Modifiers()
	from := isa.Table().Entries()
	if relatives := s.relatives(); len(relatives) > 0 && g.r.IntN(2) == 0 {
		from = relatives
	}
	mods := from[g.r.IntN(len(from))].Modifiers()
	if len(mods) == 0 {
		return ""
	}
	m := mods[g.r.IntN(len(mods))]
	if slices.Contains(own, m) {
		return ""
	}
	if i := g.modifier(s); i != 0 && g.r.IntN(2) == 0 {
		return s.replace(i, m.String())
	}
	return g.insert(s, m.String())
}

// relatives lists the other entries of the statement's file with the same first token or section.
func (s *Statement) relatives() (list []*isa.Entry) {
	for _, e := range isa.Table().Entries() {
		if e != s.Entry && (e.Opcode[0] == s.Entry.Opcode[0] || e.Section == s.Entry.Section) {
			list = append(list, e)
		}
	}
	return list
}

// foreignOpcode writes the name of another instruction, with as many tokens or of the same file.
func foreignOpcode(g *Generator, s *Statement) string {
	var fit []*isa.Entry
	for _, e := range isa.Table().Entries() {
		if e.File == s.Entry.File && !slices.Equal(e.Opcode, s.Entry.Opcode) {
			fit = append(fit, e)
		}
	}
	if len(fit) == 0 {
		return ""
	}
	e := fit[g.r.IntN(len(fit))]
	old := s.Tokens[:len(s.Entry.Opcode)]
	change := strings.Join(e.Opcode, "") + " for " + strings.Join(old, "")
	s.Tokens = slices.Concat(e.Opcode, s.Tokens[len(old):])
	return change
}

// foreignOperands takes the operands of another legal statement of this entry or a relative.
func foreignOperands(g *Generator, s *Statement) string {
	from := append(s.relatives(), s.Entry)
	e := from[g.r.IntN(len(from))]
	sample := e.Sample(g.r, isa.Any)
	if sample == nil || !gatesPass(sample, s.Version, s.Target) {
		return ""
	}
	other := g.statementIn(sample, s.Version, s.Target)
	if other == nil || other.callee != nil || s.callee != nil || len(other.Operands) == 0 {
		return ""
	}
	s.Operands = other.Operands
	return "operands of " + other.Text()
}
