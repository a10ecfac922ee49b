package check

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ptxvm/internal/diag"
	"ptxvm/internal/diag/diagtest"
	"ptxvm/internal/syntax"
)

// judge parses and checks a text.
func judge(name string, text []byte) diag.List {
	_, list := Check(syntax.Parse(name, text), Options{})
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

// TestVerdicts compares verdicts on whole small modules with what ptxas 13.5 said:
// each module of verdicts.txt begins with its verdict and, if any, the -arch.
func TestVerdicts(t *testing.T) {
	text, err := os.ReadFile("testdata/verdicts.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range diagtest.Split(text) {
		head, _, _ := strings.Cut(string(m.Text), "\n")
		words := strings.Fields(head)
		opt := Options{}
		if len(words) == 4 {
			opt.Arch = words[3]
		}
		_, list := Check(syntax.Parse("verdicts.txt", m.Text), opt)
		if got := !list.HasErrors(); got != (words[1] == "accept") {
			t.Errorf("line %d: ptxas says %s; %v\n%s", m.Line, words[1], list, m.Text)
		}
	}
}

// TestExamples: every example of the catalogue that is the checker's gives its code.
func TestExamples(t *testing.T) {
	diagtest.Examples(t, func(e *diag.Entry) bool { return e.Code >= 1000 && e.Code < 6000 }, judge)
}
