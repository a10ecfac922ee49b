// soft.go against the oracle: edge products, exhaustive pairs of 8-bit
// formats, seeded random samples, in every rounding mode.

package num

import (
	"flag"
	"math/rand/v2"
	"testing"
)

var full = flag.Bool("num.full", false, "run the exhaustive and the long random tests")

// scale is n, or fifty times n under -num.full.
func scale(n int) int {
	if *full {
		return n * 50
	}
	return n
}

var modes = []Mode{RN, RZ, RM, RP}

// ieeeTypes are the formats with IEEE infinities and NaN.
var ieeeTypes = []Type{E5M2, F16, BF16, F32, F64}

// nanWant is the result for a NaN operand or an invalid operation.
func nanWant(f *Format, invalid bool, ops ...uint64) (uint64, bool) {
	o := newOracle(f)
	for _, v := range ops {
		if o.isNaN(v) {
			if f.Payload {
				return v | 1<<(f.Man-1), true
			}
			return f.NaN, true
		}
	}
	if invalid && f.Payload {
		return f.NaN | o.sign(), true
	}
	return f.NaN, invalid
}

// checkPair compares add, sub, mul and div of one pair.
func checkPair(t *testing.T, typ Type, a, b uint64, m Mode, ftz bool) {
	t.Helper()
	f := typ.Format()
	o := newOracle(f)
	report := func(op string, got, want uint64, invalid bool) {
		if n, ok := nanWant(f, invalid, b, a); ok {
			want = n
		}
		if got != want {
			t.Errorf("%s.%v %x %x mode %d ftz %v = %x, want %x", op, typ, a, b, m, ftz, got, want)
		}
	}
	if o.isNaN(a) || o.isNaN(b) {
		for _, op := range []func(a, b uint64, m Mode, ftz bool) uint64{f.Add, f.Sub, f.Mul, f.Div} {
			report("op", op(a, b, m, ftz), 0, false)
		}
		return
	}
	w, bad := o.add(a, b, m, ftz)
	report("add", f.Add(a, b, m, ftz), w, bad)
	w, bad = o.add(a, b^o.sign(), m, ftz)
	report("sub", f.Sub(a, b, m, ftz), w, bad)
	w, bad = o.mul(a, b, m, ftz)
	report("mul", f.Mul(a, b, m, ftz), w, bad)
	w, bad = o.div(a, b, m, ftz)
	report("div", f.Div(a, b, m, ftz), w, bad)
}

func checkSqrt(t *testing.T, typ Type, a uint64, m Mode, ftz bool) {
	t.Helper()
	f := typ.Format()
	o := newOracle(f)
	var want uint64
	bad := false
	if !o.isNaN(a) {
		want, bad = o.sqrt(a, m, ftz)
	}
	if n, ok := nanWant(f, bad, a); ok {
		want = n
	}
	if got := f.Sqrt(a, m, ftz); got != want {
		t.Errorf("sqrt.%v %x mode %d ftz %v = %x, want %x", typ, a, m, ftz, got, want)
	}
}

func checkFma(t *testing.T, typ Type, a, b, c uint64, m Mode, ftz bool) {
	t.Helper()
	f := typ.Format()
	o := newOracle(f)
	var want uint64
	bad := false
	if !o.isNaN(a) && !o.isNaN(b) && !o.isNaN(c) {
		want, bad = o.fma(a, b, c, m, ftz)
	}
	if n, ok := nanWant(f, bad, c, b, a); ok {
		want = n
	}
	if got := f.Fma(a, b, c, m, ftz); got != want {
		t.Errorf("fma.%v %x %x %x mode %d ftz %v = %x, want %x", typ, a, b, c, m, ftz, got, want)
	}
}

func TestSoftEdges(t *testing.T) {
	for _, typ := range ieeeTypes {
		for i, a := range newOracle(typ.Format()).edges() {
			for j, b := range newOracle(typ.Format()).edges() {
				checkPair(t, typ, a, b, modes[(i+j)%4], j%8 < 3)
			}
			for _, m := range modes {
				checkSqrt(t, typ, a, m, i%4 < 2)
			}
		}
	}
}

func TestSoftRandom(t *testing.T) {
	for _, typ := range ieeeTypes {
		r := rand.New(rand.NewPCG(1, uint64(typ)))
		o := newOracle(typ.Format())
		for i := range scale(2000) {
			a, b, c := o.sample(r), o.sample(r), o.sample(r)
			if i%3 == 0 { // cancel the product
				c = typ.Format().Mul(a, b, RN, false) ^ o.sign()
			}
			m, ftz := modes[i%4], i%5 == 0
			checkPair(t, typ, a, b, m, ftz)
			checkFma(t, typ, a, b, c, m, ftz)
			checkSqrt(t, typ, a, m, ftz)
		}
	}
}

func TestSoftFmaEdges(t *testing.T) {
	for _, typ := range ieeeTypes {
		e := newOracle(typ.Format()).edges()
		r := rand.New(rand.NewPCG(2, uint64(typ)))
		for i := range scale(6000) {
			pick := func() uint64 { return e[r.IntN(len(e))] }
			checkFma(t, typ, pick(), pick(), pick(), modes[i%4], i%7 == 0)
		}
	}
}

func TestSoftPairs8(t *testing.T) {
	for a := range uint64(256) {
		for b := range uint64(256) {
			if testing.Short() && (a+b)%4 != 0 {
				continue
			}
			m := Mode((a*7 + b) % 4)
			if *full {
				for _, m := range modes {
					checkPair(t, E5M2, a, b, m, false)
				}
			}
			checkPair(t, E5M2, a, b, m, a&1 == 0)
		}
	}
}

func TestConvertExhaustive16(t *testing.T) {
	for _, src := range []Type{F16, BF16} {
		o := newOracle(src.Format())
		for v := range uint64(1 << 16) {
			if o.isNaN(v) || o.isInf(v) || testing.Short() && v%7 != 0 {
				continue
			}
			dst := ieeeTypes[v%5]
			for _, m := range modes {
				want := newOracle(dst.Format()).round(o.rat(v, false), o.neg(v), m, false)
				if got := Convert(dst.Format(), src.Format(), v, m, false); got != want {
					t.Fatalf("%v to %v of %x mode %d = %x, want %x", src, dst, v, m, got, want)
				}
			}
		}
	}
}
