package eval

import (
	"fmt"
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

// TestKnows: each operation and each effect is executed. Who adds one adds what it computes: to the table of operations or to
// ssa/evaluate.go if a lane follows from the same lane of the operands, else to values.go or effects.go.
func TestKnows(t *testing.T) {
	for c := ssa.Invalid + 1; int(c) < ssa.Codes; c++ {
		if !knows(c) {
			t.Errorf("operation %v is not executed", c)
		}
	}
	for k := range ssa.Kinds {
		if k >= len(effects) || effects[k] == nil {
			t.Errorf("effect %v is not executed", ssa.Kind(k))
		}
	}
}

// arena is memory that code runs on: device addresses count from its start.
type arena struct {
	state  abi.State
	warps  [32]abi.Warp
	bounds [2]abi.Bounds
	memory [1 << 12]uint32
	rows   [2][256]uint32 // of each warp
}

// inMemory is where x and y of 192 elements are, in words.
const x, y = 64, 64 + 192

// begin describes a batch of 3 CTAs of 2 warps, and the parameters of saxpy: x[i] is i, and y[i] is 1000.
func (a *arena) begin(n int) {
	s := &a.state
	s.GlobalHost, s.Bounds = uintptr(unsafe.Pointer(&a.memory)), uintptr(unsafe.Pointer(&a.bounds))
	for i := range a.bounds {
		a.bounds[i] = abi.Bounds{Start: 4 * x, End: 4 * (y + 192), WriteEnd: 4 * (y + 192)}
	}
	for i := range a.warps {
		a.warps[i] = abi.Warp{At: abi.ByStart, Fuel: 100, Mask: ^uint32(0), Lanes: ^uint32(0), Regs: uintptr(unsafe.Pointer(&a.rows[i%2]))}
	}
	s.Batch = abi.Batch{Warps: uintptr(unsafe.Pointer(&a.warps)), Budget: 1 << 20, Rest: 1 << 20, All: 3, CTAs: 2, Turn: 100,
		Grid: [2]uint64{3, 1}, SMs: 4, Passed: 1}
	a.memory[0], a.memory[2], a.memory[4], a.memory[5] = 4*x, 4*y, uint32(n), math.Float32bits(2)
	for i := range 192 {
		a.memory[x+i], a.memory[y+i] = math.Float32bits(float32(i)), math.Float32bits(1000)
	}
	a.memory[x+7] = 0x7fc12345
}

// saxpy is a function that is written by hand, changed and placed or not.
func saxpy(t *testing.T, placed bool, change ...string) *ssa.Func {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "testdata", "saxpy.ssa"))
	if err != nil {
		t.Fatal(err)
	}
	if made := strings.NewReplacer(change...).Replace(string(text)); len(change) == 0 || made != string(text) {
		text = []byte(made)
	} else {
		t.Fatalf("%q changes nothing", change)
	}
	f, err := ssa.Parse(string(text))
	if err != nil {
		t.Fatal(err)
	}
	if placed {
		opt.Place(f)
	}
	return f
}

// runs runs a function; what it has found is an error.
func (a *arena) runs(f *ssa.Func) (err error) {
	c, err := New(f, Options{Most: 1000})
	if err != nil {
		return err
	}
	defer func() {
		if e, is := recover().(Error); is {
			err = e
		}
	}()
	return c.Call(&a.state, abi.ByCTA)
}

// right tells whether memory and counts are what saxpy makes of n elements.
func (a *arena) right(n int) error {
	for i := range 192 {
		want := math.Float32bits(1000)
		if i == 7 && i < n {
			want = 0x7fffffff
		} else if i < n {
			want = math.Float32bits(1000 + 2*float32(i))
		}
		if got := a.memory[y+i]; got != want {
			return fmt.Errorf("y[%d] = %#x, want %#x", i, got, want)
		}
	}
	warps := uint64(n+31) / 32
	if s := &a.state; s.Steps != 14*warps || s.Ops != 14*uint64(n) || s.Batch.Done != 2 || s.Batch.Alive|s.Batch.Current|s.Batch.Later != 0 {
		return fmt.Errorf("%d steps, %d ops, batch %+v", s.Steps, s.Ops, s.Batch)
	}
	return nil
}

// TestSaxpy runs it with operations that are placed, and that are not.
func TestSaxpy(t *testing.T) {
	for _, placed := range []bool{true, false} {
		for _, n := range []int{192, 100, 64, 1, 0} {
			a := &arena{}
			a.begin(n)
			if err := a.runs(saxpy(t, placed)); err != nil {
				t.Fatal(err)
			}
			if err := a.right(n); err != nil {
				t.Errorf("placed %v, n = %d: %v", placed, n, err)
			}
		}
	}
}

// TestFinds: what machine code would do by chance is found.
func TestFinds(t *testing.T) {
	for _, c := range []struct {
		name, from, to, want string
	}{
		{"no test", "if v26 b3", "if v18 b3", "lane 0: no test has found that 0x100 is inside"},
		{"one test", "v26 = and.m v25, v24", "v26 = and.m v18, v24", "lane 0: no test has found that 0x100 is inside"},
		{"test of reading", "4 store\n", "4\n", "lane 0: no test has found that 0x400 is inside"},
		{"beyond the check", "load elem 4 count 1 align 4 base v21 step 4 disp 0", "load elem 4 count 1 align 4 base v21 step 4 disp 4", "lane 31: check 1 does not cover 0x180"},
		{"alignment", "base v21 step 4", "base v21 step 3", "lane 1: 0x103 is not aligned"},
		{"payload of a NaN", "arg v33", "arg v32", "y[7] = "},
		{"lanes that are off", "disp 0 bounds 1 bits 32 state 3 pc 12 mask v40", "disp 0 bounds 1 bits 32 state 3 pc 12 mask v4", "y[100] = "},
		{"counts", "lanes n 14 mask v4\n", "lanes n 13 mask v4\n", "84 steps"},
		{"no end", "if v67 b2(v68) else b6()", "goto b2(v68)", "it does not end"},
	} {
		for _, placed := range []bool{true, false} {
			a := &arena{}
			a.begin(100)
			f := saxpy(t, placed, c.from, c.to)
			err := a.runs(f)
			if err == nil {
				err = a.right(100)
			}
			if err == nil || !strings.Contains(err.Error(), c.want) && !strings.Contains(err.Error(), "56 steps") {
				t.Errorf("%s, placed %v: %v, want %s", c.name, placed, err, c.want)
			}
		}
	}
}

// TestPlaces: an operation in the wrong place reads what is not there, or is older than its operands.
func TestPlaces(t *testing.T) {
	for at, want := range map[int]string{0: "is not there", 1: "v11 is not there"} {
		a, f := &arena{}, saxpy(t, true)
		a.begin(192)
		const first = 13 // v13 follows from the number of the warp, which b2 has
		for _, b := range f.Blocks {
			for i, item := range b.Order {
				if item.Value == first {
					b.Order = append(b.Order[:i:i], b.Order[i+1:]...)
					break
				}
			}
		}
		f.Blocks[at].Order = append(f.Blocks[at].Order, ssa.Item{Value: first})
		if err := a.runs(f); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("b%d: %v, want %s", at, err, want)
		}
	}
}

// TestRefuses: what is not known is refused before it is executed.
func TestRefuses(t *testing.T) {
	f := saxpy(t, true)
	f.Blocks[3].Order[0] = ssa.Item{Effect: &ssa.Effect{Kind: ssa.Kind(ssa.Kinds - 1)}}
	known := effects
	defer func() { effects = known }()
	effects = effects[:ssa.Kinds-1]
	if _, err := New(f, Options{}); err == nil || !strings.Contains(err.Error(), "does not know effect "+ssa.Kind(ssa.Kinds-1).String()) {
		t.Errorf("%v", err)
	}
}
