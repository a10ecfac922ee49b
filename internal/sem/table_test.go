package sem

import (
	"math/rand/v2"
	"strings"
	"testing"

	"ptxvm/internal/isa"
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

// TestScope: what the table does not execute of the sections it covers is listed here, so that
// a gap is a decision.
func TestScope(t *testing.T) {
	for _, e := range isa.Table().Entries() {
		status, notes := Status(e)
		t.Logf("%-8s %s %v", status, e.Name, notes)
	}
}

// TestStampsAreFound: every lane function of the table has its generated loops.
func TestStampsAreFound(t *testing.T) {
	for _, chapter := range chapters {
		for _, l := range chapter {
			for _, do := range lanesOf(l.Do) {
				if do.stamp() == nil {
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
	}
	return nil
}
