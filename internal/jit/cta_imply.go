package jit

// Conditions that follow from others: at a border, what shared memory only brings from global memory has been loaded for
// some lanes, and is read by some. Where those that read it are among those for which it was loaded, whatever conditions
// say, they can load it themselves.

import "slices"

// ctaFact is a comparison of a lane's word with a number, and how it comes out.
type ctaFact struct {
	diff *ctaDiff
	how  uint64
	word int64
	is   bool
}

// broughtTo is the load that has brought what a lane reads, if it has whenever the lane reads; else what stands there, or nil.
func (k *cta) broughtTo(n *ctaNode, lane int, from ctaWordFrom) *ctaNode {
	m := from.store.in[0].of(1 << from.lane).node
	for m != nil && m.kind == nodeMerge && m.when != nil && m.lanes>>from.lane&1 != 0 && k.implied(n.when, lane, m.when, from.lane) {
		m = m.in[0].of(1 << from.lane).node
	}
	if m != nil && m.when != nil && !k.implied(n.when, lane, m.when, from.lane) {
		return nil
	}
	return m
}

// implied tells whether a lane is in a mask whenever another one is in another mask (nil: always).
func (k *cta) implied(given *ctaMask, lane int, want *ctaMask, other int) bool {
	if given == nil {
		return k.partOf(want, other, nil)
	}
	for _, p := range given.set {
		if p.lanes>>lane&1 == 0 {
			continue
		}
		var facts []ctaFact
		for _, l := range p.when {
			facts = l.cond.facts(facts, lane, l.is)
		}
		if !k.partOf(want, other, facts) {
			return false
		}
	}
	return true
}

// partOf tells whether facts bring a lane into one of the parts of a mask.
func (k *cta) partOf(want *ctaMask, lane int, facts []ctaFact) bool {
	return slices.ContainsFunc(want.set, func(p ctaPart) bool {
		return p.lanes>>lane&1 != 0 && !slices.ContainsFunc(p.when, func(l ctaLit) bool { return !k.follows(l.cond, lane, l.is, facts) })
	})
}

// facts are what is known of a lane for which a condition comes out as said.
func (c *ctaCond) facts(list []ctaFact, lane int, is bool) []ctaFact {
	switch {
	case c.kind == condRow:
		return append(list, ctaFact{c.diff, c.how, c.row[lane], is})
	case c.kind == condNot:
		return c.a.facts(list, lane, !is)
	case c.kind == condAnd && is, c.kind == condOr && !is:
		return c.b.facts(c.a.facts(list, lane, is), lane, is)
	}
	return list
}

// follows tells whether a condition comes out as said for a lane of which facts are known.
func (k *cta) follows(c *ctaCond, lane int, is bool, facts []ctaFact) bool {
	switch c.kind {
	case condKnown:
		return c.lanes>>lane&1 != 0 == is
	case condNot:
		return k.follows(c.a, lane, !is, facts)
	case condAnd, condOr:
		a := k.follows(c.a, lane, is, facts)
		if a == (is == (c.kind == condOr)) {
			return a
		}
		return k.follows(c.b, lane, is, facts)
	case condRow:
		goal := ctaFact{c.diff, c.how, c.row[lane], is}
		return slices.ContainsFunc(facts, goal.from) || k.notNegative(&goal)
	}
	return false
}

// from tells whether a fact follows from another one.
func (g *ctaFact) from(f ctaFact) bool {
	switch {
	case g.diff != f.diff || g.how != f.how || g.is != f.is:
		return false
	case g.how != cmpLTS:
		return g.word == f.word
	case g.is:
		return g.word <= f.word
	}
	return g.word >= f.word
}

// notNegative demands that a number is not negative if a fact then is one: places of CTAs are not.
func (k *cta) notNegative(g *ctaFact) bool {
	if g.is || g.how != cmpLTS || g.diff.num != nil || g.diff.less == nil || g.word < 0 {
		return false
	}
	one := ctaExtent{some: true}
	k.guard(&ctaGuard{kind: guardOrder, equal: true, x: sideOf(nil, one), y: sideOf(g.diff.less, one)})
	return true
}
