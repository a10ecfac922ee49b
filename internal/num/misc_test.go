// Minimum, maximum, comparison, packed and integer functions against
// definitions written the slow way.

package num

import (
	"math"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"testing"
)

// compare is a float comparison family with its result for (less, equal,
// greater, unordered).
type compare struct {
	name string
	f16  func(a, b uint32) bool
	bf16 func(a, b uint32) bool
	f32  func(a, b uint32) bool
	f64  func(a, b uint64) bool
	want [4]bool
}

var compares = []compare{
	{"eq", EqF16, EqBF16, EqF32, EqF64, [4]bool{false, true, false, false}},
	{"ne", NeF16, NeBF16, NeF32, NeF64, [4]bool{true, false, true, false}},
	{"lt", LtF16, LtBF16, LtF32, LtF64, [4]bool{true, false, false, false}},
	{"le", LeF16, LeBF16, LeF32, LeF64, [4]bool{true, true, false, false}},
	{"gt", GtF16, GtBF16, GtF32, GtF64, [4]bool{false, false, true, false}},
	{"ge", GeF16, GeBF16, GeF32, GeF64, [4]bool{false, true, true, false}},
	{"equ", EquF16, EquBF16, EquF32, EquF64, [4]bool{false, true, false, true}},
	{"neu", NeuF16, NeuBF16, NeuF32, NeuF64, [4]bool{true, false, true, true}},
	{"ltu", LtuF16, LtuBF16, LtuF32, LtuF64, [4]bool{true, false, false, true}},
	{"leu", LeuF16, LeuBF16, LeuF32, LeuF64, [4]bool{true, true, false, true}},
	{"gtu", GtuF16, GtuBF16, GtuF32, GtuF64, [4]bool{false, false, true, true}},
	{"geu", GeuF16, GeuBF16, GeuF32, GeuF64, [4]bool{false, true, true, true}},
	{"num", NumF16, NumBF16, NumF32, NumF64, [4]bool{true, true, true, false}},
	{"nan", NanF16, NanBF16, NanF32, NanF64, [4]bool{false, false, false, true}},
}

// order classifies a pair: 0 less, 1 equal, 2 greater, 3 unordered.
func (o oracle) order(a, b uint64) int {
	if o.isNaN(a) || o.isNaN(b) {
		return 3
	}
	key := func(v uint64) int64 {
		if o.neg(v) {
			return -int64(v &^ o.sign())
		}
		return int64(v)
	}
	switch x, y := key(a), key(b); {
	case x < y:
		return 0
	case x > y:
		return 2
	}
	return 1
}

func TestCompare(t *testing.T) {
	for _, typ := range floatTypes {
		o := newOracle(typ.Format())
		for _, a := range o.edges() {
			for _, b := range o.edges() {
				for _, c := range compares {
					got := false
					switch x, y := uint32(a), uint32(b); typ {
					case F16:
						got = c.f16(x, y)
					case BF16:
						got = c.bf16(x, y)
					case F32:
						got = c.f32(x, y)
					default:
						got = c.f64(a, b)
					}
					if got != c.want[o.order(a, b)] {
						t.Errorf("%s.%v %x %x = %v", c.name, typ, a, b, got)
					}
				}
			}
		}
	}
}

// minMax is 6.7 of the fact sheet for one format.
func (o oracle) minMax(a, b uint64, wantMax, nanWins bool) uint64 {
	aNaN, bNaN := o.isNaN(a), o.isNaN(b)
	switch {
	case o.f.Payload && aNaN && bNaN:
		return b | 1<<(o.man-1)
	case aNaN && bNaN, nanWins && (aNaN || bNaN):
		return o.f.NaN
	case aNaN:
		return b
	case bNaN:
		return a
	}
	less := o.order(a, b) == 0 || o.order(a, b) == 1 && o.neg(a)
	if less != wantMax {
		return a
	}
	return b
}

func (o oracle) xorsign(a, b uint64, wantMax, nanWins bool) uint64 {
	d := o.minMax(a&^o.sign(), b&^o.sign(), wantMax, nanWins)
	if o.isNaN(d) {
		return d
	}
	return d | (a^b)&o.sign()
}

func TestMinMax(t *testing.T) {
	type family [8]func(a, b uint32) uint32
	for typ, f := range map[Type]family{
		F32:  {MinF32, MaxF32, MinNaNF32, MaxNaNF32, MinXorsignAbsF32, MaxXorsignAbsF32, MinNaNXorsignAbsF32, MaxNaNXorsignAbsF32},
		F16:  {MinF16, MaxF16, MinNaNF16, MaxNaNF16, MinXorsignAbsF16, MaxXorsignAbsF16, MinNaNXorsignAbsF16, MaxNaNXorsignAbsF16},
		BF16: {MinBF16, MaxBF16, MinNaNBF16, MaxNaNBF16, MinXorsignAbsBF16, MaxXorsignAbsBF16, MinNaNXorsignAbsBF16, MaxNaNXorsignAbsBF16},
	} {
		o := newOracle(typ.Format())
		for _, a := range o.edges() {
			for _, b := range o.edges() {
				for i := range f {
					want := o.minMax(a, b, i&1 != 0, i&2 != 0)
					if i >= 4 {
						want = o.xorsign(a, b, i&1 != 0, i&2 != 0)
					}
					if got := f[i](uint32(a), uint32(b)); uint64(got) != want {
						t.Errorf("%v form %d of %x %x = %x, want %x", typ, i, a, b, got, want)
					}
				}
			}
		}
	}
	o := newOracle(fmtF64)
	for _, a := range o.edges() {
		for _, b := range o.edges() {
			if got, want := MinF64(a, b), o.minMax(a, b, false, false); got != want {
				t.Errorf("min.f64 %x %x = %x, want %x", a, b, got, want)
			}
			if got, want := MaxF64(a, b), o.minMax(a, b, true, false); got != want {
				t.Errorf("max.f64 %x %x = %x, want %x", a, b, got, want)
			}
		}
	}
}

// testps are the classes of testp: by f32, by f64, and what they mean.
var testps = map[string]struct {
	f32  func(a uint32) bool
	f64  func(a uint64) bool
	want func(o oracle, v uint64) bool
}{
	"finite":    {FiniteF32, FiniteF64, func(o oracle, v uint64) bool { return !o.isNaN(v) && !o.isInf(v) }},
	"infinite":  {InfiniteF32, InfiniteF64, oracle.isInf},
	"number":    {NumberF32, NumberF64, func(o oracle, v uint64) bool { return !o.isNaN(v) }},
	"notnumber": {NotANumberF32, NotANumberF64, oracle.isNaN},
	"normal": {NormalF32, NormalF64, func(o oracle, v uint64) bool {
		return !o.isNaN(v) && !o.isInf(v) && !o.isSubnormal(v)
	}},
	"subnormal": {SubnormalF32, SubnormalF64, oracle.isSubnormal},
}

// isSubnormal reports whether v is neither zero nor normal, by its value.
func (o oracle) isSubnormal(v uint64) bool {
	if o.isNaN(v) || o.isInf(v) {
		return false
	}
	x := o.rat(v, false)
	return x.Sign() != 0 && x.Abs(x).Cmp(pow2(o.emin())) < 0
}

func TestTestp(t *testing.T) {
	for name, c := range testps {
		for _, v := range newOracle(fmtF32).edges() {
			if got, want := c.f32(uint32(v)), c.want(newOracle(fmtF32), v); got != want {
				t.Errorf("testp.%s.f32 %x = %v", name, v, got)
			}
		}
		for _, v := range newOracle(fmtF64).edges() {
			if got, want := c.f64(v), c.want(newOracle(fmtF64), v); got != want {
				t.Errorf("testp.%s.f64 %x = %v", name, v, got)
			}
		}
	}
}

// TestSelect checks set and the float selector of slct, 9.7.6.1 and 9.7.6.4.
func TestSelect(t *testing.T) {
	for yes, want := range map[uint32]float64{
		SetTrueF32: fmtF32.value(SetTrueF32), SetTrueF16: fmtF16.value(SetTrueF16), SetTrueBF16: fmtBF16.value(SetTrueBF16),
	} {
		if want != 1 {
			t.Errorf("set gives %x, which is %v and not 1.0", yes, want)
		}
	}
	if Set(true, SetTrue32) != 1<<32-1 || Set(true, SetTrue16) != 1<<16-1 || Set(false, SetTrue32) != 0 {
		t.Error("set does not give all ones or zero")
	}
	for _, c := range newOracle(fmtF32).edges() {
		want := uint32(22) // b, also for NaN
		if math.Float32frombits(uint32(c)) >= 0 {
			want = 11
		}
		if d, e := Slct32F32(11, 22, uint32(c)), Slct64F32(11, 22, uint32(c)); d != want || e != uint64(want) {
			t.Errorf("slct.f32 by %x = %d and %d, want %d", c, d, e, want)
		}
	}
}

// value is the value of a finite code, exact.
func (f *Format) value(v uint64) float64 {
	x, _ := newOracle(f).rat(v, false).Float64()
	return x
}

// TestPacked checks that packed functions are their scalars, element by
// element, in the right order.
func TestPacked(t *testing.T) {
	r := rand.New(rand.NewPCG(12, 12))
	scalars := []func(a, b, c uint32) uint32{FmaF16, FmaFtzF16, FmaReluF16, FmaOobF16, FmaBF16, FmaReluBF16, two(AddF16), two(SubF16), two(MulF16), two(AddBF16), two(MinF16), two(MaxNaNBF16), one(NegF16), one(AbsBF16), one(TanhApproxF16), one(TanhApproxBF16), one(Ex2ApproxF16), one(Ex2ApproxFtzBF16)}
	packed := []func(a, b, c uint32) uint32{FmaF16x2, FmaFtzF16x2, FmaReluF16x2, FmaOobF16x2, FmaBF16x2, FmaReluBF16x2, two(AddF16x2), two(SubF16x2), two(MulF16x2), two(AddBF16x2), two(MinF16x2), two(MaxNaNBF16x2), one(NegF16x2), one(AbsBF16x2), one(TanhApproxF16x2), one(TanhApproxBF16x2), one(Ex2ApproxF16x2), one(Ex2ApproxFtzBF16x2)}
	for range 500 {
		a, b, c := r.Uint32(), r.Uint32(), r.Uint32()
		for i := range scalars {
			lo := scalars[i](a&0xffff, b&0xffff, c&0xffff)
			hi := scalars[i](a>>16, b>>16, c>>16)
			if got := packed[i](a, b, c); got != hi<<16|lo {
				t.Errorf("packed %d of %x %x %x = %x, want %x %x", i, a, b, c, got, hi, lo)
			}
		}
		x, y, z := r.Uint64(), r.Uint64(), r.Uint64()
		if got, want := FmaRZF32x2(x, y, z), join32(FmaRZF32(uint32(x), uint32(y), uint32(z)), FmaRZF32(uint32(x>>32), uint32(y>>32), uint32(z>>32))); got != want {
			t.Errorf("fma.rz.f32x2 %x %x %x = %x, want %x", x, y, z, got, want)
		}
	}
}

// lanes applies f to each width-bit element of a and b, sign-extended or not.
func lanes(a, b uint32, width uint, signed bool, f func(x, y int64) int64) (d uint32) {
	ext := func(v uint32) int64 {
		if signed {
			return int64(int32(v<<(32-width)) >> (32 - width))
		}
		return int64(v & (1<<width - 1))
	}
	for i := uint(0); i < 32; i += width {
		d |= uint32(f(ext(a>>i), ext(b>>i))) & (1<<width - 1) << i
	}
	return d
}

func TestPackedIntegers(t *testing.T) {
	sat := func(lo, hi int64, f func(x, y int64) int64) func(x, y int64) int64 {
		return func(x, y int64) int64 { return min(max(f(x, y), lo), hi) }
	}
	add := func(x, y int64) int64 { return x + y }
	sub := func(x, y int64) int64 { return x - y }
	lo := func(x, y int64) int64 { return min(x, y) }
	hi := func(x, y int64) int64 { return max(x, y) }
	relu := func(f func(x, y int64) int64) func(x, y int64) int64 { return sat(0, 1<<16, f) }
	r := rand.New(rand.NewPCG(13, 13))
	for i, c := range []struct {
		fast   func(a, b uint32) uint32
		width  uint
		signed bool
		slow   func(x, y int64) int64
	}{
		{Add16x2, 16, false, add}, {Add8x4, 8, false, add}, {Sub8x4, 8, false, sub},
		{AddSatU16x2, 16, false, sat(0, 65535, add)}, {AddSatS16x2, 16, true, sat(-32768, 32767, add)},
		{AddSatU8x4, 8, false, sat(0, 255, add)}, {AddSatS8x4, 8, true, sat(-128, 127, add)},
		{SubSatU8x4, 8, false, sat(0, 255, sub)}, {SubSatS8x4, 8, true, sat(-128, 127, sub)},
		{MinU16x2, 16, false, lo}, {MaxU16x2, 16, false, hi}, {MinS16x2, 16, true, lo}, {MaxS16x2, 16, true, hi},
		{MinU8x4, 8, false, lo}, {MaxU8x4, 8, false, hi}, {MinS8x4, 8, true, lo}, {MaxS8x4, 8, true, hi},
		{MinReluS16x2, 16, true, relu(lo)}, {MaxReluS16x2, 16, true, relu(hi)},
		{MinReluS8x4, 8, true, relu(lo)}, {MaxReluS8x4, 8, true, relu(hi)},
		{func(_, b uint32) uint32 { return Neg8x4(b) }, 8, false, func(_, y int64) int64 { return -y }},
	} {
		for range 3000 {
			a, b := r.Uint32(), r.Uint32()
			if r.IntN(3) == 0 {
				a |= 0x7f7f0080
			}
			if got, want := c.fast(a, b), lanes(a, b, c.width, c.signed, c.slow); got != want {
				t.Fatalf("case %d of %x %x = %x, want %x", i, a, b, got, want)
			}
		}
	}
}

// bigOf reads the low width bits of v.
func bigOf(v uint64, width uint, signed bool) *big.Int {
	n := new(big.Int).SetUint64(v & (1<<width - 1))
	if signed && v>>(width-1)&1 != 0 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), width))
	}
	return n
}

// bitsOf returns bits lo.. of n, width of them, in two's complement.
func bitsOf(n *big.Int, lo, width uint) uint64 {
	m := new(big.Int).Rsh(n, lo)
	return m.And(m, new(big.Int).SetUint64(1<<width-1)).Uint64()
}

func TestMultiply(t *testing.T) {
	r := rand.New(rand.NewPCG(14, 14))
	w32 := func(f func(a, b uint32) uint32) func(a, b uint64) uint64 {
		return func(a, b uint64) uint64 { return uint64(f(uint32(a), uint32(b))) }
	}
	wide := func(f func(a, b uint32) uint64) func(a, b uint64) uint64 {
		return func(a, b uint64) uint64 { return f(uint32(a), uint32(b)) }
	}
	for i, c := range []struct {
		fast        func(a, b uint64) uint64
		in, lo, out uint
		signed      bool
	}{
		{w32(MulLo16), 16, 0, 16, false}, {w32(MulHiU16), 16, 16, 16, false}, {w32(MulHiS16), 16, 16, 16, true},
		{w32(MulWideU16), 16, 0, 32, false}, {w32(MulWideS16), 16, 0, 32, true},
		{w32(MulLo32), 32, 0, 32, false}, {w32(MulHiU32), 32, 32, 32, false}, {w32(MulHiS32), 32, 32, 32, true},
		{wide(MulWideU32), 32, 0, 64, false}, {wide(MulWideS32), 32, 0, 64, true},
		{MulLo64, 64, 0, 64, false}, {MulHiU64, 64, 64, 64, false}, {MulHiS64, 64, 64, 64, true},
		{w32(Mul24LoU32), 24, 0, 32, false}, {w32(Mul24HiU32), 24, 16, 32, false},
		{w32(Mul24LoS32), 24, 0, 32, true}, {w32(Mul24HiS32), 24, 16, 32, true},
	} {
		edges := intEdges(c.in)
		for range 4000 {
			a, b := edges[r.IntN(len(edges))], r.Uint64()&(1<<c.in-1)
			p := new(big.Int).Mul(bigOf(a, c.in, c.signed), bigOf(b, c.in, c.signed))
			if got, want := c.fast(a, b), bitsOf(p, c.lo, c.out); got != want {
				t.Fatalf("case %d of %x %x = %x, want %x", i, a, b, got, want)
			}
		}
	}
}

func TestCarry(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 15))
	for range 4000 {
		a, b, cin := r.Uint64(), r.Uint64()|r.Uint64(), r.Uint32()&1
		if r.IntN(3) == 0 {
			b = ^a
		}
		d, c := AddC64(a, b, cin)
		lo, c0 := AddC32(uint32(a), uint32(b), cin)
		hi, c1 := AddC32(uint32(a>>32), uint32(b>>32), c0)
		if s, k := bits.Add64(a, b, uint64(cin)); d != s || uint64(c) != k || join32(lo, hi) != s || c1 != c {
			t.Fatalf("addc %x %x %d", a, b, cin)
		}
		d, c = SubBorrow64(a, b, cin)
		lo, c0 = SubBorrow32(uint32(a), uint32(b), cin)
		hi, c1 = SubBorrow32(uint32(a>>32), uint32(b>>32), c0)
		if s, k := bits.Sub64(a, b, uint64(cin)); d != s || uint64(c) != k || join32(lo, hi) != s || c1 != c {
			t.Fatalf("borrow of %x %x %d", a, b, cin)
		}
		d, c = SubC64(a, b, cin)
		lo, c0 = SubC32(uint32(a), uint32(b), cin)
		hi, c1 = SubC32(uint32(a>>32), uint32(b>>32), c0)
		if s, k := bits.Sub64(a, b, uint64(1-cin)); d != s || uint64(c) != 1-k || join32(lo, hi) != s || c1 != c {
			t.Fatalf("subc %x %x %d", a, b, cin)
		}
		// A 64-bit product from 32-bit pieces, as compilers build it.
		x, y := uint32(a), uint32(b)
		l, k := MadLoC32(x, y, 7, 0)
		h, _ := MadHiCU32(x, y, 9, k)
		if got, want := join32(l, h), uint64(x)*uint64(y)+(9<<32|7); got != want {
			t.Fatalf("mad.cc chain of %x %x = %x, want %x", x, y, got, want)
		}
	}
}

// TestFns scans for the bit as 9.7.1.17 tells.
func TestFns(t *testing.T) {
	slow := func(mask, base uint32, offset int32) uint32 {
		step, left := 1, int(offset)
		if offset == 0 {
			mask, left = mask&(1<<base), 1
		} else if offset < 0 {
			step, left = -1, -left
		}
		for i := int(base); i >= 0 && i < 32; i += step {
			if left -= int(mask >> i & 1); left == 0 {
				return uint32(i)
			}
		}
		return 1<<32 - 1
	}
	r := rand.New(rand.NewPCG(20, 20))
	for range 4000 {
		mask, base, offset := r.Uint32()|r.Uint32(), r.Uint32N(32), int32(r.IntN(70)-35)
		if got, want := Fns32(mask, base, uint32(offset)), slow(mask, base, offset); got != want {
			t.Fatalf("fns %x %d %d = %x, want %x", mask, base, offset, got, want)
		}
	}
}

// TestAtomAddGlobal: additions on global memory flush (9.7.13.5).
func TestAtomAddGlobal(t *testing.T) {
	for _, a := range newOracle(fmtF32).edges() {
		for _, b := range newOracle(fmtF32).edges() {
			if got, want := AtomAddGlobalF32(uint32(a), uint32(b)), fmtF32.Add(a, b, RN, true); uint64(got) != want {
				t.Errorf("atom.add.f32 %x %x = %x, want %x", a, b, got, want)
			}
		}
	}
}

// TestLop3 checks the plain truth tables against the general evaluation.
func TestLop3(t *testing.T) {
	const a, b, c = 0xf0f0f0f0, 0xcccccccc, 0xaaaaaaaa
	for lut, f := range map[uint32]func(a, b, c uint32) uint32{
		0x80: Lop3And3, 0xfe: Lop3Or3, 0x96: Lop3Xor3, 0xe8: Lop3Maj, 0xca: Lop3Sel,
		0xea: Lop3AndOr, 0xa8: Lop3OrAnd, 0x6a: Lop3AndXor, 0x28: Lop3XorAnd,
	} {
		if got := f(a, b, c); got != lut*0x01010101 || Lop3(a, b, c, lut) != got {
			t.Errorf("lop3 %x = %x, general %x", lut, got, Lop3(a, b, c, lut))
		}
	}
}
