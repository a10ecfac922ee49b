package jit

// Walks that say from the start how many trips they have: a row that goes on by a power of two is compared with one that stays. Then a
// trip needs no test, all lanes' trips are counted at once (walk_length_emit.go), and rows that only go on are computed behind the walk.

import (
	"math"
	"math/bits"
)

// walkLength is how many trips a lane has: as many as it takes the row to come to a bound, which it is compared with at the end of each.
// A row that counts down is looked at with all bits turned, and so is its bound.
type walkLength struct {
	row    int
	bound  int    // row; -1: a constant
	value  uint32 // that constant
	step   uint32 // a power of two
	down   bool
	signed bool
	upTo   bool // it goes back if it has come to the bound, too
	not    bool // it goes back unless it has
	before bool // it is compared before it goes on
}

// maxLengthStep keeps what longWalk trips go on by small.
const maxLengthStep = 1 << 16

// length finds it; nil if a lane knows only at the end of a trip whether it goes on.
func (w *walk) length() *walkLength {
	for _, second := range []bool{false, true} {
		goes, stays := w.a, w.b
		if second {
			goes, stays = stays, goes
		}
		if l := w.lengthOf(goes, second); l != nil && w.boundedBy(l, stays) {
			return l
		}
	}
	return nil
}

// lengthOf is length with what goes on, which is the comparison's second source or its first.
func (w *walk) lengthOf(goes val, second bool) *walkLength {
	l := &walkLength{signed: w.how == cmpLTS || w.how == cmpLES}
	below := w.how == cmpLTS || w.how == cmpLTU
	switch w.how {
	case cmpEQ, cmpNE:
		if l.not = (w.how == cmpNE) != w.turned; !l.not {
			return nil
		}
	default:
		l.down, l.upTo = second != w.turned, below == w.turned
	}
	for i := range w.rows {
		x := &w.rows[i]
		by, linear := w.goesOnBy(x)
		if !linear || goes != x.in && goes != x.out {
			continue
		}
		if l.not {
			l.down = int32(by) < 0
		}
		if l.row, l.before, l.step = i, goes == x.in, by; l.down {
			l.step = -by
		}
		ok := bits.OnesCount32(l.step) == 1 && l.step <= maxLengthStep && !(l.not && l.step != 1)
		if ok {
			return l
		}
	}
	return nil
}

// goesOnBy is what a row goes on by in each trip; false if it is nothing that is known.
func (w *walk) goesOnBy(x *walkRow) (by uint32, ok bool) {
	if x.in == noVal || x.out == noVal {
		return 0, false
	}
	o := &w.m.ops[x.out]
	if o.n != 2 || o.a != x.in {
		return 0, false
	}
	k, known := w.m.known(o.b)
	switch o.code {
	case cAdd:
		return uint32(k), known
	case cSub:
		return -uint32(k), known
	}
	return 0, false
}

// boundedBy gives a length its bound; false if that does not stay, or is so near to the end of the numbers that the row passes it.
func (w *walk) boundedBy(l *walkLength, v val) bool {
	if k, known := w.m.known(v); known {
		if l.bound, l.value = -1, uint32(k); l.down {
			l.value = ^l.value
		}
		last, near := l.last()
		return !near || l.signed && int32(l.value) <= int32(last) || !l.signed && l.value <= last
	}
	for i := range w.rows {
		if x := &w.rows[i]; x.in == v && x.out == noVal {
			l.bound = i
			return true
		}
	}
	return false
}

// last is the greatest bound that the row does not step over to the other end of the numbers; near if there are greater ones.
func (l *walkLength) last() (last uint32, near bool) {
	past := l.step - 1
	if l.upTo {
		past = l.step
	}
	if l.not || past == 0 {
		return 0, false
	}
	if l.signed {
		return math.MaxInt32 - past, true
	}
	return math.MaxUint32 - past, true
}

// passes tells whether a row only goes on, so that the number of the trip tells what it is: nobody reads it but the condition, and loads
// whose addresses have the step as scale.
func (w *walk) passes(i int) bool {
	x := &w.rows[i]
	if _, linear := w.goesOnBy(x); !linear {
		return false
	}
	for j := range w.m.ops {
		if !w.need[j] || val(j) == w.cond || val(j) == x.out {
			continue
		}
		for _, a := range w.m.ops[j].args() {
			if a == x.in || a == x.out {
				return false
			}
		}
	}
	for k := range w.rows {
		if y := &w.rows[k]; k != i && (y.out == x.in || y.out == x.out) {
			return false
		}
	}
	for k := range w.loads {
		if l := &w.loads[k]; l.index == x.out || l.index == x.in && !w.scaledBy(l, x) {
			return false
		}
	}
	return true
}

// scaledBy tells whether the number of the trip, times what an address can have as scale, is what a load's index has gone on by.
func (w *walk) scaledBy(l *walkLoad, x *walkRow) bool {
	by, _ := w.goesOnBy(x)
	return bits.OnesCount32(by) == 1 && uint64(by)<<l.shift <= 1<<maxScale
}

// foretell finds out what is known from the start, and gives what passes no registers.
func (w *walk) foretell() {
	w.known = w.length()
	if w.known == nil || !w.m.mem.techniques.use(CountedWalks) {
		w.known = nil
		return
	}
	for i := range w.rows {
		if w.rows[i].passes = w.passes(i); !w.rows[i].passes {
			continue
		}
		x := &w.rows[i]
		x.by, _ = w.goesOnBy(x)
		for k := range w.loads {
			if l := &w.loads[k]; l.index == x.in {
				l.row, l.step = i, int64(x.by)
			}
		}
	}
}

// planPassing gives the bases of what passes their registers: it needs them all.
func (w *walk) planPassing() bool {
	for k := range w.loads {
		l := &w.loads[k]
		if l.row < 0 || !w.rows[l.row].passes {
			continue
		}
		p, ok := w.take(generalClass)
		if !ok {
			return false
		}
		l.host = p.r
	}
	return true
}
