package converge

// Random kernels.

import (
	"fmt"
	"math/rand/v2"
)

// drawer draws a kernel.
type drawer struct {
	*rand.Rand
	k      *Kernel
	room   int // nodes that may still be drawn
	inFunc bool
}

// place is where a list is drawn.
type place struct {
	depth int  // of branches and loops
	loops int  // of them loops
	cta   bool // all living threads of the CTA come here
	leave Kind // Break or Return where lanes may leave the list so, else Set
}

const maxDepth = 4

// New draws the kernel of a seed.
func New(seed uint64) *Kernel {
	r := rand.New(rand.NewPCG(seed, 34))
	k := &Kernel{Shape: drawShape(r), Slots: 2, Fin: r.IntN(2) == 0, Last: r.IntN(3), Fixed: r.IntN(4) == 0}
	d := &drawer{Rand: r, k: k}
	for i := range r.IntN(3) {
		f := &Func{Name: fmt.Sprintf("f%d", i)}
		d.room, d.inFunc = 3+r.IntN(6), true
		f.Nodes = d.list(place{depth: 2, leave: Return}, 1+r.IntN(4))
		k.Funcs = append(k.Funcs, f)
	}
	d.room, d.inFunc = 8+r.IntN(30), false
	k.Nodes = d.list(place{cta: true}, 3+r.IntN(10))
	if r.IntN(3) != 0 {
		k.Nodes = append(k.Nodes, d.tail()...)
	}
	return k
}

// drawShape: few threads mostly, and blocks that are no multiple of 32.
func drawShape(r *rand.Rand) Shape {
	threads := []int{1, 31, 32, 32, 33, 48, 64, 70, 96, 128, 128, 160, 225}
	grids := []int{1, 1, 2, 3, 4, 5, 8, 8, 16, 16, 24, 64}
	s := line(threads[r.IntN(len(threads))], grids[r.IntN(len(grids))])
	if columns := []int{4, 8, 16, 35}[r.IntN(4)]; r.IntN(4) == 0 && s.Threads%columns == 0 {
		s.Columns = columns
	}
	for s.Threads*s.Grid > 2048 {
		s.Grid /= 2
	}
	return s
}

func (d *drawer) chance(percent int) bool { return d.IntN(100) < percent }

// list draws so many nodes, or as there is room for.
func (d *drawer) list(at place, n int) (out []*Node) {
	for ; n > 0 && d.room > 0; n-- {
		d.room--
		out = append(out, d.node(at))
	}
	return out
}

// node draws one.
func (d *drawer) node(at place) *Node {
	switch c := d.IntN(100); {
	case c < 30:
		return d.meet()
	case c < 47:
		return d.straight()
	case c < 56 && at.leave != Set:
		return &Node{Kind: at.leave, Cond: d.cond(false)}
	case c < 56 && at.cta:
		return d.barrier()
	case c < 66:
		return &Node{Kind: Exit, Style: d.IntN(exitWays), Cond: d.guard()}
	case c < 73:
		return d.call()
	case at.depth >= maxDepth:
		return d.straight()
	case c < 86:
		return d.branch(at)
	case c < 90:
		return d.pair(at)
	case c < 93:
		return d.choose(at)
	}
	return d.loop(at)
}

func (d *drawer) data() int { return d.IntN(dataVars) }

// any is a variable that may be read.
func (d *drawer) any() int {
	if d.chance(70) {
		return d.data()
	}
	return d.IntN(allVars)
}

// written is one that may be written.
func (d *drawer) written() int {
	if d.chance(85) {
		return d.data()
	}
	return d.IntN(firstCount)
}

func (d *drawer) value() Value {
	v := Value{Of: Source(d.IntN(int(sources)))}
	switch v.Of {
	case FromVar:
		v.N = uint32(d.any())
	case FromConst:
		v.N = d.Uint32() >> d.IntN(32)
	}
	return v
}

func (d *drawer) straight() *Node {
	n := &Node{D: d.written(), A: d.any(), Style: d.IntN(3)}
	switch c := d.IntN(10); {
	case c < 4:
		n.Kind, n.Mode, n.Value = Set, d.IntN(len(ariths)), d.value()
	case c < 6 && !d.inFunc:
		n.Kind, n.Slot = Store, d.k.Slots
		d.k.Slots++
	case c < 7:
		n.Kind = Load
	case c < 8:
		n.Kind = Own
	default:
		n.Kind, n.Mode, n.Slot = Add, d.IntN(len(addPlaces)), d.IntN(slots)
	}
	return n
}

// cond draws a condition; uniform: the same in a CTA.
func (d *drawer) cond(uniform bool) *Cond {
	c := &Cond{Of: Test(d.IntN(int(tests))), A: d.any(), Not: d.chance(30)}
	if uniform {
		c.Of = CTABit + Test(d.IntN(2))
	}
	switch c.Of {
	case LaneBelow:
		c.N = []uint32{1, 2, 4, 8, 16, 17, 31}[d.IntN(7)]
	case LaneIs:
		c.N = d.Uint32N(32)
	case LaneBit:
		c.N = d.Uint32N(5)
	case TidBelow:
		c.N = []uint32{1, 2, 32, 40, 64, 100, 1000}[d.IntN(7)]
	case TidIs:
		c.N = d.Uint32N(uint32(d.k.Threads))
	case WarpBit, CTABit:
		c.N = d.Uint32N(2)
	case GridAbove:
		c.N = d.Uint32N(8)
	case VarBit:
		c.N = d.Uint32N(32)
	case VarBelow:
		c.N = 1 << (28 + d.IntN(4))
	}
	return c
}

// guard is a condition of few lanes, mostly.
func (d *drawer) guard() *Cond {
	c := d.cond(false)
	if d.chance(60) {
		c = &Cond{Of: LaneIs, N: d.Uint32N(32)}
	} else if d.chance(50) {
		c = &Cond{Of: VarBelow, N: 1 << (26 + d.IntN(4)), A: d.data()}
	}
	return c
}

func (d *drawer) meet() *Node {
	n := &Node{Kind: Meet, D: d.written(), A: d.any(), B: d.any(), K: d.Uint32()}
	n.Mode, n.Style = d.IntN(len(meetings)), d.IntN(4)
	op := &meetings[n.Mode]
	if op.alone {
		if d.inFunc {
			n.Mode = barWarp
		}
		return n
	}
	if op.cond {
		n.Cond = d.cond(false)
	}
	n.Group = d.chance(10)
	if op.plain && d.chance(15) {
		n.Only, n.Cond = true, d.cond(false)
	}
	return n
}

func (d *drawer) barrier() *Node {
	n := &Node{Kind: Barrier, D: d.data(), Mode: d.IntN(len(barriers)), Slot: d.IntN(slots)}
	if m := barriers[n.Mode]; m != barPlain && m != barSlot {
		n.Cond = d.cond(false)
	}
	return n
}

func (d *drawer) call() *Node {
	n := len(d.k.Funcs)
	if n == 0 {
		return d.meet()
	}
	c := &Node{Kind: Call, D: d.data(), A: d.any(), K: d.Uint32N(30), Funcs: []*Func{d.k.Funcs[d.IntN(n)]}}
	switch d.IntN(5) {
	case 0:
		c.Only, c.Cond = true, d.cond(false)
	case 1:
		c.Funcs = append(c.Funcs, d.k.Funcs[d.IntN(n)])
	}
	return c
}

// inner is the place of an arm.
func (at place) inner(cta bool) place {
	return place{depth: at.depth + 1, loops: at.loops, cta: at.cta && cta}
}

// arm draws the list of an arm, in which lanes may all end.
func (d *drawer) arm(at place) []*Node {
	list := d.list(at, 1+d.IntN(4))
	if d.chance(15) {
		list = append(list, &Node{Kind: Exit, Style: d.IntN(exitWays)})
	}
	return list
}

func (d *drawer) branch(at place) *Node {
	n := &Node{Kind: If, Cond: d.cond(d.chance(12)), Mode: d.IntN(narrowings), Style: d.IntN(2), Arms: make([][]*Node, 2)}
	in := at.inner(n.Cond.uniformCTA())
	n.Arms[0] = d.arm(in)
	if d.chance(60) {
		n.Arms[1] = d.arm(in)
	}
	return n
}

// pair draws arms that meet in the middle.
func (d *drawer) pair(at place) *Node {
	n := &Node{Kind: Pair, Cond: d.cond(false), Mode: d.IntN(narrowings), Arms: make([][]*Node, 5)}
	in := at.inner(false)
	for i := range n.Arms {
		if i == 2 {
			n.Arms[i] = append(d.list(in, 1), d.meet(), d.call())[d.IntN(2):]
		} else if d.chance(60) {
			n.Arms[i] = d.list(in, 1+d.IntN(2))
		}
	}
	return n
}

func (d *drawer) choose(at place) *Node {
	n := &Node{Kind: Switch, A: d.data(), K: d.Uint32N(30), Style: d.IntN(2), Arms: make([][]*Node, 4)}
	for i := range n.Arms {
		n.Arms[i] = d.list(at.inner(false), d.IntN(3))
	}
	return n
}

func (d *drawer) loop(at place) *Node {
	if at.loops == counterVars {
		return d.meet()
	}
	n := &Node{Kind: Loop, D: firstCount + at.loops, A: d.data(), K: d.Uint32N(30), Trips: d.IntN(4), Style: d.IntN(2)}
	in := at.inner(n.Trips > 0)
	in.loops++
	if d.chance(40) {
		in.leave, in.cta = Break, false
	}
	n.Arms = [][]*Node{d.list(in, 1+d.IntN(5))}
	return n
}

// tail draws lanes that meet while the others go on to the end.
func (d *drawer) tail() []*Node {
	d.room = max(d.room, 4)
	n := &Node{Kind: If, Cond: d.guard(), Mode: byOthers}
	meet := d.meet()
	if d.chance(30) {
		meet = &Node{Kind: Meet, Mode: barWarp}
	}
	n.Arms = [][]*Node{append(d.list(place{depth: 3}, d.IntN(3)), meet), nil}
	n.Cond.Not = d.chance(30)
	return []*Node{n, d.straight(), {Kind: If, Cond: d.cond(false), Arms: [][]*Node{{d.straight()}, nil}}}
}
