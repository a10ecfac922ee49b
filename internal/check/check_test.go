package check

import (
	"os"
	"path/filepath"
	"testing"

	"ptxvm/internal/diag"
	"ptxvm/internal/diag/diagtest"
	"ptxvm/internal/syntax"
)

// judge parses and checks a text.
func judge(name string, text []byte) diag.List {
	_, list := Check(syntax.Parse(name, text), Options{WholeProgram: true})
	return list
}

// TestCorpus: everything that nvcc and Triton made is valid.
func TestCorpus(t *testing.T) {
	files, err := filepath.Glob("../../testdata/*/*.ptx")
	if err != nil || len(files) < 60 {
		t.Fatalf("%d corpus files, %v", len(files), err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for i, d := range judge(file, text) {
			if d.Severity == diag.Error && i < 5 {
				t.Errorf("%v\n  form: %s", d, d.Form)
			}
		}
	}
}

// TestErrors holds the messages to the expectations beside the tokens.
func TestErrors(t *testing.T) { diagtest.Run(t, "testdata/*.ptx", judge) }

// TestExamples: every example of the catalogue that is the checker's gives its code.
func TestExamples(t *testing.T) {
	diagtest.Examples(t, func(e *diag.Entry) bool { return e.Code >= 1000 && e.Code < 6000 }, judge)
}
