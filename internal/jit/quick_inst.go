package jit

// What the template of an instruction depends on, and its operands in one order.

import (
	"math"

	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/num"
	"ptxvm.invalid/ptxvm/internal/sem"
	"ptxvm.invalid/ptxvm/internal/uop"
)

// maxOperands is how many places of the register block an instruction may name, its guard among them.
const maxOperands = 32

// form is what the template of an instruction depends on: everything but where its operands are, and how large its
// displacement is.
type form struct {
	kind                sem.OperationKind
	guard               uint8 // 0: none; 1: a predicate; 2: its complement
	imm                 immClass
	scalar, pair, sync  bool
	back, quiet, entry  bool // of branches and returns
	own, strong, signed bool // of memory
	word                uop.WordOp
	mode                sem.WarpMode
	by                  sem.Addressing
	space               machine.Space
	access              machine.AccessKind
	spread              [4]int8 // widths of the rows that are written from slots, from 1 on
	elem, size, align   uint32
	bits                [4]uint8 // of elements, or of what is converted
	fn                  uop.Op
	number              uint64 // what else the instruction says
	same                uint64 // for each operand the first one in the same place, where that matters
	cvt                 num.Packing
}

// immClass says what code depends on of a displacement.
type immClass uint8

const (
	immNone immClass = iota // 0
	immNear                 // aligned and below immFarFrom
	immNearDown
	immFar // others of 32 bits
	immFarDown
	immWide
)

// quickInst is an instruction and what it does.
type quickInst struct {
	pc    int32
	in    *machine.Inst
	text  *ir.Inst
	op    sem.Operation
	entry bool      // of a kernel
	pair  bool      // it has a predicate beside its result
	d     [5]uint32 // D, A, B, C and the lower half of Imm
	read  int       // of a lane function: how many operands
}

// take looks at an instruction.
func (x *quickInst) take(f *ir.Func, pc int32, in *machine.Inst) {
	x.pc, x.in, x.text, x.entry = pc, in, &f.Insts[pc], f.Entry
	x.op = sem.OperationOf(in)
	x.d = [5]uint32{in.D, in.A, in.B, in.C, uint32(in.Imm)}
	switch k := x.op.Kind; {
	case k == sem.OpLane || k == sem.OpCompare:
		x.read = len(laneOf(x.op.Fn).in)
	case k >= sem.OpShuffle && k <= sem.OpWarpSync:
		x.pair = k != sem.OpVote && len(x.text.Ops) > 0 && x.text.Ops[0].Kind == ir.OpPair
	}
}

// fields are which of D, A, B, C and Imm are operands.
func (x *quickInst) fields() []uint32 {
	switch x.op.Kind {
	case sem.OpLane:
		return x.d[:1+x.read]
	case sem.OpCompare:
		return x.d[1 : 1+x.read]
	case sem.OpMove, sem.OpVote, sem.OpBallot, sem.OpMatchAny, sem.OpMatchAll, sem.OpRedux:
		return x.d[:2]
	case sem.OpLogic:
		return x.d[:3]
	case sem.OpSelect, sem.OpShuffle, sem.OpCarry:
		return x.d[:4]
	case sem.OpElect, sem.OpActive, sem.OpConvert:
		return x.d[:1]
	case sem.OpUnpack, sem.OpLoad, sem.OpStore, sem.OpAtomic, sem.OpCas:
		return x.d[1:2]
	}
	return nil
}

// operands visits the places of the operands.
func (x *quickInst) operands(visit func(off *uint32)) {
	op := &x.op
	all := func(list []uint32) {
		for i := range list {
			visit(&list[i])
		}
	}
	all(x.fields())
	switch op.Kind {
	case sem.OpCompare:
		visit(&op.Masks.P)
		visit(&op.Masks.Q)
		visit(&op.Masks.C)
	case sem.OpCarry:
		visit(&op.Masks.P)
		visit(&op.Masks.C)
	case sem.OpConvert:
		all(op.Convert.From)
	case sem.OpUnpack:
		all(x.in.Ext.Dst)
	case sem.OpLoad, sem.OpStore:
		all(op.Memory.At)
	case sem.OpAtomic, sem.OpCas:
		all(op.Memory.At)
		all(x.in.Ext.Dst)
	}
	if op.Warp.Sync {
		visit(&op.Warp.Members)
	}
	if x.pair {
		visit(&op.Warp.Pair)
	}
	for i := range op.Spread {
		visit(&op.Spread[i].Slot)
		visit(&op.Spread[i].Row)
	}
}

// form is what the template depends on; false if there is none. offs are the operands.
func (x *quickInst) form(offs []uint32) (k form, ok bool) {
	in, op := x.in, &x.op
	k.kind, k.fn, k.scalar, k.pair = op.Kind, op.Fn, op.Scalar, x.pair
	if in.Guard != machine.NoGuard {
		k.guard = 1 + uint8(in.Guard&1)
	}
	for i := range op.Spread {
		if i == len(k.spread) {
			return k, false
		}
		k.spread[i] = 1 + int8(op.Spread[i].Width)
	}
	switch op.Kind {
	case sem.OpLane, sem.OpNothing, sem.OpFence:
		return k, true
	case sem.OpSelect:
		k.number = uint64(op.Bits)
		return k, true
	case sem.OpMove, sem.OpLogic:
		k.word, k.number = op.Word, in.Imm
		return k, true
	case sem.OpCompare:
		k.word, k.number = op.Masks.Op, uint64(op.Masks.Flip)
		return k, true
	case sem.OpConvert:
		c := &op.Convert
		k.cvt, k.bits = c.Packing, [4]uint8{uint8(c.To)}
		for i, n := range c.FromBits {
			k.bits[1] |= uint8(bit(n > 32)) << i
		}
	case sem.OpBranch:
		k.back, k.quiet = int32(in.Imm) <= x.pc, in.Flags&machine.QuietLoop != 0
		return k, true
	case sem.OpExit, sem.OpReturn:
		k.entry = x.entry
		return k, true
	case sem.OpUnpack:
		k.bits[0], k.number = uint8(op.Bits), in.Imm
	case sem.OpCarry:
	case sem.OpLoad, sem.OpStore, sem.OpAtomic, sem.OpCas:
		if !k.memory(in, &op.Memory) {
			return k, false
		}
	default:
		if op.Kind < sem.OpShuffle || op.Kind > sem.OpWarpSync {
			return k, false
		}
		k.sync, k.mode, k.number = op.Warp.Sync, op.Warp.Mode, uint64(op.Warp.Flip)<<32|in.Imm&math.MaxUint32
	}
	return k, k.sameness(offs)
}

// memory notes what an access is.
func (k *form) memory(in *machine.Inst, m *sem.MemoryUse) bool {
	if len(m.Bits) > len(k.bits) {
		return false
	}
	for i, n := range m.Bits {
		k.bits[i] = uint8(n)
	}
	k.by, k.space, k.access, k.own, k.strong, k.signed = m.By, m.Space, m.Kind, m.OwnCTA, m.Strong, m.Signed
	k.elem, k.size, k.align = m.Elem, m.Size, m.Align
	k.number = uint64(len(m.At))
	k.imm = classOf(int64(in.Imm), int64(max(m.Align, 1)))
	return true
}

// classOf is the class of a displacement.
func classOf(d, align int64) immClass {
	const far = 1 << 24
	switch {
	case d == 0:
		return immNone
	case d%align == 0 && 0 < d && d < far:
		return immNear
	case d%align == 0 && -far < d && d < 0:
		return immNearDown
	case 0 < d && d <= math.MaxInt32:
		return immFar
	case math.MinInt32 <= d && d < 0:
		return immFarDown
	}
	return immWide
}

// sameness notes which operands are in the same place, and which are nowhere; false if there are too many.
func (k *form) sameness(offs []uint32) bool {
	const bits, nowhere = 4, 15
	if len(offs) >= nowhere {
		return false
	}
	for i, off := range offs {
		first := 0
		for offs[first] != off {
			first++
		}
		if off == machine.NoGuard {
			first = nowhere
		}
		k.same |= uint64(first+1&15) << (bits * i)
	}
	return true
}
