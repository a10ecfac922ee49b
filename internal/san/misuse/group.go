package misuse

// This file follows what the four warps of a warpgroup do as one: they multiply the same products, in the same order,
// of the matrices that the same descriptors name (9.7.15.5), and change their registers alike (9.7.19.5). Each warp
// does its part in the machine and waits for no other, so that a difference would go unseen.

import (
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/san/found"
)

// groupWarps is the warps of a warpgroup, those from a multiple of it on.
const groupWarps = 4

// step is an instruction of a warp that has come first to it.
type step struct {
	machine.GroupStep
	at machine.Place
}

// group is what the warps of one have done of a kind.
type group struct {
	open  []step // those that not all four warps have come to
	first int    // number of the first of these
	come  [groupWarps]int
	told  bool
}

// groups are those of a CTA, for one kind of step.
type groups []group

// stepKind is a kind of instruction that is followed.
type stepKind struct {
	name    string
	differs string // how two steps differ: numbers of two warps and of the step, a and b of both
}

var (
	products  = stepKind{"product", "warps %d and %d of a warpgroup differ in their product %d: %#x × %#x here, %#x × %#x there (descriptors)"}
	registers = stepKind{"setmaxnreg", "warps %d and %d of a warpgroup differ in their setmaxnreg %d: %d registers here (pc %d), %d there (pc %d)"}
)

// group notes what a warp does.
func (o *Observer) group(e *machine.Event, s *machine.GroupStep) {
	c := o.cta(e)
	list, kind := &c.products, &products
	if s.Registers {
		list, kind = &c.registers, &registers
	}
	of, k := e.Warp/groupWarps, e.Warp%groupWarps
	for len(*list) <= of {
		*list = append(*list, group{})
	}
	g, here := &(*list)[of], e.Place(e.Lanes)
	n := g.come[k] - g.first
	g.come[k]++
	if n == len(g.open) {
		g.open = append(g.open, step{*s, here})
		return
	}
	if with := &g.open[n]; !g.told && (with.at.PC != here.PC || with.at.Func != here.Func || with.GroupStep != *s) {
		g.told = true
		o.misusedBeside(e, with.at, found.SyncMisuse, e.Lanes, kind.differs, e.Warp, with.at.Warp, g.come[k], s.A, s.B, with.A, with.B)
	}
	g.forget()
}

// forget drops steps that all warps have come to.
func (g *group) forget() {
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
func (o *Observer) uneven(list groups, kind *stepKind) {
	for of := range list {
		g := &list[of]
		if g.told || len(g.open) == 0 {
			continue
		}
		for k, n := range g.come {
			if n == g.first {
				o.misusedAt(g.open[0].at, "warp %d of a warpgroup has ended without %s %d, which the warpgroup makes as a whole", of*groupWarps+k, kind.name, n+1)
				break
			}
		}
	}
}
