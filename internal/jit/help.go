package jit

// Instructions without machine code, in the middle of it. Code returns to the machine with all rows at home and says where it goes
// on; the machine has the interpreter's handler execute the instruction (machine/nativehelp.go) and comes back. It is what leaving
// and entering would do, but for what these do to fragments, batches and the lanes that wait. Where the lanes do not simply go on,
// in a fault or to wait for others, code leaves in front of the instruction.

import (
	"unsafe"

	"ptxvm.invalid/ptxvm/internal/jit/x86"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/abi"
	"ptxvm.invalid/ptxvm/internal/uop"
)

func helpAt(off uintptr) x86.Mem { return ctxAt(unsafe.Offsetof(abi.State{}.Help) + off) }

var (
	helpBack    = helpAt(unsafe.Offsetof(abi.Help{}.Back))
	helpLeave   = helpAt(unsafe.Offsetof(abi.Help{}.Leave))
	helpGo      = helpAt(unsafe.Offsetof(abi.Help{}.Go))
	helpPC      = helpAt(unsafe.Offsetof(abi.Help{}.PC))
	helpMask    = helpAt(unsafe.Offsetof(abi.Help{}.Mask))
	helpFuel    = helpAt(unsafe.Offsetof(abi.Help{}.Fuel))
	helpRegs    = helpAt(unsafe.Offsetof(abi.Help{}.Regs))
	helpSteps   = helpAt(unsafe.Offsetof(abi.Help{}.Steps))
	helpPending = helpAt(unsafe.Offsetof(abi.Help{}.Pending))
)

// helped tells whether an instruction that is not compiled is executed by its handler, without leaving.
func (r *region) helped(pc int32) bool {
	s := &r.steps[pc]
	return s.leaves && r.mayHelp(pc) && (r.leave == nil || !r.leave(pc))
}

// mayHelp tells whether a handler can execute an instruction for compiled code. What watched ones look at beyond their
// memory is right in the interpreter alone.
func (r *region) mayHelp(pc int32) bool {
	in, most := &r.insts[pc], uop.ReachCalls
	if in.Flags&machine.Watched != 0 {
		most = uop.ReachWarp
	}
	return in.Op.Reach() <= most && int(pc)+1 < len(r.insts)
}

// behindSegment goes on behind a segment that no other one follows: with what has no machine code, by a table, or out.
func (c *compiler) behindSegment(pc int32, masked bool) {
	ways := c.help
	switch {
	case int(pc) < len(c.insts) && c.tabled(pc):
		ways = c.branchTable
	case int(pc) >= len(c.insts) || !c.helped(pc):
		c.exit(pc, masked, 0)
		return
	}
	list := &c.helps[0]
	if masked {
		list = &c.helps[1]
	}
	if *list == nil {
		*list = map[int32]x86.Label{}
	}
	l := (*list)[pc]
	if l == 0 {
		l = c.later(func() { ways(pc, masked) })
		(*list)[pc] = l
	}
	c.Jmp(l)
}

// helpGates is the code that all helps share, for whole warps and for some lanes; 0: not needed so far.
type helpGates [2]x86.Label

// help assembles the way to the machine in front of an instruction and back behind it.
func (c *compiler) help(pc int32, masked bool) {
	before, behind, back := c.helpRows(pc, masked), c.helpRows(pc+1, masked), c.NewLabel()
	c.title("the interpreter executes %d", pc)
	c.count()
	if !masked {
		c.spreadRows(pc)
	}
	c.storeRows(before)
	c.MovImm(x86.RAX, uint64(pc))
	c.RM(x86.LEA, x86.S64, x86.RDX, x86.AtLabel(back))
	gate := &c.toHelp[0]
	if masked {
		gate = &c.toHelp[1]
	}
	if *gate == 0 {
		*gate = c.later(func() { c.helpGate(masked) })
	}
	c.Jmp(*gate)
	c.Bind(back)
	c.loadRows(behind)
	c.Jmp(c.behindHelp(pc, masked))
}

// helpGate returns to the machine for the instruction in EAX, to go on at the address in RDX, or to leave in front of it.
func (c *compiler) helpGate(masked bool) {
	back, leave := c.NewLabel(), c.NewLabel()
	if masked {
		c.MR(x86.MOV, x86.S32, helpMask, rMask)
	} else {
		c.MI(x86.MOV, x86.S32, helpMask, -1)
	}
	c.MR(x86.MOV, x86.S32, helpPC, x86.RAX)
	c.MR(x86.MOV, x86.S64, helpGo, x86.RDX)
	c.MR(x86.MOV, x86.S64, helpRegs, rRegs)
	c.MR(x86.MOV, x86.S32, helpFuel, rFuel)
	c.MR(x86.MOV, x86.S64, helpSteps, rSteps)
	c.MR(x86.MOV, x86.S64, helpPending, rPending)
	c.RM(x86.LEA, x86.S64, x86.RAX, x86.AtLabel(back))
	c.MR(x86.MOV, x86.S64, helpBack, x86.RAX)
	c.RM(x86.LEA, x86.S64, x86.RAX, x86.AtLabel(leave))
	c.MR(x86.MOV, x86.S64, helpLeave, x86.RAX)
	c.ret()
	c.Bind(back)
	c.loadHelped()
	c.loadConstants()
	c.M(x86.JMP, x86.S64, helpGo)
	c.Bind(leave)
	c.loadHelped()
	for _, off := range c.allRows() { // those that matter are at home
		c.eachRegister(off, func(v x86.Vec, m x86.Mem) { c.move(c.full(), v, m) })
	}
	c.RM(x86.MOV, x86.S32, x86.RAX, helpPC)
	c.Zero(x86.RCX)
	if masked {
		c.partLeave(0)
	} else {
		c.fullLeave(0)
	}
}

// helpRows are the rows in registers that the machine is to see before an instruction, or may have changed. Lanes that wait
// elsewhere need more than those that run.
func (c *compiler) helpRows(pc int32, masked bool) []uint32 {
	if masked {
		return c.allRows()
	}
	return c.liveRows(pc)
}

// loadHelped loads what code has in general registers.
func (c *compiler) loadHelped() {
	c.RM(x86.MOV, x86.S64, rRegs, helpRegs)
	c.RM(x86.MOV, x86.S32, rMask, helpMask)
	c.RM(x86.MOV, x86.S32, rFuel, helpFuel)
	c.RM(x86.MOV, x86.S64, rSteps, helpSteps)
	c.RM(x86.MOV, x86.S64, rPending, helpPending)
}

// behindHelp is where the lanes go on: behind it.
func (c *compiler) behindHelp(pc int32, masked bool) x86.Label {
	s := &c.segs[c.segAt[pc+1]]
	if masked {
		return s.part
	}
	return s.full
}
