package jit

// Assembling runs: for each part of the lanes the program from its first operation to its last,
// with values in the registers that are free. When there is none, the value whose next reader is
// farthest away makes room (Belady); what can be read again from where it came from is not stored.

import (
	"slices"

	"ptxvm.invalid/ptxvm/internal/jit/x86"
)

// maskBits are where the bits of predicates that a run writes are collected.
var maskBits = [maxMasks]x86.Reg{x86.R8, x86.R10, x86.R11}

// Registers that writing a result, and that one operation may take for themselves.
const (
	spareVecs = 3
	spareKs   = 1
)

// spareFor is how many registers an operation takes: for its result, for sources that it cannot
// read from memory, and in between.
func (r *room) spareFor(v val, o *operation) int {
	if n, ok := r.spareOf(o); ok {
		if r.takesOver(v, o) {
			n--
		}
		return n
	}
	return r.c.temps(o, r.at)
}

// temps is how many registers an operation takes, at most: for its result, for sources that it cannot read from memory, and in between.
func (e *emitter) temps(o *operation, at []loc) int {
	n := 1
	for _, a := range o.args() {
		if k := at[a].kind; k == inMem || k == inBcast {
			n++
		}
	}
	switch o.code {
	case cMulHiU, cMulHiS:
		n += 2
	case cCanon, cFCmp, cCmp, cTest, cSel, cSumIf, cTern, cH2F, cF2H, cFix, cPAdd, cPSub, cPMul, cPFma, cPCanon:
		n++
	case cPopc:
		if !e.evex {
			n += 2
		}
	case cUnit:
		if e.evex {
			n += unitTemps512
		} else {
			n += unitTemps256
		}
	}
	return n
}

// spareOf is spareFor by AVX2 where registers are short, of operations that are one instruction.
func (r *room) spareOf(o *operation) (n int, ok bool) {
	inMemory := func(v val) int {
		if r.at[v].kind == inVec {
			return 0
		}
		return 1
	}
	switch v := &vops[o.code]; {
	case r.c.evex || r.c.wide:
		return 0, false
	case v.commutes, o.code == cMAnd, o.code == cMOr, o.code == cMXor, o.code == cCmp && o.imm == cmpEQ:
		return 1 + inMemory(o.a)*inMemory(o.b), true
	case o.code == cCmp:
		return 1 + inMemory(o.b), true
	case v.has(), o.code == cMAndn, o.code == cFCmp:
		return 1 + inMemory(o.a), true
	case o.code == cSel:
		if _, _, ok := r.c.keepsOrZero(&r.m.program, o); ok {
			return 1 + inMemory(o.a), true
		}
		return 1 + inMemory(o.a) + inMemory(o.b) + inMemory(o.c), true
	case o.code == cFFma:
		return 1 + inMemory(o.a)*inMemory(o.b), true
	case o.code == cShlI || o.code == cShrI || o.code == cSarI:
		return 1 + inMemory(o.a), true
	}
	return 0, false
}

// takesOver tells whether the result will have the register of a source that dies, as target says.
func (r *room) takesOver(v val, o *operation) bool {
	if o.typ == tM || o.code == cFFma || !r.inPlace(o) {
		return false
	}
	for _, d := range r.rows[v] {
		if r.goesTo(o, d) {
			return true
		}
	}
	for _, a := range o.args() {
		if r.held[a] && len(r.read[a]) == 1 && r.at[a].kind == inVec && r.m.typ(a) == o.typ {
			return true
		}
	}
	return false
}

// run assembles a run.
func (c *compiler) runInstructions(i int, u *run, masked bool) {
	use := allLanes
	if masked {
		use = runLanes
	}
	for _, pc := range u.scalars {
		c.compute(i, pc, masked, use)
	}
	c.runLanes(u, use)
}

// runLanes assembles what a run does to lanes.
func (c *compiler) runLanes(u *run, use maskUse) {
	m := &u.merged
	c.merged(m, use)
	for k := range m.masks {
		if m.masks[k].turned {
			c.RI(x86.XOR, x86.S32, maskBits[k], -1)
		}
		c.writeMask(m.masks[k].off, maskBits[k], use)
	}
}

// merged assembles the program of a run for all parts.
func (c *compiler) merged(m *merged, use maskUse) {
	c.wide = false
	need := m.needs()
	for i := range m.ops {
		c.wide = c.wide || need[i] && m.ops[i].typ == tX
	}
	kept := c.freeK
	if c.evex {
		c.freeK = append(c.freeK[:len(c.freeK):len(c.freeK)], kGuard+1, kGuard)
		if use == allLanes {
			c.freeK = append(c.freeK, kMask+1, kMask)
		}
	}
	n := c.parts(false)
	order := m.readers(need)
	for c.part = range n {
		c.computeOnly(use)
		r := newRoom(c, m, need, order, use)
		r.all()
	}
	c.only = 0
	c.freeK = kept
}

// readers lists for each value where it is read: operations, and behind the last the results that
// are no operation's.
func (m *merged) readers(need []bool) [][]int {
	list, n := m.mem.lists.take(len(m.ops)), m.ints(len(m.ops))
	m.eachReader(need, func(v val, _ int) { n[v]++ })
	for v := range list {
		list[v] = m.ints(n[v])[:0]
	}
	m.eachReader(need, func(v val, at int) { list[v] = append(list[v], at) })
	return list
}

// eachReader visits values with those who read them, in their order.
func (m *merged) eachReader(need []bool, visit func(v val, at int)) {
	for i := range m.ops {
		if !need[i] {
			continue
		}
		for k, a := range m.ops[i].args() {
			if !repeated(m.ops[i].args()[:k], a) {
				visit(a, i)
			}
		}
	}
	for i := range m.rows {
		if v := m.rows[i].v; m.given(v) {
			visit(v, len(m.ops)+i)
		}
	}
	for i := range m.masks {
		if v := m.masks[i].v; m.given(v) {
			visit(v, len(m.ops)+len(m.rows)+i)
		}
	}
}

// given tells whether a value is a source or a constant.
func (p *program) given(v val) bool {
	c := p.ops[v].code
	return c == cIn || c == cConst || c == cTable
}

// all assembles the part.
func (r *room) all() {
	for i := range r.m.ops {
		if r.need[i] && !r.m.given(val(i)) {
			r.operate(val(i))
		}
	}
	for i := range r.m.rows {
		if v := r.m.rows[i].v; r.m.given(v) {
			r.passed(v)
			r.pins = []val{v}
			r.give(v, &r.m.rows[i].dst)
			r.drop(v)
		}
	}
	for i := range r.m.masks {
		if v := r.m.masks[i].v; r.m.given(v) {
			r.passed(v)
			r.pins = []val{v}
			r.bit(v, i)
			r.drop(v)
		}
	}
	for v := range r.at {
		if r.held[v] {
			r.unhold(val(v))
		}
	}
}

// operate assembles an operation and what becomes of its result.
func (r *room) operate(v val) {
	o := &r.m.ops[v]
	r.c.work()
	r.pins = append(r.pins[:0], o.args()...)
	for _, a := range o.args() {
		r.at[a] = r.get(a)
	}
	r.spare(r.spareFor(v, o))
	for k, a := range o.args() {
		if !repeated(o.args()[:k], a) {
			r.passed(a)
		}
	}
	target, direct, owner := r.target(v, o)
	l := r.c.operation(&r.m.program, o, r.at, target, direct)
	r.c.wmask, l.owned = 0, false
	if owner != none {
		r.held[owner], r.there[owner] = false, false
	}
	resident := direct && owner == none
	if r.at[v], r.there[v] = l, true; !resident {
		r.hold(v)
	} else {
		r.held[v] = false
	}
	for k, a := range o.args() {
		if !repeated(o.args()[:k], a) {
			r.drop(a)
		}
	}
	r.pins = append(r.pins[:0], v)
	for _, d := range r.rows[v] {
		if !resident || d.row < 0 || x86.Vec(d.row+r.c.part) != l.v {
			r.give(v, d)
		}
	}
	for _, k := range r.bits[v] {
		r.bit(v, k)
	}
	r.drop(v)
}

// passed takes the present reader off the list.
func (r *room) passed(v val) { r.read[v] = r.read[v][1:] }

// drop frees what nobody will read any more.
func (r *room) drop(v val) {
	if len(r.read[v]) > 0 {
		return
	}
	if r.held[v] {
		r.unhold(v)
	}
	if s := r.slot[v]; s >= 0 {
		r.slots, r.slot[v] = append(r.slots, s), -1
	}
}

// unhold gives the register of a value back.
func (r *room) unhold(v val) {
	l := r.at[v]
	l.owned = true
	r.c.release(l)
	r.held[v], r.there[v] = false, false
}

// target is the register that the result may go to: that of a resident row whose old value nobody
// reads any more, or that of a source that dies here, which is returned, too.
func (r *room) target(v val, o *operation) (reg x86.Vec, direct bool, owner val) {
	if o.typ == tM {
		return 0, false, none
	}
	for _, d := range r.rows[v] {
		if r.goesTo(o, d) {
			if r.use != allLanes {
				r.c.wmask = r.c.laneMask(r.use)
			}
			return x86.Vec(d.row + r.c.part), true, none
		}
	}
	for _, a := range dyingFirst(o) {
		if l := r.at[a]; r.held[a] && len(r.read[a]) == 0 && l.kind == inVec && r.m.typ(a) == o.typ && r.inPlace(o) {
			return l.v, true, a
		}
	}
	return 0, false, none
}

// dyingFirst lists the sources, that first whose register an operation takes with the least effort.
func dyingFirst(o *operation) []val {
	switch o.code {
	case cFFma:
		return []val{o.c, o.a, o.b}
	case cSumIf:
		return []val{o.b}
	}
	return o.args()
}

// inPlace tells whether an operation can overwrite a source.
func (r *room) inPlace(o *operation) bool {
	return o.code != cCmp && o.code != cFCmp && o.code != cTest && o.code != cUnit && o.code != cClass
}

// goesTo tells whether an operation can write to a resident row directly.
func (r *room) goesTo(o *operation, d *source) bool {
	if d.row < 0 || r.c.wide && d.typ == tW || d.typ != o.typ || !r.inPlace(o) {
		return false
	}
	if r.use != allLanes && (!r.c.evex || !maskable(o.code) && !r.accumulates(o, x86.Vec(d.row+r.c.part))) {
		return false
	}
	old, ok := r.input[d.off]
	return !ok || len(r.read[old]) == 0
}

// accumulates tells whether an operation adds a product to what is in a register, and reads it for nothing else: then it is one
// instruction.
func (r *room) accumulates(o *operation, reg x86.Vec) bool {
	in := func(v val) bool { return r.at[v].kind == inVec && r.at[v].v == reg }
	return o.code == cFFma && in(o.c) && !in(o.a) && !in(o.b)
}

// give writes a value to a row. What the row held is kept if somebody will read it.
func (r *room) give(v val, d *source) {
	l := r.get(v)
	r.detach(d, v)
	r.spare(r.spareToWrite(l, d))
	x := r.c.load(l, d.typ)
	x.owned = false
	r.c.write(x, d.typ, d, r.use)
	switch {
	case l.kind != inVec:
		r.c.release(temp(x.v))
	case d.row >= 0 && r.held[v] && !(r.c.wide && d.typ == tW):
		r.unhold(v) // it is in the row's register from now on
		r.at[v], r.there[v] = vecAt(x86.Vec(d.row+r.c.part)), true
	}
}

// spareToWrite is how many registers it takes to write a value to a row.
func (r *room) spareToWrite(l loc, d *source) int {
	switch {
	case r.c.evex || r.c.wide || r.use != allLanes:
		return spareVecs
	case l.kind == inVec:
		return 0
	}
	return 1
}

// detach takes the old value of a row that is about to be written into a register of its own.
func (r *room) detach(d *source, v val) {
	old, ok := r.input[d.off]
	if !ok || old == v || len(r.read[old]) == 0 || r.own[old] {
		return
	}
	r.pins = append(r.pins, old)
	l := r.get(old)
	if !r.held[old] {
		r.spare(spareVecs)
		t := r.c.alloc()
		r.c.copyOf(t, l, d.typ)
		r.at[old], r.there[old] = vecAt(t), true
		r.hold(old)
	}
	r.own[old] = true
}

// copyOf puts a value into a register.
func (e *emitter) copyOf(t x86.Vec, l loc, typ typ) {
	switch w := e.width(typ); l.kind {
	case inVec:
		e.copy(w, t, l.v)
	case inBcast:
		e.broadcast(w, typ, t, l.m)
	default:
		e.move(w, t, l.m)
	}
}

// bit collects a truth value for predicate k of the run.
func (r *room) bit(v val, k int) {
	if first := r.m.firstBits(v); first < k { // another predicate, or its opposite
		if r.c.part*r.c.lanes+r.c.lanes == 32 {
			r.c.RR(x86.MOV, x86.S32, maskBits[k], maskBits[first])
		}
		return
	}
	l := r.get(v)
	x := r.c.load(l, tW)
	r.c.collectIn(maskBits[k], x)
	r.c.unload(x, l)
}

// firstBits is the first predicate for which bits of a truth value are collected.
func (m *merged) firstBits(v val) int {
	return slices.IndexFunc(m.masks, func(d maskResult) bool { return d.v == v })
}
