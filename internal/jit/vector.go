package jit

import (
	"math/bits"
	"slices"
)

// Vector operations: what compiled code is made of, whatever machine it is for. A program
// computes one lane function; every operation works on one element of each lane, so a program
// says what happens to a lane and a back end runs it on as many lanes as its registers hold.

// typ is what a value holds for each lane.
type typ uint8

const (
	tW typ = iota // 32 bits
	tX            // 64 bits
	tM            // a truth value
)

func (t typ) bits() int { return [...]int{tW: 32, tX: 64, tM: 1}[t] }

// val is a value of a program: the index of the operation that makes it.
type val uint32

// code is what an operation does.
type code uint8

const (
	cIn    code = iota // source operand imm
	cConst             // imm in every lane
	cAdd
	cSub
	cMul // low half of the product
	cAnd
	cOr
	cXor
	cAndn // ^a & b
	cMinS
	cMaxS
	cMinU
	cMaxU
	cShl // counts from the width on shift everything out, as x86 and PTX have it
	cShr
	cSar
	cShlI // by imm, below the width
	cShrI
	cSarI
	cRotI
	cTern   // bit a<<2|b<<1|c of imm
	cMulHiU // 32 bits
	cMulHiS
	cMulLU // 64 bits from the low 32 of each
	cMulLS
	cPopc
	cClz
	cBytes  // byte k of the result is byte imm>>8k&3 of a, 0 if bit 7 there is set; 32 bits
	cPick   // byte k of the result is byte b[k] of the 16 around a
	cDivide // 64 bits, as imm says
	cZext   // 32 to 64
	cSext
	cTrunc // 64 to 32
	cCmp   // a (imm) b
	cSel   // a ? b : c
	cMAnd
	cMOr
	cMXor
	cMNot
	cFAdd // floats, rounded as imm says, NaNs as the machine makes them
	cFSub
	cFMul
	cFFma
	cFDiv
	cFSqrt
	cFMin  // a < b ? a : b
	cFMax  // a > b ? a : b
	cFCmp  // a (imm) b
	cCanon // the canonical NaN for every NaN
	cPAdd  // pairs of f32 in 64 bits, round to nearest
	cPSub
	cPMul
	cPFma
	cPCanon
	cI2F // signed 32 bits to f32, rounded as imm says, or f64 (by the type of the result)
	cU2F
	cF2I   // truncated to a signed 32-bit integer; outside: 0x80000000
	cFInt  // rounded to an integral value as imm says
	cF2D   // f32 to f64
	cD2F   // f64 to f32, rounded as imm says
	cD2I   // f64 as cF2I
	cH2F   // f16 in the low bits to f32
	cF2H   // f32 to f16 in the low bits, rounded as imm says; above them 0
	cUnit  // function imm of the special function unit (num.Unit), as twins_approx.go says
	cFix   // a, or what imm says for the class of b (AVX-512)
	cClass // a is of a class of imm (AVX-512)
	// Across lanes; tW.
	cTable // lane i has tables[imm][i]
	cWord  // a general register (wordActive, wordPred) in every lane
	cPerm  // source operand b at lane a
	cMatch // bit j: source operand a has this lane's value in lane j
	numCodes
)

// Comparisons of integers: imm of cCmp.
const (
	cmpEQ = iota
	cmpNE
	cmpLTS
	cmpLES
	cmpLTU
	cmpLEU
)

// Comparisons of floats: imm of cFCmp. Those with N, and EQU, hold for NaNs, too.
const (
	fcmpEQ = iota
	fcmpLT
	fcmpLE
	fcmpORD
	fcmpUNORD
	fcmpNLT
	fcmpNLE
	fcmpNEQ
	fcmpNEQO // ordered and not equal
	fcmpEQU  // equal or not ordered
)

// Roundings: imm of the operations on floats.
const (
	roundNear = iota
	roundDown
	roundUp
	roundZero
)

// operation is one step of a program.
type operation struct {
	code    code
	typ     typ // of the result
	n       uint8
	a, b, c val
	imm     uint64
}

// args returns the sources.
func (o *operation) args() []val { return []val{o.a, o.b, o.c}[:o.n] }

// program is a lane function as vector operations.
type program struct {
	ops    []operation
	result val
	tables [][32]uint32
	// evex tells that the machine has AVX-512: three-input logic, rotations, all comparisons, and
	// 64-bit elements everywhere. Without it the builder takes other operations.
	evex bool

	index map[operation]val // of a program that has become long

	mem *scratch // nil: it outlives the compilation

	need []bool // of a program that is settled: needed; it is never written again, and several instructions may have it
	asks bool   // the same: it asks the special function unit
}

// bools is a list of n for a short time.
func (p *program) bools(n int) []bool {
	if p.mem == nil {
		return make([]bool, n)
	}
	return p.mem.bools.take(n)
}

// ints is the same of numbers.
func (p *program) ints(n int) []int {
	if p.mem == nil {
		return make([]int, n)
	}
	return p.mem.ints.take(n)
}

// add returns the value of an operation, which is computed once.
func (p *program) add(o operation) val {
	if v, ok := p.find(o); ok {
		return v
	}
	v := val(len(p.ops))
	p.ops = append(p.ops, o)
	if p.index != nil {
		p.index[o] = v
	}
	return v
}

// shortProgram is up to how many operations looking at each beats a map.
const shortProgram = 24

func (p *program) find(o operation) (val, bool) {
	if p.index != nil {
		v, ok := p.index[o]
		return v, ok
	}
	for i := range p.ops {
		if p.ops[i] == o {
			return val(i), true
		}
	}
	if len(p.ops) == shortProgram {
		p.index = make(map[operation]val, 4*shortProgram)
		for i, o := range p.ops {
			p.index[o] = val(i)
		}
	}
	return 0, false
}

func (p *program) input(k int, t typ) val { return p.add(operation{code: cIn, typ: t, imm: uint64(k)}) }

func (p *program) constant(t typ, v uint64) val {
	if t == tW {
		v &= 0xffffffff
	}
	return p.add(operation{code: cConst, typ: t, imm: v})
}

func (p *program) w(v uint32) val { return p.constant(tW, uint64(v)) }
func (p *program) x(v uint64) val { return p.constant(tX, v) }

// known returns the value of a constant.
func (p *program) known(v val) (uint64, bool) {
	return p.ops[v].imm, p.ops[v].code == cConst
}

func (p *program) typ(v val) typ { return p.ops[v].typ }

func (p *program) op1(c code, t typ, a val, imm uint64) val {
	return p.add(operation{code: c, typ: t, n: 1, a: a, imm: imm})
}

func (p *program) op2(c code, t typ, a, b val, imm uint64) val {
	return p.add(operation{code: c, typ: t, n: 2, a: a, b: b, imm: imm})
}

func (p *program) op3(c code, t typ, a, b, d val, imm uint64) val {
	return p.add(operation{code: c, typ: t, n: 3, a: a, b: b, c: d, imm: imm})
}

func (p *program) bin(c code, a, b val) val {
	if v, ok := p.shifted(c, a, b); ok {
		return v
	}
	if p.typ(a) == tX && !p.evex {
		switch c {
		case cMul:
			return p.mul64(a, b)
		case cSar:
			return p.sar64(a, b)
		case cMinS:
			return p.sel(p.cmp(cmpLTS, a, b), a, b)
		case cMaxS:
			return p.sel(p.cmp(cmpLTS, a, b), b, a)
		case cMinU:
			return p.sel(p.cmp(cmpLTU, a, b), a, b)
		case cMaxU:
			return p.sel(p.cmp(cmpLTU, a, b), b, a)
		}
	}
	return p.op2(c, p.typ(a), a, b, 0)
}

// shifted is a product with a power of two.
func (p *program) shifted(c code, a, b val) (v val, ok bool) {
	if _, known := p.known(a); known {
		a, b = b, a
	}
	n, known := p.known(b)
	whole := c == cMul || (c == cMulLU || c == cMulLS) && p.halves(a, c) && p.halves(b, c)
	if !known || !whole || bits.OnesCount64(n) != 1 {
		return 0, false
	}
	if n == 1 {
		return a, true
	}
	return p.shlI(a, uint64(bits.TrailingZeros64(n))), true
}

// mul64 is the low half of a product from products of 32 bits.
func (p *program) mul64(a, b val) val {
	cross := p.sum(p.bin(cMulLU, p.shrI(a, 32), b), p.bin(cMulLU, a, p.shrI(b, 32)))
	return p.sum(p.bin(cMulLU, a, b), p.shlI(cross, 32))
}

// sar64 shifts the sign down, too: (a>>n ^ s) - s with s = the sign's place after the shift.
func (p *program) sar64(a, n val) val {
	n = p.sel(p.cmp(cmpLTU, n, p.x(64)), n, p.x(63))
	s := p.bin(cShr, p.x(1<<63), n)
	return p.sub(p.xor(p.bin(cShr, a, n), s), s)
}
func (p *program) sum(a, b val) val  { return p.bin(cAdd, a, b) }
func (p *program) sub(a, b val) val  { return p.bin(cSub, a, b) }
func (p *program) mul(a, b val) val  { return p.bin(cMul, a, b) }
func (p *program) and(a, b val) val  { return p.bin(cAnd, a, b) }
func (p *program) or(a, b val) val   { return p.bin(cOr, a, b) }
func (p *program) xor(a, b val) val  { return p.bin(cXor, a, b) }
func (p *program) minS(a, b val) val { return p.bin(cMinS, a, b) }
func (p *program) maxS(a, b val) val { return p.bin(cMaxS, a, b) }
func (p *program) minU(a, b val) val { return p.bin(cMinU, a, b) }
func (p *program) maxU(a, b val) val { return p.bin(cMaxU, a, b) }

func (p *program) not(a val) val { return p.xor(a, p.constant(p.typ(a), ^uint64(0))) }
func (p *program) neg(a val) val { return p.sub(p.constant(p.typ(a), 0), a) }

// lowBits keeps the low n bits of a 32-bit value.
func (p *program) lowBits(a val, n int) val { return p.and(a, p.w(1<<n-1)) }

// shift shifts by a count of the same width as a; constants become immediates.
func (p *program) shift(c code, a, n val) val {
	k, ok := p.known(n)
	if !ok {
		return p.bin(c, a, n)
	}
	width := uint64(p.typ(a).bits())
	switch {
	case k >= width && c == cSar:
		k = width - 1
	case k >= width:
		return p.constant(p.typ(a), 0)
	case k == 0:
		return a
	}
	if c == cSar {
		return p.sarI(a, k)
	}
	return p.op1(c+cShlI-cShl, p.typ(a), a, k)
}

func (p *program) shlI(a val, k uint64) val { return p.op1(cShlI, p.typ(a), a, k) }
func (p *program) shrI(a val, k uint64) val { return p.op1(cShrI, p.typ(a), a, k) }

func (p *program) sarI(a val, k uint64) val {
	if p.typ(a) == tX && !p.evex {
		s := p.x(1 << (63 - k))
		return p.sub(p.xor(p.shrI(a, k), s), s)
	}
	return p.op1(cSarI, p.typ(a), a, k)
}

// rotI rotates left by a constant that is not 0.
func (p *program) rotI(a val, k uint64) val {
	if !p.evex {
		return p.or(p.shlI(a, k), p.shrI(a, uint64(p.typ(a).bits())-k))
	}
	return p.op1(cRotI, p.typ(a), a, k)
}

// zext widens 32 bits to 64.
func (p *program) zext(a val) val {
	if k, ok := p.known(a); ok {
		return p.x(k)
	}
	return p.op1(cZext, tX, a, 0)
}

func (p *program) sext(a val) val {
	if k, ok := p.known(a); ok {
		return p.x(uint64(int64(int32(k))))
	}
	return p.op1(cSext, tX, a, 0)
}

// table is a value for each lane.
func (p *program) table(f func(lane int) uint32) val {
	var t [32]uint32
	for i := range t {
		t[i] = f(i)
	}
	k := slices.Index(p.tables, t)
	if k < 0 {
		k = len(p.tables)
		p.tables = append(p.tables, t)
	}
	return p.add(operation{code: cTable, typ: tW, imm: uint64(k)})
}

// word is a general register in every lane.
func (p *program) word(k uint64) val { return p.add(operation{code: cWord, typ: tW, imm: k}) }

func (p *program) trunc(a val) val { return p.op1(cTrunc, tW, a, 0) }

// sext16 and sext8 extend the low bits of a 32-bit value by their sign.
func (p *program) sext16(a val) val { return p.sarI(p.shlI(a, 16), 16) }
func (p *program) sext8(a val) val  { return p.sarI(p.shlI(a, 24), 24) }

// cmp compares integers; without EVEX there are only = and signed <.
func (p *program) cmp(how uint64, a, b val) val {
	if p.evex {
		return p.op2(cCmp, tM, a, b, how)
	}
	switch sign := p.x(1 << 63); {
	case how == cmpNE:
		return p.mnot(p.cmp(cmpEQ, a, b))
	case how == cmpLES:
		return p.mnot(p.cmp(cmpLTS, b, a))
	case how == cmpLTU && p.typ(a) == tX:
		return p.cmp(cmpLTS, p.xor(a, sign), p.xor(b, sign))
	case how == cmpLEU && p.typ(a) == tX:
		return p.mnot(p.cmp(cmpLTU, b, a))
	case how == cmpLTU:
		return p.mnot(p.cmp(cmpEQ, p.maxU(a, b), a))
	case how == cmpLEU:
		return p.cmp(cmpEQ, p.maxU(a, b), b)
	}
	return p.op2(cCmp, tM, a, b, how)
}

func (p *program) sel(m, a, b val) val { return p.op3(cSel, p.typ(a), m, a, b, 0) }
func (p *program) mnot(m val) val      { return p.op1(cMNot, tM, m, 0) }

func (p *program) tern3(a, b, c val, lut uint64) val { return p.op3(cTern, p.typ(a), a, b, c, lut) }

// canon makes the result's NaN the canonical one.
func (p *program) canon(a val) val {
	return p.op1(cCanon, p.typ(a), a, 0)
}

// halves tells whether a factor of 64 bits is the extension of its lower half, so that the product
// of halves is the whole product.
func (p *program) halves(v val, c code) bool {
	o := &p.ops[v]
	switch {
	case o.code == cConst && c == cMulLU:
		return o.imm == uint64(uint32(o.imm))
	case o.code == cConst:
		return o.imm == uint64(int32(o.imm))
	case c == cMulLU:
		return o.code == cZext
	}
	return o.code == cSext
}
