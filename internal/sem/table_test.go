package sem

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/internal/isa"
)

// samplesPerChoice is how many statements the table tests draw for every form, row and value.
const samplesPerChoice = 6

// TestOneLine: every legal statement selects one most specific line, or none.
func TestOneLine(t *testing.T) {
	for _, e := range isa.Table().Entries() {
		EachSample(e, samplesPerChoice, func(s *isa.Sample) {
			if _, tie := pick(byID()[s.Sel.ID()], s.Sel); tie {
				t.Errorf("%s: two lines are as specific", s.Sel.Text())
			}
		})
	}
}

// TestEveryLineSelects: a line that no legal statement selects says nothing. Statements are
// drawn until every line has been met.
func TestEveryLineSelects(t *testing.T) {
	used := map[*Line]bool{}
	for _, e := range isa.Table().Entries() {
		lines := byID()[e.ID]
		r := rand.New(rand.NewPCG(2, uint64(e.ID)))
		choices := e.Choices()
		for round := 0; round < 1000 && !all(lines, used); round++ {
			for _, c := range choices {
				if s := e.Sample(r, c); s != nil {
					l, _ := pick(lines, s.Sel)
					used[l] = true
				}
			}
		}
		for i, l := range lines {
			if !used[l] {
				t.Errorf("line %d of %s selects nothing: %v", i, e.Name, describe(l.When))
			}
		}
	}
}

func all(lines []*Line, used map[*Line]bool) bool {
	for _, l := range lines {
		if !used[l] {
			return false
		}
	}
	return true
}

func describe(c Cond) string {
	var words []string
	for _, t := range c {
		var any []string
		for _, m := range t.any {
			any = append(any, m.String())
		}
		words = append(words, t.class.String()+"="+strings.Join(any, "|"))
	}
	return strings.Join(words, " and ")
}

var update = flag.Bool("update", false, "rewrite testdata/status.txt")

// TestStatus compares what is not executed with testdata/status.txt, so that every gap is a decision.
func TestStatus(t *testing.T) {
	var b strings.Builder
	for _, e := range isa.Table().Entries() {
		c := Status(e)
		if c.Status != Done || c.Undocumented != nil {
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
	for _, chapter := range chapters() {
		for _, l := range chapter {
			for _, do := range lanesOf(l.Do) {
				if stamps[do.op].full == nil {
					t.Errorf("%v: no stamp; run go generate", l.ID)
				}
			}
		}
	}
}

// lanesOf returns the lane functions inside an executor of the table.
func lanesOf(do Do) []laneDo {
	switch d := do.(type) {
	case laneDo:
		return []laneDo{d}
	case carryDo:
		return []laneDo{d.laneDo}
	case setpDo:
		return []laneDo{d.laneDo}
	case setDo:
		return []laneDo{d.laneDo}
	case assumptionDo:
		var all []laneDo
		for _, do := range d.do {
			all = append(all, lanesOf(do)...)
		}
		return all
	}
	return nil
}
