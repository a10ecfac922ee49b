package tensor

// Tensor maps (5.5.8): what the copies of tensors read. The layout of the 1024 bits is our own, as the manual has none.

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
)

// MapBytes is the size of a tensor map.
const MapBytes = 128

// MaxRank is the most dimensions of a tensor, and MaxBox the most elements of a box along one.
const (
	MaxRank = 5
	MaxBox  = 256
)

// Map describes a tensor in global memory and the box of it that a copy moves, dimension 0 first.
type Map struct {
	Address    uint64
	Rank       int
	Type       Element
	Interleave uint8
	Swizzle    MapSwizzle
	Atomicity  Atomicity
	NaNs       bool // elements outside the tensor are NaN, not zero
	Dims       [MaxRank]uint32
	Widest     uint8               // by dimension: it has 2^32 elements, which Dims cannot hold
	Strides    [MaxRank - 1]uint64 // bytes from one element to the next along dimensions 1 and up
	Box        [MaxRank]uint32
	Steps      [MaxRank]uint32 // element strides: 1 takes every element of the box
	Mode       Mode
	Column     Column // unless Mode is Tiles; of the box the first dimension counts then, the channels of a pixel
}

// Element is the type of a tensor's elements, by its number in table 33 (9.7.9.28).
type Element uint8

// elementInfo says how elements lie in memory: so many have bytes of their own, in global and in shared memory.
type elementInfo struct {
	name         string
	many         uint32
	size, shared uint32 // bytes
	float        bool
}

// elements describes the types.
var elements = [16]elementInfo{
	{"u8", 1, 1, 1, false}, {"u16", 1, 2, 2, false}, {"u32", 1, 4, 4, false}, {"s32", 1, 4, 4, false}, {"u64", 1, 8, 8, false}, {"s64", 1, 8, 8, false},
	{"f16", 1, 2, 2, true}, {"f32", 1, 4, 4, true}, {"f32.ftz", 1, 4, 4, true}, {"f64", 1, 8, 8, true}, {"bf16", 1, 2, 2, true},
	{"tf32", 1, 4, 4, true}, {"tf32.ftz", 1, 4, 4, true},
	{"b4x16", 2, 1, 1, false}, {"b4x16_p64", 16, 8, 16, false}, {"b6x16_p32", 16, 12, 16, false},
}

func (e Element) info() *elementInfo { return &elements[e&15] }

func (e Element) String() string { return e.info().name }

// Size is the bytes of an element that has whole ones.
func (e Element) Size() uint32 { return e.info().size }

// Bytes is what elements take in global memory.
func (e Element) Bytes(n uint64) uint64 { return n / uint64(e.info().many) * uint64(e.info().size) }

// ParseElement finds a type by its name. Type b6x16_p32 is called b6p2x16 where its boxes are stored.
func ParseElement(name string) (Element, bool) {
	if name == packedStore {
		return packed6, true
	}
	for i := range elements {
		if elements[i].name == name {
			return Element(i), true
		}
	}
	return 0, false
}

// MapSwizzle is the swizzle of a box in shared memory: none, 32, 64, 128 or 96 bytes (table 33).
type MapSwizzle uint8

// Spans are the bytes of a row of each pattern; 0: none.
var mapSpans = [...]uint32{0, 32, 64, 128, 96}

// Atomicity is what a swizzle of 128 bytes moves as a whole: 16 bytes, 32, 32 with their halves
// exchanged in every second line, or 64 (5.5.7).
type Atomicity uint8

// unit is how many bytes keep together in shared memory.
func (m *Map) unit() uint32 {
	if m.Swizzle == 3 && m.Atomicity == 2 {
		return 8
	}
	return 16
}

// At returns where a byte of a box goes: addr is its address in shared memory without a swizzle.
func (m *Map) At(addr uint32) uint32 {
	line := addr >> 7
	switch {
	case m.Swizzle == 1 || m.Swizzle == 4:
		return addr ^ line&1<<4
	case m.Swizzle == 2:
		return addr ^ line&3<<4
	case m.Swizzle == 3:
		switch m.Atomicity {
		case 0:
			return addr ^ line&7<<4
		case 1:
			return addr ^ line&3<<5
		case 2:
			return addr ^ line&3<<5 ^ line&1<<3
		}
		return addr ^ line&1<<6
	}
	return addr
}

// The places of fields. Bit 21 of the second word is free: software of NVIDIA's clears it behind some drivers.
const (
	atKind, atModes, atSwizzle, atMagic = 8, 9, 10, 12
	atDims, atBox, atSteps, atStrides   = 16, 36, 46, 56
	atMode, atPixels, atCorners         = 11, 88, 90
)

const mapMagic = 0x6d5450ac

// Encode writes the 1024 bits.
func (m *Map) Encode() (b [MapBytes]byte) {
	le := binary.LittleEndian
	le.PutUint64(b[:], m.Address)
	b[atKind] = byte(m.Type)&15 | byte(m.Rank-1)<<4
	b[atModes] = m.Interleave & 3
	if m.NaNs {
		b[atModes] |= 4
	}
	b[atSwizzle] = byte(m.Swizzle)&7 | byte(m.Atomicity)&3<<3
	le.PutUint32(b[atMagic:], mapMagic)
	for i := range MaxRank {
		le.PutUint32(b[atDims+4*i:], m.Dims[i])
		le.PutUint16(b[atBox+2*i:], uint16(min(m.Box[i], 0xffff)))
		b[atSteps+i] = byte(min(m.Steps[i], 0xff))
	}
	for i, s := range m.Strides {
		le.PutUint64(b[atStrides+8*i:], s)
	}
	b[atMode] = byte(m.Mode)&7 | m.Widest<<3
	le.PutUint16(b[atPixels:], uint16(min(m.Column.Pixels, 0xffff)))
	for i := range m.Column.Lower {
		le.PutUint16(b[atCorners+4*i:], uint16(m.Column.Lower[i]))
		le.PutUint16(b[atCorners+4*i+2:], uint16(m.Column.Upper[i]))
	}
	return b
}

// DecodeMap reads what Encode has written, whatever the fields hold; Check judges them.
func DecodeMap(b *[MapBytes]byte) (*Map, error) {
	le := binary.LittleEndian
	if le.Uint32(b[atMagic:]) != mapMagic {
		return nil, errors.New("there is no tensor map: none was made here, or the bytes have been overwritten")
	}
	m := &Map{
		Address: le.Uint64(b[:]), Rank: int(b[atKind]>>4) + 1, Type: Element(b[atKind] & 15),
		Interleave: b[atModes] & 3, NaNs: b[atModes]&4 != 0, Swizzle: MapSwizzle(b[atSwizzle] & 7), Atomicity: Atomicity(b[atSwizzle] >> 3 & 3),
	}
	for i := range MaxRank {
		m.Dims[i], m.Box[i], m.Steps[i] = le.Uint32(b[atDims+4*i:]), uint32(le.Uint16(b[atBox+2*i:])), uint32(b[atSteps+i])
	}
	for i := range m.Strides {
		m.Strides[i] = le.Uint64(b[atStrides+8*i:])
	}
	m.Mode, m.Widest, m.Column.Pixels = Mode(b[atMode]&7), b[atMode]>>3, uint32(le.Uint16(b[atPixels:]))
	for i := range m.Column.Lower {
		m.Column.Lower[i], m.Column.Upper[i] = int32(int16(le.Uint16(b[atCorners+4*i:]))), int32(int16(le.Uint16(b[atCorners+4*i+2:])))
	}
	return m, nil
}

// DecodeReplaced reads a map of which a field is replaced. Zeros are one without a field: so kernels begin maps of their own in shared
// memory (Triton's make_tensor_descriptor).
func DecodeReplaced(b *[MapBytes]byte) (*Map, error) {
	if *b == ([MapBytes]byte{}) {
		return &Map{Rank: 1}, nil
	}
	return DecodeMap(b)
}

// SetDim makes a dimension have n elements, up to 2^32.
func (m *Map) SetDim(d int, n uint64) {
	m.Dims[d], m.Widest = uint32(n), m.Widest&^(1<<d)
	if n == 1<<32 {
		m.Widest |= 1 << d
	}
}

// dim is how many elements a dimension has.
func (m *Map) dim(d int) int64 { return int64(m.Dims[d]) | int64(m.Widest>>d&1)<<32 }

// Check says which field is not what cuTensorMapEncodeTiled, …Im2col or …Im2colWide takes.
func (m *Map) Check() error {
	switch {
	case m.Rank > MaxRank:
		return fmt.Errorf("rank %d: tensors have 1 to %d dimensions", m.Rank, MaxRank)
	case int(m.Swizzle) >= len(mapSpans):
		return fmt.Errorf("swizzle mode %d does not exist", m.Swizzle)
	case m.Atomicity != 0 && m.Swizzle != 3:
		return fmt.Errorf("a swizzle of %d bytes has atoms of 16 bytes only", mapSpans[m.Swizzle])
	case m.Address%16 != 0:
		return fmt.Errorf("the address %#x is no multiple of 16", m.Address)
	case m.NaNs && !elements[m.Type].float:
		return fmt.Errorf("elements of type %v cannot be NaN outside the tensor", m.Type)
	}
	for d := range m.Rank {
		if err := m.checkDimension(d); err != nil {
			return err
		}
	}
	for _, check := range []func() error{m.checkColumns, m.checkPacked, m.checkSlices} {
		if err := check(); err != nil {
			return err
		}
	}
	inner := m.RowBytes()
	switch span := mapSpans[m.Swizzle]; {
	case inner%16 != 0:
		return fmt.Errorf("%s %d bytes, which is no multiple of 16", m.Mode.row(), inner)
	case span != 0 && inner > span:
		return fmt.Errorf("%s %d bytes, more than the %d of the swizzle", m.Mode.row(), inner, span)
	}
	return nil
}

func (m *Map) checkDimension(d int) error {
	switch {
	case m.dim(d) == 0:
		return fmt.Errorf("dimension %d has no elements", d)
	case m.Mode != Tiles && d > 0: // a box has no other extents
	case m.Box[d] == 0 || m.Box[d] > MaxBox:
		return fmt.Errorf("the box has %d elements along dimension %d: 1 to %d are possible", m.Box[d], d, MaxBox)
	}
	switch {
	case m.Steps[d] == 0 || m.Steps[d] > 8:
		return fmt.Errorf("the element stride of dimension %d is %d: 1 to 8 are possible", d, m.Steps[d])
	case d > 0 && (m.Strides[d-1]%16 != 0 || m.Strides[d-1]>>40 != 0):
		return fmt.Errorf("the stride of dimension %d is %d bytes: it must be a multiple of 16 below 2^40", d, m.Strides[d-1])
	}
	return nil
}

// counts are the elements of a box in shared memory along each dimension. Along the first, element strides do not
// count without interleaving.
func (m *Map) counts() (n [MaxRank]int) {
	for d := range n {
		n[d] = 1
		if d < m.Rank {
			n[d] = int((m.Box[d] + m.Steps[d] - 1) / m.Steps[d])
		}
	}
	if n[0] = int(m.Box[0]); m.Interleave != 0 {
		n[0] = m.slices()
	}
	return n
}

// SharedBytes is what rows of a box may take in shared memory: a swizzle also uses the rest of the last line.
func (m *Map) SharedBytes(rows int) uint32 {
	n := m.RowBytes() * uint32(rows)
	if m.Swizzle != 0 {
		n = (n + 127) &^ 127
	}
	return n
}

// Use is what a statement does with a map.
type Use struct {
	Rank  int  // its dimensions
	Mode  Mode // how it walks
	Apart bool // it names four rows
	Store bool // it writes global memory
	Arch  int  // of the device, 90 for sm_90
}

// Fits says why a statement cannot copy by this map.
func (m *Map) Fits(u Use) error {
	switch err := cmp.Or(m.Check(), m.unknown()); {
	case err != nil:
		return err
	case m.Mode != u.Mode:
		return fmt.Errorf("it was made for %s, the instruction copies %s", m.Mode.made(), u.Mode)
	case m.Rank != u.Rank:
		return fmt.Errorf("it has rank %d, the instruction is for %d dimensions", m.Rank, u.Rank)
	case u.Apart && m.Box[1] != 1:
		return fmt.Errorf("the box has %d rows: where the rows are named it has 1", m.Box[1])
	case !u.Store && u.Arch/10 == 12 && m.Atomicity != 0:
		return fmt.Errorf("loads of sm_%d have swizzles with atoms of 16 bytes only", u.Arch)
	case u.Apart && m.Interleave != 0:
		return errors.New("its tensor is interleaved: rows that are named are those of others")
	case u.Store && m.Mode != Tiles && m.leaves():
		return errors.New("its bounding box leaves the tensor: that of a store begins and ends inside")
	case m.Swizzle == 4 && m.Mode == Im2colW128:
		return fmt.Errorf("a swizzle of 96 bytes does not go with %v", m.Mode)
	case m.Mode == Tiles && m.boxBytes() > mostBox:
		return fmt.Errorf("the box is %d bytes, more than shared memory has addresses", m.boxBytes())
	}
	return m.fitsPacked(&u)
}

// mostBox is the bytes of a CTA's shared window: larger boxes are no list of rows that anything could be done with.
const mostBox = 1 << 24

// boxBytes is the size of a box in shared memory.
func (m *Map) boxBytes() uint64 { return m.boxRows() * uint64(m.RowBytes()) }

// boxRows is how many rows a box has.
func (m *Map) boxRows() uint64 {
	n, rows := m.counts(), uint64(1)
	if m.Interleave == 0 {
		n[0] = 1
	}
	for _, along := range n {
		rows *= uint64(along)
	}
	return rows
}

// replaced are the fields of tensormap.replace (9.7.9.28), by name.
var replaced = map[string]func(m *Map, ord int, v uint64){
	"global_address":    func(m *Map, _ int, v uint64) { m.Address = v },
	"rank":              func(m *Map, _ int, v uint64) { m.Rank = int(min(v, 14)) + 1 },
	"box_dim":           func(m *Map, ord int, v uint64) { m.Box[ord] = uint32(v) },
	"global_dim":        (*Map).SetDim,
	"global_stride":     func(m *Map, ord int, v uint64) { m.Strides[ord] = v },
	"element_stride":    func(m *Map, ord int, v uint64) { m.Steps[ord] = uint32(v) },
	"elemtype":          func(m *Map, _ int, v uint64) { m.Type = Element(v) },
	"interleave_layout": func(m *Map, _ int, v uint64) { m.Interleave = uint8(v) },
	"swizzle_mode":      func(m *Map, _ int, v uint64) { m.Swizzle = MapSwizzle(v) },
	"swizzle_atomicity": func(m *Map, _ int, v uint64) { m.Atomicity = Atomicity(v) },
	"fill_mode":         func(m *Map, _ int, v uint64) { m.NaNs = v != 0 },
}

// Replace changes a field; what the fields then are is judged when the map is used.
func (m *Map) Replace(field string, ord int, v uint64) error {
	if field == "global_stride" && ord >= len(m.Strides) {
		return fmt.Errorf("ordinal %d of global_stride: there are strides 0 to %d", ord, len(m.Strides)-1)
	}
	replaced[field](m, ord, v)
	return nil
}

// RowBytes is the size of a row of the box in shared memory, of an interleaved tensor that of a slice.
func (m *Map) RowBytes() uint32 {
	if m.Interleave != 0 {
		return m.sliceBytes()
	}
	return m.Box[0] / m.Type.info().many * m.Type.info().shared
}

// Row is one row of a box.
type Row struct {
	Skip, Bytes uint32 // bytes of shared memory that lie outside the tensor in front, and those of global memory that lie inside
	Address     uint64 // of the first byte inside
}

// Rows appends the rows of the box at coordinates, in the order of shared memory (5.5.3).
func (m *Map) Rows(rows []Row, at [MaxRank]int32, s SliceStrides) []Row {
	if m.Interleave != 0 {
		return append(rows, m.sliceRows(at, s)...)
	}
	n := m.counts()
	rows = slices.Grow(rows, int(m.boxRows()))
	for i4 := range n[4] {
		for i3 := range n[3] {
			for i2 := range n[2] {
				rows = m.column(rows, m.place(at, [MaxRank]int{0, 0, i2, i3, i4}), n[1])
			}
		}
	}
	return rows
}

// column appends n rows along dimension 1: what row says of each.
func (m *Map) column(rows []Row, x [MaxRank]int64, n int) []Row {
	if m.Rank == 1 {
		return append(rows, m.row(x))
	}
	first := x[1]
	x[1] = 0
	one, outside := m.row(x), Row{Skip: m.RowBytes()}
	for i := range n {
		if y := first + int64(i)*int64(m.Steps[1]); y < 0 || y >= m.dim(1) || one.Bytes == 0 {
			rows = append(rows, outside)
		} else {
			rows = append(rows, Row{one.Skip, one.Bytes, one.Address + uint64(y)*m.Strides[0]})
		}
	}
	return rows
}

// Gather lists four rows of a matrix, of which each is named: .tile::gather4, .tile::scatter4 (5.5.3.4).
func (m *Map) Gather(column int32, rows [4]int32) (list []Row) {
	for _, r := range rows {
		list = append(list, m.row([MaxRank]int64{int64(column), int64(r)}))
	}
	return list
}

// place is where an element of the box at coordinates lies in the tensor.
func (m *Map) place(at [MaxRank]int32, i [MaxRank]int) (x [MaxRank]int64) {
	for d := range m.Rank {
		x[d] = int64(at[d]) + int64(i[d])*int64(m.Steps[d])
	}
	return x
}

// row cuts the row that begins at coordinates to what lies inside the tensor.
func (m *Map) row(at [MaxRank]int64) Row {
	return m.cut(at, int64(m.Box[0]), func(d int) int64 { return int64(m.Strides[d-1]) })
}

// cut cuts n elements along dimension 0; stride is that of another dimension.
func (m *Map) cut(at [MaxRank]int64, n int64, stride func(d int) int64) Row {
	addr := int64(m.Address)
	for d := 1; d < m.Rank; d++ {
		if at[d] < 0 || at[d] >= m.dim(d) {
			return Row{Skip: m.RowBytes()}
		}
		addr += at[d] * stride(d)
	}
	first := max(0, at[0])
	end := min(m.dim(0), at[0]+n)
	if first >= end {
		return Row{Skip: m.RowBytes()}
	}
	info := m.Type.info()
	many, size := int64(info.many), int64(info.size)
	return Row{Skip: uint32((first - at[0]) / many * int64(info.shared)), Bytes: uint32((end - first) / many * size), Address: uint64(addr + first/many*size)}
}

// Fill writes the elements outside the tensor: zeros, or NaN with all bits but the sign set.
func (m *Map) Fill(to []byte) {
	clear(to)
	if !m.NaNs {
		return
	}
	size := int(m.Type.Size())
	for i := range to {
		if to[i] = 0xff; i%size == size-1 {
			to[i] = 0x7f
		}
	}
}

// Scatter moves a box to shared memory, whose bytes from an address (offset in the window) on are to; Collect moves it
// back. rows are dense.
func (m *Map) Scatter(to []byte, addr uint32, box []byte) {
	m.lines(len(box), addr, func(at, end int, flip, unit uint32) {
		if end-at == swizzleLine && unit == 16 {
			wholeLine((*[swizzleLine]byte)(to[at:]), (*[swizzleLine]byte)(box[at:]), flip)
			return
		}
		for i := at; i < end; i += int(unit) {
			copy(to[(addr+uint32(i))^flip-addr:][:unit], box[i:])
		}
	})
}

// Collect reads a box from shared memory.
func (m *Map) Collect(box, from []byte, addr uint32) {
	m.lines(len(box), addr, func(at, end int, flip, unit uint32) {
		if end-at == swizzleLine && unit == 16 {
			wholeLine((*[swizzleLine]byte)(box[at:]), (*[swizzleLine]byte)(from[at:]), flip)
			return
		}
		for i := at; i < end; i += int(unit) {
			copy(box[i:][:unit], from[(addr+uint32(i))^flip-addr:])
		}
	})
}

// swizzleLine is the bytes in which At changes the same bits of each address.
const swizzleLine = 128

// wholeLine exchanges the units of 16 bytes of a line, there or back.
func wholeLine(to, from *[swizzleLine]byte, flip uint32) {
	for i := uint32(0); i < swizzleLine; i += 16 {
		*(*[16]byte)(to[(i^flip)&(swizzleLine-16):]) = *(*[16]byte)(from[i:])
	}
}

// lines visits the lines of n bytes at an address: where each begins and ends, which bits of its addresses change, and how many
// bytes stay together, all of them where no bit changes.
func (m *Map) lines(n int, addr uint32, move func(at, end int, flip, unit uint32)) {
	for i, end := 0, 0; i < n; i = end {
		x := addr + uint32(i)
		flip, unit := m.At(x)^x, m.unit()
		if end = min(n, i+swizzleLine-int(x%swizzleLine)); flip == 0 {
			unit = uint32(end - i)
		}
		move(i, end, flip, unit)
	}
}

// ElementNames lists the types that are executed.
func ElementNames() (names []string) {
	for _, e := range elements {
		if e.size != 0 {
			names = append(names, e.name)
		}
	}
	return names
}
