package tensor

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestMapRoundTrip: every field comes back, and bit 21 of the second word is unused.
func TestMapRoundTrip(t *testing.T) {
	m := &Map{
		Address: 0x700000001230, Rank: 5, Type: 10, Interleave: 2, Swizzle: 4, Atomicity: 3, NaNs: true,
		Dims: [MaxRank]uint32{1, 1 << 31, 3, 4, 5}, Strides: [MaxRank - 1]uint64{16, 1 << 39, 48, 64}, Box: [MaxRank]uint32{256, 2, 3, 4, 5}, Steps: [MaxRank]uint32{1, 2, 3, 4, 8},
	}
	b := m.Encode()
	back, err := DecodeMap(&b)
	if err != nil || *back != *m {
		t.Errorf("%+v, want %+v, %v", back, m, err)
	}
	if b[10]&0x20 != 0 {
		t.Error("bit 21 of the second word is in use")
	}
	b[10] ^= 0x20
	if back, err = DecodeMap(&b); err != nil || *back != *m {
		t.Error("bit 21 of the second word counts", err)
	}
	for _, m := range []*Map{
		{Rank: 5, Mode: Im2colW128, Column: Column{Lower: [spatial]int32{-1 << 15, -2, -3}, Upper: [spatial]int32{1<<15 - 1, -5, 6}, Pixels: 1024}},
		{Rank: 1, Mode: Im2col, Box: [MaxRank]uint32{0xffff, 0x8001, 0x7fff, 1, 2}, Steps: [MaxRank]uint32{0xff}, Column: Column{Upper: [spatial]int32{1, 2, 3}}},
	} {
		b := m.Encode()
		if back, err := DecodeMap(&b); err != nil || *back != *m {
			t.Errorf("%+v, want %+v, %v", back, m, err)
		}
	}
	if b := (&Map{Rank: 1, Box: [MaxRank]uint32{1 << 16}, Steps: [MaxRank]uint32{256}, Column: Column{Pixels: 1 << 16}}).Encode(); true {
		if back, err := DecodeMap(&b); err != nil || back.Check() == nil || back.Box[0] <= MaxBox || back.Steps[0] <= 8 || back.Column.Pixels <= MaxPixels {
			t.Errorf("what is too large has become small: %+v, %v", back, err)
		}
	}
	if _, err := DecodeMap(new([MapBytes]byte)); err == nil {
		t.Error("zeros are a tensor map")
	}
	if m, err := DecodeReplaced(new([MapBytes]byte)); err != nil || m.Check() == nil {
		t.Error("zeros are none to begin with, or a whole one", err)
	}
	if m, err := DecodeReplaced(&[MapBytes]byte{0: 1}); err == nil {
		t.Errorf("a byte is a map: %+v", m)
	}
}

// TestMapSwizzle: examples of 5.5.7 worked out by hand.
func TestMapSwizzle(t *testing.T) {
	for _, c := range []struct {
		mode       MapSwizzle
		atoms      Atomicity
		addr, want uint32
	}{
		{0, 0, 0x390, 0x390}, {1, 0, 0x390, 0x380}, {2, 0, 0x390, 0x3a0}, {3, 0, 0x390, 0x3e0}, {3, 1, 0x390, 0x3f0}, {3, 2, 0x390, 0x3f8}, {3, 3, 0x390, 0x3d0}, {4, 0, 0x390, 0x380},
		{3, 3, 0x310, 0x310}, {3, 3, 0x2d0, 0x290}, {1, 0, 0x310, 0x310}, {2, 0, 0x310, 0x330}, {2, 2, 0x390, 0x3a0},
	} {
		m := &Map{Swizzle: c.mode, Atomicity: c.atoms}
		if got := m.At(c.addr); got != c.want {
			t.Errorf("swizzle %d, atoms %d: %#x goes to %#x, want %#x", c.mode, c.atoms, c.addr, got, c.want)
		}
	}
}

// TestMapTooLarge: a map may say boxes that no list of rows has room for.
func TestMapTooLarge(t *testing.T) {
	m := &Map{Address: 16, Rank: 5, Type: 0, Dims: [MaxRank]uint32{256, 256, 256, 256, 256}, Strides: [MaxRank - 1]uint64{256, 1 << 16, 1 << 24, 1 << 32},
		Box: [MaxRank]uint32{256, 256, 256, 256, 256}, Steps: [MaxRank]uint32{1, 1, 1, 1, 1}}
	use := Use{Rank: 5, Arch: 90}
	if err := m.Fits(use); err == nil || !strings.Contains(err.Error(), "1099511627776 bytes, more than shared memory") {
		t.Errorf("a box of 2^40 bytes: %v", err)
	}
	m.Box = [MaxRank]uint32{256, 256, 256, 1, 1}
	if err := m.Fits(use); err != nil {
		t.Errorf("a box of 2^24 bytes: %v", err)
	}
}

// TestMapPieces compares boxes moved in pieces with each byte's place.
func TestMapPieces(t *testing.T) {
	box := make([]byte, 1200)
	for i := range box {
		box[i] = byte(i*7 + i>>8)
	}
	for swizzle := range MapSwizzle(len(mapSpans)) {
		for atoms := range Atomicity(4) {
			m := &Map{Swizzle: swizzle, Atomicity: atoms}
			for _, addr := range []uint32{0, 128, 0x380, 0x400} {
				for _, n := range []int{16, 96, 128, 144, 1024, 1200} {
					have, want := make([]byte, 2048), make([]byte, 2048)
					for i, b := range box[:n] {
						want[m.At(addr+uint32(i))-addr] = b
					}
					m.Scatter(have, addr, box[:n])
					back := make([]byte, n)
					if m.Collect(back, have, addr); !bytes.Equal(have, want) || !bytes.Equal(back, box[:n]) {
						t.Errorf("swizzle %d, atoms %d: %d bytes at %#x lie elsewhere", swizzle, atoms, n, addr)
					}
				}
			}
		}
	}
}

// TestMapRows compares the rows of boxes with each row's place alone.
func TestMapRows(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 4))
	for range 2000 {
		m := &Map{Address: 1 << 20, Rank: 1 + r.IntN(5), Type: 6}
		var at [MaxRank]int32
		for d := range MaxRank {
			m.Dims[d], m.Box[d], m.Steps[d], at[d] = 1+r.Uint32N(9), 1+r.Uint32N(5), 1+r.Uint32N(3), int32(r.IntN(14))-4
			if d > 0 {
				m.Strides[d-1] = 16 << r.IntN(20)
			}
		}
		m.Box[0] *= 8
		clear(m.Dims[m.Rank:])
		var want []Row
		n := m.counts()
		for i := range int(m.boxRows()) {
			x := [MaxRank]int{0, i % n[1], i / n[1] % n[2], i / n[1] / n[2] % n[3], i / n[1] / n[2] / n[3]}
			want = append(want, m.row(m.place(at, x)))
		}
		if have := m.Rows(nil, at, 0); !slices.Equal(have, want) {
			t.Fatalf("%+v at %v: %v, want %v", m, at, have, want)
		}
	}
}

// TestElementBytes has the bytes of sixteen elements of each type, in global and in shared memory (table 33, 5.5.1).
func TestElementBytes(t *testing.T) {
	for name, want := range map[string][2]uint32{
		"u8": {16, 16}, "u16": {32, 32}, "u32": {64, 64}, "s32": {64, 64}, "u64": {128, 128}, "s64": {128, 128}, "f16": {32, 32}, "f32": {64, 64}, "f32.ftz": {64, 64}, "tf32.ftz": {64, 64},
		"f64": {128, 128}, "bf16": {32, 32}, "tf32": {64, 64}, "b4x16": {8, 8}, "b4x16_p64": {8, 16}, "b6x16_p32": {12, 16},
	} {
		e, ok := ParseElement(name)
		if !ok {
			t.Errorf("%s is no type", name)
			continue
		}
		m := Map{Type: e, Box: [MaxRank]uint32{16}}
		if have := [2]uint32{uint32(e.Bytes(16)), m.RowBytes()}; have != want {
			t.Errorf("%s: %v, want %v", name, have, want)
		}
		if m.InBox(want[0]) != want[1] || m.Packed(want[1]) != want[0] {
			t.Errorf("%s: %d bytes are %d in a box, and those %d", name, want[0], m.InBox(want[0]), m.Packed(want[1]))
		}
	}
}
