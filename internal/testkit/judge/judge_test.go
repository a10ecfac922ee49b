package judge

import (
	"bytes"
	"cmp"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/testkit/nvcc"
	"ptxvm.invalid/ptxvm/internal/testkit/ptxas"
)

var (
	judge   = flag.Bool("judge", false, "ask ptxas about a sample of statements and the whole corpus")
	full    = flag.Bool("full", false, "ask about 60,000 statements")
	seed    = flag.Uint64("seed", 1, "seed of the statements")
	count   = flag.Int("n", 0, "ask about so many statements of each entry, and those at its gates")
	only    = flag.String("entries", "", "only entries whose name has this prefix")
	write   = flag.Bool("write", false, "record the verdicts of a sample in "+recorded)
	verbose = flag.Bool("differences", false, "print explained differences, too")
)

const (
	recorded        = "testdata/verdicts.txt"
	differencesFile = "../../../docs/ptxas-differences.md"
	recordedSeed    = 20261122
)

// Statements of an entry, besides those at its gates.
const (
	perEntry         = 26
	perEntryFull     = 200
	perEntryRecorded = 12
)

// What must be equal, in percent: of all verdicts, and of those of any section.
const (
	equalAll     = 99.9
	equalSection = 99.0
)

// slack is the number of differences that a small sample may have besides.
const slack = 2

func assembler(t *testing.T) string {
	t.Helper()
	path, err := ptxas.Find()
	if err != nil {
		t.Skip(nvcc.SkipMark + err.Error())
	}
	return path
}

func differences(t *testing.T) []ptxas.Difference {
	t.Helper()
	list, err := ptxas.Differences(differencesFile, "statement")
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
	cases := Plan(*seed, nil, *only, cmp.Or(*count, n))
	if err := Ask(path, cases); err != nil {
		t.Fatal(err)
	}
	list := compare(t, path, cases)
	sections, whole := Shares(list)
	for _, s := range append(sections, whole) {
		t.Logf("%-7s %6d statements, ptxas accepts %6d, %6.2f %% equal", s.Section, s.Cases, s.Accept, s.Percent())
		least := equalSection
		if s.Section == whole.Section {
			least = equalAll
		}
		if float64(s.Cases-s.Equal) > slack+(1-least/100)*float64(s.Cases) {
			t.Errorf("%s: %d of %d verdicts differ", s.Section, s.Cases-s.Equal, s.Cases)
		}
	}
	both := func(v *Verdict) bool { return v.Here != "" && v.Ptxas != "" }
	for _, lack := range Shortfalls(list, entries(*only), both) {
		t.Error(lack)
	}
}

// entries are those whose name has a prefix.
func entries(prefix string) []*isa.Entry {
	return slices.DeleteFunc(slices.Clone(isa.Table().Entries()), func(e *isa.Entry) bool { return !strings.HasPrefix(e.Name, prefix) })
}

// TestQuota: the plan has for every entry enough cases, of which enough are rejected for different
// reasons, and cases at each of its gates and below.
func TestQuota(t *testing.T) {
	var list []Verdict
	for _, c := range Plan(*seed, nil, *only, cmp.Or(*count, perEntry)) {
		list = append(list, Verdict{c, c.Here()})
	}
	for _, lack := range Shortfalls(list, entries(*only), func(v *Verdict) bool { return v.Here != "" }) {
		t.Error(lack)
	}
	t.Logf("%d cases", len(list))
}

// compare reports the differences that no row explains.
func compare(t *testing.T, path string, cases []*Case) []Verdict {
	known := differences(t)
	list, err := Compare(path, cases)
	if err != nil {
		t.Fatal(err)
	}
	before := len(list)
	list = slices.DeleteFunc(list, func(v Verdict) bool { return v.Case.Died && !v.Equal() })
	if died := before - len(list); died > 0 {
		t.Logf("%d statements of which ptxas dies are no verdicts", died)
	}
	explained, open := 0, 0
	for i := range list {
		v := &list[i]
		if v.Equal() {
			continue
		}
		if d := ptxas.Explain(known, v.Case.Text, v.Case.Change, v.Case.Ptxas == ""); d != nil {
			explained++
			if *verbose {
				t.Logf("%v\n\tknown: %s", v.Case, d.Why)
			}
			continue
		}
		open++
		t.Errorf("%v\n\tptxas %s\n\there  %s", v.Case, verdict(v.Ptxas), verdict(v.Here))
	}
	t.Logf("%d statements; %d differ for known reasons, %d for unknown ones", len(list), explained, open)
	return list
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

// record asks about a sample; what differs is left out, and must have a known reason.
func record(t *testing.T, path string) {
	cases := Plan(recordedSeed, nil, "", perEntryRecorded)
	if err := Ask(path, cases); err != nil {
		t.Fatal(err)
	}
	var kept []*Case
	for _, v := range compare(t, path, cases) {
		if v.Equal() {
			kept = append(kept, v.Case)
		}
	}
	var b bytes.Buffer
	b.WriteString("# Verdicts of ptxas " + release(t, path) + ", written by go test ./internal/testkit/judge -run TestRecorded -write\n")
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
	compare(t, path, cases)
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
