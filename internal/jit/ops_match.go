package jit

// Lanes with equal values, by AVX-512: bit after bit that is not the same in all lanes, those stay that have what
// the lane has. Values that are matched are often small, and the worst case costs what comparing lane by lane does.

import "ptxvm.invalid/ptxvm/internal/jit/x86"

// matchBits is match by the bits of the values. RAX and RDX are lost.
func (e *emitter) matchBits(row loc) loc {
	low, high := e.load(e.partOf(row, 0), tW), e.load(e.partOf(row, 1), tW)
	sum, t := e.alloc(), e.alloc()
	e.differing(low.v, high.v, sum, t)
	e.VVVI(x86.VPTERNLOGD, x86.W512, sum, sum, sum, 0xff)
	a, b := e.allocK(), e.allocK()
	again, none := e.NewLabel(), e.NewLabel()
	e.RR(x86.TEST, x86.S32, x86.RAX, x86.RAX)
	e.Jcc(x86.E, none)
	e.Bind(again)
	e.RR(x86.BLSI, x86.S32, x86.RDX, x86.RAX)
	e.VR(x86.VPBROADCASTD, x86.W512, t, x86.RDX)
	e.KVV(x86.VPTESTMD, x86.W512, a, low.v, t)
	e.KVV(x86.VPTESTMD, x86.W512, b, high.v, t)
	e.KKK(x86.KUNPCKWD, kShift, b, a)
	e.RK(x86.KMOVD, x86.RDX, kShift)
	e.VR(x86.VPBROADCASTD, x86.W512, t, x86.RDX)
	own := a
	if e.part == 1 {
		own = b
	}
	e.Masked(own).VVV(x86.VPANDD, x86.W512, sum, sum, t)
	e.KK(x86.KNOTW, kShift, own)
	e.Masked(kShift).VVV(x86.VPANDND, x86.W512, sum, t, sum)
	e.RR(x86.BLSR, x86.S32, x86.RAX, x86.RAX)
	e.Jcc(x86.NE, again)
	e.Bind(none)
	e.release(loc{kind: inK, k: b, owned: true})
	e.release(loc{kind: inK, k: a, owned: true})
	e.release(temp(t))
	e.unload(high, e.partOf(row, 1))
	e.unload(low, e.partOf(row, 0))
	return done(sum)
}

// differing leaves in EAX the bits in which 32 lanes differ; x and t are lost.
func (e *emitter) differing(low, high, x, t x86.Vec) {
	e.VV(x86.VPBROADCASTD, x86.W512, t, low)
	e.VVV(x86.VPXORD, x86.W512, x, t, low)
	e.VVV(x86.VPXORD, x86.W512, t, t, high)
	e.VVV(x86.VPORD, x86.W512, x, x, t)
	e.VVI(x86.VEXTRACTI64X4, x86.W512, t, x, 1)
	e.VVV(x86.VPORD, x86.W256, x, x, t)
	e.VVI(x86.VEXTRACTI32X4, x86.W256, t, x, 1)
	e.orOf(x, t)
}

// orOf leaves in EAX all bits of the words of two registers of four; x and RDX are lost.
func (e *emitter) orOf(x, t x86.Vec) {
	e.VVV(e.opFor(cOr, tW), x86.W128, x, x, t)
	e.RV(x86.VMOVQ, x86.W128, x86.RAX, x)
	e.RVI(x86.VPEXTRQ, x86.W128, x86.RDX, x, 1)
	e.RR(x86.OR, x86.S64, x86.RAX, x86.RDX)
	e.RR(x86.MOV, x86.S64, x86.RDX, x86.RAX)
	e.RI(x86.SHR, x86.S64, x86.RDX, 32)
	e.RR(x86.OR, x86.S32, x86.RAX, x86.RDX)
}
