package sem

// What decoded instructions compute, for engines that compile them instead of calling their
// handlers. The handlers stay the one meaning: an operation only says which of them it is and
// where it looks for its operands.

import (
	"reflect"
	"sync"

	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/num"
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
	OpSet                           // the same; where it holds, row Masks.D gets Imm, elsewhere 0
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
)

// Operation is what an instruction does to the lanes that execute it.
type Operation struct {
	Kind    OperationKind
	Scalar  bool                 // its operands are scalar slots
	Bits    int                  // OpSelect, OpUnpack: of an element
	Fn      any                  // func(uint32|uint64, …) (uint32|uint64|bool)
	Word    WordOp               // OpLogic
	Masks   MaskUse              // OpCompare, OpSet
	Memory  MemoryUse            // OpLoad, OpStore
	Warp    WarpUse              // OpShuffle to OpWarpSync
	Convert ConvertUse           // OpConvert
	Spread  []machine.ScalarSlot // rows to be written from the scalar results
}

// MaskUse says what becomes of the mask t of a comparison: P = Op(t, C^Flip), Q = Op(^t, C^Flip).
// Offsets are those of predicates.
type MaskUse struct {
	Op      WordOp
	P, Q, C uint32
	Flip    uint32
	D       uint32 // OpSet: destination row or slot
}

// MemoryUse describes a plain load or store. Element k has Size bytes and lies k·Size behind the
// address of a lane; a load extends it to its register, of which Bits[k] bits exist (0: nobody
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
type Addressing = addressing

// The ways of addressing.
const (
	ByRow64  = byRow64  // A is a row of addresses
	ByRow32  = byRow32  // A is a row of 32-bit addresses
	ByConst  = byConst  // Imm is the address of all lanes
	BySlot64 = bySlot64 // A is a scalar slot
	BySlot32 = bySlot32 // A is a scalar slot of 32 bits
	ByKernel = byKernel // Imm is an offset in the kernel's parameters
)

// OperationOf says what an instruction of the converged or split variant does.
func OperationOf(in *machine.Inst) Operation {
	h := in.Full
	var op Operation
	if in.Ext != nil && in.Ext.Spread != nil {
		h, op.Spread = in.Ext.Spread.Inner, in.Ext.Spread.To
	}
	if l, ok := byHandler()[codeOf(h)]; ok {
		op.Kind, op.Fn, op.Scalar, op.Bits = l.Kind, l.Fn, l.Scalar, l.Bits
	} else if in.Ext != nil {
		op.memory(in)
		op.barrier(in)
		op.atomic(in)
		op.convert(in)
	}
	op.details(in)
	return op
}

// codeOf identifies a function.
func codeOf(f any) uintptr { return reflect.ValueOf(f).Pointer() }

// byHandler has what the handler alone says.
var byHandler = sync.OnceValue(func() map[uintptr]Operation {
	m := map[uintptr]Operation{
		codeOf(copyRow32):      {Kind: OpLane, Fn: copy32},
		codeOf(copyRow64):      {Kind: OpLane, Fn: copy64},
		codeOf(moveMask):       {Kind: OpMove},
		codeOf(logicMask):      {Kind: OpLogic},
		codeOf(selp32):         {Kind: OpSelect, Bits: 32},
		codeOf(selp64):         {Kind: OpSelect, Bits: 64},
		codeOf(selpScalar32):   {Kind: OpSelect, Bits: 32, Scalar: true},
		codeOf(selpScalar64):   {Kind: OpSelect, Bits: 64, Scalar: true},
		codeOf(setp):           {Kind: OpCompare},
		codeOf(setRow):         {Kind: OpSet},
		codeOf(setScalar):      {Kind: OpSet, Scalar: true},
		codeOf(unpack32):       {Kind: OpUnpack, Bits: 32},
		codeOf(unpack64):       {Kind: OpUnpack, Bits: 64},
		codeOf(unpackScalar32): {Kind: OpUnpack, Bits: 32, Scalar: true},
		codeOf(unpackScalar64): {Kind: OpUnpack, Bits: 64, Scalar: true},
		codeOf(branch):         {Kind: OpBranch},
		codeOf(exit):           {Kind: OpExit},
		codeOf(ret):            {Kind: OpReturn},
	}
	for _, w := range warpHandlers {
		m[codeOf(w.h)] = Operation{Kind: w.kind}
	}
	for i := range stamps {
		s := &stamps[i]
		kind := OpLane
		if reflect.TypeOf(s.fn).NumOut() != 1 {
			kind = OpCarry
		}
		m[codeOf(s.full)] = Operation{Kind: kind, Fn: s.fn}
		m[codeOf(s.scalar)] = Operation{Kind: kind, Fn: s.fn, Scalar: true}
	}
	return m
})

// details adds what the extension says.
func (op *Operation) details(in *machine.Inst) {
	switch op.Kind {
	case OpLogic:
		op.Word = wordOps()[codeOf(in.Ext.Data.(maskOp))]
	case OpCompare:
		op.inner(in)
		op.masks(in.Ext.Data.(*combine))
	case OpSet:
		r := in.Ext.Data.(*setResult)
		op.inner(in)
		op.masks(&r.combine)
		op.Masks.D = r.d
	case OpCarry:
		op.Masks.C, op.Masks.P = uint32(in.Imm), uint32(in.Imm>>32)
	case OpShuffle, OpVote, OpBallot, OpMatchAny, OpMatchAll, OpRedux, OpElect, OpWarpSync:
		op.warp(in)
	}
}

// inner takes the comparison that a combination starts from.
func (op *Operation) inner(in *machine.Inst) {
	l, ok := byHandler()[codeOf(in.Inner)]
	if !ok || l.Kind != OpLane {
		*op = Operation{}
		return
	}
	op.Fn, op.Scalar = l.Fn, l.Scalar
}

func (op *Operation) masks(k *combine) {
	op.Masks = MaskUse{Op: wordOps()[codeOf(k.op)], P: k.p, Q: k.q, C: k.c, Flip: k.flip}
}

// plainMemory are the forms whose handlers a memoryOp describes completely.
var plainMemory = map[isa.ID]OperationKind{isa.Ld: OpLoad, isa.LdNc: OpLoad, isa.Ldu: OpLoad, isa.St: OpStore}

func (op *Operation) memory(in *machine.Inst) {
	m, ok := in.Ext.Data.(*memoryOp)
	if !ok || m.whole || m.wide || m.by == byFrame || m.by == byParam {
		return
	}
	if op.Kind, ok = plainMemory[in.Ext.Sel.ID()]; !ok {
		return
	}
	op.Scalar = op.Kind == OpLoad && in.Flags&machine.WritesScalar != 0
	op.Memory = MemoryUse{Request: m.Request, By: m.by, Elem: m.elem, Signed: m.signed, Strong: m.strong, Bits: m.bits, At: in.Ext.Src}
	if op.Kind == OpLoad {
		op.Memory.At = in.Ext.Dst
	}
}

// barrier recognises a barrier for all warps of the CTA, without reduction.
func (op *Operation) barrier(in *machine.Inst) {
	if o, ok := in.Ext.Data.(*barrierOp); ok && o.kind == machine.BarSync && !o.counted {
		op.Kind = OpBarrier
	}
}

// WordOp is how two predicates are combined as words.
type WordOp uint8

// The combinations; WordFirst ignores the second operand.
const (
	WordFirst WordOp = iota
	WordAnd
	WordOr
	WordXor
	WordNot // of the first
)

var wordOps = sync.OnceValue(func() map[uintptr]WordOp {
	return map[uintptr]WordOp{codeOf(firstMask): WordFirst, codeOf(num.And32): WordAnd, codeOf(num.Or32): WordOr,
		codeOf(num.Xor32): WordXor, codeOf(notMask): WordNot}
})

// LaneFunctions lists the lane functions that have stamped loops and no carry.
func LaneFunctions() (list []any) {
	for i := range stamps {
		if reflect.TypeOf(stamps[i].fn).NumOut() == 1 {
			list = append(list, stamps[i].fn)
		}
	}
	return list
}
