package mutants

// Sheets: a small room whose verdicts are known.

import (
	"os"
	"path/filepath"
	"testing"
)

const smallRoom = `package small

type number int

// table holds a value that no test looks at.
var table = []int{3, 5}

var named [2]int = [2]int{7, 9}

const fixed = 11

func unseen(a, b int) int { return a - b }

func sum[T int | float64](list ...T) (s T) {
	for _, v := range list {
		s += v
	}
	return s
}

func (n *number) add(m number, _ string) {
	*n += m
}

func last() int {
	i := len(table) - 1
	return table[i]
}
`

const smallTest = `package small

import "testing"

func Test(t *testing.T) {
	n := number(1)
	n.add(2, "")
	if n != 3 || sum(1, 2, 3) != 6 || named[1] != 9 || last() != 5 || fixed != 11 {
		t.Fatal(n)
	}
}
`

// verdicts are those on some mutants of the room: of a function that no test calls, of a
// variable, of functions of every kind, of what needs a program of its own.
var verdicts = map[string]Verdict{
	"small/small.go unseen: return a - b => return a + b":             Survived,
	"small/small.go table: []int{3, 5} => []int{2, 5}":                Survived,
	"small/small.go table: []int{3, 5} => []int{3, 4}":                Killed,
	"small/small.go named: [2]int{7, 9} => [2]int{7, 8}":              Killed,
	"small/small.go fixed: 11 => 10":                                  Killed,
	"small/small.go sum: s += v => nothing":                           NotCompiling,
	"small/small.go sum: s += v => s -= v":                            Killed,
	"small/small.go number.add: *n += m => nothing":                   Killed,
	"small/small.go last: i := len(table) - 1 => i := len(table) - 2": Killed,
}

// TestMutantsOnSheet: a room's mutants get their verdicts, most of them in one program.
func TestMutantsOnSheet(t *testing.T) {
	if !*run && !*full {
		t.Skip("run with -mutants: it builds programs")
	}
	r, ms := smallRunner(t)
	got := map[string]Verdict{}
	if err := r.RunAll(ms, func(res Result) { got[res.Key()] = res.Verdict }); err != nil {
		t.Fatal(err)
	}
	for key, want := range verdicts {
		if v, ok := got[key]; !ok || v != want {
			t.Errorf("%s: verdict %d, %v; want %d", key, v, ok, want)
		}
	}
	if s := newSheet(r.sources, pointers(ms)); len(s.alone) != 2 || len(got) != len(ms) {
		t.Errorf("%d of %d mutants need a program of their own, %d have a verdict; want those of the constant alone, and all", len(s.alone), len(ms), len(got))
	}
}

// smallRunner writes the room and lists its mutants.
func smallRunner(t *testing.T) (*Runner, []Mutant) {
	root := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module small\n\ngo 1.26\n", "small/small.go": smallRoom, "small/small_test.go": smallTest} {
		name = filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	room := &Room{Name: "small", Dir: "small", Tests: []string{"small"}}
	ms, err := Enumerate(root, room)
	if err != nil {
		t.Fatal(err)
	}
	r, err := NewRunner(root, room, t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return r, ms
}
