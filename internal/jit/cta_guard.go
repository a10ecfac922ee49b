package jit

// What a CTA's program takes for granted, and tests in front of everything: comparisons that come out the same for all
// lanes, values that do not wrap, addresses inside.

import (
	"encoding/binary"
	"slices"

	"ptxvm.invalid/ptxvm/internal/uop"
)

// ctaCond is a predicate.
type ctaCond struct {
	kind  ctaCondKind
	lanes uint32 // condKnown: those for which it holds; condBlend: those of a
	a, b  *ctaCond
	how   uint64 // condCompare
	x, y  ctaVal
	pc    int32
	is    [2]uint32  // lanes for which it has been settled that it does not hold, and that it does
	row   *[32]int64 // condRow: how it is compared with diff, where the program runs
	diff  *ctaDiff
}

type ctaCondKind uint8

const (
	condKnown ctaCondKind = iota
	condCompare
	condNot
	condAnd
	condOr
	condBlend
	condRow
)

func knownCond(lanes uint32) *ctaCond { return &ctaCond{kind: condKnown, lanes: lanes} }

// turned is where a predicate does not hold, if turn is true.
func (c *ctaCond) turned(turn bool) *ctaCond {
	switch {
	case c == nil || !turn:
		return c
	case c.kind == condKnown:
		return knownCond(^c.lanes)
	case c.kind == condNot:
		return c.a
	}
	return &ctaCond{kind: condNot, a: c}
}

// combined is two predicates as one; nil for combinations that are none here.
func combined(op uop.WordOp, a, b *ctaCond) *ctaCond {
	known := a.kind == condKnown && b != nil && b.kind == condKnown
	switch {
	case op == uop.WordFirst:
		return a
	case op == uop.WordNot:
		return a.turned(true)
	case b == nil:
		return nil
	case op == uop.WordAnd && known:
		return knownCond(a.lanes & b.lanes)
	case op == uop.WordOr && known:
		return knownCond(a.lanes | b.lanes)
	case op == uop.WordXor && known:
		return knownCond(a.lanes ^ b.lanes)
	case op == uop.WordAnd:
		return &ctaCond{kind: condAnd, a: a, b: b}
	case op == uop.WordOr:
		return &ctaCond{kind: condOr, a: a, b: b}
	}
	return nil
}

// blend takes lanes of c, and the others of old.
func (c *ctaCond) blend(lanes uint32, old *ctaCond) *ctaCond {
	if c.kind == condKnown && old.kind == condKnown {
		return knownCond(c.lanes&lanes | old.lanes&^lanes)
	}
	return &ctaCond{kind: condBlend, lanes: lanes, a: c, b: old}
}

// compare runs setp.
func (k *cta) compare(w *ctaWarp, s *step) bool {
	c := k.comparison(w, s.prog, s.in)
	if c == nil {
		return false
	}
	m := &s.op.Masks
	other := knownCond(0)
	if m.Op != uop.WordFirst {
		src := source{typ: tM, off: m.C}
		v, ok := k.read(w, &src)
		if !ok || v.cond == nil {
			return false
		}
		other = v.cond.turned(m.Flip != 0)
	}
	return k.writeCond(w, m.P, combined(m.Op, c, other)) && k.writeCond(w, m.Q, combined(m.Op, c.turned(true), other))
}

// comparison is what a program that compares finds; nil if that depends on more than numbers.
func (k *cta) comparison(w *ctaWarp, p *program, in []source) *ctaCond {
	vals, conds := k.mem.cta.vals.take(len(p.ops)), make([]*ctaCond, len(p.ops))
	polys := k.mem.cta.found.take(len(p.ops))
	for i, need := range needed(p) {
		if !need {
			continue
		}
		switch o := &p.ops[i]; o.code {
		case cIn:
			v, ok := k.read(w, &in[o.imm])
			if !ok {
				return nil
			}
			vals[i], polys[i] = v, v.poly
		case cCmp:
			q := p.unsigned(o)
			conds[i] = k.compared(w, q, p.typ(q.a), vals[q.a], vals[q.b])
		case cLanes:
			conds[i] = knownCond(uint32(o.imm))
		case cMNot:
			conds[i] = conds[o.a].turned(true)
		default:
			if !slices.ContainsFunc(o.args(), func(a val) bool { return polys[a] == nil }) {
				polys[i] = k.operation(w, p, o, polys)
				vals[i].poly = polys[i]
			}
		}
		if o := &p.ops[i]; o.typ == tM && conds[i] == nil {
			return nil
		}
	}
	return conds[p.result]
}

// unsigned is a comparison of numbers without sign where AVX2 has compared the greater one with one of them.
func (p *program) unsigned(o *operation) *operation {
	m := &p.ops[o.a]
	if o.imm != cmpEQ || m.code != cMaxU || o.b != m.a && o.b != m.b {
		return o
	}
	q := *o
	if q.imm, q.a = cmpLEU, m.a; q.b == m.a {
		q.a = m.b
	}
	return &q
}

// compared is a comparison of two values.
func (k *cta) compared(w *ctaWarp, o *operation, t typ, x, y ctaVal) *ctaCond {
	if o.n != 2 || o.imm&cmpTurned != 0 || x == (ctaVal{}) || y == (ctaVal{}) {
		return nil
	}
	if x.poly != nil && y.poly != nil {
		a, ok1 := x.poly.known()
		b, ok2 := y.poly.known()
		if ok1 && ok2 {
			m := uint32(0)
			for i := range a {
				m |= uint32(bit(compareLane(o.imm, t, a[i], b[i]))) << i
			}
			return knownCond(m)
		}
	}
	if t != tW {
		return nil
	}
	return &ctaCond{kind: condCompare, how: o.imm, x: x, y: y, pc: w.pc}
}

// decide parts the lanes that have come to an instruction by its guard. One of which nothing is known may part them if
// it may, else is to come out as is says for all of them, or the other way.
func (k *cta) decide(w *ctaWarp, guard uint32, is, may bool) (taken, rest ctaSet, ok bool) {
	c := w.env[guard&^1].cond
	if c == nil {
		return nil, nil, false
	}
	return k.part(w, c.turned(guard&1 != 0), w.here, is, may)
}

// part parts lanes by a condition.
func (k *cta) part(w *ctaWarp, c *ctaCond, s ctaSet, is, may bool) (taken, rest ctaSet, ok bool) {
	hold, ok := c.value(s.lanes())
	if !ok && may {
		if taken, rest, ok = k.parted(w, c, s); ok {
			return taken, rest, true
		}
	}
	if !ok {
		hold, ok = k.settled(w, c, s.lanes(), is)
	}
	return s.and(hold), s.and(^hold), ok
}

// settled has all lanes of some, or none, as far as that can be demanded of a condition.
func (k *cta) settled(w *ctaWarp, c *ctaCond, lanes uint32, is bool) (hold uint32, ok bool) {
	for _, want := range []bool{is, !is} {
		had := len(k.guards)
		switch {
		case !k.demand(w, c, lanes, want):
			k.failed = k.failed || len(k.guards) != had // what has been demanded in vain stays
		case want:
			return lanes, true
		default:
			return 0, true
		}
	}
	return 0, false
}

// value is the lanes for which a condition holds, as far as that is known for some.
func (c *ctaCond) value(lanes uint32) (hold uint32, ok bool) {
	switch c.kind {
	case condKnown:
		return c.lanes, true
	case condCompare:
		return c.is[1], lanes&^(c.is[0]|c.is[1]) == 0
	case condRow:
		return 0, lanes == 0
	case condNot:
		hold, ok = c.a.value(lanes)
		return ^hold, ok
	case condBlend:
		a, ok1 := c.a.value(lanes & c.lanes)
		b, ok2 := c.b.value(lanes &^ c.lanes)
		return a&c.lanes | b&^c.lanes, ok1 && ok2
	}
	a, ok1 := c.a.value(lanes)
	b, ok2 := c.b.value(lanes)
	if c.kind == condAnd {
		return a & b, ok1 && ok2 || ok1 && a&lanes == 0 || ok2 && b&lanes == 0
	}
	return a | b, ok1 && ok2 || ok1 && lanes&^a == 0 || ok2 && lanes&^b == 0
}

// demand makes a condition hold, or not, for all of some lanes; false if that cannot be asked for.
func (k *cta) demand(w *ctaWarp, c *ctaCond, lanes uint32, is bool) bool {
	if lanes == 0 {
		return true
	}
	if m, ok := c.value(lanes); ok {
		return is && lanes&^m == 0 || !is && lanes&m == 0
	}
	switch c.kind {
	case condNot:
		return k.demand(w, c.a, lanes, !is)
	case condBlend:
		return k.demand(w, c.a, lanes&c.lanes, is) && k.demand(w, c.b, lanes&^c.lanes, is)
	case condRow:
		return false
	case condCompare:
		if !k.demandCompare(w, c, lanes, is) {
			return false
		}
		c.is[bit(is)] |= lanes
		return true
	}
	if is == (c.kind == condAnd) {
		return k.demand(w, c.a, lanes, is) && k.demand(w, c.b, lanes, is)
	}
	return k.demand(w, c.a, lanes, is) || k.demand(w, c.b, lanes, is)
}

// demandCompare demands how a comparison comes out.
func (k *cta) demandCompare(w *ctaWarp, c *ctaCond, lanes uint32, is bool) bool {
	how, x, y := c.how, c.x.of(lanes), c.y.of(lanes)
	if !is {
		how, x, y = inverse(how, x, y)
	}
	if how == cmpLES && x.poly != nil && y.node != nil && y.node.isOr() { // not negative, as all that have been joined
		if zero, ok := x.poly.known(); ok && *zero == [32]uint64{} {
			for _, in := range y.node.in {
				if in.of(lanes).poly == nil {
					return false
				}
			}
			for _, in := range y.node.in {
				k.demandOrder(c.pc, x.poly, in.of(lanes).poly, lanes, true)
			}
			return true
		}
	}
	if x.poly == nil || y.poly == nil {
		return false
	}
	switch how {
	case cmpLTS, cmpLES:
		k.demandOrder(c.pc, x.poly, y.poly, lanes, how == cmpLES)
		return true
	case cmpLTU, cmpLEU: // of numbers that are not negative
		k.demandOrder(c.pc, k.mem.cta.known(tW, 0), x.poly, lanes, true)
		k.demandOrder(c.pc, x.poly, y.poly, lanes, how == cmpLEU)
		return true
	case cmpEQ:
		k.demandOrder(c.pc, x.poly, y.poly, lanes, true)
		k.demandOrder(c.pc, y.poly, x.poly, lanes, true)
		return true
	}
	return false
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

// of is what some lanes have of a value.
func (v ctaVal) of(lanes uint32) ctaVal {
	for v.node != nil && v.node.kind == nodeMerge {
		switch {
		case lanes&^v.node.lanes == 0 && v.node.when == nil:
			v = v.node.in[0]
		case lanes&v.node.lanes == 0:
			v = v.node.in[1]
		default:
			return v
		}
	}
	return v
}

// isOr tells whether a row is the disjunction of its sources.
func (n *ctaNode) isOr() bool {
	return n.kind == nodeProgram && n.prog.ops[n.prog.result].code == cOr && n.prog.ops[n.prog.ops[n.prog.result].a].code == cIn && n.prog.ops[n.prog.ops[n.prog.result].b].code == cIn
}

// ctaExtent is between which values the lanes of an access or a comparison are.
type ctaExtent struct {
	some      bool
	low, high int64
	rates     [][2]int64 // least and greatest coefficient
}

// add adds a lane whose known part is between two values.
func (e *ctaExtent) add(s *ctaSplit, lane int, from, to int64) {
	if !e.some {
		*e = ctaExtent{some: true, low: from, high: to, rates: make([][2]int64, len(s.rates))}
		for i := range s.rates {
			e.rates[i] = [2]int64{s.rates[i].coef[lane], s.rates[i].coef[lane]}
		}
	}
	e.low, e.high = min(e.low, from), max(e.high, to)
	for i := range s.rates {
		c := s.rates[i].coef[lane]
		e.rates[i] = [2]int64{min(e.rates[i][0], c), max(e.rates[i][1], c)}
	}
}

func (s *ctaSplit) extent(lanes uint32) (e ctaExtent) {
	for i := range 32 {
		if lanes>>i&1 != 0 {
			e.add(s, i, s.known[i], s.known[i])
		}
	}
	return e
}

func (e *ctaExtent) clone() ctaExtent {
	f := *e
	f.rates = slices.Clone(e.rates)
	return f
}

// join makes an extent contain another one of the same numbers.
func (e *ctaExtent) join(f *ctaExtent) {
	switch {
	case !f.some:
		return
	case !e.some:
		*e = f.clone()
		return
	}
	e.low, e.high = min(e.low, f.low), max(e.high, f.high)
	for i := range e.rates {
		e.rates[i][0], e.rates[i][1] = min(e.rates[i][0], f.rates[i][0]), max(e.rates[i][1], f.rates[i][1])
	}
}

// ctaGuard is a test in front of the program.
type ctaGuard struct {
	kind  ctaGuardKind
	x, y  ctaSide // order: the greatest of x and the least of y
	equal bool    // may be equal
	pc    int32   // order, inside
	align int64
	load  bool
}

type ctaGuardKind uint8

const (
	guardFits   ctaGuardKind = iota // x does not wrap in 32 bits
	guardOrder                      // x < y
	guardInside                     // addresses x are in the allocation that pc has hit
	guardRate                       // the number of x has 31 bits, and no sign
)

// ctaSide is numbers and their extent: of all lanes that may be asked for, and of those that are, as far as that is known.
type ctaSide struct {
	num   *ctaNumber
	rates []*ctaNumber
	ctaExtent
	sure   ctaExtent
	masked []ctaMasked
	reach  int64 // bytes behind the greatest that masked has
}

// ctaMasked is what lanes that a mask has add to an extent.
type ctaMasked struct {
	*ctaSplit
	when *ctaMask
}

// side is a side of lanes that run.
func side(s *ctaSplit, e *ctaExtent, when *ctaMask, reach int64) ctaSide {
	x := ctaSide{num: s.num, ctaExtent: *e, reach: reach}
	switch {
	case !e.some:
	case when == nil:
		x.sure = e.clone()
	default:
		x.masked = []ctaMasked{{s, when}}
	}
	for i := range s.rates {
		x.rates = append(x.rates, s.rates[i].num)
	}
	return x
}

// join makes a side contain another one of the same numbers.
func (x *ctaSide) join(y *ctaSide) {
	x.ctaExtent.join(&y.ctaExtent)
	x.sure.join(&y.sure)
	x.masked = append(x.masked, y.masked...)
}

// key adds what tells it from a side of other numbers.
func (x *ctaSide) key(b []byte) []byte {
	b = x.num.name(b)
	for _, n := range x.rates {
		b = n.name(b)
	}
	return append(b, byte(len(x.rates)))
}

// name adds the key of a number to others, "" for none.
func (n *ctaNumber) name(b []byte) []byte {
	if n == nil {
		return append(b, 0)
	}
	return append(append(b, byte(len(n.key)), byte(len(n.key)>>8)), n.key...)
}

// name is what tells a test from others.
func (g *ctaGuard) name(b []byte) []byte {
	b = append(b, byte(g.kind), byte(bit(g.equal)))
	b = binary.LittleEndian.AppendUint32(b, uint32(g.pc))
	return g.y.key(g.x.key(binary.LittleEndian.AppendUint64(b, uint64(g.align))))
}

// guard demands something of all warps together.
func (k *cta) guard(g ctaGuard) {
	for _, x := range []*ctaSide{&g.x, &g.y} {
		const far = 1 << 28
		if x.some && (x.low < -far || x.high > far) {
			k.failed = true
		}
		for i, n := range x.rates {
			if x.some && (x.ctaExtent.rates[i][0] < -far || x.ctaExtent.rates[i][1] > far) {
				k.failed = true
			}
			if g.kind != guardRate {
				k.guard(ctaGuard{kind: guardRate, x: ctaSide{num: n}})
			}
		}
	}
	k.sought = g.name(k.sought[:0])
	if had := k.guardAt[string(k.sought)]; had != nil {
		had.x.join(&g.x)
		had.y.join(&g.y)
		return
	}
	demanded := &ctaGuard{}
	*demanded = g
	k.guardAt[string(k.sought)] = demanded
	k.guards = append(k.guards, demanded)
}

// demandFits demands that 32 bits hold what lanes have as numbers with a sign.
func (k *cta) demandFits(s *ctaSplit, lanes uint32, when *ctaMask) {
	e := s.extent(lanes)
	if len(s.rates) == 0 && (s.num == nil || e.low == 0 && e.high == 0) {
		return
	}
	k.guard(ctaGuard{kind: guardFits, x: side(s, &e, when, 0)})
}

// demandOrder demands that all lanes have x < y, or x ≤ y.
func (k *cta) demandOrder(pc int32, x, y *ctaPoly, lanes uint32, equal bool) {
	a, b := k.split(x), k.split(y)
	k.demandFits(a, lanes, nil)
	k.demandFits(b, lanes, nil)
	k.order(pc, a, b, lanes, nil, equal)
}

// order is demandOrder for parts that are within 32 bits.
func (k *cta) order(pc int32, a, b *ctaSplit, lanes uint32, when *ctaMask, equal bool) {
	x, y := a.extent(lanes), b.extent(lanes)
	k.guard(ctaGuard{kind: guardOrder, pc: pc, equal: equal, x: side(a, &x, when, 0), y: side(b, &y, when, 0)})
}

// demandInside demands that an access is inside its allocation.
func (k *cta) demandInside(pc int32, s *ctaSplit, e *ctaExtent, align, size int64, load bool, when *ctaMask) {
	if e.some {
		k.guard(ctaGuard{kind: guardInside, pc: pc, x: side(s, e, when, size), align: align, load: load})
	}
}

// certain tells whether a test always holds: numbers that are known.
func (g *ctaGuard) certain() bool {
	if g.kind != guardOrder || g.x.num != nil || g.y.num != nil || len(g.x.rates)+len(g.y.rates) != 0 {
		return false
	}
	return g.x.high < g.y.low || g.equal && g.x.high == g.y.low
}
