package amd64

import (
	"slices"

	"ptxvm.invalid/ptxvm/internal/jit/ssa"
	"ptxvm.invalid/ptxvm/internal/jit/x86"
	"ptxvm.invalid/ptxvm/internal/machine/abi"
)

// This file goes from warp to warp and from CTA to CTA (machine/nativebatch.go). What the code keeps of the batch is
// in its frame and is written back when it returns; what follows from the warps that are still to run is found only
// then. Of a CTA that the code itself has begun, all warps are as the last CTA has left them.

// does is what a function does that the way into it and from warp to warp depends on.
type does struct {
	wait    bool // its warps wait at barriers
	help    bool // the interpreter executes instructions of it (help.go)
	burn    bool // it takes fuel, or asks how much there is
	restart bool // it leaves warps at their start, as they began
}

// whatDoes finds out what a function does.
func whatDoes(f *ssa.Func) does {
	d := does{wait: f.Waits, burn: f.Waits, restart: slices.ContainsFunc(f.States, func(s ssa.State) bool { return s.Restart })}
	for _, b := range f.Blocks {
		for _, e := range b.Effects {
			d.help = d.help || e.Kind == ssa.Helper
			d.burn = d.burn || e.Kind == ssa.Fuel || e.Kind == ssa.Spare || e.Kind == ssa.Spend
		}
	}
	return d
}

// begin chooses the first warp.
func (c *code) begin(is, warp, t x86.Reg) { c.pick(is, warp, t) }

// waits reports whether warps wait at barriers (wait.go). Then each warp says itself where it goes on, and nothing of
// this CTA is the code's own.
func (c *code) waits() bool { return c.e.does.wait }

// pick chooses the next warp, if there is one and there is budget. What a warp begins with is kept as far as the function
// asks for it: each warp of a short kernel goes through here.
func (c *code) pick(is, warp, t x86.Reg) {
	none, own, end := c.NewLabel(), c.NewLabel(), c.NewLabel()
	later := is
	c.RM(x86.MOV, x86.S32, warp, c.frameAt(fLater))
	c.RR(x86.TEST, x86.S32, warp, warp)
	c.Jcc(x86.E, none)
	c.RM(x86.CMP, x86.S64, rSteps, c.frameAt(fBudget))
	c.Jcc(x86.A, none)
	c.RR(x86.BLSR, x86.S32, later, warp)
	c.RR(x86.BSF, x86.S32, warp, warp)
	if c.e.does.burn {
		c.RM(x86.MOV, x86.S32, t, c.stateAt(sTurn))
	}
	c.MI(x86.CMP, x86.S32, c.frameAt(fOwn), 0)
	c.Jcc(x86.NE, own)
	c.atWarp(t, warp)
	c.MI(x86.CMP, x86.S64, x86.At(t, int32(wAt)).By(ofWarp), abi.ByOut)
	c.Jcc(x86.E, none)
	if c.e.does.burn {
		c.RM(x86.MOV, x86.S32, t, x86.At(t, int32(wFuel)).By(ofWarp))
	}
	c.Bind(own)
	c.MR(x86.MOV, x86.S32, c.frameAt(fLater), later)
	c.MR(x86.MOV, x86.S32, c.frameAt(fWarp), warp)
	c.keepStart(t)
	c.MovImm(is, 1)
	c.Jmp(end)
	c.Bind(none)
	c.Zero(is)
	c.Bind(end)
	c.MR(x86.MOV, x86.S32, c.frameAt(fRuns), is)
}

// keepStart keeps the counts and the fuel that the chosen warp begins with; fuel is its fuel, if the function takes any.
func (c *code) keepStart(fuel x86.Reg) {
	if c.e.does.burn {
		c.MR(x86.MOV, x86.S32, c.frameAt(fFuel), fuel)
		c.MR(x86.MOV, x86.S32, c.frameAt(fFuel0), fuel)
		c.MI(x86.MOV, x86.S32, c.frameAt(fLooped), 0)
	}
	if c.e.does.restart {
		c.MR(x86.MOV, x86.S64, c.frameAt(fSteps0), rSteps)
		c.MR(x86.MOV, x86.S64, c.frameAt(fOps0), rOps)
	}
}

// fuelOfWarp finds the fuel of the running warp where the function takes none: it is that which it began with.
func (c *code) fuelOfWarp(t x86.Reg) {
	own := c.NewLabel()
	c.RM(x86.MOV, x86.S32, t, c.stateAt(sTurn))
	c.MI(x86.CMP, x86.S32, c.frameAt(fOwn), 0)
	c.Jcc(x86.NE, own)
	c.RM(x86.MOV, x86.S32, t, c.frameAt(fWarp))
	c.atWarp(t, t)
	c.RM(x86.MOV, x86.S32, t, x86.At(t, int32(wFuel)).By(ofWarp))
	c.Bind(own)
	c.MR(x86.MOV, x86.S32, c.frameAt(fFuel), t)
}

// atWarp is where a warp is described.
func (c *code) atWarp(t, warp x86.Reg) {
	c.RRI(x86.IMUL, x86.S64, t, warp, int32(wSize))
	c.RM(x86.ADD, x86.S64, t, c.frameAt(fWarps))
}

// endWarp ends the running warp, which is to begin again with the next CTA, and chooses another.
func (c *code) endWarp(is, warp, t x86.Reg) {
	own := c.NewLabel()
	c.MI(x86.CMP, x86.S32, c.frameAt(fOwn), 0)
	c.Jcc(x86.NE, own)
	c.RM(x86.MOV, x86.S32, warp, c.frameAt(fWarp))
	c.atWarp(t, warp)
	field := func(off uintptr) x86.Mem { return x86.At(t, int32(off)).By(ofWarp) }
	c.MI(x86.MOV, x86.S64, field(wAt), abi.ByStart)
	c.RM(x86.MOV, x86.S32, is, c.stateAt(sTurn))
	c.MR(x86.MOV, x86.S32, field(wFuel), is)
	c.RM(x86.MOV, x86.S32, is, field(wLanes))
	c.MR(x86.MOV, x86.S32, field(wMask), is)
	c.Bind(own)
	if c.waits() {
		c.endWaiting(warp, t)
		c.turn(is, warp, t)
		return
	}
	c.pick(is, warp, t)
}

// endCTA begins the next CTA, if all warps of this one have ended and there is one, and chooses its first warp.
func (c *code) endCTA(is, warp, t x86.Reg) {
	none, end := c.NewLabel(), c.NewLabel()
	c.MI(x86.CMP, x86.S32, c.frameAt(fLater), 0)
	c.Jcc(x86.NE, none)
	c.RM(x86.MOV, x86.S32, t, c.frameAt(fBegun)) // no warp runs, and none is to: all that have begun have ended
	c.R(x86.NOT, x86.S32, t)
	c.RM(x86.AND, x86.S32, t, c.frameAt(fAlive))
	c.Jcc(x86.NE, none)
	c.RM(x86.CMP, x86.S64, rSteps, c.frameAt(fRest))
	c.Jcc(x86.A, none)
	c.MI(x86.SUB, x86.S32, c.frameAt(fCTAs), 1)
	more := c.NewLabel()
	c.Jcc(x86.AE, more)
	c.MI(x86.MOV, x86.S32, c.frameAt(fCTAs), 0)
	c.Bind(none)
	c.Zero(is)
	c.MovImm(warp, 0)
	c.Jmp(end)
	c.Bind(more)
	c.M(x86.INC, x86.S32, c.stateAt(sDone))
	c.MR(x86.MOV, x86.S64, c.stateAt(sBegan), rSteps)
	c.MI(x86.MOV, x86.S32, c.stateAt(sPassed), 1)
	c.RM(x86.MOV, x86.S32, t, c.stateAt(sSlice))
	c.MR(x86.MOV, x86.S32, c.stateAt(sLimit), t)
	c.nextPlace(t)
	c.clearShared(is, t)
	c.ownCTA(t)
	c.pick(is, warp, t)
	c.Bind(end)
}

// nextPlace goes on to the next CTA of the grid, and to the next multiprocessor.
func (c *code) nextPlace(t x86.Reg) {
	turn := func(place, limit uintptr) x86.Label {
		less := c.NewLabel()
		c.RM(x86.MOV, x86.S64, t, c.stateAt(place))
		c.R(x86.INC, x86.S64, t)
		c.MR(x86.MOV, x86.S64, c.stateAt(place), t)
		c.RM(x86.CMP, x86.S64, t, c.stateAt(limit))
		c.Jcc(x86.B, less)
		c.MI(x86.MOV, x86.S64, c.stateAt(place), 0)
		return less
	}
	c.Bind(turn(sPlace+24, sSMs))
	x := turn(sPlace, sGrid)
	y := turn(sPlace+8, sGrid+8)
	c.M(x86.INC, x86.S64, c.stateAt(sPlace+16))
	c.Bind(y)
	c.Bind(x)
}

// clearShared clears the CTA's shared memory, of which a multiple of 64 bytes is its own.
func (c *code) clearShared(at, end x86.Reg) {
	done, again := c.NewLabel(), c.NewLabel()
	c.RM(x86.MOV, x86.S64, end, c.stateAt(sSharedBytes))
	c.RR(x86.TEST, x86.S64, end, end)
	c.Jcc(x86.E, done)
	c.RM(x86.MOV, x86.S64, at, c.stateAt(sShared))
	c.RR(x86.ADD, x86.S64, end, at)
	v := c.e.isa.temp()
	c.VVV(x86.VXORPS, c.width(), v, v, v)
	c.Bind(again)
	for off := 0; off < 64; off += c.e.isa.bytes() {
		c.MV(x86.VMOVUPS, c.width(), x86.At(at, int32(off)).By(ofShared), v)
	}
	c.RI(x86.ADD, x86.S64, at, 64)
	c.RR(x86.CMP, x86.S64, at, end)
	c.Jcc(x86.B, again)
	c.Bind(done)
}

// ownCTA makes all warps of the CTA ones that are to run.
func (c *code) ownCTA(t x86.Reg) {
	c.RM(x86.MOV, x86.S32, t, c.frameAt(fAll))
	for _, f := range []int{fLater, fBegun, fAlive} {
		c.MR(x86.MOV, x86.S32, c.frameAt(f), t)
	}
	c.MI(x86.MOV, x86.S32, c.frameAt(fMoved), 0)
	if c.waits() {
		c.MI(x86.MOV, x86.S32, c.frameAt(fBegun), 0)
		c.MI(x86.MOV, x86.S32, c.stateAt(sWaiting), 0)
		return
	}
	c.MI(x86.MOV, x86.S32, c.frameAt(fOwn), 1)
}

// enter makes the frame, how being what is in rsi.
func (c *code) enter(size int32) {
	for _, r := range saved {
		c.R(x86.PUSH, x86.S64, r)
	}
	if c.e.gate != 0 {
		begins := c.NewLabel()
		c.RI(x86.CMP, x86.S32, x86.RSI, abi.ByBack)
		c.Jcc(x86.B, begins)
		c.goOn()
		c.Bind(begins)
	}
	c.RR(x86.MOV, x86.S64, x86.RAX, x86.RSP)
	c.RI(x86.AND, x86.S64, x86.RSP, -int32(c.e.isa.bytes()))
	c.RI(x86.SUB, x86.S64, x86.RSP, size)
	c.MR(x86.MOV, x86.S64, c.frameAt(fStack), x86.RAX)
	words := []struct {
		to   int
		from uintptr
	}{{fLater, sLater}, {fBegun, sLater}, {fAlive, sAlive}, {fAll, sAll}, {fMoved, sMoved}, {fCTAs, sCTAs}, {fPoll, sPoll}}
	for _, w := range words {
		c.RM(x86.MOV, x86.S32, x86.RAX, c.stateAt(w.from))
		c.MR(x86.MOV, x86.S32, c.frameAt(w.to), x86.RAX)
	}
	for _, f := range []int{fOwn, fWarp, fRuns, fFuel, fFuel0, fLooped} {
		c.MI(x86.MOV, x86.S32, c.frameAt(f), 0)
	}
	if c.waits() {
		c.MI(x86.MOV, x86.S32, c.frameAt(fBegun), 0)
	}
	for _, w := range []struct {
		to   int
		from uintptr
	}{{fWarps, sWarps}, {fBudget, sBudget}, {fRest, sRest}} {
		c.RM(x86.MOV, x86.S64, x86.RAX, c.stateAt(w.from))
		c.MR(x86.MOV, x86.S64, c.frameAt(w.to), x86.RAX)
	}
	old := c.NewLabel()
	c.RI(x86.CMP, x86.S32, x86.RSI, abi.ByCTA)
	c.Jcc(x86.NE, old)
	c.ownCTA(x86.RAX)
	c.Bind(old)
	c.RM(x86.MOV, x86.S64, rGlobal, c.stateAt(sGlobal))
	c.Zero(rSteps)
	c.Zero(rOps)
	c.findBounds(&c.e.frame)
}

// finish writes back what the code has counted and what it has kept of the batch, and returns.
func (c *code) finish() {
	t, ended, current := x86.RAX, x86.RCX, x86.RDX
	c.MR(x86.ADD, x86.S64, c.stateAt(sSteps), rSteps)
	c.MR(x86.ADD, x86.S64, c.stateAt(sOps), rOps)
	c.RM(x86.MOV, x86.S32, t, c.frameAt(fWarp))
	c.RM(x86.MOV, x86.S32, current, c.frameAt(fRuns))
	c.RRR(x86.SHLX, x86.S32, current, current, t)
	c.atWarp(t, t)
	c.MR(x86.MOV, x86.S64, c.stateAt(sWarp), t)
	c.MR(x86.MOV, x86.S32, c.stateAt(sCurrent), current)
	c.RM(x86.MOV, x86.S32, t, c.frameAt(fLater))
	c.MR(x86.MOV, x86.S32, c.stateAt(sLater), t)
	c.RR(x86.OR, x86.S32, t, current)
	c.R(x86.NOT, x86.S32, t)
	c.RM(x86.MOV, x86.S32, ended, c.frameAt(fBegun))
	c.RR(x86.AND, x86.S32, ended, t)
	c.RM(x86.MOV, x86.S32, current, c.frameAt(fMoved))
	c.Zero(t)
	c.RR(x86.TEST, x86.S32, ended, ended)
	c.Set(x86.NE, t)
	c.RR(x86.OR, x86.S32, current, t)
	c.MR(x86.MOV, x86.S32, c.stateAt(sMoved), current)
	c.R(x86.NOT, x86.S32, ended)
	c.RM(x86.AND, x86.S32, ended, c.frameAt(fAlive))
	c.MR(x86.MOV, x86.S32, c.stateAt(sAlive), ended)
	c.RM(x86.MOV, x86.S32, t, c.frameAt(fCTAs))
	c.MR(x86.MOV, x86.S32, c.stateAt(sCTAs), t)
	c.ret()
}

// ret returns, on the stack that the code was called on.
func (c *code) ret() {
	c.RM(x86.MOV, x86.S64, x86.RSP, c.frameAt(fStack))
	for i := range saved {
		c.R(x86.POP, x86.S64, saved[len(saved)-1-i])
	}
	c.None(x86.VZEROUPPER)
	c.None(x86.RET)
}
