package tensor

import (
	"math/rand/v2"
	"testing"
)

// bitAt is bit i of a unit, the lowest bit of byte 0 first.
func bitAt(b *[16]byte, i int) byte { return b[i/8] >> (i % 8) & 1 }

// slowExpand puts each element together from its bits.
func slowExpand(f Format, src *[16]byte, shift4 int) (dst [16]byte) {
	width, up := 6, 0
	if f == B4x16P64 {
		width, up = 4, shift4
	}
	for k := range 16 {
		for b := range width {
			dst[k] |= bitAt(src, k*width+b) << (b + up)
		}
	}
	return dst
}

func TestExpandByHand(t *testing.T) {
	four := [16]byte{0xb3, 0x10, 0xfe, 8: 0xff, 15: 0xff} // q0 = 3, q1 = 0xb, q2 = 0, q3 = 1, q4 = 0xe, q5 = 0xf; padding is not read
	if got, want := B4x16P64.Expand(&four, 2), [16]byte{0x0c, 0x2c, 0, 4, 0x38, 0x3c}; got != want {
		t.Errorf("4 bits: % x, want % x", got, want)
	}
	if got, want := B4x16P64.Expand(&four, 0), [16]byte{3, 0xb, 0, 1, 0xe, 0xf}; got != want {
		t.Errorf("4 bits, unshifted: % x, want % x", got, want)
	}
	// Elements 3f 01 20 15: 3f | 01<<6 | 20<<12 | 15<<18 = 0x56007f.
	six := [16]byte{0x7f, 0x00, 0x56, 12: 0xff, 15: 0xff}
	if got, want := B6x16P32.Expand(&six, 2), [16]byte{0x3f, 0x01, 0x20, 0x15}; got != want {
		t.Errorf("6 bits: % x, want % x", got, want)
	}
	// An E3M2 of all ones in the last element: bits 90 to 95.
	last := [16]byte{11: 0xfc}
	if got, want := B6x16P32.Expand(&last, 2), [16]byte{15: 0x3f}; got != want {
		t.Errorf("6 bits, last: % x, want % x", got, want)
	}
	if got := Plain.Expand(&six, 2); got != six {
		t.Errorf("plain: % x", got)
	}
}

// TestExpandSlow: every single bit, and random units.
func TestExpandSlow(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	check := func(src [16]byte) {
		for _, f := range []Format{B6x16P32, B4x16P64} {
			for _, shift := range []int{0, 2} {
				if got, want := f.Expand(&src, uint(shift)), slowExpand(f, &src, shift); got != want {
					t.Fatalf("%s of % x: % x, want % x", f, src, got, want)
				}
			}
		}
	}
	for i := range 128 {
		var src [16]byte
		src[i/8] = 1 << (i % 8)
		check(src)
	}
	for range 2000 {
		var src [16]byte
		for i := range src {
			src[i] = byte(r.Uint32())
		}
		check(src)
	}
}

// TestShift: 31 of 32 rows move by one lane and one keeps its contents, in both readings.
func TestShift(t *testing.T) {
	for i := range 32 {
		if got, want := ShiftSource(i, false), min(i+1, 31); got != want {
			t.Errorf("lane %d gets %d, want %d", i, got, want)
		}
		if got, want := ShiftSource(i, true), max(i-1, 0); got != want {
			t.Errorf("lane %d gets %d, want %d (down)", i, got, want)
		}
	}
}

func TestColumnCount(t *testing.T) {
	for n := range uint32(2000) {
		ok := n == 32 || n == 64 || n == 128 || n == 256 || n == 512
		if (ColumnCount(n) == nil) != ok {
			t.Errorf("%d columns: %v", n, ColumnCount(n))
		}
	}
}
