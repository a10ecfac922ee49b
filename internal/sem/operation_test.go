package sem

import (
	"testing"

	"ptxvm/internal/machine"
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
			want = OpOther
		}
		if full.Kind != want || slot.Kind != want || full.Scalar || slot.Scalar != (want == OpLane) || len(spread.Spread) != 1 {
			t.Fatalf("%s: %+v, on slots %+v", newTwin(s).name(), full, slot)
		}
		if want == OpLane && (codeOf(full.Fn) != codeOf(s.fn) || codeOf(spread.Fn) != codeOf(s.fn)) {
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
