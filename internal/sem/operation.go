package sem

// What decoded instructions compute, for engines that compile them instead of calling their
// handlers. The handlers stay the one meaning: an operation only says which of them it is and
// where it looks for its operands.

import (
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/barriers"
	"ptxvm.invalid/ptxvm/internal/machine/regs"
	"ptxvm.invalid/ptxvm/internal/uop"
)

// OperationKind says how an operation uses the fields of its instruction.
type OperationKind uint8

// The kinds of operations.
const (
	OpOther    OperationKind = iota // only its handler knows
	OpLane                          // D = Fn(A, B, C, Imm), lane by lane
	OpLogic                         // D = Word(A^Imm, B^Imm>>32): predicates as words
	OpMove                          // D = A^Imm: a predicate
	OpSelect                        // D = predicate C ? A : B, of Bits bits
	OpCompare                       // Fn(A, B) combined as Masks says
	OpSetpPair                      // the same of the lower halves to Masks.P, of the upper ones to Masks.Q
	OpSet                           // Fn(A, B) combined as Masks says; where it holds, row Masks.D gets Imm, elsewhere 0
	OpSetEach                       // the same of each element of Bits bits, to Masks.Yes in its place
	OpUnpack                        // Ext.Dst[k] = part k of Imm bits of A, which has Bits bits
	OpLoad                          // Memory
	OpStore                         // Memory
	OpBranch                        // to Imm; the lanes meet at D
	OpExit                          // the lanes end
	OpReturn                        // the lanes go back to the caller
	OpBarrier                       // bar.sync: all warps of the CTA meet at barrier number row A
	OpShuffle                       // Warp, as are those below: D = row A at lanes B, C
	OpVote                          // predicate D = of predicate A
	OpBallot                        // D = of predicate A
	OpMatchAny                      // D = of A, which has Imm bits
	OpMatchAll
	OpRedux  // D = peers' A combined by Fn
	OpElect  // D
	OpActive // D = the executing lanes
	OpWarpSync
	OpNothing // no effect
	OpFence   // orders the worker's accesses with those of others
	OpAtomic  // Memory, with what its file says: one element, old value to Ext.Dst if there is one
	OpCas
	OpConvert // Convert
	OpCarry   // D, predicate Masks.P = Fn(A, B, C, predicate Masks.C): the last operand and result are the carry

	OpLoadLocal    // Memory, of local memory
	OpStoreLocal   // the same
	OpAddressLocal // D, of B bits, = Imm behind the start of the frame's local depot
	OpAddressParam // the same of its .param area
)

// Operation is what an instruction does to the lanes that execute it.
type Operation struct {
	Kind    OperationKind
	Scalar  bool          // its operands are scalar slots
	Bits    int           // OpSelect, OpUnpack, OpSetEach: of an element
	Fn      uop.Op        // the function of a lane
	Word    uop.WordOp    // OpLogic
	Masks   MaskUse       // OpCompare to OpSetEach
	Memory  MemoryUse     // OpLoad, OpStore
	Warp    WarpUse       // OpShuffle to OpWarpSync
	Convert ConvertUse    // OpConvert
	Spread  []regs.Scalar // rows to be written from the scalar results
}

// MaskUse says what becomes of the mask t of a comparison: P = Op(t, C^Flip), Q = Op(^t, C^Flip).
// Offsets are those of predicates.
type MaskUse struct {
	Op      uop.WordOp
	P, Q, C uint32
	Flip    uint32
	D       uint32 // OpSet, OpSetEach: destination row or slot
	Yes     uint32 // OpSetEach
	Signed  bool   // OpSetEach: elements are extended by their sign
}

// MemoryUse describes a plain load or store. Element k has Size bytes and lies k·Size behind the
// address of a lane; a load extends it to its register, of which Bits[k] bits exist (0: nothing
// wants it).
type MemoryUse struct {
	machine.Request
	By     Addressing
	Elem   uint32
	Signed bool
	Strong bool // not a weak access
	Bits   []int
	At     []uint32 // rows or slots of the elements' registers; machine.NoGuard for none
}

// Addressing says how the lanes find their address; Inst.Imm is added to each.
type Addressing = uop.Addressing

// The ways of addressing.
const (
	ByRow64  = uop.ByRow64  // A is a row of addresses
	ByRow32  = uop.ByRow32  // A is a row of 32-bit addresses
	ByConst  = uop.ByConst  // Imm is the address of all lanes
	BySlot64 = uop.BySlot64 // A is a scalar slot
	BySlot32 = uop.BySlot32 // A is a scalar slot of 32 bits
	ByKernel = uop.ByKernel // Imm is an offset in the kernel's parameters
	ByFrame  = uop.ByFrame  // Imm is an offset in the frame's local depot
	ByParam  = uop.ByParam  // the same in its .param area
)

// OperationOf says what an instruction of the converged or split variant does.
func OperationOf(in *machine.Inst) Operation {
	op := operationOf(in.Op)
	op.Scalar = in.Flags&machine.WritesScalar != 0 && op.Kind != OpMove && op.Kind != OpLogic
	if in.Ext != nil {
		if in.Ext.Spread != nil {
			op.Spread = in.Ext.Spread.To
		}
		if in.Ext.High != nil {
			op.Kind = OpOther
		}
	}
	op.details(in)
	return op
}

func operationOf(op uop.Op) Operation {
	switch {
	case op.IsLane() && op.Shape().Carry:
		return Operation{Kind: OpCarry, Fn: op}
	case op.IsLane():
		return Operation{Kind: OpLane, Fn: op}
	case int(op) < len(operations):
		return operations[op]
	}
	return Operation{}
}

// operations has what the operation alone says; others are OpOther.
var operations = [...]Operation{
	uop.Move32:        {Kind: OpLane, Fn: uop.Copy32},
	uop.Move64:        {Kind: OpLane, Fn: uop.Copy64},
	uop.MovePredicate: {Kind: OpMove},
	uop.Logic:         {Kind: OpLogic},
	uop.Select32:      {Kind: OpSelect, Bits: 32},
	uop.Select64:      {Kind: OpSelect, Bits: 64},
	uop.Setp:          {Kind: OpCompare},
	uop.Set:           {Kind: OpSet},
	uop.SetpHalves:    {Kind: OpSetpPair},
	uop.SetHalves:     {Kind: OpSetEach, Bits: 16},
	uop.SetPacked:     {Kind: OpSetEach},
	uop.Unpack32:      {Kind: OpUnpack, Bits: 32},
	uop.Unpack64:      {Kind: OpUnpack, Bits: 64},
	uop.Branch:        {Kind: OpBranch},
	uop.Exit:          {Kind: OpExit},
	uop.Return:        {Kind: OpReturn},
	uop.BarrierSync:   {Kind: OpBarrier},
	uop.Nothing:       {Kind: OpNothing},
	uop.Fence:         {Kind: OpFence},
	uop.Convert:       {Kind: OpConvert},
	uop.ConvertPacked: {Kind: OpConvert},

	uop.Load32:       {Kind: OpLoad},
	uop.Load64:       {Kind: OpLoad},
	uop.LoadRows:     {Kind: OpLoad},
	uop.LoadRows32:   {Kind: OpLoad},
	uop.LoadUniform:  {Kind: OpLoad},
	uop.Store32:      {Kind: OpStore},
	uop.Store64:      {Kind: OpStore},
	uop.StoreRows:    {Kind: OpStore},
	uop.StoreRows32:  {Kind: OpStore},
	uop.StoreConst:   {Kind: OpStore},
	uop.LoadLocal:    {Kind: OpLoad},
	uop.StoreLocal:   {Kind: OpStore},
	uop.LoadParam:    {Kind: OpLoad},
	uop.StoreParam:   {Kind: OpStore},
	uop.AddressLocal: {Kind: OpAddressLocal},
	uop.AddressParam: {Kind: OpAddressParam},
	uop.AtomicUpdate: {Kind: OpAtomic},
	uop.AtomicCas:    {Kind: OpCas},
	uop.AtomicCas32:  {Kind: OpCas},

	uop.ShuffleUp:   {Kind: OpShuffle, Warp: WarpUse{Mode: ShuffleUp}},
	uop.ShuffleDown: {Kind: OpShuffle, Warp: WarpUse{Mode: ShuffleDown}},
	uop.ShuffleBfly: {Kind: OpShuffle, Warp: WarpUse{Mode: ShuffleBfly}},
	uop.ShuffleIdx:  {Kind: OpShuffle, Warp: WarpUse{Mode: ShuffleIdx}},
	uop.VoteAll:     {Kind: OpVote, Warp: WarpUse{Mode: VoteAll}},
	uop.VoteAny:     {Kind: OpVote, Warp: WarpUse{Mode: VoteAny}},
	uop.VoteUni:     {Kind: OpVote, Warp: WarpUse{Mode: VoteUni}},
	uop.Ballot:      {Kind: OpBallot},
	uop.MatchAny:    {Kind: OpMatchAny},
	uop.MatchAll:    {Kind: OpMatchAll},
	uop.Redux:       {Kind: OpRedux},
	uop.Elect:       {Kind: OpElect},
	uop.ActiveMask:  {Kind: OpActive},
	uop.WarpSync:    {Kind: OpWarpSync},
}

// details adds what the payload says.
func (op *Operation) details(in *machine.Inst) {
	switch op.Kind {
	case OpLogic:
		op.Word = uop.WordOp(in.C)
	case OpCompare, OpSetpPair, OpSet, OpSetEach:
		op.compare(in.Ext.Data.(*uop.Compare))
	case OpCarry:
		op.Masks.C, op.Masks.P = uint32(in.Imm), uint32(in.Imm>>32)
	case OpShuffle, OpVote, OpBallot, OpMatchAny, OpMatchAll, OpRedux, OpElect, OpWarpSync:
		op.warp(in.Ext.Data.(*uop.Warp))
	case OpLoad, OpStore:
		op.memory(in)
	case OpAtomic, OpCas:
		op.atomic(in)
	case OpConvert:
		op.convert(in)
	case OpBarrier:
		if o := in.Ext.Data.(*uop.Barrier); o.Kind != barriers.Sync || o.Counted {
			op.Kind = OpOther
		}
	}
}

func (op *Operation) compare(k *uop.Compare) {
	op.Fn = k.Fn
	op.Masks = MaskUse{Op: k.Op, P: k.P, Q: k.Q, C: k.C, Flip: k.Flip, D: k.D, Yes: k.Yes, Signed: k.Signed}
	if k.Bits != 0 {
		op.Bits = int(k.Bits)
	}
}

func (op *Operation) memory(in *machine.Inst) {
	m := memoryOf(in)
	if m.Whole {
		op.Kind = OpOther
		return
	}
	op.Memory = MemoryUse{Request: m.Request, By: m.By, Elem: m.Elem, Signed: m.Signed, Strong: m.Strong, Bits: m.Bits, At: in.Ext.Src}
	if op.Kind == OpLoad {
		op.Memory.At = in.Ext.Dst
	}
	if m.Space == machine.Local || m.By == ByFrame || m.By == ByParam {
		op.Memory.Space = machine.Local
		op.Kind += OpLoadLocal - OpLoad
	}
}

// LaneFunctions lists the functions of a lane that have stamped loops and no carry.
func LaneFunctions() (list []uop.Op) {
	for i := range stamps {
		if op := uop.Op(i); stamps[i].full != nil && !op.Shape().Carry {
			list = append(list, op)
		}
	}
	return list
}

// Function is the function of a lane that an operation is: func(uint32|uint64, …) (uint32|uint64|bool).
func Function(op uop.Op) any { return stamps[op].fn }
