package isa

// This file finds out why no form matches a statement. It is the slow path: it may try every
// form of the opcode, and reports the one that got furthest.

import (
	"slices"
	"strconv"
	"strings"
)

// explain returns the findings of the form that got furthest: the last stage, then the
// fewest findings, then the operand that came closest, then the first in the data.
func (t *ISA) explain(q *Query) []Mismatch {
	op, n := t.findOpcode(q.Tokens)
	if op == nil {
		return []Mismatch{t.unknownInstruction(q)}
	}
	if bad := t.badTokens(q, n); bad != nil {
		return bad
	}
	var best []Mismatch
	for _, id := range op.ids {
		e := t.Entry(id)
		for a := range e.Alts {
			x := explainer{t: t, q: q, e: e, alt: &e.Alts[a], index: a, glued: n}
			if fails := x.explain(); best == nil || further(fails, best) {
				best = fails
			}
		}
	}
	return best
}

func further(a, b []Mismatch) bool {
	if a[0].Stage != b[0].Stage {
		return a[0].Stage > b[0].Stage
	}
	if len(a) != len(b) || a[0].Stage != StageOperands {
		return len(a) < len(b)
	}
	return a[0].Kind > b[0].Kind // what came closer: a constant out of range rather than another kind of operand
}

func (t *ISA) unknownInstruction(q *Query) Mismatch {
	m := about(StageOpcode, UnknownInstruction, nil, 0)
	m.Token = 0
	if len(q.Tokens) == 0 {
		return m
	}
	m.Have = q.Tokens[0]
	if t.opcode(m.Have) != nil { // a known beginning: the tokens behind it are wrong
		m.Have = strings.Join(q.Tokens, "")
		m.Token = min(1, len(q.Tokens)-1)
		m.Fix = Nearest(m.Have, t.opcodeNames(m.Have[:strings.IndexByte(m.Have+".", '.')]+"."))
		return m
	}
	m.Fix = Nearest(m.Have, t.firstTokens())
	return m
}

// opcodeNames lists the opcodes with a prefix.
func (t *ISA) opcodeNames(prefix string) []string {
	var all []string
	for _, op := range t.opcodes {
		if op.ids != nil && strings.HasPrefix(op.name, prefix) {
			all = append(all, op.name)
		}
	}
	return all
}

func (t *ISA) firstTokens() []string {
	var all []string
	for _, op := range t.opcodes {
		if !strings.Contains(op.name, ".") {
			all = append(all, op.name)
		}
	}
	return all
}

// badTokens finds modifiers that no instruction has, and repeated ones.
func (t *ISA) badTokens(q *Query, glued int) []Mismatch {
	for i := glued; i < len(q.Tokens); i++ {
		if t.knownMod(q.Tokens[i]) == 0 {
			m := about(StageModifiers, UnknownModifier, nil, 0)
			m.Token, m.Have = i, q.Tokens[i]
			m.Fix = Nearest(m.Have, t.modifiersOf(q.Tokens[:glued]))
			return []Mismatch{m}
		}
	}
	if len(q.Tokens) > MaxModifiers {
		m := about(StageModifiers, RepeatedModifier, nil, 0)
		m.Token, m.Have = MaxModifiers, q.Tokens[MaxModifiers]
		return []Mismatch{m}
	}
	return nil
}

// modifiersOf lists the modifiers of all forms of an opcode.
func (t *ISA) modifiersOf(glued []string) []string {
	op, _ := t.findOpcode(glued)
	var all []string
	for _, id := range op.ids {
		for _, m := range t.Entry(id).Modifiers() {
			all = append(all, t.mods.name(m))
		}
	}
	return all
}

// explainer compares a statement with one form.
type explainer struct {
	t     *ISA
	q     *Query
	e     *Entry
	alt   *Alt
	index int
	glued int // tokens of the opcode
}

func (x *explainer) finding(stage Stage, kind MismatchKind) Mismatch {
	return about(stage, kind, x.e, x.index)
}

func (x *explainer) explain() []Mismatch {
	mods, _ := x.t.modifiers(x.q.Tokens[:x.glued], x.q.Tokens[x.glued:])
	suffix := x.t.knownMod(x.q.Suffix)
	var best []Mismatch
	dealt := false
	x.e.eachDeal(x.index, mods, suffix, func(v *env) {
		dealt = true
		if fails := x.explainDeal(v); best == nil || further(fails, best) {
			best = fails
		}
	})
	if dealt {
		return best
	}
	return x.modifierFindings(mods)
}

// modifierFindings says why the modifiers do not fill the slots.
func (x *explainer) modifierFindings(mods []Mod) []Mismatch {
	left := slices.Clone(mods)
	var missing []int
	for i := range x.alt.slots {
		s := &x.alt.slots[i]
		at := slices.IndexFunc(left, func(m Mod) bool { return s.accepts(x.e, m) })
		switch {
		case at >= 0 && !s.suffix:
			left = slices.Delete(left, at, at+1)
		case !s.opt:
			missing = append(missing, i)
		}
	}
	var out []Mismatch
	for _, m := range left {
		out = append(out, x.surplus(mods, m))
	}
	for _, i := range missing {
		f := x.finding(StageModifiers, MissingModifier)
		f.Want = x.slotText(i)
		f.Fix = x.t.mods.name(x.values(i)[0])
		out = append(out, f)
	}
	if out == nil {
		out = append(out, x.wrongOrder())
	}
	return out
}

func (x *explainer) values(slot int) []Mod {
	d := dealer{e: x.e, alt: x.alt}
	return d.values(slot)
}

func (x *explainer) slotText(slot int) string {
	var names []string
	for _, m := range x.values(slot) {
		names = append(names, x.t.mods.name(m))
	}
	return strings.Join(names, " ")
}

// surplus says why modifier m has no place: it is there twice, its place is taken by
// another one of the same class, or the form does not have it.
func (x *explainer) surplus(mods []Mod, m Mod) Mismatch {
	f := x.finding(StageModifiers, NotAllowed)
	f.Token, f.Have = x.token(m, -1), x.t.mods.name(m)
	if again := x.token(m, f.Token); again >= 0 {
		f.Kind, f.Other, f.Token = RepeatedModifier, f.Token, again
		return f
	}
	for i := range x.alt.slots {
		if !x.alt.slots[i].accepts(x.e, m) {
			continue
		}
		for _, o := range mods {
			if o != m && x.alt.slots[i].accepts(x.e, o) {
				f.Other = x.token(o, -1)
			}
		}
	}
	return f
}

// token returns the index of a modifier's spelling after a token, -1 if it is not there.
func (x *explainer) token(m Mod, after int) int {
	name := x.t.mods.name(m)
	for i := max(after+1, x.glued); i < len(x.q.Tokens); i++ {
		if x.q.Tokens[i] == name {
			return i
		}
	}
	return -1
}

func (x *explainer) wrongOrder() Mismatch {
	f := x.finding(StageModifiers, WrongOrder)
	f.Have = strings.Join(x.q.Tokens, "")
	return f
}

// explainDeal goes on with modifiers that fill the slots.
func (x *explainer) explainDeal(v *env) []Mismatch {
	if _, ok := v.rows(); !ok {
		return []Mismatch{x.noRow(v)}
	}
	var best []Mismatch
	x.e.eachSubset(v, func(sub *env) {
		if fails := x.explainSubset(sub); best == nil || further(fails, best) {
			best = fails
		}
	})
	return best
}

// noRow names the cells in which the nearest row differs.
func (x *explainer) noRow(v *env) Mismatch {
	f := x.finding(StageTable, NoCombination)
	for i := range x.e.tables {
		t := &x.e.tables[i]
		if !x.alt.takesAll(t.keys) || t.find(v) != nil {
			continue
		}
		near, hits := &t.rows[0], -1
		for r := range t.rows {
			if n := t.rows[r].matches(t, v); n > hits {
				near, hits = &t.rows[r], n
			}
		}
		x.differ(&f, v, t, near)
		return f
	}
	return f
}

// differ describes the first cell of a row that does not agree.
func (x *explainer) differ(f *Mismatch, v *env, t *table, r *row) {
	for i, cell := range r.cells {
		m := v.get(t.keys[i])
		if slices.ContainsFunc(cell, func(ref valueRef) bool { return v.cellNames(ref, m) }) {
			continue
		}
		f.Token = x.token(m, -1)
		f.Have = x.t.mods.name(m)
		f.Want = x.refsText(cell)
		if f.Fix == "" && len(cell) == 1 && cell[0].mod != 0 {
			f.Fix = f.Want
		}
		return
	}
}

func (x *explainer) refsText(refs []valueRef) string {
	var names []string
	for _, r := range refs {
		switch {
		case r.none:
			names = append(names, "none")
		case r.class < 0:
			names = append(names, x.t.mods.name(r.mod))
		default:
			for _, m := range x.e.classes[r.class].values {
				names = append(names, x.t.mods.name(m))
			}
		}
	}
	return strings.Join(names, " ")
}

// explainSubset compares operands, then rules.
func (x *explainer) explainSubset(v *env) []Mismatch {
	specs, ok := x.e.specs(v)
	if !ok || len(specs) != len(x.q.Operands) {
		f := x.finding(StageCount, OperandCount)
		f.Want, f.Have = strconv.Itoa(len(specs)), strconv.Itoa(len(x.q.Operands))
		return []Mismatch{f}
	}
	p := plan{env: *v, operands: specs}
	p.sel.Entry, p.sel.Alt = x.e, x.index
	var out []Mismatch
	for i := range specs {
		if f, bad := x.operandFinding(&specs[i], i); bad {
			out = append(out, f)
		}
	}
	if out != nil {
		return out
	}
	return x.ruleFindings(&p)
}

func (x *explainer) ruleFindings(p *plan) []Mismatch {
	v := p.withShapes(x.q)
	var out []Mismatch
	for i := range x.e.rules {
		r := &x.e.rules[i]
		if r.holds(v) != no {
			continue
		}
		f := x.finding(StageRules, RuleBroken)
		f.Want, f.Why = r.text, r.why
		p.blamer(x.q).rule(r, &f)
		if f.Token >= 0 {
			f.Have = x.q.Tokens[f.Token]
		}
		out = append(out, f)
	}
	if out == nil { // an operand line's condition failed late
		out = append(out, x.finding(StageRules, RuleBroken))
	}
	return out
}

// operandFinding compares one operand with its specification.
func (x *explainer) operandFinding(o *operandSpec, i int) (Mismatch, bool) {
	s := &x.q.Operands[i]
	if o.fits(s) {
		return Mismatch{}, false
	}
	f := x.finding(StageOperands, OperandKind)
	f.Operand, f.Have = i, s.Kind.String()
	switch {
	case o.kind == ' ':
		x.partFinding(&f, &o.parts[0], s, o.kind)
	case s.Kind != o.shapeKind():
		f.Want = o.shapeKind().String()
	case len(s.Elems) != len(o.parts):
		f.Kind, f.Want, f.Have = OperandLength, x.partsText(o), "an address of "+strconv.Itoa(len(s.Elems))+" parts"
	default:
		for j := range o.parts {
			if !o.parts[j].fitsInside(&s.Elems[j], o.kind) {
				f.Part = j
				x.partFinding(&f, &o.parts[j], &s.Elems[j], o.kind)
				break
			}
		}
	}
	return f, true
}

// partsText writes an address by the roles of its parts: "[a, b, c]".
func (x *explainer) partsText(o *operandSpec) string {
	var names []string
	for i := range o.parts {
		names = append(names, x.e.roles[o.parts[i].role].String())
	}
	return "[" + strings.Join(names, ", ") + "]"
}

var misfitKinds = map[misfit]MismatchKind{
	wrongKind: OperandKind, wrongSpace: OperandSpace, wrongLength: OperandLength,
	wrongType: OperandType, wrongWidth: OperandWidth, wrongRange: OperandRange, wrongSelector: OperandSelector,
}

// partFinding reports the alternative that came closest.
func (x *explainer) partFinding(f *Mismatch, p *partSpec, s *Shape, bracket byte) {
	best := wrongKind
	k := &p.kinds[0]
	for i := range p.kinds {
		if m := p.kinds[i].misfitInside(s, bracket); m > best {
			best, k = m, &p.kinds[i]
		}
	}
	f.Kind = misfitKinds[best]
	f.Want, f.Have = k.String(), s.String()
	if k.vector >= 0 && s.Kind == ShapeVec && len(s.Elems) == k.vector {
		k.elementFinding(f, s)
	}
	if k.wider && (f.Kind == OperandType || f.Kind == OperandWidth) {
		f.Relaxed = k.types[0]
	}
}
