package num

// Which arithmetic the tensor cores of each generation have.

// DotRule is how a product of matrices adds up one element.
type DotRule struct {
	step  Dot
	group int  // products of one step; 0: all
	split bool // narrow floats as f16: elements 0 and 1 of each four, then 2 and 3, and c by a common addition
	c     DotFormat
	chain DotFormat // of a step's result
}

// dotGeneration is what a generation's tensor cores have in common.
type dotGeneration struct {
	arch         int // the first
	keep         int
	floor32      int // of results in f32
	floor16      int
	half, single int // products of one step, of elements of 16 bits and of tf32; 0: all
	narrow       int // products of one step of eight bits, kept to 13 fraction bits; 0: split
}

// noFloor is below every exponent.
const noFloor = -1 << 12

// dotGenerations are in the order of their first architectures. Those from sm_90 on reproduce every
// answer of an H100 (internal/num/testdata/hw/product-sm_90.txt); sm_70, sm_80 and sm_89 agree with
// published results of theirs for single steps, the order of steps is a model, and sm_75 an assumption (U37).
var dotGenerations = []dotGeneration{
	{arch: 70, keep: 23, floor32: noFloor, floor16: -19, half: 4, single: 4, narrow: 16},
	{arch: 75, keep: 24, floor32: -132, floor16: -20, half: 8, single: 4, narrow: 16},
	{arch: 80, keep: 24, floor32: -132, floor16: -20, half: 8, single: 4, narrow: 16},
	{arch: 90, keep: 25, floor32: -133, floor16: -21},
}

// Rule returns how an architecture (90 for sm_90) adds up products of the format, with C and D of others.
func (a DotFormat) Rule(arch int, c, d DotFormat) DotRule {
	g := dotGenerations[0]
	for _, next := range dotGenerations {
		if next.arch <= arch {
			g = next
		}
	}
	r := DotRule{step: Dot{Keep: g.keep, Floor: g.floor32}, c: c, chain: d}
	if d == DotF16 {
		r.step.Floor, r.step.Result = g.floor16, DotToF16
	}
	switch a {
	case DotE4M3, DotE5M2:
		if g.narrow == 0 {
			r.split = true
			break
		}
		r.group, r.step.Keep = g.narrow, 13
		if d != DotF16 {
			r.step.Result = DotToE8M13
		}
	case DotTF32:
		r.group = g.single
	default:
		r.group = g.half
	}
	return r
}

// WarpgroupRule returns how wgmma adds up products of the format, C and D being of another one: all at once, those of eight
// bits with 13 fraction bits.
func (a DotFormat) WarpgroupRule(arch int, d DotFormat) DotRule {
	r := DotF16.Rule(max(arch, 90), d, d)
	if a == DotE4M3 || a == DotE5M2 {
		if r.step.Keep = 13; d != DotF16 {
			r.step.Result = DotToE8M13
		}
	}
	return r
}

// InSteps is the rule with so many products of one step.
func (r DotRule) InSteps(n int) DotRule {
	r.group = n
	return r
}

// Sum returns c + a[0]*b[0] + … as the bits of the result.
func (r DotRule) Sum(a, b []Factor, c uint32) uint32 {
	if r.split {
		return r.halves(a, b, c)
	}
	sum, format := c, r.c
	for n := r.group; n != 0 && len(a) > n; a, b = a[n:], b[n:] {
		sum, format = r.step.Sum(a[:n], b[:n], format.Factor(sum)), r.chain
	}
	return r.step.Sum(a, b, format.Factor(sum))
}

// SumScaled returns c*2^-down + a[0]*b[0] + … for a rule of one step. Below the least exponent of c's format its bits are
// cut, unless they count exactly.
func (r DotRule) SumScaled(a, b []Factor, c uint32, down int, exact bool) uint32 {
	x := r.c.Factor(c)
	least := r.c.Factor(1).Exp
	if x.Exp -= int16(down); !exact && x.Exp < least {
		x.Sig, x.Exp = int32(cut(int64(x.Sig), int(x.Exp-least))), least
	}
	x.Top = x.Exp + int16(r.c.frac)
	return r.step.Sum(a, b, x)
}

// halves adds elements 0 and 1 of each four, then 2 and 3, then c, rounded to nearest even.
func (r DotRule) halves(a, b []Factor, c uint32) uint32 {
	var x, y [64]Factor
	var sum uint32
	for half := 0; half < 4; half += 2 {
		n := 0
		for k := half; k+1 < len(a); k += 4 {
			n += copy(x[n:], a[k:k+2])
			copy(y[n-2:], b[k:k+2])
		}
		sum = r.step.Sum(x[:n], y[:n], r.chain.Factor(sum))
	}
	if r.chain == DotF16 {
		return AddF16(sum, c)
	}
	return AddF32(sum, c)
}

// ScaledDown returns c*2^-down, with which Sum does what SumScaled, its reference implementation, does with c; false: there is no such number,
// as bits below the least exponent of c's format count.
func (r DotRule) ScaledDown(c uint32, down int, exact bool) (uint32, bool) {
	x, frac := r.c.Factor(c), r.c.frac
	if x.Kind != FactorFinite || x.Sig == 0 {
		return c, true
	}
	least := int(r.c.Factor(1).Exp)
	sign, sig, exp := uint32(0), int64(x.Sig), int(x.Exp)-down
	if sig < 0 {
		sign, sig = 1<<(r.c.exponent+frac), -sig
	}
	switch {
	case exp >= least:
		return sign | (uint32(sig) + uint32(exp-least)<<frac), true // the leading bit adds 1 to the exponent
	case exact:
		return c, false
	}
	return sign | uint32(cut(sig, exp-least)), true
}

// QuadF32 returns c + a[0]*b[0] + … of four f16 as ptxas makes m8n8k4 from sm_80 on, which have no such
// instruction: a chain of fma in f32 from zero, which is added to c.
func QuadF32(a, b []uint32, c uint32) uint32 {
	var sum uint32
	for i := range a {
		sum = FmaF32F16(a[i], b[i], sum)
	}
	return AddF32(c, sum)
}

// QuadF16 is the same for a C and a result of f16: two products at a time, in f32.
func QuadF16(a, b []uint32, c uint32) uint32 {
	sum := widenF16(c)
	for i := 0; i < len(a); i += 2 {
		first := MulF32(widenF16(a[i]), widenF16(b[i]))
		sum = AddF32(sum, FmaF32F16(a[i+1], b[i+1], first))
	}
	return CvtF16F32(sum)
}

// Floor is the least exponent that the terms of a step are brought to.
func (r DotRule) Floor() int { return r.step.Floor }
