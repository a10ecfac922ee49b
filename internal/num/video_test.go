package num

// Video arithmetic against math/big, by the text of 9.7.18.

import (
	"math/big"
	"math/rand/v2"
	"testing"
)

var videoValues = []uint32{0, 1, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff, 0x12f483ff, 0x80017ffe}

// videoWord draws edge values as often as others.
func videoWord(r *rand.Rand) uint32 {
	if r.IntN(2) == 0 {
		return videoValues[r.IntN(len(videoValues))]
	}
	return r.Uint32()
}

func videoField(r *rand.Rand) VideoField {
	bits := []uint8{8, 16, 32}[r.IntN(3)]
	return VideoField{Shift: uint8(r.IntN(32/int(bits))) * bits, Bits: bits, Signed: r.IntN(2) == 0}
}

// bigField is what a field holds.
func bigField(f VideoField, x uint64) *big.Int {
	v := new(big.Int).SetUint64(x)
	v.Rsh(v, uint(f.Shift))
	size := new(big.Int).Lsh(big.NewInt(1), uint(f.Bits))
	v.Mod(v, size)
	if f.Signed && v.Bit(int(f.Bits)-1) == 1 {
		v.Sub(v, size)
	}
	return v
}

func bigClamp(v *big.Int, bits uint8, signed bool) *big.Int {
	lo, hi := big.NewInt(0), new(big.Int).Lsh(big.NewInt(1), uint(bits))
	if signed {
		hi.Rsh(hi, 1)
		lo.Neg(hi)
	}
	hi.Sub(hi, big.NewInt(1))
	switch {
	case v.Cmp(lo) < 0:
		return lo
	case v.Cmp(hi) > 0:
		return hi
	}
	return v
}

func bigMin(a, b *big.Int) *big.Int {
	if a.Cmp(b) < 0 {
		return a
	}
	return b
}

func bigMax(a, b *big.Int) *big.Int {
	if a.Cmp(b) > 0 {
		return a
	}
	return b
}

// low32 is the two's complement of v in 32 bits.
func low32(v *big.Int) uint32 {
	return uint32(new(big.Int).Mod(v, new(big.Int).Lsh(big.NewInt(1), 32)).Uint64())
}

func bigCompare(f func(c int) bool) func(a, b *big.Int) *big.Int {
	return func(a, b *big.Int) *big.Int {
		if f(a.Cmp(b)) {
			return big.NewInt(1)
		}
		return new(big.Int)
	}
}

// videoModels pairs each operation with its meaning.
var videoModels = []struct {
	name string
	do   VideoFunc
	want func(a, b *big.Int) *big.Int
}{
	{"add", VideoAdd, func(a, b *big.Int) *big.Int { return new(big.Int).Add(a, b) }},
	{"sub", VideoSub, func(a, b *big.Int) *big.Int { return new(big.Int).Sub(a, b) }},
	{"absdiff", VideoAbsDiff, func(a, b *big.Int) *big.Int { d := new(big.Int).Sub(a, b); return d.Abs(d) }},
	{"min", VideoMin, bigMin},
	{"max", VideoMax, bigMax},
	{"avrg", VideoAvrg, func(a, b *big.Int) *big.Int {
		v := new(big.Int).Add(a, b)
		if v.Sign() >= 0 {
			v.Add(v, big.NewInt(1))
		}
		return v.Rsh(v, 1)
	}},
	{"shl.clamp", func(a, b int64) int64 { return VideoShl(a, VideoClamp(b&63)) }, func(a, b *big.Int) *big.Int {
		return new(big.Int).Lsh(a, min(uint(b.Int64()&63), 32))
	}},
	{"shr.wrap", func(a, b int64) int64 { return VideoShr(a, VideoWrap(b)) }, func(a, b *big.Int) *big.Int {
		return new(big.Int).Rsh(a, uint(b.Int64()&31))
	}},
	{"eq", VideoEq, bigCompare(func(c int) bool { return c == 0 })},
	{"ne", VideoNe, bigCompare(func(c int) bool { return c != 0 })},
	{"lt", VideoLt, bigCompare(func(c int) bool { return c < 0 })},
	{"le", VideoLe, bigCompare(func(c int) bool { return c <= 0 })},
	{"gt", VideoGt, bigCompare(func(c int) bool { return c > 0 })},
	{"ge", VideoGe, bigCompare(func(c int) bool { return c >= 0 })},
}

func TestVideoScalar(t *testing.T) {
	r := rand.New(rand.NewPCG(918, 1))
	seconds := []struct {
		do   VideoFunc
		want func(a, b *big.Int) *big.Int
	}{{}, {VideoAdd, videoModels[0].want}, {VideoMin, bigMin}, {VideoMax, bigMax}}
	for range 20000 {
		m := videoModels[r.IntN(len(videoModels))]
		v := VideoScalar{A: videoField(r), B: videoField(r), Dst: VideoField{Bits: 32, Signed: r.IntN(2) == 0}, Do: m.do, Sat: r.IntN(2) == 0}
		second := seconds[r.IntN(len(seconds))]
		v.Second = second.do
		if v.Second == nil && r.IntN(2) == 0 {
			v.Dst, v.Merge = videoField(r), true
		}
		a, b, c := videoWord(r), videoWord(r), videoWord(r)
		want := m.want(bigField(v.A, uint64(a)), bigField(v.B, uint64(b)))
		if v.Sat {
			want = bigClamp(want, v.Dst.Bits, v.Dst.Signed)
		}
		if second.want != nil {
			want = second.want(want, bigField(VideoField{Bits: 32, Signed: v.Dst.Signed}, uint64(c)))
		}
		word := low32(want)
		if v.Merge {
			mask := uint32(1<<v.Dst.Bits-1) << v.Dst.Shift
			word = word<<v.Dst.Shift&mask | c&^mask
		}
		if got := v.Of(a, b, c); got != word {
			t.Fatalf("%s %+v of %#x %#x %#x is %#x, want %#x", m.name, v, a, b, c, got, word)
		}
	}
}

func TestVideoMad(t *testing.T) {
	r := rand.New(rand.NewPCG(918, 2))
	coin := func() bool { return r.IntN(2) == 0 }
	for range 20000 {
		v := VideoMad{A: videoField(r), B: videoField(r), PlusOne: coin(), Sat: coin(), Scale: []uint8{0, 7, 15}[r.IntN(3)]}
		switch r.IntN(3) {
		case 0:
			v.NegAB = true
		case 1:
			v.NegC = true
		}
		a, b, c := videoWord(r), videoWord(r), videoWord(r)
		signed := v.A.Signed || v.B.Signed || v.NegAB || v.NegC
		want := new(big.Int).Mul(bigField(v.A, uint64(a)), bigField(v.B, uint64(b)))
		if v.NegAB {
			want.Neg(want)
		}
		addend := bigField(VideoField{Bits: 32, Signed: signed}, uint64(c))
		if v.NegC {
			addend.Neg(addend)
		}
		want.Add(want, addend)
		if v.PlusOne {
			want.Add(want, big.NewInt(1))
		}
		want.Rsh(want, uint(v.Scale))
		if v.Sat {
			want = bigClamp(want, 32, signed)
		}
		if got := v.Of(a, b, c); got != low32(want) {
			t.Fatalf("%+v of %#x %#x %#x is %#x, want %#x", v, a, b, c, got, low32(want))
		}
	}
}

func TestVideoLanes(t *testing.T) {
	r := rand.New(rand.NewPCG(918, 3))
	for range 20000 {
		m := videoModels[r.IntN(len(videoModels))]
		n := 2 << r.IntN(2)
		bits := uint8(32 / n)
		v := VideoLanes{Do: m.do, Sat: r.IntN(2) == 0, Add: r.IntN(2) == 0, Mask: uint8(r.IntN(1 << n)), Dst: VideoField{Bits: bits, Signed: r.IntN(2) == 0}}
		for range n {
			v.A = append(v.A, VideoField{Shift: uint8(r.IntN(2*n)) * bits, Bits: bits, Signed: r.IntN(2) == 0})
			v.B = append(v.B, VideoField{Shift: uint8(r.IntN(2*n)) * bits, Bits: bits, Signed: r.IntN(2) == 0})
		}
		a, b, c := videoWord(r), videoWord(r), videoWord(r)
		want := new(big.Int).SetUint64(uint64(c))
		for i := range n {
			if v.Mask>>i&1 == 0 {
				continue
			}
			both := uint64(b)<<32 | uint64(a)
			e := m.want(bigField(v.A[i], both), bigField(v.B[i], both))
			if v.Sat {
				e = bigClamp(e, bits, v.Dst.Signed)
			}
			if v.Add {
				want.Add(want, e)
				continue
			}
			mask := uint32(1<<bits-1) << (i * int(bits))
			want.SetUint64(uint64(low32(e)<<(i*int(bits))&mask | low32(want)&^mask))
		}
		if got := v.Of(a, b, c); got != low32(want) {
			t.Fatalf("%s %+v of %#x %#x %#x is %#x, want %#x", m.name, v, a, b, c, got, low32(want))
		}
	}
}
