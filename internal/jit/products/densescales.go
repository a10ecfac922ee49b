package products

// Products whose rows and columns have scale factors. A factor of a whole line is a power of two, which moves the base of the
// exponents. Those of terms (num.SumBlocks) multiply exact sums of products of four bits, whose exponents alone align them.

import (
	"ptxvm.invalid/ptxvm/internal/jit/x86"
)

// perTerm is the bytes that the factor of a row has: its exponent and, of terms, its value without that, as f32.
func (e *denseCode) perTerm() int32 {
	if e.key.Terms {
		return 8
	}
	return 4
}

// startScales points to the factors of the first columns.
func (e *denseCode) startScales() {
	if e.key.PerLine != 0 {
		e.RM(x86.MOV, x86.S64, dnScales2, x86.At(dnContext, dcRightScales))
	}
}

// firstScales points to those of the first row.
func (e *denseCode) firstScales() {
	if e.key.PerLine != 0 {
		e.RM(x86.MOV, x86.S64, dnScales, x86.At(dnContext, dcLeftScales))
		e.RM(x86.MOV, x86.S64, dnTerms, x86.At(dnContext, dcTerms))
	}
}

func (e *denseCode) nextRow() {
	if e.key.PerLine != 0 {
		e.RI(x86.ADD, x86.S64, dnScales, int32(e.key.PerLine)*e.perTerm())
	}
}

func (e *denseCode) nextColumns() {
	if e.key.PerLine != 0 {
		e.RI(x86.ADD, x86.S64, dnScales2, int32(e.key.PerLine)*e.perTerm()*int32(e.lanes()))
	}
}

// lineBase makes what depends on the base of a row and columns.
func (e *denseCode) lineBase() {
	e.factorExponents(dvTemp, 0)
	e.limits()
	e.VVV(x86.VPADDD, e.w, dvBase, dvBase, dvTemp)
	e.VVV(x86.VPSUBD, e.w, dvLeast, dvLeast, dvTemp)
	e.VVV(x86.VPSUBD, e.w, dvLimit, dvLimit, dvTemp)
}

// terms adds terms to dvC.
func (e *denseCode) terms() {
	e.set(dvTop, uint32(0xffffffff&uint64(1<<32+denseZero)))
	per := e.key.K / e.key.PerLine
	for i := range e.key.PerLine {
		e.termValue(i, per)
		e.store(e.term(i), dvTerm)
		e.factorExponents(dvOther, i)
		if !e.key.Zeros {
			e.VVI(x86.VPSLLD, e.w, dvTemp, dvTerm, 1) // zeros have signs
			e.set(dvSum, uint32(0xffffffff&uint64(1<<32+denseZero)))
			e.choose(dvOther, dvSum, dvTemp, dvTemp2, denseEQ, 0)
		}
		e.VVV(x86.VPMAXSD, e.w, dvTop, dvTop, dvOther)
	}
	e.exponentOfC()
	e.joinTops()
	e.tooSmall()
	e.VVV(x86.VPMAXSD, e.w, dvTop, dvTop, dvLeast)
	for half, sum := range []x86.Vec{dvLow, dvHigh} {
		for i := range e.key.PerLine {
			e.addTerm(sum, half, i)
		}
		e.halfOfLanes(sum, half, true)
	}
	e.together()
}

// termValue is the sum of a term's products, times the factors without their exponents: exact in f32.
func (e *denseCode) termValue(i, per int) {
	acc := [2]x86.Vec{dvTerm, dvSum}
	for k := range per {
		d, at := acc[k%2], i*per+k
		if k < 2 {
			e.multiply(x86.VMULPS, d, dvScale, at)
		} else {
			e.multiply(x86.VFMADD231PS, d, dvScale, at)
		}
	}
	e.VVV(x86.VADDPS, e.w, dvTerm, dvTerm, dvSum)
	e.factorRests(dvScale, i)
	e.VVV(x86.VMULPS, e.w, dvTerm, dvTerm, dvScale)
}

// addTerm cuts a term at the last bit that is kept below dvTop, and adds it to a half of the sums.
func (e *denseCode) addTerm(sum x86.Vec, half, i int) {
	e.factorExponents(dvTemp, i)
	e.VVV(x86.VPSUBD, e.w, dvTemp, dvTemp, dvTop)
	e.VVM(x86.VPADDD, e.w, dvTemp, dvTemp, e.word(uint32(1023+e.plan.Keep)))
	e.VV(x86.VPMOVZXDQ, e.w, dvPower, e.part(dvTemp2, dvTemp, half))
	e.VVI(x86.VPSLLQ, e.w, dvPower, dvPower, 52)
	e.load(dvTemp, e.term(i))
	e.VV(x86.VCVTPS2PD, e.w, dvTemp, e.part(dvTemp2, dvTemp, half))
	e.VVV(x86.VMULPD, e.w, dvTemp, dvTemp, dvPower)
	if i == 0 {
		e.VVI(e.either(x86.VRNDSCALEPD, x86.VROUNDPD), e.w, sum, dvTemp, 3)
		return
	}
	e.VVI(e.either(x86.VRNDSCALEPD, x86.VROUNDPD), e.w, dvTemp, dvTemp, 3)
	e.VVV(x86.VADDPD, e.w, sum, sum, dvTemp)
}
