package directives

import (
	"bytes"
	"flag"
	"hash/crc32"
	"os"
	"slices"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/testkit/nvcc"
	"ptxvm.invalid/ptxvm/internal/testkit/ptxas"
)

var (
	judge = flag.Bool("judge", false, "ask ptxas about a sample of the cases")
	full  = flag.Bool("full", false, "ask ptxas about every case, 33,000 modules")
	only  = flag.String("about", "", "only cases about what has this prefix")
	seed  = flag.Uint64("seed", 1, "seed of the declarations")
	write = flag.Bool("write", false, "record the verdicts of a sample in "+recorded)
)

const (
	recorded        = "testdata/verdicts.txt"
	differencesFile = "../../../docs/ptxas-differences.md"
	declarations    = 1500 // drawn two or three parts away from a usual one
	sampled         = 12   // one case of so many is in the sample
)

func assembler(t *testing.T) string {
	t.Helper()
	path, err := ptxas.Find()
	if err != nil {
		t.Skip(nvcc.SkipMark + err.Error())
	}
	return path
}

// sample takes some of the cases, whatever the others are.
func sample(cases []*Case) (out []*Case) {
	for _, c := range cases {
		if crc32.ChecksumIEEE([]byte(c.Module()))%sampled == 0 {
			out = append(out, c)
		}
	}
	return out
}

// TestJudgeDirectives: ptxas and the checker agree on every case, but for the differences that
// are listed.
func TestJudgeDirectives(t *testing.T) {
	if !*judge && !*full && !*write {
		t.Skip("asks ptxas for minutes; -judge")
	}
	path := assembler(t)
	cases := All(*seed, declarations)
	cases = slices.DeleteFunc(cases, func(c *Case) bool { return !strings.HasPrefix(c.About, *only) })
	if !*full {
		cases = sample(cases)
	}
	if err := Ask(path, cases); err != nil {
		t.Fatal(err)
	}
	kept := compare(t, cases)
	if *write && !t.Failed() {
		record(t, sample(kept))
	}
}

// TestJudgeOld: so they do in old versions and on old targets.
func TestJudgeOld(t *testing.T) {
	if !*judge && !*full {
		t.Skip("asks ptxas for minutes; -judge")
	}
	path := assembler(t)
	n := 500
	if *full {
		n = 20000
	}
	cases := slices.DeleteFunc(Old(*seed, n), func(c *Case) bool { return !strings.HasPrefix(c.About, *only) })
	if err := Ask(path, cases); err != nil {
		t.Fatal(err)
	}
	compare(t, cases)
}

// compare reports the differences that no row explains, counts the verdicts by what the cases are
// about, and returns the cases without a difference.
func compare(t *testing.T, cases []*Case) (equal []*Case) {
	known, err := ptxas.Differences(differencesFile, "module")
	if err != nil {
		t.Fatal(err)
	}
	type tally struct{ cases, accepted, known int }
	counts, reasons := map[string]*tally{}, map[string]int{}
	for _, c := range cases {
		n := counts[chapter(c)]
		if n == nil {
			n = &tally{}
			counts[chapter(c)] = n
		}
		n.cases++
		if c.Ptxas == "" {
			n.accepted++
		}
		here := c.Here()
		switch {
		case (here == "") == (c.Ptxas == ""):
			equal = append(equal, c)
		default:
			if d := ptxas.Explain(known, c.Line(), c.Change, c.Ptxas == ""); d != nil {
				n.known++
				reasons[d.Why]++
				break
			}
			t.Errorf("%v\n\tptxas: %s\n\there:  %s", c, c.Ptxas, here)
		}
	}
	for name, n := range counts {
		t.Logf("%s: %d cases, ptxas accepts %d, %d differ for known reasons", name, n.cases, n.accepted, n.known)
		if *full && n.known*100 > n.cases {
			t.Errorf("%s: %d of %d differ: too many to be exceptions", name, n.known, n.cases)
		}
	}
	for why, n := range reasons {
		t.Logf("%d: %s", n, why)
	}
	t.Logf("%d cases, %d equal", len(cases), len(equal))
	return equal
}

// chapter is the chapter of the manual that a case is about.
func chapter(c *Case) string {
	name, _, _ := strings.Cut(c.Section, ".")
	return "chapter " + name
}

func record(t *testing.T, cases []*Case) {
	var b bytes.Buffer
	b.WriteString("# Verdicts of ptxas 13.5, written by go test ./internal/testkit/directives -run JudgeDirectives -full -write\n")
	if err := Write(&b, cases); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(recorded, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestRecorded: the checker's verdicts are those that ptxas gave on a sample.
func TestRecorded(t *testing.T) {
	text, err := os.ReadFile(recorded)
	if err != nil {
		t.Fatal(err)
	}
	cases, err := Read(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	rejected := 0
	for _, c := range cases {
		if c.Ptxas != "" {
			rejected++
		}
		if here := c.Here(); (here == "") != (c.Ptxas == "") {
			t.Errorf("%s\n\tptxas: %s\n\there: %s", c.Line(), c.Ptxas, here)
		}
	}
	if len(cases) < 2000 || rejected*10 < len(cases)*3 {
		t.Errorf("%d verdicts, %d of them reject: too few", len(cases), rejected)
	}
}

// TestQuota: every directive and special register has at least twenty cases; at least 30 % of them
// are rejected, for at least three kinds of changes, and every gate is asked about where it opens
// and a step below. What is rejected is what the checker rejects, which the other tests compare.
func TestQuota(t *testing.T) {
	for _, d := range isa.Directives() {
		quota(t, OfDirectives(d), d.Since)
	}
	for _, s := range isa.Specials() {
		quota(t, OfSpecial(s), s.Info().Since)
	}
}

const leastCases, leastReasons = 20, 3

func quota(t *testing.T, cases []*Case, gate isa.Gate) {
	reasons := map[string]bool{}
	rejected := 0
	for _, c := range cases {
		if c.Change != "" && c.Here() != "" {
			rejected++
			reasons[c.Change] = true
		}
	}
	name := cases[0].About
	if len(cases) < leastCases || rejected*10 < len(cases)*3 || len(reasons) < leastReasons {
		t.Errorf("%s: %d cases, %d rejected for %d reasons", name, len(cases), rejected, len(reasons))
	}
	for _, alt := range gate {
		if alt.Version > isa.V(1, 0) && !asked(cases, alt.Version, nil) || len(alt.Targets) > 0 && !asked(cases, 0, &alt.Targets[0]) {
			t.Errorf("%s: the gate %v is not asked about where it opens and a step below", name, alt)
		}
	}
}

// asked reports whether there are cases in a version, or on a target, and in or on the one before.
func asked(cases []*Case, v isa.Version, target *isa.Target) bool {
	if target == nil {
		return slices.ContainsFunc(cases, func(c *Case) bool { return c.Version == v }) &&
			slices.ContainsFunc(cases, func(c *Case) bool { return c.Version == versionBefore(v) })
	}
	before, _ := targetBefore(*target)
	return slices.ContainsFunc(cases, func(c *Case) bool { return c.Target == *target }) &&
		slices.ContainsFunc(cases, func(c *Case) bool { return c.Target == before })
}
