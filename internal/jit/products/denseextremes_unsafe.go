package products

// How far apart the elements of a matrix of bf16 or tf32 are.

import (
	"math"
	"runtime"
	"sync/atomic"
	"unsafe"

	"ptxvm.invalid/ptxvm/internal/jit/native"
	"ptxvm.invalid/ptxvm/internal/jit/x86"
	"ptxvm.invalid/ptxvm/internal/num"
)

// elementRange is the largest element of a list of bf16 or tf32 and the least that is not zero, as the bits of an f32 without
// sign; below is one less than the least, 2^32-1 if all are zero.
type elementRange struct{ largest, below uint32 }

func (s *elementRange) see(v uint32) { s.largest, s.below = max(s.largest, v), min(s.below, v-1) }

// seeAll looks at a list of elements of so many bits: the reference implementation of the code of scan.
func (s *elementRange) seeAll(list []uint32, width int) {
	for _, v := range list {
		if width == 32 {
			s.see(v & 0x7fffe000)
			continue
		}
		s.see(v & 0x7fff0000)
		s.see(v << 16 & 0x7fff0000)
	}
}

// extremes returns the largest and the least element.
func (m *Multiplier) extremes(list []uint32, width int, room *num.DenseRoom) (largest, least uint32) {
	s := elementRange{below: math.MaxUint32}
	if code := m.scan(width); code != 0 && len(list) >= m.lanes() {
		found := num.Grown(room.Words[0], 2*m.lanes())
		room.Words[0] = found
		c := denseContext{left: unsafe.Pointer(&list[0]), values: unsafe.Pointer(&found[0]), leftRuns: uint64(len(list) / m.lanes())}
		native.Call(code, unsafe.Pointer(&c))
		runtime.KeepAlive(list)
		for i := range m.lanes() {
			s.largest, s.below = max(s.largest, found[i]), min(s.below, found[m.lanes()+i])
		}
		list = list[len(list)/m.lanes()*m.lanes():]
	}
	s.seeAll(list, width)
	return s.largest, s.below + 1
}

// scan returns code that finds the extremes of each lane.
func (m *Multiplier) scan(width int) uintptr {
	return m.once(&m.scans[width/32], func(e *denseCode) { e.scan(width) })
}

// once returns code that is made at its first use; 0 if there is none.
func (m *Multiplier) once(at *atomic.Uintptr, assemble func(*denseCode)) uintptr {
	if code := at.Load(); code != 0 {
		return code
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if at.Load() == 0 {
		e := m.assembler()
		assemble(e)
		at.Store(m.page(e))
	}
	return at.Load()
}

// scan assembles a loop over the vectors at dcLeft; two are stored at dcValues.
func (e *denseCode) scan(width int) {
	const value, largest, below, other = 0, 1, 2, 3
	e.RM(x86.MOV, x86.S64, dnLeft, x86.At(dnContext, dcLeft))
	e.RM(x86.MOV, x86.S64, dnRight, x86.At(dnContext, dcValues))
	e.RM(x86.MOV, x86.S64, dnRows, x86.At(dnContext, dcLeftRuns))
	e.set(largest, 0)
	e.set(below, math.MaxUint32)
	again := e.NewLabel()
	e.Bind(again)
	e.load(value, x86.At(dnLeft, 0))
	see := func(mask uint32) {
		e.and(other, value, e.word(mask))
		e.VVV(x86.VPMAXUD, e.w, largest, largest, other)
		e.VVM(x86.VPADDD, e.w, other, other, e.word(math.MaxUint32))
		e.VVV(x86.VPMINUD, e.w, below, below, other)
	}
	if width == 32 {
		see(0x7fffe000)
	} else {
		see(0x7fff0000)
		e.VVI(x86.VPSLLD, e.w, value, value, 16)
		see(0x7fff0000)
	}
	e.RI(x86.ADD, x86.S64, dnLeft, e.size())
	e.RI(x86.SUB, x86.S64, dnRows, 1)
	e.Jcc(x86.NE, again)
	e.store(x86.At(dnRight, 0), largest)
	e.store(x86.At(dnRight, e.size()), below)
	e.None(x86.VZEROUPPER)
	e.None(x86.RET)
}
