package tensor

import (
	"strings"
	"testing"
)

// tiled is a map that all checks take: 64×8×4 halves in boxes of 32×4×2. column is one of an im2col mode, sliced an interleaved one, packed
// one of elements of a type that is loaded with padding.
func tiled() *Map {
	return &Map{Address: 1 << 20, Rank: 3, Type: 6, Dims: [MaxRank]uint32{64, 8, 4}, Strides: [MaxRank - 1]uint64{128, 1024}, Box: [MaxRank]uint32{32, 4, 2}, Steps: [MaxRank]uint32{1, 1, 1}}
}

func column(mode Mode, rank int) *Map {
	return &Map{Address: 1 << 20, Rank: rank, Type: 6, Mode: mode, Dims: [MaxRank]uint32{64, 40, 40, 40, 40}, Strides: [MaxRank - 1]uint64{128, 1 << 12, 1 << 18, 1 << 24},
		Box: [MaxRank]uint32{32}, Steps: [MaxRank]uint32{1, 1, 1, 1, 1}, Column: Column{Pixels: 16}}
}

func sliced() *Map {
	m := tiled()
	m.Interleave = 1
	return m
}

func packed(e Element, row uint32) *Map {
	return &Map{Address: 1 << 20, Rank: 2, Type: e, Dims: [MaxRank]uint32{256, 8}, Strides: [MaxRank - 1]uint64{256}, Box: [MaxRank]uint32{row, 4}, Steps: [MaxRank]uint32{1, 1}}
}

// TestMapLimits has both sides of each limit of a map and of its use (9.7.9.27, 5.5.1 to 5.5.7, the documentation of cuTensorMapEncode*); want
// is a part of what is said, "" that nothing is.
func TestMapLimits(t *testing.T) {
	load := func(rank int, mode Mode) Use { return Use{Rank: rank, Mode: mode, Arch: 100} }
	store := func(rank int, mode Mode, arch int) Use {
		return Use{Rank: rank, Mode: mode, Arch: arch, Store: true}
	}
	apart := Use{Rank: 2, Apart: true, Arch: 100}
	for _, c := range []struct {
		what   string
		m      *Map
		change func(m *Map)
		use    Use
		want   string
	}{
		{"tiles", tiled(), func(*Map) {}, load(3, Tiles), ""},
		{"box 256", tiled(), func(m *Map) { m.Box[1] = 256 }, load(3, Tiles), ""},
		{"box 257", tiled(), func(m *Map) { m.Box[1] = 257 }, load(3, Tiles), "the box has 257 elements along dimension 1: 1 to 256"},
		{"box 0", tiled(), func(m *Map) { m.Box[2] = 0 }, load(3, Tiles), "the box has 0 elements along dimension 2"},
		{"step 8", tiled(), func(m *Map) { m.Steps[1] = 8 }, load(3, Tiles), ""},
		{"step 9", tiled(), func(m *Map) { m.Steps[1] = 9 }, load(3, Tiles), "the element stride of dimension 1 is 9"},
		{"step 0", tiled(), func(m *Map) { m.Steps[2] = 0 }, load(3, Tiles), "the element stride of dimension 2 is 0"},
		{"dimension 0", tiled(), func(m *Map) { m.Dims[1] = 0 }, load(3, Tiles), "dimension 1 has no elements"},
		{"stride 2^40", tiled(), func(m *Map) { m.Strides[1] = 1 << 40 }, load(3, Tiles), "the stride of dimension 2 is"},
		{"stride below", tiled(), func(m *Map) { m.Strides[1] = 1<<40 - 16 }, load(3, Tiles), ""},
		{"stride 8", tiled(), func(m *Map) { m.Strides[0] = 136 }, load(3, Tiles), "the stride of dimension 1 is 136"},
		{"address", tiled(), func(m *Map) { m.Address += 8 }, load(3, Tiles), "is no multiple of 16"},
		{"row of 8 bytes", tiled(), func(m *Map) { m.Box[0] = 4 }, load(3, Tiles), "a row of the box is 8 bytes"},
		{"row of the swizzle", tiled(), func(m *Map) { m.Swizzle = 2 }, load(3, Tiles), ""},
		{"row beyond the swizzle", tiled(), func(m *Map) { m.Swizzle, m.Box[0] = 2, 40 }, load(3, Tiles), "80 bytes, more than the 64"},
		{"row of 96", tiled(), func(m *Map) { m.Swizzle, m.Box[0] = 4, 48 }, load(3, Tiles), ""},
		{"atoms of 64", tiled(), func(m *Map) { m.Swizzle, m.Atomicity = 2, 3 }, load(3, Tiles), "has atoms of 16 bytes only"},
		{"NaN integers", tiled(), func(m *Map) { m.Type, m.NaNs = 1, true }, load(3, Tiles), "cannot be NaN"},
		{"NaN doubles", tiled(), func(m *Map) { m.Type, m.NaNs, m.Box[0] = 9, true, 16 }, load(3, Tiles), ""},
		{"rank 6", tiled(), func(m *Map) { m.Rank = 6 }, load(3, Tiles), "rank 6: tensors have 1 to 5 dimensions"},
		{"NaN halves", tiled(), func(m *Map) { m.NaNs = true }, load(3, Tiles), ""},
		{"another rank", tiled(), func(*Map) {}, load(2, Tiles), "it has rank 3"},
		{"another mode", tiled(), func(*Map) {}, load(3, Im2col), "it was made for .tile"},
		{"four rows", packed(13, 32), func(m *Map) { m.Box[1] = 1 }, apart, ""},
		{"four boxes", packed(13, 32), func(*Map) {}, apart, "the box has 4 rows"},
		{"atoms of 32 on sm_120", tiled(), func(m *Map) { m.Swizzle, m.Atomicity = 3, 1 }, Use{Rank: 3, Arch: 120}, "atoms of 16 bytes only"},
		{"stored on sm_120", tiled(), func(m *Map) { m.Swizzle, m.Atomicity = 3, 1 }, store(3, Tiles, 120), ""},

		{"pixels", column(Im2col, 4), func(*Map) {}, load(4, Im2col), ""},
		{"1024 pixels", column(Im2col, 4), func(m *Map) { m.Column.Pixels = 1024 }, load(4, Im2col), ""},
		{"1025 pixels", column(Im2col, 4), func(m *Map) { m.Column.Pixels = 1025 }, load(4, Im2col), "a column has 1025 pixels"},
		{"no pixels", column(Im2colW, 4), func(m *Map) { m.Column.Pixels = 0 }, load(4, Im2colW), "a column has 0 pixels"},
		{"no pixels of 128", column(Im2colW128, 4), func(m *Map) { m.Column.Pixels = 0 }, load(4, Im2colW128), ""},
		{"no box but channels", column(Im2col, 4), func(m *Map) { m.Box[0] = 0 }, load(4, Im2col), "the box has 0 elements along dimension 0"},
		{"rank 2", column(Im2col, 4), func(m *Map) { m.Rank = 2 }, load(2, Im2col), "columns are taken from tensors of 3 to 5"},
		{"corner -2^15", column(Im2col, 3), func(m *Map) { m.Column.Lower[0] = -1 << 15 }, load(3, Im2col), ""},
		{"corner 2^15", column(Im2col, 3), func(m *Map) { m.Column.Upper[0] = 1 << 15 }, load(3, Im2col), "-32768 to 32767 are possible"},
		{"corner -128", column(Im2col, 4), func(m *Map) { m.Column.Lower[1] = -128 }, load(4, Im2col), ""},
		{"corner -129", column(Im2col, 4), func(m *Map) { m.Column.Lower[1] = -129 }, load(4, Im2col), "is -129 along H: -128 to 127"},
		{"corner 127", column(Im2col, 4), func(m *Map) { m.Column.Upper[0] = 127 }, load(4, Im2col), ""},
		{"corner 128", column(Im2col, 4), func(m *Map) { m.Column.Upper[0] = 128 }, load(4, Im2col), "is 128 along W"},
		{"corner -16", column(Im2col, 5), func(m *Map) { m.Column.Lower[2] = -16 }, load(5, Im2col), ""},
		{"corner -17", column(Im2col, 5), func(m *Map) { m.Column.Lower[2] = -17 }, load(5, Im2col), "is -17 along D: -16 to 15"},
		{"corner 15", column(Im2col, 5), func(m *Map) { m.Column.Upper[2] = 15 }, load(5, Im2col), ""},
		{"corner of W in 5", column(Im2colW, 5), func(m *Map) { m.Column.Lower[0] = -129 }, load(5, Im2colW), ""},
		{"H does not count", column(Im2colW, 5), func(m *Map) { m.Column.Lower[1] = -1 << 20 }, load(5, Im2colW), ""},
		{"a box of one", column(Im2col, 4), func(m *Map) { m.Column.Lower[0], m.Column.Upper[0] = 29, -10 }, load(4, Im2col), ""},
		{"an empty box", column(Im2col, 4), func(m *Map) { m.Column.Lower[0], m.Column.Upper[0] = 30, -10 }, load(4, Im2col), "empty along W: from 30 to 29"},
		{"a box inside", column(Im2col, 4), func(m *Map) { m.Column.Lower[0], m.Column.Upper[1] = 1, -1 }, store(4, Im2col, 100), ""},
		{"a box before", column(Im2col, 4), func(m *Map) { m.Column.Lower[1] = -1 }, store(4, Im2col, 100), "its bounding box leaves the tensor"},
		{"a box behind", column(Im2col, 4), func(m *Map) { m.Column.Upper[0] = 1 }, store(4, Im2col, 100), "its bounding box leaves the tensor"},
		{"a box behind, loaded", column(Im2col, 4), func(m *Map) { m.Column.Upper[0] = 1 }, load(4, Im2col), ""},
		{"corners of tiles", tiled(), func(m *Map) { m.Column.Lower[0] = -1 }, store(3, Tiles, 100), ""},
		{"swizzle of 96 of 128 pixels", column(Im2colW128, 4), func(m *Map) { m.Swizzle = 4 }, load(4, Im2colW128), "a swizzle of 96 bytes does not go with .im2col::w::128"},
		{"swizzle of 96 of columns", column(Im2colW, 4), func(m *Map) { m.Swizzle = 4 }, load(4, Im2colW), ""},

		{"slices of 16", sliced(), func(*Map) {}, load(3, Tiles), ""},
		{"slices of 32", sliced(), func(m *Map) { m.Interleave, m.Swizzle = 2, 1 }, load(3, Tiles), ""},
		{"slices of 32 without", sliced(), func(m *Map) { m.Interleave = 2 }, load(3, Tiles), "goes with a swizzle of 32 bytes"},
		{"layout 3", sliced(), func(m *Map) { m.Interleave = 3 }, load(3, Tiles), "interleave layout 3 does not exist"},
		{"two dimensions", sliced(), func(m *Map) { m.Rank = 2 }, load(2, Tiles), "interleaved tensors have 3 to 5"},
		{"columns of slices", column(Im2col, 4), func(m *Map) { m.Interleave = 1 }, load(4, Im2col), ""},
		{"columns of W", column(Im2colW, 4), func(m *Map) { m.Interleave = 1 }, load(4, Im2colW), ".im2col::w takes no interleaved tensors"},
		{"swizzle of 96 of slices", sliced(), func(m *Map) { m.Swizzle = 4 }, load(3, Tiles), "a swizzle of 96 bytes does not go with interleaving"},
		{"half a slice", sliced(), func(m *Map) { m.Box[0] = 36 }, load(3, Tiles), "its box has 36 channels: no manual says how a part of a slice is copied; whole ones have 8"},
		{"address of slices", sliced(), func(m *Map) { m.Interleave, m.Swizzle, m.Address = 2, 1, 1<<20+16 }, load(3, Tiles), "is no multiple of 32"},
		{"stride of slices", sliced(), func(m *Map) { m.Interleave, m.Swizzle, m.Strides[1] = 2, 1, 1040 }, load(3, Tiles), "the stride of dimension 2 is 1040 bytes: an interleave of 32"},
		{"channels apart", sliced(), func(m *Map) { m.Steps[0] = 2 }, load(3, Tiles), "an element stride of 2 along the channels"},
		{"rows of slices", sliced(), func(m *Map) { m.Box[1] = 1 }, Use{Rank: 3, Apart: true, Arch: 100}, "its tensor is interleaved"},

		{"padded", packed(14, 128), func(*Map) {}, load(2, Tiles), ""},
		{"padded rows of 64", packed(14, 64), func(*Map) {}, load(2, Tiles), "the box has 64 elements of type b4x16_p64 along dimension 0: want 128"},
		{"padded tensor", packed(14, 128), func(m *Map) { m.Dims[0] = 192 }, load(2, Tiles), "dimension 0 has 192 elements: of type b4x16_p64 it has a multiple of 128"},
		{"padded address", packed(15, 128), func(m *Map) { m.Address += 16 }, load(2, Tiles), "no multiple of 32"},
		{"padded stride", packed(15, 128), func(m *Map) { m.Strides[0] = 272 }, load(2, Tiles), "want a multiple of 32"},
		{"padded swizzle", packed(15, 128), func(m *Map) { m.Swizzle = 3 }, load(2, Tiles), ""},
		{"padded swizzle of 32 atoms", packed(15, 128), func(m *Map) { m.Swizzle, m.Atomicity = 3, 2 }, load(2, Tiles), "without a flip of 8"},
		{"padded stored", packed(14, 128), func(*Map) {}, store(2, Tiles, 100), "are loaded only"},
		{"six bits stored", packed(15, 128), func(*Map) {}, store(2, Tiles, 100), ""},
		{"six bits loaded on sm_120", packed(15, 128), func(*Map) {}, Use{Rank: 2, Arch: 120}, "sm_120 loads no elements"},
		{"half rows stored", packed(15, 64), func(m *Map) { m.Address += 16 }, store(2, Tiles, 103), ""},
		{"half rows of 8", packed(15, 64), func(m *Map) { m.Strides[0] = 248 }, store(2, Tiles, 103), "the stride of dimension 1 is 248"},
		{"half rows stored elsewhere", packed(15, 64), func(*Map) {}, store(2, Tiles, 100), "stored by sm_103 only"},
		{"half rows loaded", packed(15, 64), func(*Map) {}, load(2, Tiles), "stored by sm_103 only"},
		{"four bits", packed(13, 32), func(m *Map) { m.Address += 16 }, load(2, Tiles), ""},
		{"half a byte", packed(13, 33), func(*Map) {}, load(2, Tiles), "the box has 33 elements of type b4x16 along dimension 0: want 128"},
	} {
		c.change(c.m)
		err := c.m.Fits(c.use)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.what, err, c.want)
		}
	}
}

// TestSharedBytes: a swizzle uses the rest of the last line.
func TestSharedBytes(t *testing.T) {
	for _, c := range []struct {
		swizzle MapSwizzle
		rows    int
		want    uint32
	}{{0, 1, 64}, {0, 3, 192}, {1, 1, 128}, {2, 2, 128}, {2, 3, 256}, {3, 4, 256}} {
		m := tiled()
		if m.Swizzle = c.swizzle; m.SharedBytes(c.rows) != c.want {
			t.Errorf("%d rows of 64 bytes, swizzle %d: %d bytes, want %d", c.rows, c.swizzle, m.SharedBytes(c.rows), c.want)
		}
	}
}

// TestReplaced changes each field of a map (table 33), and nothing else.
func TestReplaced(t *testing.T) {
	for _, c := range []struct {
		field string
		ord   int
		v     uint64
		want  func(m *Map)
	}{
		{"global_address", 0, 1 << 33, func(m *Map) { m.Address = 1 << 33 }}, {"rank", 0, 3, func(m *Map) { m.Rank = 4 }}, {"box_dim", 4, 7, func(m *Map) { m.Box[4] = 7 }},
		{"global_dim", 3, 1 << 31, func(m *Map) { m.Dims[3] = 1 << 31 }}, {"global_stride", 3, 1 << 39, func(m *Map) { m.Strides[3] = 1 << 39 }}, {"element_stride", 2, 5, func(m *Map) { m.Steps[2] = 5 }},
		{"elemtype", 0, 10, func(m *Map) { m.Type = 10 }}, {"interleave_layout", 0, 2, func(m *Map) { m.Interleave = 2 }}, {"swizzle_mode", 0, 4, func(m *Map) { m.Swizzle = 4 }},
		{"swizzle_atomicity", 0, 3, func(m *Map) { m.Atomicity = 3 }}, {"fill_mode", 0, 1, func(m *Map) { m.NaNs = true }},
	} {
		have, want := tiled(), tiled()
		c.want(want)
		if err := have.Replace(c.field, c.ord, c.v); err != nil || *have != *want {
			t.Errorf("%s: %+v, %v, want %+v", c.field, have, err, want)
		}
	}
	if err := tiled().Replace("global_stride", 4, 16); err == nil {
		t.Error("there is a fifth stride")
	}
}

// TestPackSix packs sixteen elements of six bits, one after the other from the lowest bit on (5.5.1.1).
func TestPackSix(t *testing.T) {
	m := packed(packed6, 128)
	for i := range 32 {
		for b := range 8 {
			box, have, want := make([]byte, 32), make([]byte, 24), make([]byte, 24)
			box[i] = 1 << b
			if at := 6*i + b; b < 6 {
				want[at/8] = 1 << (at % 8)
			}
			if m.Pack(have, box); string(have) != string(want) {
				t.Fatalf("bit %d of element %d: % x, want % x", b, i, have, want)
			}
		}
	}
}

// TestUnpackFour: eight bytes of sixteen elements of four bits, then zeros.
func TestUnpackFour(t *testing.T) {
	m := packed(packed4, 128)
	memory, box := []byte("abcdefghABCDEFGH"), []byte("................................")
	if m.Unpack(box, memory); string(box) != "abcdefgh\x00\x00\x00\x00\x00\x00\x00\x00ABCDEFGH\x00\x00\x00\x00\x00\x00\x00\x00" {
		t.Errorf("%q", box)
	}
}

// TestUnknown: a map of which no manual says what its copies do is made, as the driver makes it, and refused where it is used.
func TestUnknown(t *testing.T) {
	for name, change := range map[string]func(m *Map){
		"a part of a slice": func(m *Map) { m.Box[0] = 4 },
		"channels apart":    func(m *Map) { m.Steps[0] = 8 },
	} {
		m := sliced()
		if err := m.Fits(Use{Rank: 3, Arch: 90}); err != nil {
			t.Fatal(err)
		}
		change(m)
		if err := m.Check(); err != nil {
			t.Errorf("%s: not made: %v", name, err)
		}
		if err := m.Fits(Use{Rank: 3, Arch: 90}); err == nil || !strings.Contains(err.Error(), "no manual says") {
			t.Errorf("%s: used: %v", name, err)
		}
	}
}

// TestWidest: a dimension may have 2^32 elements, whose last ones are inside; one of 0 is none.
func TestWidest(t *testing.T) {
	m := tiled()
	m.SetDim(1, 1<<32)
	b := m.Encode()
	back, err := DecodeMap(&b)
	if err != nil || *back != *m || back.dim(1) != 1<<32 || back.dim(0) != 64 {
		t.Fatalf("%+v, %v", back, err)
	}
	if err := back.Fits(Use{Rank: 3, Arch: 90}); err != nil {
		t.Error(err)
	}
	back.SetDim(1, 0)
	if err := back.Check(); err == nil {
		t.Error("a dimension without elements")
	}
	back.SetDim(1, 1<<32)
	back.SetDim(1, 5)
	if back.dim(1) != 5 {
		t.Errorf("%d elements, want 5", back.dim(1))
	}
}
