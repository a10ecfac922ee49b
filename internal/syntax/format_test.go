package syntax

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/diag"
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
		golden(t, strings.TrimSuffix(name, ".ptx")+".golden", Format(Parse(name, text), FormatOptions{}))
	}
}

// TestFormatBroken: what is broken stays byte for byte, what stands around it is laid out.
func TestFormatBroken(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{".version  9.1\n.entry k( )\n{\nadd.s32  a,b ;\n sub.s32 a , ;  \nadd.s32 a,b ; }",
			".version 9.1\n.entry k()\n{\n\tadd.s32 a, b;\n sub.s32 a , ;  \nadd.s32 a, b;\n}\n"},
		{".entry k(){ add.s32 a,b\n  add.s32 a,b; }", ".entry k()\n{ add.s32 a,b\n  add.s32 a, b;\n}\n"},
		{".entry  k( {\nret ;\n}\n.entry  j( )\n{ret ;}", ".entry  k( {\nret ;\n}\n.entry j()\n{\n\tret;\n}\n"},
		{".entry k( )\n{ret ;\n{ret ;}", ".entry k( )\n{ret ;\n{\n\t\tret;\n\t}\n"},
		{".entry k( )\n{ret ;}  /* open  ", ".entry k()\n{\n\tret;\n}  /* open  "},
		{".global  .u32 x ;\n#if 1  \n.visible .global  .u32 y ;", ".global .u32 x;\n#if 1  \n.visible .global .u32 y;\n"},
	} {
		f := Parse("x", []byte(c.text))
		if got := string(Format(f, FormatOptions{})); got != c.want || len(f.Errors) == 0 {
			t.Errorf("%q:\ngot  %q\nwant %q (%v)", c.text, got, c.want, f.Errors)
		}
	}
}

// TestFormatOrder: specifiers stand as compilers write them, with their arguments; modifiers as asked for,
// the bank with its word; comments stay in their places.
func TestFormatOrder(t *testing.T) {
	back := func(in *Instruction) []TokenID {
		m := slices.Clone(in.Mods)
		slices.Reverse(m)
		return m
	}
	for text, want := range map[string]string{
		".visible .align 16 .attribute(.unified(1,2)) .global .v2 .u32 x;":     ".visible .global .attribute(.unified(1, 2)) .align 16 .v2 .u32 x;\n",
		".align 8 .const[3] .u32 x;":                                           ".const[3] .align 8 .u32 x;\n",
		".align /* a */ 8 .global /* b */ .u32 x;":                             ".global /* a */ .align 8 /* b */ .u32 x;\n",
		".entry k(.align 8 .param .u64 .ptr .align 4 p) { add.f32.rn.sat a; }": ".entry k(.param .align 8 .u64 .ptr .align 4 p)\n{\n\tadd.sat.rn.f32 a;\n}\n",
		".entry k() { ld.const[3].nc.u32 a; }":                                 ".entry k()\n{\n\tld.u32.nc.const[3] a;\n}\n",
		".entry k() { ld .const /* a */ .u32\n.nc a; }":                        ".entry k()\n{\n\tld.nc /* a */ .u32.const a;\n}\n",
	} {
		f := Parse("x", []byte(text))
		if got := string(Format(f, FormatOptions{Modifiers: back})); got != want || len(f.Errors) > 0 {
			t.Errorf("%s\ngot  %q\nwant %q (%v)", text, got, want, f.Errors)
		}
	}
}

// checkFormat holds that formatting keeps the tokens, comments and errors, and is idempotent.
func checkFormat(t *testing.T, f *File) {
	t.Helper()
	once := Format(f, FormatOptions{})
	g := Parse("formatted", once)
	if got, want := significant(g), significant(f); got != want {
		t.Fatalf("formatting changed the tokens of\n%s\nto\n%s", f.Source.Text, once)
	}
	if got, want := codes(g), codes(f); !slices.Equal(got, want) {
		t.Fatalf("formatting changed the errors %v to %v in\n%s\n----\n%s", want, got, f.Source.Text, once)
	}
	if twice := Format(g, FormatOptions{}); !bytes.Equal(once, twice) {
		t.Fatalf("formatting twice differs:\n%s\n----\n%s", once, twice)
	}
}

func codes(f *File) (list []diag.Code) {
	for _, d := range f.Errors {
		list = append(list, d.Code)
	}
	return list
}

// significant returns all tokens but white space, one a line; words with a point and what may be their
// arguments come last in each statement, sorted.
func significant(f *File) string {
	var b strings.Builder
	var words []string
	for i := range f.Tokens {
		text := strings.TrimRight(f.Text(TokenID(i)), " \t\r")
		switch f.Kind(TokenID(i)) {
		case Space:
		case DotWord, Int, LParen, RParen, LBracket, RBracket:
			words = append(words, text)
		case Semicolon, LBrace, RBrace, EOF:
			slices.Sort(words)
			fmt.Fprintf(&b, "%s\n%q\n", text, words)
			words = words[:0]
		default:
			b.WriteString(text + "\n")
		}
	}
	return b.String()
}
