package lane

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"ptxvm.invalid/ptxvm/internal/jit/ssa"
	"ptxvm.invalid/ptxvm/internal/num"
	"ptxvm.invalid/ptxvm/internal/uop"
)

// words are functions of words with what they are.
var words = map[uop.Op]func(a [4]uint32) uint32{
	uop.BfeU32:     func(a [4]uint32) uint32 { return num.BfeU32(a[0], a[1], a[2]) },
	uop.BfeS32:     func(a [4]uint32) uint32 { return num.BfeS32(a[0], a[1], a[2]) },
	uop.Bfi32:      func(a [4]uint32) uint32 { return num.Bfi32(a[0], a[1], a[2], a[3]) },
	uop.ShfLWrap32: func(a [4]uint32) uint32 { return num.ShfLWrap32(a[0], a[1], a[2]) }, uop.ShfRWrap32: func(a [4]uint32) uint32 { return num.ShfRWrap32(a[0], a[1], a[2]) },
	uop.ShfLClamp32: func(a [4]uint32) uint32 { return num.ShfLClamp32(a[0], a[1], a[2]) }, uop.ShfRClamp32: func(a [4]uint32) uint32 { return num.ShfRClamp32(a[0], a[1], a[2]) },
	uop.Clz32: func(a [4]uint32) uint32 { return num.Clz32(a[0]) }, uop.Brev32: func(a [4]uint32) uint32 { return num.Brev32(a[0]) },
	uop.BfindU32: func(a [4]uint32) uint32 { return num.BfindU32(a[0]) },
	uop.DivS32:   func(a [4]uint32) uint32 { return num.DivS32(a[0], a[1]) }, uop.RemS32: func(a [4]uint32) uint32 { return num.RemS32(a[0], a[1]) },
	uop.DivU32: func(a [4]uint32) uint32 { return num.DivU32(a[0], a[1]) }, uop.RemU32: func(a [4]uint32) uint32 { return num.RemU32(a[0], a[1]) },
	uop.AbsS32: func(a [4]uint32) uint32 { return num.AbsS32(a[0]) }, uop.MulHiS32: func(a [4]uint32) uint32 { return num.MulHiS32(a[0], a[1]) },
	uop.Dp4aUU: func(a [4]uint32) uint32 { return num.Dp4aUU(a[0], a[1], a[2]) },
	uop.Sext8:  func(a [4]uint32) uint32 { return num.Sext8(a[0]) },
}

// TestBfeU64 is TestWords for the field of 64 bits.
func TestBfeU64(t *testing.T) {
	g := rand.New(rand.NewPCG(2, 36))
	for range 4000 {
		f := ssa.New("test", 32)
		v, at, n := g.Uint64(), uint32(g.IntN(300)), uint32(g.IntN(300))
		have, known := f.Known(Of(uop.BfeU64)(f, []ssa.Value{f.Wide(v), f.Word(at), f.Word(n)}))
		if want := num.BfeU64(v, at, n); !known || have != want {
			t.Fatalf("%#x, %d, %d: %#x, want %#x", v, at, n, have, want)
		}
	}
}

// TestWords holds lowerings to package num, on edge values and random ones: of constants the constructor computes the result.
func TestWords(t *testing.T) {
	edges := []uint32{0, 1, 2, 5, 8, 31, 32, 33, 63, 64, 255, 256, 0x7fffffff, 0x80000000, 0x80000001, 0xffffffff, 0xfffffffe, 0x12345678}
	g := rand.New(rand.NewPCG(1, 36))
	for op, want := range words {
		lower := Of(op)
		if lower == nil {
			t.Errorf("%v has no lowering", op)
			continue
		}
		n := len(op.Shape().Operands())
		for range 4000 {
			f := ssa.New("test", 32)
			var a [4]uint32
			var in []ssa.Value
			for i := range n {
				if a[i] = edges[g.IntN(len(edges))]; g.IntN(3) == 0 {
					a[i] = g.Uint32() >> g.IntN(32)
				}
				in = append(in, f.Word(a[i]))
			}
			if have, known := f.Known(lower(f, in)); !known || uint32(have) != want(a) {
				t.Fatalf("%v of %#x: %#x, want %#x (known: %v)", op, a[:n], have, want(a), known)
			}
		}
	}
}

// TestConstants: functions with tables are constants of constants, for which no code is made.
func TestConstants(t *testing.T) {
	g := rand.New(rand.NewPCG(3, 36))
	for op, want := range map[uop.Op]func(uint32) uint32{uop.RcpApproxF32: num.RcpApproxF32, uop.RsqrtApproxFtzF32: num.RsqrtApproxFtzF32, uop.Ex2ApproxF32: num.Ex2ApproxF32,
		uop.Lg2ApproxF32: num.Lg2ApproxF32, uop.SinApproxF32: num.SinApproxF32, uop.TanhApproxF32: num.TanhApproxF32} {
		for range 1000 {
			f := ssa.New("test", 32)
			a := g.Uint32()>>9 | (100+g.Uint32()%50)<<23
			if have, known := f.Known(Of(op)(f, []ssa.Value{f.Word(a)})); !known || uint32(have) != want(a) {
				t.Fatalf("%v of %#x: %#x, want %#x (known: %v)", op, a, have, want(a), known)
			}
		}
	}
}

// TestOntoConstant: a product that is added to a large constant and rounded down is what package big makes of it; it takes no f64, where the
// product is known to be small.
func TestOntoConstant(t *testing.T) {
	g := rand.New(rand.NewPCG(4, 36))
	for op, mode := range map[uop.Op]big.RoundingMode{uop.FmaRMF32: big.ToNegativeInf, uop.FmaRZF32: big.ToZero, uop.FmaRPF32: big.ToPositiveInf} {
		for _, k := range [][3]float32{{1, 252, 12582913}, {1, 0.5, 1}, {3, 0x1p-60, 1.5}, {0x1p-100, 0x1p100, 5}, {1000, 0, 9}, {1, 252, 16777100}, {1, 1, -8}} {
			for range 2000 {
				a := min(math.Float32bits(k[0]), g.Uint32()>>2>>(g.IntN(3)*g.IntN(32)))
				if g.IntN(4) == 0 { // a product near a multiple of the last place
					a = min(math.Float32bits(k[0]), math.Float32bits(float32(g.IntN(300))/max(k[1], 1))+uint32(g.IntN(3))-1) &^ signF32
				}
				f := ssa.New("test", 32)
				in := []ssa.Value{f.Word(a), f.Word(math.Float32bits(k[1])), f.Word(math.Float32bits(k[2]))}
				have, known := f.Known(Of(op)(f, in))
				exact := new(big.Float).SetPrec(400).SetMode(mode)
				x := func(v float32) *big.Float { return new(big.Float).SetPrec(400).SetFloat64(float64(v)) }
				exact.Add(exact.Mul(x(math.Float32frombits(a)), x(k[1])), x(k[2]))
				want, _ := new(big.Float).SetPrec(24).SetMode(mode).Set(exact).Float32()
				if !known || uint32(have) != math.Float32bits(want) {
					t.Fatalf("%v of %#x and %v: %#x, want %#x", op, a, k[1:], have, math.Float32bits(want))
				}
			}
		}
	}
	for op, direct := range map[uop.Op]bool{uop.FmaRMF32: true, uop.FmaRMFtzF32: true, uop.FmaRPF32: false} {
		f := ssa.New("test", 32)
		a := Of(uop.FmaSatF32)(f, []ssa.Value{f.Make(ssa.Arg, ssa.W, 0), f.Word(0x3bbb989d), f.Word(0x3f000000)})
		Of(op)(f, []ssa.Value{a, f.Word(math.Float32bits(252)), f.Word(math.Float32bits(12582913))})
		wide := false
		for i := range f.Ops {
			wide = wide || f.Ops[i].Code == ssa.F2D
		}
		if wide == direct {
			t.Errorf("%v by way of f64: %v", op, wide)
		}
	}
}
