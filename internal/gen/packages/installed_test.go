package main

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/internal/testkit/nvcc"
)

var wheel = flag.String("wheel", "", "install this wheel into an empty environment, and use it")

// TestInstalled: pip installs the wheel into an empty environment, where packaging/test.py uses command and module.
func TestInstalled(t *testing.T) {
	if *wheel == "" {
		t.Skip("makes a Python environment; -wheel FILE, as .ci/run does")
	}
	dir := t.TempDir()
	step := func(name string, args ...string) {
		t.Helper()
		if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
			t.Skipf("%s%s %s: %v\n%s", nvcc.SkipMark, name, strings.Join(args, " "), err, out)
		}
	}
	step("python3", "-m", "venv", dir)
	python := filepath.Join(dir, "bin", "python")
	step(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "numpy")
	if out, err := exec.Command(python, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--disable-pip-version-check", *wheel).CombinedOutput(); err != nil {
		t.Fatalf("pip refuses the wheel: %v\n%s", err, out)
	}
	cmd := exec.Command(python, "../../../packaging/test.py", "../../../testdata/cuda/saxpy.sm_90.ptx")
	cmd.Env = append(os.Environ(), "PTXVM=", "PATH=")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// TestInstall: packaging/install takes the binary whose sum SHA256SUMS has, if that file has the sum that was given; a file
// with other bytes is not installed.
func TestInstall(t *testing.T) {
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip(nvcc.SkipMark + err.Error())
	}
	dir := binaries(t)
	if err := Packages(root, "1.2.0", dir); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.FileServer(http.Dir(dir)))
	defer server.Close()
	listed, err := os.ReadFile(filepath.Join(dir, "SHA256SUMS"))
	if err != nil {
		t.Fatal(err)
	}
	install := func(sums string) (string, error) {
		cmd := exec.Command("bash", filepath.Join(root, "packaging", "install"))
		target := t.TempDir()
		cmd.Env = append(os.Environ(), "URL="+server.URL, "SUMS="+sums, "OS=Linux", "ARCH=ARM64", "TARGET="+target, "GITHUB_PATH=")
		out, err := cmd.CombinedOutput()
		if err != nil {
			return string(out), err
		}
		text, err := os.ReadFile(filepath.Join(target, "ptxvm"))
		return string(text), err
	}
	good := fmt.Sprintf("%x", sha256.Sum256(listed))
	if text, err := install(good); err != nil || text != "binary for linux/arm64" {
		t.Errorf("%q %v", text, err)
	}
	if text, err := install(strings.Repeat("0", 64)); err == nil {
		t.Errorf("installed with another sum: %s", text)
	}
	if err := os.WriteFile(filepath.Join(dir, "ptxvm_linux_arm64"), []byte("something else"), 0o755); err != nil {
		t.Fatal(err)
	}
	if text, err := install(good); err == nil {
		t.Errorf("installed other bytes: %s", text)
	}
}

// TestAction: what the action runs takes names with blanks, a pattern a line, and writes one log of what sanitizers find.
func TestAction(t *testing.T) {
	bin, dir := t.TempDir(), t.TempDir()
	if out, err := exec.Command("go", "build", "-o", filepath.Join(bin, "ptxvm"), root+"/cmd/ptxvm").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	module := ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 to)\n{\n\t.reg .b64 %to;\n\t.reg .b32 %i;\n" +
		"\tld.param.u64 %to, [to];\n\tmov.u32 %i, %tid.x;\n\tst.global.u32 [%to], %i;\n\tret;\n}\n"
	for name, text := range map[string]string{"my kernel.ptx": module, "other.ptx": module, "my launch.txt": "my kernel.ptx\n--block 64\n--arg out:u32x1\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	script, err := filepath.Abs(filepath.Join(root, "packaging", "action"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		verb, files string
		code        int
		log         string // in the log
	}{
		{"check", "my *.ptx\nother.ptx", 0, "ptxvm/check/"},
		{"sanitize", "my launch.txt", 3, "my%20kernel.ptx"},
		{"check", "nothing*.ptx", 2, ""},
	} {
		os.Remove(filepath.Join(dir, "ptxvm.sarif"))
		cmd := exec.Command("bash", script, c.verb)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "FILES="+c.files, "FLAGS=", "SARIF=true")
		out, _ := cmd.CombinedOutput()
		log, _ := os.ReadFile(filepath.Join(dir, "ptxvm.sarif"))
		if code := cmd.ProcessState.ExitCode(); code != c.code || !strings.Contains(string(log), c.log) {
			t.Errorf("%s %q ends with %d:\n%s\nand its log is\n%s", c.verb, c.files, code, out, log)
		}
	}
}
