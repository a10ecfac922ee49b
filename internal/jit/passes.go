package jit

// Loops in passes: one segment that only computes and loads, whose branch follows from numbers and whose
// numbers go on by the same amount each turn. How many turns are certain to come is known when the loop is
// entered, and what could go wrong in any of them is tested then. So the lanes need not keep together: all turns
// for as many lanes as their sums fit into registers, then all turns for the next ones. A turn is what its lanes
// compute and an addition for each base. Weak loads see the same wherever they stand between two barriers.
//
// Here is which loops do that, passes_emit.go has the code.

import (
	"slices"

	"ptxvm.invalid/ptxvm/internal/jit/x86"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/sem"
)

// passes is a loop that runs in passes.
type passes struct {
	merged
	seg      int
	advances []advance
	bases    []turnBase
	counter  turnCounter
	carried  []uint32 // rows that the loop writes, which are read behind a turn
	steady   []steady // what it only reads
	living   int      // values alive at a time that nobody carries
	lanes    int32    // instructions of lanes
	widens   []widening
}

// advance is a number that goes on by the same in each turn.
type advance struct {
	pc int32 // where it is added
	s  *step
	rate
	from *source // that it goes on by, if it is not fixed
	anew bool    // it is computed from others that do, instead (passes_rate.go)
}

// turnBase is the base of loads: what they reach from the number on, as it is before the first turn.
type turnBase struct {
	key       coverKey
	src       source
	bound     int32
	low, high int64
	align     int64
	goes      *advance // nil if it stays
}

// turnCounter decides whether there is another turn: v cond b, where v goes on by.
type turnCounter struct {
	v, b   *source
	cond   x86.Cond
	typ    typ
	signed bool
	rate
	high int64 // of v's last lane, from the first one on
}

// steady is a row, slot or constant that may have a register, and how often a turn reads it.
type steady struct {
	row  uint32
	key  *bcastKey
	uses int
}

// leastTurns is how many turns pay for what stands before and behind the passes.
const leastTurns = 6

// findPasses finds those loops.
func (r *region) findPasses() {
	r.passes = map[int]*passes{}
	t := new(passes)
	for i := range r.segs {
		if *t = (passes{seg: i}); t.find(r) {
			r.passes[i] = t
			t = new(passes)
		}
	}
}

func (t *passes) find(r *region) bool {
	s := &r.segs[t.seg]
	if s.end-s.first < 2 || !s.start {
		return false
	}
	pc := s.end - 1
	in, end := &r.insts[pc], &r.steps[pc]
	if end.leaves || end.op.Kind != sem.OpBranch || int32(in.Imm) != s.first || in.Flags&machine.QuietLoop == 0 || end.decided == nil || end.decided.terms != nil {
		return false
	}
	return r.allows(Passes) && t.body(r, s) && t.count(end.decided) && t.addresses(r) && t.merge(r, s)
}

// body looks at each instruction but the branch.
func (t *passes) body(r *region, s *segment) bool {
	u := r.touched.begin(s.first, false)
	u.looped = true
	defer func() { u.looped = false }()
	decides := r.steps[s.end-1].decided.step
	var others []int32
	for pc := s.first; pc < s.end-1; pc++ {
		switch step := &r.steps[pc]; {
		case step == decides:
		case step.once(false):
			if !t.advance(r, pc) {
				others = append(others, pc)
			}
		case !u.takes(r, pc):
			return false
		default:
			t.lanes++
		}
	}
	for _, pc := range others {
		if !t.anew(r, s, pc) || !r.uses(RatePasses) {
			return false
		}
	}
	for i := range t.advances { // loads write none of them, and what they go on by stays
		a := &t.advances[i]
		if _, written := u.written[a.s.dst.off]; written && a.s.made == nil {
			return false
		}
		if a.from == nil {
			continue
		}
		if by, ok := t.follows(r, s, a.pc, a.from); !ok || !by.zero() {
			return false
		}
	}
	b := &r.steps[s.end-1].decided.comparison
	for _, src := range []*source{b.a, b.b} {
		if _, written := u.written[src.off]; written && !src.known {
			return false
		}
	}
	return t.lanes > 0 && !u.wide
}

// advance tells whether an instruction adds the same to a number each turn, and notes it.
func (t *passes) advance(r *region, pc int32) bool {
	s := &r.steps[pc]
	if s.tests || !t.number(r, pc) || s.made != nil && r.global[s.made.reg] != s.made {
		return false
	}
	p := s.prog
	o := &p.ops[p.result]
	from, to := o.a, o.b
	if o.code == cAdd && !t.starts(s, from) {
		from, to = to, from
	}
	if o.code != cAdd && o.code != cSub || !t.starts(s, from) {
		return false
	}
	a := advance{pc: pc, s: s}
	if k, known := p.known(to); known {
		a.by = o.typ.wrapped(int64(k))
	} else if b := &p.ops[to]; b.code == cIn && single(&s.full[b.imm]) {
		a.from, a.wide, a.scale = &s.full[b.imm], o.typ == tX, 1
		a.at = a.from.number()
	} else {
		return false
	}
	if o.code == cSub {
		a.rate = a.times(-1)
	}
	if !a.near() {
		return false
	}
	t.advances = append(t.advances, a)
	return true
}

// number tells whether an instruction computes a number, which nobody reads as a row and no other one of the loop writes.
func (t *passes) number(r *region, pc int32) bool {
	s := &r.steps[pc]
	if s.prog == nil || s.op.Kind != sem.OpLane || s.dst.typ == tM || r.insts[pc].Guard != machine.NoGuard || s.made != nil && s.made.home {
		return false
	}
	return !slices.ContainsFunc(t.advances, func(a advance) bool { return a.s.made == s.made && (s.made != nil || a.s.dst.off == s.dst.off) })
}

// starts tells whether a value of a step's program is the number that the step writes, as it was before.
func (t *passes) starts(s *step, v val) bool {
	o := &s.prog.ops[v]
	return o.code == cIn && t.itself(s, &s.full[o.imm])
}

// itself tells whether a source of a number is that number.
func (t *passes) itself(s *step, src *source) bool {
	if s.made != nil {
		return src.pat == s.made
	}
	return src.slot && src.off == s.dst.off
}

// goes has how a number goes on, nil if it stays.
func (t *passes) goes(src *source) *advance {
	for i := range t.advances {
		if a := &t.advances[i]; src.pat != nil && a.s.made == src.pat || src.slot && a.s.made == nil && a.s.dst.off == src.off {
			return a
		}
	}
	return nil
}

// count finds the counter.
func (t *passes) count(d *decision) bool {
	c := turnCounter{v: d.a, b: d.b, cond: d.holds, typ: d.typ, signed: d.signed}
	if !d.when {
		c.cond = c.cond.Not()
	}
	if t.goes(c.v) == nil {
		c.v, c.b, c.cond = c.b, c.v, mirrored(c.cond)
	}
	a := t.goes(c.v)
	if a == nil || a.anew || t.goes(c.b) != nil || c.v.pat != nil && c.v.pat.n() != 1 || !single(c.b) {
		return false
	}
	if c.v.pat != nil {
		_, c.high = c.v.pat.extents()
	}
	c.rate = a.rate // numbers stay between a comparison and its branch, so it is compared behind the addition
	t.counter = c
	return c.counts()
}

// counts tells whether its turns can be counted.
func (c *turnCounter) counts() bool {
	if c.divides() {
		return c.typ == tW && (c.cond == x86.L || c.cond == x86.LE || c.cond == x86.B || c.cond == x86.BE) && (!c.fixed() || c.by > 0)
	}
	switch c.cond {
	case x86.L, x86.LE, x86.B, x86.BE:
		return c.by > 0
	case x86.G, x86.GE, x86.A, x86.AE:
		return c.by < 0
	}
	return c.cond == x86.NE
}

// divides tells whether counting them takes a division: where it does not go on by a known power of two, or v is not
// the same for all lanes.
func (c *turnCounter) divides() bool { return !c.fixed() || !c.power() || c.high != 0 }

// power tells whether it goes on by a power of two.
func (c *turnCounter) power() bool { return c.by != 0 && (c.by&(c.by-1) == 0 || -c.by&(-c.by-1) == 0) }

// single tells whether a source is one number for all lanes.
func single(s *source) bool {
	return s.shared() || s.pat != nil && s.pat.n() == 1 && s.pat.same()
}

// addresses finds the bases of the loads.
func (t *passes) addresses(r *region) bool {
	e := r.planner()
	s := &r.segs[t.seg]
	for pc := s.first; pc < s.end; pc++ {
		if r.steps[pc].op.Kind != sem.OpLoad {
			continue
		}
		a := e.accessAt(pc, false, allLanes).static()
		for k := range a.acc.m.At {
			if a.moves[k] == toSlot && r.scalarAt(a.acc.src[1+k].off, s.end-1) != nil {
				return false
			}
		}
		if !t.base(a, pc) {
			return false
		}
	}
	return true
}

// base adds what a load reaches to its base.
func (t *passes) base(a *static, pc int32) bool {
	key, by, ahead := a.key(), t.goes(&a.acc.src[0]), t.ahead(&a.acc.src[0], pc)
	if by != nil && !by.reaches(pc, a.align) {
		return false
	}
	low, high := a.reach()
	if low+ahead != int64(int32(low+ahead)) || high+ahead != int64(int32(high+ahead)) || (a.disp+ahead)%a.align != 0 {
		return false
	}
	for i := range t.bases {
		if b := &t.bases[i]; b.key == key {
			b.low, b.high, b.align = min(b.low, low+ahead), max(b.high, high+ahead), max(b.align, a.align)
			return true
		}
	}
	t.bases = append(t.bases, turnBase{key: key, src: a.acc.src[0], bound: a.acc.bound, low: low + ahead, high: high + ahead, align: a.align, goes: by})
	return true
}

// merge builds the program of a turn, and finds what it carries and what it only reads.
func (t *passes) merge(r *region, s *segment) bool {
	u := &run{first: s.first, end: s.end - 1}
	r.mergeForm(u, &t.merged, false)
	pred := r.steps[s.end-1].decided.pred // the branch writes it
	t.masks = slices.DeleteFunc(t.masks, func(m maskResult) bool { return m.off == pred })
	need, uses := t.needs(), t.uses()
	for k := range t.rows {
		t.carried = append(t.carried, t.rows[k].dst.off)
	}
	for i := range t.ops {
		if need[i] && !t.steadies(val(i), uses[i]) {
			return false
		}
	}
	t.living = len(t.crowd(nil)) - 1
	slices.SortStableFunc(t.steady, func(a, b steady) int { return b.uses - a.uses })
	return len(t.masks) == 0
}

// ahead is how far the number of a load's base is from what it was before the turn.
func (t *passes) ahead(src *source, pc int32) int64 {
	if by := t.goes(src); by != nil && !by.anew && pc > by.pc {
		return by.by
	}
	return 0
}

// steadies notes an operand that stays; false for operations that need general registers.
func (t *passes) steadies(v val, uses int) bool {
	o := &t.ops[v]
	switch o.code {
	case cConst:
		t.steady = append(t.steady, steady{key: &bcastKey{typ: o.typ, value: o.imm}, uses: uses})
		return true
	case cIn:
		switch in := &t.in[o.imm]; {
		case t.goes(in) != nil:
			return false
		case in.typ == tM || in.fetch != nil || in.pat != nil:
		case in.slot:
			t.steady = append(t.steady, steady{key: &bcastKey{in.typ, true, uint64(in.off)}, uses: uses})
		case !slices.Contains(t.carried, in.off):
			t.steady = append(t.steady, steady{row: in.off, uses: uses})
		}
		return true
	case cFFma, cRoot, cCanon, cCmp, cFCmp, cSel, cSumIf, cMAnd, cMOr, cMXor, cMNot, cTern:
		return true
	}
	return vops[o.code].has() || uops[o.code].has() && o.code != cPopc && o.code != cClz
}
