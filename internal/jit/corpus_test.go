package jit_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"ptxvm.invalid/ptxvm/internal/assume"
	"ptxvm.invalid/ptxvm/internal/decode"
	"ptxvm.invalid/ptxvm/internal/host"
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/jit"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/shape"
	"ptxvm.invalid/ptxvm/internal/machine/sizes"
	"ptxvm.invalid/ptxvm/internal/mem"
	"ptxvm.invalid/ptxvm/internal/testkit/load"
)

// laboratory runs kernels of one module in a small machine.
type laboratory struct {
	m       *ir.Module
	arena   *mem.Arena
	device  *host.Device
	vars    map[*ir.Var]uint64
	decoder *decode.Decoder
	ctx     context.Context // of launches; nil: the test's
	keep    bool            // decoded and compiled code of the last launch
	inline  bool            // functions are in place of their calls where a launch compiles
}

func (l *laboratory) Func(f *ir.Func) uint64 {
	return mem.CodeWindow + 16*uint64(slices.Index(l.m.Funcs, f))
}

func (l *laboratory) Var(v *ir.Var) uint64 {
	if l.vars[v] == 0 {
		l.vars[v], _ = l.arena.Alloc(uint64(v.Size), mem.Info{Label: v.Name})
	}
	return l.vars[v]
}

func newLaboratory(t testing.TB, name, src string) *laboratory {
	t.Helper()
	linked, err := load.Text(name, src)
	if err != nil {
		t.Fatal(err)
	}
	l := &laboratory{m: linked, vars: map[*ir.Var]uint64{}}
	if l.arena, err = mem.NewArena(64 << 20); err != nil {
		t.Fatal(err)
	}
	l.device = host.NewDevice(l.arena, 1)
	t.Cleanup(func() { l.device.Close() })
	return l
}

// run launches a kernel; arguments are uint32, uint64 or float bits, 4 or 8 bytes each.
func (l *laboratory) run(t testing.TB, kernel string, grid uint32, block [3]uint32, compile host.Compiler, args ...any) machine.Stats {
	t.Helper()
	s, err := l.launch(t, kernel, [3]uint32{grid, 1, 1}, block, func(l *host.Launch) { l.Compile = compile }, args...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// launch is run with any grid and change of the launch, and may fail.
func (l *laboratory) launch(t testing.TB, kernel string, grid, block [3]uint32, change func(*host.Launch), args ...any) (machine.Stats, error) {
	t.Helper()
	f := l.m.Func(kernel)
	x := &host.Launch{Launch: machine.Launch{
		Shape: shape.Shape{Grid: grid, Block: block, Cluster: [3]uint32{1, 1, 1}}, Shared: uint32(f.SharedBytes), Target: sizes.Of(90), MaxSteps: 1 << 26,
	}}
	change(x)
	of := ir.LaunchShape{BlockX: int32(block[0]), BlockY: int32(block[1]), BlockZ: int32(block[2]), Clusters: x.Cluster != [3]uint32{1, 1, 1}}
	if l.decoder == nil || !l.keep {
		l.decoder = decode.New(l.m, l)
	}
	decoded := l.decoder.Kernel
	if l.inline && x.Compile != nil {
		decoded = l.decoder.Inlined
	}
	p, err := decoded(f, of, sizes.Of(90), uint32(f.SharedBytes), assume.Set{})
	if err != nil {
		t.Fatal(err)
	}
	x.Entry, x.Functions = p.Entry, p.Functions
	for _, a := range args {
		n, _ := binary.Append(nil, binary.LittleEndian, a)
		for len(x.Params)%len(n) != 0 {
			x.Params = append(x.Params, 0)
		}
		x.Params = append(x.Params, n...)
	}
	for len(x.Params)%16 != 0 {
		x.Params = append(x.Params, 0)
	}
	if l.ctx == nil {
		l.ctx = t.Context()
	}
	return l.device.Launch(l.ctx, x)
}

func corpus(t testing.TB, name string) string {
	src, err := os.ReadFile(fmt.Sprintf("../../testdata/cuda/%s.sm_90.ptx", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(src)
}

func engine(t testing.TB, o jit.Options) *jit.Engine {
	t.Helper()
	e, err := jit.NewEngine(o)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() {
		if err := e.Err(); err != nil {
			t.Error(err)
		}
		e.Close()
	})
	return e
}

// kernelCase is a kernel of the corpus with a launch on a buffer of 64 KiB.
type kernelCase struct {
	name  string
	grid  uint32
	block [3]uint32
	args  func(buf uint64) []any
}

var kernels = []kernelCase{
	{"aluloop", 2, [3]uint32{64, 1, 1}, func(b uint64) []any { return []any{b, uint32(5)} }},
	{"fmaloop", 2, [3]uint32{64, 1, 1}, func(b uint64) []any { return []any{b, float32(0.99), float32(0.33), int32(50)} }},
	{"saxpy", 3, [3]uint32{33, 1, 1}, func(b uint64) []any { return []any{int32(90), float32(2.5), b, b + 4096} }},
	{"collatz", 2, [3]uint32{64, 1, 1}, func(b uint64) []any { return []any{b, uint32(1), uint32(100)} }},
}

// compare runs a kernel in the interpreter and in an engine: memory and counts are the same.
func (k *kernelCase) compare(t *testing.T, e *jit.Engine) (got machine.Stats) {
	t.Helper()
	l := newLaboratory(t, k.name, corpus(t, k.name))
	buf, _ := l.arena.Alloc(1<<16, mem.Info{Label: "buf"})
	all := l.arena.Bytes(buf, 1<<16)
	fill := func() {
		for i := range all {
			all[i] = byte(i*7 + i>>8)
		}
	}
	fill()
	want := l.run(t, k.name, k.grid, k.block, nil, k.args(buf)...)
	memory := bytes.Clone(all)
	fill()
	got = l.run(t, k.name, k.grid, k.block, e.Install, k.args(buf)...)
	if got.LaneOps != want.LaneOps || got.Steps != want.Steps {
		t.Errorf("%d steps and %d lane-ops, the interpreter %d and %d", got.Steps, got.LaneOps, want.Steps, want.LaneOps)
	}
	for i := range all {
		if all[i] != memory[i] {
			t.Fatalf("byte %d is %#x, the interpreter's %#x", i, all[i], memory[i])
		}
	}
	return got
}

// TestKernels runs kernels of the corpus with every width.
func TestKernels(t *testing.T) {
	for _, k := range kernels {
		for _, v := range []jit.Vectors{jit.AVX2, jit.AVX512} {
			t.Run(fmt.Sprint(k.name, v), func(t *testing.T) {
				if got := k.compare(t, engine(t, jit.Options{Vectors: v})); got.NativeOps*2 < got.LaneOps {
					t.Errorf("only %d of %d lane-ops ran in compiled code", got.NativeOps, got.LaneOps)
				}
			})
		}
	}
}

// TestLeaving leaves at one of three instructions, in three ways, and at random ones.
func TestLeaving(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, k := range kernels {
		for _, v := range []jit.Vectors{jit.AVX2, jit.AVX512} {
			for way := range int32(6) {
				t.Run(fmt.Sprint(k.name, v, way), func(t *testing.T) {
					at := map[int32]bool{}
					leave := func(pc int32) bool { return pc%3 == way }
					if way >= 3 {
						leave = func(pc int32) bool {
							if _, known := at[pc]; !known {
								at[pc] = r.IntN(8) == 0
							}
							return at[pc]
						}
					}
					k.compare(t, engine(t, jit.Leaving(jit.Options{Vectors: v}, leave)))
				})
			}
		}
	}
}
