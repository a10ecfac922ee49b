package diag_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/cli"
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/testkit/nvcc"
	"ptxvm.invalid/ptxvm/internal/testkit/ptxas"
)

const mistakesFile = "../testdata/mistakes.txtar"

// mistake is a module with one mistake, and what ptxas says of it.
type mistake struct{ title, text, ptxas string }

func mistakes(t *testing.T) (list []mistake) {
	t.Helper()
	archive, err := txtar.ParseFile(mistakesFile)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(archive.Files); i += 2 {
		list = append(list, mistake{archive.Files[i].Name, string(archive.Files[i].Data), string(archive.Files[i+1].Data)})
	}
	return list
}

// answer is what check prints for a mistake.
func (m *mistake) answer(t *testing.T) (string, ptxvm.Diagnostics) {
	t.Helper()
	diags, err := ptxvm.Check("m.ptx", []byte(m.text), nil)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := cli.WriteDiagnostics(&b, diags, cli.DiagnosticText, false); err != nil {
		t.Fatal(err)
	}
	return b.String(), diags
}

// TestMistakes: one mistake is one error, and ptxas says what is recorded; -update records it.
func TestMistakes(t *testing.T) {
	list := mistakes(t)
	if len(list) < 30 {
		t.Errorf("only %d mistakes", len(list))
	}
	for i := range list {
		m := &list[i]
		if text, diags := m.answer(t); len(diags) != 1 || diags[0].Severity != diag.Error {
			t.Errorf("%s: want one error, have\n%s", m.title, text)
		}
	}
	tool, err := ptxas.Find()
	if err != nil {
		t.Skip(nvcc.SkipMark + err.Error())
	}
	archive := txtar.Archive{Comment: commentOf(t)}
	for i := range list {
		m := &list[i]
		said := m.judge(t, tool)
		if said != m.ptxas && !*diag.Update {
			t.Errorf("%s: ptxas says\n%srecorded is\n%s", m.title, said, m.ptxas)
		}
		archive.Files = append(archive.Files, txtar.File{Name: m.title, Data: []byte(m.text)}, txtar.File{Name: "ptxas", Data: []byte(said)})
	}
	if *diag.Update {
		if err := os.WriteFile(mistakesFile, txtar.Format(&archive), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func commentOf(t *testing.T) []byte {
	archive, err := txtar.ParseFile(mistakesFile)
	if err != nil {
		t.Fatal(err)
	}
	return archive.Comment
}

// judge asks ptxas for the module's target, sm_90 if it has none.
func (m *mistake) judge(t *testing.T, tool string) string {
	t.Helper()
	target := isa.MustTarget("sm_90")
	if _, rest, ok := strings.Cut(m.text, ".target "); ok {
		target = isa.MustTarget(strings.Fields(rest)[0])
	}
	report, err := ptxas.Judge(tool, m.text, target)
	if err != nil || report.Accepted {
		t.Fatalf("%s: %v, accepted %v", m.title, err, report.Accepted)
	}
	var b strings.Builder
	for line := range strings.Lines(report.Stderr) {
		for _, word := range strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(" ,'", r) }) {
			if filepath.Base(word) == "m.ptx" {
				line = strings.ReplaceAll(line, word, "m.ptx")
			}
		}
		b.WriteString(line)
	}
	return b.String()
}

// TestErrorsDocument holds docs/errors.md to the catalogue and the mistakes; -update writes it.
func TestErrorsDocument(t *testing.T) {
	const path = "../docs/errors.md"
	var want bytes.Buffer
	if err := diag.WriteMarkdown(&want); err != nil {
		t.Fatal(err)
	}
	want.WriteString("\n## Typical mistakes\n\nWhat `ptxas` 13.5 and `ptxvm check` say of modules with one mistake each.\n")
	for _, m := range mistakes(t) {
		text, _ := m.answer(t)
		fmt.Fprintf(&want, "\n### %s\n\n```\n%s```\n\n```\n%s```\n\n```\n%s```\n", m.title, m.text, m.ptxas, text)
	}
	if *diag.Update {
		if err := os.WriteFile(path, want.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if have, _ := os.ReadFile(path); !bytes.Equal(have, want.Bytes()) {
		t.Errorf("%s is not what codes.txt and %s say; go generate ./diag writes it", path, mistakesFile)
	}
}

// problem is what editors look for in the output of ptxas.
var problem = regexp.MustCompile(`^ptxas (.+), line (\d+); (error|warning|fatal|info) *: (.+)$`)

// TestMistakeFormats: --format ptxas prints lines as ptxas does, --format json what is promised of it.
func TestMistakeFormats(t *testing.T) {
	theirs := 0
	for _, m := range mistakes(t) {
		_, diags := m.answer(t)
		var lines, object bytes.Buffer
		if err := errors.Join(cli.WriteDiagnostics(&lines, diags, cli.DiagnosticPtxas, false), diag.WriteJSON(&object, "m.ptx", diags)); err != nil {
			t.Fatal(err)
		}
		list := strings.Split(strings.TrimSpace(lines.String()), "\n")
		got := problem.FindStringSubmatch(list[0])
		if got == nil || got[1] != "m.ptx" || got[3] != "error" || got[4] != diags[0].Msg ||
			len(list) != 2 || list[1] != "ptxas fatal   : Ptx assembly aborted due to errors" {
			t.Errorf("%s: %s", m.title, lines.String())
			continue
		}
		if problem.MatchString(strings.SplitN(m.ptxas, "\n", 2)[0]) {
			theirs++
		}
		m.holdJSON(t, object.Bytes(), got[2], diags[0].Msg)
	}
	if theirs < 30 {
		t.Errorf("only %d answers of ptxas are matched", theirs)
	}
}

// holdJSON compares the object of a file with one error, at a line.
func (m *mistake) holdJSON(t *testing.T, object []byte, line, msg string) {
	t.Helper()
	type diagnostic struct {
		Code, Severity, Message, Section string
		Line, Col, EndLine, EndCol       int
		Fixes                            []json.RawMessage
	}
	var got struct {
		File, Message string
		OK            *bool
		Diagnostics   []diagnostic
	}
	d := json.NewDecoder(bytes.NewReader(object))
	d.DisallowUnknownFields()
	if err := d.Decode(&got); err != nil || bytes.Count(object, []byte("\n")) != 1 || got.OK == nil || *got.OK || got.File != "m.ptx" ||
		got.Message != msg || len(got.Diagnostics) != 1 {
		t.Fatalf("%s: %v %s", m.title, err, object)
	}
	one := got.Diagnostics[0]
	if one.Severity != "error" || one.Code == "" || one.Message != msg || strconv.Itoa(one.Line) != line || one.Col < 1 ||
		one.EndLine < one.Line || one.EndLine == one.Line && one.EndCol < one.Col {
		t.Errorf("%s: %s", m.title, object)
	}
}
