package num_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"ptxvm.invalid/ptxvm/internal/num"
	"ptxvm.invalid/ptxvm/internal/ptxtest/dense"
)

// TestDense compares the fast sums with their reference implementation, for every generation, format and result.
func TestDense(t *testing.T) {
	fast, r := 0, rand.New(rand.NewPCG(3, 9))
	compare := func(name string, d *num.Dense) {
		before := slices.Clone(d.Sum)
		d.Multiply()
		fast += len(d.Sum) - d.Slow
		for i, have := range d.Sum {
			if want := d.Reference(i/d.Columns, i%d.Columns, before[i]); have != want {
				t.Fatalf("%s: %#x, want %#x; C was %#x", name, have, want, before[i])
			}
		}
	}
	dense.Each(r, compare)
	dense.Integers(r, compare)
	if fast < 50000 {
		t.Errorf("%d sums were fast", fast)
	}
	fast = 0
	dense.Packed(r, compare)
	if fast < 20000 {
		t.Errorf("%d sums of sparse and scaled products were fast", fast)
	}
}

// BenchmarkDense has products of 16×16×16: 8192 operations.
func BenchmarkDense(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, f := range dense.Formats[:4] {
		b.Run(f.Name, func(b *testing.B) {
			var d num.Dense
			d.Set(&num.DenseShape{Rows: 16, Columns: 16, K: 16, Bits: f.Bits, Format: [2]num.DotFormat{f.F, f.F}, Rule: f.F.WarpgroupRule(90, num.DotF32)})
			dense.Draw(r, &d, num.DotF32, 0)
			for b.Loop() {
				clear(d.Sum)
				d.Multiply()
			}
			b.ReportMetric(float64(b.N)*8192/float64(b.Elapsed().Nanoseconds()), "GFLOP/s")
		})
	}
}
