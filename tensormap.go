package ptxvm

// This file makes tensor maps, which the copies of tensors between global and shared memory read (PTX ISA 5.5).

import (
	"fmt"
	"strings"

	"ptxvm.invalid/ptxvm/internal/tensor"
)

// TensorMap is a tensor map of 1024 bits, as cuTensorMapEncodeTiled makes one: the argument for a kernel parameter of 128
// bytes (alignment 64), or what an address that a kernel takes points to. Its layout is ptxvm's own.
type TensorMap [128]byte

var _ = TensorMap([tensor.MapBytes]byte{}) // one size

// TensorMapTiled describes a tensor in device memory and the box of it that cp.async.bulk.tensor copies. Dimension 0 is
// the one whose elements are neighbours. At most 5 dimensions.
type TensorMapTiled struct {
	Buffer         Buffer   // where element (0, 0, …) is; a multiple of 16 bytes
	Type           string   // of elements: u8 u16 u32 s32 u64 s64 f16 bf16 tf32 f32 f64
	Dims           []uint32 // elements
	Strides        []uint64 // bytes between elements along dimensions 1 and up, multiples of 16; nil: dense
	Box            []uint32 // elements, 1 to 256; a row is a multiple of 16 bytes
	ElementStrides []uint32 // 1 to 8: every how manyth element of the box is taken; nil: every one
	Swizzle        Swizzle  // of the box in shared memory
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

// NewTensorMap checks a description as cuTensorMapEncodeTiled does, and encodes it. The map is a value: nothing is
// allocated, and it does not keep the buffer alive.
func (d *Device) NewTensorMap(t TensorMapTiled) (TensorMap, error) {
	of := t.Buffer.of
	switch {
	case of == nil:
		return TensorMap{}, fmt.Errorf("tensor map: the Buffer is zero")
	case !d.reaches(of.d):
		return TensorMap{}, fmt.Errorf("tensor map: the Buffer is memory of another device")
	case of.over():
		return TensorMap{}, ErrClosed
	}
	m, err := t.encode()
	if err == nil {
		err = m.Check()
	}
	if err != nil {
		return TensorMap{}, fmt.Errorf("tensor map: %w", err)
	}
	return m.Encode(), nil
}

func (t *TensorMapTiled) encode() (*tensor.Map, error) {
	rank := len(t.Dims)
	typ, ok := tensor.ParseElement(t.Type)
	switch {
	case !ok:
		return nil, fmt.Errorf("type %q: tensors have elements of %s", t.Type, strings.Join(tensor.ElementNames(), " "))
	case rank == 0 || rank > tensor.MaxRank:
		return nil, fmt.Errorf("%d dimensions: 1 to %d are possible", rank, tensor.MaxRank)
	case len(t.Box) != rank:
		return nil, fmt.Errorf("the box has %d dimensions, the tensor %d", len(t.Box), rank)
	case t.Strides != nil && len(t.Strides) != rank-1:
		return nil, fmt.Errorf("%d strides: a tensor of %d dimensions has %d", len(t.Strides), rank, rank-1)
	case t.ElementStrides != nil && len(t.ElementStrides) != rank:
		return nil, fmt.Errorf("%d element strides: a tensor of %d dimensions has %d", len(t.ElementStrides), rank, rank)
	}
	m := &tensor.Map{Address: t.Buffer.addr, Rank: rank, Type: typ, Swizzle: tensor.MapSwizzle(t.Swizzle.mode), Atomicity: tensor.Atomicity(t.Swizzle.atoms), NaNs: t.NaNs}
	copy(m.Dims[:], t.Dims)
	copy(m.Box[:], t.Box)
	dense := uint64(typ.Size())
	for i := range rank {
		m.Steps[i] = 1
		if i > 0 {
			m.Strides[i-1] = dense
		}
		dense *= uint64(t.Dims[i])
	}
	copy(m.Strides[:], t.Strides)
	copy(m.Steps[:], t.ElementStrides)
	return m, nil
}
