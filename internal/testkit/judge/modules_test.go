package judge

// This file judges whole modules that are made at test time: what nvcc and Triton write for
// large templates, on several architectures. Nothing of them is kept.

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/internal/testkit/nvcc"
	"ptxvm.invalid/ptxvm/internal/testkit/ptxas"
)

// moduleSources use the headers of CUB, CCCL, cooperative groups and the narrow number types.
var moduleSources = []string{"testdata/modules/*.cu", "../../../testdata/cuda/headers/*.cu"}

// moduleTargets are compiled for: the older ones with fewer of the headers' own forms.
var moduleTargets = strings.Fields("sm_75 sm_80 sm_86 sm_89 sm_90a sm_100a sm_103a sm_110a sm_120a sm_121a")

var moduleArch = flag.String("module.arch", "", "compile modules for these architectures alone, such as sm_90a or, for Triton, 90")

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
			for _, arch := range architectures(moduleTargets) {
				text := nvcc.CompileFor(t, source, arch, "-std=c++17")
				bothAccept(t, path, fmt.Sprintf("%s for %s", source, arch), text)
				lines, modules = lines+strings.Count(text, "\n"), modules+1
			}
		}
	}
	t.Logf("%d modules, %d lines", modules, lines)
}

// architectures are those that the flag names, or all.
func architectures(all []string) []string {
	if *moduleArch != "" {
		return strings.Fields(*moduleArch)
	}
	return all
}

// tritonScripts compile kernels to the folder and for the architecture that they are given.
var tritonScripts = []string{"../../../testdata/triton/compile.py", "testdata/modules/kernels.py"}

// TestJudgeTriton: both judges accept what Triton makes of the kernels of the test data, and of kernels of
// many kinds.
func TestJudgeTriton(t *testing.T) {
	if !*full {
		t.Skip("compiles for minutes; -full")
	}
	path := assembler(t)
	if err := exec.Command("python3", "-c", "import triton").Run(); err != nil {
		t.Skip(nvcc.SkipMark + "Triton is not in PYTHONPATH")
	}
	lines, modules := 0, 0
	for _, script := range tritonScripts {
		for _, arch := range architectures([]string{"80", "90", "100", "120"}) {
			for _, file := range tritonModules(t, script, arch) {
				text, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				bothAccept(t, path, filepath.Base(file), string(text))
				lines, modules = lines+strings.Count(string(text), "\n"), modules+1
			}
		}
	}
	t.Logf("%d modules, %d lines", modules, lines)
}

// tritonModules are the files that a script makes for an architecture.
func tritonModules(t *testing.T, script, arch string) []string {
	script, err := filepath.Abs(script)
	if err != nil {
		t.Fatal(err)
	}
	out := t.TempDir()
	if text, err := exec.Command("python3", script, out, arch).CombinedOutput(); err != nil {
		t.Fatalf("%s for %s: %v\n%s", script, arch, err, text)
	}
	files, _ := filepath.Glob(filepath.Join(out, "*.ptx"))
	if len(files) < 3 {
		t.Fatalf("%s makes %d modules for sm_%s", script, len(files), arch)
	}
	return files
}

// bothAccept demands that both judges accept a module for its own target, and that a device loads it or refuses it by name.
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
		return
	}
	launches(t, name, text)
}
