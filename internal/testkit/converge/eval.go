package converge

// The oracle: what a kernel writes. All lanes of a CTA go through a node before any goes through the next; kernels have
// no races, so that this is as good as any order.

import "math/bits"

// Result is what a launch leaves in memory.
type Result struct{ Out, Acc []uint32 }

// lanes holds a mask for each warp of a CTA.
type lanes []uint32

func (l lanes) empty() bool {
	for _, m := range l {
		if m != 0 {
			return false
		}
	}
	return true
}

// with are the lanes in both, or without: those that are in l alone.
func (l lanes) with(other lanes) lanes { return l.by(other, func(a, b uint32) uint32 { return a & b }) }
func (l lanes) without(other lanes) lanes {
	return l.by(other, func(a, b uint32) uint32 { return a &^ b })
}
func (l lanes) and(other lanes) lanes { return l.by(other, func(a, b uint32) uint32 { return a | b }) }

func (l lanes) by(other lanes, f func(a, b uint32) uint32) lanes {
	out := make(lanes, len(l))
	for w := range l {
		out[w] = f(l[w], other[w])
	}
	return out
}

// each visits threads in ascending order.
func (l lanes) each(visit func(tid int)) {
	for w, m := range l {
		for ; m != 0; m &= m - 1 {
			visit(32*w + bits.TrailingZeros32(m))
		}
	}
}

// cta is a CTA that is evaluated.
type cta struct {
	*Kernel
	*Result
	id    uint32
	own   [maxThreads]uint32
	slots [slots]uint32
}

// frame is a kernel's or a function's: the variables of each thread, and who has left it or its innermost loop.
type frame struct {
	*cta
	v                [][allVars]uint32
	broken, returned lanes
	inFunc           bool
}

// Evaluate says what a kernel writes.
func (k *Kernel) Evaluate() *Result {
	r := &Result{make([]uint32, k.Threads*k.Grid*k.Slots), make([]uint32, k.Grid+accSpread)}
	for id := range k.Grid {
		c := &cta{Kernel: k, Result: r, id: uint32(id)}
		f := c.frame()
		all := make(lanes, (k.Threads+31)/32)
		for tid := range k.Threads {
			all[tid/32] |= 1 << (tid % 32)
			for i := range dataVars {
				f.v[tid][i] = first(i, c.gid(tid))
			}
			c.own[tid] = f.v[tid][0]
		}
		f.finish(f.run(k.Nodes, all), true)
	}
	return r
}

// gid is a thread's number in the grid.
func (c *cta) gid(tid int) uint32 { return c.id*uint32(c.Threads) + uint32(tid) }

// frame is one with the first values of those variables that are alike in a CTA.
func (c *cta) frame() *frame {
	f := &frame{cta: c, v: make([][allVars]uint32, c.Threads), returned: make(lanes, (c.Threads+31)/32)}
	for tid := range f.v {
		f.v[tid][dataVars] = c.id*77 + 5
		f.v[tid][dataVars+1] = uint32(c.Grid)*3 + c.id
	}
	return f
}

// first is the first value of a data variable, of a number that threads differ by.
func first(i int, of uint32) uint32 { return (of*firstFactor[i] + firstAdd[i]) * 1664525 }

var (
	firstFactor = [dataVars]uint32{2654435761, 2246822519, 3266489917, 668265263}
	firstAdd    = [dataVars]uint32{99, 374761393, 1013904223, 12345}
)

// hash is what threads write at their end.
func (f *frame) hash(tid int) (h uint32) {
	for i := range firstCount {
		h = h*31 + f.v[tid][i]
	}
	return h
}

// put writes a thread's word of out.
func (f *frame) put(tid, slot int, v uint32) { f.Out[int(f.gid(tid))*f.Slots+slot] = v }

// finish lets lanes of the kernel come to its end; normally: not by a jump.
func (f *frame) finish(l lanes, normally bool) {
	l.each(func(tid int) {
		if normally {
			f.put(tid, 0, f.hash(tid))
		}
		if f.Fin {
			f.put(tid, 1, f.v[tid][0]^f.v[tid][dataVars])
		}
	})
}

// run lets lanes go through a list, and returns those that come out of it.
func (f *frame) run(list []*Node, l lanes) lanes {
	for _, n := range live(list) {
		if l.empty() {
			break
		}
		l = f.step(n, l)
	}
	return l
}

// step lets lanes go through one node.
func (f *frame) step(n *Node, l lanes) lanes {
	switch n.Kind {
	case Meet:
		f.meet(n, l)
	case Barrier:
		f.barrier(n, l)
	case Exit:
		return f.exit(n, l)
	case Break:
		out := f.holds(n.Cond, l)
		f.broken = f.broken.and(out)
		return l.without(out)
	case Return:
		out := f.holds(n.Cond, l)
		f.returned = f.returned.and(out)
		return l.without(out)
	case If, Pair:
		return f.branch(n, l)
	case Switch:
		return f.choose(n, l)
	case Loop:
		return f.loop(n, l)
	case Call:
		return f.call(n, l)
	default:
		l.each(func(tid int) { f.straight(n, tid) })
	}
	return l
}

// straight does what a thread does on its own.
func (f *frame) straight(n *Node, tid int) {
	v := &f.v[tid]
	switch n.Kind {
	case Set:
		v[n.D] = ariths[n.Mode].do(v[n.D], f.value(n.Value, tid))
	case Store:
		f.put(tid, n.Slot, v[n.A])
	case Load:
		v[n.D] ^= input(v[n.A] % inWords)
	case Own:
		v[n.D], f.own[tid] = f.own[tid], v[n.D]
	case Add:
		switch addPlaces[n.Mode] {
		case addSlot:
			s := &f.slots[n.Slot]
			*s = slotOps[n.Slot].do(*s, v[n.A])
		case addCTA:
			f.Acc[f.id] += v[n.A]
		case addSpread:
			f.Acc[f.Grid+int(v[n.A]%accSpread)] += v[n.A]
		}
	}
}

// input is a word of the buffer that kernels read.
func input(i uint32) uint32 { return (i*2654435761 + 12345) ^ i<<7 }

func (f *frame) value(v Value, tid int) uint32 {
	switch v.Of {
	case FromVar:
		return f.v[tid][v.N]
	case FromConst:
		return v.N
	case FromLane:
		return uint32(tid % 32)
	case FromTid:
		return uint32(tid)
	case FromCTA, FromCTAHere:
		return f.id
	case FromGrid:
		return uint32(f.Grid)
	default:
		return uint32(f.Threads)
	}
}

// holds are the lanes for which a condition holds; nil holds for all.
func (f *frame) holds(c *Cond, l lanes) lanes {
	out := make(lanes, len(l))
	l.each(func(tid int) {
		if c == nil || f.holdsFor(c, tid) {
			out[tid/32] |= 1 << (tid % 32)
		}
	})
	return out
}

func (f *frame) holdsFor(c *Cond, tid int) (yes bool) {
	lane := uint32(tid % 32)
	switch c.Of {
	case LaneBelow:
		yes = lane < c.N
	case LaneIs:
		yes = lane == c.N
	case LaneBit:
		yes = lane>>c.N&1 != 0
	case TidBelow:
		yes = uint32(tid) < c.N
	case TidIs:
		yes = uint32(tid) == c.N
	case WarpBit:
		yes = tid/32>>c.N&1 != 0
	case CTABit:
		yes = f.id>>c.N&1 != 0
	case GridAbove:
		yes = uint32(f.Grid) > c.N
	case VarBit:
		yes = f.v[tid][c.A]>>c.N&1 != 0
	case VarBelow:
		yes = f.v[tid][c.A] < c.N
	}
	return yes != c.Not
}

// exit ends lanes.
func (f *frame) exit(n *Node, l lanes) lanes {
	out := f.holds(n.Cond, l)
	switch n.exitWay(f.inFunc) {
	case exitFin:
		f.finish(out, false)
	case exitStoring, exitStoringAround:
		out.each(func(tid int) { f.put(tid, 0, f.hash(tid)) })
	}
	return l.without(out)
}

func (f *frame) branch(n *Node, l lanes) lanes {
	yes := f.holds(n.Cond, l)
	a, b := f.run(n.Arms[0], yes), f.run(n.Arms[1], l.without(yes))
	if n.Kind == If {
		return a.and(b)
	}
	both := f.run(n.Arms[2], a.and(b))
	return f.run(n.Arms[3], both.with(yes)).and(f.run(n.Arms[4], both.without(yes)))
}

func (f *frame) choose(n *Node, l lanes) lanes {
	var in [4]lanes
	for i := range in {
		in[i] = make(lanes, len(l))
	}
	l.each(func(tid int) { in[f.v[tid][n.A]>>n.K%4][tid/32] |= 1 << (tid % 32) })
	out := make(lanes, len(l))
	for i, arm := range n.Arms {
		out = out.and(f.run(arm, in[i]))
	}
	return out
}

// loop counts in the variable D.
func (f *frame) loop(n *Node, l lanes) lanes {
	trips := make([]uint32, len(f.v))
	l.each(func(tid int) {
		f.v[tid][n.D] = 0
		trips[tid] = n.trips(f.v[tid][n.A])
	})
	outer, out := f.broken, make(lanes, len(l))
	f.broken = make(lanes, len(l))
	for {
		in := make(lanes, len(l))
		l.each(func(tid int) {
			if f.v[tid][n.D] < trips[tid] {
				in[tid/32] |= 1 << (tid % 32)
			}
		})
		out = out.and(l.without(in))
		if in.empty() {
			break
		}
		l = f.run(n.Arms[0], in)
		l.each(func(tid int) { f.v[tid][n.D]++ })
	}
	out = out.and(f.broken)
	f.broken = outer
	return out
}

// trips are those of a loop whose A is a. A loop that tests behind its body has one at least.
func (n *Node) trips(a uint32) uint32 {
	t := uint32(n.Trips)
	if t == 0 {
		t = a >> n.K % 4
	}
	if n.testsBehind() {
		t = max(t, 1)
	}
	return t
}

// call lets lanes go through a function, or each through one of two.
func (f *frame) call(n *Node, l lanes) lanes {
	var skip lanes
	if n.Only {
		yes := f.holds(n.Cond, l)
		skip, l = l.without(yes), yes
	}
	out := make(lanes, len(l))
	if len(n.Funcs) > 1 {
		second := f.holds(&Cond{Of: VarBit, A: n.A, N: n.K}, l)
		out = f.through(n.Funcs[1], n, second)
		l = l.without(second)
	}
	out = out.and(f.through(n.Funcs[0], n, l))
	if n.Only {
		return out.and(skip)
	}
	return out
}

// through lets lanes go through a function.
func (f *frame) through(fn *Func, n *Node, l lanes) lanes {
	g := f.frame()
	g.inFunc = true
	l.each(func(tid int) {
		x := f.v[tid][n.A]
		g.v[tid][0] = x
		for i := 1; i < dataVars; i++ {
			g.v[tid][i] = first(i, x+f.gid(tid))
		}
	})
	out := g.run(fn.Nodes, l).and(g.returned)
	out.each(func(tid int) { f.v[tid][n.D] = g.v[tid][0]*5 + g.v[tid][1] })
	return out
}

// barrier is one of all living threads of the CTA.
func (f *frame) barrier(n *Node, l lanes) {
	yes, all := 0, 0
	if n.Cond != nil {
		f.holds(n.Cond, l).each(func(int) { yes++ })
	}
	l.each(func(int) { all++ })
	r := uint32(0)
	switch barriers[n.Mode] {
	case barPopc:
		r = uint32(yes)
	case barAnd:
		r = bit(yes == all)
	case barOr:
		r = bit(yes != 0)
	case barSlot:
		r = f.slots[n.Slot]
	}
	l.each(func(tid int) { f.v[tid][n.D] = f.v[tid][n.D]*3 + r })
}

func bit(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}

// meet lets the lanes of each warp meet, or of each group of them.
func (f *frame) meet(n *Node, l lanes) {
	if n.Only {
		l = f.holds(n.Cond, l)
	}
	for w, mask := range l {
		for mask != 0 {
			group := mask
			if n.Group {
				group = f.group(n, w, mask)
			}
			mask &^= group
			f.meetIn(n, w, group)
		}
	}
}

// group are the lanes that meet with the first of a mask.
func (f *frame) group(n *Node, w int, mask uint32) (group uint32) {
	one := f.v[32*w+bits.TrailingZeros32(mask)][n.B] >> groupShift % groupCount
	for m := mask; m != 0; m &= m - 1 {
		if i := bits.TrailingZeros32(m); f.v[32*w+i][n.B]>>groupShift%groupCount == one {
			group |= 1 << i
		}
	}
	return group
}

// Lanes group by two bits of a variable.
const (
	groupShift = 6
	groupCount = 4
)

// meeting is what the lanes of a warp bring to an operation, and what each gets.
type meeting struct {
	*Node
	*cta
	warp    int
	lanes   uint32
	yes     uint32     // lanes with Cond
	low     [32]uint32 // the lower half of values of 64 bits
	a, b, r [32]uint32
}

func (f *frame) meetIn(n *Node, w int, group uint32) {
	m := &meeting{Node: n, cta: f.cta, warp: w, lanes: group}
	m.each(func(i int) {
		tid := 32*w + i
		m.a[i], m.b[i], m.low[i] = f.v[tid][n.A], f.v[tid][n.B], f.v[tid][dataVars]
		if n.Cond != nil && f.holdsFor(n.Cond, tid) {
			m.yes |= 1 << i
		}
	})
	op := &meetings[n.Mode]
	op.eval(m)
	if op.silent {
		return
	}
	m.each(func(i int) {
		v := &f.v[32*w+i][n.D]
		*v = *v*meetFactor + m.r[i]
	})
}

// meetFactor is what the variable is multiplied by that the result of a meeting is added to.
const meetFactor = 3

func (m *meeting) each(visit func(i int)) {
	for l := m.lanes; l != 0; l &= l - 1 {
		visit(bits.TrailingZeros32(l))
	}
}
