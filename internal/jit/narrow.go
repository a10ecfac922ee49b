package jit

// Bytes and halves of lanes at a constant distance. What lies between the first lane's element and the last one's is read as it
// stands, in windows that end where the row of lanes ends at the latest, so that nothing is touched that has not been tested; the
// elements are picked from that. Elements that are words together are stored as words.

import (
	"encoding/binary"

	"ptxvm.invalid/ptxvm/internal/jit/x86"
	"ptxvm.invalid/ptxvm/internal/sem"
)

// narrows tells whether element k moves like that.
func (s *static) narrows(k int) bool {
	if s.m.Elem > 2 || s.src[1+k].typ != tW || s.stride.step <= 0 || s.stride.row < s.lanesOf(tW) || !s.allows(NarrowLanes) {
		return false
	}
	if s.s.op.Kind == sem.OpStore {
		return s.storesWords() || s.packs()
	}
	return s.m.Bits[k] >= int(8*s.m.Elem) && (!s.m.Signed || s.m.Bits[k] >= 32) && s.span() >= 4
}

// storesWords tells whether the elements of a lane that are stored are whole words.
func (s *static) storesWords() bool {
	return s.m.Size%4 == 0 && int(s.m.Size) == len(s.m.At)*int(s.m.Elem) && (s.evex || s.use == allLanes || s.word())
}

// word tells whether the lanes' words follow each other.
func (s *static) word() bool { return s.m.Size == 4 && s.stride.step == 4 }

// packs tells whether the lanes' elements follow each other and are stored by AVX2, for which AVX-512 has an instruction.
func (s *static) packs() bool {
	return !s.evex && s.use == allLanes && len(s.m.At) == 1 && s.stride.step == int64(s.m.Elem)
}

// span is how many bytes there are from the first one of a row of lanes to behind the last one.
func (s *static) span() int64 { return s.stride.step*int64(s.stride.row-1) + int64(s.m.Size) }

// loadNarrow loads element k of a register of lanes from a first one on.
func (s *static) loadNarrow(k int, v x86.Vec, first int) {
	s.uses(NarrowLanes)
	at := int64(first%s.stride.row) * s.stride.step
	n := narrowRow{static: s, row: s.place(0, first).Plus(int32(-at)), at: at + int64(k)*int64(s.m.Elem)}
	switch {
	case s.word():
		s.move(s.full(), v, n.row.Plus(int32(at)))
		n.extract(v, uint8(n.at-at))
	case n.window(v):
	default:
		n.gather(v)
	}
}

// narrowRow is where a register of lanes has its elements: at, at+step and so on behind the begin of the row.
type narrowRow struct {
	*static
	row x86.Mem
	at  int64
}

// extract brings the element at a byte of each word down, and extends it.
func (n *narrowRow) extract(v x86.Vec, from uint8) {
	bits := uint8(8 * n.m.Elem)
	if up := 32 - bits - 8*from; up != 0 {
		n.VVI(x86.VPSLLD, n.full(), v, v, up)
	}
	n.down(v)
}

// down extends the element in the highest bits of each word.
func (n *narrowRow) down(v x86.Vec) {
	op := x86.VPSRLD
	if n.m.Signed {
		op = x86.VPSRAD
	}
	n.VVI(op, n.full(), v, v, 32-uint8(8*n.m.Elem))
}

// start is where a window of some bytes begins that has what lies at a place.
func (n *narrowRow) start(at, bytes int64) int64 { return min(at, n.span()-bytes) }

// fits tells whether some lanes have their elements in a window of so many bytes, and the row is that long.
func (n *narrowRow) fits(lanes int, bytes int64) bool {
	return int64(lanes-1)*n.stride.step+int64(n.m.Elem) <= bytes && n.span() >= bytes
}

// window picks the elements from windows; false if they are too far apart.
func (n *narrowRow) window(v x86.Vec) bool {
	switch {
	case !n.evex && n.fits(4, 16):
		n.windows256(v)
	case !n.evex:
		return false
	case n.fits(16, 32):
		start := n.start(n.at, 32)
		n.move(x86.W256, v, n.row.Plus(int32(start)))
		n.picked(v, start, func(x x86.Vec) { n.VVV(x86.VPERMB, x86.W512, v, x, v) })
	case n.fits(16, 64):
		start := n.start(n.at, 64)
		n.picked(v, start, func(x x86.Vec) { n.VVM(x86.VPERMB, x86.W512, v, x, n.row.Plus(int32(start))) })
	case n.fits(16, 128):
		start := n.start(n.at, 128)
		n.move(x86.W512, v, n.row.Plus(int32(start)))
		n.picked(v, start, func(x x86.Vec) { n.VVM(x86.VPERMT2B, x86.W512, v, x, n.row.Plus(int32(start)+64)) })
	default:
		return false
	}
	return true
}

// picked lets a permutation bring the elements from a window into the highest bits of words, by a register of places in it.
func (n *narrowRow) picked(v x86.Vec, start int64, permute func(x x86.Vec)) {
	x := n.alloc()
	n.move(x86.W512, x, n.constRow(tW, func(lane int) uint64 {
		return n.places(uint64(n.at+int64(lane)*n.stride.step-start), 0, true)
	}))
	permute(x)
	n.release(temp(x))
	n.down(v)
}

// places are the four bytes of a word that bring the element from a place, up or down, and others of no meaning.
func (n *narrowRow) places(from, others uint64, up bool) (word uint64) {
	elem := int(n.m.Elem)
	for i := range 4 {
		at := i
		if up {
			at -= 4 - elem
		}
		b := others
		if 0 <= at && at < elem {
			b = from + uint64(at)
		}
		word |= b << (8 * i)
	}
	return word
}

// windows256 picks the elements of four lanes from each half of a register.
func (n *narrowRow) windows256(v x86.Vec) {
	var start [2]int64
	for i := range start {
		start[i] = n.start(n.at+int64(4*i)*n.stride.step, 16)
	}
	n.move(x86.W128, v, n.row.Plus(int32(start[0])))
	n.VVMI(x86.VINSERTI128, x86.W256, v, v, n.row.Plus(int32(start[1])), 1)
	n.VVM(x86.VPSHUFB, x86.W256, v, v, n.constRow(tW, func(lane int) uint64 {
		return n.places(uint64(n.at+int64(lane)*n.stride.step-start[lane/4]), 0x80, n.m.Signed)
	}))
	if n.m.Signed {
		n.down(v)
	}
}

// gather loads words that have the elements, each as far ahead of its own as the end of the row demands.
func (n *narrowRow) gather(v x86.Vec) {
	from := func(lane int) (word, bits int64) {
		at := n.at + int64(lane)*n.stride.step
		word = n.start(at, 4)
		return word, 8 * (at - word)
	}
	index := n.alloc()
	n.move(n.full(), index, n.constRow(tW, func(lane int) uint64 {
		word, _ := from(lane)
		return uint64(word)
	}))
	n.RM(x86.LEA, x86.S64, x86.R8, n.row)
	places := x86.AtVec(x86.R8, index, 1, 0).By(n.row.Proof)
	if n.evex {
		n.KKK(x86.KXNORW, x86.K6, x86.K6, x86.K6)
		n.Masked(x86.K6).VM(x86.VPGATHERDDK, n.full(), v, places)
	} else {
		ones := n.alloc()
		n.VVV(x86.VPCMPEQD, n.full(), ones, ones, ones)
		n.VMV(x86.VPGATHERDD, n.full(), v, places, ones)
		n.release(temp(ones))
	}
	n.release(temp(index))
	n.VVM(x86.VPSRLVD, n.full(), v, v, n.constRow(tW, func(lane int) uint64 {
		_, bits := from(lane)
		return uint64(bits)
	}))
	n.extract(v, 0)
}

// storeNarrow stores element k of all lanes, or the word that begins with it.
func (s *static) storeNarrow(k int) {
	s.uses(NarrowLanes)
	s.wide = false
	n := s.parts(false)
	switch {
	case s.packs():
		for s.part = range n {
			s.pack(k)
		}
	case k*int(s.m.Elem)%4 == 0:
		for s.part = range n {
			v, first := s.joined(k), s.part*s.lanes
			if m := s.place(k, first); s.word() {
				s.storeVector(s.full(), m, &s.src[1+k], v)
			} else {
				s.strew(k, s.full(), v, m, first)
			}
			s.release(temp(v))
		}
	}
}

// joined makes words of the elements from k on.
func (s *static) joined(k int) x86.Vec {
	elem := int(s.m.Elem)
	word, bits := s.alloc(), uint8(8*elem)
	for i := range 4 / elem {
		from := s.dataOf(&s.src[1+k+i])
		x := s.accessed.load(from, tW)
		t := word
		if i > 0 {
			t = s.alloc()
		}
		s.VVI(x86.VPSLLD, s.full(), t, x.v, 32-bits)
		if down := 32 - bits*uint8(i+1); down != 0 {
			s.VVI(x86.VPSRLD, s.full(), t, t, down)
		}
		if i > 0 {
			s.VVV(s.opFor(cOr, tW), s.full(), word, word, t)
			s.release(temp(t))
		}
		s.unload(x, from)
		s.release(from)
	}
	return word
}

// pack stores a part of lanes whose elements follow each other by AVX2.
func (s *static) pack(k int) {
	from := s.dataOf(&s.src[1+k])
	x, t := s.accessed.load(from, tW), s.alloc()
	m := s.place(k, s.part*s.lanes)
	if s.m.Elem == 2 {
		s.VVM(x86.VPSHUFB, x86.W256, t, x.v, s.packing(0, 0))
		s.VVI(x86.VPERMQ, x86.W256, t, t, 0b1000)
		s.MV(x86.VMOVDQU, x86.W128, m, t)
	} else {
		high := s.alloc()
		s.VVM(x86.VPSHUFB, x86.W256, t, x.v, s.packing(0, 4))
		s.VVI(x86.VEXTRACTI128, x86.W256, high, t, 1)
		s.VVV(x86.VPOR, x86.W128, t, t, high)
		s.MV(x86.VMOVQ, x86.W128, m, t)
		s.release(temp(high))
	}
	s.release(temp(t))
	s.unload(x, from)
	s.release(from)
}

// packing is a control of VPSHUFB that brings the elements of four words together, from a byte of each half on, and zeros elsewhere.
func (s *static) packing(at ...int) x86.Mem {
	var row []byte
	for _, first := range at {
		half := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, 0x8080808080808080), 0x8080808080808080)
		elem := int(s.m.Elem)
		for i := range 4 * elem {
			half[first+i] = byte(i/elem*4 + i%elem)
		}
		row = append(row, half...)
	}
	return s.ConstRow(row, len(row))
}
