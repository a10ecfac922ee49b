package jit_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/internal/assume"
	"ptxvm.invalid/ptxvm/internal/decode"
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/jit"
	"ptxvm.invalid/ptxvm/internal/machine/sizes"
)

// courseBodies are kernels of which much is foreseen: they use the thread's number in its CTA (%r1) in all ways.
var courseBodies = map[string]string{
	"tile": `mov.u32 %r10, %r1; mov.u32 %r19, 0;
L:	setp.gt.u32 %p, %r10, 323; @%p bra D;
	mul.hi.u32 %r11, %r10, 954437177; shr.u32 %r11, %r11, 2; mul.lo.u32 %r12, %r11, 18; sub.u32 %r12, %r10, %r12;
	mad.lo.u32 %r13, %r11, %r2, %r12; setp.lt.u32 %q, %r13, 9; mov.u32 %r14, 77; @%q bra S; mul.lo.u32 %r14, %r13, %r13;
S:	mad.lo.u32 %r15, %r11, 72, %r4; shl.b32 %r16, %r12, 2; add.u32 %r15, %r15, %r16; st.shared.u32 [%r15], %r14;
	add.u32 %r10, %r10, %r8; bra L;
D:	bar.sync 0; add.u32 %r17, %r5, 4; ld.shared.u32 %r18, [%r17]; xor.b32 %r18, %r18, %r10; add.u32 %r18, %r18, %r12; st.global.u32 [%rd3], %r18; ret;`,
	"predicates": `setp.lt.u32 %p, %r1, 40; and.b32 %r10, %r1, 7; setp.eq.u32 %q, %r10, 3; selp.u32 %r11, %r1, 5, %p; mov.u32 %r12, %r10; @%q add.u32 %r12, %r12, %r2;
	add.u32 %r13, %r1, 1; @%p mov.u32 %r13, %r2; shr.u32 %r14, %r1, 1; setp.gt.u32 %z, %r14, 20; @%z bra A; add.u32 %r11, %r11, %r14; @%p st.shared.u32 [%r5], %r14;
A:	selp.u32 %r15, 1000, 0, %z; add.u32 %r11, %r11, %r15; mad.lo.u32 %r11, %r11, 64, %r12; mad.lo.u32 %r11, %r11, 64, %r13; bar.sync 0; ld.shared.u32 %r16, [%r5]; add.u32 %r11, %r11, %r16; add.u32 %r11, %r11, %r14; st.global.u32 [%rd3], %r11; ret;`,
	"exits": `xor.b32 %r10, %r1, 21; shl.b32 %r11, %r10, 2; add.u32 %r11, %r11, %r4; st.shared.u32 [%r11], %r3; shr.u32 %r12, %r1, 4; setp.eq.u32 %p, %r12, 3; @%p exit;
	setp.ge.u32 %q, %r12, 12; @%q exit; mul.lo.u32 %r13, %r10, %r10; bar.sync 0; ld.shared.u32 %r14, [%r11]; mad.lo.u32 %r14, %r13, %r14, %r12; st.global.u32 [%rd3], %r14; ret;`,
	"all exit": `shr.u32 %r10, %r1, 9; setp.eq.u32 %p, %r10, 0; xor.b32 %r11, %r1, 5; mad.lo.u32 %r12, %r11, %r11, %r2; st.global.u32 [%rd3], %r12; @%p exit; st.global.u32 [%rd3], %r1; ret;`,
	"parts": `xor.b32 %r10, %r1, 9; and.b32 %r11, %r10, 12; mul.lo.u32 %r12, %r11, %r10; ld.shared.u32 %r13, [%r5]; add.u32 %r13, %r13, %r3; and.b32 %r14, %r13, 5; setp.eq.u32 %p, %r14, 1; @%p bra A;
	add.u32 %r12, %r12, %r11; mul.lo.u32 %r10, %r10, 3; bra.uni B;
A:	sub.u32 %r12, %r12, %r10;
B:	mad.lo.u32 %r12, %r12, 16, %r10; mad.lo.u32 %r12, %r12, 16, %r11; st.global.u32 [%rd3], %r12; ret;`,
	"wide": `cvt.u64.u32 %rd4, %r1; xor.b64 %rd5, %rd4, 0x700000001; mul.lo.u64 %rd6, %rd5, %rd5; shr.u64 %rd7, %rd6, 3; cvt.u64.u32 %rd8, %r2; add.u64 %rd6, %rd6, %rd8; sub.u64 %rd7, %rd7, %rd4; setp.gt.u64 %p, %rd7, 99; @%p bra A; bar.sync 0; xor.b64 %rd6, %rd6, %rd5;
A:	xor.b64 %rd6, %rd6, %rd7; cvt.u32.u64 %r10, %rd6; shr.u64 %rd6, %rd6, 32; cvt.u32.u64 %r11, %rd6; xor.b32 %r10, %r10, %r11; st.global.u32 [%rd3], %r10; ret;`,
	"turns": `mov.u32 %r10, %r1; mov.u32 %r11, 0; mov.u32 %r14, 0;
L:	xor.b32 %r12, %r10, 3; mul.lo.u32 %r13, %r12, %r12; add.u32 %r11, %r11, %r13; mad.lo.u32 %r14, %r13, %r2, %r14; shr.u32 %r13, %r13, 2; add.u32 %r14, %r14, %r13; add.u32 %r10, %r10, 50; setp.lt.u32 %p, %r10, 400; @%p bra L;
	add.u32 %r14, %r14, %r10; mad.lo.u32 %r14, %r11, 5, %r14; st.global.u32 [%rd3], %r14; ret;`,
	"gates": `mov.u32 %r20, %tid.x; mov.u32 %r21, %tid.y; mov.u32 %r22, %tid.z; mad.lo.u32 %r23, %r21, 5, %r20; mad.lo.u32 %r24, %r22, 3, %r23; xor.b32 %r25, %r24, 9; mul.lo.u32 %r26, %r25, %r25; shr.u32 %r27, %r26, 3; and.b32 %r28, %r27, 15; mov.u32 %r16, 0; mov.u32 %r17, %r25; st.shared.u32 [%r5], %r3; bar.sync 0;
L:	add.u32 %r14, %r26, %r27; shl.b32 %r14, %r14, 1; add.u32 %r14, %r14, %r28; mad.lo.u32 %r16, %r14, %r2, %r16; xor.b32 %r16, %r16, %r27; add.u32 %r17, %r17, %r28; setp.eq.u32 %p, %r14, 77; @%p add.u32 %r16, %r16, %r3;
	and.b32 %r15, %r25, 1023; shl.b32 %r15, %r15, 2; add.u32 %r15, %r15, %r4; ld.shared.u32 %r18, [%r15]; add.u32 %r16, %r16, %r18; add.u32 %r19, %r19, 1; bar.sync 0; setp.lt.u32 %q, %r19, 3; @%q bra L;
	mad.lo.u32 %r16, %r28, 5, %r16; bar.sync 0;
	mad.lo.u32 %r16, %r27, 3, %r16; add.u32 %r16, %r16, %r17; st.global.u32 [%rd3], %r16; ret;`,
	"faults": `xor.b32 %r10, %r1, 3; shl.b32 %r11, %r10, 2; add.u32 %r11, %r11, %r4; st.shared.u32 [%r11], %r3; mul.lo.u32 %r12, %r10, %r10; and.b32 %r13, %r12, 5; setp.eq.u32 %p, %r2, 7; @%p add.u64 %rd3, %rd3, 1; st.global.u32 [%rd3], %r12; add.u32 %r14, %r13, %r12; bar.sync 0; st.global.u32 [%rd3], %r14; ret;`,
}

// courseShapes are blocks of full warps, some with another.
var courseShapes = [][3]uint32{{256, 1, 1}, {16, 16, 1}, {8, 8, 4}, {32, 1, 1}, {33, 1, 1}, {80, 1, 1}, {512, 1, 1}, {1, 1, 1}}

// TestCourses follows courses in both widths, with exits at some instructions, too.
func TestCourses(t *testing.T) {
	for i, name := range slices.Sorted(maps.Keys(courseBodies)) {
		src := batchHeader + courseBodies[name] + "\n}\n"
		for k, block := range courseShapes {
			if testing.Short() && k > 2 && k%3 != i%3 {
				continue
			}
			t.Run(fmt.Sprint(name, block), func(t *testing.T) {
				compareBatch(t, src, [3]uint32{5, 1, 2}, block, jit.Options{}, nil)
			})
		}
		for way := range int32(5) {
			t.Run(fmt.Sprint(name, " leaving ", way), func(t *testing.T) {
				block := courseShapes[way%3]
				compareBatch(t, src, [3]uint32{4, 1, 1}, block, jit.Leaving(jit.Options{}, func(pc int32) bool { return pc > 20 && pc%5 == way }), nil)
				compareBatch(t, src, [3]uint32{4, 1, 1}, block, jit.Missing(jit.Options{}, func(pc int32) bool { return pc > 20 && pc%5 == way }), nil)
			})
		}
		for _, v := range []jit.Vectors{jit.AVX2, jit.AVX512} {
			l := newLaboratory(t, "k.ptx", src)
			f := l.m.Func("k")
			p, err := decode.New(l.m, l).Kernel(f, ir.LaunchShape{BlockX: 16, BlockY: 16, BlockZ: 1}, sizes.Of(90), uint32(f.SharedBytes), assume.Set{})
			if err != nil {
				t.Fatal(err)
			}
			out, err := jit.Compile(p.Entry, f, jit.Options{Vectors: v, List: true})
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(out.Listing, "on a course") {
				t.Errorf("%s, %v: there is no course", name, v)
			}
			if name == "gates" && strings.Count(out.Listing, "through a gate") < 3 {
				t.Errorf("%v: warps go on behind barriers without what is foreseen", v)
			}
		}
	}
}
