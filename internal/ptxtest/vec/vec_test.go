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
	for _, f := range files {
		t.Run(filepath.Base(f), func(t *testing.T) {
			t.Parallel()
			blocks, err := Parse(f)
			if err != nil {
				t.Fatal(err)
			}
			r := NewRunner()
			defer r.Close()
			for _, b := range blocks {
				for _, err := range r.Block(b) {
					t.Error(err)
				}
			}
		})
	}
}
