package jit

// The number of the turn in polynomials, and how often a loop goes round.

import (
	"slices"
	"strings"

	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/jit/x86"
)

// ctaTrip is the condition of a branch back: from + by·turn < to, or that they differ.
type ctaTrip struct {
	from, to *ctaNumber // nil: 0
	more     int64      // what is known of to - from
	by       int64
	differ   bool
}

// inverse is the comparison that holds where another one does not.
func inverse(how uint64, x, y ctaVal) (uint64, ctaVal, ctaVal) {
	switch how {
	case cmpLTS:
		return cmpLES, y, x
	case cmpLES:
		return cmpLTS, y, x
	case cmpLTU:
		return cmpLEU, y, x
	case cmpLEU:
		return cmpLTU, y, x
	case cmpEQ:
		how = cmpNE
	case cmpNE:
		how = cmpEQ
	}
	return how, x, y
}

// trips finds how often a loop goes round, if all warps agree.
func (k *cta) trips(l *ctaLoop, w *ctaWarp) bool {
	guard := k.insts[l.latch].Guard
	c, is := w.env[guard&^1].cond, guard&1 == 0
	for c != nil && c.kind == condNot {
		c, is = c.a, !is
	}
	if c == nil || c.kind != condCompare {
		return false
	}
	how, x, y := c.how, c.x, c.y
	if !is {
		how, x, y = inverse(how, x, y)
	}
	if x.poly == nil || y.poly == nil {
		return false
	}
	a, b := k.split(x.poly), k.split(y.poly)
	from, ok1 := a.turns()
	to, ok2 := b.turns()
	t := ctaTrip{from: a.num, to: b.num, more: b.known[0] - a.known[0], by: from - to, differ: how == cmpNE}
	switch how {
	case cmpLTU, cmpLEU:
		k.order(w.pc, &ctaSplit{}, a, allOf, nil, true)
		k.order(w.pc, &ctaSplit{}, b, allOf, nil, true)
	case cmpLTS, cmpLES:
	case cmpNE:
		if t.by < 0 {
			t = ctaTrip{from: b.num, to: a.num, more: -t.more, by: -t.by, differ: true}
		}
	default:
		return false
	}
	if how == cmpLES || how == cmpLEU {
		t.more++
	}
	k.demandFits(a, allOf, nil)
	k.demandFits(b, allOf, nil)
	const far = 1 << 28
	if !ok1 || !ok2 || t.by <= 0 || t.by > far || t.more > far || t.more < -far || w.index != 0 && t != l.trip {
		return false
	}
	l.trip = t
	l.last.launch = (t.from == nil || t.from.launch) && (t.to == nil || t.to.launch)
	for _, n := range k.numbers {
		if n.loop == l && n.of != nil {
			n.launch = l.last.launch && n.of.launch
		}
	}
	return true
}

// turns is by how much a value that all lanes share goes on from turn to turn; false if that is no constant.
func (s *ctaSplit) turns() (by int64, ok bool) {
	for i := range s.rates {
		r := &s.rates[i]
		if r.loop == nil || r.of != nil || r.coef != repeatedWord(r.coef[0]) {
			return 0, false
		}
		by += r.coef[0]
	}
	return by, s.known == repeatedWord(s.known[0])
}

func repeatedWord(v int64) (row [32]int64) {
	for i := range row {
		row[i] = v
	}
	return row
}

// sideOf is a side of a test with one extent for all lanes.
func sideOf(n *ctaNumber, e ctaExtent) ctaSide { return ctaSide{num: n, ctaExtent: e, sure: e} }

// turnIn is the loop whose turn is a factor of a product, and the other factors; false if it is one twice.
func (k *cta) turnIn(mono string) (l *ctaLoop, rest string, ok bool) {
	for _, l := range k.loops {
		if n := strings.Count(mono, string([]byte{l.turn})); n != 0 {
			return l, strings.Replace(mono, string([]byte{l.turn}), "", 1), n == 1
		}
	}
	return nil, mono, true
}

// turnRate is the turn times other factors, which must not be negative, and what lanes have: in the last turn its number is greatest.
func (k *cta) turnRate(t typ, l *ctaLoop, rest string, c [32]int64) ctaRate {
	r := ctaRate{num: l.last, coef: c, loop: l}
	if rest == "" {
		return r
	}
	r.of = k.number(t, []ctaTerm{{mono: rest, coef: rowOf(1)}})
	k.guard(ctaGuard{kind: guardRate, x: ctaSide{num: r.of}})
	key := l.last.key + " * " + r.of.key
	if r.num = k.numberAt[key]; r.num == nil {
		r.num = &ctaNumber{typ: tX, key: key, loop: l, of: r.of, launch: l.last.launch && r.of.launch, at: k.place8()}
		k.numbers = append(k.numbers, r.num)
		k.numberAt[key] = r.num
	}
	return r
}

// between is what a lane has of a rate, from the first turn to the last.
func (r *ctaRate) between(lane int) [2]int64 {
	c := r.coef[lane]
	if r.loop == nil {
		return [2]int64{c, c}
	}
	return [2]int64{min(c, 0), max(c, 0)}
}

// rateMono is the product that a rate is, extended to 64 bits; false if there are too many numbers.
func (k *cta) rateMono(r *ctaRate) (mono string, ok bool) {
	num, turn := r.num, ""
	if r.loop != nil {
		num, turn = r.of, string([]byte{r.loop.turn})
	}
	if num != nil {
		a := k.atom(tX, ctaAtom{kind: atomNumber, num: num})
		if a == nil {
			return "", false
		}
		turn += a.terms[0].mono
	}
	m := []byte(turn)
	slices.Sort(m)
	return string(m), true
}

// atLast is a polynomial in the last turn; nil if it is none.
func (k *cta) atLast(l *ctaLoop, p *ctaPoly) *ctaPoly {
	out := p.mem.poly(p.typ, nil, len(p.terms))
	for _, t := range p.terms {
		if in, rest, ok := k.turnIn(t.mono); in == l {
			a := k.atom(p.typ, ctaAtom{kind: atomNumber, num: l.last})
			if a == nil || !ok {
				return nil
			}
			m := []byte(rest + a.terms[0].mono)
			slices.Sort(m)
			t.mono, t.lanes = string(m), t.lanes && *t.coef != *rowOf(t.coef[0])
		}
		out.addTerm(t.mono, t.coef, t.lanes)
	}
	return out
}

// whole is a polynomial without products by zero.
func (p *ctaPoly) whole() *ctaPoly {
	out := p.mem.poly(p.typ, p.terms, 0)
	out.terms = slices.DeleteFunc(out.terms, func(t ctaTerm) bool { return *t.coef == [32]uint64{} })
	return out
}

// samePoly tells whether two values are the same polynomial.
func (v ctaVal) samePoly(u ctaVal) bool {
	return v.poly != nil && u.poly != nil && v.poly.typ == u.poly.typ && len(v.poly.sum(u.poly, true).whole().terms) == 0
}

// wide tells whether a value has 64 bits.
func (v ctaVal) wide() bool { return v.poly != nil && v.poly.typ != tW }

// loosely is a value before its NaNs have become canonical; false if it may have others.
func (v ctaVal) loosely() (raw ctaVal, ok bool) {
	if v.node != nil && v.node.kind == nodeCanon {
		return v.node.in[0], true
	}
	if v.poly != nil {
		row, known := v.poly.known()
		return v, known && !slices.ContainsFunc(row[:], func(x uint64) bool { return x&magF32 > 0x7f800000 && x != nanF32 })
	}
	return v, false
}

// liveOffsets are the places of registers that somebody reads behind an instruction, or there.
func (k *cta) liveOffsets(pc int32) map[uint32]bool {
	list := map[uint32]bool{}
	bits := k.live.at(pc)
	for g := range k.f.Regs {
		if bits.Has(g) {
			list[k.offset(ir.Reg(g))] = true
		}
	}
	for i := range k.code.Scalars {
		if s := &k.code.Scalars[i]; list[s.Row] {
			list[s.Slot] = true
		}
	}
	return list
}

// lastTurn computes how often a loop is gone back, or that times a number, into RAX.
func (m *ctaCode) lastTurn(n *ctaNumber) {
	if n.of != nil {
		m.c.RM(x86.MOV, x86.S64, x86.RAX, n.loop.last.mem())
		m.c.RM(x86.IMUL, x86.S64, x86.RAX, n.of.mem())
		return
	}
	t := &n.loop.trip
	m.c.MovImm(x86.RAX, uint64(t.more))
	if t.to != nil {
		m.c.RM(x86.ADD, x86.S64, x86.RAX, t.to.mem())
	}
	if t.from != nil {
		m.c.RM(x86.SUB, x86.S64, x86.RAX, t.from.mem())
	}
	if t.differ {
		m.c.RR(x86.TEST, x86.S64, x86.RAX, x86.RAX)
		m.c.Jcc(x86.S, m.miss)
	} else {
		m.c.Zero(x86.RDX)
		m.c.RR(x86.TEST, x86.S64, x86.RAX, x86.RAX)
		m.c.Cmov(x86.S, x86.S64, x86.RAX, x86.RDX)
		m.c.RI(x86.ADD, x86.S64, x86.RAX, int32(t.by-1))
	}
	if t.by == 1 {
		return
	}
	m.c.Zero(x86.RDX)
	m.c.MovImm(x86.RCX, uint64(t.by))
	m.c.R(x86.DIV, x86.S64, x86.RCX)
	if t.differ {
		m.c.RR(x86.TEST, x86.S64, x86.RDX, x86.RDX)
		m.c.Jcc(x86.NE, m.miss)
	}
}
