package jit

// Lines that the next CTA accesses, as a rule: those behind the lines of this one. Processors find ascending addresses by themselves, but
// not in time where each warp takes eight lines at once and waits at barriers between. What is asked for in vain costs
// an instruction a line: the hint faults nowhere, and orders and changes nothing.

import (
	"ptxvm.invalid/ptxvm/internal/decode"
	"ptxvm.invalid/ptxvm/internal/jit/x86"
	"ptxvm.invalid/ptxvm/internal/machine"
)

// ahead asks for the lines a CTA's worth of bytes behind these, to be read or to be written.
func (l *lines) ahead(hint x86.Op) {
	far := l.blockBytes()
	if far == 0 || !l.stretch.c.uses(Ahead) {
		return
	}
	line := l.of[0].at(0, far)
	for at := 0; at < 128*l.step; at += 64 {
		l.stretch.c.M(hint, x86.S64, line.Plus(int32(at)))
	}
}

// blockBytes is how many bytes all lanes of a CTA access; 0 where other CTAs may lie elsewhere, or turns of a loop between.
func (l *lines) blockBytes() int64 {
	sol, ok := decode.ClassesOf(l.stretch.c.code.Func)
	if !ok || sol.Shape.BlockY != 1 || sol.Shape.BlockZ != 1 || l.stretch.c.depth[l.pcs[0]] != 0 || l.of[0].acc.m.Space == machine.Shared || l.of[0].acc.bound < 0 {
		return 0
	}
	return int64(sol.Shape.BlockX) * int64(4*l.step)
}
