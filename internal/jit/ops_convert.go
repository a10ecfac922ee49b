package jit

// Conversions that have no lane function, 9.7.9.21: to halves and pairs of them, to integers of fewer
// than 32 bits, from halves to integers, between integers with .sat.

import (
	"ptxvm.invalid/ptxvm/internal/num"
	"ptxvm.invalid/ptxvm/internal/sem"
)

// convert plans one; false if it is left to the interpreter.
func (r *region) convert(pc int32) bool {
	in, s := &r.insts[pc], &r.steps[pc]
	c := &s.op.Convert
	if c.FromBits > 32 || c.To > 32 || !convertible(c) {
		return false
	}
	p := r.newProgram()
	v := none
	for _, off := range c.From {
		s.in = append(s.in, r.source(pc, off, tW, s.op.Scalar))
		one := converted(p, c, r.input(p, s.in, len(s.in)-1))
		if one == none {
			return false
		}
		if v == none {
			v = one
		} else {
			v = p.or(p.shlI(v, 16), one)
		}
	}
	s.op.Kind = sem.OpLane // from here on it is one
	return r.settle(s, p, v, source{typ: tW, off: in.D, slot: s.op.Scalar, row: -1})
}

// convertible tells whether all modifiers are known here.
func convertible(c *sem.ConvertUse) bool {
	return c.Src.Width() <= 32 && c.Dst.Width() <= 32 && !c.Satfinite && !c.Pzo && !c.Scaled && c.Random == 0 && c.Else == 0 && !c.Integral
}

// converted is the conversion of one value; none if it is not known here.
func converted(p *program, c *sem.ConvertUse, a val) val {
	from, to := halfOf(c.Src), halfOf(c.Dst)
	float := c.Src == num.F32 || from != nil
	switch {
	case c.Src.Format() == nil && c.Dst.Format() == nil:
		return clampInteger(p, c, cut(p, c.Src, a))
	case c.Src.Format() == nil && to != nil && (c.Src.Width() < 32 || to.f16): // above 2^24 an f16 is infinite
		if c.Round != num.RN || c.Relu || c.Sat {
			return none
		}
		return to.narrow(p, floatOf(p, c.Src, cut(p, c.Src, a)))
	case !float:
		return none
	case from != nil:
		a = from.widen(p, a)
	case c.Ftz && !c.Keeps():
		a = flushF32(p, a)
	}
	if to != nil {
		return toHalf(p, c, to, from, a)
	}
	if c.Dst.Format() == nil && !c.Relu {
		return toInteger(p, c, a)
	}
	return none
}

// halfOf is a format of 16 bits, nil for others.
func halfOf(t num.Type) *half {
	switch t {
	case num.F16:
		return &halfFormats[0]
	case num.BF16:
		return &halfFormats[1]
	}
	return nil
}

// cut is an integer of a type, extended to 32 bits.
func cut(p *program, t num.Type, a val) val {
	n := uint64(t.Width())
	switch {
	case n == 32:
		return a
	case t.Signed():
		return p.sarI(p.shlI(a, 32-n), 32-n)
	}
	return p.lowBits(a, int(n))
}

func floatOf(p *program, t num.Type, a val) val {
	if t.Signed() || t.Width() < 32 {
		return p.op1(cI2F, tW, a, 0)
	}
	return p.op1(cI2F, tW, p.minU(a, p.w(1<<30)), 0)
}

// clampInteger clamps an integer of 32 bits; what is extended again to the register has its type's sign.
func clampInteger(p *program, c *sem.ConvertUse, a val) val {
	n := c.Dst.Width()
	if !c.Sat || int(n) > c.To {
		return none
	}
	high := uint32(1<<n - 1)
	if c.Dst.Signed() {
		high >>= 1
	}
	switch {
	case !c.Src.Signed():
		a = p.minU(a, p.w(high))
	case c.Dst.Signed():
		a = p.maxS(p.minS(a, p.w(high)), p.w(^high))
	default:
		a = p.minU(p.maxS(a, p.w(0)), p.w(high))
	}
	return registered(p, c, a)
}

// registered is an integer as its register has it.
func registered(p *program, c *sem.ConvertUse, a val) val {
	if c.To < 32 {
		return p.lowBits(a, c.To)
	}
	return a
}

// roundingOf are the ways to round by mode.
var roundingOf = map[num.Mode]uint64{num.RN: roundNear, num.RZ: roundZero, num.RM: roundDown, num.RP: roundUp}

// toHalf rounds an f32 to a half. A half from another, widened, is exact in f32.
func toHalf(p *program, c *sem.ConvertUse, to, from *half, a val) val {
	how, ok := roundingOf[c.Round]
	if !ok || c.Sat || from == to {
		return none
	}
	if c.Relu {
		a = reluF32(p, a)
	}
	switch {
	case to.f16:
		return p.op1(cF2H, tW, p.canon(a), how)
	case how == roundNear:
		return toBF16(p, a)
	case how == roundZero:
		return p.sel(p.isNaN(a), p.w(nanHalf), p.shrI(a, 16))
	}
	return none
}

// toInteger rounds a float and clamps; a NaN gives 0.
func toInteger(p *program, c *sem.ConvertUse, a val) val {
	how, ok := roundingOf[c.Round]
	if !ok || c.Dst.Width() > 16 {
		return none
	}
	low, high := int64(0), int64(1)<<c.Dst.Width()-1
	if c.Dst.Signed() {
		low, high = -1<<(c.Dst.Width()-1), high>>1
	}
	v := p.op1(cFInt, tW, a, how)
	v = p.op2(cFMax, tW, v, p.w(num.CvtF32S32(uint32(low))), 0) // of a NaN the least value
	v = p.op1(cF2I, tW, p.op2(cFMin, tW, v, p.w(num.CvtF32S32(uint32(high))), 0), 0)
	if low != 0 {
		v = p.sel(p.isNaN(a), p.w(0), v)
	}
	return registered(p, c, v)
}
