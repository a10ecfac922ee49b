package machine

// This file follows, for launches that look for misuse, what the four warps of a warpgroup multiply: the same products, in the same
// order, of the matrices that the same descriptors name (9.7.15.5). Each warp has its own rows here and waits for no other, so that
// a difference would go unseen.

// groupWarps is the warps of a warpgroup, those from a multiple of it on.
const groupWarps = 4

// groupProduct is a product of a warp that has come first to it.
type groupProduct struct {
	a, b uint64 // descriptors; a is 0 of a matrix in registers
	at   Place
}

// warpgroup is what the warps of one have multiplied.
type warpgroup struct {
	open  []groupProduct // those that not all four warps have come to
	first int            // number of the first of these
	come  [groupWarps]int
	told  bool
}

// GroupProduct tells of a wgmma.mma_async and of its descriptors.
func (w *Warp) GroupProduct(in *Inst, a, b uint64) {
	if !w.Watchful() {
		return
	}
	c, of, k := w.cta, int(w.index)/groupWarps, int(w.index)%groupWarps
	for len(c.groups) <= of {
		c.groups = append(c.groups, warpgroup{})
	}
	g := &c.groups[of]
	n := g.come[k] - g.first
	g.come[k]++
	if n == len(g.open) {
		g.open = append(g.open, groupProduct{a, b, w.Place(in)})
		return
	}
	if with := &g.open[n]; !g.told && (with.at.PC != w.PC(in) || with.at.Func != w.frag.frame.code.Func || with.a != a || with.b != b) {
		g.told = true
		w.misusedBeside(in, w.Mask, with.at, "warps %d and %d of a warpgroup differ in their product %d: %#x × %#x here, %#x × %#x there (descriptors)",
			w.index, with.at.Warp, g.come[k], a, b, with.a, with.b)
	}
	g.forget()
}

// forget drops products that all warps have come to.
func (g *warpgroup) forget() {
	all := g.come[0]
	for _, n := range g.come {
		all = min(all, n)
	}
	if n := all - g.first; n > 0 {
		g.open = append(g.open[:0], g.open[n:]...)
		g.first = all
	}
}

// uneven reports, of a CTA that ends, products that not all warps of a warpgroup have come to.
func (c *CTA) uneven() {
	for i := range c.groups {
		g := &c.groups[i]
		if g.told || len(g.open) == 0 {
			continue
		}
		for k, n := range g.come {
			if n == g.first {
				c.misusedAt(g.open[0].at, "warp %d of a warpgroup has ended without product %d, which the warpgroup makes as a whole", i*groupWarps+k, n+1)
				break
			}
		}
	}
}
