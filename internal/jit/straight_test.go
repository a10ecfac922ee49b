package jit_test

import (
	"bytes"
	"fmt"
	"testing"

	"ptxvm.invalid/ptxvm/internal/host"
	"ptxvm.invalid/ptxvm/internal/jit"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/mem"
)

// kernelHeader has the thread's number in the launch in %r1, n in %r9, and the place of its word in %rd3.
const kernelHeader = `.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 buf, .param .u32 n) {
	.reg .b32 %r<40>; .reg .b64 %rd<20>; .reg .b16 %h<9>; .reg .pred %p<9>; .reg .f32 %f<9>;
	ld.param.u64 %rd1, [buf];
	ld.param.u32 %r9, [n];
	mov.u32 %r2, %tid.x; mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x;
	mad.lo.u32 %r1, %r3, %r4, %r2;
	mul.wide.s32 %rd2, %r1, 4;
	add.u64 %rd3, %rd1, %rd2;
`

// straightCases are kernels without loops.
var straightCases = map[string]string{
	"guarded":     "setp.ge.s32 %p1, %r1, %r9; @%p1 exit; ld.global.f32 %f1, [%rd3]; ld.global.f32 %f2, [%rd3+8192]; fma.rn.f32 %f3, %f1, %f1, %f2; st.global.f32 [%rd3+8192], %f3; ret;",
	"jump":        "setp.lt.u32 %p1, %r9, %r1; @%p1 bra A; ld.global.u32 %r10, [%rd3]; add.u32 %r10, %r10, %r1; st.global.u32 [%rd3+4096], %r10; A: ret;",
	"two guards":  "setp.ge.u32 %p1, %r1, %r9; @%p1 bra A; setp.gt.s32 %p2, %r3, 3; @%p2 bra A; st.global.u32 [%rd3+4096], %r1; A: ret;",
	"negated":     "setp.lt.u32 %p1, %r1, %r9; @!%p1 bra A; st.global.u32 [%rd3+4096], %r2; A: ret;",
	"other arm":   "setp.lt.u32 %p1, %r1, %r9; @%p1 bra A; st.global.u32 [%rd3+4096], %r2; A: ret;",
	"down":        "neg.s32 %r10, %r1; mul.wide.s32 %rd4, %r10, 4; add.u64 %rd5, %rd1, %rd4; setp.lt.s32 %p1, %r10, %r9; @!%p1 exit; ld.global.u32 %r11, [%rd5]; st.global.u32 [%rd5+-4], %r11; ret;",
	"wide":        "mul.wide.u32 %rd4, %r1, 8; add.u64 %rd5, %rd1, %rd4; ld.global.u64 %rd6, [%rd5]; add.u64 %rd6, %rd6, %rd5; st.global.u64 [%rd5+16384], %rd6; ret;",
	"narrow":      "cvt.u64.u32 %rd4, %r1; add.u64 %rd5, %rd1, %rd4; ld.global.s8 %r10, [%rd5]; add.u32 %r10, %r10, 3; st.global.u8 [%rd5+4096], %r10; ret;",
	"strided":     "mul.wide.u32 %rd4, %r1, 12; add.u64 %rd5, %rd1, %rd4; ld.global.u32 %r10, [%rd5]; st.global.u32 [%rd5+4], %r10; ret;",
	"overlapping": "ld.global.u32 %r10, [%rd3+-128]; mad.lo.u32 %r10, %r10, 3, %r1; st.global.u32 [%rd3], %r10; ret;",
	"one place":   "ld.global.u32 %r10, [%rd1+-64]; add.u32 %r10, %r10, %r1; st.global.u32 [%rd1+-64], %r10; st.global.u32 [%rd3], %r10; ret;",
	"predicates":  "ld.global.u32 %r10, [%rd3]; setp.gt.u32 %p1, %r10, %r1; setp.lt.and.s32 %p2, %r10, 0, %p1; not.pred %p3, %p2; selp.u32 %r11, %r10, %r1, %p3; selp.u32 %r12, %r11, 7, %p1; st.global.u32 [%rd3+4096], %r12; ret;",
	"numbers":     "cvt.rn.f32.u32 %f1, %r1; st.global.f32 [%rd3], %f1; add.u32 %r10, %r2, %r3; st.global.u32 [%rd3+8192], %r10; st.global.u64 [%rd3+16380], %rd2; ret;",
	"home":        "add.u32 %r10, %r1, 5; setp.ge.u32 %p1, %r1, %r9; @%p1 exit; mul.wide.u32 %rd4, %r10, 4; add.u64 %rd5, %rd4, %rd1; st.global.u32 [%rd5], %r10; cvt.rn.f32.u32 %f1, %r10; st.global.f32 [%rd5+8192], %f1; ret;",
	"home again":  "add.u32 %r10, %r1, 5; mul.wide.u32 %rd4, %r10, 4; add.u64 %rd5, %rd4, %rd1; st.global.u32 [%rd5], %r1; setp.ge.u32 %p1, %r1, %r9; @%p1 exit; cvt.rn.f32.u32 %f1, %r10; mul.lo.u32 %r10, %r1, 3; mul.wide.u32 %rd6, %r10, 4; add.u64 %rd7, %rd1, %rd6; st.global.f32 [%rd7+4], %f1; ret;",
	"home loaded": "add.u32 %r10, %r1, 5; mul.wide.u32 %rd4, %r10, 4; add.u64 %rd5, %rd4, %rd1; st.global.u32 [%rd5], %r1; setp.ge.u32 %p1, %r1, %r9; @%p1 exit; cvt.rn.f32.u32 %f1, %r10; ld.global.u32 %r10, [%rd5+4096]; cvt.rn.f32.u32 %f2, %r10; add.f32 %f1, %f1, %f2; st.global.f32 [%rd5+8192], %f1; ret;",
	"slots":       "mul.lo.u32 %r10, %r3, 3; add.u32 %r11, %r10, %r1; st.global.u32 [%rd3], %r11; mul.lo.u32 %r10, %r3, 5; add.u32 %r11, %r10, %r1; st.global.u32 [%rd3+8192], %r11; ret;",
	"redefined":   "add.u32 %r10, %r1, 5; mul.wide.u32 %rd4, %r10, 4; add.u64 %rd5, %rd1, %rd4; st.global.u32 [%rd5], %r10; add.u32 %r10, %r1, 9; mul.wide.u32 %rd4, %r10, 4; add.u64 %rd5, %rd1, %rd4; st.global.u32 [%rd5+4096], %r10; ret;",
	"uniform":     "setp.eq.u32 %p1, %r3, 3; @%p1 bra A; mul.lo.u32 %r10, %r3, 7; add.u32 %r11, %r10, %r9; st.global.u32 [%rd3], %r11; A: ret;",
	"place":       "mov.u32 %r10, %ctaid.y; mov.u32 %r11, %ctaid.z; mov.u32 %r12, %smid; mad.lo.u32 %r13, %r10, 100, %r11; mad.lo.u32 %r13, %r13, 100, %r12; st.global.u32 [%rd3], %r13; ret;",
	"lanes":       "mov.u32 %r10, %laneid; mov.u32 %r11, %lanemask_lt; add.u32 %r12, %r10, %r11; st.global.u32 [%rd3], %r12; ret;",
	"warps":       "mov.u32 %r10, %warpid; mad.lo.u32 %r11, %r10, 1000, %r2; st.global.u32 [%rd3], %r11; ret;",
	"threads":     "mov.u32 %r10, %tid.y; mov.u32 %r11, %tid.z; mad.lo.u32 %r12, %r10, 100, %r11; mad.lo.u32 %r12, %r12, 100, %r2; st.global.u32 [%rd3], %r12; ret;",
	"rows":        "mov.u32 %r10, %tid.y; mov.u32 %r11, %tid.z; shl.b32 %r12, %r10, 6; add.u32 %r13, %r12, %r2; mad.lo.u32 %r14, %r11, 1024, %r13; mul.wide.u32 %rd4, %r14, 4; add.u64 %rd5, %rd1, %rd4; ld.global.u32 %r15, [%rd5]; add.u32 %r15, %r15, 77; st.global.u32 [%rd5], %r15; setp.gt.u32 %p1, %r10, 40; @%p1 exit; st.global.u32 [%rd5+4096], %r10; ret;",
	"outside":     "add.u64 %rd4, %rd3, 27000; st.global.u32 [%rd4], %r1; ret;",
	"below":       "neg.s32 %r10, %r1; mul.wide.s32 %rd4, %r10, 28; add.u64 %rd5, %rd1, %rd4; st.global.u32 [%rd5], %r1; ret;",
	"unaligned":   "st.global.u32 [%rd3], %r1; add.u64 %rd4, %rd3, 4098; setp.gt.u32 %p1, %r3, 3; @!%p1 bra A; st.global.u32 [%rd4], %r1; A: ret;",
	"wraps":       "add.u32 %r10, %r1, 0x7ffffd80; mul.wide.s32 %rd4, %r10, 4; shr.u64 %rd5, %rd4, 61; shl.b64 %rd6, %rd5, 3; add.u64 %rd7, %rd6, %rd3; ld.global.u32 %r11, [%rd7]; st.global.u32 [%rd3+8192], %r11; sub.u32 %r12, %r10, 0x7ffffd80; cvt.u64.u32 %rd8, %r12; add.u64 %rd9, %rd8, %rd1; setp.gt.s32 %p1, %r10, 5; @!%p1 exit; st.global.u8 [%rd9+16384], %r1; ret;",
}

// compareKernel is compareTwice for a kernel behind kernelHeader.
func compareKernel(t *testing.T, body string, grid, block [3]uint32, n uint32) {
	t.Helper()
	compareKernelIn(t, 1<<16, body, grid, block, n)
}

// compareKernelIn is compareKernel with a buffer of some bytes, the parameter in its middle.
func compareKernelIn(t *testing.T, size uint64, body string, grid, block [3]uint32, n uint32) {
	t.Helper()
	compareTwice(t, kernelHeader+body+"\n}\n", size, size/2, grid, block, n)
}

// compareTwice holds both widths to the interpreter, twice on the same device: memory, counts and faults of a kernel whose
// first parameter points into a buffer.
func compareTwice(t *testing.T, text string, size, at uint64, grid, block [3]uint32, args ...any) {
	t.Helper()
	compareBy(t, []jit.Options{{Vectors: jit.AVX2}, {Vectors: jit.AVX512}}, text, size, at, grid, block, args...)
}

// compareBy is compareTwice for code that is made in some ways.
func compareBy(t *testing.T, ways []jit.Options, text string, size, at uint64, grid, block [3]uint32, args ...any) {
	t.Helper()
	l := newLaboratory(t, "k.ptx", text)
	buf, _ := l.arena.Alloc(size, mem.Info{Label: "buf"})
	all := l.arena.Bytes(buf, size)
	l.keep = true
	launch := func(compile host.Compiler) (memory []byte, s machine.Stats, fault string) {
		for i := range all {
			all[i] = byte(i*7 + i>>6)
		}
		s, err := l.launch(t, "k", grid, block, func(x *host.Launch) { x.Compile = compile }, append([]any{buf + at}, args...)...)
		return bytes.Clone(all), s, fmt.Sprint(err)
	}
	want, stats, fault := launch(nil)
	for _, v := range ways {
		l.decoder = nil
		e := engine(t, v)
		for range 2 {
			got, s, err := launch(e.Install)
			if err != fault || !bytes.Equal(got, want) || fault == "<nil>" && (s.Steps != stats.Steps || s.LaneOps != stats.LaneOps || s.CTAs != stats.CTAs) {
				t.Errorf("%v %v, %v: %s; %d steps, %d lane-ops, %d CTAs, memory equal: %v; the interpreter: %s; %d, %d, %d", v, block, args, err, s.Steps, s.LaneOps, s.CTAs, bytes.Equal(got, want), fault, stats.Steps, stats.LaneOps, stats.CTAs)
			}
		}
	}
}

// TestStraight runs kernels that only go forward, in all shapes of blocks.
func TestStraight(t *testing.T) {
	for name, body := range straightCases {
		t.Run(name, func(t *testing.T) {
			for _, block := range [][3]uint32{{256, 1, 1}, {32, 1, 1}, {64, 2, 1}, {16, 16, 1}, {8, 8, 4}, {33, 1, 1}, {1, 1, 1}} {
				for _, n := range []uint32{0, 1, 600, 640, 1279, 1 << 20} {
					compareKernel(t, body, [3]uint32{5, 1, 1}, block, n)
				}
			}
		})
	}
}
