package jit

// Pairs of f32 in 64 bits, 9.7.3: to nearest one instruction for both, else each by itself.

import "ptxvm.invalid/ptxvm/internal/jit/x86"

var pairTwins = map[string]twin{}

func fillPairTwins() {
	for name, c := range map[string]code{"Add": cPAdd, "Sub": cPSub, "Mul": cPMul, "Fma": cPFma} {
		for mode := range roundings {
			for _, one := range []string{name + mode + "F32", name + mode + "FtzF32"} {
				t := floatTwins[one]
				if t == nil {
					t = flushTwins[one]
				}
				pairTwins[one+"x2"] = paired(t)
			}
		}
		pairTwins[name+"F32x2"] = func(p *program, in []val) val {
			o := operation{code: c, typ: tX, n: uint8(len(in)), a: in[0], b: in[1]}
			if len(in) == 3 {
				o.c = in[2]
			}
			return p.op1(cPCanon, tX, p.add(o), 0)
		}
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
