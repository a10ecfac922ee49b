package generate

// This file goes through the changes of a statement one by one, where mutations draw them.

import (
	"fmt"
	"slices"
	"strings"

	"ptxvm.invalid/ptxvm/internal/isa"
)

// Operandwise lists the statement with each operand, and the first two elements of each list in one,
// replaced by a register of every type, by an operand of every kind and by each of the constants.
func (g *Generator) Operandwise(s *Statement) (list []*Statement) {
	prefix := registerPrefix(g.likelyType(s))
	for i := range s.Operands {
		for k, p := range parts(s.Operands[i].Text) {
			if k > 3 {
				break
			}
			put := func(class Class, text, what string) {
				list = append(list, s.changed(class, what, func(m *Statement) { m.put(i, p, text) }))
			}
			for _, t := range registerTypes(s.Version, s.Target) {
				put(Width, fmt.Sprintf("%s%d", registerPrefix(t), firstMutant), fmt.Sprintf("operand %d a %v register", i, t))
			}
			for _, kind := range kinds {
				put(Kind, strings.ReplaceAll(kind.text, "T", prefix), fmt.Sprintf("operand %d %s", i, kind.what))
			}
			for _, text := range sweptConstants {
				put(Immediate, text, fmt.Sprintf("operand %d the constant %s", i, text))
			}
		}
	}
	return slices.DeleteFunc(list, func(m *Statement) bool { return !m.differs(s) || !m.declared() })
}

// sweptConstants are constants of every kind, one of each.
var sweptConstants = []string{"0", "16", "-1", "4294967296", "1.5", "0f3F800000", "0d3FF0000000000000"}

// Modifierwise lists the statement with each modifier dropped and replaced by each other of its entry, with each
// of these and of the types added behind the opcode, and with one operand less, twice or more.
func (g *Generator) Modifierwise(s *Statement) (list []*Statement) {
	add := func(class Class, what string, f func(*Statement)) { list = append(list, s.changed(class, what, f)) }
	first := len(s.Entry.Opcode)
	for _, m := range s.Entry.Modifiers() {
		text := m.String()
		for i := first; i < len(s.Tokens); i++ {
			add(Modifier, text+" for "+s.Tokens[i], func(m *Statement) { m.Tokens[i] = text })
		}
		add(Modifier, "with "+text, func(m *Statement) { m.Tokens = slices.Insert(m.Tokens, first, text) })
	}
	for _, t := range isa.Types() {
		for i := first; i < len(s.Tokens); i++ {
			if isType(s.Tokens[i]) {
				add(Type, t.String()+" for "+s.Tokens[i], func(m *Statement) { m.Tokens[i] = t.String() })
			}
		}
	}
	for i := first; i < len(s.Tokens); i++ {
		add(Modifier, "without "+s.Tokens[i], func(m *Statement) { m.Tokens = slices.Delete(m.Tokens, i, i+1) })
		add(Repeat, s.Tokens[i]+" twice", func(m *Statement) { m.Tokens = append(m.Tokens, s.Tokens[i]) })
		if i > first {
			add(Order, s.Tokens[i]+" first", func(m *Statement) {
				m.Tokens = slices.Insert(slices.Delete(m.Tokens, i, i+1), first, s.Tokens[i])
			})
		}
	}
	for _, text := range vectorModifiers[:3] {
		add(Vector, "with "+text, func(m *Statement) { m.Tokens = slices.Insert(m.Tokens, first, text) })
	}
	for i := range s.Operands {
		add(Count, fmt.Sprintf("without operand %d", i), func(m *Statement) { m.Operands = slices.Delete(m.Operands, i, i+1) })
		add(Count, fmt.Sprintf("operand %d twice", i), func(m *Statement) { m.Operands = slices.Insert(m.Operands, i, m.Operands[i]) })
	}
	for _, text := range []string{"%b32_40", "%u64_40", "%pred_40", "0", "1"} {
		add(Count, text+" more", func(m *Statement) { m.Operands = append(m.Operands, Operand{Text: text}) })
	}
	return slices.DeleteFunc(list, func(m *Statement) bool { return !m.differs(s) || !m.declared() })
}

// changed is a copy of the statement with a change.
func (s *Statement) changed(class Class, what string, f func(*Statement)) *Statement {
	m := *s
	m.Tokens, m.Operands = slices.Clone(s.Tokens), slices.Clone(s.Operands)
	m.Mutation, m.Class = what, class
	f(&m)
	return &m
}

// Foreignwise lists the statement with each modifier that other instructions have behind the opcode.
func (g *Generator) Foreignwise(s *Statement) (list []*Statement) {
	own, seen := s.Entry.Modifiers(), map[isa.Mod]bool{}
	for _, e := range isa.Table().Entries() {
		for _, m := range e.Modifiers() {
			if seen[m] || slices.Contains(own, m) {
				continue
			}
			seen[m] = true
			list = append(list, s.changed(Foreign, "with "+m.String(), func(c *Statement) { c.Tokens = append(c.Tokens, m.String()) }))
		}
	}
	return list
}
