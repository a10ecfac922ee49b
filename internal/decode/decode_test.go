package decode

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/internal/assume"
	"ptxvm.invalid/ptxvm/internal/check"
	"ptxvm.invalid/ptxvm/internal/host"
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/lower"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/events"
	"ptxvm.invalid/ptxvm/internal/machine/regs"
	"ptxvm.invalid/ptxvm/internal/machine/shape"
	"ptxvm.invalid/ptxvm/internal/machine/sizes"
	"ptxvm.invalid/ptxvm/internal/mem"
	"ptxvm.invalid/ptxvm/internal/syntax"
)

// onDevice places functions in the code window and variables where the arena puts them.
type onDevice struct {
	m     *ir.Module
	arena *mem.Arena
	vars  map[*ir.Var]uint64
}

func (p *onDevice) Func(f *ir.Func) uint64 {
	return mem.CodeWindow + uint64(slices.Index(p.m.Funcs, f)+1)*mem.CodeStep
}

func (p *onDevice) Var(v *ir.Var) uint64 {
	if addr, ok := p.vars[v]; ok || p.arena == nil {
		return addr
	}
	addr, err := p.arena.Alloc(uint64(v.Size), mem.Info{Label: v.Name})
	if err != nil {
		panic(err)
	}
	p.vars[v] = addr
	return addr
}

func module(t testing.TB, name, src string) *ir.Module {
	t.Helper()
	info, diags := check.Check(syntax.Parse(name, []byte(src)), check.Options{})
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	m, err := lower.Module(info, lower.Options{})
	if err != nil {
		t.Fatal(err)
	}
	linked, diags := lower.Link([]*ir.Module{m}, Provided)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	return linked
}

const header = ".version 9.5\n.target sm_90\n.address_size 64\n"

// TestUnsupported: everything that is missing is listed, before anything runs, with count and
// places.
func TestUnsupported(t *testing.T) {
	m := module(t, "unsupported.ptx", strings.Replace(header, "sm_90", "sm_107f", 1)+`
.func f() {
	.reg .f64 %fd<3>;
	.reg .b64 %s;
	rcp.rz.ftz.f64 %fd1, 0d3ff0000000000000;
	ret;
}
.visible .entry k() {
	.reg .f64 %fd<3>;
	.reg .b64 %rd<2>;
	.reg .b32 %r<2>;
	rcp.rz.ftz.f64 %fd1, 0d3ff0000000000000;
	rcp.rz.ftz.f64 %fd2, %fd1;
	fabric.submit.commit_group;
	call f;
	ret;
}
.visible .entry fine() { ret; }
`)
	d := New(m, &onDevice{m: m})
	_, err := d.Kernel(m.Func("k"), ir.LaunchShape{BlockX: 32, BlockY: 1, BlockZ: 1}, sizes.Of(90), 0, assume.Set{})
	var e *UnsupportedError
	if !errors.As(err, &e) {
		t.Fatalf("error %v, want an UnsupportedError", err)
	}
	counts := map[string]int{}
	for _, f := range e.Forms {
		counts[f.Text] = len(f.At)
	}
	if len(counts) != 2 || counts["rcp.rz.ftz.f64"] != 3 || counts["fabric.submit.commit_group"] != 1 {
		t.Errorf("missing forms %v", counts)
	}
	if !strings.Contains(err.Error(), "fabric.submit.commit_group") {
		t.Errorf("error does not name the form: %v", err)
	}
	if _, err := d.Kernel(m.Func("fine"), ir.LaunchShape{BlockX: 32, BlockY: 1, BlockZ: 1}, sizes.Of(90), 0, assume.Set{}); err != nil {
		t.Errorf("a kernel that does not reach them: %v", err)
	}
}

func TestDynamicStart(t *testing.T) {
	for _, c := range []struct{ static, dynamic, limit, want int }{
		{0, 100, 4096, 0},
		{20, 0, 4096, 20},
		{20, 100, 4096, 1024},
		{1024, 100, 4096, 1024},
		{20, 4000, 4096, 32}, // no room for the alignment
	} {
		if got := DynamicStart(c.static, c.dynamic, c.limit); got != c.want {
			t.Errorf("DynamicStart(%d, %d, %d) = %d, want %d", c.static, c.dynamic, c.limit, got, c.want)
		}
	}
}

// TestCache: one decoding for each shape.
func TestCache(t *testing.T) {
	m := module(t, "cache.ptx", header+".visible .entry k() { ret; }")
	d := New(m, &onDevice{m: m})
	decode := func(x int32) *Program {
		p, err := d.Kernel(m.Func("k"), ir.LaunchShape{BlockX: x, BlockY: 1, BlockZ: 1}, sizes.Of(90), 0, assume.Set{})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	if a, b, c := decode(32), decode(32), decode(33); a != b || a == c {
		t.Error("programs are not kept by shape")
	}
}

// kernels visits every kernel of the committed CUDA modules.
func kernels(t *testing.T, visit func(name string, m *ir.Module, f *ir.Func)) {
	files, err := filepath.Glob("../../testdata/cuda/*.sm_90.ptx")
	if err != nil || len(files) == 0 {
		t.Fatal("no modules", err)
	}
	for _, name := range files {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		m := module(t, name, string(src))
		for _, f := range m.Funcs {
			if f.Defined && f.Entry {
				visit(filepath.Base(name)+" "+f.Name, m, f)
			}
		}
	}
}

// TestScalarRanges compares the ranges in which uniform registers are live with liveness pc by
// pc, for the kernels of the corpus.
func TestScalarRanges(t *testing.T) {
	uniform := 0
	kernels(t, func(name string, m *ir.Module, f *ir.Func) {
		lines, err := executable(f, &reachable{funcs: []*ir.Func{f}})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		u := &unit{d: New(m, &onDevice{m: m}), key: programKey{shape: ir.LaunchShape{BlockX: 128, BlockY: 1, BlockZ: 1}}, lines: lines}
		x := u.analyse(f)
		ranges := x.liveRanges()
		for pc := range int32(len(f.Insts)) {
			live := f.LiveAt(pc)
			for r := range f.Regs {
				if f.Rows.Of[r] < 0 || !x.uniform(ir.Reg(r)) {
					continue
				}
				uniform++
				if got, want := inRanges(ranges[r], pc), live.Has(r); got != want {
					t.Fatalf("%s: %s is live at %d: %v, want %v", name, f.Regs[r].Name, pc, got, want)
				}
			}
		}
	})
	if uniform == 0 {
		t.Error("no uniform register anywhere")
	}
}

func inRanges(list []regs.Range, pc int32) bool {
	return slices.ContainsFunc(list, func(v regs.Range) bool { return v.From <= pc && pc < v.To })
}

// TestVariantsAgree runs kernels in the converged and in the split variant alone.
func TestVariantsAgree(t *testing.T) {
	for _, src := range []string{uniformLoop, sharedSum, wideAndCarry} {
		m := module(t, "variants.ptx", header+src)
		want := runVariant(t, m, false)
		if got := runVariant(t, m, true); !bytes.Equal(got, want) {
			t.Errorf("the split variant alone computes something else")
		}
		if bytes.Equal(want, make([]byte, len(want))) {
			t.Error("nothing was computed")
		}
	}
}

// uniformLoop mixes uniform and lane values, carries, 64-bit and predicate scalars, and a
// divergent region.
const uniformLoop = `
.visible .entry k(.param .u64 out, .param .u32 n) {
	.reg .b32 %r<20>;
	.reg .b64 %rd<10>;
	.reg .pred %p<5>;
	ld.param.u64 %rd1, [out];
	ld.param.u32 %r1, [n];
	mov.u32 %r2, %tid.x;
	mov.u32 %r3, 0;
	mov.u32 %r4, %ctaid.x;
	mov.u64 %rd4, 0x123456789;
LOOP:
	add.cc.u32 %r4, %r4, 0x70000001;
	addc.u32 %r5, %r3, 5;
	xor.b32 %r6, %r5, %r2;
	and.b32 %r7, %r6, 1;
	setp.eq.u32 %p1, %r7, 0;
	@%p1 bra EVEN;
	add.u32 %r8, %r8, %r4;
	bra JOIN;
EVEN:
	mad.lo.u32 %r8, %r6, 3, %r8;
JOIN:
	setp.lt.u32 %p2, %r4, 0x80000000;
	selp.b32 %r9, %r4, %r3, %p2;
	add.u32 %r8, %r8, %r9;
	mul.lo.u64 %rd4, %rd4, 3;
	mov.b64 {%r10, %r11}, %rd4;
	xor.b32 %r8, %r8, %r11;
	add.u32 %r3, %r3, 1;
	setp.lt.u32 %p3, %r3, %r1;
	@%p3 bra LOOP;
	mul.wide.u32 %rd2, %r2, 4;
	add.u64 %rd3, %rd1, %rd2;
	st.global.u32 [%rd3], %r8;
	ret;
}`

// wideAndCarry has a 128-bit value that all lanes share, and an instruction whose result is
// uniform while the carry that it passes on is not.
const wideAndCarry = `
.visible .entry k(.param .u64 out, .param .u32 n) {
	.reg .b32 %r<12>;
	.reg .b64 %rd<10>;
	.reg .b128 %q<3>;
	ld.param.u64 %rd1, [out];
	ld.param.u32 %r1, [n];
	mov.u32 %r2, %tid.x;
	mov.u64 %rd2, 0x123456789;
	cvt.u64.u32 %rd3, %r1;
	mov.b128 %q1, {%rd3, %rd2};
	mov.b128 %q2, %q1;
	mov.b128 {%rd4, %rd5}, %q2;
	cvt.u32.u64 %r3, %rd5;
	sub.cc.u32 %r4, 96, 224;
	addc.cc.u32 %r5, %r2, -1;
	sub.cc.u32 %r6, 192, %r2;
	addc.cc.u32 %r6, 1, 2;
	addc.u32 %r7, %r2, 0;
	neg.s32 %r8, %r4;
	mad.lo.u32 %r9, %r8, 3, %r3;
	mad.lo.u32 %r9, %r6, 5, %r9;
	mad.lo.u32 %r9, %r7, 7, %r9;
	mul.wide.u32 %rd6, %r2, 4;
	add.u64 %rd7, %rd1, %rd6;
	st.global.u32 [%rd7], %r9;
	ret;
}`

// sharedSum goes through shared memory, a barrier and a called function.
const sharedSum = `
.shared .align 4 .b8 buf[256];
.func (.param .b32 r) twice(.param .b32 a) {
	.reg .b32 %r<3>;
	ld.param.b32 %r1, [a];
	add.u32 %r2, %r1, %r1;
	st.param.b32 [r], %r2;
	ret;
}
.visible .entry k(.param .u64 out, .param .u32 n) {
	.reg .b32 %r<12>;
	.reg .b64 %rd<6>;
	ld.param.u64 %rd1, [out];
	mov.u32 %r1, %tid.x;
	shl.b32 %r2, %r1, 2;
	mov.u32 %r3, buf;
	add.u32 %r4, %r3, %r2;
	{
	.param .b32 pa;
	.param .b32 pr;
	st.param.b32 [pa], %r1;
	call (pr), twice, (pa);
	ld.param.b32 %r5, [pr];
	}
	st.shared.u32 [%r4], %r5;
	bar.sync 0;
	xor.b32 %r6, %r2, 4;
	add.u32 %r7, %r3, %r6;
	ld.shared.u32 %r8, [%r7];
	ld.shared.u32 %r9, [buf+8];
	mad.lo.u32 %r10, %r8, 100, %r9;
	mul.wide.u32 %rd2, %r1, 4;
	add.u64 %rd3, %rd1, %rd2;
	st.global.u32 [%rd3], %r10;
	ret;
}`

func runVariant(t *testing.T, m *ir.Module, split bool) []byte {
	t.Helper()
	arena, err := mem.NewArena(1 << 20)
	if err != nil {
		t.Fatal(err)
	}
	device := host.NewDevice(arena, 1)
	defer device.Close()
	out, err := arena.Alloc(64*4, mem.Info{})
	if err != nil {
		t.Fatal(err)
	}
	where := &onDevice{m, arena, map[*ir.Var]uint64{}}
	f := m.Func("k")
	p, err := New(m, where).Kernel(f, ir.LaunchShape{BlockX: 64, BlockY: 1, BlockZ: 1}, sizes.Of(90), 0, assume.Set{})
	if err != nil {
		t.Fatal(err)
	}
	if split {
		p.Entry.Insts = nil
	} else if !slices.ContainsFunc(p.Entry.Insts, func(in machine.Inst) bool { return in.Flags&machine.WritesScalar != 0 }) {
		t.Error("nothing runs on scalar slots")
	}
	params := binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint64(nil, out), 7)
	_, err = device.Launch(context.Background(), &host.Launch{Launch: machine.Launch{
		Entry: p.Entry, Functions: p.Functions, Shape: shape.Shape{Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{64, 1, 1}, Cluster: [3]uint32{1, 1, 1}},
		Shared: uint32(f.SharedBytes), Params: append(params, 0, 0, 0, 0), Target: sizes.Of(90),
	}})
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Clone(arena.Bytes(out, 64*4))
}

// TestObserved: launches with an observer have a program of their own, at the same pcs.
func TestObserved(t *testing.T) {
	m := module(t, "observed.ptx", header+".visible .entry k(.param .u32 a) { .reg .b32 %r<3>; ld.param.u32 %r1, [a]; add.u32 %r2, %r1, 1; ret; }")
	d, shape := New(m, &onDevice{m: m}), ir.LaunchShape{BlockX: 32, BlockY: 1, BlockZ: 1}
	plain, err := d.Kernel(m.Func("k"), shape, sizes.Of(90), 0, assume.Set{})
	if err != nil {
		t.Fatal(err)
	}
	seen, err := d.Watched(Watch{Observe: events.WantsAll}, m.Func("k"), shape, sizes.Of(90), 0, assume.Set{})
	if err != nil {
		t.Fatal(err)
	}
	if plain == seen || len(seen.Entry.Split) != len(plain.Entry.Split) || len(seen.Entry.Insts) != len(plain.Entry.Insts) {
		t.Errorf("observed code: %d and %d instructions, unobserved %d and %d", len(seen.Entry.Insts), len(seen.Entry.Split), len(plain.Entry.Insts), len(plain.Entry.Split))
	}
	if again, _ := d.Watched(Watch{Observe: events.WantsAll}, m.Func("k"), shape, sizes.Of(90), 0, assume.Set{}); again != seen {
		t.Error("observed programs are not kept")
	}
}

// TestObservedWants: code tells what is wanted, and nothing else.
func TestObservedWants(t *testing.T) {
	m := module(t, "wants.ptx", header+`.visible .entry k(.param .u64 a) { .reg .b64 %p; .reg .b32 %r;
		ld.param.u64 %p, [a]; ld.global.u32 %r, [%p]; bar.sync 0; fence.proxy.async; ret; }`)
	d, shape := New(m, &onDevice{m: m}), ir.LaunchShape{BlockX: 32, BlockY: 1, BlockZ: 1}
	code := func(wants events.Wants) []machine.Inst {
		p, err := d.Watched(Watch{Observe: wants}, m.Func("k"), shape, sizes.Of(90), 0, assume.Set{})
		if err != nil {
			t.Fatal(err)
		}
		return p.Entry.Split
	}
	handler := func(in machine.Inst) uintptr { return reflect.ValueOf(in.Full).Pointer() }
	plain, err := d.Kernel(m.Func("k"), shape, sizes.Of(90), 0, assume.Set{})
	if err != nil {
		t.Fatal(err)
	}
	for wants, told := range map[events.Wants][]int{
		events.WantsAccesses: {1}, events.WantsAccesses | events.WantsConstants: {0, 1}, events.WantsOrder: {2}, events.WantsFences: {3},
	} {
		for pc, in := range code(wants) {
			if wrapped := handler(in) != handler(plain.Entry.Split[pc]); wrapped != slices.Contains(told, pc) {
				t.Errorf("wants %d: instruction %d is wrapped: %v", wants, pc, wrapped)
			}
		}
	}
}
