package compiled_test

// This file makes kernels that fault in one access, and holds what compiled code reports to the interpreter.

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/internal/jit"
	"ptxvm.invalid/ptxvm/internal/testkit/rig"
)

var (
	faultCount = flag.Int("faults", 150, "kernels of TestCompiledFaults")
	faultSeed  = flag.Uint64("faults.seed", 1, "the first one's seed")
)

// faultAccess is an instruction with %s for its state space and A for its address.
type faultAccess struct {
	text  string
	bytes int
}

var faultAccesses = []faultAccess{
	{"ld%s.u32 %%v0, [A]", 4}, {"st%s.u32 [A], %%v0", 4},
	{"ld%s.u8 %%v0, [A]", 1}, {"st%s.u8 [A], %%v0", 1},
	{"ld%s.s16 %%v0, [A]", 2}, {"st%s.u16 [A], %%h0", 2},
	{"ld%s.u64 %%w0, [A]", 8}, {"st%s.u64 [A], %%w0", 8},
	{"ld%s.f64 %%d0, [A]", 8}, {"st%s.f32 [A], %%f0", 4},
	{"ld%s.v2.u32 {%%v0, %%v1}, [A]", 8}, {"st%s.v2.u32 [A], {%%v0, %%v1}", 8},
	{"ld%s.v4.u32 {%%v0, %%v1, %%v2, %%v3}, [A]", 16}, {"st%s.v4.u32 [A], {%%v0, %%v1, %%v2, %%v3}", 16},
	{"ld%s.v2.u64 {%%w0, %%w1}, [A]", 16}, {"st%s.v2.u64 [A], {%%w0, %%w1}", 16},
	{"ld%s.v4.u8 {%%v0, %%v1, %%v2, %%v3}, [A]", 4}, {"st%s.v2.u16 [A], {%%h0, %%h1}", 4},
	{"ld.volatile%s.u32 %%v0, [A]", 4}, {"st.volatile%s.u32 [A], %%v0", 4},
	{"atom%s.add.u32 %%v0, [A], %%v1", 4}, {"red%s.add.u32 [A], %%v0", 4}, {"red%s.max.s32 [A], %%v0", 4},
	{"atom%s.cas.b32 %%v0, [A], %%v1, %%v2", 4}, {"atom%s.exch.b64 %%w0, [A], %%w1", 8}, {"red%s.add.f32 [A], %%f0", 4},
}

// faultOffsets compute %o, the bytes of an address behind its base, from %x, %y, %id (of the thread) and
// %cta; N is the size of the access.
var faultOffsets = map[string]string{
	"contiguous": "mul.lo.u32 %o, %id, N;",
	"strided":    "mul.lo.u32 %o, %id, N; shl.b32 %o, %o, 2;",
	"columns":    "shl.b32 %o, %x, 4; add.u32 %o, %o, %y; mul.lo.u32 %o, %o, N;",
	"rows":       "shl.b32 %o, %y, 4; add.u32 %o, %o, %x; mul.lo.u32 %o, %o, N;",
	"gather":     "mul.lo.u32 %o, %id, 37; and.b32 %o, %o, 255; mul.lo.u32 %o, %o, N;",
	"uniform":    "mul.lo.u32 %o, %cta, N;",
	"row each":   "mul.lo.u32 %o, %y, N;",
}

// faultPlaces put the access (I) somewhere; %p are lanes that execute it, by %lane. It may come several times.
var faultPlaces = map[string]string{
	"plain":    "I;",
	"guarded":  "@%p I;",
	"unless":   "@!%p I;",
	"skipped":  "@%p bra E; I; E:",
	"arm":      "@%p bra T; mov.u32 %k, 5; bra.uni E; T: I; E:",
	"arms":     "@%p bra T; I; bra.uni E; T: add.u32 %k, %k, 3; I; E:",
	"loop":     "L: I; add.u64 %a, %a, N; add.u32 %a32, %a32, N; add.u32 %k, %k, 1; setp.lt.u32 %q, %k, 9; @%q bra L;",
	"trips":    "L: I; add.u64 %a, %a, N; add.u32 %a32, %a32, N; add.u32 %k, %k, 1; setp.le.u32 %q, %k, %lane; @%q bra L;",
	"barriers": "bar.sync 0; I; bar.sync 0;",
	"twice":    "I; add.u32 %v0, %v0, 1; I;",
}

// faultKernel is one of them: where its accesses go, and what is wrong with one.
type faultKernel struct {
	src   string
	what  string
	block ptxvm.Dim3
	limit int    // bytes of the buffer
	wrong string // "end", "before", "odd", "null", "freed", "high": what the base of the access is
	near  bool   // all accesses have the wrong base; else those of one thread, or of some
}

func pick[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }

func pickKey(r *rand.Rand, m map[string]string, order []string) (string, string) {
	k := pick(r, order)
	return k, m[k]
}

var (
	offsetNames = []string{"contiguous", "strided", "columns", "rows", "gather", "uniform", "row each"}
	placeNames  = []string{"plain", "guarded", "unless", "skipped", "arm", "arms", "loop", "trips", "barriers", "twice"}
)

// newFaultKernel makes the kernel of a seed.
func newFaultKernel(seed uint64) *faultKernel {
	r := rand.New(rand.NewPCG(seed, 77))
	access := pick(r, faultAccesses)
	offset, compute := pickKey(r, faultOffsets, offsetNames)
	place, put := pickKey(r, faultPlaces, placeNames)
	space := pick(r, []string{".global", ".global", "", ".shared"})
	k := &faultKernel{
		block: pick(r, []ptxvm.Dim3{{X: 32}, {X: 256}, {X: 16, Y: 16}, {X: 8, Y: 8, Z: 4}, {X: 33}, {X: 1}, {X: 96}}),
		wrong: pick(r, []string{"end", "end", "before", "odd", "null", "freed", "high"}),
		near:  r.IntN(2) == 0,
		limit: 1 << 14,
	}
	threads := int(max(k.block.X, 1) * max(k.block.Y, 1) * max(k.block.Z, 1))
	warp := r.IntN((threads + 31) / 32)
	bad := min(warp*32+r.IntN(32), threads-1)
	if k.near && k.wrong == "end" {
		k.limit = max(16, bad*access.bytes&^15)
	}
	text := fmt.Sprintf(access.text, space)
	base, smem := "%base", k.limit
	if space == ".shared" {
		text, base = strings.ReplaceAll(text, "A", "%a32"), "%sbase"
	} else {
		text = strings.ReplaceAll(text, "A", "%a")
	}
	chosen := fmt.Sprintf("setp.eq.u32 %%bad, %%id, %d; setp.eq.and.u32 %%bad, %%cta, 1, %%bad;", bad)
	switch {
	case k.near:
		chosen = "setp.eq.u32 %bad, 0, 0;"
	case r.IntN(3) == 0:
		chosen = fmt.Sprintf("and.b32 %%o1, %%id, 3; setp.eq.u32 %%bad, %%o1, 1; setp.ge.and.u32 %%bad, %%id, %d, %%bad;", warp*32)
	}
	k.what = fmt.Sprintf("%s, %s, %s, base %s (of all: %v), %v, thread %d", text, offset, place, k.wrong, k.near, k.block, bad)
	put = strings.NewReplacer("I;", text+";", "N;", fmt.Sprint(access.bytes, ";")).Replace(put)
	put = strings.ReplaceAll(put, "%a, N", fmt.Sprintf("%%a, %d", access.bytes))
	put = strings.ReplaceAll(put, "%a32, N", fmt.Sprintf("%%a32, %d", access.bytes))
	k.src = fmt.Sprintf(`.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 good, .param .u64 wrong, .param .u64 marks, .param .u32 swrong) {
	.shared .align 16 .b8 smem[%d];
	.reg .b64 %%base, %%a, %%other, %%marks, %%w<3>, %%wide; .reg .f64 %%d0; .reg .f32 %%f0; .reg .b16 %%h<2>; .reg .pred %%p, %%q, %%bad;
	.reg .b32 %%x, %%y, %%z, %%nx, %%ny, %%id, %%cta, %%lane, %%o, %%o1, %%k, %%a32, %%sbase, %%sother, %%v<4>, %%g, %%all;
	ld.param.u64 %%base, [good]; ld.param.u64 %%other, [wrong]; ld.param.u64 %%marks, [marks]; ld.param.u32 %%sother, [swrong];
	mov.u32 %%x, %%tid.x; mov.u32 %%y, %%tid.y; mov.u32 %%z, %%tid.z; mov.u32 %%nx, %%ntid.x; mov.u32 %%ny, %%ntid.y; mov.u32 %%cta, %%ctaid.x;
	mad.lo.u32 %%id, %%z, %%ny, %%y; mad.lo.u32 %%id, %%id, %%nx, %%x; and.b32 %%lane, %%id, 31;
	mad.lo.u32 %%g, %%cta, %d, %%id; mul.wide.u32 %%wide, %%g, 8; add.u64 %%marks, %%marks, %%wide;
	mad.lo.u32 %%v0, %%g, 7, 1; not.b32 %%v1, %%v0; xor.b32 %%v2, %%v0, %%id; mov.u32 %%v3, 9; mov.b64 %%w0, {%%v0, %%v1}; mov.b64 %%w1, {%%v2, %%v3};
	cvt.u16.u32 %%h0, %%v0; cvt.u16.u32 %%h1, %%v1; cvt.rn.f32.u32 %%f0, %%v0; mov.u32 %%sbase, smem; mov.u32 %%k, 0; add.u32 %%sother, %%sother, %%sbase;
	%s
	%s
	@%%bad mov.u64 %%base, %%other;
	@%%bad mov.u32 %%sbase, %%sother;
	cvt.u64.u32 %%wide, %%o; add.u64 %%a, %%base, %%wide; add.u32 %%a32, %%sbase, %%o;
	setp.%s.u32 %%p, %%lane, %d;
	st.global.u32 [%%marks], %%g;
	%s
	st.global.u32 [%%marks+4], %%v0;
	ret;
}
`, max(smem, 16), threads, strings.ReplaceAll(compute, "N", fmt.Sprint(access.bytes)), chosen,
		pick(r, []string{"lt", "ge", "ne"}), pick(r, []int{0, 7, 13, 31}), put)
	if k.near && base == "%base" && r.IntN(2) == 0 { // the compiler sees an address that follows from few
		k.src = strings.Replace(k.src, "	@%bad mov.u64 %base, %other;\n	@%bad mov.u32 %sbase, %sother;\n", "	mov.u64 %base, %other;\n", 1)
	}
	return k
}

// run launches the kernel on a new device and returns what it wrote and reported.
func (k *faultKernel) run(t *testing.T, e ptxvm.Engine, prepare func(*ptxvm.Device) error) (memory []byte, fault string, s ptxvm.Stats) {
	t.Helper()
	d, err := ptxvm.NewDevice(&ptxvm.DeviceConfig{Workers: 1, Memory: 1 << 22, Engine: e})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if prepare != nil {
		if err := prepare(d); err != nil {
			t.Skip(err)
		}
	}
	m, err := ptxvm.Compile("fault.ptx", []byte(k.src), nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, k.src)
	}
	p, err := d.Load(m)
	if err != nil {
		t.Fatal(err)
	}
	var b [3]ptxvm.Buffer
	for i, n := range []int{1 << 14, k.limit, 1 << 14} { // the first one is freed
		if b[i], err = d.Alloc(n); err != nil {
			t.Fatal(err)
		}
	}
	good, freed := b[1].Addr(), b[0].Addr()
	if err := b[0].Free(); err != nil {
		t.Fatal(err)
	}
	wrong := map[string]uint64{"end": good, "before": good - 64, "odd": good + 1, "null": 0, "freed": freed, "high": 1 << 60}[k.wrong]
	swrong := map[string]uint32{"before": ^uint32(63), "odd": 1, "null": 0x00f00000, "freed": 1 << 20, "high": 0x40000000}[k.wrong]
	if k.wrong == "end" && !k.near {
		wrong, swrong = good+uint64(k.limit), uint32(k.limit)
	}
	kernel, err := p.Kernel("k")
	if err != nil {
		t.Fatal(err)
	}
	s, err = kernel.Launch(context.Background(), ptxvm.Launch{Grid: ptxvm.Dim3{X: 3}, Block: k.block}, good, wrong, b[2].Addr(), swrong)
	var f *ptxvm.Fault
	switch {
	case errors.As(err, &f):
		fault = f.Detail()
	case err != nil:
		t.Fatalf("%v\n%s", err, k.src)
	}
	for i, n := range []int{k.limit, 1 << 14} {
		got := make([]byte, n)
		if err := ptxvm.Download(b[i+1], got); err != nil {
			t.Fatal(err)
		}
		memory = append(memory, got...)
	}
	return memory, fault, s
}

// TestCompiledFaults runs kernels that fault in lanes of some warp, in every engine and width: the report
// and all memory are the interpreter's.
func TestCompiledFaults(t *testing.T) {
	rig.NeedJIT(t)
	faults, kinds, compiled := 0, map[string]int{}, 0
	for i := range *faultCount {
		seed := *faultSeed + uint64(i)
		k := newFaultKernel(seed)
		memory, fault, want := k.run(t, ptxvm.Interp, nil)
		if fault != "" {
			faults++
			_, msg, _ := strings.Cut(fault, ": fault ")
			kinds[msg[:5]]++
		}
		for _, v := range jit.Compilers() {
			got, report, s := k.run(t, ptxvm.JIT, compiledBy(v))
			if s.Compiled != 0 {
				compiled++
			}
			switch {
			case report != fault:
				t.Errorf("seed %d, %v: %s\n%s\nthe interpreter:\n%s", seed, v, k.what, report, fault)
			case !bytes.Equal(got, memory):
				t.Errorf("seed %d, %v: %s: memory differs\n%s", seed, v, k.what, k.src)
			case fault == "" && (s.WarpInsts != want.WarpInsts || s.LaneOps != want.LaneOps):
				t.Errorf("seed %d, %v: %s: %d steps, %d lane-ops, the interpreter %d, %d", seed, v, k.what, s.WarpInsts, s.LaneOps, want.WarpInsts, want.LaneOps)
			}
		}
	}
	t.Logf("%d of %d kernels fault, %v; %d of %d runs have compiled code", faults, *faultCount, kinds, compiled, 2**faultCount)
	if faults*2 < *faultCount || len(kinds) < 2 || compiled < *faultCount {
		t.Error("too few faults, of too few kinds, or too few in compiled code")
	}
}
