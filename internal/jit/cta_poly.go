package jit

// Values of a CTA's program: polynomials in numbers that all its lanes share, whose coefficients differ between lanes,
// modulo the width of the value. One without numbers is a row that is known.

import (
	"encoding/binary"
	"slices"
	"strings"
)

// ctaAtom is a number that comes from somewhere.
type ctaAtom struct {
	kind ctaAtomKind
	off  uint32 // atomParam: pc of the load; atomSpecial: its place
	part int    // atomParam: element
	num  *ctaNumber
}

type ctaAtomKind uint8

const (
	atomParam   ctaAtomKind = iota
	atomSpecial             // a special register of the CTA or of the launch
	atomNumber              // a number of 32 bits, extended by its sign
)

// ctaPoly is a sum of products. A product is the string of its atoms, in order; "" is 1.
type ctaPoly struct {
	mem   *ctaMem
	typ   typ
	terms []ctaTerm
}

type ctaTerm struct {
	mono  string
	coef  *[32]uint64
	lanes bool // the coefficient follows from the thread index
}

// ctaVal is what a register holds: one of these.
type ctaVal struct {
	poly *ctaPoly
	node *ctaNode
	cond *ctaCond
}

func rowOf(v uint64) *[32]uint64 {
	var c [32]uint64
	for i := range c {
		c[i] = v
	}
	return &c
}

// plus is a polynomial with one more product.
func (p *ctaPoly) plus(mono string, c *[32]uint64, lanes bool) *ctaPoly {
	out := p.mem.poly(p.typ, p.terms, 1)
	out.addTerm(mono, c, lanes)
	return out
}

func (p *ctaPoly) addTerm(mono string, c *[32]uint64, lanes bool) {
	at, found := slices.BinarySearchFunc(p.terms, mono, func(t ctaTerm, m string) int { return strings.Compare(t.mono, m) })
	sum := p.mem.row()
	if !found {
		p.terms = slices.Insert(p.terms, at, ctaTerm{mono: mono, coef: sum})
	}
	t := &p.terms[at]
	any, cut := uint64(0), p.typ.cut(^uint64(0))
	for i := range sum {
		sum[i] = (t.coef[i] + c[i]) & cut
		any |= sum[i]
	}
	t.coef, t.lanes = sum, t.lanes || lanes
	if any == 0 && !t.lanes {
		p.terms = slices.Delete(p.terms, at, at+1)
	}
}

// cut keeps the bits of a type.
func (t typ) cut(v uint64) uint64 { return v & (^uint64(0) >> (64 - t.bits())) }

// zeroRow is the row of 0.
var zeroRow [32]uint64

// known is the row of a value without numbers.
func (p *ctaPoly) known() (*[32]uint64, bool) {
	switch {
	case len(p.terms) == 0:
		return &zeroRow, true
	case len(p.terms) == 1 && p.terms[0].mono == "":
		return p.terms[0].coef, true
	}
	return nil, false
}

// fromLanes tells whether a value that is known follows from the thread index.
func (p *ctaPoly) fromLanes() bool { return len(p.terms) == 1 && p.terms[0].lanes }

func (p *ctaPoly) sum(q *ctaPoly, minus bool) *ctaPoly {
	out := p.mem.poly(p.typ, p.terms, len(q.terms))
	for _, t := range q.terms {
		c := t.coef
		if minus {
			n := *c
			for i := range n {
				n[i] = -n[i]
			}
			c = &n
		}
		out.addTerm(t.mono, c, t.lanes)
	}
	return out
}

// Bounds of polynomials.
const (
	maxCTATerms  = 12
	maxCTADegree = 3
)

// times is a product; nil if it is too large.
func (p *ctaPoly) times(q *ctaPoly) *ctaPoly {
	out := p.mem.poly(p.typ, nil, min(len(p.terms)*len(q.terms), maxCTATerms+1))
	for _, a := range p.terms {
		for _, b := range q.terms {
			m := product(a.mono, b.mono)
			c := *a.coef
			for i := range c {
				c[i] *= b.coef[i]
			}
			out.addTerm(m, &c, a.lanes || b.lanes)
			if len(m) > maxCTADegree || len(out.terms) > maxCTATerms {
				return nil
			}
		}
	}
	return out
}

// product has the atoms of two products.
func product(a, b string) string {
	switch {
	case a == "":
		return b
	case b == "":
		return a
	}
	m := []byte(a + b)
	slices.Sort(m)
	return string(m)
}

// blend takes lanes of p, and the others of q.
func (p *ctaPoly) blend(lanes uint32, q *ctaPoly) *ctaPoly {
	out := p.mem.poly(p.typ, nil, len(p.terms)+len(q.terms))
	for k, from := range []*ctaPoly{p, q} {
		keep, other := lanes, q
		if k == 1 {
			keep, other = ^lanes, p
		}
		for _, t := range from.terms {
			c := *t.coef
			for i := range c {
				if keep>>i&1 == 0 {
					c[i] = 0
				}
			}
			out.addTerm(t.mono, &c, t.lanes || !other.has(t))
		}
	}
	return out
}

// equal tells whether two polynomials are the same, lane by lane.
func (p *ctaPoly) equal(q *ctaPoly) bool {
	return p.typ == q.typ && slices.EqualFunc(p.terms, q.terms, func(a, b ctaTerm) bool { return a.mono == b.mono && *a.coef == *b.coef && a.lanes == b.lanes })
}

// has tells whether a polynomial has the same term, not from lanes.
func (p *ctaPoly) has(t ctaTerm) bool {
	for _, u := range p.terms {
		if u.mono == t.mono {
			return !u.lanes && *u.coef == *t.coef
		}
	}
	return false
}

// ctaNumber is a sum that all lanes share. Of 32 bits, its place holds it extended by its sign.
type ctaNumber struct {
	typ    typ
	terms  []ctaTerm // coefficients are the same for all lanes
	key    string
	launch bool // the same in all CTAs
	at     int  // its place
	host   int  // place and 1 of the address of the host that it is, 0 for none
}

// ctaSplit is a value as a number, products of other numbers with what lanes have, and what is known.
type ctaSplit struct {
	num   *ctaNumber // nil: 0
	rates []ctaRate
	known [32]int64
}

// ctaRate is a number times what each lane has.
type ctaRate struct {
	num  *ctaNumber
	coef [32]int64
}

// split parts a value.
func (k *cta) split(p *ctaPoly) *ctaSplit {
	s := k.mem.cta.splits.one()
	s.rates = k.mem.cta.rates.take(len(p.terms))[:0]
	base := k.mem.cta.terms.take(len(p.terms))[:0]
	for _, t := range p.terms {
		var c [32]int64
		signed(&c, p.typ, t.coef)
		switch {
		case t.mono == "":
			s.known = c
		case t.lanes:
			s.rates = append(s.rates, ctaRate{num: k.number(p.typ, []ctaTerm{{mono: t.mono, coef: rowOf(1)}}), coef: c})
		default:
			base = append(base, t)
		}
	}
	if len(base) != 0 {
		s.num = k.number(p.typ, base)
	}
	return s
}

// signed has the elements of a row as numbers with a sign.
func signed(out *[32]int64, t typ, row *[32]uint64) {
	for i := range out {
		out[i] = t.signed(row[i])
	}
}

// number is the number of a sum, the same for the same one.
func (k *cta) number(t typ, terms []ctaTerm) *ctaNumber {
	key := append(k.sought[:0], byte(t))
	launch := true
	for _, x := range terms {
		key = append(append(binary.LittleEndian.AppendUint64(key, x.coef[0]), byte(len(x.mono))), x.mono...)
		for _, a := range []byte(x.mono) {
			launch = launch && k.atomLasts(&k.atoms[a])
		}
	}
	k.sought = key
	n := k.numberAt[string(key)]
	if n == nil {
		n = &ctaNumber{typ: t, terms: terms, key: string(key), launch: launch, at: k.place8()}
		k.numbers = append(k.numbers, n)
		k.numberAt[n.key] = n
	}
	return n
}

// atom is a polynomial that is a number from somewhere; nil if there are too many.
func (k *cta) atom(t typ, a ctaAtom) *ctaPoly {
	i, ok := k.atomAt[a]
	if !ok {
		if len(k.atoms) == 200 {
			return nil
		}
		i = byte(len(k.atoms))
		k.atoms, k.atomAt[a] = append(k.atoms, a), i
	}
	return k.mem.cta.of(t, string([]byte{i}), rowOf(1), false)
}
