package vm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"ptxvm.invalid/ptxvm/diag"
)

// module is the kernels of these tests.
const module = `.version 8.0
.target sm_75
.address_size 64
.visible .global .u32 total;
.visible .entry forever() { again: bra again; }
.visible .entry bump(.param .u64 at)
{
	.reg .b64 a;
	.reg .b32 r;
	ld.param.u64 a, [at];
	atom.global.add.u32 r, [a], 1;
	atom.global.add.u32 r, [total], 1;
	ret;
}
.visible .entry nothing() { ret; }
`

func testProgram(t testing.TB, d *Device) *Program {
	t.Helper()
	m, err := Compile("test.ptx", []byte(module), nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := d.Load(m)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func testKernel(t testing.TB, p *Program, name string) *Kernel {
	t.Helper()
	k, err := p.Kernel(name)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// TestFreedBuffer frees a buffer, lets another take its address and uses the old one.
func TestFreedBuffer(t *testing.T) {
	d := testDevice(t, DeviceConfig{})
	old := testBuffer(t, d, 64)
	part := old.Slice(8, 16)
	if err := errors.Join(part.Free(), old.Free(), old.Free()); err != nil {
		t.Fatal(err)
	}
	fresh := testBuffer(t, d, 64)
	if fresh.Addr() != old.Addr() {
		t.Skip("the address is not given out again")
	}
	for name, b := range map[string]Buffer{"buffer": old, "slice": part, "zero": {}} {
		if _, err := b.ReadAt(make([]byte, 1), 0); !errors.Is(err, ErrClosed) {
			t.Errorf("reading the %s: %v", name, err)
		}
		if _, err := b.WriteAt(make([]byte, 1), 0); !errors.Is(err, ErrClosed) {
			t.Errorf("writing the %s: %v", name, err)
		}
	}
	if err := old.Free(); err != nil {
		t.Error(err)
	}
	if _, err := fresh.WriteAt(make([]byte, 64), 0); err != nil {
		t.Errorf("freeing the old buffer again ended the new one: %v", err)
	}
}

// TestUnloadedProgram and its variables.
func TestUnloadedProgram(t *testing.T) {
	d := testDevice(t, DeviceConfig{})
	p := testProgram(t, d)
	k := testKernel(t, p, "nothing")
	total, err := p.Global("total")
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(total.Free(), p.Unload(), p.Unload()); err != nil {
		t.Fatal(err)
	}
	_, launch := k.Launch(context.Background(), Launch{})
	_, kernel := p.Kernel("nothing")
	_, global := p.Global("total")
	_, read := total.ReadAt(make([]byte, 4), 0)
	for name, err := range map[string]error{"Launch": launch, "Kernel": kernel, "Global": global, "ReadAt": read} {
		if !errors.Is(err, ErrClosed) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if n := d.machine.Arena.Usage().Count; n > 1 { // a crew's parameter block may stay
		t.Errorf("%d allocations stay", n)
	}
}

// TestClosedDevice closes twice and tries everything.
func TestClosedDevice(t *testing.T) {
	d := testDevice(t, DeviceConfig{})
	p, b := testProgram(t, d), testBuffer(t, d, 4)
	k := testKernel(t, p, "nothing")
	if err := errors.Join(d.Close(), d.Close()); err != nil {
		t.Fatal(err)
	}
	_, alloc := d.Alloc(1)
	_, launch := k.Launch(context.Background(), Launch{})
	_, read := b.ReadAt(make([]byte, 1), 0)
	m, _ := Compile("test.ptx", []byte(module), nil)
	_, load := d.Load(m)
	for name, err := range map[string]error{"Alloc": alloc, "Launch": launch, "ReadAt": read, "Load": load, "Free": b.Free(), "Unload": p.Unload()} {
		if !errors.Is(err, ErrClosed) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestConcurrentUse launches, copies and allocates from many goroutines on one device.
func TestConcurrentUse(t *testing.T) {
	d := testDevice(t, DeviceConfig{Workers: 2})
	p := testProgram(t, d)
	k := testKernel(t, p, "bump")
	const users, rounds = 8, 20
	var wg sync.WaitGroup
	for range users {
		wg.Go(func() {
			for range rounds {
				use(t, d, k)
			}
		})
	}
	wg.Wait()
	global, _ := p.Global("total")
	total := make([]uint32, 1)
	if err := Download(global, total); err != nil || total[0] != users*rounds*128 {
		t.Errorf("total %d, %v; want %d", total[0], err, users*rounds*128)
	}
}

// use is one round of a user with a buffer of its own.
func use(t *testing.T, d *Device, k *Kernel) {
	b, err := Upload(d, []uint32{5})
	if err != nil {
		t.Error(err)
		return
	}
	if _, err := k.Launch(context.Background(), Launch{Grid: Dim3{X: 4}, Block: Dim3{X: 32}}, b); err != nil {
		t.Error(err)
	}
	got := make([]uint32, 1)
	if err := errors.Join(Download(b, got), b.Free()); err != nil || got[0] != 133 {
		t.Errorf("got %d, %v", got[0], err)
	}
}

// TestLimits ends a kernel that never ends in each way that there is.
func TestLimits(t *testing.T) {
	d := testDevice(t, DeviceConfig{Workers: 1, MaxSteps: 1000})
	k := testKernel(t, testProgram(t, d), "forever")
	if _, err := k.Launch(context.Background(), Launch{}); !errors.Is(err, ErrStepLimit) {
		t.Errorf("step limit: %v", err)
	}
	d = testDevice(t, DeviceConfig{})
	k = testKernel(t, testProgram(t, d), "forever")
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	if _, err := k.Launch(ctx, Launch{Grid: Dim3{X: 100}}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("timeout: %v", err)
	}
	ctx, cancel = context.WithCancel(context.Background())
	time.AfterFunc(20*time.Millisecond, cancel)
	if _, err := k.Launch(ctx, Launch{Grid: Dim3{X: 100}}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancellation: %v", err)
	}
	if _, err := k.Launch(ctx, Launch{}); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that has ended: %v", err)
	}
}

// TestProgressReports counts lane-ops while a kernel runs.
func TestProgressReports(t *testing.T) {
	var reports atomic.Int64
	d := testDevice(t, DeviceConfig{Progress: func(p Progress) {
		if p.CTAs == 1 && p.Elapsed > 0 {
			reports.Add(1)
		}
	}})
	ctx, cancel := context.WithTimeout(context.Background(), 350*time.Millisecond)
	defer cancel()
	_, _ = testKernel(t, testProgram(t, d), "forever").Launch(ctx, Launch{})
	if reports.Load() < 2 {
		t.Errorf("%d reports in 350 ms", reports.Load())
	}
}

// TestOutOfMemory says how much was asked for, and frees what it took.
func TestOutOfMemory(t *testing.T) {
	d := testDevice(t, DeviceConfig{Memory: 1 << 20})
	if _, err := d.Alloc(1<<20 + 1); !errors.Is(err, ErrOutOfMemory) || !strings.Contains(err.Error(), "1048577 bytes asked for, 0 of 1048576") {
		t.Errorf("Alloc: %v", err)
	}
	src := ".version 8.0\n.target sm_75\n.global .b8 a[700000];\n.global .b8 b[700000];\n.entry k() { .reg .b64 r; mov.u64 r, a; mov.u64 r, b; ret; }"
	m, err := Compile("big.ptx", []byte(src), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Load(m); !errors.Is(err, ErrOutOfMemory) {
		t.Errorf("Load: %v", err)
	}
	if u := d.machine.Arena.Usage(); u.Count != 0 {
		t.Errorf("a failed Load keeps %d allocations", u.Count)
	}
}

// TestOutputFails ends the launch with the writer's error.
func TestOutputFails(t *testing.T) {
	for _, name := range []string{"../../testdata/cuda/printf.sm_75.ptx"} {
		src := readFile(t, name)
		m, err := Compile(name, src, nil)
		if err != nil {
			t.Fatal(err)
		}
		r, w := io.Pipe()
		if err := r.CloseWithError(io.ErrNoProgress); err != nil {
			t.Fatal(err)
		}
		d := testDevice(t, DeviceConfig{Stdout: w})
		p, err := d.Load(m)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := testKernel(t, p, "hello").Launch(context.Background(), Launch{}, int32(0)); !errors.Is(err, io.ErrNoProgress) {
			t.Errorf("got %v, want the writer's error", err)
		}
	}
}

// TestBufferBounds reads and writes at and beyond the ends.
func TestBufferBounds(t *testing.T) {
	d := testDevice(t, DeviceConfig{})
	b := testBuffer(t, d, 4)
	for _, c := range []struct {
		off  int64
		n    int
		read error
	}{{0, 4, nil}, {2, 2, io.EOF}, {4, 0, io.EOF}, {100, 0, io.EOF}} {
		p := bytes.Repeat([]byte{1}, 4)
		if n, err := b.ReadAt(p, c.off); n != c.n || err != c.read {
			t.Errorf("ReadAt %d: %d, %v", c.off, n, err)
		}
		if n, err := b.WriteAt(p, c.off); n != c.n || (err != nil) != (c.read != nil) {
			t.Errorf("WriteAt %d: %d, %v", c.off, n, err)
		}
	}
	if _, err := b.ReadAt(nil, -1); err == nil {
		t.Error("a negative offset is read")
	}
	if _, err := d.Alloc(-1); err == nil {
		t.Error("a negative size is allocated")
	}
}

// TestFaultsHaveEntries holds the machine's faults to the catalogue: same number, same name.
func TestFaultsHaveEntries(t *testing.T) {
	f, err := parser.ParseFile(token.NewFileSet(), filepath.Join("..", "machine", "faults", "faults.go"), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	ast.Inspect(f, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || len(spec.Values) != 1 {
			return true
		}
		if typ, ok := spec.Type.(*ast.Ident); ok && typ.Name == "Kind" {
			code, _ := strconv.Atoi(spec.Values[0].(*ast.BasicLit).Value)
			e, known := diag.Lookup(diag.Code(code))
			if !known || e.Name != spec.Names[0].Name {
				t.Errorf("%s = %d has no entry of that name in the catalogue", spec.Names[0].Name, code)
			}
			found++
		}
		return true
	})
	if found < 14 {
		t.Errorf("only %d kinds of fault found", found)
	}
}

// TestNewestTarget picks the device that runs all modules.
func TestNewestTarget(t *testing.T) {
	var modules []*Module
	for _, target := range []string{"sm_75", "sm_90", "sm_80"} {
		m, err := Compile(target, []byte(".version 8.0\n.target "+target+"\n.entry k_"+target+"() { ret; }"), nil)
		if err != nil {
			t.Fatal(err)
		}
		modules = append(modules, m)
	}
	if got := NewestTarget(modules...); got != "sm_90" {
		t.Errorf("got %s", got)
	}
	if got := NewestTarget(); got != "" {
		t.Errorf("got %q for no module", got)
	}
}

func readFile(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.FromSlash(name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestStopped: a launch that a limit or its context ends says where it was, and whose it is.
func TestStopped(t *testing.T) {
	d := testDevice(t, DeviceConfig{MaxSteps: 10_000})
	_, err := testKernel(t, testProgram(t, d), "forever").Launch(context.Background(), Launch{Grid: Dim3{X: 3}, Block: Dim3{X: 96}})
	var stopped *StoppedError
	if !errors.As(err, &stopped) || !errors.Is(err, ErrStepLimit) || stopped.Kernel != "forever" || err.Error() != "ptxvm: kernel forever: step limit reached" {
		t.Fatalf("%v", err)
	}
	if n := len(stopped.Warps); n < 3 || n > 8 || stopped.Warps[0].Steps < stopped.Warps[n-1].Steps || stopped.Warps[0].PTX.Line != 5 {
		t.Errorf("%+v", stopped.Warps)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	free := testDevice(t, DeviceConfig{})
	if _, err := testKernel(t, testProgram(t, free), "forever").Launch(ctx, Launch{}); !errors.As(err, &stopped) || !errors.Is(err, context.DeadlineExceeded) || len(stopped.Warps) != 1 {
		t.Errorf("%v", err)
	}
}

// TestProgressInside: lane-ops count while the only CTA runs.
func TestProgressInside(t *testing.T) {
	var ops atomic.Uint64
	d := testDevice(t, DeviceConfig{Progress: func(p Progress) { ops.Store(p.LaneOps) }})
	ctx, cancel := context.WithTimeout(context.Background(), 500*time.Millisecond)
	defer cancel()
	_, _ = testKernel(t, testProgram(t, d), "forever").Launch(ctx, Launch{Block: Dim3{X: 32}})
	if ops.Load() == 0 {
		t.Error("no lane-ops while the CTA runs")
	}
}

// TestBufferWords: what a buffer prints as, and a download that is too long.
func TestBufferWords(t *testing.T) {
	d := testDevice(t, DeviceConfig{})
	b, err := Upload(d, []uint32{1, 2})
	if err != nil {
		t.Fatal(err)
	}
	if got := b.String(); got != fmt.Sprintf("Buffer(8 bytes at %#x)", b.Addr()) {
		t.Error(got)
	}
	long := []uint32{7, 7, 7}
	if err := Download(b, long); err == nil || err.Error() != "ptxvm: a download of 12 bytes (3 values) from a buffer of 8" || long[0] != 7 {
		t.Errorf("%v, %v", err, long)
	}
	if err := b.Free(); err != nil || b.String() != "Buffer(freed, 8 bytes)" || (Buffer{}).String() != "Buffer(none)" {
		t.Error(err, b, Buffer{})
	}
	_, err = testKernel(t, testProgram(t, d), "bump").Launch(context.Background(), Launch{}, int32(1))
	if err == nil || !strings.HasPrefix(err.Error(), "ptxvm: bump: argument 0") {
		t.Error(err)
	}
}
