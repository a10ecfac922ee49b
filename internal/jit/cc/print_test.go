package cc

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/internal/jit/opt"
	"ptxvm.invalid/ptxvm/internal/jit/ssa"
)

// TestKnownLanes: lanes of 64 bits are chosen by a table, of which a vector of them takes half a vector: the table ends with the lanes, not
// when as many vectors have been taken from it.
func TestKnownLanes(t *testing.T) {
	saxpy, err := os.ReadFile(filepath.Join("..", "ssa", "testdata", "saxpy.ssa"))
	if err != nil {
		t.Fatal(err)
	}
	text := strings.NewReplacer("check 1 bounds", "table 0"+strings.Repeat(" 0 1", 16)+"\ncheck 1 bounds",
		"  v51 = shl.x@1 v50, v3", "  v51 = each.m@1 #0\n  v52 = select.x@1 v51, v50, v3\n  v53 = shl.x@1 v52, v3",
		"index v51", "index v53").Replace(string(saxpy))
	f, err := ssa.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	opt.Place(f)
	if err := ssa.Verify(f); err != nil {
		t.Fatal(err)
	}
	made, err := Print(f, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if last := "v52_7 = "; !strings.Contains(string(made), last) || strings.Count(string(made), "high(((w8){0, -1") != 4 {
		t.Errorf("no %q by half a table in\n%s", last, made)
	}
}
