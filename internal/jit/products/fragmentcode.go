package products

// Machine code for products of matrices in the order of a warp's registers (num.Fragments): the sums of densecode.go, with
// other operands. A vector of C has four lanes for each of its rows. A row of A is in four lanes, too: a shuffle in each 128 bits
// gives all of them an element of their row, once for each of the four, as all columns and tiles want it. B is laid out as 128 bits
// for each element of K and parity of the columns, which are the same for all rows. D is written when nothing has been found that
// does not fit.

import (
	"ptxvm.invalid/ptxvm/internal/jit/x86"
	"ptxvm.invalid/ptxvm/internal/num"
)

// Registers of the code that those of matrices do not have.
const (
	fgTiles   = x86.RBX // that are left
	fgOffsets = x86.R12 // num.Fragments.Offsets, from those of a tile on: those of A are in front of it
	fgRoom    = x86.R13
)

// Offsets in fragmentContext.
const (
	fcRegisters = 8 * iota // five
	_
	_
	_
	_
	fcOffsets
	fcRoom
	fcResult
	fcScales
	fcMeta
	fcTiles
)

// fragmentRoom is the most bytes of room that code uses.
const fragmentRoom = len(num.FragmentRoom{}) * 8

// fragmentPlan is where the parts of a product are. What lanes have of A is together for each vector of C's rows, in blocks.
type fragmentPlan struct {
	halves  int    // of eight rows
	vectors int    // of a register
	counts  [5]int // registers of A, B, C, D and metadata
	words   [2]int // of K, in four lanes each, that A and B become
	values  int    // vectors or rows of B that a word becomes
	paired  bool   // two words of 32 bits have their exponents in one: see pairedTops
	block   int32  // bytes of a block
	tops    int32  // of a block: where the exponents of its words are
	right   int32  // in the room: B
	rightE  int32
	sum     int32 // C, then D: a vector of even columns, then one of odd ones
	terms   int32
	scales  [2]int32 // of columns: exponents, and what is left
	parity  int32    // of the columns that are computed
}

// laneBytes is what 32 lanes have of a word.
const laneBytes = 128

// spreads is how many words become of one of an operand.
func (e *denseCode) spreads(operand int) int {
	if p := e.key.Packing[operand]; p.Sparse || p.Four {
		return 2
	}
	return 1
}

// planFragments lays the room out; false if there is no code for such a product, or for such registers.
func (e *denseCode) planFragments(registers [2]int) bool {
	shape := num.DenseShape(e.key)
	f := &fragmentPlan{halves: shape.Rows / 8, vectors: laneBytes / e.w.Bytes(), values: e.fragmentValues()}
	p := shape.Packing
	if shape.Columns != 8 || shape.Rows%8 != 0 || p[1].Sparse || p[0].Sparse && p[0].Four || p[0].Four != p[1].Four || shape.PerLine > 4 {
		return false
	}
	for i, k := range [2]int{shape.Stored(), shape.K} {
		perWord := 4 * 32 / shape.ElementBits(i) // elements of K of a word in four lanes
		if k%perWord != 0 {
			return false
		}
		f.counts[i], f.words[i] = k/perWord, k/perWord*e.spreads(i)
	}
	f.counts[0] *= f.halves
	if f.counts[2] = 2 * f.halves; e.plan.Half() && !shape.Integers {
		f.counts[2] = f.halves
	}
	if f.counts[3] = f.counts[2]; p[0].Sparse {
		f.counts[4] = 1
	}
	e.fragment = f
	f.paired = e.canPair()
	return f.hasRegisters(registers) && e.placeFragments() <= int32(fragmentRoom)
}

// hasRegisters tells whether there are as many registers of A and metadata, and of a tile.
func (f *fragmentPlan) hasRegisters(n [2]int) bool {
	return n == [2]int{f.counts[0] + f.counts[4], f.counts[1] + f.counts[2] + f.counts[3]}
}

// placeFragments sets offsets in the room, and returns how much of it there is.
func (e *denseCode) placeFragments() int32 {
	f := e.fragment
	f.tops = e.turnedAt(f.words[0]*f.values, 0)
	if f.block = f.tops; e.exponents() {
		f.block += e.turnedAt(e.topWords(0), 0)
	}
	at := f.block * int32(f.halves*f.vectors)
	next := func(n int) (from int32) {
		from, at = at, at+int32(n)*laneBytes
		return from
	}
	f.right, f.rightE = next(f.words[1]*f.values), next(e.topWords(1))
	f.sum, f.terms = next(2*f.halves), next(e.key.PerLine)
	f.scales = [2]int32{next(1), next(1)}
	return at
}

// fragmentValues is how many vectors a word becomes: one for each element, of bytes as many as there are instructions for.
func (e *denseCode) fragmentValues() int {
	switch {
	case !e.key.Integers:
		return 32 / e.key.Bits
	case e.wide:
		return 1
	}
	return 2
}

// assembleFragments makes the code; false where there is none for such a product of so many registers.
func (e *denseCode) assembleFragments(registers [2]int) (ok bool) {
	if e.key.Bits == 64 {
		return e.assembleDoubleFragments(registers)
	}
	shape := num.DenseShape(e.key)
	if e.plan, ok = shape.Plan(); !ok && !e.key.Integers || !e.planFragments(registers) || !e.stepsOfWords() {
		return false
	}
	e.startFragments()
	odd, tile := e.NewLabel(), e.NewLabel()
	none := func() { e.VVV(e.either(x86.VPXORD, x86.VPXOR), e.w, fvOdd, fvOdd, fvOdd) }
	none()
	e.fragmentsOfA()
	e.jumpIfAny(fvOdd, odd)
	e.fragmentScales()
	e.Bind(tile)
	none()
	e.fragmentsOfB()
	e.jumpIfAny(fvOdd, odd)
	e.fragmentsOfC()
	e.fragmentSums()
	e.badLanes(dnTemp)
	e.RR(x86.TEST, x86.S32, dnTemp, dnTemp)
	e.Jcc(x86.NE, odd)
	e.fragmentsOfD()
	e.nextTile(tile)
	e.endFragments(odd)
	return true
}

// nextTile jumps to where the next tile is computed.
func (e *denseCode) nextTile(tile x86.Label) {
	f := e.fragment
	e.RI(x86.ADD, x86.S64, fgOffsets, int32(4*(f.counts[1]+f.counts[2]+f.counts[3])))
	e.RI(x86.SUB, x86.S64, fgTiles, 1)
	e.Jcc(x86.NE, tile)
}

// startFragments loads what the context has.
func (e *denseCode) startFragments() {
	e.RM(x86.MOV, x86.S64, fgTiles, x86.At(dnContext, fcTiles))
	e.RM(x86.MOV, x86.S64, fgOffsets, x86.At(dnContext, fcOffsets))
	e.RM(x86.MOV, x86.S64, fgRoom, x86.At(dnContext, fcRoom))
}

// endFragments returns: D has been written, but where odd is jumped to.
func (e *denseCode) endFragments(odd x86.Label) {
	e.MI(x86.MOV, x86.S64, x86.At(dnContext, fcResult), 1)
	e.Bind(odd)
	e.None(x86.VZEROUPPER)
	e.None(x86.RET)
}

// jumpIfAny jumps if a bit of a register is set.
func (e *denseCode) jumpIfAny(v x86.Vec, to x86.Label) {
	if e.wide {
		e.KVV(x86.VPTESTMD, e.w, x86.K1, v, v)
		e.KK(x86.KORTESTW, x86.K1, x86.K1)
	} else {
		e.VV(x86.VPTEST, e.w, v, v)
	}
	e.Jcc(x86.NE, to)
}

// registerOf puts the address of a register of A, B, C, D or the metadata into dnTemp.
func (e *denseCode) registerOf(operand, i int) {
	for _, before := range [5][]int{1: {0, 4}, 2: {0, 4, 1}, 3: {0, 4, 1, 2}, 4: {0}}[operand] {
		i += e.fragment.counts[before]
	}
	e.RM(x86.MOV, x86.S32, dnTemp, x86.At(fgOffsets, int32(4*i)))
	e.RM(x86.ADD, x86.S64, dnTemp, x86.At(dnContext, fcRegisters+8*int32(operand)))
}

// fragmentsOfA makes values and exponents of A, those of a vector's rows together.
func (e *denseCode) fragmentsOfA() {
	f, spreads := e.fragment, e.spreads(0)
	e.beginElements(0)
	for r := range f.counts[0] {
		word, half := r/f.halves*spreads, r%f.halves
		for v := range f.vectors {
			block := int32(half*f.vectors+v) * f.block
			e.wordsOfFragment(0, r, v, func(part, i int, value x86.Vec) {
				e.turnRows(block+e.turnedAt((word+part)*f.values+i, 0), value)
			}, func(part int, tops x86.Vec) {
				at := block + f.tops + e.turnedAt(e.topWord(word+part), 0)
				if e.pairedTops(word+part, tops, x86.At(fgRoom, at)) {
					e.turnRows(at, tops)
				}
			})
		}
	}
	e.endElements(0)
}

// turnRows stores a vector of A four times: all lanes of a row have its first element, its second one, and so on.
func (e *denseCode) turnRows(at int32, v x86.Vec) {
	for lane := range 4 {
		e.VVI(x86.VPSHUFD, e.w, fvTurned, v, uint8(lane*0x55))
		e.store(x86.At(fgRoom, at+e.turnedAt(0, lane)), fvTurned)
	}
}

// turnedAt is where, among vectors that have been turned, the one is for a lane of four.
func (e *denseCode) turnedAt(i, lane int) int32 { return int32(4*i+lane) * e.size() }

// fragmentsOfB makes values and exponents of B: for each element of a word 128 bits for each lane of four and parity of the columns.
func (e *denseCode) fragmentsOfB() {
	f, spreads := e.fragment, e.spreads(1)
	e.beginElements(1)
	for r := range f.counts[1] {
		word := r * spreads
		for v := range f.vectors {
			at := int32(v) * e.size()
			e.wordsOfFragment(1, r, v, func(part, i int, value x86.Vec) {
				e.store(x86.At(fgRoom, f.right+int32((word+part)*f.values+i)*laneBytes+at), value)
			}, func(part int, tops x86.Vec) {
				to := x86.At(fgRoom, f.rightE+int32(e.topWord(word+part))*laneBytes+at)
				if e.pairedTops(word+part, tops, to) {
					e.store(to, tops)
				}
			})
		}
	}
	e.endElements(1)
	for i := range f.words[1] * f.values {
		e.turnColumns(f.right + int32(i)*laneBytes)
	}
	if e.exponents() {
		for i := range e.topWords(1) {
			e.turnColumns(f.rightE + int32(i)*laneBytes)
		}
	}
}

// wordsOfFragment calls value with a vector for each element of the words that become of a vector of a register, and tops with one
// of exponents for each of the words.
func (e *denseCode) wordsOfFragment(operand, r, v int, value func(part, i int, v x86.Vec), tops func(part int, v x86.Vec)) {
	for part := range e.spreads(operand) {
		e.registerOf(operand, r)
		e.load(fvWord, x86.At(dnTemp, int32(v)*e.size()))
		switch p := e.key.Packing[operand]; {
		case p.Four:
			e.fourAsBytes(operand, part)
		case p.Sparse:
			e.spreadWord(r, v, part)
		}
		e.wordOfFragment(operand, func(i int, v x86.Vec) { value(part, i, v) }, func(v x86.Vec) { tops(part, v) })
	}
}

// turnColumns brings what lanes have of B into the order in which it is multiplied: 128 bits are what the lanes j of four have of
// the even columns, the next those of the odd ones.
func (e *denseCode) turnColumns(at int32) {
	part := func(i int32) x86.Mem { return x86.At(fgRoom, at+i*e.size()) }
	if e.wide {
		e.load(0, part(0))
		e.load(1, part(1))
		for half := range 2 {
			e.load(2, e.ConstRow(turnedColumns(half), 64))
			e.VVV(x86.VPERMI2D, e.w, 2, 0, 1)
			e.store(part(int32(half)), 2)
		}
		return
	}
	for i := range int32(4) {
		e.load(x86.Vec(i), part(i))
	}
	for i, op := range []x86.Op{x86.VPUNPCKLDQ, x86.VPUNPCKHDQ} {
		e.VVV(op, e.w, 4, 0, 1)
		e.VVV(op, e.w, 5, 2, 3)
		e.VVV(x86.VPUNPCKLQDQ, e.w, 6, 4, 5)
		e.VVV(x86.VPUNPCKHQDQ, e.w, 7, 4, 5)
		e.store(part(int32(2*i)), 6)
		e.store(part(int32(2*i+1)), 7)
	}
}

// turnedColumns are the places, in two vectors of 16 lanes, of half of what turnColumns makes.
func turnedColumns(half int) []byte {
	list := make([]byte, 64)
	for i := range 16 {
		lane, parity, t := 2*half+i/8, i/4%2, i%4
		list[4*i] = byte(4*(2*t+parity) + lane)
	}
	return list
}

// sumAt is where a vector of C is in the room.
func (f *fragmentPlan) sumAt(half, v, parity int, size int32) int32 {
	return f.sum + int32((half*f.vectors+v)*2+parity)*size
}

// fragmentsOfC spreads C.
func (e *denseCode) fragmentsOfC() {
	f := e.fragment
	for r := range f.counts[2] {
		e.registerOf(2, r)
		for v := range f.vectors {
			e.load(0, x86.At(dnTemp, int32(v)*e.size()))
			if f.counts[2] == 2*f.halves {
				e.store(x86.At(fgRoom, f.sumAt(r/2, v, r%2, e.size())), 0)
				continue
			}
			e.and(1, 0, e.word(0xffff))
			e.VVI(x86.VPSRLD, e.w, 0, 0, 16)
			e.store(x86.At(fgRoom, f.sumAt(r, v, 0, e.size())), 1)
			e.store(x86.At(fgRoom, f.sumAt(r, v, 1, e.size())), 0)
		}
	}
}

// fragmentsOfD writes D.
func (e *denseCode) fragmentsOfD() {
	f := e.fragment
	for r := range f.counts[3] {
		e.registerOf(3, r)
		for v := range f.vectors {
			if f.counts[3] == 2*f.halves {
				e.load(0, x86.At(fgRoom, f.sumAt(r/2, v, r%2, e.size())))
			} else {
				e.load(0, x86.At(fgRoom, f.sumAt(r, v, 1, e.size())))
				e.VVI(x86.VPSLLD, e.w, 0, 0, 16)
				e.load(1, x86.At(fgRoom, f.sumAt(r, v, 0, e.size())))
				e.or(0, 0, 1)
			}
			e.store(x86.At(dnTemp, int32(v)*e.size()), 0)
		}
	}
}

// fragmentSums computes all elements, vector after vector.
func (e *denseCode) fragmentSums() {
	f := e.fragment
	e.RM(x86.LEA, x86.S64, dnSum, x86.At(fgRoom, f.sum))
	e.RR(x86.MOV, x86.S64, dnLeft, fgRoom)
	if e.key.PerLine != 0 {
		e.RM(x86.MOV, x86.S64, dnScales, x86.At(dnContext, fcScales))
	}
	e.MovImm(dnRows, uint64(f.halves*f.vectors))
	e.setBad()
	e.setNotes()
	if e.key.Integers {
		e.restOfBytes()
	} else {
		e.limits()
	}
	again := e.NewLabel()
	e.Bind(again)
	for parity := range int32(2) {
		f.parity = parity
		e.vector()
		e.RI(x86.ADD, x86.S64, dnSum, e.size())
	}
	e.RI(x86.ADD, x86.S64, dnLeft, f.block)
	if e.key.PerLine != 0 {
		e.nextRowsScales()
	}
	e.RI(x86.SUB, x86.S64, dnRows, 1)
	e.Jcc(x86.NE, again)
	e.notesToBad()
}

// Vector registers, of which AVX-512 alone has so many, of what all vectors of a tile have: it does not matter here which one does not fit.
const (
	fnMost  x86.Vec = 16 + iota // the most of the bits of C but the sign
	fnLeast                     // the least of the exponents of sums, plus denseOffset
	fnLeft                      // below zero where a sum has left 32 bits
)

// notes tells whether there are such registers: no line has a limit of its own.
func (e *denseCode) notes() bool {
	return e.fragment != nil && e.wide && !e.key.Integers && e.key.PerLine == 0
}

// setNotes has seen nothing.
func (e *denseCode) setNotes() {
	if !e.notes() {
		return
	}
	e.set(fnMost, 0)
	e.set(fnLeast, 1<<32-1)
	e.set(fnLeft, 0)
}

// notesToBad notes what does not fit as single vectors do.
func (e *denseCode) notesToBad() {
	if !e.notes() {
		return
	}
	or := func() { e.KKK(x86.KORW, x86.K5, x86.K5, x86.K1) }
	e.KVMI(x86.VPCMPUD, e.w, x86.K1, fnMost, e.word(255<<24-1), 6)
	or()
	e.KVVI(x86.VPCMPUD, e.w, x86.K1, fnLeast, dvLimit, denseLT)
	or()
	e.KV(x86.VPMOVD2M, e.w, x86.K1, fnLeft)
	or()
}

// fragmentPlace is where element k of K is in A (0) or B (1): the word of those that have become, the lane of four, and the element
// of the word. A word of a sparse A has become two neighbours, one of four bits its even elements and its odd ones.
func (e *denseCode) fragmentPlace(operand, k int) (word, lane, i int) {
	per := 32 / e.key.Bits
	at := k / per
	switch p := e.key.Packing[operand]; {
	case p.Four:
		return k/32*2 + k%2, k / 8 % 4, k % 8 / 2
	case p.Sparse:
		return at/8*2 + at%2, at / 2 % 4, k % per
	}
	return at / 4, at % 4, k % per
}

// columnsOf loads the words of B, or of its lines, that are in the room, for the columns that are computed.
func (e *denseCode) columnsOf(d x86.Vec, at int32, lane int) {
	e.VM(e.either(x86.VBROADCASTI32X4, x86.VBROADCASTI128), e.w, d, x86.At(fgRoom, at+16*(int32(2*lane)+e.fragment.parity)))
}

// rowsOf is where value i of the words with element k of K is, of A's rows.
func (e *denseCode) rowsOf(k, i int) x86.Mem {
	word, lane, _ := e.fragmentPlace(0, k)
	return x86.At(dnLeft, e.turnedAt(word*e.fragment.values+i, lane))
}

// columnValues loads value i of the words with element k of K, of B's columns.
func (e *denseCode) columnValues(d x86.Vec, k, i int) {
	word, lane, _ := e.fragmentPlace(1, k)
	e.columnsOf(d, e.fragment.right+int32(word*e.fragment.values+i)*laneBytes, lane)
}
