package mutants

// The lists: what the operators make of a sample, and that every mutant of the rooms is one
// edit that still parses.

import (
	"flag"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the golden file")

// TestOperators compares the mutants of a small file with the golden list.
func TestOperators(t *testing.T) {
	text, err := os.ReadFile("testdata/sample.txt")
	if err != nil {
		t.Fatal(err)
	}
	s := &source{name: "sample.go", text: text, fset: token.NewFileSet()}
	if s.tree, err = parser.ParseFile(s.fset, "sample.go", text, 0); err != nil {
		t.Fatal(err)
	}
	var known functions
	known.add("", []*source{s})
	ms := mutate(s, known)
	number(ms)
	var got strings.Builder
	for i := range ms {
		got.WriteString(ms[i].String() + "\n")
	}
	const golden = "testdata/sample.golden"
	if *update {
		if err := os.WriteFile(golden, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got.String() != string(want) {
		t.Errorf("-update rewrites %s; got\n%s", golden, got.String())
	}
}

// TestEnumerate checks the lists of the rooms themselves. Not every room has mutants of each kind, but one has.
func TestEnumerate(t *testing.T) {
	kinds := map[string]bool{}
	for i := range Rooms {
		room := &Rooms[i]
		ms := enumerate(t, room)
		if len(ms) == 0 {
			t.Errorf("%s has no mutants", room.Name)
		}
		keys := map[string]bool{}
		for j := range ms {
			if keys[ms[j].Key()] {
				t.Errorf("two mutants with one key: %v", &ms[j])
			}
			kinds[ms[j].Kind], keys[ms[j].Key()] = true, true
		}
		for j, m := range Sample(enumerate(t, room), 200, 1) {
			if n := 200; j >= n || !keys[m.Key()] {
				t.Errorf("sampled twice, the second time %v", &m)
			}
			checkEdit(t, &m)
		}
	}
	for _, op := range operators {
		if !kinds[op.kind] {
			t.Errorf("no mutant of kind %s", op.kind)
		}
	}
}

// checkEdit wants the edit to change the file into another that parses.
func checkEdit(t *testing.T, m *Mutant) {
	src, err := os.ReadFile(filepath.Join(moduleRoot(t), filepath.FromSlash(m.File)))
	if err != nil {
		t.Fatal(err)
	}
	mutated := m.apply(src)
	if string(mutated) == string(src) {
		t.Errorf("changes nothing: %v", m)
	}
	if _, err := parser.ParseFile(token.NewFileSet(), m.File, mutated, 0); err != nil {
		t.Errorf("%v: %v", m, err)
	}
}

// TestSample wants samples of the asked size that depend on the seed.
func TestSample(t *testing.T) {
	ms := enumerate(t, &Rooms[0])
	a, b := Sample(ms, 50, 1), Sample(ms, 50, 2)
	if len(a) != 50 || len(b) != 50 {
		t.Fatalf("samples of %d and %d, want 50", len(a), len(b))
	}
	in := map[string]bool{}
	for i := range a {
		in[a[i].Key()] = true
	}
	common := 0
	for i := range b {
		if in[b[i].Key()] {
			common++
		}
	}
	if common > 10 {
		t.Errorf("%d of 50 mutants are in the samples of both seeds", common)
	}
}

// TestEquivalents wants every listed mutant to exist still.
func TestEquivalents(t *testing.T) {
	known, err := Equivalents()
	if err != nil {
		t.Fatal(err)
	}
	var all []Mutant
	for i := range Rooms {
		all = append(all, enumerate(t, &Rooms[i])...)
	}
	for _, e := range known {
		if !slices.ContainsFunc(all, func(m Mutant) bool { return e.Matches(&m) }) {
			t.Errorf("equivalent.txt lists a mutant that is no more: %s", e.Key)
		}
	}
}

func TestParseEquivalents(t *testing.T) {
	list, err := parseEquivalents("# why\nc.go H: u => v\na.go F: x => y\n    one\n    two\n\n~ b.go *x2: p* => q*\n\tr\n")
	if err != nil || len(list) != 3 {
		t.Fatalf("got %v, %v", list, err)
	}
	for m, want := range map[Mutant]string{
		{File: "a.go", Func: "F", Text: "x => y"}:      "one two",
		{File: "c.go", Func: "H", Text: "u => v"}:      "one two",
		{File: "b.go", Func: "Fx2", Text: "p1 => q2"}:  "r",
		{File: "b.go", Func: "Fx4", Text: "p1 => q2"}:  "",
		{File: "a.go", Func: "F", Text: "x => y #2"}:   "",
		{File: "b.go", Func: "Fx2", Text: "o p => q2"}: "",
	} {
		got := ""
		if e := list.Find(&m); e != nil {
			got = e.Reason
		}
		if got != want {
			t.Errorf("%s: reason %q, want %q", m.Key(), got, want)
		}
	}
	for _, bad := range []string{"a.go F: x => y\n", " reason\n", "a: x\n r\na: x\n r\n"} {
		if _, err := parseEquivalents(bad); err == nil {
			t.Errorf("no error for %q", bad)
		}
	}
}
