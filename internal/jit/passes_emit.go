package jit

// The code of loops in passes. It stands in front of the loop's ordinary code, to which it goes if too few turns are
// certain or a test fails, and behind it the branch: the last of its turns is decided like any other.

import (
	"maps"
	"math/bits"
	"slices"
	"unsafe"

	"ptxvm.invalid/ptxvm/internal/jit/x86"
	"ptxvm.invalid/ptxvm/internal/machine/abi"
)

// turning is a loop while its passes are assembled.
type turning struct {
	c     *compiler
	t     *passes
	first int // part of the pass
	parts int // of a pass
	rowAt map[uint32]int
	same  residents
	temps []x86.Vec
	hosts map[turnKey]x86.Reg

	computed []rate
}

// turnKey names a base in a register.
type turnKey struct {
	key coverKey
	run int
}

// turnRegs are the registers of bases. RAX is for the counters of a profile, RBX counts turns: no code for whole
// warps looks at the mask.
var turnRegs = []x86.Reg{x86.RCX, x86.RDX, x86.R8, x86.R9, x86.R10, x86.R11}

// turnsLeft is where the number of turns is.
var turnsLeft = x86.At(rCtx, saveRow)

// inPasses assembles what runs the turns of a segment's loop; false if that cannot be.
func (c *compiler) inPasses(i int) bool {
	t, s := c.passes[i], &c.segs[i]
	k := &turning{c: c, t: t}
	if k.settled() || !k.needRates() || !k.choose() {
		return false
	}
	s.body = c.NewLabel()
	c.title("turns from %d", s.first)
	c.Bind(s.full)
	c.stirWord(s)
	c.count()
	k.rates()
	done := c.NewLabel()
	k.certain(s)
	k.again(s.body)
	k.tests(s.body)
	c.storeRows(c.liveRows(s.first))
	k.apart(func() {
		for k.first = 0; k.first < c.wholeRow(); k.first += k.parts {
			k.pass(s)
		}
	})
	k.behind(s, turnsLeft)
	k.reload(s.end - 1)
	c.Bind(done)
	c.note(s.end-1, s.end)
	pc := s.end - 1
	c.decidedBranch(i, pc, s.first, c.steps[pc].decided)
	return true
}

// apart assembles code that has other registers than the function.
func (k *turning) apart(body func()) {
	c := k.c
	row, free, bcast := c.row, c.free, c.bcast
	c.turning = k
	body()
	c.turning, c.row, c.free, c.bcast = nil, row, free, bcast
}

// reload loads what the function keeps in registers at a pc.
func (k *turning) reload(pc int32) {
	c := k.c
	for _, off := range c.liveRows(pc) {
		c.eachRegister(off, func(v x86.Vec, m x86.Mem) { c.move(c.full(), v, m) })
	}
	for _, b := range c.bcast {
		c.loadValue(b.key, b.v)
	}
}

// settled tells whether the ordinary code has everything in registers already.
func (k *turning) settled() bool {
	for _, off := range k.t.carried {
		if _, ok := k.c.row.of(off); !ok {
			return false
		}
	}
	for i := range k.t.steady {
		s := &k.t.steady[i]
		if _, row := k.c.row.of(s.row); s.key == nil && !row {
			return false
		}
		if s.key != nil && s.uses > 1 {
			if _, ok := k.c.bcast.of(*s.key); !ok {
				return false
			}
		}
	}
	return len(k.t.bases) == 0
}

// wholeRow is how many registers a row of 32 bits takes.
func (e *emitter) wholeRow() int { return 128 / e.full().Bytes() }

// choose decides how many parts a pass has, and what has registers; false if bases need too many.
func (k *turning) choose() bool {
	all, temps := 16, k.t.living+spareVecs+1
	if k.c.evex {
		all = 32
	}
	for k.parts = k.c.wholeRow(); k.parts > 1 && (len(k.t.carried)*k.parts+temps > all || k.baseRegs() > len(turnRegs)); k.parts /= 2 {
	}
	if k.baseRegs() > len(turnRegs) {
		return false
	}
	next := k.c.wholeRow() - k.parts // rows begin where those of earlier parts would be
	left := all - max(temps, next)
	k.rowAt, k.same = map[uint32]int{}, nil
	give := func(n int) (at int, ok bool) {
		if ok = n <= left; ok {
			at, left, next = next, left-n, next+n
		}
		return at, ok
	}
	carried := func() {
		for _, off := range k.t.carried {
			if at, ok := give(k.parts); ok {
				k.rowAt[off] = at
			}
		}
	}
	done := false
	for i := range k.t.steady {
		s := &k.t.steady[i]
		if !done && s.uses < carriedWeight {
			carried()
			done = true
		}
		if s.key == nil {
			if at, ok := give(k.parts); ok {
				k.rowAt[s.row] = at
			}
		} else if at, ok := give(1); ok {
			k.same = append(k.same, resident{*s.key, x86.Vec(at)})
		}
	}
	if !done {
		carried()
	}
	for v := all - 1; v >= 0; v-- {
		if v >= next || v < k.c.wholeRow()-k.parts {
			k.temps = append(k.temps, x86.Vec(v))
		}
	}
	return true
}

// carriedWeight is what a register saves that is loaded, stored and waited for in each turn.
const carriedWeight = 4

// baseRegs is how many registers the bases of a pass take.
func (k *turning) baseRegs() (n int) {
	for i := range k.t.bases {
		first, behind := k.runs(&k.t.bases[i])
		n += behind - first
	}
	return n
}

// runs are those of a base that the pass reads.
func (k *turning) runs(b *turnBase) (first, behind int) {
	if b.src.pat == nil {
		return 0, 1
	}
	lanes := 32 / k.c.wholeRow()
	return k.first * lanes / b.src.pat.w, ((k.first+k.parts)*lanes-1)/b.src.pat.w + 1
}

// certain leaves the number of turns whose branch, but for the last one's, is certain to be taken; RCX has it,
// too. It is limited by the fuel and by what may run until the next poll.
func (k *turning) certain(s *segment) {
	if k.t.counter.divides() {
		k.divide(false, s.body)
	} else {
		k.shift(s.body)
	}
	k.c.RI(x86.ADD, x86.S64, x86.RCX, 1)
	k.c.RR(x86.MOV, x86.S32, x86.RAX, rFuel)
	k.limit()
	k.untilPoll(s, s.body)
	k.limit()
	k.c.RI(x86.CMP, x86.S64, x86.RCX, leastTurns)
	k.c.Jcc(x86.L, s.body)
	k.c.MR(x86.MOV, x86.S64, turnsLeft, x86.RCX)
}

// untilPoll leaves in RAX how many turns may run until the next poll, or goes to other if it is due.
func (k *turning) untilPoll(s *segment, other x86.Label) {
	k.c.RM(x86.MOV, x86.S64, x86.RAX, batchBudget)
	k.c.RM(x86.SUB, x86.S64, x86.RAX, ctxSteps)
	k.c.RR(x86.SUB, x86.S64, x86.RAX, rSteps)
	k.c.Jcc(x86.LE, other)
	k.c.RI(x86.SHR, x86.S64, x86.RAX, int32(bits.Len32(uint32(s.end-s.first))))
}

// shift leaves in RCX how often a counter that goes on by a power of two is certain to compare alike, or goes to other.
func (k *turning) shift(other x86.Label) {
	n := &k.t.counter
	by, size := n.by, n.typ.size()
	k.operand32(x86.RAX, n.v, n.signed)
	k.c.RI(x86.ADD, size, x86.RAX, int32(by))
	if n.signed && n.typ == tW {
		k.c.RR(x86.MOVSXD, x86.S64, x86.RAX, x86.RAX)
	}
	k.operand32(x86.RCX, n.b, n.signed)
	if by < 0 {
		k.c.RR(x86.XCHG, x86.S64, x86.RAX, x86.RCX)
		by = -by
	}
	k.distance(by, other)
}

// limit lowers RCX to RAX.
func (k *turning) limit() {
	k.c.RR(x86.CMP, x86.S64, x86.RCX, x86.RAX)
	k.c.Cmov(x86.G, x86.S64, x86.RCX, x86.RAX)
}

// operand32 loads a number to be compared, extended to 64 bits.
func (k *turning) operand32(r x86.Reg, src *source, signed bool) {
	m := k.c.regs(src.off)
	if src.pat != nil {
		m = src.pat.number(0)
	}
	switch {
	case src.known && signed && src.typ == tW:
		k.c.MovImm(r, uint64(int64(int32(src.value))))
	case src.known:
		k.c.MovImm(r, src.value)
	case signed && src.typ == tW:
		k.c.RM(x86.MOVSXD, x86.S64, r, m)
	default:
		k.c.RM(x86.MOV, src.typ.size(), r, m)
	}
}

// distance makes of the bounds in RAX and RCX how often in RCX a counter that goes on by a power of two is
// certain to compare alike, or goes to other.
func (k *turning) distance(by int64, other x86.Label) {
	n, shift := &k.t.counter, int32(bits.TrailingZeros64(uint64(by)))
	if n.cond == x86.NE {
		k.c.RR(x86.SUB, n.typ.size(), x86.RCX, x86.RAX)
		if by > 1 { // else it goes by
			k.c.MovImm(x86.RDX, uint64(by-1))
			k.c.RR(x86.TEST, x86.S64, x86.RCX, x86.RDX)
			k.c.Jcc(x86.NE, other)
		}
	} else {
		k.c.RR(x86.SUB, x86.S64, x86.RCX, x86.RAX)
		k.c.Jcc(x86.O, other)
		if n.typ == tX && !n.signed {
			k.c.Jcc(x86.B, other)
		}
		k.c.Jcc(x86.L, other)
		last := int32(by - 1)
		if n.cond == x86.LE || n.cond == x86.BE || n.cond == x86.GE || n.cond == x86.AE {
			last++
		}
		k.c.RI(x86.ADD, x86.S64, x86.RCX, last)
	}
	k.c.RI(x86.SHR, x86.S64, x86.RCX, shift)
	k.c.Jcc(x86.S, other)
}

// tests goes to other unless all addresses of all turns are inside and aligned: what
// goes on by the same amount is inside if the first and the last are.
func (k *turning) tests(other x86.Label) {
	k.toLast()
	for i := range k.t.bases {
		b := &k.t.bases[i]
		if b.bound >= 0 {
			k.c.RM(x86.MOV, x86.S64, x86.RDX, ctxBounds)
		}
		n := 1
		if b.src.pat != nil {
			n = b.src.pat.n()
		}
		for run := range n {
			k.test(b, run, other)
		}
	}
}

// test is for one run of a base.
func (k *turning) test(b *turnBase, run int, other x86.Label) {
	aligned := func(r x86.Reg) {
		if b.align > 1 {
			k.c.RI(x86.TEST, x86.S32, r, int32(b.align-1))
			k.c.Jcc(x86.NE, other)
		}
	}
	k.c.RM(x86.MOV, b.src.typ.size(), x86.RAX, k.number(&b.src, run))
	aligned(x86.RAX)
	k.inside(b, other)
	by := b.goes
	if by == nil {
		return
	}
	if !by.fixed() {
		k.c.RM(x86.MOV, x86.S64, x86.R10, k.rateAt(by.rate))
		aligned(x86.R10)
	}
	k.goOn(by.rate, other)
	k.inside(b, other)
}

// number is where the number of a base's run is.
func (k *turning) number(src *source, run int) x86.Mem {
	if src.pat != nil {
		return src.pat.number(run)
	}
	return k.c.regs(src.off)
}

// inside goes to other unless what is reached from RAX is inside. Host memory lies below 1<<63, so that signed
// comparisons keep out what would wrap.
func (k *turning) inside(b *turnBase, other x86.Label) {
	k.c.RM(x86.LEA, x86.S64, x86.R8, x86.At(x86.RAX, int32(b.low)))
	if b.bound < 0 {
		k.c.insideShared(int32(b.high-b.low), other)
		return
	}
	k.c.insideBounds(b.bound, unsafe.Offsetof(abi.Bounds{}.End), x86.R8, int32(b.high), other)
}

// pass assembles all turns of some parts.
func (k *turning) pass(s *segment) {
	k.begin()
	k.c.RM(x86.MOV, x86.S64, rMask, turnsLeft)
	again := k.c.NewLabel()
	k.c.Bind(again)
	k.c.title("turns of lanes %d to %d", k.first*32/k.c.wholeRow(), (k.first+k.parts)*32/k.c.wholeRow()-1)
	k.c.count()
	k.c.note(s.first, s.end-1)
	k.turn(k.first, k.first+k.parts)
	k.c.title("to the next turn")
	k.c.count()
	k.toNext()
	k.c.RI(x86.SUB, x86.S64, rMask, 1)
	k.c.Jcc(x86.NE, again)
	k.c.title("behind the turns")
	k.c.count()
	k.eachRow(func(off uint32, v x86.Vec, m x86.Mem) {
		if slices.Contains(k.t.carried, off) {
			k.c.store(k.c.full(), m, v)
		}
	})
}

// toNext brings the bases to the next turn.
func (k *turning) toNext() {
	k.eachBase(func(b *turnBase, _ int, r x86.Reg) {
		switch by := b.goes; {
		case by == nil:
		case by.fixed():
			k.c.RI(x86.ADD, x86.S64, r, int32(by.by))
		default:
			k.c.RM(x86.ADD, x86.S64, r, k.rateAt(by.rate))
		}
	})
}

// turn assembles a turn of some parts.
func (k *turning) turn(first, behind int) {
	c := k.c
	c.wide = false
	need, kept := k.t.needs(), c.freeK
	if c.evex {
		c.freeK = append(c.freeK[:len(c.freeK):len(c.freeK)], kGuard+1, kGuard, kMask+1, kMask)
	}
	c.parts(false)
	order := k.t.readers(need)
	c.beginOnce(&k.t.merged, behind-first)
	for c.part = first; c.part < behind; c.part++ {
		r := newRoom(c, &k.t.merged, need, order, allLanes)
		r.all()
	}
	c.endOnce()
	c.freeK = kept
}

// begin brings what has a register there.
func (k *turning) begin() {
	c := k.c
	c.row, c.bcast, c.free = nil, k.same, slices.Clone(k.temps)
	for off, at := range k.rowAt {
		c.row.add(off, at-k.first)
	}
	for i := range k.t.in {
		c.place(&k.t.in[i])
	}
	for i := range k.t.merged.rows {
		c.place(&k.t.merged.rows[i].dst)
	}
	k.eachRow(func(_ uint32, v x86.Vec, m x86.Mem) { k.c.move(k.c.full(), v, m) })
	for _, b := range k.same {
		c.loadValue(b.key, b.v)
	}
	k.hosts = map[turnKey]x86.Reg{}
	for i := range k.t.bases {
		b := &k.t.bases[i]
		first, behind := k.runs(b)
		for run := first; run < behind; run++ {
			r := turnRegs[len(k.hosts)]
			k.hosts[turnKey{b.key, run}] = r
			k.c.RM(x86.MOV, b.src.typ.size(), r, k.number(&b.src, run))
			if b.bound < 0 {
				k.c.RM(x86.ADD, x86.S64, r, ctxSharedHost)
			} else {
				k.c.RR(x86.ADD, x86.S64, r, rArena)
			}
		}
	}
}

// eachBase visits the bases of the pass with their registers.
func (k *turning) eachBase(visit func(b *turnBase, run int, r x86.Reg)) {
	for i := range k.t.bases {
		b := &k.t.bases[i]
		first, behind := k.runs(b)
		for run := first; run < behind; run++ {
			visit(b, run, k.hosts[turnKey{b.key, run}])
		}
	}
}

// eachRow visits the registers of rows in the pass with their places in memory.
func (k *turning) eachRow(visit func(off uint32, v x86.Vec, m x86.Mem)) {
	bytes := k.c.full().Bytes()
	for _, off := range slices.Sorted(maps.Keys(k.rowAt)) {
		for p := range k.parts {
			visit(off, x86.Vec(k.rowAt[off]+p), k.c.regs(off+uint32((k.first+p)*bytes)))
		}
	}
}

// at is a place behind the base of a run.
func (k *turning) at(s *static, run int, disp int64) x86.Mem {
	r, ok := k.hosts[turnKey{s.key(), run}]
	if !ok {
		k.c.unsound("the load at pc %d has no base in its turns", s.acc.pc)
	}
	k.c.prove(s.acc.pc) // of the base everything is inside in all turns
	return s.acc.byProof(x86.At(r, int32(s.disp+disp+k.t.ahead(&s.acc.src[0], s.acc.pc))))
}

// behind brings numbers and counts to where they are behind some turns.
func (k *turning) behind(s *segment, turns x86.Mem) {
	c := k.c
	c.RM(x86.MOV, x86.S64, x86.RAX, turns)
	c.RM(x86.LEA, x86.S64, x86.RDX, x86.At(x86.RAX, -1))
	for i := range k.t.advances {
		a := &k.t.advances[i]
		turns := x86.RAX
		if a.anew { // of the last one
			turns = x86.RDX
		}
		k.ahead(x86.RCX, a.rate, turns)
		if p := a.s.made; p != nil {
			for run := range p.n() {
				c.MR(x86.ADD, p.typ.size(), p.number(run), x86.RCX)
			}
		} else {
			c.MR(x86.ADD, a.s.dst.typ.size(), c.regs(a.s.dst.off), x86.RCX)
		}
	}
	c.RRI(x86.IMUL, x86.S64, x86.RCX, x86.RAX, s.end-s.first)
	c.RR(x86.ADD, x86.S64, rSteps, x86.RCX)
	c.RR(x86.SUB, x86.S32, rFuel, x86.RDX)
	c.MI(x86.MOV, x86.S32, ctxLooped, 1)
}
