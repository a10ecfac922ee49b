package syntax

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFormat compares testdata/format/*.ptx with their .golden files; -update rewrites them.
func TestFormat(t *testing.T) {
	files, err := filepath.Glob("testdata/format/*.ptx")
	if err != nil || len(files) == 0 {
		t.Fatal("no files", err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Format(Parse(name, text), FormatOptions{})
		if err != nil {
			t.Fatal(err)
		}
		golden(t, strings.TrimSuffix(name, ".ptx")+".golden", got)
	}
}

func TestFormatRefusesErrors(t *testing.T) {
	if out, err := Format(Parse("x", []byte(".version 9.1\nadd;")), FormatOptions{}); err == nil || out != nil {
		t.Errorf("formatted a broken file: %q", out)
	}
}

func TestFormatModifierHook(t *testing.T) {
	f := Parse("x", []byte(".version 9.1\n.entry k() { add.f32.rn.sat a, b, c; }"))
	typeLast := func(_ *File, in *Instruction) []TokenID {
		return append(append([]TokenID{}, in.Mods[1:]...), in.Mods[0])
	}
	got, err := Format(f, FormatOptions{Modifiers: typeLast})
	if err != nil || !strings.Contains(string(got), "\tadd.rn.sat.f32 a, b, c;\n") {
		t.Errorf("got %s, %v", got, err)
	}
}

// checkFormat holds that formatting keeps the tokens and comments, and is idempotent.
func checkFormat(t *testing.T, f *File) {
	t.Helper()
	once, err := Format(f, FormatOptions{})
	if err != nil {
		return
	}
	g := Parse("formatted", once)
	if got, want := significant(g), significant(f); got != want {
		t.Fatalf("formatting changed the tokens of\n%s\nto\n%s", f.Source.Text, once)
	}
	twice, err := Format(g, FormatOptions{})
	if err != nil || !bytes.Equal(once, twice) {
		t.Fatalf("formatting twice differs (%v):\n%s\n----\n%s", err, once, twice)
	}
}

// significant returns all tokens but white space, one a line.
func significant(f *File) string {
	var b strings.Builder
	for i := range f.Tokens {
		if k := f.Kind(TokenID(i)); k != Space {
			b.WriteString(strings.TrimRight(f.Text(TokenID(i)), " \t\r"))
			b.WriteByte('\n')
		}
	}
	return b.String()
}
