package diag

import (
	"bytes"
	"flag"
	"os"
	"strings"
	"testing"
	"unicode"
)

// Update is the flag of this package's tests.
var Update = flag.Bool("update", false, "write generated files")

func TestConstants(t *testing.T) {
	text, err := ConstantsSource()
	if err != nil {
		t.Fatal(err)
	}
	generated(t, "zcodes.go", text)
}

// generated compares a file with what codes.txt says, or writes it.
func generated(t *testing.T, name string, want []byte) {
	t.Helper()
	if *Update {
		if err := os.WriteFile(name, want, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if got, _ := os.ReadFile(name); !bytes.Equal(got, want) {
		t.Errorf("%s is not what codes.txt says; run go generate ./diag", name)
	}
}

func TestExplanation(t *testing.T) {
	e, ok := Named("LonePoint")
	if !ok {
		t.Fatal("no LonePoint")
	}
	var b bytes.Buffer
	if err := WriteExplanation(&b, e); err != nil {
		t.Fatal(err)
	}
	want := "P1005 LonePoint: a point without a word\n\n" + e.When + "\n\nSee PTX ISA 4.3.2.\n\nExample:\n\n" +
		"    add. s32 %r1, %r2, %r3;\n\nFix: " + e.Fix + "\n"
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}

// withoutExample lists the codes below 7000 that no PTX text can show.
var withoutExample = map[string]string{
	"NestingTooDeep":      "the example would be hundreds of braces",
	"FileTooLarge":        "the example would be too large",
	"Unlisted":            "the example would be ten thousand errors",
	"LooksLikeFatbin":     "binary",
	"LooksLikeCubin":      "binary",
	"LooksLikeExecutable": "binary",
	"LooksCompressed":     "binary",
	"NotText":             "binary",
	"NotExecutable":       "the set shrinks with every version",
	"TargetMismatch":      "depends on the command line",
	"DuplicateDefinition": "needs two modules",
	"LinkMismatch":        "needs two modules",
	"Unreachable":         "a remark of the optimiser's view, off by default",
}

func TestEntriesAreComplete(t *testing.T) {
	names := map[string]bool{}
	for _, e := range Catalog() {
		if e.Title == "" || e.When == "" || e.Fix == "" {
			t.Errorf("%v: title, When and Fix are needed", e.Code)
		}
		if !strings.HasSuffix(e.When, ".") {
			t.Errorf("%v: When is a sentence", e.Code)
		}
		if r := rune(e.Name[0]); !unicode.IsUpper(r) || strings.ContainsAny(e.Name, "_ ") {
			t.Errorf("%v: name %q is not CamelCase", e.Code, e.Name)
		}
		if names[e.Name] {
			t.Errorf("%v: name %s stands twice", e.Code, e.Name)
		}
		names[e.Name] = true
		checkExample(t, e)
	}
	for name := range withoutExample {
		if !names[name] {
			t.Errorf("%s is excused but does not exist", name)
		}
	}
}

func checkExample(t *testing.T, e Entry) {
	t.Helper()
	_, excused := withoutExample[e.Name]
	switch {
	case e.Code >= 7000:
	case e.Example == "" && !excused:
		t.Errorf("%v %s has no example", e.Code, e.Name)
	case e.Example != "" && excused:
		t.Errorf("%v %s has an example but is excused", e.Code, e.Name)
	}
}

func TestCodeRanges(t *testing.T) {
	for _, e := range Catalog() {
		switch e.Code / 1000 {
		case 1, 2, 3, 4, 5, 7, 8:
		default:
			t.Errorf("%v is in no range", e.Code)
		}
	}
}

func TestCatalogRejects(t *testing.T) {
	for _, bad := range []string{
		"P1 A: t\nP1 B: t\n",
		"P1 A: t\nNope: x\n",
		"When: x\n",
		"P1 A: t\n\tcontinuation\n",
		"Pxx A: t\n",
		"P1 A: t\nSeverity: mild\n",
	} {
		if _, err := parseCatalog(bad); err == nil {
			t.Errorf("accepted %q", bad)
		}
	}
}

func TestParseCode(t *testing.T) {
	for _, s := range []string{"P1001", "p1001", "1001"} {
		if c, ok := ParseCode(s); !ok || c != 1001 {
			t.Errorf("ParseCode(%q) = %v, %v", s, c, ok)
		}
	}
	for _, s := range []string{"", "P", "P9999", "P99999999", "Px"} {
		if _, ok := ParseCode(s); ok {
			t.Errorf("ParseCode(%q) succeeded", s)
		}
	}
}
