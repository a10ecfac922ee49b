package products

// Steps whose sums fit into words of 32 bits, results in f32, by AVX-512, which converts toward zero: what densesums.go does
// by f64 otherwise.

import (
	"ptxvm.invalid/ptxvm/internal/jit/x86"
	"ptxvm.invalid/ptxvm/internal/num"
)

// denseMostTop is the most exponent of a step whose powers of two are normal numbers here.
const denseMostTop = 120

// inWords tells whether the integers of a step's products, each below 2^(Keep+2), have a sum of 32 bits.
func (e *denseCode) inWords(places int) bool {
	return e.wide && !e.plan.Half() && e.stored(places)<<(e.plan.Keep+2) <= 1<<31
}

// stored is how many of the places of a step have products: one of two of a sparse matrix.
func (e *denseCode) stored(places int) int {
	shape := num.DenseShape(e.key)
	return places * shape.Stored() / shape.K
}

// based tells whether matrices have been brought near 1 by powers of two.
func (e *denseCode) based() bool {
	return e.key.PerLine != 0 || e.fragment == nil && (denseWide(e.key.Format[0]) || denseWide(e.key.Format[1]))
}

// stepInWords adds products to dvC, or to zero. Exponents of the sums are in dvTop, relative to the base.
func (e *denseCode) stepInWords(places []int, add bool) {
	scale, absolute, top := dvScale, dvTop, dvTop
	keep := uint32(e.plan.Keep)
	if e.based() {
		scale, absolute, top = dvPower, dvLow, dvOther
		e.VVV(x86.VPADDD, e.w, absolute, dvTop, dvBase)
		e.above(absolute, dvTemp, 127+denseMostTop)
		e.VVM(x86.VPSUBD, e.w, absolute, absolute, e.word(127))
		low, high := denseLow, denseHigh
		e.VVM(x86.VPMAXSD, e.w, dvOther, dvTop, e.word(uint32(low)))
		e.VVM(x86.VPMINSD, e.w, dvOther, dvOther, e.word(uint32(high)))
	}
	e.powerOf(dvScale, top, 127+keep)
	if e.based() {
		e.powerOf(scale, absolute, 127+keep)
	}
	if add {
		e.VVV(x86.VMULPS, e.w, dvC, dvC, scale)
		e.VV(x86.VCVTTPS2DQ, e.w, dvC, dvC)
	}
	e.products(places)
	switch whole := e.stored(len(places))<<(keep+2) + 2<<keep; {
	case !add:
		e.copy(dvC, dvSum)
	case whole < 1<<31:
		e.VVV(x86.VPADDD, e.w, dvC, dvC, dvSum)
	default:
		e.addChecked()
	}
	e.set(dvTemp, 2*127<<23)
	e.VVV(x86.VPSUBD, e.w, dvTemp, dvTemp, scale) // one divided by it
	e.Round(x86.RZ).VV(x86.VCVTDQ2PS, e.w, dvC, dvC)
	e.VVV(x86.VMULPS, e.w, dvC, dvC, dvTemp)
	if e.plan.Result == num.DotToE8M13 {
		e.and(dvC, dvC, e.word(^uint32(1<<10-1)))
	}
}

// powerOf is 2^(bias-127-exponent), as f32.
func (e *denseCode) powerOf(d, exponent x86.Vec, bias uint32) {
	e.set(d, bias)
	e.VVV(x86.VPSUBD, e.w, d, d, exponent)
	e.VVI(x86.VPSLLD, e.w, d, d, 23)
}

// addChecked adds dvSum to dvC, and notes what leaves 32 bits: both have the sign that the sum has not.
func (e *denseCode) addChecked() {
	const bothUnlike = 1<<0b110 | 1<<0b001 // bits of the first two that are the same, and not that of the third
	e.VVV(x86.VPADDD, e.w, dvTemp, dvC, dvSum)
	e.VVVI(x86.VPTERNLOGD, e.w, dvC, dvSum, dvTemp, bothUnlike)
	if e.notes() {
		e.VVV(x86.VPORD, e.w, fnLeft, fnLeft, dvC)
	} else {
		e.KV(x86.VPMOVD2M, e.w, x86.K1, dvC)
		e.KKK(x86.KORW, x86.K5, x86.K5, x86.K1)
	}
	e.copy(dvC, dvTemp)
}
