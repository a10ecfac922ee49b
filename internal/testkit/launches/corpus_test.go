package launches_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/internal/testkit/corpus"
	"ptxvm.invalid/ptxvm/internal/testkit/rig"
)

// TestCorpus runs every kernel that nvcc and Triton made, for each architecture, with one
// worker, and compares with the independent computation.
func TestCorpus(t *testing.T) {
	for _, c := range corpus.Cases() {
		for _, arch := range c.Archs {
			t.Run(fmt.Sprintf("%s/sm_%d", c.Name, arch), func(t *testing.T) {
				t.Parallel()
				path := filepath.Join("testdata", filepath.FromSlash(c.Path(arch)))
				src, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				runText(t, path, src, arch, c.Make(corpus.Target{Arch: arch}))
			})
		}
	}
}

// TestCorpusCompiled runs the same in compiled code, as far as that goes.
func TestCorpusCompiled(t *testing.T) {
	rig.NeedJIT(t)
	for _, c := range corpus.Cases() {
		arch := c.Archs[len(c.Archs)-1]
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join("testdata", filepath.FromSlash(c.Path(arch)))
			src, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			runWith(t, ptxvm.DeviceConfig{Engine: ptxvm.JIT}, path, src, arch, c.Make(corpus.Target{Arch: arch}))
		})
	}
}

var allC = flag.Bool("cc.all", false, "run the whole corpus by the engine cc")

// TestCorpusC runs the corpus by the installed C compiler, kernel by kernel as far as it takes them; without -cc.all a sample. What is
// compiled stays in a cache for the run alone.
func TestCorpusC(t *testing.T) {
	rig.NeedC(t)
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Run("cases", func(t *testing.T) {
		for i, c := range corpus.Cases() {
			if !*allC && i%16 != 0 {
				continue
			}
			arch := c.Archs[len(c.Archs)-1]
			t.Run(c.Name, func(t *testing.T) {
				path := filepath.Join("testdata", filepath.FromSlash(c.Path(arch)))
				src, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				runWith(t, ptxvm.DeviceConfig{Engine: ptxvm.CC}, path, src, arch, c.Make(corpus.Target{Arch: arch}))
			})
		}
	})
}

// matrixKernels are the cases of the corpus that multiply matrices.
var matrixKernels = regexp.MustCompile(`gemm|^wmma/|^triton/(matmul|attention|persistent|product|layernorm|rmsnorm)`)

var allModes = flag.Bool("modes.all", false, "run the kernels of matrix units in every mode, in both engines, for every target")

// TestCorpusModes runs the kernels of matrix units where asynchronous operations are late, or end at any moment, in both engines:
// the results are the same. Without -modes.all it is random moments for the last target, in the engines in turns;
// TestCorpusSanitized has late operations.
func TestCorpusModes(t *testing.T) {
	for i, c := range corpus.Cases() {
		if !matrixKernels.MatchString(c.Name) {
			continue
		}
		archs, engines, modes := c.Archs, []ptxvm.Engine{ptxvm.Interp, ptxvm.JIT}, []ptxvm.Async{ptxvm.AsyncLazy, ptxvm.AsyncRandom}
		if !*allModes {
			archs, engines, modes = archs[len(archs)-1:], engines[i%2:][:1], modes[1:]
		}
		for _, arch := range archs {
			for _, mode := range modes {
				for _, engine := range engines {
					t.Run(fmt.Sprintf("%s/sm_%d/%v/%v", c.Name, arch, mode, engine), func(t *testing.T) {
						t.Parallel()
						runInMode(t, &c, arch, ptxvm.DeviceConfig{Async: mode, Engine: engine, Seed: uint64(i)})
					})
				}
			}
		}
	}
}

// runInMode runs a case. Where the compiler leaves out fences of tensor memory, late operations are none that it waits for.
func runInMode(t *testing.T, c *corpus.Case, arch int, cfg ptxvm.DeviceConfig) {
	if cfg.Engine == ptxvm.JIT {
		rig.NeedJIT(t)
	}
	path := filepath.Join("testdata", filepath.FromSlash(c.Path(arch)))
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	r := c.Make(corpus.Target{Arch: arch})
	if r.Unfenced && cfg.Async == ptxvm.AsyncLazy {
		t.Skip("the compiler leaves out fences, which mode lazy reports")
	}
	runWith(t, cfg, path, src, arch, r)
}

// runText launches what a case says and checks buffers, output and fault.
func runText(t *testing.T, path string, src []byte, arch int, r *corpus.Run) {
	t.Helper()
	runWith(t, ptxvm.DeviceConfig{}, path, src, arch, r)
}

// runWith is runText on a device that is configured in other ways, too.
func runWith(t *testing.T, cfg ptxvm.DeviceConfig, path string, src []byte, arch int, r *corpus.Run) {
	t.Helper()
	runTraced(t, cfg, path, src, arch, r, nil)
}

// runTraced is runWith with a trace of every launch; nil: without.
func runTraced(t *testing.T, cfg ptxvm.DeviceConfig, path string, src []byte, arch int, r *corpus.Run, trace *ptxvm.Trace) {
	t.Helper()
	m, err := ptxvm.Compile(path, src, nil)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	cfg.Arch, cfg.Workers, cfg.Stdout, cfg.Memory = fmt.Sprintf("sm_%d", arch), 1, &out, 1<<30
	d, err := ptxvm.NewDevice(&cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	p, err := d.Load(m)
	if err != nil {
		t.Fatal(err)
	}
	buffers := map[*corpus.Buffer]ptxvm.Buffer{}
	for _, b := range r.Buffers {
		if buffers[b], err = ptxvm.Upload(d, b.Init); err != nil {
			t.Fatal(err)
		}
	}
	for _, l := range r.Launches {
		if _, err = rig.Launch(d, p, l, buffers, trace); err != nil {
			break
		}
	}
	if r.Fault != nil {
		checkFault(t, err, r.Fault)
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	checkResults(t, r, buffers, out.String())
}

func checkResults(t *testing.T, r *corpus.Run, buffers map[*corpus.Buffer]ptxvm.Buffer, stdout string) {
	t.Helper()
	for _, b := range r.Buffers {
		got := make([]byte, buffers[b].Len())
		if err := ptxvm.Download(buffers[b], got); err != nil {
			t.Fatal(err)
		}
		if err := b.Check(got); err != nil {
			t.Error(err)
		}
	}
	if stdout != r.Stdout {
		t.Errorf("printed %q, want %q", stdout, r.Stdout)
	}
}

// checkFault holds a fault to its kind, place in the source and thread.
func checkFault(t *testing.T, err error, want *corpus.Fault) {
	t.Helper()
	var f *ptxvm.Fault
	if !errors.As(err, &f) {
		t.Fatalf("got %v, want a fault", err)
	}
	if len(f.Source) == 0 || f.Source[0].Line != want.Line || filepath.Base(f.Source[0].File) != filepath.Base(want.File) {
		t.Errorf("fault at %v, want %s:%d", f.Source, want.File, want.Line)
	}
	if f.CTA != ptxvm.Index3(rig.Dim(want.CTA)) || f.Thread != ptxvm.Index3(rig.Dim(want.Thread)) || !strings.Contains(f.Detail(), want.Text) {
		t.Errorf("fault %s, want CTA %v thread %v and %q", f.Detail(), want.CTA, want.Thread, want.Text)
	}
}
