package sem

import (
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/num"
	"testing"

	"ptxvm.invalid/ptxvm/internal/machine"
)

// TestOperationOf: a stamped handler tells its lane function, on rows, on slots and behind a
// spread; a handler of its own tells its kind; what only a handler knows is OpOther.
func TestOperationOf(t *testing.T) {
	for i := range stamps {
		s := &stamps[i]
		full := OperationOf(&machine.Inst{Full: s.full, Part: s.part})
		slot := OperationOf(&machine.Inst{Full: s.scalar, Part: s.scalar})
		spread := OperationOf(&machine.Inst{Full: spreadRows, Ext: &machine.Ext{Spread: &machine.Spread{Inner: s.scalar, To: make([]machine.ScalarSlot, 1)}}})
		want := OpLane
		if newTwin(s).carries() {
			want = OpCarry
		}
		if full.Kind != want || slot.Kind != want || full.Scalar || !slot.Scalar || len(spread.Spread) != 1 {
			t.Fatalf("%s: %+v, on slots %+v", newTwin(s).name(), full, slot)
		}
		if codeOf(full.Fn) != codeOf(s.fn) || codeOf(spread.Fn) != codeOf(s.fn) {
			t.Errorf("%s: another function", newTwin(s).name())
		}
	}
	if op := OperationOf(&machine.Inst{Full: branch}); op.Kind != OpBranch {
		t.Errorf("branch is %d", op.Kind)
	}
	if op := OperationOf(&machine.Inst{Full: copy128}); op.Kind != OpOther {
		t.Errorf("copy128 is %d", op.Kind)
	}
}

// TestOperationOfAtomics: one element of 32 or 64 bits is known; what its function is depends on where it works.
func TestOperationOfAtomics(t *testing.T) {
	for _, c := range []struct {
		op   atomicOp
		kind OperationKind
		fn   any
	}{
		{atomicOp{memoryOp: memoryOp{elem: 4, bits: []int{32}}, rmw: rmw{f32: num.Add32}}, OpAtomic, num.Add32},
		{atomicOp{memoryOp: memoryOp{elem: 8, bits: []int{64}}, rmw: rmw{f64: num.Add64}}, OpAtomic, num.Add64},
		{atomicOp{memoryOp: memoryOp{elem: 2, bits: []int{16}}, rmw: rmw{f32: num.AddF16}}, OpOther, nil},
		{atomicOp{memoryOp: memoryOp{elem: 4, bits: []int{64}}, rmw: rmw{f32: num.Add32}}, OpOther, nil},
		{atomicOp{memoryOp: memoryOp{elem: 4, bits: []int{32, 32}}, rmw: rmw{f32: num.Add32}}, OpOther, nil},
		{atomicOp{memoryOp: memoryOp{elem: 4, bits: []int{32}, Request: machine.Request{Space: machine.Shared}}, rmw: rmw{f32: num.AtomAddGlobalF32, exact: num.AddF32}}, OpAtomic, num.AddF32},
		{atomicOp{memoryOp: memoryOp{elem: 4, bits: []int{32}, Request: machine.Request{Space: machine.Global}}, rmw: rmw{f32: num.AtomAddGlobalF32, exact: num.AddF32}}, OpAtomic, num.AtomAddGlobalF32},
		{atomicOp{memoryOp: memoryOp{elem: 4, bits: []int{32}, Request: machine.Request{Space: machine.Generic}}, rmw: rmw{f32: num.AtomAddGlobalF32, exact: num.AddF32}}, OpOther, nil},
	} {
		got := OperationOf(&machine.Inst{Full: atomic, Ext: &machine.Ext{Sel: &isa.Sel{Entry: new(isa.Entry)}, Data: &c.op}})
		if got.Kind != c.kind || c.fn != nil && codeOf(got.Fn) != codeOf(c.fn) {
			t.Errorf("%+v: kind %d, want %d", c.op.memoryOp, got.Kind, c.kind)
		}
	}
}

// TestOperationOfWarpFunctions: handlers across lanes tell their kinds, and where they look.
func TestOperationOfWarpFunctions(t *testing.T) {
	for _, w := range warpHandlers {
		o := &warpOp{sync: true, members: 4, pair: 8, flip: 1}
		got := OperationOf(&machine.Inst{Full: w.h, Ext: &machine.Ext{Sel: &isa.Sel{Entry: new(isa.Entry)}, Data: o}})
		uses := w.kind != OpActive && w.kind != OpNothing && w.kind != OpFence && w.kind != OpRedux
		if got.Kind != w.kind || uses && (!got.Warp.Sync || got.Warp.Members != 4 || got.Warp.Pair != 8 || got.Warp.Flip != 1) {
			t.Errorf("kind %d: %+v", w.kind, got)
		}
	}
	r := &reduxData{warpOp: warpOp{members: 12}, f: num.MinF32, float: true}
	if got := OperationOf(&machine.Inst{Full: redux, Ext: &machine.Ext{Sel: &isa.Sel{Entry: new(isa.Entry)}, Data: r}}); got.Kind != OpOther {
		t.Errorf("a reduction of floats is %d", got.Kind)
	}
	r.f, r.float = num.Add32, false
	if got := OperationOf(&machine.Inst{Full: redux, Ext: &machine.Ext{Sel: &isa.Sel{Entry: new(isa.Entry)}, Data: r}}); got.Kind != OpRedux || codeOf(got.Fn) != codeOf(num.Add32) || got.Warp.Members != 12 {
		t.Errorf("a reduction is %+v", got)
	}
}
