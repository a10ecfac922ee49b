package pipeline

// This file runs kernels by the engine cc, as users do: through the public API, with what is kept on disk.

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/bench/kernels"
	"ptxvm.invalid/ptxvm/internal/jit/cc"
	"ptxvm.invalid/ptxvm/internal/testkit/corpus"
)

// sampled are the kernels of TestEngine that run without -full: one that is taken, and one that is not.
var sampled = []string{"gray", "dot"}

// TestEngine: the engine cc gives the interpreter's results, says what it has not taken, and finds on disk what an earlier device has had
// compiled.
func TestEngine(t *testing.T) {
	compilerOf(t, `[ ! -e "$XDG_CACHE_HOME/go" ] || [ "$1" = --version ] || exit 9; exec `+realCompiler(t)+` "$@"`)
	enough := filepath.Join(os.Getenv("XDG_CACHE_HOME"), "go")
	tuned(t, func(t *testing.T, k kernels.Kernel) {
		if !*full && !slices.Contains(sampled, k.Name) {
			return
		}
		text, r := source(t, k), k.Make(k.Small)
		want := run(t, text, r, 1, nil)
		for range 2 {
			got := runBy(t, ptxvm.DeviceConfig{Engine: ptxvm.CC}, text, r, 3)
			for i := range got {
				if diff := got[i].differs(&want[0]); diff != "" {
					t.Errorf("run %d: %s", i, diff)
				}
			}
			last := got[2]
			is := slices.Contains(taken, k.Name)
			if is != (last.byC > 0) || is != (len(last.notC) == 0) {
				t.Errorf("%d of %d compiled lane operations are C's; %q", last.byC, last.compiled, last.notC)
			}
			if err := os.WriteFile(enough, nil, 0o600); err != nil { // it compiles no more
				t.Fatal(err)
			}
		}
		os.Remove(enough)
	})
}

func needCompiler(t *testing.T) {
	t.Helper()
	if _, err := cc.Find(false); err != nil {
		t.Skip(err)
	}
}

// tuned visits the kernels that the compiler may be tuned on.
func tuned(t *testing.T, visit func(*testing.T, kernels.Kernel)) {
	needCompiler(t)
	for _, k := range kernels.All() {
		if k.Tuned() {
			t.Run(k.Name, func(t *testing.T) { visit(t, k) })
		}
	}
}

// scale is a kernel that takes out[i] = out[i]·3 + 1 round a loop n times.
const scale = `.version 8.0
.target sm_90
.address_size 64
.visible .entry scale(.param .u64 out, .param .u32 n)
{
	.reg .pred %p<2>;
	.reg .b32 %r<8>;
	.reg .b64 %rd<4>;
	ld.param.u64 %rd1, [out];
	ld.param.u32 %r1, [n];
	mov.u32 %r2, %ctaid.x;
	mov.u32 %r3, %ntid.x;
	mov.u32 %r4, %tid.x;
	mad.lo.s32 %r2, %r2, %r3, %r4;
	mul.wide.s32 %rd2, %r2, 4;
	add.s64 %rd1, %rd1, %rd2;
	ld.global.u32 %r5, [%rd1];
	mov.u32 %r6, 0;
L:
	mad.lo.s32 %r5, %r5, 3, 1;
	add.s32 %r6, %r6, 1;
	setp.lt.u32 %p1, %r6, %r1;
	@%p1 bra L;
	st.global.u32 [%rd1], %r5;
	ret;
}
`

// scaling is a device with the kernel.
type scaling struct {
	*ptxvm.Device
	kernel *ptxvm.Kernel
	memory ptxvm.Buffer
}

// newScaling makes one of the engine cc.
func newScaling(t *testing.T, cfg ptxvm.DeviceConfig, threads int) *scaling {
	t.Helper()
	cfg.Engine = ptxvm.CC
	return scalingBy(t, cfg, threads)
}

func scalingBy(t *testing.T, cfg ptxvm.DeviceConfig, threads int) *scaling {
	t.Helper()
	cfg.Memory = 1 << 26
	d, err := ptxvm.NewDevice(&cfg)
	if errors.Is(err, ptxvm.ErrNoJIT) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	m, err := ptxvm.Compile("scale.ptx", []byte(scale), nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := d.Load(m)
	if err != nil {
		t.Fatal(err)
	}
	s := &scaling{Device: d}
	if s.kernel, err = p.Kernel("scale"); err != nil {
		t.Fatal(err)
	}
	if s.memory, err = d.Alloc(4 * threads); err != nil {
		t.Fatal(err)
	}
	return s
}

// launch runs the kernel on zeros and looks at the results.
func (s *scaling) launch(ctx context.Context, n uint32) (ptxvm.Stats, error) {
	if err := ptxvm.Fill(s.memory, uint32(0)); err != nil {
		return ptxvm.Stats{}, err
	}
	grid := ptxvm.Dim3{X: uint32(s.memory.Len() / 4 / 64)}
	stats, err := s.kernel.Launch(ctx, ptxvm.Launch{Grid: grid, Block: ptxvm.Dim3{X: 64}}, s.memory, n)
	if err != nil {
		return stats, err
	}
	want := uint32(0)
	for range n {
		want = want*3 + 1
	}
	have := make([]byte, s.memory.Len())
	if _, err := s.memory.ReadAt(have, 0); err != nil {
		return stats, err
	}
	if !bytes.Equal(have, bytes.Repeat(binary.LittleEndian.AppendUint32(nil, want), len(have)/4)) {
		return stats, fmt.Errorf("%d turns do not give %#x everywhere", n, want)
	}
	return stats, nil
}

// TestEngineTogether: launches at the same time, the first of which compiles; who waits for it can be stopped.
func TestEngineTogether(t *testing.T) {
	needCompiler(t)
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	var devices []*scaling
	for range 2 {
		devices = append(devices, newScaling(t, ptxvm.DeviceConfig{Workers: 2}, 1<<12))
	}
	var group sync.WaitGroup
	for _, s := range devices {
		for range 4 {
			group.Go(func() {
				grid, n := ptxvm.Launch{Grid: ptxvm.Dim3{X: 16}, Block: ptxvm.Dim3{X: 64}}, uint32(20)
				b, err := s.Alloc(4 * 1024)
				for i := 0; i < 20 && err == nil; i++ {
					_, err = s.kernel.Launch(context.Background(), grid, b, n)
				}
				if err != nil {
					t.Error(err)
				}
			})
		}
	}
	group.Wait()
	for _, s := range devices {
		if stats, err := s.launch(context.Background(), 9); err != nil || stats.CompiledC != stats.LaneOps {
			t.Errorf("%d of %d lane operations are C's: %v", stats.CompiledC, stats.LaneOps, err)
		}
	}
}

// TestEngineLong: what C's code leaves because its turn is over the old compiler's code goes on with in later launches.
func TestEngineLong(t *testing.T) {
	needCompiler(t)
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	s := newScaling(t, ptxvm.DeviceConfig{Workers: 1}, 64)
	for i := range 4 { // accesses find memory one by one
		stats, err := s.launch(context.Background(), 100_000)
		if err != nil {
			t.Fatal(err)
		}
		if i == 3 && (stats.CompiledC == 0 || stats.Compiled != stats.LaneOps || len(stats.NotC) != 0) {
			t.Errorf("%d of %d lane operations are compiled, %d by C; %q", stats.Compiled, stats.LaneOps, stats.CompiledC, stats.NotC)
		}
	}
}

// compilerOf puts a script in place of the C compiler.
func compilerOf(t *testing.T, script string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "clang"), []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
}

// realCompiler is the one that is installed.
func realCompiler(t *testing.T) string {
	t.Helper()
	needCompiler(t)
	for _, name := range []string{"clang", "gcc"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Fatal("there was one")
	return ""
}

// TestEngineStopped: a launch that is stopped while it waits for the C compiler ends, and the next one has the kernel compiled.
func TestEngineStopped(t *testing.T) {
	compilerOf(t, `[ -e "$XDG_CACHE_HOME/go" ] || sleep 30; exec `+realCompiler(t)+` "$@"`)
	s := newScaling(t, ptxvm.DeviceConfig{Workers: 1}, 64)
	ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer cancel()
	start := time.Now()
	if _, err := s.launch(ctx, 9); !errors.Is(err, context.DeadlineExceeded) || time.Since(start) > 10*time.Second {
		t.Errorf("%v after %v", err, time.Since(start))
	}
	if err := os.WriteFile(filepath.Join(os.Getenv("XDG_CACHE_HOME"), "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := s.launch(context.Background(), 9); err != nil {
			t.Error(err)
		}
	}
	if stats, err := s.launch(context.Background(), 9); err != nil || stats.CompiledC == 0 {
		t.Errorf("%d lane operations are C's: %v", stats.CompiledC, err)
	}
}

// way is how a kernel comes not to go through C.
type way struct {
	cfg          ptxvm.DeviceConfig
	script, want string // in place of the C compiler; the reason
	interpreted  bool   // what the kernel executes, all of it
}

// TestEngineWithout: where there is no C compiler, where it fails, and where it makes nonsense kernels are compiled as by JIT, and the
// reason is told. With a seed or sanitizers there are no batches to compile for.
func TestEngineWithout(t *testing.T) {
	needCompiler(t)
	for _, w := range []way{
		{script: "exit 3", want: "scale: clang: exit status 3"},
		{script: `while [ "$1" != -o ]; do shift; done; echo nonsense >"$2"`, want: "scale: "},
		{cfg: ptxvm.DeviceConfig{Seed: 3, Workers: 1}, want: "seed"},
		{cfg: ptxvm.DeviceConfig{Sanitize: ptxvm.SanitizeInit}, want: "sanitizers", interpreted: true},
		{cfg: ptxvm.DeviceConfig{Sanitize: ptxvm.SanitizeLeak}, want: "sanitizers"},
	} {
		t.Run(w.want, func(t *testing.T) {
			if compilerOf(t, w.script); w.script == "" {
				t.Setenv("PATH", os.Getenv("PATH")[strings.IndexByte(os.Getenv("PATH"), os.PathListSeparator)+1:])
			}
			w.check(t, w.want)
		})
	}
	t.Run("no compiler", func(t *testing.T) {
		t.Setenv("PATH", t.TempDir())
		(&way{}).check(t, "neither clang nor gcc is installed")
	})
}

// check launches a kernel twice without C.
func (w *way) check(t *testing.T, want string) {
	s := newScaling(t, w.cfg, 64)
	for range 2 {
		stats, err := s.launch(context.Background(), 9)
		if err != nil || stats.CompiledC != 0 || w.interpreted != (stats.Compiled == 0) {
			t.Errorf("%d of %d lane operations are compiled, %d by C: %v", stats.Compiled, stats.LaneOps, stats.CompiledC, err)
		}
		if all := strings.Join(stats.NotC, "; "); !strings.Contains(all, want) {
			t.Errorf("%q", all)
		}
	}
}

// runBy is run on a device of any configuration.
func runBy(t *testing.T, cfg ptxvm.DeviceConfig, text string, r *corpus.Run, times int) []outcome {
	t.Helper()
	cfg.Workers, cfg.Memory = 1, 1<<26
	d, err := ptxvm.NewDevice(&cfg)
	if errors.Is(err, ptxvm.ErrNoJIT) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	return runOn(t, d, text, r, times)
}
