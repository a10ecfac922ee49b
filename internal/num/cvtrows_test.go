package num

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// TestCvtRows: rows of all forms and one by one are equal: edge values, values at which
// results change, and random ones; a source of at most 16 bits on all values with -num.full.
func TestCvtRows(t *testing.T) {
	r := rand.New(rand.NewPCG(12, 12))
	for _, list := range cvtForms(t) {
		for i := range list {
			testCvtRows(t, &list[i], r)
		}
	}
}

func testCvtRows(t *testing.T, c *Cvt, r *rand.Rand) {
	rows, w := c.Rows(), c.Src.Width()
	values := append(intEdges(w), 0, 1<<(w-1))
	if f := c.Src.Format(); f != nil && w > 8 && c.Src != TF32 {
		values = append(values, newOracle(f).edges()...)
	}
	if w <= 8 || *full && w <= 16 {
		for v := range uint64(1) << w {
			values = append(values, v)
		}
	}
	for range scale(16) {
		values = append(values, r.Uint64(), around(r, c))
	}
	for len(values)%32 != 0 {
		values = append(values, around(r, c))
	}
	for ; len(values) > 0; values = values[32:] {
		a, in, got := (*[32]uint64)(values), rowIn{scale: new([32]uint32), random: new([32]uint32)}, [32]uint64{}
		cut := *a
		for i := range a {
			cut[i] &= ^uint64(0) >> (64 - w)
			in.scale[i] = uint32(edgeScales[r.IntN(len(edgeScales))])
			in.random[i] = r.Uint32() >> r.IntN(12) & (1<<c.Random - 1)
		}
		in.a = &cut
		rows.codes(&got, &in)
		for i, v := range cut {
			if want := c.ApplyWith(v, uint8(in.scale[i]), in.random[i]); got[i] != want {
				t.Fatalf("%v.%v %+v of %x, scale %d, random %x = %x, one by one %x", c.Dst, c.Src, *c, v, in.scale[i], in.random[i], got[i], want)
			}
		}
		if !c.Scaled && c.Round != RS {
			checkLanes(t, c, rows, &cut)
		}
	}
}

// checkLanes: registers of the types' widths and of 64 bits.
func checkLanes(t *testing.T, c *Cvt, rows *Rows, a *[32]uint64) {
	lanes := func(w uint) Lanes {
		if w > 32 {
			return Lanes{W64: new([32]uint64)}
		}
		return Lanes{W32: new([32]uint32)}
	}
	for _, w := range [][2]uint{{c.Src.Width(), c.Dst.Width()}, {64, 64}} {
		src, dst := lanes(w[0]), lanes(w[1])
		src.put(a)
		rows.Convert(dst, src, w[1])
		got := *dst.wide(new([32]uint64))
		if w[0] > 32 == (w[1] > 32) {
			if rows.Convert(src, src, w[1]); *src.wide(new([32]uint64)) != got {
				t.Fatalf("%v.%v %+v of %x in registers of %d bits = %x in place, %x elsewhere", c.Dst, c.Src, *c, a, w, *src.wide(new([32]uint64)), got)
			}
		}
		for i, v := range got {
			want := c.Apply(a[i])
			if n := c.Dst.Width(); c.Dst.Format() == nil && c.Dst.Signed() {
				want = uint64(int64(want<<(64-n))>>(64-n)) & (^uint64(0) >> (64 - w[1]))
			}
			if v != want {
				t.Fatalf("%v.%v %+v of %x in registers of %d bits = %x, one by one %x", c.Dst, c.Src, *c, a[i], w, v, want)
			}
		}
	}
}

// TestCvtPackedRows: packed conversions by rows and one by one, in every layout of operands,
// factors and random bits.
func TestCvtPackedRows(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 13))
	for _, list := range cvtForms(t) {
		for i := range list {
			c := &list[i]
			if c.Src.Width() > 32 || c.Dst.Width() > 16 || c.Src.Format() == nil || c.Dst.Format() == nil {
				continue
			}
			p := Packing{Cvt: *c, N: 2, Packed: c.Src != F32, Each: !c.Flush, Fields: RandomHalves}
			if c.Round == RS && c.Dst.Width() <= 8 {
				p.N, p.Fields = 4, RandomBits(1+r.IntN(4))
				p.Random = p.Fields.Width(c.Dst)
			}
			rows := p.Rows()
			for range 6 {
				checkPackedRow(t, &p, rows, r)
			}
		}
	}
}

func checkPackedRow(t *testing.T, p *Packing, rows *PackedRows, r *rand.Rand) {
	t.Helper()
	src, scale, random, got := [4]*[32]uint32{}, new([32]uint32), new([32]uint32), poisoned(r)
	for k := range src {
		src[k] = new([32]uint32)
		for i := range src[k] {
			src[k][i] = uint32(around(r, &p.Cvt))
			if r.IntN(4) == 0 || p.Packed {
				src[k][i] = r.Uint32() >> (16 * r.IntN(2))
			}
			scale[i], random[i] = r.Uint32(), r.Uint32()
		}
	}
	rows.Convert(got, &src, scale, random)
	for _, at := range []*[32]uint32{src[0], src[1], scale, random} { // the row of an operand takes the result
		before := *at
		if rows.Convert(at, &src, scale, random); *at != *got {
			t.Fatalf("%+v in place: %x, elsewhere %x", *p, *at, *got)
		}
		*at = before
	}
	for i := range got {
		one := [4]uint32{src[0][i], src[1][i], src[2][i], src[3][i]}
		if want := p.Convert(&one, scale[i], random[i]); got[i] != want {
			t.Fatalf("%+v of %x, scale %x, random %x = %x, one by one %x", *p, one, scale[i], random[i], got[i], want)
		}
	}
}

// TestCvtNearest: the shortest way on every half and, from f32, on values of every exponent:
// those whose fraction is short, and random ones.
func TestCvtNearest(t *testing.T) {
	n := 0
	for _, list := range cvtForms(t) {
		for i := range list {
			c := &list[i]
			near := c.nearestOrNone()
			if near == nil {
				continue
			}
			n++
			t.Run(fmt.Sprintf("%v.%v", c.Dst, c.Src), func(t *testing.T) { testNearest(t, c, near) })
		}
	}
	if n < 6 {
		t.Errorf("only %d forms take the shortest way", n)
	}
}

func (c *Cvt) nearestOrNone() *rounder {
	if f := c.Dst.Format(); f == nil || c.Dst == F64 || c.Dst == UE8M0 || c.Dst == S2F6 || c.Src.Width() <= 8 || c.Src.Format() == nil || c.Src == F64 {
		return nil
	}
	return c.nearest()
}

func testNearest(t *testing.T, c *Cvt, near *rounder) {
	r := rand.New(rand.NewPCG(14, uint64(c.Dst)))
	var a, d [32]uint32
	for n := range 1 << 16 / 32 {
		d = *poisoned(r)
		for i := range a {
			v := uint32(32*n + i)
			if c.Src == F32 {
				v = v<<16 | [...]uint32{0, 1, 0x8000, 0xffff, 0x7fff, 0x8001, r.Uint32() & 0xffff, r.Uint32() & 0xffff}[r.IntN(8)]
			}
			a[i] = v
		}
		near.row(&d, &a)
		for i, v := range a {
			if want := uint32(c.Apply(uint64(v))); d[i] != want {
				t.Fatalf("%+v of %x = %x, one by one %x", *c, v, d[i], want)
			}
		}
	}
}

// BenchmarkCvtRows: rows of ordinary values.
func BenchmarkCvtRows(b *testing.B) {
	for _, p := range []Packing{
		{Cvt: Cvt{Dst: F16, Src: F32}, N: 2},
		{Cvt: Cvt{Dst: BF16, Src: F32}, N: 2},
		{Cvt: Cvt{Dst: F16, Src: F32, Round: RZ}, N: 2},
		{Cvt: Cvt{Dst: E4M3, Src: F32, Satfinite: true}, N: 2},
		{Cvt: Cvt{Dst: E4M3, Src: F16, Satfinite: true}, N: 2, Packed: true},
		{Cvt: Cvt{Dst: E4M3, Src: F16, Satfinite: true, Round: RZ}, N: 2, Packed: true},
		{Cvt: Cvt{Dst: E4M3, Src: F32, Satfinite: true, Scaled: true}, N: 2, Each: true},
		{Cvt: Cvt{Dst: E4M3, Src: F32, Round: RS, Satfinite: true, Random: 16}, N: 4, Fields: RandomPairs},
	} {
		b.Run(fmt.Sprintf("%v.%v.%v.x%d", p.Dst, p.Src, p.Round, p.N), func(b *testing.B) {
			rows, r, d := p.Rows(), rand.New(rand.NewPCG(1, 1)), new([32]uint32)
			var src [4]*[32]uint32
			factor := new([32]uint32)
			for k := range src {
				src[k] = new([32]uint32)
				for i := range 32 {
					v := r.Uint32()&(1<<31|1<<24-1) | 0x7e<<23
					if p.Src == F16 {
						v = CvtF16F32(v)<<16 | CvtF16F32(r.Uint32()&(1<<31|1<<24-1)|0x7e<<23)
					}
					src[k][i], factor[i] = v, 0x7e80
				}
			}
			for range b.N {
				rows.Convert(d, &src, factor, factor)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/32, "ns/lane")
		})
	}
}
