package jit

// 64-bit division, for which there are no vector operations: lane by lane.

import "ptxvm.invalid/ptxvm/internal/jit/x86"

// divide leaves the quotient or remainder of the running part's elements. RAX, RCX and RDX are lost.
func (e *emitter) divide(how uint64, a, b loc) loc {
	w := e.width(tX)
	x, y := x86.At(rCtx, saveRow+512), x86.At(rCtx, saveRow+768)
	for _, s := range []struct {
		l loc
		m x86.Mem
	}{{a, x}, {b, y}} {
		v := e.load(s.l, tX)
		e.store(w, s.m, v.v)
		e.unload(v, s.l)
	}
	e.Zero(x86.RCX)
	again, byZero := e.NewLabel(), e.NewLabel()
	e.Bind(again)
	e.RM(x86.MOV, x86.S64, x86.RAX, x.With(x86.RCX, 8))
	by := y.With(x86.RCX, 8)
	e.RI(x86.MOV, x86.S64, x86.RDX, -1)
	e.MI(x86.CMP, x86.S64, by, 0)
	e.Jcc(x86.E, byZero)
	e.divideOne(how, by, byZero)
	if how == remainderU || how == remainderS {
		e.Bind(byZero)
		e.MR(x86.MOV, x86.S64, x.With(x86.RCX, 8), x86.RDX)
	} else {
		stored := e.NewLabel()
		e.Jmp(stored)
		e.Bind(byZero)
		e.RR(x86.MOV, x86.S64, x86.RAX, x86.RDX)
		e.Bind(stored)
		e.MR(x86.MOV, x86.S64, x.With(x86.RCX, 8), x86.RAX)
	}
	e.RI(x86.ADD, x86.S32, x86.RCX, 1)
	e.RI(x86.CMP, x86.S32, x86.RCX, int32(max(e.lanes, 1)))
	e.Jcc(x86.NE, again)
	v := e.alloc()
	e.move(w, v, x)
	return temp(v)
}

// divideOne divides RAX by a number in memory, which is not 0; by -1 only the sign changes, and nothing remains: the
// machine cannot divide the least number by it. Then it goes to special with the result in RDX.
func (e *emitter) divideOne(how uint64, by x86.Mem, special x86.Label) {
	if how == divideU || how == remainderU {
		e.Zero(x86.RDX)
		e.M(x86.DIV, x86.S64, by)
		return
	}
	other := e.NewLabel()
	e.MI(x86.CMP, x86.S64, by, -1)
	e.Jcc(x86.NE, other)
	e.Zero(x86.RDX)
	if how == divideS {
		e.RR(x86.SUB, x86.S64, x86.RDX, x86.RAX)
	}
	e.Jmp(special)
	e.Bind(other)
	e.None(x86.CQO)
	e.M(x86.IDIV, x86.S64, by)
}
