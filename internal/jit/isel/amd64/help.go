package amd64

import (
	"unsafe"

	"ptxvm.invalid/ptxvm/internal/jit/isel"
	"ptxvm.invalid/ptxvm/internal/jit/ssa"
	"ptxvm.invalid/ptxvm/internal/jit/x86"
	"ptxvm.invalid/ptxvm/internal/machine/abi"
)

// This file returns to the machine for one instruction, which the interpreter's handler executes (machine/nativehelp.go). All that is in
// registers is kept in the frame meanwhile: the code is entered on the same stack, and goes on behind the call of the gate that has returned.

func help(off uintptr) uintptr { return unsafe.Offsetof(state.Help) + off }

var (
	hBack  = help(unsafe.Offsetof(state.Help.Back))
	hLeave = help(unsafe.Offsetof(state.Help.Leave))
	hGo    = help(unsafe.Offsetof(state.Help.Go)) // where the stack ends
	hPC    = help(unsafe.Offsetof(state.Help.PC))
	hMask  = help(unsafe.Offsetof(state.Help.Mask))
	hRegs  = help(unsafe.Offsetof(state.Help.Regs))
	hSteps = help(unsafe.Offsetof(state.Help.Steps))
)

// help lets the interpreter execute an instruction.
func (s *selector) help(e *ssa.Effect) {
	k, known := s.f.Known(e.Mask)
	if known && k == 0 {
		return
	}
	s.flush()
	undo, pc := s.f.States[e.State].Undo, e.PC
	homes, uses := s.homes(e.Homes, []isel.VReg{s.bits(e.Mask), s.bits(e.Args[0])}, 32, 0)
	i := s.perform("help", func(c *code) {
		skip := c.NewLabel()
		c.into(c.t(1), 0)
		if !known {
			c.RR(x86.TEST, x86.S32, c.t(1), c.t(1))
			c.Jcc(x86.E, skip)
		}
		c.MR(x86.MOV, x86.S32, c.stateAt(hMask), c.t(1))
		c.MI(x86.MOV, x86.S32, c.stateAt(hPC), pc)
		c.into(c.t(1), 1)
		c.MR(x86.MOV, x86.S32, c.stateAt(sMask), c.t(1))
		c.MI(x86.MOV, x86.S32, c.stateAt(sExited), 0)
		c.RR(x86.MOV, x86.S64, c.t(1), rSteps)
		c.add(c.t(1), -undo)
		c.MR(x86.MOV, x86.S64, c.stateAt(hSteps), c.t(1))
		c.block(c.t(0))
		c.MR(x86.MOV, x86.S64, c.stateAt(hRegs), c.t(0))
		for _, h := range homes {
			c.home(&h, c.t(0), c.t(1))
		}
		c.Call(c.e.gate)
		c.MI(x86.CMP, x86.S32, c.frameAt(fBehind), abi.ByLeave)
		c.leave(x86.E)
		c.Bind(skip)
	}, s.temps(2, 0), uses...)
	i.Any = true
	s.exit(i, e.State, 0)
}

// kept is what the gate keeps of registers, behind the frame's slots, in bytes. The last of them nothing is in: code that counts itself uses
// the stack below what has been pushed, and the code is entered and left there while the frame is wanted.
func (t *Target) kept() int32 { return int32(t.vectors*t.bytes()+8*len(keptGeneral)+8*8+63)&^63 + 128 }

// keptGeneral are the general registers that the gate keeps.
var keptGeneral = append([]x86.Reg{rSteps, rOps, rGlobal}, general...)

// eachKept visits the places of registers that the gate keeps.
func (c *code) eachKept(number func(x86.Reg, x86.Mem), vector func(x86.Vec, x86.Mem), mask func(x86.K, x86.Mem)) {
	at := int(c.e.size - c.e.isa.kept())
	next := func(bytes int) x86.Mem {
		at += bytes
		return c.frameAt(at - bytes)
	}
	for v := range x86.Vec(c.e.isa.vectors) {
		vector(v, next(c.e.isa.bytes()))
	}
	for _, r := range keptGeneral {
		number(r, next(8))
	}
	for k := x86.K0; k <= x86.K7 && c.e.isa.Has(Masks); k++ {
		mask(k, next(8))
	}
}

// writeGate returns to the machine, which goes on behind the call. The return address stays on the stack.
func (c *code) writeGate() {
	c.Bind(c.e.gate)
	c.pushed = 8
	defer func() { c.pushed = 0 }()
	c.MR(x86.MOV, x86.S64, c.stateAt(hGo), x86.RSP)
	c.eachKept(
		func(r x86.Reg, m x86.Mem) { c.MR(x86.MOV, x86.S64, m, r) },
		func(v x86.Vec, m x86.Mem) { c.MV(x86.VMOVUPS, c.width(), m, v) },
		func(k x86.K, m x86.Mem) { c.MK(x86.KMOVW, m, k) })
	t, warp := x86.RAX, x86.RCX
	c.MI(x86.MOV, x86.S64, c.stateAt(hBack), abi.ByBack)
	c.MI(x86.MOV, x86.S64, c.stateAt(hLeave), abi.ByLeave)
	c.RM(x86.MOV, x86.S32, warp, c.frameAt(fWarp))
	c.MovImm(t, 1)
	c.RRR(x86.SHLX, x86.S32, t, t, warp)
	c.MR(x86.MOV, x86.S32, c.stateAt(sCurrent), t)
	c.atWarp(t, warp)
	c.MR(x86.MOV, x86.S64, c.stateAt(sWarp), t)
	c.RM(x86.MOV, x86.S32, t, c.frameAt(fCTAs))
	c.MR(x86.MOV, x86.S32, c.stateAt(sCTAs), t)
	c.ret()
}

// goOn goes on behind the call of the gate. What the machine has counted the code counts itself, unless it leaves.
func (c *code) goOn() {
	behind := c.NewLabel()
	c.pushed = 8
	defer func() { c.pushed = 0 }()
	c.RM(x86.MOV, x86.S64, x86.RSP, c.stateAt(hGo))
	c.MR(x86.MOV, x86.S32, c.frameAt(fBehind), x86.RSI)
	c.RM(x86.MOV, x86.S32, x86.RAX, c.stateAt(sCTAs))
	c.MR(x86.MOV, x86.S32, c.frameAt(fCTAs), x86.RAX)
	c.RI(x86.CMP, x86.S32, x86.RSI, abi.ByLeave)
	c.Jcc(x86.E, behind)
	c.MI(x86.MOV, x86.S64, c.stateAt(sSteps), 0)
	c.MI(x86.MOV, x86.S64, c.stateAt(sOps), 0)
	c.Bind(behind)
	c.eachKept(
		func(r x86.Reg, m x86.Mem) { c.RM(x86.MOV, x86.S64, r, m) },
		func(v x86.Vec, m x86.Mem) { c.VM(x86.VMOVUPS, c.width(), v, m) },
		func(k x86.K, m x86.Mem) { c.KM(x86.KMOVW, k, m) })
	c.None(x86.RET)
}

// clear makes zeros of part of the running warp's register block.
func (s *selector) clear(e *ssa.Effect) {
	from, bytes := int32(e.Homes[0].Off), e.N
	s.perform("clear", func(c *code) {
		at, end, again := c.t(0), c.t(1), c.NewLabel()
		c.block(at)
		c.RI(x86.ADD, x86.S64, at, from)
		c.MovImm(end, uint64(bytes))
		c.RR(x86.ADD, x86.S64, end, at)
		v := c.e.isa.temp()
		c.e.isa.zero(c.e.x, v)
		c.Bind(again)
		c.MV(x86.VMOVUPS, c.width(), x86.At(at, 0).By(ofRows), v)
		c.RI(x86.ADD, x86.S64, at, int32(c.e.isa.bytes()))
		c.RR(x86.CMP, x86.S64, at, end)
		c.Jcc(x86.B, again)
	}, s.temps(2, 0))
}
