package jit

// One vector operation as amd64 instructions.

import "ptxvm.invalid/ptxvm/internal/jit/x86"

// vop is an instruction of two sources for 32- and 64-bit elements; 0 where there is none.
type vop struct {
	evex, avx2 [2]x86.Op // by typ
	commutes   bool
	rounds     bool
}

// has tells whether there is such an instruction.
func (v *vop) has() bool { return v.evex != [2]x86.Op{} }

var vops = [numCodes]vop{
	cAdd:   {[2]x86.Op{x86.VPADDD, x86.VPADDQ}, [2]x86.Op{x86.VPADDD, x86.VPADDQ}, true, false},
	cSub:   {[2]x86.Op{x86.VPSUBD, x86.VPSUBQ}, [2]x86.Op{x86.VPSUBD, x86.VPSUBQ}, false, false},
	cMul:   {[2]x86.Op{x86.VPMULLD, x86.VPMULLQ}, [2]x86.Op{x86.VPMULLD}, true, false},
	cAnd:   {[2]x86.Op{x86.VPANDD, x86.VPANDQ}, [2]x86.Op{x86.VPAND, x86.VPAND}, true, false},
	cOr:    {[2]x86.Op{x86.VPORD, x86.VPORQ}, [2]x86.Op{x86.VPOR, x86.VPOR}, true, false},
	cXor:   {[2]x86.Op{x86.VPXORD, x86.VPXORQ}, [2]x86.Op{x86.VPXOR, x86.VPXOR}, true, false},
	cAndn:  {[2]x86.Op{x86.VPANDND, x86.VPANDNQ}, [2]x86.Op{x86.VPANDN, x86.VPANDN}, false, false},
	cMinS:  {[2]x86.Op{x86.VPMINSD, x86.VPMINSQ}, [2]x86.Op{x86.VPMINSD}, true, false},
	cMaxS:  {[2]x86.Op{x86.VPMAXSD, x86.VPMAXSQ}, [2]x86.Op{x86.VPMAXSD}, true, false},
	cMinU:  {[2]x86.Op{x86.VPMINUD, x86.VPMINUQ}, [2]x86.Op{x86.VPMINUD}, true, false},
	cMaxU:  {[2]x86.Op{x86.VPMAXUD, x86.VPMAXUQ}, [2]x86.Op{x86.VPMAXUD}, true, false},
	cShl:   {[2]x86.Op{x86.VPSLLVD, x86.VPSLLVQ}, [2]x86.Op{x86.VPSLLVD, x86.VPSLLVQ}, false, false},
	cShr:   {[2]x86.Op{x86.VPSRLVD, x86.VPSRLVQ}, [2]x86.Op{x86.VPSRLVD, x86.VPSRLVQ}, false, false},
	cSar:   {[2]x86.Op{x86.VPSRAVD, x86.VPSRAVQ}, [2]x86.Op{x86.VPSRAVD}, false, false},
	cMulLU: {[2]x86.Op{0, x86.VPMULUDQ}, [2]x86.Op{0, x86.VPMULUDQ}, true, false},
	cMulLS: {[2]x86.Op{0, x86.VPMULDQ}, [2]x86.Op{0, x86.VPMULDQ}, true, false},
	cFAdd:  {[2]x86.Op{x86.VADDPS, x86.VADDPD}, [2]x86.Op{x86.VADDPS, x86.VADDPD}, true, true},
	cFSub:  {[2]x86.Op{x86.VSUBPS, x86.VSUBPD}, [2]x86.Op{x86.VSUBPS, x86.VSUBPD}, false, true},
	cFMul:  {[2]x86.Op{x86.VMULPS, x86.VMULPD}, [2]x86.Op{x86.VMULPS, x86.VMULPD}, true, true},
	cFDiv:  {[2]x86.Op{x86.VDIVPS, x86.VDIVPD}, [2]x86.Op{x86.VDIVPS, x86.VDIVPD}, false, true},
	cPick:  {[2]x86.Op{x86.VPSHUFB}, [2]x86.Op{x86.VPSHUFB}, false, false},
	cPAdd:  {[2]x86.Op{0, x86.VADDPS}, [2]x86.Op{0, x86.VADDPS}, false, false},
	cPSub:  {[2]x86.Op{0, x86.VSUBPS}, [2]x86.Op{0, x86.VSUBPS}, false, false},
	cPMul:  {[2]x86.Op{0, x86.VMULPS}, [2]x86.Op{0, x86.VMULPS}, false, false},
	cFMin:  {[2]x86.Op{x86.VMINPS, x86.VMINPD}, [2]x86.Op{x86.VMINPS, x86.VMINPD}, false, false},
	cFMax:  {[2]x86.Op{x86.VMAXPS, x86.VMAXPD}, [2]x86.Op{x86.VMAXPS, x86.VMAXPD}, false, false},
}

// unary is an instruction of one source; 0 where there is none.
type unary struct{ evex, avx2 [2]x86.Op }

func (u *unary) has() bool { return u.evex != [2]x86.Op{} }

// uops are the instructions of one source; those with imm take the operation's.
var uops = [numCodes]unary{
	cShlI:  {[2]x86.Op{x86.VPSLLD, x86.VPSLLQ}, [2]x86.Op{x86.VPSLLD, x86.VPSLLQ}},
	cShrI:  {[2]x86.Op{x86.VPSRLD, x86.VPSRLQ}, [2]x86.Op{x86.VPSRLD, x86.VPSRLQ}},
	cSarI:  {[2]x86.Op{x86.VPSRAD, x86.VPSRAQ}, [2]x86.Op{x86.VPSRAD}},
	cRotI:  {[2]x86.Op{x86.VPROLD, x86.VPROLQ}, [2]x86.Op{}},
	cPopc:  {[2]x86.Op{x86.VPOPCNTD, x86.VPOPCNTQ}, [2]x86.Op{}},
	cClz:   {[2]x86.Op{x86.VPLZCNTD, x86.VPLZCNTQ}, [2]x86.Op{}},
	cI2F:   {[2]x86.Op{x86.VCVTDQ2PS, x86.VCVTDQ2PD}, [2]x86.Op{x86.VCVTDQ2PS, x86.VCVTDQ2PD}},
	cU2F:   {[2]x86.Op{x86.VCVTUDQ2PS}, [2]x86.Op{}},
	cF2D:   {[2]x86.Op{0, x86.VCVTPS2PD}, [2]x86.Op{0, x86.VCVTPS2PD}},
	cF2I:   {[2]x86.Op{x86.VCVTTPS2DQ}, [2]x86.Op{x86.VCVTTPS2DQ}},
	cFInt:  {[2]x86.Op{x86.VRNDSCALEPS, x86.VRNDSCALEPD}, [2]x86.Op{x86.VROUNDPS, x86.VROUNDPD}},
	cZext:  {[2]x86.Op{0, x86.VPMOVZXDQ}, [2]x86.Op{0, x86.VPMOVZXDQ}},
	cSext:  {[2]x86.Op{0, x86.VPMOVSXDQ}, [2]x86.Op{0, x86.VPMOVSXDQ}},
	cFSqrt: {[2]x86.Op{x86.VSQRTPS, x86.VSQRTPD}, [2]x86.Op{x86.VSQRTPS, x86.VSQRTPD}},
}

// supports tells whether the machine has an operation.
func supports(evex bool, o *operation) bool {
	t := int(o.typ)
	if v := &vops[o.code]; v.has() {
		return o.typ != tM && (evex && v.evex[t] != 0 || !evex && v.avx2[t] != 0)
	}
	if u := &uops[o.code]; u.has() && (evex || o.code != cPopc) {
		return o.typ != tM && (evex && u.evex[t] != 0 || !evex && u.avx2[t] != 0)
	}
	switch o.code {
	case cTern, cFix, cClass:
		return evex
	}
	return true
}

// told tells whether an operation rounds, and otherwise than to nearest: with AVX-512 its instruction says so.
func (o *operation) told() bool {
	switch o.code {
	case cFAdd, cFSub, cFMul, cFDiv, cFFma, cFSqrt, cI2F, cU2F, cD2F:
		return o.imm != roundNear
	}
	return false
}

// The control register of floats: nothing traps, nothing is flushed, and where the rounding is.
const (
	mxcsrUsual    = 0x1f80
	mxcsrRounding = 13
)

// steer has the instructions behind it round as an operation says, where they do not themselves.
func (e *emitter) steer(o *operation) {
	if o.told() && !e.evex {
		e.M(x86.LDMXCSR, x86.S64, e.Const32(mxcsrUsual|uint32(o.imm)<<mxcsrRounding))
	}
}

// unsteer is behind the instruction.
func (e *emitter) unsteer(o *operation) {
	if o.told() && !e.evex {
		e.M(x86.LDMXCSR, x86.S64, e.Const32(mxcsrUsual))
	}
}

// maskable tells whether an operation is one instruction that can write under a mask.
func maskable(c code) bool {
	return vops[c].has() && c != cPick || uops[c].has() && c != cPopc
}

// opFor is the instruction of an operation of two sources.
func (e *emitter) opFor(c code, t typ) x86.Op {
	if e.evex {
		return vops[c].evex[t]
	}
	return vops[c].avx2[t]
}

func (e *emitter) opOf(ops [2][2]x86.Op, t typ) x86.Op {
	if e.evex {
		return ops[0][t]
	}
	return ops[1][t]
}

// operation assembles one operation, to target or to a temporary.
func (e *emitter) operation(p *program, o *operation, vals []loc, target x86.Vec, direct bool) loc {
	d := func() x86.Vec {
		if direct {
			return target
		}
		return e.alloc()
	}
	arg := func(k int) loc { return vals[o.args()[k]] }
	if v := &vops[o.code]; v.has() {
		return e.two(v, o, arg(0), arg(1), p.typ(o.a), d)
	}
	if u := &uops[o.code]; u.has() && (e.evex || o.code != cPopc) {
		return e.one(e.opOf([2][2]x86.Op{u.evex, u.avx2}, o.typ), o, arg(0), p.typ(o.a), d)
	}
	switch o.code {
	case cMulHiU, cMulHiS:
		return e.mulHigh(p, o, arg(0), arg(1), d)
	case cTern:
		return e.ternary(o, arg(0), arg(1), arg(2), target, direct)
	case cBytes:
		return e.bytes(o, arg(0), d)
	case cTrunc:
		return e.truncate(arg(0), d)
	case cD2F:
		return e.halved(x86.VCVTPD2PS, o, arg(0), d)
	case cD2I:
		return e.halved(x86.VCVTTPD2DQ, o, arg(0), d)
	case cH2F:
		return e.fromHalf(arg(0), d)
	case cF2H:
		return e.toHalf(o, arg(0), d)
	case cCmp, cFCmp:
		return e.compare(o, arg(0), arg(1), p.typ(o.a))
	case cSel:
		return e.selects(p, o, arg(0), arg(1), arg(2), d)
	case cMAnd, cMOr, cMXor:
		return e.maskTwo(o, arg(0), arg(1), d)
	case cMNot:
		return e.maskNot(arg(0))
	case cFFma:
		return e.fma(o, arg(0), arg(1), arg(2), target, direct)
	case cCanon:
		return e.canon(arg(0), d)
	case cPFma:
		return e.fma(o, arg(0), arg(1), arg(2), target, direct)
	case cPCanon:
		return e.canonPair(arg(0), d)
	case cUnit:
		return e.unit(o, arg(0))
	case cFix:
		return e.fix(o, arg(0), arg(1), target, direct)
	case cClass:
		return e.class(o, arg(0))
	case cDivide:
		return e.into(e.divide(o.imm, arg(0), arg(1)), target, direct)
	case cPopc:
		return e.into(e.popcount(o.typ, arg(0)), target, direct)
	case cWord:
		return e.into(e.everyLane(wordRegs[o.imm]), target, direct)
	case cPerm:
		if t := &p.ops[o.a]; t.code == cTable {
			return e.permuteBy(&p.tables[t.imm], arg(1), d)
		}
		return e.into(e.permute(arg(0), arg(1)), target, direct)
	case cMatch:
		return e.into(e.match(arg(0)), target, direct)
	}
	e.short = true
	return loc{}
}

// done makes the result's location.
func done(v x86.Vec) loc { return temp(v) }

// deco gives the next instruction the write mask.
func (e *emitter) deco(round uint64) {
	if e.wmask != 0 {
		e.Masked(e.wmask)
	}
	if round != roundNear && e.evex {
		e.Round(x86.RN + x86.Rounding(round))
	}
}

// decoRounding is deco for an operation of floats. The lanes that do not run hold whatever somebody left there, and a
// subnormal number costs the processor some 150 cycles: they are not computed.
func (e *emitter) decoRounding(o *operation) {
	if e.only != 0 && e.wmask == 0 {
		e.Zeroed(e.only)
	}
	e.deco(o.imm)
}

// computeOnly has the next operations of floats compute for the lanes that run alone, where that is free.
func (e *emitter) computeOnly(use maskUse) {
	e.only = 0
	if e.evex && use == runLanes && !e.wide && e.lanes == 16 {
		e.only = e.laneMask(use)
	}
}

// vvx assembles op d, a, b with b in a register or in memory.
func (e *emitter) vvx(op x86.Op, w x86.Width, d, a x86.Vec, b loc) {
	switch b.kind {
	case inVec:
		e.VVV(op, w, d, a, b.v)
	case inBcast:
		e.VVM(op, w, d, a, b.m.Bcast())
	default:
		e.VVM(op, w, d, a, b.m)
	}
}

func (e *emitter) two(v *vop, o *operation, a, b loc, t typ, dst func() x86.Vec) loc {
	w := e.width(t)
	if v.commutes && a.kind != inVec && b.kind == inVec && !(v.rounds && t == tX) { // of two NaNs of f64 the first stays
		a, b = b, a
	}
	x := e.load(a, t)
	y := b
	if o.code >= cPAdd && o.code <= cPMul && b.kind == inBcast { // an element of a pair would be broadcast
		y = e.load(b, t)
	}
	if o.told() && e.evex {
		y, w = e.load(b, t), x86.W512 // roundings are for whole registers
	}
	d := dst()
	e.steer(o)
	if v.rounds {
		e.decoRounding(o)
	} else {
		e.deco(roundNear)
	}
	e.vvx(e.opFor(o.code, o.typ), w, d, x.v, y)
	e.unsteer(o)
	e.unload(x, a)
	e.unload(y, b)
	return done(d)
}

// unload gives back what load took.
func (e *emitter) unload(loaded, from loc) {
	if loaded.owned && from.kind != inVec {
		e.release(loaded)
	}
}

func (e *emitter) one(op x86.Op, o *operation, a loc, t typ, dst func() x86.Vec) loc {
	x, rounded := a, o.told() && e.evex
	if a.kind == inBcast || a.kind == inMem && !e.evex || rounded {
		x = e.load(a, t)
	}
	w := e.width(o.typ)
	d := dst()
	e.steer(o)
	if o.code == cFSqrt || rounded {
		e.decoRounding(o)
	} else {
		e.deco(roundNear)
	}
	imm := uint8(o.imm)
	switch {
	case o.code == cFInt:
		imm |= 8
		fallthrough
	case o.code == cShlI || o.code == cShrI || o.code == cSarI || o.code == cRotI:
		if x.kind == inVec {
			e.VVI(op, w, d, x.v, imm)
		} else {
			e.VMI(op, w, d, x.m, imm)
		}
	case rounded:
		e.VV(op, x86.W512, d, x.v)
	case x.kind == inVec:
		e.VV(op, w, d, x.v)
	default:
		e.VM(op, w, d, x.m)
	}
	e.unsteer(o)
	e.unload(x, a)
	return done(d)
}

// mulHigh: products of the even elements, then of the odd ones; their upper halves interleaved.
func (e *emitter) mulHigh(p *program, o *operation, a, b loc, dst func() x86.Vec) loc {
	op := x86.VPMULUDQ
	if o.code == cMulHiS {
		op = x86.VPMULDQ
	}
	w := e.width(tW)
	x, y := e.load(a, tW), e.load(b, tW)
	even, odd := e.alloc(), e.alloc()
	e.VVI(x86.VPSRLQ, w, even, x.v, 32)
	if p.ops[o.b].code == cConst { // its odd elements are the even ones
		e.VVV(op, w, odd, even, y.v)
	} else {
		e.VVI(x86.VPSRLQ, w, odd, y.v, 32)
		e.VVV(op, w, odd, even, odd)
	}
	e.VVV(op, w, even, x.v, y.v)
	e.unload(x, a)
	e.unload(y, b)
	d := dst()
	if e.evex {
		n := w.Bytes() / 4
		e.move(w, d, e.constRow(tW, func(i int) uint64 { return uint64((i%n | 1) + i%2*n) }))
		e.VVV(x86.VPERMI2D, w, d, even, odd)
	} else {
		e.VVI(x86.VPSRLQ, w, even, even, 32)
		e.VVVI(x86.VPBLENDD, w, d, even, odd, 0xaa)
	}
	e.release(temp(even))
	e.release(temp(odd))
	return done(d)
}

// ternary: d = table(d, b, c). The target may be any of the sources: the table turns with them.
func (e *emitter) ternary(o *operation, a, b, c loc, target x86.Vec, direct bool) loc {
	w, lut := e.width(o.typ), uint8(o.imm)
	op := x86.VPTERNLOGD
	if o.typ == tX {
		op = x86.VPTERNLOGQ
	}
	is := func(l loc) bool { return direct && l.kind == inVec && l.v == target }
	switch {
	case is(b) && !is(a):
		a, b, lut = b, a, turned(lut, 1)
	case is(c) && !is(a):
		a, c, lut = c, a, turned(lut, 0)
	}
	if b.kind != inVec && c.kind == inVec {
		b, c, lut = c, b, exchanged(lut)
	}
	y := e.load(b, o.typ)
	d := target
	if !direct || !is(a) && (is(y) || is(c)) {
		d = e.alloc()
	}
	switch a.kind {
	case inVec:
		e.copy(w, d, a.v)
	case inBcast:
		e.broadcast(w, o.typ, d, a.m)
	default:
		e.move(w, d, a.m)
	}
	switch c.kind {
	case inVec:
		e.VVVI(op, w, d, y.v, c.v, lut)
	case inBcast:
		e.VVMI(op, w, d, y.v, c.m.Bcast(), lut)
	default:
		e.VVMI(op, w, d, y.v, c.m, lut)
	}
	e.unload(y, b)
	return done(d)
}

// truth tables of the three inputs of vpternlog.
var leafTables = [3]uint8{0xf0, 0xcc, 0xaa}

// combine3 applies a truth table of three inputs to truth tables.
func combine3(lut uint8, t [3]uint8) (out uint8) {
	for bit := range 8 {
		n := t[0]>>bit&1<<2 | t[1]>>bit&1<<1 | t[2]>>bit&1
		out |= lut >> n & 1 << bit
	}
	return out
}

// turned is a truth table with its first input (bit 2 of the index) and input k (bit k) exchanged,
// exchanged the one with its second and third.
func turned(lut uint8, k int) uint8 {
	t := leafTables
	t[0], t[2-k] = t[2-k], t[0]
	return combine3(lut, t)
}

func exchanged(lut uint8) uint8 {
	return combine3(lut, [3]uint8{leafTables[0], leafTables[2], leafTables[1]})
}

// bytes shuffles within each element.
func (e *emitter) bytes(o *operation, a loc, dst func() x86.Vec) loc {
	control := e.constRow(tW, func(i int) (v uint64) {
		for k := range uint(4) {
			from := o.imm >> (8 * k) & 0xff
			if from&0x80 == 0 {
				from += uint64(i % 4 * 4)
			}
			v |= from << (8 * k)
		}
		return v
	})
	x := e.load(a, tW)
	d := dst()
	e.VVM(x86.VPSHUFB, e.width(tW), d, x.v, control)
	e.unload(x, a)
	return done(d)
}

func (e *emitter) truncate(a loc, dst func() x86.Vec) loc {
	if e.lanes == 1 {
		x := e.load(a, tX)
		d := dst()
		e.copy(x86.W128, d, x.v)
		e.unload(x, a)
		return done(d)
	}
	if e.evex {
		x := e.load(a, tX)
		d := dst()
		e.VV(x86.VPMOVQD, e.full(), d, x.v)
		e.unload(x, a)
		return done(d)
	}
	d := e.alloc()
	e.move(e.full(), d, e.constRow(tW, func(i int) uint64 { return uint64(2 * i & 7) }))
	e.vvx(x86.VPERMD, e.full(), d, d, a)
	return done(d)
}

// Predicates of vcmpps by fcmp*: quiet, false (or true, with the last four) for NaNs.
var fcmpImm = [...]uint8{fcmpEQ: 0, fcmpLT: 0x11, fcmpLE: 0x12, fcmpORD: 7, fcmpUNORD: 3, fcmpNLT: 0x15, fcmpNLE: 0x16, fcmpNEQ: 4, fcmpNEQO: 0x0c, fcmpEQU: 8}

// icmp are the instruction and predicate of integer comparisons by cmp*.
var icmp = [...]struct {
	op  [2]x86.Op
	imm uint8
}{
	cmpEQ: {[2]x86.Op{x86.VPCMPUD, x86.VPCMPUQ}, 0}, cmpNE: {[2]x86.Op{x86.VPCMPUD, x86.VPCMPUQ}, 4},
	cmpLTS: {[2]x86.Op{x86.VPCMPD, x86.VPCMPQ}, 1}, cmpLES: {[2]x86.Op{x86.VPCMPD, x86.VPCMPQ}, 2},
	cmpLTU: {[2]x86.Op{x86.VPCMPUD, x86.VPCMPUQ}, 1}, cmpLEU: {[2]x86.Op{x86.VPCMPUD, x86.VPCMPUQ}, 2},
}

func (e *emitter) compare(o *operation, a, b loc, t typ) loc {
	w := e.width(t)
	if !e.evex {
		return e.compareVector(o, a, b, t)
	}
	op, imm := icmp[o.imm%6].op[t], icmp[o.imm%6].imm
	if o.code == cFCmp {
		op, imm = [2]x86.Op{x86.VCMPPSK, x86.VCMPPDK}[t], fcmpImm[o.imm]
	}
	x := e.load(a, t)
	k := e.allocK()
	switch b.kind {
	case inVec:
		e.KVVI(op, w, k, x.v, b.v, imm)
	case inBcast:
		e.KVMI(op, w, k, x.v, b.m.Bcast(), imm)
	default:
		e.KVMI(op, w, k, x.v, b.m, imm)
	}
	e.unload(x, a)
	return loc{kind: inK, k: k, owned: true}
}

func (e *emitter) compareVector(o *operation, a, b loc, t typ) loc {
	w := e.width(t)
	if o.code == cCmp && o.imm == cmpLTS {
		a, b = b, a
	}
	x := e.load(a, t)
	d := e.alloc()
	switch {
	case o.code == cFCmp && b.kind == inVec:
		e.VVVI([2]x86.Op{x86.VCMPPS, x86.VCMPPD}[t], w, d, x.v, b.v, fcmpImm[o.imm])
	case o.code == cFCmp:
		e.VVMI([2]x86.Op{x86.VCMPPS, x86.VCMPPD}[t], w, d, x.v, b.m, fcmpImm[o.imm])
	case o.imm == cmpEQ:
		e.vvx([2]x86.Op{x86.VPCMPEQD, x86.VPCMPEQQ}[t], w, d, x.v, b)
	default:
		e.vvx([2]x86.Op{x86.VPCMPGTD, x86.VPCMPGTQ}[t], w, d, x.v, b)
	}
	e.unload(x, a)
	return loc{kind: inVec, v: d, owned: true, elem: t}
}

func (e *emitter) selects(p *program, o *operation, m, a, b loc, dst func() x86.Vec) loc {
	if op, other, ok := e.keepsOrZero(p, o); ok {
		return e.keeps(op, o.typ, m, [2]loc{a, b}[other], dst)
	}
	w := e.width(o.typ)
	y := e.load(b, o.typ)
	if e.evex {
		op := x86.VPBLENDMD
		if o.typ == tX {
			op = x86.VPBLENDMQ
		}
		d := dst()
		e.Masked(m.k)
		e.vvx(op, w, d, y.v, a)
		e.unload(y, b)
		return done(d)
	}
	e.alike(m, o.typ)
	x, by := e.load(a, o.typ), e.load(m, tW)
	d := dst()
	e.VVVV(x86.VBLENDVPS, w, d, y.v, x.v, by.v)
	e.unload(by, m)
	e.unload(x, a)
	e.unload(y, b)
	return done(d)
}

// alike asks for fewer lanes where a mask, of which both halves are all ones or zero, is for elements of another size.
func (e *emitter) alike(m loc, t typ) {
	if m.elem != t && e.lanes != 1 {
		e.short = true
	}
}

// keepsOrZero tells whether a selection has zero on one side, so that it is the other (of the two) and its mask, or the
// other where the mask is not: a blend by a vector is three operations on many processors.
func (e *emitter) keepsOrZero(p *program, o *operation) (op x86.Op, other int, ok bool) {
	if e.evex {
		return 0, 0, false
	}
	if v, known := p.known(o.c); known && v == 0 {
		return x86.VPAND, 0, true
	}
	v, known := p.known(o.b)
	return x86.VPANDN, 1, known && v == 0
}

// keeps is a value where a mask is, or is not, and zero elsewhere.
func (e *emitter) keeps(op x86.Op, t typ, m, a loc, dst func() x86.Vec) loc {
	e.alike(m, t)
	by := e.load(m, tW)
	d := dst()
	e.vvx(op, e.width(t), d, by.v, a)
	e.unload(by, m)
	return done(d)
}

func (e *emitter) maskTwo(o *operation, a, b loc, dst func() x86.Vec) loc {
	if e.evex {
		k := e.allocK()
		e.KKK(map[code]x86.Op{cMAnd: x86.KANDD, cMOr: x86.KORD, cMXor: x86.KXORD}[o.code], k, a.k, b.k)
		return loc{kind: inK, k: k, owned: true}
	}
	if a.kind != inVec {
		a, b = b, a
	}
	x := e.load(a, tW)
	d := dst()
	e.vvx(map[code]x86.Op{cMAnd: x86.VPAND, cMOr: x86.VPOR, cMXor: x86.VPXOR}[o.code], e.full(), d, x.v, b)
	e.unload(x, a)
	return loc{kind: inVec, v: d, owned: true, elem: max(a.elem, b.elem)}
}

func (e *emitter) maskNot(a loc) loc {
	if e.evex {
		k := e.allocK()
		e.KK(x86.KNOTD, k, a.k)
		return loc{kind: inK, k: k, owned: true}
	}
	x := e.load(a, tW)
	d := e.alloc()
	e.VVM(x86.VPXOR, e.full(), d, x.v, e.constRow(tW, func(int) uint64 { return 0xffffffff }))
	e.unload(x, a)
	return loc{kind: inVec, v: d, owned: true, elem: a.elem}
}

// fma: d = a·b + c in one of the forms that overwrite a source.
func (e *emitter) fma(o *operation, a, b, c loc, target x86.Vec, direct bool) loc {
	w := e.width(o.typ)
	op213, op231 := x86.VFMADD213PS, x86.VFMADD231PS
	if o.typ == tX && o.code != cPFma {
		op213, op231 = x86.VFMADD213PD, x86.VFMADD231PD
	}
	is := func(l loc) bool { return direct && l.kind == inVec && l.v == target }
	if is(b) || a.kind != inVec && b.kind == inVec {
		a, b = b, a
	}
	rounded := o.told() && e.evex
	if rounded {
		w = x86.W512
	}
	inRegs := rounded || o.code == cPFma // an element of a pair would be broadcast
	if is(a) && !is(b) && !is(c) {
		y := e.load(b, o.typ)
		z := c
		if inRegs {
			z = e.load(c, o.typ)
		}
		e.steer(o)
		e.decoRounding(o)
		e.vvx(op213, w, target, y.v, z)
		e.unsteer(o)
		e.unload(y, b)
		if inRegs {
			e.unload(z, c)
		}
		return done(target)
	}
	d := target
	if !direct || is(a) || is(b) {
		d = e.alloc()
	}
	switch {
	case c.kind == inVec:
		e.copy(e.width(o.typ), d, c.v)
	case c.kind == inBcast:
		e.broadcast(e.width(o.typ), o.typ, d, c.m)
	default:
		e.move(e.width(o.typ), d, c.m)
	}
	x := e.load(a, o.typ)
	y := b
	if inRegs {
		y = e.load(b, o.typ)
	}
	e.steer(o)
	e.decoRounding(o)
	e.vvx(op231, w, d, x.v, y)
	e.unsteer(o)
	e.unload(x, a)
	if inRegs {
		e.unload(y, b)
	}
	if direct && d != target {
		e.copy(e.width(o.typ), target, d)
		e.release(temp(d))
		d = target
	}
	return done(d)
}

// canon replaces NaNs by the canonical one.
func (e *emitter) canon(a loc, dst func() x86.Vec) loc {
	w := e.width(tW)
	x := e.load(a, tW)
	if e.evex {
		k := e.allocK()
		e.KVVI(x86.VCMPPSK, w, k, x.v, x.v, 3)
		d := dst()
		e.Masked(k)
		e.vvx(x86.VPBLENDMD, w, d, x.v, e.constant(tW, nanF32))
		e.release(loc{kind: inK, k: k, owned: true})
		e.unload(x, a)
		return done(d)
	}
	t := e.alloc()
	e.VVVI(x86.VCMPPS, w, t, x.v, x.v, 3)
	d := dst()
	nan := e.constant(tW, nanF32)
	if nan.kind == inVec {
		e.VVVV(x86.VBLENDVPS, w, d, x.v, nan.v, t)
	} else {
		e.VVMV(x86.VBLENDVPS, w, d, x.v, nan.m, t)
	}
	e.release(temp(t))
	e.unload(x, a)
	return done(d)
}
