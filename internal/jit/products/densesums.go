package products

// The sums of products of dense matrices: densecode.go.

import (
	"ptxvm.invalid/ptxvm/internal/jit/x86"
	"ptxvm.invalid/ptxvm/internal/num"
)

// sums computes group after group of columns, in each row after row.
func (e *denseCode) sums() {
	e.RM(x86.MOV, x86.S64, dnColumns, x86.At(dnContext, dcGroups))
	e.RM(x86.MOV, x86.S64, dnRight, x86.At(dnContext, dcRightValues))
	e.RM(x86.MOV, x86.S64, dnRightE, x86.At(dnContext, dcRightExponents))
	e.limits()
	e.Zero(dnAny)
	e.startScales()
	outer, inner := e.NewLabel(), e.NewLabel()
	e.Bind(outer)
	e.RM(x86.MOV, x86.S64, dnSum, x86.At(dnContext, dcSum))
	e.RM(x86.MOV, x86.S64, dnMisfit, x86.At(dnContext, dcMisfit))
	e.RM(x86.MOV, x86.S64, x86.R13, x86.At(dnContext, dcGroups))
	e.RR(x86.SUB, x86.S64, x86.R13, dnColumns)
	e.column(dnMisfit, x86.R13, int32(e.lanes()/8))
	e.column(dnSum, x86.R13, e.size())
	e.RM(x86.MOV, x86.S64, dnLeft, x86.At(dnContext, dcValues))
	e.RM(x86.MOV, x86.S64, dnLeftE, x86.At(dnContext, dcExponents))
	e.RM(x86.MOV, x86.S64, dnRows, x86.At(dnContext, dcRows))
	e.firstScales()
	e.Bind(inner)
	e.vector()
	e.RI(x86.ADD, x86.S64, dnLeft, int32(4*e.key.K))
	e.RI(x86.ADD, x86.S64, dnLeftE, int32(4*e.key.K))
	e.RM(x86.ADD, x86.S64, dnSum, x86.At(dnContext, dcPitch))
	e.RM(x86.ADD, x86.S64, dnMisfit, x86.At(dnContext, dcMisfits))
	e.nextRow()
	e.RI(x86.SUB, x86.S64, dnRows, 1)
	e.Jcc(x86.NE, inner)
	e.RI(x86.ADD, x86.S64, dnRight, int32(e.key.K)*e.size())
	e.RI(x86.ADD, x86.S64, dnRightE, int32(e.key.K)*e.size())
	e.nextColumns()
	e.RI(x86.SUB, x86.S64, dnColumns, 1)
	e.Jcc(x86.NE, outer)
	e.RI(x86.SHL, x86.S64, dnAny, 1)
	e.MR(x86.MOV, x86.S64, x86.At(dnContext, dcResult), dnAny)
}

// limits loads what exponents of C are relative to, the least of a sum and below which they do not fit. Fragments are as they are.
func (e *denseCode) limits() {
	if e.fragment == nil {
		e.fromContext(dvBase, dcBase)
		e.fromContext(dvLeast, dcBase+4)
		e.fromContext(dvLimit, dcLimit)
		return
	}
	e.set(dvBase, 127)
	e.set(dvLeast, uint32(int32(max(denseLow, e.key.Rule.Floor()))))
	e.set(dvLimit, uint32(denseLow+denseOffset))
}

// column adds group*size to a pointer.
func (e *denseCode) column(pointer, group x86.Reg, size int32) {
	e.RRI(x86.IMUL, x86.S64, dnTemp, group, size)
	e.RR(x86.ADD, x86.S64, pointer, dnTemp)
}

// vector computes the elements of Sum in a row and a group of columns.
func (e *denseCode) vector() {
	if e.fragment == nil {
		e.setBad()
	}
	e.load(dvC, x86.At(dnSum, 0))
	switch {
	case e.key.Integers && e.fragment != nil:
		e.integersOfFragments()
		e.give()
		return
	case e.key.Integers:
		e.integers()
		e.give()
		return
	case e.key.Terms:
		e.terms()
		e.give()
		return
	case e.key.PerLine != 0:
		e.lineBase()
	}
	if e.plan.Half() {
		e.widen(dvC)
	}
	if e.plan.Last {
		e.copy(dvC0, dvC)
		e.exponentOfC()
	}
	for i, places := range e.plan.Steps {
		e.step(places, i > 0 || !e.plan.Last)
	}
	if e.plan.Last {
		e.VVV(x86.VADDPS, e.w, dvC, dvC, dvC0)
		if e.plan.Half() {
			e.half(dvC)
		}
	}
	if e.plan.Half() {
		e.narrow(dvC)
	}
	e.give()
}

// integers adds products of bytes to dvC: as f32, in which sums of K products are exact.
func (e *denseCode) integers() {
	if e.key.Saturate { // what could leave 32 bits does not fit
		e.VVI(x86.VPSRAD, e.w, dvTemp, dvC, 31)
		e.VVV(e.either(x86.VPXORD, x86.VPXOR), e.w, dvTemp, dvTemp, dvC) // below zero: -1-C
		e.above(dvTemp, dvTemp2, 1<<31-1<<26)
	}
	acc := []x86.Vec{dvTop, dvTerm, dvSum, dvOther}
	for k := range e.key.K {
		d := acc[k%len(acc)]
		if k < len(acc) {
			e.multiply(x86.VMULPS, d, dvScale, k)
		} else {
			e.multiply(x86.VFMADD231PS, d, dvScale, k)
		}
	}
	e.VVV(x86.VADDPS, e.w, dvTop, dvTop, dvTerm)
	e.VVV(x86.VADDPS, e.w, dvSum, dvSum, dvOther)
	e.VVV(x86.VADDPS, e.w, dvTop, dvTop, dvSum)
	e.VV(x86.VCVTTPS2DQ, e.w, dvTop, dvTop)
	e.VVV(x86.VPADDD, e.w, dvC, dvC, dvTop)
}

// give stores the result, but where it does not fit; of fragments all of it, as D is not written then.
func (e *denseCode) give() {
	if e.fragment != nil {
		e.store(x86.At(dnSum, 0), dvC)
		return
	}
	e.badLanes(dnTemp)
	if e.wide {
		e.KK(x86.KNOTW, x86.K1, x86.K5)
		e.Masked(x86.K1).MV(x86.VMOVUPS, e.w, x86.At(dnSum, 0), dvC)
		e.MR(x86.MOV, x86.S16, x86.At(dnMisfit, 0), dnTemp)
	} else {
		e.load(dvTemp, x86.At(dnSum, 0))
		e.VVVV(x86.VPBLENDVB, e.w, dvC, dvC, dvTemp, dvBad)
		e.store(x86.At(dnSum, 0), dvC)
		e.MR(x86.MOV, x86.S8, x86.At(dnMisfit, 0), dnTemp)
	}
	e.RR(x86.OR, x86.S64, dnAny, dnTemp)
}

// widen makes f32 of f16 in the lower half of each lane, as integers would: no bits are lost.
func (e *denseCode) widen(v x86.Vec) {
	if e.wide {
		e.VV(x86.VPMOVDW, e.w, v, v)
	} else {
		e.VVM(x86.VPSHUFB, e.w, v, v, e.ConstRow(lowWords, 32))
		e.VVI(x86.VPERMQ, e.w, v, v, 8)
	}
	e.VV(x86.VCVTPH2PS, e.w, v, v)
}

// lowWords are, in each 128 bits, the lower halves of its words.
var lowWords = []byte{0, 1, 4, 5, 8, 9, 12, 13, 128, 128, 128, 128, 128, 128, 128, 128, 0, 1, 4, 5, 8, 9, 12, 13, 128, 128, 128, 128, 128, 128, 128, 128}

// half rounds f32 to the nearest f16, a zero to +0.
func (e *denseCode) half(v x86.Vec) {
	e.VVI(x86.VCVTPS2PH, e.w, v, v, 0)
	e.VV(x86.VCVTPH2PS, e.w, v, v)
	e.VVM(x86.VADDPS, e.w, v, v, e.word(0))
}

// narrow makes f16 of f32 that are such.
func (e *denseCode) narrow(v x86.Vec) {
	e.VVI(x86.VCVTPS2PH, e.w, v, v, 0)
	e.VV(x86.VPMOVZXWD, e.w, v, v)
}

// step adds the products of some places in K to dvC, or to zero.
func (e *denseCode) step(places []int, add bool) {
	e.tops(places)
	if add {
		e.exponentOfC()
		e.joinTops()
	}
	if !e.plan.Half() {
		e.tooSmall()
	}
	e.VVV(x86.VPMAXSD, e.w, dvTop, dvTop, dvLeast)
	if e.inWords(len(places)) {
		e.stepInWords(places, add)
		return
	}
	low, high := denseLow, denseHigh
	e.VVM(x86.VPMAXSD, e.w, dvOther, dvTop, e.word(uint32(low)))
	if e.fragment == nil || e.based() { // others are no higher than those of f32, and their products count there
		e.VVM(x86.VPMINSD, e.w, dvOther, dvOther, e.word(uint32(high)))
	}
	e.set(dvScale, uint32(127+e.plan.Keep))
	e.VVV(x86.VPSUBD, e.w, dvScale, dvScale, dvOther)
	e.VVI(x86.VPSLLD, e.w, dvScale, dvScale, 23)
	for first := 0; first < len(places); first += denseChunk {
		e.chunk(places[first:min(first+denseChunk, len(places))], first == 0)
	}
	e.halfOfLanes(dvLow, 0, add)
	e.halfOfLanes(dvHigh, 1, add)
	e.together()
	if e.plan.Half() {
		e.half(dvC)
	}
}

// multiply puts an element of a row into a and multiplies those of the columns by it, by a form that may add to d; a may be d.
func (e *denseCode) multiply(op x86.Op, d, a x86.Vec, k int) {
	if e.fragment != nil {
		e.fragmentProduct(op, d, k)
		return
	}
	e.VM(x86.VBROADCASTSS, e.w, a, x86.At(dnLeft, int32(4*k)))
	e.VVM(op, e.w, d, a, x86.At(dnRight, int32(k)*e.size()))
}

// tops finds the largest exponent of products.
func (e *denseCode) tops(places []int) {
	if e.fragment != nil {
		e.fragmentTops(places)
		return
	}
	acc := [2]x86.Vec{dvTop, dvOther}
	for i, k := range places {
		d := acc[i%2]
		if i >= 2 {
			d = dvTerm
		}
		e.VM(x86.VPBROADCASTD, e.w, d, x86.At(dnLeftE, int32(4*k)))
		e.VVM(x86.VPADDD, e.w, d, d, x86.At(dnRightE, int32(k)*e.size()))
		if i >= 2 {
			e.VVV(x86.VPMAXSD, e.w, acc[i%2], acc[i%2], d)
		}
	}
	if len(places) > 1 {
		e.VVV(x86.VPMAXSD, e.w, dvTop, dvTop, dvOther)
	}
}

// exponentOfC puts exponents of C into dvOther, its bits but the sign into dvTemp, and notes what is not finite.
func (e *denseCode) exponentOfC() {
	least := uint32(1)
	if e.plan.Half() {
		least = 127 - 14
	}
	e.VVI(x86.VPSLLD, e.w, dvTemp, dvC, 1)
	e.VVI(x86.VPSRLD, e.w, dvOther, dvTemp, 24)
	if e.notes() {
		e.VVV(x86.VPMAXUD, e.w, fnMost, fnMost, dvTemp)
	} else {
		e.above(dvOther, dvTemp2, 254)
	}
	e.VVM(x86.VPMAXSD, e.w, dvOther, dvOther, e.word(least))
	e.VVV(x86.VPSUBD, e.w, dvOther, dvOther, dvBase)
}

// joinTops makes dvTop the larger of itself and the exponent of C, in dvOther, unless C is zero, whose bits but the sign are in dvTemp.
func (e *denseCode) joinTops() {
	if e.wide {
		e.KVV(x86.VPTESTMD, e.w, x86.K1, dvTemp, dvTemp)
		e.Masked(x86.K1).VVV(x86.VPMAXSD, e.w, dvTop, dvTop, dvOther)
		return
	}
	zero := denseZero
	e.set(dvTerm, uint32(zero))
	e.choose(dvOther, dvTerm, dvTemp, dvTemp2, denseEQ, 0)
	e.VVV(x86.VPMAXSD, e.w, dvTop, dvTop, dvOther)
}

// tooSmall notes sums that are not zero and whose largest exponent is below the limit.
func (e *denseCode) tooSmall() {
	e.VVM(x86.VPADDD, e.w, dvTemp, dvTop, e.word(denseOffset))
	if e.notes() {
		e.VVV(x86.VPMINUD, e.w, fnLeast, fnLeast, dvTemp)
		return
	}
	if e.wide {
		e.KVVI(x86.VPCMPUD, e.w, x86.K1, dvTemp, dvLimit, 1)
		e.KKK(x86.KORW, x86.K5, x86.K5, x86.K1)
		return
	}
	e.VVV(x86.VPCMPGTD, e.w, dvTemp2, dvLimit, dvTemp)
	e.VVI(x86.VPSRAD, e.w, dvTemp, dvTemp, 31)
	e.VVV(x86.VPANDN, e.w, dvTemp, dvTemp, dvTemp2)
	e.or(dvBad, dvBad, dvTemp)
}

// products adds products, cut to integers, to zero in dvSum.
func (e *denseCode) products(places []int) {
	acc := [2]x86.Vec{dvSum, dvOther}
	for i, k := range places {
		d := acc[i%2]
		if i >= 2 {
			d = dvTerm
		}
		e.multiply(x86.VMULPS, d, d, k)
		e.VVV(x86.VMULPS, e.w, d, d, dvScale)
		e.VV(x86.VCVTTPS2DQ, e.w, d, d)
		if i >= 2 {
			e.VVV(x86.VPADDD, e.w, acc[i%2], acc[i%2], d)
		}
	}
	if len(places) > 1 {
		e.VVV(x86.VPADDD, e.w, dvSum, dvSum, dvOther)
	}
}

// chunk adds products as integers, and these as f64.
func (e *denseCode) chunk(places []int, first bool) {
	e.products(places)
	for half, to := range []x86.Vec{dvLow, dvHigh} {
		from := e.part(dvTemp, dvSum, half)
		if first {
			e.VV(x86.VCVTDQ2PD, e.w, to, from)
			continue
		}
		e.VV(x86.VCVTDQ2PD, e.w, dvTemp, from)
		e.VVV(x86.VADDPD, e.w, to, to, dvTemp)
	}
}

// part returns a register whose lower half is a half of v: v itself or d.
func (e *denseCode) part(d, v x86.Vec, half int) x86.Vec {
	switch {
	case half == 0:
		return v
	case e.wide:
		e.VVI(x86.VEXTRACTI64X4, e.w, d, v, 1)
	default:
		e.VVI(x86.VEXTRACTI128, e.w, d, v, 1)
	}
	return d
}

// halfOfLanes adds C to a half of the sums, and makes f64 of what it is to be rounded to.
func (e *denseCode) halfOfLanes(sum x86.Vec, half int, add bool) {
	e.VVM(x86.VPADDD, e.w, dvTemp, dvTop, e.word(uint32(1023-127-e.plan.Keep)))
	e.VVV(x86.VPADDD, e.w, dvTemp, dvTemp, dvBase) // dvBase has 127 more than the exponent
	e.VV(x86.VPMOVZXDQ, e.w, dvPower, e.part(dvTemp2, dvTemp, half))
	e.VVI(x86.VPSLLQ, e.w, dvPower, dvPower, 52)
	if add {
		e.VV(x86.VCVTPS2PD, e.w, dvTemp, e.part(dvTemp2, dvC, half))
		e.load(dvTemp2, e.whole(2046<<52))
		e.VVV(x86.VPSUBQ, e.w, dvTemp2, dvTemp2, dvPower)
		e.VVV(x86.VMULPD, e.w, dvTemp, dvTemp, dvTemp2)
		e.VVI(e.either(x86.VRNDSCALEPD, x86.VROUNDPD), e.w, dvTemp, dvTemp, 3)
		e.VVV(x86.VADDPD, e.w, sum, sum, dvTemp)
	}
	e.VVV(x86.VMULPD, e.w, sum, sum, dvPower)
	cut := uint64(1<<29 - 1)
	switch e.plan.Result {
	case num.DotToE8M13:
		cut = 1<<39 - 1
	case num.DotToF16: // whatever is cut makes the last bit odd, and is rounded later
		e.VVM(e.either(x86.VPANDQ, x86.VPAND), e.w, dvTemp, sum, e.long(cut))
		e.VVM(x86.VPADDQ, e.w, dvTemp, dvTemp, e.long(cut))
		e.VVV(e.either(x86.VPORQ, x86.VPOR), e.w, sum, sum, dvTemp)
	}
	e.VVM(e.either(x86.VPANDQ, x86.VPAND), e.w, sum, sum, e.long(^cut))
}

// whole is a constant of 64 bits in all lanes, as a vector in memory.
func (e *denseCode) whole(v uint64) x86.Mem { return e.row(v) }

// together makes f32 of both halves, in dvC.
func (e *denseCode) together() {
	e.VV(x86.VCVTPD2PS, e.w, dvC, dvLow)
	e.VV(x86.VCVTPD2PS, e.w, dvTemp, dvHigh)
	if e.wide {
		e.VVVI(x86.VINSERTI64X4, e.w, dvC, dvC, dvTemp, 1)
	} else {
		e.VVVI(x86.VINSERTI128, e.w, dvC, dvC, dvTemp, 1)
	}
}
