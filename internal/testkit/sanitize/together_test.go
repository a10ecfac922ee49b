package sanitize

import (
	"os"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/internal/isa"
)

// TestTogetherAll: each instruction that a warp executes as one and that touches memory at an address of its own has a pair.
func TestTogetherAll(t *testing.T) {
	text, err := os.ReadFile("testdata/together.txt")
	if err != nil {
		t.Fatal(err)
	}
	tested := 0
	for _, e := range isa.Table().Entries() {
		if !e.Effects.Has(isa.Converged) || !e.Effects.Has(isa.Reads|isa.Writes) || e.Effects.Has(isa.Asynchronous) {
			continue
		}
		tested++
		if op := strings.Join(e.Opcode, ""); !strings.Contains(string(text), op+".") {
			t.Errorf("%s has no pair in together.txt", op)
		}
	}
	if tested < 8 { // of ldmatrix, stmatrix, wmma, tensormap and tcgen05
		t.Errorf("the table has %d such instructions", tested)
	}
}
