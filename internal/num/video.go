package num

// Video arithmetic, 9.7.18: exact integers made of parts of registers.

import "math/bits"

// VideoField is a part of a 32-bit register, or of two registers read as one 64-bit value.
type VideoField struct {
	Shift, Bits uint8
	Signed      bool
}

// Of extracts the field, sign- or zero-extended.
func (f VideoField) Of(x uint64) int64 {
	x >>= f.Shift
	if f.Signed {
		return int64(x<<(64-f.Bits)) >> (64 - f.Bits)
	}
	return int64(x & (1<<f.Bits - 1))
}

// clamp limits v to what the field holds.
func (f VideoField) clamp(v int64) int64 {
	lo, hi := int64(0), int64(1)<<f.Bits-1
	if f.Signed {
		hi >>= 1
		lo = -hi - 1
	}
	return min(max(v, lo), hi)
}

// put puts v into the field of c.
func (f VideoField) put(v int64, c uint32) uint32 {
	mask := uint32(1<<f.Bits-1) << f.Shift
	return uint32(v)<<f.Shift&mask | c&^mask
}

// VideoFunc is an operation on two extracted values.
type VideoFunc func(a, b int64) int64

// The operations. Shifts take an amount of 0 to 32.
func VideoAdd(a, b int64) int64     { return a + b }
func VideoSub(a, b int64) int64     { return a - b }
func VideoAbsDiff(a, b int64) int64 { return max(a-b, b-a) }
func VideoMin(a, b int64) int64     { return min(a, b) }
func VideoMax(a, b int64) int64     { return max(a, b) }
func VideoShr(a, b int64) int64     { return a >> b }

// VideoAvrg is the average, rounded up if it is not negative (9.7.18.2.1).
func VideoAvrg(a, b int64) int64 {
	if a+b >= 0 {
		return (a + b + 1) >> 1
	}
	return (a + b) >> 1
}

// VideoShl keeps the sign and the low 32 bits of products that leave 64 bits: what clamping and
// cutting look at.
func VideoShl(a, b int64) int64 {
	if v := a << b; v>>b == a {
		return v
	}
	if a < 0 {
		return -1<<63 | int64(uint32(a<<b))
	}
	return 1<<62 | int64(uint32(a<<b))
}

// VideoWrap takes a shift amount modulo 32, VideoClamp limits it to 32 (9.7.18.1.2).
func VideoWrap(b int64) int64  { return b & 31 }
func VideoClamp(b int64) int64 { return min(b, 32) }

// VideoScalar is one scalar video instruction (9.7.18.1).
type VideoScalar struct {
	A, B   VideoField
	Do     VideoFunc
	Sat    bool
	Dst    VideoField // the part of d, or all of it
	Merge  bool       // the result goes into Dst, the rest of d is c
	Second VideoFunc  // nil: none; else of the result and c, which is signed as Dst is
}

// Of computes d from the three sources.
func (v *VideoScalar) Of(a, b, c uint32) uint32 {
	t := v.Do(v.A.Of(uint64(a)), v.B.Of(uint64(b)))
	if v.Sat {
		t = v.Dst.clamp(t)
	}
	switch {
	case v.Second != nil:
		whole := VideoField{Bits: 32, Signed: v.Dst.Signed}
		return uint32(v.Second(t, whole.Of(uint64(c))))
	case v.Merge:
		return v.Dst.put(t, c)
	}
	return uint32(t)
}

// VideoMad is vmad (9.7.18.1.3).
type VideoMad struct {
	A, B         VideoField
	NegAB, NegC  bool
	PlusOne, Sat bool
	Scale        uint8 // places that the sum is shifted to the right
}

// Of computes d = (±a*b ± c + one) >> scale from the three sources.
func (v *VideoMad) Of(a, b, c uint32) uint32 {
	signed := v.A.Signed || v.B.Signed || v.NegAB || v.NegC
	sum := product(v.A.Of(uint64(a)), v.B.Of(uint64(b)))
	if v.NegAB {
		sum = sum.negative()
	}
	addend := int128Of(VideoField{Bits: 32, Signed: signed}.Of(uint64(c)))
	if v.NegC {
		addend = addend.negative()
	}
	sum = sum.plus(addend)
	if v.PlusOne {
		sum = sum.plus(int128Of(1))
	}
	sum = sum.shiftedRight(v.Scale)
	if v.Sat {
		return sum.clamp32(signed)
	}
	return uint32(sum.low)
}

// int128 is a two's complement number of two words.
type int128 struct {
	high int64
	low  uint64
}

func int128Of(v int64) int128 { return int128{v >> 63, uint64(v)} }

func (x int128) plus(y int128) int128 {
	low, carry := bits.Add64(x.low, y.low, 0)
	return int128{x.high + y.high + int64(carry), low}
}

func (x int128) negative() int128 { return int128{^x.high, ^x.low}.plus(int128Of(1)) }

func product(a, b int64) int128 {
	high, low := bits.Mul64(uint64(max(a, -a)), uint64(max(b, -b)))
	p := int128{int64(high), low}
	if (a < 0) != (b < 0) {
		return p.negative()
	}
	return p
}

func (x int128) shiftedRight(n uint8) int128 {
	return int128{x.high >> n, x.low>>n | uint64(x.high)<<(64-n)}
}

// clamp32 limits x to what 32 bits hold.
func (x int128) clamp32(signed bool) uint32 {
	lo, hi := int64(0), int64(1<<32-1)
	if signed {
		lo, hi = -1<<31, 1<<31-1
	}
	switch {
	case x.high < -1, x.high == -1 && (int64(x.low) >= 0 || int64(x.low) < lo): // far below, or below
		return uint32(lo)
	case x.high > 0 || x.high == 0 && x.low > uint64(hi):
		return uint32(hi)
	}
	return uint32(x.low)
}

// VideoLanes is one SIMD video instruction of two half-words or four bytes (9.7.18.2).
type VideoLanes struct {
	A, B []VideoField // of the 64-bit value b:a, the lowest element first
	Do   VideoFunc
	Sat  bool
	Dst  VideoField // element 0 of d
	Mask uint8      // elements that take part
	Add  bool       // their sum is added to c; else c gives the other elements
}

// Of computes d from the three sources.
func (v *VideoLanes) Of(a, b, c uint32) uint32 {
	both := uint64(b)<<32 | uint64(a)
	d := c
	for i := range v.A {
		if v.Mask>>i&1 == 0 {
			continue
		}
		t := v.Do(v.A[i].Of(both), v.B[i].Of(both))
		if v.Sat {
			t = v.Dst.clamp(t)
		}
		if v.Add {
			d += uint32(t)
			continue
		}
		at := v.Dst
		at.Shift = uint8(i) * at.Bits
		d = at.put(t, d)
	}
	return d
}

// The comparisons of vset give 1 or 0.
func VideoEq(a, b int64) int64 { return videoBit(a == b) }
func VideoNe(a, b int64) int64 { return videoBit(a != b) }
func VideoLt(a, b int64) int64 { return videoBit(a < b) }
func VideoLe(a, b int64) int64 { return videoBit(a <= b) }
func VideoGt(a, b int64) int64 { return videoBit(a > b) }
func VideoGe(a, b int64) int64 { return videoBit(a >= b) }

func videoBit(b bool) int64 {
	if b {
		return 1
	}
	return 0
}
