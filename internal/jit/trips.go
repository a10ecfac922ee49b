package jit

// Loops that lanes leave one after the other, in code for some lanes. If a loop only computes, its one way
// back is its last instruction and nobody comes into its middle from outside, then a trip is one program for
// all lanes that run: branches inside become truth values, and values that differ by way are chosen where
// the ways meet.
//
// That is the order of the fragment loop: lanes of the smallest pc go first, so when some stand at the header,
// whoever waits does so behind the loop (inside, they would have been collected before the last instruction;
// from outside nobody comes there). So nobody joins while a trip runs, the ways inside are passed
// in ascending order, and those who leave wait behind the loop until the others have left, too. Nothing of it touches
// memory. What counts (Steps of ways that somebody takes, Ops, fuel of trips that nobody leaves) is counted as there.

import (
	"maps"
	"slices"

	"ptxvm.invalid/ptxvm/internal/jit/x86"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/sem"
)

const (
	maxTrip   = 256 // instructions of a trip
	maxArms   = 24  // those of them that only some lanes execute
	wholeArms = 10  // up to so many are worth it for full warps, too
	maxAtoms  = 8
)

// trips is such a loop: segments [first, last].
type trips struct {
	first, last int
	merged      merged // of one trip; its first masks are those of exits and arms
	exits       []tripExit
	arms        []tripArm
	late        []tripLate
	steps       int32       // instructions of a trip that some lane comes to whatever the ways
	ops         int32       // those that a lane executes, if it neither leaves nor goes by an arm
	whole       bool        // full warps run it, too
	loads       bool        // it is instructions, and merged is none (turns.go)
	lazy        []rowResult // rows that hold any NaN from trip to trip
}

// tripExit is a way out: the lanes of mask bit go to a segment. Each of them executes ops instructions more than
// those that stay.
type tripExit struct {
	seg, bit int
	ops      int32
	latch    bool // behind the last instruction
}

// tripArm is a way inside: steps instructions for the lanes of mask bit (rest: for those that are not in it), each
// of which executes ops more than others.
type tripArm struct {
	bit        int
	rest       bool
	steps, ops int32
}

// tripLate are instructions that nobody comes to if all lanes have left by some of the exits.
type tripLate struct {
	exits []int
	steps int32
}

// lanesForm is how many lanes a set has, as a sum: of the running lanes (0), and of sets of their own (atoms).
type lanesForm [1 + maxAtoms]int32

func (f lanesForm) plus(g lanesForm, times int32) lanesForm {
	for i := range f {
		f[i] += times * g[i]
	}
	return f
}

// tripEdge is a way to a segment, or out.
type tripEdge struct {
	to    int
	lanes lanesForm
	mask  val
	now   map[uint32]val
	loose map[uint32]bool
	latch bool
}

// tripper builds the program of a trip.
type tripper struct {
	merger
	t     *trips
	touch touched
	edges []tripEdge
	out   []tripEdge
	atoms []val             // their masks
	masks map[lanesForm]val // of sets
	lanes lanesForm         // the running way
	mask  val
	end   *tripEdge // what holds behind the last instruction
	ops   lanesForm // executed instructions
	ways  []tripWay
}

// tripWay is a set of lanes with the instructions that they come to.
type tripWay struct {
	lanes lanesForm
	mask  val
	steps int32
}

// findTrips finds these loops by their first segment.
func (r *region) findTrips() map[int]*trips {
	found := map[int]*trips{}
	for i := range r.segs {
		s := &r.segs[i]
		if s.end == s.first || r.steps[s.end-1].leaves || r.steps[s.end-1].op.Kind != sem.OpBranch {
			continue
		}
		to := int32(r.insts[s.end-1].Imm)
		if h, ok := r.segAt[to]; ok && h <= i && s.end-to <= maxTrip && r.closed(h, i) {
			t := r.tripsOf(h, i)
			switch {
			case t != nil && !r.uses(Trips):
				t = nil
			case t == nil && h == i:
				if t = r.turnsOf(i); t != nil && !r.uses(Turns) {
					t = nil
				}
			}
			if t != nil {
				found[h] = t
			}
		}
	}
	return found
}

// closed tells whether segments are whole blocks, one behind the other, that are entered at the first alone.
func (r *region) closed(first, last int) bool {
	for i := first; i <= last; i++ {
		s := &r.segs[i]
		if !s.start || s.end < r.f.Blocks[r.live.blockOf[s.first]].End || i > first && r.segs[i-1].end != s.first {
			return false
		}
		for _, p := range r.f.Blocks[r.live.blockOf[s.first]].Preds {
			at := r.f.Blocks[p].First
			if i > first && (at < r.segs[first].first || at >= r.segs[last].end) {
				return false
			}
		}
	}
	return last+1 < len(r.segs) && r.segs[last+1].first == r.segs[last].end
}

// tripsOf builds a loop of segments; nil if it is none.
func (r *region) tripsOf(first, last int) *trips {
	b := &tripper{t: &trips{first: first, last: last}, masks: map[lanesForm]val{}}
	m := &b.t.merged
	m.evex, m.mem = r.wide512, r.mem
	b.merger = merger{r: r, m: m, base: map[uint32]val{}, wrote: map[uint32]typ{}}
	b.touch.begin(r.segs[first].first, true)
	run := lanesForm{1}
	b.masks[run] = b.read(&source{typ: tM, off: noRow, row: -1, run: true})
	b.edges = []tripEdge{{to: first, lanes: run, mask: b.masks[run], now: map[uint32]val{}, loose: map[uint32]bool{}}}
	for i := first; i <= last; i++ {
		if !b.segment(i) {
			return nil
		}
	}
	if b.end == nil || !b.finish() {
		return nil
	}
	return b.t
}

// segment adds the instructions of a segment; false if they cannot be.
func (b *tripper) segment(i int) bool {
	s := &b.r.segs[i]
	if !b.join(i) {
		return false
	}
	for pc := s.first; pc < s.end; pc++ {
		st := &b.r.steps[pc]
		switch {
		case st.leaves:
			return false
		case st.op.Kind == sem.OpBranch:
			return b.branch(i, pc)
		case st.op.Kind == sem.OpNothing && b.r.insts[pc].Guard == machine.NoGuard:
			b.executed(b.lanes)
		case !b.pure(pc):
			return false
		}
	}
	return b.goTo(i+1, b.lanes, b.mask)
}

// join brings the ways that come to a segment together.
func (b *tripper) join(i int) bool {
	var in []tripEdge
	for _, e := range b.edges {
		if e.to == i {
			in = append(in, e)
		}
	}
	if len(in) == 0 {
		return false
	}
	b.lanes, b.mask, b.now, b.loose = in[0].lanes, in[0].mask, in[0].now, in[0].loose
	for _, e := range in[1:] {
		b.meet(&e, b.r.segs[i].first)
		b.lanes = b.lanes.plus(e.lanes, 1)
		if m, ok := b.masks[b.lanes]; ok {
			b.mask = m
		} else {
			b.mask = b.m.op2(cMOr, tM, b.mask, e.mask, 0)
			b.masks[b.lanes] = b.mask
		}
	}
	b.ways = append(b.ways, tripWay{lanes: b.lanes, mask: b.mask})
	return true
}

// meet takes what lanes that come another way have, before an instruction.
func (b *tripper) meet(e *tripEdge, pc int32) {
	live := b.r.live.at(pc)
	for _, off := range b.offsets(e) {
		if b.r.live.holds(live, off) {
			b.choose(off, e)
		}
	}
}

// choose makes a row or predicate what an edge has, for its lanes.
func (b *tripper) choose(off uint32, e *tripEdge) {
	t := b.wrote[off]
	mine, other := b.value(off, t), b.valueAt(e, off, t)
	b.now[off] = b.pick(e.mask, other, mine)
	b.loose[off] = b.loose[off] || e.loose[off]
}

// offsets lists what has been written here or on an edge.
func (b *tripper) offsets(e *tripEdge) (list []uint32) {
	for off := range b.wrote {
		if b.now[off] != e.now[off] || b.loose[off] != e.loose[off] {
			list = append(list, off)
		}
	}
	slices.Sort(list)
	return list
}

func (b *tripper) value(off uint32, t typ) val { return b.read(&source{typ: t, off: off, row: -1}) }

// valueAt is what a row or predicate has on an edge.
func (b *tripper) valueAt(e *tripEdge, off uint32, t typ) val {
	now := b.now
	b.now = e.now
	v := b.value(off, t)
	b.now = now
	return v
}

// pick is x for the lanes of a mask, y for others.
func (b *tripper) pick(mask, x, y val) val {
	switch {
	case x == y:
		return x
	case b.m.typ(x) == tM:
		return b.m.op2(cMOr, tM, b.m.op2(cMAnd, tM, mask, x, 0), b.without(y, mask), 0)
	}
	return b.m.sel(mask, x, y)
}

// without is the lanes of a set that are not in another.
func (b *tripper) without(set, other val) val {
	if o := &b.m.ops[other]; o.code == cMNot {
		return b.m.op2(cMAnd, tM, o.a, set, 0)
	}
	return b.m.op2(cMAndn, tM, other, set, 0)
}

// executed counts an instruction of the running way that some of its lanes execute.
func (b *tripper) executed(lanes lanesForm) {
	b.ways[len(b.ways)-1].steps++
	b.ops = b.ops.plus(lanes, 1)
}

// atom makes a set of lanes one of its own; false if there are too many.
func (b *tripper) atom(mask val) (f lanesForm, ok bool) {
	if len(b.atoms) == maxAtoms {
		return f, false
	}
	b.atoms = append(b.atoms, mask)
	f[len(b.atoms)] = 1
	b.masks[f] = mask
	return f, true
}

// pure adds an instruction that computes.
func (b *tripper) pure(pc int32) bool {
	s, in := &b.r.steps[pc], &b.r.insts[pc]
	switch s.op.Kind {
	case sem.OpLane, sem.OpCompare, sem.OpSelect, sem.OpCarry, sem.OpMove, sem.OpLogic:
	default:
		return false
	}
	if s.onSlots() || len(s.op.Spread) != 0 || s.prog != nil && !b.narrow(s.prog) || !b.touch.note(b.r, pc) {
		return false
	}
	if in.Guard == machine.NoGuard {
		b.step(pc, true)
		b.executed(b.lanes)
		return true
	}
	guard := b.flip(in.Guard&^1, in.Guard&1 != 0)
	lanes, ok := b.atom(b.m.op2(cMAnd, tM, b.mask, guard, 0))
	if !ok {
		return false
	}
	before := tripEdge{now: maps.Clone(b.now), loose: maps.Clone(b.loose)}
	b.step(pc, true)
	for _, off := range b.offsets(&before) {
		b.now[off] = b.pick(guard, b.now[off], b.valueAt(&before, off, b.wrote[off]))
		b.loose[off] = b.loose[off] || before.loose[off]
	}
	b.executed(lanes)
	return true
}

// narrow tells whether the machine has the widths of a program beside each other.
func (b *tripper) narrow(p *program) bool {
	need := needed(p)
	for i := range p.ops {
		b.touch.wide = b.touch.wide || need[i] && p.ops[i].typ == tX
		if need[i] && (p.ops[i].typ == tX && !b.r.wide512 || p.ops[i].code == cDivide) { // that loses a register of masks
			return false
		}
	}
	return true
}

// branch adds the branch at the end of a segment.
func (b *tripper) branch(i int, pc int32) bool {
	in := &b.r.insts[pc]
	to, guarded := b.r.segAt[int32(in.Imm)], in.Guard != machine.NoGuard
	back := int32(in.Imm) <= pc
	if guarded && !meetsAhead(in, pc, int32(in.Imm)) || back != (i == b.t.last) || back && (to != b.t.first || in.Flags&machine.QuietLoop == 0) {
		return false
	}
	if back {
		b.end = &tripEdge{mask: b.mask, now: b.now, loose: b.loose}
	}
	if !guarded {
		b.executed(b.lanes)
		return back || b.goTo(to, b.lanes, b.mask)
	}
	taken := b.flip(in.Guard&^1, in.Guard&1 != 0)
	others := b.without(b.mask, taken)
	if back {
		f, ok := b.atom(others)
		b.executed(b.lanes.plus(f, -1))
		return ok && b.leaves(i+1, f, others, true)
	}
	f, ok := b.atom(b.m.op2(cMAnd, tM, b.mask, taken, 0))
	b.executed(f)
	rest := b.lanes.plus(f, -1)
	if _, known := b.masks[rest]; !known {
		b.masks[rest] = others
	}
	if !ok || !b.goTo(to, f, b.masks[f]) {
		return false
	}
	return b.goTo(i+1, rest, b.masks[rest])
}

// goTo sends lanes to a segment, with copies of what they have.
func (b *tripper) goTo(to int, lanes lanesForm, mask val) bool {
	if to > b.t.last {
		return b.leaves(to, lanes, mask, false)
	}
	b.edges = append(b.edges, tripEdge{to: to, lanes: lanes, mask: mask, now: maps.Clone(b.now), loose: maps.Clone(b.loose)})
	return true
}

// leaves sends lanes out of the loop.
func (b *tripper) leaves(to int, lanes lanesForm, mask val, latch bool) bool {
	if n := b.r.segs[to].pending; n < 0 || n >= maxPending {
		return false
	}
	b.out = append(b.out, tripEdge{to: to, lanes: lanes, mask: mask, now: maps.Clone(b.now), loose: maps.Clone(b.loose), latch: latch})
	return true
}

// tripSlots is how many arms are counted, at saveTrips in the state: from which fuel on trips are to be counted, the
// fuel that is put aside, and the counts.
const tripSlots = 8

var (
	tripFrom  = x86.At(rCtx, saveTrips)
	tripAside = x86.At(rCtx, saveTrips+4)
)

func tripCount(k int) x86.Mem { return x86.At(rCtx, saveTrips+8+int32(8*k)) }
