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

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/internal/jit"
	"ptxvm.invalid/ptxvm/internal/testkit/nvcc"
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
			for seed := range uint64(2) {
				if seed != 0 && mode != ptxvm.AsyncRandom {
					break // other modes do not depend on it
				}
				for _, sanitize := range []ptxvm.Sanitize{0, ptxvm.SanitizeAll} {
					cfg := ptxvm.DeviceConfig{Async: mode, Workers: workers, Seed: seed, MaxSteps: 1e6, Memory: 1 << 24, Arch: "sm_100a", Sanitize: sanitize}
					if all = append(all, cfg); sanitize == 0 && compiles {
						cfg.Engine = ptxvm.JIT
						all = append(all, cfg)
					}
				}
			}
		}
	}
	return all
}

// compiles tells whether this machine runs compiled code.
var compiles = func() bool { _, _, err := jit.Here(); return err == nil }()

func way(cfg *ptxvm.DeviceConfig) string {
	return fmt.Sprintf("%v, %v, %d workers, seed %d, sanitizers %#x", cfg.Async, cfg.Engine, cfg.Workers, cfg.Seed, cfg.Sanitize)
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

// TestBulk runs the kernels of bulk.ptx.
func TestBulk(t *testing.T) {
	src := source(t, "bulk.ptx")
	const ctas, tiles = 4, 5
	in := input(ctas * 64 * tiles)
	word := func(cta, thread int) uint32 { return in[cta*64+thread] }
	for _, j := range []job{
		{"stages", ctas, 64, in, []any{uint32(tiles)}, func(cta, thread int) (sum uint32) {
			for k := range tiles {
				sum += uint32(k+1) * in[(cta*tiles+k)*64+63-thread]
			}
			return sum
		}},
		{"store", ctas, 64, in, nil, func(cta, thread int) uint32 { return word(cta, thread) & 0x00ff00ff }},
		{"peers", ctas, 64, in, nil, func(cta, thread int) uint32 { return word(cta^1, thread) + 1 }},
		{"multicast", ctas, 64, in, nil, func(cta, thread int) uint32 { return word(cta/2, thread) + 2*uint32(100+1-cta%2) }},
		{"exchange", ctas, 64, in, nil, func(cta, thread int) uint32 { return word(cta^1, thread) }},
		{"arrive", ctas, 64, in, nil, func(cta, thread int) uint32 { return 2 * word(cta, 63-thread) }},
	} {
		t.Run(j.kernel, func(t *testing.T) { j.everyWay(t, "bulk.ptx", src) })
	}
}

// TestMutants takes one wait, fence or commit out of a correct kernel, or lets a wait leave one group more: it is reported in every mode, with
// the places of both.
func TestMutants(t *testing.T) {
	in := input(4 * 64 * 5)
	for _, c := range []struct {
		file, kernel string
		more         []any
		cut          string // a piece of the statement that goes
		op, then     string // pieces of the two statements of the report
		lucky        bool   // the wait still looks: where the operation is early, it is over by then
	}{
		{"copies.ptx", "groups", nil, "cp.async.wait_group 0;\n  bra join", "cp.async.ca", "ld.shared", false},
		{"copies.ptx", "groups", nil, "cp.async.commit_group;\n  cp.async.wait_group 0", "cp.async.ca", "ld.shared", false},
		{"copies.ptx", "double_buffer", []any{uint32(5)}, "cp.async.wait_group 1;\n  bar.sync", "cp.async.ca", "ld.shared", false},
		{"copies.ptx", "ragged", []any{uint32(200)}, "cp.async.wait_all;\n  ld.shared", "cp.async.ca", "ld.shared", false},
		{"bulk.ptx", "stages", []any{uint32(5)}, "@!%p4 bra wait;\n  mad", "cp.async.bulk", "ld.shared", true},
		{"bulk.ptx", "store", nil, "fence.proxy.async.shared::cta;\n  bar.sync", "st.shared", "cp.async.bulk", false},
		{"bulk.ptx", "store", nil, "@%p1 cp.async.bulk.wait_group.read 0;\n", "cp.async.bulk", "st.shared", false},
		{"bulk.ptx", "peers", nil, "@!%p2 bra wait2;\n  ld.shared.u32 %r11", "red.async", "ld.shared", true},
		{"bulk.ptx", "multicast", nil, "@!%p4 bra wait2;\n  ld.shared", "cp.reduce", "ld.shared", true},
		{"bulk.ptx", "exchange", nil, "@!%p2 bra wait1;\n  ld.shared.u32 %r11, [%r4+256]", "cp.async.bulk", "ld.shared", true},
		{"bulk.ptx", "arrive", nil, "@!%p2 bra wait1;\n  ld.shared.u32 %r9", "cp.async.ca", "ld.shared", true},
	} {
		statement, _, _ := strings.Cut(c.cut, ";")
		src := string(source(t, c.file))
		if strings.Count(src, c.cut) != 1 {
			t.Fatalf("%s: %q stands there %d times", c.kernel, c.cut, strings.Count(src, c.cut))
		}
		mutant := strings.Replace(src, c.cut, strings.TrimPrefix(c.cut, statement+";"), 1)
		j := job{c.kernel, 2, 64, in, c.more, nil}
		for mode := ptxvm.AsyncEager; mode <= ptxvm.AsyncRandom; mode++ {
			if c.lucky && mode != ptxvm.AsyncLazy {
				continue
			}
			_, err := j.launch(t, "mutant.ptx", []byte(mutant), ptxvm.DeviceConfig{Async: mode, Sanitize: ptxvm.SanitizeAsync, Workers: 1, Memory: 1 << 24, MaxSteps: 1e6, Arch: "sm_100a"})
			var found *ptxvm.SanitizerError
			if !errors.As(err, &found) {
				t.Errorf("%v, %s without %q: no report: %v", mode, c.kernel, statement, err)
				continue
			}
			text := found.Detail()
			if !strings.Contains(text, c.op) || !strings.Contains(text, c.then) {
				t.Errorf("%v, %s without %q: want %s and %s in\n%s", mode, c.kernel, statement, c.op, c.then, text)
			}
		}
	}
}

// TestOneGroupMore: what waits for all groups but the newest, where the newest is read, is reported in every mode. The same wait in
// double_buffer, of which TestMutants takes it out, is enough.
func TestOneGroupMore(t *testing.T) {
	src := string(source(t, "copies.ptx"))
	const enough, less = "cp.async.wait_group 1;\n  bar.sync", "cp.async.wait_group 2;\n  bar.sync"
	if strings.Count(src, enough) != 1 {
		t.Fatalf("%q stands there %d times", enough, strings.Count(src, enough))
	}
	j := job{"double_buffer", 2, 64, input(4 * 64 * 5), []any{uint32(5)}, nil}
	for mode := ptxvm.AsyncEager; mode <= ptxvm.AsyncRandom; mode++ {
		_, err := j.launch(t, "mutant.ptx", []byte(strings.Replace(src, enough, less, 1)), ptxvm.DeviceConfig{Async: mode, Sanitize: ptxvm.SanitizeAsync, Workers: 1, Memory: 1 << 24, MaxSteps: 1e6, Arch: "sm_100a"})
		var found *ptxvm.SanitizerError
		if !errors.As(err, &found) {
			t.Errorf("%v: no report: %v", mode, err)
		} else if text := found.Detail(); !strings.Contains(text, "cp.async.ca") || !strings.Contains(text, "ld.shared") {
			t.Errorf("%v: want the copy and the load in\n%s", mode, text)
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
