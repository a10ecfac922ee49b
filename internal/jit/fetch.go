package jit

// Loads inside runs: of elements whose place is known when compiled, so that operations read them from
// memory where they need them. All tests stand in front of the run, which leaves before its first instruction
// if one fails. Bounds are learnt at the instruction where code leaves: an access to global memory begins a run,
// and others of that run have the same base.

import (
	"slices"

	"ptxvm.invalid/ptxvm/internal/jit/x86"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/regs"
	"ptxvm.invalid/ptxvm/internal/sem"
)

// fetch is an element of a load of a run.
type fetch struct {
	pc   int32
	elem int
}

// findFetches notes the loads of 32-bit elements that are one vector for each part of the lanes, or the
// same for all of its lanes. Loads that give a number, too (loaded.go), are instructions of their own.
func (r *region) findFetches() {
	e := r.planner()
	for pc := range r.steps {
		s, m := &r.steps[pc], &r.steps[pc].op.Memory
		if s.op.Kind != sem.OpLoad || s.leaves || s.loaded != nil || r.insts[pc].Guard != machine.NoGuard || m.Elem != 4 {
			continue
		}
		a := e.accessAt(int32(pc), false, allLanes).static()
		if a == nil || !s.full[0].slot && s.full[0].pat == nil {
			continue
		}
		s.fetched = a.stride.row >= e.full().Bytes()/4 && r.uses(Fetches)
		for k := range m.At {
			s.fetched = s.fetched && (a.moves[k] == unused || a.acc.src[1+k].typ == tW && m.Bits[k] == 32 && a.moves[k] != strewn)
		}
	}
}

// planner is a compiler that assembles nothing, to see how accesses would be assembled.
func (r *region) planner() *compiler {
	return &compiler{region: r, emitter: &emitter{evex: r.wide512}}
}

// takesLoad tells whether a load can join the run, and notes it.
func (t *touched) takesLoad(r *region, pc int32) bool {
	s := &r.steps[pc]
	if t.masked || t.any && t.wide || !s.fetched {
		return false
	}
	at := &s.full[0]
	if _, written := t.written[at.off]; written || t.numbers[at.off] || !t.agrees(s.full[:1]) {
		return false
	}
	if r.bounds[pc] >= 0 && !t.opened(r, pc) {
		return false
	}
	for k := range s.op.Memory.At {
		if d := &s.full[1+k]; d.off != machine.NoGuard && (d.off == at.off || t.numbers[d.off] || t.bases[d.off] || !t.agrees(s.full[1+k:2+k])) {
			return false
		}
	}
	t.any, t.bases[at.off], t.read[at.off] = true, true, at.typ
	for k := range s.op.Memory.At {
		if d := &s.full[1+k]; d.off != machine.NoGuard {
			t.written[d.off] = tW
		}
	}
	return true
}

// opened tells whether the test of the load that begins the run is one of another load, too.
func (t *touched) opened(r *region, pc int32) bool {
	a, b := &r.steps[t.first], &r.steps[pc]
	if pc == t.first {
		return true
	}
	align := max(int64(b.op.Memory.Align), 1)
	return a.op.Kind == sem.OpLoad && a.full[0].off == b.full[0].off && a.op.Memory.By == b.op.Memory.By && b.op.Memory.Align <= a.op.Memory.Align &&
		(int64(r.insts[pc].Imm)-int64(r.insts[t.first].Imm))%align == 0 && pc-t.first < coverAhead
}

// load adds the elements of a load.
func (g *merger) load(pc int32) {
	s := &g.r.steps[pc]
	for k := range s.op.Memory.At {
		d := &s.full[1+k]
		if d.off == machine.NoGuard {
			continue
		}
		v := g.m.input(len(g.m.in), tW)
		g.m.in = append(g.m.in, source{typ: tW, off: machine.NoGuard, row: -1, fetch: &fetch{pc, k}})
		g.now[d.off] = v
		if !d.slot {
			g.wrote[d.off] = tW
		}
		g.loose[d.off] = false
	}
}

// testFetches makes the tests of a run's loads.
func (c *compiler) testFetches(i int, u *run) {
	miss := x86.Label(0)
	for _, pc := range u.loads {
		s := c.accessAt(pc, false, allLanes).static()
		if v, ok := c.covered[s.key()]; ok && v.holds(s) && (s.acc.bound >= 0 || v.host != 0) {
			c.prove(pc)
			continue
		}
		if miss == 0 {
			miss = c.leaveAt(i, u.first, false, allLanes)
		}
		s.again = true
		s.test(i, pc, miss)
	}
}

// fetched is where an element is for the running part: in memory, or in a temporary. Only one operand of an
// instruction can be in memory, and only as long as its base stays in its register.
func (r *room) fetched(f *fetch, fold bool) loc {
	s := r.c.accessAt(f.pc, false, allLanes).static()
	if fold && (s.stride.step != 0 || r.c.evex) {
		return r.fetchedAt(s, f)
	}
	if v, ok := r.c.once.of(f); ok {
		return vecAt(v)
	}
	l := r.c.load(r.fetchedAt(s, f), tW)
	if r.c.once.left > 0 && s.oncePerRow() {
		r.c.once.add(f, l.v)
		l.owned = false
	}
	return l
}

// fetchedAt is where an element of an access is in memory.
func (r *room) fetchedAt(s *static, f *fetch) loc {
	l := loc{kind: inMem, m: s.place(f.elem, r.c.part*r.c.lanes)}
	if s.stride.step == 0 {
		l.kind = inBcast
	}
	return l
}

// oncePerRow tells whether all parts of a row have the same elements: one value for all lanes, or a row of a block that is as
// long as a register.
func (s *static) oncePerRow() bool {
	for lane := 0; lane < 32; lane += s.acc.c.full().Bytes() / 4 {
		if s.stride.w < 32 || s.stride.offset(lane) != 0 {
			return false
		}
	}
	return true
}

// once are loads that all parts of a run share, in registers that no value has.
type once struct {
	list []onceLoaded
	left int // how many more there can be
}

type onceLoaded struct {
	fetch
	v x86.Vec
}

func (o *once) of(f *fetch) (x86.Vec, bool) {
	for i := range o.list {
		if o.list[i].fetch == *f {
			return o.list[i].v, true
		}
	}
	return 0, false
}

func (o *once) add(f *fetch, v x86.Vec) {
	o.list = append(o.list, onceLoaded{*f, v})
	o.left--
}

// beginOnce lets parts of a run share loads, as far as there are registers that the run itself does not need.
func (c *compiler) beginOnce(m *merged, parts int) {
	c.once.left = 0
	if parts > 1 && slices.ContainsFunc(m.in, func(s source) bool { return s.fetch != nil }) {
		c.once.left = len(c.free) - len(m.crowd()) - 2*spareVecs
	}
}

// endOnce gives their registers back.
func (c *compiler) endOnce() {
	for i := range c.once.list {
		c.release(temp(c.once.list[i].v))
	}
	c.once.list = c.once.list[:0]
}

// foldable tells which of an operation's sources may stay in memory: the last one that a load brings and nobody
// else reads, if nothing else comes between; of two the one that parts do not share.
func (r *room) foldable(o *operation) val {
	if !vops[o.code].has() && o.code != cFFma {
		return none
	}
	best := none
	for k := len(o.args()) - 1; k >= 0; k-- {
		v := o.args()[k]
		p := &r.m.ops[v]
		if p.code != cIn || r.m.in[p.imm].fetch == nil || r.there[v] || len(r.read[v]) != 1 {
			continue
		}
		if s := r.c.accessAt(r.m.in[p.imm].fetch.pc, false, allLanes).static(); !s.oncePerRow() && (s.stride.step != 0 || r.c.evex) {
			return v
		}
		if best == none {
			best = v
		}
	}
	return best
}

// fillSlots writes the slots of a run's loads that somebody reads behind it.
func (c *compiler) fillSlots(u *run) {
	for _, pc := range u.loads {
		s := &c.steps[pc]
		a := c.accessAt(pc, false, allLanes).static()
		some := false
		for k := range a.acc.m.At {
			if a.moves[k] == toSlot && c.scalarAt(a.acc.src[1+k].off, u.end) != nil {
				a.loadSlot(k)
				some = true
			}
		}
		if some {
			c.wroteSlots(s, false)
		}
		c.uncover(s)
	}
}

// scalarAt is the register that a slot holds at a pc, if it is read there or behind it; nil if none is.
func (r *region) scalarAt(slot uint32, pc int32) *regs.Scalar {
	for i := range r.code.Scalars {
		if s := &r.code.Scalars[i]; s.Slot == slot && s.LiveAt(pc) {
			return s
		}
	}
	return nil
}
