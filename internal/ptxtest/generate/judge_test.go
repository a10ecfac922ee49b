package generate

import (
	"cmp"
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"

	"ptxvm/internal/isa"
	"ptxvm/internal/ptxtest/nvcc"
	"ptxvm/internal/ptxtest/ptxas"
)

var (
	full    = flag.Bool("full", false, "judge many more statements")
	seed    = flag.Uint64("seed", 1, "seed of the statements that are judged")
	only    = flag.String("entries", "", "judge only entries whose name has this prefix")
	verbose = flag.Int("differences", 20, "how many differences to print")
)

// judgeTargets are the targets of judged modules: each generation, and each family.
var judgeTargets = targets("sm_13 sm_20 sm_30 sm_53 sm_60 sm_70 sm_75 sm_80 sm_89 sm_90 sm_90a sm_100 sm_100a sm_100f sm_103a sm_107a sm_107f sm_110a sm_110f sm_120a sm_120f sm_121a")

func targets(names string) (out []isa.Target) {
	for _, name := range strings.Fields(names) {
		out = append(out, isa.MustTarget(name))
	}
	return out
}

// judgedEntries are the entries that the flags ask for.
func judgedEntries() []*isa.Entry {
	var out []*isa.Entry
	for _, e := range isa.Table().Entries() {
		if strings.HasPrefix(e.Name, *only) {
			out = append(out, e)
		}
	}
	return out
}

// TestJudge: ptxas and the matcher agree on legal statements and on statements one change
// away from legal.
func TestJudge(t *testing.T) {
	path, err := ptxas.Find()
	if err != nil {
		t.Skip(nvcc.SkipMark + err.Error())
	}
	perEntry := 1
	if *full {
		perEntry = 40
	}
	g := New(*seed, nil, judgeTargets)
	var legal, mutants []*Statement
	for _, e := range judgedEntries() {
		for range perEntry {
			if s := g.Legal(e); s != nil {
				legal = append(legal, s)
				mutants = append(mutants, g.Mutate(s))
			}
		}
	}
	judgeAll(t, path, "legal", legal)
	judgeAll(t, path, "mutants", mutants)
}

// allowedDifferences is the share of statements on which the judges may differ: the data
// follows ptxas, but ptxas has oddities that no rule describes.
const allowedDifferences = 0.02

func judgeAll(t *testing.T, path, name string, list []*Statement) {
	var differ []string
	accepted := 0
	for _, group := range modules(list) {
		verdicts := judge(t, path, group)
		for i, s := range group {
			_, fails := isa.Table().Match(s.Query())
			if verdicts[i] == "" {
				accepted++
			}
			if (fails == nil) != (verdicts[i] == "") {
				differ = append(differ, fmt.Sprintf("%s (%s %v %v %s): ptxas %s; here %s", s.Text(), s.Entry.Name, s.Version, s.Target, s.Mutation, orAccepts(verdicts[i]), orAccepts(firstFinding(fails))))
			}
		}
	}
	t.Logf("%s: %d statements, ptxas accepts %d, %d differences", name, len(list), accepted, len(differ))
	for i := range min(len(differ), *verbose) {
		t.Log(differ[i])
	}
	if float64(len(differ)) > allowedDifferences*float64(len(list)) {
		t.Errorf("%s: %d of %d verdicts differ", name, len(differ), len(list))
	}
}

func orAccepts(s string) string {
	if s == "" {
		return "accepts"
	}
	return "rejects: " + s
}

func firstFinding(fails []isa.Mismatch) string {
	if fails == nil {
		return ""
	}
	return fails[0].String()
}

// modules groups statements by version and target.
func modules(list []*Statement) [][]*Statement {
	type key struct {
		v isa.Version
		t isa.Target
	}
	groups := map[key][]*Statement{}
	for _, s := range list {
		k := key{s.Version, s.Target}
		groups[k] = append(groups[k], s)
	}
	var out [][]*Statement
	for _, g := range groups {
		for chunk := range slices.Chunk(g, 60) {
			out = append(out, chunk)
		}
	}
	slices.SortFunc(out, func(a, b []*Statement) int {
		return cmp.Or(cmp.Compare(a[0].Version, b[0].Version), cmp.Compare(a[0].Target.String(), b[0].Target.String()))
	})
	return out
}

// judge returns ptxas's first error for each statement, "" for what it accepts. Errors hide
// what later stages would find, so the rest is judged again until it passes as a whole.
func judge(t *testing.T, path string, list []*Statement) []string {
	verdicts := make([]string, len(list))
	left := make([]int, len(list))
	for i := range left {
		left[i] = i
	}
	for len(left) > 0 {
		group := make([]*Statement, len(left))
		for i, n := range left {
			group[i] = list[n]
		}
		m := Print(list[0].Version, list[0].Target, group)
		r, err := ptxas.Judge(path, m.Text, list[0].Target)
		if err != nil {
			t.Fatal(err)
		}
		if r.Accepted {
			break
		}
		rejected := map[int]bool{}
		for _, e := range r.Errors {
			if n := m.Of(e.Line); n >= 0 && e.Line > 0 {
				verdicts[left[n]] = cmp.Or(verdicts[left[n]], e.Msg)
				rejected[n] = true
			}
		}
		if len(rejected) == 0 { // an error without a line: every statement for itself
			if len(left) == 1 {
				verdicts[left[0]] = cmp.Or(strings.TrimSpace(r.Stderr), "dies")
				break
			}
			for _, n := range left {
				verdicts[n] = judge(t, path, list[n:n+1])[0]
			}
			break
		}
		var rest []int
		for i, n := range left {
			if !rejected[i] {
				rest = append(rest, n)
			}
		}
		left = rest
	}
	return verdicts
}
