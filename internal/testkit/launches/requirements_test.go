package launches_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// requirements says which sections each document has, and how many rows of a kind each
// has at least: S sentences, C table cells, X syntax alternatives, N notes, E examples. Cells,
// alternatives and examples are counted in the text; there may be rows of further sections.
var requirements = []struct{ file, sections string }{
	{"000.md", "9.4.1:S8,C512,N8"},                     // tables 27 and 28, 16 by 16
	{"001.md", "6.5:S2 6.5.1:S3,C250,N3 6.5.2:S2,C10"}, // tables 15 (13 by 13), 16 (9 by 9), 17 and 18
	{"002.md", "9.7.11.1:S18,X19,N9,E4"},
	{"003.md", "9.7.5:S6 9.7.5.1:S4,X6,N8,E1 9.7.5.2:S4,X6,N8,E1 9.7.5.3:S5,X6,N8,E1"},
	{"004.md", "9.7.16.9:S1 9.7.16.9.1:S1 9.7.16.9.1.1:S2 9.7.16.9.1.2:S3 9.7.16.9.2:S13,X13,N6,E3 9.7.16.9.3:S7,X2,N5,E2"},
	{"use.md", "1:S12 2:S11 3:S5 4:S3 5:S3"}, // what people found who tried it
	{"forms.md", "1:S4 2:S4 3:S4 4:S5 5:S4 6:S4 7:S4 8:S4 9:S4 10:S1 11:S3 12:S3"},
	{"sanitizers.md", "1:S6 2:S3 3:S2 4:S3 5:S2 6:S5 7:S4"},
	{"compiler.md", "1:S4 2:S2 3:S4 4:S2 5:S5 6:S3 7:S2 8:S3"},
	{"cuda.md", "1:S6 2:S6 3:S2 4:S4 5:S3 6:S2 7:S4 8:S1 9:S4"},
}

// TestRequirements holds docs/coverage to its format: each row names at least one test or file that
// exists, identifiers count up without gaps, and no section of a document is without rows.
func TestRequirements(t *testing.T) {
	total := map[byte]int{}
	for _, d := range requirements {
		name := filepath.Join("docs", "coverage", d.file)
		text, err := os.ReadFile(name)
		if err != nil {
			t.Error(err)
			continue
		}
		f := readRequirements(name, string(text))
		f.demand(d.sections)
		for _, e := range f.errs {
			t.Error(e)
		}
		t.Logf("%s: %d rows for %s", name, f.rows, countsOf(f.kinds))
		for k, n := range f.kinds {
			total[k] += n
		}
	}
	t.Logf("in all: %s", countsOf(total))
}

// requirementsFile is one document while it is read.
type requirementsFile struct {
	name  string
	rows  int
	last  map[string]int // section and kind ("9.4.1-S") → highest number so far
	kinds map[byte]int   // kind → identifiers
	errs  []string
}

// readRequirements checks every row: | id or range | what, in our words | tests |.
func readRequirements(name, text string) *requirementsFile {
	f := &requirementsFile{name: name, last: map[string]int{}, kinds: map[byte]int{}}
	n := 0
	for line := range strings.Lines(text) {
		n++
		cells := splitRow(line)
		if len(cells) == 0 || !strings.ContainsAny(cells[0], "0123456789") {
			continue // text, or the head of a table
		}
		if err := f.row(cells); err != nil {
			f.errs = append(f.errs, fmt.Sprintf("%s:%d: %v", name, n, err))
		}
	}
	return f
}

// splitRow returns the trimmed cells of a Markdown row, nil for another line. \| is no border.
func splitRow(line string) (cells []string) {
	line = strings.TrimSpace(line)
	if !strings.HasPrefix(line, "|") {
		return nil
	}
	const bar = "\x00"
	line = strings.ReplaceAll(line, `\|`, bar)
	for cell := range strings.SplitSeq(strings.Trim(line, "|"), "|") {
		cells = append(cells, strings.TrimSpace(strings.ReplaceAll(cell, bar, "|")))
	}
	return cells
}

var requirementID = regexp.MustCompile(`^(\d+(?:\.\d+)*-[SCXNE])(\d+)(?:[–-](?:\d+(?:\.\d+)*-)?([SCXNE])(\d+))?$`)

func (f *requirementsFile) row(cells []string) error {
	f.rows++
	if len(cells) != 3 {
		return fmt.Errorf("%d cells, want 3: identifier, what it says, tests", len(cells))
	}
	if err := f.identify(cells[0]); err != nil {
		return err
	}
	if cells[1] == "" {
		return fmt.Errorf("%s says nothing", cells[0])
	}
	return checkTests(cells[0], cells[2])
}

// identify takes the next identifier, or range of identifiers, of a section and kind.
func (f *requirementsFile) identify(id string) error {
	m := requirementID.FindStringSubmatch(strings.Trim(id, "`"))
	if m == nil {
		return fmt.Errorf("%q is no identifier: want 9.4.1-S3 or 9.4.1-C17–C32", id)
	}
	first, _ := strconv.Atoi(m[2])
	last := first
	if m[4] != "" {
		last, _ = strconv.Atoi(m[4])
		if m[3] != m[1][len(m[1])-1:] || last < first {
			return fmt.Errorf("%s is no range of one kind", id)
		}
	}
	if want := f.last[m[1]] + 1; first != want {
		return fmt.Errorf("%s: the next is %s%d", id, m[1], want)
	}
	f.last[m[1]] = last
	f.kinds[m[1][len(m[1])-1]] += last - first + 1
	return nil
}

// demand wants at least so many rows of each section: "9.4.1:S8,C512 6.5:S2".
func (f *requirementsFile) demand(sections string) {
	for word := range strings.FieldsSeq(sections) {
		section, kinds, _ := strings.Cut(word, ":")
		for kind := range strings.SplitSeq(kinds, ",") {
			want, _ := strconv.Atoi(kind[1:])
			if have := f.last[section+"-"+kind[:1]]; have < want {
				f.errs = append(f.errs, fmt.Sprintf("%s: section %s has %d rows of kind %s, want at least %d", f.name, section, have, kind[:1], want))
			}
		}
	}
}

// checkTests wants a list of room.TestName and file paths, separated by commas, that exist.
func checkTests(id, list string) error {
	list = strings.ReplaceAll(list, "`", "")
	if list == "" {
		return fmt.Errorf("%s has no test", id)
	}
	for entry := range strings.SplitSeq(list, ",") {
		entry = strings.TrimSpace(entry)
		room, test, isTest := cutTest(entry)
		switch {
		case isTest && !slices.Contains(testsOf(room), test):
			return fmt.Errorf("%s: there is no %s in %s", id, test, room)
		case isTest:
		case !isFile(entry):
			return fmt.Errorf("%s: %q is neither room.TestName nor a file", id, entry)
		}
	}
	return nil
}

// cutTest splits internal/sem.TestSuldClamp/zero into directory and function; ptxvm is the root.
func cutTest(entry string) (room, test string, ok bool) {
	i := strings.LastIndex(entry, ".")
	if i < 0 || !regexp.MustCompile(`^(Test|Fuzz|Example)\w*(/|$)`).MatchString(entry[i+1:]) {
		return "", "", false
	}
	room, test = entry[:i], entry[i+1:]
	test, _, _ = strings.Cut(test, "/")
	if room == "ptxvm" || room == "" {
		room = "."
	}
	return room, test, true
}

// testsByRoom keeps what testsOf has read.
var testsByRoom = map[string][]string{}

// testsOf lists the test functions of a package directory.
func testsOf(room string) []string {
	if list, known := testsByRoom[room]; known {
		return list
	}
	list := []string{}
	files, _ := filepath.Glob(filepath.Join(room, "*_test.go"))
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		for _, m := range testFunc.FindAllStringSubmatch(string(text), -1) {
			list = append(list, m[1])
		}
	}
	testsByRoom[room] = list
	return list
}

var testFunc = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz|Example)\w*)\(`)

func isFile(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular()
}

func countsOf(kinds map[byte]int) string {
	var words []string
	for i, name := range []string{"sentences", "cells", "syntax alternatives", "notes", "examples"} {
		words = append(words, fmt.Sprintf("%d %s", kinds["SCXNE"[i]], name))
	}
	return strings.Join(words, ", ")
}

// TestRequirementsFormat: each way in which a document can be wrong is found.
func TestRequirementsFormat(t *testing.T) {
	good := "# 9.9\n\n| id | says | tests |\n|---|---|---|\n" +
		"| 9.9-S1 | a \\| b | internal/testkit/launches.TestRequirements, README.md |\n| 9.9-C1–C4 | four cells | internal/assume.TestTable |\n| `9.9-C5` | does not hold: x | `cmd/ptxvm.TestScripts/run` |\n"
	if f := readRequirements("good", good); len(f.errs) > 0 || f.rows != 3 || f.kinds['C'] != 5 {
		t.Errorf("good rows: %d, %v, %v", f.rows, f.kinds, f.errs)
	}
	for row, want := range map[string]string{
		"| 9.9-S2 | x | internal/testkit/launches.TestRequirements |":                                                              "the next is 9.9-S1",
		"| 9.9-S1 | x | internal/testkit/launches.TestRequirements |\n| 9.9-S1 | x | internal/testkit/launches.TestRequirements |": "the next is 9.9-S2",
		"| 9.9-Q1 | x | internal/testkit/launches.TestRequirements |":                                                              "is no identifier",
		"| 9.9-C1–S4 | x | internal/testkit/launches.TestRequirements |":                                                           "no range of one kind",
		"| 9.9-S1 | x |  |":                           "has no test",
		"| 9.9-S1 | x | ptxvm.TestNobody |":           "there is no TestNobody in .",
		"| 9.9-S1 | x | internal/nowhere.TestTable |": "there is no TestTable in internal/nowhere",
		"| 9.9-S1 | x | nowhere.txt |":                "neither room.TestName nor a file",
		"| 9.9-S1 | x | internal/sem |":               "neither room.TestName nor a file",
		"| 9.9-S1 |  | README.md |":                   "says nothing",
		"| 9.9-S1 | README.md |":                      "2 cells, want 3",
	} {
		f := readRequirements("bad", row+"\n")
		if len(f.errs) == 0 || !strings.Contains(strings.Join(f.errs, "\n"), want) {
			t.Errorf("%s: have %q, want %q", row, f.errs, want)
		}
	}
	f := readRequirements("short", good)
	f.demand("9.9:S1,C5 9.10:S1 9.9:E1")
	if len(f.errs) != 2 {
		t.Errorf("demands: %q", f.errs)
	}
}
