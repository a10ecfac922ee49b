package jit

// Loads from shared memory of what a CTA's program has brought there from global memory are loads from global memory:
// where each word comes from is known. Stores to shared memory that nobody reads any more are left out.

import (
	"maps"
	"slices"
)

// ctaWordFrom is where a word of shared memory comes from: lane of the store's value.
type ctaWordFrom struct {
	store *ctaNode
	lane  int
}

// forward has loads from shared memory read what was loaded, which is demanded to be still there; it tells whether one does.
func (k *cta) forward() bool {
	words := map[int64]ctaWordFrom{}
	loaded := map[int32]bool{}
	for _, x := range k.items {
		switch {
		case x.store != nil && x.store.at.shared:
			for lane := range 32 {
				if x.store.lanes>>lane&1 != 0 {
					words[x.store.at.known[lane]] = ctaWordFrom{x.store, lane}
				}
			}
		case x.node != nil && x.node.kind == nodeLoad && x.node.at.shared:
			k.forwardLoad(x.node, words, loaded)
		}
	}
	for _, x := range k.items {
		for pc := range k.steps { // in order: code is the same each time it is made
			if pc := int32(pc); loaded[pc] && x.store != nil && !x.store.at.shared {
				k.guard(ctaGuard{kind: guardApart, pc: pc, other: x.store.pc})
			}
		}
	}
	return len(loaded) != 0
}

// forwardLoad does so for one load; the places of those that are read instead are noted.
func (k *cta) forwardLoad(n *ctaNode, words map[int64]ctaWordFrom, loaded map[int32]bool) {
	p, from := k.origin(n, words)
	if p == nil {
		return
	}
	for first := 0; first < 32; first += k.vectorLanes() {
		if len(p.runs(first, k.vectorLanes(), n.lanes)) > maxCTAForward {
			return
		}
	}
	for pc := range from {
		w := &ctaWarp{pc: pc, run: n.lanes}
		if k.bound(w, p, &k.steps[pc].op.Memory, true) == nil {
			return
		}
		loaded[pc] = true
	}
	n.at = p
}

// maxCTAForward is how many runs of lanes in a register may be read instead.
const maxCTAForward = 2

// dropStores leaves out stores to shared memory that no load reads.
func (k *cta) dropStores() {
	words, read := map[int64]*ctaItem{}, map[*ctaItem]bool{}
	for _, x := range k.items {
		switch {
		case x.store != nil && x.store.at.shared:
			for lane := range 32 {
				if x.store.lanes>>lane&1 != 0 {
					words[x.store.at.known[lane]] = x
				}
			}
		case x.node != nil && x.node.kind == nodeLoad && x.node.at.shared:
			for lane := range 32 {
				if x.node.lanes>>lane&1 != 0 {
					read[words[x.node.at.known[lane]]] = true
				}
			}
		}
	}
	k.items = slices.DeleteFunc(k.items, func(x *ctaItem) bool { return x.store != nil && x.store.at.shared && !read[x] })
}

// origin finds the addresses in global memory of what a load from shared memory reads, and the loads that brought it; nil if
// it has come in another way.
func (k *cta) origin(n *ctaNode, words map[int64]ctaWordFrom) (p *ctaPlace, from map[int32]bool) {
	from = map[int32]bool{}
	for lane := range 32 {
		if n.lanes>>lane&1 == 0 {
			continue
		}
		w, ok := words[n.at.known[lane]]
		if !ok {
			return nil, nil
		}
		m := w.store.in[0].of(1 << w.lane).node
		if m == nil || m.kind != nodeLoad || k.bounds[m.pc] < 0 || m.lanes>>w.lane&1 == 0 {
			return nil, nil // a load from shared memory has no bounds, even if it reads global memory instead
		}
		if p == nil {
			p = &ctaPlace{ctaSplit: &ctaSplit{num: m.at.num}}
			for _, r := range m.at.rates {
				p.rates = append(p.rates, ctaRate{num: r.num})
			}
		}
		if from[m.pc] = true; !p.take(lane, m.at, w.lane) {
			return nil, nil
		}
	}
	if p != nil {
		p.pcs = slices.Sorted(maps.Keys(from))
	}
	return p, from
}

// take gives a lane the address of a lane of another place; false if they follow from different numbers.
func (p *ctaPlace) take(lane int, q *ctaPlace, from int) bool {
	if p.num != q.num || len(p.rates) != len(q.rates) {
		return false
	}
	p.known[lane] = q.known[from]
	for i := range p.rates {
		if p.rates[i].num != q.rates[i].num {
			return false
		}
		p.rates[i].coef[lane] = q.rates[i].coef[from]
	}
	return true
}
