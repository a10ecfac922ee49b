package cudart

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// expected is what a program's first comment says: lines "exit: N", "stdout: TEXT", "stderr: TEXT", "flags: …",
// "with: FILE". Without an exit the program ends with 0 and prints PASSED.
type expected struct {
	exit           int
	stdout, stderr []string
	flags, with    []string
}

func read(t *testing.T, source string) (want expected) {
	t.Helper()
	text, err := os.ReadFile(source)
	if err != nil {
		t.Fatal(err)
	}
	given := false
	for line := range strings.Lines(string(text)) {
		comment, ok := strings.CutPrefix(line, "// ")
		if !ok {
			break
		}
		key, value, _ := strings.Cut(strings.TrimSpace(comment), ": ")
		switch key {
		case "exit":
			given = true
			if want.exit, err = strconv.Atoi(value); err != nil {
				t.Fatal(err)
			}
		case "stdout":
			want.stdout = append(want.stdout, value)
		case "stderr":
			want.stderr = append(want.stderr, value)
		case "flags":
			want.flags = append(want.flags, strings.Fields(value)...)
		case "with":
			want.with = append(want.with, filepath.Join(filepath.Dir(source), value))
		}
	}
	if !given {
		want.stdout = append(want.stdout, "PASSED")
	}
	return want
}

var programs = flag.Bool("programs", false, "build the CUDA libraries and the programs of testdata/cudart, and run them")

// TestPrograms builds each program of testdata/cudart and runs it by ptxvm exec, in both engines.
func TestPrograms(t *testing.T) {
	if !*programs {
		t.Skip("builds libraries and programs: -programs asks for it (.ci/run)")
	}
	libraries := Libraries(t)
	sources, err := filepath.Glob(filepath.Join(Root(t), "testdata", "cudart", "*.cu"))
	if err != nil || len(sources) == 0 {
		t.Fatal("no programs", err)
	}
	command := ptxvm(t)
	for _, source := range sources {
		name := strings.TrimSuffix(filepath.Base(source), ".cu")
		if strings.HasSuffix(name, "_part") {
			continue // compiled with another
		}
		t.Run(name, func(t *testing.T) {
			want := read(t, source)
			program := Program(t, libraries, append([]string{source}, want.with...), want.flags...)
			for _, engine := range []string{"interp", "auto"} {
				run(t, want, libraries, command, "exec", "--engine", engine, program)
			}
		})
	}
}

// TestExec: what keeps a program from running is said before it starts, with an exit status of its own; arguments
// and exit status are the program's.
func TestExec(t *testing.T) {
	if !*programs {
		t.Skip("builds libraries and programs: -programs asks for it (.ci/run)")
	}
	libraries, command := Libraries(t), ptxvm(t)
	source := filepath.Join(Root(t), "testdata", "cudart", "vectoradd.cu")
	static := Program(t, libraries, []string{source}, "-cudart", "static")
	run(t, expected{exit: 125, stderr: []string{"Relink it", "-cudart shared"}}, libraries, command, "exec", static)
	run(t, expected{exit: 125, stderr: []string{"libptxvm.so are not in /nowhere"}}, "/nowhere", command, "exec", static)
	run(t, expected{exit: 125, stderr: []string{"no-such-program"}}, libraries, command, "exec", "no-such-program")
	run(t, expected{exit: 7, stdout: []string{"--seed 2"}}, libraries, command, "exec", "--devices", "2", "sh", "-c", `echo "$1 $PTXVM_DEVICES"; exit 7`, "sh", "--seed")
}

func run(t *testing.T, want expected, libraries, name string, args ...string) {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Env = append(os.Environ(), "PTXVM_LIB="+libraries)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	ok := cmd.ProcessState.ExitCode() == want.exit
	for _, text := range want.stdout {
		ok = ok && strings.Contains(out.String(), text)
	}
	for _, text := range want.stderr {
		ok = ok && strings.Contains(errs.String(), text)
	}
	if ok && len(want.stderr) == 0 {
		ok = errs.Len() == 0
	}
	if !ok {
		t.Errorf("%v: exit %d, want %d %q %q\n%s%s", args, cmd.ProcessState.ExitCode(), want.exit, want.stdout, want.stderr, &out, &errs)
	}
}
