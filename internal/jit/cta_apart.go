package jit

// Whether the order of the warps shows. From the first loop on a program has another order of warps than the machine, so
// what one warp stores no other one may touch before the next barrier.

import (
	"math"
	"slices"
)

// apart demands that; false if it cannot be asked for.
func (k *cta) apart() bool {
	if len(k.loops) == 0 {
		return true
	}
	between := make([][]*ctaNode, k.passed+1)
	around := make([][]*ctaNode, len(k.loops)) // what is behind the last barrier of a turn comes before the first one of the next, too
	in := -1
	for _, x := range k.items {
		switch n := x.of(); {
		case n.kind == nodeBegin:
			in = slices.Index(k.loops, n.loop)
		case n.kind == nodeEnd:
			in = -1
		case n.at == nil || n.after < k.loops[0].from:
		default:
			between[n.after] = append(between[n.after], n)
			if in >= 0 && (n.after == k.loops[in].from || n.after == k.loops[in].to) {
				around[in] = append(around[in], n)
			}
		}
	}
	for _, list := range append(between, around...) {
		if !k.sharedApart(list) || !k.globalApart(list) {
			return false
		}
	}
	return true
}

// stores tells whether an access is a store.
func (n *ctaNode) stores() bool { return n.kind != nodeLoad }

// touch is who touches a place between two barriers.
type touch struct {
	warps uint16
	wrote bool
}

func (t touch) by(n *ctaNode) touch { return touch{t.warps | 1<<n.warp, t.wrote || n.stores()} }

// shared tells whether one warp writes what another one touches.
func (t touch) shared() bool { return t.wrote && t.warps&(t.warps-1) != 0 }

// sharedApart looks at the accesses to shared memory, whose addresses are known.
func (k *cta) sharedApart(list []*ctaNode) bool {
	const most = 1 << 18
	words := (k.high-k.low)/4 + 1
	if len(list) == 0 || words > most {
		return len(list) == 0
	}
	touched := make([]touch, max(words, 0))
	for _, n := range list {
		if !n.at.shared {
			continue
		}
		for lane := range 32 {
			if n.lanes>>lane&1 == 0 {
				continue
			}
			if (n.at.known[lane]-k.low)%4 != 0 {
				return false
			}
			word := (n.at.known[lane] - k.low) / 4
			touched[word] = touched[word].by(n)
		}
	}
	return !slices.ContainsFunc(touched, touch.shared)
}

// globalApart looks at the accesses to global memory: if some are stores, all go by the same numbers, at most one of which has other
// factors in other lanes. What such lanes have is apart if the number is large enough.
func (k *cta) globalApart(list []*ctaNode) bool {
	list = slices.DeleteFunc(slices.Clone(list), func(n *ctaNode) bool { return n.at.shared })
	if !slices.ContainsFunc(list, (*ctaNode).stores) {
		return true
	}
	rate, ok := oneRate(list)
	if !ok {
		return false
	}
	t := touches{places: map[[2]int64]touch{}, warps: map[int64]uint16{}, low: math.MaxInt64, high: math.MinInt64}
	for _, n := range list {
		if !t.add(n) {
			return false
		}
	}
	for _, x := range t.places {
		if x.shared() {
			return false
		}
	}
	if least := t.nearest(); rate != nil && least != math.MaxInt64 {
		y := sideOf(nil, ctaExtent{some: true, rates: [][2]int64{{least, least}}})
		y.rates = []*ctaNumber{rate}
		reach := t.high - t.low
		k.guard(ctaGuard{kind: guardOrder, pc: list[0].pc, equal: true, x: sideOf(nil, ctaExtent{some: true, low: reach, high: reach}), y: y})
	}
	return true
}

// oneRate is the number that lanes of all accesses have factors of, nil if there is none; false if there are several, or
// other numbers beside.
func oneRate(list []*ctaNode) (rate *ctaNumber, ok bool) {
	first := list[0].at
	for _, n := range list {
		if n.at.num != first.num || len(n.at.rates) != len(first.rates) || len(n.at.rates) > 1 {
			return nil, false
		}
		if len(n.at.rates) == 1 {
			if rate = n.at.rates[0].num; n.at.rates[0].loop != nil || rate != first.rates[0].num {
				return nil, false
			}
		}
	}
	return rate, true
}

// touches are what warps touch in global memory between two barriers, as far as it is known.
type touches struct {
	places    map[[2]int64]touch // by factor and what is known beside
	warps     map[int64]uint16   // by factor
	low, high int64              // of what is known
}

// add adds an access to words.
func (t *touches) add(n *ctaNode) bool {
	factors := [32]int64{}
	if len(n.at.rates) == 1 {
		factors = n.at.rates[0].coef
	}
	for lane := range 32 {
		if n.lanes>>lane&1 == 0 {
			continue
		}
		f, at := factors[lane], n.at.known[lane]
		if at%4 != 0 || f%4 != 0 {
			return false
		}
		t.low, t.high = min(t.low, at), max(t.high, at+4)
		t.warps[f] |= 1 << n.warp
		t.places[[2]int64{f, at}] = t.places[[2]int64{f, at}].by(n)
	}
	return true
}

// nearest is the least distance of factors of several warps.
func (t *touches) nearest() int64 {
	least := int64(math.MaxInt64)
	for f, a := range t.warps {
		for g, b := range t.warps {
			if f < g && (a != b || a&(a-1) != 0) {
				least = min(least, g-f)
			}
		}
	}
	return least
}
