package machine

// This file follows, for launches that look for misuse, what the four warps of a warpgroup do as one: they multiply the same
// products, in the same order, of the matrices that the same descriptors name (9.7.15.5), and change their registers alike
// (9.7.19.5). Each warp does its part here and waits for no other, so that a difference would go unseen.

// groupWarps is the warps of a warpgroup, those from a multiple of it on.
const groupWarps = 4

// groupStep is an instruction of a warp that has come first to it.
type groupStep struct {
	a, b uint64 // of products descriptors, a is 0 of a matrix in registers; of registers their number
	at   Place
}

// warpgroup is what the warps of one have done of a kind.
type warpgroup struct {
	open  []groupStep // those that not all four warps have come to
	first int         // number of the first of these
	come  [groupWarps]int
	told  bool
}

// warpgroups are those of a CTA, for one kind of step.
type warpgroups []warpgroup

// stepKind is a kind of instruction that is followed.
type stepKind struct {
	name    string
	differs string // how two steps differ: numbers of two warps and of the step, a and b of both
}

var (
	productSteps  = stepKind{"product", "warps %d and %d of a warpgroup differ in their product %d: %#x × %#x here, %#x × %#x there (descriptors)"}
	registerSteps = stepKind{"setmaxnreg", "warps %d and %d of a warpgroup differ in their setmaxnreg %d: %d registers here (pc %d), %d there (pc %d)"}
)

// GroupProduct tells of a wgmma.mma_async and of its descriptors.
func (w *Warp) GroupProduct(in *Inst, a, b uint64) {
	if w.Watchful() {
		w.cta.products.step(w, in, &productSteps, a, b)
	}
}

// step notes what a warp does.
func (s *warpgroups) step(w *Warp, in *Inst, kind *stepKind, a, b uint64) {
	of, k := int(w.index)/groupWarps, int(w.index)%groupWarps
	for len(*s) <= of {
		*s = append(*s, warpgroup{})
	}
	g := &(*s)[of]
	n := g.come[k] - g.first
	g.come[k]++
	if n == len(g.open) {
		g.open = append(g.open, groupStep{a, b, w.Place(in)})
		return
	}
	if with := &g.open[n]; !g.told && (with.at.PC != w.PC(in) || with.at.Func != w.frag.frame.code.Func || with.a != a || with.b != b) {
		g.told = true
		w.misusedBeside(in, w.Mask, with.at, kind.differs, w.index, with.at.Warp, g.come[k], a, b, with.a, with.b)
	}
	g.forget()
}

// forget drops steps that all warps have come to.
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

// uneven reports, of a CTA that ends, steps that not all warps of a warpgroup have come to.
func (c *CTA) uneven() {
	c.products.uneven(c, &productSteps)
	c.changes.uneven(c, &registerSteps)
}

func (s warpgroups) uneven(c *CTA, kind *stepKind) {
	for i := range s {
		s[i].uneven(c, i, kind)
	}
}

func (g *warpgroup) uneven(c *CTA, of int, kind *stepKind) {
	if g.told || len(g.open) == 0 {
		return
	}
	for k, n := range g.come {
		if n == g.first {
			c.misusedAt(g.open[0].at, "warp %d of a warpgroup has ended without %s %d, which the warpgroup makes as a whole", of*groupWarps+k, kind.name, n+1)
			return
		}
	}
}
