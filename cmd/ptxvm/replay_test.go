package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// reported runs a command line and returns the reports of its --report by id, with the replay of the first.
func reported(t *testing.T, args ...string) (ids []string, replay string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "r.json")
	var out, errs bytes.Buffer
	with := append([]string{args[0], "--report", file}, args[1:]...)
	doMain(context.Background(), with, strings.NewReader(""), &out, &errs)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v\n%s", err, errs.String())
	}
	var report struct {
		Sanitizer []struct{ ID, Replay string }
	}
	if err := json.Unmarshal(text, &report); err != nil {
		t.Fatal(err)
	}
	for _, r := range report.Sanitizer {
		ids, replay = append(ids, r.ID), r.Replay
	}
	return ids, replay
}

// TestReplay: the command line that a report names, read by a shell, shows the same reports.
func TestReplay(t *testing.T) {
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no shell: ", err)
	}
	dir := t.TempDir()
	module := filepath.Join(dir, "it's a 'module'.ptx")
	text, err := os.ReadFile(filepath.FromSlash("testdata/ptx/sanitize.ptx"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(module, text, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"run", module, "--kernel", "fresh", "--block", "8", "--sanitize", "init:loads", "--arg", "out:u32x10", "--workers", "2", "--seed", "7"},
		{"run", "--workers=2", "--kernel", "early", "--block=32", "--async", "random", "--sanitize", "async", "--arg", "in:u32x32=iota", "--arg", "out:u32x32", "--", module},
	} {
		want, replay := reported(t, args...)
		if len(want) == 0 || !strings.HasPrefix(replay, "ptxvm run --workers 1 ") {
			t.Fatalf("%q: %q, %d reports", args, replay, len(want))
		}
		words, err := exec.Command(shell, "-c", `ptxvm() { for w; do printf '%s\n' "$w"; done; }; `+replay).Output()
		if err != nil {
			t.Fatalf("%s: %v", replay, err)
		}
		again := strings.Split(strings.TrimSuffix(string(words), "\n"), "\n")
		got, _ := reported(t, again...)
		if strings.Join(got, " ") != strings.Join(want, " ") {
			t.Errorf("%s: reports %q, want %q", replay, got, want)
		}
	}
}
