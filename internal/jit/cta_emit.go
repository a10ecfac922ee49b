package jit

// The code of a CTA's program: its rows and stores, one behind the other.

import (
	"slices"

	"ptxvm.invalid/ptxvm/internal/jit/x86"
)

// rShared makes host addresses of shared ones; ctaCursors keep addresses of global memory from one access to the next.
const rShared = x86.R8

var ctaCursors = [...]x86.Reg{x86.RBX, x86.R15, x86.R12, x86.R9, x86.R10, x86.R11, x86.RDX}

// ctaCursor is an address: what a place has, and numbers times what the lanes of an access have.
type ctaCursor struct {
	base  int // place
	rates []ctaRateAt
	used  int // when it was used last; 0: it is nothing yet
}

type ctaRateAt struct {
	num *ctaNumber
	by  int64
}

// kCTA is the mask of the next instruction.
const kCTA = x86.K7

// body assembles what all warps do.
func (m *ctaCode) body() {
	if m.k.high > 0 {
		m.c.RM(x86.MOV, x86.S64, rShared, ctxShared)
		m.c.RM(x86.SUB, x86.S64, rShared, ctxWindow)
	}
	warp, phase := -1, -1
	for i, x := range m.k.items {
		n := x.of()
		if n.warp != warp || n.phase != phase {
			m.leave()
			warp, phase = n.warp, n.phase
		}
		if !n.fold {
			m.makeRoom(32/m.c.lanes + n.needs()) // for a row and for what its program needs besides
			if m.ahead > 0 {
				m.ahead-- // it has been stored with others
			} else if m.ahead = m.storeVectors(i); m.ahead == 0 {
				m.assembleNode(n, x.store != nil)
			}
		}
		m.drop(i)
		if m.tooLong() {
			return
		}
	}
}

// tooLong tells whether the program cannot be: its code is too long, or something has run out.
func (m *ctaCode) tooLong() bool {
	m.c.short = m.c.short || m.c.Len()-m.began > m.k.maxCTACode()
	return m.c.short
}

// leave puts rows that are looked at later into memory: another warp follows.
func (m *ctaCode) leave() {
	for _, n := range m.live {
		m.spill(n)
	}
}

func (m *ctaCode) spill(n *ctaNode) {
	if n.regs == nil {
		return
	}
	slot := slices.Index(m.slots, false)
	if slot < 0 {
		m.c.short = true
		return
	}
	m.slots[slot], n.slot = true, slot+1
	for part, v := range n.regs {
		m.c.store(m.c.full(), rowPlace(slot, part*m.c.lanes), v)
		m.c.free = append(m.c.free, v)
	}
	n.regs = nil
}

// makeRoom makes sure that there are so many registers.
func (m *ctaCode) makeRoom(registers int) {
	for len(m.c.free) < registers {
		var far *ctaNode
		for _, l := range m.live {
			if l.regs != nil && (far == nil || l.last > far.last) {
				far = l
			}
		}
		if far == nil || m.c.short {
			return
		}
		m.spill(far)
	}
}

// drop gives back rows that nobody looks at behind an item.
func (m *ctaCode) drop(item int) {
	m.live = slices.DeleteFunc(m.live, func(n *ctaNode) bool {
		if n.last > item {
			return false
		}
		m.c.free = append(m.c.free, n.regs...)
		if n.regs = nil; n.slot != 0 {
			m.slots[n.slot-1] = false
		}
		return true
	})
}

// assembleNode assembles a row, or a store.
func (m *ctaCode) assembleNode(n *ctaNode, store bool) {
	m.c.note(n.pc, n.pc+1)
	var regs []x86.Vec
	for m.c.part = range 32 / m.c.lanes {
		switch {
		case store:
			m.storePart(n)
			continue
		case n.kind == nodeLoad:
			v := m.c.alloc()
			m.loadPart(n, v)
			regs = append(regs, v)
		case n.kind == nodeMerge:
			regs = append(regs, m.merge(n))
		case n.kind == nodeShuffle:
			regs = append(regs, m.shuffled(n))
		case n.kind == nodeCanon:
			x := m.loc(&n.in[0])
			regs = append(regs, m.c.canon(x, m.c.alloc).v)
			m.c.release(x)
		default:
			regs = append(regs, m.computed(n))
		}
	}
	if !store {
		n.regs = regs
		m.live = append(m.live, n)
	}
}

// loc is the running part of a value.
func (m *ctaCode) loc(v *ctaVal) loc {
	n := v.node
	switch {
	case n == nil:
		return m.polyLoc(v.poly)
	case n.fold:
		r := n.at.runs(m.c.part*m.c.lanes, m.c.lanes, n.lanes)[0]
		at := m.memory(n, r, m.c.part*m.c.lanes)
		if r.step != 0 {
			return loc{kind: inMem, m: at}
		}
		if m.c.evex {
			return loc{kind: inBcast, m: at}
		}
		return m.c.load(loc{kind: inBcast, m: at}, tW)
	case n.regs != nil:
		return vecAt(n.regs[m.c.part])
	}
	return loc{kind: inMem, m: rowPlace(n.slot-1, m.c.part*m.c.lanes)}
}

// polyLoc is the running part of a value that follows from numbers.
func (m *ctaCode) polyLoc(p *ctaPoly) loc {
	first := m.c.part * m.c.lanes
	s := m.k.splitKnown(p)
	word := func(c *[32]int64) loc {
		for i := range m.c.lanes {
			if c[first+i] != c[first] {
				return loc{kind: inMem, m: m.rowOfWords(func(i int) uint32 { return uint32(c[first+i]) })}
			}
		}
		return m.c.constant(tW, uint64(uint32(c[first])))
	}
	if s == nil || p.typ != tW {
		m.c.short = true
		return loc{kind: inVec}
	}
	if s.num == nil && len(s.rates) == 0 {
		return word(&s.known)
	}
	zero := s.known == [32]int64{}
	if s.num != nil && len(s.rates) == 0 && zero && m.c.evex {
		return loc{kind: inBcast, m: s.num.mem()}
	}
	v := m.c.alloc()
	if s.num != nil {
		m.c.broadcast(m.c.full(), tW, v, s.num.mem())
	} else {
		m.c.zero(v)
	}
	for i := range s.rates {
		t := m.c.alloc()
		m.c.broadcast(m.c.full(), tW, t, s.rates[i].num.mem())
		c := s.rates[i].coef
		m.c.VVM(x86.VPMULLD, m.c.full(), t, t, m.rowOfWords(func(i int) uint32 { return uint32(c[first+i]) }))
		m.c.VVV(x86.VPADDD, m.c.full(), v, v, t)
		m.c.release(temp(t))
	}
	if !zero {
		m.c.vvx(x86.VPADDD, m.c.full(), v, v, word(&s.known))
	}
	return temp(v)
}

// computed assembles the running part of a row that is computed.
func (m *ctaCode) computed(n *ctaNode) x86.Vec {
	p := n.prog
	vals, last := make([]loc, len(p.ops)), lastUses(p)
	for i := range p.ops {
		o := &p.ops[i]
		if last[i] < 0 {
			continue
		}
		switch o.code {
		case cIn:
			vals[i] = m.loc(&n.in[o.imm])
			continue
		case cConst:
			vals[i] = m.c.constant(o.typ, o.imm)
			continue
		}
		target, direct := x86.Vec(0), false
		if o.code == cFFma && val(i) == p.result {
			target, direct = m.takeOver(n, p, o.c)
		}
		vals[i] = m.c.operation(p, o, vals, target, direct)
		for k, a := range o.args() {
			if last[a] == i && !repeated(o.args()[:k], a) && !(vals[i].owned && same(vals[a], vals[i])) {
				m.c.release(vals[a])
			}
		}
	}
	out := vals[p.result]
	switch {
	case out.kind == inVec && out.owned:
		return out.v
	case out.kind == inVec:
		v := m.c.alloc()
		m.c.copy(m.c.full(), v, out.v)
		return v
	}
	return m.c.load(out, tW).v
}

// takeOver takes the register of a source that nobody looks at behind a row.
func (m *ctaCode) takeOver(n *ctaNode, p *program, v val) (x86.Vec, bool) {
	o := &p.ops[v]
	if o.code != cIn {
		return 0, false
	}
	from := n.in[o.imm].node
	if from == nil || from.regs == nil || from.last != n.item {
		return 0, false
	}
	reg := from.regs[m.c.part]
	v2 := m.c.alloc() // what it gives back for it
	from.regs[m.c.part] = v2
	for i := range p.ops { // nobody else reads it
		if q := &p.ops[i]; i != int(v) && q.code == cIn && n.in[q.imm].node == from {
			from.regs[m.c.part] = reg
			m.c.release(temp(v2))
			return 0, false
		}
	}
	return reg, true
}

// merge takes lanes of one row and the others of another one.
func (m *ctaCode) merge(n *ctaNode) x86.Vec {
	first := m.c.part * m.c.lanes
	lanes := n.lanes >> first & (1<<m.c.lanes - 1)
	take := func(v *ctaVal) x86.Vec {
		x := m.loc(v)
		if x.kind == inVec && x.owned {
			return x.v
		}
		d := m.c.alloc()
		if x.kind == inVec {
			m.c.copy(m.c.full(), d, x.v)
			return d
		}
		m.c.release(temp(d))
		return m.c.load(x, tW).v
	}
	switch {
	case lanes == 0:
		return take(&n.in[1])
	case lanes == 1<<m.c.lanes-1 && n.when == nil:
		return take(&n.in[0])
	}
	d := take(&n.in[1])
	x := m.loc(&n.in[0])
	v := m.c.load(x, tW)
	if n.when != nil {
		m.blendMask(d, v.v, n.when)
	} else {
		m.blendLanes(d, v.v, lanes)
	}
	m.c.unload(v, x)
	m.c.release(x)
	return d
}

// blendLanes replaces lanes of a register.
func (m *ctaCode) blendLanes(d, s x86.Vec, lanes uint32) {
	if !m.c.evex {
		m.c.VVVI(x86.VPBLENDD, x86.W256, d, d, s, uint8(lanes))
		return
	}
	m.mask(lanes)
	m.c.Masked(kCTA).VV(x86.VMOVDQA32, x86.W512, d, s)
}

// mask has lanes in the mask register.
func (m *ctaCode) mask(lanes uint32) { m.c.KM(x86.KMOVW, kCTA, m.c.Const32(lanes)) }

// laneRow is a row with all bits of lanes (AVX2).
func (m *ctaCode) laneRow(lanes uint32) x86.Mem {
	return m.rowOfWords(func(i int) uint32 { return -(lanes >> i & 1) })
}

// loadPart loads the running part.
func (m *ctaCode) loadPart(n *ctaNode, v x86.Vec) {
	first, w := m.c.part*m.c.lanes, m.c.full()
	var room [32]ctaRun
	runs := n.at.appendRuns(room[:0], first, m.c.lanes, n.lanes)
	switch {
	case len(runs) == 0:
		m.c.zero(v)
		return
	case m.loadEvery(n, first, v):
		return
	case scattered(runs) || n.at.shared && len(runs) > 1:
		m.gather(n, first, v)
		return
	case n.when != nil && !n.at.shared: // whoever does not load from shared memory could
		m.loadMasked(n, runs, v)
		return
	case len(runs) == 1 && runs[0].step == 0:
		m.c.broadcast(w, tW, v, m.memory(n, runs[0], first))
		return
	case n.at.shared && runs[0].n < m.c.lanes:
		m.loadSome(runs[0], first, v, m.memory(n, runs[0], first))
		return
	}
	for i, r := range runs {
		at := m.memory(n, r, first)
		lanes := r.bits(first)
		switch {
		case i == 0 && r.step == 0:
			m.c.broadcast(w, tW, v, at)
		case i == 0:
			m.c.move(w, v, at)
		case r.step == 0:
			t := m.c.alloc()
			m.c.broadcast(w, tW, t, at)
			m.blendLanes(v, t, lanes)
			m.c.release(temp(t))
		case m.c.evex:
			m.mask(lanes)
			m.c.Masked(kCTA).VM(x86.VMOVUPS, w, v, at)
		default:
			m.c.VVMI(x86.VPBLENDD, w, v, v, at, uint8(lanes))
		}
	}
}

// loadSome loads a run alone.
func (m *ctaCode) loadSome(r ctaRun, first int, v x86.Vec, at x86.Mem) {
	lanes := r.bits(first)
	if m.c.evex {
		m.mask(lanes)
		m.c.Zeroed(kCTA).VM(x86.VMOVUPS, m.c.full(), v, at)
		return
	}
	m.c.move(m.c.full(), v, m.laneRow(lanes))
	m.c.VVM(x86.VPMASKMOVD, m.c.full(), v, v, at)
}

// storePart stores the running part.
func (m *ctaCode) storePart(n *ctaNode) {
	first, w := m.c.part*m.c.lanes, m.c.full()
	var room [32]ctaRun
	runs := n.at.appendRuns(room[:0], first, m.c.lanes, n.lanes)
	if len(runs) == 0 {
		return
	}
	x := m.loc(&n.in[0])
	v := m.c.load(x, tW)
	if scattered(runs) {
		m.scatter(n, first, v.v)
		runs = nil
	}
	for _, r := range runs {
		if r.step == 0 && r.n > 1 { // of lanes that store to one place the last one counts
			m.storeLast(n, r, first, v.v)
			continue
		}
		at := m.memory(n, r, first)
		lanes := r.bits(first)
		switch {
		case n.when != nil:
			m.storeMasked(n, r, at, v.v)
		case r.n == m.c.lanes:
			m.c.store(w, at, v.v)
		case m.c.evex:
			m.mask(lanes)
			m.c.Masked(kCTA).MV(x86.VMOVUPS, w, at, v.v)
		default:
			t := m.c.alloc()
			m.c.move(w, t, m.laneRow(lanes))
			m.c.MVV(x86.VPMASKMOVD, w, at, t, v.v)
			m.c.release(temp(t))
		}
	}
	m.c.unload(v, x)
	m.c.release(x)
}

// memory is where the first lane of a register would be, going by a run of it.
func (m *ctaCode) memory(n *ctaNode, r ctaRun, first int) x86.Mem {
	p := n.at
	disp := int32(p.known[r.lane] - int64(r.lane-first)*r.step)
	if p.shared {
		m.proveShared(n)
		return x86.At(rShared, disp).By(inAccess + n.pc)
	}
	return x86.At(m.cursor(p, r.lane), disp).By(inAccess + n.pc)
}

// cursor is a register with the part of a lane's address that is not known.
func (m *ctaCode) cursor(p *ctaPlace, lane int) x86.Reg {
	var want []ctaRateAt
	for i := range p.rates {
		want = append(want, ctaRateAt{p.rates[i].num, p.rates[i].coef[lane]})
	}
	base := m.host(p.num)
	i := m.pick(base, want)
	if c := &m.cursors[i]; c.used == 0 || c.base != base || !sameNumbers(c.rates, want) {
		m.c.RM(x86.MOV, x86.S64, ctaCursors[i], placeOf(base))
		m.cursors[i] = ctaCursor{base: base, rates: make([]ctaRateAt, len(want))}
		for j := range want {
			m.cursors[i].rates[j].num = want[j].num
		}
	}
	m.used++
	m.cursors[i].used = m.used
	c := &m.cursors[i]
	for j := range want {
		if d := want[j].by - c.rates[j].by; d != 0 {
			m.c.RM(x86.ADD, x86.S64, ctaCursors[i], placeOf(m.hop(ctaHop{want[j].num, d})))
		}
	}
	c.rates = want
	return ctaCursors[i]
}

// pick picks the cursor to go to an address: one that is there; else, of those that go on from the same place, the one
// that was used least lately if there are some already; else of all.
func (m *ctaCode) pick(base int, want []ctaRateAt) int {
	const some = 4 // as many as an instruction has sources: none of them is moved before it is read
	old, alike, oldAlike := 0, 0, -1
	for i := range m.cursors {
		c := &m.cursors[i]
		if c.used < m.cursors[old].used {
			old = i
		}
		if c.used == 0 || c.base != base || !sameNumbers(c.rates, want) {
			continue
		}
		if slices.Equal(c.rates, want) {
			return i
		}
		if alike++; oldAlike < 0 || c.used < m.cursors[oldAlike].used {
			oldAlike = i
		}
	}
	if alike >= some {
		return oldAlike
	}
	return old
}

func sameNumbers(a, b []ctaRateAt) bool {
	return slices.EqualFunc(a, b, func(x, y ctaRateAt) bool { return x.num == y.num })
}

// place is one more place in memory.
func (m *ctaCode) place() int {
	m.places++
	return m.places - 1
}

// host is the place of the host's address that a number is.
func (m *ctaCode) host(n *ctaNumber) int {
	if n.host == 0 {
		n.host = m.place() + 1
	}
	return n.host - 1
}

// hop is the place of what an address goes on by.
func (m *ctaCode) hop(h ctaHop) int {
	at, ok := m.hopAt[h]
	if !ok {
		at = m.place()
		m.hopAt[h] = at
		m.hops = append(m.hops, h)
	}
	return at
}

// splitKnown is split for numbers that there are already; nil if one is new.
func (k *cta) splitKnown(p *ctaPoly) *ctaSplit {
	n := len(k.numbers)
	s := k.split(p)
	if len(k.numbers) != n {
		return nil
	}
	return s
}
