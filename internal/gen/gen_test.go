package main

import (
	"os"
	"path/filepath"
	"testing"
)

// TestGenerated: the generated files are what the generator makes now.
func TestGenerated(t *testing.T) {
	root, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range outputs {
		want, err := o.make(root)
		if err != nil {
			t.Errorf("%s: %v", o.path, err)
			continue
		}
		have, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(o.path)))
		if err != nil || string(have) != string(want) {
			t.Errorf("%s is out of date (%v): run go generate ./internal/isa", o.path, err)
		}
	}
}
