// This file holds the references against second opinions: other algorithms, double precision, known answers.

package corpus

import (
	"encoding/binary"
	"math"
	"slices"
	"testing"
)

// near reports whether a is b within a part of scale.
func near(a, b, part, scale float64) bool { return math.Abs(a-b) <= part*scale }

func wanted[T any](t *testing.T, b *Buffer, n int) []T {
	t.Helper()
	v := make([]T, n)
	if _, err := binary.Decode(b.Want, binary.LittleEndian, v); err != nil {
		t.Fatal(err)
	}
	return v
}

func TestMatmulReference(t *testing.T) {
	const m, n, k = 5, 7, 19
	a, b := floats(1, m*k), floats(2, k*n)
	for i, got := range matmul(Target{}, a, b, m, n, k, 16) {
		want := 0.0
		for j := range k {
			want += float64(a[i/n*k+j]) * float64(b[j*n+i%n])
		}
		if !near(float64(got), want, 1e-6, k) {
			t.Errorf("element %d = %v, want %v", i, got, want)
		}
	}
}

func TestReductionReference(t *testing.T) {
	sum := 0.0
	for _, v := range floats(11, 5000) {
		sum += float64(v)
	}
	if got := wanted[float32](t, ReduceFloat().Buffers[1], 1)[0]; !near(float64(got), sum, 1e-6, 5000) {
		t.Errorf("sum = %v, want about %v", got, sum)
	}
	var exact int32
	seed := random(10)
	for range 5000 {
		exact += int32(seed.next())
	}
	if got := wanted[int32](t, ReduceInt(6, 5000).Buffers[1], 1)[0]; got != exact {
		t.Errorf("sum = %d, want %d", got, exact)
	}
}

func TestSortReferences(t *testing.T) {
	keys := wanted[uint32](t, RadixSort(1000).Buffers[0], 1000)
	if !slices.IsSorted(keys) || len(slices.Compact(slices.Clone(keys))) == len(keys) {
		t.Error("radix sort wants sorted keys, some of them equal")
	}
	rows := wanted[int32](t, Quicksort(3, 40).Buffers[0], 120)
	for r := range 3 {
		if !slices.IsSorted(rows[r*40:][:40]) {
			t.Errorf("row %d is not sorted", r)
		}
	}
}

func TestTransposeReference(t *testing.T) {
	run := Transpose(3, 2)
	in, out := wanted[uint32](t, run.Buffers[0], 6), wanted[uint32](t, run.Buffers[1], 6)
	if want := []uint32{in[0], in[3], in[1], in[4], in[2], in[5]}; !slices.Equal(out, want) {
		t.Errorf("got %x, want %x", out, want)
	}
}

// A glider comes back one cell further down and right after four generations.
func TestLifeReference(t *testing.T) {
	board := make([]uint8, 64)
	for _, i := range []int{1, 10, 16, 17, 18} {
		board[i] = 1
	}
	moved := board
	for range 4 {
		moved = lifeStep(moved, 8, 8)
	}
	for i := range board {
		if moved[(i+9)%64] != board[i] {
			t.Fatalf("cell %d: %v became %v", i, board, moved)
		}
	}
}

func TestEscape(t *testing.T) {
	for _, c := range []struct {
		x, y float32
		want int32
	}{{0, 0, 50}, {-1, 0, 50}, {2, 2, 1}, {1, 0, 3}, {0.5, 0.5, 5}} {
		if got := escape(c.x, c.y, 50); got != c.want {
			t.Errorf("escape(%v, %v) = %d, want %d", c.x, c.y, got, c.want)
		}
	}
}

func TestCollatz(t *testing.T) {
	if got := collatzSteps(27); got != 111 {
		t.Errorf("27 takes %d steps, want 111", got)
	}
}

func TestOptionPolynomial(t *testing.T) {
	normal := func(d float64) float64 { return math.Erfc(-d/math.Sqrt2) / 2 }
	for _, strike := range []float64{1, 10, 20, 100} {
		c1, p1 := option(20, strike, 2, 0.02, 0.3, cndPolynomial)
		c2, p2 := option(20, strike, 2, 0.02, 0.3, normal)
		if !near(c1, c2, 1e-6, 20) || !near(p1, p2, 1e-6, 100) {
			t.Errorf("strike %v: %v %v, want %v %v", strike, c1, p1, c2, p2)
		}
	}
}

// The residual vanishes in as many iterations as there are points, and then A·x is the right side.
func TestConjugateGradientReference(t *testing.T) {
	const n = 20
	run := ConjugateGradient(Target{}, n, n)
	x := wanted[float64](t, run.Buffers[0], n)
	b := make([]float64, n)
	if _, err := binary.Decode(run.Buffers[1].Init, binary.LittleEndian, b); err != nil {
		t.Fatal(err)
	}
	for i := range x {
		v := 2 * x[i]
		if i > 0 {
			v -= x[i-1]
		}
		if i < n-1 {
			v -= x[i+1]
		}
		if !near(v, b[i], 1e-9, 1) {
			t.Errorf("row %d: %v, want %v", i, v, b[i])
		}
	}
}

func TestSpmvReferences(t *testing.T) {
	a := wanted[float32](t, SpmvRow(Target{}, 150).Buffers[4], 150)
	b := wanted[float32](t, SpmvWarp(Target{}, 150).Buffers[4], 150)
	for i := range a {
		if !near(float64(a[i]), float64(b[i]), 1e-5, 1) {
			t.Errorf("row %d: %v and %v", i, a[i], b[i])
		}
	}
	if slices.Equal(a, b) {
		t.Error("the two orders of summing never differ: the case shows nothing of the order")
	}
}

func TestBfloatReference(t *testing.T) {
	wide := wanted[bfloat](t, BfloatDot(Target{Arch: 75}).Buffers[2], 4)
	narrow := wanted[bfloat](t, BfloatDot(Target{Arch: 90}).Buffers[2], 4)
	for i := range wide {
		if !near(float64(bfloatValue(wide[i])), float64(bfloatValue(narrow[i])), 0.05, 10) {
			t.Errorf("dot %d: %v and %v", i, bfloatValue(wide[i]), bfloatValue(narrow[i]))
		}
	}
	if slices.Equal(wide, narrow) {
		t.Error("bf16 sums round as f32 sums do: the case shows nothing of fma.rn.bf16x2")
	}
}

func TestFIRSaturates(t *testing.T) {
	out := wanted[int16](t, FIR(500).Buffers[1], 500)
	if slices.Max(out) != 32767 || slices.Min(out) != -32768 {
		t.Errorf("range %d to %d", slices.Min(out), slices.Max(out))
	}
}

// Two bodies attract each other with equal force.
func TestAcceleration(t *testing.T) {
	pos := []vec4{{-1, 0, 0, 1}, {1, 0, 0, 1}}
	a, b := acceleration(Target{}, pos, pos[0], 64, 0.01), acceleration(Target{}, pos, pos[1], 64, 0.01)
	if !near(float64(a[0]), 2/math.Pow(4.01, 1.5), 1e-6, 1) || a[0] != -b[0] {
		t.Errorf("got %v and %v", a, b)
	}
}
