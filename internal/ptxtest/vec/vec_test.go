package vec

import (
	"path/filepath"
	"testing"
)

// TestVectors runs all vector files of package sem.
func TestVectors(t *testing.T) {
	files, err := filepath.Glob("../../sem/testdata/vec/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no vector files", err)
	}
	r, err := NewRunner()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for _, f := range files {
		blocks, err := Parse(f)
		if err != nil {
			t.Error(err)
			continue
		}
		t.Run(filepath.Base(f), func(t *testing.T) {
			for _, b := range blocks {
				for _, err := range r.Block(b) {
					t.Error(err)
				}
			}
		})
	}
}
