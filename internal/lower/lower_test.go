package lower

// This file compares the ir of small modules with goldens, which `go test -update` writes.

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/check"
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/syntax"
)

var update = flag.Bool("update", false, "write the golden files")

// module lowers a text that must be valid.
func module(t testing.TB, name string, text []byte) *ir.Module {
	t.Helper()
	info, diags := check.Check(syntax.Parse(name, text), check.Options{})
	for _, d := range diags {
		if d.Severity == diag.Error {
			t.Fatalf("%s: %v", name, diags)
		}
	}
	m, err := Module(info, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// provided stands for the functions of the runtime.
func provided(name string) bool { return name == "vprintf" }

// linked lowers and links texts that must link.
func linked(t testing.TB, texts ...string) *ir.Module {
	t.Helper()
	m, diags := link(t, texts...)
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	return m
}

func link(t testing.TB, texts ...string) (*ir.Module, diag.List) {
	t.Helper()
	var mods []*ir.Module
	for i, text := range texts {
		mods = append(mods, module(t, string(rune('a'+i))+".ptx", []byte(text)))
	}
	return Link(mods, provided)
}

func print(t testing.TB, m *ir.Module) string {
	t.Helper()
	if err := ir.Verify(m); err != nil {
		t.Error(err)
	}
	var b bytes.Buffer
	if err := ir.Print(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestGolden(t *testing.T) {
	files, _ := filepath.Glob("testdata/*.ptx")
	if len(files) == 0 {
		t.Fatal("no test data")
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		m, diags := Link([]*ir.Module{module(t, filepath.Base(file), text)}, provided)
		if len(diags) > 0 {
			t.Errorf("%s: %v", file, diags)
		}
		got := print(t, m)
		checkGolden(t, strings.TrimSuffix(file, ".ptx")+".ir", got)
		checkRoundTrip(t, file, got)
	}
}

func checkGolden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil || got != string(want) {
		t.Errorf("%s differs (error %v):\n%s", file, err, firstDifference(got, string(want)))
	}
}

func firstDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			return "got  " + g[i] + "\nwant " + w[i]
		}
	}
	return "one is longer"
}

func checkRoundTrip(t *testing.T, file, text string) {
	t.Helper()
	m, err := ir.Parse(text)
	if err != nil {
		t.Errorf("%s: the text form does not read back: %v", file, err)
		return
	}
	if again := print(t, m); again != text {
		t.Errorf("%s: the text form changes:\n%s", file, firstDifference(again, text))
	}
}

// TestCorpus lowers, links, verifies and reads back all of testdata/cuda.
func TestCorpus(t *testing.T) {
	files, _ := filepath.Glob("../../testdata/cuda/*.ptx")
	if len(files) == 0 {
		t.Fatal("no corpus")
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		m, diags := Link([]*ir.Module{module(t, filepath.Base(file), text)}, func(string) bool { return true })
		if len(diags) > 0 {
			t.Errorf("%s: %v", file, diags)
		}
		checkRoundTrip(t, file, print(t, m))
	}
}

// TestSHA256Rows holds the rows of the largest kernel within twice the registers that
// ptxas 13.5 reports for it (72 on sm_90).
func TestSHA256Rows(t *testing.T) {
	text, err := os.ReadFile("../../testdata/cuda/sha256.sm_90.ptx")
	if err != nil {
		t.Fatal(err)
	}
	f := module(t, "sha256", text).Func("sha256")
	if got, limit := f.Rows.Bytes(), int64(2*72*128); got > limit {
		t.Errorf("%d row bytes, want at most %d", got, limit)
	}
}
