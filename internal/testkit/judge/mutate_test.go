package judge

// This file judges mutants of whole modules: compiled kernels with one token changed anywhere, in a
// declaration, a label, an operand, a type or a directive. What generators draw from the data cannot
// find what the data does not say.

import (
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/internal/syntax"
	"ptxvm.invalid/ptxvm/internal/testkit/ptxas"
)

var mutants = flag.Int("mutants", 0, "judge so many mutants of the compiled modules of testdata")

// mutated are small, so that ptxas takes milliseconds for each.
const mutatedBytes = 12 << 10

// TestJudgeMutants: both judges agree on modules with one token changed.
func TestJudgeMutants(t *testing.T) {
	if *mutants == 0 {
		t.Skip("asks ptxas for minutes; -mutants 1000")
	}
	path := assembler(t)
	modules := mutable(t)
	r := rand.New(rand.NewPCG(*seed, 31))
	accepted, equal := 0, 0
	for range *mutants {
		text, change := mutant(r, modules[r.IntN(len(modules))])
		report, err := ptxas.Judge(path, text, target(t, []byte(text)))
		if err != nil {
			t.Fatal(err)
		}
		diags, err := ptxvm.Check("mutant.ptx", []byte(text), nil)
		if err != nil {
			t.Fatal(err)
		}
		if report.Accepted {
			accepted++
		}
		if report.Accepted != diags.HasErrors() {
			equal++
			continue
		}
		t.Errorf("%s\n\tptxas: %v %s\n\there: %v", change, report.Accepted, report.Stderr, diags)
	}
	t.Logf("%d mutants, ptxas accepts %d, %d equal", *mutants, accepted, equal)
}

// mutable reads the compiled modules whose targets ptxas compiles for.
func mutable(t *testing.T) (modules []*syntax.File) {
	t.Helper()
	files, err := filepath.Glob("../../../testdata/*/*.ptx")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		diags, err := ptxvm.Check(file, text, nil)
		if err == nil && !diags.HasErrors() && len(text) < mutatedBytes {
			modules = append(modules, syntax.Parse(file, text))
		}
	}
	if len(modules) < 10 {
		t.Fatalf("%d modules", len(modules))
	}
	return modules
}

// mutant drops, repeats or exchanges one token behind the header, or puts another one of its kind, which the
// module has elsewhere, in its place.
func mutant(r *rand.Rand, f *syntax.File) (text, change string) {
	tokens := words(f)
	i := headerTokens + r.IntN(len(tokens)-headerTokens-1)
	old, next := f.Text(tokens[i]), f.Text(tokens[i+1])
	now := ""
	switch r.IntN(8) {
	case 0:
	case 1:
		now = old + " " + old
	case 2:
		return splice(f, tokens[i], tokens[i+1], next+" "+old), "exchanged " + old + " and " + next + around(f, tokens[i])
	default:
		now = other(r, f, tokens, tokens[i])
	}
	return splice(f, tokens[i], tokens[i], now), old + " → " + now + around(f, tokens[i])
}

// headerTokens are those of .version, .target and .address_size.
const headerTokens = 6

// words lists the tokens that are no white space and no comment.
func words(f *syntax.File) (out []syntax.TokenID) {
	for i := range f.Tokens {
		switch id := syntax.TokenID(i); f.Kind(id) {
		case syntax.Space, syntax.Comment, syntax.EOF:
		default:
			out = append(out, id)
		}
	}
	return out
}

// other draws a token of the same kind with another text, or the same if there is none.
func other(r *rand.Rand, f *syntax.File, tokens []syntax.TokenID, at syntax.TokenID) string {
	for range 100 {
		if t := tokens[r.IntN(len(tokens))]; f.Kind(t) == f.Kind(at) && f.Text(t) != f.Text(at) {
			return f.Text(t)
		}
	}
	return f.Text(at)
}

func splice(f *syntax.File, first, last syntax.TokenID, text string) string {
	all := string(f.Source.Text)
	return all[:f.TokenSpan(first).Start] + text + all[f.TokenSpan(last).End:]
}

// around is where a mutant has been changed: file and line.
func around(f *syntax.File, at syntax.TokenID) string {
	all := string(f.Source.Text)
	begin := strings.LastIndexByte(all[:f.TokenSpan(at).Start], '\n') + 1
	line, _, _ := strings.Cut(all[begin:], "\n")
	return " in " + filepath.Base(f.Source.Name) + ": " + strings.TrimSpace(line)
}
