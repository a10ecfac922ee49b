package jit

// Addresses of 64 bits that follow from an index of 32: a base that the launch gives, and a row of 32 bits
// times a power of two. That is what compilers make of p[i]. Compiled code keeps the row of 32 bits, and the
// machine writes the row of 64 where lanes leave and reads it where they enter (abi.Index), so it is
// one representation for all lanes, together or apart. The sum is exact: an index is a register or an index that has
// just been accessed and a small distance, so it does not wrap.

import (
	"math/bits"
	"slices"

	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/abi"
	"ptxvm.invalid/ptxvm/internal/sem"
)

// anchor is a value that all lanes of a launch have: 8 bytes of the kernel's parameters, if param is not
// negative, and a distance.
type anchor struct {
	param int32
	far   uint64
}

// indexed is a register of which the index is kept: it is anchor + index<<shift.
type indexed struct {
	anchor
	reg    ir.Reg
	shift  uint8
	signed bool   // the index
	off    uint32 // of the index's row, behind the register block
	home   uint32 // of its row of 64 bits
}

// shapeKind says what is known of a value of 64 bits.
type shapeKind uint8

const (
	shapeless shapeKind = iota
	waiting             // for what is known of a register
	fixed               // an anchor
	strided             // an anchor and an index
)

// shape is what is known of a value.
type shape struct {
	kind shapeKind
	anchor
	shift  uint8
	signed bool
	of     ir.Reg // whose index it is; NoReg: row's, of the program
	row    val
}

// indexer finds the registers of a region.
type indexer struct {
	*region
	state   []indexState // by register
	anchors map[ir.Reg]shape
}

// indexState is what is known of a register as long as its definitions are looked at.
type indexState struct {
	bad  bool
	seen bool
	shape
	defs   []int32
	users  []int32
	wanted bool
}

// Limits that keep the search linear, and indices from wrapping.
const (
	maxIndexPasses = 8
	maxIndexShift  = 10
	maxIndexStep   = 1 << 20
	maxLookBack    = 64
)

// findIndices decides which registers are kept as indices, and rewrites what computes and reads them.
func (r *region) findIndices() {
	if !r.f.Entry {
		return
	}
	x := &indexer{region: r, state: r.mem.indices.take(len(r.f.Regs)), anchors: map[ir.Reg]shape{}}
	if !x.candidates() || !x.settle() || !x.choose() || !r.uses(Indices) {
		return
	}
	r.indices = x.place()
	for i := range r.indices {
		x.rewrite(&r.indices[i])
	}
}

// candidates finds the registers all of whose definitions can be looked at; false if there are none.
func (x *indexer) candidates() (some bool) {
	for g := range x.state {
		x.state[g].bad = x.f.Regs[g].Width() != ir.W64 || x.f.Rows.Of[g] < 0 || x.global[ir.Reg(g)] != nil
	}
	entry := x.live.entry
	for g := range x.state {
		st := &x.state[g]
		st.defs, st.users = x.live.uses.writers(ir.Reg(g)), x.live.uses.readers(ir.Reg(g))
		for _, pc := range st.defs {
			s := &x.steps[pc]
			st.bad = st.bad || s.leaves || s.op.Kind != sem.OpLane || s.prog == nil || s.dst.slot || s.dst.typ != tX || s.made != nil || s.dst.off != x.offset(ir.Reg(g))
		}
		st.bad = st.bad || len(st.defs) == 0 || entry.Has(g)
		some = some || !st.bad
	}
	return some
}

// settle evaluates definitions until nothing changes; false if that takes too long.
func (x *indexer) settle() bool {
	for range maxIndexPasses {
		changed := false
		for g := range x.state {
			if !x.state[g].bad {
				changed = x.evaluate(ir.Reg(g)) || changed
			}
		}
		if changed {
			continue
		}
		for g := range x.state {
			if st := &x.state[g]; !st.bad && (!st.seen || !x.usable(ir.Reg(g)) || !x.exact(ir.Reg(g))) {
				st.bad, changed = true, true
			}
		}
		if !changed {
			return true
		}
	}
	return false
}

// evaluate lets the definitions of a register say what it is; true if that changes something.
func (x *indexer) evaluate(g ir.Reg) (changed bool) {
	st := &x.state[g]
	for _, pc := range st.defs {
		switch h := x.shapeOf(pc, x.steps[pc].prog.result); {
		case h.kind == waiting:
		case h.kind != strided || h.shift > maxIndexShift || st.seen && (h.param != st.param || h.shift != st.shift || h.signed != st.signed):
			st.bad = true
			return true
		case !st.seen:
			st.seen, st.shape, changed = true, h, true
		}
	}
	return changed
}

// shapeOf is what is known of a value of an instruction's program.
func (x *indexer) shapeOf(pc int32, v val) shape {
	s := &x.steps[pc]
	o := &s.prog.ops[v]
	switch o.code {
	case cConst:
		return shape{kind: fixed, anchor: anchor{-1, o.imm}}
	case cIn:
		return x.sourceShape(pc, &s.in[o.imm])
	case cSext, cZext:
		return shape{kind: strided, anchor: anchor{param: -1}, signed: o.code == cSext, of: ir.NoReg, row: o.a}
	case cShlI:
		h := x.shapeOf(pc, o.a)
		if h.param >= 0 || h.kind != strided {
			h.kind = min(h.kind, waiting)
		}
		h.far, h.shift = h.far<<o.imm, h.shift+uint8(o.imm)
		return h
	case cAdd:
		return x.shapeOf(pc, o.a).plus(x.shapeOf(pc, o.b))
	}
	return shape{}
}

// plus is the sum of two values.
func (h shape) plus(k shape) shape {
	if h.kind < k.kind {
		h, k = k, h
	}
	switch {
	case k.kind <= waiting:
		return shape{kind: k.kind}
	case k.kind == strided || h.param >= 0 && k.param >= 0:
		return shape{}
	}
	h.param, h.far = max(h.param, k.param), h.far+k.far
	return h
}

// sourceShape is what is known of an operand of 64 bits.
func (x *indexer) sourceShape(pc int32, s *source) shape {
	switch {
	case s.typ != tX || s.pat != nil:
		return shape{}
	case s.known:
		return shape{kind: fixed, anchor: anchor{-1, s.value}}
	case s.slot:
		return x.anchorOf(x.slotRegister(pc, s.off))
	}
	g := x.readAt(pc, s)
	if h := x.anchorOf(g); h.kind == fixed {
		return h
	}
	if g == ir.NoReg || x.state[g].bad {
		return shape{}
	}
	st := &x.state[g]
	if !st.seen {
		return shape{kind: waiting}
	}
	h := st.shape
	h.of, h.row = g, none
	return h
}

// slotRegister is the register that an instruction reads as a scalar slot.
func (x *indexer) slotRegister(pc int32, off uint32) ir.Reg {
	if c := x.scalarAt(off, pc); c != nil {
		return x.readAt(pc, &source{off: c.Row})
	}
	return ir.NoReg
}

// anchorOf is what all lanes have of a register that is written once, before anybody reads it.
func (x *indexer) anchorOf(g ir.Reg) shape {
	if g == ir.NoReg || len(x.state[g].defs) != 1 || x.live.entry.Has(int(g)) {
		return shape{}
	}
	if h, ok := x.anchors[g]; ok {
		return h
	}
	x.anchors[g] = shape{} // for those that are computed from themselves
	h := x.anchorAt(x.state[g].defs[0])
	x.anchors[g] = h
	return h
}

func (x *indexer) anchorAt(pc int32) shape {
	s := &x.steps[pc]
	m := &s.op.Memory
	switch {
	case s.leaves || x.insts[pc].Guard != machine.NoGuard:
	case s.op.Kind == sem.OpLoad && m.By == sem.ByKernel && m.Elem == 8 && len(m.At) == 1 && x.insts[pc].Imm < 1<<16:
		return shape{kind: fixed, anchor: anchor{param: int32(x.insts[pc].Imm)}}
	case s.op.Kind == sem.OpLane && s.prog != nil && s.dst.typ == tX:
		if h := x.shapeOf(pc, s.prog.result); h.kind == fixed {
			return h
		}
	}
	return shape{}
}

// usable tells whether everybody who reads a register can do with its index.
func (x *indexer) usable(g ir.Reg) bool {
	for _, pc := range x.state[g].users {
		s := &x.steps[pc]
		switch {
		case s.leaves:
		case s.op.Kind == sem.OpLane:
			if !x.definesIndex(pc) {
				return false
			}
		case !x.addresses(pc, g):
			return false
		}
	}
	return true
}

// definesIndex tells whether an instruction defines a register that is kept as an index.
func (x *indexer) definesIndex(pc int32) bool {
	return slices.ContainsFunc(x.live.uses.writes(pc), func(g ir.Reg) bool { return !x.state[g].bad })
}

// addresses tells whether an instruction reads a register as an address and nothing else, and can do with its index.
func (x *indexer) addresses(pc int32, g ir.Reg) bool {
	s, off := &x.steps[pc], x.offset(g)
	switch s.op.Kind {
	case sem.OpLoad, sem.OpStore, sem.OpAtomic, sem.OpCas:
	default:
		return false
	}
	if s.op.Memory.By != sem.ByRow64 || s.full[0].pat != nil || s.op.Memory.Elem < 4 && !x.narrowly(pc, g) {
		return false
	}
	for k := range s.in[1:] {
		if d := &s.in[1+k]; s.op.Kind != sem.OpLoad && d.off == off && !d.slot && !d.known {
			return false
		}
	}
	return s.in[0].off == off && !s.in[0].slot && !s.in[0].known
}

// narrowly tells whether an instruction is the one that loads a byte or half by a register: the elements of indices that follow
// each other are one vector. Such a load does not always test its indices, so that no distances are added to what it has loaded from.
// Several bytes at one address are fetched in words (words.go).
func (x *indexer) narrowly(pc int32, g ir.Reg) bool {
	s, users := &x.steps[pc], x.state[g].users
	m := &s.op.Memory
	return !s.leaves && s.op.Kind == sem.OpLoad && !m.Strong && len(m.At) == 1 && m.Elem < 4 && m.Elem == 1<<x.state[g].shift && m.Align <= m.Elem &&
		x.bounds[pc] >= 0 && x.near(pc) && widener(m, &s.in[1]) != 0 && !s.in[1].slot && s.in[1].off != machine.NoGuard && !slices.ContainsFunc(users, func(at int32) bool { return at != pc && x.steps[at].op.Kind != sem.OpLane })
}

// exact tells whether the index of a register never wraps.
func (x *indexer) exact(g ir.Reg) bool {
	for _, pc := range x.state[g].defs {
		step, ok := x.stepOf(g, pc)
		if !ok || step != 0 && !x.accessedBefore(pc, x.shapeOf(pc, x.steps[pc].prog.result).of) {
			return false
		}
	}
	return true
}

// stepOf is what a definition adds to the index that it is computed from.
func (x *indexer) stepOf(g ir.Reg, pc int32) (step int64, ok bool) {
	h, st := x.shapeOf(pc, x.steps[pc].prog.result), &x.state[g]
	far := int64(h.far - st.far)
	step = far >> st.shift
	return step, h.kind == strided && (step >= 0 || st.signed) && step<<st.shift == far && step < maxIndexStep && step > -maxIndexStep && (step == 0 || h.of != ir.NoReg)
}

// accessedBefore tells whether an access at a register's index, which tests it, comes before an instruction
// of the same segment with nothing between that writes it.
func (x *indexer) accessedBefore(pc int32, g ir.Reg) bool {
	first := max(x.segmentOf(pc), pc-maxLookBack)
	for at := pc - 1; at >= first; at-- {
		if x.insts[at].Guard == machine.NoGuard && x.tests(at, g) {
			return true
		}
		if slices.Contains(x.live.uses.writes(at), g) {
			return false
		}
	}
	return false
}

// tests tells whether an instruction is an access that tests a register's index.
func (x *indexer) tests(pc int32, g ir.Reg) bool {
	s := &x.steps[pc]
	return !s.leaves && (s.op.Kind == sem.OpLoad || s.op.Kind == sem.OpStore) && x.byIndex(pc) && x.addresses(pc, g)
}

// byIndex tells whether an access can be by indices, lane by lane where there are no scatters. Its limits are in its entry of
// the table of bounds: one of shared memory has none, even where its address is a register of 64 bits.
func (r *region) byIndex(pc int32) bool {
	s := &r.steps[pc]
	m, load := &s.op.Memory, s.op.Kind == sem.OpLoad
	if r.bounds[pc] < 0 || m.Strong || len(m.At) > 1 && !load && m.Align != m.Size || bits.OnesCount32(m.Align) != 1 {
		return false
	}
	if !r.near(pc) {
		return false
	}
	for k := range m.At {
		d := &s.in[1+k]
		if d.off != machine.NoGuard && (d.typ.bits() != int(m.Elem)*8 || m.Bits[k] < int(m.Elem)*8 || load && d.slot) {
			return false
		}
	}
	return true
}

// near tells whether the displacement of an access is small enough for one by indices.
func (r *region) near(pc int32) bool {
	const far = 1 << 24
	d := int64(r.insts[pc].Imm)
	return d > -far && d < far
}

// choose keeps what serves an access by index, narrow ones where there is room for all; false if nothing does, or too much.
func (x *indexer) choose() bool {
	n := x.wantAll(true)
	if x.indexRow(n) < x.numbersEnd {
		n = x.wantAll(false)
	}
	for g := range x.state {
		x.state[g].bad = x.state[g].bad || !x.state[g].wanted
	}
	return n != 0 && x.indexRow(n) >= x.numbersEnd
}

// wantAll wants what serves an access by index, and returns how many registers that are.
func (x *indexer) wantAll(narrow bool) (n int) {
	for g := range x.state {
		x.state[g].wanted = false
	}
	for g := range x.state {
		st := &x.state[g]
		for _, pc := range st.users {
			if !st.bad && !x.steps[pc].leaves && (x.tests(pc, ir.Reg(g)) || narrow && x.narrowly(pc, ir.Reg(g))) {
				x.want(ir.Reg(g))
			}
		}
	}
	for g := range x.state {
		if x.state[g].wanted {
			n++
		}
	}
	return n
}

// want keeps a register and what it is computed from, and what is computed from it, which would read it.
func (x *indexer) want(g ir.Reg) {
	st := &x.state[g]
	if st.wanted {
		return
	}
	st.wanted = true
	for _, pc := range st.defs {
		if of := x.shapeOf(pc, x.steps[pc].prog.result).of; of != ir.NoReg {
			x.want(of)
		}
	}
	for _, pc := range st.users {
		if s := &x.steps[pc]; !s.leaves && s.op.Kind == sem.OpLane {
			for _, h := range x.live.uses.writes(pc) {
				x.want(h)
			}
		}
	}
}

// indexRow is where the n-th row of indices is: at the end of the room behind the register block.
func (r *region) indexRow(n int) uint32 {
	return r.code.FrameBytes + abi.Room - uint32(128*n)
}

// place gives the registers their rows.
func (x *indexer) place() (list []indexed) {
	for g := range x.state {
		if st := &x.state[g]; st.wanted {
			off := x.indexRow(len(list) + 1)
			x.live.regsOf.add(off, ir.Reg(g))
			list = append(list, indexed{anchor: st.anchor, reg: ir.Reg(g), shift: st.shift, signed: st.signed, off: off, home: x.offset(ir.Reg(g))})
		}
	}
	return list
}

// rewrite makes the definitions of a register compute its index, and tells accesses of it.
func (x *indexer) rewrite(n *indexed) {
	for _, pc := range x.state[n.reg].users {
		s := &x.steps[pc]
		switch {
		case s.leaves || s.op.Kind == sem.OpLane:
		default:
			if s.index = n; x.byIndex(pc) && (s.op.Kind == sem.OpLoad || s.op.Kind == sem.OpStore) || x.narrowly(pc, n.reg) {
				s.in[0] = source{typ: tW, off: n.off, row: -1}
				s.full[0] = s.in[0]
			}
		}
	}
	for _, pc := range x.state[n.reg].defs {
		h := x.shapeOf(pc, x.steps[pc].prog.result)
		step, _ := x.stepOf(n.reg, pc)
		x.redefine(&x.steps[pc], n, h, step)
	}
}

// redefine makes a definition compute an index.
func (x *indexer) redefine(s *step, n *indexed, h shape, step int64) {
	p := &program{evex: x.wide512, ops: slices.Clone(s.prog.ops), tables: s.prog.tables}
	row := h.row
	if h.of != ir.NoReg {
		from := source{typ: tW, off: x.rowOfIndex(h.of), row: -1}
		s.in, s.full = append(s.in, from), append(s.full, from)
		row = p.input(len(s.in)-1, tW)
	}
	if step != 0 {
		row = p.sum(row, p.w(uint32(step)))
	}
	p.result = row
	for i, need := range needed(p) {
		if o := &p.ops[i]; o.code == cIn && !need { // nobody is to bring it
			s.in[o.imm] = source{typ: o.typ, known: true, row: -1}
			s.full[o.imm] = s.in[o.imm]
		}
	}
	s.prog, s.dst = p, source{typ: tW, off: n.off, row: -1}
}

// rowOfIndex is where the index of a register is.
func (x *indexer) rowOfIndex(g ir.Reg) uint32 {
	for i := range x.indices {
		if x.indices[i].reg == g {
			return x.indices[i].off
		}
	}
	return 0
}
