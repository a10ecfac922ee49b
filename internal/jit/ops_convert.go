package jit

// Conversions, 9.7.9.21, by one builder: what a source is, as f32 or f64 with nothing lost (to odd where bits have to go), is rounded
// once to what the destination holds, by the mode, clamped, and put into its code. Types are data (num.Format): there is no list
// of cases but for what the machine has an instruction for.

import (
	"ptxvm.invalid/ptxvm/internal/num"
	"ptxvm.invalid/ptxvm/internal/sem"
)

// convert plans one; false if it is left to the interpreter.
func (r *region) convert(pc int32) bool {
	in, s := &r.insts[pc], &r.steps[pc]
	c := &s.op.Convert
	if c.Else != 0 {
		return false
	}
	p := r.newProgram()
	for k, off := range c.From {
		s.in = append(s.in, r.source(pc, off, registerType(c.FromBits[k]), s.op.Scalar))
	}
	v, t := converted(p, c, r.inputs(p, s.in)), registerType(c.To)
	s.op.Kind = sem.OpLane // from here on it is one
	return r.settle(s, p, v, source{typ: t, off: in.D, slot: s.op.Scalar, row: -1})
}

// converted is the conversion of one value, or of several.
func converted(p *program, c *sem.ConvertUse, in []val) val {
	if c.N == 1 {
		return convertedOne(p, &c.Cvt, in[0], c.To)
	}
	for k, a := range in {
		if p.typ(a) == tX {
			in[k] = p.trunc(a)
		}
	}
	v := none
	for k := range c.N {
		e := converting{converter: converter{p, &c.Cvt}}
		e.operands(&c.Packing, in, k)
		if d := e.finished(e.toFloat(e.read(e.a))); v == none {
			v = d
		} else {
			v = p.or(p.shlI(v, uint64(c.Dst.Place())), d)
		}
	}
	if c.To > 32 {
		v = p.zext(v)
	}
	return v
}

// convertedOne is a conversion of one value to a register of so many bits.
func convertedOne(p *program, c *num.Cvt, a val, to int) val {
	e := converting{converter: converter{p, c}}
	whole, result := c.Src.Format() == nil, c.Dst.Format() == nil
	switch {
	case whole && result:
		return e.integers(a, to)
	case result:
		return e.toInteger(a, to)
	case c.Src.Width() <= 32 && p.typ(a) == tX:
		a = p.trunc(a)
	}
	v := none
	if whole {
		v = e.fromInteger(a)
	} else if c.Src == num.F64 {
		v = e.fromDouble(a)
	} else {
		v = e.toFloat(e.read(a))
	}
	v = e.finished(v)
	if to > 32 && p.typ(v) == tW {
		v = p.zext(v)
	}
	return v
}

// converter makes the program of one conversion.
type converter struct {
	p *program
	c *num.Cvt
}

// converting is one element of a conversion, with what its statement has besides.
type converting struct {
	converter
	a      val
	scale  val // exponent of the factor; valid if c.Scaled
	nan    val // where the factor is a NaN
	random val // valid if c.Random is not 0
}

// operands finds those of element k, of which the first is the upper one.
func (e *converting) operands(c *num.Packing, in []val, k int) {
	p, last := e.p, in[len(in)-1]
	if e.a = in[0]; !c.Packed {
		e.a = in[k]
	} else if up := c.Src.Place() * uint(c.N-1-k); up != 0 {
		e.a = p.shrI(e.a, uint64(up))
	}
	if c.Scaled {
		if c.Each && k == 0 {
			last = p.shrI(last, 8)
		}
		code := p.lowBits(last, 8)
		e.scale, e.nan = p.sub(code, p.w(127)), p.cmp(cmpEQ, code, p.w(0xff))
	}
	if c.Random != 0 {
		e.random = p.lowBits(randomOf(p, c.Fields, last, k), int(c.Random))
	}
}

// randomOf has the random bits of an element in its low bits, as num.RandomBits says.
func randomOf(p *program, l num.RandomBits, r val, k int) val {
	half := func(upper bool) val {
		if upper {
			return p.shrI(r, 16)
		}
		return p.lowBits(r, 16)
	}
	v := none
	switch l {
	case num.RandomHalves:
		return half(k == 0)
	case num.RandomBytes:
		return p.shift(cShr, r, p.w([4]uint32{24, 8, 16, 0}[k]))
	case num.RandomNested:
		if at := [2]uint64{8, 0}[k/2]; at == 8 {
			v = p.or(p.lowBits(p.shrI(r, 8), 8), p.shlI(p.shrI(r, 24), 8))
		} else {
			v = p.or(p.lowBits(r, 8), p.shlI(p.lowBits(p.shrI(r, 16), 8), 8))
		}
	default:
		v = half(k < 2)
	}
	if k%2 == 0 && l != num.RandomNoFlip {
		v = p.shrI(brev32(p, v), 16)
	}
	return v
}

// rounding is how the machine rounds by the mode.
func (e *converter) rounding() uint64 { return roundingOf[e.c.Round] }

// roundingOf are the ways to round by mode.
var roundingOf = map[num.Mode]uint64{num.RN: roundNear, num.RZ: roundZero, num.RM: roundDown, num.RP: roundUp}

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

// finished applies .relu, .pzo and .sat to a code, in this order.
func (e *converter) finished(d val) val {
	p, c, f := e.p, e.c, e.c.Dst.Format()
	if !c.Relu && !c.Pzo && !c.Sat {
		return d
	}
	up := uint64(0)
	if c.Dst == num.TF32 {
		up = 13
	}
	t, sign := p.typ(d), uint64(1)<<(f.Exp+f.Man)<<up
	k := func(code uint64) val { return p.constant(t, code<<up) }
	switch {
	case c.Relu && !f.Unsigned:
		yes := p.cmp(cmpEQ, p.and(d, p.constant(t, sign)), p.constant(t, 0))
		v := p.sel(yes, d, p.constant(t, 0))
		if f.Inf != 0 { // a NaN stays, without its sign
			v = p.sel(p.cmp(cmpLTS, k(f.Inf), p.and(d, p.constant(t, sign-1))), k(f.NaN), v)
		} else if f.NaN != 0 {
			v = p.sel(p.cmp(cmpEQ, p.and(d, p.constant(t, sign-1)), k(f.NaN)), k(f.NaN), v)
		}
		d = v
	case c.Pzo && !f.Unsigned:
		d = p.sel(p.cmp(cmpEQ, d, p.constant(t, sign)), p.constant(t, 0), d)
	}
	if c.Sat { // negative codes and NaNs are above infinity
		d = p.sel(p.cmp(cmpLTU, k(f.Inf), d), p.constant(t, 0), p.minU(d, k(uint64(f.Bias)<<f.Man)))
	}
	return d
}
