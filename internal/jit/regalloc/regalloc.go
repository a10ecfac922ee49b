// Package regalloc gives the virtual registers of a function places: by a linear scan with second chance (Traub,
// Holloway, Smith: Quality and Speed in Linear-scan Register Allocation). The scan goes through the blocks in the
// order of the code. A value stays in its register until another needs it; the one that is used last, as far as the
// order of the code tells, makes room. It has its home in memory from its definition on, and gets a register again
// where it is used the next time.
//
// Where a block begins, values are where the first edge that led there had them; the other edges bring them there by
// parallel moves. Constants have no home: they are made again. It never fails: an instruction has registers for all
// that it names, or the target has asked for more than there are, which is a mistake.
package regalloc

import (
	"slices"

	"ptxvm.invalid/ptxvm/internal/jit/isel"
)

// Loc is where a value is: a register of its class from 0 on, or below -2 a slot of the frame.
type Loc int32

// Locations that are no registers and no slots.
const (
	None    Loc = -1 // nowhere
	Pool    Loc = -2 // a constant, where constants are
	Scratch Loc = -3 // the slot in which a cycle of moves is broken
	slot0   Loc = -4
)

// SlotOf is the location of slot n.
func SlotOf(n int) Loc { return slot0 - Loc(n) }

// Slot is the number of the slot that a location is.
func (l Loc) Slot() (n int, ok bool) { return int(slot0 - l), l <= slot0 }

// IsReg tells whether a location is a register.
func (l Loc) IsReg() bool { return l >= 0 }

// Move brings a value from place to place.
type Move struct {
	Value    isel.VReg
	To, From Loc
}

// Step is an instruction with its places. Moves come before it; Edge, in order, where it leads elsewhere.
type Step struct {
	Inst              *isel.Inst
	Moves             []Move
	Defs, Uses, Temps []Loc
	Edge              []Move
}

// Result is a function with places.
type Result struct {
	Func   *isel.Func
	Blocks [][]Step
	Home   []Loc // by virtual register: where it is stored when it is defined; None: it is not
	Params []Loc // by virtual register: where a parameter is when its block begins
	Slots  int   // of the frame
}

// Registers says which registers may be given, by class.
type Registers [isel.Classes][]Loc

// Allocate gives places to a function.
func Allocate(f *isel.Func, regs Registers) *Result {
	a := newAllocator(f, regs)
	a.findLiveness()
	a.findUses()
	for _, b := range f.Blocks {
		a.block(b)
	}
	return a.out
}

// infinite is the next use of what is not used any more.
const infinite = 1 << 30

// state is which registers have which values, by class.
type state [isel.Classes][32]isel.VReg

// allocator is the scan.
type allocator struct {
	f      *isel.Func
	regs   Registers
	out    *Result
	live   []set         // by block: at its start
	start  []*state      // by block: once an edge has led there
	first  []int         // by block: position of its first instruction
	preds  []int         // by block: edges that lead there
	loop   []int         // by block: position of the last instruction that leads back there; 0: none does
	wanted []isel.VReg   // by virtual register: a parameter that an edge gives it to
	uses   [][]int32     // by virtual register: positions, ascending
	deaths [][]isel.VReg // of the running block, by instruction

	state
	constant []bool // by virtual register
	where    []Loc  // by virtual register: its register, None
	locked   [isel.Classes]uint32
	pos      int
	moves    []Move
}

func newAllocator(f *isel.Func, regs Registers) *allocator {
	n, blocks := f.NumRegs(), len(f.Blocks)
	a := &allocator{f: f, regs: regs, live: make([]set, blocks), start: make([]*state, blocks), first: make([]int,
		blocks), preds: make([]int, blocks),
		loop: make([]int, blocks), uses: make([][]int32, n), wanted: make([]isel.VReg, n), where: make([]Loc, n)}
	a.out = &Result{Func: f, Blocks: make([][]Step, blocks), Home: make([]Loc, n), Params: make([]Loc, n)}
	a.constant = make([]bool, n)
	for v := range n {
		_, a.constant[v] = f.Const(isel.VReg(v))
		a.where[v], a.out.Home[v], a.out.Params[v] = None, None, None
	}
	return a
}

// isConst tells whether a virtual register is a constant.
func (a *allocator) isConst(v isel.VReg) bool { return a.constant[v] }

// block gives places to the instructions of a block.
func (a *allocator) block(b *isel.Block) {
	a.enter(b)
	a.findDeaths(b)
	steps := make([]Step, 0, len(b.Insts))
	for i, inst := range b.Insts {
		a.pos = a.first[b.ID] + i
		steps = append(steps, a.step(inst, a.deaths[i]))
	}
	a.out.Blocks[b.ID] = steps
}

// enter makes the state at the start of a block the running one.
func (a *allocator) enter(b *isel.Block) {
	for c := range a.state {
		for _, v := range a.state[c] {
			a.where[v] = None
		}
	}
	a.state = state{}
	if a.pos = a.first[b.ID]; a.start[b.ID] == nil {
		return // the first block, or one that nothing leads to
	}
	a.state = *a.start[b.ID]
	for c := range a.state {
		for r, v := range a.state[c] {
			if v != 0 {
				a.where[v] = Loc(r)
			}
		}
	}
}

// step gives places to an instruction.
func (a *allocator) step(inst *isel.Inst, deaths []isel.VReg) Step {
	a.locked, a.moves = [isel.Classes]uint32{}, nil
	s := Step{Inst: inst, Uses: make([]Loc, len(inst.Uses)), Temps: make([]Loc, len(inst.Temps)), Defs: make([]Loc,
		len(inst.Defs))}
	if !inst.Any {
		a.useRegisters(inst, s.Uses)
	}
	for i, t := range inst.Temps {
		s.Temps[i] = a.take(t, 0)
		a.lock(a.f.ClassOf(t), s.Temps[i])
	}
	for i, v := range inst.Uses {
		if inst.Any {
			s.Uses[i] = a.placeOf(v)
		}
	}
	for _, t := range inst.Temps {
		a.free(t)
	}
	switch early := inst.Early || inst.To != nil; {
	case !early:
		a.unlock(deaths)
		a.define(&s, deaths)
	case inst.Early: // where it leads, too, its definitions may have been written
		a.define(&s, deaths)
		a.leave(&s)
		a.unlock(deaths)
	default:
		a.leave(&s)
		a.define(&s, deaths)
		a.unlock(deaths)
	}
	for _, d := range inst.Defs {
		if len(a.uses[d]) == 0 {
			a.free(d)
		}
	}
	s.Moves = a.moves
	return s
}

// define gives registers to what an instruction defines.
func (a *allocator) define(s *Step, deaths []isel.VReg) {
	for i, d := range s.Inst.Defs {
		s.Defs[i] = a.take(d, a.hint(s, d, deaths))
		a.lock(a.f.ClassOf(d), s.Defs[i])
	}
}

// leave finds what moves where an instruction leads elsewhere.
func (a *allocator) leave(s *Step) {
	if s.Inst.To != nil {
		s.Edge = a.edge(s.Inst.To, s.Inst.Args)
	}
}

// unlock frees the registers of values that are not used any more.
func (a *allocator) unlock(deaths []isel.VReg) {
	for _, v := range deaths {
		if r := a.where[v]; r.IsReg() {
			a.locked[a.f.ClassOf(v)] &^= 1 << r
			a.free(v)
		}
	}
}

func (a *allocator) lock(c isel.Class, r Loc) { a.locked[c] |= 1 << r }

// free takes the register of a value from it.
func (a *allocator) free(v isel.VReg) {
	if r := a.where[v]; r.IsReg() {
		a.state[a.f.ClassOf(v)][r] = 0
		a.where[v] = None
	}
}

// useRegisters brings what an instruction uses into registers. One use may stay in memory, if it is not used again
// soon.
func (a *allocator) useRegisters(inst *isel.Inst, places []Loc) {
	for _, v := range inst.Uses {
		if r := a.where[v]; r.IsReg() {
			a.lock(a.f.ClassOf(v), r)
		}
	}
	for i, v := range inst.Uses {
		if r := a.where[v]; r.IsReg() {
			places[i] = r
			continue
		}
		if int(inst.Fold) == i+1 && !a.worthRegister(v) {
			places[i] = a.placeOf(v)
			continue
		}
		from := a.placeOf(v)
		r := a.take(v, 0)
		a.lock(a.f.ClassOf(v), r)
		a.moves = append(a.moves, Move{v, r, from})
		places[i] = r
	}
}

// soon is how many instructions on a value is worth a register that is free.
const soon = 64

// worthRegister tells whether a value that could be read from memory is loaded: it is used again soon, and a register
// is free.
func (a *allocator) worthRegister(v isel.VReg) bool {
	c := a.f.ClassOf(v)
	if a.nextUse(v, a.pos+1) > a.pos+soon {
		return false
	}
	for _, r := range a.regs[c] {
		if a.state[c][r] == 0 && a.locked[c]>>r&1 == 0 {
			return true
		}
	}
	return false
}

// placeOf is where a value is: in a register, at home, or with the constants.
func (a *allocator) placeOf(v isel.VReg) Loc {
	switch {
	case a.where[v].IsReg():
		return a.where[v]
	case a.isConst(v):
		return Pool
	}
	return a.home(v)
}

// home is a value's slot; it has one from its definition on, if it has none so far.
func (a *allocator) home(v isel.VReg) Loc {
	if a.out.Home[v] == None {
		a.out.Home[v] = SlotOf(a.out.Slots)
		a.out.Slots++
	}
	return a.out.Home[v]
}

// take gives a register to a value: one that is free, that of hint if it is, or that of the value which is used last.
func (a *allocator) take(v isel.VReg, hint uint32) Loc {
	c := a.f.ClassOf(v)
	best, far := None, -1
	for _, r := range a.regs[c] {
		switch {
		case a.locked[c]>>r&1 != 0:
		case a.state[c][r] == 0 && hint>>r&1 != 0:
			best, far = r, infinite+2
		case a.state[c][r] == 0:
			if far <= infinite {
				best, far = r, infinite+1
			}
		default:
			if n := a.cost(a.state[c][r]); n > far {
				best, far = r, n
			}
		}
	}
	if best == None {
		panic("BUG: an instruction wants more registers than there are")
	}
	if old := a.state[c][best]; old != 0 {
		a.evict(old)
	}
	a.state[c][best], a.where[v] = v, best
	return best
}

// cost is the next use of a value, later for what needs no store if it has to make room.
func (a *allocator) cost(v isel.VReg) int {
	next := a.nextUse(v, a.pos)
	if next < infinite && (a.isConst(v) || a.out.Home[v] != None) {
		next = min(next+(next-a.pos)/2, infinite)
	}
	return next
}

// evict takes the register of a value that may be used again.
func (a *allocator) evict(v isel.VReg) {
	if !a.isConst(v) {
		a.home(v)
	}
	a.free(v)
}

// hint is a set of registers that a definition had best: that in which an edge wants it, or that of a use which ends
// here.
func (a *allocator) hint(s *Step, d isel.VReg, deaths []isel.VReg) uint32 {
	if p := a.wanted[d]; p != 0 && a.out.Params[p].IsReg() {
		return 1 << a.out.Params[p]
	}
	for k, v := range s.Inst.Uses {
		if s.Uses[k].IsReg() && a.f.ClassOf(v) == a.f.ClassOf(d) && slices.Contains(deaths, v) {
			return 1 << s.Uses[k]
		}
	}
	return 0
}
