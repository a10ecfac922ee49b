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
	"math/bits"
	"slices"
	"sync"

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

// Step is an instruction with its places, which are the Result's (Locs).
type Step struct {
	Inst        *isel.Inst
	locs        int32 // where its places begin
	moves, edge int32 // where its moves begin, those of its edge, and
	end         int32 // where these end
}

// Result is a function with places.
type Result struct {
	Func   *isel.Func
	Blocks [][]Step
	Home   []Loc    // by virtual register: where it is stored when it is defined; None: it is not
	Begin  [][]Move // by block: what is stored when it begins; nil: nothing is in any
	Params []Loc    // by virtual register: where a parameter is when its block begins
	Slots  int      // of the frame

	locs  []Loc // of all steps: definitions, uses, temporaries
	moves []Move
	by    *allocator
}

// Locs are the places of a step's definitions, uses and temporaries.
func (r *Result) Locs(s *Step) (defs, uses, temps []Loc) {
	d, u, t := len(s.Inst.Defs), len(s.Inst.Uses), len(s.Inst.Temps)
	all := r.locs[s.locs:][:d+u+t]
	return all[:d], all[d:][:u], all[d+u:]
}

// Moves come before a step; edge, in order, where it leads elsewhere.
func (r *Result) Moves(s *Step) (moves, edge []Move) {
	return r.moves[s.moves:s.edge], r.moves[s.edge:s.end]
}

// Registers says which registers may be given, by class.
type Registers [isel.Classes][]Loc

// Allocate gives places to a function. What a loop does not use, and was loaded back at its end all the same, since it had a register where the
// loop begins, is kept in memory there in a second scan.
func Allocate(f *isel.Func, regs Registers) *Result {
	r := scan(f, regs, nil)
	if idle := r.by.idle; len(idle) > 0 {
		r.by.idle = nil
		r.Free()
		r = scan(f, regs, idle)
	}
	r.by.sink()
	return r
}

// passing is a value that is in a register where a loop begins, and is used only behind it.
type passing struct {
	head  int
	value isel.VReg
}

// scan gives places to a function; values that only pass through loops have none of their registers.
func scan(f *isel.Func, regs Registers, inMemory map[passing]bool) *Result {
	a := newAllocator(f, regs)
	a.inMemory = inMemory
	a.findLiveness()
	a.findUses()
	a.out.locs = again(a.locs, a.operands)[:0]
	steps := again(a.steps, a.first[len(a.first)-1])[:0]
	for _, b := range f.Blocks {
		from := len(steps)
		steps = a.block(b, steps)
		a.out.Blocks[b.ID] = steps[from:]
	}
	a.steps = steps
	return a.out
}

// allocators are those whose results have been given back.
var allocators = sync.Pool{New: func() any { return &allocator{} }}

// Free gives the memory of a result back, of which nothing is used any more.
func (r *Result) Free() {
	a := r.by
	a.locs, a.moves = r.locs, r.moves
	clear(a.steps)
	*a = allocator{flow: a.flow, memory: a.memory, start: a.start, mark: a.mark, queue: a.queue[:0]}
	a.f, a.out = nil, nil
	allocators.Put(a)
}

// again is a list of n zeros, where another was.
func again[T any](list []T, n int) []T {
	if cap(list) < n {
		return make([]T, n)
	}
	list = list[:n]
	clear(list)
	return list
}

// memory is what an allocator has only for the next one.
type memory struct {
	places, locs []Loc
	moves        []Move
	steps        []Step
}

// infinite is the next use of what is not used any more.
const infinite = 1 << 30

// state is which registers have which values, by class.
type state [isel.Classes][32]isel.VReg

// allocator is the scan.
type allocator struct {
	flow
	regs  Registers
	given [isel.Classes]uint32 // the same as bits
	out   *Result

	state
	start  []*state // by block: where values are when it begins, once an edge has led there
	where  []Loc    // by virtual register: its register, None
	mark   []int32  // by virtual register: the last edge at the end of which it has a register
	edges  int32
	full   [isel.Classes]uint32 // registers that have values
	locked [isel.Classes]uint32
	queue  []Move // of the running edge
	memory

	idle     map[passing]bool // what was loaded at the end of a loop that does not use it
	inMemory map[passing]bool // what was so in the scan before
}

func newAllocator(f *isel.Func, regs Registers) *allocator {
	n, blocks := f.NumRegs(), len(f.Blocks)
	a := allocators.Get().(*allocator)
	a.regs, a.start, a.mark = regs, again(a.start, blocks), again(a.mark, n)
	a.places = again(a.places, 3*n)
	places := a.places
	for i := range places {
		places[i] = None
	}
	a.where = places[2*n:]
	a.out = &Result{Func: f, Blocks: make([][]Step, blocks), Home: places[:n:n], Params: places[n : 2*n : 2*n],
		moves: a.moves[:0], by: a}
	for c := range regs {
		for _, r := range regs[c] {
			a.given[c] |= 1 << r
		}
	}
	a.flow.prepare(f)
	return a
}

// isConst tells whether a virtual register is a constant.
func (a *allocator) isConst(v isel.VReg) bool { return a.constant[v] }

// block gives places to the instructions of a block.
func (a *allocator) block(b *isel.Block, steps []Step) []Step {
	a.enter(b)
	a.findDeaths(b)
	for i, inst := range b.Insts {
		a.pos = a.first[b.ID] + i
		steps = append(steps, a.step(inst, a.deathsOf(i)))
	}
	return steps
}

// enter makes the state at the start of a block the running one.
func (a *allocator) enter(b *isel.Block) {
	for c := range a.state {
		for _, v := range a.state[c] {
			a.where[v] = None
		}
	}
	a.state, a.full = state{}, [isel.Classes]uint32{}
	if a.pos = a.first[b.ID]; a.start[b.ID] == nil {
		return // the first block, or one that nothing leads to
	}
	a.state = *a.start[b.ID]
	for c := range a.state {
		for r, v := range a.state[c] {
			if v != 0 {
				a.where[v] = Loc(r)
				a.full[c] |= 1 << r
			}
		}
	}
}

// step gives places to an instruction.
func (a *allocator) step(inst *isel.Inst, deaths []isel.VReg) Step {
	a.locked = [isel.Classes]uint32{}
	out := a.out
	s := Step{Inst: inst, locs: int32(len(out.locs)), moves: int32(len(out.moves))}
	n := len(inst.Defs) + len(inst.Uses) + len(inst.Temps)
	out.locs = out.locs[:len(out.locs)+n]
	defs, uses, temps := out.Locs(&s)
	if !inst.Any {
		a.useRegisters(inst, uses)
	}
	for i, t := range inst.Temps {
		temps[i] = a.take(t, 0)
		a.lock(a.f.ClassOf(t), temps[i])
	}
	if inst.Any {
		for i, v := range inst.Uses {
			uses[i] = a.placeOf(v)
		}
	}
	for _, t := range inst.Temps {
		a.free(t)
	}
	s.edge = int32(len(out.moves))
	switch early := inst.Early || inst.To != nil; {
	case !early:
		a.unlock(deaths)
		a.define(inst, defs, uses, deaths)
	case inst.Early: // where it leads, too, its definitions may have been written
		a.define(inst, defs, uses, deaths)
		a.leave(inst)
		a.unlock(deaths)
	default:
		a.leave(inst)
		a.define(inst, defs, uses, deaths)
		a.unlock(deaths)
	}
	for _, d := range inst.Defs {
		if !a.used(d) {
			a.free(d)
		}
	}
	s.end = int32(len(out.moves))
	return s
}

// define gives registers to what an instruction defines.
func (a *allocator) define(inst *isel.Inst, defs, uses []Loc, deaths []isel.VReg) {
	for i, d := range inst.Defs {
		defs[i] = a.take(d, a.hint(inst, uses, d, deaths))
		a.lock(a.f.ClassOf(d), defs[i])
	}
}

// leave finds what moves where an instruction leads elsewhere.
func (a *allocator) leave(inst *isel.Inst) {
	if inst.To != nil {
		a.edge(inst.To, inst.Args)
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
		c := a.f.ClassOf(v)
		a.state[c][r] = 0
		a.full[c] &^= 1 << r
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
		a.out.moves = append(a.out.moves, Move{v, r, from})
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
	return a.given[c]&^(a.full[c]|a.locked[c]) != 0
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
	best := None
	if free := a.given[c] &^ (a.full[c] | a.locked[c]); free&hint != 0 {
		best = Loc(bits.TrailingZeros32(free & hint))
	} else if free != 0 {
		for _, r := range a.regs[c] {
			if free>>r&1 != 0 {
				best = r
				break
			}
		}
	} else {
		best = a.farthest(c)
	}
	if old := a.state[c][best]; old != 0 {
		a.evict(old)
	}
	a.state[c][best], a.where[v] = v, best
	a.full[c] |= 1 << best
	return best
}

// farthest is the register of the value which is used last.
func (a *allocator) farthest(c isel.Class) Loc {
	best, far := None, -1
	for _, r := range a.regs[c] {
		if a.locked[c]>>r&1 == 0 {
			if n := a.cost(a.state[c][r]); n > far {
				best, far = r, n
			}
		}
	}
	if best == None {
		panic("BUG: an instruction wants more registers than there are")
	}
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
func (a *allocator) hint(inst *isel.Inst, uses []Loc, d isel.VReg, deaths []isel.VReg) uint32 {
	if p := a.wanted[d]; p != 0 && a.out.Params[p].IsReg() {
		return 1 << a.out.Params[p]
	}
	for k, v := range inst.Uses {
		if uses[k].IsReg() && a.f.ClassOf(v) == a.f.ClassOf(d) && slices.Contains(deaths, v) {
			return 1 << uses[k]
		}
	}
	return 0
}
