package jit

// Shuffles in a CTA's program: whole warps, whose lanes come from where is known.

import (
	"ptxvm.invalid/ptxvm/internal/jit/x86"
)

// shuffle runs a shuffle of a whole warp; false if it is not known which lanes it takes.
func (k *cta) shuffle(w *ctaWarp, s *step) bool {
	if !w.runs.all() || s.prog == nil || s.op.Warp.Sync && !s.in[inMembers].is(allOf) {
		return false
	}
	v, ok := k.shuffled(w, s)
	if !ok || !k.write(w, &s.dst, v) || s.warp.pred == nil {
		return ok
	}
	return k.writeCond(w, s.op.Warp.Pair, k.comparison(w, s.warp.pred, s.in))
}

// is tells whether a source is a constant.
func (s *source) is(v uint32) bool { return s.known && uint32(s.value) == v }

// shuffled is what a shuffle brings.
func (k *cta) shuffled(w *ctaWarp, s *step) (v ctaVal, ok bool) {
	o := &s.prog.ops[s.prog.result]
	if o.code != cPerm {
		return k.compute(w, s.prog, s.in) // all lanes have it
	}
	if s.prog.ops[o.a].code != cTable || s.prog.ops[o.b].code != cIn {
		return v, false
	}
	from := &s.prog.tables[s.prog.ops[o.a].imm]
	v, ok = k.read(w, &s.in[s.prog.ops[o.b].imm])
	switch {
	case !ok:
		return v, false
	case v.poly != nil:
		return ctaVal{poly: v.poly.shuffled(from)}, true
	}
	return ctaVal{node: k.node(w, ctaNode{kind: nodeShuffle, from: from, in: []ctaVal{v}})}, v.node != nil
}

// shuffled is a polynomial whose lanes have those of others.
func (p *ctaPoly) shuffled(from *[32]uint32) *ctaPoly {
	out := p.mem.poly(p.typ, nil, len(p.terms))
	for _, t := range p.terms {
		var c [32]uint64
		for i := range c {
			c[i] = t.coef[from[i]&31]
		}
		out.addTerm(t.mono, &c, t.lanes)
	}
	return out
}

// shuffled assembles the running part of a shuffle.
func (m *ctaCode) shuffled(n *ctaNode) (d x86.Vec) {
	w, part := m.c.full(), m.c.part
	own := n.from[part*m.c.lanes:][:m.c.lanes]
	for q, some := 0, false; q < 32/m.c.lanes; q++ {
		takes := uint32(0)
		for i, lane := range own {
			takes |= bit(int(lane)/m.c.lanes == q) << i
		}
		if takes == 0 {
			continue
		}
		m.c.part = q
		x := m.loc(&n.in[0])
		m.c.part = part
		v := m.c.alloc()
		m.c.move(w, v, m.rowOfWords(func(i int) uint32 { return own[i] % uint32(m.c.lanes) }))
		m.c.vvx(x86.VPERMD, w, v, v, x)
		m.c.release(x)
		if !some {
			d, some = v, true
			continue
		}
		m.blendLanes(d, v, takes)
		m.c.release(temp(v))
	}
	return d
}
