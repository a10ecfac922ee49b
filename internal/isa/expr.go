package isa

// This file reads and evaluates the small integer expressions of operand lines and
// conditions: N/2, M*X, 4*G, N%16, V*.type.

import (
	"fmt"
	"slices"
	"strconv"
)

// expr is a tree of integer operations.
type expr struct {
	op   byte // one of "+-*/%", 'n' number, 'c' capture or column, 't' bytes of a type
	n    int  // the number, or the entry's index of the capture
	typ  typeRef
	a, b *expr
}

// symbolBase lies above every number of the data: symbols of tables are numbers from here.
const symbolBase = 1 << 20

// value evaluates e; ok is false if a capture has no value.
func (e *expr) value(v *env) (n int, ok bool) {
	switch e.op {
	case 'n':
		return e.n, true
	case 'c':
		return v.captures[e.n].value, v.captures[e.n].set
	case 't':
		return v.typeOf(e.typ).Bytes(), true
	}
	a, okA := e.a.value(v)
	b, okB := e.b.value(v)
	return apply(e.op, a, b), okA && okB
}

// scale evaluates e with 1 for what has no value, as the alignment V*.type wants it.
func (e *expr) scale(v *env) int {
	if e.op == '*' {
		return e.a.scale(v) * e.b.scale(v)
	}
	if n, ok := e.value(v); ok {
		return n
	}
	return 1
}

func apply(op byte, a, b int) int {
	switch {
	case op == '+':
		return a + b
	case op == '-':
		return a - b
	case op == '*':
		return a * b
	case b == 0:
		return 0
	case op == '/':
		return a / b
	}
	return a % b
}

// exprParser reads an expression without spaces.
type exprParser struct {
	p *entryParser
	s string
	i int
}

// expression parses all of s.
func (p *entryParser) expression(s string) (*expr, error) {
	x := exprParser{p: p, s: s}
	e, err := x.sum()
	if err == nil && x.i < len(s) {
		err = fmt.Errorf("unexpected %q in expression %q", s[x.i:], s)
	}
	return e, err
}

func (x *exprParser) sum() (*expr, error) { return x.chain("+-", x.product) }

func (x *exprParser) product() (*expr, error) { return x.chain("*/%", x.atom) }

func (x *exprParser) chain(ops string, next func() (*expr, error)) (*expr, error) {
	e, err := next()
	for err == nil && x.i < len(x.s) && containsByte(ops, x.s[x.i]) {
		op := x.s[x.i]
		x.i++
		var b *expr
		b, err = next()
		e = &expr{op: op, a: e, b: b}
	}
	return e, err
}

func (x *exprParser) atom() (*expr, error) {
	word := x.word()
	switch {
	case word == "":
		return nil, fmt.Errorf("an operand is missing in expression %q", x.s)
	case word[0] == '.':
		t, err := x.p.typeRef(word)
		return &expr{op: 't', typ: t}, err
	case isDigit(word[0]) || word[0] == '-':
		n, err := strconv.Atoi(word)
		return &expr{op: 'n', n: n}, err
	}
	if c := slices.Index(x.p.e.captures, word); c >= 0 {
		return &expr{op: 'c', n: c}, nil
	}
	return nil, fmt.Errorf("%q is neither a capture nor a column", word)
}

// word reads a number, a name or a class.
func (x *exprParser) word() string {
	start := x.i
	if x.i < len(x.s) && x.s[x.i] == '-' {
		x.i++
	}
	for x.i < len(x.s) && !containsByte("+-*/%", x.s[x.i]) {
		x.i++
	}
	return x.s[start:x.i]
}

func containsByte(s string, c byte) bool {
	for i := range len(s) {
		if s[i] == c {
			return true
		}
	}
	return false
}
