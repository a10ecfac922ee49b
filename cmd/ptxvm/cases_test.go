package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"ptxvm.invalid/ptxvm/internal/testcase"
)

// casesDir holds kernels of the corpus as cases that a reader can open and run.
const casesDir = "../../testdata/cases"

// TestCases runs them as `ptxvm test` does, and holds those that show a kernel of testdata/cuda to it.
func TestCases(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(casesDir, "*.txtar"))
	if err != nil || len(files) < 6 {
		t.Fatalf("%d cases, %v", len(files), err)
	}
	self, err := commandLink(t)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			if text, err := os.ReadFile(file); err != nil {
				t.Fatal(err)
			} else if bytes.Contains(text, []byte("--engine jit")) && !compiles() {
				t.Skip("no compiled code here")
			}
			if err := (&testcase.Runner{Command: self}).One(t.Context(), file); err != nil {
				t.Error(err)
			}
		})
	}
	for _, name := range []string{"saxpy", "transpose", "histogram"} {
		archive, err := txtar.ParseFile(filepath.Join(casesDir, name+".txtar"))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range archive.Files {
			ext := filepath.Ext(f.Name)
			if ext == ".txt" {
				continue
			}
			same, err := os.ReadFile(filepath.Join("../../testdata/cuda", strings.TrimSuffix(f.Name, ext)+map[string]string{".cu": ".cu", ".ptx": ".sm_75.ptx"}[ext]))
			if err != nil || !bytes.Equal(same, f.Data) {
				t.Errorf("%s in %s.txtar is not that of testdata/cuda (%v)", f.Name, name, err)
			}
		}
	}
}

// commandLink is a link to this test under the name by which it acts as the command (testscript.Main).
func commandLink(t *testing.T) (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	link := filepath.Join(t.TempDir(), "ptxvm")
	return link, os.Symlink(self, link)
}
