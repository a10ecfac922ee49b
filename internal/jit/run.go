package jit

// Runs: neighbouring instructions that only compute are merged into one program. What one leaves
// for another stays a value of that program and is written to no row; of masks and of canonical
// NaNs only what is live behind the run needs to know.

import (
	"slices"

	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/sem"
	"ptxvm.invalid/ptxvm/internal/uop"
)

// run is a stretch of instructions [first, end) of one segment.
type run struct {
	first, end int32
	scalars    []int32 // instructions of scalar slots and numbers; nothing in front of them reads what they write
	merged     merged
}

// merged is the program of a run with its sources and results.
type merged struct {
	program
	in    []source
	rows  []rowResult
	masks []maskResult
}

// rowResult is a value that a row gets, maskResult one that a predicate gets.
type (
	rowResult struct {
		v   val
		dst source
	}
	maskResult struct {
		v      val
		off    uint32
		turned bool // the predicate is the opposite
	}
)

// maxMasks is how many predicates a run can write: their bits are collected in registers.
const maxMasks = 3

// runs has the runs of one version of the segments by their first instruction.
type runs map[int32]*run

// findRuns finds the runs of all segments, for full warps or for some lanes.
func (r *region) findRuns(masked bool) runs {
	found := runs{}
	for i := range r.segs {
		r.segmentRuns(&r.segs[i], masked, found)
	}
	return found
}

// segmentRuns finds the runs of one segment.
func (r *region) segmentRuns(s *segment, masked bool, found runs) {
	for pc := s.first; pc < s.end; {
		u := r.longest(pc, s.end, masked)
		if u == nil {
			pc++
			continue
		}
		found[pc] = u
		pc = u.end
	}
}

// runAhead is how far a run looks for a place where few of its predicates are live: code of any length
// compiles in linear time.
const runAhead = 64

// longest is the longest run from an instruction, nil if there is none of two vector instructions.
func (r *region) longest(first, limit int32, masked bool) *run {
	t, best, lanes := r.touched.begin(masked), first, 0
	limit = r.relief.limit(first, limit)
	for end := first; end < min(limit, best+runAhead) && t.takes(r, end); {
		if !r.steps[end].onSlots() {
			lanes++
		}
		if end++; lanes >= 2 && t.masksBehind(r, end) <= maxMasks {
			best = end
		}
	}
	if best == first {
		return nil
	}
	return r.merge(first, best)
}

// onSlots tells whether an instruction computes one value for all lanes.
func (s *step) onSlots() bool { return s.op.Scalar || s.dst.slot && s.prog != nil }

// touched is what the instructions of a run have to do with the register block.
type touched struct {
	masked        bool
	read, written map[uint32]typ  // by lanes
	masks         []uint32        // predicates written, those that are still live
	wide          bool            // elements of 64 bits
	any           bool            // something has a width
	numbers       map[uint32]bool // written once, not by lanes

	reads, writes []source // of one instruction
}

// begin forgets the run before.
func (t *touched) begin(masked bool) *touched {
	if t.read == nil {
		t.read, t.written, t.numbers = map[uint32]typ{}, map[uint32]typ{}, map[uint32]bool{}
	}
	clear(t.numbers)
	clear(t.read)
	clear(t.written)
	t.masked, t.masks, t.wide, t.any = masked, t.masks[:0], false, false
	return t
}

// takes tells whether an instruction can join the run, and notes it.
func (t *touched) takes(r *region, pc int32) bool {
	s, in := &r.steps[pc], &r.insts[pc]
	if s.leaves || in.Guard != machine.NoGuard {
		return false
	}
	switch s.op.Kind {
	case sem.OpLane, sem.OpCompare, sem.OpSelect:
		if s.onSlots() {
			if !t.hoists(s) {
				return false
			}
			t.numbers[s.dst.off] = true
			return true
		}
		return t.width(r, s) && t.note(r, pc)
	case sem.OpCarry:
		return !s.op.Scalar && t.width(r, s) && t.note(r, pc)
	case sem.OpMove, sem.OpLogic:
		return t.note(r, pc)
	}
	return false
}

// hoists tells whether a scalar instruction can go before the vector instructions of the run.
func (t *touched) hoists(s *step) bool {
	_, read := t.read[s.dst.off]
	_, written := t.written[s.dst.off]
	if read || written {
		return false
	}
	for _, off := range s.maskOffsets() {
		if t.has(off) {
			return false
		}
	}
	for _, in := range s.in {
		if _, ok := t.written[in.off]; ok && !in.known {
			return false
		}
	}
	for k := range s.op.Spread {
		if t.masked && (t.has(s.op.Spread[k].Row) || t.has(s.op.Spread[k].Slot)) {
			return false
		}
	}
	return true
}

func (t *touched) has(off uint32) bool {
	_, read := t.read[off]
	_, written := t.written[off]
	return read || written
}

// maskOffsets are the predicates that a comparison reads and writes.
func (s *step) maskOffsets() []uint32 {
	if s.op.Kind != sem.OpCompare {
		return nil
	}
	return []uint32{s.op.Masks.C, s.op.Masks.P, s.op.Masks.Q}
}

// width tells whether the instruction works on as many lanes at a time as those before it.
func (t *touched) width(r *region, s *step) bool {
	wide, need := false, needed(s.prog)
	for i := range s.prog.ops {
		wide = wide || need[i] && s.prog.ops[i].typ == tX
	}
	if wide && !r.wide512 { // a vector of truth values has one width
		return false
	}
	if t.any && wide != t.wide {
		return false
	}
	t.any, t.wide = true, wide
	return true
}

// note notes what an instruction of lanes reads and writes; false if a row has two types.
func (t *touched) note(r *region, pc int32) bool {
	s := &r.steps[pc]
	t.reads, t.writes = s.appendTouch(&r.insts[pc], t.reads[:0], t.writes[:0])
	if !t.agrees(t.reads) || !t.agrees(t.writes) {
		return false
	}
	for _, a := range t.reads {
		t.read[a.off] = a.typ
	}
	for _, a := range t.writes {
		t.written[a.off] = a.typ
		if a.typ == tM && !slices.Contains(t.masks, a.off) {
			t.masks = append(t.masks, a.off)
		}
	}
	return true
}

// agrees tells whether rows are used with the types that they have so far.
func (t *touched) agrees(list []source) bool {
	for i := range list {
		off, typ := list[i].off, list[i].typ
		if have, ok := t.read[off]; ok && have != typ {
			return false
		}
		if have, ok := t.written[off]; ok && have != typ {
			return false
		}
	}
	return true
}

// masksBehind is how many of the predicates that lanes have written are live behind the instruction
// before end.
func (t *touched) masksBehind(r *region, end int32) int {
	t.masks = slices.DeleteFunc(t.masks, func(off uint32) bool { return !r.live.behind(end, off) })
	return len(t.masks)
}

// appendTouch lists what an instruction of lanes reads and writes: rows, slots and predicates.
func (s *step) appendTouch(in *machine.Inst, reads, writes []source) (r, w []source) {
	mask := func(off uint32) source { return source{typ: tM, off: off} }
	switch s.op.Kind {
	case sem.OpMove:
		return append(reads, mask(in.A)), append(writes, mask(in.D))
	case sem.OpLogic:
		return append(reads, mask(in.A), mask(in.B)), append(writes, mask(in.D))
	}
	for _, src := range s.in {
		if !src.known {
			reads = append(reads, src)
		}
	}
	if s.op.Kind == sem.OpCompare {
		m := &s.op.Masks
		return append(reads, mask(m.C)), append(writes, mask(m.P), mask(m.Q))
	}
	if s.op.Kind == sem.OpCarry {
		return reads, append(writes, s.dst, mask(s.op.Masks.P))
	}
	return reads, append(writes, s.dst)
}

// merge builds the program of a run.
func (r *region) merge(first, end int32) *run {
	u := r.mem.runs.one()
	u.first, u.end = first, end
	u.scalars = r.mem.int32s.take(int(end - first))[:0]
	for pc := first; pc < end; pc++ {
		if r.steps[pc].onSlots() {
			u.scalars = append(u.scalars, pc)
		}
	}
	r.mergeForm(u, &u.merged)
	return u
}

// merger builds one program of a run.
type merger struct {
	r     *region
	m     *merged
	now   map[uint32]val // what rows and predicates hold
	wrote map[uint32]typ // those that instructions of the run have written
	keys  []uint32
}

// begin forgets the run before.
func (g *merger) begin(r *region, m *merged) *merger {
	if g.now == nil {
		g.now, g.wrote = map[uint32]val{}, map[uint32]typ{}
	}
	clear(g.now)
	clear(g.wrote)
	g.r, g.m = r, m
	return g
}

// written are the rows and predicates that instructions of the run have written, in their order.
func (g *merger) written() []uint32 {
	g.keys = g.keys[:0]
	for off := range g.wrote {
		g.keys = append(g.keys, off)
	}
	slices.Sort(g.keys)
	return g.keys
}

// result gives what a row or predicate holds now to those who read it behind.
func (g *merger) result(off uint32) {
	v, m := g.now[off], g.m
	if g.wrote[off] == tM {
		m.masks = append(m.masks, maskResult{v: v, off: off})
		return
	}
	m.rows = append(m.rows, rowResult{v, source{typ: g.wrote[off], off: off, row: -1}})
}

func (r *region) mergeForm(u *run, m *merged) {
	m.evex, m.mem = r.wide512, r.mem
	n := 0
	for pc := u.first; pc < u.end; pc++ {
		if p := r.steps[pc].prog; p != nil {
			n += len(p.ops)
		}
	}
	m.ops, m.in = r.mem.ops.take(n + n/4 + 8)[:0], r.mem.sources.take(n/2 + 2)[:0]
	g := r.merger.begin(r, m)
	for pc := u.first; pc < u.end; pc++ {
		if !r.steps[pc].onSlots() {
			g.step(pc)
		}
	}
	for _, off := range g.written() {
		if !r.live.behind(u.end, off) {
			continue
		}
		g.result(off)
	}
	m.fuse()
	if !m.evex {
		m.turnMasks()
	}
}

// step adds an instruction.
func (g *merger) step(pc int32) {
	s, in := &g.r.steps[pc], &g.r.insts[pc]
	switch s.op.Kind {
	case sem.OpMove:
		g.set(in.D, g.flip(in.A, in.Imm != 0))
	case sem.OpLogic:
		g.set(in.D, g.word(s.op.Word, g.flip(in.A, uint32(in.Imm) != 0), func() val { return g.flip(in.B, in.Imm>>32 != 0) }))
	case sem.OpCompare:
		t, m := g.splice(s.prog, s.in), &s.op.Masks
		with := func() val { return g.flip(m.C, m.Flip != 0) }
		p := g.word(m.Op, t, with)
		q := g.word(m.Op, g.m.mnot(t), with)
		g.set(m.P, p)
		g.set(m.Q, q)
	case sem.OpCarry:
		g.carries(s)
	default:
		v := g.splice(s.prog, s.in)
		g.now[s.dst.off], g.wrote[s.dst.off] = v, s.dst.typ
	}
}

// set gives a predicate a value.
func (g *merger) set(off uint32, v val) { g.now[off], g.wrote[off] = v, tM }

// flip is a predicate or its complement.
func (g *merger) flip(off uint32, not bool) val {
	v := g.read(&source{typ: tM, off: off, row: -1})
	if not {
		return g.m.mnot(v)
	}
	return v
}

// word combines two truth values as uop.WordOp does words.
func (g *merger) word(op uop.WordOp, a val, b func() val) val {
	switch op {
	case uop.WordAnd:
		return g.m.op2(cMAnd, tM, a, b(), 0)
	case uop.WordOr:
		return g.m.op2(cMOr, tM, a, b(), 0)
	case uop.WordXor:
		return g.m.op2(cMXor, tM, a, b(), 0)
	case uop.WordNot:
		return g.m.mnot(a)
	}
	return a
}

// read is what a source holds now.
func (g *merger) read(s *source) val {
	if s.known {
		return g.m.constant(s.typ, s.value)
	}
	if v, ok := g.now[s.off]; ok {
		return v
	}
	v := g.m.input(len(g.m.in), s.typ)
	g.m.in = append(g.m.in, *s)
	g.now[s.off] = v
	return v
}

// splice adds a program whose sources are what they hold now.
func (g *merger) splice(p *program, in []source) val {
	need, vals := needed(p), g.r.mem.vals.take(len(p.ops))
	for i := range p.ops {
		o := p.ops[i]
		switch {
		case !need[i]:
			continue
		case o.code == cIn:
			vals[i] = g.read(&in[o.imm])
			continue
		case o.code == cTable:
			vals[i] = g.m.program.table(func(lane int) uint32 { return p.tables[o.imm][lane] })
			continue
		}
		for k, a := range [...]*val{&o.a, &o.b, &o.c} {
			if k < int(o.n) {
				*a = vals[*a]
			}
		}
		vals[i] = g.m.product(o)
	}
	return vals[p.result]
}

// needs has the operations that the results of a run depend on.
func (m *merged) needs() []bool {
	need := m.bools(len(m.ops))
	for i := range m.rows {
		need[m.rows[i].v] = true
	}
	for i := range m.masks {
		need[m.masks[i].v] = true
	}
	for i := len(m.ops) - 1; i >= 0; i-- {
		for _, a := range m.ops[i].args() {
			need[a] = need[a] || need[i]
		}
	}
	return need
}
