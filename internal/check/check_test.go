package check

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/syntax"
	"ptxvm.invalid/ptxvm/internal/testkit/diagtest"
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

// TestFollowOn: one mistake gives one message.
func TestFollowOn(t *testing.T) { diagtest.Run(t, "testdata/follow/*.ptx", judge) }

// TestErrorsRecorded: ptxas rejects, too, what the files expect an error for: either the
// whole module or the statement is a recorded verdict.
func TestErrorsRecorded(t *testing.T) {
	rejected := rejections(t)
	files, _ := filepath.Glob("testdata/*.ptx")
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range diagtest.Split(text) {
			if rejected[squeeze(string(m.Text))] {
				continue
			}
			for i, line := range strings.Split(string(m.Text), "\n") {
				statement, _, ok := strings.Cut(line, "// ERROR")
				if ok && !rejected[squeeze(statement)] {
					t.Errorf("%s:%d: no verdict of ptxas for %s", file, m.Line+i, statement)
				}
			}
		}
	}
}

// rejections are the modules and statements that ptxas rejects.
func rejections(t *testing.T) map[string]bool {
	out := map[string]bool{}
	files, _ := filepath.Glob("testdata/verdicts/*.txt")
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range verdicts(strings.Split(string(text), "\n")) {
			if v.want == "reject" {
				out[squeeze(v.module)], out[squeeze(v.text)] = true, true
			}
		}
	}
	return out
}

// squeeze drops expectations and white space.
func squeeze(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "// ERROR")
		b.WriteString(strings.Join(strings.Fields(line), ""))
	}
	return b.String()
}

// TestExamples: every example of the catalogue that is the checker's gives its code.
func TestExamples(t *testing.T) {
	diagtest.Examples(t, func(e *diag.Entry) bool { return e.Code >= 1000 && e.Code < 6000 }, judge)
}
