package tensor

// Interleaved tensors (5.5.6): channels, along dimension 0, lie in slices of 16 or 32 bytes, in each of which all pixels of an
// image follow each other: NC/8DHWC8, NC/16HWC16. The manual has neither addresses nor the order in shared memory: a box lies
// there as the tensor does in global memory.

import (
	"errors"
	"fmt"
)

// SliceStrides says what the strides of an interleaved tensor are (assumption U60).
type SliceStrides uint8

const (
	PlaneStrides SliceStrides = iota // of dimensions 1 and up; a slice is as long as what the last one but one extends over
	SliceFirst                       // of slices, then of dimensions 2 and up; along dimension 1 a pixel follows the other
)

// sliceBytes is the size of a slice's channels of a pixel.
func (m *Map) sliceBytes() uint32 { return 8 << m.Interleave }

// channels is how many channels a slice has, slices how many slices of them a box has.
func (m *Map) channels() uint32 { return m.sliceBytes() / m.Type.Size() }

func (m *Map) slices() int { return int(m.Box[0] / m.channels()) }

// checkSlices says what is wrong with the map of an interleaved tensor.
func (m *Map) checkSlices() error {
	switch {
	case m.Interleave == 0:
		return nil
	case m.Interleave > 2:
		return fmt.Errorf("interleave layout %d does not exist", m.Interleave)
	case m.Rank < 3:
		return fmt.Errorf("rank %d: interleaved tensors have 3 to %d dimensions", m.Rank, MaxRank)
	case m.Mode > Im2col:
		return fmt.Errorf("%v takes no interleaved tensors", m.Mode)
	case m.Interleave == 2 && m.Swizzle != 1:
		return errors.New("an interleave of 32 bytes goes with a swizzle of 32 bytes")
	case m.Swizzle == 4:
		return errors.New("a swizzle of 96 bytes does not go with interleaving")
	case m.Address%uint64(m.sliceBytes()) != 0:
		return fmt.Errorf("the address %#x is no multiple of %d, as an interleave of that wants", m.Address, m.sliceBytes())
	}
	for d, s := range m.Strides[:m.Rank-1] {
		if s%uint64(m.sliceBytes()) != 0 {
			return fmt.Errorf("the stride of dimension %d is %d bytes: an interleave of %d wants a multiple of that", d+1, s, m.sliceBytes())
		}
	}
	return nil
}

// unknown says of a map that can be made why no statement can use it: no manual says what its copies do.
func (m *Map) unknown() error {
	switch {
	case m.Interleave == 0:
		return nil
	case m.Type.info().many != 1:
		return fmt.Errorf("no manual says how elements of type %v are interleaved", m.Type)
	case m.Box[0]%m.channels() != 0:
		return fmt.Errorf("its box has %d channels: no manual says how a part of a slice is copied; whole ones have %d", m.Box[0], m.channels())
	case m.Steps[0] != 1:
		return fmt.Errorf("no manual says what an element stride of %d along the channels of slices takes; 1 is executed", m.Steps[0])
	}
	return nil
}

// stride is that of dimension d; of dimension 0, from slice to slice.
func (m *Map) stride(s SliceStrides, d int) int64 {
	switch {
	case s == SliceFirst && d == 0:
		return int64(m.Strides[0])
	case s == SliceFirst && d == 1:
		return int64(m.sliceBytes())
	case d == 0:
		return int64(m.Strides[m.Rank-3]) * m.dim(m.Rank-2)
	}
	return int64(m.Strides[d-1])
}

// slice is the row of a box's slice at a pixel.
func (m *Map) slice(at [MaxRank]int64, k int, s SliceStrides) Row {
	n := int64(m.channels())
	at[0] += int64(k) * n
	row := m.cut(at, n, func(d int) int64 { return m.stride(s, d) })
	if row.Bytes != 0 { // cut takes the channels before as neighbours
		row.Address += uint64(at[0]/n*m.stride(s, 0) - at[0]*int64(m.Type.Size()))
	}
	return row
}

// sliceRows lists the slices of a box at coordinates.
func (m *Map) sliceRows(at [MaxRank]int32, s SliceStrides) (rows []Row) {
	n, images := m.counts(), m.Rank-1
	spatial := n
	spatial[images] = 1
	for i := range n[images] {
		for k := range n[0] {
			for i3 := range spatial[3] {
				for i2 := range spatial[2] {
					for i1 := range spatial[1] {
						in := [MaxRank]int{0, i1, i2, i3}
						in[images] = i
						rows = append(rows, m.slice(m.place(at, in), k, s))
					}
				}
			}
		}
	}
	return rows
}
