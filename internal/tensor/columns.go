package tensor

// Columns of pixels (5.5.4, 5.5.5): the im2col modes of tensor copies, for convolutions. A tensor has channels in dimension 0,
// then W, H and D as far as it has them, and images in its last dimension.

import (
	"fmt"
	"slices"
)

// Mode is how a map's copies walk over the tensor.
type Mode uint8

// The modes.
const (
	Tiles      Mode = iota
	Im2col          // pixels of a bounding box in W, H and D
	Im2colW         // of a box in W alone
	Im2colW128      // the same, 128 pixels, with a halo behind every 32
)

// walkModes are the modifier of each mode, and the function that makes such a map.
var walkModes = [...]struct{ name, made string }{
	{".tile", "cuTensorMapEncodeTiled"}, {".im2col", "cuTensorMapEncodeIm2col"},
	{".im2col::w", "cuTensorMapEncodeIm2colWide with mode W"}, {".im2col::w::128", "cuTensorMapEncodeIm2colWide with mode W128"},
}

func (m Mode) String() string { return walkModes[m&3].name }

func (m Mode) made() string { return m.String() + " (" + walkModes[m&3].made + ")" }

// row is how an error begins that is about the innermost extent of a box.
func (m Mode) row() string {
	if m == Tiles {
		return "a row of the box is"
	}
	return "the channels of a pixel are"
}

// spatial are the dimensions of a tensor that are neither channels nor images.
const spatial = MaxRank - 2

// MaxPixels is the most pixels of a column, without a halo.
const MaxPixels = 1024

// Column describes what an im2col copy takes, in the place of a box.
type Column struct {
	Lower, Upper [spatial]int32 // corners of the bounding box, W first: the first position, and the last one, counted from the last element; Check holds them to 16 bits
	Pixels       uint32         // of a column
}

// spatialBits are the bits of a corner's coordinate, and of an offset, by rank (tables in 5.5.4.1).
var spatialBits = [MaxRank + 1]uint{3: 16, 4: 8, 5: 5}

// boxed is how many dimensions the bounding box has.
func (m *Map) boxed() int {
	if m.Mode == Im2col {
		return m.Rank - 2
	}
	return 1
}

// leaves reports whether the bounding box goes beyond the tensor.
func (m *Map) leaves() bool {
	return slices.ContainsFunc(m.Column.Lower[:m.boxed()], func(x int32) bool { return x < 0 }) ||
		slices.ContainsFunc(m.Column.Upper[:m.boxed()], func(x int32) bool { return x > 0 })
}

// checkColumns says what is wrong with the fields of an im2col map.
func (m *Map) checkColumns() error {
	switch {
	case m.Mode == Tiles:
		return nil
	case m.Mode > Im2colW128:
		return fmt.Errorf("mode %d does not exist", m.Mode)
	case m.Rank < 3:
		return fmt.Errorf("rank %d: columns are taken from tensors of 3 to %d dimensions", m.Rank, MaxRank)
	case m.Column.Pixels == 0 && m.Mode != Im2colW128 || m.Column.Pixels > MaxPixels:
		return fmt.Errorf("a column has %d pixels: 1 to %d are possible", m.Column.Pixels, MaxPixels)
	}
	bits := spatialBits[m.Rank]
	if m.Mode != Im2col {
		bits = 16
	}
	for d := range m.boxed() {
		lower, upper := int64(m.Column.Lower[d]), int64(m.Column.Upper[d])
		for _, c := range []int64{lower, upper} {
			if limit := int64(1) << (bits - 1); c < -limit || c >= limit {
				return fmt.Errorf("a corner of the bounding box is %d along %c: %d to %d are possible", c, "WHD"[d], -limit, limit-1)
			}
		}
		if end := m.dim(d+1) + upper; lower >= end {
			return fmt.Errorf("the bounding box is empty along %c: from %d to %d", "WHD"[d], lower, end-1)
		}
	}
	return nil
}

// Walk says how a statement takes pixels: offsets of .im2col, W first; the halo and the offset of .im2col::w and ::w::128.
// The zero value is that of .im2col_no_offs.
type Walk struct {
	Offsets      [spatial]uint16
	Halo, Offset uint16
	HaloWalks    bool // the halo goes on within the bounding box, not beyond it (assumption U53)
	Slices       SliceStrides
}

// haloLimits are the least halo that is too large, by mode (9.7.9.27.1.2).
var haloLimits = [...]uint16{Im2colW: 512, Im2colW128: 32}

const maxOffset = 32 // of .im2col::w

// checkWalk says which argument of the statement is out of range.
func (m *Map) checkWalk(at [MaxRank]int32, w *Walk) error {
	if m.Mode != Im2col {
		switch {
		case w.Halo >= haloLimits[m.Mode]:
			return fmt.Errorf("a halo of %d pixels: %s takes 0 to %d", w.Halo, m.Mode, haloLimits[m.Mode]-1)
		case w.Offset >= maxOffset:
			return fmt.Errorf("an offset of %d along W: %s takes 0 to %d", w.Offset, m.Mode, maxOffset-1)
		}
	}
	for d := range m.boxed() {
		if limit := 1 << spatialBits[m.Rank]; int(w.Offsets[d]) >= limit {
			return fmt.Errorf("an offset of %d along %c: tensors of %d dimensions take 0 to %d", w.Offsets[d], "WHD"[d], m.Rank, limit-1)
		}
		first, last := int64(m.Column.Lower[d]), m.dim(d+1)+int64(m.Column.Upper[d])-1
		if x := int64(at[d+1]); x > last || m.Mode == Im2col && x < first {
			return fmt.Errorf("the coordinate along %c is %d, outside of the bounding box: it has %d to %d", "WHD"[d], x, first, last)
		}
	}
	return nil
}

// Pixels lists the pixels of a column that begins at coordinates, in the order of shared memory: a row is the channels of a
// pixel.
func (m *Map) Pixels(at [MaxRank]int32, w Walk) ([]Row, error) {
	if err := m.checkWalk(at, &w); err != nil {
		return nil, err
	}
	p := pixels{Map: m, Walk: w}
	for d := range m.Rank {
		p.at[d] = int64(at[d])
	}
	p.at[1] += int64(w.Offset)
	switch m.Mode {
	case Im2colW128:
		for range 4 {
			p.take(32)
			p.halo()
		}
	case Im2colW:
		p.take(int(m.Column.Pixels))
		p.halo()
	default:
		p.take(int(m.Column.Pixels))
	}
	return p.list(), nil
}

// list is the rows of the pixels: their channels, slice by slice of an interleaved tensor.
func (p *pixels) list() (rows []Row) {
	if p.Interleave == 0 {
		for _, at := range p.places {
			rows = append(rows, p.row(at))
		}
		return rows
	}
	for k := range p.slices() {
		for _, at := range p.places {
			rows = append(rows, p.slice(at, k, p.Slices))
		}
	}
	return rows
}

// pixels is a walk over the pixels of a column.
type pixels struct {
	*Map
	Walk
	at, last [MaxRank]int64 // of the next pixel and of the one before, without Offsets
	places   [][MaxRank]int64
}

// take takes pixels, row after row and image after image of the bounding box (5.5.4.1).
func (p *pixels) take(n int) {
	for range n {
		p.pixel(p.at)
		p.last = p.at
		p.next()
	}
}

// pixel takes one pixel, or what is in its place outside of the tensor.
func (p *pixels) pixel(at [MaxRank]int64) {
	for d, n := range p.Offsets[:p.Rank-2] {
		at[d+1] += int64(n)
	}
	p.places = append(p.places, at)
}

// next goes on in the bounding box: from its end along a dimension back to its begin, and on along the next one.
func (p *pixels) next() {
	for d := 1; d <= p.boxed(); d++ {
		p.at[d] += int64(p.Steps[d])
		if p.at[d]-int64(p.Offset) < p.dim(d)+int64(p.Column.Upper[d-1]) {
			return
		}
		p.at[d] = int64(p.Column.Lower[d-1]) + int64(p.Offset)
	}
	p.at[p.Rank-1]++
}

// halo takes the pixels behind the last one along W, whatever the bounding box (5.5.5.3); or what comes next in it.
func (p *pixels) halo() {
	if p.Halo == 0 {
		return
	}
	if p.HaloWalks {
		next := p.at
		p.take(int(p.Halo))
		p.at = next
		return
	}
	at := p.last
	for range p.Halo {
		at[1] += int64(p.Steps[1])
		p.pixel(at)
	}
}
