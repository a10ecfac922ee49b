package jit

// The address of one lane: blocks that a single thread goes through (`if (threadIdx.x == 0)`) access memory with code for
// some lanes, where one lane's address is tested as a number, and not as 32 of them.

import "ptxvm.invalid/ptxvm/internal/jit/x86"

// soloAddress checks the address of the executing lane if it is the only one, and keeps that of the host where hostAddresses
// does; for more lanes it goes to several, which comes back to the label that it returns.
func (a *accessed) soloAddress(several func()) {
	done := a.c.NewLabel()
	more := a.c.later(func() {
		several()
		a.c.Jmp(done)
	})
	addr := &a.src[0]
	t := addr.typ
	a.c.active(x86.R10, a.use)
	a.c.RR(x86.BLSR, x86.S32, x86.RAX, x86.R10)
	a.c.Jcc(x86.NE, more)
	a.c.RR(x86.TZCNT, x86.S32, x86.R10, x86.R10)
	row := a.c.regs(addr.off)
	a.loadAddress(x86.RAX, row.With(x86.R10, uint8(t.bits()/8)), t)
	a.displace(x86.RAX)
	a.limits(int32(a.m.Size), a.miss)
	a.check(a.miss)
	a.host(x86.RAX)
	a.c.MR(x86.MOV, x86.S64, x86.AtIndex(rCtx, x86.R10, 8, saveRow), x86.RAX)
	a.c.Bind(done)
}

// mayBeSolo tells whether one lane may execute alone, and its address is in memory.
func (a *accessed) mayBeSolo() bool {
	addr := &a.src[0]
	return a.use != allLanes && addr.row < 0 && !addr.known && !addr.slot && a.c.uses(Solo)
}
