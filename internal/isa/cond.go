package isa

// This file reads and evaluates conditions: and, or, not over modifiers, classes, captures
// and operands.

import (
	"fmt"
	"slices"
	"strings"
)

// truth is a three-valued result: what asks for the kind of an operand is unknown until the
// operands are there.
type truth uint8

const (
	no truth = iota
	yes
	unknown
)

func truthOf(b bool) truth {
	if b {
		return yes
	}
	return no
}

// cond is a condition.
type cond interface {
	eval(v *env) truth
}

type (
	andCond struct{ a, b cond }
	orCond  struct{ a, b cond }
	notCond struct{ a cond }
	// hasCond: one of these modifiers is there, or a class has a value.
	hasCond struct{ any []valueRef }
	// isCond: the value of a class is one of these.
	isCond struct {
		class int
		any   []valueRef
	}
	// cmpCond compares an expression with others; = holds for any of them.
	cmpCond struct {
		a   *expr
		op  string
		any []*expr
	}
	// roleCond: the operand is there.
	roleCond struct{ role int }
	// kindCond: the operand is there and of that sort.
	kindCond struct {
		role int
		sort sortSet
	}
)

// valueRef names values: a modifier, a class or set, or none.
type valueRef struct {
	mod   Mod
	class int  // index in the entry, -1 if it is a modifier or none
	none  bool // the class is absent
}

func (c andCond) eval(v *env) truth {
	a := c.a.eval(v)
	if a == no {
		return no
	}
	b := c.b.eval(v)
	if b == no || a == yes {
		return b
	}
	return unknown
}

func (c orCond) eval(v *env) truth {
	a := c.a.eval(v)
	if a == yes {
		return yes
	}
	b := c.b.eval(v)
	if b == yes || a == no {
		return b
	}
	return unknown
}

func (c notCond) eval(v *env) truth {
	switch c.a.eval(v) {
	case yes:
		return no
	case no:
		return yes
	}
	return unknown
}

func (c hasCond) eval(v *env) truth {
	for _, r := range c.any {
		if v.has(r) {
			return yes
		}
	}
	return no
}

func (c isCond) eval(v *env) truth {
	m := v.get(c.class)
	for _, r := range c.any {
		if v.names(r, m) {
			return yes
		}
	}
	return no
}

func (c cmpCond) eval(v *env) truth {
	a, ok := c.a.value(v)
	for _, e := range c.any {
		if b, okB := e.value(v); ok && okB && compare(a, c.op, b) {
			return yes
		}
	}
	return no
}

func compare(a int, op string, b int) bool {
	switch op {
	case "=":
		return a == b
	case "!=":
		return a != b
	case "<=":
		return a <= b
	case ">=":
		return a >= b
	case "<":
		return a < b
	}
	return a > b
}

func (c roleCond) eval(v *env) truth {
	if !v.rolesKnown {
		return unknown
	}
	return truthOf(v.present>>c.role&1 != 0)
}

func (c kindCond) eval(v *env) truth {
	switch {
	case v.rolesKnown && v.present>>c.role&1 == 0:
		return no
	case v.query == nil:
		return unknown
	}
	return truthOf(v.plan.shape(v.query, c.role).sorts()&c.sort != 0)
}

// spacedParens makes parentheses words.
var spacedParens = strings.NewReplacer("(", " ( ", ")", " ) ")

// condition parses words up to the end.
func (p *entryParser) condition(text string) (cond, error) {
	c := condParser{p: p, words: strings.Fields(spacedParens.Replace(text))}
	out, err := c.or()
	if err == nil && len(c.words) > 0 {
		err = fmt.Errorf("unexpected %q in condition", c.words[0])
	}
	return out, err
}

type condParser struct {
	p     *entryParser
	words []string
}

func (c *condParser) take(word string) bool {
	if len(c.words) == 0 || c.words[0] != word {
		return false
	}
	c.words = c.words[1:]
	return true
}

func (c *condParser) or() (cond, error) {
	a, err := c.and()
	for err == nil && c.take("or") {
		var b cond
		b, err = c.and()
		a = orCond{a, b}
	}
	return a, err
}

func (c *condParser) and() (cond, error) {
	a, err := c.unary()
	for err == nil && c.take("and") {
		var b cond
		b, err = c.unary()
		a = andCond{a, b}
	}
	return a, err
}

func (c *condParser) unary() (cond, error) {
	switch {
	case c.take("not"):
		a, err := c.unary()
		return notCond{a}, err
	case c.take("("):
		a, err := c.or()
		if err == nil && !c.take(")") {
			err = fmt.Errorf("a parenthesis is not closed")
		}
		return a, err
	case len(c.words) == 0:
		return nil, fmt.Errorf("a condition is missing")
	}
	word := c.words[0]
	c.words = c.words[1:]
	return c.p.atom(word)
}

// atom reads one word of a condition.
func (p *entryParser) atom(word string) (cond, error) {
	left, op, right := cutComparison(word)
	switch {
	case word[0] == '.' && op == "":
		any, err := p.valueRefs(word)
		return hasCond{any}, err
	case word[0] == '.' && op == "=" && !strings.ContainsAny(left, "*/%+"):
		return p.classIs(left, right)
	case op != "":
		return p.comparison(left, op, right)
	}
	name, sort, _ := strings.Cut(word, ":")
	role := slices.Index(p.roles, name)
	if role < 0 {
		return nil, fmt.Errorf("%q is no operand of this entry", name)
	}
	if sort == "" {
		return roleCond{role}, nil
	}
	set, ok := sortByName[sort]
	if !ok {
		return nil, fmt.Errorf("%q is no kind of operand", sort)
	}
	return kindCond{role, set}, nil
}

// cutComparison splits at the first comparison; "::" and ":" are none.
func cutComparison(word string) (left, op, right string) {
	i := strings.IndexAny(word, "=<>!")
	if i < 0 {
		return word, "", ""
	}
	n := 1
	if i+1 < len(word) && word[i+1] == '=' {
		n = 2
	}
	return word[:i], word[i : i+n], word[i+n:]
}

func (p *entryParser) classIs(class, values string) (cond, error) {
	c, ok := p.classIndex(class)
	if !ok {
		return nil, fmt.Errorf("%s is no class of this entry", class)
	}
	any, err := p.valueRefs(values)
	return isCond{c, any}, err
}

// comparison reads "N%16=0" or "R=i|i?"; a name that is no capture is a symbol of a table.
func (p *entryParser) comparison(left, op, right string) (cond, error) {
	a, err := p.expression(left)
	if err != nil {
		return nil, err
	}
	c := cmpCond{a: a, op: op}
	for alt := range strings.SplitSeq(right, "|") {
		if n, ok := p.symbols[alt]; ok {
			c.any = append(c.any, &expr{op: 'n', n: n})
			continue
		}
		b, err := p.expression(alt)
		if err != nil {
			return nil, err
		}
		c.any = append(c.any, b)
	}
	return c, nil
}

// valueRefs reads ".a|.set|none".
func (p *entryParser) valueRefs(text string) ([]valueRef, error) {
	var refs []valueRef
	for word := range strings.SplitSeq(text, "|") {
		r, err := p.valueRef(word)
		if err != nil {
			return nil, err
		}
		refs = append(refs, r)
	}
	return refs, nil
}

func (p *entryParser) valueRef(word string) (valueRef, error) {
	if word == "none" {
		return valueRef{class: -1, none: true}, nil
	}
	if c, ok := p.classIndex(word); ok {
		return valueRef{class: c}, nil
	}
	m := p.t.knownMod(word)
	if word == "" || word[0] != '.' || m == 0 || !p.uses.has(m) {
		return valueRef{}, fmt.Errorf("%q is neither a class nor a modifier of this entry", word)
	}
	return valueRef{mod: m, class: -1}, nil
}
