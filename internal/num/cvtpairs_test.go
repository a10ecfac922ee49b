package num

import (
	"math/rand/v2"
	"testing"
)

// pairEdges are the f32 around which a pair's way into f16 or bf16 changes: zero, the
// smallest codes, the largest ones, what overflows, infinity, NaN, and both signs of each.
func pairEdges() (list []uint32) {
	for _, v := range []uint32{
		0, 1, 0x8000, 0x33000000, 0x33000001, 0x337fffff, 0x38000000, 0x387fdfff, 0x387fffff, 0x38800000, 0x3f800000, 0x3f800fff, 0x3f801000,
		0x3f801001, 0x3f803000, 0x3f807fff, 0x3f808000, 0x3f808001, 0x3f818000, 0x477fe000, 0x477fefff, 0x477ff000, 0x47800000,
		0x7f7f7fff, 0x7f7f8000, 0x7f7fffff, infF32, infF32 + 1, nanF32,
	} {
		list = append(list, v, v|signF32)
	}
	return list
}

// TestCvtPairEdges: every edge value in both places, in every lane of a destination that
// holds something else before.
func TestCvtPairEdges(t *testing.T) {
	edges, n := pairEdges(), 0
	for _, list := range cvtForms(t) {
		for i := range list {
			if c := &list[i]; c.Src == F32 && (c.Dst == F16 || c.Dst == BF16) && c.Round != RS {
				n++
				testPairEdges(t, c, edges)
			}
		}
	}
	if n < 30 {
		t.Errorf("%d forms make pairs of halves, want 30", n)
	}
}

func testPairEdges(t *testing.T, c *Cvt, edges []uint32) {
	p := Packing{Cvt: *c, N: 2}
	rows, single := p.Rows(), c.Rows()
	want := make([]uint32, len(edges))
	for i, v := range edges {
		want[i] = uint32(c.Apply(uint64(v)))
	}
	var a, b, d, s [32]uint32
	for n := 0; n < len(edges)*len(edges); n += len(d) {
		upper := func(i int) int { return (n + i) / len(edges) % len(edges) }
		lower := func(i int) int { return (n + i) % len(edges) }
		for i := range d {
			a[i], b[i] = edges[upper(i)], edges[lower(i)]
			d[i], s[i] = ^(want[upper(i)]<<16 | want[lower(i)]), ^want[lower(i)]
		}
		rows.Convert(&d, &[4]*[32]uint32{&a, &b}, &a, &a)
		single.Convert(Lanes{W32: &s}, Lanes{W32: &b}, 16)
		for i := range d {
			if w := want[upper(i)]<<16 | want[lower(i)]; d[i] != w || s[i] != want[lower(i)] {
				t.Fatalf("%+v of {%x, %x} = %x and %x, want %x", *c, a[i], b[i], d[i], s[i], w)
			}
		}
		overA, overB := a, b
		rows.Convert(&overA, &[4]*[32]uint32{&overA, &b}, &a, &a)
		rows.Convert(&overB, &[4]*[32]uint32{&a, &overB}, &a, &a)
		if overA != d || overB != d {
			t.Fatalf("%+v over its operands: %x and %x, want %x", *c, overA, overB, d)
		}
	}
}

// poisoned is a row of random bits, which a conversion must overwrite.
func poisoned(r *rand.Rand) *[32]uint32 {
	d := new([32]uint32)
	for i := range d {
		d[i] = r.Uint32()
	}
	return d
}

// TestCvtRowF16F64: rows of f64 to f16, at what lies beside the middle between two codes in
// bits that f32 lacks, and around the ends of the normal ones. By hand.
func TestCvtRowF16F64(t *testing.T) {
	var a [32]uint64
	var d, want [32]uint32
	for i, v := range []struct {
		a    uint64
		want uint32
	}{
		{0x3ff0020000001000, 0x3c01}, {0x3ff0020000000000, 0x3c00}, {0x3ff0060000000000, 0x3c02}, {0xbff0020000000001, 0xbc01},
		{0, 0}, {1 << 63, 0x8000}, {1, 0}, {0x3f0ffbffffffffff, 0x03ff}, {0x3f0ffc0000000000, 0x0400}, {0x3f10000000000000, 0x0400},
		{0x40effdffffffffff, 0x7bff}, {0x40effe0000000000, 0x7c00}, {0xc0effe0000000000, 0xfc00}, {0x40f0000000000000, 0x7c00},
		{0x7ff0000000000000, 0x7c00}, {0xfff0000000000000, 0xfc00}, {0x7ff8000000000000, 0x7e00}, {0xfff0040000000001, 0xfe01},
	} {
		a[i], want[i], d[i] = v.a, v.want, ^v.want
	}
	(&Cvt{Dst: F16, Src: F64}).Rows().Convert(Lanes{W32: &d}, Lanes{W64: &a}, 16)
	for i, w := range want {
		if d[i] != w {
			t.Errorf("f16 of %x = %x, want %x", a[i], d[i], w)
		}
	}
}
