package products

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"ptxvm.invalid/ptxvm/internal/jit/native"
	"ptxvm.invalid/ptxvm/internal/num"
	"ptxvm.invalid/ptxvm/internal/testkit/dense"
)

// multipliers are those that this processor can run.
func multipliers(t testing.TB) map[string]*Multiplier {
	list := map[string]*Multiplier{}
	for name, avx512 := range map[string]bool{"AVX2": false, "AVX-512": true} {
		if native.HasAVX2() && (!avx512 || native.HasAVX512()) {
			m := New(avx512)
			t.Cleanup(func() { m.Close() })
			list[name] = m
		}
	}
	if len(list) == 0 {
		t.Skip("no vector instructions here")
	}
	return list
}

// TestDense compares code for products with portable code, for every generation, format and result.
func TestDense(t *testing.T) {
	for name, m := range multipliers(t) {
		t.Run(name, func(t *testing.T) {
			sums, compiled, r := 0, 0, rand.New(rand.NewPCG(5, 9))
			compare := func(name string, d *num.Dense) {
				before := slices.Clone(d.Sum)
				sums += len(d.Sum)
				if !m.Multiply(d) {
					if !slices.Equal(before, d.Sum) {
						t.Fatalf("%s: no code, but Sum has changed", name)
					}
					return
				}
				compiled += len(d.Sum) - d.Slow
				have := slices.Clone(d.Sum)
				copy(d.Sum, before)
				d.Multiply()
				for i, want := range d.Sum {
					if have[i] != want {
						t.Fatalf("%s: %#x, want %#x; C was %#x (row %d, column %d)", name, have[i], want, before[i], i/d.Columns, i%d.Columns)
					}
				}
			}
			dense.Each(r, compare)
			dense.Integers(r, compare)
			enough(t, "dense", compiled, sums)
			sums, compiled = 0, 0
			dense.Packed(r, compare)
			enough(t, "sparse and scaled", compiled, sums)
		})
	}
}

// TestExtremes compares code that finds the largest and the least element with a loop.
func TestExtremes(t *testing.T) {
	for name, m := range multipliers(t) {
		r := rand.New(rand.NewPCG(7, 9))
		var room num.DenseRoom
		for range 200 {
			list := make([]uint32, r.IntN(50))
			zeros := r.IntN(2) == 0
			for i := range list {
				if !zeros || r.IntN(30) == 0 {
					list[i] = r.Uint32() & []uint32{1<<32 - 1, 1 << 31, 0x80008000, 0x80018002, 0x7fffffff}[r.IntN(5)]
				}
			}
			for _, width := range []int{16, 32} {
				want := elementRange{below: 1<<32 - 1}
				want.seeAll(list, width)
				if largest, least := m.extremes(list, width, &room); largest != want.largest || least != want.below+1 {
					t.Fatalf("%s, %d bits, %#x: %#x and %#x, want %#x and %#x", name, width, list, largest, least, want.largest, want.below+1)
				}
			}
		}
	}
}

// TestDoubles compares code for f64 with rows one by one, NaN among the operands and made by the sums.
func TestDoubles(t *testing.T) {
	for name, m := range multipliers(t) {
		r := rand.New(rand.NewPCG(4, 9))
		for range 2000 {
			d := &num.Doubles{Rows: 8 + 8*r.IntN(2), K: 4 << r.IntN(3)}
			drawDoubles(r, d, []int{0, 0, 3, 40}[r.IntN(4)])
			want := *d
			want.MultiplyBy(nil)
			if !m.MultiplyDoubles(d) {
				t.Fatalf("%s: no code", name)
			}
			if *d != want {
				t.Fatalf("%s: %d rows, K %d: %#x, want %#x", name, d.Rows, d.K, d.Sum, want.Sum)
			}
		}
	}
}

// drawDoubles fills a product, with so many edge values in a hundred.
func drawDoubles(r *rand.Rand, d *num.Doubles, wild int) {
	edges := []uint64{0, 1 << 63, 1, 0x3ff0000000000000, 0xbff0000000000001, 0x7fefffffffffffff, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000001, 0xfff4000000000002, 0x10000000000000}
	draw := func(v *uint64) {
		if *v = math.Float64bits(r.NormFloat64()); r.IntN(100) < wild {
			*v = edges[r.IntN(len(edges))]
		}
	}
	for i := range d.Left {
		draw(&d.Left[i])
	}
	for i := range d.Right {
		for j := range d.Right[i] {
			draw(&d.Right[i][j])
			draw(&d.Sum[i][j])
		}
	}
}

// enough wants a third of the sums to be compiled.
func enough(t *testing.T, what string, compiled, sums int) {
	t.Helper()
	t.Logf("%d of %d sums of %s products were compiled", compiled, sums, what)
	if compiled < sums/3 {
		t.Errorf("only %d of %d sums of %s products were compiled", compiled, sums, what)
	}
}

// BenchmarkDense has products of 64×64×16: 131,072 operations.
func BenchmarkDense(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	for name, m := range multipliers(b) {
		for _, f := range dense.Formats[:4] {
			b.Run(name+"/"+f.Name, func(b *testing.B) {
				var d num.Dense
				d.Set(&num.DenseShape{Rows: 16, Columns: 128, K: 16, Bits: f.Bits, Format: [2]num.DotFormat{f.F, f.F}, Rule: f.F.WarpgroupRule(90, num.DotF32)})
				dense.Draw(r, &d, num.DotF32, 0)
				for b.Loop() {
					clear(d.Sum)
					if !m.Multiply(&d) {
						b.Fatal("not compiled")
					}
				}
				b.ReportMetric(float64(b.N)*2*16*128*16/float64(b.Elapsed().Nanoseconds()), "GFLOP/s")
			})
		}
	}
}
