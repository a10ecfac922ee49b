// Package layout holds the formatter to its promises on every module that the tests have: corpus, vectors,
// recorded verdicts and generated statements with their modifiers in any order.
package layout

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/internal/cli"
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/syntax"
	"ptxvm.invalid/ptxvm/internal/testkit/generate"
	"ptxvm.invalid/ptxvm/internal/testkit/judge"
	"ptxvm.invalid/ptxvm/internal/testkit/vec"
	"ptxvm.invalid/ptxvm/ptxfmt"
)

const root = "../../.."

var full = flag.Bool("layout.full", false, "all vectors and verdicts, and more shuffled statements; else a sample")

// sampled is one of so many.
func sampled(n int) int {
	if *full {
		return 1
	}
	return n
}

// hold formats a module and compares it with what it was: tokens and comments, verdict, lowered code; and
// formatting again changes nothing. It returns the formatted text.
func hold(t *testing.T, name, text string) string {
	t.Helper()
	once, err := ptxfmt.Format(name, []byte(text))
	if once == nil {
		t.Fatalf("%s: %v", name, err)
	}
	if twice, _ := ptxfmt.Format(name, once); !bytes.Equal(once, twice) {
		t.Errorf("%s: a second time gives\n%s\nafter\n%s", name, twice, once)
	}
	if got, want := tokens(string(once)), tokens(text); got != want {
		t.Errorf("%s: the tokens of\n%s\nbecame\n%s\nin\n%s", name, want, got, once)
	}
	if got, want := verdict(t, string(once)), verdict(t, text); !slices.Equal(got, want) {
		t.Errorf("%s: the verdict %v became %v in\n%s", name, want, got, once)
	} else if len(want) == 0 {
		if got, want := lowered(string(once)), lowered(text); got != want {
			t.Errorf("%s: the code\n%s\nbecame\n%s", name, want, got)
		}
	}
	return string(once)
}

// tokens prints the tokens of a module but for white space. Words with a point, and what may be their arguments,
// stand behind the others of their statement, sorted.
func tokens(text string) string {
	f := syntax.Parse("", []byte(text))
	var b strings.Builder
	var words []string
	for i := range f.Tokens {
		text := strings.TrimRight(f.Text(syntax.TokenID(i)), " \t\r")
		switch f.Kind(syntax.TokenID(i)) {
		case syntax.Space:
		case syntax.DotWord, syntax.Int, syntax.LParen, syntax.RParen, syntax.LBracket, syntax.RBracket:
			words = append(words, text)
		case syntax.Semicolon, syntax.LBrace, syntax.RBrace, syntax.EOF:
			slices.Sort(words)
			fmt.Fprintln(&b, text, words)
			words = words[:0]
		default:
			fmt.Fprintln(&b, text)
		}
	}
	return b.String()
}

// verdict lists the codes of a module's errors; none means that it is accepted.
func verdict(t *testing.T, text string) (codes []string) {
	t.Helper()
	diags, err := ptxvm.Check("", []byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range diags {
		codes = append(codes, diags[i].Code.String())
	}
	return codes
}

// positions are where in the text something stands: bytes, lines and columns.
var positions = regexp.MustCompile(`@\d+ \d+|\bpos \d+`)

func lowered(text string) string {
	var b bytes.Buffer
	if err := cli.Dump(&b, "", []byte(text), "ir"); err != nil {
		fmt.Fprint(&b, err)
	}
	return positions.ReplaceAllString(b.String(), "@")
}

// TestFiles: every PTX file of the repository.
func TestFiles(t *testing.T) {
	n := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && strings.HasPrefix(d.Name(), ".") && path != root {
			return cmp.Or(err, fs.SkipDir)
		}
		if d.IsDir() || filepath.Ext(path) != ".ptx" {
			return nil
		}
		if n++; n%sampled(3) != 0 {
			return nil
		}
		text, err := os.ReadFile(path)
		hold(t, path, string(text))
		return err
	})
	if err != nil || n < 100 {
		t.Fatal(n, "files", err)
	}
}

// TestVectors: the statements of all vector files.
func TestVectors(t *testing.T) {
	blocks, err := vec.Load(filepath.Join(root, "internal/sem/testdata/vec"))
	if err != nil {
		t.Fatal(err)
	}
	modules := map[string]*strings.Builder{}
	var heads []string
	for i, w := range blocks {
		if i%sampled(40) != 0 {
			continue
		}
		head := w.Header()
		if modules[head] == nil {
			modules[head] = new(strings.Builder)
			modules[head].WriteString(head)
			heads = append(heads, head)
		}
		modules[head].WriteString(w.Kernel(fmt.Sprintf("k%d", i)))
	}
	for _, head := range heads {
		hold(t, head, modules[head].String())
	}
}

// TestRecorded: the statements whose verdicts are recorded, legal or not.
func TestRecorded(t *testing.T) {
	f, err := os.Open(filepath.Join(root, "internal/testkit/judge/testdata/verdicts.txt"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	cases, err := judge.Read(f)
	if err != nil {
		t.Fatal(err)
	}
	modules := map[string][]generate.Function{}
	for i, c := range cases {
		if i%sampled(8) != 0 {
			continue
		}
		key := fmt.Sprint(c.Version, c.Target)
		modules[key] = append(modules[key], c.Function)
	}
	for key, list := range modules {
		hold(t, key, generate.Print(list).Text)
	}
}

// TestShuffled: a legal statement, with its modifiers in an order that is legal, too, becomes what the statement
// in the form's order becomes.
func TestShuffled(t *testing.T) {
	g := generate.New(5, nil, []isa.Target{isa.MustTarget("sm_100a"), isa.MustTarget("sm_90a")})
	random := rand.New(rand.NewPCG(1, 2))
	shuffled, moved := 0, 0
	for i, e := range isa.Table().Entries() {
		if i%sampled(5) != 0 {
			continue
		}
		for range 12 / sampled(6) {
			s := g.Legal(e)
			if s == nil || len(s.Tokens) < 3 {
				continue
			}
			plain := generate.Print([]generate.Function{s.Function()}).Text
			if len(verdict(t, plain)) > 0 {
				continue
			}
			want := hold(t, s.Text(), plain)
			random.Shuffle(len(s.Tokens)-1, func(i, j int) {
				s.Tokens[i+1], s.Tokens[j+1] = s.Tokens[j+1], s.Tokens[i+1]
			})
			text := generate.Print([]generate.Function{s.Function()}).Text
			if len(verdict(t, text)) > 0 {
				continue
			}
			shuffled++
			got := hold(t, s.Text(), text)
			if lowered(text) != lowered(plain) {
				continue // another statement: types exchanged
			}
			if got != want {
				t.Errorf("%s: got\n%s\nwant\n%s", s.Text(), got, want)
			}
			if text != plain {
				moved++
			}
		}
	}
	t.Logf("%d shuffled statements are legal; %d became what they were", shuffled, moved)
	if moved < 15 {
		t.Error("too few")
	}
}
