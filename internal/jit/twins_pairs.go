package jit

// Pairs of f32 in 64 bits, 9.7.3: to nearest one instruction for both, else each by itself.

import (
	"ptxvm.invalid/ptxvm/internal/jit/x86"
	"ptxvm.invalid/ptxvm/internal/uop"
)

var pairTwins = twins{}

// pairs are the operations of pairs with those of one f32, with .ftz behind.
var pairs = []struct {
	code           code
	one, two       byRounding
	oneFtz, twoFtz byRounding
}{
	{cPAdd, byRounding{uop.AddF32, uop.AddRZF32, uop.AddRMF32, uop.AddRPF32}, byRounding{uop.AddF32x2, uop.AddRZF32x2, uop.AddRMF32x2, uop.AddRPF32x2},
		byRounding{uop.AddFtzF32, uop.AddRZFtzF32, uop.AddRMFtzF32, uop.AddRPFtzF32}, byRounding{uop.AddFtzF32x2, uop.AddRZFtzF32x2, uop.AddRMFtzF32x2, uop.AddRPFtzF32x2}},
	{cPSub, byRounding{uop.SubF32, uop.SubRZF32, uop.SubRMF32, uop.SubRPF32}, byRounding{uop.SubF32x2, uop.SubRZF32x2, uop.SubRMF32x2, uop.SubRPF32x2},
		byRounding{uop.SubFtzF32, uop.SubRZFtzF32, uop.SubRMFtzF32, uop.SubRPFtzF32}, byRounding{uop.SubFtzF32x2, uop.SubRZFtzF32x2, uop.SubRMFtzF32x2, uop.SubRPFtzF32x2}},
	{cPMul, byRounding{uop.MulF32, uop.MulRZF32, uop.MulRMF32, uop.MulRPF32}, byRounding{uop.MulF32x2, uop.MulRZF32x2, uop.MulRMF32x2, uop.MulRPF32x2},
		byRounding{uop.MulFtzF32, uop.MulRZFtzF32, uop.MulRMFtzF32, uop.MulRPFtzF32}, byRounding{uop.MulFtzF32x2, uop.MulRZFtzF32x2, uop.MulRMFtzF32x2, uop.MulRPFtzF32x2}},
	{cPFma, byRounding{uop.FmaF32, uop.FmaRZF32, uop.FmaRMF32, uop.FmaRPF32}, byRounding{uop.FmaF32x2, uop.FmaRZF32x2, uop.FmaRMF32x2, uop.FmaRPF32x2},
		byRounding{uop.FmaFtzF32, uop.FmaRZFtzF32, uop.FmaRMFtzF32, uop.FmaRPFtzF32}, byRounding{uop.FmaFtzF32x2, uop.FmaRZFtzF32x2, uop.FmaRMFtzF32x2, uop.FmaRPFtzF32x2}},
}

func fillPairTwins() {
	for _, x := range pairs {
		for i := range roundings {
			pairTwins.put(x.two[i], paired(floatTwins[x.one[i]]))
			t := floatTwins[x.oneFtz[i]]
			if t == nil {
				t = flushTwins[x.oneFtz[i]]
			}
			pairTwins.put(x.twoFtz[i], paired(t))
		}
		pairTwins.put(x.two[0], func(p *program, in []val) val {
			o := operation{code: x.code, typ: tX, n: uint8(len(in)), a: in[0], b: in[1]}
			if len(in) == 3 {
				o.c = in[2]
			}
			return p.op1(cPCanon, tX, p.add(o), 0)
		})
	}
}

// paired applies a twin to both halves.
func paired(t twin) twin {
	return func(p *program, in []val) val {
		low, high := make([]val, len(in)), make([]val, len(in))
		for i, a := range in {
			low[i], high[i] = p.trunc(a), p.trunc(p.shrI(a, 32))
		}
		l, h := t(p, low), t(p, high)
		if l == none || h == none {
			return none
		}
		return p.or(p.zext(l), p.shlI(p.zext(h), 32))
	}
}

// canonPair replaces the NaNs of pairs by the canonical one.
func (e *emitter) canonPair(a loc, dst func() x86.Vec) loc {
	w, x := e.width(tX), e.load(a, tX)
	if e.evex {
		k := e.allocK()
		e.KVVI(x86.VCMPPSK, w, k, x.v, x.v, 3)
		d := dst()
		e.copy(w, d, x.v)
		e.Masked(k).VM(x86.VPBROADCASTD, w, d, e.Const32(nanF32))
		e.release(loc{kind: inK, k: k, owned: true})
		e.unload(x, a)
		return done(d)
	}
	t := e.alloc()
	e.VVVI(x86.VCMPPS, w, t, x.v, x.v, 3)
	d := dst()
	e.VVMV(x86.VBLENDVPS, w, d, x.v, e.constRow(tW, func(int) uint64 { return nanF32 }), t)
	e.release(temp(t))
	e.unload(x, a)
	return done(d)
}
