package amd64

import (
	"ptxvm.invalid/ptxvm/internal/jit/isel"
	"ptxvm.invalid/ptxvm/internal/jit/ssa"
	"ptxvm.invalid/ptxvm/internal/jit/x86"
)

// This file has the fuel of lanes that wait for others of their warp, and of those that they go on with.

// fuelLeft brings what is left.
func (c *code) fuelLeft(t x86.Reg) { c.RM(x86.MOV, x86.S32, t, c.frameAt(fFuel)) }

// keepFuel is the fuel of lanes that wait, where others may begin to.
func (s *selector) keepFuel(e *ssa.Effect) {
	uses := s.fuelUses(e)
	i := s.emit(s.out.NewInst(s.op(op{name: "keepfuel", run: func(c *code) {
		c.move(c.g(0), c.u(0))
		c.ifAny(1, func() {
			less := c.NewLabel()
			c.RM(x86.CMP, x86.S32, c.g(0), c.frameAt(fFuel))
			c.Jcc(x86.LE, less)
			c.fuelLeft(c.g(0))
			c.Bind(less)
		})
	}}), s.out.NewReg(isel.General), uses...))
	i.Early = true
	s.note(key{v: e.Results[0], kind: asNum}, i.Defs[0], s.block)
}

// joinFuel gives those that run the fuel of lanes that have waited, if it is less, or if none runs.
func (s *selector) joinFuel(e *ssa.Effect) {
	s.perform("joinfuel", func(c *code) {
		less := c.NewLabel()
		c.ifAny(1, func() {
			c.RM(x86.CMP, x86.S32, c.u(0), c.frameAt(fFuel))
			c.Jcc(x86.GE, less)
		})
		c.MR(x86.MOV, x86.S32, c.frameAt(fFuel), c.u(0))
		c.Bind(less)
	}, nil, s.fuelUses(e)...)
}

// fuelUses are the fuel of lanes that have waited, and whether there are lanes in the mask unless that is known to have none.
func (s *selector) fuelUses(e *ssa.Effect) []isel.VReg {
	uses := []isel.VReg{s.num(e.Args[0])}
	if k, known := s.f.Known(e.Mask); !known || k != 0 {
		uses = append(uses, s.any(e.Mask))
	}
	return uses
}

// ifAny does something if a use, if there is one, is not 0.
func (c *code) ifAny(use int, do func()) {
	if use >= len(c.Uses) {
		return
	}
	none := c.NewLabel()
	c.RR(x86.TEST, x86.S32, c.u(use), c.u(use))
	c.Jcc(x86.E, none)
	do()
	c.Bind(none)
}
