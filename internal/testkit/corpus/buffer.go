// This file holds the device buffers of a run, their bytes and their comparison.

package corpus

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
)

// Elem is the element type of a buffer or scalar.
type Elem uint8

// The element types of PTX that the corpus uses.
const (
	U8 Elem = iota
	U16
	U32
	U64
	S16
	S32
	F16
	BF16
	F32
	F64
)

var elems = [...]struct {
	name string
	size int // bytes
}{
	U8: {"u8", 1}, U16: {"u16", 2}, U32: {"u32", 4}, U64: {"u64", 8}, S16: {"s16", 2}, S32: {"s32", 4},
	F16: {"f16", 2}, BF16: {"bf16", 2}, F32: {"f32", 4}, F64: {"f64", 8},
}

func (e Elem) String() string { return elems[e].name }

// Size returns the element's size in bytes.
func (e Elem) Size() int { return elems[e].size }

// Buffer is one allocation of device memory.
type Buffer struct {
	Name string
	Elem Elem
	Init []byte    // contents before the first launch
	Want []byte    // contents after the last one; nil: not compared
	Tol  Tolerance // zero: equal bits
}

// Tolerance bounds |got-want| of float buffers by Abs + Rel*|want|.
type Tolerance struct {
	Rel, Abs float64
	Why      string // what makes the result inexact
}

// Check compares contents after a run with what the case wants, and reports the first differing element.
func (b *Buffer) Check(got []byte) error {
	if b.Want == nil {
		return nil
	}
	if len(got) != len(b.Want) {
		return fmt.Errorf("%s: %d bytes, want %d", b.Name, len(got), len(b.Want))
	}
	size, bad, first := b.Elem.Size(), 0, -1
	for i := 0; i < len(got)/size; i++ {
		if !b.same(got[i*size:][:size], b.Want[i*size:][:size]) {
			bad++
			if first < 0 {
				first = i
			}
		}
	}
	if bad == 0 {
		return nil
	}
	at := first * size
	return fmt.Errorf("%s[%d] = %s, want %s (%d of %d %s elements differ)", b.Name, first,
		b.Elem.text(got[at:][:size]), b.Elem.text(b.Want[at:][:size]), bad, len(got)/size, b.Elem)
}

func (b *Buffer) same(got, want []byte) bool {
	if b.Tol == (Tolerance{}) || bytes.Equal(got, want) {
		return bytes.Equal(got, want)
	}
	g, w := b.Elem.float(got), b.Elem.float(want)
	return math.Abs(g-w) <= b.Tol.Abs+float64(b.Tol.Rel*math.Abs(w))
}

// float returns the value of an f32 or f64 element.
func (e Elem) float(p []byte) float64 {
	switch e {
	case F32:
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(p)))
	case F64:
		return math.Float64frombits(binary.LittleEndian.Uint64(p))
	}
	panic(fmt.Sprintf("BUG: %s has no tolerance", e))
}

// text shows an element: floats as values, all as bits.
func (e Elem) text(p []byte) string {
	var word [8]byte
	copy(word[:], p)
	bits := fmt.Sprintf("0x%0*x", 2*e.Size(), binary.LittleEndian.Uint64(word[:]))
	if e == F32 || e == F64 {
		return fmt.Sprintf("%v (%s)", e.float(p), bits)
	}
	return bits
}
