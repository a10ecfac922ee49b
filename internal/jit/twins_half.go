package jit

// f16 and bf16, 9.7.4, and mixed precision, 9.7.5: sources widened to f32, results rounded once. A
// sum of two halves, rounded to the 24 bits of f32, rounds on as the exact one does, since 24 is at
// least twice the 11 bits of f16 and 2 more; products are exact, or so small that they become 0. An
// fma is rounded to odd.

import (
	"ptxvm.invalid/ptxvm/internal/jit/lane"
	"ptxvm.invalid/ptxvm/internal/uop"
)

// half is a format of 16 bits: how it is widened and rounded.
type half struct {
	f16    bool
	ops    *lane.HalfOps
	cvt    uop.Op // that widens
	inf    uint32 // in 16 bits
	widen  func(p *program, a val) val
	narrow func(p *program, a val) val
	min    uint32 // the least normal number, as f32
}

const nanHalf = 0x7fff

var halfFormats = []half{
	{true, &lane.F16Ops, uop.CvtF32F16, 0x7c00, func(p *program, a val) val { return p.op1(cH2F, tW, a, 0) },
		func(p *program, a val) val { return p.op1(cF2H, tW, p.canon(a), 0) }, 0x38800000},
	{false, &lane.BF16Ops, uop.CvtF32BF16, 0x7f80, func(p *program, a val) val { return p.shlI(a, 16) }, toBF16, 0x00800000},
}

var halfTwins = twins{}

func fillHalfTwins() {
	for i := range halfFormats {
		h := &halfFormats[i]
		h.arithmetic()
		h.choices()
		h.comparisons()
		h.mixed()
		halfTwins.put(h.cvt, func(p *program, in []val) val { return h.widen(p, in[0]) })
		h.pack(h.ops.Abs, func(p *program, in []val) val { return h.canon(p, p.lowBits(in[0], 15)) })
		h.pack(h.ops.Neg, func(p *program, in []val) val { return h.canon(p, p.xor(in[0], p.w(0x8000))) })
	}
	f16 := &halfFormats[0]
	halfTwins.put(f16.cvt, func(p *program, in []val) val { return p.canon(f16.widen(p, in[0])) })
	f16.pack(f16.ops.AbsFtz, func(p *program, in []val) val { return f16.canon(p, p.lowBits(flushF16(p, in[0]), 15)) })
	f16.pack(f16.ops.NegFtz, func(p *program, in []val) val { return f16.canon(p, p.xor(flushF16(p, in[0]), p.w(0x8000))) })
}

// toBF16 rounds to nearest even.
func toBF16(p *program, a val) val {
	up := p.sum(a, p.sum(p.w(0x7fff), p.and(p.shrI(a, 16), p.w(1))))
	return p.sel(p.isNaN(a), p.w(nanHalf), p.shrI(up, 16))
}

// canon makes a NaN of 16 bits the canonical one.
func (h *half) canon(p *program, a val) val {
	return p.sel(p.cmp(cmpLTS, p.w(h.inf), p.lowBits(a, 15)), p.w(nanHalf), a)
}

// flush makes what is below the least normal number a zero of its sign.
func (h *half) flush(p *program, a val) val {
	tiny := p.cmp(cmpLTS, p.and(a, p.w(magF32)), p.w(h.min))
	return p.sel(tiny, p.and(a, p.w(signF32)), a)
}

// pack adds a function of one half, and the one of two.
func (h *half) pack(ops lane.Pair, t twin) {
	halfTwins.put(ops[0], t)
	halfTwins.put(ops[1], func(p *program, in []val) val {
		low, high := make([]val, len(in)), make([]val, len(in))
		for i := range in {
			low[i], high[i] = p.lowBits(in[i], 16), p.shrI(in[i], 16)
		}
		a, b := t(p, low), t(p, high)
		if a == none || b == none {
			return none
		}
		return p.or(a, p.shlI(b, 16))
	})
}

// with is a function of widened sources, changed before, and of its result, changed before it is rounded.
func (h *half) with(t twin, before, after func(p *program, a val) val) twin {
	return func(p *program, in []val) val {
		list := make([]val, len(in))
		for i := range in {
			list[i] = before(p, h.widen(p, in[i]))
		}
		v := t(p, list)
		if v == none {
			return none
		}
		return h.narrow(p, after(p, v))
	}
}

func unchanged(_ *program, a val) val { return a }

// reluF32 makes what is not above zero +0 and leaves NaNs.
func reluF32(p *program, a val) val {
	return p.sel(p.op2(cFCmp, tM, a, p.w(0), fcmpLE), p.w(0), a)
}

func saturate(p *program, a val) val {
	return saturated(func(*program, []val) val { return a })(p, nil)
}

func (h *half) arithmetic() {
	plain := func(c code) twin {
		return func(p *program, in []val) val { return p.op2(c, tW, in[0], in[1], roundNear) }
	}
	for i, t := range []twin{plain(cFAdd), plain(cFSub), plain(cFMul), h.oddFma} {
		ops := &h.ops.Arithmetic[i]
		h.pack(ops.Plain, h.with(t, unchanged, unchanged))
		h.pack(ops.Sat, h.with(t, unchanged, saturate))
		h.pack(ops.Ftz, h.with(t, h.flush, h.flush))
		h.pack(ops.FtzSat, h.with(t, h.flush, func(p *program, a val) val { return saturate(p, h.flush(p, a)) }))
	}
	ops := h.ops
	h.pack(ops.FmaRelu, h.with(h.oddFma, unchanged, reluF32))
	h.pack(ops.FmaOob, h.inBounds(h.with(h.oddFma, unchanged, unchanged)))
	h.pack(ops.FmaOobRelu, h.inBounds(h.with(h.oddFma, unchanged, reluF32)))
	h.pack(ops.FmaFtzRelu, h.with(h.oddFma, h.flush, func(p *program, a val) val { return reluF32(p, h.flush(p, a)) }))
	h.pack(ops.FmaOobSat, h.inBounds(h.with(h.oddFma, unchanged, saturate)))
}

// oddFma is a·b + c rounded to odd: an inexact result has its last bit set. Where a product is exact in f32, the error of
// the sum is cheaper than three roundings without AVX-512.
func (h *half) oddFma(p *program, in []val) val {
	a, b, c := in[0], in[1], in[2]
	if p.evex || !h.f16 {
		fma := func(how uint64) val { return p.op3(cFFma, tW, a, b, c, how) }
		v := fma(roundZero)
		return p.sel(p.op2(cFCmp, tM, fma(roundDown), fma(roundUp), fcmpNEQO), p.or(v, p.w(1)), v)
	}
	add := func(a, b val) val { return p.op2(cFAdd, tW, a, b, roundNear) }
	sub := func(a, b val) val { return p.op2(cFSub, tW, a, b, roundNear) }
	a = p.fmul(a, b)
	s := add(a, c)
	t := sub(s, a)
	rest := add(sub(a, sub(s, t)), sub(c, t))
	// one up or down, where the last bit is 0
	step := p.bin(cAndn, p.neg(p.and(s, p.w(1))), p.or(p.sarI(p.xor(rest, s), 31), p.w(1)))
	return p.sel(p.op2(cFCmp, tM, rest, p.w(0), fcmpNEQO), p.sum(s, step), s)
}

// inBounds gives 0 if a source is the NaN that stands for what is out of bounds.
func (h *half) inBounds(t twin) twin {
	return func(p *program, in []val) val {
		v := t(p, in)
		if v == none {
			return none
		}
		for _, a := range in {
			v = p.sel(p.cmp(cmpEQ, p.lowBits(a, 15), p.w(0x7ff7)), p.w(0), v)
		}
		return v
	}
}

// flushF16 is flush in the 16 bits themselves.
func flushF16(p *program, a val) val {
	return p.sel(p.cmp(cmpEQ, p.and(a, p.w(0x7c00)), p.w(0)), p.and(a, p.w(0x8000)), a)
}

// choices are min and max, which choose among sources as they are.
func (h *half) choices() {
	flushed := func(t twin) twin {
		return func(p *program, in []val) val { return t(p, []val{flushF16(p, in[0]), flushF16(p, in[1])}) }
	}
	for i, ops := range h.ops.Choices {
		t := h.choose(i >= 2, i%2 != 0)
		h.pack(ops.Plain, t)
		h.pack(ops.Xorsign, h.xorsign(t))
		h.pack(ops.Ftz, flushed(t))
		h.pack(ops.FtzXorsign, flushed(h.xorsign(t)))
	}
}

// choose compares as integers in the order of floats, -0 below +0; of one NaN the other source is
// chosen, or, if strict, the canonical NaN, as for two.
func (h *half) choose(max, strict bool) twin {
	key := func(p *program, a val) val {
		k := p.sext16(a)
		return p.xor(k, p.and(p.sarI(k, 31), p.w(0x7fff)))
	}
	return func(p *program, in []val) val {
		a, b, nan := in[0], in[1], p.w(nanHalf)
		isNaN := func(a val) val { return p.cmp(cmpLTS, p.w(h.inf), p.lowBits(a, 15)) }
		low, high := a, b
		if max {
			low, high = b, a
		}
		v := p.sel(p.cmp(cmpLTS, key(p, b), key(p, a)), high, low)
		if strict {
			return p.sel(isNaN(a), nan, p.sel(isNaN(b), nan, v))
		}
		return h.canon(p, p.sel(isNaN(a), b, p.sel(isNaN(b), a, v)))
	}
}

// xorsign gives the choice of the magnitudes the signs' difference.
func (h *half) xorsign(t twin) twin {
	return func(p *program, in []val) val {
		v := t(p, []val{p.lowBits(in[0], 15), p.lowBits(in[1], 15)})
		return h.canon(p, p.or(v, p.and(p.xor(in[0], in[1]), p.w(0x8000))))
	}
}

func (h *half) comparisons() {
	for _, c := range floatCompares {
		compare := func(before func(p *program, a val) val) twin {
			return func(p *program, in []val) val {
				return c.twin(p, []val{before(p, h.widen(p, in[0])), before(p, h.widen(p, in[1]))})
			}
		}
		if !h.f16 {
			halfTwins.put(c.bf16, compare(unchanged))
			continue
		}
		halfTwins.put(c.f16, compare(unchanged))
		halfTwins.put(c.ftzF16, compare(h.flush))
	}
}

// mixed are the operations of f32 with sources of 16 bits, all but the last.
func (h *half) mixed() {
	for _, ops := range mixedOps {
		of := ops.bf16
		if h.f16 {
			of = ops.f16
		}
		for i := range roundings {
			t := floatTwins[ops.f32[i]]
			halfTwins.put(of[i], func(p *program, in []val) val {
				list := []val{h.widen(p, in[0]), in[1]}
				if len(in) == 3 {
					list = []val{list[0], h.widen(p, in[1]), in[2]}
				}
				return t(p, list)
			})
		}
	}
}
