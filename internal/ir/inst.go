package ir

// This file declares instructions and their operands.

import (
	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/isa"
)

// Inst is one instruction. Its index in Func.Insts is its pc.
type Inst struct {
	Sel     *isa.Sel
	Guard   Guard
	Ops     []Operand // in written order, pairs and vectors nested; labels and call parts are not here
	Targets []BlockID // of a branch; brx.idx: its table, duplicates kept
	Carry   Carry
	Call    *Call
	Inlined bool     // a call or return that does nothing: the callee's body stands behind or in front of it
	Pos     diag.Pos // of the statement
	Loc     LocID
}

// Carry says whether an instruction reads or writes the condition code CC.CF (9.7.2), which
// is the predicate register Func.CC.
type Carry uint8

// The accesses to CC.CF.
const (
	CarryIn Carry = 1 << iota
	CarryOut
)

// OperandAccess is how an instruction uses a register operand.
type OperandAccess uint8

// The accesses of an operand; accumulators in registers are both.
const (
	OnlyRead OperandAccess = iota
	OnlyWrite
	ReadWrite
)

// Guard is the predicate before an instruction. The zero value of Reg is a register, so an
// unguarded instruction has Reg == NoReg.
type Guard struct {
	Reg Reg
	Neg bool
}

// Unguarded is the guard of an instruction without one.
var Unguarded = Guard{Reg: NoReg}

// OperandKind says what an operand is.
type OperandKind uint8

// The kinds of operands.
const (
	None   OperandKind = iota
	OpReg              // Reg; Neg for !p
	OpImm              // Imm: bits, cut or extended to the operand's type by the checker
	OpSpec             // Special register, component folded in
	OpSym              // the address of Var or Func plus Imm, in the space of the variable
	OpMem              // [Reg+Imm], [Var+Imm], [Imm]; Elems for the parts after the first of [a, b]
	OpVec              // {Elems}
	OpPair             // Elems[0] | Elems[1]
	OpSink             // _
	NumOperandKinds
)

var kindNames = [NumOperandKinds]string{"none", "reg", "imm", "spec", "sym", "mem", "vec", "pair", "sink"}

func (k OperandKind) String() string { return kindNames[k] }

// Operand is one operand of an instruction.
type Operand struct {
	Kind     OperandKind
	Neg      bool          // !p, -r
	Selector string        // OpReg: the part of the register that is meant, .b0 or .h10; empty: all of it
	Access   OperandAccess // OpReg, OpSink; OpSpec, which lowering refuses where it is written
	Type     isa.Type      // declared type of the register or variable; of an immediate the type it was read as
	Role     isa.Role      // what the form calls it
	Special  isa.Special   // OpSpec
	Comp     uint8         // OpSpec: component 0–3 of a vector register
	Reg      Reg           // OpReg; base of OpMem, NoReg if it has none
	Imm      uint64        // OpImm; the displacement (an int64) of OpMem and OpSym
	Var      *Var          // OpSym, OpMem
	Func     *Func         // OpSym
	Elems    []Operand     // OpVec, OpPair, OpMem with several parts
}

// Disp returns the displacement of an address in bytes.
func (o *Operand) Disp() int64 { return int64(o.Imm) }

// Op returns the first operand of a role, nil if the statement has none.
func (in *Inst) Op(role isa.Role) *Operand {
	return findRole(in.Ops, role)
}

func findRole(ops []Operand, role isa.Role) *Operand {
	for i := range ops {
		if ops[i].Role == role {
			return &ops[i]
		}
		if found := findRole(ops[i].Elems, role); found != nil {
			return found
		}
	}
	return nil
}

// Call is what a call instruction carries beside its operands (9.7.12.5).
type Call struct {
	Callee *Func     // direct call
	Target Operand   // indirect call: the register that holds the function's address
	Sig    *Sig      // of the callee or of the .callprototype; nil if an indirect call has only a target list
	Table  []*Func   // .calltargets: the functions Target may be; nil if any
	Rets   []Operand // OpReg, OpMem of a .param variable, or OpSink
	Args   []Operand // OpReg, OpImm, OpMem of a .param variable
}

// Sig is the signature of a callee.
type Sig struct {
	Name         string // of the .callprototype label; "" for a function
	Params, Rets []*Param
	Variadic     bool
	NoReturn     bool
}
