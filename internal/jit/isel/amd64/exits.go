package amd64

import (
	"ptxvm.invalid/ptxvm/internal/jit/isel"
	"ptxvm.invalid/ptxvm/internal/jit/ssa"
	"ptxvm.invalid/ptxvm/internal/jit/x86"
	"ptxvm.invalid/ptxvm/internal/machine/abi"
)

// This file has the exits: how the running warp is left.

// stub is where an exit is taken.
type stub struct {
	from   *block
	pos    int // behind how many of its instructions
	state  ssa.StateID
	missed int32 // one more than the pc of an access whose bounds were missed
}

// exit lets an instruction, the last of the running block so far, lead to the exit of a state.
func (s *selector) exit(i *isel.Inst, id ssa.StateID, missed int32) {
	b := &block{Block: s.out.NewBlock(s.Level, true), stub: &stub{from: s.block, pos: len(s.Insts) - 1, state: id,
		missed: missed}}
	s.stubs = append(s.stubs, b)
	i.To = b.Block
}

// before computes in cold code what the exit of an effect writes and the code behind it wants, too: else each exit
// would have operations of its own for it.
func (s *selector) before(e *ssa.Effect) {
	if e.State == 0 || !s.Cold {
		return
	}
	for _, h := range s.f.States[e.State].Homes {
		v := h.Value
		if s.wanted[v] == 0 || s.f.Ops[v].Code == ssa.Result || s.f.Ops[v].Code == ssa.Strided {
			continue
		}
		if s.f.IsNum(v) {
			s.num(v)
			continue
		}
		for i := range s.partsOf(v) {
			s.part(v, i)
		}
	}
}

// home is what an exit writes: registers from use on, by bytes of the warp's register block.
type home struct {
	kind  ssa.HomeKind
	off   int32
	use   int
	parts int
	one   bool // one register for all parts
}

// leave selects an exit: what it needs and is not there it computes.
func (s *selector) leave(b *block) {
	s.block = b
	s.local.reset()
	state := &s.f.States[b.stub.state]
	uses := []isel.VReg{s.bits(state.Mask)}
	for _, p := range state.Places {
		uses = append(uses, s.bits(p.Mask))
	}
	var homes []home
	for _, h := range state.Homes {
		x := home{kind: h.Kind, off: int32(h.Off), use: len(uses)}
		switch h.Kind {
		case ssa.Pred:
			uses = append(uses, s.bits(h.Value))
		case ssa.Slot:
			uses = append(uses, s.num(h.Value))
		default:
			x.parts = s.vectorsOf(32, s.f.TypeOf(h.Value))
			x.one = s.f.Info[h.Value].Uni
			for i := range x.parts {
				if i == 0 || !x.one {
					uses = append(uses, s.part(h.Value, i))
				}
			}
		}
		homes = append(homes, x)
	}
	missed := b.stub.missed
	i := s.perform("exit", func(c *code) { c.leaveWarp(state, homes, missed) }, s.temps(3, 0), uses...)
	i.Any = true
}

// leaveWarp writes counts, places, and the homes of variables, and returns.
func (c *code) leaveWarp(s *ssa.State, homes []home, missed int32) {
	rows, mask, t := c.t(0), c.t(1), c.t(2)
	c.RM(x86.MOV, x86.S32, rows, c.frameAt(fWarp))
	c.RRI(x86.IMUL, x86.S64, rows, rows, int32(wSize))
	c.RM(x86.ADD, x86.S64, rows, c.frameAt(fWarps))
	c.RM(x86.MOV, x86.S64, rows, x86.At(rows, int32(wRegs)).By(ofWarp))
	if missed != 0 {
		c.MI(x86.MOV, x86.S32, c.stateAt(sMissed), missed)
	}
	for _, h := range homes {
		c.home(&h, rows, t)
	}
	c.into(mask, 0)
	if s.Restart {
		c.RM(x86.MOV, x86.S64, rSteps, c.frameAt(fSteps0))
		c.RM(x86.MOV, x86.S64, rOps, c.frameAt(fOps0))
		c.RM(x86.MOV, x86.S32, t, c.frameAt(fFuel0))
		c.MR(x86.MOV, x86.S32, c.frameAt(fFuel), t)
		c.MI(x86.MOV, x86.S32, c.frameAt(fLooped), 0)
	}
	if s.Undo != 0 {
		c.undo(s.Undo, mask, t)
	}
	c.RM(x86.MOV, x86.S32, t, c.frameAt(fLooped))
	c.MR(x86.MOV, x86.S32, c.stateAt(sLooped), t)
	c.MI(x86.MOV, x86.S32, c.stateAt(sPlaced), 0)
	c.MI(x86.MOV, x86.S32, c.stateAt(sExited), -1)
	c.MI(x86.MOV, x86.S32, c.stateAt(sMask), -1)
	flags := uint32(0)
	if s.FuelOut {
		flags = uint32(abi.FuelOut)
	}
	c.place(s.PC, mask, rows, t, flags)
	for i, p := range s.Places {
		c.into(mask, 1+i)
		c.place(p.PC, mask, rows, t, 0)
	}
	c.Jmp(c.done)
}

// undo takes instructions back that lanes of a mask have not executed.
func (c *code) undo(n int64, mask, t x86.Reg) {
	none := c.NewLabel()
	c.RR(x86.TEST, x86.S32, mask, mask)
	c.Jcc(x86.E, none)
	c.add(rSteps, -n)
	c.RR(x86.POPCNT, x86.S32, t, mask)
	c.addTimes(rOps, t, t, -n)
	c.Bind(none)
}

// place adds a place where lanes stand, if there are any.
func (c *code) place(pc int32, mask, at, t x86.Reg, flags uint32) {
	none := c.NewLabel()
	c.RR(x86.TEST, x86.S32, mask, mask)
	c.Jcc(x86.E, none)
	c.RM(x86.MOV, x86.S32, at, c.stateAt(sPlaced))
	c.RRI(x86.IMUL, x86.S64, at, at, int32(pSize))
	c.RR(x86.ADD, x86.S64, at, rState)
	field := func(off uintptr) x86.Mem { return x86.At(at, int32(sPlaces+off)).By(ofPlaces) }
	c.MI(x86.MOV, x86.S32, field(0), pc)
	c.MR(x86.MOV, x86.S32, field(pMask), mask)
	if flags != 0 {
		c.MI(x86.MOV, x86.S32, field(pFuel), 0)
	} else {
		c.RM(x86.MOV, x86.S32, t, c.frameAt(fFuel))
		c.MR(x86.MOV, x86.S32, field(pFuel), t)
	}
	c.MI(x86.MOV, x86.S32, field(pFlags), int32(flags))
	c.M(x86.INC, x86.S32, c.stateAt(sPlaced))
	c.R(x86.NOT, x86.S32, mask)
	c.MR(x86.AND, x86.S32, c.stateAt(sExited), mask)
	c.Bind(none)
}

// home writes a variable to the warp's register block.
func (c *code) home(h *home, rows, t x86.Reg) {
	row := func(disp int32) x86.Mem { return x86.At(rows, h.off+disp).By(ofRows) }
	switch h.kind {
	case ssa.Pred:
		c.into(t, h.use)
		c.MR(x86.MOV, x86.S32, row(0), t)
		return
	case ssa.Slot:
		c.into(t, h.use)
		c.MR(x86.MOV, x86.S64, row(0), t)
		return
	}
	for i := range h.parts {
		use := h.use
		if !h.one {
			use += i
		}
		v := c.e.isa.temp()
		if l := c.Uses[use]; l.IsReg() {
			v = x86.Vec(l)
		} else if !h.one || i == 0 {
			c.VM(x86.VMOVUPS, c.width(), v, c.at(use))
		}
		c.MV(x86.VMOVUPS, c.width(), row(int32(c.e.isa.bytes()*i)), v)
	}
}
