// Package async runs kernels with asynchronous operations through the public API: correct ones
// give equal results whenever the operations happen.
package async

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ptxvm"
	"ptxvm/internal/ptxtest/nvcc"
)

// job is one launch: the parameters are in, out and further words.
type job struct {
	kernel      string
	grid, block uint32
	in          []uint32
	more        []any
	want        func(cta, thread int) uint32 // the word of each thread
}

// input is n words that differ.
func input(n int) []uint32 {
	x := make([]uint32, n)
	for i := range x {
		x[i] = uint32(i)*2654435761 + 12345
	}
	return x
}

// ways are the configurations in which a correct kernel must do the same.
func ways() (all []ptxvm.DeviceConfig) {
	for mode := ptxvm.AsyncEager; mode <= ptxvm.AsyncRandom; mode++ {
		for _, workers := range []int{1, 2} {
			for seed := range uint64(3) {
				all = append(all, ptxvm.DeviceConfig{Async: mode, Workers: workers, Seed: seed, MaxSteps: 1e6, Memory: 1 << 24, Arch: "sm_100a"})
			}
		}
	}
	return all
}

func way(cfg *ptxvm.DeviceConfig) string {
	return fmt.Sprintf("%v, %d workers, seed %d", cfg.Async, cfg.Workers, cfg.Seed)
}

// launch runs a job and returns the output.
func (j *job) launch(t testing.TB, file string, src []byte, cfg ptxvm.DeviceConfig) ([]uint32, error) {
	t.Helper()
	m, err := ptxvm.Compile(file, src, nil)
	if err != nil {
		t.Fatal(err)
	}
	d, err := ptxvm.NewDevice(&cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	p, err := d.Load(m)
	if err != nil {
		t.Fatal(err)
	}
	k := kernel(t, m, p, j.kernel)
	in, err := ptxvm.Upload(d, j.in)
	if err != nil {
		t.Fatal(err)
	}
	got := make([]uint32, j.grid*j.block)
	out, err := ptxvm.Upload(d, got)
	if err != nil {
		t.Fatal(err)
	}
	_, ran := k.Launch(context.Background(), ptxvm.Launch{Grid: ptxvm.Dim3{X: j.grid}, Block: ptxvm.Dim3{X: j.block}}, append([]any{in, out}, j.more...)...)
	if err := ptxvm.Download(out, got); err != nil {
		t.Fatal(err)
	}
	return got, ran
}

// kernel finds a kernel whose name has a piece.
func kernel(t testing.TB, m *ptxvm.Module, p *ptxvm.Program, piece string) *ptxvm.Kernel {
	t.Helper()
	for _, info := range m.Kernels() {
		if strings.Contains(info.Name, piece) {
			k, err := p.Kernel(info.Name)
			if err != nil {
				t.Fatal(err)
			}
			return k
		}
	}
	t.Fatalf("no kernel %s", piece)
	return nil
}

// everyWay holds a correct kernel to its results in every configuration.
func (j *job) everyWay(t *testing.T, file string, src []byte) {
	t.Helper()
	for _, cfg := range ways() {
		got, err := j.launch(t, file, src, cfg)
		if err != nil {
			t.Fatalf("%s: %s: %v", j.kernel, way(&cfg), err)
		}
		for i, v := range got {
			if want := j.want(i/int(j.block), i%int(j.block)); v != want {
				t.Fatalf("%s: %s: CTA %d thread %d: %#x, want %#x", j.kernel, way(&cfg), i/int(j.block), i%int(j.block), v, want)
			}
		}
	}
}

func source(t testing.TB, file string) []byte {
	t.Helper()
	src, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	return src
}

// TestCopies runs the kernels of copies.ptx that are correct.
func TestCopies(t *testing.T) {
	src := source(t, "copies.ptx")
	const ctas, threads, tiles, n = 3, 96, 5, 200
	in := input(ctas * threads * tiles)
	for _, j := range []job{
		{"double_buffer", ctas, threads, in, []any{uint32(tiles)}, func(cta, thread int) (sum uint32) {
			for k := range tiles {
				sum += uint32(k+1) * in[(cta*tiles+k)*threads+thread^1]
			}
			return sum
		}},
		{"groups", ctas, threads, in, nil, func(cta, thread int) uint32 { return in[cta*threads+thread] + 1 }},
		{"ragged", ctas, threads, in, []any{uint32(n)}, func(cta, thread int) uint32 {
			if i := cta*threads + thread; i < n {
				return 2 * in[i]
			}
			return 0
		}},
	} {
		j.everyWay(t, "copies.ptx", src)
	}
}

// TestWithoutWait shows that mode lazy takes a missing wait seriously, and the other modes not
// always: the difference is why it exists.
func TestWithoutWait(t *testing.T) {
	src := source(t, "copies.ptx")
	broken := strings.Replace(string(src), "cp.async.wait_group 0;\n  bra join", "bra join", 1)
	if broken == string(src) {
		t.Fatal("nothing to remove")
	}
	in := input(64)
	j := job{"groups", 1, 64, in, nil, nil}
	for mode, right := range map[ptxvm.Async]bool{ptxvm.AsyncEager: true, ptxvm.AsyncLazy: false} {
		got, err := j.launch(t, "broken.ptx", []byte(broken), ptxvm.DeviceConfig{Async: mode, Workers: 1, Memory: 1 << 24})
		if err != nil {
			t.Fatal(err)
		}
		if (got[0] == in[0]+1) != right || got[1] != in[1]+1 {
			t.Errorf("%v: lane 0 read %#x, lane 1 %#x", mode, got[0], got[1])
		}
	}
}

// TestFaults finds each bad operand at the instruction, in every mode.
func TestFaults(t *testing.T) {
	src := source(t, "copies.ptx")
	head, _, _ := strings.Cut(string(src), "cp.async.ca.shared.global [%r2], [%rd1], 8, %r3")
	at := 1 + strings.Count(head, "\n")
	for n, want := range []string{
		"P7002", "P7002", "P7001", "P7001", "P7012", "P7003", "",
	} {
		for mode := ptxvm.AsyncEager; mode <= ptxvm.AsyncRandom; mode++ {
			j := job{"faults", 1, 1, input(16), []any{uint32(n)}, nil}
			_, err := j.launch(t, "copies.ptx", src, ptxvm.DeviceConfig{Async: mode, Workers: 1, Memory: 1 << 24})
			var f *ptxvm.Fault
			switch {
			case want == "" && err == nil:
			case !errors.As(err, &f) || fmt.Sprint(f.Code) != want || f.PTX.Line != at:
				t.Errorf("%d %v: %v, want %s", n, mode, err, want)
			}
		}
	}
}

// TestPipelines runs nvcc's code for the pipeline intrinsics, cooperative groups and
// cuda::pipeline.
func TestPipelines(t *testing.T) {
	file := filepath.Join("..", "..", "..", "testdata", "cuda", "headers", "pipeline.cu")
	src := []byte(nvcc.Compile(t, file, 80, "-O3", "-std=c++17"))
	const ctas, threads, tiles = 3, 64, 6
	in := input(ctas * threads * tiles * 4)
	more := []any{uint32(tiles)}
	for _, j := range []job{
		{"primitives", ctas, threads, in, more, func(cta, thread int) (sum uint32) {
			for k := range tiles {
				v := in[((cta*tiles+k)*threads+thread^1)*4:]
				w := v[3]
				if (thread^1)%4 == 3 {
					w = 0 // zero-filled
				}
				sum += uint32(k+2) * (v[0] + 3*v[1] + 5*v[2] + 7*w)
			}
			return sum
		}},
		{"group", ctas, threads, in, more, func(cta, thread int) (sum uint32) {
			for k := range tiles {
				sum += uint32(k+1) * in[(cta*tiles+k)*threads+threads-1-thread]
			}
			return sum
		}},
		{"thread_pipeline", ctas, threads, in, more, func(cta, thread int) (sum uint32) {
			for k := range tiles {
				v := in[((cta*tiles+k)*threads+thread)*2:]
				sum += uint32(k+1) * (v[0] - v[1])
			}
			return sum
		}},
	} {
		j.everyWay(t, "pipeline.cu", src)
	}
}
