package jit

// What a CTA's program does first: numbers of the launch, numbers of the CTA, and the tests.

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
	"unsafe"

	"ptxvm.invalid/ptxvm/internal/jit/x86"
	"ptxvm.invalid/ptxvm/internal/machine/abi"
	"ptxvm.invalid/ptxvm/internal/sem"
)

// ctaCode assembles the program of a CTA. It may take all registers but those of the state, of global memory and of
// the steps.
type ctaCode struct {
	low, high int64 // of shared memory that is touched
	c         *compiler
	k         *cta
	places    int            // of 8 bytes, behind those of the numbers
	params    map[byte]int   // places of atoms
	hopAt     map[ctaHop]int // places of what cursors go on by
	hops      []ctaHop
	cursors   [len(ctaCursors)]ctaCursor
	used      int    // how often cursors have been
	began     int    // where its code begins
	ahead     int    // stores that have been assembled with one before them
	slots     []bool // places of rows that are taken
	live      []*ctaNode
	miss      x86.Label
	edge      *cta             // the program for borders, nil if there is none
	extents   map[*ctaSide]int // places of those that have been computed (cta_narrow.go)
	cold      []func()

	maskSteps, maskOps int // places of what masks make execute (sumMasks)
	sets               wordSets

	pending  map[*ctaNumber]bool // numbers that are still to be computed
	resident residents           // of ordinary code
}

// ctaHop is a number times a constant, by which an address goes on.
type ctaHop struct {
	num  *ctaNumber
	step int64
}

// Places in memory: numbers, then rows.
const (
	ctaPlaces = 448
	ctaRows   = (64*abi.Spills - 8*ctaPlaces) / 128
)

func placeOf(i int) x86.Mem       { return x86.At(rCtx, saveSpill+int32(8*i)) }
func (n *ctaNumber) mem() x86.Mem { return placeOf(n.at) }

// rowPlace is the part of a row in memory that begins with a lane.
func rowPlace(slot, lane int) x86.Mem {
	return x86.At(rCtx, saveSpill+8*ctaPlaces+int32(128*slot+4*lane))
}

// atomLasts tells whether a number is the same in all CTAs of a launch.
func (k *cta) atomLasts(a *ctaAtom) bool {
	switch a.kind {
	case atomNumber:
		return a.num.launch
	case atomSpecial:
		_, ok := k.specials[a.off].CTAPart()
		return !ok
	}
	return true
}

// ctaProgram assembles the program of a CTA, if there is one and it fits: batch.program, with a CTA that has begun and of which no warp
// runs. ordinary runs it warp by warp; without another one it goes out.
func (c *compiler) ctaProgram(ordinary, out x86.Label) {
	if c.opt.alone {
		return
	}
	if !c.allows(CTAs) {
		return
	}
	if c.opt.Late {
		_, c.batch.late = c.mayBeProgram()
		return
	}
	c.opt.begin("CTAs, run")
	defer c.opt.begin("batches")
	k := c.findCTA(!c.opt.inside && c.allows(CTABorders))
	if k == nil || !c.uses(CTAs) || k.edge != nil && !c.uses(CTABorders) {
		return
	}
	free, freeK, bcast, short := c.free, c.freeK, c.bcast, c.short
	m := &ctaCode{c: c, k: k, resident: bcast, params: map[byte]int{}, hopAt: map[ctaHop]int{}, places: k.places}
	if m.edge = k.edge; m.edge != nil {
		m.places = m.edge.places
		m.layWords()
	}
	c.bcast, c.short, c.asProgram = nil, false, true
	m.allFree()
	m.began = c.Len()
	c.opt.begin("CTAs, code")
	program := c.NewLabel()
	m.assemble(program, ordinary, out)
	if !c.short && m.places <= ctaPlaces {
		c.batch.program = program
	}
	c.batch.scant = c.short || m.places > ctaPlaces
	c.free, c.freeK, c.bcast, c.short, c.asProgram = free, freeK, bcast, short, false
}

// allFree begins with all registers and places for rows.
func (m *ctaCode) allFree() {
	m.c.free, m.c.freeK = m.c.free[:0:0], []x86.K{x86.K5, x86.K4, x86.K3, x86.K2, x86.K1}
	for v := 2*m.c.full().Bytes()/4 - 1; v >= 0; v-- {
		m.c.free = append(m.c.free, x86.Vec(v))
	}
	m.slots, m.live, m.cursors, m.used = make([]bool, ctaRows), nil, [len(ctaCursors)]ctaCursor{}, 0
	m.c.wide, m.c.only, m.c.wmask, m.c.lanes = false, 0, 0, m.k.vectorLanes()
}

func (m *ctaCode) assemble(program, ordinary, out x86.Label) {
	next, body, border := m.c.NewLabel(), m.c.NewLabel(), m.c.NewLabel()
	m.miss = m.c.NewLabel()
	inside, fails := m.k, m.miss
	m.c.proofs.version = ctaVersion
	defer func() { m.c.proofs.version = wholeVersion }()
	m.program("all lanes, of all warps of a CTA", body, next, out)
	if m.edge != nil {
		begin := m.c.NewLabel()
		m.k, fails, m.c.proofs.version = m.edge, border, borderVersion
		m.allFree()
		m.program("some lanes, of all warps of a CTA", begin, next, out)
		m.c.Bind(border)
		m.c.title("numbers and tests of a CTA at a border")
		m.c.count()
		m.allFree()
		m.numbers(len(inside.numbers), false)
		m.maskWords()
		m.tests(false)
		m.tests(true)
		m.c.Jmp(begin)
		m.c.title("a CTA at a border, lanes that run")
		for _, f := range m.cold {
			f()
		}
	}

	m.c.proofs.version = ctaVersion
	m.c.Bind(m.miss)
	m.c.title("a CTA that is not as was foreseen")
	m.c.count()
	m.c.Zero(rPending)
	m.back()
	m.c.Jmp(ordinary)

	m.c.Bind(program)
	m.c.title("numbers of a launch")
	m.c.count()
	m.c.RM(x86.MOV, x86.S64, x86.RCX, batchWarps)
	m.c.RM(x86.MOV, x86.S64, rRegs, warpAt(x86.RCX, warpRegs))
	m.parameters()
	m.sharedInside(inside)
	m.numbers(0, true)
	m.forgetWords()
	m.k, m.c.proofs.version = inside, ctaVersion
	m.tests(true)
	m.c.Bind(next)
	m.c.title("numbers and tests of a CTA")
	m.c.count()
	m.numbers(0, false)
	miss := m.miss
	m.miss = fails
	m.tests(false)
	m.miss = miss
	m.c.Jmp(body)
}

// program assembles what a CTA does once its tests have been passed, and what is counted of it.
func (m *ctaCode) program(title string, begin, next, out x86.Label) {
	k := m.k
	m.c.title("%s", title)
	m.c.Bind(begin)
	m.c.count()
	m.body()
	m.c.title("a CTA is done")
	m.c.RI(x86.ADD, x86.S64, rSteps, int32(k.executed))
	if d := 32*k.executed - k.laneOps; d != 0 {
		m.c.MI(x86.SUB, x86.S64, ctxOps, int32(d))
	}
	m.countMasks()
	m.c.MI(x86.MOV, x86.S32, batchMoved, 1)
	m.c.batch.clean = !slices.ContainsFunc(k.items, func(x *ctaItem) bool { return x.store != nil && x.store.at.shared })
	m.c.endCTA(out, 0)
	m.c.batch.clean = false
	m.c.Jmp(next)
}

// back loads the constants that ordinary code keeps in registers.
func (m *ctaCode) back() {
	bcast := m.c.bcast
	m.c.bcast = m.resident
	m.c.loadConstants()
	m.c.bcast = bcast
}

// parameters loads what the program needs of the kernel's parameters.
func (m *ctaCode) parameters() {
	m.c.covered = map[coverKey]cover{}
	for i := range m.k.atoms {
		a := &m.k.atoms[i]
		if a.kind != atomParam {
			continue
		}
		x := m.c.accessAt(int32(a.off), false, allLanes)
		x.miss = m.miss
		x.static().test(m.c.segAt[m.c.segmentOf(x.pc)], x.pc, m.miss)
		x.base()
		x.displace(x86.RAX)
		x.host(x86.RAX)
		x.element(a.part)
		m.c.MR(x86.MOV, x86.S64, placeOf(m.param(byte(i))), x86.R8)
	}
}

func (m *ctaCode) param(i byte) int {
	at, ok := m.params[i]
	if !ok {
		at = m.place()
		m.params[i] = at
	}
	return at
}

// sharedInside tests all accesses to shared memory, whose addresses no CTA changes, and has their base in rShared.
func (m *ctaCode) sharedInside(k *cta) {
	low, high := k.low, k.high
	if m.edge != nil {
		low, high = min(low, m.edge.low), max(high, m.edge.high)
	}
	if m.low < m.high && (m.low < low || m.high > high) {
		m.c.unsound("shared memory is touched at [%d, %d), [%d, %d) is tested", m.low, m.high, low, high)
	}
	if high <= 0 {
		return
	}
	m.c.RM(x86.MOV, x86.S64, x86.RAX, ctxWindow)
	m.c.RI(x86.CMP, x86.S64, x86.RAX, int32(low))
	m.c.Jcc(x86.A, m.miss)
	m.c.RM(x86.ADD, x86.S64, x86.RAX, ctxSharedBytes)
	m.c.RI(x86.CMP, x86.S64, x86.RAX, int32(high))
	m.c.Jcc(x86.B, m.miss)
}

// proveShared notes the places of an access to shared memory, which sharedInside is to test.
func (m *ctaCode) proveShared(n *ctaNode) {
	for set := n.lanes; set != 0; set &= set - 1 {
		at := n.at.known[bits.TrailingZeros32(set)]
		if m.low == m.high {
			m.low, m.high = at, at
		}
		m.low, m.high = min(m.low, at), max(m.high, at+4)
	}
	m.c.prove(n.pc)
}

// numbers assembles the numbers of the launch, or of the CTA, from one on.
func (m *ctaCode) numbers(first int, launch bool) {
	m.pending = map[*ctaNumber]bool{}
	for _, n := range m.k.numbers[first:] {
		m.pending[n] = n.launch == launch
	}
	for _, n := range m.k.numbers[first:] {
		if n.launch != launch {
			continue
		}
		m.ready(n)
		if n.host != 0 {
			m.c.RM(x86.MOV, x86.S64, x86.RAX, n.mem())
			m.c.RR(x86.ADD, x86.S64, x86.RAX, rArena)
			m.c.MR(x86.MOV, x86.S64, placeOf(n.host-1), x86.RAX)
		}
	}
	for _, h := range m.hops {
		if h.num.launch == launch && slices.Contains(m.k.numbers[first:], h.num) {
			m.c.RMI(x86.IMUL, x86.S64, x86.RAX, h.num.mem(), int32(h.step))
			m.c.MR(x86.MOV, x86.S64, placeOf(m.hopAt[h]), x86.RAX)
		}
	}
}

// tests assembles those of the launch, or of the CTA.
func (m *ctaCode) tests(launch bool) {
	for _, g := range m.k.guards {
		if g.lasts() == launch && !g.certain() {
			m.guard(g)
		}
	}
}

// lasts tells whether a test comes out the same in all CTAs of a launch.
func (g *ctaGuard) lasts() bool {
	if g.masked() { // who fails it goes on with the program for borders
		return false
	}
	for _, x := range []*ctaSide{&g.x, &g.y} {
		if x.num != nil && !x.num.launch {
			return false
		}
		for _, n := range x.rates {
			if !n.launch {
				return false
			}
		}
	}
	return true
}

// ready makes sure that a number is in its place, and those that it follows from: of those that are pending, others have
// been computed before.
func (m *ctaCode) ready(n *ctaNumber) {
	if n == nil || !m.pending[n] {
		return
	}
	m.pending[n] = false
	for _, t := range n.terms {
		for _, a := range []byte(t.mono) {
			m.ready(m.k.atoms[a].num)
		}
	}
	m.number(n)
}

// number computes a number and puts it into its place.
func (m *ctaCode) number(n *ctaNumber) {
	size := n.typ.size()
	for i, t := range n.terms {
		to := x86.RCX
		if i == 0 {
			to = x86.RAX
		}
		if t.mono == "" {
			m.c.MovImm(to, t.coef[0])
			t.coef = rowOf(1)
		}
		for j, a := range []byte(t.mono) {
			at := m.atomPlace(a)
			if j == 0 {
				m.c.RM(x86.MOV, size, to, at)
			} else {
				m.c.RM(x86.IMUL, size, to, at)
			}
		}
		m.multiply(size, to, n.typ.signed(t.coef[0]))
		if i > 0 {
			m.c.RR(x86.ADD, size, x86.RAX, x86.RCX)
		}
	}
	if n.typ == tW {
		m.c.RR(x86.MOVSXD, x86.S64, x86.RAX, x86.RAX)
	}
	m.c.MR(x86.MOV, x86.S64, n.mem(), x86.RAX)
}

// multiply multiplies a register with a constant; RDX is lost.
func (m *ctaCode) multiply(size x86.Size, r x86.Reg, by int64) {
	switch {
	case by == 1:
	case by == -1:
		m.c.R(x86.NEG, size, r)
	case by > 0 && by&(by-1) == 0:
		m.c.RI(x86.SHL, size, r, int32(bits.TrailingZeros64(uint64(by))))
	case by == int64(int32(by)):
		m.c.RRI(x86.IMUL, size, r, r, int32(by))
	default:
		m.c.MovImm(x86.RDX, uint64(by))
		m.c.RR(x86.IMUL, size, r, x86.RDX)
	}
}

// atomPlace is where a number that comes from somewhere lies.
func (m *ctaCode) atomPlace(i byte) x86.Mem {
	switch a := &m.k.atoms[i]; a.kind {
	case atomParam:
		return placeOf(m.param(i))
	case atomNumber:
		return a.num.mem()
	default:
		if part, ok := m.k.specials[a.off].CTAPart(); ok {
			return batchPlace.Plus(8 * int32(part))
		}
		return m.c.regs(a.off)
	}
}

// extreme has the least or the greatest value of numbers in RAX; RCX is lost.
func (m *ctaCode) extreme(x *ctaSide, greatest bool) {
	if at, ok := m.extents[x]; ok {
		m.extremeAt(x, at, greatest)
		return
	}
	c := x.low
	if greatest {
		c = x.high
	}
	switch {
	case x.num == nil:
		m.c.MovImm(x86.RAX, uint64(c))
	default:
		m.c.RM(x86.MOV, x86.S64, x86.RAX, x.num.mem())
		if c != 0 {
			m.c.RI(x86.ADD, x86.S64, x86.RAX, int32(c))
		}
	}
	for i, n := range x.rates {
		switch by := x.ctaExtent.rates[i][bit(greatest)]; by {
		case 0:
		case 1:
			m.c.RM(x86.ADD, x86.S64, x86.RAX, n.mem())
		default:
			m.c.RMI(x86.IMUL, x86.S64, x86.RCX, n.mem(), int32(by))
			m.c.RR(x86.ADD, x86.S64, x86.RAX, x86.RCX)
		}
	}
}

// test goes to miss unless a guard holds.
func (m *ctaCode) test(g *ctaGuard) {
	switch g.kind {
	case guardRate:
		m.c.MI(x86.CMP, x86.S64, g.x.num.mem(), math.MaxInt32) // else sums of products might wrap on the way from the least lane to the greatest
		m.c.Jcc(x86.A, m.miss)
	case guardFits:
		for _, greatest := range []bool{false, true} {
			m.extreme(&g.x, greatest)
			m.c.RR(x86.MOVSXD, x86.S64, x86.RCX, x86.RAX)
			m.c.RR(x86.CMP, x86.S64, x86.RCX, x86.RAX)
			m.c.Jcc(x86.NE, m.miss)
		}
	case guardOrder:
		m.extreme(&g.x, true)
		m.c.RR(x86.MOV, x86.S64, x86.RDX, x86.RAX)
		m.extreme(&g.y, false)
		m.c.RR(x86.CMP, x86.S64, x86.RDX, x86.RAX)
		if g.equal {
			m.c.Jcc(x86.G, m.miss)
		} else {
			m.c.Jcc(x86.GE, m.miss)
		}
	case guardInside:
		m.inside(g)
	}
}

// startOf and endOf are the ends of the bounds of what an access has hit; RDX has the table.
func (m *ctaCode) startOf(pc int32) x86.Mem {
	return m.c.boundsField(m.c.bounds[m.k.learns(pc)], unsafe.Offsetof(abi.Bounds{}.Start))
}

func (m *ctaCode) endOf(pc int32, load bool) x86.Mem {
	return m.c.boundsField(m.c.bounds[m.k.learns(pc)], boundsEnd(load))
}

// learns is the access whose bounds ordinary code asks for: the first in a segment from the same base.
func (k *cta) learns(pc int32) int32 {
	s := &k.steps[pc]
	for first := k.segmentOf(pc); first < pc; first++ {
		if t := &k.steps[first]; t.op.Kind == s.op.Kind && k.bounds[first] >= 0 && t.op.Memory.By == s.op.Memory.By && t.in[0] == s.in[0] && !k.rewritten(s.in[0].off, first, pc) {
			return first
		}
	}
	return pc
}

// rewritten tells whether an instruction in [first, end) gives a row or slot, which may be several registers', another value.
func (k *cta) rewritten(off uint32, first, end int32) bool {
	for pc := first; pc < end; pc++ {
		switch s := &k.steps[pc]; s.op.Kind {
		case sem.OpLane, sem.OpSelect, sem.OpLoad, sem.OpShuffle:
			if k.writesSlot(s, off) {
				return true
			}
		}
	}
	return false
}

// inside tests the first and the last address of an access.
func (m *ctaCode) inside(g *ctaGuard) {
	m.c.RM(x86.MOV, x86.S64, x86.RDX, ctxBounds)
	m.c.RM(x86.MOV, x86.S64, x86.R9, m.endOf(g.pc, g.load))
	m.extreme(&g.x, false)
	if g.align > 1 {
		m.c.RI(x86.TEST, x86.S32, x86.RAX, int32(g.align-1))
		m.c.Jcc(x86.NE, m.miss)
	}
	m.c.RM(x86.CMP, x86.S64, x86.RAX, m.startOf(g.pc))
	m.c.Jcc(x86.B, m.miss)
	m.c.RR(x86.CMP, x86.S64, x86.RAX, x86.R9)
	m.c.Jcc(x86.A, m.miss)
	m.extreme(&g.x, true)
	m.c.RR(x86.CMP, x86.S64, x86.RAX, x86.R9)
	m.c.Jcc(x86.A, m.miss)
	m.c.prove(g.pc)
}

// rowOfWords is a constant of 32 bits for each lane of a register.
func (m *ctaCode) rowOfWords(f func(i int) uint32) x86.Mem {
	var b []byte
	for i := range m.k.vectorLanes() {
		b = binary.LittleEndian.AppendUint32(b, f(i))
	}
	return m.c.ConstRow(b, len(b))
}
