package jit

// Classes of floats by AVX-512.

import "ptxvm.invalid/ptxvm/internal/jit/x86"

// fix assembles cFix, in the register of its first source if it can.
func (e *emitter) fix(o *operation, a, b loc, target x86.Vec, direct bool) loc {
	w, y := e.width(tW), e.load(b, tW)
	d := target
	if !direct || y.v == target {
		d = e.alloc()
	}
	e.copyOf(d, a, tW)
	e.VVMI(x86.VFIXUPIMMPS, w, d, y.v, e.Const32(uint32(o.imm)).Bcast(), 0)
	e.unload(y, b)
	if d == target {
		direct = false
	}
	return e.into(done(d), target, direct)
}

// class assembles cClass.
func (e *emitter) class(o *operation, a loc) loc {
	x, k := e.load(a, tW), e.allocK()
	e.KVI(x86.VFPCLASSPS, e.width(tW), k, x.v, uint8(o.imm))
	e.unload(x, a)
	return loc{kind: inK, k: k, owned: true}
}
