package amd64

import (
	"testing"

	"ptxvm.invalid/ptxvm/internal/jit/ssa"
)

// TestDoes: whatever looks at fuel has a warp's fuel kept, and one instruction of the interpreter's makes the way there.
func TestDoes(t *testing.T) {
	for kind := ssa.Load; kind <= ssa.Clear; kind++ {
		f := ssa.New("f", 32)
		f.NewBlock(0).Add(&ssa.Effect{Kind: kind})
		want := does{help: kind == ssa.Helper, burn: kind == ssa.Fuel || kind == ssa.Spare || kind == ssa.Spend}
		if got := whatDoes(f); got != want {
			t.Errorf("%v: %+v, want %+v", kind, got, want)
		}
	}
	f := ssa.New("f", 32)
	f.Waits, f.States = true, append(f.States, ssa.State{Restart: true})
	if got := whatDoes(f); !got.wait || !got.burn || !got.restart {
		t.Errorf("%+v", got)
	}
}
