package amd64

import (
	"math"
	"slices"

	"ptxvm.invalid/ptxvm/internal/jit/ssa"
	"ptxvm.invalid/ptxvm/internal/jit/x86"
	"ptxvm.invalid/ptxvm/internal/machine/abi"
)

// This file goes from warp to warp and from CTA to CTA (machine/nativebatch.go). What the code keeps of the batch is
// in its frame and is written back when it returns; what follows from the warps that are still to run is found only
// then.
//
// Of a CTA that the code itself has begun, all warps are as the last CTA has left them, and run in order: where none
// waits for another the number of the running one says which are still to run (fEnd), and nothing else is kept. Other
// CTAs, and the ends of all, are off the way of those (aside).

// does is what a function does that the way into it and from warp to warp depends on.
type does struct {
	wait    bool // its warps wait at barriers
	help    bool // the interpreter executes instructions of it (help.go)
	burn    bool // it takes fuel, or asks how much there is
	restart bool // warps that begin have their counts kept (starts.go)
	smid    bool // it asks for the number of the multiprocessor
	most    int  // how much each warp counts at most; 0: there is no telling
}

// burns are the effects that fuel has a say in.
var burns = map[ssa.Kind]bool{ssa.Fuel: true, ssa.Spare: true, ssa.Spend: true, ssa.KeepFuel: true, ssa.JoinFuel: true}

// whatDoes finds out what a function does.
func whatDoes(f *ssa.Func, keepStart bool) does {
	d := does{wait: f.Waits, restart: keepStart}
	d.smid = slices.ContainsFunc(f.Ops, func(o ssa.Op) bool { return o.Code == ssa.Field && o.Imm == uint64(sSMID) })
	steps := int64(0)
	for _, b := range f.Blocks {
		for _, e := range b.Effects {
			d.help = d.help || e.Kind == ssa.Helper
			d.burn = d.burn || burns[e.Kind]
			if e.Kind == ssa.Steps {
				steps += max(e.N, 0)
			}
		}
	}
	if loops := slices.ContainsFunc(f.Blocks, func(b *ssa.Block) bool { return b.Level > 2 }); !loops && !d.burn && !d.help && steps < 1<<16 {
		d.most = int(steps)
	}
	return d
}

// waits reports whether warps wait at barriers (wait.go). Then each warp says itself where it goes on, and no CTA is
// the code's own.
func (c *code) waits() bool { return c.e.does.wait }

// begin chooses the first warp. Like all that choose one it leads elsewhere if there is none.
func (c *code) begin(warp, later, t x86.Reg) {
	none, chosen := c.exit(), c.NewLabel()
	if !c.waits() {
		machines := c.NewLabel()
		c.MI(x86.CMP, x86.S32, c.frameAt(fEnd), 0)
		c.Jcc(x86.E, machines)
		c.first(warp, t)
		c.Jmp(chosen)
		c.Bind(machines)
	}
	c.pick(warp, later, t, none)
	c.Bind(chosen)
}

// pick chooses the next warp of a CTA that the machine has begun, if there is one and there is budget. What a warp
// begins with is kept as far as the function asks for it.
func (c *code) pick(warp, later, t x86.Reg, none x86.Label) {
	c.RM(x86.MOV, x86.S32, warp, c.frameAt(fLater))
	c.RR(x86.TEST, x86.S32, warp, warp)
	c.Jcc(x86.E, none)
	c.pickOf(warp, later, t, none)
}

// pickOf is pick of the warps in a register, one at least.
func (c *code) pickOf(warp, later, t x86.Reg, none x86.Label) {
	c.RM(x86.CMP, x86.S64, rSteps, c.frameAt(fBudget))
	c.Jcc(x86.A, none)
	c.RR(x86.BLSR, x86.S32, later, warp)
	c.RR(x86.BSF, x86.S32, warp, warp)
	c.atWarp(t, warp)
	c.MI(x86.CMP, x86.S64, x86.At(t, int32(wAt)).By(ofWarp), abi.ByOut)
	c.Jcc(x86.E, none)
	if c.waits() {
		c.MR(x86.MOV, x86.S64, c.frameAt(fAt), t)
	}
	if c.e.does.burn {
		c.RM(x86.MOV, x86.S32, t, x86.At(t, int32(wFuel)).By(ofWarp))
		c.MR(x86.MOV, x86.S32, c.frameAt(fFuel0), t)
	}
	c.MR(x86.MOV, x86.S32, c.frameAt(fLater), later)
	c.MR(x86.MOV, x86.S32, c.frameAt(fWarp), warp)
	c.keepStart(t)
}

// first chooses the first warp of a CTA that is the code's own.
func (c *code) first(warp, t x86.Reg) {
	c.Zero(warp)
	c.MR(x86.MOV, x86.S32, c.frameAt(fWarp), warp)
	c.ownFuel(t)
	c.keepStart(t)
}

// ownFuel is the fuel with which a warp of the code's own begins.
func (c *code) ownFuel(t x86.Reg) {
	if c.e.does.burn {
		c.RM(x86.MOV, x86.S32, t, c.frameAt(fFuel0))
	}
}

// keepStart keeps the counts and the fuel that the chosen warp begins with; fuel is its fuel, if the function takes any.
func (c *code) keepStart(fuel x86.Reg) {
	if c.e.does.burn {
		c.MR(x86.MOV, x86.S32, c.frameAt(fFuel), fuel)
		c.MI(x86.MOV, x86.S32, c.frameAt(fLooped), 0)
	}
	if c.e.does.restart {
		c.keepCounts()
	}
}

// fuelOfWarp finds the fuel of the running warp where the function takes none: it is that which it began with.
func (c *code) fuelOfWarp(t x86.Reg) {
	own := c.NewLabel()
	c.RM(x86.MOV, x86.S32, t, c.stateAt(sTurn))
	c.MI(x86.CMP, x86.S32, c.frameAt(fEnd), 0)
	c.Jcc(x86.NE, own)
	c.atRunning(t)
	c.RM(x86.MOV, x86.S32, t, x86.At(t, int32(wFuel)).By(ofWarp))
	c.Bind(own)
	c.MR(x86.MOV, x86.S32, c.frameAt(fFuel), t)
}

// atRunning is where the running warp is described.
func (c *code) atRunning(t x86.Reg) {
	if c.waits() {
		c.RM(x86.MOV, x86.S64, t, c.frameAt(fAt))
		return
	}
	c.RM(x86.MOV, x86.S32, t, c.frameAt(fWarp))
	c.atWarp(t, t)
}

// atWarp is where a warp is described.
func (c *code) atWarp(t, warp x86.Reg) {
	c.RRI(x86.IMUL, x86.S64, t, warp, int32(wSize))
	c.RM(x86.ADD, x86.S64, t, c.frameAt(fWarps))
}

// endWarp ends the running warp, which is to begin again with the next CTA, and chooses another.
func (c *code) endWarp(warp, later, t x86.Reg) {
	none := c.exit()
	if c.waits() {
		c.beginAgain(warp, later, t)
		c.endWaiting(warp, t)
		c.turn(warp, later, t)
		return
	}
	last, stop, on := c.NewLabel(), c.NewLabel(), c.NewLabel()
	c.RM(x86.MOV, x86.S32, warp, c.frameAt(fWarp))
	c.R(x86.INC, x86.S32, warp)
	c.RM(x86.CMP, x86.S32, warp, c.frameAt(fEnd))
	c.Jcc(x86.AE, last)
	if c.e.does.most == 0 {
		c.RM(x86.CMP, x86.S64, rSteps, c.frameAt(fBudget))
		c.Jcc(x86.A, stop)
	}
	c.MR(x86.MOV, x86.S32, c.frameAt(fWarp), warp)
	c.ownFuel(t)
	c.keepStart(t)
	c.Bind(on)
	c.aside(func() {
		machines := c.NewLabel()
		c.Bind(last)
		c.Jcc(x86.A, machines) // fEnd is 0
		c.MI(x86.MOV, x86.S32, c.frameAt(fLater), 0)
		c.Jmp(none)
		c.Bind(stop)
		c.MovImm(later, math.MaxUint32)
		c.laterFrom(later, warp)
		c.Jmp(none)
		c.Bind(machines)
		c.beginAgain(warp, later, t)
		c.pick(warp, later, t, none)
		c.Jmp(on)
	})
}

// laterFrom notes which warps of the code's own are to run: of a mask those by so many higher.
func (c *code) laterFrom(mask, by x86.Reg) {
	c.RRR(x86.SHLX, x86.S32, mask, mask, by)
	c.RM(x86.AND, x86.S32, mask, c.frameAt(fAll))
	c.MR(x86.MOV, x86.S32, c.frameAt(fLater), mask)
}

// beginAgain makes the running warp, which the machine has begun, one that begins with the next CTA.
func (c *code) beginAgain(warp, other, t x86.Reg) {
	c.RM(x86.MOV, x86.S32, warp, c.frameAt(fWarp))
	c.atRunning(t)
	field := func(off uintptr) x86.Mem { return x86.At(t, int32(off)).By(ofWarp) }
	c.MI(x86.MOV, x86.S64, field(wAt), abi.ByStart)
	c.RM(x86.MOV, x86.S32, other, c.stateAt(sTurn))
	c.MR(x86.MOV, x86.S32, field(wFuel), other)
	c.RM(x86.MOV, x86.S32, other, field(wLanes))
	c.MR(x86.MOV, x86.S32, field(wMask), other)
}

// endCTA begins the next CTA, if all warps of this one have ended and there is one, and chooses its first warp.
func (c *code) endCTA(warp, later, t x86.Reg) {
	none, own, machines, noMore := c.exit(), c.NewLabel(), c.NewLabel(), c.NewLabel()
	c.MI(x86.CMP, x86.S32, c.frameAt(fLater), 0)
	c.Jcc(x86.NE, none)
	c.MI(x86.CMP, x86.S32, c.frameAt(fEnd), 0)
	c.Jcc(x86.E, machines)
	c.Bind(own)
	c.RM(x86.CMP, x86.S64, rSteps, c.frameAt(fRest))
	c.Jcc(x86.A, none)
	c.MI(x86.SUB, x86.S32, c.frameAt(fCTAs), 1)
	c.Jcc(x86.B, noMore)
	c.M(x86.INC, x86.S32, c.stateAt(sDone))
	c.MR(x86.MOV, x86.S64, c.stateAt(sBegan), rSteps)
	c.nextPlace(t)
	c.clearShared(warp, t)
	if c.waits() {
		c.passes(t)
		c.ownCTA(t)
		c.pick(warp, later, t, none)
	} else {
		c.first(warp, t)
	}
	c.aside(func() {
		c.Bind(machines)
		c.RM(x86.MOV, x86.S32, t, c.frameAt(fBegun)) // no warp runs, and none is to: all that have begun have ended
		c.R(x86.NOT, x86.S32, t)
		c.RM(x86.AND, x86.S32, t, c.frameAt(fAlive))
		c.Jcc(x86.NE, none)
		if !c.waits() {
			c.RM(x86.CMP, x86.S64, rSteps, c.frameAt(fRest))
			c.Jcc(x86.A, none)
			c.MI(x86.CMP, x86.S32, c.frameAt(fCTAs), 0)
			c.Jcc(x86.E, none)
			c.ownCTA(t)
		}
		c.Jmp(own)
		c.Bind(noMore)
		c.MI(x86.MOV, x86.S32, c.frameAt(fCTAs), 0)
		c.Jmp(none)
	})
}

// passes begins to count passes of a CTA.
func (c *code) passes(t x86.Reg) {
	c.MI(x86.MOV, x86.S32, c.stateAt(sPassed), 1)
	c.RM(x86.MOV, x86.S32, t, c.stateAt(sSlice))
	c.MR(x86.MOV, x86.S32, c.stateAt(sLimit), t)
}

// nextPlace goes on to the next CTA of the grid, and to the next multiprocessor if anything asks for that.
func (c *code) nextPlace(t x86.Reg) {
	next := func(place, limit uintptr) {
		c.M(x86.INC, x86.S64, c.stateAt(place))
		c.RM(x86.MOV, x86.S64, t, c.stateAt(place))
		c.RM(x86.CMP, x86.S64, t, c.stateAt(limit))
	}
	if c.e.does.smid {
		less := c.NewLabel()
		next(sSMID, sSMs)
		c.Jcc(x86.B, less)
		c.MI(x86.MOV, x86.S64, c.stateAt(sSMID), 0)
		c.Bind(less)
	}
	row, done := c.NewLabel(), c.NewLabel()
	next(sPlace, sGrid)
	c.Jcc(x86.AE, row)
	c.Bind(done)
	c.aside(func() {
		c.Bind(row)
		c.MI(x86.MOV, x86.S64, c.stateAt(sPlace), 0)
		next(sPlace+8, sGrid+8)
		c.Jcc(x86.B, done)
		c.MI(x86.MOV, x86.S64, c.stateAt(sPlace+8), 0)
		c.M(x86.INC, x86.S64, c.stateAt(sPlace+16))
		c.Jmp(done)
	})
}

// clearShared clears the CTA's shared memory, of which a multiple of 64 bytes is its own.
func (c *code) clearShared(at, end x86.Reg) {
	done, again := c.NewLabel(), c.NewLabel()
	c.MI(x86.CMP, x86.S64, c.stateAt(sSharedBytes), 0)
	c.Jcc(x86.E, done)
	c.RM(x86.MOV, x86.S64, end, c.stateAt(sSharedBytes))
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
	if c.waits() {
		c.MR(x86.MOV, x86.S32, c.frameAt(fLater), t)
		c.MR(x86.MOV, x86.S32, c.frameAt(fAlive), t)
		c.MI(x86.MOV, x86.S32, c.frameAt(fMoved), 0)
		c.MI(x86.MOV, x86.S32, c.stateAt(sWaiting), 0)
		return
	}
	c.RR(x86.POPCNT, x86.S32, t, t)
	c.MR(x86.MOV, x86.S32, c.frameAt(fEnd), t)
	c.RM(x86.MOV, x86.S32, t, c.stateAt(sTurn))
	c.MR(x86.MOV, x86.S32, c.frameAt(fFuel0), t)
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
	for _, f := range []int{fEnd, fWarp, fFuel, fFuel0, fLooped} {
		c.MI(x86.MOV, x86.S32, c.frameAt(f), 0)
	}
	c.MI(x86.MOV, x86.S32, c.frameAt(fRuns), 1)
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
	if !c.waits() {
		c.rest()
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

// rest makes sure that each CTA that is begun has budget: for all its warps where it is known how much they count.
func (c *code) rest() {
	t, enough := x86.RAX, c.NewLabel()
	c.RM(x86.MOV, x86.S64, t, c.frameAt(fBudget))
	c.RI(x86.SUB, x86.S64, t, int32(32*c.e.does.most))
	c.Jcc(x86.AE, enough)
	c.Zero(t)
	c.Bind(enough)
	c.RM(x86.CMP, x86.S64, t, c.frameAt(fRest))
	fits := c.NewLabel()
	c.Jcc(x86.AE, fits)
	c.MR(x86.MOV, x86.S64, c.frameAt(fRest), t)
	c.Bind(fits)
}

// takeOwn finds what is not kept of a CTA that is the code's own: which warps have begun and which are to run.
func (c *code) takeOwn() {
	t, later, warp := x86.RAX, x86.RDX, x86.RCX
	machines, none := c.NewLabel(), c.NewLabel()
	c.MI(x86.CMP, x86.S32, c.frameAt(fEnd), 0)
	c.Jcc(x86.E, machines)
	c.RM(x86.MOV, x86.S32, t, c.frameAt(fAll))
	c.MR(x86.MOV, x86.S32, c.frameAt(fBegun), t)
	c.MR(x86.MOV, x86.S32, c.frameAt(fAlive), t)
	c.MI(x86.MOV, x86.S32, c.frameAt(fMoved), 0)
	c.MI(x86.CMP, x86.S32, c.frameAt(fRuns), 0)
	c.Jcc(x86.E, machines) // that none runs was noted with those to run
	c.RM(x86.MOV, x86.S32, warp, c.frameAt(fWarp))
	c.MovImm(later, math.MaxUint32-1)
	c.laterFrom(later, warp)
	c.Bind(machines)
	c.MI(x86.CMP, x86.S32, c.stateAt(sDone), 0)
	c.Jcc(x86.E, none)
	c.passes(t)
	c.Bind(none)
}

// noneRuns returns between two warps.
func (c *code) noneRuns() {
	c.MI(x86.MOV, x86.S32, c.frameAt(fRuns), 0)
	c.Jmp(c.done)
}

// finish writes back what the code has counted and what it has kept of the batch, and returns.
func (c *code) finish() {
	t, ended, current := x86.RAX, x86.RCX, x86.RDX
	if !c.waits() {
		c.takeOwn()
	}
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
