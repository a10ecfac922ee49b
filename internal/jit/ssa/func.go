package ssa

import (
	"math"
	"slices"
)

// Info is what is known of a value.
type Info struct {
	Uni   bool  // the same in all lanes
	Num   bool  // it is a number: general registers hold it
	Level int8  // of the innermost loop that it changes in
	Block int32 // that has it as a parameter, or as a result of an effect; -1: it is pure
}

// Func is a function.
type Func struct {
	Name   string
	Ops    []Op
	Info   []Info
	Blocks []*Block
	Checks []Check
	States []State
	Copies []Copy     // by Op.Copy
	Tables [][]uint64 // of Each: an entry for each lane of the copy
	Warp   Value      // the number of the running warp of a CTA
	Warps  int        // and how many there are at most; 0: nothing is known of them
	Shared int32      // 1 + the bounds of accesses to the CTA's shared memory; 0: there are none
	Chosen []int32    // bounds of accesses by pointers that may lead now into one allocation, now into another
	Waits  bool       // warps wait at barriers: effects that go on to a warp have its entry as the last result

	Copy   uint16 // of the operations that are made now
	NoWrap func(base Value, step int64, signed bool) bool

	index  index
	lookUp bool // operations that are not there are 0
	rules  []rule
}

// Copy is a part of the code that has operations of its own: what is not hot is never computed above its root.
type Copy struct {
	Lanes int // of a group
	Cold  bool
	Of    uint16 // the copy in which it begins: it has that one's values, of other lanes the numbers alone,
	From  Value  // up to this one; 0: nothing is shared
}

// Block has effects in order.
type Block struct {
	ID      int
	Params  []Value
	Effects []*Effect
	Cond    Value // Out[0] if it holds, else Out[1]; none: there are no two edges
	Out     []*Edge
	Level   int8 // of loops: launch 0, CTA 1, warp 2, loops of the kernel from 3 on
	Lanes   int  // of the group that runs here; 0: the whole warp
	Cold    bool
	Order   []Item // set by place: what is computed, in order
}

// Item is a value to be computed, or an effect.
type Item struct {
	Value  Value
	Effect *Effect
}

// Edge leads from block to block, with a value for each parameter.
type Edge struct {
	To   *Block
	Args []Value
}

// Kind is what an effect does.
type Kind uint8

// The kinds of effects.
const (
	Load       Kind = iota // Results = memory, where Mask holds
	Store                  // memory = Args, where Mask holds
	Atomic                 // memory = Update of memory and Args, lane by lane where Mask holds; Results = what was there, if Bits says that it is wanted
	AtomicOnce             // the same once if Mask holds, of numbers, without a result
	Steps                  // the warp has executed N instructions, if Mask holds in a lane
	Lanes                  // N times the lanes of Mask, of the block's group, have executed an instruction
	Fuel                   // a back edge costs N, or the fuel of polling if N is 0, if Mask holds; leaves with State if none is left
	Leave                  // leaves with State if Mask holds; if N is not 0 because the bounds of the access at PC were missed
	Begin                  // Results = whether there is a warp to run, the first of the batch, ctaid x, y, z, and the warp's entry
	EndWarp                // the warp has ended; Results = whether another of the CTA is to run, its number, its entry
	EndCTA                 // Results = whether another CTA begins, its first warp, ctaid x, y, z, and the warp's entry
	Barrier                // the warp waits at barrier N to go on at Entry; Results = whether it is the last to come. Leaves with State if warps wait at another
	Turn                   // Results = whether another warp of the CTA is to run while this one waits, its number, its entry
	Resume                 // Results = the running warp's variables, as Homes says: of a block's group from lane N on
	Helper                 // the interpreter executes the instruction at PC for the lanes of Mask, if there are any; Args are the living lanes. Leaves with State in front of it if it does not simply go on
	Clear                  // the running warp's local memory becomes zeros: N bytes of its register block, from Entry on
	Keep                   // the variables of Homes go home, of a block's group from lane N on
	Spare                  // Results = whether the fuel is enough for N back edges, and some is left
	Spend                  // takes the fuel of N back edges, of which Spare has told that it is there
	KeepFuel               // Results = the fuel of lanes that wait: where more begin to, those of Mask, no more than is left, else Args
	JoinFuel               // the fuel becomes that of lanes that have waited, Args: where others run, those of Mask, no more than is left
	Ready                  // nothing, but Args have been computed
	Fence                  // no access passes: none of this code, and if N is not 0 none as other threads of the host see them
)

var kindNames = [...]string{Load: "load", Store: "store", Atomic: "atomic", AtomicOnce: "atomiconce", Steps: "steps", Lanes: "lanes", Fuel: "fuel", Leave: "leave", Begin: "begin", EndWarp: "endwarp", EndCTA: "endcta",
	Barrier: "barrier", Turn: "turn", Resume: "resume", Helper: "helper", Clear: "clear", Keep: "keep", Spare: "spare", Spend: "spend", KeepFuel: "keepfuel", JoinFuel: "joinfuel", Ready: "ready", Fence: "fence"}

// Kinds is the number of kinds.
const Kinds = len(kindNames)

// String is its name in text.
func (k Kind) String() string { return kindNames[k] }

// Effect has a place. A mask that is a number holds for all lanes or for none.
type Effect struct {
	Kind    Kind
	Access  *Access
	Update  Update // of Atomic and AtomicOnce
	Locked  bool   // and whether other threads of the host may touch that memory
	Mask    Value
	Args    []Value
	Results []Value
	State   StateID
	PC      int32
	N       int64
	Entry   int32  // where a warp goes on behind a barrier: the machine tells the code this number; 0 is the start of the kernel
	Homes   []Home // of Barrier, Helper, Keep and Resume: where variables are while the warp waits, or the interpreter has it. Those of Resume have no value; a result that is a number is what lane 0 has
}

// Access is where and how memory is touched: element k of Count, of Elem bytes, at Base + Index + lane·Step + Disp + k·Elem. Base is a
// number of 64 bits.
//
// Where tests in front hold of the index's least and largest lane, Low and High are the addresses of these without Disp, and Check and Upto
// the checks of each.
type Access struct {
	Elem, Count, Align uint8
	Signed             bool    // narrow elements are extended by their sign
	Bits               []uint8 // of the register of each element; 0: its result is not wanted
	Base, Index        Value   // Index: lanes of 64 bits, or none
	Step, Disp         int64
	Bounds             int32   // the machine's table of bounds
	Check, Upto        CheckID // that hold here; 0: the access tests itself
	Low, High          Value   // addresses that these check, if they are not the base
	Runs               Value   // a number: the lanes of the index follow each other by one element, from Low on
}

// Stores tells whether an access changes memory.
func (e *Effect) Stores() bool { return e.Kind == Store || e.Kind == Atomic || e.Kind == AtomicOnce }

// Bytes is how much each lane touches.
func (a *Access) Bytes() int64 { return int64(a.Elem) * int64(a.Count) }

// Widen makes a check contain what an access touches, from lo to hi behind the address.
func (c *Check) Widen(lo, hi int64, e *Effect) {
	c.Lo, c.Hi, c.Align, c.Store = min(c.Lo, lo), max(c.Hi, hi), max(c.Align, e.Access.Align), c.Store || e.Stores()
}

// LocalBounds are those of the running warp's local memory, which no table of the machine has: a check of it holds always.
const LocalBounds = -1

// LocalBase parts the base of an access to local memory into where that begins and a number; 0: it is none.
func (f *Func) LocalBase(base Value) (rows, plus Value) {
	if o := &f.Ops[base]; o.Code == Add && f.Ops[o.A].Code == Rows {
		return o.A, o.B
	} else if o.Code == Add && f.Ops[o.B].Code == Rows {
		return o.B, o.A
	} else if o.Code == Rows {
		return base, 0
	}
	return 0, 0
}

// CheckID is the index of a check; 0 is none.
type CheckID int32

// Check is what Inside tests of an address: that [address+Lo, address+Hi) lies in the allocation of a table of bounds, that it
// may be written, and that the address is a multiple of Align.
type Check struct {
	Bounds int32
	Lo, Hi int64
	Store  bool
	Align  uint8
}

// StateID is the index of a state; 0 is none.
type StateID int32

// State is what the machine needs to go on instead of compiled code.
type State struct {
	PC      int32
	Mask    Value // lanes that stand at PC
	FuelOut bool  // a back edge took the last fuel
	Restart bool  // the warp begins once more, with the counts and the fuel that it began with: it has written nothing
	Undo    int64 // instructions that are counted for Mask and not executed
	Places  []Place
	Homes   []Home
}

// Place is where other lanes stand.
type Place struct {
	PC   int32
	Mask Value
	Fuel Value // a number; none: they have what is left
}

// NoFuel is what lanes have that wait where none does: no other ones have more.
const NoFuel = math.MaxInt32

// HomeKind is the form of a variable in the register block.
type HomeKind uint8

// The kinds of homes.
const (
	Row  HomeKind = iota // a value for each lane, 32 or 64 bits by its type
	Slot                 // a number in 8 bytes
	Pred                 // a bit for each lane
)

var homeNames = [...]string{Row: "row", Slot: "slot", Pred: "pred"}

// Home is a variable and its value.
type Home struct {
	Kind  HomeKind
	Off   uint32
	Value Value
}

// New makes an empty function. Operations are made for groups of so many lanes.
func New(name string, lanes int) *Func {
	f := &Func{Name: name, rules: rules, Copies: []Copy{{Lanes: lanes}}}
	f.Ops, f.Info = append(f.Ops, Op{}), append(f.Info, Info{Block: -1})
	f.Checks, f.States = append(f.Checks, Check{}), append(f.States, State{})
	return f
}

// NewCopy begins a copy of the running one: operations that are made from now on are its own, if they are not among those
// that were there already.
func (f *Func) NewCopy(lanes int, cold bool) uint16 {
	f.Copies = append(f.Copies, Copy{Lanes: lanes, Of: f.Copy, Cold: cold, From: Value(len(f.Ops))})
	f.Copy = uint16(len(f.Copies) - 1)
	return f.Copy
}

// NewBlock adds a block.
func (f *Func) NewBlock(level int8) *Block {
	b := &Block{ID: len(f.Blocks), Level: level}
	f.Blocks = append(f.Blocks, b)
	return b
}

// NewParam adds a parameter to a block.
func (f *Func) NewParam(b *Block, t Type, num bool) Value {
	v := f.leaf(Op{Code: Param, Type: t}, b, num)
	b.Params = append(b.Params, v)
	return v
}

// NewResult adds a result to an effect of a block.
func (f *Func) NewResult(b *Block, e *Effect, t Type, num bool) Value {
	v := f.leaf(Op{Code: Result, Type: t}, b, num)
	e.Results = append(e.Results, v)
	return v
}

func (f *Func) leaf(o Op, b *Block, num bool) Value {
	o.Copy = f.Copy
	f.Ops, f.Info = append(f.Ops, o), append(f.Info, Info{Uni: num, Num: num, Level: b.Level, Block: int32(b.ID)})
	return Value(len(f.Ops) - 1)
}

// Add adds an effect to a block.
func (b *Block) Add(e *Effect) *Effect {
	b.Effects = append(b.Effects, e)
	return e
}

// Jump ends a block.
func (b *Block) Jump(to *Block, args ...Value) *Edge {
	e := &Edge{To: to, Args: args}
	b.Out = append(b.Out, e)
	return e
}

// LanesIn is how many lanes a block's group has.
func (f *Func) LanesIn(b *Block) int {
	if b.Lanes != 0 {
		return b.Lanes
	}
	return f.Copies[0].Lanes
}

// LanesOf is how many lanes a value has.
func (f *Func) LanesOf(v Value) int { return f.Copies[f.Ops[v].Copy].Lanes }

// Known is the value of a constant.
func (f *Func) Known(v Value) (uint64, bool) { return f.Ops[v].Imm, f.Ops[v].Code == Const }

// TypeOf is a value's type.
func (f *Func) TypeOf(v Value) Type { return f.Ops[v].Type }

// IsNum tells whether a value is a number.
func (f *Func) IsNum(v Value) bool { return f.Info[v].Num }

// Reads are the values that an effect reads, without those of its state.
func (e *Effect) Reads() (list []Value) {
	if e.Mask != 0 {
		list = append(list, e.Mask)
	}
	if a := e.Access; a != nil {
		list = append(list, a.Base)
		for _, v := range [...]Value{a.Index, a.Low, a.High, a.Runs} {
			if v != 0 {
				list = append(list, v)
			}
		}
	}
	for _, h := range e.Homes {
		if h.Value != 0 {
			list = append(list, h.Value)
		}
	}
	return append(list, e.Args...)
}

// Extended parts lanes of 64 bits into what was extended from 32 bits, and a shift; 0 if they are not made so.
func (f *Func) Extended(v Value) (word Value, shift int, signed bool) {
	o := &f.Ops[v]
	if k, ok := f.Known(o.B); ok && o.Code == Shl && k <= 3 {
		shift, o = int(k), &f.Ops[o.A]
	}
	if o.Code != Sext && o.Code != Zext || f.Info[o.A].Num {
		return 0, 0, false
	}
	return o.A, shift, o.Code == Sext
}

// Reads are the values that a state needs where it is taken.
func (s *State) Reads() (list []Value) {
	if s.Mask != 0 {
		list = append(list, s.Mask)
	}
	for _, p := range s.Places {
		list = append(list, p.Mask)
		if p.Fuel != 0 {
			list = append(list, p.Fuel)
		}
	}
	for _, h := range s.Homes {
		list = append(list, h.Value)
	}
	return list
}

// Replace gives a state other values; it reports whether they are.
func (s *State) Replace(with func(Value) Value) (changed bool) {
	replace := func(v *Value) {
		if old := *v; old != 0 {
			*v = with(old)
			changed = changed || *v != old
		}
	}
	s.Places, s.Homes = slices.Clone(s.Places), slices.Clone(s.Homes)
	replace(&s.Mask)
	for i := range s.Places {
		replace(&s.Places[i].Mask)
		replace(&s.Places[i].Fuel)
	}
	for i := range s.Homes {
		replace(&s.Homes[i].Value)
	}
	return changed
}

// Equal reports whether two states are the same.
func (s *State) Equal(o *State) bool {
	return s.PC == o.PC && s.Mask == o.Mask && s.FuelOut == o.FuelOut && s.Restart == o.Restart && s.Undo == o.Undo &&
		slices.Equal(s.Places, o.Places) && slices.Equal(s.Homes, o.Homes)
}
