package tensor

import (
	"math"
	"math/rand/v2"
	"testing"

	"ptxvm.invalid/ptxvm/internal/num"
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

// TestExpandValues: three elements of each type, from its number to its bits in shared memory to the
// byte in tensor memory and back to the number. Byte b of a unit holds bits 8b to 8b+7.
func TestExpandValues(t *testing.T) {
	for _, c := range []struct {
		format Format
		kind   num.Type
		value  float32
		k      int          // element: its bits begin at k times its width
		src    map[int]byte // the bytes of the unit that it reaches into, the others are zero
		dst    byte
	}{
		// e2m1: bias 1. 6 = 1.1b * 2^2: s 0, exponent 2+1 = 11b, mantissa 1: 0111b. Element 0:
		// bits 0 to 3, the low half of byte 0. In its byte: 0111b << 2.
		{B4x16P64, num.E2M1, 6, 0, map[int]byte{0: 0x07}, 0x1c},
		// -0.5 is subnormal: s 1, exponent 0, mantissa 1: 1001b. Element 5: bits 20 to 23, the high half of byte 2.
		{B4x16P64, num.E2M1, -0.5, 5, map[int]byte{2: 0x90}, 0x24},
		// -1.5 = -1.1b * 2^0: s 1, exponent 0+1 = 01b, mantissa 1: 1011b. Element 15: bits 60 to 63, byte 7.
		{B4x16P64, num.E2M1, -1.5, 15, map[int]byte{7: 0xb0}, 0x2c},
		// e3m2: bias 3. 28 = 1.11b * 2^4: exponent 4+3 = 111b, mantissa 11b: 011111b. Element 1: bits 6 to 11,
		// 11b at the top of byte 0, 0111b at the bottom of byte 1.
		{B6x16P32, num.E3M2, 28, 1, map[int]byte{0: 0xc0, 1: 0x07}, 0x1f},
		// -0.0625 is the smallest subnormal, 2^-2 / 4: s 1, exponent 0, mantissa 01b: 100001b. Element 2: bits 12
		// to 17, 0001b at the top of byte 1, 10b at the bottom of byte 2.
		{B6x16P32, num.E3M2, -0.0625, 2, map[int]byte{1: 0x10, 2: 0x02}, 0x21},
		// 1.25 = 1.01b * 2^0: exponent 0+3 = 011b, mantissa 01b: 001101b. Element 15: bits 90 to 95, the top six
		// of byte 11.
		{B6x16P32, num.E3M2, 1.25, 15, map[int]byte{11: 0x34}, 0x0d},
		// e2m3: bias 1. 7.5 = 1.111b * 2^2: exponent 2+1 = 11b, mantissa 111b: 011111b. Element 3: bits 18 to 23,
		// the top six of byte 2.
		{B6x16P32, num.E2M3, 7.5, 3, map[int]byte{2: 0x7c}, 0x1f},
		// -0.125 is the smallest subnormal, 2^0 / 8: s 1, exponent 0, mantissa 001b: 100001b. Element 4: bits 24
		// to 29, the low six of byte 3.
		{B6x16P32, num.E2M3, -0.125, 4, map[int]byte{3: 0x21}, 0x21},
		// 1.25 = 1.010b * 2^0: exponent 0+1 = 01b, mantissa 010b: 001010b. Element 9: bits 54 to 59, 10b at the
		// top of byte 6, 0010b at the bottom of byte 7.
		{B6x16P32, num.E2M3, 1.25, 9, map[int]byte{6: 0x80, 7: 0x02}, 0x0a},
	} {
		var src, want [16]byte
		for at, b := range c.src {
			src[at] = b
		}
		want[c.k] = c.dst
		got := c.format.Expand(&src, 2)
		if got != want {
			t.Errorf("%v of %v: % x, want % x", c.kind, c.value, got, want)
		}
		code := uint64(got[c.k])
		if c.format == B4x16P64 {
			code >>= 2
		}
		widen := num.Cvt{Dst: num.F32, Src: c.kind}
		if v := math.Float32frombits(uint32(widen.Apply(code))); v != c.value {
			t.Errorf("%v: element %d is %v, want %v", c.kind, c.k, v, c.value)
		}
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

// TestExpandSigns: each value of four bits with a sign, in each place.
func TestExpandSigns(t *testing.T) {
	for v := range 16 {
		for k := range 16 {
			var src, want [16]byte
			src[k/2], want[k] = byte(v)<<(4*(k%2)), byte(v)
			if v >= 8 {
				want[k] = byte(v - 16)
			}
			if have := S4.Expand(&src, 2); have != want {
				t.Errorf("%d in place %d: % x, want % x", v, k, have, want)
			}
		}
	}
}

// TestShift: 31 of 32 rows move by one lane and one keeps its contents, in both readings.
func TestShift(t *testing.T) {
	for i := range 32 {
		if got, want := ShiftSource(i, ShiftGroup, false), min(i+1, 31); got != want {
			t.Errorf("lane %d gets %d, want %d", i, got, want)
		}
		if got, want := ShiftSource(i, ShiftGroup, true), max(i-1, 0); got != want {
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
		if ok := n > 0 && n%32 == 0 && n <= 640; (ExclusiveCount(n, 640) == nil) != ok {
			t.Errorf("%d columns, exclusive of 640: %v", n, ExclusiveCount(n, 640))
		}
	}
}
