package jit

// Stores of lanes anywhere for processors without scatters: lane by lane in ascending order, what they store and their addresses read from memory.

import (
	"ptxvm.invalid/ptxvm/internal/jit/x86"
	"ptxvm.invalid/ptxvm/internal/machine"
)

// scatter256 stores at addresses that are inside.
func (a *accessed) scatter256(base x86.Reg) {
	at := a.inMemory(&a.src[0], 0)
	for k := range a.m.At {
		if a.src[1+k].off != machine.NoGuard {
			a.scatterLanes(k, base, at)
		}
	}
}

// scatterLanes stores element k of the executing lanes, whose addresses are in memory.
func (a *accessed) scatterLanes(k int, base x86.Reg, at x86.Mem) {
	d, from := &a.src[1+k], x86.Mem{}
	switch size := d.typ.size(); {
	case d.known:
		a.c.MovImm(x86.R8, d.value)
	case d.slot:
		a.c.RM(x86.MOV, size, x86.R8, a.c.regs(d.off))
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
	a.loadAddress(x86.RAX, at, a.src[0].typ)
	if !d.known && !d.slot {
		a.c.RM(x86.MOV, d.typ.size(), x86.R8, from)
	}
	a.c.MR(x86.MOV, d.typ.size(), a.byProof(x86.AtIndex(base, x86.RAX, 1, int32(a.in.Imm)+int32(k)*int32(a.m.Elem))), x86.R8)
}
