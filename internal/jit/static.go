package jit

// Accesses whose addresses follow from few: one test for each run of lanes, of its lowest and its
// highest address, and then moves that are known when compiled: a vector for lanes that follow
// each other, one element for lanes with one address, a gather or scatter by constant distances.

import (
	"unsafe"

	"ptxvm.invalid/ptxvm/internal/jit/x86"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/abi"
	"ptxvm.invalid/ptxvm/internal/sem"
)

// move says how an element gets from memory to its row, or from there to memory.
type move uint8

const (
	noMove  move = iota
	unused       // nobody wants it
	toSlot       // one element into a scalar slot
	spread       // one address for all lanes of a row
	direct       // lanes follow each other
	resized      // the same, with elements narrower than their register
	strewn       // constant distances
)

// static is an access of which all that is known when compiled.
type static struct {
	acc    *accessed
	stride stride
	disp   int64
	align  int64
	moves  [4]move
	base   int // run whose base is in RAX, -1 for none
	host   bool
	again  bool // others will use the base
}

// static plans an access by runs, nil if it is none.
func (a *accessed) static() *static {
	s := a.c.mem.statics.one()
	*s = static{acc: a, stride: a.addressStride(), disp: int64(a.in.Imm), align: max(int64(a.m.Align), 1), base: -1}
	if a.m.By == sem.ByConst && !s.acc.absolute() {
		s.disp = 0
	}
	if s.acc.absolute() && s.disp%s.align != 0 || a.m.Strong || !s.stride.known() || a.masked && !a.uniform() || (s.stride.step|s.stride.hop)%s.align != 0 || !s.near() {
		return nil
	}
	for k := range a.m.At {
		if s.moves[k] = s.moveOf(k); s.moves[k] == noMove {
			return nil
		}
	}
	return s
}

// absolute tells whether an access is to a place in shared memory that is known: one test serves all of them in a segment, and
// the base is 0.
func (a *accessed) absolute() bool {
	return a.m.By == sem.ByConst && a.bound < 0 && a.in.Imm < 1<<24
}

func (a *accessed) addressStride() stride {
	switch {
	case a.uniform():
		return everyLane
	case a.src[0].pat != nil:
		return a.src[0].pat.stride
	}
	return stride{}
}

// near tells whether all distances are small enough for displacements and none can hide that an
// address of 32 bits wraps: window and shared memory lie far below its end.
func (s *static) near() bool {
	const far = 1 << 24
	low, high := s.reach()
	wraps := s.acc.src[0].typ == tW && s.acc.src[0].pat != nil && low < s.disp
	return low > -far && high < far && s.disp > -far && s.disp < far && !wraps
}

// reach has the lowest and the highest byte, and one more, that a run touches, from its base on. Loads touch those of all lanes.
func (s *static) reach() (low, high int64) {
	low, high = s.stride.extents()
	return s.disp + low, s.disp + high + int64(s.acc.m.Size)
}

// moveOf finds how element k moves.
func (s *static) moveOf(k int) move {
	d, elem, step := &s.acc.src[1+k], int64(s.acc.m.Elem), s.stride.step
	load, one := s.acc.s.op.Kind == sem.OpLoad, len(s.acc.m.At) == 1 && step == int64(s.acc.m.Elem)
	whole := int(elem)*8 == d.typ.bits() && s.acc.m.Bits[k] >= int(elem)*8
	switch {
	case load && d.off == machine.NoGuard:
		return unused
	case load && d.slot:
		return toSlot
	case step == 0 && (load || s.acc.use == allLanes || s.stride.like(everyLane)):
		return spread
	case step == 0 || !load && s.acc.use != allLanes && s.stride.row < s.acc.c.lanesOf(d.typ):
		return noMove
	case one && whole:
		return direct
	case one && s.resizes(k) != 0:
		return resized
	case whole && elem >= 4 && (load || s.acc.c.evex || s.acc.use == allLanes):
		return strewn
	}
	return noMove
}

// lanesOf is how many elements of a type a register holds.
func (e *emitter) lanesOf(t typ) int { return e.full().Bytes() * 8 / t.bits() }

// resizes is the instruction that moves narrow elements, 0 if there is none.
func (s *static) resizes(k int) x86.Op {
	d, signed := &s.acc.src[1+k], s.acc.m.Signed
	if s.acc.s.op.Kind == sem.OpStore {
		switch {
		case !s.acc.c.evex || d.typ != tW:
		case s.acc.m.Elem == 1:
			return x86.VPMOVDB
		case s.acc.m.Elem == 2:
			return x86.VPMOVDW
		}
		return 0
	}
	switch {
	case d.typ == tX && s.acc.m.Elem == 4 && signed:
		return x86.VPMOVSXDQ
	case d.typ == tX && s.acc.m.Elem == 4:
		return x86.VPMOVZXDQ
	case d.typ == tX || s.acc.m.Elem >= 4 || signed && s.acc.m.Bits[k] < 32 || s.acc.m.Bits[k] < int(8*s.acc.m.Elem):
		return 0
	case s.acc.m.Elem == 2 && signed:
		return x86.VPMOVSXWD
	case s.acc.m.Elem == 2:
		return x86.VPMOVZXWD
	case signed:
		return x86.VPMOVSXBD
	}
	return x86.VPMOVZXBD
}

// access assembles the tests and the moves.
func (s *static) access(i int, pc int32) {
	fail, done := s.acc.miss, x86.Label(0)
	if s.acc.use != allLanes && !s.acc.uniform() { // lanes that the guard excludes may be outside
		done = s.acc.c.NewLabel()
		fail = s.acc.c.later(func() {
			s.acc.rows()
			s.acc.c.Jmp(done)
		})
	}
	s.test(i, pc, fail)
	s.moveAll()
	if done != 0 {
		s.acc.c.Bind(done)
	}
}

// moveAll assembles the moves.
func (s *static) moveAll() {
	for k := range s.acc.m.At {
		switch {
		case s.moves[k] == unused:
		case s.moves[k] == toSlot:
			s.loadSlot(k)
		case s.acc.s.loaded != nil && !s.acc.masked:
			s.acc.elementAt(k, s.place(k, 0))
			s.acc.keepLoaded()
			s.acc.fill(&s.acc.src[1+k])
		case s.acc.s.op.Kind == sem.OpLoad:
			s.load(k)
		case s.moves[k] == spread:
			s.storeLast(k)
		default:
			s.store(k)
		}
	}
}

// toBase brings the base of a run into RAX.
func (s *static) toBase(run int) {
	if s.base == run && !s.host {
		return
	}
	s.base, s.host = run, false
	switch p := s.acc.src[0].pat; {
	case s.acc.absolute():
		s.acc.c.Zero(x86.RAX)
	case s.acc.m.By == sem.ByConst:
		s.acc.c.MovImm(x86.RAX, s.acc.in.Imm)
	case p == nil:
		s.acc.base()
	default:
		s.acc.c.RM(x86.MOV, p.typ.size(), x86.RAX, p.number(run))
	}
}

// toHost brings the base of a run in shared memory into RAX, as the host has it.
func (s *static) toHost(run int) {
	if s.acc.absolute() {
		s.acc.c.RM(x86.MOV, x86.S64, x86.RAX, ctxSharedHost)
	} else {
		s.toBase(run)
		s.acc.c.RM(x86.ADD, x86.S64, x86.RAX, ctxSharedHost)
	}
	s.base, s.host = run, true
}

// at is a place behind the base of a run, in host memory; RAX is part of it.
func (s *static) at(run int, disp int64) x86.Mem {
	return s.acc.byProof(s.unproven(run, disp))
}

// unproven is at without what proves that it may be touched.
func (s *static) unproven(run int, disp int64) x86.Mem {
	if s.acc.bound >= 0 {
		s.toBase(run)
		return x86.AtIndex(x86.RAX, rArena, 1, int32(s.disp+disp))
	}
	if s.base != run || !s.host {
		if v := s.acc.c.covered[s.key()]; v.host != 0 && !s.acc.masked {
			s.acc.c.RM(x86.MOV, x86.S64, x86.RAX, hostAt(v.host, run))
			s.base, s.host = run, true
			return x86.At(x86.RAX, int32(s.disp+disp))
		}
		s.toHost(run)
	}
	return x86.At(x86.RAX, int32(s.disp+disp))
}

// place is where element k of a lane lies.
func (s *static) place(k, lane int) x86.Mem {
	return s.at(lane/s.stride.w, int64(k)*int64(s.acc.m.Elem)+s.stride.offset(lane))
}

// loadSlot loads one element for all lanes.
func (s *static) loadSlot(k int) {
	d := &s.acc.src[1+k]
	s.acc.elementAt(k, s.place(k, 0))
	s.acc.c.MR(x86.MOV, d.typ.size(), s.acc.c.regs(d.off), x86.R8)
}

// load loads element k of all lanes into its row.
func (s *static) load(k int) {
	d := &s.acc.src[1+k]
	s.acc.c.wide = d.typ == tX
	n := s.acc.c.parts(false)
	for s.acc.c.part = range n {
		if d.row >= 0 && s.acc.use == allLanes {
			s.loadPartOf(k, x86.Vec(d.row+s.acc.c.part))
			continue
		}
		v := s.acc.c.alloc()
		s.loadPartOf(k, v)
		s.acc.c.write(vecAt(v), d.typ, d, s.acc.use)
		s.acc.c.release(temp(v))
	}
}

// loadPartOf loads the running part, of one row or of two.
func (s *static) loadPartOf(k int, v x86.Vec) {
	first := s.acc.c.part * s.acc.c.lanes
	if s.stride.row >= s.acc.c.lanes {
		s.piece(k, s.acc.c.full(), v, first)
		return
	}
	t := s.acc.c.alloc()
	s.piece(k, x86.W256, v, first)
	s.piece(k, x86.W256, t, first+s.stride.row)
	s.acc.c.VVVI(x86.VINSERTI64X4, x86.W512, v, v, t, 1)
	s.acc.c.release(temp(t))
}

// piece loads lanes of one row from a first one on.
func (s *static) piece(k int, w x86.Width, v x86.Vec, first int) {
	d, m := &s.acc.src[1+k], s.place(k, first)
	switch s.moves[k] {
	case direct:
		s.acc.c.move(w, v, m)
	case resized:
		s.acc.c.VM(s.resizes(k), w, v, m)
	case strewn:
		s.gatherStatic(w, d.typ, v, m)
	default:
		s.broadcastElement(k, w, v, m)
	}
}

func (s *static) broadcastElement(k int, w x86.Width, v x86.Vec, m x86.Mem) {
	t := s.acc.src[1+k].typ
	if int(s.acc.m.Elem)*8 == t.bits() && s.acc.m.Bits[k] >= t.bits() {
		s.acc.c.broadcast(w, t, v, m)
		return
	}
	s.acc.elementAt(k, m)
	s.acc.c.replicate(w, t, v, x86.R8)
}

// vector makes the operand of a gather or scatter from a place: constant distances, base in R8.
func (s *static) vector(m x86.Mem) (places x86.Mem, index x86.Vec) {
	index = s.acc.c.alloc()
	s.acc.c.move(s.acc.c.full(), index, s.acc.c.constRow(tW, func(i int) uint64 { return uint64(int64(i) * s.stride.step) }))
	s.acc.c.RM(x86.LEA, x86.S64, x86.R8, m)
	return x86.AtVec(x86.R8, index, 1, 0).By(m.Proof), index
}

func (s *static) gatherStatic(w x86.Width, t typ, v x86.Vec, m x86.Mem) {
	places, index := s.vector(m)
	defer s.acc.c.release(temp(index))
	if s.acc.c.evex {
		s.acc.c.KKK(x86.KXNORW, x86.K6, x86.K6, x86.K6)
		op := x86.VPGATHERDDK
		if t == tX {
			op = x86.VPGATHERDQK
		}
		s.acc.c.Masked(x86.K6).VM(op, w, v, places)
		return
	}
	op, ones := x86.VPGATHERDD, s.acc.c.alloc()
	if t == tX {
		op = x86.VPGATHERDQ
	}
	s.acc.c.VVV(x86.VPCMPEQD, w, ones, ones, ones)
	s.acc.c.VMV(op, w, v, places, ones)
	s.acc.c.release(temp(ones))
}

// store stores element k of all lanes.
func (s *static) store(k int) {
	d := &s.acc.src[1+k]
	s.acc.c.wide = d.typ == tX
	n := s.acc.c.parts(false)
	for s.acc.c.part = range n {
		from := s.acc.dataOf(d)
		v := s.acc.c.load(from, d.typ)
		s.storePartOf(k, v.v)
		s.acc.c.unload(v, from)
		s.acc.c.release(from)
	}
}

func (s *static) storePartOf(k int, v x86.Vec) {
	first := s.acc.c.part * s.acc.c.lanes
	if s.stride.row >= s.acc.c.lanes {
		s.put(k, s.acc.c.full(), v, first)
		return
	}
	t := s.acc.c.alloc()
	s.put(k, x86.W256, v, first)
	s.acc.c.VVI(x86.VEXTRACTI64X4, x86.W512, t, v, 1)
	s.put(k, x86.W256, t, first+s.stride.row)
	s.acc.c.release(temp(t))
}

// put stores lanes of one row from a first one on.
func (s *static) put(k int, w x86.Width, v x86.Vec, first int) {
	d, m := &s.acc.src[1+k], s.place(k, first)
	switch {
	case s.moves[k] == strewn:
		s.strew(k, w, v, m, first)
	case s.moves[k] == resized:
		if s.acc.use != allLanes {
			s.acc.c.Masked(s.acc.c.laneMask(s.acc.use))
		}
		s.acc.c.MV(s.resizes(k), w, m, v)
	default:
		s.acc.storeVector(w, m, d, v)
	}
}

// strew stores lanes of one row at constant distances, from a first one on, whose place is m.
func (s *static) strew(k int, w x86.Width, v x86.Vec, m x86.Mem, first int) {
	if !s.acc.c.evex {
		s.oneByOne(k, v, first)
		return
	}
	d := &s.acc.src[1+k]
	places, index := s.vector(m)
	op := x86.VPSCATTERDD
	if d.typ == tX {
		op = x86.VPSCATTERDQ
	}
	s.acc.c.Masked(s.acc.executing()).MV(op, w, places, v)
	s.acc.c.release(temp(index))
}

// oneByOne stores lanes through a copy, for processors without scatter.
func (s *static) oneByOne(k int, v x86.Vec, first int) {
	t := s.acc.src[1+k].typ
	copied := x86.At(rCtx, saveRow)
	s.acc.c.store(s.acc.c.full(), copied, v)
	for i := range s.acc.c.lanes {
		s.acc.c.RM(x86.MOV, t.size(), x86.R8, copied.Plus(int32(i*t.bits()/8)))
		s.acc.c.MR(x86.MOV, t.size(), s.place(k, first+i), x86.R8)
	}
}

// storeLast stores where all lanes of a row have one address: the value of the last one that executes stays.
func (s *static) storeLast(k int) {
	d := &s.acc.src[1+k]
	row := x86.Mem{}
	if !d.known && !d.slot {
		row = s.acc.inMemory(d, 1+k)
	}
	for last := s.stride.row - 1; last < 32; last += s.stride.row {
		switch {
		case !d.known && !d.slot && s.acc.use != allLanes:
			s.acc.c.active(x86.RCX, s.acc.use)
			s.acc.c.RR(x86.BSR, x86.S32, x86.RCX, x86.RCX)
			s.acc.c.RM(x86.MOV, d.typ.size(), x86.R8, row.With(x86.RCX, uint8(d.typ.bits()/8)))
		case d.known:
			s.acc.c.MovImm(x86.R8, d.value)
		case d.slot:
			s.acc.c.RM(x86.MOV, d.typ.size(), x86.R8, s.acc.c.regs(d.off))
		default:
			s.acc.c.RM(x86.MOV, d.typ.size(), x86.R8, row.Plus(int32(last*d.typ.bits()/8)))
		}
		s.acc.c.MR(x86.MOV, s.acc.elementSize(), s.place(k, last), x86.R8)
	}
}

// coverKey names bases that are tested: of a pattern, of a slot, of the kernel's parameters.
type coverKey struct {
	pat    *pattern
	slot   uint32
	by     sem.Addressing
	shared bool
	store  bool
}

// cover is what has been tested of a base in this segment: bytes [low, high), and the alignment of
// base + disp.
type cover struct {
	low, high   int64
	disp, align int64
	host        int32 // shared memory: where the host's bases of the runs are kept, 0 for nowhere
}

func (s *static) key() coverKey {
	k := coverKey{pat: s.acc.src[0].pat, by: s.acc.m.By, shared: s.acc.bound < 0, store: s.acc.s.op.Kind == sem.OpStore}
	if s.acc.src[0].slot {
		k.slot = s.acc.src[0].off
	}
	return k
}

// holds tells whether nothing is left to be tested of an access.
func (v *cover) holds(s *static) bool {
	low, high := s.reach()
	return v.low <= low && high <= v.high && s.align <= v.align && (s.disp-v.disp)%s.align == 0
}

// test goes to fail unless all lanes' addresses are inside and aligned. What follows in the segment
// from the same base is tested, too: it will be executed, or fault.
func (s *static) test(i int, pc int32, fail x86.Label) {
	key := s.key()
	defer s.acc.c.prove(pc)
	if v, ok := s.acc.c.covered[key]; ok && !s.acc.masked && v.holds(s) {
		return
	}
	low, high := s.reach()
	all := cover{low: low, high: high, disp: s.disp, align: s.align}
	if s.acc.use == allLanes && (s.acc.m.By != sem.ByConst || s.acc.absolute()) {
		if (s.widen(&all, key, i, pc) || s.again) && s.acc.bound < 0 {
			all.host = s.hostPlace()
		}
		s.acc.c.covered[key] = all
	}
	if s.acc.bound >= 0 {
		s.acc.c.RM(x86.MOV, x86.S64, x86.RDX, ctxBounds)
	}
	for run := range s.stride.n() {
		s.testRun(run, &all, fail)
	}
}

// hostPlace is a place for the host's bases, 0 if none is left in this segment.
func (s *static) hostPlace() int32 {
	at := saveHosts + 8*s.acc.c.hosts
	if at+int32(8*s.stride.n()) > saveWord {
		return 0
	}
	s.acc.c.hosts += int32(s.stride.n())
	return at
}

func hostAt(at int32, run int) x86.Mem { return x86.At(rCtx, at+int32(8*run)) }

// coverAhead is how far an access looks for others from its base: code of any length compiles in
// linear time.
const coverAhead = 256

// widen adds the accesses from the same base that soon follow an instruction in its segment; true if
// there are any.
func (s *static) widen(all *cover, key coverKey, i int, pc int32) (more bool) {
	for end := min(s.acc.c.segs[i].end, pc+coverAhead); pc+1 < end && !s.acc.c.changes(&s.acc.c.steps[pc], key); pc++ {
		if next := s.acc.c.accessAt(pc+1, false, allLanes); next != nil && next.in.Guard == machine.NoGuard {
			t := next.static()
			if t == nil || t.key() != key || t.align > all.align || (t.disp-all.disp)%t.align != 0 {
				continue
			}
			low, high := t.reach()
			all.low, all.high, more = min(all.low, low), max(all.high, high), true
		}
	}
	return more
}

// changes tells whether an instruction gives a base another value.
func (c *compiler) changes(s *step, key coverKey) bool {
	if key.pat != nil {
		return s.made == key.pat || s.loaded == key.pat
	}
	return key.slot != 0 && c.writesSlot(s, key.slot)
}

// uncover forgets the tests of bases that an instruction has changed.
func (c *compiler) uncover(s *step) {
	for key := range c.covered {
		if c.changes(s, key) {
			delete(c.covered, key)
		}
	}
}

// testRun tests the base of one run. Host memory lies below 1<<63, so that a signed comparison
// keeps out what would wrap.
func (s *static) testRun(run int, all *cover, fail x86.Label) {
	if s.acc.bound < 0 && (s.acc.absolute() || s.certain(all)) {
		if !s.certain(all) {
			s.insideWindow(all, fail)
		}
		s.keepHost(all, run)
		return
	}
	s.toBase(run)
	if s.align > 1 && !s.acc.absolute() {
		r := x86.RAX
		if all.disp%s.align != 0 {
			r = x86.R8
			s.acc.c.RM(x86.LEA, x86.S64, r, x86.At(x86.RAX, int32(all.disp)))
		}
		s.acc.c.RI(x86.TEST, x86.S32, r, int32(s.align-1))
		s.acc.c.Jcc(x86.NE, fail)
	}
	first := x86.RAX
	if s.acc.bound < 0 || all.low != 0 {
		first = x86.R8
		s.acc.c.RM(x86.LEA, x86.S64, x86.R8, x86.At(x86.RAX, int32(all.low)))
	}
	if s.acc.bound < 0 {
		s.acc.c.insideShared(int32(all.high-all.low), fail)
		s.keepHost(all, run)
		return
	}
	s.acc.c.insideBounds(s.acc.bound, s.acc.end(), first, int32(all.high), fail)
}

// keepHost keeps the host's base of a run if it has a place.
func (s *static) keepHost(all *cover, run int) {
	if all.host != 0 {
		s.toHost(run)
		s.acc.c.MR(x86.MOV, x86.S64, hostAt(all.host, run), x86.RAX)
	}
}

// insideWindow goes to fail unless bytes at known places are in the window of shared memory. Both its ends are below 1<<31.
func (s *static) insideWindow(all *cover, fail x86.Label) {
	s.acc.c.MI(x86.CMP, x86.S64, ctxWindow, int32(all.low))
	s.acc.c.Jcc(x86.A, fail)
	s.acc.c.MI(x86.CMP, x86.S64, ctxSharedEnd, int32(all.high))
	s.acc.c.Jcc(x86.B, fail)
}

// insideShared goes to fail unless the address in R8 and the size bytes behind it are in the window of shared memory.
func (c *compiler) insideShared(size int32, fail x86.Label) {
	c.RM(x86.SUB, x86.S64, x86.R8, ctxWindow)
	c.Jcc(x86.S, fail)
	c.RI(x86.ADD, x86.S64, x86.R8, size)
	c.RM(x86.CMP, x86.S64, x86.R8, ctxSharedBytes)
	c.Jcc(x86.A, fail)
}

// insideBounds goes to fail unless an access from the address in first to high behind RAX is inside the bounds at RDX, whose
// end lies at an offset.
func (c *compiler) insideBounds(bound int32, end uintptr, first x86.Reg, high int32, fail x86.Label) {
	c.RM(x86.CMP, x86.S64, first, c.boundsField(bound, unsafe.Offsetof(abi.Bounds{}.Start)))
	c.Jcc(x86.L, fail)
	c.RM(x86.LEA, x86.S64, x86.R8, x86.At(x86.RAX, high))
	c.RM(x86.CMP, x86.S64, x86.R8, c.boundsField(bound, end))
	c.Jcc(x86.A, fail)
}
