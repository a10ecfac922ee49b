package main

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/internal/cli"
	"ptxvm.invalid/ptxvm/internal/execprog"
)

// TestCaptureFlag: what is the launch, what the folder, what the program.
func TestCaptureFlag(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("prog", []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join("full", "of"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ words, launch, dir, rest, fails string }{
		{"--capture kept ./prog", "", "kept", "./prog", ""},
		{"--capture kept ./prog with arguments", "", "kept", "./prog with arguments", ""},
		{"--capture kept go version", "", "kept", "go version", ""},
		{"--capture kept --seed 2 ./prog", "", "kept", "./prog", ""},
		{"--capture saxpy kept ./prog", "saxpy", "kept", "./prog", ""},
		{"--capture saxpy:3 kept ./prog", "saxpy:3", "kept", "./prog", ""},
		{"--capture saxpy: go ./prog", "saxpy:", "go", "./prog", ""},
		{"--capture :3 kept ./prog", ":3", "kept", "./prog", ""},
		{"--capture=:3 kept ./prog", ":3", "kept", "./prog", ""},
		{"--capture=kept ./prog", "", "kept", "./prog", ""},
		{"--capture ns::axpy<float> kept ./prog", "ns::axpy<float>", "kept", "./prog", ""},
		{"--capture ./a:1 ./prog", "", "a:1", "./prog", ""},
		{"--capture saxpy kept --seed 2 ./prog", "saxpy", "kept", "./prog", ""},
		{"--capture kept", "", "kept", "", ""},
		{"--capture saxpy:0 kept ./prog", "", "", "", "from 1 on"},
		{"--capture regex:( kept ./prog", "", "", "", "regular expression"},
		{"--capture :3", "", "", "", "want the folder DIR"},
		{"--capture full ./prog", "", "", "", "is not empty"},
		{"--capture", "", "", "", "needs a value"},
	} {
		f := execFlags{values: map[string]*string{}}
		cmd := &cli.Command{Use: "exec", Leading: true}
		f.add(cmd)
		rest, err := cmd.Parse(strings.Fields(c.words))
		if c.fails != "" {
			if err == nil || !strings.Contains(err.Error(), c.fails) {
				t.Errorf("%s: %v, want %s", c.words, err, c.fails)
			}
			continue
		}
		dir, _ := filepath.Abs(c.dir)
		if err != nil || f.capture.launch != c.launch || f.capture.dir != dir || strings.Join(rest, " ") != c.rest {
			t.Errorf("%s: launch %q, %s, %q: %v", c.words, f.capture.launch, f.capture.dir, rest, err)
		}
		if env := f.capture.set(nil); !slices.Contains(env, "PTXVM_CAPTURE="+dir) || !slices.Contains(env, "PTXVM_CAPTURE_LAUNCH="+c.launch) {
			t.Errorf("%s: %q", c.words, env)
		}
	}
}

// TestCaptureProgram: the launch of a program that ends badly is there, and that of one which launches nothing is missed by name.
func TestCaptureProgram(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("CUDA programs run on Linux only")
	}
	t.Setenv("PTXVM_LIB", t.TempDir())
	for _, name := range []string{execprog.RuntimeLibrary, execprog.EngineLibrary} { // the loader passes over what is none
		if err := os.WriteFile(filepath.Join(os.Getenv("PTXVM_LIB"), name), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for script, want := range map[string]string{
		`mkdir "$PTXVM_CAPTURE" && echo "$PTXVM_CAPTURE_LAUNCH" > "$PTXVM_CAPTURE/launch.txt" && exit 3`: "k:2\n",
		`exit 5`: "",
	} {
		f := execFlags{values: map[string]*string{}}
		cmd := &cli.Command{Use: "exec", Leading: true}
		f.add(cmd)
		rest, err := cmd.Parse([]string{"--capture", "k:2", filepath.Join(t.TempDir(), "kept"), "sh", "-c", script})
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		launch, err := f.captureProgram(t.Context(), streams{in: strings.NewReader(""), out: &out, err: &out}, rest)
		text, _ := os.ReadFile(launch)
		if string(text) != want || (err == nil) != (want != "") || err != nil && !strings.Contains(err.Error(), "sh has launched no kernel that is captured: exit status 5") {
			t.Errorf("%s: %s holds %q, %v\n%s", script, launch, text, err, out.String())
		}
	}
}

// TestFlagsNameFiles: what help says is a file or folder is one to files of options, too.
func TestFlagsNameFiles(t *testing.T) {
	for _, f := range newRun(streams{}).Flags().All() {
		value, usage := f.Words()
		named := strings.Contains(value, "FILE") || strings.Contains(value, "DIR") || strings.Contains(value, ".json") || strings.Contains(value, "DATA") || strings.Contains(usage, "below DIR")
		if named && f.Names == nil {
			t.Errorf("--%s %s names files that are not looked for beside a file of options", f.Name, value)
		}
		if f.Names == nil {
			continue
		}
		for _, text := range []string{"f.npy", "x=@f.npy"} {
			if got := f.Names("d", text); strings.Contains(got, filepath.Join("d", "f.npy")) || strings.HasPrefix(got, "d"+string(filepath.Separator)) {
				named = true
			}
		}
		if !named {
			t.Errorf("--%s: no name moves into the folder", f.Name)
		}
	}
}
