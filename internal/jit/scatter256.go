package jit

// Stores of lanes anywhere for processors without scatters: lane by lane in ascending order, what they store and their addresses or
// indices read from memory. Indices that follow each other are one vector, which two of them tell most often.

import (
	"ptxvm.invalid/ptxvm/internal/jit/x86"
	"ptxvm.invalid/ptxvm/internal/machine"
)

// scatter256 stores at addresses or indices that are inside.
func (a *accessed) scatter256(base x86.Reg) {
	done := a.NewLabel()
	at := a.inMemory(&a.src[0], 0)
	if a.s.index != nil {
		a.storeInOrder(base, at, done)
	}
	for k := range a.m.At {
		if a.src[1+k].off != machine.NoGuard {
			a.scatterLanes(k, base, at)
		}
	}
	a.Bind(done)
}

// storeInOrder stores one vector and goes to done, if the lanes follow each other.
func (a *accessed) storeInOrder(base x86.Reg, index x86.Mem, done x86.Label) {
	if a.use != allLanes || len(a.m.At) != 1 || a.m.Elem != 1<<a.s.index.shift {
		return
	}
	other := a.NewLabel()
	a.RM(x86.MOV, x86.S32, x86.RAX, index)
	a.RM(x86.MOV, x86.S32, x86.RCX, index.Plus(4*31))
	a.RI(x86.SUB, x86.S32, x86.RCX, 31)
	a.RR(x86.CMP, x86.S32, x86.RCX, x86.RAX)
	a.Jcc(x86.E, a.later(func() {
		a.compareIndices(other)
		a.RR(x86.MOVSXD, x86.S64, x86.RAX, x86.RAX)
		a.RM(x86.LEA, x86.S64, x86.RAX, x86.AtIndex(base, x86.RAX, uint8(a.m.Elem), int32(a.in.Imm)))
		d := &a.src[1]
		a.eachPart(d.typ, func() { a.storePart(a.byProof(x86.At(x86.RAX, int32(a.part*a.full().Bytes()))), d) })
		a.Jmp(done)
	}))
	a.Bind(other)
}

// compareIndices goes to other unless each lane's index is EAX + lane.
func (a *accessed) compareIndices(other x86.Label) {
	first, x, sum := a.everywhere(tW, x86.RAX), a.alloc(), a.alloc()
	a.eachPart(tW, func() {
		to := x
		if a.part == 0 {
			to = sum
		}
		a.VVM(x86.VPADDD, a.full(), to, first, a.constRow(tW, func(i int) uint64 { return uint64(a.part*a.lanes + i) }))
		have := a.operand(&a.src[0])
		a.vvx(x86.VPXOR, a.full(), to, to, have)
		a.release(have)
		if a.part > 0 {
			a.VVV(x86.VPOR, a.full(), sum, sum, x)
		}
	})
	a.VV(x86.VPTEST, a.full(), sum, sum)
	for _, v := range []x86.Vec{sum, x, first} {
		a.release(temp(v))
	}
	a.Jcc(x86.NE, other)
}

// scatterLanes stores element k of the executing lanes, whose addresses or indices are in memory.
func (a *accessed) scatterLanes(k int, base x86.Reg, at x86.Mem) {
	d, from := &a.src[1+k], x86.Mem{}
	switch size := d.typ.size(); {
	case d.known:
		a.MovImm(x86.R8, d.value)
	case d.slot:
		a.RM(x86.MOV, size, x86.R8, a.regs(d.off))
	default:
		from = a.inMemory(d, 1+k)
	}
	each, wide := int32(a.src[0].typ.bits()/8), int32(d.typ.bits()/8)
	if a.use != allLanes {
		a.loop(func() {
			a.scatterLane(k, base, at.With(x86.RCX, uint8(each)), from.With(x86.RCX, uint8(wide)))
		})
		return
	}
	for lane := range int32(32) {
		a.scatterLane(k, base, at.Plus(each*lane), from.Plus(wide*lane))
	}
}

// scatterLane stores element k of one lane, which is in R8 if all lanes have it. RAX is lost.
func (a *accessed) scatterLane(k int, base x86.Reg, at, from x86.Mem) {
	d := &a.src[1+k]
	if a.s.index == nil {
		a.loadAddress(x86.RAX, at, a.src[0].typ)
	} else {
		a.RM(x86.MOVSXD, x86.S64, x86.RAX, at)
		if shift := a.s.index.shift; shift > maxScale {
			a.RI(x86.SHL, x86.S64, x86.RAX, int32(shift-maxScale))
		}
	}
	if !d.known && !d.slot {
		a.RM(x86.MOV, d.typ.size(), x86.R8, from)
	}
	a.MR(x86.MOV, d.typ.size(), a.byProof(x86.AtIndex(base, x86.RAX, a.scale(), int32(a.in.Imm)+int32(k)*int32(a.m.Elem))), x86.R8)
}
