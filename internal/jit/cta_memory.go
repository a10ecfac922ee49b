package jit

// The memory of a CTA's program while it is found: every warp's every instruction makes values, so they come from lists
// that the next compilation has again.

type ctaMem struct {
	polys  slab[ctaPoly]
	terms  slab[ctaTerm]
	rows   slab[[32]uint64]
	splits slab[ctaSplit]
	places slab[ctaPlace]
	rates  slab[ctaRate]
	nodes  slab[ctaNode]
	items  slab[ctaItem]
	vals   slab[ctaVal]
	found  slab[*ctaPoly]
}

// reset takes everything back.
func (m *ctaMem) reset() {
	m.polys.reset()
	m.terms.reset()
	m.rows.reset()
	m.splits.reset()
	m.places.reset()
	m.rates.reset()
	m.nodes.reset()
	m.items.reset()
	m.vals.reset()
	m.found.reset()
}

// poly is a polynomial with the terms of another one, and room for some more.
func (m *ctaMem) poly(t typ, terms []ctaTerm, more int) *ctaPoly {
	p, n := m.polys.one(), len(terms)
	p.mem, p.typ, p.terms = m, t, m.terms.take(n + more)[:n]
	copy(p.terms, terms)
	return p
}

// row is a row of zeros.
func (m *ctaMem) row() *[32]uint64 { return m.rows.one() }

// known is a polynomial that is the same number in all lanes.
func (m *ctaMem) known(t typ, v uint64) *ctaPoly {
	p := m.poly(t, nil, 1)
	c := rowOf(v)
	p.addTerm("", c, false)
	return p
}

// of is a polynomial of one term.
func (m *ctaMem) of(t typ, mono string, c *[32]uint64, lanes bool) *ctaPoly {
	p := m.poly(t, nil, 1)
	p.addTerm(mono, c, lanes)
	return p
}

// item is an item of a program.
func (m *ctaMem) item(x ctaItem) *ctaItem {
	p := m.items.one()
	*p = x
	return p
}
