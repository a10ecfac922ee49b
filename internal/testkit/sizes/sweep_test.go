package sizes

import (
	"bytes"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/testkit/generate"
	"ptxvm.invalid/ptxvm/internal/testkit/judge"
	"ptxvm.invalid/ptxvm/internal/testkit/ptxas"
)

const (
	registersFile   = "testdata/registers.txt"
	differencesFile = "../../../docs/ptxas-differences.md"
)

// TestRecordRegisters records what ptxas says about the registers of every entry.
func TestRecordRegisters(t *testing.T) {
	if !*write {
		t.Skip("without -write")
	}
	list := Questions(*seed, 2)
	if err := AskAll(assembler(t), list); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	b.WriteString("# Which types of registers ptxas 13.5 takes in every operand: go test -run TestRecordRegisters -write\n" +
		"# entry, operand, + - or ! for the types " + names(RegisterTypes) + ", target, statement\n")
	if err := WriteQuestions(&b, list); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(registersFile, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

func names(list []isa.Type) string {
	var words []string
	for _, t := range list {
		words = append(words, t.String())
	}
	return strings.Join(words, " ")
}

func questions(t *testing.T) []Question {
	t.Helper()
	f, err := os.Open(registersFile)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	list, err := ReadQuestions(f)
	if err != nil || len(list) == 0 {
		t.Fatal(len(list), err)
	}
	return list
}

func differences(t *testing.T) []ptxas.Difference {
	t.Helper()
	list, err := ptxas.Differences(differencesFile, "statement")
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestRegisters: the checker takes the registers that ptxas takes, in every operand of every
// entry; a difference must be one of those that the documents list.
func TestRegisters(t *testing.T) {
	known := differences(t)
	byTarget := map[isa.Target][]*judge.Case{}
	for _, q := range questions(t) {
		for i, c := range q.cases() {
			if q.Verdicts[i] != Crashes {
				c.Ptxas = []string{"rejects", ""}[q.Verdicts[i]]
				byTarget[c.Target] = append(byTarget[c.Target], c)
			}
		}
	}
	total, explained := 0, 0
	for _, all := range byTarget {
		for cases := range slices.Chunk(all, 500) {
			var functions []generate.Function
			for _, c := range cases {
				functions = append(functions, c.Function)
			}
			for i, here := range complaints(t, functions) {
				c := cases[i]
				total++
				switch {
				case (c.Ptxas == "") == (here == ""):
				case ptxas.Explain(known, c.Text, c.Change, c.Ptxas == "") != nil:
					explained++
				default:
					t.Errorf("%v: %s\nptxas accepts: %v; here: %s", c, c.Change, c.Ptxas == "", here)
				}
			}
		}
	}
	t.Logf("%d cases, %d differ in ways that are listed", total, explained)
}

// relaxed are the entries in which a register may be wider than its type.
func relaxed(list []Question) (entries []string) {
	for _, q := range list {
		for i, t := range RegisterTypes {
			if q.Verdicts[i] != Accepts || slices.Contains(entries, q.Entry) {
				continue
			}
			for j, u := range RegisterTypes {
				if q.Verdicts[j] == Accepts && u.Bits() != t.Bits() && u.Bits() > 1 && t.Bits() > 1 {
					entries = append(entries, q.Entry)
					break
				}
			}
		}
	}
	slices.Sort(entries)
	return slices.Compact(entries)
}

// TestRelaxed: the entries that take registers of several widths in one operand are these. Those
// of tables 27 and 28 are ld, st and cvt; ptxas relaxes cvt.pack, surfaces and multimem.st.async
// too. The others take an address or a size of 32 or 64 bits.
func TestRelaxed(t *testing.T) {
	want := strings.Fields(relaxedEntries)
	if got := relaxed(questions(t)); !slices.Equal(got, want) {
		t.Errorf("relaxed: %s", strings.Join(got, " "))
	}
}

const relaxedEntries = `call cvt cvt.pack.sat isspacep ld ld.nc ldu multimem.st.async st st.bulk suld.b sured.b sured.p sust.b sust.p`

// TestRegistersSample asks ptxas again about a few operands.
func TestRegistersSample(t *testing.T) {
	path := assembler(t)
	list, r := questions(t), rand.New(rand.NewPCG(*seed, 1))
	var sample []Question
	for range 4 {
		sample = append(sample, list[r.IntN(len(list))])
	}
	again := slices.Clone(sample)
	if err := AskAll(path, again); err != nil {
		t.Fatal(err)
	}
	for i := range sample {
		if !slices.Equal(sample[i].Verdicts, again[i].Verdicts) {
			t.Errorf("%s: recorded %v, now %v", sample[i].Case.Text, sample[i].Verdicts, again[i].Verdicts)
		}
	}
}
