package amd64

import (
	"ptxvm.invalid/ptxvm/internal/jit/isel"
	"ptxvm.invalid/ptxvm/internal/jit/ssa"
	"ptxvm.invalid/ptxvm/internal/jit/x86"
)

// This file has atomic operations: of one number once, or lane after lane in ascending order, with addresses, operands
// and results in the frame. All lanes are tested before the first is done. Where other threads of the host may touch
// the memory instructions are locked.

// atomic selects one.
func (s *selector) atomic(e *ssa.Effect) {
	if k, known := s.f.Known(e.Mask); known && k == 0 {
		return
	}
	a := e.Access
	u := &updating{effect: e, update: &updates[e.Update], size: x86.S32, one: -1}
	u.tested = s.tested(a.Bounds, a.Bytes(), true, max(a.Align, 1))
	if a.Elem == 8 {
		u.size = x86.S64
	}
	i := &isel.Inst{}
	if e.Kind == ssa.Atomic {
		i.Uses = append(i.Uses, s.bits(e.Mask))
	} else if _, known := s.f.Known(e.Mask); known {
		u.mask = -1
	} else {
		i.Uses = append(i.Uses, s.num(e.Mask))
	}
	o := &op{name: e.Kind.String()}
	if a.Index == 0 && a.Step == 0 {
		s.updateOne(u, i)
	} else {
		o.areas = append(o.areas, s.addressesOfUpdates(e).reads())
	}
	for k, v := range e.Args {
		u.args = append(u.args, operand{use: len(i.Uses)})
		if s.f.IsNum(v) {
			i.Uses = append(i.Uses, s.num(v))
			continue
		}
		n := s.vectorsOf(s.lanesIn(), s.f.TypeOf(v))
		values := s.area(fValues+256*k, s.isa.bytes()*n)
		for i := range n {
			s.storeArea(values, s.isa.bytes()*i, s.part(v, i))
		}
		u.args[k] = operand{area: values}
		o.areas = append(o.areas, values.reads())
	}
	if len(e.Results) > 0 {
		u.result = s.area(fValues+2*256, s.lanesIn()*u.size.Bytes())
		o.areas = append(o.areas, u.result.writes())
	}
	o.run = func(c *code) { (&updater{code: c, updating: u}).write() }
	i.Op, i.Temps = o, s.temps(6, 2)
	s.emit(i)
	if u.one >= 0 && a.Check == 0 {
		s.exit(i, e.State, e.PC+1)
	}
	if u.result != nil {
		s.resultsOfUpdates(e, u.result)
	}
}

// updateOne puts the address of the one element into a register.
func (s *selector) updateOne(u *updating, i *isel.Inst) {
	u.one = len(i.Uses)
	if u.effect.Access.Check == 0 {
		i.Uses = append(i.Uses, s.firstAddress(u.effect))
		u.onePlace = mem{kind: atHost, use: int8(u.one), access: ofTested}
		return
	}
	m, base := s.address(u.effect, u.effect.Access.Disp)
	i.Uses, u.onePlace = append(i.Uses, base), m
	u.onePlace.use = int8(u.one)
}

// addressesOfUpdates puts the addresses of lanes into the frame, tested unless a test in front has found them to be
// inside.
func (s *selector) addressesOfUpdates(e *ssa.Effect) *area {
	a := e.Access
	switch {
	case a.Check != 0:
		return s.addresses(e)
	case !s.isa.Has(Masks):
		t := s.tested(a.Bounds, a.Bytes(), true, max(a.Align, 1))
		return s.testAll(e, &t).area
	}
	lanes := s.area(fLanes, 8*s.lanesIn())
	for i, v := range s.testAddresses(e, true) {
		s.storeArea(lanes, s.isa.bytes()*i, v)
	}
	return lanes
}

// resultsOfUpdates brings what was there from the frame.
func (s *selector) resultsOfUpdates(e *ssa.Effect, from *area) {
	v := e.Results[0]
	for i := range s.partsOf(v) {
		d, at := s.out.NewReg(isel.Vector), from.lo+s.isa.bytes()*i
		s.emit(s.out.NewInst(s.op(op{code: x86.VMOVUPS, form: formLoad, size: uint8(s.isa.width), mem: frameAt(at),
			areas: []touch{{from, at, at + s.isa.bytes(), false}}}), d))
		s.note(key{v, asPart, int16(i)}, d, s.block)
	}
}

// updating is what an atomic operation does.
type updating struct {
	effect   *ssa.Effect
	update   *update
	size     x86.Size
	tested   tested
	mask     int // the use that is the mask; -1: it holds
	one      int // the use that is the address of the one element, which is at onePlace; -1: the frame has those of lanes
	onePlace mem
	args     []operand
	result   *area // nil: it is not wanted
}

// operand is a number, or lanes in the frame.
type operand struct {
	use  int
	area *area
}

// update is how an element changes: direct does so in memory, make computes what comes of what was there (old) and the
// operand (with), which stay as they are.
type update struct {
	direct x86.Op
	make   func(u *updater, made, old, with x86.Reg)
}

var updates = [ssa.NumUpdates]update{
	ssa.UpdateAdd: {x86.ADD, by(x86.ADD)},
	ssa.UpdateAnd: {x86.AND, by(x86.AND)},
	ssa.UpdateOr:  {x86.OR, by(x86.OR)}, ssa.UpdateXor: {x86.XOR, by(x86.XOR)},
	ssa.UpdateMinS: {make: chosen(x86.L)}, ssa.UpdateMaxS: {make: chosen(x86.G)},
	ssa.UpdateMinU: {make: chosen(x86.B)}, ssa.UpdateMaxU: {make: chosen(x86.A)},
	ssa.UpdateExch: {direct: x86.MOV},
	ssa.UpdateInc:  {make: (*updater).inc}, ssa.UpdateDec: {make: (*updater).dec},
	ssa.UpdateAddF: {make: (*updater).addFloat}, ssa.UpdateAddFlat: {make: (*updater).addFlat},
}

// by is an instruction's result.
func by(op x86.Op) func(u *updater, made, old, with x86.Reg) {
	return func(u *updater, made, old, with x86.Reg) {
		u.RR(x86.MOV, u.size, made, old)
		u.RR(op, u.size, made, with)
	}
}

// chosen takes the operand where it compares so with what was there.
func chosen(better x86.Cond) func(u *updater, made, old, with x86.Reg) {
	return func(u *updater, made, old, with x86.Reg) {
		u.RR(x86.MOV, u.size, made, old)
		u.RR(x86.CMP, u.size, with, old)
		u.Cmov(better, u.size, made, with)
	}
}

// inc: 0 from the limit on.
func (u *updater) inc(made, old, with x86.Reg) {
	below := u.NewLabel()
	u.RM(x86.LEA, x86.S32, made, x86.At(old, 1))
	u.RR(x86.CMP, x86.S32, old, with)
	u.Jcc(x86.B, below)
	u.Zero(made)
	u.Bind(below)
}

// dec: the limit from 0 and from beyond it, that is, where one less is at least the limit.
func (u *updater) dec(made, old, with x86.Reg) {
	u.RM(x86.LEA, x86.S32, made, x86.At(old, -1))
	u.RR(x86.CMP, x86.S32, made, with)
	u.Cmov(x86.AE, x86.S32, made, with)
}

// addFloat adds floats: of 32 bits with the canonical NaN, of 64 bits with an operand's.
func (u *updater) addFloat(made, old, with x86.Reg) {
	x, y := u.tv(tempVectors), u.tv(tempVectors+1)
	if u.size == x86.S64 {
		u.VR(x86.VMOVQ, x86.W128, x, old)
		u.VR(x86.VMOVQ, x86.W128, y, with)
		u.VVV(x86.VADDSD, x86.W128, x, y, x) // of two NaNs the operand's stays
		u.RV(x86.VMOVQ, x86.W128, made, x)
		return
	}
	u.VR(x86.VMOVD, x86.W128, x, old)
	u.VR(x86.VMOVD, x86.W128, y, with)
	u.addWords(made, x, y)
}

func (u *updater) addWords(made x86.Reg, x, y x86.Vec) {
	number := u.NewLabel()
	u.VVV(x86.VADDSS, x86.W128, x, x, y)
	u.VV(x86.VUCOMISS, x86.W128, x, x)
	u.RV(x86.VMOVD, x86.W128, made, x)
	u.Jcc(x86.NP, number)
	u.MovImm(made, 0x7fffffff)
	u.Bind(number)
}

// addFlat takes subnormal operands and results for 0.
func (u *updater) addFlat(made, old, with x86.Reg) {
	x, y := u.tv(tempVectors), u.tv(tempVectors+1)
	for _, k := range []struct {
		to   x86.Vec
		from x86.Reg
	}{{x, old}, {y, with}} {
		u.RR(x86.MOV, x86.S32, made, k.from)
		u.flatten(made)
		u.VR(x86.VMOVD, x86.W128, k.to, made)
	}
	u.addWords(made, x, y)
	u.flatten(made)
}

func (u *updater) flatten(r x86.Reg) {
	normal := u.NewLabel()
	u.RI(x86.TEST, x86.S32, r, 0x7f800000)
	u.Jcc(x86.NE, normal)
	u.RI(x86.AND, x86.S32, r, -1<<31)
	u.Bind(normal)
}

// updater writes an atomic operation. What was there is in rax, as instructions that compare and exchange want it.
type updater struct {
	*code
	*updating
	moved x86.Reg // what is used in place of rax meanwhile
}

// Temporaries of an updater.
const (
	tempLeft = iota // lanes to come
	tempLane
	tempAt
	tempWith
	tempMade
	tempMoved
	tempVectors
)

// reg is where a register is while rax is out of use.
func (u *updater) reg(r x86.Reg) x86.Reg {
	if r == x86.RAX {
		return u.moved
	}
	return r
}

func (u *updater) temp(i int) x86.Reg { return u.reg(u.t(i)) }

// write writes the operation.
func (u *updater) write() {
	end := u.NewLabel()
	if u.one >= 0 && u.mask >= 0 {
		u.RR(x86.TEST, x86.S32, u.u(u.mask), u.u(u.mask))
		u.Jcc(x86.E, end)
	}
	if u.one >= 0 && u.effect.Access.Check == 0 {
		u.test(&u.tested, u.u(u.one), u.t(tempAt), u.exit())
	}
	u.moved = u.t(tempMoved)
	u.RR(x86.MOV, x86.S64, u.moved, x86.RAX)
	if u.effect.Kind == ssa.AtomicOnce {
		u.element()
	} else {
		u.eachBit(u.reg(u.u(u.mask)), u.temp(tempLeft), u.temp(tempLane), u.element)
	}
	u.RR(x86.MOV, x86.S64, x86.RAX, u.moved)
	u.Bind(end)
}

// element updates the running lane's.
func (u *updater) element() {
	at, old, made := u.place(), x86.RAX, u.temp(tempMade)
	with := u.operand(len(u.args)-1, u.temp(tempWith))
	switch direct := u.update.direct; {
	case u.effect.Update == ssa.UpdateCas:
		u.RR(x86.MOV, u.size, old, u.operand(0, old))
		u.locked().MR(x86.CMPXCHG, u.size, at, with)
	case u.result == nil && direct == x86.MOV:
		u.MR(x86.MOV, u.size, at, with)
	case u.result == nil && direct != 0:
		u.locked().MR(direct, u.size, at, with)
	case direct == x86.MOV:
		u.RR(x86.MOV, u.size, old, with)
		u.MR(x86.XCHG, u.size, at, old)
	case direct == x86.ADD:
		u.RR(x86.MOV, u.size, old, with)
		u.locked().MR(x86.XADD, u.size, at, old)
	default:
		again := u.NewLabel()
		u.RM(x86.MOV, u.size, old, at)
		u.Bind(again)
		u.update.make(u, made, old, with)
		if !u.effect.Locked {
			u.MR(x86.MOV, u.size, at, made)
			break
		}
		u.Lock().MR(x86.CMPXCHG, u.size, at, made)
		u.Jcc(x86.NE, again)
	}
	if u.result != nil {
		u.MR(x86.MOV, u.size, u.ofLane(u.result), old)
	}
}

// locked makes the next instruction atomic where others may look.
func (u *updater) locked() *x86.Asm {
	if u.effect.Locked {
		return u.Lock()
	}
	return u.Asm
}

// place is where the running lane's element is.
func (u *updater) place() x86.Mem {
	if u.one >= 0 {
		return x86.AtIndex(rGlobal, u.reg(u.u(u.one)), 1, int32(u.onePlace.disp)).By(u.onePlace.access)
	}
	at := u.temp(tempAt)
	u.RM(x86.MOV, x86.S64, at, x86.AtIndex(x86.RSP, u.temp(tempLane), 8, fLanes))
	return x86.AtIndex(rGlobal, at, 1, 0).By(ofTested)
}

// operand is the register of an operand of the running lane; that is to if it is in the frame.
func (u *updater) operand(k int, to x86.Reg) x86.Reg {
	o := &u.args[k]
	if o.area == nil {
		return u.reg(u.u(o.use))
	}
	u.RM(x86.MOV, u.size, to, u.ofLane(o.area))
	return to
}

// ofLane is what an area has of the running lane.
func (u *updater) ofLane(a *area) x86.Mem {
	return x86.AtIndex(x86.RSP, u.temp(tempLane), uint8(u.size.Bytes()), int32(a.lo))
}
