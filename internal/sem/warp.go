package sem

// Communication inside a warp, 9.7.9.6 and 9.7.13: every lane hands in a value at a .sync
// instruction and gets one computed from those of the lanes in its member mask.

import (
	"hash/fnv"
	"math/bits"

	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/regs"
	"ptxvm.invalid/ptxvm/internal/uop"
)

func warpLines() []Line {
	return []Line{
		{isa.ShflSync, nil, Plan(planShfl, isa.C_mode), ""},
		{isa.Shfl, nil, Plan(planShfl, isa.C_mode), ""},
		{isa.VoteSync, nil, Plan(planVote, isa.C_mode), ""},
		{isa.Vote, nil, Plan(planVote, isa.C_mode), ""},
		{isa.MatchAnySync, nil, Plan(planMatchAny, isa.C_type), ""},
		{isa.MatchAllSync, nil, Plan(planMatchAll, isa.C_type), ""},
		{isa.Activemask, nil, Plan(planActivemask), ""},
		{isa.ReduxSync, nil, Plan(planRedux, isa.C_op, isa.C_fop, isa.C_type).Where(hasRedux).Sees(isa.M_abs, isa.M_NaN), ""},
		{isa.ElectSync, nil, Plan(planElect), ""},
	}
}

// warpOp gathers lanes as a payload says.
type warpOp uop.Warp

// warpOf is the payload of an operation across lanes.
func warpOf(in *machine.Inst) *warpOp { return (*warpOp)(in.Ext.Data.(*uop.Warp)) }

// met is what lanes that have met brought.
type met struct {
	lanes uint32 // everyone who takes part
	pred  uint32
	a     *[32]uint32
	x     *[32]uint64
}

// gather brings the lanes of w.Mask together with their members; without a mask the executing
// lanes are among themselves.
func (o *warpOp) gather(w *machine.Warp, in *machine.Inst, v machine.GatherIn) (met, machine.State) {
	if !o.Sync {
		return met{w.Mask, v.Pred, v.A, v.X}, machine.Next
	}
	v.Key, v.Members = o.Key, w.R32(o.Members)
	g, st := w.Gather(in, v)
	if st != machine.Next {
		return met{}, st
	}
	return met{g.Lanes, g.Pred, g.A, g.X}, st
}

// peers returns the lanes that lane i takes part with.
func (o *warpOp) peers(w *machine.Warp, g *met, i int) uint32 {
	if !o.Sync {
		return g.lanes
	}
	return g.lanes & w.R32(o.Members)[i&31]
}

// warpOp sets up the gathering of a statement; members is its mask operand, nil if the form
// has none.
func (b *Build) warpOp(members *ir.Operand) *uop.Warp {
	o := &uop.Warp{Key: keyOf(b.Sel)}
	if members != nil {
		o.Sync, o.Members = true, b.Src(members, 32)
	}
	b.Ext().Data = o
	return o
}

// keyOf is equal for statements that wait for each other: those with the same qualifiers.
func keyOf(sel *isa.Sel) uint64 {
	h := fnv.New64a()
	h.Write([]byte(sel.Text()))
	return h.Sum64()
}

// last returns the operand behind n others, nil if there is none.
func (b *Build) last(n int) *ir.Operand {
	if len(b.In.Ops) > n {
		return &b.In.Ops[n]
	}
	return nil
}

// pairDst places d of `d` or `d|p`, and p as the operation's pair.
func (b *Build) pairDst(o *uop.Warp, width int) {
	d := &b.In.Ops[0]
	o.Pair = b.Scratch(regs.Pred)
	if d.Kind == ir.OpPair {
		o.Pair = b.Dst(&d.Elems[1], 1)
		d = &d.Elems[0]
	}
	b.Out.D = b.Dst(d, width)
}

// shfl{.sync}.mode.b32 d|p, a, b, c{, membermask}: 9.7.9.6.
func planShfl(b *Build) {
	o := b.warpOp(b.last(4))
	b.pairDst(o, 32)
	b.Out.A, b.Out.B, b.Out.C = b.Src(&b.In.Ops[1], 32), b.Src(&b.In.Ops[2], 32), b.Src(&b.In.Ops[3], 32)
	b.Does(shuffles[b.Sel.Get(isa.C_mode)])
}

var shuffles = map[isa.Mod]uop.Op{
	isa.M_up: uop.ShuffleUp, isa.M_down: uop.ShuffleDown, isa.M_bfly: uop.ShuffleBfly, isa.M_idx: uop.ShuffleIdx,
}

func shuffleUp(w *machine.Warp, in *machine.Inst) machine.State   { return shfl(w, in, shflUp) }
func shuffleDown(w *machine.Warp, in *machine.Inst) machine.State { return shfl(w, in, shflDown) }
func shuffleBfly(w *machine.Warp, in *machine.Inst) machine.State { return shfl(w, in, shflBfly) }
func shuffleIdx(w *machine.Warp, in *machine.Inst) machine.State  { return shfl(w, in, shflIdx) }

// ShuffleSource is what finds the source lane of a shuffle; nil for another operation.
func ShuffleSource(op uop.Op) func(i, b, seg, clamp int) (j int, ok bool) { return shuffleSources[op] }

var shuffleSources = map[uop.Op]func(i, b, seg, clamp int) (int, bool){
	uop.ShuffleUp: shflUp, uop.ShuffleDown: shflDown, uop.ShuffleBfly: shflBfly, uop.ShuffleIdx: shflIdx,
}

// The source lane j of lane i and whether it is in range; seg is the segment mask c[12:8],
// clamp is c[4:0].

func shflUp(i, b, seg, clamp int) (j int, ok bool) {
	j = i - b
	return j, j >= i&seg|clamp&^seg
}

func shflDown(i, b, seg, clamp int) (j int, ok bool) {
	j = i + b
	return j, j <= i&seg|clamp&^seg
}

func shflBfly(i, b, seg, clamp int) (j int, ok bool) {
	j = i ^ b
	return j, j <= i&seg|clamp&^seg
}

func shflIdx(i, b, seg, clamp int) (j int, ok bool) {
	j = i&seg | b&^seg
	return j, j <= i&seg|clamp&^seg
}

// shfl copies from the source lane, from the own one if it is out of range or no member:
// what an inactive lane gives is undefined.
func shfl(w *machine.Warp, in *machine.Inst, source func(i, b, seg, clamp int) (int, bool)) machine.State {
	o := warpOf(in)
	g, st := o.gather(w, in, machine.GatherIn{A: w.R32(in.A)})
	if st != machine.Next {
		return st
	}
	d, b, c, a := w.R32(in.D), w.R32(in.B), w.R32(in.C), *g.a
	var inRange uint32
	var out [32]uint32
	for m := w.Mask; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		j, ok := source(i, int(b[i]&31), int(c[i]>>8&31), int(c[i]&31))
		inRange |= Bit(ok) << i
		if peers := o.peers(w, &g, i); !ok || peers>>(j&31)&1 == 0 {
			if ok && o.Sync && w.Watchful() {
				w.ShuffleMisuse(in, i, j, peers)
			}
			j = i
		}
		out[i] = a[j&31]
	}
	StoreLanes(d, &out, w.Mask)
	SetMask(w, o.Pair, inRange)
	return machine.Next
}

// vote{.sync}.mode d, {!}a{, membermask}: 9.7.13.9.
func planVote(b *Build) {
	o := b.warpOp(b.last(2))
	o.Flip = Flip(&b.In.Ops[1])
	b.Out.A = b.Src(&b.In.Ops[1], 1)
	op, ok := votes[b.Sel.Get(isa.C_mode)]
	if ok {
		b.Out.D = b.Dst(&b.In.Ops[0], 1)
	} else {
		b.Out.D, op = b.Dst(&b.In.Ops[0], 32), uop.Ballot
	}
	b.Does(op)
}

var votes = map[isa.Mod]uop.Op{isa.M_all: uop.VoteAll, isa.M_any: uop.VoteAny, isa.M_uni: uop.VoteUni}

// The results of a vote by the true predicates among the peers.

func voteAll(w *machine.Warp, in *machine.Inst) machine.State {
	return voteBy(w, in, func(yes, peers uint32) bool { return yes == peers })
}

func voteAny(w *machine.Warp, in *machine.Inst) machine.State {
	return voteBy(w, in, func(yes, peers uint32) bool { return yes != 0 })
}

func voteUni(w *machine.Warp, in *machine.Inst) machine.State {
	return voteBy(w, in, func(yes, peers uint32) bool { return yes == 0 || yes == peers })
}

func voteBy(w *machine.Warp, in *machine.Inst, f func(yes, peers uint32) bool) machine.State {
	return vote(w, in, func(o *warpOp, g met) {
		var p uint32
		Each(w.Mask, func(i int) {
			peers := o.peers(w, &g, i)
			p |= Bit(f(g.pred&peers, peers)) << i
		})
		SetMask(w, in.D, p)
	})
}

func ballot(w *machine.Warp, in *machine.Inst) machine.State {
	return vote(w, in, func(o *warpOp, g met) {
		d, members := w.R32(in.D), *w.R32(o.Members) // d may be the row of the masks
		Each(w.Mask, func(i int) {
			d[i] = g.pred & g.lanes
			if o.Sync {
				d[i] &= members[i]
			}
		})
	})
}

func vote(w *machine.Warp, in *machine.Inst, result func(*warpOp, met)) machine.State {
	o := warpOf(in)
	g, st := o.gather(w, in, machine.GatherIn{Pred: (*w.P(in.A) ^ o.Flip) & w.Mask})
	if st == machine.Next {
		result(o, g)
	}
	return st
}

// match.any.sync.type d, a, membermask: the members with an equal value (9.7.13.10).
func planMatchAny(b *Build) { b.match(uop.MatchAny) }

// match.all.sync.type d|p, a, membermask: all members if their values are equal.
func planMatchAll(b *Build) { b.match(uop.MatchAll) }

func (b *Build) match(op uop.Op) {
	o := b.warpOp(&b.In.Ops[2])
	b.pairDst(o, 32)
	b.Out.Imm = 32
	if b.Sel.Has(isa.M_b64) {
		b.Out.Imm = 64
	}
	b.Out.A = b.Src(&b.In.Ops[1], int(b.Out.Imm))
	b.Does(op)
}

// matching gathers the values of a match and hands each lane the peers with an equal one.
func matching(w *machine.Warp, in *machine.Inst, result func(i int, same, peers uint32)) machine.State {
	o, v := warpOf(in), machine.GatherIn{}
	if in.Imm == 64 {
		v.X = w.R64(in.A)
	} else {
		v.A = w.R32(in.A)
	}
	g, st := o.gather(w, in, v)
	if st != machine.Next {
		return st
	}
	values, members := gathered(g), *w.R32(o.Members)
	Each(w.Mask, func(i int) {
		peers, same := members[i]&g.lanes, uint32(0)
		Each(peers, func(j int) { same |= Bit(values[j] == values[i]) << j })
		result(i, same, peers)
	})
	return machine.Next
}

// gathered copies the values of a gather: results may go to the row they came from.
func gathered(g met) (v [32]uint64) {
	if g.x != nil {
		return *g.x
	}
	for i, x := range g.a {
		v[i] = uint64(x)
	}
	return v
}

func matchAny(w *machine.Warp, in *machine.Inst) machine.State {
	d := w.R32(in.D)
	return matching(w, in, func(i int, same, _ uint32) { d[i] = same })
}

func matchAll(w *machine.Warp, in *machine.Inst) machine.State {
	d, p := w.R32(in.D), uint32(0)
	st := matching(w, in, func(i int, same, peers uint32) {
		all := Bit(same == peers)
		d[i], p = peers&-all, p|all<<i
	})
	if st == machine.Next {
		SetMask(w, warpOf(in).Pair, p)
	}
	return st
}

// activemask.b32 d: the lanes that execute together (9.7.13.11).
func planActivemask(b *Build) {
	b.Out.D = b.Dst(&b.In.Ops[0], 32)
	b.Does(uop.ActiveMask)
}

func activemask(w *machine.Warp, in *machine.Inst) machine.State {
	d := w.R32(in.D)
	Each(w.Mask, func(i int) { d[i] = w.Mask })
	return machine.Next
}

// elect.sync d|p, membermask: the lowest member leads (9.7.13.15).
func planElect(b *Build) {
	o := b.warpOp(&b.In.Ops[1])
	b.pairDst(o, 32)
	b.Does(uop.Elect)
}

func elect(w *machine.Warp, in *machine.Inst) machine.State {
	o := warpOf(in)
	g, st := o.gather(w, in, machine.GatherIn{})
	if st != machine.Next {
		return st
	}
	d, members, p := w.R32(in.D), *w.R32(o.Members), uint32(0)
	Each(w.Mask, func(i int) {
		leader := bits.TrailingZeros32(g.lanes & members[i])
		d[i], p = uint32(leader), p|Bit(leader == i)<<i
	})
	SetMask(w, o.Pair, p)
	return machine.Next
}
