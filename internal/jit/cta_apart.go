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

// sharedApart looks at the accesses to shared memory, whose addresses are known.
func (k *cta) sharedApart(list []*ctaNode) bool {
	const most = 1 << 18
	words := (k.high-k.low)/4 + 1
	if len(list) == 0 || words > most {
		return len(list) == 0
	}
	touched, wrote := make([]uint16, max(words, 0)), make([]bool, max(words, 0))
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
			touched[word] |= 1 << n.warp
			wrote[word] = wrote[word] || n.stores()
		}
	}
	for i, by := range touched {
		if wrote[i] && by&(by-1) != 0 {
			return false
		}
	}
	return true
}

// globalApart looks at the accesses to global memory: if some are stores, all go by the same numbers, at most one of which has other
// factors in other lanes. What such lanes have is apart if the number is large enough.
func (k *cta) globalApart(list []*ctaNode) bool {
	var all []*ctaNode
	some := false
	for _, n := range list {
		if !n.at.shared {
			all, some = append(all, n), some || n.stores()
		}
	}
	if !some {
		return true
	}
	type touch struct {
		warp  int
		store bool
	}
	var rate *ctaNumber
	places := map[[2]int64]touch{} // by factor and what is known
	low, high, apart := int64(math.MaxInt64), int64(math.MinInt64), map[int64]map[int]bool{}
	for _, n := range all {
		if n.at.num != all[0].at.num || len(n.at.rates) != len(all[0].at.rates) || len(n.at.rates) > 1 {
			return false
		}
		factor := [32]int64{}
		if len(n.at.rates) == 1 {
			r := &n.at.rates[0]
			if rate = r.num; r.loop != nil || rate != all[0].at.rates[0].num {
				return false
			}
			factor = r.coef
		}
		for lane := range 32 {
			if n.lanes>>lane&1 == 0 {
				continue
			}
			f, at := factor[lane], n.at.known[lane]
			if at%4 != 0 || f%4 != 0 {
				return false
			}
			low, high = min(low, at), max(high, at+4)
			if apart[f] == nil {
				apart[f] = map[int]bool{}
			}
			apart[f][n.warp] = true
			if t, ok := places[[2]int64{f, at}]; ok {
				if t.warp != n.warp && (t.store || n.stores()) {
					return false
				}
				t.store = t.store || n.stores()
				places[[2]int64{f, at}] = t
			} else {
				places[[2]int64{f, at}] = touch{n.warp, n.stores()}
			}
		}
	}
	if rate == nil {
		return true
	}
	least := int64(math.MaxInt64)
	for f, warps := range apart {
		for g, others := range apart {
			if f < g && g-f < least && !oneWarp(warps, others) {
				least = g - f
			}
		}
	}
	if least == math.MaxInt64 {
		return true
	}
	y := sideOf(nil, ctaExtent{some: true, rates: [][2]int64{{least, least}}})
	y.rates = []*ctaNumber{rate}
	k.guard(&ctaGuard{kind: guardOrder, pc: all[0].pc, equal: true, x: sideOf(nil, ctaExtent{some: true, low: high - low, high: high - low}), y: y})
	return true
}

// oneWarp tells whether both are the same single warp.
func oneWarp(a, b map[int]bool) bool {
	if len(a) != 1 || len(b) != 1 {
		return false
	}
	for w := range a {
		return b[w]
	}
	return false
}
