package lane

import (
	"slices"

	"ptxvm.invalid/ptxvm/internal/jit/ssa"
	"ptxvm.invalid/ptxvm/internal/uop"
)

// This file has f16 and bf16 (9.7.4), and mixed precision (9.7.5): sources widened to f32, results rounded once. A sum of two halves, rounded to
// the 24 bits of f32, rounds on as the exact one does, since 24 is at least twice the 11 bits of f16 and 2 more (Figueroa: When is Double
// Rounding Innocuous?); products are exact, or so small that they become 0. An fma is rounded to odd.

// half is a format of 16 bits: how it is widened and rounded.
type half struct {
	f16    bool
	ops    *HalfOps
	inf    uint32 // in 16 bits
	widen  change
	narrow change
	min    uint32 // the least normal number, as f32
}

const (
	signHalf = 0x8000
	magHalf  = 0x7fff
	nanHalf  = 0x7fff
)

var halfFormats = []half{
	{true, &F16Ops, 0x7c00, func(f *ssa.Func, a ssa.Value) ssa.Value { return f.Make(ssa.H2F, ssa.W, 0, a) },
		func(f *ssa.Func, a ssa.Value) ssa.Value { return f.Make(ssa.F2H, ssa.W, 0, canon(f, a)) }, 0x38800000},
	{false, &BF16Ops, 0x7f80, func(f *ssa.Func, a ssa.Value) ssa.Value { return shl(f, a, 16) }, toBF16, 0x00800000},
}

// ofHalves are the operations of both formats.
func ofHalves() map[uop.Op]Lowering {
	all := lowered{}
	for i := range halfFormats {
		h := &halfFormats[i]
		h.arithmetic(all)
		h.choices(all)
		h.comparisons(all)
		h.mixed(all)
		h.pack(all, h.ops.Abs, func(f *ssa.Func, in []ssa.Value) ssa.Value { return h.canon(f, low(f, in[0], 15)) })
		h.pack(all, h.ops.Neg, func(f *ssa.Func, in []ssa.Value) ssa.Value { return h.canon(f, xor(f, in[0], f.Word(signHalf))) })
	}
	f16 := &halfFormats[0]
	f16.pack(all, f16.ops.AbsFtz, func(f *ssa.Func, in []ssa.Value) ssa.Value { return f16.canon(f, low(f, flushF16(f, in[0]), 15)) })
	f16.pack(all, f16.ops.NegFtz, func(f *ssa.Func, in []ssa.Value) ssa.Value {
		return f16.canon(f, xor(f, flushF16(f, in[0]), f.Word(signHalf)))
	})
	return all
}

// lowered are lowerings of operations of which some may be none.
type lowered map[uop.Op]Lowering

func (l lowered) put(op uop.Op, one Lowering) {
	if op != uop.None && one != nil {
		l[op] = one
	}
}

// toBF16 rounds to nearest even.
func toBF16(f *ssa.Func, a ssa.Value) ssa.Value {
	up := f.Bin(ssa.Add, a, f.Bin(ssa.Add, f.Word(magHalf), and(f, shr(f, a, 16), f.Word(1))))
	return f.Sel(isNaN(f, a), f.Word(nanHalf), shr(f, up, 16))
}

// canon makes a NaN of 16 bits the canonical one.
func (h *half) canon(f *ssa.Func, a ssa.Value) ssa.Value {
	return f.Sel(f.Cmp(ssa.LtS, f.Word(h.inf), low(f, a, 15)), f.Word(nanHalf), a)
}

// flush makes what is below the least normal number a zero of its sign.
func (h *half) flush(f *ssa.Func, a ssa.Value) ssa.Value {
	tiny := f.Cmp(ssa.LtS, and(f, a, f.Word(magF32)), f.Word(h.min))
	return f.Sel(tiny, and(f, a, f.Word(signF32)), a)
}

// pack adds a function of one half, and the one of two.
func (h *half) pack(all lowered, ops Pair, l Lowering) {
	all.put(ops[0], l)
	all.put(ops[1], func(f *ssa.Func, in []ssa.Value) ssa.Value {
		lower, upper := make([]ssa.Value, len(in)), make([]ssa.Value, len(in))
		for i := range in {
			lower[i], upper[i] = low(f, in[i], 16), shr(f, in[i], 16)
		}
		v := l(f, lower)
		return or(f, v, shl(f, l(f, upper), 16))
	})
}

// change is what is made of a value before or behind an operation.
type change = func(f *ssa.Func, a ssa.Value) ssa.Value

func unchanged(_ *ssa.Func, a ssa.Value) ssa.Value { return a }

// with is a function of widened sources, changed before, and of its result, changed before it is rounded.
func (h *half) with(l Lowering, before, after change) Lowering {
	return func(f *ssa.Func, in []ssa.Value) ssa.Value {
		list := make([]ssa.Value, len(in))
		for i := range in {
			list[i] = before(f, h.widen(f, in[i]))
		}
		return h.narrow(f, after(f, l(f, list)))
	}
}

// relu makes what is not above zero +0 and leaves NaNs.
func relu(f *ssa.Func, a ssa.Value) ssa.Value {
	return f.Sel(f.Cmp(ssa.FLe, a, f.Word(0)), f.Word(0), a)
}

func (h *half) arithmetic(all lowered) {
	flushed := func(after change) change {
		return func(f *ssa.Func, a ssa.Value) ssa.Value { return after(f, h.flush(f, a)) }
	}
	for i, l := range []Lowering{basic(ssa.FAdd), basic(ssa.FSub), basic(ssa.FMul), h.oddFma} {
		ops := &h.ops.Arithmetic[i]
		h.pack(all, ops.Plain, h.with(l, unchanged, unchanged))
		h.pack(all, ops.Sat, h.with(l, unchanged, saturated))
		h.pack(all, ops.Ftz, h.with(l, h.flush, h.flush))
		h.pack(all, ops.FtzSat, h.with(l, h.flush, flushed(saturated)))
	}
	ops := h.ops
	h.pack(all, ops.FmaRelu, h.with(h.oddFma, unchanged, relu))
	h.pack(all, ops.FmaOob, h.inBounds(h.with(h.oddFma, unchanged, unchanged)))
	h.pack(all, ops.FmaOobRelu, h.inBounds(h.with(h.oddFma, unchanged, relu)))
	h.pack(all, ops.FmaFtzRelu, h.with(h.oddFma, h.flush, flushed(relu)))
	h.pack(all, ops.FmaOobSat, h.inBounds(h.with(h.oddFma, unchanged, saturated)))
}

// oddFma is a·b + c rounded to odd: an inexact result has its last bit set. The product is exact, of f16 in f32, of bf16 in f64.
func (h *half) oddFma(f *ssa.Func, in []ssa.Value) ssa.Value {
	if h.f16 {
		return oddSum(f, fmul(f, in[0], in[1]), in[2])
	}
	wide := func(v ssa.Value) ssa.Value { return f.Make(ssa.F2D, ssa.X, 0, v) }
	return oddF32(f, oddSum(f, fmul(f, wide(in[0]), wide(in[1])), wide(in[2])))
}

// oddSum is a sum rounded to odd: one up or down where it is rounded and its last bit is 0 (Boldo, Melquiond: Emulation of FMA and
// Correctly Rounded Sums; the error is by Knuth's two-sum).
func oddSum(f *ssa.Func, a, c ssa.Value) ssa.Value {
	add := func(a, b ssa.Value) ssa.Value { return f.Bin(ssa.FAdd, a, b) }
	sub := func(a, b ssa.Value) ssa.Value { return f.Bin(ssa.FSub, a, b) }
	t := f.TypeOf(a)
	one, last := f.Const(t, 1), uint64(t.Bits()-1)
	s := add(a, c)
	d := sub(s, a)
	rest := add(sub(a, sub(s, d)), sub(c, d))
	even := f.Bin(ssa.Sub, and(f, s, one), one) // all ones
	step := and(f, even, or(f, sar(f, xor(f, rest, s), last), one))
	return f.Sel(differ(f, rest, f.Const(t, 0)), f.Bin(ssa.Add, s, step), s)
}

// inBounds gives 0 if a source is the NaN that stands for what is out of bounds.
func (h *half) inBounds(l Lowering) Lowering {
	return func(f *ssa.Func, in []ssa.Value) ssa.Value {
		v := l(f, in)
		for _, a := range in {
			v = f.Sel(f.Cmp(ssa.Eq, low(f, a, 15), f.Word(0x7ff7)), f.Word(0), v)
		}
		return v
	}
}

// flushF16 is flush in the 16 bits themselves.
func flushF16(f *ssa.Func, a ssa.Value) ssa.Value {
	return f.Sel(f.Cmp(ssa.Eq, and(f, a, f.Word(0x7c00)), f.Word(0)), and(f, a, f.Word(signHalf)), a)
}

// choices are min and max, which choose among sources as they are.
func (h *half) choices(all lowered) {
	flushed := func(l Lowering) Lowering {
		return func(f *ssa.Func, in []ssa.Value) ssa.Value {
			return l(f, []ssa.Value{flushF16(f, in[0]), flushF16(f, in[1])})
		}
	}
	for i, ops := range h.ops.Choices {
		l := h.choose(i >= 2, i%2 != 0)
		h.pack(all, ops.Plain, l)
		h.pack(all, ops.Xorsign, h.xorsign(l))
		h.pack(all, ops.Ftz, flushed(l))
		h.pack(all, ops.FtzXorsign, flushed(h.xorsign(l)))
	}
}

// choose compares as integers in the order of floats, -0 below +0; of one NaN the other source is
// chosen, or, if strict, the canonical NaN, as for two.
func (h *half) choose(max, strict bool) Lowering {
	key := func(f *ssa.Func, a ssa.Value) ssa.Value {
		k := sign(f, a, 16)
		return xor(f, k, and(f, sar(f, k, 31), f.Word(magHalf)))
	}
	return func(f *ssa.Func, in []ssa.Value) ssa.Value {
		a, b, nan := in[0], in[1], f.Word(nanHalf)
		isNaN := func(a ssa.Value) ssa.Value { return f.Cmp(ssa.LtS, f.Word(h.inf), low(f, a, 15)) }
		if max {
			a, b = b, a
		}
		v := f.Sel(f.Cmp(ssa.LtS, key(f, in[1]), key(f, in[0])), b, a)
		if strict {
			return f.Sel(isNaN(a), nan, f.Sel(isNaN(b), nan, v))
		}
		return h.canon(f, f.Sel(isNaN(a), b, f.Sel(isNaN(b), a, v)))
	}
}

// xorsign gives the choice of the magnitudes the signs' difference.
func (h *half) xorsign(l Lowering) Lowering {
	return func(f *ssa.Func, in []ssa.Value) ssa.Value {
		v := l(f, []ssa.Value{low(f, in[0], 15), low(f, in[1], 15)})
		return h.canon(f, or(f, v, and(f, xor(f, in[0], in[1]), f.Word(signHalf))))
	}
}

// comparisons are of widened sources.
func (h *half) comparisons(all lowered) {
	of := func(l Lowering, before change) Lowering {
		return func(f *ssa.Func, in []ssa.Value) ssa.Value {
			return l(f, []ssa.Value{before(f, h.widen(f, in[0])), before(f, h.widen(f, in[1]))})
		}
	}
	for _, c := range floatCompares {
		if !h.f16 {
			all.put(c.bf16, of(c.lowering, unchanged))
			continue
		}
		all.put(c.f16, of(c.lowering, unchanged))
		all.put(c.ftzF16, of(c.lowering, h.flush))
	}
}

// mixed are the operations of f32 with sources of 16 bits, all but the last.
func (h *half) mixed(all lowered) {
	forms := arithmeticForms()
	for _, ops := range mixedOps {
		op := ops.bf16
		if h.f16 {
			op = ops.f16
		}
		all.put(op, func(f *ssa.Func, in []ssa.Value) ssa.Value {
			list := slices.Clone(in)
			for i := range len(in) - 1 {
				list[i] = h.widen(f, in[i])
			}
			v := forms[ops.f32](f, list)
			if ops.sat {
				return saturated(f, v)
			}
			return v
		})
	}
}
