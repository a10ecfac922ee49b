package jit

// Lanes with equal values, by AVX2: as by AVX-512 bit after bit in which lanes differ. The lanes that have a bit are found
// once, for all registers of a row; where lanes differ in many bits, each lane is compared with all.

import "ptxvm.invalid/ptxvm/internal/jit/x86"

// matchedBits is in how many bits lanes may differ to be compared by bits.
const matchedBits = 16

// Where match keeps the bits in which lanes differ, and for each of these the lanes that have it.
var (
	matchDiffer = x86.At(rCtx, saveRow+512)
	matchHave   = x86.At(rCtx, saveRow+768)
)

// match256 is match. RAX, RCX and RDX are lost.
func (e *emitter) match256(row loc) loc {
	if e.part == 0 {
		e.matchBallots(row)
	}
	own := e.load(row, tW)
	sum, t, u := e.alloc(), e.alloc(), e.alloc()
	many, done := e.NewLabel(), e.NewLabel()
	e.RM(x86.MOV, x86.S32, x86.RAX, matchDiffer)
	e.RR(x86.POPCNT, x86.S32, x86.RDX, x86.RAX)
	e.RI(x86.CMP, x86.S32, x86.RDX, matchedBits)
	e.Jcc(x86.A, many)
	e.matchByBits(sum, own.v, t, u)
	e.Jmp(done)
	e.Bind(many)
	e.matchByLanes(e.memoryRow(row), sum, own.v, t, u)
	e.Bind(done)
	e.release(temp(u))
	e.release(temp(t))
	e.unload(own, row)
	return temp(sum)
}

// matchBallots finds the bits in which lanes differ, and if they are few, who has them.
func (e *emitter) matchBallots(row loc) {
	w, again, none := e.full(), e.NewLabel(), e.NewLabel()
	bit, a, b, c := e.alloc(), e.alloc(), e.alloc(), e.alloc()
	e.differing256(row, a, bit, b)
	e.MR(x86.MOV, x86.S32, matchDiffer, x86.RAX)
	e.RR(x86.POPCNT, x86.S32, x86.RDX, x86.RAX)
	e.RI(x86.SUB, x86.S32, x86.RDX, 1)
	e.RI(x86.CMP, x86.S32, x86.RDX, matchedBits)
	e.Jcc(x86.AE, none) // none differs, too
	e.Bind(again)
	e.RR(x86.BLSI, x86.S32, x86.RDX, x86.RAX)
	e.replicate(w, tW, bit, x86.RDX)
	have := func(v x86.Vec, part int) {
		e.vvx(x86.VPAND, w, v, bit, e.partOf(row, part))
		e.VVV(x86.VPCMPEQD, w, v, v, bit)
	}
	have(a, 0)
	have(b, 1)
	e.VVV(x86.VPACKSSDW, w, a, a, b)
	have(b, 2)
	have(c, 3)
	e.VVV(x86.VPACKSSDW, w, b, b, c)
	e.VVV(x86.VPACKSSWB, w, a, a, b)
	e.move(w, b, e.halvesInOrder())
	e.VVV(x86.VPERMD, w, a, b, a)
	e.RV(x86.VPMOVMSKB, w, x86.RDX, a)
	e.RR(x86.TZCNT, x86.S32, x86.RCX, x86.RAX)
	e.MR(x86.MOV, x86.S32, matchHave.With(x86.RCX, 4), x86.RDX)
	e.RR(x86.BLSR, x86.S32, x86.RAX, x86.RAX)
	e.Jcc(x86.NE, again)
	e.Bind(none)
	for _, v := range []x86.Vec{c, b, a, bit} {
		e.release(temp(v))
	}
}

// differing256 leaves in EAX the bits in which 32 lanes differ; x, t and u are lost.
func (e *emitter) differing256(row loc, x, t, u x86.Vec) {
	w := e.full()
	if first := e.partOf(row, 0); first.kind == inVec {
		e.VV(x86.VPBROADCASTD, w, t, first.v)
	} else {
		e.VM(x86.VPBROADCASTD, w, t, first.m)
	}
	e.vvx(x86.VPXOR, w, x, t, e.partOf(row, 0))
	for k := 1; k < 4; k++ {
		e.vvx(x86.VPXOR, w, u, t, e.partOf(row, k))
		e.VVV(x86.VPOR, w, x, x, u)
	}
	e.VVI(x86.VEXTRACTI128, w, t, x, 1)
	e.orOf(x, t)
}

// matchByBits: lanes are apart that differ in a bit.
func (e *emitter) matchByBits(sum, own, t, u x86.Vec) {
	w, again, none := e.full(), e.NewLabel(), e.NewLabel()
	e.zero(sum)
	e.RR(x86.TEST, x86.S32, x86.RAX, x86.RAX)
	e.Jcc(x86.E, none)
	e.Bind(again)
	e.RR(x86.BLSI, x86.S32, x86.RDX, x86.RAX)
	e.replicate(w, tW, t, x86.RDX)
	e.VVV(x86.VPAND, w, u, own, t)
	e.VVV(x86.VPCMPEQD, w, u, u, t)
	e.RR(x86.TZCNT, x86.S32, x86.RDX, x86.RAX)
	e.VM(x86.VPBROADCASTD, w, t, matchHave.With(x86.RDX, 4))
	e.VVV(x86.VPXOR, w, u, u, t)
	e.VVV(x86.VPOR, w, sum, sum, u)
	e.RR(x86.BLSR, x86.S32, x86.RAX, x86.RAX)
	e.Jcc(x86.NE, again)
	e.Bind(none)
	e.VVM(x86.VPXOR, w, sum, sum, e.constRow(tW, func(int) uint64 { return 0xffffffff }))
}

// matchByLanes compares with each lane of the row in memory.
func (e *emitter) matchByLanes(m x86.Mem, sum, own, bits, v x86.Vec) {
	w, again := e.full(), e.NewLabel()
	e.zero(sum)
	e.broadcast(w, tW, bits, e.Const32(1))
	e.Zero(x86.RAX)
	e.Bind(again)
	e.VM(x86.VPBROADCASTD, w, v, m.With(x86.RAX, 4))
	e.VVV(x86.VPCMPEQD, w, v, v, own)
	e.VVV(x86.VPAND, w, v, v, bits)
	e.VVV(x86.VPOR, w, sum, sum, v)
	e.VVV(x86.VPADDD, w, bits, bits, bits)
	e.RI(x86.ADD, x86.S32, x86.RAX, 1)
	e.RI(x86.CMP, x86.S32, x86.RAX, 32)
	e.Jcc(x86.NE, again)
}

// halvesInOrder is where the words of four registers are that were packed to one of bytes, halves apart.
func (e *emitter) halvesInOrder() x86.Mem {
	return e.constRow(tW, func(i int) uint64 { return uint64(i/2 + i%2*4) })
}
