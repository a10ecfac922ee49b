package num_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"ptxvm.invalid/ptxvm/internal/num"
	"ptxvm.invalid/ptxvm/internal/testkit/cputime"
	"ptxvm.invalid/ptxvm/internal/testkit/dense"
)

// TestDense compares the fast sums with their reference implementation, for every generation, format and result.
func TestDense(t *testing.T) {
	fast, r := 0, rand.New(rand.NewPCG(3, 9))
	compare := func(name string, d *num.Dense) {
		before := slices.Clone(d.Sum)
		d.Multiply()
		fast += len(d.Sum) - d.Slow
		first := slices.Clone(d.Sum)
		copy(d.Sum, before)
		if d.Multiply(); !slices.Equal(d.Sum, first) {
			t.Fatalf("%s: the same product is another one the second time", name)
		}
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

// TestDenseShared multiplies by one Dense matrices of which one word has changed since, each word once, or the format alone.
func TestDenseShared(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 21))
	var d num.Dense
	shape := num.DenseShape{Rows: 8, Columns: 16, K: 16, Bits: 16, Format: [2]num.DotFormat{num.DotF16, num.DotF16}, Rule: num.DotF16.Rule(90, num.DotF32, num.DotF32)}
	d.Set(&shape)
	dense.Draw(r, &d, num.DotF32, 0)
	compare := func(what string) {
		t.Helper()
		before := slices.Clone(d.Sum)
		d.Multiply()
		for i, have := range d.Sum {
			if want := d.Reference(i/d.Columns, i%d.Columns, before[i]); have != want {
				t.Fatalf("%s: %#x, want %#x; C was %#x", what, have, want, before[i])
			}
		}
		copy(d.Sum, before)
	}
	compare("first")
	for operand, list := range [][]uint32{d.Left, d.Right} {
		for i := range list {
			list[i] ^= 0x02000200
			compare(fmt.Sprintf("word %d of operand %d", i, operand))
		}
	}
	for _, format := range []num.DotFormat{num.DotBF16, num.DotF16} {
		shape.Format = [2]num.DotFormat{format, format}
		d.Set(&shape)
		compare("another format")
	}
}

// BenchmarkDense has products as mma.m16n8k16 and wgmma of N 128 have them: those added to sums of their size, whose terms are hardly cut, and
// those added to sums far larger.
func BenchmarkDense(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, f := range dense.Formats[:4] {
		for _, size := range [][2]int{{8, 16}, {16, 128}} {
			for _, large := range []uint32{0, 0x4b003456} {
				shape := num.DenseShape{Rows: size[0], Columns: size[1], K: 16, Bits: f.Bits, Format: [2]num.DotFormat{f.F, f.F}, Rule: f.F.WarpgroupRule(90, num.DotF32)}
				b.Run(fmt.Sprintf("%s/%dx%d/%#x", f.Name, size[0], size[1], large), func(b *testing.B) {
					var d num.Dense
					d.Set(&shape)
					dense.Draw(r, &d, num.DotF32, 0)
					before := cputime.Used()
					for b.Loop() {
						for i := range d.Sum {
							d.Sum[i] = large
						}
						d.Left[0] ^= 1 << 16 // other matrices than before
						d.Right[0] ^= 1 << 16
						d.Multiply()
					}
					operations := 2 * shape.Rows * shape.Columns * shape.K
					b.ReportMetric(float64(b.N)*float64(operations)/float64((cputime.Used()-before).Nanoseconds()), "GFLOP/s")
				})
			}
		}
	}
}

// TestDenseSpread compares sums whose terms are cut nowhere, in C alone, in some columns, or all: exponents within so many powers of two, integers
// as floats, and C far above and below.
func TestDenseSpread(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 21))
	var d num.Dense
	for _, f := range dense.Formats[:5] {
		for _, c := range []num.DotFormat{num.DotF32, num.DotF16} {
			for i, rule := range dense.Rules(f.F, c) {
				for spread := range 14 {
					d.Set(&num.DenseShape{Rows: 3, Columns: 16, K: 16, Bits: f.Bits, Format: [2]num.DotFormat{f.F, f.F}, Rule: rule})
					dense.Spread(r, &d, c, spread)
					before := slices.Clone(d.Sum)
					d.Multiply()
					for j, have := range d.Sum {
						if want := d.Reference(j/d.Columns, j%d.Columns, before[j]); have != want {
							t.Fatalf("%s, rule %d, spread %d: %#x, want %#x; C was %#x", f.Name, i, spread, have, want, before[j])
						}
					}
				}
			}
		}
	}
}
