package jit

// What templates have besides what instructions do: branches, exits, and ways out.

import "ptxvm.invalid/ptxvm/internal/jit/x86"

// quickLeave leaves by a tail before an instruction, with undo instructions that were counted and not executed.
func (c *compiler) quickLeave(to outsideTo, pc, undo int32) {
	c.exitAt(pc, undo)
	c.Jmp(c.quick.outside[to])
}

// quickBranch assembles bra: all lanes go one way, or it leaves.
func (c *compiler) quickBranch(k form) { c.quickAgreed(k, c.quickTake) }

// quickAgreed does something if the guard holds for all lanes, goes on if it does for none, and leaves where lanes part.
func (c *compiler) quickAgreed(k form, then func(form)) {
	if k.guard == 0 {
		then(k)
		return
	}
	c.quickGuard(k)
	all, part := c.NewLabel(), c.NewLabel()
	c.RI(x86.CMP, x86.S32, rGuard, -1)
	c.Jcc(x86.E, all)
	c.RR(x86.TEST, x86.S32, rGuard, rGuard)
	c.Jcc(x86.NE, part)
	c.uncountAll(false)
	c.stubs = append(c.stubs, func() {
		c.Bind(all)
		then(k)
		c.Bind(part)
		c.quickLeave(toPart, symbolPC, symbolUndo)
	})
}

// quickGuard brings a guard into its register.
func (c *compiler) quickGuard(k form) {
	c.RM(x86.MOV, x86.S32, rGuard, c.regs(symbol(0)))
	if k.guard == 2 {
		c.R(x86.NOT, x86.S32, rGuard)
	}
}

// quickTake goes to the target of a branch.
func (c *compiler) quickTake(k form) {
	if !k.back {
		c.Jmp(c.quick.outside[toTarget])
		return
	}
	if k.quiet {
		c.MI(x86.MOV, x86.S32, ctxLooped, 1)
		c.RI(x86.SUB, x86.S32, rFuel, 1)
	} else {
		c.RM(x86.SUB, x86.S32, rFuel, ctxPollFuel)
	}
	fuel := c.NewLabel()
	c.Jcc(x86.LE, fuel)
	c.RM(x86.MOV, x86.S64, x86.RCX, ctxSteps)
	c.RR(x86.ADD, x86.S64, x86.RCX, rSteps)
	c.RM(x86.CMP, x86.S64, x86.RCX, batchBudget)
	c.Jcc(x86.BE, c.quick.outside[toTarget])
	c.quickLeave(toPoll, symbolTo, 0)
	c.Bind(fuel)
	c.Zero(rFuel)
	c.quickLeave(toFuel, symbolTo, 0)
}

// quickExit assembles exit: all lanes end, or none does, or it leaves.
func (c *compiler) quickExit(k form) { c.quickAgreed(k, c.quickEnd) }

// quickEnd ends all lanes. What has been counted of instructions behind is taken back.
func (c *compiler) quickEnd(form) {
	c.MI(x86.MOV, x86.S32, ctxExited, -1)
	c.MovImm(x86.RCX, symbolUndo)
	c.RR(x86.SUB, x86.S64, rSteps, x86.RCX)
	c.RI(x86.ADD, x86.S64, rSteps, 1)
	c.flushSteps()
	c.ret()
}
