//go:build unix

package main

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// TestInterruptedRun sends SIGINT (Ctrl-C) and SIGTERM to a process whose kernel prints, and then runs for ever:
// exit code 130, what was printed is there, the trace so far has its file, results have none, no temporary
// file stays.
func TestInterruptedRun(t *testing.T) {
	src, err := filepath.Abs("testdata/ptx/printforever.ptx")
	if err != nil {
		t.Fatal(err)
	}
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		t.Run(sig.String(), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "out"), []byte("old"), 0o666); err != nil {
				t.Fatal(err)
			}
			code, said := interrupted(t, dir, sig, "run", src, "--arg", "out:4096:@out", "--arg", "out:8:@new", "--trace", "0", "--max-trace", "3", "--trace-to", "trace.txt", "--report", "report.json")
			if code != exitInterrupted || !strings.Contains(said, "interrupted") || strings.Contains(said, "goroutine") {
				t.Errorf("exit %d, %s", code, said)
			}
			var names []string
			entries, err := os.ReadDir(dir)
			for _, e := range entries {
				names = append(names, e.Name())
			}
			if want := []string{"out", "report.json", "trace.txt"}; err != nil || !slices.Equal(names, want) {
				t.Errorf("%v: files %v, want %v", err, names, want)
			}
			for name, want := range map[string]string{"out": "old", "report.json": `"outcome": "interrupted"`, "trace.txt": "trace: kernel k"} {
				if text, err := os.ReadFile(filepath.Join(dir, name)); err != nil || !bytes.Contains(text, []byte(want)) {
					t.Errorf("%s holds %.80q, %v", name, text, err)
				}
			}
		})
	}
}

// interrupted runs ptxvm in a directory, and sends it a signal once it has printed a line.
func interrupted(t *testing.T, dir string, sig os.Signal, args ...string) (code int, said string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, args...)
	cmd.Args[0], cmd.Dir = "ptxvm", dir // testscript.Main runs the command of that name
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || line != "running\n" {
		t.Errorf("printed %q, %v", line, err)
	}
	if err := cmd.Process.Signal(sig); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // the exit code says it
	return cmd.ProcessState.ExitCode(), errs.String()
}
