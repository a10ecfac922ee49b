//go:build !interp

package vec

import (
	"os"
	"path/filepath"
	"testing"

	"ptxvm.invalid/ptxvm/internal/jit"
	"ptxvm.invalid/ptxvm/internal/testkit/load"
)

// emitted is what compilers have made of the corpus, of C, of Triton's kernels and of the broad kernels.
var emitted = []string{"testdata/cuda/*.ptx", "testdata/clang/*.ptx", "testdata/triton/*.ptx", "bench/kernels/*/*.ptx"}

// TestEmitted is TestComplete for what compilers emit: what is no vector code there are products of matrices, copies, barriers
// and tensor memory, calls, and addresses of the kernel's parameters.
func TestEmitted(t *testing.T) {
	if _, _, err := jit.Here(); err != nil {
		t.Skip(err)
	}
	got, kernels := map[string]string{}, 0
	for _, pattern := range emitted {
		files, err := filepath.Glob(filepath.Join("../../..", pattern))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(files), err)
		}
		for _, file := range files {
			kernels += emittedClasses(t, file, got)
		}
	}
	t.Logf("%d kernels", kernels)
	emittedList.hold(t, got, 300)
}

// emittedClasses adds those of a module's kernels, and returns how many there are.
func emittedClasses(t *testing.T, file string, got map[string]string) (kernels int) {
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	m, err := load.Text(file, string(src))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range m.Funcs {
		if !f.Entry {
			continue
		}
		forms, err := kernelClasses(m, f, 128, m.Target.Arch)
		if err != nil {
			t.Errorf("%s: %s: %v", file, f.Name, err)
			continue
		}
		for form, now := range forms {
			got[form] = worse(got[form], now)
		}
		kernels++
	}
	return kernels
}
