package amd64

import (
	"math"
	"slices"

	"ptxvm.invalid/ptxvm/internal/jit/isel"
	"ptxvm.invalid/ptxvm/internal/jit/ssa"
	"ptxvm.invalid/ptxvm/internal/jit/x86"
	"ptxvm.invalid/ptxvm/internal/machine/abi"
)

// This file has the exits: how the running warp is left.

// stub is where an exit is taken.
type stub struct {
	from  *block
	pos   int // behind how many of its instructions
	state ssa.StateID

	counted bool // something the warp does has been counted there
}

// exit lets an instruction, the last of the running block so far, lead to the exit of a state.
func (s *selector) exit(i *isel.Inst, id ssa.StateID, missed int32) {
	to := s.restart(id)
	if to == nil {
		to = &block{Block: s.out.NewBlock(s.Level, true), stub: s.stubHere(id)}
		s.stubs = append(s.stubs, to)
	}
	if i.To = to.Block; missed != 0 {
		i.To = s.miss(to, missed)
	}
}

// stubHere is an exit that the last instruction so far leads to.
func (s *selector) stubHere(id ssa.StateID) *stub {
	return &stub{from: s.block, pos: len(s.Insts) - 1, state: id, counted: s.begun}
}

// restart is the exit of a state that begins the warp again, if it is one. Such states are the same wherever they are
// taken: they have an exit together, which has what is there in front of all that lead to it.
func (s *selector) restart(id ssa.StateID) *block {
	state := &s.f.States[id]
	if !state.Restart {
		return nil
	}
	for _, b := range s.stubs {
		if state.Equal(&s.f.States[b.stub.state]) && b.stub.counted == s.begun {
			s.meet(b.stub)
			return b
		}
	}
	b := &block{Block: s.out.NewBlock(s.Level, true), stub: s.stubHere(id)}
	s.stubs = append(s.stubs, b)
	return b
}

// meet says that the last instruction so far leads to an exit, too.
func (s *selector) meet(x *stub) {
	from, pos := s.dom.Common(x.from.ssa, s.ssa), math.MaxInt
	if from == x.from.ssa {
		pos = x.pos
	}
	if from == s.ssa {
		pos = min(pos, len(s.Insts)-1)
	}
	x.from, x.pos = s.blocks[from.ID], pos
}

// miss is a way to an exit on which the machine is told that the bounds of an access were missed: missed is one more
// than its pc.
func (s *selector) miss(to *block, missed int32) *isel.Block {
	for _, m := range s.misses {
		if m.to == to && m.missed == missed {
			return m.Block
		}
	}
	b := s.out.NewBlock(s.Level, true)
	run := func(c *code) { c.MI(x86.MOV, x86.S32, c.stateAt(sMissed), missed) }
	jump := s.out.NewInst(s.op(op{form: formJump, code: x86.JMP}), 0)
	jump.To = to.Block
	b.Insts = []*isel.Inst{s.out.NewInst(s.op(op{name: "missed", run: run}), 0), jump}
	s.misses = append(s.misses, miss{b, to, missed})
	return b
}

// miss is a way on which the bounds of an access were missed.
type miss struct {
	*isel.Block
	to     *block
	missed int32
}

// before computes in cold code what the exit of an effect writes and the code behind it wants, too: else each exit
// would have operations of its own for it.
func (s *selector) before(e *ssa.Effect) {
	if e.State == 0 || !s.Cold {
		return
	}
	for _, h := range s.f.States[e.State].Homes {
		v := h.Value
		if s.wanted[v] == 0 || s.f.Ops[v].Code <= ssa.Strided || !s.within(v, 8) {
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

// within reports whether a value can be computed in the running block, here: it may be that it is placed in one that
// not every way to this one goes through, and that only the exit has a copy of it here. Where that takes more than
// some steps to find out it is not said.
func (s *selector) within(v ssa.Value, depth int) bool {
	if e := s.loads[v]; e != nil {
		_, there := s.look(key{v: v, kind: s.kindOf(v)})
		return there || slices.Contains(s.pending, e)
	}
	if p := s.placed[v]; p != nil {
		return s.dom.Dominates(p, s.ssa)
	}
	if b := s.f.Info[v].Block; b >= 0 {
		return s.dom.Dominates(s.f.Blocks[b], s.ssa)
	}
	for _, a := range s.f.Ops[v].Operands() {
		if depth == 0 || !s.within(a, depth-1) {
			return false
		}
	}
	return true
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
	s.because(cause{state: b.stub.state})
	state := &s.f.States[b.stub.state]
	uses := []isel.VReg{s.bits(state.Mask)}
	for _, p := range state.Places {
		uses = append(uses, s.bits(p.Mask))
	}
	for _, p := range state.Places {
		if p.Fuel != 0 {
			uses = append(uses, s.num(p.Fuel))
		}
	}
	homes, uses := s.homes(state.Homes, uses, 32, 0)
	i := s.perform("exit", func(c *code) { c.leaveWarp(state, homes, b.stub.counted) }, s.temps(3, 0), uses...)
	i.Any = true
}

// homes are the registers of variables of so many lanes from one on, behind other uses.
func (s *selector) homes(list []ssa.Home, uses []isel.VReg, lanes, first int) (homes []home, all []isel.VReg) {
	for _, h := range list {
		x := home{kind: h.Kind, off: int32(h.Off), use: len(uses)}
		switch h.Kind {
		case ssa.Pred:
			uses = append(uses, s.bits(h.Value))
		case ssa.Slot:
			uses = append(uses, s.num(h.Value))
		default:
			t := s.f.TypeOf(h.Value)
			x.off += int32(first * t.Bits() / 8)
			x.parts = s.vectorsOf(lanes, t)
			x.one = s.f.Info[h.Value].Uni
			for i := range x.parts {
				if i == 0 || !x.one {
					uses = append(uses, s.part(h.Value, i))
				}
			}
		}
		homes = append(homes, x)
	}
	return homes, uses
}

// leaveWarp writes the homes of variables, counts and places, and returns.
func (c *code) leaveWarp(s *ssa.State, homes []home, counted bool) {
	rows, mask, t := c.t(0), c.t(1), c.t(2)
	if len(homes) > 0 {
		c.block(rows)
	}
	for _, h := range homes {
		c.home(&h, rows, t)
	}
	if len(s.Places) == 0 { // all else is no longer wanted
		mask, t = tailMask, tailTemp
	}
	c.into(mask, 0)
	if s.Undo != 0 {
		c.undo(s.Undo, mask, t)
	}
	if len(s.Places) == 0 {
		c.MovImm(tailPC, uint64(uint32(s.PC)))
		c.Jmp(c.e.tail(tail{s.Restart, s.Restart && counted, s.FuelOut}))
		return
	}
	c.noPlaces(s.Restart, counted, t)
	fuel := c.fuelLeft
	if s.FuelOut {
		fuel = nil
	}
	c.place(mask, rows, t, fuel, func(to x86.Mem) { c.MI(x86.MOV, x86.S32, to, s.PC) })
	own := 1 + len(s.Places)
	for i, p := range s.Places {
		c.into(mask, 1+i)
		if fuel = c.fuelLeft; p.Fuel != 0 {
			use := own
			own, fuel = own+1, func(t x86.Reg) { c.into(t, use) }
		}
		c.place(mask, rows, t, fuel, func(to x86.Mem) { c.MI(x86.MOV, x86.S32, to, p.PC) })
	}
	c.Jmp(c.done)
}

// tail is the end of exits of lanes that stand at one place, behind all other code: once for all of them.
type tail struct{ restart, counted, fuelOut bool }

// Registers that a tail begins with, and that it changes.
const (
	tailMask = x86.RAX
	tailPC   = x86.RCX
	tailTemp = x86.RDX
	tailAt   = x86.RSI
)

// tail is where a tail begins.
func (e *encoder) tail(t tail) x86.Label {
	for _, x := range e.tails {
		if x.tail == t {
			return x.at
		}
	}
	at := e.x.NewLabel()
	e.tails = append(e.tails, tailAtLabel{t, at})
	return at
}

type tailAtLabel struct {
	tail
	at x86.Label
}

// writeTails writes the tails that are wanted.
func (c *code) writeTails() {
	for _, t := range c.e.tails {
		c.Bind(t.at)
		c.noPlaces(t.restart, t.counted, tailTemp)
		fuel := c.fuelLeft
		if t.fuelOut {
			fuel = nil
		}
		c.place(tailMask, tailAt, tailTemp, fuel, func(to x86.Mem) { c.MR(x86.MOV, x86.S32, to, tailPC) })
		c.Jmp(c.done)
	}
}

// noPlaces gives what the warp began with back, if it begins again and has been counted, and says that its lanes stand nowhere.
func (c *code) noPlaces(restart, counted bool, t x86.Reg) {
	if restart && counted {
		c.RM(x86.MOV, x86.S64, rSteps, c.frameAt(fSteps0))
		c.RM(x86.MOV, x86.S64, rOps, c.frameAt(fOps0))
	}
	switch {
	case !c.e.does.burn:
		c.fuelOfWarp(t)
	case restart:
		c.RM(x86.MOV, x86.S32, t, c.frameAt(fFuel0))
		c.MR(x86.MOV, x86.S32, c.frameAt(fFuel), t)
		c.MI(x86.MOV, x86.S32, c.frameAt(fLooped), 0)
	}
	c.RM(x86.MOV, x86.S32, t, c.frameAt(fLooped))
	c.MR(x86.MOV, x86.S32, c.stateAt(sLooped), t)
	c.MI(x86.MOV, x86.S32, c.stateAt(sPlaced), 0)
	c.MI(x86.MOV, x86.S32, c.stateAt(sExited), -1)
	c.MI(x86.MOV, x86.S32, c.stateAt(sMask), -1)
}

// block finds the running warp's register block.
func (c *code) block(rows x86.Reg) {
	c.atRunning(rows)
	c.RM(x86.MOV, x86.S64, rows, x86.At(rows, int32(wRegs)).By(ofWarp))
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

// place adds a place where lanes stand, if there are any; getFuel brings their fuel, nil: a back edge took the last. putPC writes the pc.
func (c *code) place(mask, at, t x86.Reg, getFuel func(t x86.Reg), putPC func(to x86.Mem)) {
	none := c.NewLabel()
	c.RR(x86.TEST, x86.S32, mask, mask)
	c.Jcc(x86.E, none)
	c.RM(x86.MOV, x86.S32, at, c.stateAt(sPlaced))
	c.RRI(x86.IMUL, x86.S64, at, at, int32(pSize))
	c.RR(x86.ADD, x86.S64, at, rState)
	field := func(off uintptr) x86.Mem { return x86.At(at, int32(sPlaces+off)).By(ofPlaces) }
	putPC(field(0))
	c.MR(x86.MOV, x86.S32, field(pMask), mask)
	flags := abi.PlaceFlags(0)
	if getFuel == nil {
		flags = abi.FuelOut
		c.MI(x86.MOV, x86.S32, field(pFuel), 0)
	} else {
		getFuel(t)
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
