package dap

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestReference holds docs/dap.md to the tables.
func TestReference(t *testing.T) {
	path := filepath.Join("..", "..", "..", "docs", "dap.md")
	have, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const mark = "-update -->\n"
	head, _, ok := strings.Cut(string(have), mark)
	if !ok {
		t.Fatalf("%s has no line that ends in %q", path, mark)
	}
	want := bytes.NewBufferString(head + mark)
	if err := WriteReference(want); err != nil {
		t.Fatal(err)
	}
	switch {
	case *update:
		if err := os.WriteFile(path, want.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	case !bytes.Equal(have, want.Bytes()):
		t.Errorf("%s is not what the tables say: go test ./internal/debug/dap -run TestReference -update", path)
	}
}

// TestTable demands words for each row, and that no name is there twice.
func TestTable(t *testing.T) {
	seen := map[string]bool{}
	for _, h := range handlers() {
		if seen[h.name] || !strings.HasSuffix(h.does, ".") || h.serve == nil {
			t.Errorf("%s: %+v", h.name, h)
		}
		seen[h.name] = true
	}
	for _, f := range filters() {
		if seen[f.id] || f.label == "" || f.stops == "" {
			t.Errorf("%+v", f)
		}
		seen[f.id] = true
	}
}
