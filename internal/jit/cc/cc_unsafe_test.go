package cc

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unsafe"

	"ptxvm.invalid/ptxvm/internal/jit/opt"
	"ptxvm.invalid/ptxvm/internal/jit/ssa"
	"ptxvm.invalid/ptxvm/internal/machine/abi"
)

// arena is memory that code runs on: device addresses count from its start.
type arena struct {
	state  abi.State
	warps  [32]abi.Warp
	bounds [4]abi.Bounds
	memory [1 << 14]uint32
	rows   [4][1024]uint32 // of each warp
}

// written is a text of ssa as code; the compiler may be missing.
func written(t *testing.T, path string) *Code {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	f, err := ssa.Parse(string(text))
	if err != nil {
		t.Fatal(err)
	}
	opt.Place(f)
	if err := ssa.Verify(f); err != nil {
		t.Fatal(err)
	}
	made, err := Print(f, Options{})
	if err != nil {
		t.Fatal(err)
	}
	tool, err := Find(false)
	if err != nil {
		t.Skip(err)
	}
	c, err := tool.Compile(made, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Free() })
	return c
}

// begin describes a batch of 3 CTAs of 2 warps.
func (a *arena) begin(bytes uint64) {
	s := &a.state
	s.GlobalHost, s.Bounds, s.Params = uintptr(unsafe.Pointer(&a.memory)), uintptr(unsafe.Pointer(&a.bounds)), 0
	for i := range a.bounds {
		a.bounds[i] = abi.Bounds{Start: 256, End: 256 + bytes, WriteEnd: 256 + bytes}
	}
	for i := range a.warps {
		a.warps[i] = abi.Warp{At: abi.ByStart, Fuel: 100, Mask: ^uint32(0), Lanes: ^uint32(0), Regs: uintptr(unsafe.Pointer(&a.rows[i%4]))}
	}
	s.Batch = abi.Batch{Warps: uintptr(unsafe.Pointer(&a.warps)), Budget: 1 << 20, Rest: 1 << 20, All: 3, CTAs: 2, Turn: 100,
		Grid: [2]uint64{3, 1}, SMs: 4, Passed: 1}
	s.Steps, s.Ops, s.N = 0, 0, 0
}

// saxpy fills the parameters: x at 256, y behind it, n elements.
func (a *arena) saxpy(n int) {
	a.memory[0], a.memory[2], a.memory[4], a.memory[5] = 256, uint32(256+4*192), uint32(n), math.Float32bits(2)
	for i := range 192 {
		a.memory[64+i], a.memory[64+192+i] = math.Float32bits(float32(i)), math.Float32bits(1000)
	}
}

// TestSaxpy runs a function that is written by hand, as text: all lanes, some, and with memory that ends too early.
func TestSaxpy(t *testing.T) {
	c := written(t, filepath.Join("..", "ssa", "testdata", "saxpy.ssa"))
	for _, n := range []int{192, 100, 64, 1, 0} {
		a := &arena{}
		a.saxpy(n)
		a.begin(4 * 384)
		if err := c.Call(&a.state, abi.ByCTA); err != nil {
			t.Fatal(err)
		}
		for i := range 192 {
			want := float32(1000)
			if i < n {
				want += 2 * float32(i)
			}
			if got := math.Float32frombits(a.memory[64+192+i]); got != want {
				t.Fatalf("n = %d: y[%d] = %v, want %v", n, i, got, want)
			}
		}
		warps := uint64(n+31) / 32
		if s := &a.state; s.Steps != 14*warps || s.Ops != 14*uint64(n) || s.Batch.Done != 2 || s.Batch.Alive|s.Batch.Current|s.Batch.Later != 0 {
			t.Errorf("n = %d: %d steps, %d ops, batch %+v", n, s.Steps, s.Ops, s.Batch)
		}
	}
}

// TestLeave: memory ends within the second CTA, so its second warp is left at the load of y, with its rows.
func TestLeave(t *testing.T) {
	c, a := written(t, filepath.Join("..", "ssa", "testdata", "saxpy.ssa")), &arena{}
	a.saxpy(192)
	a.begin(4 * (192 + 100))
	if err := c.Call(&a.state, abi.ByCTA); err != nil {
		t.Fatal(err)
	}
	s := &a.state
	if s.Batch.Done != 1 || s.Batch.Current != 2 || s.Batch.Alive != 2 || s.N != 1 || s.Places[0] != (abi.Place{PC: 10, Mask: ^uint32(0), Fuel: 100}) || s.Exited != 0 {
		t.Fatalf("left with %d places, the first %+v, batch %+v", s.N, s.Places[0], s.Batch)
	}
	if s.Steps != 3*14+10 || s.Ops != 32*s.Steps {
		t.Errorf("%d steps, %d ops", s.Steps, s.Ops)
	}
	rows := &a.rows[1]
	for lane := range uint32(32) {
		if rows[32+lane] != 96+lane || rows[64+lane] != math.Float32bits(float32(96+lane)) {
			t.Errorf("lane %d: %d, %v", lane, rows[32+lane], math.Float32frombits(rows[64+lane]))
		}
	}
	if rows[2] != 64 || rows[1] != ^uint32(0) {
		t.Errorf("slot %d, predicate %x", rows[2], rows[1])
	}
}

// TestNoCompiler: without one it says so.
func TestNoCompiler(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if _, err := Find(false); !errors.Is(err, ErrNoCompiler) && !errors.Is(err, ErrPlatform) {
		t.Errorf("%v", err)
	}
}

// TestRefused: what needs anything beside its own text is not taken.
func TestRefused(t *testing.T) {
	tool, err := Find(false)
	if err != nil {
		t.Skip(err)
	}
	for text, want := range map[string]string{
		"int x; int kernel(void) { return x++; }": "relocations", "static int x; int kernel(void) { return x++; }": "variables",
		"int f(void); int kernel(void) { return f(); }": "relocations",
		"int other(void) { return 0; }":                 "no function", "int kernel(": "error",
	} {
		if _, err := tool.Compile("#pragma GCC visibility push(default)\n"+text, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}
