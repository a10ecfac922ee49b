package amd64

import (
	"fmt"
	"slices"
	"sync"

	"ptxvm.invalid/ptxvm/internal/jit/isel"
	"ptxvm.invalid/ptxvm/internal/jit/ssa"
)

// This file decides what is computed where: what nothing wants is not computed.

// Refusal is why a function is not taken.
type Refusal string

func (r Refusal) Error() string { return "not taken: " + string(r) }

func refuse(format string, a ...any) { panic(Refusal(fmt.Sprintf(format, a...))) }

// kind is which form of a value a virtual register holds.
type kind uint8

const (
	asPart   kind = iota // lanes
	asNum                // a number
	asWide               // of a mask: lanes of 64 bits
	asBits               // of a mask: bits of a number
	asHost               // an address of 64 bits, as the host has it
	asMiddle             // what several parts have in common
	asPacked             // of a mask: bits of a number, in any order
)

// key names what a virtual register holds.
type key struct {
	v    ssa.Value
	kind kind
	part int16
}

// entry is where it was computed.
type entry struct {
	reg   isel.VReg
	pos   int32 // behind how many instructions of the block
	block *block
	part  int16
	kind  kind
	next  int32 // 1 + the entry of the same value before this one
}

// entries are those of all keys: a list for each value.
type entries struct {
	last []int32 // by value: 1 + its last entry
	list []entry
	of   []ssa.Value // by entry
}

// prepare empties the lists, for so many values.
func (l *entries) prepare(values int) {
	clear(l.list) // which knows the blocks of another function
	l.reset()
	if len(l.last) < values {
		l.last = make([]int32, values)
	}
}

// note adds what a key names, or says that it is elsewhere now.
func (l *entries) note(k key, e entry) {
	if old := l.find(k); old != nil {
		old.reg, old.block, old.pos = e.reg, e.block, e.pos
		return
	}
	e.kind, e.part, e.next = k.kind, k.part, l.last[k.v]
	l.list, l.of = append(l.list, e), append(l.of, k.v)
	l.last[k.v] = int32(len(l.list))
}

// find is the entry of a key; nil if there is none.
func (l *entries) find(k key) *entry {
	for n := l.last[k.v]; n != 0; n = l.list[n-1].next {
		if e := &l.list[n-1]; e.kind == k.kind && e.part == k.part {
			return e
		}
	}
	return nil
}

// reset forgets all.
func (l *entries) reset() {
	for _, v := range l.of {
		l.last[v] = 0
	}
	l.list, l.of = l.list[:0], l.of[:0]
}

// block is a block that is selected.
type block struct {
	*isel.Block
	ssa     *ssa.Block
	tail    []*isel.Inst // behind all that other blocks want to be computed here
	pending []*ssa.Effect
	stub    *stub // of exits
}

// selector selects the instructions of a function.
type selector struct {
	*memory
	*block  // the running one
	f       *ssa.Func
	isa     *Target
	forced  bool // Options.Forced
	cause   cause
	reasons reasons
	dom     *ssa.Dominators
	out     *isel.Func
	blocks  []*block
	placed  []*ssa.Block
	loads   []*ssa.Effect // by value: that has it as a result
	uses    []int32       // by value
	wanted  []int32       // the same without those of states
	needs   []uint8       // by value: 1 + how many registers it takes to compute (schedule.go)
	stubs   []*block
	starts  starts
	begun   bool // behind something that is counted of the warp, in the running block
	misses  []miss
	frame   frame
	last    [64]*op // of those of vectors (shared)

	selects map[ssa.Value][]ssa.Value  // by mask: of lanes
	choices []ssa.Value                // those of masks that have been counted in the running block
	both    map[[2]ssa.Value]ssa.Value // by two masks in the order of their numbers: what both have

	structs map[structure]ssa.Value // of loads of structures of four words: under whose value what they share is kept
	epoch   int                     // how often memory may have changed

	pieces   piecesOf           // that the frame has
	inPieces map[ssa.Value]bool // whether lanes of a value may well be in pieces
}

// memory is what a selector has only for the next one.
type memory struct {
	ops   isel.Room[op]
	at    entries
	local entries // of the running exit
}

// memories are those that have been given back.
var memories = sync.Pool{New: func() any { return &memory{} }}

// Free gives the memory of instructions back, of which nothing is used any more.
func (o *Code) Free() {
	o.memory.ops.Reset()
	memories.Put(o.memory)
	o.Func.Free()
}

// Select makes instructions of a placed function, or says why it does not.
func Select(f *ssa.Func, t *Target, o Options) (c *Code, err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case Refusal:
			err = p
		default:
			panic(p)
		}
	}()
	s := &selector{memory: memories.Get().(*memory), f: f, isa: t, forced: o.Forced, dom: ssa.FindDominators(f),
		out: isel.New(f.Name), blocks: make([]*block, len(f.Blocks)),
		placed: make([]*ssa.Block, len(f.Ops)), loads: make([]*ssa.Effect, len(f.Ops)), uses: make([]int32,
			len(f.Ops)), needs: make([]uint8, len(f.Ops)), starts: findStarts(f),
		selects: map[ssa.Value][]ssa.Value{}, both: map[[2]ssa.Value]ssa.Value{}}
	if o.Trace != nil {
		s.reasons = reasons{}
	}
	s.at.prepare(len(f.Ops))
	s.local.prepare(len(f.Ops))
	s.prepare()
	for _, b := range s.dom.Blocks {
		s.run(s.blocks[b.ID])
	}
	for i := 0; i < len(s.stubs); i++ {
		s.leave(s.stubs[i])
	}
	s.order()
	s.out.RemoveUnused()
	s.frame.findOthers(f)
	if err := checkAreas(s.out); err != nil {
		return nil, err
	}
	return &Code{Func: s.out, isa: t, frame: s.frame, does: whatDoes(f, s.starts.always), memory: s.memory, reasons: s.reasons, trace: o.Trace}, nil
}

// prepare makes the blocks, finds where values are placed, and counts their uses.
func (s *selector) prepare() {
	for i, b := range s.f.Blocks {
		s.blocks[i] = &block{Block: s.out.NewBlock(b.Level, b.Cold), ssa: b}
	}
	for _, b := range s.dom.Blocks {
		for _, p := range b.Params {
			s.params(p, b)
		}
		for _, i := range b.Items() {
			if i.Effect == nil {
				s.placed[i.Value] = b
				switch o := &s.f.Ops[i.Value]; {
				case s.f.IsNum(i.Value):
				case o.Code == ssa.Select:
					s.selects[o.A] = append(s.selects[o.A], i.Value)
				case o.Code == ssa.And && o.Type == ssa.M:
					s.both[[2]ssa.Value{min(o.A, o.B), max(o.A, o.B)}] = i.Value
				}
				continue
			}
			for _, r := range i.Effect.Results {
				s.loads[r] = i.Effect
			}
		}
	}
	for _, b := range s.dom.Blocks {
		s.use(b.Cond)
		for _, i := range b.Items() {
			if i.Effect != nil {
				s.use(i.Effect.Reads()...)
			} else {
				s.use(s.f.Ops[i.Value].Operands()...)
			}
		}
		for _, e := range b.Out {
			s.use(e.Args...)
		}
	}
	s.wanted = slices.Clone(s.uses)
	for i := range s.f.States {
		s.use(s.f.States[i].Reads()...)
	}
}

// use counts uses. What has no place is computed where it is used.
func (s *selector) use(list ...ssa.Value) {
	for _, v := range list {
		if s.uses[v]++; s.uses[v] == 1 && s.placed[v] == nil && s.f.Ops[v].Code > ssa.Const {
			s.use(s.f.Ops[v].Operands()...)
		}
	}
}

// params makes the registers of a parameter.
func (s *selector) params(p ssa.Value, b *ssa.Block) {
	to := s.blocks[b.ID]
	if s.f.IsNum(p) {
		to.Params = append(to.Params, s.define(key{v: p, kind: asNum}, isel.General, to))
		return
	}
	for i := range s.partsOf(p) {
		to.Params = append(to.Params, s.define(key{p, asPart, int16(i)}, s.isa.classOf(s.f.TypeOf(p)), to))
	}
}

// define makes a register for what a key names, at the end of a block.
func (s *selector) define(k key, c isel.Class, b *block) isel.VReg {
	r := s.out.NewReg(c)
	s.note(k, r, b)
	return r
}

// note says that a register holds what a key names.
func (s *selector) note(k key, r isel.VReg, b *block) {
	to := &s.at
	if b.stub != nil {
		to = &s.local
	}
	to.note(k, entry{reg: r, block: b, pos: int32(len(b.Insts))})
}

// look finds what a key names, if it has been computed where the running block can use it.
func (s *selector) look(k key) (isel.VReg, bool) {
	if s.stub != nil {
		if e := s.local.find(k); e != nil {
			return e.reg, true
		}
	}
	e := s.at.find(k)
	if e == nil {
		return 0, false
	}
	from := s.block
	if s.stub != nil {
		if from = s.stub.from; e.block == from && int(e.pos) > s.stub.pos {
			return 0, false
		}
	}
	return e.reg, e.block == from || s.dom.Dominates(e.block.ssa, from.ssa)
}

// in selects something at the end of a block.
func (s *selector) in(b *block, do func()) {
	now := s.block
	s.block = b
	do()
	s.block = now
}

// find is the register of what a key of a pure value names: computed where the value was placed, if it has not been so
// far. An index that was extended may have a place for another use, from which no way leads here: it is made again.
func (s *selector) find(k key, compute func(k key)) isel.VReg {
	if r, ok := s.look(k); ok {
		return r
	}
	before := s.because(cause{value: k.v, part: k.part})
	if p := s.placed[k.v]; s.stub == nil && p != nil && p != s.ssa && s.dom.Dominates(p, s.ssa) && !s.coldLanes(k, p) {
		s.in(s.blocks[p.ID], func() { compute(k) })
	} else {
		compute(k)
	}
	s.because(before)
	r, ok := s.look(k)
	if !ok {
		panic(fmt.Sprintf("BUG: v%d was computed where it cannot be used", k.v))
	}
	return r
}

// coldLanes tells whether it is cold code alone that wants a number in lanes, so far: then hot code, where the number was placed, does not
// bring it there.
func (s *selector) coldLanes(k key, p *ssa.Block) bool {
	return k.kind == asPart && s.f.IsNum(k.v) && s.Cold && !p.Cold && s.ssa.Level <= p.Level
}

// emit adds an instruction.
func (s *selector) emit(i *isel.Inst) *isel.Inst {
	if s.reasons != nil {
		s.reasons[i] = s.reason()
	}
	s.Insts = append(s.Insts, i)
	return i
}

// run selects a block.
func (s *selector) run(b *block) {
	s.block, s.begun, s.choices = b, s.starts.behind[b.ssa.ID], s.choices[:0]
	for _, i := range b.ssa.Items() {
		if i.Effect != nil {
			s.because(cause{effect: i.Effect})
			s.effect(i.Effect)
		}
	}
	s.because(cause{})
	s.terminate()
}

// flush makes the loads that wait.
func (s *selector) flush() {
	list := s.pending
	s.pending = nil
	for _, e := range list {
		for k, v := range e.Results {
			for i := range s.partsOf(v) {
				if s.uses[v] > 0 && e.Access.Bits[k] != 0 {
					s.loaded(v, i)
				}
			}
		}
	}
}

// partsOf is how many vectors a value has; what is the same in all lanes has one.
func (s *selector) partsOf(v ssa.Value) int {
	if s.f.Info[v].Uni {
		return 1
	}
	return s.vectorsOf(s.f.LanesOf(v), s.f.TypeOf(v))
}

// vectorsOf is how many vectors so many lanes of a type are.
func (s *selector) vectorsOf(lanes int, t ssa.Type) int { return lanes / s.isa.lanes(t) }

// order puts the blocks one behind the other: hot ones, cold ones, exits.
func (s *selector) order() {
	for _, cold := range []bool{false, true} {
		for _, b := range s.dom.Blocks {
			if x := s.blocks[b.ID]; x.Cold == cold {
				x.Insts = append(x.Insts, x.tail...)
				s.out.Add(x.Block)
			}
		}
	}
	for _, m := range s.misses {
		s.out.Add(m.Block)
	}
	for _, x := range s.stubs {
		s.out.Add(x.Block)
	}
}
