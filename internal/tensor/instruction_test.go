package tensor

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// descriptorBits are the bits of instruction descriptors, 31 first (tables 42 to 44): 0 and 1 may not differ, a dot may, and x
// gives a type, a size or a kind that may not be.
var descriptorBits = []struct {
	s     Statement
	legal uint32
	bits  string
}{
	{Statement{Kind: KindF16, Group: 1}, 1<<4 | 16<<17 | 8<<24, "xx0xxxxx0xxxxxx....xxxxxx0xx00.."},
	{Statement{Kind: KindTF32, Group: 1}, 1<<4 | 2<<7 | 2<<10 | 16<<17 | 8<<24, "000xxxxx0xxxxxx....xxxxxx00100.."},
	{Statement{Kind: KindI8, Group: 1}, 2<<4 | 16<<17 | 8<<24, "000xxxxx0xxxxxx..00xx.xx.010.0.."},
	{Statement{Kind: KindMXF8F6F4, Group: 1, Vector: 1}, 16<<17 | 1<<23 | 1<<27, "0..xx0001xxxxxx....xxxxxx0..0000"},
	{Statement{Kind: KindMXF4, Group: 1, Vector: 2}, 1<<7 | 1<<10 | 16<<17 | 1<<23 | 1<<27, "0.0xx0001xxxxxx00..0xxxxx0.00000"},
	{Statement{Kind: KindI8, Group: 1, Sparse: true}, 1<<2 | 2<<4 | 16<<17 | 8<<24, "000xxxxx0xxxxxx..00xx.xx.010.x00"},
	{Statement{Kind: KindF16, Group: 1, Sparse: true}, 1<<2 | 1<<4 | 16<<17 | 8<<24, "000xxxxx0xxxxxx....xxxxxx0xx0x.."},
	{Statement{Kind: KindF16, Group: 1, WS: true}, 1<<4 | 16<<17 | 8<<24, "xx0xxxxx0xxxxxx....xxxxxx0xx00.."},
	{Statement{Kind: KindMXF8F6F4, Group: 1, Vector: 1, Sparse: true, Arch: 103}, 1<<2 | 16<<17 | 1<<23 | 1<<27, "0..xx0001xxxxxx....xxxxxx0..0x00"},
	{Statement{Kind: KindMXF4NVF4, Group: 1, Vector: 4}, 1<<7 | 1<<10 | 16<<17 | 1<<27, "000xx000.xxxxxx00..0xxxxx0000000"},
	{Statement{Kind: KindMXF4NVF4, Group: 1, Vector: 4, Arch: 107}, 1<<7 | 1<<10 | 16<<17 | 1<<27, "000xx00..xxxxxx00..0xxxxx0000000"},
	{Statement{Kind: KindMXF4NVF4, Group: 1, Vector: 2, Arch: 107}, 1<<7 | 1<<10 | 16<<17 | 1<<27, "0.0xx00..xxxxxx00..0xxxxx0.00000"},
	{Statement{Kind: KindMXF4NVF4, Group: 1, Vector: 2, Arch: 103}, 1<<7 | 1<<10 | 16<<17 | 1<<23 | 1<<27, "..0xx0001xxxxxx00..0xxxxx0.00000"},
}

// TestInstructionBits changes each bit of a right descriptor.
func TestInstructionBits(t *testing.T) {
	for _, c := range descriptorBits {
		right, err := DecodeInstruction(c.legal, c.s)
		if err != nil {
			t.Errorf("%v: %v", c.s, err)
			continue
		}
		for i := range 32 {
			have, err := DecodeInstruction(c.legal^1<<i, c.s)
			switch want := c.bits[31-i]; {
			case want == 'x':
			case want == '.' && (err != nil || have == right):
				t.Errorf("%v, bit %d changed: %+v, %v", c.s, i, have, err)
			case want != '.' && (err == nil || !covers(err.Error(), i)):
				t.Errorf("%v, bit %d changed: %v", c.s, i, err)
			}
		}
	}
}

// TestInstruction96 has descriptors of K = 96, which sm_103 alone has, for dense products of four bits: factors begin at any byte, or each second.
func TestInstruction96(t *testing.T) {
	const four = 1<<7 | 1<<10 | 16<<17 | 1<<23 | 1<<27
	for _, c := range []struct {
		d uint32
		s Statement
		k int // 0: refused
	}{
		{four | 1<<31, Statement{Kind: KindMXF4, Vector: 2, Arch: 103}, 96}, {four | 1<<31, Statement{Kind: KindMXF4, Vector: 2, Arch: 100}, 0},
		{four | 1<<31 | 3<<29 | 1<<4, Statement{Kind: KindMXF4, Vector: 2, Arch: 103}, 96}, {four | 1<<29, Statement{Kind: KindMXF4, Vector: 2, Arch: 103}, 0},
		{four | 2<<29, Statement{Kind: KindMXF4, Vector: 2, Arch: 103}, 64},
		{four | 1<<31 | 2<<29, Statement{Kind: KindMXF4NVF4, Vector: 4, Arch: 103}, 96}, {four | 1<<31 | 1<<29, Statement{Kind: KindMXF4NVF4, Vector: 4, Arch: 103}, 0},
		{four | 2<<29, Statement{Kind: KindMXF4NVF4, Vector: 4, Arch: 103}, 0}, {four&^(1<<23) | 1<<31, Statement{Kind: KindMXF4NVF4, Vector: 4, Arch: 103}, 96},
		{four&^(1<<23) | 1<<31, Statement{Kind: KindMXF4NVF4, Vector: 2, Arch: 103}, 0},
		{four | 1<<31 | 1<<2, Statement{Kind: KindMXF4, Vector: 2, Arch: 103, Sparse: true}, 0},
		{16<<17 | 1<<23 | 1<<27 | 1<<31, Statement{Kind: KindMXF8F6F4, Vector: 1, Arch: 103}, 0},
	} {
		c.s.Group = 1
		in, err := DecodeInstruction(c.d, c.s)
		if (err == nil) != (c.k != 0) || err == nil && in.K != c.k {
			t.Errorf("%#x, %v of sm_%d: K %d, %v, want %d", c.d, c.s, c.s.Arch, in.K, err, c.k)
		}
	}
}

// covers reports whether a message names bits among which one is.
func covers(text string, bit int) bool {
	_, text, _ = strings.Cut(text, ": bits ")
	var from, to int
	n, _ := fmt.Sscanf(text, "%d to %d", &from, &to)
	return n == 2 && from <= bit && bit <= to
}

// TestInstructionFields decodes descriptors whose fields all differ.
func TestInstructionFields(t *testing.T) {
	for _, c := range []struct {
		d    uint32
		s    Statement
		want Instruction
	}{
		{1<<2 | 3 | 1<<4 | 1<<7 | 1<<14 | 1<<15 | 24<<17 | 8<<24, Statement{Kind: KindF16, Group: 2, Sparse: true},
			Instruction{M: 128, N: 192, K: 32, A: BF16, B: F16, Selector: 3, Negate: [2]bool{false, true}, Transpose: [2]bool{true, false}}},
		{1<<13 | 1<<16 | 2<<17 | 4<<24, Statement{Kind: KindF16, Group: 1},
			Instruction{M: 64, N: 16, K: 16, A: F16, B: F16, Half: true, Negate: [2]bool{true, false}, Transpose: [2]bool{false, true}}},
		{1<<4 | 1<<7 | 4<<10 | 1<<17 | 8<<24, Statement{Kind: KindF8F6F4, Group: 1}, Instruction{M: 128, N: 8, K: 32, A: E5M2, B: E3M2}},
		{3<<7 | 5<<10 | 8<<17 | 2<<24 | 3<<30, Statement{Kind: KindF8F6F4, Group: 1, WS: true}, Instruction{M: 32, N: 64, K: 32, A: E2M3, B: E2M1, Half: true}},
		{1<<3 | 2<<4 | 1<<7 | 32<<17 | 16<<24, Statement{Kind: KindI8, Group: 2}, Instruction{M: 256, N: 256, K: 32, A: S8, B: U8, Saturate: true}},
		{1<<2 | 2<<4 | 3<<29 | 1<<23 | 1<<13 | 32<<17 | 2<<27, Statement{Kind: KindMXF8F6F4, Group: 2, Vector: 1, Sparse: true},
			Instruction{M: 256, N: 256, K: 64, A: E4M3, B: E4M3, Format: UE8M0, Scales: [2]int{3, 2}, Negate: [2]bool{true, false}}},
		{2<<4 | 1<<7 | 1<<10 | 1<<23 | 4<<17 | 1<<27, Statement{Kind: KindMXF4, Group: 1, Vector: 2}, Instruction{M: 128, N: 32, K: 64, A: E2M1, B: E2M1, Format: UE8M0, Scales: [2]int{0, 2}}},
		{1<<29 | 2<<4 | 1<<7 | 1<<10 | 1<<23 | 4<<17 | 1<<27 | 1<<31, Statement{Kind: KindMXF4, Group: 1, Vector: 2, Arch: 103},
			Instruction{M: 128, N: 32, K: 96, A: E2M1, B: E2M1, Format: UE8M0, Scales: [2]int{1, 2}}},
		{1<<7 | 1<<10 | 32<<17 | 2<<27, Statement{Kind: KindMXF4NVF4, Group: 2, Vector: 4}, Instruction{M: 256, N: 256, K: 64, A: E2M1, B: E2M1}},
	} {
		c.want.Statement = c.s
		if have, err := DecodeInstruction(c.d, c.s); err != nil || have != c.want {
			t.Errorf("%#x: %+v, %v, want %+v", c.d, have, err, c.want)
		}
	}
}

// TestInstructionRefusals: fields that are right alone and not together, and what is said of them.
func TestInstructionRefusals(t *testing.T) {
	plain := Statement{Kind: KindF16, Group: 1}
	for _, c := range []struct {
		d    uint32
		s    Statement
		want string
	}{
		{1<<4 | 1<<2 | 16<<17 | 8<<24, plain, "bits 2 to 2 (sparsity) are 1; they must be 0 as the statement is without .sp"},
		{1<<4 | 16<<17 | 8<<24, Statement{Kind: KindF16, Group: 1, Sparse: true}, "bits 2 to 2 (sparsity) are 0; they must be 1 as the statement is with .sp"},
		{1<<4 | 2<<7 | 16<<17 | 8<<24, plain, "bits 7 to 9 (type of A) are 2; tcgen05.mma.cta_group::1.kind::f16 takes 0 or 1"},
		{1<<4 | 2<<10 | 16<<17 | 8<<24, Statement{Kind: KindF8F6F4, Group: 1, WS: true}, "bits 10 to 12 (type of B) are 2; tcgen05.mma.ws.cta_group::1.kind::f8f6f4 takes 0, 1, 3, 4 or 5"},
		{1<<7 | 1<<10 | 1<<12 | 16<<17 | 1<<23 | 1<<27, Statement{Kind: KindMXF4, Group: 1, Vector: 2}, "bits 12 to 12 (reserved) are 1; tcgen05.mma.cta_group::1.kind::mxf4 takes 0"},
		{1<<7 | 1<<10 | 1<<25 | 16<<17 | 1<<23 | 1<<27, Statement{Kind: KindMXF4, Group: 1, Vector: 2}, "bits 25 to 26 (reserved) are 1; tcgen05.mma.cta_group::1.kind::mxf4 takes 0"},
		{1<<7 | 16<<17 | 8<<24, plain, "bits 4 to 5 (type of D) are 0, f16, which A and B of f16 alone have"},
		{1<<4 | 1<<16 | 3<<17 | 8<<24, Statement{Kind: KindF8F6F4, Group: 1}, "N is 24; with B transposed (bit 16), elements of 8 bits take multiples of 16"},
		{1<<4 | 3<<7 | 1<<15 | 16<<17 | 8<<24, Statement{Kind: KindF8F6F4, Group: 1}, "bit 15 (transpose A) is 1; elements of 6 and 4 bits cannot be transposed"},
		{1<<4 | 5<<10 | 1<<16 | 16<<17 | 8<<24, Statement{Kind: KindF8F6F4, Group: 1}, "bit 16 (transpose B) is 1; elements of 6 and 4 bits cannot be transposed"},
		{1<<4 | 3<<17 | 8<<24, Statement{Kind: KindF16, Group: 2}, "N is 24; tcgen05.mma.cta_group::2.kind::f16 takes 16 to 256 in steps of 16"},
		{1<<4 | 3<<17 | 8<<24, Statement{Kind: KindF16, Group: 1, WS: true}, "N is 24; tcgen05.mma.ws.cta_group::1.kind::f16 takes 64, 128 or 256"},
		{1<<4 | 16<<17 | 5<<24, plain, "M is 80; tcgen05.mma.cta_group::1.kind::f16 takes 64 or 128"},
	} {
		_, err := DecodeInstruction(c.d, c.s)
		if want := fmt.Sprintf("instruction descriptor %#08x: %s", c.d, c.want); err == nil || err.Error() != want {
			t.Errorf("have %v\nwant %s", err, want)
		}
	}
}

// TestProductShapes has the values of M and N (table 39).
func TestProductShapes(t *testing.T) {
	steps := func(n int) (list []int) {
		for i := n; i <= 256; i += n {
			list = append(list, i)
		}
		return list
	}
	for _, c := range []struct {
		in   Instruction
		m, n []int
	}{
		{Instruction{Statement: Statement{Kind: KindF16, Group: 1}}, []int{64, 128}, steps(8)},
		{Instruction{Statement: Statement{Kind: KindF16, Group: 2}}, []int{128, 256}, steps(16)},
		{Instruction{Statement: Statement{Kind: KindI8, Group: 1}}, []int{64, 128}, append([]int{8, 16, 24, 32}, steps(16)[2:]...)},
		{Instruction{Statement: Statement{Kind: KindI8, Group: 2}}, []int{128, 256}, steps(32)},
		{Instruction{Statement: Statement{Kind: KindF16, Group: 1, WS: true}}, []int{32, 64, 128}, []int{64, 128, 256}},
		{Instruction{Statement: Statement{Kind: KindF16, Group: 1, WS: true, Sparse: true}}, []int{32, 64, 128}, []int{64, 128}},
		{Instruction{Statement: Statement{Kind: KindMXF4, Group: 1}}, []int{128}, steps(8)},
		{Instruction{Statement: Statement{Kind: KindMXF4, Group: 2}}, []int{128, 256}, steps(16)},
		{Instruction{Statement: Statement{Kind: KindMXF4, Group: 2, Sparse: true}}, []int{256}, steps(16)},
		{Instruction{Statement: Statement{Kind: KindMXF4, Group: 2}, K: 96}, []int{256}, steps(16)},
	} {
		if have := c.in.rows(); !slices.Equal(have, c.m) {
			t.Errorf("%v: M is %v, want %v", c.in.Statement, have, c.m)
		}
		if have := c.in.columns(); !slices.Equal(have, c.n) {
			t.Errorf("%v: N is %v, want %v", c.in.Statement, have, c.n)
		}
	}
}
