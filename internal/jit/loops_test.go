package jit_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/internal/jit"
	"ptxvm.invalid/ptxvm/internal/mem"
)

// chains is n sums that a turn of a loop changes, to be added up.
func chains(n int) (begin, turn, end string) {
	var b, l, e strings.Builder
	for k := range n {
		fmt.Fprintf(&b, ".reg .f32 %%s%d; .reg .b32 %%q%d; add.u32 %%q%d, %%r1, %d; cvt.rn.f32.u32 %%s%d, %%q%d;\n", k, k, k, 3*k, k, k)
		fmt.Fprintf(&l, "fma.rn.f32 %%s%d, %%s%d, 0f3F7FBE77, %%f8;\n", k, k)
		fmt.Fprintf(&e, "add.f32 %%s0, %%s0, %%s%d;\n", k)
	}
	return "mov.f32 %f8, 0f3F000000;\n" + b.String(), l.String(), e.String() + "st.global.f32 [%rd2], %s0;\n"
}

// counted is a loop of many chains with a counter.
func counted(begin, turn string) string {
	first, body, end := chains(18)
	return first + begin + "\nL:\n" + body + turn + "\n@%p1 bra L;\n" + end + "st.global.u32 [%rd2+4096], %r20;"
}

// loopCases are loops with counters of all kinds, and loads at addresses that follow from them.
var loopCases = map[string]string{
	"up, signed":       counted("mov.u32 %r20, -5;", "add.s32 %r20, %r20, 1; setp.lt.s32 %p1, %r20, %r9;"),
	"up, unsigned":     counted("mov.u32 %r20, 3;", "add.u32 %r20, %r20, 4; setp.le.u32 %p1, %r20, 131;"),
	"down":             counted("mov.u32 %r20, 77;", "add.s32 %r20, %r20, -4; setp.gt.s32 %p1, %r20, -9;"),
	"down, unsigned":   counted("mov.u32 %r20, 77;", "sub.u32 %r20, %r20, 2; setp.ge.u32 %p1, %r20, %r9;"),
	"not equal":        counted("mov.u32 %r20, 96;", "add.s32 %r20, %r20, -8; setp.ne.s32 %p1, %r20, 0;"),
	"not equal, up":    counted("mov.u32 %r20, -31;", "add.s32 %r20, %r20, 1; setp.ne.s32 %p1, %r20, 0;"),
	"turned round":     counted("mov.u32 %r20, 0;", "add.u32 %r20, %r20, 1; setp.gt.u32 %p1, %r9, %r20;"),
	"negated":          counted("mov.u32 %r20, 0;", "add.u32 %r20, %r20, 1; setp.ge.u32 %p1, %r20, %r9; not.pred %p1, %p1;"),
	"64 bits":          counted("mov.u64 %rd9, -7; mov.u32 %r20, 0;", "add.s64 %rd9, %rd9, 1; setp.lt.s64 %p1, %rd9, 40;"),
	"64 bits unsigned": counted("mov.u64 %rd9, 7; mov.u32 %r20, 0;", "add.s64 %rd9, %rd9, 1; setp.le.u64 %p1, %rd9, 40;"),
	"few":              counted("mov.u32 %r20, 20;", "add.u32 %r20, %r20, 1; setp.lt.u32 %p1, %r20, %r9;"),
	"one":              counted("mov.u32 %r20, 30;", "add.u32 %r20, %r20, 1; setp.lt.u32 %p1, %r20, %r9;"),
	"none certain":     counted("mov.u32 %r20, 5;", "add.u32 %r20, %r20, 2; setp.ne.u32 %p1, %r20, 23;"),
	"long":             counted("mov.u32 %r20, 0;", "add.u32 %r20, %r20, 1; setp.lt.u32 %p1, %r20, 1500;"),
	"inner":            counted("mov.u32 %r20, 0; mov.u32 %r21, 0;\nM: mov.u32 %r20, 0;", "add.u32 %r20, %r20, 1; setp.lt.u32 %p1, %r20, %r9; @%p1 bra L; add.u32 %r21, %r21, 1; setp.lt.u32 %p2, %r21, 5; @%p2 bra M; setp.ne.u32 %p1, %r21, 5;"),
	"choices":          counted("mov.u32 %r20, 0;", "setp.gt.f32 %p2, %s3, 0f42000000; selp.f32 %s3, %s4, %s3, %p2; min.f32 %s5, %s5, %s6; and.b32 %r21, %r8, %r20; add.u32 %r20, %r20, 1; setp.lt.u32 %p1, %r20, %r9;"),
	"choices alone":    counted("mov.u32 %r20, 0;", "setp.gt.f32 %p2, %s3, 0f42000000; selp.f32 %s3, %s4, %s3, %p2; min.f32 %s5, %s5, %s6; mov.f32 %s7, %s1; mov.f32 %s1, %s2; mov.f32 %s2, %s7; add.u32 %r20, %r20, 1; setp.lt.u32 %p1, %r20, %r9;"),
	"loads":            counted("mad.lo.u32 %r25, %r3, %r5, %r2; mul.wide.u32 %rd6, %r25, 4; add.u64 %rd3, %rd1, %rd6; mul.wide.u32 %rd4, %r3, 64; add.u64 %rd4, %rd4, %rd1; mov.u32 %r20, 0;", "ld.global.f32 %f1, [%rd3]; ld.global.f32 %f2, [%rd4+-4]; fma.rn.f32 %s1, %f1, %f2, %s1; add.u64 %rd3, %rd3, 4; ld.global.f32 %f3, [%rd3+128]; add.f32 %s2, %s2, %f3; add.u64 %rd4, %rd4, -8; ld.global.f32 %f4, [%rd4]; add.f32 %s2, %s2, %f4; add.u32 %r20, %r20, 1; setp.lt.u32 %p1, %r20, %r9;"),
	"one place":        counted("mov.u64 %rd3, %rd1; mov.u32 %r20, 0;", "ld.global.f32 %f1, [%rd3]; ld.global.v2.f32 {%f2, %f3}, [%rd3+8]; fma.rn.f32 %s1, %f1, %f2, %s1; add.f32 %s2, %s2, %f3; add.u64 %rd3, %rd3, 16; add.u32 %r20, %r20, 1; setp.lt.u32 %p1, %r20, %r9;"),
	"by a parameter":   counted("mad.lo.u32 %r25, %r3, %r5, %r2; mul.wide.u32 %rd6, %r25, 4; add.u64 %rd3, %rd1, %rd6; mul.wide.u32 %rd5, %r9, 4; mov.u32 %r20, 0;", "ld.global.f32 %f1, [%rd3]; add.f32 %s1, %s1, %f1; add.u64 %rd3, %rd3, %rd5; add.u32 %r20, %r20, 1; setp.lt.u32 %p1, %r20, %r9;"),
	"kept":             counted("mad.lo.u32 %r25, %r3, %r5, %r2; mul.wide.u32 %rd6, %r25, 4; add.u64 %rd3, %rd1, %rd6; mov.u32 %r20, 0;", "ld.global.f32 %f1, [%rd3]; ld.global.f32 %f2, [%rd3+4]; add.f32 %s1, %s1, %f1; add.u64 %rd3, %rd3, 4; add.u32 %r20, %r20, 1; setp.lt.u32 %p1, %r20, %r9;") + "st.global.f32 [%rd2+8192], %f2; sub.u64 %rd3, %rd3, %rd1; cvt.u32.u64 %r21, %rd3; st.global.u32 [%rd2+12288], %r21;",
	"indices":          counted("mov.u32 %r20, 7; mov.u32 %r25, %r2; add.u32 %r21, %r5, 5;", "mul.wide.s32 %rd6, %r25, 4; add.s64 %rd3, %rd1, %rd6; ld.global.f32 %f1, [%rd3]; add.f32 %s1, %s1, %f1; add.s32 %r25, %r25, %r21; setp.lt.s32 %p1, %r25, 3000;"),
	"indices, around":  counted("mov.u32 %r20, 7; mov.u32 %r25, %r2; add.u32 %r21, %r5, 5;", "add.s32 %r22, %r25, %r9; sub.s32 %r23, %r22, 4; mul.wide.u32 %rd6, %r23, 4; sub.s64 %rd7, %rd6, 64; add.s64 %rd3, %rd7, %rd1; ld.global.f32 %f1, [%rd3+4]; add.f32 %s1, %s1, %f1; add.s32 %r25, %r21, %r25; setp.ge.u32 %p1, 3000, %r25;"),
	"indices by three": counted("mov.u32 %r20, 7; add.u32 %r25, %r2, 2;", "cvt.s64.s32 %rd6, %r25; shl.b64 %rd7, %rd6, 2; add.s64 %rd3, %rd1, %rd7; ld.global.f32 %f1, [%rd3]; add.f32 %s1, %s1, %f1; add.s32 %r25, %r25, 3; setp.le.s32 %p1, %r25, 131;"),
	"indices kept":     counted("mov.u32 %r20, 0; mov.u32 %r25, %r2;", "mul.wide.s32 %rd6, %r25, 4; add.s64 %rd3, %rd1, %rd6; ld.global.f32 %f1, [%rd3]; add.f32 %s1, %s1, %f1; add.s32 %r25, %r25, %r5; add.u32 %r20, %r20, 1; setp.lt.u32 %p1, %r20, %r9;") + "sub.u64 %rd3, %rd3, %rd1; cvt.u32.u64 %r21, %rd3; st.global.u32 [%rd2+12288], %r21; cvt.u32.u64 %r22, %rd6; st.global.u32 [%rd2+16384], %r22;",
	"indices downward": counted("mov.u32 %r20, 2; neg.s32 %r22, %r5; add.u32 %r21, %r2, 3000;", "mul.wide.s32 %rd6, %r21, 4; add.s64 %rd3, %rd1, %rd6; ld.global.f32 %f1, [%rd3]; add.f32 %s1, %s1, %f1; add.s32 %r21, %r21, %r22; add.u32 %r20, %r20, 1; setp.lt.u32 %p1, %r20, %r9;"),
	"not up":           counted("mov.u32 %r20, 7; mov.u32 %r25, %r2; sub.u32 %r21, %r9, 24; mov.u32 %r23, 0;", "add.s32 %r23, %r23, 1; mul.wide.s32 %rd6, %r25, 4; add.s64 %rd3, %rd1, %rd6; ld.global.f32 %f1, [%rd3]; add.f32 %s1, %s1, %f1; sub.s32 %r25, %r25, %r21; setp.gt.s32 %p1, 20, %r23;"),
	"round the end":    counted("mov.u32 %r20, 7; mov.u32 %r25, 0x7fffff00; add.u32 %r21, %r9, 40; mov.u64 %rd7, 0x3fffff80;", "mul.wide.s32 %rd6, %r25, 2; shr.s64 %rd4, %rd6, 34; mul.lo.s64 %rd5, %rd7, 0; add.s64 %rd3, %rd1, %rd4; ld.global.u8 %r22, [%rd3]; cvt.rn.f32.u32 %f1, %r22; add.f32 %s1, %s1, %f1; add.u32 %r25, %r25, %r21; setp.lt.u32 %p1, %r25, 0x80000f00;"),
	"one by the other": counted("mov.u32 %r20, 7; mov.u32 %r25, %r2; mov.u32 %r21, 1;", "mul.wide.s32 %rd6, %r25, 4; add.s64 %rd3, %rd1, %rd6; ld.global.f32 %f1, [%rd3]; add.f32 %s1, %s1, %f1; add.s32 %r25, %r25, %r21; add.s32 %r21, %r21, 1; setp.lt.s32 %p1, %r25, 3000;"),
	"before and after": counted("mov.u32 %r20, 7; mov.u32 %r25, %r2;", "add.s32 %r25, %r25, %r5; mul.wide.s32 %rd6, %r25, 4; add.s64 %rd3, %rd1, %rd6; ld.global.f32 %f1, [%rd3]; add.f32 %s1, %s1, %f1; setp.lt.s32 %p1, %r25, 3000;"),
	"shared":           "mov.u32 %r10, smem; and.b32 %r22, %r8, 1023; add.u32 %r11, %r10, %r22; st.shared.u32 [%r11], %r1; bar.sync 0; mad.lo.u32 %r12, %r3, 64, %r10; mad.lo.u32 %r13, %r2, 4, %r10; add.u32 %r14, %r12, 160; mov.f32 %f1, 0f00000000;\nL: ld.shared.f32 %f2, [%r12]; ld.shared.f32 %f3, [%r13+128]; fma.rn.f32 %f1, %f2, %f3, %f1; ld.shared.f32 %f2, [%r12+4]; ld.shared.f32 %f3, [%r13+192]; fma.rn.f32 %f1, %f2, %f3, %f1; add.u32 %r12, %r12, 8; add.u32 %r13, %r13, 128; setp.lt.u32 %p1, %r12, %r14; @%p1 bra L; st.global.f32 [%rd2], %f1;",
	"shared, counted":  "mov.u32 %r10, smem; and.b32 %r22, %r8, 1023; add.u32 %r11, %r10, %r22; st.shared.u32 [%r11], %r1; bar.sync 0; mad.lo.u32 %r12, %r3, 64, %r10; mad.lo.u32 %r13, %r2, 4, %r10; mov.u32 %r14, 0; mov.u32 %r1, 0;\nL: ld.shared.u32 %r15, [%r12]; ld.shared.u32 %r16, [%r13+128]; mad.lo.u32 %r1, %r15, %r16, %r1; ld.shared.u32 %r15, [%r12+4]; ld.shared.u32 %r16, [%r13+192]; mad.lo.u32 %r1, %r15, %r16, %r1; add.u32 %r12, %r12, 8; add.u32 %r13, %r13, 128; add.u32 %r14, %r14, 1; setp.lt.u32 %p1, %r14, 20; @%p1 bra L; st.global.u32 [%rd2], %r1; st.global.u32 [%rd2+4096], %r12;",
}

// TestLoops holds counted loops to the interpreter, as they come and leaving at some instructions.
func TestLoops(t *testing.T) {
	for name, body := range loopCases {
		t.Run(name, func(t *testing.T) {
			compareBlocks(t, body, nil)
			if strings.Contains(body, "ld.") {
				compareBlocks(t, body, func(pc int32) bool { return pc%9 == 3 })
			}
		})
	}
}

// TestLoopFaults: a load that leaves its allocation in some turn faults in that turn, in the first lane, the last
// one, upwards, downwards, by one address for all lanes, and in a loop whose last turn is inside.
func TestLoopFaults(t *testing.T) {
	for name, turn := range map[string]string{
		"above":     "ld.global.f32 %f1, [%rd3]; add.u64 %rd3, %rd3, 256;",
		"just":      "ld.global.f32 %f1, [%rd3]; add.u64 %rd3, %rd3, 128;",
		"below":     "ld.global.f32 %f1, [%rd3+2048]; add.u64 %rd3, %rd3, -128;",
		"one place": "ld.global.f32 %f1, [%rd1]; add.u64 %rd1, %rd1, 256;",
		"unaligned": "ld.global.f32 %f1, [%rd3]; add.u64 %rd3, %rd3, 6;",
		"round":     "ld.global.f32 %f1, [%rd3]; add.u64 %rd3, %rd3, %rd5;",
		"shared":    "ld.shared.f32 %f1, [%r12]; add.u32 %r12, %r12, 256;",
		"index":     "mul.wide.s32 %rd7, %r13, 4; add.s64 %rd8, %rd1, %rd7; ld.global.f32 %f1, [%rd8]; add.s32 %r13, %r13, %r14;",
		"just last": "mul.wide.s32 %rd7, %r13, 4; add.s64 %rd8, %rd1, %rd7; ld.global.f32 %f1, [%rd8+1888]; add.s32 %r13, %r13, 32;",
		"just so":   "mul.wide.s32 %rd7, %r13, 4; add.s64 %rd8, %rd1, %rd7; ld.global.f32 %f1, [%rd8+1792]; add.s32 %r13, %r13, 32;",
		"far down":  "mul.wide.s32 %rd7, %r16, 4; add.s64 %rd8, %rd10, %rd7; ld.global.f32 %f1, [%rd8]; add.s32 %r16, %r16, 32;",
		"far":       "mul.wide.u32 %rd7, %r15, 4; add.s64 %rd8, %rd9, %rd7; ld.global.f32 %f1, [%rd8]; add.u32 %r15, %r15, 32;",
	} {
		t.Run(name, func(t *testing.T) {
			body := counted("mad.lo.u32 %r25, %r3, %r5, %r2; mul.wide.u32 %rd6, %r25, 4; add.u64 %rd3, %rd1, %rd6; mov.u64 %rd5, 0x1000000000000000; mov.u32 %r12, smem; mov.u32 %r13, %r2; add.u32 %r14, %r9, 104; add.u32 %r15, %r2, 0xfffffb00; sub.s64 %rd9, %rd1, 0x3ffffe800; add.u32 %r16, %r2, 0x7ffffb00; sub.s64 %rd10, %rd1, 0x1ffffe800; mov.u32 %r20, 0;", turn+"add.f32 %s1, %s1, %f1; add.u32 %r20, %r20, 1; setp.lt.u32 %p1, %r20, 48;")
			l := newLaboratory(t, "k.ptx", accessHeader+body+"\n\tret;\n}\n")
			const size = 8192
			buf, _ := l.arena.Alloc(size, mem.Info{Label: "buf"})
			all := l.arena.Bytes(buf, size)
			for _, block := range [][3]uint32{{32, 1, 1}, {64, 1, 1}} {
				clear(all)
				want := l.fault(t, block, nil, buf)
				memory := bytes.Clone(all)
				for _, v := range []jit.Vectors{jit.AVX2, jit.AVX512} {
					clear(all)
					if got := l.fault(t, block, engine(t, jit.Options{Vectors: v}).Install, buf); got != want || (got == "<nil>") != strings.HasPrefix(name, "just") {
						t.Errorf("%v, %d: %s\nthe interpreter: %s", block, v, got, want)
					}
					if !bytes.Equal(all, memory) {
						t.Errorf("%v, %d: memory differs", block, v)
					}
				}
			}
		})
	}
}
