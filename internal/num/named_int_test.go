// Every integer function against a model on exact integers, found by its name.

package num

import (
	"math/big"
	"math/rand/v2"
	"reflect"
	"regexp"
	"testing"
)

var intName = regexp.MustCompile(`^([A-Z][A-Za-z0-9]*?)(U|S)?(8|16|32|64)$`)

// double is twice the width of the type.
const double = 128

// intArgs are the operands of a model.
type intArgs struct {
	w      uint       // width of the type
	signed bool       // operands of the type are read as signed
	x      []*big.Int // operands by value
}

// intModel says what a function computes: the value of which the low bits are the result.
// An operand or result of width 0 is one of the type; others are read as unsigned.
type intModel struct {
	widths []uint
	out    uint
	value  func(a intArgs) *big.Int
}

func num64(v int64) *big.Int { return big.NewInt(v) }

func flag01(b bool) *big.Int {
	if b {
		return num64(1)
	}
	return num64(0)
}

// n returns operand i as an int; those models bound it.
func (a intArgs) n(i int) uint { return uint(a.x[i].Uint64()) }

func (a intArgs) add(x, y *big.Int) *big.Int { return new(big.Int).Add(x, y) }
func (a intArgs) sub(x, y *big.Int) *big.Int { return new(big.Int).Sub(x, y) }
func (a intArgs) product() *big.Int          { return new(big.Int).Mul(a.x[0], a.x[1]) }
func (a intArgs) high() *big.Int             { return new(big.Int).Rsh(a.product(), a.w) }
func (a intArgs) cmp() int                   { return a.x[0].Cmp(a.x[1]) }

// low reads the low w bits of v as the type does.
func (a intArgs) low(v *big.Int, w uint) *big.Int {
	if w == 0 {
		return num64(0)
	}
	return bigOf(bitsOf(v, 0, w), w, a.signed)
}

// product24 multiplies the low 24 bits.
func (a intArgs) product24() *big.Int {
	return new(big.Int).Mul(a.low(a.x[0], 24), a.low(a.x[1], 24))
}
func (a intArgs) high24() *big.Int { return new(big.Int).Rsh(a.product24(), 16) }

// clamp saturates to the range of the type.
func (a intArgs) clamp(v *big.Int) *big.Int {
	lo, hi := num64(0), new(big.Int).Lsh(num64(1), a.w)
	if a.signed {
		hi.Rsh(hi, 1)
		lo.Neg(hi)
	}
	hi.Sub(hi, num64(1))
	return pickMax(lo, pickMin(v, hi))
}

func pickMin(x, y *big.Int) *big.Int {
	if x.Cmp(y) < 0 {
		return x
	}
	return y
}

func pickMax(x, y *big.Int) *big.Int {
	if x.Cmp(y) > 0 {
		return x
	}
	return y
}

func choose(b bool, x, y *big.Int) *big.Int {
	if b {
		return x
	}
	return y
}

// ones is what a division by zero gives.
var ones = num64(-1)

// magnitude is the operand of bfind: the complement of a negative value.
func (a intArgs) magnitude() *big.Int {
	if a.x[0].Sign() < 0 {
		return new(big.Int).Not(a.x[0])
	}
	return a.x[0]
}

// bits builds a value from w bits.
func (a intArgs) bits(bit func(i uint) uint) *big.Int {
	d := new(big.Int)
	for i := range a.w {
		d.SetBit(d, int(i), bit(i))
	}
	return d
}

// bitOf returns bit i of operand k.
func (a intArgs) bitOf(k int, i uint) uint { return uint(bitsOf(a.x[k], i, 1)) }

// extract is the bit loop of 9.7.1.19.
func (a intArgs) extract() *big.Int {
	pos, length := a.n(1)&255, a.n(2)&255
	var sign uint
	if a.signed && length != 0 {
		sign = a.bitOf(0, min(pos+length-1, a.w-1))
	}
	return a.bits(func(i uint) uint {
		if i < length && pos+i < a.w {
			return a.bitOf(0, pos+i)
		}
		return sign
	})
}

// insert is the bit loop of 9.7.1.20.
func (a intArgs) insert() *big.Int {
	pos, length := a.n(2)&255, a.n(3)&255
	return a.bits(func(i uint) uint {
		if i >= pos && i-pos < length {
			return a.bitOf(0, i-pos)
		}
		return a.bitOf(1, i)
	})
}

// mask has b ones from bit a.
func (a intArgs) mask(from, length uint) *big.Int {
	return a.bits(func(i uint) uint { return uint(flag01(i >= from && i < from+length).Uint64()) })
}

// funnel shifts b:a left by n.
func (a intArgs) funnel(n uint) *big.Int {
	v := a.add(new(big.Int).Lsh(a.x[1], 32), a.x[0])
	return v.Lsh(v, n)
}

// carryless is the product over GF(2).
func (a intArgs) carryless() *big.Int {
	d := new(big.Int)
	for i := range a.w {
		if a.x[1].Bit(int(i)) != 0 {
			d.Xor(d, new(big.Int).Lsh(a.x[0], i))
		}
	}
	return d
}

// carryIn adds the carry of the last operand.
func (a intArgs) carryIn(v *big.Int) *big.Int { return a.add(v, a.x[len(a.x)-1]) }

// half reads v modulo the type, unsigned.
func (a intArgs) half(v *big.Int) *big.Int { return bigOf(bitsOf(v, 0, a.w), a.w, false) }

var intModels = map[string]intModel{
	"Add":      {nil, 0, func(a intArgs) *big.Int { return a.add(a.x[0], a.x[1]) }},
	"Sub":      {nil, 0, func(a intArgs) *big.Int { return a.sub(a.x[0], a.x[1]) }},
	"AddSat":   {nil, 0, func(a intArgs) *big.Int { return a.clamp(a.add(a.x[0], a.x[1])) }},
	"SubSat":   {nil, 0, func(a intArgs) *big.Int { return a.clamp(a.sub(a.x[0], a.x[1])) }},
	"MulLo":    {nil, 0, func(a intArgs) *big.Int { return a.product() }},
	"MulHi":    {nil, 0, func(a intArgs) *big.Int { return a.high() }},
	"MulWide":  {nil, double, func(a intArgs) *big.Int { return a.product() }},
	"MadLo":    {nil, 0, func(a intArgs) *big.Int { return a.add(a.product(), a.x[2]) }},
	"MadHi":    {nil, 0, func(a intArgs) *big.Int { return a.add(a.high(), a.x[2]) }},
	"MadHiSat": {nil, 0, func(a intArgs) *big.Int { return a.clamp(a.add(a.high(), a.x[2])) }},
	"MadWide":  {[]uint{0, 0, double}, double, func(a intArgs) *big.Int { return a.add(a.product(), a.x[2]) }},

	"Mul24Lo":    {nil, 0, func(a intArgs) *big.Int { return a.product24() }},
	"Mul24Hi":    {nil, 0, func(a intArgs) *big.Int { return a.high24() }},
	"Mad24Lo":    {nil, 0, func(a intArgs) *big.Int { return a.add(a.product24(), a.x[2]) }},
	"Mad24Hi":    {nil, 0, func(a intArgs) *big.Int { return a.add(a.high24(), a.x[2]) }},
	"Mad24HiSat": {nil, 0, func(a intArgs) *big.Int { return a.clamp(a.add(a.high24(), a.x[2])) }},

	"Sad": {nil, 0, func(a intArgs) *big.Int {
		d := a.sub(a.x[0], a.x[1])
		return a.add(d.Abs(d), a.x[2])
	}},
	"Div": {nil, 0, func(a intArgs) *big.Int {
		if a.x[1].Sign() == 0 {
			return ones
		}
		return new(big.Int).Quo(a.x[0], a.x[1])
	}},
	"Rem": {nil, 0, func(a intArgs) *big.Int {
		if a.x[1].Sign() == 0 {
			return ones
		}
		return new(big.Int).Rem(a.x[0], a.x[1])
	}},

	"Min":     {nil, 0, func(a intArgs) *big.Int { return pickMin(a.x[0], a.x[1]) }},
	"Max":     {nil, 0, func(a intArgs) *big.Int { return pickMax(a.x[0], a.x[1]) }},
	"MinRelu": {nil, 0, func(a intArgs) *big.Int { return pickMax(pickMin(a.x[0], a.x[1]), num64(0)) }},
	"MaxRelu": {nil, 0, func(a intArgs) *big.Int { return pickMax(pickMax(a.x[0], a.x[1]), num64(0)) }},
	"Abs":     {nil, 0, func(a intArgs) *big.Int { return new(big.Int).Abs(a.x[0]) }},
	"Neg":     {nil, 0, func(a intArgs) *big.Int { return new(big.Int).Neg(a.x[0]) }},

	"Eq": {nil, 1, func(a intArgs) *big.Int { return flag01(a.cmp() == 0) }},
	"Ne": {nil, 1, func(a intArgs) *big.Int { return flag01(a.cmp() != 0) }},
	"Lt": {nil, 1, func(a intArgs) *big.Int { return flag01(a.cmp() < 0) }},
	"Le": {nil, 1, func(a intArgs) *big.Int { return flag01(a.cmp() <= 0) }},
	"Gt": {nil, 1, func(a intArgs) *big.Int { return flag01(a.cmp() > 0) }},
	"Ge": {nil, 1, func(a intArgs) *big.Int { return flag01(a.cmp() >= 0) }},

	"And":  {nil, 0, func(a intArgs) *big.Int { return new(big.Int).And(a.x[0], a.x[1]) }},
	"Or":   {nil, 0, func(a intArgs) *big.Int { return new(big.Int).Or(a.x[0], a.x[1]) }},
	"Xor":  {nil, 0, func(a intArgs) *big.Int { return new(big.Int).Xor(a.x[0], a.x[1]) }},
	"Not":  {nil, 0, func(a intArgs) *big.Int { return new(big.Int).Not(a.x[0]) }},
	"Cnot": {nil, 0, func(a intArgs) *big.Int { return flag01(a.x[0].Sign() == 0) }},
	"Shl":  {[]uint{0, 32}, 0, func(a intArgs) *big.Int { return new(big.Int).Lsh(a.x[0], min(a.n(1), 64)) }},
	"Shr":  {[]uint{0, 32}, 0, func(a intArgs) *big.Int { return new(big.Int).Rsh(a.x[0], min(a.n(1), 64)) }},

	"Popc": {nil, 32, func(a intArgs) *big.Int {
		n := num64(0)
		for i := range a.w {
			n.Add(n, num64(int64(a.bitOf(0, i))))
		}
		return n
	}},
	"Clz":   {nil, 32, func(a intArgs) *big.Int { return num64(int64(a.w) - int64(a.x[0].BitLen())) }},
	"Brev":  {nil, 0, func(a intArgs) *big.Int { return a.bits(func(i uint) uint { return a.bitOf(0, a.w-1-i) }) }},
	"Bfind": {nil, 32, func(a intArgs) *big.Int { return num64(int64(a.magnitude().BitLen()) - 1) }},
	"BfindShift": {nil, 32, func(a intArgs) *big.Int {
		return choose(a.magnitude().Sign() == 0, ones, num64(int64(a.w)-int64(a.magnitude().BitLen())))
	}},
	"Bfe":        {[]uint{0, 32, 32}, 0, intArgs.extract},
	"Bfi":        {[]uint{0, 0, 32, 32}, 0, intArgs.insert},
	"SzextWrap":  {[]uint{0, 32}, 0, func(a intArgs) *big.Int { return a.low(a.x[0], a.n(1)&31) }},
	"SzextClamp": {[]uint{0, 32}, 0, func(a intArgs) *big.Int { return a.low(a.x[0], min(a.n(1), 32)) }},
	"BmskWrap":   {nil, 0, func(a intArgs) *big.Int { return a.mask(a.n(0)&31, a.n(1)&31) }},
	"BmskClamp":  {nil, 0, func(a intArgs) *big.Int { return a.mask(min(a.n(0), 32), min(a.n(1), 32)) }},

	"ShfLWrap":  {nil, 0, func(a intArgs) *big.Int { return new(big.Int).Rsh(a.funnel(a.n(2)&31), 32) }},
	"ShfLClamp": {nil, 0, func(a intArgs) *big.Int { return new(big.Int).Rsh(a.funnel(min(a.n(2), 32)), 32) }},
	"ShfRWrap":  {nil, 0, func(a intArgs) *big.Int { return new(big.Int).Rsh(a.funnel(0), a.n(2)&31) }},
	"ShfRClamp": {nil, 0, func(a intArgs) *big.Int { return new(big.Int).Rsh(a.funnel(0), min(a.n(2), 32)) }},

	"Slct32": {[]uint{32, 32, 0}, 32, func(a intArgs) *big.Int { return choose(a.x[2].Sign() >= 0, a.x[0], a.x[1]) }},
	"Slct64": {[]uint{64, 64, 0}, 64, func(a intArgs) *big.Int { return choose(a.x[2].Sign() >= 0, a.x[0], a.x[1]) }},

	"AtomInc": {nil, 0, func(a intArgs) *big.Int { return choose(a.cmp() >= 0, num64(0), a.add(a.x[0], num64(1))) }},
	"AtomDec": {nil, 0, func(a intArgs) *big.Int {
		return choose(a.x[0].Sign() == 0 || a.cmp() > 0, a.x[1], a.sub(a.x[0], num64(1)))
	}},
	"AtomExch": {nil, 0, func(a intArgs) *big.Int { return a.x[1] }},
	"AtomCas":  {nil, 0, func(a intArgs) *big.Int { return choose(a.cmp() == 0, a.x[2], a.x[0]) }},

	"Zext":      {[]uint{32}, 32, func(a intArgs) *big.Int { return a.low(a.x[0], a.w) }},
	"Zext32To":  {[]uint{32}, 64, func(a intArgs) *big.Int { return a.x[0] }},
	"Trunc64To": {[]uint{64}, 32, func(a intArgs) *big.Int { return a.x[0] }},
	"Sext":      {[]uint{32}, 32, func(a intArgs) *big.Int { return bigOf(bitsOf(a.x[0], 0, a.w), a.w, true) }},
	"Sext8To":   {[]uint{32}, 64, func(a intArgs) *big.Int { return bigOf(bitsOf(a.x[0], 0, 8), 8, true) }},
	"Sext16To":  {[]uint{32}, 64, func(a intArgs) *big.Int { return bigOf(bitsOf(a.x[0], 0, 16), 16, true) }},
	"Sext32To":  {[]uint{32}, 64, func(a intArgs) *big.Int { return bigOf(bitsOf(a.x[0], 0, 32), 32, true) }},

	"ClmadLo": {nil, 0, func(a intArgs) *big.Int { return new(big.Int).Xor(a.half(a.carryless()), a.x[2]) }},
	"ClmadHi": {nil, 0, func(a intArgs) *big.Int {
		p := a.carryless()
		return p.Xor(p.Rsh(p, 64), a.x[2])
	}},

	// The carry out follows the result as one more bit.
	"AddC": {[]uint{0, 0, 1}, 1, func(a intArgs) *big.Int { return a.carryIn(a.add(a.x[0], a.x[1])) }},
	"SubC": {[]uint{0, 0, 1}, 1, func(a intArgs) *big.Int { // a + ~b + carry: IADD3.X with ~ in machine code
		complement := a.sub(new(big.Int).Lsh(num64(1), a.w), a.add(a.half(a.x[1]), num64(1)))
		return a.carryIn(a.add(a.half(a.x[0]), complement))
	}},
	"SubBorrow": {[]uint{0, 0, 1}, 1, func(a intArgs) *big.Int { return a.sub(a.sub(a.x[0], a.x[1]), a.x[2]) }},
	"MadLoC":    {[]uint{0, 0, 0, 1}, 1, func(a intArgs) *big.Int { return a.carryIn(a.add(a.half(a.product()), a.half(a.x[2]))) }},
	"MadHiC":    {[]uint{0, 0, 0, 1}, 1, func(a intArgs) *big.Int { return a.carryIn(a.add(a.half(a.high()), a.half(a.x[2]))) }},
}

// intOperand draws an operand of w bits: an edge, a small count, or anything.
func intOperand(r *rand.Rand, w uint) uint64 {
	switch r.IntN(4) {
	case 0: // a power of two and its neighbours, or the negative of one
		v := uint64(1)<<r.UintN(w) + uint64(r.IntN(3)) - 1
		return (v ^ -uint64(r.IntN(2))) & (1<<w - 1)
	case 1:
		return uint64(r.IntN(70)) & (1<<w - 1)
	}
	return r.Uint64() & (1<<w - 1)
}

// intWidth resolves a model's width.
func intWidth(stated, w uint) uint {
	switch stated {
	case 0:
		return w
	case double:
		return 2 * w
	}
	return stated
}

// checkInt compares one call; it reports whether the results agree.
func checkInt(t *testing.T, name string, f any, m *intModel, w uint, signed bool, r *rand.Rand) bool {
	n := reflect.TypeOf(f).NumIn()
	raw, a := make([]uint64, n), intArgs{w, signed, make([]*big.Int, n)}
	for i := range n {
		stated := uint(0)
		if m.widths != nil {
			stated = m.widths[i]
		}
		raw[i] = intOperand(r, intWidth(stated, w))
		if i == 1 && r.IntN(8) == 0 && stated == 0 {
			raw[1] = raw[0]
		}
		a.x[i] = bigOf(raw[i], intWidth(stated, w), signed && stated == 0)
	}
	got, v := call(f, raw), m.value(a)
	want := []uint64{bitsOf(v, 0, intWidth(m.out, w))}
	if len(got) == 2 {
		want = []uint64{bitsOf(v, 0, w), bitsOf(v, w, 1)}
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s %x = %x, want %x", name, raw, got, want)
		return false
	}
	return true
}

func TestIntModels(t *testing.T) {
	for name, f := range functions {
		w := intName.FindStringSubmatch(name)
		if w == nil || intModels[w[1]].value == nil {
			continue
		}
		m := intModels[w[1]]
		width := map[string]uint{"8": 8, "16": 16, "32": 32, "64": 64}[w[3]]
		r := rand.New(rand.NewPCG(17, 17))
		for range scale(400) {
			if !checkInt(t, name, f, &m, width, w[2] == "S", r) {
				break
			}
		}
	}
}

// dot is dp4a or dp2a by elements of a and of b.
func dot(a, b, c uint32, aBits, bShift uint, aSigned, bSigned bool) uint32 {
	for i := uint(0); i < 32/aBits; i++ {
		x := bigOf(uint64(a)>>(i*aBits), aBits, aSigned)
		y := bigOf(uint64(b)>>(bShift+8*i), 8, bSigned)
		c += uint32(x.Int64() * y.Int64())
	}
	return c
}

func TestDotProducts(t *testing.T) {
	r := rand.New(rand.NewPCG(18, 18))
	for range 1000 {
		a, b, c := r.Uint32(), r.Uint32(), r.Uint32()
		for _, f := range []struct {
			name             string
			got              uint32
			aBits, bShift    uint
			aSigned, bSigned bool
		}{
			{"Dp4aUU", Dp4aUU(a, b, c), 8, 0, false, false}, {"Dp4aUS", Dp4aUS(a, b, c), 8, 0, false, true},
			{"Dp4aSU", Dp4aSU(a, b, c), 8, 0, true, false}, {"Dp4aSS", Dp4aSS(a, b, c), 8, 0, true, true},
			{"Dp2aLoUU", Dp2aLoUU(a, b, c), 16, 0, false, false}, {"Dp2aLoUS", Dp2aLoUS(a, b, c), 16, 0, false, true},
			{"Dp2aLoSU", Dp2aLoSU(a, b, c), 16, 0, true, false}, {"Dp2aLoSS", Dp2aLoSS(a, b, c), 16, 0, true, true},
			{"Dp2aHiUU", Dp2aHiUU(a, b, c), 16, 16, false, false}, {"Dp2aHiUS", Dp2aHiUS(a, b, c), 16, 16, false, true},
			{"Dp2aHiSU", Dp2aHiSU(a, b, c), 16, 16, true, false}, {"Dp2aHiSS", Dp2aHiSS(a, b, c), 16, 16, true, true},
		} {
			if want := dot(a, b, c, f.aBits, f.bShift, f.aSigned, f.bSigned); f.got != want {
				t.Fatalf("%s %x %x %x = %x, want %x", f.name, a, b, c, f.got, want)
			}
		}
	}
}

// prmtIndex gives the byte of b:a that byte i of the result is, by the mode and c (9.7.9.7).
var prmtIndex = map[string]func(i, c uint32) uint32{
	"Prmt":     func(i, c uint32) uint32 { return c >> (4 * i) & 15 },
	"PrmtF4e":  func(i, c uint32) uint32 { return c&3 + i },
	"PrmtB4e":  func(i, c uint32) uint32 { return (c&3 - i) & 7 },
	"PrmtRc8":  func(i, c uint32) uint32 { return c & 3 },
	"PrmtEcl":  func(i, c uint32) uint32 { return max(i, c&3) },
	"PrmtEcr":  func(i, c uint32) uint32 { return min(i, c&3) },
	"PrmtRc16": func(i, c uint32) uint32 { return c&1*2 + i&1 },
}

func TestPrmt(t *testing.T) {
	r := rand.New(rand.NewPCG(19, 19))
	for name, index := range prmtIndex {
		f := functions[name].(func(a, b, c uint32) uint32)
		for range 500 {
			a, b, c := r.Uint32(), r.Uint32(), r.Uint32()
			var want uint32
			for i := range uint32(4) {
				at := index(i, c)
				x := uint32(uint8(join32(a, b) >> (8 * (at & 7))))
				if at&8 != 0 { // the sign of the byte, in every bit
					x = uint32(uint8(int8(x) >> 7))
				}
				want |= x << (8 * i)
			}
			if got := f(a, b, c); got != want {
				t.Fatalf("%s %x %x %x = %x, want %x", name, a, b, c, got, want)
			}
		}
	}
}
