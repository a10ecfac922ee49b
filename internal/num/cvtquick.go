// A quick path for conversions that have no function of their own: the operand
// is widened to an f64 exactly, and a result that is a normal number is rounded
// in its bits, in any mode. All else is left to Cvt.ApplyWith, its reference implementation.

package num

import (
	"math"
	"sync"
)

// Quick is a conversion prepared for repetition.
type Quick struct {
	Cvt
	widen  func(v uint64) float64 // exact, or NaN where it would not be
	round  func(float64) float64  // to an integer; nil: not at all
	toInt  bool
	lo, hi float64 // the integers of an integer destination
	normal uint64  // .scaled::n1: where a subnormal operand has no bit

	// Codes are shifted f64 bits without bias. Indexed by sign:
	least, span, rebias, nearest uint64
	drop, random                 uint8
	add, keep, sign, zero        [2]uint64
	cap                          uint64 // .sat: the code of 1
	left                         uint8  // tf32: where the code lies in the f32
	flush                        bool   // no subnormal results

	table []uint16 // the results for operands of at most 8 bits
}

// Quick prepares the conversion.
func (c *Cvt) Quick() *Quick {
	q := &Quick{Cvt: *c, widen: widenings[c.Src]}
	q.Ftz = c.Ftz && !c.Keeps()
	if q.widen == nil || c.Else != 0 {
		q.widen = nil
		return q
	}
	if types[c.Src].width <= 8 && types[c.Src].format != nil && !c.Scaled {
		q.tabulate()
		return q
	}
	if q.Ftz && c.Src == F32 {
		q.widen = func(v uint64) float64 { return f32(FtzF32(uint32(v))) }
	}
	if c.Flush {
		q.normal = types[c.Src].format.Inf // the exponent field
	}
	f := types[c.Dst].format
	if f == nil || c.Integral || c.Dst == S2F6 {
		q.round = toIntegral[c.Round]
	}
	if f == nil {
		q.limits(types[c.Dst])
		return q
	}
	q.format(f)
	return q
}

// tabulate is for sources of at most 8 bits.
func (q *Quick) tabulate() {
	q.table = make([]uint16, 256)
	for v := range q.table {
		q.table[v] = uint16(q.Apply(uint64(v)))
	}
}

func (q *Quick) limits(t typeInfo) {
	q.toInt = true
	q.hi = math.Ldexp(1, int(t.width))
	if t.signed {
		q.hi /= 2
		q.lo = -q.hi
	}
}

func (q *Quick) format(f *Format) {
	q.drop = 52 - f.Man
	q.least = uint64(1023+f.emin()) << 52
	q.rebias = uint64(1023-f.Bias) << f.Man
	q.span = (f.Max+q.rebias)<<q.drop + 1 - q.least
	q.keep, q.cap = [2]uint64{^uint64(0), ^uint64(0)}, ^uint64(0)
	switch q.Round {
	case RN:
		if q.drop > 0 {
			q.add, q.nearest = [2]uint64{1<<(q.drop-1) - 1, 1<<(q.drop-1) - 1}, 1
		}
	case RM:
		q.add[1] = 1<<q.drop - 1
	case RP:
		q.add[0] = 1<<q.drop - 1
	case RNA:
		q.add = [2]uint64{1 << (q.drop - 1), 1 << (q.drop - 1)}
	case RS:
		q.random = q.drop - q.Random
	}
	if !f.Unsigned {
		q.sign[1] = f.signBit()
		q.zero[1] = f.signBit()
	} else if q.Round == RP || q.Round == RM {
		q.add[1] = q.add[0]
	}
	if q.Relu || q.Sat {
		q.keep[1], q.sign[1], q.zero[1] = 0, 0, 0
	}
	if q.Pzo {
		q.zero[1] = 0
	}
	if q.Sat {
		q.cap = uint64(f.Bias) << f.Man
	}
	if q.Dst == TF32 {
		q.left = 13
	}
	q.flush = q.Ftz && q.Dst == F32
}

// widenings are the sources that are f64 values. The 64-bit integers are where no bit is
// lost; a NaN sends the others to the slow path.
var widenings = [numTypes]func(uint64) float64{
	U8:   func(v uint64) float64 { return float64(uint8(v)) },
	S8:   func(v uint64) float64 { return float64(int8(v)) },
	U16:  func(v uint64) float64 { return float64(uint16(v)) },
	S16:  func(v uint64) float64 { return float64(int16(v)) },
	U32:  func(v uint64) float64 { return float64(uint32(v)) },
	S32:  func(v uint64) float64 { return float64(int32(v)) },
	U64:  widenU64,
	S64:  widenS64,
	F16:  func(v uint64) float64 { return float64(fF16(uint32(v))) },
	BF16: func(v uint64) float64 { return float64(fBF16(uint32(v))) },
	F32:  func(v uint64) float64 { return f32(uint32(v)) },
	F64:  func(v uint64) float64 { return f64(v) },

	E5M2: narrow(E5M2), E4M3: narrow(E4M3), E3M2: narrow(E3M2), E2M3: narrow(E2M3), E2M1: narrow(E2M1),
	UE5M3: narrow(UE5M3), UE8M0: narrow(UE8M0), S2F6: narrow(S2F6),
}

// narrow widens by a table.
func narrow(t Type) func(uint64) float64 {
	table := sync.OnceValue(func() *[256]float64 {
		x, c := new([256]float64), Cvt{Dst: F64, Src: t}
		for v := range x {
			x[v] = f64(c.Apply(uint64(v)))
		}
		return x
	})
	return func(v uint64) float64 { return table()[uint8(v)] }
}

func widenU64(v uint64) float64 {
	if v>>53 != 0 {
		return math.NaN()
	}
	return float64(v)
}

func widenS64(v uint64) float64 {
	if (v+1<<53)>>54 != 0 {
		return math.NaN()
	}
	return float64(int64(v))
}

var toIntegral = [...]func(float64) float64{
	RN: math.RoundToEven, RZ: math.Trunc, RM: math.Floor, RP: math.Ceil, RNA: nil, RS: nil,
}

// Convert is Apply.
func (q *Quick) Convert(v uint64) uint64 { return q.ConvertWith(v, unity, 0) }

// ConvertWith is ApplyWith.
func (q *Quick) ConvertWith(v uint64, scale uint8, random uint32) uint64 {
	switch {
	case q.table != nil:
		return uint64(q.table[uint8(v)])
	case q.widen == nil:
		return q.ApplyWith(v, scale, random)
	}
	x := q.widen(v)
	if q.Scaled {
		if scale == 0xff || q.Flush && v&q.normal == 0 {
			return q.ApplyWith(v, scale, random)
		}
		x *= q.factor(scale)
	}
	switch {
	case q.toInt:
		if x = q.round(x); x >= q.lo && x < q.hi {
			return q.integer(x)
		}
		return q.ApplyWith(v, scale, random)
	case q.Dst == S2F6:
		return q.fixed(x)
	case q.round != nil:
		x = q.round(x)
	}
	b := math.Float64bits(x)
	neg, mag := b>>63, b&magF64
	if q.Dst == UE8M0 {
		return q.power(mag)
	}
	if mag-q.least < q.span {
		mag += q.add[neg] + mag>>q.drop&q.nearest + uint64(random)<<q.random
		code := mag>>q.drop - q.rebias
		return (min(code&q.keep[neg], q.cap) | q.sign[neg]) << q.left
	}
	if mag == 0 {
		return q.zero[neg] << q.left
	}
	if s := uint64(q.drop) + q.least>>52 - mag>>52; mag < q.least && mag >= 1<<52 && s < 64 && !q.flush {
		return q.subnormal(mag, s, neg, random) << q.left
	}
	return q.ApplyWith(v, scale, random)
}

// subnormal rounds a magnitude below the smallest normal result: s bits are discarded.
func (q *Quick) subnormal(mag, s, neg uint64, random uint32) uint64 {
	sig := mag&(1<<52-1) | 1<<52
	switch {
	case q.nearest != 0:
		sig += 1<<(s-1) - 1 + sig>>s&1
	case q.Round == RNA:
		sig += 1 << (s - 1)
	case q.Round == RS:
		sig += uint64(random) << (s - uint64(q.Random))
	case q.add[neg] != 0:
		sig += 1<<s - 1
	}
	code := sig >> s
	if code == 0 {
		return q.zero[neg]
	}
	return min(code&q.keep[neg], q.cap) | q.sign[neg]
}

// factor is what a scaled operand is multiplied with: a power of two, exact in f64.
func (q *Quick) factor(scale uint8) float64 {
	n := uint64(unity) - uint64(scale)
	if q.Dst == BF16 {
		n = -n
	}
	return f64((1023 + n) << 52)
}

// fixed is toS2F6 of any x.
func (q *Quick) fixed(x float64) uint64 {
	switch {
	case x != x:
		return fmtS2F6.Max
	case q.Relu && x < 0:
		return 0
	}
	return uint64(int64(min(max(q.round(x*64), -128), 127))) & 0xff
}

// power is toUE8M0 of the magnitude bits of an f64 that no f32 or bf16 makes subnormal.
func (q *Quick) power(mag uint64) uint64 {
	code := int64(mag>>52) - (1023 - unity)
	if q.Round == RP && mag<<12 != 0 {
		code++
	}
	switch {
	case mag > infF64:
		return fmtUE8M0.NaN
	case code > int64(fmtUE8M0.Max) && q.Satfinite:
		return fmtUE8M0.Max
	case code > int64(fmtUE8M0.Max):
		return fmtUE8M0.NaN
	}
	return uint64(max(code, 0))
}

// integer is the two's complement of an x in range.
func (q *Quick) integer(x float64) uint64 {
	if x >= 1<<63 {
		return uint64(x-1<<63) + 1<<63
	}
	return uint64(int64(x)) & (1<<types[q.Dst].width - 1)
}
