package ptxvm_test

import (
	"bytes"
	"flag"
	"os"
	"testing"

	"ptxvm"
)

var update = flag.Bool("update", false, "write generated documents instead of comparing them")

// TestISADocument holds docs/isa.md to the data and the semantics table:
// go test -run TestISADocument -update . writes it.
func TestISADocument(t *testing.T) {
	const path = "docs/isa.md"
	var want bytes.Buffer
	if err := ptxvm.WriteISA(&want, "", "md"); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(path, want.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	have, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(have, want.Bytes()) {
		t.Errorf("%s is not what the data says (%v); go test -run TestISADocument -update . writes it", path, err)
	}
}
