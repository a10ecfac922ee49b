package lane

// This file has conversions (9.7.9.21) by one builder: what a source is, as f32 or f64 with nothing lost (to odd where bits have to go), is rounded
// once to what the destination holds, by the mode, clamped, and put into its code. Types are data (num.Format): there is no list
// of cases but for what the machine has an instruction for.

import (
	"ptxvm.invalid/ptxvm/internal/jit/ssa"
	"ptxvm.invalid/ptxvm/internal/num"
	"ptxvm.invalid/ptxvm/internal/uop"
)

// Converted is the conversion of one value, or of several that become one, to a register of so many bits; 0 if it is the interpreter's: what
// is assumed otherwise of hardware.
func Converted(f *ssa.Func, c *num.Packing, in []ssa.Value, to int) ssa.Value {
	switch {
	case c.Else != 0:
		return 0
	case c.N == 1:
		return convertedOne(f, &c.Cvt, in[0], to)
	}
	for k, a := range in {
		if f.TypeOf(a) == ssa.X {
			in[k] = trunc(f, a)
		}
	}
	var v ssa.Value
	for k := range c.N {
		e := converting{converter: converter{f, &c.Cvt}}
		e.operands(c, in, k)
		if d := e.finished(e.toFloat(e.read(e.a))); v == 0 {
			v = d
		} else {
			v = or(f, shl(f, v, uint64(c.Dst.Place())), d)
		}
	}
	if to > 32 {
		v = zext(f, v)
	}
	return v
}

// convertedOne is a conversion of one value to a register of so many bits.
func convertedOne(f *ssa.Func, c *num.Cvt, a ssa.Value, to int) ssa.Value {
	e := converting{converter: converter{f, c}}
	whole, result := c.Src.Format() == nil, c.Dst.Format() == nil
	switch {
	case whole && result:
		return e.integers(a, to)
	case result:
		return e.toInteger(a, to)
	case c.Src.Width() <= 32 && f.TypeOf(a) == ssa.X:
		a = trunc(f, a)
	}
	var v ssa.Value
	if whole {
		v = e.fromInteger(a)
	} else if c.Src == num.F64 {
		v = e.fromDouble(a)
	} else {
		v = e.toFloat(e.read(a))
	}
	v = e.finished(v)
	if to > 32 && f.TypeOf(v) == ssa.W {
		v = zext(f, v)
	}
	return v
}

// single are conversions of one value that are functions of a lane (sem: floatLanes).
var single = map[uop.Op]num.Cvt{
	uop.CvtF32S32: {Dst: num.F32, Src: num.S32}, uop.CvtF32U32: {Dst: num.F32, Src: num.U32}, uop.F32FromS8: {Dst: num.F32, Src: num.S8},
	uop.F32FromS16: {Dst: num.F32, Src: num.S16}, uop.CvtF32S64: {Dst: num.F32, Src: num.S64}, uop.CvtF32U64: {Dst: num.F32, Src: num.U64},
	uop.CvtF64S32: {Dst: num.F64, Src: num.S32}, uop.CvtF64U32: {Dst: num.F64, Src: num.U32}, uop.F64FromS8: {Dst: num.F64, Src: num.S8},
	uop.F64FromS16: {Dst: num.F64, Src: num.S16}, uop.CvtF64S64: {Dst: num.F64, Src: num.S64}, uop.CvtF64U64: {Dst: num.F64, Src: num.U64},
	uop.CvtF64F32: {Dst: num.F64, Src: num.F32}, uop.CvtF32F64: {Dst: num.F32, Src: num.F64}, uop.CvtF32F16: {Dst: num.F32, Src: num.F16},
	uop.CvtF32BF16: {Dst: num.F32, Src: num.BF16},

	uop.CvtRniS32F32: {Dst: num.S32, Src: num.F32, Round: num.RN}, uop.CvtRziS32F32: {Dst: num.S32, Src: num.F32, Round: num.RZ},
	uop.CvtRmiS32F32: {Dst: num.S32, Src: num.F32, Round: num.RM}, uop.CvtRpiS32F32: {Dst: num.S32, Src: num.F32, Round: num.RP},
	uop.CvtRniU32F32: {Dst: num.U32, Src: num.F32, Round: num.RN}, uop.CvtRziU32F32: {Dst: num.U32, Src: num.F32, Round: num.RZ},
	uop.CvtRmiU32F32: {Dst: num.U32, Src: num.F32, Round: num.RM}, uop.CvtRpiU32F32: {Dst: num.U32, Src: num.F32, Round: num.RP},
	uop.CvtRziS64F32: {Dst: num.S64, Src: num.F32, Round: num.RZ}, uop.CvtRziU64F32: {Dst: num.U64, Src: num.F32, Round: num.RZ},
	uop.CvtRniS32F64: {Dst: num.S32, Src: num.F64, Round: num.RN}, uop.CvtRziS32F64: {Dst: num.S32, Src: num.F64, Round: num.RZ},
	uop.CvtRmiS32F64: {Dst: num.S32, Src: num.F64, Round: num.RM}, uop.CvtRpiS32F64: {Dst: num.S32, Src: num.F64, Round: num.RP},
	uop.CvtRziU32F64: {Dst: num.U32, Src: num.F64, Round: num.RZ}, uop.CvtRziS64F64: {Dst: num.S64, Src: num.F64, Round: num.RZ},
	uop.CvtRziU64F64: {Dst: num.U64, Src: num.F64, Round: num.RZ},

	uop.CvtRniFtzS32F32: {Dst: num.S32, Src: num.F32, Round: num.RN, Ftz: true}, uop.CvtRziFtzS32F32: {Dst: num.S32, Src: num.F32, Round: num.RZ, Ftz: true},
	uop.CvtRziFtzU32F32: {Dst: num.U32, Src: num.F32, Round: num.RZ, Ftz: true}, uop.CvtRziFtzS64F32: {Dst: num.S64, Src: num.F32, Round: num.RZ, Ftz: true},
	uop.CvtRziFtzU64F32: {Dst: num.U64, Src: num.F32, Round: num.RZ, Ftz: true},

	uop.CvtRniF32F32: {Dst: num.F32, Src: num.F32, Round: num.RN, Integral: true}, uop.CvtRziF32F32: {Dst: num.F32, Src: num.F32, Round: num.RZ, Integral: true},
	uop.CvtRmiF32F32: {Dst: num.F32, Src: num.F32, Round: num.RM, Integral: true}, uop.CvtRpiF32F32: {Dst: num.F32, Src: num.F32, Round: num.RP, Integral: true},
	uop.CvtRniF64F64: {Dst: num.F64, Src: num.F64, Round: num.RN, Integral: true}, uop.CvtRziF64F64: {Dst: num.F64, Src: num.F64, Round: num.RZ, Integral: true},
	uop.CvtRmiF64F64: {Dst: num.F64, Src: num.F64, Round: num.RM, Integral: true}, uop.CvtRpiF64F64: {Dst: num.F64, Src: num.F64, Round: num.RP, Integral: true},
}

// singles are their lowerings.
func singles() map[uop.Op]Lowering {
	all := map[uop.Op]Lowering{}
	for op, c := range single {
		all[op] = func(f *ssa.Func, in []ssa.Value) ssa.Value { return convertedOne(f, &c, in[0], int(c.Dst.Width())) }
	}
	return all
}

// converter makes one conversion.
type converter struct {
	f *ssa.Func
	c *num.Cvt
}

// converting is one element of a conversion, with what its statement has besides.
type converting struct {
	converter
	a      ssa.Value
	scale  ssa.Value // exponent of the factor; valid if c.Scaled
	nan    ssa.Value // where the factor is a NaN
	random ssa.Value // valid if c.Random is not 0
}

// operands finds those of element k, of which the first is the upper one.
func (e *converting) operands(c *num.Packing, in []ssa.Value, k int) {
	f, last := e.f, in[len(in)-1]
	if e.a = in[0]; !c.Packed {
		e.a = in[k]
	} else if up := c.Src.Place() * uint(c.N-1-k); up != 0 {
		e.a = shr(f, e.a, uint64(up))
	}
	if c.Scaled {
		if c.Each && k == 0 {
			last = shr(f, last, 8)
		}
		code := low(f, last, 8)
		e.scale, e.nan = f.Bin(ssa.Sub, code, f.Word(127)), f.Cmp(ssa.Eq, code, f.Word(0xff))
	}
	if c.Random != 0 {
		e.random = low(f, randomOf(f, c.Fields, last, k), int(c.Random))
	}
}

// randomOf has the random bits of an element in its low bits, as num.RandomBits says.
func randomOf(f *ssa.Func, l num.RandomBits, r ssa.Value, k int) ssa.Value {
	half := func(upper bool) ssa.Value {
		if upper {
			return shr(f, r, 16)
		}
		return low(f, r, 16)
	}
	var v ssa.Value
	switch l {
	case num.RandomHalves:
		return half(k == 0)
	case num.RandomBytes:
		return f.Bin(ssa.Shr, r, f.Word([4]uint32{24, 8, 16, 0}[k]))
	case num.RandomNested:
		if at := [2]uint64{8, 0}[k/2]; at == 8 {
			v = or(f, low(f, shr(f, r, 8), 8), shl(f, shr(f, r, 24), 8))
		} else {
			v = or(f, low(f, r, 8), shl(f, low(f, shr(f, r, 16), 8), 8))
		}
	default:
		v = half(k < 2)
	}
	if k%2 == 0 && l != num.RandomNoFlip {
		v = shr(f, reverse(f, []ssa.Value{v}), 16)
	}
	return v
}

// rounding is the way to round by the mode.
func (e *converter) rounding() ssa.Rounding { return roundingOf[e.c.Round] }

// roundingOf are the ways to round by mode.
var roundingOf = map[num.Mode]ssa.Rounding{num.RN: ssa.Nearest, num.RZ: ssa.Zero, num.RM: ssa.Down, num.RP: ssa.Up}

// finished applies .relu, .pzo and .sat to a code, in this order.
func (e *converter) finished(d ssa.Value) ssa.Value {
	f, c, format := e.f, e.c, e.c.Dst.Format()
	if !c.Relu && !c.Pzo && !c.Sat {
		return d
	}
	up := uint64(0)
	if c.Dst == num.TF32 {
		up = 13
	}
	t, sign := f.TypeOf(d), uint64(1)<<(format.Exp+format.Man)<<up
	k := func(code uint64) ssa.Value { return f.Const(t, code<<up) }
	switch {
	case c.Relu && !format.Unsigned:
		yes := f.Cmp(ssa.Eq, and(f, d, f.Const(t, sign)), f.Const(t, 0))
		v := f.Sel(yes, d, f.Const(t, 0))
		if format.Inf != 0 { // a NaN stays, without its sign
			v = f.Sel(f.Cmp(ssa.LtS, k(format.Inf), and(f, d, f.Const(t, sign-1))), k(format.NaN), v)
		} else if format.NaN != 0 {
			v = f.Sel(f.Cmp(ssa.Eq, and(f, d, f.Const(t, sign-1)), k(format.NaN)), k(format.NaN), v)
		}
		d = v
	case c.Pzo && !format.Unsigned:
		d = f.Sel(f.Cmp(ssa.Eq, d, f.Const(t, sign)), f.Const(t, 0), d)
	}
	if c.Sat { // negative codes and NaNs are above infinity
		d = f.Sel(f.Cmp(ssa.LtU, k(format.Inf), d), f.Const(t, 0), f.Bin(ssa.MinU, d, k(uint64(format.Bias)<<format.Man)))
	}
	return d
}
