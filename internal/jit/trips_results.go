package jit

// What trips count, and what they leave in rows.

import (
	"maps"
	"slices"

	"ptxvm.invalid/ptxvm/internal/ir"
)

// bit is which mask of the program a set of lanes is.
func (b *tripper) bit(v val) int {
	list := &b.t.merged.masks
	k := slices.IndexFunc(*list, func(m maskResult) bool { return m.v == v && m.off == noRow })
	if k < 0 {
		k = len(*list)
		*list = append(*list, maskResult{v: v, off: noRow})
	}
	return k
}

// finish says what is counted and what stays behind a trip; false if that is too much.
func (b *tripper) finish() bool {
	left := b.countExits()
	if !b.countWays(left) {
		return false
	}
	b.results()
	t := b.t
	t.merged.fuse()
	return len(t.merged.masks) <= maxTripMasks
}

// countExits counts what those execute who leave, and returns which atoms they are.
func (b *tripper) countExits() (left [1 + maxAtoms]int) {
	for i := range b.out {
		e := &b.out[i]
		x := tripExit{seg: e.to, bit: b.bit(e.mask), latch: e.latch}
		for a := 1; a <= len(b.atoms); a++ {
			var f lanesForm
			if f[a] = 1; f == e.lanes {
				x.ops, left[a] = b.ops[a], i+1
			}
		}
		b.t.exits = append(b.t.exits, x)
	}
	return left
}

// countWays counts what lanes execute on the ways inside; left has the exit, from 1 on, that an atom is.
func (b *tripper) countWays(left [1 + maxAtoms]int) bool {
	t := b.t
	t.ops = b.ops[0]
	arms := int32(0)
	for _, w := range b.ways {
		if exits, ok := w.lanes.remaining(left); ok {
			if t.steps += w.steps; len(exits) != 0 {
				t.late = append(t.late, tripLate{exits, w.steps})
			}
			continue
		}
		arms += w.steps
		b.arm(w)
	}
	for a := 1; a <= len(b.atoms); a++ {
		if left[a] == 0 && b.ops[a] != 0 {
			t.arms = append(t.arms, tripArm{bit: b.bit(b.atoms[a-1]), ops: b.ops[a]})
		}
	}
	t.whole = b.r.numberless(t) && (arms > 0 || t.merged.evex && !b.touch.wide) && arms <= wholeArms
	return arms <= maxArms && len(t.arms) <= tripSlots
}

// numberless tells whether code for full warps keeps no numbers in a loop, and decides no branch by them.
func (r *region) numberless(t *trips) bool {
	for pc := r.segs[t.first].first; pc < r.segs[t.last].end; pc++ {
		if s := &r.steps[pc]; s.made != nil || s.moot || s.decided != nil {
			return false
		}
	}
	return true
}

// arm counts the instructions of a way that only some lanes take.
func (b *tripper) arm(w tripWay) {
	for a, mask := range b.atoms { // of both sides of a branch one mask is enough
		if (lanesForm{1}).plus(w.lanes, -1) == b.atomForm(a) {
			b.t.arms = append(b.t.arms, tripArm{bit: b.bit(mask), rest: true, steps: w.steps})
			return
		}
	}
	b.t.arms = append(b.t.arms, tripArm{bit: b.bit(w.mask), steps: w.steps})
}

func (b *tripper) atomForm(a int) (f lanesForm) {
	f[a+1] = 1
	return f
}

// remaining tells whether a set is all running lanes but those that have left, and by which exits.
func (f lanesForm) remaining(left [1 + maxAtoms]int) (exits []int, ok bool) {
	for a := 1; a < len(f); a++ {
		switch {
		case f[a] == 0:
		case f[a] == -1 && left[a] != 0:
			exits = append(exits, left[a]-1)
		default:
			return nil, false
		}
	}
	return exits, f[0] == 1
}

// results lists the rows and predicates that a trip writes. Those that nobody who has left looks at may be
// written for all lanes.
func (b *tripper) results() {
	b.now, b.loose = b.end.now, b.end.loose
	around := slices.Clone(b.r.live.at(b.r.segs[b.t.first].first))
	for _, off := range slices.Sorted(maps.Keys(b.wrote)) {
		outside := !b.r.private(b.t.last, off)
		if outside || b.r.live.holds(around, off) {
			b.result(off, outside, b.loose[off] && b.lazyAround(off, around))
		}
	}
}

// result adds a row or predicate.
func (b *tripper) result(off uint32, outside, lazy bool) {
	t, m := b.wrote[off], b.m
	v, mask := b.value(off, t), b.masks[lanesForm{1}]
	if outside {
		v, mask = b.left(off, t)
	}
	old, read := b.base[off]
	switch {
	case v == old && read && m.ops[v].code == cIn:
		return
	case t == tM:
		m.masks = append(m.masks, maskResult{v: b.under(mask, v, old), off: off})
		return
	case b.loose[off] && !lazy:
		v = m.canon(v)
	}
	d := source{typ: t, off: off, row: -1, any: !outside}
	if lazy {
		b.t.lazy = append(b.t.lazy, rowResult{v, d})
	}
	if outside && read {
		v, d.any = b.summand(v, old, mask)
		if !d.any && mask != b.masks[lanesForm{1}] {
			v, d.any = b.under(mask, v, old), true
		}
	}
	m.rows = append(m.rows, rowResult{v, d})
}

// left is what a row has behind a trip, and the lanes that it is for: if what lanes leave with in the middle is what the row
// had before, they are not among them.
func (b *tripper) left(off uint32, t typ) (v, mask val) {
	var out []*tripEdge
	kept := 0
	for i := range b.out {
		e := &b.out[i]
		if e.latch || !b.r.live.holds(b.r.live.at(b.r.segs[e.to].first), off) {
			continue
		}
		if out = append(out, e); b.valueAt(e, off, t) == b.base[off] {
			kept++
		}
	}
	if kept > 0 && kept == len(out) {
		return b.value(off, t), b.end.mask
	}
	for _, e := range out {
		b.choose(off, e)
	}
	return b.value(off, t), b.masks[lanesForm{1}]
}

// under is v for the lanes of a mask, and what was there for others that run.
func (b *tripper) under(mask, v, old val) val {
	if mask == b.masks[lanesForm{1}] {
		return v
	}
	return b.pick(mask, v, old)
}

// lazyAround tells whether nobody in the loop can tell the NaNs of a row apart.
func (b *tripper) lazyAround(off uint32, around ir.Bits) bool {
	return !slices.ContainsFunc(b.r.live.regsOf.of(off), func(g ir.Reg) bool { return around.Has(int(g)) && !b.r.lazy[g] })
}

// summand makes of old + x, where that is the new value, old + (x under the mask), which need not be blended (AVX2, where
// masks are vectors); false if the value is none.
func (b *tripper) summand(v, old, mask val) (val, bool) {
	o := b.m.ops[v]
	if o.code != cAdd && o.code != cSub && o.code != cOr && o.code != cXor || b.m.evex {
		return v, false
	}
	if o.a != old && o.code != cSub {
		o.a, o.b = o.b, o.a
	}
	if o.a != old {
		return v, false
	}
	if one, known := b.m.known(o.b); known && one == 1 && o.typ == tW && o.code <= cSub { // a truth value is 0 or -1
		return b.m.op2(cAdd+cSub-o.code, o.typ, old, mask, 0), true
	}
	return b.m.op2(o.code, o.typ, old, b.m.op2(cAnd, o.typ, o.b, mask, 0), 0), true
}
