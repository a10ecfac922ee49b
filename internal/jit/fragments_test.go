package jit

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"ptxvm.invalid/ptxvm/internal/num"
	"ptxvm.invalid/ptxvm/internal/ptxtest/dense"
	"ptxvm.invalid/ptxvm/internal/tensor"
)

// warpRegisters are registers of a warp that have the matrices of a product.
type warpRegisters struct {
	list    [][32]uint32
	offsets []uint32
	product tensor.Product
	perC    int // elements of C in a register
}

// newWarpRegisters puts the matrices of a product into registers: D has its own, those of C in another order, or those of A and B.
func newWarpRegisters(r *rand.Rand, d *num.Dense, half bool) *warpRegisters {
	w := &warpRegisters{product: tensor.Product{M: d.Rows, N: 8, K: d.K, Bits: d.Bits}, perC: 1}
	if half {
		w.perC = 2
	}
	a, b, c := d.Rows*d.K*d.Bits/1024, 8*d.K*d.Bits/1024, d.Rows*8/32/w.perC
	all := r.Perm(a + b + 2*c)
	w.list = make([][32]uint32, len(all))
	for _, i := range all {
		w.offsets = append(w.offsets, uint32(128*i))
	}
	switch r.IntN(3) {
	case 0:
		for i, from := range r.Perm(c) {
			w.offsets[a+b+c+i] = w.offsets[a+b+from]
		}
	case 1:
		copy(w.offsets[a+b+c:], w.offsets[:min(c, a+b)])
	}
	words := d.K * d.Bits / 32
	for i := range 32 * a {
		row, k := w.product.A(i%32, i/32, 0)
		w.register(i / 32)[i%32] = d.Left[row*words+k*d.Bits/32]
	}
	for i := range 32 * b {
		k, column := w.product.B(i%32, i/32, 0)
		w.register(a + i/32)[i%32] = d.Right[k*d.Bits/32*num.DenseLanes+column]
	}
	for i := range 32 * c * w.perC {
		row, column := w.product.C(i%32, i/32)
		v := d.Sum[row*d.Columns+column]
		if half {
			v &= 0xffff
		}
		w.register(a + b + i/32/w.perC)[i%32] |= v << (16 * (i / 32 % w.perC))
	}
	return w
}

func (w *warpRegisters) register(i int) *[32]uint32 { return &w.list[w.offsets[i]/128] }

// d is an element of D.
func (w *warpRegisters) d(i int) (row, column int, v uint32) {
	row, column = w.product.C(i%32, i/32)
	c := w.product.M * 8 / 32 / w.perC
	v = w.register(len(w.offsets) - c + i/32/w.perC)[i%32]
	if w.perC == 2 {
		v = v >> (16 * (i / 32 % 2)) & 0xffff
	}
	return row, column, v
}

// TestFragments compares code for products in the order of registers with portable code: all formats, rules and shapes, edge values,
// and D in registers of the other matrices.
func TestFragments(t *testing.T) {
	for name, m := range multipliers(t) {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(5, 9))
			done, plain := map[string]int{}, map[string]int{}
			dense.Warps(r, func(name string, d *num.Dense, half bool, wild int) {
				w := newWarpRegisters(r, d, half)
				shape := d.DenseShape
				shape.Columns = 8
				f := num.NewFragments(shape, m, w.offsets)
				if f == nil {
					t.Fatalf("%s: no code", name)
				}
				before := slices.Clone(w.list)
				what := fmt.Sprint(d.Format[0], d.Integers)
				if wild == 0 {
					plain[what]++
				}
				if !m.MultiplyFragments(f, &w.list[0]) {
					if !slices.Equal(before, w.list) {
						t.Fatalf("%s: not done, but registers have changed", name)
					}
					return
				}
				if wild == 0 {
					done[what]++
				}
				c := slices.Clone(d.Sum)
				d.Multiply()
				for i := range 8 * d.Rows {
					row, column, have := w.d(i)
					if want := d.Sum[row*d.Columns+column]; have != want {
						t.Fatalf("%s: %#x, want %#x; C was %#x (row %d, column %d)", name, have, want, c[row*d.Columns+column], row, column)
					}
				}
			})
			for what, n := range plain {
				t.Logf("%s: %d of %d products without edge values are done", what, done[what], n)
				if done[what] < n*9/10 {
					t.Errorf("%s: only %d of %d products without edge values are done", what, done[what], n)
				}
			}
		})
	}
}

// BenchmarkFragments has products of 16×8.
func BenchmarkFragments(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	for name, m := range multipliers(b) {
		run := func(what string, shape num.DenseShape) {
			b.Run(name+"/"+what, func(b *testing.B) {
				var d num.Dense
				d.Set(&shape)
				dense.Draw(r, &d, num.DotF32, 0)
				w := newWarpRegisters(r, &d, false)
				f := num.NewFragments(shape, m, w.offsets)
				for b.Loop() {
					if !m.MultiplyFragments(f, &w.list[0]) {
						b.Fatal("not done")
					}
					clear(w.register(len(w.offsets) - 1)[:])
				}
				b.ReportMetric(float64(b.N)*2*16*8*float64(shape.K)/float64(b.Elapsed().Nanoseconds()), "GFLOP/s")
			})
		}
		for _, f := range dense.Formats[:4] {
			run(f.Name, num.DenseShape{Rows: 16, Columns: 8, K: 256 / f.Bits, Bits: f.Bits, Format: [2]num.DotFormat{f.F, f.F}, Rule: f.F.Rule(90, num.DotF32, num.DotF32)})
		}
		run("s8", num.DenseShape{Rows: 16, Columns: 8, K: 32, Bits: 8, Integers: true, Signed: [2]bool{true, true}})
	}
}
