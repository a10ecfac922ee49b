package num

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"sort"
	"testing"
)

// triples is the number of random operands: 10^6 with -num.full.
func triples() int {
	if *full {
		return 1_000_000
	}
	return 10_000
}

// mixedEdges are codes of f16, bf16 and f32: zeros, the ends of what is subnormal, normal and
// finite, ones with and without a last bit, infinities and NaNs, of both signs.
var mixedEdges = map[*Format][]uint64{
	fmtF16:  bothSigns(0x8000, 0, 1, 2, 0x3ff, 0x400, 0x401, 0x1400, 0x3bff, 0x3c00, 0x3c01, 0x6801, 0x7bff, 0x7c00, 0x7c01, 0x7e00, 0x7fff),
	fmtBF16: bothSigns(0x8000, 0, 1, 2, 0x7f, 0x80, 0x81, 0x0d80, 0x3380, 0x3f7f, 0x3f80, 0x3f81, 0x7f7f, 0x7f80, 0x7f81, 0x7fc0, 0x7fff),
	fmtF32: bothSigns(0x80000000, 0, 1, 2, 0x7fffff, 0x800000, 0x800001, 0x0d800000, 0x33000000, 0x33800000, 0x33800001, 0x3f7fffff, 0x3f800000,
		0x3f800001, 0x4b800000, 0x477fe000, 0x7f7fffff, 0x7f800000, 0x7f800001, 0x7fc00000, 0x7fffffff),
}

func bothSigns(sign uint64, codes ...uint64) []uint64 {
	for _, c := range codes {
		codes = append(codes, c|sign)
	}
	return codes
}

// mixedName is add, sub or fma of f32 with a half format in a mode, by the names of functions.
func mixedName(op string, m Mode, sat bool, half *Format) string {
	name := op + map[Mode]string{RN: "", RZ: "RZ", RM: "RM", RP: "RP"}[m]
	if sat {
		name += "Sat"
	}
	return name + map[*Format]string{fmtF16: "F32F16", fmtBF16: "F32BF16"}[half]
}

// rational is an exact value: a number, an infinity, or neither.
type rational struct {
	v        *big.Rat
	neg      bool // of zeros and infinities, too
	inf, nan bool
}

// read decodes a code of an IEEE format.
func (o oracle) read(v uint64) rational {
	if o.isNaN(v) {
		return rational{nan: true}
	}
	r := rational{neg: o.neg(v), inf: o.isInf(v)}
	if !r.inf {
		r.v = o.rat(v, false)
	}
	return r
}

func (a rational) times(b rational) rational {
	p := rational{neg: a.neg != b.neg, inf: a.inf || b.inf, nan: a.nan || b.nan}
	switch {
	case p.nan:
	case p.inf:
		p.nan = !a.inf && a.v.Sign() == 0 || !b.inf && b.v.Sign() == 0
	default:
		p.v = new(big.Rat).Mul(a.v, b.v)
	}
	return p
}

// plus adds; the sign of an exact zero is that of the mode.
func (a rational) plus(b rational, m Mode) rational {
	switch {
	case a.nan || b.nan || a.inf && b.inf && a.neg != b.neg:
		return rational{nan: true}
	case a.inf:
		return a
	case b.inf:
		return b
	}
	s := rational{v: new(big.Rat).Add(a.v, b.v)}
	s.neg = s.v.Sign() < 0
	if s.v.Sign() == 0 {
		s.neg = m == RM
		if a.v.Sign() == 0 {
			s.neg = zeroSign(a.neg, b.neg, m)
		}
	}
	return s
}

// code rounds to an IEEE format.
func (o oracle) code(r rational, m Mode) uint64 {
	switch {
	case r.nan:
		return o.f.NaN
	case r.inf:
		return o.signed(r.neg, o.inf())
	}
	return o.round(r.v, r.neg, m, false)
}

// saturate is .sat of f32: NaN, negative values and -0 give +0.
func saturate(d uint64) uint64 {
	if d > 0x7f800000 {
		return 0
	}
	return min(d, 0x3f800000)
}

// mixedValue is the exact result of an operation on codes of half and f32.
func mixedValue(op string, half *Format, x [3]uint64, m Mode) rational {
	h, f := newOracle(half), newOracle(fmtF32)
	a, c := h.read(x[0]), f.read(x[2])
	if op == "Fma" {
		a = a.times(h.read(x[1]))
	}
	if op == "Sub" {
		c.neg = !c.neg
		if c.v != nil {
			c.v.Neg(c.v)
		}
	}
	return a.plus(c, m)
}

// checkMixed compares the functions of all modes, with and without .sat, on one triple.
func checkMixed(t *testing.T, op string, half *Format, x [3]uint64) {
	t.Helper()
	for m := range RNA {
		want := newOracle(fmtF32).code(mixedValue(op, half, x, m), m)
		for _, sat := range []bool{false, true} {
			if sat {
				want = saturate(want)
			}
			name := mixedName(op, m, sat, half)
			if got := callMixed(name, x); got != want {
				t.Errorf("%s %04x %04x %08x: have %08x, want %08x", name, x[0], x[1], x[2], got, want)
			}
		}
	}
}

func callMixed(name string, x [3]uint64) uint64 {
	switch f := functions[name].(type) {
	case func(a, c uint32) uint32:
		return uint64(f(uint32(x[0]), uint32(x[2])))
	case func(a, b, c uint32) uint32:
		return uint64(f(uint32(x[0]), uint32(x[1]), uint32(x[2])))
	}
	panic("BUG: no function " + name)
}

// TestMixedEdges: the products of all edge values, x - x among them, in all modes.
func TestMixedEdges(t *testing.T) {
	for _, half := range []*Format{fmtF16, fmtBF16} {
		for i, a := range mixedEdges[half] {
			for j, c := range mixedEdges[fmtF32] {
				checkMixed(t, "Add", half, [3]uint64{a, 0, c})
				checkMixed(t, "Sub", half, [3]uint64{a, 0, c})
				for k, b := range mixedEdges[half] {
					if *full || (i+j+k)%8 == 0 {
						checkMixed(t, "Fma", half, [3]uint64{a, b, c})
					}
				}
			}
			wide := Convert(fmtF32, half, a, RN, false)
			checkMixed(t, "Sub", half, [3]uint64{a, 0, wide}) // x - x
			checkMixed(t, "Add", half, [3]uint64{a, 0, wide ^ 0x80000000})
		}
	}
}

// TestMixedRandom: random operands whose exponents meet, in all modes.
func TestMixedRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 3))
	ops, halves := []string{"Add", "Sub", "Fma"}, []*Format{fmtF16, fmtBF16}
	for i := range triples() {
		op, half := ops[i%3], halves[i/3%2]
		x := [3]uint64{r.Uint64() & 0xffff, r.Uint64() & 0xffff, r.Uint64() & 0xffffffff}
		if i%4 != 0 { // near the exact product, so that bits of both meet
			v := mixedValue("Fma", half, [3]uint64{x[0], x[1], 0}, RN)
			near := newOracle(fmtF32).code(v, RN)
			x[2] = (near + uint64(r.IntN(48))<<23 - 24<<23 ^ r.Uint64()&0x807fffff) & 0xffffffff
		}
		checkMixed(t, op, half, x)
	}
}

// narrowFormats are those of FP8, FP6 and FP4 arithmetic with the width of a code.
var narrowFormats = map[*Format]int{fmtE5M2: 8, fmtE4M3: 8, fmtE3M2: 6, fmtE2M3: 6, fmtE2M1: 4, fmtUE8M0: 8}

// readNarrow is the value of a code, by the tables of 5.2.3.
func readNarrow(f *Format, v uint64) rational {
	switch f {
	case fmtE5M2:
		return newOracle(f).read(v & 0xff)
	case fmtUE8M0:
		if v&0xff == 0xff {
			return rational{nan: true}
		}
		return rational{v: pow2(int(v&0xff) - 127)}
	case fmtE4M3:
		if v&0x7f == 0x7f {
			return rational{nan: true}
		}
	}
	sign := uint64(1) << (narrowFormats[f] - 1)
	man := uint64(1)<<f.Man - 1
	e, frac := int(v&(sign-1)>>f.Man), int64(v&man)
	if e == 0 {
		e = 1
	} else {
		frac |= int64(man + 1)
	}
	r := rational{v: new(big.Rat).Mul(big.NewRat(frac, 1), pow2(e-int(f.Bias)-int(f.Man))), neg: v&sign != 0}
	if r.neg {
		r.v.Neg(r.v)
	}
	return r
}

// fp8 lists the finite values of a format without sign, by code.
var fp8 = map[*Format][]*big.Rat{}

func init() {
	for _, f := range []*Format{fmtE5M2, fmtE4M3} {
		for c := uint64(0); c <= f.Max; c++ {
			fp8[f] = append(fp8[f], readNarrow(f, c).v)
		}
	}
}

// codeNarrow rounds to the nearest FP8 number, to an even code on a tie; half a step above the
// largest begins what overflows.
func codeNarrow(f *Format, r rational, satfinite bool) uint64 {
	if r.nan {
		return 0x7f
	}
	var sign uint64
	if r.neg {
		sign = 0x80
	}
	list := fp8[f]
	over, code := r.inf, 0
	if !over {
		a := new(big.Rat).Abs(r.v)
		code = sort.Search(len(list), func(i int) bool { return list[i].Cmp(a) >= 0 })
		if code == len(list) { // the next step would be this one
			step := new(big.Rat).Sub(list[len(list)-1], list[len(list)-2])
			code = nearest(a, list[code-1], new(big.Rat).Add(list[code-1], step), code)
			over = code == len(list)
		} else if code > 0 {
			code = nearest(a, list[code-1], list[code], code)
		}
	}
	switch {
	case !over:
		return sign | uint64(code)
	case satfinite:
		return sign | f.Max
	case f == fmtE5M2:
		return sign | 0x7c
	}
	return 0x7f
}

// nearest is the code of high, or the one below, whichever a is nearer to.
func nearest(a, low, high *big.Rat, code int) int {
	mid := new(big.Rat).Add(low, high)
	mid.Mul(mid, big.NewRat(1, 2))
	if c := a.Cmp(mid); c < 0 || c == 0 && code&1 == 1 {
		return code - 1
	}
	return code
}

func checkNarrow(t *testing.T, x *Mixed, a, b, c uint64) {
	t.Helper()
	r := readNarrow(x.A, a)
	if x.B != nil {
		r = r.times(readNarrow(x.B, b))
	}
	if x.C != nil {
		z := readNarrow(x.C, c)
		if z.neg = z.neg != x.Sub; x.Sub && z.v != nil {
			z.v.Neg(z.v)
		}
		r = r.plus(z, RN)
	}
	if got, want := x.Apply(a, b, c), codeNarrow(x.Dst, r, x.Satfinite); got != want {
		t.Errorf("%s %02x %02x %02x: have %02x, want %02x", describe(x), a, b, c, got, want)
	}
}

func describe(x *Mixed) string {
	return fmt.Sprintf("dst %+v, a %+v, b %+v, c %+v, sub %v, satfinite %v", x.Dst, x.A, x.B, x.C, x.Sub, x.Satfinite)
}

// TestNarrowPairs: all pairs of codes for addition, subtraction and multiplication into FP8; a
// part of them without -num.full.
func TestNarrowPairs(t *testing.T) {
	step := uint64(13)
	if *full {
		step = 1
	}
	for _, dst := range []*Format{fmtE5M2, fmtE4M3} {
		for fa, na := range narrowFormats {
			for fb, nb := range narrowFormats {
				mul := &Mixed{Dst: dst, A: fa, B: fb}
				for i := uint64(0); i < 1<<(na+nb); i += step {
					mul.Satfinite = !mul.Satfinite
					checkNarrow(t, mul, i>>nb, i&(1<<nb-1), 0)
				}
			}
			add := &Mixed{Dst: dst, A: fa, C: dst}
			for i := uint64(0); i < 1<<(na+8); i += step {
				add.Sub = i&1 == 1
				for _, add.Satfinite = range []bool{false, true} {
					checkNarrow(t, add, i>>8, 0, i&0xff)
				}
			}
		}
	}
}

// TestNarrowFma: random triples.
func TestNarrowFma(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 4))
	var formats []*Format
	for f := range narrowFormats {
		formats = append(formats, f)
	}
	sort.Slice(formats, func(i, j int) bool { return formats[i].Exp*8+formats[i].Man < formats[j].Exp*8+formats[j].Man })
	for i := range triples() {
		x := &Mixed{Dst: formats[0], A: formats[r.IntN(len(formats))], B: formats[r.IntN(len(formats))], Satfinite: i&1 == 1}
		x.Dst = []*Format{fmtE5M2, fmtE4M3}[r.IntN(2)]
		x.C = x.Dst
		checkNarrow(t, x, r.Uint64()&0xff, r.Uint64()&0xff, r.Uint64()&0xff)
	}
}

// TestMixedPairs: what 9.4 added, one element: f32 from a half and f32, and halves from f32 or
// from the other half format, in the modes of the forms.
func TestMixedPairs(t *testing.T) {
	type form struct {
		x    Mixed
		read [3]*Format
	}
	var forms []form
	for _, half := range []*Format{fmtF16, fmtBF16} {
		for m := range RNA {
			forms = append(forms, form{Mixed{Dst: fmtF32, A: half, C: fmtF32, Round: m}, [3]*Format{half, nil, fmtF32}},
				form{Mixed{Dst: fmtF32, A: half, C: fmtF32, Round: m, Sub: true}, [3]*Format{half, nil, fmtF32}},
				form{Mixed{Dst: fmtF32, A: half, B: fmtF32, C: fmtF32, Round: m}, [3]*Format{half, fmtF32, fmtF32}})
		}
		forms = append(forms, form{Mixed{Dst: half, A: fmtF32, C: fmtF32, Round: RZ}, [3]*Format{fmtF32, nil, fmtF32}},
			form{Mixed{Dst: half, A: fmtF32, C: fmtF32, Round: RZ, Sub: true}, [3]*Format{fmtF32, nil, fmtF32}},
			form{Mixed{Dst: half, A: fmtF32, B: fmtF32, Round: RZ}, [3]*Format{fmtF32, fmtF32, nil}})
	}
	forms = append(forms, form{Mixed{Dst: fmtF16, A: fmtF16, B: fmtBF16}, [3]*Format{fmtF16, fmtBF16, nil}},
		form{Mixed{Dst: fmtBF16, A: fmtBF16, B: fmtF16}, [3]*Format{fmtBF16, fmtF16, nil}})
	for _, m := range []Mode{RZ, RM, RP} {
		forms = append(forms, form{Mixed{Dst: fmtBF16, A: fmtBF16, B: fmtBF16, C: fmtBF16, Round: m}, [3]*Format{fmtBF16, fmtBF16, fmtBF16}})
	}
	r := rand.New(rand.NewPCG(5, 5))
	for i := range triples() {
		f := &forms[i%len(forms)]
		var codes [3]uint64
		var values [3]rational
		for k, format := range f.read {
			if format == nil {
				continue
			}
			edges := mixedEdges[format]
			if codes[k] = edges[r.IntN(len(edges))]; r.IntN(3) > 0 {
				codes[k] ^= r.Uint64() & (1<<format.Man - 1 | uint64(r.IntN(4))<<format.Man)
			}
			values[k] = newOracle(format).read(codes[k])
		}
		want := f.x.Apply(codes[0], codes[1], codes[2])
		v := values[0]
		if f.read[1] != nil {
			v = v.times(values[1])
		}
		if f.read[2] != nil {
			c := values[2]
			if c.neg = c.neg != f.x.Sub; f.x.Sub && c.v != nil {
				c.v.Neg(c.v)
			}
			v = v.plus(c, f.x.Round)
		}
		if have := newOracle(f.x.Dst).code(v, f.x.Round); have != want {
			t.Errorf("%s mode %d, %x: have %x, want %x", describe(&f.x), f.x.Round, codes, want, have)
		}
	}
}

// TestMixedModifiers: what .ftz, .relu, .oob and the assumptions change.
func TestMixedModifiers(t *testing.T) {
	sum := Mixed{Dst: fmtF16, A: fmtF32, C: fmtF32, Round: RZ}
	fma := Mixed{Dst: fmtBF16, A: fmtBF16, B: fmtBF16, C: fmtBF16, Round: RP}
	with := func(x Mixed, change func(x *Mixed)) *Mixed {
		change(&x)
		return &x
	}
	for _, c := range []struct {
		x       *Mixed
		a, b, c uint64
		want    uint64
		why     string
	}{
		{&sum, 0x33800000, 0, 0, 0x0001, "2^-24 is the smallest f16"},
		{with(sum, func(x *Mixed) { x.Ftz = true }), 0xb3800000, 0, 0x80000000, 0x8000, "below 2^-14: flushed, with its sign"},
		{with(sum, func(x *Mixed) { x.Ftz = true }), 0x38800000, 0, 0, 0x0400, "2^-14 is normal"},
		{with(sum, func(x *Mixed) { x.Ftz = true }), 0x387fffff, 0, 0, 0, "below it before it is rounded"},
		{with(sum, func(x *Mixed) { x.FtzOperands = true }), 0x33800000, 0, 0, 0x0001, "only operands of f32 are flushed"},
		{&Mixed{Dst: fmtBF16, A: fmtBF16, B: fmtF16}, 0x4040, 0x3c03, 0, 0x4041, "3 * (1 + 3 * 2^-10) lies above the midpoint 3 + 2^-7"},
		{&Mixed{Dst: fmtBF16, A: fmtBF16, B: fmtF16, Narrow: true}, 0x4040, 0x3c03, 0, 0x4040, "3 * 1: c is 1 in bf16"},
		{&fma, 0x3f80, 0x3f80, 0x0001, 0x3f81, "1 + 2^-133, up"},
		{&fma, 0xbf80, 0x3f80, 0x0000, 0xbf80, "-1"},
		{with(fma, func(x *Mixed) { x.Relu = true }), 0xbf80, 0x3f80, 0x0000, 0, "negative"},
		{with(fma, func(x *Mixed) { x.Relu = true }), 0x7fc0, 0x3f80, 0x0000, 0x7fff, "NaN stays"},
		{with(fma, func(x *Mixed) { x.Oob = true }), 0x7ff7, 0x3f80, 0x3f80, 0, "out of bounds"},
		{with(fma, func(x *Mixed) { x.Oob = true }), 0x3f80, 0x3f80, 0x7ff7, 0x7fff, "not in the addend"},
		{with(fma, func(x *Mixed) { x.Oob, x.OobAll = true, true }), 0x3f80, 0x3f80, 0x7ff7, 0, "in the addend"},
	} {
		if got := c.x.Apply(c.a, c.b, c.c); got != c.want {
			t.Errorf("%s: %x %x %x: have %04x, want %04x", c.why, c.a, c.b, c.c, got, c.want)
		}
	}
}

// TestNotContracted: a product and a sum of their own round twice, plain or mixed, where fma
// rounds once: (1 + 2^-12)^2 - (1 + 2^-11) is 2^-24, and 0 where the product is rounded first.
func TestNotContracted(t *testing.T) {
	const a, c = 0x3f800800, 0xbf801000
	if twice, once := AddF32(MulF32(a, a), c), FmaF32(a, a, c); twice != 0 || once != 0x33800000 {
		t.Errorf("mul and add give %08x, fma %08x", twice, once)
	}
	// 2^-24 for the product, 2^-24 for a: mixed addition to a rounded product.
	const half = 0xbc00 // -1, f16
	if twice, once := AddF32F16(half, MulF32(a, a)), FmaF32(a, a, 0xbf800000); twice == once {
		t.Errorf("mul and mixed add give %08x as fma does", twice)
	}
}
