package ssa

import "math"

// This file has evaluators of operations: those of two integers are in the table.

// evaluator computes a lane of an operation whose operands have type t; imm is its immediate.
type evaluator func(t Type, imm, a, b, c uint64) uint64

// evaluators are by what is no function of two integers.
var evaluators [numCodes]evaluator

func init() {
	evaluators = [numCodes]evaluator{
		Bcast:  func(_ Type, _, a, _, _ uint64) uint64 { return a },
		Select: choose,
		Perm:   permute,

		FAdd:   arithmetic(func(a, b, _ float32) float32 { return a + b }, func(a, b, _ float64) float64 { return a + b }),
		FSub:   arithmetic(func(a, b, _ float32) float32 { return a - b }, func(a, b, _ float64) float64 { return a - b }),
		FMul:   arithmetic(func(a, b, _ float32) float32 { return a * b }, func(a, b, _ float64) float64 { return a * b }),
		FDiv:   arithmetic(func(a, b, _ float32) float32 { return a / b }, func(a, b, _ float64) float64 { return a / b }),
		FFma:   arithmetic(fma32, math.FMA),
		FSqrt:  arithmetic(func(a, _, _ float32) float32 { return float32(math.Sqrt(float64(a))) }, func(a, _, _ float64) float64 { return math.Sqrt(a) }),
		FMin:   extreme(func(a, b float64) bool { return a < b }),
		FMax:   extreme(func(a, b float64) bool { return a > b }),
		FEq:    relation(func(a, b float64) bool { return a == b }),
		FLt:    relation(func(a, b float64) bool { return a < b }),
		FLe:    relation(func(a, b float64) bool { return a <= b }),
		FUnord: relation(func(a, b float64) bool { return a != a || b != b }),
		Canon:  canonical,
		I2F:    func(_ Type, _, a, _, _ uint64) uint64 { return uint64(math.Float32bits(float32(int32(a)))) },
		U2F:    func(_ Type, _, a, _, _ uint64) uint64 { return uint64(math.Float32bits(float32(uint32(a)))) },
		FRound: roundFloat,
		F2I:    truncated,
		D2I:    truncated,
		F2D:    widenFloat,
		D2F:    narrowDouble,
		I2D:    func(_ Type, _, a, _, _ uint64) uint64 { return math.Float64bits(float64(int32(a))) },
		H2F:    widenHalf,
		F2H:    narrowToHalf,
		FAdd2:  pair(FAdd),
		FSub2:  pair(FSub),
		FMul2:  pair(FMul),
		FFma2:  pair(FFma),
		Canon2: pair(Canon),
	}
}

// pair is an operation on each half of 64 bits.
func pair(c Code) evaluator {
	return func(_ Type, _, a, b, d uint64) uint64 {
		half := func(n uint) uint64 { return evaluators[c](W, 0, a>>n&(1<<32-1), b>>n&(1<<32-1), d>>n&(1<<32-1)) }
		return half(0) | half(32)<<32
	}
}

// Evaluates tells whether each lane of an operation follows from the same lane of its operands alone: Evaluate computes it.
func (c Code) Evaluates() bool { return defs[c].eval != nil || evaluators[c] != nil }

// Evaluate computes a lane of an operation from those of its operands. The payload of a NaN that arithmetic of f32 makes is any.
func (f *Func) Evaluate(o *Op, a, b, c uint64) uint64 {
	t := o.Type
	if o.N > 0 {
		t = f.TypeOf(o.Operands()[o.N-1]) // where a mask is the first one it is not what is computed with
	}
	if e := evaluators[o.Code]; e != nil {
		return cut(o.Type, e(t, o.Imm, a, b, c))
	}
	return cut(o.Type, defs[o.Code].eval(t, a, b))
}

// AnyPayload tells whether NaNs that an operation makes have any payload.
func (o *Op) AnyPayload() bool { return o.Code >= FAdd && o.Code <= FRound && o.Type == W }

func choose(_ Type, _, m, a, b uint64) uint64 {
	if m != 0 {
		return a
	}
	return b
}

// permute is Perm.
func permute(_ Type, imm, a, b, _ uint64) (v uint64) {
	for i := range 4 {
		v |= (b<<32 | a) >> (8 * (imm >> (4 * i) & 7)) & 255 << (8 * i)
	}
	return v
}

// float is the number that bits of a type are.
func float(t Type, v uint64) float64 {
	if t == W {
		return float64(math.Float32frombits(uint32(v)))
	}
	return math.Float64frombits(v)
}

// NaN tells whether bits of a type are one.
func NaN(t Type, v uint64) bool { return math.IsNaN(float(t, v)) }

func arithmetic(narrow func(a, b, c float32) float32, wide func(a, b, c float64) float64) evaluator {
	return func(t Type, _, a, b, c uint64) uint64 {
		if t == X {
			return doubleOf(wide, a, b, c)
		}
		return uint64(math.Float32bits(narrow(float32(float(t, a)), float32(float(t, b)), float32(float(t, c)))))
	}
}

// doubleOf is arithmetic of f64: of NaNs the first, quieted, or if there is none the one of x86.
func doubleOf(wide func(a, b, c float64) float64, a, b, c uint64) uint64 {
	for _, v := range [3]uint64{a, b, c} {
		if NaN(X, v) {
			return v | quietDouble
		}
	}
	if v := wide(float(X, a), float(X, b), float(X, c)); !math.IsNaN(v) {
		return math.Float64bits(v)
	}
	return 0xfff8000000000000
}

// extreme is a where it is taken, else b, with all its bits.
func extreme(takes func(a, b float64) bool) evaluator {
	return func(t Type, _, a, b, _ uint64) uint64 {
		if takes(float(t, a), float(t, b)) {
			return a
		}
		return b
	}
}

func relation(holds func(a, b float64) bool) evaluator {
	return func(t Type, _, a, b, _ uint64) uint64 { return bit(holds(float(t, a), float(t, b))) }
}

func canonical(t Type, _, a, _, _ uint64) uint64 {
	if NaN(t, a) {
		return 0x7fffffff
	}
	return a
}

// fma32 rounds once: the product is exact in 64 bits, their sum with c is rounded to odd, from which what rounds it to 32 bits makes the same as
// from the exact sum (Boldo and Melquiond, Emulation of FMA and correctly rounded sums, 2008).
func fma32(a, b, c float32) float32 {
	p, z := float64(a)*float64(b), float64(c)
	s := float64(p + z)
	if math.IsNaN(s) || math.IsInf(s, 0) {
		return float32(s)
	}
	v := float64(s - p)
	rest := float64(p-float64(s-v)) + float64(z-v) // what the sum lacks, exactly (Knuth)
	if bits := math.Float64bits(s); rest != 0 && bits&1 == 0 {
		if (rest > 0) == (s > 0) {
			bits++
		} else {
			bits--
		}
		s = math.Float64frombits(bits)
	}
	return float32(s)
}
