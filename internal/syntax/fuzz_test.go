package syntax

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/testkit/fuzzseed"
)

// checkInvariants holds what is true of every input: the tokens give the text back in
// order, positions lie in the text, and broken text has errors.
func checkInvariants(t *testing.T, f *File) {
	t.Helper()
	var b strings.Builder
	for i := range f.Tokens {
		if i > 0 && f.Tokens[i].Off < f.Tokens[i-1].Off {
			t.Fatalf("token %d lies before its predecessor", i)
		}
		b.WriteString(f.Text(TokenID(i)))
		b.WriteString(f.Behind(TokenID(i)))
	}
	if b.String() != string(f.Source.Text) {
		t.Fatal("the tokens do not give the text back")
	}
	for _, d := range f.Errors {
		if d.Span.Start < 0 || d.Span.End < d.Span.Start || int(d.Span.End) > len(f.Source.Text) {
			t.Fatalf("%v has the span %v", d, d.Span)
		}
	}
	if err := diag.WriteText(&b, f.Errors, diag.TextOptions{}); err != nil {
		t.Fatal(err)
	}
	checkExtents(t, f, f.Stmts)
}

// checkExtents holds that statements follow each other and that only broken files have Bad.
func checkExtents(t *testing.T, f *File, stmts []Stmt) {
	t.Helper()
	last := TokenID(-1)
	for _, s := range stmts {
		r := s.Extent()
		if r.First <= last || r.Last < r.First || int(r.Last) >= len(f.Tokens) {
			t.Fatalf("%T has the tokens %v after %d", s, r, last)
		}
		last = r.Last
		switch s := s.(type) {
		case *Bad:
			if !f.Errors.HasErrors() {
				t.Fatal("a Bad node without an error")
			}
		case *Block:
			checkExtents(t, f, s.Stmts)
		case *Function:
			if s.Body != nil {
				checkExtents(t, f, s.Body.Stmts)
			}
		}
	}
}

func seeds(add func(string)) {
	files, _ := filepath.Glob("testdata/*.ptx")
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err == nil {
			add(string(text))
		}
	}
	for _, s := range []string{
		"", "\x00", ".", "..", ".version", "\"", "/*", "@@DWARF", ".source_begin", "{", "}", "((((",
		".version 9.1\n.entry k() { add.s32 {a,{b,{c", ".global .u32 x = (((1", ".func f() { @", "a: b: {",
		".version 9.1\n.entry k() { L: .branchtargets", ".entry k() { ld.const[3] a, [b]; }", ".extern",
		".version 1\n.section .x { a: .b8 -", ".section x { .b8 1 } \x80\xff", "#\n#",
	} {
		add(s)
	}
}

func FuzzParse(f *testing.F) {
	seeds(func(s string) { f.Add(s) })
	fuzzseed.Vectors(func(s string) { f.Add(s) }, 32)
	f.Fuzz(func(t *testing.T, text string) {
		file := Parse("fuzz.ptx", []byte(text))
		checkInvariants(t, file)
		checkFormat(t, file)
		checkInvariants(t, ParsePacked("fuzz.ptx", []byte(text)))
		if err := WriteTree(io.Discard, file); err != nil {
			t.Fatal(err)
		}
	})
}

// TestLinear holds that work grows with the text, counted in tokens and errors, not timed:
// each input is adversarial for one construct, and a quadratic step would not end.
func TestLinear(t *testing.T) {
	const n = 200_000
	for name, text := range map[string]string{
		"braces":      strings.Repeat("{", n),
		"parens":      ".global .u32 x = " + strings.Repeat("(", n),
		"vectors":     ".entry k() { mov a, " + strings.Repeat("{", n),
		"unary":       ".global .u32 x = " + strings.Repeat("-", n) + "1;",
		"operators":   ".global .u32 x = 1" + strings.Repeat("+1", n) + ";",
		"ternary":     ".global .u32 x = 1" + strings.Repeat("?1:1", n) + ";",
		"labels":      ".entry k() { " + strings.Repeat("a:", n) + "}",
		"hashes":      ".version 9.1\n" + strings.Repeat("#", n),
		"hash lines":  ".version 9.1\n" + strings.Repeat("#\n", n),
		"comments":    ".version 9.1 " + strings.Repeat("/**/", n),
		"open":        ".version 9.1 " + strings.Repeat("/*", n),
		"strings":     ".version 9.1 " + strings.Repeat("\"", n+1),
		"points":      ".version 9.1 " + strings.Repeat(".", n),
		"raw":         ".version 9.1 " + strings.Repeat(".source_begin\n", n),
		"at":          ".entry k() { " + strings.Repeat("@", n),
		"spaces":      ".version 9.1 " + strings.Repeat(" \n", n) + "x",
		"pairs":       ".entry k() { mov a" + strings.Repeat("|a", n) + ";}",
		"casts":       ".global .u32 x = " + strings.Repeat("(.s64)", n) + "1;",
		"parameters":  ".entry k(" + strings.Repeat(".param .u32 a,", n),
		"no colons":   ".entry k() { bra q, a;\n" + strings.Repeat("a\nb c d;\n", n) + "}",
		"bad bytes":   ".version 9.1 " + strings.Repeat("\x80 ", n),
		"initialiser": ".global .u32 x[] = {" + strings.Repeat("1,", n) + "1};",
	} {
		t.Run(name, func(t *testing.T) {
			f := Parse(name, []byte(text))
			checkInvariants(t, f)
			if len(f.Tokens) > len(text)+3 {
				t.Errorf("%d tokens for %d bytes", len(f.Tokens), len(text))
			}
		})
	}
}
