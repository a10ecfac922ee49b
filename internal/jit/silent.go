package jit

// Loops of trips (trips.go) that lanes leave silently. Where masks are vectors (AVX2), a lane that leaves is only taken out of
// the mask of the running lanes, which is a value of the program like others, and the loop ends when nobody is left: no
// jump goes another way when a lane leaves, which would be once for each lane and is foreseen by no processor. That is
// possible if all who leave wait at one place and no predicate lives from trip to trip. What is to be counted
// follows from the sets of lanes, trip by trip; rows of those who have left are written under the mask.

import "slices"

// tripSet is a set of lanes of a silent trip: a mask of the program, or one of these.
type tripSet int8

const (
	setRun  tripSet = -1 // those who run it
	setNext tripSet = -2 // those who run the next one
	setNone tripSet = -3
)

// maxSilentMasks is how many masks such a trip can have, besides the one of the next.
const maxSilentMasks = 3

// leavesSilently tells whether lanes may.
func (b *tripper) leavesSilently() bool {
	around := b.r.live.at(b.r.segs[b.t.first].first)
	for off, t := range b.wrote {
		if t == tM && (!b.r.private(b.t.last, off) || b.r.live.holds(around, off)) {
			return false
		}
	}
	return len(b.out) > 0 && !slices.ContainsFunc(b.out, func(e tripEdge) bool { return e.to != b.out[0].to })
}

// parting notes for those who have left last that they are those of a set who are not in another.
func (b *tripper) parting(from, rest val) bool {
	e := &b.out[len(b.out)-1]
	e.parts, e.from, e.rest = true, from, rest
	return true
}

// within is the lanes of a set for which a condition holds.
func (b *tripper) within(set, cond val) val {
	if o := &b.m.ops[cond]; o.code == cMNot {
		return b.m.op2(cMAndn, tM, o.a, set, 0)
	}
	return b.m.op2(cMAnd, tM, set, cond, 0)
}

// exitSets says who leaves by an exit: those who are in the first set and not in the second.
func (b *tripper) exitSets(e *tripEdge) (from, rest tripSet) {
	if from, ok := b.set(e.from); ok && e.parts {
		if rest, ok := b.set(e.rest); ok {
			return from, rest
		}
		return from, tripSet(b.bit(e.rest))
	}
	return tripSet(b.bit(e.mask)), setNone
}

// set finds a set that is known in each trip anyway.
func (b *tripper) set(v val) (tripSet, bool) {
	switch v {
	case b.masks[lanesForm{1}]:
		return setRun, true
	case b.next:
		return setNext, true
	}
	for k := range b.t.merged.masks {
		if m := &b.t.merged.masks[k]; m.v == v && m.off == noRow {
			return tripSet(k), true
		}
	}
	return 0, false
}

// nextLast finds who runs the next trip behind everything else that a trip does, if nobody else wants to know: then the running
// lanes are not read again.
func (b *tripper) nextLast() {
	if b.m.uses()[b.next] == 0 {
		b.m.ops = append(b.m.ops, b.m.ops[b.next])
		b.next = val(len(b.m.ops) - 1)
	}
}

// armBit is which mask has the lanes of an arm. The running lanes among others are found where the bits are.
func (b *tripper) armBit(mask val) int {
	x, without := b.bare(mask)
	if !b.t.silent || x == mask || without {
		return b.bit(mask)
	}
	k := b.bit(x)
	if !slices.Contains(b.t.under, k) {
		b.t.under = append(b.t.under, k)
	}
	return k
}

// bare is a mask that has the same lanes as another among the running ones, or (without) just the others.
func (b *tripper) bare(mask val) (x val, without bool) {
	switch o, run := &b.m.ops[mask], b.masks[lanesForm{1}]; {
	case o.code == cMAnd && o.a == run:
		return o.b, false
	case o.code == cMAnd && o.b == run:
		return o.a, false
	case o.code == cMAndn && o.b == run:
		return o.a, true
	}
	return mask, false
}

// pickBare is pick where nobody looks at lanes that do not run.
func (b *tripper) pickBare(mask, x, y val) val {
	if b.m.evex {
		return b.pick(mask, x, y)
	}
	mask, without := b.bare(mask)
	if without {
		x, y = y, x
	}
	return b.pick(mask, x, y)
}

// before is what a row held when the trip began.
func (b *tripper) before(off uint32, t typ) val {
	return b.valueAt(&tripEdge{now: map[uint32]val{}}, off, t)
}
