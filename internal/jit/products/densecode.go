package products

// Machine code for products of dense matrices of floats and bytes (num.Dense), for 8 or 16 columns at a time. Elements become
// f32, of which products are exact, and the exponents by which these are aligned. For each element of the result
//
//	the largest exponent of a step's terms is an integer maximum,
//	each product times a power of two is converted to an integer, which cuts it,
//	integers are added, at most 16 in 32 bits, then as f64, C among them,
//	and the sum is rounded once.
//
// bf16 and tf32 are brought near 1 first, each matrix by one power of two, as their products could leave f32. What does not
// fit is left as it is and noted, and computed by num.Dense.Reference: C that is not finite, and sums of numbers so small that
// the result could be subnormal. Sums of products of bytes are exact in f32 as they are.

import (
	"ptxvm.invalid/ptxvm/internal/jit/x86"
	"ptxvm.invalid/ptxvm/internal/num"
)

// denseKey is what a product's code depends on: the shape without its rows and columns.
type denseKey num.DenseShape

// keyOf is the key of a shape.
func keyOf(s num.DenseShape) denseKey {
	s.Rows, s.Columns = 0, 0
	return denseKey(s)
}

// Numbers of the f32 that elements become.
const (
	denseSpread = 50       // exponents that an element of bf16 and tf32 may be below the largest
	denseLow    = -100     // exponents of sums that may be rounded
	denseHigh   = 120      // exponents above cut every product to zero
	denseZero   = -1 << 14 // the exponent of a zero
	denseChunk  = 16       // products of at most 2^27 that fit into a sum of 32 bits
)

// Registers of the code.
const (
	dnContext = x86.RDI
	dnLeft    = x86.R8  // values of a row
	dnLeftE   = x86.R9  // their exponents
	dnRight   = x86.R10 // values of the columns
	dnRightE  = x86.R11
	dnSum     = x86.RSI
	dnMisfit  = x86.RDX
	dnRows    = x86.RCX
	dnColumns = x86.RBX // groups of columns that are left
	dnAny     = x86.R12
	dnTerms   = x86.R13
	dnScales  = x86.R14 // scale factors of a row
	dnScales2 = x86.R15 // of the columns
	dnTemp    = x86.RAX
)

// Offsets in denseContext.
const (
	dcLeft = 8 * iota
	dcRight
	dcSum
	dcMisfit
	dcValues
	dcExponents
	dcRightValues
	dcRightExponents
	dcRows
	dcGroups   // of columns
	dcPitch    // bytes of a row of Sum
	dcMisfits  // bytes of a row of misfits
	dcLeftRuns // vectors of elements of Left
	dcBlocks   // of 16 columns
	dcScale    // two f32: by what elements are multiplied
	dcBias     // two i32: what is subtracted from their exponents
	dcBase     // i32: what is subtracted from exponents of C; i32: least exponent of a sum
	dcLimit    // i32: exponents below that do not fit, plus denseOffset
	dcResult
	dcLeftScales // of scale factors: see denseScales
	dcRightScales
	dcTerms // room for a vector a term
)

const denseOffset = 1 << 13

// denseCode assembles one product.
type denseCode struct {
	*x86.Asm
	w    x86.Width
	wide bool // AVX-512
	key  denseKey
	plan num.DotPlan

	fragment *fragmentPlan // of num.Fragments, nil: of num.Dense
}

// lanes of a vector.
func (e *denseCode) lanes() int { return e.w.Bytes() / 4 }

// size is the bytes of a vector.
func (e *denseCode) size() int32 { return int32(e.w.Bytes()) }

// word is a constant in all lanes.
func (e *denseCode) word(v uint32) x86.Mem {
	if e.wide {
		return e.Const32(v).Bcast()
	}
	return e.row(uint64(v)<<32 | uint64(v))
}

// long is a constant of 64 bits in all lanes.
func (e *denseCode) long(v uint64) x86.Mem {
	if e.wide {
		return e.Const64(v).Bcast()
	}
	return e.row(v)
}

func (e *denseCode) row(v uint64) x86.Mem {
	b := make([]byte, e.w.Bytes())
	for i := range b {
		b[i] = byte(v >> (8 * (i & 7)))
	}
	return e.ConstRow(b, e.w.Bytes())
}

func (e *denseCode) set(d x86.Vec, v uint32) {
	e.VM(x86.VBROADCASTSS, e.w, d, e.Const32(v))
}

// fromContext puts a word of the context into all lanes.
func (e *denseCode) fromContext(d x86.Vec, at int32) {
	e.VM(x86.VBROADCASTSS, e.w, d, x86.At(dnContext, at))
}

func (e *denseCode) copy(d, s x86.Vec) { e.VV(x86.VMOVAPS, e.w, d, s) }

func (e *denseCode) load(d x86.Vec, m x86.Mem)  { e.VM(x86.VMOVUPS, e.w, d, m) }
func (e *denseCode) store(m x86.Mem, s x86.Vec) { e.MV(x86.VMOVUPS, e.w, m, s) }

// and and or are operations of bits, whose names depend on the width.
func (e *denseCode) and(d, a x86.Vec, m x86.Mem) {
	e.VVM(e.either(x86.VPANDD, x86.VPAND), e.w, d, a, m)
}
func (e *denseCode) or(d, a, b x86.Vec) { e.VVV(e.either(x86.VPORD, x86.VPOR), e.w, d, a, b) }

func (e *denseCode) either(wide, narrow x86.Op) x86.Op {
	if e.wide {
		return wide
	}
	return narrow
}

// Predicates of vpcmpd.
const (
	denseEQ = 0
	denseLT = 1
)

// choose makes d other where a compares with a constant, by EQ or as signed numbers by LT.
func (e *denseCode) choose(d, other, a, temp x86.Vec, predicate uint8, than uint32) {
	if e.wide {
		e.KVMI(x86.VPCMPD, e.w, x86.K1, a, e.word(than), predicate)
		e.Masked(x86.K1).VV(x86.VMOVDQA32, e.w, d, other)
		return
	}
	if predicate == denseEQ {
		e.VVM(x86.VPCMPEQD, e.w, temp, a, e.word(than))
		e.VVVV(x86.VPBLENDVB, e.w, d, d, other, temp)
		return
	}
	e.VVM(x86.VPCMPGTD, e.w, temp, a, e.word(than-1)) // not less
	e.VVVV(x86.VPBLENDVB, e.w, d, other, d, temp)
}

// above notes lanes where a, which is below 2^31, is above a constant.
func (e *denseCode) above(a, temp x86.Vec, than uint32) {
	if e.wide {
		e.KVMI(x86.VPCMPUD, e.w, x86.K1, a, e.word(than), 6)
		e.KKK(x86.KORW, x86.K5, x86.K5, x86.K1)
		return
	}
	e.VVM(x86.VPCMPGTD, e.w, temp, a, e.word(than)) // a is below 2^31
	e.or(dvBad, dvBad, temp)
}

// Vector registers of the sums.
const (
	dvC     x86.Vec = iota // C, then the result
	dvTop                  // largest exponents
	dvTerm                 // a term
	dvScale                // power of two for the terms
	dvSum                  // of integers
	dvOther                // a second one
	dvLow                  // sums as f64, of the lower lanes
	dvHigh                 // of the upper lanes
	dvPower                // 2^q as f64
	dvTemp                 //
	dvTemp2                //
	dvC0                   // C, where it comes last
	dvBad                  // lanes that do not fit: AVX2
	dvBase                 // what is subtracted from exponents of C
	dvLeast                // the least exponent of a sum
	dvLimit                // exponents below do not fit
)

// assemble makes the code; ok is false where none can be made for such a product.
func (e *denseCode) assemble() (ok bool) {
	shape := num.DenseShape(e.key)
	if e.plan, ok = shape.Plan(); !ok && !e.key.Integers {
		return false
	}
	end := e.NewLabel()
	e.setBad()
	e.decodeLeft()
	e.decodeRight()
	e.finite(end)
	e.sums()
	e.Bind(end)
	e.None(x86.VZEROUPPER)
	e.None(x86.RET)
	return true
}

func (e *denseCode) setBad() {
	if e.wide {
		e.KKK(x86.KXORW, x86.K5, x86.K5, x86.K5)
	} else {
		e.VVV(x86.VPXOR, e.w, dvBad, dvBad, dvBad)
	}
}

// finite ends the code with result 1 if an element has been found that is not.
func (e *denseCode) finite(end x86.Label) {
	e.badLanes(dnTemp)
	fine := e.NewLabel()
	e.RR(x86.TEST, x86.S32, dnTemp, dnTemp)
	e.Jcc(x86.E, fine)
	e.MI(x86.MOV, x86.S64, x86.At(dnContext, dcResult), 1)
	e.Jmp(end)
	e.Bind(fine)
}

// badLanes puts the lanes that do not fit into a general register.
func (e *denseCode) badLanes(d x86.Reg) {
	if e.wide {
		e.RK(x86.KMOVW, d, x86.K5)
	} else {
		e.RV(x86.VMOVMSKPS, e.w, d, dvBad)
	}
}

// decodeLeft makes values and exponents of Left, element by element.
func (e *denseCode) decodeLeft() {
	from, values, exponents, left := dnLeft, dnRight, dnRightE, dnRows
	e.RM(x86.MOV, x86.S64, from, x86.At(dnContext, dcLeft))
	e.RM(x86.MOV, x86.S64, values, x86.At(dnContext, dcValues))
	e.RM(x86.MOV, x86.S64, exponents, x86.At(dnContext, dcExponents))
	e.RM(x86.MOV, x86.S64, left, x86.At(dnContext, dcLeftRuns))
	e.prepare(0)
	again := e.NewLabel()
	e.Bind(again)
	switch e.key.Bits {
	case 8:
		e.VM(x86.VPMOVZXBD, e.w, 0, x86.At(from, 0))
	case 16:
		e.VM(x86.VPMOVZXWD, e.w, 0, x86.At(from, 0))
	default:
		e.load(0, x86.At(from, 0))
	}
	e.element(0)
	e.store(x86.At(values, 0), 0)
	if e.exponents() {
		e.store(x86.At(exponents, 0), 1)
	}
	e.RI(x86.ADD, x86.S64, from, int32(e.lanes()*e.key.Bits/8))
	e.RI(x86.ADD, x86.S64, values, e.size())
	e.RI(x86.ADD, x86.S64, exponents, e.size())
	e.RI(x86.SUB, x86.S64, left, 1)
	e.Jcc(x86.NE, again)
}

// decodeRight makes values and exponents of Right: for each group of columns, those of a place in K after the other.
func (e *denseCode) decodeRight() {
	from, values, exponents, blocks, words := dnLeft, dnRight, dnRightE, dnRows, dnColumns
	e.RM(x86.MOV, x86.S64, from, x86.At(dnContext, dcRight))
	e.RM(x86.MOV, x86.S64, values, x86.At(dnContext, dcRightValues))
	e.RM(x86.MOV, x86.S64, exponents, x86.At(dnContext, dcRightExponents))
	e.RM(x86.MOV, x86.S64, blocks, x86.At(dnContext, dcBlocks))
	e.prepare(1)
	again := e.NewLabel()
	e.Bind(again)
	per, half := 32/e.key.Bits, int32(0)
	for ; half < 4*num.DenseLanes; half += e.size() {
		e.MovImm(words, uint64(e.key.K/per))
		inner := e.NewLabel()
		e.Bind(inner)
		for j := range per {
			e.load(0, x86.At(from, half))
			if j > 0 {
				e.VVI(x86.VPSRLD, e.w, 0, 0, uint8(j*e.key.Bits))
			}
			if e.key.Bits < 32 && j < per-1 {
				e.and(0, 0, e.word(1<<e.key.Bits-1))
			}
			e.element(1)
			e.store(x86.At(values, int32(j)*e.size()), 0)
			if e.exponents() {
				e.store(x86.At(exponents, int32(j)*e.size()), 1)
			}
		}
		e.RI(x86.ADD, x86.S64, from, 4*num.DenseLanes)
		e.RI(x86.ADD, x86.S64, values, int32(per)*e.size())
		e.RI(x86.ADD, x86.S64, exponents, int32(per)*e.size())
		e.RI(x86.SUB, x86.S64, words, 1)
		e.Jcc(x86.NE, inner)
		if half+e.size() < 4*num.DenseLanes {
			e.RI(x86.SUB, x86.S64, from, int32(4*num.DenseLanes*e.key.K/per))
		}
	}
	e.RI(x86.SUB, x86.S64, blocks, 1)
	e.Jcc(x86.NE, again)
}

// exponents tells whether each element has one.
func (e *denseCode) exponents() bool { return !e.key.Integers && !e.key.Terms }

// denseWide tells whether a format has the exponents of f32.
func denseWide(f num.DotFormat) bool {
	exponent, _, _, _ := f.Layout()
	return exponent == 8
}

// prepare loads what element wants for an operand.
func (e *denseCode) prepare(operand int32) {
	if !e.key.Integers && denseWide(e.key.Format[operand]) {
		e.fromContext(6, dcScale+4*operand)
		e.fromContext(7, dcBias+4*operand)
	}
}

// element makes of raw bits in register 0 the value, there, and its exponent in register 1.
func (e *denseCode) element(operand int) {
	if e.key.Integers {
		if e.key.Signed[operand] {
			e.VVI(x86.VPSLLD, e.w, 0, 0, 24)
			e.VVI(x86.VPSRAD, e.w, 0, 0, 24)
		}
		e.VV(x86.VCVTDQ2PS, e.w, 0, 0)
		return
	}
	f := e.key.Format[operand]
	exponent, frac, low, largest := f.Layout()
	if denseWide(f) { // the matrix has been looked at before
		if frac == 7 {
			e.VVI(x86.VPSLLD, e.w, 0, 0, 16)
		} else {
			e.and(0, 0, e.word(^uint32(1<<low-1)))
		}
		e.and(2, 0, e.word(0x7fffffff))
		e.VVI(x86.VPSRLD, e.w, 1, 2, 23)
		e.VVM(x86.VPMAXSD, e.w, 1, 1, e.word(1))
		e.VVV(x86.VPSUBD, e.w, 1, 1, 7)
		e.zeroLow()
		e.VVV(x86.VMULPS, e.w, 0, 0, 6)
		return
	}
	bias := uint32(1)<<(exponent-1) - 1
	e.VVI(x86.VPSLLD, e.w, 3, 0, uint8(31-exponent-frac-low))
	e.and(3, 3, e.word(1<<31))
	if low > 0 {
		e.VVI(x86.VPSRLD, e.w, 0, 0, uint8(low))
	}
	e.and(2, 0, e.word(1<<(exponent+frac)-1))
	if largest != 1<<(exponent+frac)-1 {
		e.above(2, 4, largest)
	}
	e.VVI(x86.VPSRLD, e.w, 1, 2, uint8(frac))
	e.VVM(x86.VPMAXSD, e.w, 1, 1, e.word(1))
	e.VVM(x86.VPSUBD, e.w, 1, 1, e.word(bias))
	e.zeroLow()
	e.VV(x86.VCVTDQ2PS, e.w, 5, 2) // subnormal numbers
	e.VVM(x86.VMULPS, e.w, 5, 5, e.word((127+1-bias-uint32(frac))<<23))
	e.VVI(x86.VPSLLD, e.w, 0, 2, uint8(23-frac))
	e.VVM(x86.VPADDD, e.w, 0, 0, e.word((127-bias)<<23))
	e.choose(0, 5, 2, 4, denseLT, 1<<frac)
	e.or(0, 0, 3)
}

// zeroLow gives zeros, whose bits are in register 2, a low exponent in register 1.
func (e *denseCode) zeroLow() {
	e.set(5, uint32(0xffffffff&uint64(1<<32+denseZero)))
	e.choose(1, 5, 2, 4, denseEQ, 0)
}
