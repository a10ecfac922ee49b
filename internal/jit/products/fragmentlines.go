package products

// Fragments of a sparse A, and scale factors of fragments.

import (
	"ptxvm.invalid/ptxvm/internal/jit/x86"
)

// metaBytes is what num.Fragments.Meta has of a register of A: for each chunk of a word the lanes of four and the bits.
const metaBytes = 2 * 32

// fgMeta points to num.Fragments.Meta.
const fgMeta = x86.R11

// spreadWord makes of a word of stored elements, in fvWord, the first or the second one with zeros between them. A stored element
// goes up by as many bits as its place in the chunk says: out of the first word, or into the second.
func (e *denseCode) spreadWord(r, v, part int) {
	const meta, first, second, element = 1, 2, 3, 4
	chunk := int32(0)
	if e.key.Bits == 8 {
		chunk = int32(part) // a word has two, and one becomes a word
	}
	e.registerOf(4, 0)
	e.RM(x86.MOV, x86.S64, fgMeta, x86.At(dnContext, fcMeta))
	table := func(d x86.Vec, at int32) {
		e.VM(e.either(x86.VBROADCASTI32X4, x86.VBROADCASTI128), e.w, d, x86.At(fgMeta, int32(r)*metaBytes+chunk*32+at))
	}
	e.load(meta, x86.At(dnTemp, int32(v)*e.size()))
	table(first, 0)
	e.VVV(x86.VPERMILPS, e.w, meta, meta, first)
	table(first, 16)
	e.VVV(x86.VPSRLVD, e.w, meta, meta, first)
	shift := func(d x86.Vec, down, mask, up uint8) {
		e.VVI(x86.VPSRLD, e.w, d, meta, down)
		e.and(d, d, e.word(uint32(mask)))
		e.VVI(x86.VPSLLD, e.w, d, d, up)
	}
	back := func(d x86.Vec) {
		if part == 1 && e.key.Bits != 8 {
			e.VVM(x86.VPADDD, e.w, d, d, e.word(1<<32-32))
		}
	}
	if e.key.Bits == 32 {
		shift(first, 1, 1, 5)
		back(first)
		e.VVV(x86.VPSLLVD, e.w, fvWord, fvWord, first)
		return
	}
	up := uint8(3)
	if e.key.Bits == 16 {
		up = 4
	}
	shift(first, 0, 3, up)
	shift(second, 2, 3, up)
	e.VVV(e.either(x86.VPXORD, x86.VPXOR), e.w, element, first, second)
	e.VVV(x86.VPMINUD, e.w, fvApart, fvApart, element)
	back(first)
	back(second)
	bits := uint8(e.key.Bits)
	if chunk == 1 {
		e.VVI(x86.VPSRLD, e.w, fvWord, fvWord, 16)
	}
	e.and(element, fvWord, e.word(1<<bits-1))
	e.VVI(x86.VPSRLD, e.w, fvWord, fvWord, bits)
	e.and(fvWord, fvWord, e.word(1<<bits-1))
	e.VVV(x86.VPSLLVD, e.w, element, element, first)
	e.VVV(x86.VPSLLVD, e.w, fvWord, fvWord, second)
	e.or(fvWord, fvWord, element)
}

// noteClashes notes whether metadata have named a place twice.
func (e *denseCode) noteClashes() {
	if e.key.Bits == 32 { // a chunk has one element
		return
	}
	e.set(1, 1)
	e.VVV(x86.VPMINUD, e.w, fvApart, fvApart, 1)
	e.VVV(e.either(x86.VPXORD, x86.VPXOR), e.w, fvApart, fvApart, 1)
	e.or(fvOdd, fvOdd, fvApart)
}

// Where num.FragmentScales has its parts.
const (
	fsColumns = 4 * laneBytes
	fsHalf    = 2 * laneBytes // of eight rows
)

// fragmentScales lays the factors of columns out as B is.
func (e *denseCode) fragmentScales() {
	if e.key.PerLine == 0 {
		return
	}
	e.RM(x86.MOV, x86.S64, dnTemp, x86.At(dnContext, fcScales))
	for i, to := range e.fragment.scales {
		for at := int32(0); at < laneBytes; at += e.size() {
			e.load(0, x86.At(dnTemp, fsColumns+int32(i)*laneBytes+at))
			e.store(x86.At(fgRoom, to+at), 0)
		}
		e.turnColumns(to)
	}
}

// nextRowsScales points to the factors of the next vector of rows.
func (e *denseCode) nextRowsScales() {
	e.RI(x86.ADD, x86.S64, dnScales, e.size())
	if e.fragment.halves == 1 {
		return
	}
	same := e.NewLabel()
	e.RI(x86.CMP, x86.S64, dnRows, int32(e.fragment.vectors)+1) // the first half is behind
	e.Jcc(x86.NE, same)
	e.RI(x86.ADD, x86.S64, dnScales, fsHalf-laneBytes)
	e.Bind(same)
}

// shuffled puts factor i of rows into all lanes of its row.
func (e *denseCode) shuffled(d x86.Vec, from x86.Mem, i int) {
	e.VMI(x86.VPSHUFD, e.w, d, from, uint8(i*0x55))
}

// factorExponents adds the exponents of factor i of rows and columns.
func (e *denseCode) factorExponents(d x86.Vec, i int) {
	if e.fragment != nil {
		e.shuffled(d, x86.At(dnScales, 0), i)
		e.columnsOf(dvTemp2, e.fragment.scales[0], i)
		e.VVV(x86.VPADDD, e.w, d, d, dvTemp2)
		return
	}
	e.VM(x86.VPBROADCASTD, e.w, d, x86.At(dnScales, int32(i)*e.perTerm()))
	e.VVM(x86.VPADDD, e.w, d, d, x86.At(dnScales2, int32(i)*e.perTerm()/4*e.size()))
}

// factorRests multiplies what is left of factor i of rows and columns without their exponents.
func (e *denseCode) factorRests(d x86.Vec, i int) {
	if e.fragment != nil {
		e.shuffled(d, x86.At(dnScales, laneBytes), i)
		e.columnsOf(dvTemp2, e.fragment.scales[1], i)
		e.VVV(x86.VMULPS, e.w, d, d, dvTemp2)
		return
	}
	e.VM(x86.VBROADCASTSS, e.w, d, x86.At(dnScales, int32(8*i+4)))
	e.VVM(x86.VMULPS, e.w, d, d, x86.At(dnScales2, int32(2*i+1)*e.size()))
}

// term is where a term is kept.
func (e *denseCode) term(i int) x86.Mem {
	if e.fragment != nil {
		return x86.At(fgRoom, e.fragment.terms+int32(i)*e.size())
	}
	return x86.At(dnTerms, int32(i)*e.size())
}
