package isa

// This file reads the clauses other than classes and forms: tables, operand lines, rules,
// gates, effects.

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// tablePass reads tables, so that rules can name their columns.
func (p *entryParser) tablePass(s string) error {
	if head, ok := strings.CutPrefix(s, "table "); ok {
		return p.tableHead(head)
	}
	if s[0] == ' ' {
		if len(p.e.tables) == 0 {
			return fmt.Errorf("a row without a table")
		}
		return p.row(&p.e.tables[len(p.e.tables)-1], s)
	}
	return nil
}

// tableHead reads "name[.a .b] = X Y".
func (p *entryParser) tableHead(s string) error {
	name, rest, ok := strings.Cut(s, "[")
	keys, columns, closed := strings.Cut(rest, "]")
	if !ok || !closed {
		return fmt.Errorf("a table is written: table name[.class …] = columns")
	}
	t := table{name: strings.TrimSpace(name)}
	for _, key := range strings.Fields(keys) {
		c, err := p.tableKey(key)
		if err != nil {
			return err
		}
		t.keys = append(t.keys, c)
	}
	for _, column := range strings.Fields(strings.Replace(columns, "=", " ", 1)) {
		t.columns = append(t.columns, p.capture(column))
	}
	p.e.tables = append(p.e.tables, t)
	return nil
}

// tableKey returns the class of a key. A plain modifier of the forms is a key, too: it
// becomes a class of one value.
func (p *entryParser) tableKey(key string) (int, error) {
	if c, ok := p.classIndex(key); ok {
		return c, nil
	}
	m := p.t.knownMod(key)
	if m == 0 || !p.uses.has(m) {
		return 0, fmt.Errorf("%s is neither a class nor a modifier of this entry", key)
	}
	err := p.addClass(key, []string{key})
	c, _ := p.classIndex(key)
	p.e.classes[c].inForm = true
	for a := range p.e.Alts {
		for i := range p.e.Alts[a].slots {
			if s := &p.e.Alts[a].slots[i]; s.class < 0 && s.mod == m {
				s.class = c
			}
		}
	}
	return c, err
}

// row reads " cell… : value… since gate".
func (p *entryParser) row(t *table, s string) error {
	s, gate, gated := strings.Cut(s, " since ")
	cells, values, _ := strings.Cut(s, " : ")
	r := row{line: p.at}
	for _, cell := range strings.Fields(cells) {
		refs, err := p.valueRefs(cell)
		if err != nil {
			return err
		}
		r.cells = append(r.cells, refs)
	}
	for _, v := range strings.Fields(values) {
		r.values = append(r.values, p.number(v))
	}
	if len(r.cells) != len(t.keys) || len(r.values) != len(t.columns) {
		return fmt.Errorf("table %s has %d keys and %d columns, the row %d and %d", t.name, len(t.keys), len(t.columns), len(r.cells), len(r.values))
	}
	if gated {
		g, err := thePrelude.parseGate(gate)
		if err != nil {
			return err
		}
		r.gate = g
	}
	t.rows = append(t.rows, r)
	return nil
}

// number reads a column's value; a word is a symbol.
func (p *entryParser) number(s string) int {
	if n, err := strconv.Atoi(s); err == nil {
		return n
	}
	if n, ok := p.symbols[s]; ok {
		return n
	}
	if p.symbols == nil {
		p.symbols = map[string]int{}
	}
	p.symbols[s] = symbolBase + len(p.symbols)
	return p.symbols[s]
}

// rulePass reads everything that may name classes, columns and operands.
func (p *entryParser) rulePass(s string) error {
	word, rest, _ := strings.Cut(s, " ")
	switch {
	case word == "opcode" || word == "about" || word == "table" || s[0] == '.' || s[0] == ' ' || isForm(s):
		return nil
	case word == "require":
		return p.require(s, rest)
	case word == "exclude":
		when, err := p.condition(rest)
		p.e.rules = append(p.e.rules, rule{when: when, text: s, why: p.why, line: p.at})
		return err
	case word == "since" || word == "until":
		return p.gate(s, rest, word == "until")
	case word == "default":
		return p.defaultValues(rest)
	case word == "unique":
		return p.uniqueClass(rest)
	case word == "first":
		refs, err := p.valueRefs(strings.ReplaceAll(rest, " ", "|"))
		p.e.first = refs
		return err
	case word == "effect":
		return p.effects(rest)
	case word == "check":
		return p.check(rest)
	case word == "order" && rest == "free":
		p.e.freeOrder = true
		return nil
	case word == "order":
		refs, err := p.valueRefs(strings.ReplaceAll(rest, " ", "|"))
		p.e.ordered = refs
		return err
	case word == "ignore":
		return p.ignore(rest)
	case strings.Contains(s, " : "):
		return p.operandLine(s)
	}
	return fmt.Errorf("%q is no clause", s)
}

// require reads "cond [if|iff cond]".
func (p *entryParser) require(text, s string) error {
	r := rule{text: text, why: p.why, line: p.at}
	needs, when, ok := strings.Cut(s, " iff ")
	r.iff = ok
	if !ok {
		needs, when, ok = strings.Cut(s, " if ")
	}
	var err error
	if r.needs, err = p.condition(needs); err != nil {
		return err
	}
	if ok {
		r.when, err = p.condition(when)
	}
	p.e.rules = append(p.e.rules, r)
	return err
}

func (p *entryParser) gate(text, s string, until bool) error {
	gate, when, ok := strings.Cut(s, " if ")
	g, err := thePrelude.parseGate(gate)
	if err != nil {
		return err
	}
	line := gateLine{gate: g, until: until, text: text, why: p.why}
	if ok {
		if line.when, err = p.condition(when); err != nil {
			return err
		}
	}
	p.e.gates = append(p.e.gates, line)
	return nil
}

// ignore reads ".a .b [since gate] [if cond]".
func (p *entryParser) ignore(s string) (err error) {
	s, when, ok := strings.Cut(s, " if ")
	s, gate, gated := strings.Cut(s, " since ")
	line := ignoredLine{}
	for _, m := range strings.Fields(s) {
		line.mods = append(line.mods, Mod(p.t.mods.intern(m)))
	}
	if gated {
		if line.gate, err = thePrelude.parseGate(gate); err != nil {
			return err
		}
	}
	if ok {
		line.when, err = p.condition(when)
	}
	p.e.ignored = append(p.e.ignored, line)
	return err
}

func (p *entryParser) defaultValues(s string) error {
	for _, word := range strings.Fields(s) {
		name, value, ok := strings.Cut(word, "=")
		if !ok {
			return fmt.Errorf("a default is written .class=.value")
		}
		p.e.defaults = append(p.e.defaults, classValue{
			name, value, Class(p.t.classes.lookup(name)), Mod(p.t.mods.lookup(value)),
		})
	}
	return nil
}

func (p *entryParser) uniqueClass(s string) error {
	name, where, _ := strings.Cut(s, " ")
	c, ok := p.classIndex(name)
	if !ok || where != "in function" {
		return fmt.Errorf("unique is written: unique .class in function")
	}
	p.e.unique = append(p.e.unique, p.e.classes[c].id)
	return nil
}

func (p *entryParser) check(s string) error {
	name, when, ok := strings.Cut(s, " if ")
	line := checkLine{name: strings.TrimSpace(name)}
	if _, known := checks[line.name]; !known {
		return fmt.Errorf("there is no check %q", line.name)
	}
	var err error
	if ok {
		line.when, err = p.condition(when)
	}
	p.e.checks = append(p.e.checks, line)
	return err
}

// operandLine reads "d, a : kind | kind if cond".
func (p *entryParser) operandLine(s string) error {
	names, rest, _ := strings.Cut(s, " : ")
	kinds, when, conditional := strings.Cut(rest, " if ")
	line := operandLine{line: p.at}
	for name := range strings.SplitSeq(names, ",") {
		role := slices.Index(p.roles, strings.TrimSpace(name))
		if role < 0 {
			return fmt.Errorf("%q is no operand of a form", strings.TrimSpace(name))
		}
		line.roles = append(line.roles, role)
	}
	for text := range strings.SplitSeq(kinds, " | ") {
		k, err := p.operandKind(strings.Fields(text))
		if err != nil {
			return err
		}
		line.kinds = append(line.kinds, k)
	}
	var err error
	if conditional {
		line.when, err = p.condition(when)
	}
	p.e.lines = append(p.e.lines, line)
	return err
}

// operandKind reads "vec N/2 reg|imm .type wider in 0..15" or "addr .ss of shared align 8".
func (p *entryParser) operandKind(words []string) (operandKind, error) {
	k := operandKind{space: spaceRef{class: -1}, lenient: p.judge == Ptxas}
	next := func() (w string) {
		if len(words) > 0 {
			w, words = words[0], words[1:]
		}
		return w
	}
	var err error
	word := next()
	if word == "vec" {
		if k.vector, err = p.expression(next()); err != nil {
			return k, err
		}
		word = next()
	}
	if k.sorts, err = sorts(word); err != nil {
		return k, err
	}
	if k.sorts == sortAddr {
		if k.space, err = p.spaceRef(next()); err != nil {
			return k, err
		}
	}
	for err == nil && len(words) > 0 {
		word := next()
		if set, ok := operandFlags[word]; ok {
			set(&k, p.judge == Ptxas)
			continue
		}
		err = p.operandWord(&k, word, next)
	}
	return k, err
}

// operandFlags are the words of an operand line that stand alone, by whether ptxas judges: several are what ptxas takes beside
// what the manual says.
var operandFlags = map[string]func(k *operandKind, ptxas bool){
	"wider":   func(k *operandKind, _ bool) { k.wider = true },
	"loose":   func(k *operandKind, ptxas bool) { k.loose = ptxas }, // the manual's table 27 has no such registers
	"minus":   func(k *operandKind, _ bool) { k.minus = true },
	"mixed":   func(k *operandKind, ptxas bool) { k.mixed = ptxas }, // the manual has registers alone
	"bare":    func(k *operandKind, _ bool) { k.bare = true },       // a name with a number is none for ptxas here
	"braced":  func(k *operandKind, _ bool) { k.braced = true },
	"short":   func(k *operandKind, _ bool) { k.short = true },
	"full":    func(k *operandKind, _ bool) { k.full = true },
	"cut":     func(k *operandKind, ptxas bool) { k.cut = ptxas },    // the manual's ranges are of whole constants
	"sreg":    func(k *operandKind, ptxas bool) { k.sreg = ptxas },   // the manual has no such addresses
	"anyreg":  func(k *operandKind, ptxas bool) { k.anyreg = ptxas }, // the manual's addresses are whole numbers
	"whole":   func(k *operandKind, _ bool) { k.whole = true },
	"strict":  func(k *operandKind, _ bool) { k.lenient = false },
	"written": func(k *operandKind, ptxas bool) { k.written = ptxas }, // the manual has registers alone
	"sums":    func(k *operandKind, ptxas bool) { k.sums = ptxas },    // the manual has no such operands
	"single":  func(k *operandKind, ptxas bool) { k.single = ptxas },  // the manual has registers alone
	"exact":   func(k *operandKind, _ bool) { k.exact = true },
}

// operandWord reads a word of an operand line that others may follow.
func (p *entryParser) operandWord(k *operandKind, word string, next func() string) (err error) {
	switch {
	case word == "index":
		if k.index, err = strconv.Atoi(next()); err == nil {
			k.index++
		}
	case word == "select", word == "mask":
		k.selectors, err = selectorSets(next(), word == "mask")
	case word == "in":
		k.ranges, err = p.ranges(next())
	case word == "of":
		k.ofSet = true
		k.of, err = p.spaceRef(next())
	case word == "align":
		k.align, err = p.expression(next())
	case word[0] == '.':
		k.types, err = p.typeRefs(word)
	default:
		err = fmt.Errorf("unexpected %q in an operand line", word)
	}
	return err
}

func sorts(word string) (sortSet, error) {
	set := sortSet(0)
	for name := range strings.SplitSeq(word, "|") {
		s, ok := sortByName[name]
		if !ok {
			return 0, fmt.Errorf("%q is no kind of operand", name)
		}
		set |= s
	}
	return set, nil
}

func (p *entryParser) spaceRef(word string) (spaceRef, error) {
	if c, ok := p.classIndex(word); ok && !p.isShared(c) {
		return spaceRef{class: c}, nil
	}
	s, ok := LookupSpace(word)
	if !ok {
		return spaceRef{}, fmt.Errorf("%q is no state space", word)
	}
	return spaceRef{space: s, class: -1}, nil
}

func (p *entryParser) typeRefs(word string) ([]typeRef, error) {
	var refs []typeRef
	for name := range strings.SplitSeq(word, "|") {
		r, err := p.typeRef(name)
		if err != nil {
			return nil, err
		}
		refs = append(refs, r)
	}
	return refs, nil
}

func (p *entryParser) typeRef(name string) (typeRef, error) {
	if c, ok := p.classIndex(name); ok && !p.isShared(c) {
		return typeRef{class: c}, nil
	}
	if t, ok := LookupType(name); ok {
		return typeRef{typ: t, class: -1}, nil
	}
	return noType, fmt.Errorf("%q is neither a type nor a class of this entry", name)
}

// ranges reads "0..15", "-1|1", "0..F".
func (p *entryParser) ranges(word string) ([]span, error) {
	var out []span
	for one := range strings.SplitSeq(word, "|") {
		first, last, ranged := strings.Cut(one, "..")
		if !ranged {
			last = first
		}
		lo, err := p.expression(first)
		if err != nil {
			return nil, err
		}
		hi, err := p.expression(last)
		if err != nil {
			return nil, err
		}
		out = append(out, span{lo, hi})
	}
	return out, nil
}
