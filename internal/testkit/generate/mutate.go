package generate

// This file changes one thing about a legal statement. Whether the result is still legal is
// for the judges to say.

import (
	"regexp"
	"slices"
	"strings"

	"ptxvm.invalid/ptxvm/internal/isa"
)

// Class says what kind of thing a change is about.
type Class string

// The classes of changes.
const (
	Modifier  Class = "modifier"  // one more, one less, or another one
	Type      Class = "type"      // another type as a modifier
	Order     Class = "order"     // modifiers in another order
	Repeat    Class = "repeat"    // a modifier twice
	Foreign   Class = "foreign"   // what another instruction has
	Kind      Class = "kind"      // another kind of operand
	Width     Class = "width"     // a register of another type
	Immediate Class = "immediate" // a constant
	Vector    Class = "vector"    // another length
	Space     Class = "space"     // another state space
	Count     Class = "count"     // an operand more or less
	AtVersion Class = "version"
	OnTarget  Class = "target"
	Signature Class = "signature" // of a callee
)

// mutation is one kind of change; it returns what it did, "" if it does not apply.
type mutation func(g *Generator, s *Statement) string

// mutations are in the order in which an entry goes through them: each kind of change early.
var mutations = []struct {
	class  Class
	change mutation
}{
	{Modifier, dropModifier}, {Kind, otherKind}, {Width, otherRegister}, {Count, dropOperand}, {Foreign, foreignModifier},
	{Type, replaceType}, {Immediate, constantOperand}, {Vector, changeVector}, {Count, extraOperand}, {Modifier, replaceModifier},
	{Space, otherVariable}, {Modifier, unknownModifier}, {Order, swapModifiers}, {Repeat, repeatModifier}, {Kind, otherKind},
	{Space, changeSpace}, {Foreign, foreignOpcode}, {Signature, otherCallee}, {Vector, changeVectorModifier}, {Count, swapOperands},
	{AtVersion, olderVersion}, {OnTarget, otherTarget}, {Modifier, addModifier}, {Foreign, foreignOperands}, {Order, moveModifier},
	{Count, repeatOperand}, {Width, otherRegister}, {Immediate, constantOperand}, {Type, replaceType}, {Foreign, foreignModifier},
}

// Mutations is the number of kinds of changes.
var Mutations = len(mutations)

// mutationTries bounds the draws for one change: some apply to few statements.
const mutationTries = 12

// Mutate returns a copy of the statement with a change of kind k, nil if it does not apply.
func (g *Generator) Mutate(s *Statement, k int) *Statement {
	for range mutationTries {
		m := *s
		m.Tokens = slices.Clone(s.Tokens)
		m.Operands = slices.Clone(s.Operands)
		m.Mutation, m.Class = mutations[k].change(g, &m), mutations[k].class
		if m.Mutation != "" && m.differs(s) && m.declared() {
			return &m
		}
	}
	return nil
}

// differs reports whether the change changes anything.
func (s *Statement) differs(from *Statement) bool {
	return s.Text() != from.Text() || s.Version != from.Version || s.Target != from.Target || s.callee != from.callee
}

// olderVersion takes the version before; the target must have been known.
func olderVersion(_ *Generator, s *Statement) string {
	v := isa.PreviousVersion(s.Version)
	if v < isa.TargetSince(s.Target) {
		return ""
	}
	s.Version = v
	return "at the version before"
}

func otherTarget(g *Generator, s *Statement) string {
	t := g.targets[g.r.IntN(len(g.targets))]
	if t == s.Target || s.Version.Before(isa.TargetSince(t)) {
		return ""
	}
	s.Target = t
	return "on another target"
}

// declared reports whether the module can declare the statement's registers.
func (s *Statement) declared() bool {
	known := registerTypes(s.Version, s.Target)
	for t := range registersOf(s.Text()) {
		if !slices.Contains(known, t) {
			return false
		}
	}
	return true
}

// registerTypes lists all types of registers that a module can declare.
func registerTypes(v isa.Version, t isa.Target) []isa.Type {
	return slices.Concat(declarable(v, t), narrowTypes, []isa.Type{isa.PredType()})
}

// part is a place in the text of an operand: all of it, or an element of a list in it.
type part struct{ from, to int }

// parts lists the places of an operand; the first is all of it.
func parts(text string) []part {
	list := []part{{0, len(text)}}
	var open []int
	for i, c := range text {
		switch c {
		case '[', '{', '(':
			open = append(open, i+1)
		case ',', '|':
			if n := len(open); n > 0 {
				list = append(list, trimmed(text, open[n-1], i))
				open[n-1] = i + 1
			} else if c == '|' {
				list = append(list, part{0, i}, part{i + 1, len(text)})
			}
		case ']', '}', ')':
			n := len(open) - 1
			list = append(list, trimmed(text, open[n], i))
			open = open[:n]
		}
	}
	return list
}

// trimmed is a place without the blank in front of it.
func trimmed(text string, from, to int) part {
	return part{from + len(text[from:to]) - len(strings.TrimLeft(text[from:to], " ")), to}
}

// drawPart draws an operand and a place in it whose text a pattern matches; i is -1 if there is none.
func (g *Generator) drawPart(s *Statement, wanted *regexp.Regexp) (i int, p part) {
	for _, i := range g.r.Perm(len(s.Operands)) {
		text := s.Operands[i].Text
		all := parts(text)
		for _, k := range g.r.Perm(len(all)) {
			if p := all[k]; wanted.MatchString(text[p.from:p.to]) {
				return i, p
			}
		}
	}
	return -1, part{}
}

// put writes another text into a place of an operand.
func (s *Statement) put(i int, p part, text string) {
	o := &s.Operands[i]
	o.Text = o.Text[:p.from] + text + o.Text[p.to:]
}
