package check

// This file compares verdicts with those of ptxas 13.5, which testdata/verdicts records.
//
// A file there is a list of cases, one a line: accept or reject, and a text that takes
// the place of $ in the template above it, whose lines begin with ": "; \n in it is a line break. A template may
// begin with "arch sm_90:", which is ptxas's -arch, or "only:", for ptxas -c; else it is the module's own target,
// at least sm_75, which is the oldest that ptxas 13.5 compiles for, and sm_110 for sm_101. Lines with # are comments; a comment
// "# differs: why" lets the next case differ, see docs/ptxas-differences.md.
//
// New cases are written with ? for the verdict; then
//
//	go test ./internal/check -run TestVerdicts -ptxas /path/to/ptxas -write
//
// asks ptxas about them. Without -write it checks what is recorded.

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/syntax"
)

var (
	ptxas = flag.String("ptxas", "", "path of ptxas, to compare recorded verdicts with it")
	write = flag.Bool("write", false, "ask ptxas about the cases marked with ? alone, and record what it says")
)

// verdict is one case.
type verdict struct {
	line    int // index in the file
	want    string
	arch    string
	only    bool // ptxas -c
	module  string
	text    string // of the line
	differs bool
}

// verdicts reads the cases of a file.
func verdicts(lines []string) []verdict {
	var all []verdict
	var template, arch string
	open, differs, only := false, false, false
	for i, line := range lines {
		switch first, rest, _ := strings.Cut(line, " "); first {
		case ":":
			if !open {
				template, arch, only = "", "", false
			}
			template, open = template+rest+"\n", true
			continue
		case "arch":
			arch, template = strings.TrimSuffix(rest, ":"), ""
			open = true
			continue
		case "only:":
			template, arch, only, open = "", "", true, true
			continue
		case "accept", "reject", "?":
			module := strings.Replace(template, "$", strings.ReplaceAll(rest, `\n`, "\n"), 1)
			all = append(all, verdict{i, first, arch, only, module, rest, differs})
		}
		open, differs = false, strings.HasPrefix(line, "# differs:")
	}
	return all
}

func TestVerdicts(t *testing.T) {
	files, err := filepath.Glob("testdata/verdicts/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no verdicts", err)
	}
	total := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(string(text), "\n")
		cases := verdicts(lines)
		if *ptxas != "" {
			askPtxas(t, file, lines, cases)
		}
		total += len(cases)
		for _, v := range cases {
			compareVerdict(t, file, v)
		}
	}
	t.Logf("%d verdicts", total)
}

func compareVerdict(t *testing.T, file string, v verdict) {
	t.Helper()
	_, list := Check(syntax.Parse(file, []byte(v.module)), Options{Arch: v.arch, WholeProgram: !v.only, CompileOnly: v.only})
	got := "accept"
	if list.HasErrors() {
		got = "reject"
	}
	if (got == v.want) == v.differs {
		t.Errorf("%s:%d: ptxas: %s, here: %s\n\t%s\n\t%v", file, v.line+1, v.want, got, v.text, list)
	}
}

// askPtxas compares the recorded verdicts of a file with ptxas, or records them.
func askPtxas(t *testing.T, file string, lines []string, cases []verdict) {
	var wg sync.WaitGroup
	work := make(chan int)
	for range 2 {
		wg.Go(func() {
			for i := range work {
				v := &cases[i]
				ok, _ := runPtxas(t, v)
				said := map[bool]string{true: "accept", false: "reject"}[ok]
				if said != v.want && v.want != "?" {
					t.Errorf("%s:%d: recorded %s, ptxas now says %s: %s", file, v.line+1, v.want, said, v.text)
				}
				v.want = said
			}
		})
	}
	for i := range cases {
		if !*write || cases[i].want == "?" {
			work <- i
		}
	}
	close(work)
	wg.Wait()
	if !*write {
		return
	}
	for _, v := range cases {
		lines[v.line] = v.want + " " + v.text
	}
	if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")), 0o666); err != nil {
		t.Fatal(err)
	}
}

// runPtxas tells whether ptxas accepts a module, and what it says.
func runPtxas(t *testing.T, v *verdict) (bool, string) {
	arch := v.arch
	if arch == "" {
		arch = ownArch(v.module)
	}
	name := filepath.Join(t.TempDir(), "m.ptx")
	if err := os.WriteFile(name, []byte(v.module), 0o666); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	args := []string{"-arch", arch, name, "-o", os.DevNull}
	if v.only {
		args = append(args, "-c")
	}
	cmd := exec.Command(*ptxas, args...)
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	if _, exited := err.(*exec.ExitError); err != nil && !exited {
		t.Fatal(err)
	}
	return err == nil, out.String()
}

var targetLine = regexp.MustCompile(`\.target\s+(\w+)`)

func ownArch(module string) string {
	if m := targetLine.FindStringSubmatch(module); m != nil {
		if target, err := isa.ParseTarget(m[1]); err == nil && target.Arch >= 75 {
			return strings.Replace(target.String(), "sm_101", "sm_110", 1) // its old name
		}
	}
	return "sm_75"
}

// TestDifferencesListed: what may differ has a reason.
func TestDifferencesListed(t *testing.T) {
	text, err := os.ReadFile("../../docs/ptxas-differences.md")
	if err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob("testdata/verdicts/*.txt")
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(data), "\n") {
			why, ok := strings.CutPrefix(line, "# differs: ")
			if ok && !bytes.Contains(text, []byte(fmt.Sprintf("| %s |", why))) {
				t.Errorf("%s:%d: %q has no row in docs/ptxas-differences.md", file, i+1, why)
			}
		}
	}
}
