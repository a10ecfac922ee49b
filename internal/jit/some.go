package jit

// Some lanes that follow each other in memory: only their own elements need to be inside, the room of the others may be behind
// the end of an allocation or of shared memory, and is not touched. `if (lane < 16) s[lane] = 0` is one store of a vector
// however small s is.

import (
	"ptxvm.invalid/ptxvm/internal/jit/x86"
	"ptxvm.invalid/ptxvm/internal/sem"
)

// touchesOwn tells whether an access of lanes that follow each other touches the elements of those that execute and no others.
func (a *accessed) touchesOwn() bool {
	return (a.s.op.Kind != sem.OpLoad || a.widens() == 0) && a.c.uses(Some)
}

// checkEnds goes to fail unless the elements of the lowest and of the highest executing lane are inside and aligned: RAX has the
// address of lane 0, whether or not there is one. RCX, R10 and R11 are lost.
func (a *accessed) checkEnds(fail x86.Label) {
	if a.m.Align > 1 {
		a.c.RI(x86.TEST, x86.S32, x86.RAX, int32(a.m.Align-1))
		a.c.Jcc(x86.NE, fail)
	}
	a.c.active(x86.R10, a.use)
	for _, end := range [...]x86.Op{x86.TZCNT, x86.BSR} {
		a.c.RR(end, x86.S32, x86.RCX, x86.R10)
		a.c.RM(x86.LEA, x86.S64, x86.R11, x86.AtIndex(x86.RAX, x86.RCX, uint8(a.m.Elem), 0))
		a.c.RR(x86.SUB, x86.S64, x86.R11, x86.R8)
		a.c.RR(x86.CMP, x86.S64, x86.R11, x86.RDX)
		a.c.Jcc(x86.A, fail)
	}
	a.c.prove(a.pc)
}

// loadOwn loads the running part's executing lanes.
func (a *accessed) loadOwn(v x86.Vec, m x86.Mem, t typ) {
	switch {
	case a.c.evex && t == tX:
		a.c.Zeroed(a.c.laneMask(a.use)).VM(x86.VMOVDQU64, a.c.full(), v, m)
	case a.c.evex:
		a.c.Zeroed(a.c.laneMask(a.use)).VM(x86.VMOVDQU32, a.c.full(), v, m)
	default:
		k, op := a.c.laneVector(a.use, t), x86.VPMASKMOVD
		if t == tX {
			op = x86.VPMASKMOVQ
		}
		a.c.VVM(op, a.c.full(), v, k.v, m)
		a.c.release(k)
	}
}
