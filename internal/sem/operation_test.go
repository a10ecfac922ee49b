package sem

import (
	"ptxvm.invalid/ptxvm/internal/machine/regs"
	"ptxvm.invalid/ptxvm/internal/uop"
	"testing"

	"ptxvm.invalid/ptxvm/internal/machine"
)

// TestOperationOf: a stamped handler tells its lane function, on rows, on slots and behind a
// spread; a handler of its own tells its kind; what only a handler knows is OpOther.
func TestOperationOf(t *testing.T) {
	for i := range stamps {
		s, name := &stamps[i], uop.Op(i)
		if s.full == nil {
			continue
		}
		full := OperationOf(&machine.Inst{Op: name})
		slot := OperationOf(&machine.Inst{Op: name, Flags: machine.WritesScalar})
		spread := OperationOf(&machine.Inst{Op: name, Ext: &machine.Ext{Spread: &machine.Spread{Inner: s.scalar, To: make([]regs.Scalar, 1)}}})
		want := OpLane
		if name.Shape().Carry {
			want = OpCarry
		}
		if full.Kind != want || slot.Kind != want || full.Scalar || !slot.Scalar || len(spread.Spread) != 1 {
			t.Fatalf("%s: %+v, on slots %+v", name, full, slot)
		}
		if full.Fn != name || spread.Fn != name {
			t.Errorf("%s: another function", name)
		}
	}
	if op := OperationOf(&machine.Inst{Op: uop.Branch}); op.Kind != OpBranch {
		t.Errorf("branch is %d", op.Kind)
	}
	if op := OperationOf(&machine.Inst{Op: uop.Move128}); op.Kind != OpOther {
		t.Errorf("copy128 is %d", op.Kind)
	}
}

// TestOperationOfAtomics: one element of 16, 32 or 64 bits is known; what its function is depends on where it works.
func TestOperationOfAtomics(t *testing.T) {
	for _, c := range []struct {
		op   atomicOp
		kind OperationKind
		fn   uop.Op
	}{
		{atomicOp{memoryOp: memoryOp{Elem: 4, Bits: []int{32}}, Rmw: Rmw{op: uop.Add32}}, OpAtomic, uop.Add32},
		{atomicOp{memoryOp: memoryOp{Elem: 8, Bits: []int{64}}, Rmw: Rmw{op: uop.Add64}}, OpAtomic, uop.Add64},
		{atomicOp{memoryOp: memoryOp{Elem: 2, Bits: []int{16}}, Rmw: Rmw{op: uop.AddF16}}, OpAtomic, uop.AddF16},
		{atomicOp{memoryOp: memoryOp{Elem: 4, Bits: []int{64}}, Rmw: Rmw{op: uop.Add32}}, OpOther, uop.None},
		{atomicOp{memoryOp: memoryOp{Elem: 4, Bits: []int{32, 32}}, Rmw: Rmw{op: uop.Add32}}, OpOther, uop.None},
		{atomicOp{memoryOp: memoryOp{Elem: 4, Bits: []int{32}, Request: machine.Request{Space: machine.Shared}}, Rmw: Rmw{uop.AtomAddGlobalF32, uop.AddF32}}, OpAtomic, uop.AddF32},
		{atomicOp{memoryOp: memoryOp{Elem: 4, Bits: []int{32}, Request: machine.Request{Space: machine.Global}}, Rmw: Rmw{uop.AtomAddGlobalF32, uop.AddF32}}, OpAtomic, uop.AtomAddGlobalF32},
		{atomicOp{memoryOp: memoryOp{Elem: 4, Bits: []int{32}, Request: machine.Request{Space: machine.Generic}}, Rmw: Rmw{uop.AtomAddGlobalF32, uop.AddF32}}, OpOther, uop.None},
	} {
		got := OperationOf(&machine.Inst{Op: uop.AtomicUpdate, Ext: &machine.Ext{Data: &c.op}})
		if got.Kind != c.kind || c.fn != uop.None && got.Fn != c.fn {
			t.Errorf("%+v: kind %d, want %d", c.op.memoryOp, got.Kind, c.kind)
		}
	}
}

// TestOperationOfWarpFunctions: operations across lanes tell their kinds, and where they look.
func TestOperationOfWarpFunctions(t *testing.T) {
	o := &uop.Warp{Sync: true, Members: 4, Pair: 8, Flip: 1}
	for op, kind := range map[uop.Op]OperationKind{
		uop.ShuffleUp: OpShuffle, uop.VoteAny: OpVote, uop.Ballot: OpBallot, uop.MatchAny: OpMatchAny, uop.MatchAll: OpMatchAll,
		uop.Redux: OpRedux, uop.Elect: OpElect, uop.WarpSync: OpWarpSync,
	} {
		got := OperationOf(&machine.Inst{Op: op, Ext: &machine.Ext{Data: o}})
		if got.Kind != kind || !got.Warp.Sync || got.Warp.Members != 4 || got.Warp.Pair != 8 || got.Warp.Flip != 1 {
			t.Errorf("%v: %+v", op, got)
		}
	}
	r := &uop.Warp{Members: 12, Fn: uop.MinF32, Float: true}
	if got := OperationOf(&machine.Inst{Op: uop.Redux, Ext: &machine.Ext{Data: r}}); got.Kind != OpOther {
		t.Errorf("a reduction of floats is %d", got.Kind)
	}
	r.Fn, r.Float = uop.Add32, false
	if got := OperationOf(&machine.Inst{Op: uop.Redux, Ext: &machine.Ext{Data: r}}); got.Kind != OpRedux || got.Fn != uop.Add32 || got.Warp.Members != 12 {
		t.Errorf("a reduction is %+v", got)
	}
}
