package doc

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/check"
	"ptxvm.invalid/ptxvm/internal/syntax"
	"ptxvm.invalid/ptxvm/ptxfmt"
)

// TestPositions: lines and columns lead back to the offset that they are made of, in all units.
func TestPositions(t *testing.T) {
	s := New("k.ptx", []byte("é𝄞x\r\n\n\xff𝄞\n"), check.Options{})
	if s.Lines() != 4 {
		t.Errorf("%d lines", s.Lines())
	}
	for enc, want := range map[Encoding]int{UTF8: 7, UTF16: 4, UTF32: 3} {
		if line, column := s.Position(7, enc); line != 0 || column != want {
			t.Errorf("encoding %d: %d:%d, want 0:%d", enc, line, column, want)
		}
		for p := Pos(0); int(p) <= len(s.Text); p++ {
			line, column := s.Position(p, enc)
			whole := int(p) == len(s.Text) || utf8.RuneStart(s.Text[p])
			if q := s.Offset(line, column, enc); whole && q != p && s.Text[q] != '\r' {
				t.Errorf("encoding %d: offset %d became %d:%d, and that %d", enc, p, line, column, q)
			}
		}
	}
	for _, p := range [][2]int{{-1, 5}, {0, -3}} {
		if s.Offset(p[0], p[1], UTF16) != 0 {
			t.Errorf("%v is the beginning", p)
		}
	}
	if s.Offset(99, 0, UTF16) != Pos(len(s.Text)) || s.Offset(0, 99, UTF16) != 7 {
		t.Error("what lies outside is moved into the text, and into its line")
	}
}

// TestForeign tells modules from other files that end in .ptx.
func TestForeign(t *testing.T) {
	for text, foreign := range map[string]bool{
		"": true, "<pretext/>": true, ".target sm_80": true, "// a\n/* b */ .version 8.0": false,
		"\n\n.version 8.0\n.target sm_80":                              false,
		"// " + strings.Repeat("x", 2*foreignBytes) + "\n.version 8.0": true,
	} {
		if got := New("k.ptx", []byte(text), check.Options{}).Foreign(); got != foreign {
			t.Errorf("%.30q: foreign %v", text, got)
		}
	}
}

// TestEverywhere asks all questions at random places of modules, whole and broken ones: each has an answer, from the view of a function
// the same as from that of the whole text.
func TestEverywhere(t *testing.T) {
	texts := corpus(t)
	r := rand.New(rand.NewPCG(1, 40))
	for i := range 40 {
		if i == 20 {
			defer small()()
		}
		s := New("k.ptx", texts[r.IntN(len(texts))], check.Options{WholeProgram: true})
		_, _ = s.Diagnostics(t.Context())
		for range 1 + r.IntN(3) {
			span, text := change(r, s, Pos(len(s.Text)/2))
			s = s.Edit(span, text)
			_, _ = s.Diagnostics(t.Context())
		}
		whole := New(s.Name, s.Text, s.opt)
		for range 20 {
			at := Pos(r.IntN(len(s.Text) + 1))
			if got, want := asked(t, s, at), asked(t, whole, at); !slices.Equal(got, want) {
				n := 0
				for n < len(got) && n < len(want) && got[n] == want[n] {
					n++
				}
				got, want = got[n:min(n+2, len(got))], want[n:min(n+2, len(want))]
				_ = os.WriteFile(os.TempDir()+"/ptxvm-edit.ptx", s.Text, 0o644)
				t.Fatalf("at %d:\n%v\nof the whole text\n%v", at, strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		}
	}
}

// asked prints the answers that one function is enough for.
func asked(t *testing.T, s *Snapshot, at Pos) (out []string) {
	t.Helper()
	ctx := t.Context()
	text, _, err := s.Hover(ctx, at)
	out = append(out, text)
	items, err2 := s.Completions(ctx, at)
	for _, i := range items {
		out = append(out, i.Text)
	}
	list, _, err3 := s.Signatures(ctx, at)
	for _, f := range list {
		out = append(out, f.Text)
	}
	span, ok, err4 := s.Definition(ctx, at)
	if ok {
		out = append(out, string(s.Text[span.Start:span.End]))
	}
	around, err5 := s.Enclosing(ctx, at)
	for _, a := range around[:min(2, len(around))] {
		out = append(out, string(s.Text[a.Start:a.End]))
	}
	line := s.LineSpan(s.LineOf(at))
	words, err6 := s.Words(ctx, line)
	for _, w := range words {
		out = append(out, string(s.Text[w.Span.Start:w.Span.End]))
	}
	if err := errors.Join(err, err2, err3, err4, err5, err6); err != nil {
		t.Fatal(err)
	}
	return out
}

// TestRandomRenames: a module means the same under other names; judged again it has the same errors.
func TestRandomRenames(t *testing.T) {
	texts := corpus(t)
	r := rand.New(rand.NewPCG(2, 40))
	renamed := 0
	for range 80 {
		s := New("k.ptx", texts[r.IntN(len(texts))], check.Options{WholeProgram: true})
		at := Pos(r.IntN(len(s.Text)))
		edits, err := s.Rename(t.Context(), at, "%brand_new")
		if err != nil {
			continue
		}
		text, err := (&diag.Fix{Edits: edits}).Apply(s.Text)
		if err != nil {
			t.Fatal(err)
		}
		back := New("k.ptx", text, s.opt)
		_, old, err := s.Renameable(t.Context(), at)
		if err != nil {
			t.Fatal(err)
		}
		again, err := back.Rename(t.Context(), Pos(bytes.Index(text, []byte("%brand_new"))), old)
		if err != nil {
			t.Fatalf("%s cannot be called so again: %v", old, err)
		}
		if text, _ = (&diag.Fix{Edits: again}).Apply(text); !bytes.Equal(text, s.Text) {
			t.Errorf("there and back, %s is not what it was", old)
		}
		renamed++
	}
	if renamed < 10 {
		t.Errorf("%d names were renamed", renamed)
	}
}

// TestFormat: the edits of the layout make what `ptxvm fmt` makes.
func TestFormat(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 40))
	for _, text := range corpus(t)[:12] {
		s := New("k.ptx", text, check.Options{})
		for range 5 {
			span, text := change(r, s, 0)
			s = s.Edit(span, text)
		}
		edits, err := s.Format(t.Context(), Span{End: Pos(len(s.Text))})
		if err != nil {
			t.Fatal(err)
		}
		got, err := (&diag.Fix{Edits: edits}).Apply(s.Text)
		if err != nil {
			t.Fatal(err)
		}
		if want, _ := ptxfmt.Format("k.ptx", s.Text); want != nil && !bytes.Equal(got, want) {
			t.Errorf("the layout differs:\n%s", difference(string(got), string(want)))
		}
	}
}

// TestFixAll makes what `ptxvm check --fix` makes.
func TestFixAll(t *testing.T) {
	text := []byte(".version 8.0\n.target sm_80\n.entry k()\n{\n\t.reg .b32 %r<3>; .reg .b64 %d;\n\tld.gloabl.u32 %r1, [%d-4];\n\tshl.u32 %r1, %r2, 3\n\tret;\n}\n")
	s := New("k.ptx", text, check.Options{WholeProgram: true})
	edit, err := s.FixAll(t.Context())
	if err != nil || edit == nil {
		t.Fatal(edit, err)
	}
	got, _ := (&diag.Fix{Edits: []diag.Edit{*edit}}).Apply(text)
	want, n, err := ptxfmt.Fix("k.ptx", text, nil)
	if err != nil || n < 3 || !bytes.Equal(got, want) {
		t.Errorf("%d fixes, %v:\n%s\nwant\n%s", n, err, got, want)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.FixAll(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestWords cover a text in order, and none twice.
func TestWords(t *testing.T) {
	for _, text := range corpus(t)[:6] {
		s := New("k.ptx", text, check.Options{})
		words, err := s.Words(t.Context(), Span{End: Pos(len(text))})
		if err != nil || len(words) == 0 {
			t.Fatal(len(words), err)
		}
		end, opcodes := Pos(0), 0
		for _, w := range words {
			if w.Span.Start < end || w.Span.End <= w.Span.Start {
				t.Fatalf("%v behind %d", w, end)
			}
			if end = w.Span.End; w.Class == OpcodeWord {
				opcodes++
			}
		}
		if f := syntax.Parse("k.ptx", text); opcodes != f.Instructions {
			t.Errorf("%d opcodes of %d instructions", opcodes, f.Instructions)
		}
	}
}
