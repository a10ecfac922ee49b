// Package products has machine code for products of matrices (num.Multiplier): dense and sparse ones, with scale factors, of
// f64, and of fragments in a warp's registers. It knows no instruction of PTX; num has the portable code that it is compared with.
package products

// This file calls machine code for products of dense matrices.

import (
	"math"
	"math/bits"
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"

	"ptxvm.invalid/ptxvm/internal/jit/native"
	"ptxvm.invalid/ptxvm/internal/jit/x86"
	"ptxvm.invalid/ptxvm/internal/num"
)

// denseContext is what the code of a product gets; offsets are dc….
type denseContext struct {
	left, right, sum                               unsafe.Pointer
	misfit                                         unsafe.Pointer
	values, exponents, rightValues, rightExponents unsafe.Pointer
	rows, groups, pitch, misfits, leftRuns, blocks uint64
	scale                                          [2]float32
	bias                                           [2]int32
	base, least                                    int32
	limit, _                                       int32
	result                                         uint64
	leftScales, rightScales, terms                 unsafe.Pointer
}

// Multiplier computes products of matrices by machine code. It is a num.Multiplier, safe for concurrent use.
type Multiplier struct {
	avx512  bool
	mu      sync.RWMutex
	codes   map[denseKey]uintptr // 0: there is none
	warps   map[fragmentKey]uintptr
	scans   [2]atomic.Uintptr // of bf16 and tf32: what extremes calls; 0: not made, or there is none
	doubles atomic.Uintptr    // what MultiplyDoubles calls
	pages   []*native.Code
}

// New makes code when it is needed: by AVX2, or by AVX-512 (native.HasAVX512).
func New(avx512 bool) *Multiplier {
	return &Multiplier{avx512: avx512, codes: map[denseKey]uintptr{}, warps: map[fragmentKey]uintptr{}}
}

// code returns the entry of a product's code, 0 if there is none.
func (m *Multiplier) code(key denseKey) uintptr {
	return codeOf(m, m.codes, key, key, (*denseCode).assemble)
}

// codeOf returns the entry of a product's code from a list of m's, for which it is made at its first use; 0 if there is none.
func codeOf[K comparable](m *Multiplier, list map[K]uintptr, key K, shape denseKey, assemble func(*denseCode) bool) uintptr {
	m.mu.RLock()
	entry, known := list[key]
	m.mu.RUnlock()
	if known {
		return entry
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if entry, known = list[key]; !known {
		e := m.assembler()
		if e.key = shape; assemble(e) {
			entry = m.page(e)
		}
		list[key] = entry
	}
	return entry
}

func (m *Multiplier) assembler() *denseCode {
	e := &denseCode{Asm: x86.New(nil), w: x86.W256}
	if m.avx512 {
		e.w, e.wide = x86.W512, true
	}
	return e
}

// page makes code executable.
func (m *Multiplier) page(e *denseCode) uintptr {
	bytes, err := e.Finish()
	if err != nil {
		panic("BUG: " + err.Error())
	}
	code, err := native.New(bytes)
	if err != nil {
		return 0
	}
	m.pages = append(m.pages, code)
	return code.Addr(0)
}

// Close gives the memory back.
func (m *Multiplier) Close() (err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, p := range m.pages {
		err = p.Free()
	}
	for _, at := range []*atomic.Uintptr{&m.scans[0], &m.scans[1], &m.doubles} {
		at.Store(0)
	}
	m.pages = nil
	clear(m.codes)
	clear(m.warps)
	return err
}

// lanes is how many columns the code computes at once.
func (m *Multiplier) lanes() int {
	if m.avx512 {
		return 16
	}
	return 8
}

// Multiply implements num.Multiplier.
func (m *Multiplier) Multiply(d *num.Dense) bool {
	room := d.Room()
	if room.By != num.Multiplier(m) {
		room.By, room.Code = m, m.code(keyOf(d.DenseShape))
	}
	entry := room.Code
	elements := d.Rows * d.K
	if entry == 0 || d.Rows == 0 || d.Columns == 0 || elements%m.lanes() != 0 {
		return false
	}
	c := &denseContext{rows: uint64(d.Rows), groups: uint64(d.Columns / m.lanes()), pitch: uint64(4 * d.Columns), misfits: uint64(d.Columns / 8)}
	c.leftRuns, c.blocks = uint64(elements/m.lanes()), uint64(d.Columns/num.DenseLanes)
	if d.Clashes() || !d.Integers && !c.exponentsOf(d, m) || d.PerLine != 0 && !c.scalesOf(d, m.lanes()) {
		return false
	}
	for i, n := range []int{elements, elements, d.Columns * d.K, d.Columns * d.K} {
		room.Words[i] = num.Grown(room.Words[i], n)
	}
	room.Misfits = num.Grown(room.Misfits, d.Rows*d.Columns/8)
	c.values, c.exponents = unsafe.Pointer(&room.Words[0][0]), unsafe.Pointer(&room.Words[1][0])
	c.rightValues, c.rightExponents = unsafe.Pointer(&room.Words[2][0]), unsafe.Pointer(&room.Words[3][0])
	c.left, c.right, c.sum = unsafe.Pointer(&d.Left[0]), unsafe.Pointer(&d.Right[0]), unsafe.Pointer(&d.Sum[0])
	c.misfit = unsafe.Pointer(&room.Misfits[0])
	native.Call(entry, unsafe.Pointer(c))
	runtime.KeepAlive(d)
	switch c.result {
	case 0:
		return true
	case 1:
		return false
	}
	for i, lanes := range room.Misfits {
		for ; lanes != 0; lanes &= lanes - 1 {
			at := 8*i + bits.TrailingZeros8(lanes)
			d.Sum[at] = d.Reference(at/d.Columns, at%d.Columns, d.Sum[at])
		}
	}
	return true
}

// exponentsOf finds the powers of two by which matrices of bf16 and tf32 are brought near 1; false if their elements are too
// far apart or not finite.
func (c *denseContext) exponentsOf(d *num.Dense, m *Multiplier) bool {
	c.scale = [2]float32{1, 1}
	base := int32(0)
	for i, list := range [][]uint32{d.Left, d.Right} {
		if !denseWide(d.Format[i]) {
			continue
		}
		largest, least := m.extremes(list, d.Bits, d.Room())
		if largest >= 0x7f800000 {
			return false
		}
		top := int32(0)
		if largest != 0 {
			top = int32(max(largest>>23, 1)) - 127
			if int32(max(least>>23, 1))-127 < top-denseSpread {
				return false
			}
		}
		c.scale[i], c.bias[i] = math.Float32frombits(uint32(127-max(top, -126))<<23), 127+top
		if top < -126 || top > 126 {
			return false
		}
		base += top
	}
	least := int32(denseLow)
	if f := d.Rule.Floor(); f > denseLow {
		least = int32(f)
	}
	c.base, c.least, c.limit = 127+base, least-base, denseLow-base+denseOffset
	return true
}
