package jit

// Lanes of a warp in a CTA's program for borders: which of them are somewhere is known up to conditions that are
// computed when the program runs.

import (
	"encoding/binary"
	"slices"
)

// ctaSet is lanes of a warp: those of all its parts, which have none in common.
type ctaSet []ctaPart

// ctaPart is those of some lanes for which all conditions come out as they say.
type ctaPart struct {
	lanes uint32
	when  []ctaLit
}

// ctaLit is a condition, or that it does not hold.
type ctaLit struct {
	cond *ctaCond
	is   bool
}

const allOf = ^uint32(0)

func lanesSet(lanes uint32) ctaSet { return ctaSet(nil).with(ctaPart{lanes: lanes}) }

// lanes are those that may be in a set.
func (s ctaSet) lanes() (lanes uint32) {
	for i := range s {
		lanes |= s[i].lanes
	}
	return lanes
}

// exact tells whether all its lanes are in a set, whatever conditions say.
func (s ctaSet) exact() bool { return len(s) == 0 || len(s) == 1 && len(s[0].when) == 0 }

// all tells whether a set is a whole warp.
func (s ctaSet) all() bool { return s.exact() && s.lanes() == allOf }

func (p *ctaPart) equal(q *ctaPart) bool { return p.lanes == q.lanes && slices.Equal(p.when, q.when) }

// equal tells whether two sets are the same, part by part.
func (s ctaSet) equal(t ctaSet) bool {
	return slices.EqualFunc(s, t, func(p, q ctaPart) bool { return p.equal(&q) })
}

// and is the lanes of a set that are among some.
func (s ctaSet) and(lanes uint32) (out ctaSet) {
	if s.lanes()&^lanes == 0 {
		return s
	}
	for _, p := range s {
		if p.lanes &= lanes; p.lanes != 0 {
			out = append(out, p)
		}
	}
	return out
}

// when is the lanes of a set for which a condition comes out as l says.
func (s ctaSet) when(l ctaLit) (out ctaSet) {
	for _, p := range s {
		switch i := slices.IndexFunc(p.when, func(had ctaLit) bool { return had.cond == l.cond }); {
		case i < 0:
			out = append(out, ctaPart{p.lanes, append(slices.Clip(p.when), l)})
		case p.when[i].is == l.is:
			out = append(out, p)
		}
	}
	return out
}

// with is a set with one more part: one that it has for the same conditions, or but for the last one of both, becomes larger.
func (s ctaSet) with(p ctaPart) ctaSet {
	if p.lanes == 0 {
		return s
	}
	for i := range s {
		q := &s[i]
		switch n := len(p.when) - 1; {
		case slices.Equal(p.when, q.when):
			return s.without(i).with(ctaPart{p.lanes | q.lanes, p.when})
		case n >= 0 && n == len(q.when)-1 && p.lanes == q.lanes && p.when[n].cond == q.when[n].cond && slices.Equal(p.when[:n], q.when[:n]):
			return s.without(i).with(ctaPart{p.lanes, p.when[:n]})
		}
	}
	return append(slices.Clip(s), p)
}

func (s ctaSet) without(i int) ctaSet { return slices.Delete(slices.Clone(s), i, i+1) }

// join is two sets as one.
func (s ctaSet) join(t ctaSet) ctaSet {
	if len(s) == 0 && len(t) == 1 {
		return t
	}
	for _, p := range t {
		s = s.with(p)
	}
	return s
}

// key names a set of a warp, until the next key.
func (k *cta) key(warp int, s ctaSet) []byte {
	b := append(k.sought[:0], byte(warp))
	for _, p := range s {
		b = append(binary.LittleEndian.AppendUint32(b, p.lanes), byte(len(p.when)))
		for _, l := range p.when {
			b = append(binary.LittleEndian.AppendUint32(b, uint32(k.word(l.cond).index)), byte(bit(l.is)))
		}
	}
	k.sought = b
	return b
}
