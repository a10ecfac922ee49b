package testcase

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestMain is the command of these cases, too: it prints its words, and fails for the word fail.
func TestMain(m *testing.M) {
	if os.Getenv("PTXVM_TESTCASE_ECHO") == "" {
		os.Exit(m.Run())
	}
	fmt.Println(strings.Join(os.Args[1:], "|"))
	if os.Args[1] == "fail" {
		os.Exit(2)
	}
}

// runner runs cases with TestMain's command.
func runner(t *testing.T) *Runner {
	t.Helper()
	t.Setenv("PTXVM_TESTCASE_ECHO", "1")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return &Runner{Command: self}
}

// written puts a case into a file of a folder.
func written(t *testing.T, dir, name, text string) string {
	t.Helper()
	file := filepath.Join(dir, name)
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestOne runs cases that hold, and such that fail at a known line with known words.
func TestOne(t *testing.T) {
	for _, test := range []struct {
		text string
		line int    // 0: the case holds, or is about no line
		want string // what the error says
	}{
		{"run 'two words' it''s\nstdout '^run\\|two words\\|its$'\n! stdout other\n", 0, ""},
		{"fail\nexit 2\n", 0, ""},
		{"! fail\nexit 2\n", 0, ""},
		{"run a\ncmp stdout want\n-- want --\nrun|a\n", 0, ""},
		{"# one's quote is open here\nrun a\n", 0, ""},
		{"", 0, "the case runs nothing"},
		{"run a\nfail\nrun b\n", 2, "exit code 2"},
		{"run a\nfail\n", 2, "exit code 2"},
		{"! run a\n", 1, "exit code 0"},
		{"fail\nexit 3\n", 2, "exit code 2, want 3"},
		{"stdout a\n", 1, "no verb has run before it"},
		{"run a\nstdout b\n", 2, "no match"},
		{"run a\n! stdout a\n", 2, "a match that must not be"},
		{"run a\nstdout '('\n", 2, "missing closing"},
		{"run a\ncmp stdout want\n-- want --\nother\n", 2, "stdout and want differ"},
		{"run 'a\n", 1, "a quote is not closed"},
		{"run a\nuse ../secret\n", 2, "lies outside the case's directory"},
		{"run a\n-- ../secret --\n", 0, "lies outside the case's directory"},
	} {
		file := written(t, t.TempDir(), "case.txtar", test.text)
		err := runner(t).One(t.Context(), file)
		if test.want == "" != (err == nil) || err != nil && (!strings.Contains(err.Error(), test.want) || lineOf(err) != test.line) {
			t.Errorf("%q: %v at line %d; want %q at line %d", test.text, err, lineOf(err), test.want, test.line)
		}
	}
}

// TestNoCase: text that is no case is told from one whose verb is misspelled.
func TestNoCase(t *testing.T) {
	for text, want := range map[string]string{
		"# ptxvm run @saxpy.txt\nsaxpy.ptx\n--block 32\n": "this is no test case: its lines are no command lines of ptxvm (the first is saxpy.ptx)",
		"--grid 4\n":           "the first is '--grid 4'",
		"rnu a\n-- k.ptx --\n": "",
		"rnu a\nrun b\n":       "",
		"! run a\n":            "exit code 0",
		"# nothing\n":          "the case runs nothing",
		"stdout a\n":           "no verb has run before it",
	} {
		r := runner(t)
		r.Verbs = []string{"run", "check"}
		err := r.One(t.Context(), written(t, t.TempDir(), "case.txt", text))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v; want %q", text, err, want)
		}
	}
}

// TestUpdate writes what cmp finds into the case, which then holds.
func TestUpdate(t *testing.T) {
	file := written(t, t.TempDir(), "case.txtar", "run a\ncmp stdout want\n-- want --\nold\n")
	r := runner(t)
	r.Update = true
	if err := r.One(t.Context(), file); err != nil {
		t.Fatal(err)
	}
	r.Update = false
	if err := r.One(t.Context(), file); err != nil {
		t.Error(err)
	}
}

// TestResults runs the cases of a folder, and writes what came of them in each form.
func TestResults(t *testing.T) {
	dir := t.TempDir()
	good, bad := written(t, dir, "good.txtar", "run a\n"), written(t, dir, "worse.txtar", "run a\nfail\n")
	written(t, dir, "left.txt", "fail\n")
	files, err := Files([]string{dir}, regexp.MustCompile("good|worse"))
	if err != nil || len(files) != 2 {
		t.Fatalf("%v, %v; want the two cases", files, err)
	}
	if none, err := Files([]string{dir}, regexp.MustCompile("other")); err == nil {
		t.Errorf("no case is let through, and %v without an error", none)
	}
	results := runner(t).Run(t.Context(), files, 2)
	if !results[0].OK || results[0].File != good || results[1].OK || results[1].Line != 2 {
		t.Errorf("%+v", results)
	}
	if text := Text(results, false); !strings.HasPrefix(text, "FAIL "+bad+":2 (") || !strings.HasSuffix(text, "\n1 of 2 cases pass\n") {
		t.Errorf("text is %q", text)
	}
	if text := Text(results, true); !strings.HasPrefix(text, "ok   "+good) {
		t.Errorf("verbose text is %q", text)
	}
	var xml bytes.Buffer
	if err := WriteJUnit(&xml, results); err != nil || !strings.Contains(xml.String(), `tests="2" failures="1"`) {
		t.Errorf("JUnit is %s, %v", xml.String(), err)
	}
}
