package amd64

import (
	"ptxvm.invalid/ptxvm/internal/jit/isel"
	"ptxvm.invalid/ptxvm/internal/jit/ssa"
	"ptxvm.invalid/ptxvm/internal/jit/x86"
)

// This file has counts, fuel, and the way from warp to warp (the protocol of machine/nativebatch.go).

func (s *selector) effect(e *ssa.Effect) {
	s.force(e)
	s.before(e)
	s.count(e)
	s.selectEffect(e)
	if e.Kind != ssa.Load && e.Kind != ssa.Steps && e.Kind != ssa.Lanes && e.Kind != ssa.Ready {
		s.epoch++ // not before: a store has loads in front of it that were put off
	}
	if e.Kind >= ssa.Fuel {
		s.pieces = piecesOf{} // others write to the frame
	}
}

func (s *selector) selectEffect(e *ssa.Effect) {
	switch e.Kind {
	case ssa.Load:
		s.loadEffect(e)
	case ssa.Store:
		s.ready(e.Args)
		s.flush()
		s.store(e)
	case ssa.Atomic, ssa.AtomicOnce:
		s.flush()
		s.atomic(e)
	case ssa.Ready:
		s.ready(e.Args)
	case ssa.Fence:
		s.flush()
		if e.N != 0 {
			s.perform("fence", func(c *code) { c.Lock().MI(x86.OR, x86.S32, c.frameAt(fFuel), 0) }, nil)
		}
	case ssa.Steps:
		s.steps(e)
	case ssa.Lanes:
		s.lanes(e.N, e.Mask)
	case ssa.Fuel:
		s.fuel(e)
	case ssa.Leave:
		s.leaveIf(e)
	case ssa.Barrier:
		s.barrier(e)
	case ssa.Resume:
		s.resume(e)
	case ssa.Keep:
		s.flush()
		s.keep(e.Homes, s.lanesIn(), int(e.N))
	case ssa.Spare:
		s.spare(e)
	case ssa.Spend:
		s.perform("spend", func(c *code) {
			c.MI(x86.MOV, x86.S32, c.frameAt(fLooped), 1)
			c.MI(x86.SUB, x86.S32, c.frameAt(fFuel), int32(e.N))
		}, nil)
	case ssa.KeepFuel:
		s.keepFuel(e)
	case ssa.JoinFuel:
		s.joinFuel(e)
	case ssa.Helper:
		s.help(e)
	case ssa.Clear:
		s.clear(e)
	}
}

// ready computes lanes, part by part.
func (s *selector) ready(list []ssa.Value) {
	s.want(list...)
	for i := range 8 {
		for _, v := range list {
			if !s.f.IsNum(v) && i < s.partsOf(v) {
				s.part(v, i)
			}
		}
	}
}

// perform is an instruction without results that a function writes.
func (s *selector) perform(name string, run func(c *code), temps []isel.VReg, uses ...isel.VReg) *isel.Inst {
	i := s.emit(s.out.NewInst(s.op(op{name: name, run: run}), 0, uses...))
	i.Temps = temps
	return i
}

// any is the number that tells whether a mask has a lane.
func (s *selector) any(v ssa.Value) isel.VReg {
	if s.f.IsNum(v) {
		return s.num(v)
	}
	return s.find(key{v: v, kind: asNum}, func(k key) { s.note(k, s.reduced(&ssa.Op{Code: ssa.Any, A: v}), s.block) })
}

// steps counts instructions of the warp.
func (s *selector) steps(e *ssa.Effect) {
	if k, ok := s.f.Known(e.Mask); ok {
		if n := e.N * int64(k); n != 0 {
			s.perform("steps", func(c *code) { c.add(rSteps, n) }, nil)
		}
		return
	}
	if _, there := s.look(key{v: e.Mask, kind: asNum}); there || s.f.IsNum(e.Mask) {
		s.perform("steps", func(c *code) { c.addTimes(rSteps, c.t(0), c.u(0), e.N) }, s.temps(1, 0), s.any(e.Mask))
		return
	}
	s.perform("steps", func(c *code) { c.addIf(rSteps, c.t(0), c.u(0), e.N) }, s.temps(1, 0), s.someBits(e.Mask))
	s.chosen(e.Mask)
}

// someBits are the bits of a mask's lanes, in any order.
func (s *selector) someBits(mask ssa.Value) isel.VReg {
	if r, ok := s.look(key{v: mask, kind: asBits}); ok {
		return r
	}
	if s.isa.Has(Masks) || s.f.LanesOf(mask) < 32 {
		return s.bits(mask)
	}
	return s.find(key{v: mask, kind: asPacked}, func(k key) { s.note(k, s.moveMask(s.packed(mask)), s.block) })
}

// lanes counts n for each lane of a mask.
func (s *selector) lanes(n int64, mask ssa.Value) {
	if k, ok := s.f.Known(mask); ok {
		if n *= int64(s.lanesIn()) * int64(k); n != 0 {
			s.perform("lanes", func(c *code) { c.add(rOps, n) }, nil)
		}
		return
	}
	if s.f.IsNum(mask) {
		n *= int64(s.lanesIn())
		s.perform("lanes", func(c *code) { c.addTimes(rOps, c.t(0), c.u(0), n) }, s.temps(1, 0), s.num(mask))
		return
	}
	s.perform("lanes", func(c *code) {
		c.RR(x86.POPCNT, x86.S32, c.t(0), c.u(0))
		c.addTimes(rOps, c.t(0), c.t(0), n)
	}, s.temps(1, 0), s.someBits(mask))
	s.chosen(mask)
}

// fuel takes the fuel of a back edge.
func (s *selector) fuel(e *ssa.Effect) {
	k, known := s.f.Known(e.Mask)
	if known && k == 0 {
		return
	}
	run := func(c *code) {
		skip := c.NewLabel()
		if !known {
			c.RR(x86.TEST, x86.S32, c.u(0), c.u(0))
			c.Jcc(x86.E, skip)
		}
		if e.N == 0 {
			c.RM(x86.MOV, x86.S32, c.t(0), c.frameAt(fPoll))
			c.MR(x86.SUB, x86.S32, c.frameAt(fFuel), c.t(0))
		} else {
			c.MI(x86.MOV, x86.S32, c.frameAt(fLooped), 1)
			c.MI(x86.SUB, x86.S32, c.frameAt(fFuel), int32(e.N))
		}
		c.leave(x86.LE)
		if s.forced {
			c.leaveIfForced(e.State)
		}
		c.Bind(skip)
	}
	var uses []isel.VReg
	if !known {
		uses = append(uses, s.any(e.Mask))
	}
	s.exit(s.perform("fuel", run, s.temps(1, 0), uses...), e.State, 0)
}

// spare tells whether so many back edges would leave fuel.
func (s *selector) spare(e *ssa.Effect) {
	r := s.plain("spare", func(c *code) {
		c.MI(x86.CMP, x86.S32, c.frameAt(fFuel), int32(e.N))
		c.set(x86.G, c.g(0))
	})
	s.note(key{v: e.Results[0], kind: asNum}, r, s.block)
}

// leaveIf leaves where a mask has a lane.
func (s *selector) leaveIf(e *ssa.Effect) {
	k, known := s.f.Known(e.Mask)
	if known && k == 0 {
		return
	}
	missed := int32(0)
	if e.N != 0 {
		missed = e.PC + 1
	}
	to := target{exit: &exit{state: e.State, missed: missed}}
	switch {
	case known:
		s.lead(&isel.Inst{Op: &op{name: "leave", run: func(c *code) { c.Jmp(c.exit()) }}}, to)
	case s.f.IsNum(e.Mask):
		s.either(e.Mask, true, to)
	default:
		s.lanesAndJump(&ssa.Op{Code: ssa.Any, A: e.Mask}, true, to)
	}
}

// protocol is how effects that end a block go on to another warp.
var protocol = map[ssa.Kind]func(c *code, warp, later, t x86.Reg){ssa.Begin: (*code).begin, ssa.EndWarp: (*code).endWarp, ssa.EndCTA: (*code).endCTA, ssa.Turn: (*code).turn}

// next goes on to another warp, or elsewhere if there is none: the results are whether there is one, its number, where
// there are more ctaid x, y and z, and where warps wait its entry.
func (s *selector) next(e *ssa.Effect, none target) {
	from, r, last := len(s.Insts), e.Results, len(e.Results)-1
	if s.f.Waits {
		r = r[:last]
	}
	run := protocol[e.Kind]
	i := &isel.Inst{Op: &op{name: e.Kind.String(), run: func(c *code) { run(c, c.g(0), c.t(0), c.t(1)) }}, Temps: s.temps(2, 0),
		Defs: s.temps(1, 0), Early: true, Keep: true, To: none.to.Block, Args: none.args}
	s.emit(i)
	s.note(key{v: r[1], kind: asNum}, i.Defs[0], s.block)
	for n, v := range r[2:] {
		s.note(key{v: v, kind: asNum}, s.loadState(sPlace+uintptr(8*n), x86.S32), s.block)
	}
	if s.f.Waits {
		s.note(key{v: e.Results[last], kind: asNum}, s.plain("entry", (*code).entry), s.block)
	}
	s.tail = append(s.tail, s.Insts[from:]...)
	s.Insts = s.Insts[:from]
}
