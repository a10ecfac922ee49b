// Conversions: Cvt.Apply against the oracle, and the fast forms against Apply.

package num

import (
	"math/big"
	"math/rand/v2"
	"testing"
)

var intTypes = []Type{U8, S8, U16, S16, U32, S32, U64, S64}
var floatTypes = []Type{F16, BF16, F32, F64}

// intEdges are the interesting bit patterns of an integer of that width.
func intEdges(width uint) (v []uint64) {
	mask := uint64(1)<<width - 1
	for i := range width {
		for _, d := range []uint64{0, 1, ^uint64(0)} {
			v = append(v, (1<<i+d)&mask, (-(1<<i + d))&mask)
		}
	}
	return v
}

// intRat is the value of v as integer type typ.
func intRat(v uint64, typ Type) *big.Rat {
	n := new(big.Int).SetUint64(v)
	if typ.Signed() && v>>(typ.Width()-1) != 0 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), typ.Width()))
	}
	return new(big.Rat).SetInt(n)
}

func TestCvtIntToFloat(t *testing.T) {
	for _, src := range intTypes {
		for _, dst := range floatTypes {
			o := newOracle(dst.Format())
			for _, v := range intEdges(src.Width()) {
				for _, m := range modes {
					c := Cvt{Dst: dst, Src: src, Round: m}
					if got, want := c.Apply(v), o.round(intRat(v, src), false, m, false); got != want {
						t.Errorf("cvt.%v.%v mode %d of %x = %x, want %x", dst, src, m, v, got, want)
					}
				}
			}
		}
	}
}

// roundRat rounds x to an integer by the definition of m.
func roundRat(x *big.Rat, m Mode) *big.Int {
	floor := new(big.Int).Div(x.Num(), x.Denom()) // Euclidean: floor, the denominator being positive
	rest := new(big.Rat).Sub(x, new(big.Rat).SetInt(floor))
	half := rest.Cmp(big.NewRat(1, 2))
	up := false
	switch m {
	case RN:
		up = half > 0 || half == 0 && floor.Bit(0) == 1
	case RP:
		up = rest.Sign() > 0
	case RZ:
		up = rest.Sign() > 0 && x.Sign() < 0
	}
	if up {
		floor.Add(floor, big.NewInt(1))
	}
	return floor
}

// clampBig clamps n to the range of typ and returns its bits.
func clampBig(n *big.Int, typ Type) uint64 {
	w, one := typ.Width(), big.NewInt(1)
	lo, hi := new(big.Int), new(big.Int).Lsh(one, w)
	if typ.Signed() {
		hi.Lsh(one, w-1)
		lo.Neg(hi)
	}
	hi.Sub(hi, one)
	if n.Cmp(lo) < 0 {
		n = lo
	} else if n.Cmp(hi) > 0 {
		n = hi
	}
	n = new(big.Int).And(n, new(big.Int).Sub(new(big.Int).Lsh(one, w), one))
	return n.Uint64()
}

// wantFloatToInt is 2.4 of the fact sheet.
func wantFloatToInt(v uint64, src, dst Type, m Mode) uint64 {
	o := newOracle(src.Format())
	switch {
	case o.isNaN(v) && (src == F64 || dst.Width() == 64):
		return 1 << (dst.Width() - 1)
	case o.isNaN(v):
		return 0
	case o.isInf(v):
		n := new(big.Int).Lsh(big.NewInt(1), 70)
		if o.neg(v) {
			n.Neg(n)
		}
		return clampBig(n, dst)
	}
	return clampBig(roundRat(o.rat(v, false), m), dst)
}

func TestCvtFloatToInt(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	for _, src := range floatTypes {
		o := newOracle(src.Format())
		samples := o.edges()
		for range scale(400) {
			v := o.sample(r)
			if r.IntN(2) == 0 { // around the integer range
				e := uint64(1)<<(o.exp-1) - 3 + r.Uint64N(70)
				v = v&^o.inf() | e<<o.man&o.inf()
			}
			samples = append(samples, v)
		}
		for _, v := range samples {
			for _, dst := range intTypes {
				for _, m := range modes {
					c := Cvt{Dst: dst, Src: src, Round: m}
					if got, want := c.Apply(v), wantFloatToInt(v, src, dst, m); got != want {
						t.Errorf("cvt.%v.%v mode %d of %x = %x, want %x", dst, src, m, v, got, want)
					}
				}
			}
		}
	}
}

func TestCvtIntToInt(t *testing.T) {
	for _, src := range intTypes {
		for _, v := range intEdges(src.Width()) {
			n := intRat(v, src).Num()
			for _, dst := range intTypes {
				chop := new(big.Int).And(n, new(big.Int).SetUint64(1<<dst.Width()-1)).Uint64()
				if got := (&Cvt{Dst: dst, Src: src}).Apply(v); got != chop {
					t.Errorf("cvt.%v.%v of %x = %x, want %x", dst, src, v, got, chop)
				}
				if got, want := (&Cvt{Dst: dst, Src: src, Sat: true}).Apply(v), clampBig(n, dst); got != want {
					t.Errorf("cvt.sat.%v.%v of %x = %x, want %x", dst, src, v, got, want)
				}
			}
		}
	}
}

func TestCvtFloatToFloat(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	for _, src := range floatTypes {
		o := newOracle(src.Format())
		for range scale(3000) {
			v := o.sample(r)
			if o.isNaN(v) || o.isInf(v) {
				continue
			}
			for _, dst := range floatTypes {
				m := modes[r.IntN(4)]
				d := newOracle(dst.Format())
				want := d.round(o.rat(v, false), o.neg(v), m, false)
				if got := (&Cvt{Dst: dst, Src: src, Round: m}).Apply(v); got != want {
					t.Errorf("cvt.%v.%v mode %d of %x = %x, want %x", dst, src, m, v, got, want)
				}
			}
			m := modes[r.IntN(4)]
			n := roundRat(o.rat(v, false), m)
			want := o.round(new(big.Rat).SetInt(n), o.neg(v), RZ, false)
			if got := (&Cvt{Dst: src, Src: src, Round: m, Integral: true}).Apply(v); got != want {
				t.Errorf("integral %v mode %d of %x = %x, want %x", src, m, v, got, want)
			}
		}
	}
}

// fastCvt pairs a fast conversion with its general form.
type fastCvt struct {
	name string
	fast any
	slow Cvt
}

var fastCvts = []fastCvt{
	{"CvtF32S32", CvtF32S32, Cvt{Dst: F32, Src: S32}},
	{"CvtF64S32", CvtF64S32, Cvt{Dst: F64, Src: S32}},
	{"CvtF32U32", CvtF32U32, Cvt{Dst: F32, Src: U32}},
	{"CvtF64U32", CvtF64U32, Cvt{Dst: F64, Src: U32}},
	{"CvtF32S64", CvtF32S64, Cvt{Dst: F32, Src: S64}},
	{"CvtF64S64", CvtF64S64, Cvt{Dst: F64, Src: S64}},
	{"CvtF32U64", CvtF32U64, Cvt{Dst: F32, Src: U64}},
	{"CvtF64U64", CvtF64U64, Cvt{Dst: F64, Src: U64}},
	{"CvtRniS32F32", CvtRniS32F32, Cvt{Dst: S32, Src: F32, Round: RN}},
	{"CvtRniS32F64", CvtRniS32F64, Cvt{Dst: S32, Src: F64, Round: RN}},
	{"CvtRniFtzS32F32", CvtRniFtzS32F32, Cvt{Dst: S32, Src: F32, Round: RN, Ftz: true}},
	{"CvtRniU32F32", CvtRniU32F32, Cvt{Dst: U32, Src: F32, Round: RN}},
	{"CvtRniU32F64", CvtRniU32F64, Cvt{Dst: U32, Src: F64, Round: RN}},
	{"CvtRniFtzU32F32", CvtRniFtzU32F32, Cvt{Dst: U32, Src: F32, Round: RN, Ftz: true}},
	{"CvtRniS64F32", CvtRniS64F32, Cvt{Dst: S64, Src: F32, Round: RN}},
	{"CvtRniS64F64", CvtRniS64F64, Cvt{Dst: S64, Src: F64, Round: RN}},
	{"CvtRniFtzS64F32", CvtRniFtzS64F32, Cvt{Dst: S64, Src: F32, Round: RN, Ftz: true}},
	{"CvtRniU64F32", CvtRniU64F32, Cvt{Dst: U64, Src: F32, Round: RN}},
	{"CvtRniU64F64", CvtRniU64F64, Cvt{Dst: U64, Src: F64, Round: RN}},
	{"CvtRniFtzU64F32", CvtRniFtzU64F32, Cvt{Dst: U64, Src: F32, Round: RN, Ftz: true}},
	{"CvtRniF32F32", CvtRniF32F32, Cvt{Dst: F32, Src: F32, Round: RN, Integral: true}},
	{"CvtRniF64F64", CvtRniF64F64, Cvt{Dst: F64, Src: F64, Round: RN, Integral: true}},
	{"CvtRniFtzF32F32", CvtRniFtzF32F32, Cvt{Dst: F32, Src: F32, Round: RN, Integral: true, Ftz: true}},
	{"CvtRziS32F32", CvtRziS32F32, Cvt{Dst: S32, Src: F32, Round: RZ}},
	{"CvtRziS32F64", CvtRziS32F64, Cvt{Dst: S32, Src: F64, Round: RZ}},
	{"CvtRziFtzS32F32", CvtRziFtzS32F32, Cvt{Dst: S32, Src: F32, Round: RZ, Ftz: true}},
	{"CvtRziU32F32", CvtRziU32F32, Cvt{Dst: U32, Src: F32, Round: RZ}},
	{"CvtRziU32F64", CvtRziU32F64, Cvt{Dst: U32, Src: F64, Round: RZ}},
	{"CvtRziFtzU32F32", CvtRziFtzU32F32, Cvt{Dst: U32, Src: F32, Round: RZ, Ftz: true}},
	{"CvtRziS64F32", CvtRziS64F32, Cvt{Dst: S64, Src: F32, Round: RZ}},
	{"CvtRziS64F64", CvtRziS64F64, Cvt{Dst: S64, Src: F64, Round: RZ}},
	{"CvtRziFtzS64F32", CvtRziFtzS64F32, Cvt{Dst: S64, Src: F32, Round: RZ, Ftz: true}},
	{"CvtRziU64F32", CvtRziU64F32, Cvt{Dst: U64, Src: F32, Round: RZ}},
	{"CvtRziU64F64", CvtRziU64F64, Cvt{Dst: U64, Src: F64, Round: RZ}},
	{"CvtRziFtzU64F32", CvtRziFtzU64F32, Cvt{Dst: U64, Src: F32, Round: RZ, Ftz: true}},
	{"CvtRziF32F32", CvtRziF32F32, Cvt{Dst: F32, Src: F32, Round: RZ, Integral: true}},
	{"CvtRziF64F64", CvtRziF64F64, Cvt{Dst: F64, Src: F64, Round: RZ, Integral: true}},
	{"CvtRziFtzF32F32", CvtRziFtzF32F32, Cvt{Dst: F32, Src: F32, Round: RZ, Integral: true, Ftz: true}},
	{"CvtRmiS32F32", CvtRmiS32F32, Cvt{Dst: S32, Src: F32, Round: RM}},
	{"CvtRmiS32F64", CvtRmiS32F64, Cvt{Dst: S32, Src: F64, Round: RM}},
	{"CvtRmiFtzS32F32", CvtRmiFtzS32F32, Cvt{Dst: S32, Src: F32, Round: RM, Ftz: true}},
	{"CvtRmiU32F32", CvtRmiU32F32, Cvt{Dst: U32, Src: F32, Round: RM}},
	{"CvtRmiU32F64", CvtRmiU32F64, Cvt{Dst: U32, Src: F64, Round: RM}},
	{"CvtRmiFtzU32F32", CvtRmiFtzU32F32, Cvt{Dst: U32, Src: F32, Round: RM, Ftz: true}},
	{"CvtRmiS64F32", CvtRmiS64F32, Cvt{Dst: S64, Src: F32, Round: RM}},
	{"CvtRmiS64F64", CvtRmiS64F64, Cvt{Dst: S64, Src: F64, Round: RM}},
	{"CvtRmiFtzS64F32", CvtRmiFtzS64F32, Cvt{Dst: S64, Src: F32, Round: RM, Ftz: true}},
	{"CvtRmiU64F32", CvtRmiU64F32, Cvt{Dst: U64, Src: F32, Round: RM}},
	{"CvtRmiU64F64", CvtRmiU64F64, Cvt{Dst: U64, Src: F64, Round: RM}},
	{"CvtRmiFtzU64F32", CvtRmiFtzU64F32, Cvt{Dst: U64, Src: F32, Round: RM, Ftz: true}},
	{"CvtRmiF32F32", CvtRmiF32F32, Cvt{Dst: F32, Src: F32, Round: RM, Integral: true}},
	{"CvtRmiF64F64", CvtRmiF64F64, Cvt{Dst: F64, Src: F64, Round: RM, Integral: true}},
	{"CvtRmiFtzF32F32", CvtRmiFtzF32F32, Cvt{Dst: F32, Src: F32, Round: RM, Integral: true, Ftz: true}},
	{"CvtRpiS32F32", CvtRpiS32F32, Cvt{Dst: S32, Src: F32, Round: RP}},
	{"CvtRpiS32F64", CvtRpiS32F64, Cvt{Dst: S32, Src: F64, Round: RP}},
	{"CvtRpiFtzS32F32", CvtRpiFtzS32F32, Cvt{Dst: S32, Src: F32, Round: RP, Ftz: true}},
	{"CvtRpiU32F32", CvtRpiU32F32, Cvt{Dst: U32, Src: F32, Round: RP}},
	{"CvtRpiU32F64", CvtRpiU32F64, Cvt{Dst: U32, Src: F64, Round: RP}},
	{"CvtRpiFtzU32F32", CvtRpiFtzU32F32, Cvt{Dst: U32, Src: F32, Round: RP, Ftz: true}},
	{"CvtRpiS64F32", CvtRpiS64F32, Cvt{Dst: S64, Src: F32, Round: RP}},
	{"CvtRpiS64F64", CvtRpiS64F64, Cvt{Dst: S64, Src: F64, Round: RP}},
	{"CvtRpiFtzS64F32", CvtRpiFtzS64F32, Cvt{Dst: S64, Src: F32, Round: RP, Ftz: true}},
	{"CvtRpiU64F32", CvtRpiU64F32, Cvt{Dst: U64, Src: F32, Round: RP}},
	{"CvtRpiU64F64", CvtRpiU64F64, Cvt{Dst: U64, Src: F64, Round: RP}},
	{"CvtRpiFtzU64F32", CvtRpiFtzU64F32, Cvt{Dst: U64, Src: F32, Round: RP, Ftz: true}},
	{"CvtRpiF32F32", CvtRpiF32F32, Cvt{Dst: F32, Src: F32, Round: RP, Integral: true}},
	{"CvtRpiF64F64", CvtRpiF64F64, Cvt{Dst: F64, Src: F64, Round: RP, Integral: true}},
	{"CvtRpiFtzF32F32", CvtRpiFtzF32F32, Cvt{Dst: F32, Src: F32, Round: RP, Integral: true, Ftz: true}},
	{"CvtF64F32", CvtF64F32, Cvt{Dst: F64, Src: F32}},
	{"CvtF32F64", CvtF32F64, Cvt{Dst: F32, Src: F64}},
	{"CvtF32F16", CvtF32F16, Cvt{Dst: F32, Src: F16}},
	{"CvtF32BF16", CvtF32BF16, Cvt{Dst: F32, Src: BF16}},
	{"CvtF16F32", CvtF16F32, Cvt{Dst: F16, Src: F32}},
	{"CvtBF16F32", CvtBF16F32, Cvt{Dst: BF16, Src: F32}},
}

// callFast calls a conversion function of any operand and result width.
func callFast(f any, v uint64) uint64 {
	switch f := f.(type) {
	case func(uint32) uint32:
		return uint64(f(uint32(v)))
	case func(uint32) uint64:
		return f(uint32(v))
	case func(uint64) uint32:
		return uint64(f(v))
	}
	return f.(func(uint64) uint64)(v)
}

func TestCvtFast(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	for i := range fastCvts {
		w := &fastCvts[i]
		samples := intEdges(w.slow.Src.Width())
		for range scale(3000) {
			samples = append(samples, r.Uint64()>>(64-w.slow.Src.Width())>>r.IntN(int(w.slow.Src.Width())))
		}
		if f := w.slow.Src.Format(); f != nil {
			samples = append(samples, newOracle(f).edges()...)
			for range scale(3000) {
				v := newOracle(f).sample(r)
				samples = append(samples, v)
			}
		}
		if w.slow.Src.Width() == 16 {
			for v := range uint64(1 << 16) {
				samples = append(samples, v)
			}
		}
		for _, v := range samples {
			if got, want := callFast(w.fast, v), w.slow.Apply(v); got != want {
				t.Errorf("%s of %x = %x, want %x", w.name, v, got, want)
				break
			}
		}
	}
}

// TestCvtNarrow holds lines of the fact sheet's 7.2 that only Apply computes.
func TestCvtNarrow(t *testing.T) {
	for _, c := range []struct {
		cvt     Cvt
		v, want uint64
	}{
		{Cvt{Dst: TF32, Src: F32}, 0x3f801000, 0x3f800000},
		{Cvt{Dst: TF32, Src: F32, Round: RNA}, 0x3f801000, 0x3f802000},
		{Cvt{Dst: TF32, Src: F32, Round: RZ}, 0x3f801000, 0x3f800000},
		{Cvt{Dst: TF32, Src: F32}, 0xffc00000, 0x7fffe000},
		{Cvt{Dst: TF32, Src: F32, Round: RNA}, 0x7f800001, 0x7f800000},
		{Cvt{Dst: TF32, Src: F32, Round: RNA, Satfinite: true}, 0x7f800000, 0x7f7fe000},
		{Cvt{Dst: TF32, Src: F32, Satfinite: true}, 0xff800000, 0xff7fe000},
		{Cvt{Dst: TF32, Src: F32, Relu: true}, 0xbf800000, 0},
		{Cvt{Dst: F16, Src: F32, Satfinite: true}, 0x49742400, 0x7bff},
		{Cvt{Dst: F16, Src: F32, Satfinite: true}, 0xff800000, 0xfbff},
		{Cvt{Dst: F16, Src: F32, Round: RP}, 0x33000000, 1},
		{Cvt{Dst: F16, Src: S32, Round: RZ}, 100000, 0x7bff},
		{Cvt{Dst: BF16, Src: F64}, 0x3ff0100000001000, 0x3f81},
		{Cvt{Dst: BF16, Src: F32, Relu: true}, 0x80000000, 0},
		{Cvt{Dst: F32, Src: F32, Sat: true}, 0x80000000, 0},
		{Cvt{Dst: F32, Src: F32, Sat: true}, 0x7fc00000, 0},
		{Cvt{Dst: F32, Src: F32, Sat: true}, 0x40000000, 0x3f800000},
		{Cvt{Dst: F32, Src: F32, Ftz: true}, 0xffc00001, 0x7fffffff},
		{Cvt{Dst: F32, Src: F32}, 0xff800001, 0xff800001},
		{Cvt{Dst: F64, Src: F32, Ftz: true}, 0xffc00001, 0x7fffffffe0000000},
		{Cvt{Dst: F32, Src: F64, Ftz: true}, 0x380ffffff0000000, 0x00800000}, // rounds up to 2^-126
		{Cvt{Dst: F32, Src: F64, Ftz: true}, 0x380fffffe0000000, 0},          // 2^-126 - 2^-150
		{Cvt{Dst: F32, Src: F64, Ftz: true, Round: RP}, 0x380fffffe0000000, 0x00800000},
		{Cvt{Dst: F32, Src: F64, Ftz: true, Round: RP}, 0x380fffffd0000000, 0},
		{Cvt{Dst: E4M3, Src: F32, Satfinite: true}, 0x41880000, 0x58},
		{Cvt{Dst: E4M3, Src: F32, Satfinite: true}, 0x43e08000, 0x7e},
		{Cvt{Dst: E4M3, Src: F32, Satfinite: true}, 0xff800000, 0xfe},
		{Cvt{Dst: E4M3, Src: F32, Satfinite: true}, 0xffc00000, 0x7f},
		{Cvt{Dst: E4M3, Src: F32, Satfinite: true}, 0x3b400000, 2},
		{Cvt{Dst: E5M2, Src: F32, Satfinite: true}, 0x47700000, 0x7b},
		{Cvt{Dst: E2M3, Src: F32, Satfinite: true}, 0xbf980000, 0x2a},
		{Cvt{Dst: E3M2, Src: F32, Satfinite: true}, 0x7fc00000, 0x1f},
		{Cvt{Dst: E2M1, Src: F32, Satfinite: true}, 0x40200000, 4},
		{Cvt{Dst: E2M1, Src: F32, Satfinite: true}, 0x3f400000, 2},
		{Cvt{Dst: E2M1, Src: F32, Satfinite: true}, 0xc2c80000, 0xf},
		{Cvt{Dst: F16, Src: E5M2}, 0xfc, 0xfc00},
		{Cvt{Dst: F16, Src: E4M3}, 0xff, 0x7fff},
		{Cvt{Dst: F16, Src: E2M1}, 0xf, 0xc600},
		{Cvt{Dst: UE5M3, Src: F32}, 0x3f880000, 0x78},
		{Cvt{Dst: UE5M3, Src: F32, Round: RP}, 0x3f980000, 0x7a},
	} {
		if got := c.cvt.Apply(c.v); got != c.want {
			t.Errorf("%v.%v %+v of %x = %x, want %x", c.cvt.Dst, c.cvt.Src, c.cvt, c.v, got, c.want)
		}
	}
}
