package jit

// Running a program on the parts of its operands.

import (
	"slices"

	"ptxvm.invalid/ptxvm/internal/jit/x86"
	"ptxvm.invalid/ptxvm/internal/machine/abi"
)

// run assembles a program. Results of 32 and 64 bits go to dst; of truth values the bits of all
// parts are collected in R8.
func (e *emitter) run(p *program, in []source, dst *source, scalar bool, use maskUse) {
	e.wide = false
	last := lastUses(p)
	for i := range p.ops {
		e.wide = e.wide || p.ops[i].typ == tX && last[i] >= 0
	}
	parts := e.parts(scalar)
	for e.part = range parts {
		e.computeOnly(use)
		e.runPart(p, in, dst, last, use)
	}
	e.only = 0
}

// parts sets the lanes of a part and returns how many there are.
func (e *emitter) parts(scalar bool) int {
	e.lanes = e.full().Bytes() / 4
	if e.wide {
		e.lanes /= 2
	}
	if scalar {
		e.lanes = 1
		return 1
	}
	return 32 / e.lanes
}

// lastUses has for each operation the last one that reads it, -1 for those that nobody needs.
func lastUses(p *program) []int {
	last, need := p.ints(len(p.ops)), needed(p)
	for i := range p.ops {
		if last[i] = i; !need[i] {
			last[i] = -1
			continue
		}
		for _, a := range p.ops[i].args() {
			last[a] = i
		}
	}
	last[p.result] = len(p.ops)
	return last
}

// needed has the operations that the result depends on.
func needed(p *program) []bool {
	if p.need != nil {
		return p.need
	}
	need := p.bools(len(p.ops))
	need[p.result] = true
	for i := len(p.ops) - 1; i >= 0; i-- {
		for _, a := range p.ops[i].args() {
			need[a] = need[a] || need[i]
		}
	}
	return need
}

// settle notes what is asked of a program often; its operations stay as they are from now on.
func (p *program) settle() {
	p.need = nil
	p.need = needed(p)
	p.asks = slices.ContainsFunc(p.ops, func(o operation) bool { return o.code == cUnit })
}

func (e *emitter) runPart(p *program, in []source, dst *source, last []int, use maskUse) {
	v, written := e.computePart(p, in, dst, last, use, true)
	if written {
		return
	}
	e.finish(p, v, dst, use)
	e.release(v)
}

// computePart computes the result of a part; written tells that it is where it belongs. If it may spill, values make room where
// registers run out.
func (e *emitter) computePart(p *program, in []source, dst *source, last []int, use maskUse, spill bool) (v loc, written bool) {
	vals, late := make([]loc, len(p.ops)), e.lateSources(p)
	for i := range p.ops {
		o := &p.ops[i]
		if last[i] < 0 {
			continue
		}
		for _, a := range o.args() {
			if late.has(a) {
				late.take(a)
				vals[a] = e.operand(&in[p.ops[a].imm])
			}
		}
		switch o.code {
		case cIn:
			if !late.has(val(i)) {
				vals[i] = e.operand(&in[o.imm])
			}
		case cConst:
			vals[i] = e.constant(o.typ, o.imm)
		case cTable:
			vals[i] = e.tableOf(&p.tables[o.imm])
		default:
			target, direct := x86.Vec(0), false
			if val(i) == p.result && o.typ != tM {
				target, direct = e.direct(o, dst, use)
			}
			if spill && !e.evex {
				e.makeRoom(p, i, vals, last)
			}
			vals[i] = e.operation(p, o, vals, target, direct)
			e.wmask = 0
			for k, a := range o.args() {
				if last[a] == i && !repeated(o.args()[:k], a) && !(vals[i].owned && same(vals[a], vals[i])) {
					e.release(vals[a])
				}
			}
			if direct {
				return loc{}, true
			}
		}
	}
	return vals[p.result], false
}

// makeRoom has values of a program wait in the state until as many registers are free as its operation i takes: those that are
// read last. Truth values stay.
func (e *emitter) makeRoom(p *program, i int, vals []loc, last []int) {
	for o := &p.ops[i]; len(e.free) < e.temps(o, vals); {
		far := none
		for v := range vals[:i] {
			if last[v] > i && (far == none || last[v] > last[far]) && mayWait(p, val(v), vals[:i], last, i) && !repeated(o.args(), val(v)) {
				far = val(v)
			}
		}
		if far == none || int(far) >= spillSlots {
			return
		}
		e.store(e.full(), spillAt(int(far)), vals[far].v)
		e.release(vals[far])
		vals[far] = loc{kind: inMem, m: spillAt(int(far))}
	}
}

// mayWait tells whether a value has a register of its own when operation i is assembled.
func mayWait(p *program, v val, vals []loc, last []int, i int) bool {
	l := &vals[v]
	if !l.owned || l.kind != inVec || p.typ(v) == tM {
		return false
	}
	for k := range vals {
		if val(k) != v && last[k] >= i && vals[k].owned && same(vals[k], *l) {
			return false
		}
	}
	return true
}

// lateSources are the sources of a program that are brought where they are read first, as each may have a register until it is read for the
// last time: by AVX2, which has few.
func (e *emitter) lateSources(p *program) (late valSet) {
	if e.evex || len(p.ops) > valSetSize || p.ops[p.result].code == cIn {
		return 0
	}
	for i := range p.ops {
		if p.ops[i].code == cIn {
			late |= 1 << i
		}
	}
	return late
}

// valSet is a set of a short program's values.
type valSet uint64

const valSetSize = 64

func (s valSet) has(v val) bool { return s>>uint(v)&1 != 0 }
func (s *valSet) take(v val)    { *s &^= 1 << uint(v) }

// oneElement computes a function of elements of 32 bits that are in registers.
func (e *emitter) oneElement(t twin, in ...x86.Vec) loc {
	p := &program{evex: e.evex}
	var vals []val
	var from []source
	for k, v := range in {
		vals = append(vals, p.input(k, tW))
		from = append(from, source{typ: tW, row: int(v)})
	}
	p.result = t(p, vals)
	defer func(part, lanes int, wide, alone bool, only x86.K) {
		e.part, e.lanes, e.wide, e.alone, e.only = part, lanes, wide, alone, only
	}(e.part, e.lanes, e.wide, e.alone, e.only)
	e.part, e.lanes, e.wide, e.alone, e.only = 0, 1, false, true, 0
	v, _ := e.computePart(p, from, &source{typ: tW, row: -1}, lastUses(p), allLanes, false)
	return v
}

func same(a, b loc) bool { return a.kind == b.kind && a.v == b.v && a.k == b.k }

func repeated(list []val, v val) bool {
	for _, w := range list {
		if w == v {
			return true
		}
	}
	return false
}

// direct returns the register of a resident destination if the operation may write there: it is
// one instruction, under the mask if there is one.
func (e *emitter) direct(o *operation, dst *source, use maskUse) (x86.Vec, bool) {
	if e.lanes == 1 || dst.row < 0 || e.wide && dst.typ == tW || o.code == cTern || o.code == cFFma && use != allLanes {
		return 0, false
	}
	if use != allLanes {
		if !e.evex || !maskable(o.code) {
			return 0, false
		}
		e.wmask = e.laneMask(use)
	}
	return x86.Vec(dst.row + e.part), true
}

// finish writes a result that is not where it belongs.
func (e *emitter) finish(p *program, v loc, dst *source, use maskUse) {
	t := p.typ(p.result)
	switch {
	case t == tM:
		e.collect(e.keep(v, tW))
	case e.lanes == 1:
		v = e.keep(v, t)
		if t == tX {
			e.MV(x86.VMOVQ, x86.W128, e.regs(dst.off), v.v)
		} else {
			e.MV(x86.VMOVD, x86.W128, e.regs(dst.off), v.v)
		}
	default:
		e.write(e.keep(v, t), t, dst, use)
	}
}

// keep is load for a result whose register is released by whoever owns the value.
func (e *emitter) keep(v loc, t typ) loc {
	l := e.load(v, t)
	if l.owned && !v.owned {
		e.release(l) // still holds the value until the next allocation
	}
	return l
}

// write puts the part of a result into its row.
func (e *emitter) write(v loc, t typ, dst *source, use maskUse) {
	w := e.width(t)
	m := e.regs(dst.off + uint32(e.part*e.lanes*t.bits()/8))
	held := e.hold(v)
	defer held()
	switch {
	case dst.row < 0:
		if use != allLanes {
			old := e.alloc()
			e.move(w, old, m)
			e.blend(w, t, old, v.v, use)
			e.store(w, m, old)
			e.release(temp(old))
			return
		}
		e.store(w, m, v.v)
	case e.wide && t == tW:
		e.writeHalf(v, dst, use)
	case use != allLanes:
		e.blend(w, t, x86.Vec(dst.row+e.part), v.v, use)
	default:
		e.copy(w, x86.Vec(dst.row+e.part), v.v)
	}
}

// hold keeps a released temporary from being allocated again.
func (e *emitter) hold(v loc) func() {
	for i, f := range e.free {
		if f == v.v {
			e.free[i] = e.free[len(e.free)-1]
			e.free = e.free[:len(e.free)-1]
			return func() { e.free = append(e.free, v.v) }
		}
	}
	return func() {}
}

// blend replaces the lanes of d that the mask has by those of s.
func (e *emitter) blend(w x86.Width, t typ, d, s x86.Vec, use maskUse) {
	if e.evex {
		k := e.laneMask(use)
		op := x86.VMOVDQA32
		if t == tX {
			op = x86.VMOVDQA64
		}
		e.Masked(k).VV(op, w, d, s)
		return
	}
	m := e.laneVector(use, t)
	e.VVVV(x86.VBLENDVPS, w, d, d, s, m.v)
	e.release(m)
}

// writeHalf puts 32-bit elements into their half of a resident register.
func (e *emitter) writeHalf(v loc, dst *source, use maskUse) {
	r := x86.Vec(dst.row + e.part/2)
	s := v.v
	if use != allLanes {
		old := e.half(dst.row)
		if !old.owned {
			t := e.alloc()
			e.copy(e.width(tW), t, old.v)
			old = temp(t)
		}
		e.blend(e.width(tW), tW, old.v, s, use)
		s = old.v
		defer e.release(old)
	}
	if e.evex {
		e.VVVI(x86.VINSERTI64X4, x86.W512, r, r, s, uint8(e.part%2))
	} else {
		e.VVVI(x86.VINSERTI128, x86.W256, r, r, s, uint8(e.part%2))
	}
}

// collect adds the part's truth values to the bits in R8. The result of a scalar program is all
// ones or zero.
func (e *emitter) collect(v loc) {
	to := x86.RCX
	if e.part == 0 {
		to = x86.R8
	}
	switch {
	case v.kind == inK && e.lanes == 16: // what a mask has above its lanes is not copied
		e.RK(x86.KMOVW, to, v.k)
	case v.kind == inK:
		e.RK(x86.KMOVB, to, v.k)
	case v.elem == tX && e.lanes != 1:
		e.RV(x86.VMOVMSKPD, e.full(), to, v.v)
	default:
		e.RV(x86.VMOVMSKPS, e.width(tW), to, v.v)
	}
	if e.lanes == 1 {
		e.RI(x86.AND, x86.S32, to, 1)
		e.R(x86.NEG, x86.S32, to)
		return
	}
	if e.part > 0 {
		e.RI(x86.SHL, x86.S32, to, int32(e.part*e.lanes))
		e.RR(x86.OR, x86.S32, x86.R8, to)
	}
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
	case cCanon, cFCmp, cCmp, cSel, cTern, cH2F, cF2H, cFix, cPAdd, cPSub, cPMul, cPFma, cPCanon:
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

// spillSlots are the places for values of a program.
const spillSlots = abi.Spills

func spillAt(k int) x86.Mem { return x86.At(rCtx, saveSpill+int32(64*k)) }
