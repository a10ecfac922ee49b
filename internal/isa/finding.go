package isa

// This file reports gates and checks, and writes operands in words.

import (
	"fmt"
	"slices"
	"strings"
)

// lateFindings says which gates and checks reject a statement that fits.
func (p *plan) lateFindings(q *Query) []Mismatch {
	e, alt := p.sel.Entry, p.sel.Alt
	var out []Mismatch
	if c := p.firstClosedGate(q); c != nil {
		f := about(StageGates, GateClosed, e, alt)
		if c.until {
			f.Kind = GatePast
		}
		f.Gate, f.Why = c.gate, c.why
		f.Want = c.gate.Nearest(q.Target).String()
		f.Have = fmt.Sprintf("%v %v", q.Version, q.Target)
		p.blamer(q).gate(c, &f)
		out = append(out, f)
	}
	for _, check := range p.checks {
		if msg := check.finds(q, p); msg != "" {
			f := about(StageChecks, CheckFailed, e, alt)
			f.Want = msg
			f.Operand, f.Part = p.blamed(check.name, msg)
			out = append(out, f)
		}
	}
	return out
}

// checkRoles are the operands that checks are about; of several, what a check says names one, or the first is meant.
var checkRoles = map[string][]string{
	"bar.count_multiple": {"b"}, "st.param_space": {"a"}, "ld.param_space": {"a"}, "st.bulk.size": {"size"}, "bulk.size": {"size"},
	"setmaxnreg.multiple": {"n"}, "createpolicy.fraction": {"fraction"}, "createpolicy.primary_size": {"primary-size"},
	"cp.async.source_size": {"rest"}, "mma.scale_selector": {"sel-a", "sel-b"}, "mma.constants": {"c"}, "wmma.constants": {"c"}, "tcgen05.columns": {"columns"},
	"tcgen05.registers": {"r", "mdata"}, "mov.operands": {"a"}, "mov.address": {"a"},
}

// blamed is the operand that a check is about, and which part of it; -1 if none is.
func (p *plan) blamed(check, msg string) (op, part int) {
	op, part = -1, -1
	for _, name := range checkRoles[check] {
		at, of := p.placeOf(name)
		if at >= 0 && strings.Contains(msg, name) {
			return at, of
		}
		if op < 0 {
			op, part = at, of
		}
	}
	return op, part
}

// placeOf is place for the name of a role.
func (p *plan) placeOf(name string) (op, part int) {
	for i, r := range p.sel.Entry.roles {
		if p.env.present>>i&1 != 0 && r.String() == name {
			return p.place(i)
		}
	}
	return -1, -1
}

var sortWords = []struct {
	sort sortSet
	word string
}{
	{sortReg, "register"}, {sortImm, "constant"}, {sortPred, "predicate"}, {sortSink, "_"}, {sortAddr, "address"},
	{sortParams, "parameter list"}, {sortFunction, "function"}, {sortTexref, "texture"},
	{sortSamplerref, "sampler"}, {sortSurfref, "surface"}, {sortCallTable, "call table"},
	{sortCallTargets, "list of call targets"}, {sortCallPrototype, "call prototype"},
	{sortBranchTargets, "list of branch targets"}, {sortLabel, "label"}, {sortSpecial, "special register"},
	{sortVar, "variable"},
}

// String describes what an operand may be.
func (k *kindSpec) String() string {
	var words []string
	for _, w := range sortWords {
		if k.sorts&w.sort != 0 {
			words = append(words, w.word)
		}
	}
	s := strings.Join(words, " or ")
	if k.vector >= 0 {
		s = fmt.Sprintf("vector of %d: %s", k.vector, s)
	}
	if k.types[0] != 0 {
		s += " " + k.types[0].registerName()
	}
	if k.sorts == sortAddr && k.space != Generic {
		s += " in " + k.space.String()
	}
	for i, set := range k.selectors {
		s += map[bool]string{true: ", ", false: " or "}[i == 0] + set.String()
	}
	for i, r := range k.ranges {
		s += map[bool]string{true: " in ", false: " or "}[i == 0] + fmt.Sprintf("%d..%d", r[0], r[1])
	}
	return s
}

// registerName is the type as a register may have it: that of its width where none may.
func (t Type) registerName() string {
	if !t.AcceptsRegister(t, false) {
		t = t.Storage()
	}
	return t.String()
}

// String describes an operand.
func (s *Shape) String() string {
	switch {
	case s.Kind == ShapeVec:
		return s.vectorWords()
	case s.Kind == ShapeReg && s.Type == thePrelude.pred:
		return "predicate"
	case s.Kind == ShapeReg && s.Minus:
		return "negated register"
	case s.Kind == ShapeReg && s.Selector != "":
		return "selector " + s.Selector
	case s.Kind == ShapeReg || s.Kind == ShapeSpecial:
		return s.Type.String() + " " + s.Kind.String()
	case s.Kind == ShapeSym:
		return s.Kind.String() + " in " + s.Space.String()
	case s.Kind == ShapeImm && s.Float:
		return "floating-point constant"
	case s.Kind == ShapeImm:
		return fmt.Sprintf("constant %d", s.Value)
	}
	return s.Kind.String()
}

// vectorWords tells what a vector's elements are, too, if they are alike.
func (s *Shape) vectorWords() string {
	text := fmt.Sprintf("vector of %d", len(s.Elems))
	if len(s.Elems) < 2 {
		return text
	}
	first := s.Elems[0]
	unlike := func(e Shape) bool { return e.Kind != first.Kind || e.Type != first.Type }
	switch {
	case slices.ContainsFunc(s.Elems, unlike):
	case first.Kind == ShapeReg:
		text += fmt.Sprintf(" %v registers", first.Type)
	case first.Kind == ShapeImm:
		text += " constants"
	}
	return text
}
