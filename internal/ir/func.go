package ir

// This file declares functions, their registers and their blocks.

import (
	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/isa"
)

// Refusal is a statement that is not executed for what its operands are.
type Refusal struct {
	Sel *isa.Sel
	Pos diag.Pos
	Odd isa.Oddity
}

// Func is a kernel or a device function. Without Insts it is a declaration.
type Func struct {
	Name    string
	Linkage Linkage
	Entry   bool // a kernel
	Defined bool // has a body
	Unit    int  // index into Module.Sources
	Pos     diag.Pos

	Params, Rets []*Param
	Variadic     bool // the parameter list ends in an untyped array of bytes (7.1.1)
	NoReturn     bool
	Perf         Perf

	Regs    []RegInfo
	Locals  []*Var // .local and body .param variables
	Shared  []*Var // kernel, after linking: shared variables that it or a function it may call uses
	Sigs    []*Sig // .callprototype
	Pragmas []string
	Refused []Refusal // what is valid and is not executed, though its form is

	ParamBytes  int64 // rets and params: of a kernel its parameter block, of a function the front of its .param area
	CallBytes   int64 // .param area of a frame: of a function ParamBytes and the body's .param variables, of a kernel only these
	LocalBytes  int64 // local depot of a frame, without alloca
	SharedBytes int64 // kernel, after linking: static shared memory
	CC          Reg   // predicate register that stands for CC.CF; NoReg if unused

	Insts  []Inst
	Blocks []Block

	Globals   []Reg   // registers that are live at some block edge
	GlobalOf  []int32 // per register: its place in Globals, -1 if it is none
	edges     *sets   // over Globals: what lives at the edges of blocks
	Rows      Rows
	equations Equations
}

// NewFunc returns an empty function.
func NewFunc(name string) *Func { return &Func{Name: name, CC: NoReg} }

// Sig returns the function's own signature.
func (f *Func) Sig() *Sig {
	return &Sig{Params: f.Params, Rets: f.Rets, Variadic: f.Variadic, NoReturn: f.NoReturn}
}

// AddReg adds a register. The name must be new.
func (f *Func) AddReg(name string, t isa.Type) Reg {
	f.Regs = append(f.Regs, NewReg(name, t))
	return Reg(len(f.Regs) - 1)
}

// Perf holds the performance directives of a kernel (11.4); a zero means not given.
type Perf struct {
	ReqNTid, MaxNTid        [3]int32
	ReqCluster              [3]int32
	MaxNReg, MinNCTA        int32
	MaxNCTA, MaxClusterRank int32
	ExplicitCluster         bool
	BlocksAreClusters       bool
}

// Reg indexes Func.Regs.
type Reg int32

// NoReg stands where no register does.
const NoReg Reg = -1

// RegInfo is one virtual register. Names are unique in a function: a name that an inner
// scope declares again has a `~2` suffix.
type RegInfo struct {
	Name string
	Type isa.Type
	Bits uint8 // 1 for predicates, else 8 to 128
}

// NewReg describes a register of a type.
func NewReg(name string, t isa.Type) RegInfo {
	return RegInfo{Name: name, Type: t, Bits: uint8(min(t.Bits(), 128))}
}

// Width is the row set that a register lives in.
type Width uint8

// The row sets.
const (
	WPred Width = iota // one uint32 lane mask
	W32                // 32 × uint32: everything up to 32 bits
	W64                // 32 × uint64
	W128               // two adjacent rows of W64
	NumWidths
)

var widthNames = [NumWidths]string{"p", "w", "x", "q"}

func (w Width) String() string { return widthNames[w] }

// Width tells the row set of a register.
func (r *RegInfo) Width() Width {
	switch {
	case r.Bits == 1:
		return WPred
	case r.Bits <= 32:
		return W32
	case r.Bits <= 64:
		return W64
	}
	return W128
}

// BlockID indexes Func.Blocks, which is also layout order.
type BlockID int32

// NoBlock stands for the virtual exit and for "none".
const NoBlock BlockID = -1

// Block is a basic block: Insts[First:End].
type Block struct {
	Label      string // as written, "" if none
	First, End int32
	Succs      []BlockID // fall-through last; without duplicates
	Preds      []BlockID
	IDom       BlockID // NoBlock for the entry block
	IPDom      BlockID // NoBlock: the virtual exit
	Loop       BlockID // header of the innermost loop that holds the block (itself for a header), NoBlock outside
	Depth      int32   // of loops

	liveIn, liveOut set // of Func.edges
}

// BlockOf returns the block that holds a pc.
func (f *Func) BlockOf(pc int32) BlockID {
	lo, hi := 0, len(f.Blocks)
	for lo+1 < hi {
		mid := (lo + hi) / 2
		if f.Blocks[mid].First <= pc {
			lo = mid
		} else {
			hi = mid
		}
	}
	return BlockID(lo)
}

// Reg returns the register of a name, NoReg if there is none.
func (f *Func) Reg(name string) Reg {
	for i := range f.Regs {
		if f.Regs[i].Name == name {
			return Reg(i)
		}
	}
	return NoReg
}

// OwnShape is the block that a kernel's code is decoded for where no launch gives one: what it requires (.reqntid), else 256
// threads.
func (f *Func) OwnShape() LaunchShape {
	if r := f.Perf.ReqNTid; r != [3]int32{} {
		return LaunchShape{BlockX: max(r[0], 1), BlockY: max(r[1], 1), BlockZ: max(r[2], 1)}
	}
	return LaunchShape{BlockX: 256, BlockY: 1, BlockZ: 1}
}
