package uop

import "testing"

// TestNames: operations have names of their own.
func TestNames(t *testing.T) {
	seen := map[string]Op{}
	for o := range NumOps {
		if old, ok := seen[o.String()]; ok || o.String() == "" {
			t.Errorf("operations %d and %d are both called %q", old, o, o)
		}
		seen[o.String()] = o
	}
	if None.String() != "None" || None.IsLane() || None.Shape() != nil || None.Reach() != ReachAll {
		t.Errorf("None is %v, %v", None, None.Reach())
	}
}

// TestShapes: signatures are those of rows; what they say of some functions.
func TestShapes(t *testing.T) {
	for o := FirstLane; o < NumOps; o++ {
		s := o.Shape()
		if s.N < 1 || s.N > 4 || s.Result != 1 && s.Result != 32 && s.Result != 64 || o.Reach() != ReachRows {
			t.Errorf("%v: %+v", o, *s)
		}
		for _, n := range s.Operands() {
			if n != 32 && n != 64 {
				t.Errorf("%v: an operand of %d bits", o, n)
			}
		}
	}
	for o, want := range map[Op]Shape{
		AddF32:     {32, 2, [4]uint8{32, 32}, false},
		MadWideU32: {64, 3, [4]uint8{32, 32, 64}, false},
		LtS64:      {1, 2, [4]uint8{64, 64}, false},
		AddC32:     {32, 2, [4]uint8{32, 32}, true},
		Shl64:      {64, 2, [4]uint8{64, 32}, false},
	} {
		if *o.Shape() != want {
			t.Errorf("%v is %+v, want %+v", o, *o.Shape(), want)
		}
	}
}
