package vm

// This file makes tensor maps, which the copies of tensors between global and shared memory read (PTX ISA 5.5), and shows
// tensor memory: its contents, leaks, and kernels whose functions do not agree about CTA groups.

import (
	"errors"
	"fmt"
	"strings"

	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/decode"
	"ptxvm.invalid/ptxvm/internal/findings"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/tensor"
)

// TensorMap is a tensor map of 1024 bits, as cuTensorMapEncodeTiled and its like make one: the argument for a kernel
// parameter of 128 bytes (alignment 64), or what an address that a kernel takes points to. Its layout is ptxvm's own.
type TensorMap [128]byte

var _ = TensorMap([tensor.MapBytes]byte{}) // one size

// TensorMapTiled describes a tensor in device memory and the box of it that cp.async.bulk.tensor copies. Dimension 0 is
// the one whose elements are neighbours. At most 5 dimensions.
type TensorMapTiled struct {
	Buffer         Buffer   // where element (0, 0, …) is; a multiple of 16 bytes
	Type           string   // of elements: u8 u16 u32 s32 u64 s64 f16 bf16 tf32 f32 f64, b4x16 b4x16_p64 b6x16_p32 (stores: b6p2x16)
	Dims           []uint32 // elements
	Strides        []uint64 // bytes between elements along dimensions 1 and up, multiples of 16; nil: dense
	Box            []uint32 // elements, 1 to 256; a row is a multiple of 16 bytes
	ElementStrides []uint32 // 1 to 8: every how manyth element of the box is taken; nil: every one
	Swizzle        Swizzle  // of the box in shared memory
	Interleave     int      // 16 or 32: the channels along dimension 0 lie in slices of so many bytes (PTX ISA 5.5.6); 3 to 5 dimensions
	NaNs           bool     // elements outside the tensor are read as NaN, not as zero
}

// Swizzle permutes the 16-byte units of a box in shared memory (PTX ISA 5.5.7). The zero value does nothing.
type Swizzle struct{ mode, atoms uint8 }

// The swizzles: bytes of a row, and for 128 bytes what moves as a whole.
var (
	Swizzle32            = Swizzle{1, 0}
	Swizzle64            = Swizzle{2, 0}
	Swizzle96            = Swizzle{4, 0}
	Swizzle128           = Swizzle{3, 0}
	Swizzle128Atom32     = Swizzle{3, 1}
	Swizzle128Atom32Flip = Swizzle{3, 2}
	Swizzle128Atom64     = Swizzle{3, 3}
)

// TensorMapIm2col describes a tensor in device memory and the columns of pixels that cp.async.bulk.tensor copies for
// convolutions (PTX ISA 5.5.4, 5.5.5). Dimension 0 are the channels, the last one the images; between them lie W, H and D,
// as far as the tensor has them: 3 to 5 dimensions.
type TensorMapIm2col struct {
	Buffer         Buffer     // where element (0, 0, …) is; a multiple of 16 bytes
	Type           string     // of elements, as in TensorMapTiled
	Dims           []uint32   // elements
	Strides        []uint64   // bytes between elements along dimensions 1 and up, multiples of 16; nil: dense
	Mode           Im2colMode // which instructions it is for
	Lower, Upper   []int32    // corners of the bounding box, W first: its first position; its last one, counted from the last element. W alone unless Mode is Im2col
	Channels       uint32     // of a pixel that are copied, 1 to 256, a multiple of 16 bytes
	Pixels         uint32     // of a column, 1 to 1024; not of Im2colW128
	ElementStrides []uint32   // 1 to 8: steps along each dimension; nil: 1
	Swizzle        Swizzle    // of a column in shared memory
	Interleave     int        // as in TensorMapTiled; with Mode Im2col
	NaNs           bool       // elements outside the tensor are read as NaN, not as zero
}

// Im2colMode is the modifier that instructions with a map of columns have.
type Im2colMode uint8

// The modes.
const (
	Im2col     Im2colMode = iota // .im2col, .im2col_no_offs
	Im2colW                      // .im2col::w, .im2col_no_offs::w: the bounding box has W alone
	Im2colW128                   // .im2col::w::128: 128 pixels, with a halo behind every 32
)

// TensorDescription is TensorMapTiled or TensorMapIm2col.
type TensorDescription interface{ over() Buffer }

func (t TensorMapTiled) over() Buffer { return t.Buffer }

func (t TensorMapIm2col) over() Buffer { return t.Buffer }

// NewTensorMap checks a description as cuTensorMapEncodeTiled or cuTensorMapEncodeIm2col does, and encodes it. The map is a
// value: nothing is allocated, and it does not keep the buffer alive.
func (d *Device) NewTensorMap(t TensorDescription) (TensorMap, error) {
	of := t.over().of
	switch {
	case of == nil:
		return TensorMap{}, fmt.Errorf("tensor map: the Buffer is zero")
	case !d.reaches(of.d):
		return TensorMap{}, fmt.Errorf("tensor map: the Buffer is memory of another device")
	case of.over():
		return TensorMap{}, ErrClosed
	}
	m, err := encodeMap(t)
	if err == nil {
		err = m.Check()
	}
	if err != nil {
		return TensorMap{}, fmt.Errorf("tensor map: %w", err)
	}
	return m.Encode(), nil
}

func encodeMap(t TensorDescription) (*tensor.Map, error) {
	if columns, ok := t.(TensorMapIm2col); ok {
		return encodeColumns(&columns)
	}
	tiled := t.(TensorMapTiled)
	return encodeTiled(&tiled)
}

func encodeTiled(t *TensorMapTiled) (*tensor.Map, error) {
	m, err := encodeTensor(t)
	if err == nil && len(t.Box) != m.Rank {
		return nil, fmt.Errorf("the box has %d dimensions, the tensor %d", len(t.Box), m.Rank)
	}
	if err == nil {
		copy(m.Box[:], t.Box)
	}
	return m, err
}

func encodeColumns(t *TensorMapIm2col) (*tensor.Map, error) {
	m, err := encodeTensor(&TensorMapTiled{Buffer: t.Buffer, Type: t.Type, Dims: t.Dims, Strides: t.Strides, ElementStrides: t.ElementStrides, Swizzle: t.Swizzle, Interleave: t.Interleave, NaNs: t.NaNs})
	if err != nil {
		return nil, err
	}
	corners := 1
	if t.Mode == Im2col {
		corners = max(1, m.Rank-2)
	}
	if len(t.Lower) != corners || len(t.Upper) != corners {
		return nil, fmt.Errorf("the corners have %d and %d coordinates: the bounding box has %d", len(t.Lower), len(t.Upper), corners)
	}
	m.Mode, m.Box[0], m.Column.Pixels = tensor.Im2col+tensor.Mode(t.Mode), t.Channels, t.Pixels
	copy(m.Column.Lower[:], t.Lower)
	copy(m.Column.Upper[:], t.Upper)
	return m, nil
}

// encodeTensor makes the map without a box.
func encodeTensor(t *TensorMapTiled) (*tensor.Map, error) {
	rank := len(t.Dims)
	typ, ok := tensor.ParseElement(t.Type)
	switch {
	case !ok:
		return nil, fmt.Errorf("type %q: tensors have elements of %s", t.Type, strings.Join(tensor.ElementNames(), " "))
	case rank == 0 || rank > tensor.MaxRank:
		return nil, fmt.Errorf("%d dimensions: 1 to %d are possible", rank, tensor.MaxRank)
	case t.Strides != nil && len(t.Strides) != rank-1:
		return nil, fmt.Errorf("%d strides: a tensor of %d dimensions has %d", len(t.Strides), rank, rank-1)
	case t.Interleave != 0 && t.Interleave != 16 && t.Interleave != 32:
		return nil, fmt.Errorf("an interleave of %d bytes: 16 and 32 are possible", t.Interleave)
	case t.Interleave != 0 && t.Strides == nil:
		return nil, errors.New("an interleaved tensor has no strides by default")
	case t.ElementStrides != nil && len(t.ElementStrides) != rank:
		return nil, fmt.Errorf("%d element strides: a tensor of %d dimensions has %d", len(t.ElementStrides), rank, rank)
	}
	m := &tensor.Map{Address: t.Buffer.addr, Rank: rank, Type: typ, Swizzle: tensor.MapSwizzle(t.Swizzle.mode), Atomicity: tensor.Atomicity(t.Swizzle.atoms), Interleave: uint8(t.Interleave / 16), NaNs: t.NaNs}
	copy(m.Dims[:], t.Dims)
	dense := typ.Bytes(uint64(t.Dims[0]))
	for i := range rank {
		m.Steps[i] = 1
		if i > 0 {
			m.Strides[i-1] = dense
			dense *= uint64(t.Dims[i])
		}
	}
	copy(m.Strides[:], t.Strides)
	copy(m.Steps[:], t.ElementStrides)
	return m, nil
}

// TensorMemory is the tensor memory of one CTA as it was when the CTA ended, columns that were freed
// before included.
type TensorMemory struct {
	CTA     Index3     // whose
	Columns []int      // the columns that were allocated at some time; empty if none was
	Words   [][]uint32 // by lane (128 of them), a word for each of Columns
}

// TensorLeak is tensor memory that a CTA allocated and did not free before it ended, which the
// manual forbids (9.7.16.1.2).
type TensorLeak struct {
	CTA             Index3
	Column, Columns int
	PTX             Location // the tcgen05.alloc
	More            int      // further allocations that were not freed, in this and other CTAs
}

// String is one line: which columns of which CTA, and where they were allocated.
func (l *TensorLeak) String() string {
	text := fmt.Sprintf("%v: CTA %v ended without freeing columns %d to %d of tensor memory", l.PTX, l.CTA, l.Column, l.Column+l.Columns-1)
	if l.More > 0 {
		text += fmt.Sprintf(", and %d more allocations were not freed", l.More)
	}
	return text
}

// leak puts the machine's report into the terms of the source.
func (p *Program) leak(m *machine.TensorLeak) *TensorLeak {
	if m == nil {
		return nil
	}
	l := &TensorLeak{CTA: findings.Point(m.CTA), Column: int(m.Column), Columns: int(m.Columns), More: m.More}
	l.PTX, _, _ = findings.Locate(p.module, m.Place.Func, m.Place.PC)
	return l
}

// watchTensor lets a machine's launch keep the tensor memory of a CTA, if one is asked for; the result says what it was.
func watchTensor(at *Index3, l *machine.Launch) func() *TensorMemory {
	if at == nil {
		return func() *TensorMemory { return nil }
	}
	s := &machine.TensorShow{CTARank: uint64(at.X) + uint64(l.Grid[0])*(uint64(at.Y)+uint64(l.Grid[1])*uint64(at.Z))}
	l.ShowTensor = s
	return func() *TensorMemory { return &TensorMemory{CTA: *at, Columns: s.Columns, Words: s.Words} }
}

// disagreement turns an error about a kernel's functions into diagnostics with both lines; nil
// if it is none.
func (p *Program) disagreement(err error) error {
	var e *decode.DisagreeError
	if !errors.As(err, &e) {
		return nil
	}
	a, b := e.Uses[0], e.Uses[1]
	place := func(u decode.Use) (*diag.Source, diag.Span) {
		return p.module.Sources[u.Func.Unit], diag.Span{Start: u.Inst.Pos, End: u.Inst.Pos}
	}
	d := diag.Diagnostic{Code: diag.NotAllowedWith, Severity: diag.Error, Spec: b.Inst.Sel.Entry.Section}
	d.Source, d.Span = place(b)
	line, _ := p.module.Sources[a.Func.Unit].Position(a.Inst.Pos)
	d.Msg = fmt.Sprintf("%v in %s, but kernel %s also executes %v in %s, line %d; all of a kernel must agree", b.Value, b.Func.Name, e.Kernel, a.Value, a.Func.Name, line)
	n := diag.Note{Msg: fmt.Sprintf("%v here", a.Value)}
	n.Source, n.Span = place(a)
	d.Related = append(d.Related, n)
	return Diagnostics{d}
}
