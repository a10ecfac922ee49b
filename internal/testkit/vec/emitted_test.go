//go:build !interp

package vec

import (
	"os"
	"path/filepath"
	"testing"

	"ptxvm.invalid/ptxvm/internal/testkit/load"
)

// emitted is what compilers have made of the corpus, of C, of Triton's kernels and of the broad kernels.
var emitted = []string{"testdata/cuda/*.ptx", "testdata/clang/*.ptx", "testdata/triton/*.ptx", "bench/kernels/*/*.ptx"}

// TestEmitted is TestComplete for what compilers emit: what is no vector code there are products of matrices, copies, barriers
// and tensor memory, calls, and addresses of the kernel's parameters.
func TestEmitted(t *testing.T) { eachCompiler(t, (*compiler).testEmitted) }

func (c *compiler) testEmitted(t *testing.T) {
	got, kernels := map[string]string{}, 0
	for _, pattern := range emitted {
		files, err := filepath.Glob(filepath.Join("../../..", pattern))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(files), err)
		}
		for _, file := range files {
			kernels += c.emittedClasses(t, file, got)
		}
	}
	t.Logf("%d kernels", kernels)
	c.emitted.hold(t, got, 300)
}

// emittedClasses adds those of a module's kernels, and returns how many there are.
func (c *compiler) emittedClasses(t *testing.T, file string, got map[string]string) (kernels int) {
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
		forms, why, err := c.kernelClasses(m, f, 128, m.Target.Arch)
		if err != nil {
			t.Errorf("%s: %s: %v", file, f.Name, err)
			continue
		}
		if why != nil {
			t.Logf("%s: %s: %v", file, f.Name, why)
			got["kernel:"+filepath.Base(file)+":"+f.Name] = refused
		}
		for form, now := range forms {
			got[form] = worse(got[form], now)
		}
		kernels++
	}
	return kernels
}
