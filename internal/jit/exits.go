package jit

// Where compiled code is left. There are many such places and most are never reached, so each is a few
// instructions that say which it is; what is the same for all stands in a tail of its own, and rows of slots are
// written by the machine.

import (
	"ptxvm.invalid/ptxvm/internal/jit/x86"
	"ptxvm.invalid/ptxvm/internal/machine/abi"
)

// exitTails are the code that exits share, by the flags of their place; 0: not needed so far.
type exitTails struct {
	full, part [2 * abi.Parted]x86.Label
	pending    x86.Label // appends the pending lanes to the RDX places that are there, and returns
}

// exit leaves for the interpreter before an instruction, with undo instructions that were counted
// and not executed.
func (c *compiler) exit(pc int32, masked bool, undo int32) {
	c.title("leave before %d", pc)
	if c.quick != nil {
		c.quickLeave(toLeave, symbolPC, symbolUndo)
		return
	}
	if masked {
		c.partExit(pc, undo, 0)
	} else {
		c.fullExit(pc, undo, 0)
	}
}

// whole assembles what stands for code for some lanes that is not wanted: their way out.
func (c *compiler) whole(i int) {
	s := &c.segs[i]
	c.Bind(s.part)
	c.partExit(s.first, 0, abi.Parted)
}

// fullExit returns with one place, whose rows the machine settles.
func (c *compiler) fullExit(pc, undo int32, flags abi.PlaceFlags) {
	c.exitAt(pc, undo)
	c.fullLeave(flags)
}

// fullLeave is fullExit where exitAt has said where.
func (c *compiler) fullLeave(flags abi.PlaceFlags) {
	if c.tails.full[flags] == 0 {
		c.tails.full[flags] = c.later(func() { c.fullTail(flags) })
	}
	c.Jmp(c.tails.full[flags])
}

// partExit returns with the running lanes at pc (none if there are none) and all that are pending.
func (c *compiler) partExit(pc, undo int32, flags abi.PlaceFlags) {
	c.exitAt(pc, undo)
	c.partLeave(flags)
}

// partLeave is partExit where exitAt has said where.
func (c *compiler) partLeave(flags abi.PlaceFlags) {
	if c.tails.part[flags] == 0 {
		c.tails.part[flags] = c.later(func() { c.partTail(flags) })
	}
	c.Jmp(c.tails.part[flags])
}

// exitAt tells a tail where the lanes are: pc in EAX, and in ECX what is not to be counted.
func (c *compiler) exitAt(pc, undo int32) {
	c.MovImm(x86.RAX, uint64(pc))
	c.MovImm(x86.RCX, uint64(undo))
}

func (c *compiler) fullTail(flags abi.PlaceFlags) {
	c.wholeTail(flags | abi.Unsettled)
}

// wholeTail returns with one place of all lanes, where exitAt has said.
func (c *compiler) wholeTail(flags abi.PlaceFlags) {
	c.RR(x86.SUB, x86.S64, rSteps, x86.RCX)
	c.MR(x86.MOV, x86.S32, placeAt(rCtx, placesBase, placePC), x86.RAX)
	c.MI(x86.MOV, x86.S32, placeAt(rCtx, placesBase, placeMask), -1)
	c.MR(x86.MOV, x86.S32, placeAt(rCtx, placesBase, placeFuel), rFuel)
	c.MI(x86.MOV, x86.S32, placeAt(rCtx, placesBase, placeFlags), int32(flags))
	c.MI(x86.MOV, x86.S32, ctxN, 1)
	c.storeRows(c.allRows())
	c.flushSteps()
	c.ret()
}

func (c *compiler) partTail(flags abi.PlaceFlags) {
	c.RR(x86.POPCNT, x86.S32, x86.RDX, rMask)
	c.RR(x86.IMUL, x86.S64, x86.RDX, x86.RCX)
	c.MR(x86.SUB, x86.S64, ctxSteps, x86.RCX)
	c.MR(x86.SUB, x86.S64, ctxOps, x86.RDX)
	c.MR(x86.MOV, x86.S32, placeAt(rCtx, placesBase, placePC), x86.RAX)
	c.MR(x86.MOV, x86.S32, placeAt(rCtx, placesBase, placeMask), rMask)
	c.MR(x86.MOV, x86.S32, placeAt(rCtx, placesBase, placeFuel), rFuel)
	c.MI(x86.MOV, x86.S32, placeAt(rCtx, placesBase, placeFlags), int32(flags))
	c.MovImm(x86.RDX, 1)
	c.leaveAll()
}

// leaveAll appends the pending lanes to the RDX places that are there, and returns.
func (c *compiler) leaveAll() {
	if c.tails.pending == 0 {
		c.tails.pending = c.later(c.leavePending)
	}
	c.Jmp(c.tails.pending)
}

// allRows are the resident rows.
func (c *compiler) allRows() (list []uint32) {
	for i := range c.row {
		list = append(list, c.row[i].off)
	}
	return list
}
