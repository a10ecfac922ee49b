package doc

// This file edits modules at random, and compares what is said of them with a check of the whole text.

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/check"
	"ptxvm.invalid/ptxvm/internal/syntax"
	"ptxvm.invalid/ptxvm/internal/testkit/joined"
)

var (
	editCount = flag.Int("edits", 400, "how many random edits of the corpus are made")
	editSeed  = flag.Uint64("edit-seed", 1, "the first random number")
)

const root = "../../.."

// corpus are modules of several functions, with what counts across them: calls, shared memory, places of inlined code.
func corpus(t testing.TB) [][]byte {
	t.Helper()
	texts, err := readCorpus()
	if err != nil {
		t.Fatal(err)
	}
	return texts
}

var readCorpus = sync.OnceValues(func() (texts [][]byte, err error) {
	files, err := joined.Files(root, "sm_90")
	if err != nil {
		return nil, err
	}
	more, _ := filepath.Glob(filepath.Join(root, "testdata/triton/*.ptx"))
	for _, file := range append(files, more...) {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		if len(text) < 40_000 {
			texts = append(texts, text)
		}
	}
	for i := 0; i+4 <= len(files); i += 4 {
		text, err := joined.Module(files[i:i+4], 300)
		if err != nil {
			return nil, err
		}
		texts = append(texts, text)
	}
	return append(texts, mistakes()...), nil
})

// mistakes are the examples of diagnostics, four in a module, and what functions have to do with each other.
func mistakes() (texts [][]byte) {
	const head = ".version 9.3\n.target sm_90a\n.address_size 64\n"
	text, n := head, 0
	for _, e := range diag.Catalog() {
		if e.Scope != diag.ScopeBody {
			continue
		}
		text += joined.Renamed([]byte(e.Module()), fmt.Sprintf("_%d", n), map[string]bool{})
		if n++; n%4 == 0 {
			texts = append(texts, []byte(text))
			text = head
		}
	}
	return append(texts, []byte(head+`.extern .func outside(.param .u32 a);
.func (.param .u32 r) vprintf(.param .u64 a, .param .u64 b);
.shared .b32 common[10000];
.func helper(.reg .u32 x)
{
	.shared .b32 own[2000];
	.reg .u32 %r<4>;
	mov.u32 %r1, own;
	st.shared.u32 [common], x;
	ret;
}
.visible .entry moving() .maxntid 128
{
	setmaxnreg.inc.sync.aligned.u32 64;
	ret;
}
.visible .entry calling() .reqntid 128 .minnctapersm 1
{
	.reg .u32 %r<4>;
	.reg .u64 %rd<3>;
	mov.u32 %r1, 1;
	call.uni helper, (%r1);
	mov.u64 %rd1, helper;
	setmaxnreg.dec.sync.aligned.u32 64;
	{
		.param .u32 p;
		st.param.u32 [p], %r1;
		call.uni outside, (p);
	}
	ret;
}
.visible .entry waiting()
{
	.reg .pred %p;
	.reg .u32 %r<4>;
again:
	setp.eq.u32 %p, %r1, %r2;
	@%p bra again;
	ret;
}
`))
}

// judged prints what `ptxvm check` says of a text.
func judged(text []byte, opt check.Options) string {
	f := syntax.ParsePacked("k.ptx", text)
	if syntax.NotPTX(f.Errors) {
		return printed(f.Errors)
	}
	_, list := check.Check(f, opt)
	return printed(list)
}

// printed prints all of a list, fixes and edits too.
func printed(list diag.List) string {
	var b bytes.Buffer
	_ = diag.WriteJSON(&b, "k.ptx", list)
	_ = diag.WriteText(&b, list, diag.TextOptions{})
	return b.String()
}

// difference are the lines that only one of two texts has.
func difference(got, want string) string {
	var b strings.Builder
	a, c := strings.Split(got, "\n"), strings.Split(want, "\n")
	for _, line := range a {
		if !slices.Contains(c, line) {
			fmt.Fprintf(&b, "got:  %s\n", line)
		}
	}
	for _, line := range c {
		if !slices.Contains(a, line) {
			fmt.Fprintf(&b, "want: %s\n", line)
		}
	}
	return b.String()
}

// words are put into texts.
var words = strings.Fields("%r1 %rd2 %p1 %f3 ; , { } [ ] ( ) : .u32 .f32 .b64 .sat .global .reg .loc .shared .func .entry ret; bra add.s32 mov /* */ // \" 0 0x7f @%p1 $L__BB0_2 .extern call foo x: . _")

// change is a random edit of a text, most often in one place of a body.
func change(r *rand.Rand, s *Snapshot, near Pos) (Span, string) {
	at := Pos(r.IntN(len(s.Text) + 1))
	if near > 0 && r.IntN(4) > 0 {
		at = min(max(near+Pos(r.IntN(200)-100), 0), Pos(len(s.Text)))
	}
	line := s.LineSpan(s.LineOf(at))
	switch r.IntN(8) {
	case 0: // a key
		return Span{Start: at, End: at}, string("abr%.1; \n{}/*0,"[r.IntN(15)])
	case 1: // backspace
		return Span{Start: max(at-1, 0), End: at}, ""
	case 2, 3:
		return Span{Start: at, End: at}, " " + words[r.IntN(len(words))] + " "
	case 4: // a line twice
		return Span{Start: line.End, End: line.End}, "\n" + string(s.Text[line.Start:line.End])
	case 5: // a line less
		return Span{Start: line.Start, End: min(line.End+1, Pos(len(s.Text)))}, ""
	case 6: // a word instead of another
		v := &View{snapshot: s, File: syntax.Parse("k.ptx", s.Text)}
		t := v.token(at)
		if t == syntax.NoToken {
			return line, string(s.Text[line.Start:line.End])
		}
		return v.File.TokenSpan(t), words[r.IntN(len(words))]
	}
	other := s.LineSpan(r.IntN(s.Lines()))
	return line, string(s.Text[other.Start:other.End])
}

// small has chunks in short functions, too, until it is called.
func small() (restore func()) {
	was := [...]int{longFunction, maxChunk, minChunk}
	longFunction, maxChunk, minChunk = 6, 3, 1
	return func() { longFunction, maxChunk, minChunk = was[0], was[1], was[2] }
}

// TestRandomEdits: after each edit the diagnostics are those of a check of the whole text.
func TestRandomEdits(t *testing.T) {
	texts := corpus(t)
	r := rand.New(rand.NewPCG(*editSeed, 40))
	options := []check.Options{{WholeProgram: true}, {CompileOnly: true}, {WholeProgram: true, Judge: 1}}
	edits := 0
	var how judgements
	for edits < *editCount {
		opt := options[r.IntN(len(options))]
		restore := func() {}
		if r.IntN(2) == 0 {
			restore = small()
		}
		s := New("k.ptx", texts[r.IntN(len(texts))], opt)
		_, _ = s.Diagnostics(t.Context()) // as an editor that opens it
		near := Pos(0)
		for broken := 0; broken < 2 && r.IntN(8) > 0; {
			was := s.said
			for range 1 + r.IntN(2) {
				span, text := change(r, s, near)
				s, near = s.Edit(span, text), span.Start
				edits++
			}
			base := s.base
			got, err := s.Diagnostics(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if how.count(was, base, s); was.broken() {
				broken++ // there is little left to judge alone
			}
			if got, want := printed(got), judged(s.Text, opt); got != want {
				_ = os.WriteFile(filepath.Join(os.TempDir(), "ptxvm-edit.ptx"), s.Text, 0o644)
				t.Fatalf("after %d edits (-edit-seed %d), %+v, %v:\n%s", edits, *editSeed, opt, how, difference(got, want))
			}
		}
		restore()
	}
	t.Logf("%d edits: %v", edits, how)
	if part := how.chunks + how.functions; part < how.all()/4 || how.chunks < how.all()/20 {
		t.Errorf("of %d judgements only %d were of functions or less", how.all(), part)
	}
}

// judgements counts how texts were judged again.
type judgements struct {
	chunks    int // by what is around the edit
	functions int // functions alone
	tried     int // a function alone, and then the whole text, since that was not enough
	broken    int // the whole text at once, since what it was is broken as a whole: no one knows where its bodies end, or it has many errors
	outside   int // the same after an edit outside of bodies, or one with what counts in other functions
}

func (j *judgements) count(was, base *verdict, s *Snapshot) {
	switch {
	case s.near != nil:
		j.chunks++
	case s.whole == nil && base != nil:
		j.functions++
	case base != nil:
		j.tried++
	case was.broken():
		j.broken++
	default:
		j.outside++
	}
}

func (j judgements) all() int { return j.chunks + j.functions + j.tried + j.broken + j.outside }

func (j judgements) String() string {
	return fmt.Sprintf("%d judgements, of which %d were of what is around the edit, %d of functions, %d of functions and then of the whole text, %d of a text that was broken, %d behind edits outside of bodies or of what counts there",
		j.all(), j.chunks, j.functions, j.tried, j.broken, j.outside)
}
