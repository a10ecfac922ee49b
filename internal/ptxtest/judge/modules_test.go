package judge

// This file judges whole modules that are made at test time: what nvcc and Triton write for
// large templates, on several architectures. Nothing of them is kept.

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ptxvm"
	"ptxvm/internal/ptxtest/nvcc"
	"ptxvm/internal/ptxtest/ptxas"
)

// moduleSources use the headers of CUB, CCCL, cooperative groups and the narrow number types.
var moduleSources = []string{"testdata/modules/*.cu", "../../../testdata/cuda/headers/*.cu"}

// moduleTargets are compiled for: the older ones with fewer of the headers' own forms.
var moduleTargets = strings.Fields("sm_80 sm_90a sm_100a sm_120a")

// TestJudgeModules: both judges accept what nvcc makes of large templates.
func TestJudgeModules(t *testing.T) {
	if !*full {
		t.Skip("compiles for minutes; -full")
	}
	path := assembler(t)
	lines, modules := 0, 0
	for _, pattern := range moduleSources {
		sources, err := filepath.Glob(pattern)
		if err != nil || len(sources) == 0 {
			t.Fatal(pattern, err)
		}
		for _, source := range sources {
			for _, arch := range moduleTargets {
				text := nvcc.CompileFor(t, source, arch, "-std=c++17")
				bothAccept(t, path, fmt.Sprintf("%s for %s", source, arch), text)
				lines, modules = lines+strings.Count(text, "\n"), modules+1
			}
		}
	}
	t.Logf("%d modules, %d lines", modules, lines)
}

// TestJudgeTriton: both judges accept what Triton makes of the kernels of the test data.
func TestJudgeTriton(t *testing.T) {
	if !*full {
		t.Skip("compiles for a minute; -full")
	}
	path := assembler(t)
	script, err := filepath.Abs("../../../testdata/triton/compile.py")
	if err != nil {
		t.Fatal(err)
	}
	for _, arch := range []string{"80", "90", "100"} {
		out := t.TempDir()
		if err := exec.Command("python3", "-c", "import triton").Run(); err != nil {
			t.Skip(nvcc.SkipMark + "Triton is not in PYTHONPATH")
		}
		if text, err := exec.Command("python3", script, out, arch).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		files, _ := filepath.Glob(filepath.Join(out, "*.ptx"))
		if len(files) < 3 {
			t.Fatalf("%d modules for sm_%s", len(files), arch)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			bothAccept(t, path, filepath.Base(file), string(text))
		}
	}
}

// bothAccept demands that both judges accept a module for its own target.
func bothAccept(t *testing.T, path, name, text string) {
	t.Helper()
	diags, err := ptxvm.Check(name, []byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	report, err := ptxas.Judge(path, text, target(t, []byte(text)))
	if err != nil {
		t.Fatal(err)
	}
	if !report.Accepted || diags.HasErrors() {
		t.Errorf("%s: ptxas accepts: %v %s, here: %v", name, report.Accepted, report.Stderr, diags)
	}
}
