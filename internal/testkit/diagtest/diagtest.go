// Package diagtest tests diagnostics in place: the expectation stands in the PTX, beside
// the token at fault.
//
//	add.sat.u32 %r1, %r2, %r3; // ERROR P3004 "not allowed with"
//
// A comment // ERROR, // WARNING or // NOTE expects one diagnostic of that severity that
// begins on its line; the code may be followed by a regular expression for the message.
// Several expectations stand one after the other in one comment. A comment
// // ERROR at TEXT P3004 "…" expects it also to begin at TEXT. A file may hold many
// modules, divided by lines // ----.
package diagtest

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/diag"
)

// Check judges one module.
type Check func(name string, text []byte) diag.List

// Divider is the line between the modules of one file.
const Divider = "// ----"

// Run checks every file that matches the pattern, one subtest a module.
func Run(t *testing.T, pattern string, check Check) {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("no files match %s (%v)", pattern, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for i, module := range Split(text) {
			t.Run(fmt.Sprintf("%s/%d", filepath.Base(file), i+1), func(t *testing.T) {
				for _, problem := range Compare(module.Text, check(file, module.Text)) {
					t.Errorf("module at line %d: %s", module.Line, problem)
				}
			})
		}
	}
}

// Module is a part of a file.
type Module struct {
	Line int // of the file, from 1, where Text begins
	Text []byte
}

// Split divides a file at its dividers.
func Split(text []byte) []Module {
	out := []Module{{Line: 1}}
	for n, line := range bytes.SplitAfter(text, []byte("\n")) {
		if bytes.HasPrefix(line, []byte(Divider)) {
			out = append(out, Module{Line: n + 2})
			continue
		}
		last := &out[len(out)-1]
		last.Text = append(last.Text, line...)
	}
	return out
}

type expectation struct {
	line     int
	severity diag.Severity
	at       string // text at the position, "" if any
	code     string
	pattern  *regexp.Regexp // nil if any
	met      bool
}

var (
	wantLine = regexp.MustCompile(`//.*?\b(ERROR|WARNING|NOTE)\s+(.*)$`)
	wantItem = regexp.MustCompile(`^(?:(ERROR|WARNING|NOTE)\s+)?(?:at\s+(\S+)\s+)?(P\d{4})(?:\s+"((?:[^"\\]|\\.)*)")?\s*`)
)

var severities = map[string]diag.Severity{"ERROR": diag.Error, "WARNING": diag.Warning, "NOTE": diag.Remark}

// Compare returns what differs between the expectations in text and the diagnostics.
func Compare(text []byte, got diag.List) []string {
	wants, problems := expectations(text)
	src := diag.NewSource("", text)
	for i := range got {
		line, _ := src.Position(got[i].Span.Start)
		if !claim(wants, line, text, &got[i]) {
			problems = append(problems, fmt.Sprintf("line %d: unexpected %s", line, got[i].Error()))
		}
	}
	for _, w := range wants {
		if !w.met {
			problems = append(problems, fmt.Sprintf("line %d: no %s at %q matching %v", w.line, w.code, w.at, w.pattern))
		}
	}
	return problems
}

func expectations(text []byte) (wants []*expectation, problems []string) {
	for n, line := range strings.Split(string(text), "\n") {
		m := wantLine.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		items, err := parseItems(n+1, m[1], m[2])
		if err != nil {
			problems = append(problems, fmt.Sprintf("line %d: %v", n+1, err))
		}
		wants = append(wants, items...)
	}
	return wants, problems
}

func parseItems(line int, severity, rest string) (wants []*expectation, err error) {
	for rest != "" {
		m := wantItem.FindStringSubmatch(rest)
		if m == nil {
			return wants, fmt.Errorf("cannot read the expectation %q", rest)
		}
		if m[1] != "" {
			severity = m[1]
		}
		w := &expectation{line: line, severity: severities[severity], at: m[2], code: m[3]}
		if m[4] != "" {
			if w.pattern, err = regexp.Compile(m[4]); err != nil {
				return wants, err
			}
		}
		wants = append(wants, w)
		rest = rest[len(m[0]):]
	}
	return wants, nil
}

// claim marks the first open expectation that d meets.
func claim(wants []*expectation, line int, text []byte, d *diag.Diagnostic) bool {
	for _, w := range wants {
		if !w.met && w.line == line && w.matches(text, d) {
			w.met = true
			return true
		}
	}
	return false
}

func (w *expectation) matches(text []byte, d *diag.Diagnostic) bool {
	return w.severity == d.Severity && w.code == d.Code.String() &&
		bytes.HasPrefix(text[min(int(d.Span.Start), len(text)):], []byte(w.at)) &&
		(w.pattern == nil || w.pattern.MatchString(d.Msg))
}

// Examples checks that the example of every entry that choose accepts gives its code.
func Examples(t *testing.T, choose func(*diag.Entry) bool, check Check) {
	t.Helper()
	entries := diag.Catalog()
	for i := range entries {
		e := &entries[i]
		if e.Example == "" || !choose(e) {
			continue
		}
		t.Run(e.Code.String(), func(t *testing.T) {
			got := check(e.Name+".ptx", []byte(e.Module()))
			for j := range got {
				if got[j].Code == e.Code && got[j].Severity == e.Severity {
					return
				}
			}
			t.Errorf("the example of %v %s gives %v instead", e.Code, e.Name, got)
		})
	}
}
