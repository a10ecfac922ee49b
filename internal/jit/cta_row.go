package jit

// CTAs of a row of the grid as one program: where a CTA's program only loads, computes and stores in global memory, and
// from CTA to CTA every address goes on by a constant, those that follow each other in a row are done together, warp by
// warp: what the first warp does in all of them, then what the second one does. So memory is touched in the order of its
// rows, as a loop over them would do, and tests are made once: what holds for the first CTA and is linear holds for as
// many as there is room for (cta_row_emit.go).
//
// That changes the order of accesses of different CTAs. So all that is loaded must be in other allocations than what is
// stored, and no CTA may store where another one does.

import (
	"math/bits"
	"slices"
)

// Bounds of what is done together: instructions of warps, as compiled code returns to Go between two rows only.
const (
	maxRowSteps = 1 << 15
	maxRowStep  = 1 << 20 // bytes from one CTA to the next
)

// ctaRow is what is known of them.
type ctaRow struct {
	k      *cta
	most   int64                // CTAs
	steps  map[*ctaNumber]int64 // by how much numbers go on from CTA to CTA
	groups []rowGroup
	apart  [][2]int32 // accesses that must not hit one allocation: a load and a store

	// Stores: how far they go on, bytes from the first to the last behind a factor, the least difference of factors of rate
	// (nil: all have the same).
	step, spread int64
	rate         *ctaNumber
	least        int64
}

// rowGroup is what one warp does.
type rowGroup struct {
	first, end int // items
	places     []rowPlaced
}

// rowPlaced is an address that goes on.
type rowPlaced struct {
	num  *ctaNumber
	want []ctaRateAt
}

// findRow finds whether a program can be that of CTAs in a row; nil if not.
func (k *cta) findRow() *ctaRow {
	if len(k.loops)+len(k.masks) != 0 || k.executed == 0 {
		return nil
	}
	r := &ctaRow{k: k, most: maxRowSteps / k.executed, steps: map[*ctaNumber]int64{}}
	if r.most < 2 || !r.guardsGoOn() || !r.group() || !r.storesApart() || !k.uses(CTARows) {
		return nil
	}
	return r
}

// goesOn finds by how much a number differs in the next CTA; false if that is no constant.
func (r *ctaRow) goesOn(n *ctaNumber) bool {
	if n == nil {
		return true
	}
	if _, ok := r.steps[n]; ok {
		return true
	}
	if n.loop != nil {
		return false
	}
	step := int64(0)
	for _, t := range n.terms {
		d, ok := r.termStep(n, &t)
		if !ok {
			return false
		}
		step += d
	}
	if step = n.typ.signed(uint64(step)); step <= -maxRowStep || step >= maxRowStep {
		return false
	}
	r.steps[n] = step
	return true
}

// termStep is goesOn for a product.
func (r *ctaRow) termStep(n *ctaNumber, t *ctaTerm) (step int64, ok bool) {
	for _, i := range []byte(t.mono) {
		a, d := &r.k.atoms[i], int64(0)
		switch a.kind {
		case atomSpecial:
			part, cta := r.k.specials[a.off].CTAPart()
			if cta && part > 2 { // multiprocessors take CTAs in turn
				return 0, false
			}
			d = int64(bit(cta && part == 0))
		case atomNumber:
			if !r.goesOn(a.num) {
				return 0, false
			}
			d = r.steps[a.num]
		case atomTurn:
			return 0, false
		}
		if d != 0 && len(t.mono) != 1 {
			return 0, false
		}
		step = d * n.typ.signed(t.coef[0])
	}
	return step, true
}

// guardsGoOn looks at the numbers of all tests: factors of lanes' numbers are the same in all CTAs, and addresses stay
// aligned.
func (r *ctaRow) guardsGoOn() bool {
	var loads, stores []int32
	for _, g := range r.k.guards {
		for _, x := range []*ctaSide{&g.x, &g.y} {
			if !r.sideGoesOn(x) {
				return false
			}
		}
		switch {
		case g.kind == guardRate && r.steps[g.x.num] != 0:
			return false
		case g.kind != guardInside:
		case g.align > 1 && r.steps[g.x.num]%g.align != 0:
			return false
		case g.load:
			loads = append(loads, g.pc)
		default:
			stores = append(stores, g.pc)
		}
	}
	for _, load := range loads {
		for _, store := range stores {
			if p := [2]int32{load, store}; !slices.Contains(r.apart, p) {
				r.apart = append(r.apart, p)
			}
		}
	}
	return true
}

func (r *ctaRow) sideGoesOn(x *ctaSide) bool {
	for _, n := range x.rates {
		if !r.goesOn(n) || r.steps[n] != 0 {
			return false
		}
	}
	return r.goesOn(x.num)
}

// group parts the program by warps, each of which has registers for its addresses.
func (r *ctaRow) group() bool {
	k, seen := r.k, uint32(0)
	for i, x := range k.items {
		n := x.of()
		if n.kind == nodeBegin || n.kind == nodeEnd || n.kind == nodeCarry {
			return false
		}
		last := len(r.groups) - 1
		if last < 0 || k.items[i-1].owner() != x.owner() {
			if seen>>x.owner()&1 != 0 {
				return false // it has waited for others
			}
			seen |= 1 << x.owner()
			r.groups = append(r.groups, rowGroup{first: i})
			last++
		}
		g := &r.groups[last]
		g.end = i + 1
		if !r.reads(n, g) || !r.touches(n, g) {
			return false
		}
	}
	return len(r.groups) != 0
}

// reads tells whether all that a row or a store takes is the warp's own, or the same in all CTAs.
func (r *ctaRow) reads(n *ctaNode, g *rowGroup) bool {
	for j := range n.in {
		m := n.in[j].node
		if m != nil && m.item < g.first {
			return false
		}
		if m != nil || !n.reads(j) || n.in[j].poly == nil {
			continue
		}
		s := r.k.splitKnown(n.in[j].poly)
		if s == nil || !r.goesOn(s.num) || r.steps[s.num] != 0 {
			return false
		}
		for i := range s.rates {
			if !r.goesOn(s.rates[i].num) || r.steps[s.rates[i].num] != 0 {
				return false
			}
		}
	}
	return true
}

// touches notes the addresses of an access.
func (r *ctaRow) touches(n *ctaNode, g *rowGroup) bool {
	p := n.at
	if p == nil {
		return true
	}
	if p.shared || n.when != nil || !r.goesOn(p.num) {
		return false
	}
	for first := 0; first < 32; first += r.k.vectorLanes() {
		for _, run := range p.runs(first, r.k.vectorLanes(), n.lanes) {
			x := rowPlaced{num: p.num}
			for i := range p.rates {
				if !r.goesOn(p.rates[i].num) || r.steps[p.rates[i].num] != 0 {
					return false
				}
				x.want = append(x.want, ctaRateAt{p.rates[i].num, p.rates[i].coef[run.lane]})
			}
			if !slices.ContainsFunc(g.places, func(y rowPlaced) bool { return x.num == y.num && slices.Equal(x.want, y.want) }) {
				g.places = append(g.places, x)
			}
		}
	}
	return len(g.places) <= len(ctaCursors)
}

// storesApart looks at what CTAs store: all at the same number, and where lanes have the same factor of another one
// they are closer to each other than CTAs are.
func (r *ctaRow) storesApart() bool {
	ends := map[int64][2]int64{}
	var at *ctaPlace
	for _, x := range r.k.items {
		if x.store == nil {
			continue
		}
		p := x.store.at
		if at == nil {
			at = p
		}
		if p.num != at.num || len(p.rates) != len(at.rates) || len(p.rates) > 1 || len(p.rates) == 1 && p.rates[0].num != at.rates[0].num {
			return false
		}
		for lane := range 32 {
			if x.store.lanes>>lane&1 == 0 {
				continue
			}
			f, a := int64(0), p.known[lane]
			if len(p.rates) == 1 {
				f = p.rates[0].coef[lane]
			}
			e, ok := ends[f]
			if !ok {
				e = [2]int64{a, a + 4}
			}
			ends[f] = [2]int64{min(e[0], a), max(e[1], a+4)}
		}
	}
	if at == nil {
		return false
	}
	r.step = r.steps[at.num]
	low, high := int64(1)<<40, int64(-1)<<40
	for f, e := range ends {
		if e[1]-e[0] > max(r.step, -r.step) {
			return false
		}
		low, high = min(low, e[0]), max(high, e[1])
		for g := range ends {
			if d := g - f; d > 0 && (r.rate == nil || d < r.least) {
				r.rate, r.least = at.rates[0].num, d
			}
		}
	}
	r.spread = high - low
	return true
}

// shiftOf is a power of two that is no less than a step.
func shiftOf(step int64) uint8 { return uint8(bits.Len64(uint64(max(step, -step) - 1))) }
