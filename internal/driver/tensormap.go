package driver

// This file encodes tensor maps (cuTensorMapEncodeTiled, cuTensorMapEncodeIm2col, cuTensorMapEncodeIm2colWide).

import (
	"fmt"

	"ptxvm.invalid/ptxvm/internal/tensor"
)

// TensorMap describes a tensor in device memory and a box of it, or columns of its pixels, with the driver API's numbers.
type TensorMap struct {
	Addr          uint64
	Type, Swizzle uint32 // CUtensorMapDataType, CUtensorMapSwizzle
	Interleave    uint32 // CUtensorMapInterleave
	NaNs          bool
	Dims, Strides []uint64 // elements; bytes, one less
	Box, Steps    []uint32

	Mode             tensor.Mode // of columns there is no box but:
	Lower, Upper     [tensor.MaxRank - 2]int32
	Channels, Pixels uint32
}

// tensorTypes are the elements by CUtensorMapDataType.
var tensorTypes = []string{"u8", "u16", "u32", "s32", "u64", "s64", "f16", "f32", "f64", "bf16", "f32.ftz", "tf32", "tf32.ftz", "b4x16", "b4x16_p64", "b6x16_p32"}

// tensorSwizzles are the patterns by CUtensorMapSwizzle.
var tensorSwizzles = []struct {
	mode  tensor.MapSwizzle
	atoms tensor.Atomicity
}{{0, 0}, {1, 0}, {2, 0}, {3, 0}, {3, 1}, {3, 2}, {3, 3}}

// unnamed says which of its numbers name nothing; "" if all do.
func (t *TensorMap) unnamed() string {
	rank := len(t.Dims)
	switch {
	case rank == 0 || rank > tensor.MaxRank:
		return fmt.Sprintf("%d dimensions: want 1 to %d", rank, tensor.MaxRank)
	case int(t.Type) >= len(tensorTypes):
		return fmt.Sprintf("there is no data type %d", t.Type)
	case int(t.Swizzle) >= len(tensorSwizzles):
		return fmt.Sprintf("there is no swizzle %d", t.Swizzle)
	case t.Interleave > 2:
		return fmt.Sprintf("there is no interleave %d", t.Interleave)
	case len(t.Strides) != rank-1 || len(t.Box) != rank || len(t.Steps) != rank:
		return fmt.Sprintf("%d dimensions with %d strides, a box of %d and %d element strides", rank, len(t.Strides), len(t.Box), len(t.Steps))
	}
	for i, n := range t.Dims {
		if n == 0 || n > 1<<32 {
			return fmt.Sprintf("dimension %d has %d elements: want 1 to 2^32", i, n)
		}
	}
	return ""
}

// Encode checks a description and makes the map of it.
func (d *Driver) Encode(t TensorMap) (m [tensor.MapBytes]byte, code Code) {
	defer d.defect(&code)
	if why := t.unnamed(); why != "" {
		d.warn("a tensor map cannot be made: %s", why)
		return m, InvalidValue
	}
	rank := len(t.Dims)
	element, _ := tensor.ParseElement(tensorTypes[t.Type])
	s := tensorSwizzles[t.Swizzle]
	out := &tensor.Map{Address: t.Addr, Rank: rank, Type: element, Swizzle: s.mode, Atomicity: s.atoms, Interleave: uint8(t.Interleave), NaNs: t.NaNs}
	for i, n := range t.Dims {
		out.SetDim(i, n)
	}
	copy(out.Strides[:], t.Strides)
	copy(out.Box[:], t.Box)
	copy(out.Steps[:], t.Steps)
	if t.Mode != tensor.Tiles {
		out.Mode, out.Box = t.Mode, [tensor.MaxRank]uint32{t.Channels}
		out.Column = tensor.Column{Lower: t.Lower, Upper: t.Upper, Pixels: t.Pixels}
	}
	if err := out.Check(); err != nil {
		d.warn("a tensor map cannot be made: %v", err)
		return m, InvalidValue
	}
	return out.Encode(), Success
}

// EncodeAt gives a map, which Encode has made, another address.
func (d *Driver) EncodeAt(m *[tensor.MapBytes]byte, addr uint64) (code Code) {
	defer d.defect(&code)
	of, err := tensor.DecodeMap(m)
	if err == nil {
		of.Address = addr
		err = of.Check()
	}
	if err != nil {
		d.warn("a tensor map cannot be changed: %v", err)
		return InvalidValue
	}
	*m = of.Encode()
	return Success
}
