package cudart

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/internal/testkit/nvcc"
)

var (
	cutlassDir   = flag.String("cutlass", "", "folder with CUTLASS, whose examples of testdata/cudart/cutlass.txt are built and run (.ci/cutlass)")
	examplesName = flag.String("examples", "", "with -cutlass: the examples whose name matches")
)

// passed is what an example prints whose result is its reference's.
var passed = regexp.MustCompile(`(?m)Passed|^ *\[OK\]`)

// TestCutlass builds examples of CUTLASS, unmodified, and runs them in both engines.
func TestCutlass(t *testing.T) {
	if *cutlassDir == "" {
		t.Skip("builds examples of CUTLASS for an hour: .ci/cutlass does")
	}
	compiler, err := nvcc.Find()
	if err != nil {
		t.Skip(nvcc.SkipMark + err.Error())
	}
	wanted, libraries, command := regexp.MustCompile(*examplesName), Libraries(t), ptxvm(t)
	for line := range strings.Lines(readText(t, filepath.Join(Root(t), "testdata", "cudart", "cutlass.txt"))) {
		if line[0] == '#' {
			continue
		}
		fields := strings.Fields(line)
		name := filepath.Base(fields[0])
		if !wanted.MatchString(name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			program := example(t, compiler, libraries, fields[0], fields[1])
			for _, engine := range []string{"auto", "interp"} {
				cmd := exec.Command(command, append([]string{"exec", "--engine", engine, program}, fields[2:]...)...)
				cmd.Env = append(os.Environ(), "PTXVM_LIB="+libraries)
				if out, err := cmd.CombinedOutput(); err != nil || !passed.Match(out) {
					t.Errorf("engine %s: %v\n%s", engine, err, out)
				}
			}
		})
	}
}

// example builds an example for a target, as PTX alone.
func example(t *testing.T, compiler, libraries, source, target string) string {
	t.Helper()
	top := filepath.Join(*cutlassDir, "nvidia-cutlass", "cutlass_library", "source")
	program := filepath.Join(t.TempDir(), "example")
	arch := "compute_" + strings.TrimPrefix(target, "sm_")
	file := filepath.Join(top, "examples", filepath.FromSlash(source)+".cu")
	args := []string{"-std=c++17", "-O2", "-gencode", "arch=" + arch + ",code=" + arch, "--expt-relaxed-constexpr", "--expt-extended-lambda", "-w",
		"-cudart", "shared", "-L", libraries, "-lcuda", "-o", program, file, "-I" + filepath.Dir(file),
		"-I" + filepath.Join(*cutlassDir, "nvidia-curand", "nvidia", "cu13", "include")}
	for _, dir := range []string{"include", "tools/util/include", "tools/library/include", "examples/common"} {
		args = append(args, "-I"+filepath.Join(top, filepath.FromSlash(dir)))
	}
	if out, err := exec.Command(compiler, args...).CombinedOutput(); err != nil {
		t.Fatalf("nvcc: %v\n%s", err, out)
	}
	return program
}
