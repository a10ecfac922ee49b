package sem_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/sem"
	"ptxvm.invalid/ptxvm/internal/sem/table"
	"ptxvm.invalid/ptxvm/internal/uop"
)

// samplesPerChoice is how many statements the table tests draw for every form, row and value.
const samplesPerChoice = 6

// TestOneLine: every legal statement selects one most specific line, or none.
func TestOneLine(t *testing.T) {
	for _, e := range isa.Table().Entries() {
		sem.EachSample(e, samplesPerChoice, func(s *isa.Sample) {
			if _, tie := table.Whole().Pick(s.Sel); tie {
				t.Errorf("%s: two lines are as specific", s.Sel.Text())
			}
		})
	}
}

// TestEveryLineSelects: a line that no legal statement selects says nothing. Statements are
// drawn until every line has been met.
func TestEveryLineSelects(t *testing.T) {
	used := map[*sem.Line]bool{}
	for _, e := range isa.Table().Entries() {
		lines := table.Whole().LinesOf(e.ID)
		r := rand.New(rand.NewPCG(2, uint64(e.ID)))
		choices := e.Choices()
		for round := 0; round < 1000 && !all(lines, used); round++ {
			for _, c := range choices {
				if s := e.Sample(r, c); s != nil {
					l, _ := table.Whole().Pick(s.Sel)
					used[l] = true
				}
			}
		}
		for i, l := range lines {
			if !used[l] {
				t.Errorf("line %d of %s selects nothing: %v", i, e.Name, l.When)
			}
		}
	}
}

// TestPositions: an assumption chooses between functions that are one operation, at one rounding and width: their names differ in
// the words of the positions alone.
func TestPositions(t *testing.T) {
	words := strings.NewReplacer("First", "", "Nearest", "", "Approx", "", "Quiet", "", "Factors", "", "Borrow", "C")
	lines, functions := table.Whole().Positions()
	if len(lines) < 80 {
		t.Errorf("%d lines", len(lines))
	}
	for i, l := range lines {
		want := words.Replace(functions[i][0].String())
		for _, op := range functions[i][1:] {
			if words.Replace(op.String()) != want || op == functions[i][0] {
				t.Errorf("%s: %v beside %v", isa.Table().Entry(l.ID).Name, op, functions[i][0])
			}
		}
	}
}

func all(lines []*sem.Line, used map[*sem.Line]bool) bool {
	for _, l := range lines {
		if !used[l] {
			return false
		}
	}
	return true
}

var update = flag.Bool("update", false, "rewrite testdata/status.txt")

// TestStatus compares what is not executed with testdata/status.txt, so that every gap is a decision.
func TestStatus(t *testing.T) {
	var b strings.Builder
	for _, e := range isa.Table().Entries() {
		c := table.Whole().Status(e)
		if c.Status != sem.Done || c.Undocumented != nil {
			fmt.Fprintf(&b, "%-12s %s\n", c.Status, e.Name)
		}
		for _, n := range slices.Concat(c.Notes, c.Undocumented) {
			fmt.Fprintf(&b, "             %s\n", n)
		}
	}
	const name = "testdata/status.txt"
	if *update {
		if err := os.WriteFile(name, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if b.String() != string(want) {
		t.Errorf("the status of forms has changed; look at it and run with -update:\n%s", firstDifference(b.String(), string(want)))
	}
}

func firstDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			return fmt.Sprintf("line %d: have %q, want %q", i+1, g[i], w[i])
		}
	}
	return fmt.Sprintf("have %d lines, want %d", len(g), len(w))
}

// TestStampsAreFound: every lane function of the table has its generated loops.
func TestStampsAreFound(t *testing.T) {
	for _, id := range table.Whole().Unstamped() {
		t.Errorf("%v: no stamp; run go generate", id)
	}
}

// TestHandlers: every operation has a handler, and nothing else has one.
func TestHandlers(t *testing.T) {
	for op := uop.None + 1; op < uop.NumOps; op++ {
		if !table.Whole().Executes(op) {
			t.Errorf("%v has no handler", op)
		}
	}
	if table.Whole().Executes(uop.None) {
		t.Error("None has a handler")
	}
}

// TestAssemble: two wings cannot both execute an operation.
func TestAssemble(t *testing.T) {
	defer func() {
		if why, _ := recover().(string); !strings.Contains(why, uop.Texture.String()) {
			t.Errorf("two handlers of one operation: %q", why)
		}
	}()
	wing := sem.Wing{Handlers: map[uop.Op]machine.Handler{uop.Texture: func(*machine.Warp, *machine.Inst) machine.State { return machine.Next }}}
	sem.Assemble(wing, wing)
}
