package jit

// What follows from the thread index and from constants alone is the same in every CTA of a launch: it is
// foreseen, computed when compiled, and read from a table with a row for each warp. A warp that begins in
// another CTA follows a course: versions of segments in which nobody computes what is foreseen, branches that
// follow from it are decided, and turns of loops that count by it are versions of their own. A course ends where
// nothing is foreseen any more, at barriers, and wherever lanes part: what is live there is written to where
// ordinary code for full warps has it. Behind a barrier another one begins, with what is the same whichever way a
// warp has come (gates.go).

import (
	"maps"
	"slices"

	"ptxvm.invalid/ptxvm/internal/decode"
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/jit/x86"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/regs"
	"ptxvm.invalid/ptxvm/internal/sem"
)

// foreseen is a value by thread, of the full warps of a CTA; of predicates 0 or 1.
type foreseen struct {
	typ  typ
	slot bool // somebody computes it all the same: what all lanes share, and constants
	once bool // known in its segment alone: where ways meet it may be something else
	home bool // where ordinary code has it, too
	vals []uint64

	of      *course
	row     int32 // its place in the table and 1, 0 if it has none
	bits    int32 // the same of a predicate's lanes
	numbers map[stride]*pattern
}

// foresight is what registers hold that is foreseen.
type foresight map[ir.Reg]*foreseen

// course is what is foreseen of a function.
type course struct {
	*region
	warps    int
	threads  map[uint32]*foreseen // special registers of threads and of the block, by row or slot
	slots    map[uint32]ir.Reg    // registers that are foreseen in slots
	nodes    []*node
	gens     []*generation
	ordinary map[ir.Reg]bool // registers that somebody reads who knows no table
	restart  bool
	some     bool          // something follows
	partial  bool          // the last warp of a CTA has fewer lanes
	gates    map[int]*node // by segment behind a barrier: where warps go on
	homes    map[*foreseen]*foreseen
	work     int // values that may still be computed
	made     map[resultKey]*foreseen
	table    []byte // rows of 128 bytes for each warp, one behind the other
}

// resultKey names what an instruction makes of its sources.
type resultKey struct {
	pc int32
	in [4]*foreseen
}

// generation is versions of segments, one of each at most.
type generation struct {
	steps []step
	runs  runs
	nodes map[int]*node
}

// node is a version of a segment.
type node struct {
	seg   int
	gen   *generation
	know  foresight // before it
	warps uint32    // those that may come here whole
	next  map[int]*node
	guard *foreseen // of the branch or exit at its end
	label x86.Label

	inner *node // the block behind the branch at its end, which some lanes go through (inline.go)
	outer *node // of such a block: the node before it
}

// Bounds of what is looked at: a course costs compile time and memory, and pays when it is short.
const (
	maxCourse      = 24      // nodes
	maxTries       = 8       // until nobody has found another ordinary register
	maxSteps       = 1 << 12 // instructions of a function
	maxGenerations = 3       // turns of a loop
	maxForeseen    = 1 << 17 // values
	leastForeseen  = 6       // instructions that nobody executes
	maxWarps       = 16      // of a CTA
)

// findCourse finds the course of full warps from the first instruction on, if there is something to foresee.
func (r *region) findCourse() {
	if len(r.segs) == 0 || len(r.steps) > maxSteps || r.segs[0].first != 0 || len(r.words) != 0 || len(r.patternsAt(0)) != 0 {
		return
	}
	if _, ok := r.unwritten(); !ok {
		return
	}
	c := r.foresees()
	if c == nil {
		return
	}
	for tries := 0; tries == 0 || c.restart; tries++ {
		if c.restart = false; tries == maxTries || !c.explore() {
			return
		}
	}
	saved := 0
	for _, n := range c.nodes {
		saved += c.apply(n)
	}
	if saved >= leastForeseen && r.uses(Courses) {
		r.course = c
	}
}

// foresees knows what follows from the thread index; nil if nothing does.
func (r *region) foresees() *course {
	sol, ok := decode.ClassesOf(r.code.Func)
	if !ok {
		return nil
	}
	if r.fore == nil {
		c := &course{region: r, ordinary: map[ir.Reg]bool{}, made: map[resultKey]*foreseen{}, homes: map[*foreseen]*foreseen{}, slots: map[uint32]ir.Reg{}, work: maxForeseen}
		c.some = c.begin(sol.Shape)
		r.fore = c
	}
	if !r.fore.some {
		return nil
	}
	return r.fore
}

// begin has the thread indices; false if no warp is full.
func (c *course) begin(shape ir.LaunchShape) bool {
	x, y, z := int(shape.BlockX), int(shape.BlockY), int(shape.BlockZ)
	if c.warps = x * y * z / 32; c.warps == 0 || c.warps > maxWarps {
		return false
	}
	c.threads, c.partial = map[uint32]*foreseen{}, x*y*z%32 != 0
	some := false
	for i := range c.code.Specials {
		s := &c.code.Specials[i]
		index := func(n int) int { return n % 32 }
		switch {
		case s.Add != 0 || s.Width == regs.Pred || s.Width == regs.Row64:
			continue
		case s.Reg == threadID() && s.Comp < 3:
			index = func(n int) int { return [...]int{n % x, n / x % y, n / x / y}[s.Comp] }
		case s.Reg == blockExtent() && s.Comp < 3:
			index = func(int) int { return [...]int{x, y, z}[s.Comp] }
		case s.Reg != laneID():
			continue
		}
		v := &foreseen{typ: tW, slot: s.Width != regs.Row32, of: c, vals: make([]uint64, 32*c.warps)}
		for n := range v.vals {
			v.vals[n] = uint64(index(n))
		}
		c.threads[s.Off], some = v, some || s.Reg != blockExtent()
	}
	return some
}

// explore finds the nodes and what is foreseen before each; false if there is too much to see.
func (c *course) explore() bool {
	c.nodes, c.gens = nil, nil
	first := c.come(0, foresight{}, c.allWarps())
	if first == nil {
		return false
	}
	for work := append(c.findGates(), first); len(work) > 0 && !c.restart && c.work >= 0; {
		n := work[len(work)-1]
		work = work[:len(work)-1]
		n.next = map[int]*node{}
		know := maps.Clone(n.know)
		s := &c.segs[n.seg]
		for pc := s.first; pc < s.end; pc++ {
			c.follow(pc, know)
		}
		next := c.successors(n, know)
		if warps := c.blockBehind(n, know); warps != 0 {
			next[n.seg+2] |= warps
		}
		for _, t := range slices.Sorted(maps.Keys(next)) {
			warps := next[t]
			if had := c.at(t, know); had != nil && had.warps|warps == had.warps {
				n.next[t] = had
			} else if m := c.come(t, know, warps); m != nil {
				n.next[t] = m
				work = append(work, m)
			}
		}
	}
	return c.work >= 0
}

// successors are the segments that follow a node, with the warps that go there whole.
func (c *course) successors(n *node, know foresight) map[int]uint32 {
	s := &c.segs[n.seg]
	next := map[int]uint32{}
	follows := n.seg+1 < len(c.segs) && c.segs[n.seg+1].first == s.end
	if s.first == s.end {
		return next
	}
	pc := s.end - 1
	in, kind := &c.insts[pc], c.steps[pc].op.Kind
	if kind == sem.OpBarrier {
		return next
	}
	taken, other := uint32(0), n.warps
	if kind == sem.OpBranch || kind == sem.OpExit || kind == sem.OpReturn {
		taken = n.warps
		if in.Guard == machine.NoGuard {
			other = 0
		} else if g := know[c.f.Insts[pc].Guard.Reg]; g != nil {
			taken, other = n.warps&g.agree(in.Guard&1 == 0), n.warps&g.agree(in.Guard&1 != 0)
		}
	}
	if kind == sem.OpBranch && taken != 0 {
		next[c.segAt[int32(in.Imm)]] |= taken
	}
	if other != 0 && follows {
		next[n.seg+1] |= other
	}
	return next
}

// agree has the warps all lanes of which have a predicate as is says.
func (v *foreseen) agree(is bool) (warps uint32) {
	for w := range len(v.vals) / 32 {
		if m := v.mask(w); is && m == ^uint32(0) || !is && m == 0 {
			warps |= 1 << w
		}
	}
	return warps
}

// mask has the lanes of a warp for which a predicate holds.
func (v *foreseen) mask(w int) (m uint32) {
	for i, bit := range v.vals[32*w : 32*w+32] {
		m |= uint32(bit) << i
	}
	return m
}

// living is what is foreseen and live at a segment.
func (c *course) living(t int, know foresight) foresight {
	live, out := c.live.at(c.segs[t].first), foresight{}
	for g, v := range know {
		if live.Has(int(g)) && !v.once {
			out[g] = v
		}
	}
	return out
}

// at is the node of a segment where the same is foreseen, nil if there is none.
func (c *course) at(t int, know foresight) *node {
	know = c.living(t, know)
	for _, g := range c.gens {
		if n := g.nodes[t]; n != nil && n.outer == nil && maps.EqualFunc(n.know, know, (*foreseen).same) {
			return n
		}
	}
	return nil
}

// same tells whether two values are the same, at the same places.
func (v *foreseen) same(w *foreseen) bool {
	return v == w || v.typ == w.typ && v.home == w.home && slices.Equal(v.vals, w.vals)
}

// come brings warps to a segment; nil if it is not part of the course.
func (c *course) come(t int, know foresight, warps uint32) *node {
	if n := c.at(t, know); n != nil {
		n.warps |= warps
		return n
	}
	know = c.living(t, know)
	if len(c.nodes) == maxCourse || t != 0 && len(know) == 0 || !c.traceable(t) {
		return nil
	}
	gen := c.generationFor(t)
	if gen == nil {
		return nil
	}
	n := &node{seg: t, gen: gen, know: know, warps: warps}
	gen.nodes[t] = n
	c.nodes = append(c.nodes, n)
	return n
}

// generationFor is a generation that has no version of a segment yet, nil if there are too many.
func (c *course) generationFor(t int) *generation {
	for _, g := range c.gens {
		if g.nodes[t] == nil {
			return g
		}
	}
	if len(c.gens) == maxGenerations {
		return nil
	}
	g := &generation{steps: c.mem.steps.take(len(c.steps)), runs: runs{}, nodes: map[int]*node{}}
	copy(g.steps, c.steps)
	c.gens = append(c.gens, g)
	return g
}

// traceable tells whether all instructions of a segment find their sources in the table, too.
func (c *course) traceable(t int) bool {
	s := &c.segs[t]
	for pc := s.first; pc < s.end; pc++ {
		switch c.steps[pc].op.Kind {
		case sem.OpLane, sem.OpCompare, sem.OpSelect, sem.OpMove, sem.OpLogic, sem.OpLoad, sem.OpStore, sem.OpBranch, sem.OpExit, sem.OpReturn, sem.OpBarrier, sem.OpNothing:
		default:
			return false
		}
	}
	return true
}

// follow brings what is foreseen up to date behind an instruction, and returns what that makes if it is foreseen.
func (c *course) follow(pc int32, know foresight) *foreseen {
	v, g := c.result(pc, know)
	if v == nil {
		c.askOthers(pc, know)
	}
	for _, g := range c.live.uses.writes(pc) {
		delete(know, g)
	}
	if v != nil {
		know[g] = v
	}
	return v
}

// askOthers looks for registers that somebody reads, or writes in part, who knows no table: those are to be ordinary.
func (c *course) askOthers(pc int32, know foresight) {
	kind := c.steps[pc].op.Kind
	branch := kind == sem.OpBranch || kind == sem.OpExit || kind == sem.OpReturn
	if branch {
		return
	}
	for _, g := range c.live.uses.reads(pc) {
		if v := know[g]; v != nil && !v.slot && (v.typ == tM || !c.finds(pc, g, v.typ)) {
			c.ordinary[g], c.restart = true, true
		}
	}
	for _, g := range c.live.uses.writes(pc) {
		if v := know[g]; v != nil && !v.slot && c.insts[pc].Guard != machine.NoGuard {
			c.ordinary[g], c.restart = true, true
		}
	}
}

// finds tells whether an instruction reads a register by a source that can be in the table.
func (c *course) finds(pc int32, g ir.Reg, t typ) bool {
	s := &c.steps[pc]
	for k := range s.in {
		if in := &s.in[k]; s.reads(k) && in.off == c.offset(g) && in.typ == t {
			return true
		}
	}
	return false
}

// reads tells whether source k is a row that an instruction reads.
func (s *step) reads(k int) bool {
	in := &s.in[k]
	return !in.slot && !in.known && in.typ != tM && in.off != machine.NoGuard && (s.op.Kind != sem.OpLoad || k == 0)
}

// result is what an instruction makes, if that is foreseen, and the register.
func (c *course) result(pc int32, know foresight) (*foreseen, ir.Reg) {
	s := &c.steps[pc]
	if s.op.Kind != sem.OpLane && s.op.Kind != sem.OpSelect || s.prog == nil || c.insts[pc].Guard != machine.NoGuard {
		return nil, ir.NoReg
	}
	writes := c.live.uses.writes(pc)
	if len(writes) != 1 {
		return nil, ir.NoReg
	}
	to, slot := writes[0], s.op.Scalar || s.dst.slot
	if c.ordinary[to] || !slot && c.offset(to) != s.dst.off {
		return nil, ir.NoReg
	}
	in, key, some := make([][]uint64, len(s.in)), resultKey{pc: pc}, false
	for k := range s.in {
		if s.in[k].known {
			continue
		}
		v := c.sourceOf(pc, &s.in[k], know)
		if v == nil || k >= len(key.in) {
			return nil, ir.NoReg
		}
		in[k], key.in[k], some = v.vals, v, true
	}
	v, ok := c.made[key]
	if !ok {
		if c.work -= 32 * c.warps * len(s.prog.ops); c.work < 0 {
			return nil, ir.NoReg
		}
		if vals := s.prog.evaluate(in, 32*c.warps); vals != nil {
			kept := slot || !some && c.livesBehind(&c.segs[c.segAt[c.segmentOf(pc)]], to)
			v = &foreseen{typ: s.dst.typ, slot: kept, once: !some, of: c, vals: vals}
		}
		c.made[key] = v
	}
	if slot && s.dst.typ != tM {
		c.slots[s.dst.off] = to
	}
	return v, to
}

// sourceOf is what an instruction reads, if that is foreseen.
func (c *course) sourceOf(pc int32, in *source, know foresight) (v *foreseen) {
	if v := c.threads[in.off]; v != nil && !in.known && in.typ == tW && in.slot == v.slot {
		return v
	}
	if in.slot {
		if g, ok := c.slots[in.off]; ok && know[g] != nil && know[g].typ == in.typ {
			return know[g]
		}
	}
	if in.slot || in.known {
		return nil
	}
	for _, g := range c.live.uses.reads(pc) {
		if w := know[g]; w != nil && w.typ == in.typ && c.offset(g) == in.off {
			v = w
		}
	}
	return v
}

// apply makes the steps of a node read the table; it returns how many are left out.
func (c *course) apply(n *node) (saved int) {
	know, s := maps.Clone(n.know), &c.segs[n.seg]
	for pc := s.first; pc < s.end; pc++ {
		step := &n.gen.steps[pc]
		step.fetched = step.fetched && c.sourceOf(pc, &step.in[0], know) == c.sourceOf(pc, &step.in[0], n.know) // its address stays in the segment
		once := step.once(false) && !step.moot
		step.full, step.decided, step.moot = slices.Clone(step.full), nil, false
		for k := range step.full {
			if step.reads(k) {
				c.see(step, k, c.sourceOf(pc, &step.in[k], know))
			}
		}
		if pc == s.end-1 && c.insts[pc].Guard != machine.NoGuard {
			n.guard = know[c.f.Insts[pc].Guard.Reg]
		}
		if v := c.follow(pc, know); v != nil && !v.slot {
			step.made, step.tests, step.moot = nil, false, true
			if !once {
				saved++
			}
		}
	}
	base := c.steps
	c.region.steps = n.gen.steps
	if n.guard == nil {
		c.decideSegment(s)
	}
	c.segmentRuns(s, false, n.gen.runs)
	c.region.steps = base
	if n.inner != nil {
		c.applyBlock(n.inner)
	}
	return saved
}

// see makes a source one of the table.
func (c *course) see(s *step, k int, v *foreseen) {
	src := &s.full[k]
	if v == nil || v.slot || c.threads[src.off] == v {
		return
	}
	src.seen = v
	memory := s.op.Kind == sem.OpLoad || s.op.Kind == sem.OpStore
	switch {
	case src.pat != nil:
		src.pat = v.pattern(src.pat.stride)
	case memory && k == 0:
		if st := v.stride(); st.known() {
			src.pat = v.pattern(st)
		}
	}
}

// stride finds how the lanes of all warps follow from those at the start of each run.
func (v *foreseen) stride() stride {
	return strideOf(v.typ, int64(len(v.vals)), func(n int64) int64 { return int64(v.vals[n]) })
}
