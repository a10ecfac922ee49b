package tensor

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestDescriptorByHand reads a descriptor put together bit by bit (table 40).
func TestDescriptorByHand(t *testing.T) {
	d := uint64(0x12340>>4) | // start
		uint64(256>>4)<<16 | // leading
		uint64(1024>>4)<<32 | // stride
		1<<46 | // constant
		5<<49 | // base offset
		1<<52 | // absolute
		2<<61 // 128-byte swizzle
	m, err := Decode(d)
	want := Descriptor{Start: 0x12340, Leading: 256, Stride: 1024, Base: 5, Absolute: true, Swizzle: Swizzle128}
	if err != nil || m != want {
		t.Errorf("%v, %v; want %v", m, err, want)
	}
	if m.Encode() != d {
		t.Errorf("encoded %#x, want %#x", m.Encode(), d)
	}
}

// TestDescriptorFields: every field, at its least, greatest and single bits, comes back; every
// other bit is refused with its position.
func TestDescriptorFields(t *testing.T) {
	base := Descriptor{}.Encode()
	for bit := range uint(64) {
		d := base ^ 1<<bit
		m, err := Decode(d)
		var want string
		switch {
		case bit == 14 || bit == 15:
			want = "bits 14 to 15"
		case bit == 30 || bit == 31:
			want = "bits 30 to 31"
		case bit >= 46 && bit <= 48:
			want = "bits 46 to 48"
		case bit >= 53 && bit <= 60:
			want = "bits 53 to 60"
		}
		switch {
		case want == "" && (err != nil || m.Encode() != d):
			t.Errorf("bit %d: %v, %v, encoded %#x", bit, m, err, m.Encode())
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("bit %d: %v, want an error about %s", bit, err, want)
		}
	}
	for v := range uint64(8) {
		_, err := Decode(base | v<<61)
		if ok := v != 3 && v != 5 && v != 7; (err == nil) != ok {
			t.Errorf("swizzle %d: %v", v, err)
		}
	}
	all := Descriptor{Start: 0x3fff0, Leading: 0x3fff0, Stride: 0x3fff0, Base: 7, Absolute: true, Swizzle: Swizzle32}
	if m, err := Decode(all.Encode()); err != nil || m != all {
		t.Errorf("%v, %v; want %v", m, err, all)
	}
}

// TestCanonicalByHand: cells of the canonical layouts (9.7.16.3), worked out.
func TestCanonicalByHand(t *testing.T) {
	for _, c := range []struct {
		name string
		m    Descriptor
		mn   bool
		x, y uint32 // row and byte of K; or byte of MN and column
		want uint32
	}{
		// f16: row 10, k 20 → byte 40: 2·128 + 1·1024 + 40 = 1320 = 0x528; line 10, 10%8 = 2: ^ 2<<4.
		{"K 128B", Descriptor{Stride: 1024, Swizzle: Swizzle128}, false, 10, 40, 0x508},
		// tf32: row 9, k 5 → byte 20: 1·16 + 1·128 + 1·256 + 4.
		{"K none", Descriptor{Leading: 256, Stride: 128}, false, 9, 20, 404},
		// row 3, byte 16: 3·32 + 16 = 0x70, line 0: as it is.
		{"K 32B", Descriptor{Stride: 256, Swizzle: Swizzle32}, false, 3, 16, 0x70},
		// row 5, byte 16: 5·32 + 16 = 0xb0; line 1: ^ 1<<4.
		{"K 32B, line 1", Descriptor{Stride: 256, Swizzle: Swizzle32}, false, 5, 16, 0xa0},
		// row 7, byte 0, start 0x400: 0x400 + 7·128 = 0x780; line 15, 15%4 = 3: ^ 3<<5.
		{"K 32B atoms", Descriptor{Start: 0x400, Stride: 1024, Swizzle: Swizzle128Atom32}, false, 7, 0, 0x7e0},
		// f16: mn 40 → byte 80, k 9: 16 + 1·4096 + 1·64 + 1·512 = 4688 = 0x1250; line 0x24, %4 = 0.
		{"MN 64B", Descriptor{Leading: 4096, Stride: 512, Swizzle: Swizzle64}, true, 80, 9, 4688},
		// byte 40, k 10: 40%16 + 2·SBO + 2·16 + 1·LBO = 8 + 2·1024 + 32 + 128.
		{"MN none", Descriptor{Leading: 128, Stride: 1024}, true, 40, 10, 2216},
		// 32-byte atoms: groups of 4 columns: byte 130, k 5: 2 + 4096 + 128 + 512 = 0x1282; line 37, %4 = 1: ^ 1<<5.
		{"MN 32B atoms", Descriptor{Leading: 4096, Stride: 512, Swizzle: Swizzle128Atom32}, true, 130, 5, 0x12a2},
	} {
		got := c.m.KMajor(c.x, c.y)
		if c.mn {
			got = c.m.MNMajor(c.x, c.y)
		}
		if got != c.want {
			t.Errorf("%s: %#x, want %#x", c.name, got, c.want)
		}
	}
}

// TestCanonicalDense: with the strides of a dense matrix of 64 rows, or 64 bytes along MN, and
// one span along the other way, every layout hits each byte of its block once.
func TestCanonicalDense(t *testing.T) {
	for _, s := range modes {
		span := s.Span()
		k := Descriptor{Start: 4096, Stride: 8 * span, Leading: 64 * span, Swizzle: s}
		mn := Descriptor{Start: 4096, Leading: 8 * 8 * span, Stride: 8 * span, Swizzle: s}
		if s == NoSwizzle {
			mn.Leading, mn.Stride = 8*span, 8*8*span
		}
		group := uint32(8)
		if s == Swizzle128Atom32 {
			group, mn.Stride = 4, 4*span
		}
		check := func(name string, n, m uint32, at func(x, y uint32) uint32) {
			seen := map[uint32]bool{}
			for x := range n {
				for y := range m {
					a := at(x, y)
					if a < 4096 || a >= 4096+n*m || seen[a] {
						t.Fatalf("%s, swizzle %s: (%d,%d) is at %#x: outside, or hit twice", name, s, x, y, a)
					}
					seen[a] = true
				}
			}
		}
		check("K", 64, span, k.KMajor)
		check("MN", 2*span, 8*group*8/group, func(x, y uint32) uint32 { return mn.MNMajor(x, y) })
	}
}

// TestKMajorUnits compares the units of rows with their addresses one by one.
func TestKMajorUnits(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 3))
	for range 3000 {
		m := Descriptor{Start: r.Uint32N(1<<14) << 4, Leading: r.Uint32N(1<<14) << 4, Stride: r.Uint32N(1<<14) << 4, Base: r.Uint32N(8)}
		m.Swizzle = []Swizzle{NoSwizzle, Swizzle128Atom32, Swizzle128, Swizzle64, Swizzle32}[r.IntN(5)]
		m.Absolute = r.IntN(4) == 0 && m.Swizzle != NoSwizzle
		first, rows, bytes := r.IntN(40), r.IntN(40), 16*r.IntN(9)
		var want []uint32
		for mn := first; mn < first+rows; mn++ {
			for k := 0; k < bytes; k += 16 {
				want = append(want, m.KMajor(uint32(mn), uint32(k)))
			}
		}
		if have := m.KMajorUnits(nil, first, rows, bytes); !slices.Equal(have, want) {
			t.Fatalf("%v, rows %d to %d of %d bytes: %#x, want %#x", m, first, first+rows, bytes, have, want)
		}
	}
}

// TestDescriptorRefusals has what is said of each field that holds what it may not (table 40, 9.7.15.5.1.2).
func TestDescriptorRefusals(t *testing.T) {
	const right = 1 << 46
	for _, c := range []struct {
		d    uint64
		wg   bool
		want string
	}{
		{right | 1<<15, false, "bits 14 to 15 are 0b10, must be 0 (they are not used)"}, {right | 3<<30, false, "bits 30 to 31 are 0b11, must be 0 (they are not used)"},
		{5 << 46, false, "bits 46 to 48 are 0b101, must be 0b001 (the constant of a descriptor)"}, {right | 1<<60, false, "bits 53 to 60 are 0b10000000, must be 0 (a constant of a descriptor)"},
		{right | 7<<61, false, "bits 61 to 63 are 0b111, must be 0, 1, 2, 4 or 6 (the swizzle)"},
		{1 << 46, true, "bits 46 to 48 are 0b1, must be 0 (they are not used)"}, {1 << 52, true, "bits 52 to 61 are 0b1, must be 0 (they are not used)"}, {1 << 61, true, "bits 52 to 61 are 0b1000000000, must be 0 (they are not used)"},
	} {
		decode := Decode
		if c.wg {
			decode = DecodeWgmma
		}
		if _, err := decode(c.d); err == nil || err.Error() != fmt.Sprintf("matrix descriptor %#016x: %s", c.d, c.want) {
			t.Errorf("%#x: %v, want %s", c.d, err, c.want)
		}
	}
}

// TestDescriptorRow: a row ends with the span of its swizzle, unless the swizzle is none or the row goes on at an address.
func TestDescriptorRow(t *testing.T) {
	for _, c := range []struct {
		m     Descriptor
		bytes uint32
		want  bool
	}{
		{Descriptor{Swizzle: Swizzle64}, 64, true}, {Descriptor{Swizzle: Swizzle64}, 80, false}, {Descriptor{Start: 0x430, Swizzle: Swizzle64}, 16, true},
		{Descriptor{Start: 0x430, Swizzle: Swizzle64}, 32, false}, {Descriptor{Start: 0x430, Swizzle: Swizzle64, Absolute: true}, 32, true}, {Descriptor{Start: 0x430}, 256, true},
	} {
		if err := c.m.Row(c.bytes); (err == nil) != c.want {
			t.Errorf("%v, %d bytes: %v", c.m, c.bytes, err)
		}
	}
}

// TestKMajorAbsolute: a row that leaves the span of its swizzle goes on at an address, in the same row there (9.7.16.4.1, K = 96).
func TestKMajorAbsolute(t *testing.T) {
	m := Descriptor{Start: 0x1000 + 0x60, Leading: 0x8000, Stride: 1024, Absolute: true, Swizzle: Swizzle128}
	for _, c := range []struct{ row, k, want uint32 }{
		{0, 0, 0x1060}, {0, 31, 0x107f}, {0, 32, 0x8000}, {0, 47, 0x800f},
		{3, 16, (0x1000 + 3*128 + 0x70) ^ 0x30}, {3, 32, 0x8000 + 3*128 ^ 0x30}, {9, 40, (0x8000 + 1024 + 128 + 8) ^ 0x10},
	} {
		if have := m.KMajor(c.row, c.k); have != c.want {
			t.Errorf("row %d, byte %d: %#x, want %#x", c.row, c.k, have, c.want)
		}
	}
}
