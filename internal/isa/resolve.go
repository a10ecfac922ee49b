package isa

// This file resolves the modifiers of a statement: every way to read them by the forms of
// an opcode, and for each the operands that may follow. It runs once for each distinct list
// of modifiers (Forms); operands are looked at later.

import (
	"slices"
	"strings"
)

// MaxModifiers bounds the modifiers of a statement; no form has half as many.
const MaxModifiers = 40

// Forms are all readings of one list of modifiers.
type Forms struct {
	tokens []string // as written, opcode first
	suffix string
	plans  []*plan
	next   *Forms // in the cache
	hash   uint64
}

// plan is one reading of the modifiers by one form, with one choice of optional operands.
type plan struct {
	sel      Sel
	env      env
	operands []operandSpec
	late     []*rule // rules that ask for the kind of an operand
	gates    []*gateLine
	lateGate bool // a gate asks for the kind of an operand
	rowGates []Gate
	checks   []namedCheck
	passed   passCache // the module for which the gates passed last
}

// operandSpec is what one written operand may be.
type operandSpec struct {
	kind  byte // as in operandForm
	parts []partSpec
}

// partSpec is what one role may be: any of kinds.
type partSpec struct {
	role  int
	kinds []kindSpec
}

// kindSpec is an operand kind with its classes and captures filled in.
type kindSpec struct {
	sorts     sortSet
	vector    int // length, -1: no vector
	types     [2]Type
	plain     bool // the whole-number type is fixed: no .f16x2 register (facts: ptxas)
	wider     bool
	exact     bool // registers of the storage type only
	loose     bool // vectors of floats in integer registers, too
	minus     bool // its negative, too
	braced    bool // one in braces will do
	mixed     bool // a vector: constants beside registers
	short     bool // an address: registers of 32 bits reach global memory, too
	full      bool // an address: no registers of fewer than 32 bits
	cut       bool // a constant: its range is that of its low 32 bits
	sreg      bool // an address: a special register, too
	anyreg    bool // an address: a register of any number
	lenient   bool // ptxas judges elements of vectors, and takes sums with special registers
	sums      bool // a register: a special one and a number, too
	single    bool // a vector: floating-point constants of 32 bits alone, 0f…
	index     int  // a vector: 1 + the element that is the number of a layer
	written   bool // a vector that is written: _ and, beside untyped registers, predicates, too
	whole     bool // a vector: a special register without a component, no list
	bare      bool
	selectors []SelectorSet
	ranges    [][2]int
	space     Space
	of        Space // of named variables
	ofSet     bool
	align     int
}

// resolve finds all readings of a statement's modifiers, best-fitting opcode first.
func (t *ISA) resolve(tokens []string, suffix string) *Forms {
	f := &Forms{tokens: append([]string(nil), tokens...), suffix: suffix}
	op, n := t.findOpcode(tokens)
	if op == nil || len(tokens) > MaxModifiers {
		return f
	}
	mods, ok := t.modifiers(tokens[:n], tokens[n:])
	if !ok {
		return f
	}
	sm := t.knownMod(suffix)
	if suffix != "" && sm == 0 {
		return f
	}
	if f.plans = t.readings(op, mods, sm); f.plans == nil {
		if rest := t.meaningful(op, mods); len(rest) < len(mods) {
			f.plans = t.readings(op, rest, sm)
		}
	}
	if f.plans == nil {
		f.plans = t.readingsWithout(op, mods, sm)
	}
	return f
}

// readingsWithout returns the plans of entries that ignore some of the modifiers.
func (t *ISA) readingsWithout(op *opcode, mods []Mod, suffix Mod) (plans []*plan) {
	for _, id := range op.ids {
		e := t.Entry(id)
		rest, lines := e.withoutIgnored(mods)
		if len(lines) == 0 {
			continue
		}
		for a := range e.Alts {
			for _, p := range e.plans(a, rest, suffix) {
				if p.ignores(lines) {
					plans = append(plans, p)
				}
			}
		}
	}
	return plans
}

// withoutIgnored drops what the ignore clauses of an entry name, one modifier for each clause, and
// returns the clauses that did.
func (e *Entry) withoutIgnored(mods []Mod) (rest []Mod, lines []*ignoredLine) {
	rest = mods
	for i := range e.ignored {
		l := &e.ignored[i]
		if at := slices.IndexFunc(rest, func(m Mod) bool { return containsMod(l.mods, m) }); at >= 0 {
			rest = slices.Delete(slices.Clone(rest), at, at+1)
			lines = append(lines, l)
		}
	}
	return rest, lines
}

// ignores reports whether the clauses hold for a reading, and puts their gates on it.
func (p *plan) ignores(lines []*ignoredLine) bool {
	for _, l := range lines {
		if evalOr(l.when, &p.env, yes) != yes {
			return false
		}
		if l.gate != nil {
			p.rowGates = append(slices.Clone(p.rowGates), l.gate)
		}
	}
	return true
}

// readings returns the plans of all entries of an opcode.
func (t *ISA) readings(op *opcode, mods []Mod, suffix Mod) (plans []*plan) {
	for _, id := range op.ids {
		e := t.Entry(id)
		for a := range e.Alts {
			plans = append(plans, e.plans(a, mods, suffix)...)
		}
	}
	return plans
}

// meaningful drops modifiers that ptxas ignores (.ignored of the prelude) and that no entry of
// the opcode has.
func (t *ISA) meaningful(op *opcode, mods []Mod) (rest []Mod) {
	name := strings.Join(t.Entry(op.ids[0]).Opcode, "")
	for _, m := range mods {
		if !thePrelude.ignored[t.judge].by(name, t.mods.name(m)) || t.has(op, m) {
			rest = append(rest, m)
		}
	}
	return rest
}

// has reports whether an entry of the opcode has the modifier.
func (t *ISA) has(op *opcode, m Mod) bool {
	for _, id := range op.ids {
		if containsMod(t.Entry(id).Modifiers(), m) {
			return true
		}
	}
	return false
}

// findOpcode finds the longest opcode that the tokens begin with, and its length.
func (t *ISA) findOpcode(tokens []string) (best *opcode, n int) {
	text := ""
	for i, tok := range tokens {
		text += tok
		op := t.opcode(text)
		if op == nil {
			break
		}
		if op.ids != nil {
			best, n = op, i+1
		}
	}
	return best, n
}

// modifiers interns spellings. What may be repeated and is there, or glued, is dropped.
func (t *ISA) modifiers(glued, tokens []string) (mods []Mod, ok bool) {
	for _, tok := range tokens {
		m := t.knownMod(tok)
		if m == 0 {
			return nil, false
		}
		if t.repeat[m] && (containsMod(mods, m) || containsString(glued, tok)) {
			continue
		}
		mods = append(mods, m)
	}
	return mods, true
}

func containsString(list []string, s string) bool {
	for _, v := range list {
		if v == s {
			return true
		}
	}
	return false
}

// plans returns the readings of mods by one form for which all rules hold.
func (e *Entry) plans(alt int, mods []Mod, suffix Mod) []*plan {
	var out []*plan
	e.eachDeal(alt, mods, suffix, func(v *env) {
		if gates, ok := v.rows(); ok {
			e.eachSubset(v, func(sub *env) {
				if p, ok := e.plan(alt, sub, gates); ok {
					out = append(out, p)
				}
			})
		}
	})
	return out
}

// eachDeal visits every way to give the modifiers to the slots of a form.
func (e *Entry) eachDeal(alt int, mods []Mod, suffix Mod, visit func(*env)) {
	d := dealer{e: e, alt: &e.Alts[alt], mods: mods, suffix: suffix, visit: visit}
	d.taken, d.strict = make([]Mod, len(d.alt.slots)), e.table.judge == Manual && !e.freeOrder
	d.link()
	if d.led() {
		d.deal(0)
	}
}

// rows looks the classes up in the entry's tables and binds the columns; ok is false if a
// table has no row for them. It returns the gates of the rows.
func (v *env) rows() (gates []Gate, ok bool) {
	for i := range v.entry.tables {
		t := &v.entry.tables[i]
		if !v.alt.takesAll(t.keys) {
			continue
		}
		r := t.find(v)
		if r == nil {
			return nil, false
		}
		for c, n := range r.values {
			v.captures[t.columns[c]] = capture{n, true}
		}
		if r.gate != nil {
			gates = append(gates, r.gate)
		}
	}
	return gates, true
}

func (a *Alt) takesAll(classes []int) bool {
	for _, c := range classes {
		if !a.takes(c) {
			return false
		}
	}
	return true
}

func (t *table) find(v *env) *row {
	for i := range t.rows {
		if t.rows[i].matches(t, v) == len(t.keys) {
			return &t.rows[i]
		}
	}
	return nil
}

// matches counts the cells that agree. A cell that names its own class stands for any value.
func (r *row) matches(t *table, v *env) (n int) {
	for i := range r.cells {
		if r.cellMatches(t, i, v) {
			n++
		}
	}
	return n
}

func (r *row) cellMatches(t *table, i int, v *env) bool {
	m := v.get(t.keys[i])
	for _, ref := range r.cells[i] {
		if v.cellNames(ref, m) {
			return true
		}
	}
	return false
}

// cellNames reports whether a cell's reference covers m; a class covers all its values.
func (v *env) cellNames(r valueRef, m Mod) bool {
	switch {
	case r.none:
		return m == 0
	case r.class < 0:
		return m == r.mod
	}
	c := &v.entry.classes[r.class]
	return m == 0 && c.none || c.has(m)
}

// eachSubset visits every choice of the form's optional operands.
func (e *Entry) eachSubset(v *env, visit func(*env)) {
	for set := 0; set < 1<<v.alt.groups; set++ {
		sub := *v
		sub.rolesKnown = true
		sub.present = v.alt.rolesOf(set)
		visit(&sub)
	}
}

// groupIn reports whether an optional group is in a choice; 0 always is.
func groupIn(set, group int) bool { return group == 0 || set>>(group-1)&1 != 0 }

func (a *Alt) rolesOf(set int) (present uint64) {
	for i := range a.operands {
		o := &a.operands[i]
		for _, part := range o.parts {
			if groupIn(set, o.group) && groupIn(set, part.group) {
				present |= 1 << part.role
			}
		}
	}
	return present
}

// plan makes the plan of a reading; ok is false if a rule does not hold.
func (e *Entry) plan(alt int, v *env, rowGates []Gate) (p *plan, ok bool) {
	p = &plan{env: *v, rowGates: rowGates}
	for i := range e.rules {
		switch r := &e.rules[i]; r.holds(v) {
		case no:
			return nil, false
		case unknown:
			p.late = append(p.late, r)
		}
	}
	for i := range e.gates {
		g := &e.gates[i]
		switch evalOr(g.when, v, yes) {
		case unknown:
			p.lateGate = true
			fallthrough
		case yes:
			p.gates = append(p.gates, g)
		}
	}
	for i := range e.checks {
		if evalOr(e.checks[i].when, v, yes) != no {
			p.checks = append(p.checks, namedCheck{e.checks[i].name, checks[e.checks[i].name]})
		}
	}
	if p.operands, ok = e.specs(&p.env); !ok {
		return nil, false
	}
	p.fillSel(e, alt)
	return p, true
}

func evalOr(c cond, v *env, absent truth) truth {
	if c == nil {
		return absent
	}
	return c.eval(v)
}

// holds evaluates a require or exclude clause.
func (r *rule) holds(v *env) truth {
	if r.needs == nil {
		return notCond{r.when}.eval(v)
	}
	when := evalOr(r.when, v, yes)
	needs := r.needs.eval(v)
	if r.iff {
		switch {
		case when == unknown || needs == unknown:
			return unknown
		}
		return truthOf(when == needs)
	}
	switch {
	case when == no || needs == yes:
		return yes
	case when == unknown || needs == unknown:
		return unknown
	}
	return no
}

// specs lists what the operands of a reading may be; ok is false if one of them has no line
// or a vector of no length.
func (e *Entry) specs(v *env) (specs []operandSpec, ok bool) {
	for i := range v.alt.operands {
		o := &v.alt.operands[i]
		s := operandSpec{kind: o.kind}
		for _, part := range o.parts {
			if v.present>>part.role&1 == 0 {
				continue
			}
			kinds := e.kinds(v, part.role)
			if len(kinds) == 0 {
				return nil, false
			}
			s.parts = append(s.parts, partSpec{part.role, kinds})
		}
		if s.kind == '|' && len(s.parts) == 1 {
			s.kind = ' '
		}
		if len(s.parts) > 0 {
			specs = append(specs, s)
		}
	}
	return specs, true
}

// kinds resolves the last line whose condition holds for a role.
func (e *Entry) kinds(v *env, role int) []kindSpec {
	at := e.lineOf(v, role)
	if at < 0 {
		return nil
	}
	line := &e.lines[at]
	var out []kindSpec
	for i := range line.kinds {
		if k, ok := line.kinds[i].resolve(v); ok {
			out = append(out, k)
		}
	}
	return out
}

func containsInt(list []int, n int) bool {
	for _, v := range list {
		if v == n {
			return true
		}
	}
	return false
}

func (k *operandKind) resolve(v *env) (kindSpec, bool) {
	out := kindSpec{sorts: k.sorts, vector: -1, wider: k.wider, exact: k.exact, loose: k.loose, minus: k.minus, braced: k.braced, bare: k.bare, mixed: k.mixed, short: k.short, full: k.full, cut: k.cut, sreg: k.sreg, anyreg: k.anyreg, lenient: k.lenient, sums: k.sums, single: k.single, index: k.index, written: k.written, whole: k.whole, selectors: k.selectors, ofSet: k.ofSet, space: v.spaceOf(k.space), of: v.spaceOf(k.of)}
	if k.vector != nil {
		n, ok := k.vector.value(v)
		if !ok || n <= 0 {
			return out, false
		}
		out.vector = n
	}
	for i, t := range k.types {
		if i < len(out.types) {
			out.types[i] = v.typeOf(t)
			out.plain = t.class < 0
		}
	}
	for _, r := range k.ranges {
		lo, _ := r.lo.value(v)
		hi, _ := r.hi.value(v)
		out.ranges = append(out.ranges, [2]int{lo, hi})
	}
	if k.align != nil {
		out.align = k.align.scale(v)
	}
	return out, true
}

// fillSel writes the part of a plan that users see.
func (p *plan) fillSel(e *Entry, alt int) {
	v := &p.env
	p.sel = Sel{Entry: e, Alt: alt, mods: v.mods, captures: v.captures}
	p.sel.chosen = make([]Mod, len(e.classes))
	for c := range e.classes {
		p.sel.chosen[c] = v.get(c)
	}
	for i := range p.operands {
		o := &p.operands[i]
		for j := range o.parts {
			part := j
			if o.kind == ' ' || o.kind == '[' && len(o.parts) == 1 {
				part = -1
			}
			k := &o.parts[j].kinds[0]
			at := RoleAt{Role: e.roles[o.parts[j].role], Op: i, Part: part, Type: k.types[0], Space: k.space, Align: k.align}
			if k.vector > 0 {
				at.Vector = k.vector
			}
			p.sel.Roles = append(p.sel.Roles, at)
		}
	}
}
