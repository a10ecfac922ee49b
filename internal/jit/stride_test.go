package jit

import (
	"math/rand/v2"
	"testing"

	"ptxvm.invalid/ptxvm/internal/ir"
)

// randomStride is a stride with small or large distances.
func randomStride(r *rand.Rand) stride {
	s := stride{w: 8 << r.IntN(3)}
	if s.row = 8 << r.IntN(3); s.row >= s.w {
		s.row = s.w
	}
	distance := func() int64 { return []int64{0, 0, 1, 4, -4, 1 << 28, int64(r.IntN(100)) - 50}[r.IntN(7)] }
	if s.step = distance(); s.row < s.w {
		s.hop = distance()
	}
	s.even = []uint8{0, 0, 1, 3, 5, 8, 31, maxEven}[r.IntN(8)]
	return s
}

// lanes are 32 values that keep to a stride.
func (r stride) lanes(rnd *rand.Rand, t typ) (v [32]int64) {
	for i := range v {
		if i%r.w == 0 {
			v[i] = t.wrapped(int64(rnd.Uint64() << r.even))
			continue
		}
		v[i] = t.wrapped(v[i-i%r.w] + r.offset(i))
	}
	return v
}

// keeps tells whether values keep to a stride.
func (r stride) keeps(v [32]int64, t typ) bool {
	for i := range v {
		if i%r.w == 0 && t.wrapped(v[i]>>r.even<<r.even) != v[i] || v[i] != t.wrapped(v[i-i%r.w]+r.offset(i)) {
			return false
		}
	}
	return true
}

// TestStrides: what is said of sums, products, two definitions, and shorter runs and rows holds of values.
func TestStrides(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 20000 {
		ty := typ(rnd.IntN(2))
		a, b := randomStride(rnd), randomStride(rnd)
		va, vb := a.lanes(rnd, ty), b.lanes(rnd, ty)
		k := int64(rnd.IntN(9) - 4)
		var sum, product [32]int64
		for i := range sum {
			sum[i], product[i] = ty.wrapped(va[i]+k*vb[i]), ty.wrapped(va[i]*k)
		}
		if s := ty.combine(a, b, k); !s.keeps(sum, ty) {
			t.Fatalf("%v + %d·%v is not %v", a, k, b, s)
		}
		if s := ty.times(a, k); !s.keeps(product, ty) {
			t.Fatalf("%d·%v is not %v", k, a, s)
		}
		if s := a.meet(b); s.known() && (!s.keeps(va, ty) || !s.keeps(vb, ty)) {
			t.Fatalf("%v and %v are not both %v", a, b, s)
		}
		w, n := 8<<rnd.IntN(3), 8<<rnd.IntN(3)
		for _, s := range []stride{a.within(w), a.inRows(n)} {
			if !s.keeps(va, ty) || s.row > s.w {
				t.Fatalf("%v is not %v", a, s)
			}
		}
		low, high := a.extents()
		for i := range va {
			if o := a.offset(i); o < low || o > high {
				t.Fatalf("%v: lane %d is %d from its base, not from %d to %d", a, i, o, low, high)
			}
		}
	}
}

// TestThreadStrides: a number serves the whole warp where rows of the block are multiples or parts of it.
func TestThreadStrides(t *testing.T) {
	for _, c := range []struct {
		block [3]int32
		want  [3]stride
	}{
		{[3]int32{256, 1, 1}, [3]stride{{32, 32, 1, 0, 5}, everyLane.of(0), everyLane.of(0)}},
		{[3]int32{16, 16, 1}, [3]stride{{32, 16, 1, 0, 64}, {32, 16, 0, 1, 1}, everyLane.of(0)}},
		{[3]int32{8, 8, 4}, [3]stride{{32, 8, 1, 0, 64}, {32, 8, 0, 1, 2}, everyLane}},
		{[3]int32{8, 3, 4}, [3]stride{{32, 8, 1, 0, 64}, {8, 8, 0, 0, 0}, {8, 8, 0, 0, 0}}},
		{[3]int32{33, 2, 1}, [3]stride{{}, {}, everyLane.of(0)}},
	} {
		for k := range c.want {
			if got := threadStride(ir.LaunchShape{BlockX: c.block[0], BlockY: c.block[1], BlockZ: c.block[2]}, k); got != c.want[k] {
				t.Errorf("%v, component %d: %v, want %v", c.block, k, got, c.want[k])
			}
		}
	}
}
