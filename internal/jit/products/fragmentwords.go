package products

// What becomes of the words of fragments: f32 for each element, and in lanes of the elements' own width the exponents by
// which products are aligned, relative to the format's largest. Of bf16 and tf32, whose products could leave f32, elements
// that are not near 1 do not fit.

import (
	"slices"

	"ptxvm.invalid/ptxvm/internal/jit/x86"
	"ptxvm.invalid/ptxvm/internal/num"
)

// Vector registers of what is made of words.
const (
	fvWord   x86.Vec = 0
	fvTurned x86.Vec = 5
	fvLeast  x86.Vec = 8  // one less than the least that has been seen, but zero: of bf16 and tf32
	fvMost   x86.Vec = 9  // the most
	fvOdd    x86.Vec = 10 // not zero if something does not fit
	fvApart  x86.Vec = 11 // zero where metadata name a place twice
)

// Exponents of bf16 and tf32 whose products are normal numbers of f32.
const (
	wideLowest  = -63
	wideHighest = 62
)

// Exponents of zeros, relative to the largest: of sums of two no other one is so low.
const (
	zeroTop16 = -1 << 14
	zeroTop8  = -1 << 7
)

// each is a number in all elements of so many bits, as 64 bits.
func each(v uint32, bits int) (all uint64) {
	for at := 0; at < 64; at += bits {
		all |= uint64(v) & (1<<bits - 1) << at
	}
	return all
}

// elements is a number in all elements of the operands' width.
func (e *denseCode) elements(v uint32) x86.Mem { return e.row(each(v, e.key.Bits)) }

// byWidth is one of the forms of an instruction, for elements of 8, 16 and 32 bits.
func (e *denseCode) byWidth(ops [3]x86.Op) x86.Op { return ops[e.key.Bits/16] }

var (
	opsMaxUnsigned = [3]x86.Op{x86.VPMAXUB, x86.VPMAXUW, x86.VPMAXUD}
	opsMinUnsigned = [3]x86.Op{0, x86.VPMINUW, x86.VPMINUD}
	opsMaxSigned   = [3]x86.Op{x86.VPMAXSB, x86.VPMAXSW, x86.VPMAXSD}
	opsAdd         = [3]x86.Op{x86.VPADDB, x86.VPADDW, x86.VPADDD}
	opsAddEnd      = [3]x86.Op{x86.VPADDSB, x86.VPADDSW, x86.VPADDD} // sums end at the least
	opsEqual       = [3]x86.Op{x86.VPCMPEQB, x86.VPCMPEQW, x86.VPCMPEQD}
	opsNone        = [3]x86.Op{x86.VPTESTNMB, x86.VPTESTNMW, x86.VPTESTNMD}
)

// beginElements has seen no element of an operand.
func (e *denseCode) beginElements(operand int) {
	if e.key.Packing[operand].Sparse {
		e.set(fvApart, 1<<32-1)
	}
	e.set(fvMost, 0)
	e.set(fvLeast, 1<<32-1)
}

// magnitudes are the bits of exponents and fractions in their elements, and the most that is a number here.
func (e *denseCode) magnitudes(operand int) (bits, most uint32) {
	exponent, frac, low, largest := e.key.Format[operand].Layout()
	if denseWide(e.key.Format[operand]) {
		largest = (127+wideHighest+1)<<frac - 1
	}
	return (1<<(exponent+frac) - 1) << low, largest<<low | (1<<low - 1)
}

// endElements notes whether an element of the operand does not fit.
func (e *denseCode) endElements(operand int) {
	if e.key.Packing[operand].Sparse {
		e.noteClashes()
	}
	if !e.exponents() {
		return
	}
	note := func(op x86.Op, v x86.Vec, limit uint32) {
		e.load(1, e.elements(limit))
		e.VVV(op, e.w, v, v, 1)
		e.VVV(e.either(x86.VPXORD, x86.VPXOR), e.w, v, v, 1)
		e.or(fvOdd, fvOdd, v)
	}
	bits, most := e.magnitudes(operand)
	if most < bits {
		note(e.byWidth(opsMaxUnsigned), fvMost, most)
	}
	if f := e.key.Format[operand]; denseWide(f) {
		_, frac, low, _ := f.Layout()
		note(e.byWidth(opsMinUnsigned), fvLeast, (127+wideLowest)<<(frac+low)-1)
	}
}

// wordOfFragment calls value with a vector for each element of the word in fvWord, and tops with one of exponents.
func (e *denseCode) wordOfFragment(operand int, value func(i int, v x86.Vec), tops func(v x86.Vec)) {
	if e.key.Integers {
		e.bytesOfFragment(operand, value)
		return
	}
	if e.exponents() {
		e.topsOfFragment(operand)
		tops(1)
	}
	switch f := e.key.Format[operand]; {
	case denseWide(f) && e.key.Bits == 16:
		e.VVI(x86.VPSLLD, e.w, 1, fvWord, 16)
		value(0, 1)
		e.and(1, fvWord, e.word(0xffff0000))
		value(1, 1)
	case e.key.Bits == 32:
		_, _, low, _ := f.Layout()
		e.and(1, fvWord, e.word(^uint32(1<<low-1)))
		value(0, 1)
	case e.key.Bits == 16:
		e.twoHalves(fvWord, func(i int) { value(i, 1) })
	default:
		for odd := range 2 {
			e.bytesAsHalves(operand, odd)
			e.twoHalves(2, func(i int) {
				e.unbias(operand)
				value(odd+2*i, 1)
			})
		}
	}
}

// topsOfFragment makes exponents in register 1.
func (e *denseCode) topsOfFragment(operand int) {
	const least = 1
	f := e.key.Format[operand]
	exponent, frac, low, _ := f.Layout()
	bits, _ := e.magnitudes(operand)
	e.VVM(e.either(x86.VPANDD, x86.VPAND), e.w, 2, fvWord, e.elements(bits))
	e.VVV(e.byWidth(opsMaxUnsigned), e.w, fvMost, fvMost, 2)
	if denseWide(f) {
		e.VVM(e.byWidth(opsAdd), e.w, 3, 2, e.elements(1<<32-1))
		e.VVV(e.byWidth(opsMinUnsigned), e.w, fvLeast, fvLeast, 3)
	}
	e.VVI(x86.VPSRLD, e.w, 1, 2, uint8(frac+low))
	if e.key.Bits < 32 {
		e.and(1, 1, e.elements(1<<exponent-1))
	}
	e.VVM(e.byWidth(opsMaxSigned), e.w, 1, 1, e.elements(least))
	e.VVM(e.byWidth(opsAdd), e.w, 1, 1, e.elements(-uint32(bias(f)+e.highest(operand))))
	zero := [3]uint32{1 << 7, 1<<16 - 1<<14, 1<<32 - 1<<14}[e.key.Bits/16]
	if e.wide {
		e.KVV(e.byWidth(opsNone), e.w, x86.K1, 2, 2)
		e.load(3, e.elements(zero))
		e.Masked(x86.K1).VVV(e.byWidth(opsAddEnd), e.w, 1, 1, 3)
		return
	}
	e.VVV(x86.VPXOR, e.w, 3, 3, 3)
	e.VVV(e.byWidth(opsEqual), e.w, 3, 3, 2)
	e.and(3, 3, e.elements(zero))
	e.VVV(e.byWidth(opsAddEnd), e.w, 1, 1, 3)
}

// canPair tells whether two words of 32 bits can have their exponents in one: each step has both, and they are the same of A and B.
func (e *denseCode) canPair() bool {
	if !e.exponents() || e.key.Bits != 32 || e.key.Packing[0].Sparse {
		return false
	}
	for _, step := range e.plan.Steps {
		if len(step)%8 != 0 || step[0]%8 != 0 {
			return false
		}
	}
	return true
}

// topWords is how many words of exponents an operand has.
func (e *denseCode) topWords(operand int) int { return e.topWord(e.fragment.words[operand]) }

// topWord is the one that has the exponents of a word.
func (e *denseCode) topWord(word int) int {
	if e.fragment.paired {
		return word / 2
	}
	return word
}

// topBits is the width of an exponent.
func (e *denseCode) topBits() int {
	if e.fragment.paired {
		return 16
	}
	return e.key.Bits
}

// pairedTops puts exponents of an even word, in 32 bits, aside, and joins them with those of the next one, in 16 bits each, in which all are.
// It tells whether v is what is wanted.
func (e *denseCode) pairedTops(word int, v x86.Vec, aside x86.Mem) bool {
	switch {
	case !e.fragment.paired:
		return true
	case word%2 == 0:
		e.and(v, v, e.word(0xffff))
		e.store(aside, v)
		return false
	}
	e.VVI(x86.VPSLLD, e.w, v, v, 16)
	e.VVM(e.either(x86.VPORD, x86.VPOR), e.w, v, v, aside)
	return true
}

// bias is that of a format's exponents.
func bias(f num.DotFormat) int {
	exponent, _, _, _ := f.Layout()
	return 1<<(exponent-1) - 1
}

// highest is the exponent that those of an operand are relative to.
func (e *denseCode) highest(operand int) int {
	f := e.key.Format[operand]
	if e.key.Bits > 8 {
		return 0
	}
	exponent, _, _, _ := f.Layout()
	return 1<<exponent - 1 - bias(f)
}

// twoHalves calls visit with the value of each f16 of a register's words, in register 1.
func (e *denseCode) twoHalves(v x86.Vec, visit func(i int)) {
	e.copy(1, v)
	e.widen(1)
	visit(0)
	e.VVI(x86.VPSRLD, e.w, 1, v, 16)
	e.widen(1)
	visit(1)
}

// bytesAsHalves makes f16 of each second byte of fvWord, in register 2: their exponents have another bias.
func (e *denseCode) bytesAsHalves(operand, odd int) {
	exponent, frac, low, _ := e.key.Format[operand].Layout()
	from := fvWord
	if odd == 1 {
		e.VVI(x86.VPSRLW, e.w, 3, fvWord, 8)
		from = 3
	}
	e.and(2, from, e.row(each((1<<(exponent+frac)-1)<<low, 16)))
	e.VVI(x86.VPSLLW, e.w, 2, 2, uint8(10-frac-low))
	e.and(3, from, e.row(each(1<<(exponent+frac+low), 16)))
	e.VVI(x86.VPSLLW, e.w, 3, 3, uint8(15-exponent-frac-low))
	e.or(2, 2, 3)
}

// unbias makes of a value with the exponent of an f16 one with the format's own.
func (e *denseCode) unbias(operand int) {
	if up := 15 - bias(e.key.Format[operand]); up != 0 {
		e.VVM(x86.VMULPS, e.w, 1, 1, e.word(uint32(127+up)<<23))
	}
}

// stepsOfWords tells whether each step has whole words of K, or of bytes the same half of each.
func (e *denseCode) stepsOfWords() bool {
	for _, step := range e.plan.Steps {
		if _, _, ok := e.wordsOf(step); !ok {
			return false
		}
	}
	return true
}

// wordsOf lists the words of K that a step has, by their first places, and which of their bytes: all, or those of one half.
func (e *denseCode) wordsOf(places []int) (firsts []int, bytes [2]bool, ok bool) {
	per := 32 / e.key.Bits
	seen := map[int]int{}
	for _, k := range places {
		if _, found := seen[k/per]; !found {
			firsts = append(firsts, k/per*per)
		}
		seen[k/per] |= 1 << (k % per)
	}
	whole, ok := 1<<per-1, true
	for _, first := range firsts {
		switch have := seen[first/per]; {
		case have != seen[firsts[0]/per]:
			return nil, bytes, false
		case have == whole:
			bytes = [2]bool{true, true}
		case per == 4 && have == 3:
			bytes = [2]bool{true, false}
		case per == 4 && have == 12:
			bytes = [2]bool{false, true}
		default:
			return nil, bytes, false
		}
	}
	return firsts, bytes, ok
}

// fragmentTops finds the largest exponent of products.
func (e *denseCode) fragmentTops(places []int) {
	firsts, bytes, _ := e.wordsOf(places)
	f, acc, ops := e.fragment, [2]x86.Vec{dvTop, dvOther}, e.topBits()/16
	if f.paired {
		firsts = slices.DeleteFunc(firsts, func(k int) bool { return k&4 != 0 })
	}
	for i, k := range firsts {
		d := acc[i%2]
		if i >= 2 {
			d = dvTerm
		}
		word, lane, _ := e.fragmentPlace(1, k)
		e.columnsOf(dvTemp, f.rightE+int32(e.topWord(word))*laneBytes, lane)
		word, lane, _ = e.fragmentPlace(0, k)
		e.VVM(opsAddEnd[ops], e.w, d, dvTemp, x86.At(dnLeft, f.tops+e.turnedAt(e.topWord(word), lane)))
		if i >= 2 {
			e.VVV(opsMaxSigned[ops], e.w, acc[i%2], acc[i%2], d)
		}
	}
	if len(firsts) > 1 {
		e.VVV(opsMaxSigned[ops], e.w, dvTop, dvTop, dvOther)
	}
	e.largestOfWord(bytes)
	if up := e.highest(0) + e.highest(1); up != 0 {
		e.VVM(x86.VPADDD, e.w, dvTop, dvTop, e.word(uint32(up)))
	}
}

// largestOfWord makes one exponent of those in each word of dvTop.
func (e *denseCode) largestOfWord(bytes [2]bool) {
	signed := func(d x86.Vec, up, down uint8) { // what is left when so many bits above are gone
		e.VVI(x86.VPSLLD, e.w, d, dvTop, up)
		e.VVI(x86.VPSRAD, e.w, d, d, down)
	}
	switch e.topBits() {
	case 16:
		e.VVI(x86.VPSLLD, e.w, dvOther, dvTop, 16)
		e.VVV(x86.VPMAXSW, e.w, dvTop, dvTop, dvOther) // in the upper half
		e.VVI(x86.VPSRAD, e.w, dvTop, dvTop, 16)
	case 8:
		e.VVI(x86.VPSRLW, e.w, dvOther, dvTop, 8)
		e.VVV(x86.VPMAXSB, e.w, dvTop, dvTop, dvOther) // in bytes 0 and 2
		if bytes[1] {
			signed(dvOther, 8, 24)
		}
		if bytes[0] {
			signed(dvTop, 24, 24)
		}
		switch {
		case bytes[0] && bytes[1]:
			e.VVV(x86.VPMAXSD, e.w, dvTop, dvTop, dvOther)
		case bytes[1]:
			e.copy(dvTop, dvOther)
		}
		zero, none := zeroTop8, denseZero
		e.set(dvTerm, uint32(none))
		e.choose(dvTop, dvTerm, dvTop, dvTemp2, denseEQ, uint32(zero))
	}
}

// fragmentProduct multiplies an element of A and those of B by a form that may add to d.
func (e *denseCode) fragmentProduct(op x86.Op, d x86.Vec, k int) {
	_, _, i := e.fragmentPlace(0, k)
	e.columnValues(dvTemp, k, i)
	e.VVM(op, e.w, d, dvTemp, e.rowsOf(k, i))
}
