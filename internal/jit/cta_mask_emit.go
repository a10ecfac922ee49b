package jit

// Masks of a CTA's program for borders: words in memory, and what is done under them.

import (
	"slices"

	"ptxvm.invalid/ptxvm/internal/jit/x86"
)

// kRun is a second mask beside kCTA.
const kRun = x86.K6

// maskWords computes all conditions and masks, and what is counted by them, where no set of words has them.
func (m *ctaCode) maskWords() {
	if len(m.k.masks) == 0 {
		return
	}
	same := m.c.NewLabel()
	m.findWords(same)
	for _, w := range m.k.words {
		if m.tooLong() {
			return
		}
		m.truth(w.cond)
		m.c.MR(x86.MOV, x86.S32, placeOf(w.at), x86.R8)
	}
	for _, x := range m.k.masks {
		for i, p := range x.set {
			to := x86.RCX
			if i == 0 {
				to = x86.RAX
			}
			m.c.MovImm(to, uint64(p.lanes))
			for _, l := range p.when {
				m.among(to, l)
			}
			if i > 0 {
				m.c.RR(x86.OR, x86.S32, x86.RAX, x86.RCX)
			}
		}
		m.c.MR(x86.MOV, x86.S32, placeOf(x.at), x86.RAX)
	}
	m.sumMasks()
	m.c.Bind(same)
}

// among keeps those of some lanes for which a condition comes out as said; RDX is lost.
func (m *ctaCode) among(lanes x86.Reg, l ctaLit) {
	at := placeOf(m.k.wordAt[l.cond].at)
	if l.is {
		m.c.RM(x86.AND, x86.S32, lanes, at)
		return
	}
	m.c.RM(x86.MOV, x86.S32, x86.RDX, at)
	m.c.RRR(x86.ANDN, x86.S32, lanes, x86.RDX, lanes)
}

// rowsOf has the least and the greatest element of rows that are compared with a difference: beyond them all
// comparisons come out alike.
func (k *cta) rowsOf(d *ctaDiff) (low, high int64) {
	var visit func(c *ctaCond)
	visit = func(c *ctaCond) {
		if c == nil {
			return
		}
		if c.kind == condRow && c.diff == d {
			low, high = min(low, slices.Min(c.row[:])), max(high, slices.Max(c.row[:]))
		}
		visit(c.a)
		visit(c.b)
	}
	for _, w := range k.words {
		visit(w.cond)
	}
	return low, high
}

// truth has the bits of a condition in R8; RCX is lost.
func (m *ctaCode) truth(c *ctaCond) {
	p := &program{evex: m.c.evex}
	rows := []*ctaCond{}
	p.result = rowProgram(p, c, &rows)
	p.settle()
	last := lastUses(p)
	for m.c.part = range 32 / m.c.lanes {
		vals := make([]loc, len(p.ops))
		for i := range p.ops {
			o := &p.ops[i]
			switch o.code {
			case cIn:
				if c := rows[o.imm/2]; o.imm%2 == 0 {
					vals[i] = loc{kind: inMem, m: m.rowOfWords(func(i int) uint32 { return uint32(c.row[m.c.part*m.c.lanes+i]) })}
				} else if vals[i] = (loc{kind: inBcast, m: placeOf(c.diff.at)}); !m.c.evex {
					vals[i] = m.c.load(vals[i], tW)
				}
			case cLanes:
				vals[i] = m.c.truthOf(uint32(o.imm))
			default:
				vals[i] = m.c.operation(p, o, vals, 0, false)
				for k, a := range o.args() {
					if last[a] == i && !repeated(o.args()[:k], a) && !(vals[i].owned && same(vals[a], vals[i])) {
						m.c.release(vals[a])
					}
				}
			}
		}
		m.c.collect(m.c.keep(vals[p.result], tW))
		m.c.release(vals[p.result])
	}
}

// rowProgram makes a condition a program; source 2i is a row that is compared, 2i+1 its number.
func rowProgram(p *program, c *ctaCond, rows *[]*ctaCond) val {
	add := func(o operation) val {
		p.ops = append(p.ops, o)
		return val(len(p.ops) - 1)
	}
	switch c.kind {
	case condKnown:
		return add(operation{code: cLanes, typ: tM, imm: uint64(c.lanes)})
	case condRow:
		n := uint64(len(*rows))
		*rows = append(*rows, c)
		a, b := add(operation{code: cIn, typ: tW, imm: 2 * n}), add(operation{code: cIn, typ: tW, imm: 2*n + 1})
		return add(operation{code: cCmp, typ: tM, n: 2, a: a, b: b, imm: c.how})
	case condNot:
		return add(operation{code: cMNot, typ: tM, n: 1, a: rowProgram(p, c.a, rows)})
	}
	a := rowProgram(p, c.a, rows)
	b := rowProgram(p, c.b, rows)
	return add(operation{code: map[ctaCondKind]code{condAnd: cMAnd, condOr: cMOr}[c.kind], typ: tM, n: 2, a: a, b: b})
}

// bits are the lanes of a run in a register that begins with a lane.
func (r *ctaRun) bits(first int) uint32 { return (uint32(1)<<r.n - 1) << (r.lane - first) }

// first is the first lane of the running part.
func (m *ctaCode) first() int { return m.c.part * m.c.lanes }

// under has the part of a mask that begins with a lane in kCTA, of some lanes alone.
func (m *ctaCode) under(x *ctaMask, first int, lanes uint32) x86.K {
	m.c.KM(x86.KMOVW, kCTA, placeOf(x.at).Plus(int32(first/8)))
	if lanes != 1<<m.c.lanes-1 {
		m.c.KM(x86.KMOVW, kRun, m.c.Const32(lanes))
		m.c.KKK(x86.KANDW, kCTA, kCTA, kRun)
	}
	return kCTA
}

// truths is under by AVX2: a temporary.
func (m *ctaCode) truths(x *ctaMask, first int, lanes uint32) x86.Vec {
	v, part := m.c.alloc(), m.c.part
	m.c.VM(x86.VPBROADCASTD, m.c.full(), v, placeOf(x.at))
	m.c.part = first / m.c.lanes
	m.c.expand(v, v, tW)
	m.c.part = part
	if lanes != 1<<m.c.lanes-1 {
		m.c.VVM(x86.VPAND, m.c.full(), v, v, m.laneRow(lanes))
	}
	return v
}

// blendMask replaces the lanes of d that a mask has.
func (m *ctaCode) blendMask(d, s x86.Vec, x *ctaMask) {
	if m.c.evex {
		m.c.Masked(m.under(x, m.first(), 1<<m.c.lanes-1)).VV(x86.VMOVDQA32, m.c.full(), d, s)
		return
	}
	t := m.truths(x, m.first(), 1<<m.c.lanes-1)
	m.c.VVVV(x86.VBLENDVPS, m.c.full(), d, d, s, t)
	m.c.release(temp(t))
}

// loadMasked loads the running part for lanes of a mask; the others are 0.
func (m *ctaCode) loadMasked(n *ctaNode, runs []ctaRun, v x86.Vec) {
	first, w := m.c.part*m.c.lanes, m.c.full()
	for i, r := range runs {
		at := m.memory(n, r, first)
		if m.c.evex {
			op := x86.VMOVUPS
			if r.step == 0 {
				op = x86.VPBROADCASTD
			}
			if k := m.under(n.when, first, r.bits(first)); i == 0 {
				m.c.Zeroed(k).VM(op, w, v, at)
			} else {
				m.c.Masked(k).VM(op, w, v, at)
			}
			continue
		}
		t := m.truths(n.when, first, r.bits(first))
		d := v
		if i > 0 {
			d = m.c.alloc()
		}
		if r.step == 0 {
			m.gatherOne(d, t, at)
		} else {
			m.c.VVM(x86.VPMASKMOVD, w, d, t, at)
		}
		if i > 0 {
			m.c.VVV(x86.VPOR, w, v, v, d)
			m.c.release(temp(d))
		}
		m.c.release(temp(t))
	}
}

// gatherOne loads one element for all lanes of a mask, which is lost (AVX2); the others are 0.
func (m *ctaCode) gatherOne(d, mask x86.Vec, at x86.Mem) {
	index := m.c.alloc()
	m.c.zero(index)
	m.c.zero(d)
	m.c.VMV(x86.VPGATHERDD, m.c.full(), d, x86.AtVec(at.Base, index, 1, at.Disp).By(at.Proof), mask)
	m.c.release(temp(index))
}

// storeMasked stores a run of the running part for lanes of a mask.
func (m *ctaCode) storeMasked(n *ctaNode, r ctaRun, at x86.Mem, v x86.Vec) {
	first := m.first()
	lanes := r.bits(first)
	if m.c.evex {
		m.c.Masked(m.under(n.when, first, lanes)).MV(x86.VMOVUPS, m.c.full(), at, v)
		return
	}
	t := m.truths(n.when, first, lanes)
	m.c.MVV(x86.VPMASKMOVD, m.c.full(), at, t, v)
	m.c.release(temp(t))
}

// countMasks counts what was executed by lanes of masks.
func (m *ctaCode) countMasks() {
	if len(m.k.masks) == 0 {
		return
	}
	m.c.RM(x86.ADD, x86.S64, rSteps, placeOf(m.maskSteps))
	m.c.RM(x86.MOV, x86.S64, x86.RAX, placeOf(m.maskOps))
	m.c.MR(x86.ADD, x86.S64, ctxOps, x86.RAX)
}

// sumMasks sums up what masks make execute, those of the same number together: instructions, and lanes less 32 for each
// of those.
func (m *ctaCode) sumMasks() {
	m.c.Zero(x86.R8)
	for _, each := range m.alike(func(x *ctaMask) int64 { return x.steps }) {
		m.c.Zero(x86.RAX)
		for _, x := range each {
			m.c.MI(x86.CMP, x86.S32, placeOf(x.at), 1)
			m.c.RI(x86.SBB, x86.S64, x86.RAX, -1) // one more if it has a lane
		}
		m.c.RRI(x86.IMUL, x86.S64, x86.RAX, x86.RAX, int32(each[0].steps))
		m.c.RR(x86.ADD, x86.S64, x86.R8, x86.RAX)
	}
	m.c.MR(x86.MOV, x86.S64, placeOf(m.maskSteps), x86.R8)
	m.c.RI(x86.SHL, x86.S64, x86.R8, 5)
	m.c.R(x86.NEG, x86.S64, x86.R8)
	for _, each := range m.alike(func(x *ctaMask) int64 { return x.ops }) {
		m.c.Zero(x86.RAX)
		for _, x := range each {
			m.c.RM(x86.POPCNT, x86.S32, x86.RCX, placeOf(x.at))
			m.c.RR(x86.ADD, x86.S64, x86.RAX, x86.RCX)
		}
		m.c.RRI(x86.IMUL, x86.S64, x86.RAX, x86.RAX, int32(each[0].ops))
		m.c.RR(x86.ADD, x86.S64, x86.R8, x86.RAX)
	}
	m.c.MR(x86.MOV, x86.S64, placeOf(m.maskOps), x86.R8)
}

// alike are masks by a number that is not 0.
func (m *ctaCode) alike(of func(x *ctaMask) int64) (list [][]*ctaMask) {
	for _, x := range m.k.masks {
		if of(x) == 0 {
			continue
		}
		i := slices.IndexFunc(list, func(l []*ctaMask) bool { return of(l[0]) == of(x) })
		if i < 0 {
			i, list = len(list), append(list, nil)
		}
		list[i] = append(list[i], x)
	}
	return list
}
