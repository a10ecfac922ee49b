package sizes

import (
	"bytes"
	"flag"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/testkit/generate"
	"ptxvm.invalid/ptxvm/internal/testkit/judge"
	"ptxvm.invalid/ptxvm/internal/testkit/nvcc"
	"ptxvm.invalid/ptxvm/internal/testkit/ptxas"
)

var (
	write = flag.Bool("write", false, "ask ptxas about everything and record what it says")
	seed  = flag.Uint64("seed", 1, "seed of the sample that ptxas is asked about")
)

const recorded = "testdata/verdicts.txt"

// TestTables compares the rules of the notes with the cells of tables 27 and 28.
func TestTables(t *testing.T) {
	for file, rule := range map[string]func(inst, reg Type) Cell{"testdata/table27.txt": Source, "testdata/table28.txt": Destination} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		rows := 0
		for line := range strings.Lines(string(text)) {
			name, cells, _ := strings.Cut(strings.TrimSpace(line), " ")
			if name == "#" {
				continue
			}
			inst := Types[rows]
			if inst.String() != name {
				t.Fatalf("%s: row %d is %s", file, rows, name)
			}
			for i, reg := range Types {
				if got := rule(inst, reg); got != Cell(cells[i]) {
					t.Errorf("%s: %v in a %v register: rule %c, table %c", file, inst, reg, got, cells[i])
				}
			}
			rows++
		}
		if rows != len(Types) {
			t.Errorf("%s: %d rows", file, rows)
		}
	}
}

func assembler(t *testing.T) string {
	t.Helper()
	path, err := ptxas.Find()
	if err != nil {
		t.Skip(nvcc.SkipMark + err.Error())
	}
	return path
}

// TestRecord records what ptxas says about every cell at every site.
func TestRecord(t *testing.T) {
	if !*write {
		t.Skip("without -write")
	}
	v, err := Ask(assembler(t))
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	b.WriteString("# Which registers ptxas 13.5 takes for each instruction type: go test -run TestRecord -write\n")
	if err := v.Write(&b); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(recorded, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

func verdicts(t *testing.T) Verdicts {
	t.Helper()
	f, err := os.Open(recorded)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	v, err := Read(f)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestVerdicts: the checker takes exactly the registers that ptxas takes, in every cell at every
// site.
func TestVerdicts(t *testing.T) {
	v := verdicts(t)
	cells := map[Site][][2]Type{}
	each(func(s Site, inst, reg Type) {
		if v.Of(s, inst, reg) != Crashes {
			cells[s] = append(cells[s], [2]Type{inst, reg})
		}
	})
	for s, list := range cells {
		var functions []generate.Function
		for _, c := range list {
			functions = append(functions, s.question(c[0], c[1]).Function)
		}
		for i, here := range complaints(t, functions) {
			if want := v.Of(s, list[i][0], list[i][1]); (want == Accepts) != (here == "") {
				t.Errorf("%s: %s ptxas accepts: %v; here: %s", s.Name(), functions[i].Text, want == Accepts, here)
			}
		}
	}
}

// complaints is the checker's first error in each function of a module, "" if there is none.
func complaints(t *testing.T, functions []generate.Function) []string {
	t.Helper()
	m := generate.Print(functions)
	out := make([]string, len(functions))
	diags, err := ptxvm.Check("cells.ptx", []byte(m.Text), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range diags {
		line, _ := d.Source.Position(d.Span.Start)
		if n := m.Of(line); d.Severity == diag.Error && out[n] == "" {
			out[n] = d.Error()
		}
	}
	return out
}

// TestSampleOfPtxas asks ptxas again about a few cells.
func TestSampleOfPtxas(t *testing.T) {
	path := assembler(t)
	v, r := verdicts(t), rand.New(rand.NewPCG(*seed, 0))
	sites := Sites()
	var cases []*judge.Case
	var want []bool
	for len(cases) < 60 {
		s := sites[r.IntN(len(sites))]
		inst, reg := Types[r.IntN(len(Types))], Types[r.IntN(len(Types))]
		if verdict := v.Of(s, inst, reg); verdict != Crashes && s.Vector < 8 {
			cases, want = append(cases, s.question(inst, reg)), append(want, verdict == Accepts)
		}
	}
	if err := judge.Ask(path, cases); err != nil {
		t.Fatal(err)
	}
	for i, c := range cases {
		if want[i] != (c.Ptxas == "") {
			t.Errorf("%s recorded: %v, ptxas now: %q", c.Text, want[i], c.Ptxas)
		}
	}
}
