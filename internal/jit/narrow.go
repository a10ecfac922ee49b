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
	if s.acc.m.Elem > 2 || s.acc.src[1+k].typ != tW || s.stride.step <= 0 || s.stride.row < s.acc.c.lanesOf(tW) || !s.acc.c.allows(NarrowLanes) {
		return false
	}
	if s.acc.s.op.Kind == sem.OpStore {
		return s.storesWords() || s.packs()
	}
	return s.acc.m.Bits[k] >= int(8*s.acc.m.Elem) && (!s.acc.m.Signed || s.acc.m.Bits[k] >= 32) && s.span() >= 4
}

// storesWords tells whether the elements of a lane that are stored are whole words.
func (s *static) storesWords() bool {
	return s.acc.m.Size%4 == 0 && int(s.acc.m.Size) == len(s.acc.m.At)*int(s.acc.m.Elem) && (s.acc.c.evex || s.acc.use == allLanes || s.word())
}

// word tells whether the lanes' words follow each other.
func (s *static) word() bool { return s.acc.m.Size == 4 && s.stride.step == 4 }

// packs tells whether the lanes' elements follow each other and are stored by AVX2, for which AVX-512 has an instruction.
func (s *static) packs() bool {
	return !s.acc.c.evex && s.acc.use == allLanes && len(s.acc.m.At) == 1 && s.stride.step == int64(s.acc.m.Elem)
}

// span is how many bytes there are from the first one of a row of lanes to behind the last one.
func (s *static) span() int64 { return s.stride.step*int64(s.stride.row-1) + int64(s.acc.m.Size) }

// loadNarrow loads element k of a register of lanes from a first one on.
func (s *static) loadNarrow(k int, v x86.Vec, first int) {
	s.acc.c.uses(NarrowLanes)
	at := int64(first%s.stride.row) * s.stride.step
	n := narrowRow{static: s, row: s.place(0, first).Plus(int32(-at)), at: at + int64(k)*int64(s.acc.m.Elem)}
	switch {
	case s.word():
		s.acc.c.move(s.acc.c.full(), v, n.row.Plus(int32(at)))
		n.extract(v, uint8(n.at-at))
	case n.window(v):
	default:
		n.gather(v)
	}
}

// narrowRow is where a register of lanes has its elements: at, at+step and so on behind the begin of the row.
type narrowRow struct {
	static *static
	row    x86.Mem
	at     int64
}

// extract brings the element at a byte of each word down, and extends it.
func (n *narrowRow) extract(v x86.Vec, from uint8) {
	bits := uint8(8 * n.static.acc.m.Elem)
	if up := 32 - bits - 8*from; up != 0 {
		n.static.acc.c.VVI(x86.VPSLLD, n.static.acc.c.full(), v, v, up)
	}
	n.down(v)
}

// down extends the element in the highest bits of each word.
func (n *narrowRow) down(v x86.Vec) {
	op := x86.VPSRLD
	if n.static.acc.m.Signed {
		op = x86.VPSRAD
	}
	n.static.acc.c.VVI(op, n.static.acc.c.full(), v, v, 32-uint8(8*n.static.acc.m.Elem))
}

// start is where a window of some bytes begins that has what lies at a place.
func (n *narrowRow) start(at, bytes int64) int64 { return min(at, n.static.span()-bytes) }

// fits tells whether some lanes have their elements in a window of so many bytes, and the row is that long.
func (n *narrowRow) fits(lanes int, bytes int64) bool {
	return int64(lanes-1)*n.static.stride.step+int64(n.static.acc.m.Elem) <= bytes && n.static.span() >= bytes
}

// window picks the elements from windows; false if they are too far apart.
func (n *narrowRow) window(v x86.Vec) bool {
	switch {
	case !n.static.acc.c.evex && n.fits(4, 16):
		n.windows256(v)
	case !n.static.acc.c.evex:
		return false
	case n.fits(16, 32):
		start := n.start(n.at, 32)
		n.static.acc.c.move(x86.W256, v, n.row.Plus(int32(start)))
		n.picked(v, start, func(x x86.Vec) { n.static.acc.c.VVV(x86.VPERMB, x86.W512, v, x, v) })
	case n.fits(16, 64):
		start := n.start(n.at, 64)
		n.picked(v, start, func(x x86.Vec) { n.static.acc.c.VVM(x86.VPERMB, x86.W512, v, x, n.row.Plus(int32(start))) })
	case n.fits(16, 128):
		start := n.start(n.at, 128)
		n.static.acc.c.move(x86.W512, v, n.row.Plus(int32(start)))
		n.picked(v, start, func(x x86.Vec) { n.static.acc.c.VVM(x86.VPERMT2B, x86.W512, v, x, n.row.Plus(int32(start)+64)) })
	default:
		return false
	}
	return true
}

// picked lets a permutation bring the elements from a window into the highest bits of words, by a register of places in it.
func (n *narrowRow) picked(v x86.Vec, start int64, permute func(x x86.Vec)) {
	x := n.static.acc.c.alloc()
	n.static.acc.c.move(x86.W512, x, n.static.acc.c.constRow(tW, func(lane int) uint64 {
		return n.places(uint64(n.at+int64(lane)*n.static.stride.step-start), 0, true)
	}))
	permute(x)
	n.static.acc.c.release(temp(x))
	n.down(v)
}

// places are the four bytes of a word that bring the element from a place, up or down, and others of no meaning.
func (n *narrowRow) places(from, others uint64, up bool) (word uint64) {
	elem := int(n.static.acc.m.Elem)
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
		start[i] = n.start(n.at+int64(4*i)*n.static.stride.step, 16)
	}
	n.static.acc.c.move(x86.W128, v, n.row.Plus(int32(start[0])))
	n.static.acc.c.VVMI(x86.VINSERTI128, x86.W256, v, v, n.row.Plus(int32(start[1])), 1)
	n.static.acc.c.VVM(x86.VPSHUFB, x86.W256, v, v, n.static.acc.c.constRow(tW, func(lane int) uint64 {
		return n.places(uint64(n.at+int64(lane)*n.static.stride.step-start[lane/4]), 0x80, n.static.acc.m.Signed)
	}))
	if n.static.acc.m.Signed {
		n.down(v)
	}
}

// gather loads words that have the elements, each as far ahead of its own as the end of the row demands.
func (n *narrowRow) gather(v x86.Vec) {
	from := func(lane int) (word, bits int64) {
		at := n.at + int64(lane)*n.static.stride.step
		word = n.start(at, 4)
		return word, 8 * (at - word)
	}
	index := n.static.acc.c.alloc()
	n.static.acc.c.move(n.static.acc.c.full(), index, n.static.acc.c.constRow(tW, func(lane int) uint64 {
		word, _ := from(lane)
		return uint64(word)
	}))
	n.static.acc.c.RM(x86.LEA, x86.S64, x86.R8, n.row)
	places := x86.AtVec(x86.R8, index, 1, 0).By(n.row.Proof)
	if n.static.acc.c.evex {
		n.static.acc.c.KKK(x86.KXNORW, x86.K6, x86.K6, x86.K6)
		n.static.acc.c.Masked(x86.K6).VM(x86.VPGATHERDDK, n.static.acc.c.full(), v, places)
	} else {
		ones := n.static.acc.c.alloc()
		n.static.acc.c.VVV(x86.VPCMPEQD, n.static.acc.c.full(), ones, ones, ones)
		n.static.acc.c.VMV(x86.VPGATHERDD, n.static.acc.c.full(), v, places, ones)
		n.static.acc.c.release(temp(ones))
	}
	n.static.acc.c.release(temp(index))
	n.static.acc.c.VVM(x86.VPSRLVD, n.static.acc.c.full(), v, v, n.static.acc.c.constRow(tW, func(lane int) uint64 {
		_, bits := from(lane)
		return uint64(bits)
	}))
	n.extract(v, 0)
}

// storeNarrow stores element k of all lanes, or the word that begins with it.
func (s *static) storeNarrow(k int) {
	s.acc.c.uses(NarrowLanes)
	s.acc.c.wide = false
	n := s.acc.c.parts(false)
	switch {
	case s.packs():
		for s.acc.c.part = range n {
			s.pack(k)
		}
	case k*int(s.acc.m.Elem)%4 == 0:
		for s.acc.c.part = range n {
			v, first := s.joined(k), s.acc.c.part*s.acc.c.lanes
			if m := s.place(k, first); s.word() {
				s.acc.storeVector(s.acc.c.full(), m, &s.acc.src[1+k], v)
			} else {
				s.strew(k, s.acc.c.full(), v, m, first)
			}
			s.acc.c.release(temp(v))
		}
	}
}

// joined makes words of the elements from k on.
func (s *static) joined(k int) x86.Vec {
	elem := int(s.acc.m.Elem)
	word, bits := s.acc.c.alloc(), uint8(8*elem)
	for i := range 4 / elem {
		from := s.acc.dataOf(&s.acc.src[1+k+i])
		x := s.acc.c.load(from, tW)
		t := word
		if i > 0 {
			t = s.acc.c.alloc()
		}
		s.acc.c.VVI(x86.VPSLLD, s.acc.c.full(), t, x.v, 32-bits)
		if down := 32 - bits*uint8(i+1); down != 0 {
			s.acc.c.VVI(x86.VPSRLD, s.acc.c.full(), t, t, down)
		}
		if i > 0 {
			s.acc.c.VVV(s.acc.c.opFor(cOr, tW), s.acc.c.full(), word, word, t)
			s.acc.c.release(temp(t))
		}
		s.acc.c.unload(x, from)
		s.acc.c.release(from)
	}
	return word
}

// pack stores a part of lanes whose elements follow each other by AVX2.
func (s *static) pack(k int) {
	from := s.acc.dataOf(&s.acc.src[1+k])
	x, t := s.acc.c.load(from, tW), s.acc.c.alloc()
	m := s.place(k, s.acc.c.part*s.acc.c.lanes)
	if s.acc.m.Elem == 2 {
		s.acc.c.VVM(x86.VPSHUFB, x86.W256, t, x.v, s.packing(0, 0))
		s.acc.c.VVI(x86.VPERMQ, x86.W256, t, t, 0b1000)
		s.acc.c.MV(x86.VMOVDQU, x86.W128, m, t)
	} else {
		high := s.acc.c.alloc()
		s.acc.c.VVM(x86.VPSHUFB, x86.W256, t, x.v, s.packing(0, 4))
		s.acc.c.VVI(x86.VEXTRACTI128, x86.W256, high, t, 1)
		s.acc.c.VVV(x86.VPOR, x86.W128, t, t, high)
		s.acc.c.MV(x86.VMOVQ, x86.W128, m, t)
		s.acc.c.release(temp(high))
	}
	s.acc.c.release(temp(t))
	s.acc.c.unload(x, from)
	s.acc.c.release(from)
}

// packing is a control of VPSHUFB that brings the elements of four words together, from a byte of each half on, and zeros elsewhere.
func (s *static) packing(at ...int) x86.Mem {
	var row []byte
	for _, first := range at {
		half := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, 0x8080808080808080), 0x8080808080808080)
		elem := int(s.acc.m.Elem)
		for i := range 4 * elem {
			half[first+i] = byte(i/elem*4 + i%elem)
		}
		row = append(row, half...)
	}
	return s.acc.c.ConstRow(row, len(row))
}
