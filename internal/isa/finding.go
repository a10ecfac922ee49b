package isa

// This file reports gates and checks, and writes operands in words.

import (
	"fmt"
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
		out = append(out, f)
	}
	for _, name := range p.checks {
		if msg := checks[name](q, p); msg != "" {
			f := about(StageChecks, CheckFailed, e, alt)
			f.Want, f.Operand = msg, p.blamed(q, name, msg)
			out = append(out, f)
		}
	}
	return out
}

// checkRoles are the operands that checks are about; of several, what a check says names one, or the first is meant.
var checkRoles = map[string][]string{
	"bar.count_multiple": {"b"}, "st.param_space": {"a"}, "ld.param_space": {"a"}, "st.bulk.size": {"size"}, "bulk.size": {"size"},
	"setmaxnreg.multiple": {"n"}, "createpolicy.fraction": {"fraction"}, "createpolicy.primary_size": {"primary-size"},
	"cp.async.source_size": {"rest"}, "mma.scale_selector": {"sel-a", "sel-b"}, "tcgen05.columns": {"columns"},
	"tcgen05.registers": {"r", "mdata"},
}

// blamed is the operand that a check is about, -1 if none is.
func (p *plan) blamed(q *Query, check, msg string) int {
	first := -1
	for _, role := range checkRoles[check] {
		at := p.position(q, role)
		if at >= 0 && strings.Contains(msg, role) {
			return at
		}
		if first < 0 {
			first = at
		}
	}
	return first
}

// position is that of an operand in the statement, -1 if it has none or is a part of one.
func (p *plan) position(q *Query, role string) int {
	s := p.operand(q, role)
	for i := range q.Operands {
		if s == &q.Operands[i] {
			return i
		}
	}
	return -1
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
		return fmt.Sprintf("vector of %d", len(s.Elems))
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
