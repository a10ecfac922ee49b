package generate

// This file changes one thing about a legal statement. Whether the result is still legal is
// for the judges to say.

import (
	"fmt"
	"slices"
	"strings"

	"ptxvm/internal/isa"
)

// mutation is one kind of change; it returns what it did, "" if it does not apply.
type mutation func(g *Generator, s *Statement) string

var mutations = []mutation{
	dropModifier, addModifier, replaceModifier, swapModifiers, retypeRegister, dropOperand,
	repeatOperand, changeVector, olderVersion, otherTarget, constantOperand, otherCallee,
}

// Mutate returns a copy of the statement with one change.
func (g *Generator) Mutate(s *Statement) *Statement {
	for range drawLimit {
		m := *s
		m.Tokens = slices.Clone(s.Tokens)
		m.Operands = slices.Clone(s.Operands)
		if m.Mutation = mutations[g.r.IntN(len(mutations))](g, &m); m.Mutation != "" {
			return &m
		}
	}
	return nil
}

// modifier draws the index of a modifier of the statement, 0 if it has none.
func (g *Generator) modifier(s *Statement) int {
	first := len(s.Entry.Opcode)
	if first >= len(s.Tokens) {
		return 0
	}
	return first + g.r.IntN(len(s.Tokens)-first)
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

// addModifier adds one of the entry's own modifiers, or any.
func addModifier(g *Generator, s *Statement) string {
	m := g.anyModifier(s)
	at := len(s.Entry.Opcode) + g.r.IntN(len(s.Tokens)-len(s.Entry.Opcode)+1)
	s.Tokens = slices.Insert(s.Tokens, at, m)
	return "with " + m
}

func (g *Generator) anyModifier(s *Statement) string {
	own := s.Entry.Modifiers()
	if len(own) > 0 && g.r.IntN(3) > 0 {
		return own[g.r.IntN(len(own))].String()
	}
	return isa.Mod(1 + g.r.IntN(isa.NumMods()-1)).String()
}

func replaceModifier(g *Generator, s *Statement) string {
	i := g.modifier(s)
	if i == 0 {
		return ""
	}
	old := s.Tokens[i]
	s.Tokens[i] = g.anyModifier(s)
	if s.Tokens[i] == old {
		return ""
	}
	return s.Tokens[i] + " for " + old
}

func swapModifiers(g *Generator, s *Statement) string {
	i, j := g.modifier(s), g.modifier(s)
	if i == 0 || s.Tokens[i] == s.Tokens[j] {
		return ""
	}
	s.Tokens[i], s.Tokens[j] = s.Tokens[j], s.Tokens[i]
	return fmt.Sprintf("%s and %s swapped", s.Tokens[i], s.Tokens[j])
}

// scalarOperand draws a plain operand that is not an address, a vector or a pair.
func (g *Generator) scalarOperand(s *Statement) int {
	for _, i := range g.r.Perm(len(s.Operands)) {
		switch s.Operands[i].Shape.Kind {
		case isa.ShapeReg, isa.ShapeImm, isa.ShapeSpecial:
			return i
		}
	}
	return -1
}

func retypeRegister(g *Generator, s *Statement) string {
	i := g.scalarOperand(s)
	if i < 0 {
		return ""
	}
	types := append(declarable(s.Version, s.Target), isa.PredType())
	t := types[g.r.IntN(len(types))]
	d := drawer{g: g, s: s, used: map[string]int{registerPrefix(t): firstMutant}}
	text, shape, _ := d.newRegister(t)
	s.Operands[i].Text, s.Operands[i].Shape = text, shape
	return fmt.Sprintf("operand %d a %v register", i, t)
}

// Registers lists the operands that are registers or vectors of registers alone.
func (s *Statement) Registers() (list []int) {
	for i := range s.Operands {
		shape := &s.Operands[i].Shape
		elems := shape.Elems
		if shape.Kind == isa.ShapeReg {
			elems = []isa.Shape{*shape}
		}
		others := func(e isa.Shape) bool { return e.Kind != isa.ShapeReg || e.Neg }
		if (shape.Kind == isa.ShapeReg || shape.Kind == isa.ShapeVec) && len(elems) > 0 && !slices.ContainsFunc(elems, others) {
			list = append(list, i)
		}
	}
	return list
}

// Retyped is the statement with the registers of an operand declared with another type.
func (s *Statement) Retyped(i int, t isa.Type) *Statement {
	m := *s
	m.Operands = slices.Clone(s.Operands)
	o := &m.Operands[i]
	d := drawer{s: &m, used: map[string]int{registerPrefix(t): firstMutant}}
	m.Mutation = fmt.Sprintf("operand %d a %v register", i, t)
	if o.Shape.Kind == isa.ShapeReg {
		o.Text, o.Shape, _ = d.newRegister(t)
		return &m
	}
	var texts []string
	o.Shape.Elems = slices.Clone(o.Shape.Elems)
	for k := range o.Shape.Elems {
		var text string
		text, o.Shape.Elems[k], _ = d.newRegister(t)
		texts = append(texts, text)
	}
	o.Text = "{" + strings.Join(texts, ", ") + "}"
	return &m
}

func constantOperand(g *Generator, s *Statement) string {
	i := g.scalarOperand(s)
	if i < 0 {
		return ""
	}
	texts := []string{"1", "1.5", "0f3F800000", "0d3FF0000000000000"}
	n := g.r.IntN(len(texts))
	s.Operands[i].Text = texts[n]
	s.Operands[i].Shape = isa.Shape{Kind: isa.ShapeImm, Float: n > 0, Hex: n > 1, Double: n > 2}
	if n == 0 {
		s.Operands[i].Shape.Value = 1
	}
	return fmt.Sprintf("operand %d the constant %s", i, texts[n])
}

func dropOperand(g *Generator, s *Statement) string {
	if len(s.Operands) == 0 {
		return ""
	}
	i := g.r.IntN(len(s.Operands))
	s.Operands = slices.Delete(s.Operands, i, i+1)
	return fmt.Sprintf("without operand %d", i)
}

func repeatOperand(g *Generator, s *Statement) string {
	if len(s.Operands) == 0 {
		return ""
	}
	i := g.r.IntN(len(s.Operands))
	s.Operands = slices.Insert(s.Operands, i, s.Operands[i])
	return fmt.Sprintf("operand %d twice", i)
}

func changeVector(g *Generator, s *Statement) string {
	for _, i := range g.r.Perm(len(s.Operands)) {
		if o := &s.Operands[i]; o.Shape.Kind == isa.ShapeVec {
			d := drawer{g: g, s: s, used: map[string]int{}}
			k := o.spec.Parts[0].Kinds[0]
			k.Vector = len(o.Shape.Elems) + 1 - 2*g.r.IntN(2)
			if k.Vector < 2 {
				k.Vector = 3
			}
			text, shape, ok := d.vector(&k)
			if !ok {
				return ""
			}
			o.Text, o.Shape = text, shape
			return fmt.Sprintf("operand %d of length %d", i, k.Vector)
		}
	}
	return ""
}

// olderVersion takes the version before; the target must have been known.
func olderVersion(g *Generator, s *Statement) string {
	v := s.Version - 1
	for v > 0 && !v.Known() {
		v--
	}
	if v < isa.TargetSince(s.Target) {
		return ""
	}
	s.Version = v
	if !s.declared() {
		return ""
	}
	return "at the version before"
}

func otherTarget(g *Generator, s *Statement) string {
	t := g.targets[g.r.IntN(len(g.targets))]
	if t == s.Target || s.Version.Before(isa.TargetSince(t)) {
		return ""
	}
	s.Target = t
	if !s.declared() {
		return ""
	}
	return "on another target"
}

// declared tells whether the module can declare the statement's registers.
func (s *Statement) declared() bool {
	known := append(declarable(s.Version, s.Target), isa.PredType())
	most := map[isa.Type]int{}
	for i := range s.Operands {
		countRegisters(s.Operands[i].Shape, most)
	}
	for t := range most {
		if !slices.Contains(known, t) {
			return false
		}
	}
	return true
}
