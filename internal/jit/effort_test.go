package jit_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/internal/decode"
	"ptxvm.invalid/ptxvm/internal/host"
	"ptxvm.invalid/ptxvm/internal/jit"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/mem"
)

// butterflies has n registers of 64 bits that are all live from the first to the last instruction, more than a run has
// places for; each thread writes them behind each other. Thread i's k-th is the k-th of the sums and differences of
// i·n+k, which a test computes for itself.
func butterflies(n int) string {
	var b strings.Builder
	fmt.Fprintf(&b, `.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out)
{
.reg .b64 %%a<%d>, %%t, %%out; .reg .b32 %%i;
ld.param.u64 %%out, [out]; mov.u32 %%i, %%tid.x; mul.wide.u32 %%t, %%i, %d; add.u64 %%out, %%out, %%t; mul.wide.u32 %%t, %%i, %d;
`, n, 8*n, n)
	for k := range n {
		fmt.Fprintf(&b, "add.u64 %%a%d, %%t, %d;\n", k, k)
	}
	for s := 1; s < n; s *= 2 {
		for k := range n {
			if k&s == 0 && k|s < n {
				fmt.Fprintf(&b, "add.u64 %%t, %%a%[1]d, %%a%[2]d; sub.u64 %%a%[2]d, %%a%[1]d, %%a%[2]d; mov.u64 %%a%[1]d, %%t;\n", k, k|s)
			}
		}
	}
	for k := range n {
		fmt.Fprintf(&b, "st.global.u64 [%%out+%d], %%a%d;\n", 8*k, k)
	}
	return b.String() + "ret;\n}\n"
}

// butterfly computes what a thread of butterflies writes.
func butterfly(thread, n int) []uint64 {
	a := make([]uint64, n)
	for k := range a {
		a[k] = uint64(thread*n + k)
	}
	for s := 1; s < n; s *= 2 {
		for k := range a {
			if k&s == 0 && k|s < n {
				a[k], a[k|s] = a[k]+a[k|s], a[k]-a[k|s]
			}
		}
	}
	return a
}

// results is room for n results of 64 bits, and words64 what is there.
func (l *laboratory) results(t *testing.T, n int) uint64 {
	at, err := l.arena.Alloc(uint64(8*n), mem.Info{})
	if err != nil {
		t.Fatal(err)
	}
	return at
}

func (l *laboratory) words64(at uint64, n int) (list []uint64) {
	for b := l.arena.Bytes(at, uint64(8*n)); len(b) > 0; b = b[8:] {
		list = append(list, binary.LittleEndian.Uint64(b))
	}
	return list
}

// TestEffort: where a run has more values than there are places for them, what a compilation costs stays in proportion
// to the function's length, nothing is left to the interpreter for it, and the results are right.
func TestEffort(t *testing.T) {
	const each = 1536 // units for an instruction
	for _, n := range []int{64, 300, 700} {
		for _, o := range jit.Compilers() {
			if o.Quick {
				continue
			}
			t.Run(fmt.Sprintf("%d/%v", n, o), func(t *testing.T) {
				l := newLaboratory(t, "butterflies.ptx", butterflies(n))
				out, spent, attempts, insts := l.results(t, 64*n), 0, 0, 0
				o = jit.Staged(jit.Budgeted(o, 0, &spent), func(stage string) {
					if stage == "registers" {
						attempts++
					}
				})
				e := engine(t, o)
				l.run(t, "k", 1, [3]uint32{64, 1, 1}, func(c *machine.Code, stopped func() bool) {
					insts = len(c.Insts)
					e.Install(c, stopped)
				}, out)
				if e.Err() != nil || spent == 0 || spent > each*insts || attempts > 6 {
					t.Errorf("%v: %d units in %d attempts for %d instructions, want at most %d each and 6", e.Err(), spent, attempts, insts, each)
				}
				for thread := range 64 {
					if got, want := l.words64(out, 64*n)[n*thread:][:n], butterfly(thread, n); !slices.Equal(got, want) {
						t.Fatalf("thread %d: %x, want %x", thread, got, want)
					}
				}
			})
		}
	}
}

// TestBudget: a compilation that would take too long ends; the quick tier's code stays for good, and runs.
func TestBudget(t *testing.T) {
	const n, budget = 64, 1 << 16
	l := newLaboratory(t, "butterflies.ptx", butterflies(n))
	out := l.results(t, 64*n)
	spent, tries := 0, 0
	o := jit.Staged(jit.Budgeted(jit.Options{}, budget, &spent), func(stage string) {
		if stage == "registers" {
			tries++
		}
	})
	e := engine(t, o)
	var code *machine.Code
	s := l.run(t, "k", 3, [3]uint32{64, 1, 1}, func(c *machine.Code, stopped func() bool) {
		code = c
		e.Install(c, stopped)
		e.InstallWhole(c, stopped)
		e.Install(c, stopped)
	}, out)
	if v := code.Native(); e.Err() != nil || v == nil || !v.Quick || !v.Last || s.NativeOps == 0 {
		t.Errorf("%v: Native %+v ran %d lane-ops, want the quick tier's", e.Err(), v, s.NativeOps)
	}
	if tries != 1 || spent < budget || spent > 2*budget {
		t.Errorf("%d tries of %d units, want one that ends at %d", tries, spent, budget)
	}
	if got, want := l.words64(out, n), butterfly(0, n); !slices.Equal(got, want) {
		t.Errorf("%x, want %x", got, want)
	}
	if _, err := jit.Compile(code, decode.FuncOf(code.Func), o); !errors.Is(err, jit.ErrBudget) {
		t.Errorf("Compile: %v, want %v", err, jit.ErrBudget)
	}
}

// TestCompileStopped: a launch that is cancelled while its code is compiled ends without it, wherever the compiler stands;
// the next one has it compiled.
func TestCompileStopped(t *testing.T) {
	const n = 64
	l := newLaboratory(t, "butterflies.ptx", butterflies(n))
	out := l.results(t, 64*n)
	f := l.m.Func("k")
	l.keep = true
	e := engine(t, jit.Options{})
	for looks := range 5 {
		ctx, cancel := context.WithCancel(context.Background())
		var code *machine.Code
		asked := 0
		l.ctx = ctx
		_, err := l.launch(t, "k", [3]uint32{1, 1, 1}, [3]uint32{64, 1, 1}, func(x *host.Launch) {
			x.Compile = func(c *machine.Code, stopped func() bool) {
				code = c
				e.Install(c, func() bool {
					if asked++; asked > looks {
						cancel()
						for !stopped() { // it is another goroutine that tells the launch
						}
					}
					return stopped()
				})
			}
		}, out)
		if !errors.Is(err, context.Canceled) || asked <= looks || code.Native() != nil || e.Err() != nil {
			t.Errorf("cancelled at look %d: %v, %v after %d looks, Native %v", looks, err, e.Err(), asked, code.Native())
		}
		cancel()
	}
	l.ctx = nil
	var code *machine.Code
	l.run(t, "k", 1, [3]uint32{64, 1, 1}, func(c *machine.Code, stopped func() bool) {
		code = c
		e.Install(c, stopped)
	}, out)
	if code == nil || code.Native() == nil {
		t.Errorf("%s is not compiled by the launch behind them", f.Name)
	}
}

// TestCompileCosts: what modules of the corpus, Triton's and that of a long kernel cost in work (effort.go) may only fall.
func TestCompileCosts(t *testing.T) {
	for _, x := range []struct {
		modules string
		vectors jit.Vectors
		most    int // units for an instruction
	}{
		{"corpus", jit.AVX2, 470}, {"corpus", jit.AVX512, 300}, {"triton", jit.AVX2, 640}, {"triton", jit.AVX512, 495}, {"nbody", jit.AVX2, 1090}, {"nbody", jit.AVX512, 930},
	} {
		units, insts := compileCost(t, compiledModules(t, x.modules), jit.Options{Vectors: x.vectors})
		if insts == 0 || units > x.most*insts {
			t.Errorf("%s, %v: %d units for %d instructions, want at most %d each", x.modules, x.vectors, units, insts, x.most)
		}
	}
}

// compileCost is what compiling modules costs in work, and how many instructions they have.
func compileCost(t *testing.T, modules map[string]string, o jit.Options) (units, insts int) {
	t.Helper()
	for _, code := range decoded(t, modules) {
		spent := 0
		_, err := jit.Compile(code, decode.FuncOf(code.Func), jit.Budgeted(o, 0, &spent))
		if errors.Is(err, jit.ErrProcessor) {
			t.Skip(err)
		}
		if err != nil && !errors.Is(err, jit.ErrNothing) {
			t.Errorf("%s: %v", code.Func.Name, err)
		}
		units, insts = units+spent, insts+len(code.Insts)
	}
	return units, insts
}

// TestEachCompileCost: what an engine compiles at first of any module of the corpus, Triton's, CUB's and the broad kernels costs no more work for an
// instruction than stands for 30 µs: at 24 ns a unit by AVX2, and 33 by AVX-512, where analysis has a greater part. A module of fewer instructions
// than share what a function costs by itself may have as much as if it had so many.
func TestEachCompileCost(t *testing.T) {
	const least = 16 // instructions
	most := map[jit.Vectors]int{jit.AVX2: 1250, jit.AVX512: 900}
	for _, name := range []string{"corpus", "triton", "broad", "cubsort", "cubscan"} {
		if (name == "cubsort" || name == "cubscan") && testing.Short() {
			continue
		}
		for v, most := range most {
			t.Run(name+"/"+v.String(), func(t *testing.T) {
				for file, src := range compiledModules(t, name) {
					units, insts := compileCost(t, map[string]string{file: src}, jit.Options{Vectors: v})
					if units > most*max(insts, least) {
						t.Errorf("%s, %v: %d units for %d instructions, want at most %d each", file, v, units, insts, most)
					}
				}
			})
		}
	}
}

// TestManyLive: a function whose registers live through tens of thousands of blocks is left to the quick tier at once; one of a
// hundredth of that is compiled.
func TestManyLive(t *testing.T) {
	for n, want := range map[int]error{60: nil, 3000: jit.ErrBudget} {
		var b strings.Builder
		fmt.Fprintf(&b, ".version 8.6\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n.reg .b32 %%r<%d>; .reg .pred %%p;\n", n+2)
		for i := range n {
			fmt.Fprintf(&b, "setp.eq.u32 %%p, %%r%d, 3; @%%p bra M%d; add.u32 %%r%d, %%r%d, 1; M%d: xor.b32 %%r%d, %%r%d, %%r0;\n", i, i, i+1, i, i, i, i+1)
		}
		for _, code := range decoded(t, map[string]string{"diamonds": b.String() + "ret;\n}\n"}) {
			if _, err := jit.Compile(code, decode.FuncOf(code.Func), jit.Options{Vectors: jit.AVX2}); !errors.Is(err, want) {
				t.Errorf("%d diamonds: %v, want %v", n, err, want)
			}
		}
	}
}

// TestRoom: what has no room stays with the interpreter, says nothing, and is not tried again; what is forgotten
// makes room.
func TestRoom(t *testing.T) {
	l := newLaboratory(t, "butterflies.ptx", butterflies(8))
	out := l.results(t, 64*8)
	for room, compiled := range map[int64]bool{100: false, 1 << 20: true} {
		e := engine(t, jit.Options{Room: room})
		var code *machine.Code
		s := l.run(t, "k", 3, [3]uint32{64, 1, 1}, func(c *machine.Code, stopped func() bool) {
			code = c
			e.Install(c, stopped)
		}, out)
		if n := code.Native(); e.Err() != nil || n == nil || n.Last == compiled || (s.NativeOps != 0) != compiled {
			t.Errorf("room for %d bytes, %v: Native %+v ran %d lane-ops", room, e.Err(), n, s.NativeOps)
		}
		if got, want := l.words64(out, 8), butterfly(0, 8); !slices.Equal(got, want) {
			t.Errorf("room for %d bytes: %x, want %x", room, got, want)
		}
	}
}
