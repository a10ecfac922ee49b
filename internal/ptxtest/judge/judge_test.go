package judge

import (
	"bytes"
	"cmp"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"ptxvm"
	"ptxvm/internal/isa"
	"ptxvm/internal/ptxtest/nvcc"
	"ptxvm/internal/ptxtest/ptxas"
)

var (
	judge   = flag.Bool("judge", false, "ask ptxas about 5,000 statements and the whole corpus")
	full    = flag.Bool("full", false, "ask about 16,000 statements")
	seed    = flag.Uint64("seed", 1, "seed of the statements")
	count   = flag.Int("n", 0, "ask about so many legal statements of each entry and as many with a change")
	only    = flag.String("entries", "", "only entries whose name has this prefix")
	write   = flag.Bool("write", false, "record the verdicts of a sample in "+recorded)
	verbose = flag.Bool("differences", false, "print explained differences, too")
)

const (
	recorded        = "testdata/verdicts.txt"
	differencesFile = "../../../docs/ptxas-differences.md"
	recordedSeed    = 20261121
)

// Statements of an entry, legal ones; as many are judged with a change.
const (
	perEntry         = 13 // of 200 entries: 5,000 statements
	perEntryFull     = 40
	perEntryRecorded = 6
)

// allowedDifferences is the share of statements on which the judges may differ for a known
// reason.
const allowedDifferences = 0.002

// judgedTargets are the targets of judged modules: each generation, and each family.
var judgedTargets = targets("sm_13 sm_20 sm_30 sm_53 sm_60 sm_70 sm_75 sm_80 sm_89 sm_90 sm_90a sm_100 sm_100a sm_100f sm_103a sm_107a sm_107f sm_110a sm_110f sm_120a sm_120f sm_121a")

func targets(names string) (out []isa.Target) {
	for _, name := range strings.Fields(names) {
		out = append(out, isa.MustTarget(name))
	}
	return out
}

func assembler(t *testing.T) string {
	t.Helper()
	path, err := ptxas.Find()
	if err != nil {
		t.Skip(nvcc.SkipMark + err.Error())
	}
	return path
}

func differences(t *testing.T) []Difference {
	t.Helper()
	f, err := os.Open(differencesFile)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	list, err := Differences(f)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestJudgeStatements: ptxas and the checker agree on legal statements and on statements one
// change away from legal, but for the differences that are listed.
func TestJudgeStatements(t *testing.T) {
	if !*judge && !*full && *count == 0 {
		t.Skip("asks ptxas for minutes; -judge")
	}
	path := assembler(t)
	n := perEntry
	if *full {
		n = perEntryFull
	}
	cases := Cases(*seed, judgedTargets, *only, cmp.Or(*count, n))
	if err := Ask(path, cases); err != nil {
		t.Fatal(err)
	}
	compare(t, cases)
}

// compare reports the differences that no row explains.
func compare(t *testing.T, cases []*Case) {
	known := differences(t)
	accepted, explained, open := 0, 0, 0
	for _, c := range cases {
		if c.Ptxas == "" {
			accepted++
		}
		here := c.Here()
		if (here == "") == (c.Ptxas == "") {
			continue
		}
		if d := explain(known, c); d != nil {
			explained++
			if *verbose {
				t.Logf("%v\n\tknown: %s", c, d.Why)
			}
			continue
		}
		open++
		t.Errorf("%v\n\tptxas %s\n\there  %s", c, verdict(c.Ptxas), verdict(here))
	}
	t.Logf("%d statements, ptxas accepts %d; %d differ for known reasons, %d for unknown ones", len(cases), accepted, explained, open)
	if float64(explained) > allowedDifferences*float64(len(cases))+3 {
		t.Errorf("%d of %d differ: too many to be exceptions", explained, len(cases))
	}
}

func explain(known []Difference, c *Case) *Difference {
	for i := range known {
		if known[i].Explains(c) {
			return &known[i]
		}
	}
	return nil
}

func verdict(s string) string {
	if s == "" {
		return "accepts"
	}
	return "rejects: " + s
}

// TestRecorded: the checker's verdicts are those that ptxas gave on a sample; with -write, the
// sample is drawn and asked about anew.
func TestRecorded(t *testing.T) {
	if *write {
		record(t, assembler(t))
	}
	text, err := os.ReadFile(recorded)
	if err != nil {
		t.Fatal(err)
	}
	cases, err := Read(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if len(cases) < 2000 {
		t.Errorf("only %d verdicts are recorded", len(cases))
	}
	for _, c := range cases {
		if here := c.Here(); (here == "") != (c.Ptxas == "") {
			t.Errorf("%v\n\trecorded: %s\n\there: %s", c, verdict(c.Ptxas), verdict(here))
		}
	}
}

// record asks about a sample; what differs for a known reason is left out.
func record(t *testing.T, path string) {
	cases := Cases(recordedSeed, judgedTargets, "", perEntryRecorded)
	if err := Ask(path, cases); err != nil {
		t.Fatal(err)
	}
	known := differences(t)
	var kept []*Case
	for _, c := range cases {
		if explain(known, c) == nil {
			kept = append(kept, c)
		}
	}
	var b bytes.Buffer
	b.WriteString("# Verdicts of ptxas " + release(t, path) + ", written by go test ./internal/ptxtest/judge -run TestRecorded -write\n")
	if err := Write(&b, kept); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(recorded, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

var releaseNumber = regexp.MustCompile(`V([0-9.]+)`)

// release is the assembler's version number.
func release(t *testing.T, path string) string {
	out, err := exec.Command(path, "--version").Output()
	m := releaseNumber.FindSubmatch(out)
	if err != nil || m == nil {
		t.Fatalf("%s --version: %s %v", path, out, err)
	}
	return string(m[1])
}

// TestJudgeCorpus: both accept every module of the corpus.
func TestJudgeCorpus(t *testing.T) {
	if !*judge && !*full {
		t.Skip("asks ptxas; -judge")
	}
	path := assembler(t)
	files, err := filepath.Glob("../../../testdata/*/*.ptx")
	if err != nil || len(files) < 60 {
		t.Fatalf("%d modules, %v", len(files), err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		diags, err := ptxvm.Check(file, text, nil)
		if err != nil {
			t.Fatal(err)
		}
		report, err := ptxas.Judge(path, string(text), target(t, text))
		if err != nil {
			t.Fatal(err)
		}
		if report.Accepted == diags.HasErrors() {
			t.Errorf("%s: ptxas accepts: %v %s, here: %v", file, report.Accepted, report.Stderr, diags)
		}
	}
	t.Logf("%d modules", len(files))
}

// TestJudgeWrappers: the statements of the CUDA library's headers, on every target that has forms of
// its own.
func TestJudgeWrappers(t *testing.T) {
	if !*judge && !*full {
		t.Skip("asks ptxas; -judge")
	}
	path := assembler(t)
	texts, err := Wrappers(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(texts) == 0 {
		t.Skip("the headers of the CUDA library are not beside ptxas")
	}
	names := []string{"sm_100a"}
	if *full {
		names = []string{"sm_80", "sm_90", "sm_90a", "sm_100", "sm_100f", "sm_100a", "sm_103a", "sm_107a", "sm_110a", "sm_120a"}
	}
	var cases []*Case
	for _, name := range names {
		cases = append(cases, WrapperCases(texts, isa.V(9, 5), isa.MustTarget(name))...)
	}
	if err := Ask(path, cases); err != nil {
		t.Fatal(err)
	}
	compare(t, cases)
}

var targetLine = regexp.MustCompile(`(?m)^\.target\s+(\w+)`)

// target is the architecture of a module.
func target(t *testing.T, text []byte) isa.Target {
	t.Helper()
	m := targetLine.FindSubmatch(text)
	if m == nil {
		t.Fatal("no .target")
	}
	return isa.MustTarget(string(m[1]))
}
