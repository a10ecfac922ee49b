package products

// Products of bytes in the order of a warp's registers, by integers: with AVX-512 four of unsigned bytes of one operand and
// signed ones of the other at once (VNNI), with AVX2 two of words of 16 bits, as which bytes are.

import (
	"ptxvm.invalid/ptxvm/internal/jit/x86"
)

// fbRest are what sums have too much, for even and odd columns.
const fbRest x86.Vec = 11

// Vector registers of sums of bytes.
const (
	fbSum   = dvTop
	fbOther = dvOther
	fbBytes = dvTerm
)

// flipped tells whether the signs of A's bytes are turned, which adds or takes 128: VNNI wants bytes with and bytes without a sign.
func (e *denseCode) flipped() bool { return e.wide && e.key.Signed[0] == e.key.Signed[1] }

// firstOfWords are the first elements of K of the words of four bytes.
func (e *denseCode) firstOfWords() (list []int) {
	for k := range e.key.K {
		if _, _, i := e.fragmentPlace(1, k); i == 0 {
			list = append(list, k)
		}
	}
	return list
}

// fourAsBytes makes bytes of the even or the odd elements of four bits in fvWord.
func (e *denseCode) fourAsBytes(operand, odd int) {
	if !e.key.Integers { // num.DotE2M1Byte
		if odd == 0 {
			e.VVI(x86.VPSLLD, e.w, fvWord, fvWord, 2)
		} else {
			e.VVI(x86.VPSRLD, e.w, fvWord, fvWord, 2)
		}
		e.and(fvWord, fvWord, e.word(0x3c3c3c3c))
		return
	}
	if odd == 1 {
		e.VVI(x86.VPSRLD, e.w, fvWord, fvWord, 4)
	}
	e.and(fvWord, fvWord, e.word(0x0f0f0f0f))
	if e.key.Signed[operand] { // 8 is below zero
		e.VVM(e.either(x86.VPXORD, x86.VPXOR), e.w, fvWord, fvWord, e.word(0x08080808))
		e.VVM(x86.VPADDB, e.w, fvWord, fvWord, e.row(each(0xf8, 8)))
	}
}

// bytesOfFragment gives the bytes of the word in fvWord as they are multiplied.
func (e *denseCode) bytesOfFragment(operand int, value func(i int, v x86.Vec)) {
	switch {
	case !e.wide:
		e.bytesAsWords(operand, value)
		return
	case operand == 0 && e.flipped():
		e.VVM(x86.VPXORD, e.w, fvWord, fvWord, e.word(0x80808080))
	}
	value(0, fvWord)
}

// bytesAsWords makes words of the even bytes, then of the odd ones.
func (e *denseCode) bytesAsWords(operand int, value func(i int, v x86.Vec)) {
	shift := x86.VPSRLW
	if e.key.Signed[operand] {
		shift = x86.VPSRAW
	}
	e.VVI(x86.VPSLLW, e.w, 1, fvWord, 8)
	e.VVI(shift, e.w, 1, 1, 8)
	value(0, 1)
	e.VVI(shift, e.w, 1, fvWord, 8)
	value(1, 1)
}

// restOfBytes sums 128 times the bytes of each column of B, less which sums are right: those of a signed A are 128 too large, and
// those of an unsigned one 128 too small, as which 0x80 is read.
func (e *denseCode) restOfBytes() {
	if !e.flipped() {
		return
	}
	e.set(fbBytes, 0x80808080)
	for parity := range int32(2) {
		e.fragment.parity = parity
		rest := fbRest + x86.Vec(parity)
		e.VVV(x86.VPXORD, e.w, rest, rest, rest)
		for _, k := range e.firstOfWords() {
			e.columnValues(dvTemp, k, 0)
			e.dots(rest, fbBytes, dvTemp)
		}
	}
}

// dots adds products of four bytes of A and B to each word of d.
func (e *denseCode) dots(d, a, b x86.Vec) {
	if e.key.Signed[0] != e.flipped() { // A has signs
		a, b = b, a
	}
	e.VVV(x86.VPDPBUSD, e.w, d, a, b)
}

// integersOfFragments adds products to dvC.
func (e *denseCode) integersOfFragments() {
	f, acc := e.fragment, [2]x86.Vec{fbSum, fbOther}
	for _, d := range acc {
		e.VVV(e.either(x86.VPXORD, x86.VPXOR), e.w, d, d, d)
	}
	n := 0
	for _, k := range e.firstOfWords() {
		for i := range f.values {
			e.load(fbBytes, e.rowsOf(k, i))
			e.columnValues(dvTemp, k, i)
			d := acc[n%2]
			if n++; e.wide {
				e.dots(d, fbBytes, dvTemp)
				continue
			}
			e.VVV(x86.VPMADDWD, e.w, fbBytes, fbBytes, dvTemp)
			e.VVV(x86.VPADDD, e.w, d, d, fbBytes)
		}
	}
	e.VVV(x86.VPADDD, e.w, fbSum, fbSum, fbOther)
	if e.flipped() {
		e.VVV(x86.VPSUBD, e.w, fbSum, fbSum, fbRest+x86.Vec(f.parity))
	}
	if e.key.Saturate {
		e.addEnding()
		return
	}
	e.VVV(x86.VPADDD, e.w, dvC, dvC, fbSum)
}

// addEnding adds the sum to dvC, to the least or the largest number if it leaves 32 bits: sums of products are far from that.
func (e *denseCode) addEnding() {
	e.VVV(x86.VPADDD, e.w, dvTemp, dvC, fbSum)
	e.VVV(e.either(x86.VPXORD, x86.VPXOR), e.w, fbOther, dvC, dvTemp)
	e.VVV(e.either(x86.VPXORD, x86.VPXOR), e.w, fbSum, fbSum, dvTemp)
	e.VVV(e.either(x86.VPANDD, x86.VPAND), e.w, fbOther, fbOther, fbSum) // below zero: both have the sign that the sum has not
	e.VVI(x86.VPSRAD, e.w, dvC, dvC, 31)
	e.VVM(e.either(x86.VPXORD, x86.VPXOR), e.w, dvC, dvC, e.word(1<<31-1))
	if e.wide {
		e.KV(x86.VPMOVD2M, e.w, x86.K1, fbOther)
		e.KK(x86.KNOTW, x86.K1, x86.K1)
		e.Masked(x86.K1).VV(x86.VMOVDQA32, e.w, dvC, dvTemp)
		return
	}
	e.VVVV(x86.VBLENDVPS, e.w, dvC, dvTemp, dvC, fbOther)
}
