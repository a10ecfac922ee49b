package jit

// Conversions of floats whose result has fewer bits than the source, and of halves.

import "ptxvm.invalid/ptxvm/internal/jit/x86"

// halved assembles an instruction that makes 32-bit elements of 64-bit ones.
func (e *emitter) halved(op x86.Op, o *operation, a loc, dst func() x86.Vec) loc {
	x, w := e.load(a, tX), e.width(tX)
	d := dst()
	e.steer(o)
	if o.told() && e.evex {
		w = x86.W512
		e.deco(o.imm)
	}
	e.VV(op, w, d, x.v)
	e.unsteer(o)
	e.unload(x, a)
	return done(d)
}

// fromHalf packs the low halves of the elements and widens them.
func (e *emitter) fromHalf(a loc, dst func() x86.Vec) loc {
	w := e.width(tW)
	x := e.load(a, tW)
	t, d := e.alloc(), dst()
	switch {
	case e.lanes == 1:
		e.copy(w, t, x.v)
	case e.evex:
		e.VV(x86.VPMOVDW, w, t, x.v)
	default:
		pack := [8]uint64{0x05040100, 0x0d0c0908, 0x80808080, 0x80808080}
		e.VVM(x86.VPSHUFB, w, t, x.v, e.constRow(tW, func(i int) uint64 { return pack[i&3] }))
		if w == x86.W256 {
			e.VVI(x86.VPERMQ, w, t, t, 0b1000)
		}
	}
	e.VV(x86.VCVTPH2PS, w, d, t)
	e.release(temp(t))
	e.unload(x, a)
	return done(d)
}

// toHalf narrows and gives each half an element of its own.
func (e *emitter) toHalf(o *operation, a loc, dst func() x86.Vec) loc {
	w := e.width(tW)
	x := e.load(a, tW)
	t, d := e.alloc(), dst()
	e.VVI(x86.VCVTPS2PH, w, t, x.v, uint8(o.imm))
	e.VV(x86.VPMOVZXWD, w, d, t)
	e.release(temp(t))
	e.unload(x, a)
	return done(d)
}
