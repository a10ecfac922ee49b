// Package isel has what a target makes of a placed function: instructions on virtual registers, in blocks. The
// register allocator (regalloc) gives them registers, and the target encodes the result. Targets are packages below
// this one.
//
// A value with lanes becomes parts, each of one vector register: part i has the lanes from i·L on, where L is how many
// lanes of the value's type a vector holds.
package isel

import "sync"

// VReg is a virtual register; 0 is none. Each is defined once: by an instruction, as a parameter of a block, or as a
// constant.
type VReg uint32

// Class is a kind of register.
type Class uint8

// The classes.
const (
	General Class = iota // numbers
	Vector               // lanes, and masks where the target has no registers for them
	Mask                 // masks, where it has
	Classes              // how many there are
)

// Const is what a virtual register that is never defined holds: the low 8 bytes, or a vector, of which a target takes
// as much as its registers have.
type Const [64]byte

// Func is a function on virtual registers.
type Func struct {
	Name   string
	Blocks []*Block // in the order of the code
	class  []Class
	of     []int32 // by register: 1 + which constant it is; 0: it is none
	consts []Const
	found  [Classes]map[Const]VReg

	insts Room[Inst] // for more instructions, and for their registers
	regs  Room[VReg]
}

// Block is straight code. What is in front of its last instruction may leave it, too.
type Block struct {
	ID     int // index in Blocks
	Level  int8
	Cold   bool
	Params []VReg
	Insts  []*Inst
}

// Inst is an instruction. It reads all of Uses before it writes any of Defs, unless it says Early; Temps are registers
// that it changes. One that leads somewhere leads there before it writes Defs.
type Inst struct {
	Op    Op
	Defs  []VReg
	Uses  []VReg
	Temps []VReg
	Fold  int8 // 1 + the index of a use that may be in memory; 0: none may
	Any   bool // uses may be anywhere
	Keep  bool // it does more than define
	Early bool // Defs are written before all of Uses are read
	gone  bool // nothing wants it
	To    *Block
	Args  []VReg // for the parameters of To
}

// Op is what an instruction does, as its target knows it. Text is that with names for what it reads.
type Op interface{ Text(uses []string) string }

// New makes an empty function.
func New(name string) *Func {
	f := funcs.Get().(*Func)
	f.Name = name
	return f
}

// funcs are those that have been given back.
var funcs = sync.Pool{New: func() any {
	f := &Func{class: make([]Class, 1, 512), of: make([]int32, 1, 512)}
	for c := range f.found {
		f.found[c] = map[Const]VReg{}
	}
	return f
}}

// Free gives the memory of a function back, of which nothing is used any more.
func (f *Func) Free() {
	clear(f.Blocks)
	f.Blocks, f.class, f.of, f.consts = f.Blocks[:0], f.class[:1], f.of[:1], f.consts[:0]
	for c := range f.found {
		clear(f.found[c])
	}
	f.insts.Reset()
	f.regs.Reset()
	funcs.Put(f)
}

// NewInst makes an instruction that defines and uses registers. Instructions stand side by side in memory, as do their
// registers: there are many.
func (f *Func) NewInst(op Op, def VReg, uses ...VReg) *Inst {
	i := &f.insts.Take(1)[0]
	i.Op = op
	if def != 0 {
		i.Defs = f.List(def)
	}
	i.Uses = f.List(uses...)
	return i
}

// List is a list of registers.
func (f *Func) List(list ...VReg) []VReg {
	out := f.regs.Take(len(list))
	copy(out, list)
	return out
}

// NewBlock makes a block that is not in the order yet.
func (f *Func) NewBlock(level int8, cold bool) *Block {
	return &Block{ID: -1, Level: level, Cold: cold}
}

// Add puts a block behind the others.
func (f *Func) Add(b *Block) {
	b.ID = len(f.Blocks)
	f.Blocks = append(f.Blocks, b)
}

// NewReg makes a virtual register.
func (f *Func) NewReg(c Class) VReg {
	f.class, f.of = append(f.class, c), append(f.of, 0)
	return VReg(len(f.class) - 1)
}

// NumRegs is how many there are, with 0.
func (f *Func) NumRegs() int { return len(f.class) }

// ClassOf is the class of a virtual register.
func (f *Func) ClassOf(v VReg) Class { return f.class[v] }

// Constant is the virtual register of a constant.
func (f *Func) Constant(c Class, k Const) VReg {
	v, ok := f.found[c][k]
	if !ok {
		v = f.NewReg(c)
		f.consts = append(f.consts, k)
		f.found[c][k], f.of[v] = v, int32(len(f.consts))
	}
	return v
}

// Const is the constant that a virtual register is, if it is one.
func (f *Func) Const(v VReg) (Const, bool) {
	if n := f.of[v]; n != 0 {
		return f.consts[n-1], true
	}
	return Const{}, false
}

// IsConst reports whether a virtual register is a constant.
func (f *Func) IsConst(v VReg) bool { return f.of[v] != 0 }
