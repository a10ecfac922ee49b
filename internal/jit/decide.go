package jit

// Comparisons that decide a branch or an exit of full warps, without a vector: of numbers that all
// lanes share, or of a pattern with such a number, where its lowest or highest lane speaks for all.

import (
	"ptxvm.invalid/ptxvm/internal/jit/x86"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/sem"
)

// comparison is an integer comparison as general registers make it.
type comparison struct {
	typ    typ
	a, b   *source // b is the same for all lanes
	holds  x86.Cond
	signed bool
	spread bool // a is a pattern
}

// decision is the comparison that a guarded branch or exit follows.
type decision struct {
	comparison
	step  *step // that computes the predicate
	at    int32 // its place
	pred  uint32
	when  bool // lanes leave where it holds
	alive bool // somebody reads the predicate later

	terms []term  // of a chain: any of them decides
	pcs   []int32 // its instructions
}

// conditions are the flags behind a comparison, by what it asks.
var conditions = map[uint64]x86.Cond{cmpEQ: x86.E, cmpNE: x86.NE, cmpLTS: x86.L, cmpLES: x86.LE, cmpLTU: x86.B, cmpLEU: x86.BE}

// mirrored is the condition of the same comparison with its sides exchanged.
func mirrored(c x86.Cond) x86.Cond {
	switch c {
	case x86.L, x86.GE, x86.LE, x86.G:
		return c ^ x86.L ^ x86.G
	case x86.B, x86.AE, x86.BE, x86.A:
		return c ^ x86.B ^ x86.A
	}
	return c
}

// comparisonOf is a step as a comparison in code for full warps.
func (r *region) comparisonOf(s *step) (c comparison, ok bool) {
	if s.leaves || s.op.Kind != sem.OpLane || s.dst.typ != tM || len(s.full) != 2 {
		return c, false
	}
	p := &program{evex: true} // where every comparison is one operation
	out := laneOf(s.op.Fn).twin(p, []val{p.input(0, s.full[0].typ), p.input(1, s.full[1].typ)})
	o := &p.ops[out]
	if o.code != cCmp || p.ops[o.a].code != cIn || p.ops[o.b].code != cIn {
		return c, false
	}
	c = comparison{typ: p.ops[o.a].typ, a: &s.full[p.ops[o.a].imm], b: &s.full[p.ops[o.b].imm], holds: conditions[o.imm]}
	c.signed = o.imm == cmpLTS || o.imm == cmpLES
	if !c.b.shared() {
		c.a, c.b, c.holds = c.b, c.a, mirrored(c.holds)
	}
	c.spread = !c.a.shared()
	return c, c.b.shared() && (!c.spread || c.ascends())
}

// ascends tells whether the lowest and the highest value of each run say what all lanes say.
func (c *comparison) ascends() bool {
	p := c.a.pat
	if p == nil || c.holds == x86.E || c.holds == x86.NE {
		return false
	}
	low, high := p.extents()
	return low == 0 && high == int64(int32(high))
}

// shared tells whether a source is one number for all lanes.
func (s *source) shared() bool { return s.slot || s.known }

// decideAhead is how far in front of a branch its comparison may be.
const decideAhead = 16

// findDecisions finds the comparisons of guards at the ends of segments: between both nothing leaves,
// and nobody else reads the predicate.
func (r *region) findDecisions() {
	for i := range r.segs {
		r.decideSegment(&r.segs[i])
	}
}

// decideSegment finds the comparisons of the guard at the end of one segment.
func (r *region) decideSegment(s *segment) {
	if s.end == s.first {
		return
	}
	pc := s.end - 1
	in, end := &r.insts[pc], &r.steps[pc]
	switch end.op.Kind {
	case sem.OpBranch, sem.OpExit, sem.OpReturn:
		if in.Guard == machine.NoGuard || end.leaves {
			return
		}
	default:
		return
	}
	pred := in.Guard &^ 1
	if at := r.deciding(max(s.first, pc-decideAhead), pc, pred); at >= 0 {
		if c, ok := r.comparisonOf(&r.steps[at]); ok && !r.changed(&c, at+1, pc) && r.uses(Decisions) {
			end.decided = &decision{comparison: c, step: &r.steps[at], at: at, pred: pred, when: in.Guard&1 == 0, alive: r.live.behind(s.end, pred)}
			r.steps[at].moot = true
		}
	} else if end.op.Kind != sem.OpBranch || int32(in.Imm) > pc {
		end.decided = r.findChain(s, pred, in.Guard&1 == 0)
	}
}

// deciding is the instruction that computes the predicate of the branch at a pc, -1 for none.
func (r *region) deciding(first, pc int32, pred uint32) int32 {
	for at := pc - 1; at >= first; at-- {
		s, in := &r.steps[at], &r.insts[at]
		if s.leaves || in.Guard != machine.NoGuard {
			return -1
		}
		switch s.op.Kind {
		case sem.OpLane, sem.OpCompare, sem.OpSelect, sem.OpMove, sem.OpLogic:
		case sem.OpNothing:
			continue
		default:
			return -1
		}
		if s.op.Kind == sem.OpLane && s.dst.typ == tM && s.dst.off == pred {
			return at
		}
		reads, writes := s.lanesTouch(in, false)
		for _, a := range append(reads, writes...) {
			if a.typ == tM && a.off == pred {
				return -1
			}
		}
	}
	return -1
}

// changed tells whether instructions [first, end) change what a comparison reads.
func (r *region) changed(c *comparison, first, end int32) bool {
	for pc := first; pc < end; pc++ {
		s := &r.steps[pc]
		for _, src := range []*source{c.a, c.b} {
			if src.slot && r.writesSlot(s, src.off) || src.pat != nil && (s.made == src.pat || s.loaded == src.pat) {
				return true
			}
		}
	}
	return false
}

// decide assembles the decision of a guard for a full warp: hot code goes on if all lanes take it
// (taken) or none does, and leaves for other where a pattern's lanes may differ, or do otherwise. For
// numbers it goes to other if all lanes do otherwise. Chains are never taken.
func (c *compiler) decide(d *decision, taken bool, other x86.Label) {
	for i := range d.terms {
		c.decide(&decision{comparison: d.terms[i].comparison, when: d.terms[i].when}, taken, other)
	}
	if d.terms != nil {
		return
	}
	holds := d.holds
	if taken != d.when {
		holds = holds.Not()
	}
	if !d.spread {
		c.compareNumbers(&d.comparison)
		c.Jcc(holds.Not(), other)
		return
	}
	p := d.a.pat
	_, highest := p.extents()
	for run := range p.n() {
		size := d.typ.size()
		c.RM(x86.MOV, size, x86.RAX, p.number(run))
		if highest != 0 { // lanes ascend, unless one wraps
			t := x86.RAX
			if upper := holds == x86.L || holds == x86.LE || holds == x86.B || holds == x86.BE; !upper {
				t = x86.RCX
				c.RR(x86.MOV, size, t, x86.RAX)
			}
			c.RI(x86.ADD, size, t, int32(highest))
			wraps := x86.B
			if d.signed {
				wraps = x86.O
			}
			c.Jcc(wraps, other)
		}
		c.compareWith(x86.RAX, d.b, size)
		c.Jcc(holds.Not(), other)
	}
}

// compareNumbers sets the flags by two numbers.
func (c *compiler) compareNumbers(d *comparison) {
	size := d.typ.size()
	if d.a.known {
		c.MovImm(x86.RAX, d.a.value)
	} else {
		c.RM(x86.MOV, size, x86.RAX, c.regs(d.a.off))
	}
	c.compareWith(x86.RAX, d.b, size)
}

func (c *compiler) compareWith(r x86.Reg, b *source, size x86.Size) {
	switch {
	case !b.known:
		c.RM(x86.CMP, size, r, c.regs(b.off))
	case size == x86.S32 || int64(b.value) == int64(int32(b.value)):
		c.RI(x86.CMP, size, r, int32(b.value))
	default:
		c.MovImm(x86.RDX, b.value)
		c.RR(x86.CMP, size, r, x86.RDX)
	}
}

// slotPredicate computes a predicate from numbers, if a step does that.
func (c *compiler) slotPredicate(s *step) bool {
	if !s.op.Scalar {
		return false
	}
	d, ok := c.comparisonOf(s)
	if !ok || d.spread {
		return false
	}
	c.Zero(x86.R8)
	c.compareNumbers(&d)
	c.Set(d.holds, x86.R8)
	c.R(x86.NEG, x86.S32, x86.R8)
	c.MR(x86.MOV, x86.S32, c.regs(s.dst.off), x86.R8)
	return true
}

// decidedBranch assembles a branch of a full warp by its decision.
func (c *compiler) decidedBranch(i int, pc, to int32, d *decision) {
	back := to <= pc // a loop goes on more often than not
	other := c.later(func() {
		switch {
		case d.spread:
			c.undecided(d)
			c.parting(i, pc, to, false)
			c.follow(i)
		case back:
			c.settled(d, false)
			c.follow(i)
		default:
			c.settled(d, true)
			c.take(i, pc, to, false)
		}
	})
	c.decide(d, back, other)
	c.settled(d, back)
	if back {
		c.take(i, pc, to, false)
		return
	}
	c.goOn(i, false)
}

// decidedExit assembles an exit of lanes that none of a full warp takes, as a rule.
func (c *compiler) decidedExit(i int, pc int32, d *decision) {
	c.decide(d, false, c.later(func() {
		c.undecided(d)
		c.leaving(i, pc, false)
		c.follow(i)
	}))
	c.settled(d, false)
	c.goOn(i, false)
}

// settled notes what a guard of which all lanes say the same leaves: the predicate for those who
// read it, and lanes that have not executed the branch.
func (c *compiler) settled(d *decision, taken bool) {
	if d.alive {
		c.MI(x86.MOV, x86.S32, c.regs(d.pred), -int32(bit(taken == d.when)))
	}
	if !taken {
		c.MI(x86.SUB, x86.S64, ctxOps, 32)
	}
}

// pendingDecision computes the predicate of the branch at the end of a segment where the segment is left before a pc that
// is behind its comparison.
func (c *compiler) pendingDecision(i int, pc int32) {
	s := &c.segs[i]
	if d := c.steps[s.end-1].decided; d != nil && d.step != nil && d.at < pc {
		c.undecided(d)
	}
}

// undecided computes the predicate lane by lane.
func (c *compiler) undecided(d *decision) {
	if d.pcs != nil {
		c.recompute(d.pcs)
		return
	}
	c.run(d.step.prog, d.step.full, &d.step.dst, d.step.op.Scalar, allLanes)
	c.MR(x86.MOV, x86.S32, c.regs(d.pred), x86.R8)
}

// follow goes on behind a segment from code that is elsewhere.
func (c *compiler) follow(i int) {
	if s := &c.segs[i]; i+1 < len(c.segs) && c.segs[i+1].first == s.end {
		c.Jmp(c.segs[i+1].full)
		return
	}
	c.behindSegment(c.segs[i].end, false)
}
