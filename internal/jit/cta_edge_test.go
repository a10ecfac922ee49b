package jit_test

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/internal/host"
	"ptxvm.invalid/ptxvm/internal/jit"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/mem"
)

// ctaEdge is a kernel whose warps wait for each other, wrap, touch the same words, or need what not all code has.
type ctaEdge struct {
	name, body  string
	grid, block [3]uint32
	width       uint32 // 64 if 0
	height      uint32 // the same
	pitch       uint64 // of the parameter in %rd20; it is another buffer if second is true
	second      bool
	near        bool // %rd20 points to where %rd1 does
	launch      func(*host.Launch)
	workers     int
	size        uint64
}

// edgeHeader is ctaHeader with one more parameter, in %rd20.
var edgeHeader = strings.NewReplacer(".param .f32 scale)", ".param .f32 scale, .param .u64 pitch)",
	"mov.u32 %r3,", "ld.param.u64 %rd20, [pitch]; mov.u32 %r3,").Replace(ctaHeader)

// compare holds both widths, of the old compiler and as engines have them by default, to the interpreter, twice on the same device.
func (e *ctaEdge) compare(t *testing.T) {
	t.Helper()
	size := cmp.Or(e.size, 1<<18)
	l := newLaboratory(t, "k.ptx", edgeHeader+e.body+"\nret;\n}\n")
	l.device = host.NewDevice(l.arena, max(e.workers, 1))
	l.arena.Alloc(1<<16, mem.Info{Label: "before"})
	buf, _ := l.arena.Alloc(size, mem.Info{Label: "buf"})
	l.arena.Alloc(1<<16, mem.Info{Label: "behind"})
	all, pitch := l.arena.Bytes(buf, size), e.pitch
	var other []byte
	if e.second {
		pitch, _ = l.arena.Alloc(size, mem.Info{Label: "other"})
		other, pitch = l.arena.Bytes(pitch, size), pitch+size/4
	} else if e.near {
		pitch = buf + size/4
	}
	l.keep = true
	launch := func(compile host.Compiler) (memory []byte, s machine.Stats, fault string) {
		for i := range all {
			all[i] = byte(i*7 + i>>6)
		}
		for i := range other {
			other[i] = byte(i*5 + i>>5)
		}
		s, err := l.launch(t, "k", e.grid, e.block, func(x *host.Launch) {
			x.Compile = compile
			if e.launch != nil {
				e.launch(x)
			}
		}, buf+size/4, cmp.Or(e.width, 64), cmp.Or(e.height, 64), uint32(0x3fc00000), pitch)
		return slices.Concat(all, other), s, fmt.Sprint(err)
	}
	want, stats, fault := launch(nil)
	for i, o := range []jit.Options{{Vectors: jit.AVX2}, {Vectors: jit.AVX512}, jit.ByDefault(jit.Options{Vectors: jit.AVX2}), jit.ByDefault(jit.Options{Vectors: jit.AVX512})} {
		l.decoder = nil
		en := engine(t, o)
		for range 2 {
			got, s, err := launch(en.Install)
			if strings.Contains(fault, "limit") && err == fault {
				continue
			}
			if err != fault || !bytes.Equal(got, want) || fault == "<nil>" && (s.Steps != stats.Steps || s.LaneOps != stats.LaneOps || s.CTAs != stats.CTAs) {
				t.Errorf("%v, by default %v: %s; %d steps, %d lane-ops, %d CTAs, memory equal: %v; the interpreter: %s; %d, %d, %d", o.Vectors, i > 1, err, s.Steps, s.LaneOps, s.CTAs, bytes.Equal(got, want), fault, stats.Steps, stats.LaneOps, stats.CTAs)
			}
		}
	}
}

var ctaEdges = []ctaEdge{
	{name: "pitch wraps", grid: [3]uint32{4, 1, 1}, block: [3]uint32{32, 13, 1}, pitch: (1<<64-1-15)/48 + 1,
		body: "cvt.u64.u32 %rd4, %r4; shl.b64 %rd4, %rd4, 2; cvt.u64.u32 %rd5, %r54; mul.lo.u64 %rd6, %rd5, %rd20; mul.lo.u64 %rd7, %rd6, %rd4; mul.wide.u32 %rd8, %r3, 4; add.s64 %rd9, %rd1, %rd7; add.s64 %rd9, %rd9, %rd8; ld.global.u32 %r11, [%rd9]; add.u32 %r11, %r11, 1; st.global.u32 [%rd9], %r11;"},
	{name: "two barriers", grid: flat, block: square, body: "ld.global.u32 %r11, [%rd3]; st.global.u32 [%rd3+32768], %r11; setp.lt.s32 %p2, %r54, 1; @%p2 exit; setp.lt.u32 %p1, %r5, 64; @%p1 bra A; bar.sync 1; bra B;\nA: bar.sync 2;\nB: st.shared.u32 [%r10], %r11;"},
	{name: "two barriers, all", grid: flat, block: square, body: "ld.global.u32 %r11, [%rd3]; setp.lt.u32 %p1, %r5, 64; @%p1 bra A; bar.sync 1; bar.sync 0; bra B;\nA: bar.sync 1; bar.sync 0;\nB: st.global.u32 [%rd3], %r11;"},
	{name: "barrier of some", grid: flat, block: square, body: "ld.global.u32 %r11, [%rd3]; setp.lt.u32 %p1, %r5, 64; @%p1 bra A; bar.sync 1;\nA: st.global.u32 [%rd3], %r11;"},
	{name: "barrier behind exits", grid: flat, block: square, body: "ld.global.u32 %r11, [%rd3]; setp.lt.u32 %p1, %r5, 96; @%p1 exit; bar.sync 1; st.global.u32 [%rd3], %r11;"},
	{name: "barrier of parts", grid: flat, block: square, body: "ld.global.u32 %r11, [%rd3]; setp.lt.u32 %p1, %r5, 40; @%p1 bra A; bar.sync 0;\nA: st.global.u32 [%rd3], %r11;"},
	{name: "guarded barrier", grid: flat, block: square, body: "ld.global.u32 %r11, [%rd3]; setp.lt.u32 %p1, %r4, 9; @%p1 bar.sync 0; st.global.u32 [%rd3], %r11;"},
	{name: "counted barrier", grid: flat, block: square, body: "ld.global.u32 %r11, [%rd3]; st.shared.u32 [%r10], %r11; setp.ge.u32 %p1, %r5, 64; @%p1 bra A; bar.sync 1, 64;\nA: ld.shared.u32 %r12, [%r10]; st.global.u32 [%rd3], %r12;"},
	{name: "arrival", grid: flat, block: square, body: "ld.global.u32 %r11, [%rd3]; st.shared.u32 [%r10], %r11; setp.ge.u32 %p1, %r5, 64; @%p1 bra A; bar.arrive 1, 256; bra B;\nA: bar.sync 1, 256;\nB: ld.shared.u32 %r12, [%r10]; st.global.u32 [%rd3], %r12;"},
	{name: "reduction", grid: flat, block: square, body: "ld.global.u32 %r11, [%rd3]; setp.lt.u32 %p1, %r5, 77; bar.red.popc.u32 %r12, 0, %p1; add.u32 %r11, %r11, %r12; st.global.u32 [%rd3], %r11;"},
	{name: "in place", grid: flat, block: square, body: "ld.global.u32 %r11, [%rd3]; add.u32 %r11, %r11, 1; st.global.u32 [%rd3], %r11; ld.global.u32 %r12, [%rd3]; bar.sync 0; ld.global.u32 %r13, [%rd3+4]; mad.lo.u32 %r12, %r12, 3, %r13; bar.sync 0; st.global.u32 [%rd3], %r12; ld.global.u32 %r14, [%rd3]; st.global.u32 [%rd3+32768], %r14;"},
	{name: "loads before stores", grid: flat, block: square, body: "ld.global.f32 %f1, [%rd3+4]; ld.shared.f32 %f2, [%r10]; bar.sync 0; st.shared.f32 [%r10], %f1; st.global.f32 [%rd3], %f9; bar.sync 0; ld.shared.f32 %f3, [%r10]; ld.global.f32 %f4, [%rd3+4]; fma.rn.f32 %f5, %f1, %f2, %f3; add.f32 %f6, %f5, %f4; st.global.f32 [%rd3+32768], %f6; st.global.f32 [%rd3+65536], %f1;"},
	{name: "one place for lanes", grid: flat, block: square, body: "ld.global.u32 %r11, [%rd1]; add.u32 %r12, %r11, %r5; st.global.u32 [%rd3], %r12; ld.global.u32 %r13, [%rd1]; st.global.u32 [%rd3+32768], %r13;"},
	{name: "volatile", grid: flat, block: square, body: "ld.volatile.global.u32 %r11, [%rd3]; st.global.u32 [%rd3+4], %r11;"},
	{name: "relaxed", grid: flat, block: square, body: "ld.global.u32 %r11, [%rd3]; st.relaxed.gpu.global.u32 [%rd3+4], %r11;"},
	{name: "pairs", grid: flat, block: square, body: "ld.global.v2.u32 {%r11, %r12}, [%rd3]; add.u32 %r11, %r11, %r12; st.global.u32 [%rd3+32768], %r11;"},
	{name: "nc", grid: flat, block: square, body: "ld.global.nc.u32 %r11, [%rd3]; add.u32 %r11, %r11, %r5; st.global.u32 [%rd3+32768], %r11;"},
	{name: "narrow", grid: flat, block: square, body: "ld.global.u8 %r11, [%rd3]; add.u32 %r11, %r11, %r5; st.global.u32 [%rd3+32768], %r11;"},
	{name: "generic", grid: flat, block: square, body: "ld.u32 %r11, [%rd3]; add.u32 %r11, %r11, %r5; st.u32 [%rd3+32768], %r11;"},
	{name: "atomic", grid: flat, block: square, body: "ld.global.u32 %r11, [%rd3]; red.global.add.u32 [%rd1], %r11; st.global.u32 [%rd3+32768], %r11;"},
	{name: "clock", grid: flat, block: square, body: "ld.global.u32 %r11, [%rd3]; mov.u32 %r12, %clock; and.b32 %r12, %r12, 0; add.u32 %r11, %r11, %r12; st.global.u32 [%rd3+32768], %r11;"},
	{name: "last lane outside", grid: flat, block: square, size: 65536, body: "mad.lo.u32 %r11, %r54, 256, %r5; mul.wide.u32 %rd4, %r11, 4; add.s64 %rd5, %rd1, %rd4; add.s64 %rd5, %rd5, 45060; ld.global.u32 %r12, [%rd5]; st.global.u32 [%rd5+-4], %r12;"},
	{name: "first lane outside", grid: [3]uint32{30, 1, 1}, block: square, size: 65536, body: "mad.lo.s32 %r11, %r54, -256, %r5; mul.wide.s32 %rd4, %r11, 4; add.s64 %rd5, %rd1, %rd4; ld.global.u32 %r12, [%rd5+44]; st.global.u32 [%rd5+4], %r12;"},
	{name: "one byte beside", grid: flat, block: square, body: "cvt.u64.u32 %rd4, %r54; add.s64 %rd5, %rd3, %rd4; st.global.u32 [%rd5], %r5;"},
	{name: "shared outside", grid: flat, block: square, body: "ld.global.u32 %r12, [%rd3]; st.shared.u32 [%r10+7172], %r12; ld.shared.u32 %r11, [%r10+7172]; st.global.u32 [%rd3+32768], %r11;"},
	{name: "shared outside, later", grid: flat, block: square, body: "ld.global.u32 %r12, [%rd3]; setp.lt.u32 %p1, %r54, 2; @%p1 exit; st.shared.u32 [%r10+7172], %r12; ld.shared.u32 %r11, [%r10+7172]; st.global.u32 [%rd3+32768], %r11;"},
	{name: "dynamic shared", grid: flat, block: square, launch: func(x *host.Launch) { x.Shared = 20000 }, body: "ld.global.u32 %r11, [%rd3]; ld.shared.u32 %r13, [%r10+17000]; st.shared.u32 [%r10+17000], %r11; bar.sync 0; ld.shared.u32 %r12, [%r10+17004]; add.u32 %r12, %r12, %r13; st.global.u32 [%rd3+32768], %r12;"},
	{name: "cluster", grid: flat, block: square, launch: func(x *host.Launch) { x.Cluster = [3]uint32{2, 1, 1} }, body: "ld.global.u32 %r11, [%rd3]; st.shared.u32 [%r10], %r11; bar.sync 0; ld.shared.u32 %r12, [%r10+4]; add.u32 %r12, %r12, %r7; st.global.u32 [%rd3+32768], %r12;"},
	{name: "places", grid: [3]uint32{3, 4, 5}, block: square, body: "mov.u32 %r11, %ctaid.z; mov.u32 %r12, %nctaid.x; mov.u32 %r13, %nctaid.y; mad.lo.u32 %r14, %r11, %r13, %r55; mad.lo.u32 %r14, %r14, %r12, %r54; mad.lo.u32 %r15, %r14, 256, %r5; mul.wide.u32 %rd4, %r15, 4; add.s64 %rd5, %rd1, %rd4; ld.global.u32 %r16, [%rd5]; add.u32 %r16, %r16, %r14; st.global.u32 [%rd5], %r16; mov.u32 %r17, %smid; mov.u32 %r18, %nsmid; mad.lo.u32 %r17, %r17, 7, %r18; st.global.u32 [%rd5+65536], %r17;"},
	{name: "two workers", workers: 2, grid: [3]uint32{60, 1, 1}, block: [3]uint32{8, 8, 4}, body: "mad.lo.u32 %r11, %r54, 256, %r5; setp.gt.u32 %p1, %r11, 0x3fff; @%p1 exit; mul.wide.u32 %rd4, %r11, 4; add.s64 %rd5, %rd1, %rd4; ld.global.u32 %r12, [%rd5]; st.shared.u32 [%r10], %r12; bar.sync 0; ld.shared.u32 %r13, [%r10]; st.global.u32 [%rd5], %r13;"},
	{name: "two workers, spans", workers: 2, grid: [3]uint32{150, 1, 1}, block: [3]uint32{8, 8, 4}, body: "mad.lo.u32 %r11, %r54, 256, %r5; mul.wide.u32 %rd4, %r11, 4; add.s64 %rd5, %rd1, %rd4; ld.global.u32 %r12, [%rd5]; st.shared.u32 [%r10], %r12; bar.sync 0; xor.b32 %r14, %r56, 128; add.u32 %r14, %r14, %r7; ld.shared.u32 %r13, [%r14]; st.global.u32 [%rd5], %r13;"},
	{name: "seed", grid: flat, block: square, launch: func(x *host.Launch) { x.Seed = 7 }, body: "ld.global.u32 %r14, [%rd3]; shl.b32 %r12, %r3, 2; cvt.u64.u32 %rd4, %r12; add.s64 %rd5, %rd1, %rd4; st.global.u32 [%rd5], %r5; ld.global.u32 %r13, [%rd5]; st.global.u32 [%rd3+32768], %r13;"},
	{name: "wide products", grid: flat, block: square, height: 0x40000000, body: "mul.lo.u32 %r11, %r9, %r4; add.u32 %r12, %r11, %r5; mul.wide.s32 %rd4, %r12, 4; add.s64 %rd5, %rd1, %rd4; shl.b32 %r13, %r12, 2; cvt.u64.u32 %rd6, %r13; add.s64 %rd7, %rd1, %rd6; st.global.u32 [%rd7], %r5;"},
	{name: "products wrap", grid: flat, block: square, height: 0x40000000, body: "mul.lo.u32 %r11, %r9, %r4; mul.lo.u32 %r11, %r11, %r54; add.u32 %r12, %r11, %r5; shl.b32 %r13, %r12, 2; cvt.u64.u32 %rd6, %r13; add.s64 %rd7, %rd1, %rd6; ld.global.u32 %r14, [%rd7]; add.u32 %r14, %r14, %r4; st.global.u32 [%rd7], %r14;"},
	{name: "rows wrap", grid: [3]uint32{4, 4, 1}, block: square, height: 0x11111112, body: "shl.b32 %r11, %r55, 2; add.u32 %r11, %r11, 0; mul.lo.u32 %r12, %r9, %r11; mul.lo.u32 %r12, %r12, %r4; add.u32 %r12, %r12, %r5; mul.wide.s32 %rd4, %r12, 4; setp.gt.s32 %p1, %r12, 4000; @%p1 exit; setp.lt.s32 %p2, %r12, -4000; @%p2 exit; add.s64 %rd5, %rd1, %rd4; st.global.u32 [%rd5], %r5;"},
	{name: "unsigned rows", grid: [3]uint32{4, 4, 1}, block: square, body: "add.s32 %r11, %r1, -20; add.s32 %r12, %r2, -20; setp.ge.u32 %p1, %r11, %r8; setp.ge.u32 %p2, %r12, %r9; or.pred %p3, %p1, %p2; @%p3 exit; mad.lo.s32 %r13, %r12, %r8, %r11; mul.wide.s32 %rd4, %r13, 4; add.s64 %rd5, %rd1, %rd4; ld.global.u32 %r14, [%rd5]; st.global.u32 [%rd5+32768], %r14;"},
	{name: "far CTAs", grid: [3]uint32{60000, 1, 1}, block: [3]uint32{16, 2, 1}, body: "mul.lo.u32 %r11, %r54, 0x9000; setp.lt.s32 %p1, %r11, 0; @%p1 exit; and.b32 %r12, %r5, 31; mul.wide.u32 %rd4, %r12, 4; add.s64 %rd5, %rd1, %rd4; ld.global.u32 %r13, [%rd5]; add.u32 %r13, %r13, %r11; st.global.u32 [%rd5], %r13;"},
	{name: "far unsigned", grid: [3]uint32{3000, 1, 1}, block: [3]uint32{16, 4, 1}, body: "mul.lo.u32 %r11, %r54, 0x123456; setp.gt.u32 %p1, %r11, 0x08000000; @%p1 exit; mul.wide.u32 %rd4, %r5, 4; add.s64 %rd5, %rd1, %rd4; ld.global.u32 %r13, [%rd5]; add.u32 %r13, %r13, %r11; st.global.u32 [%rd5], %r13;"},
	{name: "lower halves", grid: flat, block: square, body: "mad.lo.s32 %r11, %r2, %r8, %r1; cvt.s64.s32 %rd4, %r11; add.s64 %rd4, %rd4, 0x700000005; cvt.u32.u64 %r12, %rd4; sub.s32 %r12, %r12, %r8; mul.wide.s32 %rd5, %r12, 4; add.s64 %rd6, %rd1, %rd5; ld.global.u32 %r13, [%rd6]; st.global.u32 [%rd3+32768], %r13;"},
	{name: "lower halves wrap", grid: flat, block: square, height: 0x40000000, body: "setp.gt.u32 %p1, %r4, 1; @%p1 exit; mul.lo.u32 %r11, %r9, %r4; cvt.u64.u32 %rd4, %r11; shl.b64 %rd4, %rd4, 4; cvt.u32.u64 %r12, %rd4; add.u32 %r12, %r12, %r5; mul.wide.s32 %rd5, %r12, 4; add.s64 %rd6, %rd1, %rd5; ld.global.u32 %r13, [%rd6]; add.u32 %r13, %r13, 1; st.global.u32 [%rd6], %r13;"},
	{name: "lower half of an address", grid: flat, block: square, body: "cvt.u32.u64 %r11, %rd1; and.b32 %r11, %r11, 0; add.s32 %r11, %r11, %r5; mul.wide.u32 %rd4, %r11, 4; add.s64 %rd5, %rd1, %rd4; ld.global.u32 %r13, [%rd5]; st.global.u32 [%rd3+32768], %r13;"},
	{name: "before the grid", grid: flat, block: square, body: "add.s32 %r11, %r54, -2; mul.lo.s32 %r12, %r11, 256; add.s32 %r12, %r12, %r5; setp.lt.s32 %p1, %r11, 0; @%p1 exit; mul.wide.s32 %rd4, %r12, 4; add.s64 %rd5, %rd1, %rd4; ld.global.u32 %r13, [%rd5]; add.u32 %r13, %r13, %r11; st.global.u32 [%rd5], %r13;"},
	{name: "least", grid: flat, block: square, body: "min.s32 %r11, %r54, 2; mad.lo.s32 %r12, %r11, 256, %r5; mul.wide.s32 %rd4, %r12, 4; add.s64 %rd5, %rd1, %rd4; ld.global.u32 %r13, [%rd5]; add.u32 %r13, %r13, %r11; st.global.u32 [%rd5], %r13;"},
	{name: "some lanes exit", grid: flat, block: square, body: "ld.global.u32 %r11, [%rd3]; setp.lt.u32 %p1, %r5, 77; @%p1 exit; setp.gt.u32 %p2, %r3, 11; @%p2 exit; add.u32 %r11, %r11, %r5; st.global.u32 [%rd3+32768], %r11;"},
	{name: "crossing", grid: flat, block: square, body: "ld.global.u32 %r11, [%rd3]; setp.lt.u32 %p1, %r3, 9; setp.gt.u32 %p2, %r4, 3; setp.eq.u32 %p3, %r3, 4; @%p1 bra A; add.u32 %r11, %r11, 1; @%p3 bra B; @%p2 bra B; add.u32 %r11, %r11, 2;\nA: mul.lo.u32 %r11, %r11, 3; @%p2 bra C; add.u32 %r11, %r11, 5;\nB: xor.b32 %r11, %r11, %r5; @%p3 bra C; add.u32 %r11, %r11, 9;\nC: st.global.u32 [%rd3+32768], %r11;"},
	{name: "loops", grid: flat, block: square, body: "ld.global.u32 %r11, [%rd3]; mov.u32 %r12, 0;\nA: add.u32 %r11, %r11, %r12; xor.b32 %r11, %r11, %r9; add.u32 %r12, %r12, 3; setp.lt.u32 %p1, %r12, %r3; @%p1 bra A; st.global.u32 [%rd3+32768], %r11;"},
	{name: "loop of a number", grid: flat, block: square, body: "ld.global.u32 %r11, [%rd3]; mov.u32 %r12, 0;\nA: add.u32 %r11, %r11, %r12; add.u32 %r12, %r12, 3; setp.lt.u32 %p1, %r12, %r9; @%p1 bra A; st.global.u32 [%rd3+32768], %r11;"},
	{name: "halves of a warp", grid: flat, block: square, body: "setp.lt.u32 %p1, %r3, 8; ld.global.u32 %r11, [%rd3]; @%p1 ld.global.u32 %r11, [%rd3+64]; @!%p1 add.u32 %r11, %r11, %r9; selp.b32 %r12, %r11, %r54, %p1; @%p1 st.global.u32 [%rd3+32768], %r12; st.global.u32 [%rd3+65536], %r11; @%p1 st.shared.u32 [%r10], %r12; ld.shared.u32 %r13, [%r10]; @!%p1 st.global.u32 [%rd3], %r13;"},
	{name: "numbers of halves", grid: flat, block: square, body: "setp.lt.u32 %p1, %r3, 8; mov.u32 %r11, %r54; @%p1 add.u32 %r11, %r11, 17; mad.lo.u32 %r12, %r11, 256, %r5; @%p1 mul.lo.u32 %r12, %r12, %r9; @!%p1 sub.u32 %r12, %r9, %r12; setp.lt.s32 %p2, %r11, %r8; @%p2 add.u32 %r12, %r12, 1; st.global.u32 [%rd3+32768], %r12;"},
	{name: "conditions", grid: flat, block: square, body: "setp.lt.s32 %p1, %r1, %r8; setp.lt.and.s32 %p2|%p3, %r2, %r9, %p1; setp.gt.or.u32 %p4|%p5, %r3, 4, %p2; not.pred %p6, %p4; ld.global.u32 %r11, [%rd3]; @%p2 add.u32 %r11, %r11, 1; @%p3 add.u32 %r11, %r11, 2; @%p4 add.u32 %r11, %r11, 4; @%p5 add.u32 %r11, %r11, 8; @%p6 add.u32 %r11, %r11, 16; st.global.u32 [%rd3+32768], %r11;"},
	{name: "equal", grid: flat, block: square, body: "setp.eq.u32 %p1, %r54, 2; @%p1 bra A; ld.global.u32 %r11, [%rd3]; setp.ne.u32 %p2, %r9, 64; @%p2 exit; st.global.u32 [%rd3+32768], %r11; bra E;\nA: st.global.u32 [%rd3], %r9;\nE: bar.sync 0;"},
	{name: "equal numbers", grid: flat, block: square, body: "setp.eq.u32 %p1, %r9, 64; @!%p1 exit; setp.ne.u32 %p2, %r54, 3; @!%p2 exit; ld.global.u32 %r11, [%rd3]; st.global.u32 [%rd3+32768], %r11;"},
	{name: "floats compared", grid: flat, block: square, body: "ld.global.f32 %f1, [%rd3]; setp.lt.f32 %p1, %f1, %f9; selp.f32 %f2, %f1, %f9, %p1; st.global.f32 [%rd3+32768], %f2;"},
	{name: "parameters compared", grid: flat, block: square, body: "ld.global.f32 %f1, [%rd3]; setp.lt.f32 %p1, %f9, 0f40000000; @%p1 add.f32 %f1, %f1, %f9; st.global.f32 [%rd3+32768], %f1;"},
	{name: "NaNs", grid: flat, block: square, body: "ld.global.u32 %r11, [%rd3]; or.b32 %r12, %r11, 0x7fc00000; mov.b32 %f1, %r12; add.f32 %f2, %f1, %f9; mov.b32 %r13, %f2; add.u32 %r13, %r13, 1; neg.f32 %f3, %f2; abs.f32 %f4, %f3; max.f32 %f5, %f2, %f1; sub.f32 %f6, %f3, %f4; st.global.u32 [%rd3+32768], %r13; st.global.f32 [%rd3+49152], %f3; st.global.f32 [%rd3+65536], %f6; st.global.f32 [%rd3+81920], %f5;"},
	{name: "1 thread", grid: flat, block: [3]uint32{1, 1, 1}, body: "ld.global.u32 %r11, [%rd3]; st.global.u32 [%rd3+32768], %r11;"},
	{name: "33 threads", grid: flat, block: [3]uint32{33, 1, 1}, body: "ld.global.u32 %r11, [%rd3]; st.global.u32 [%rd3+32768], %r11;"},
	{name: "stores that overlap", grid: flat, block: square, body: "ld.global.u32 %r11, [%rd3]; shl.b32 %r13, %r3, 2; mad.lo.u32 %r12, %r4, 8, %r13; cvt.u64.u32 %rd4, %r12; add.s64 %rd5, %rd1, %rd4; add.u32 %r11, %r11, %r5; st.global.u32 [%rd5+65536], %r11; ld.global.u32 %r14, [%rd5+65536]; st.global.u32 [%rd3+32768], %r14;"},
	{name: "brought", second: true, grid: flat, block: square, body: brought},
	{name: "brought, in place", grid: flat, block: square, body: strings.ReplaceAll(brought, "%rd20", "%rd1")},
	{name: "brought, other words", second: true, grid: flat, block: square, body: "mov.f32 %f5, %f9; ld.global.f32 %f1, [%rd3]; ld.global.f32 %f2, [%rd3+4096]; st.shared.f32 [%r10], %f1; setp.lt.u32 %p1, %r3, 5; @%p1 st.shared.f32 [%r10+4], %f2; bar.sync 0; ld.shared.f32 %f3, [%r10]; ld.shared.f32 %f4, [%r10+8]; add.s64 %rd4, %rd20, %rd2; @!%p1 ld.shared.f32 %f5, [%r10+64]; st.global.f32 [%rd4], %f3; st.global.f32 [%rd4+32768], %f4; @!%p1 st.global.f32 [%rd4+65536], %f5;"},
	{name: "brought, nobody wrote", second: true, grid: flat, block: square, body: "ld.global.f32 %f1, [%rd3]; st.shared.f32 [%r10], %f1; bar.sync 0; ld.shared.f32 %f3, [%r10+96]; ld.shared.f32 %f4, [%r10]; add.f32 %f3, %f3, %f4; add.s64 %rd4, %rd20, %rd2; st.global.f32 [%rd4], %f3;"},
	{name: "brought, then others", second: true, grid: flat, block: square, body: "ld.global.f32 %f1, [%rd3]; st.shared.f32 [%r10], %f1; bar.sync 0; ld.shared.f32 %f2, [%r10+64]; bar.sync 0; add.f32 %f3, %f1, %f2; st.shared.f32 [%r10], %f3; bar.sync 0; ld.shared.f32 %f4, [%r10+128]; add.f32 %f4, %f4, %f2; add.s64 %rd4, %rd20, %rd2; st.global.f32 [%rd4], %f4;"},
	{name: "brought twice", second: true, grid: flat, block: square, body: "ld.global.f32 %f1, [%rd3]; st.shared.f32 [%r10], %f1; bar.sync 0; ld.shared.f32 %f2, [%r10+4]; st.shared.f32 [%r10+2048], %f2; bar.sync 0; ld.shared.f32 %f3, [%r10+2112]; add.s64 %rd4, %rd20, %rd2; st.global.f32 [%rd4], %f3;"},
	{name: "brought twice, in place", grid: flat, block: square, body: "ld.global.f32 %f1, [%rd3]; st.shared.f32 [%r10], %f1; bar.sync 0; ld.shared.f32 %f2, [%r10+4]; st.shared.f32 [%r10+2048], %f2; st.global.f32 [%rd3], %f9; bar.sync 0; ld.shared.f32 %f3, [%r10+2112]; add.s64 %rd4, %rd20, %rd2; st.global.f32 [%rd3+4096], %f3;"},
	{name: "brought to one place", second: true, grid: flat, block: square, body: "ld.global.f32 %f1, [%rd3]; and.b32 %r11, %r5, 7; shl.b32 %r11, %r11, 2; add.u32 %r11, %r11, %r7; st.shared.f32 [%r11], %f1; ld.shared.f32 %f2, [%r11]; ld.shared.f32 %f4, [%r11+64]; bar.sync 0; ld.shared.f32 %f3, [%r11]; add.s64 %rd4, %rd20, %rd2; st.global.f32 [%rd4], %f3; st.global.f32 [%rd4+16384], %f2; st.global.f32 [%rd4+32768], %f4;"},
	{name: "brought to one place, some", second: true, grid: flat, block: square, body: "mov.f32 %f1, %f9; setp.gt.u32 %p1, %r3, 4; @%p1 ld.global.f32 %f1, [%rd3]; and.b32 %r11, %r5, 7; shl.b32 %r11, %r11, 2; add.u32 %r11, %r11, %r7; st.shared.f32 [%r11], %f1; ld.shared.f32 %f2, [%r11]; ld.shared.f32 %f4, [%r11+64]; bar.sync 0; ld.shared.f32 %f3, [%r11]; add.s64 %rd4, %rd20, %rd2; st.global.f32 [%rd4], %f3; st.global.f32 [%rd4+16384], %f2; st.global.f32 [%rd4+32768], %f4;"},
	{name: "brought, read before", second: true, grid: flat, block: square, body: "ld.global.f32 %f1, [%rd3]; ld.shared.f32 %f2, [%r10+4096]; st.shared.f32 [%r10+4096], %f1; bar.sync 0; ld.shared.f32 %f3, [%r10+4160]; add.s64 %rd4, %rd20, %rd2; setp.lt.s32 %p1, %r1, 40; @%p1 st.shared.f32 [%r10+2048], %f3; st.global.f32 [%rd4], %f3; st.global.f32 [%rd4+16384], %f2;"},
	{name: "barriers in turn", near: true, size: 1 << 20, grid: [3]uint32{1, 1, 1}, block: [3]uint32{264, 1, 1}, body: "ld.global.f32 %f1, [%rd3]; st.shared.f32 [%r10], %f1; bar.sync 0; ld.global.f32 %f3, [%rd3+0]; add.s32 %r20, %r1, 2; mad.lo.s32 %r20, %r2, %r8, %r20; mul.wide.s32 %rd10, %r20, 4; add.s64 %rd10, %rd1, %rd10; st.global.f32 [%rd10+65536], %f9; bar.sync 0; bar.sync 1; st.global.f32 [%rd3+0], %f9; ld.shared.f32 %f3, [%r10+12]; st.shared.f32 [%r10+2060], %f3; bar.sync 0; ld.shared.f32 %f2, [%r10+2104]; add.s64 %rd10, %rd20, %rd2; st.global.f32 [%rd10], %f9; st.global.f32 [%rd10+98304], %f2;"},
	{name: "kept for later", grid: flat, block: square, body: "ld.global.f32 %f1, [%rd3]; ld.global.f32 %f2, [%rd3+4]; mul.f32 %f3, %f1, %f2; st.shared.f32 [%r10], %f3; bar.sync 0; st.global.f32 [%rd3], %f9; ld.shared.f32 %f4, [%r10+4]; bar.sync 0; st.shared.f32 [%r10], %f9; fma.rn.f32 %f5, %f4, %f1, %f3; fma.rn.f32 %f6, %f1, %f5, %f1; bar.sync 0; add.f32 %f7, %f6, %f2; st.global.f32 [%rd3+32768], %f7; add.f32 %f8, %f5, %f5; fma.rn.f32 %f5, %f5, %f5, %f5; st.global.f32 [%rd3+65536], %f5; st.global.f32 [%rd3+98304], %f8;"},
	{name: "a guard that changes", grid: flat, block: square, body: "setp.lt.u32 %p1, %r3, 6; ld.global.u32 %r11, [%rd3]; @%p1 setp.gt.u32 %p1, %r4, 7; @%p1 add.u32 %r11, %r11, 100; @!%p1 bra A; mov.u32 %r12, %r9; bra B;\nA: mov.u32 %r12, %r54;\nB: add.u32 %r11, %r11, %r12; mad.lo.u32 %r11, %r12, %r12, %r11; st.global.u32 [%rd3+32768], %r11;"},
	{name: "warps part", grid: flat, block: square, body: "ld.global.u32 %r11, [%rd3]; mov.u32 %r12, %r9; setp.ge.u32 %p1, %r4, 8; @%p1 bra A; add.u32 %r12, %r12, %r54; mul.lo.u32 %r12, %r12, 2; bar.sync 0; bra B;\nA: shl.b32 %r12, %r12, 1; bar.sync 0; st.shared.u32 [%r10], %r11;\nB: bar.sync 0; ld.shared.u32 %r13, [%r10+512]; mad.lo.u32 %r13, %r12, 3, %r13; setp.lt.s32 %p2, %r12, 128; @%p2 st.global.u32 [%rd3+65536], %r12; st.global.u32 [%rd3+32768], %r13;"},
	{name: "address of halves", grid: flat, block: square, body: "setp.lt.u32 %p1, %r3, 8; mov.u64 %rd4, %rd3; @%p1 add.s64 %rd4, %rd4, 1024; ld.global.u32 %r11, [%rd4]; mul.wide.u32 %rd5, %r54, 64; add.s64 %rd6, %rd4, %rd5; ld.global.u32 %r12, [%rd6]; add.u32 %r11, %r11, %r12; st.global.u32 [%rd3+32768], %r11;"},
	{name: "v2 of lanes from 24 on", grid: flat, block: square, body: "and.b32 %r11, %r5, 31; setp.ge.u32 %p1, %r11, 24; mul.wide.u32 %rd11, %r5, 8; add.s64 %rd11, %rd1, %rd11; ld.global.f32 %f1, [%rd3]; add.f32 %f2, %f1, %f1; st.global.f32 [%rd3+32768], %f2; @%p1 st.global.v2.f32 [%rd11], {%f1, %f2};"},
	{name: "v2 of lanes from 16 on", grid: flat, block: square, body: "and.b32 %r11, %r5, 31; setp.ge.u32 %p1, %r11, 16; mul.wide.u32 %rd11, %r5, 8; add.s64 %rd11, %rd1, %rd11; ld.global.f32 %f1, [%rd3]; add.f32 %f2, %f1, %f1; st.global.f32 [%rd3+32768], %f2; @%p1 st.global.v2.f32 [%rd11], {%f1, %f2};"},
	{name: "v4 of lanes from 24 on", grid: flat, block: square, body: "and.b32 %r11, %r5, 31; setp.ge.u32 %p1, %r11, 24; mul.wide.u32 %rd11, %r5, 16; add.s64 %rd11, %rd1, %rd11; ld.global.f32 %f1, [%rd3]; add.f32 %f2, %f1, %f1; st.global.f32 [%rd3+32768], %f2; @%p1 st.global.v4.f32 [%rd11], {%f1, %f2, %f1, %f2};"},
	{name: "shifted right", grid: flat, block: square, body: "shr.u32 %r11, %r5, 4; and.b32 %r12, %r5, 15; mad.lo.u32 %r13, %r12, 17, %r11; shl.b32 %r13, %r13, 2; add.u32 %r13, %r13, %r7; mad.lo.u32 %r14, %r11, 17, %r12; shl.b32 %r14, %r14, 2; add.u32 %r14, %r14, %r7; ld.global.u32 %r15, [%rd3]; st.shared.u32 [%r13], %r15; bar.sync 0; ld.shared.u32 %r16, [%r14]; st.global.u32 [%rd3+32768], %r16;"},
	{name: "sixty four bits", grid: flat, block: square, body: "cvt.s64.s32 %rd4, %r2; cvt.s64.s32 %rd5, %r8; mul.lo.s64 %rd6, %rd4, %rd5; cvt.s64.s32 %rd7, %r1; add.s64 %rd8, %rd6, %rd7; shl.b64 %rd8, %rd8, 2; add.s64 %rd9, %rd1, %rd8; ld.global.u32 %r11, [%rd9]; st.global.u32 [%rd9+32768], %r11;"},
	{name: "negative rows", grid: [3]uint32{2, 4, 1}, block: square, height: 1<<32 - 64, body: "mad.lo.s32 %r11, %r2, %r9, %r1; mul.wide.s32 %rd4, %r11, 4; add.s64 %rd5, %rd1, %rd4; ld.global.u32 %r12, [%rd5]; add.u32 %r12, %r12, %r5; st.global.u32 [%rd5], %r12;"},
	{name: "many temporaries", grid: flat, block: square, body: temporaries()},
	{name: "huge grid", grid: [3]uint32{3000, 2, 1}, block: [3]uint32{8, 8, 4}, body: "mul.wide.u32 %rd4, %r5, 4; add.s64 %rd5, %rd1, %rd4; ld.global.u32 %r11, [%rd5]; mad.lo.u32 %r11, %r11, 3, %r54; st.shared.u32 [%r10], %r11; bar.sync 0; ld.shared.u32 %r12, [%r10+64]; add.u32 %r12, %r12, %r55; st.global.u32 [%rd5], %r12;"},
	{name: "fuel", grid: [3]uint32{3000, 1, 1}, block: [3]uint32{8, 8, 4}, launch: func(x *host.Launch) { x.MaxSteps = 200000 }, workers: 1, body: "mul.wide.u32 %rd4, %r5, 4; add.s64 %rd5, %rd1, %rd4; ld.global.u32 %r11, [%rd5]; mad.lo.u32 %r11, %r11, 3, %r54; st.shared.u32 [%r10], %r11; bar.sync 0; ld.shared.u32 %r12, [%r10+64]; add.u32 %r12, %r12, %r55; st.global.u32 [%rd5], %r12;"},
}

// brought reads from shared memory what was loaded into it, a row before and behind, and stores it elsewhere.
const brought = "ld.global.f32 %f1, [%rd3]; st.shared.f32 [%r10+128], %f1; setp.lt.u32 %p1, %r5, 64; @!%p1 bra A; ld.global.f32 %f2, [%rd3+4096]; st.shared.f32 [%r10+1152], %f2;\nA: bar.sync 0; ld.shared.f32 %f3, [%r10+132]; ld.shared.f32 %f4, [%r10+192]; add.f32 %f5, %f3, %f4; add.s64 %rd4, %rd20, %rd2; st.global.f32 [%rd4+64], %f5; setp.lt.s32 %p2, %r1, 90; @%p2 st.global.f32 [%rd4+32768], %f4;"

// temporaries keeps values while others are divided, and takes roots.
func temporaries() string {
	var b strings.Builder
	for i := range 8 {
		fmt.Fprintf(&b, "ld.global.f32 %%f%d, [%%rd3+%d]; ", 10+i, 4*i)
	}
	for i := range 7 {
		fmt.Fprintf(&b, "div.rn.f32 %%f1, %%f%d, %%f%d; sqrt.rn.f32 %%f2, %%f1; ex2.approx.f32 %%f3, %%f2; fma.rn.f32 %%f%d, %%f3, %%f1, %%f%d; ", 10+i, 11+i, 10+i, 17-i)
	}
	for i := range 8 {
		fmt.Fprintf(&b, "st.global.f32 [%%rd3+%d], %%f%d; ", 32768+4096*i, 10+i)
	}
	return b.String()
}

// flat and square are a row of CTAs, and a block of squares.
var flat, square = [3]uint32{6, 1, 1}, [3]uint32{16, 16, 1}

// TestCTALaunches runs the CTAs of a kernel in grids that differ, one after the other: what lasts for a launch does not last longer.
func TestCTALaunches(t *testing.T) {
	e := ctaEdge{block: square, body: "mov.u32 %r11, %ctaid.z; mov.u32 %r12, %nctaid.x; mov.u32 %r13, %nctaid.y; mov.u32 %r14, %total_smem_size; mad.lo.u32 %r15, %r12, 1000, %r13; mad.lo.u32 %r15, %r15, 1000, %r14; mad.lo.u32 %r16, %r11, %r13, %r55; mad.lo.u32 %r16, %r16, %r12, %r54; mad.lo.u32 %r17, %r16, 256, %r5; mul.wide.u32 %rd4, %r17, 4; add.s64 %rd5, %rd1, %rd4; ld.global.u32 %r18, [%rd5]; mad.lo.u32 %r18, %r15, 3, %r18; bar.sync 0; st.global.u32 [%rd5], %r18;"}
	l := newLaboratory(t, "k.ptx", edgeHeader+e.body+"\nret;\n}\n")
	buf, _ := l.arena.Alloc(1<<17, mem.Info{Label: "buf"})
	l.keep = true
	for _, v := range []jit.Vectors{jit.AVX2, jit.AVX512} {
		l.decoder = nil
		en := engine(t, jit.Options{Vectors: v})
		for i := range uint32(6) {
			var memory [2][]byte
			for k, compile := range []host.Compiler{nil, en.Install} {
				clear(l.arena.Bytes(buf, 1<<17))
				_, err := l.launch(t, "k", [3]uint32{1 + i%3, 2, 5 - i%2*3}, e.block, func(x *host.Launch) { x.Compile, x.Shared = compile, x.Shared+1024*(i%2) }, buf, uint32(64), uint32(64), uint32(0), uint64(0))
				if memory[k] = bytes.Clone(l.arena.Bytes(buf, 1<<17)); err != nil {
					t.Fatal(err)
				}
			}
			if !bytes.Equal(memory[0], memory[1]) {
				t.Errorf("%v: launch %d differs from the interpreter's", v, i)
			}
		}
	}
}

// TestCTAEdges runs them.
func TestCTAEdges(t *testing.T) {
	for i := range ctaEdges {
		t.Run(ctaEdges[i].name, ctaEdges[i].compare)
	}
}
