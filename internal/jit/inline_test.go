package jit_test

import (
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/internal/assume"
	"ptxvm.invalid/ptxvm/internal/decode"
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/jit"
	"ptxvm.invalid/ptxvm/internal/machine/sizes"
)

// inlineBodies follow sweepHeader, behind a barrier: short blocks that some lanes go through, by the lane and by what memory
// holds. %r11 is the number of the lane, %r12 that of the warp, %r13 something.
var inlineBodies = map[string]string{
	"one lane":         "setp.ne.u32 %p1, %r11, 31; @%p1 bra A; shl.b32 %r14, %r12, 2; add.u32 %r15, %r10, %r14; st.shared.u32 [%r15], %r13; A: ",
	"some lanes":       "and.b32 %r14, %r13, 3; setp.eq.u32 %p1, %r14, 1; @%p1 bra A; mad.lo.u32 %r15, %r14, 7, %r13; st.global.u32 [%rd3+4096], %r15; A: add.u32 %r13, %r13, %r14; ",
	"same row":         "and.b32 %r14, %r13, 3; setp.eq.u32 %p1, %r14, 1; @%p1 bra A; mad.lo.u32 %r15, %r14, 7, %r13; st.global.u32 [%rd3+4096], %r15; A: ",
	"turned":           "setp.lt.u32 %p1, %r11, 9; @!%p1 bra A; xor.b32 %r15, %r13, 5; st.global.u32 [%rd3+4096], %r15; A: ",
	"one place":        "and.b32 %r14, %r13, 1; setp.eq.u32 %p1, %r14, 0; @%p1 bra A; st.global.u32 [%rd1+-64], %r13; A: ",
	"a number":         "and.b32 %r14, %r13, 1; setp.eq.u32 %p1, %r14, 0; @%p1 bra A; st.global.u32 [%rd1+-64], 77; A: ",
	"loads":            "mov.u32 %r16, 5; setp.gt.u32 %p1, %r11, 20; @%p1 bra A; ld.global.u32 %r16, [%rd3+4096]; A: add.u32 %r13, %r13, %r16; ",
	"adds":             "mov.u32 %r16, 5; setp.gt.u32 %p1, %r11, 20; @%p1 bra A; ld.global.u32 %r17, [%rd3+4096]; mad.lo.u32 %r16, %r17, 3, %r16; A: add.u32 %r13, %r13, %r16; ",
	"stays":            "mov.u32 %r16, 5; setp.gt.u32 %p1, %r11, 20; @%p1 bra A; add.u32 %r16, %r16, %r13; st.global.u32 [%rd3+4096], %r16; A: add.u32 %r13, %r13, %r16; ",
	"one row":          "mov.u32 %r16, %r13; setp.gt.u32 %p1, %r11, 20; @%p1 bra A; add.u32 %r17, %r13, 3; mul.lo.u32 %r18, %r17, %r13; ld.global.u32 %r16, [%rd3]; add.u32 %r16, %r16, %r18; A: add.u32 %r13, %r13, %r16; ",
	"anywhere":         "and.b32 %r14, %r13, 1020; cvt.u64.u32 %rd4, %r14; add.u64 %rd5, %rd1, %rd4; setp.gt.u32 %p1, %r11, 7; @%p1 bra A; st.global.u32 [%rd5+8192], %r11; A: ",
	"floats":           "mov.b32 %f1, %r13; mov.f32 %f2, 0f3f800000; setp.gt.u32 %p1, %r11, 20; @%p1 bra A; ld.global.f32 %f3, [%rd3]; fma.rn.f32 %f2, %f3, %f1, %f2; A: add.f32 %f2, %f2, %f1; mov.b32 %r13, %f2; ",
	"two accesses":     "setp.gt.u32 %p1, %r11, 20; @%p1 bra A; ld.global.u32 %r16, [%rd3+4096]; st.global.u32 [%rd3+8192], %r16; A: ",
	"overwritten":      "and.b32 %r14, %r13, 7; setp.ne.u32 %p1, %r14, 2; @%p1 bra A; popc.b32 %r14, %r14; add.u32 %r15, %r14, %r11; st.global.u32 [%rd3+4096], %r15; A: ",
	"fault of second":  "setp.gt.u32 %p1, %r11, 20; @%p1 bra A; add.u32 %r13, %r13, 3; st.global.u32 [%rd3+4096], %r13; add.u32 %r13, %r13, 5; ld.global.u32 %r17, [%rd3+32768]; add.u32 %r13, %r13, %r17; A: ",
	"by warp":          "shl.b32 %r14, %r12, 2; setp.le.u32 %p1, %r11, %r14; @%p1 bra A; add.u32 %r15, %r14, %r11; shl.b32 %r15, %r15, 2; add.u32 %r15, %r15, %r10; st.shared.u32 [%r15], %r13; ld.shared.u32 %r13, [%r15+4]; A: ",
	"foreseen":         "mul.lo.u32 %r14, %r11, 3; xor.b32 %r16, %r14, %r12; setp.lt.u32 %p1, %r11, 5; @%p1 bra A; add.u32 %r17, %r16, %r13; st.global.u32 [%rd3+4096], %r17; ld.global.u32 %r13, [%rd3+64]; A: add.u32 %r13, %r13, %r16; add.u32 %r13, %r13, %r14; ",
	"written foreseen": "mul.lo.u32 %r14, %r11, 3; xor.b32 %r16, %r14, %r12; setp.lt.u32 %p1, %r11, 5; @%p1 bra A; st.global.u32 [%rd3+4096], %r16; mul.lo.u32 %r16, %r14, %r14; A: add.u32 %r13, %r13, %r16; add.u32 %r13, %r13, %r14; ",
	"some warps":       "xor.b32 %r16, %r11, %r12; setp.gt.u32 %p1, %r2, 77; @%p1 bra A; st.global.u32 [%rd3+4096], %r16; ld.global.u32 %r13, [%rd3+64]; A: add.u32 %r13, %r13, %r16; ",
	"fault of all":     "setp.gt.u32 %p1, %r11, 20; @%p1 bra A; add.u32 %r17, %r13, 3; st.global.u32 [%rd3+32768], %r17; A: ",
	"fault of some":    "cvt.u64.u32 %rd4, %r11; shl.b64 %rd4, %rd4, 12; add.u64 %rd5, %rd3, %rd4; setp.gt.u32 %p1, %r11, 5; @%p1 bra A; add.u32 %r17, %r13, 3; st.global.u32 [%rd5], %r17; A: ",
	"fault of another": "cvt.u64.u32 %rd4, %r11; shl.b64 %rd4, %rd4, 12; add.u64 %rd5, %rd3, %rd4; setp.lt.u32 %p1, %r11, 9; @%p1 bra A; add.u32 %r17, %r13, 3; st.global.u32 [%rd5], %r17; A: ",
	"own table":        "setp.gt.u32 %p1, %r11, 15; @%p1 bra A; shl.b32 %r14, %r12, 6; mov.u32 %r16, smem; add.u32 %r16, %r16, %r14; shl.b32 %r17, %r11, 2; add.u32 %r15, %r16, %r17; mov.u32 %r18, 9; st.shared.u32 [%r15], %r18; A: ",
	"own at the end":   "setp.gt.u32 %p1, %r11, 15; @%p1 bra A; sub.u32 %r14, 7, %r12; shl.b32 %r14, %r14, 6; sub.u32 %r14, 4032, %r14; add.u32 %r16, %r10, %r14; shl.b32 %r17, %r11, 2; add.u32 %r15, %r16, %r17; st.shared.u32 [%r15], %r13; ld.shared.u32 %r18, [%r15]; st.shared.u32 [%r15+-64], %r18; A: ",
	"own past it":      "setp.gt.u32 %p1, %r11, 15; @%p1 bra A; shl.b32 %r14, %r12, 6; add.u32 %r14, %r14, 3584; add.u32 %r16, %r10, %r14; shl.b32 %r17, %r11, 2; add.u32 %r15, %r16, %r17; st.shared.u32 [%r15+4], %r13; A: ",
	"own before":       "setp.lt.u32 %p1, %r11, 8; @%p1 bra A; shl.b32 %r14, %r12, 6; sub.u32 %r14, %r14, 36; add.u32 %r16, %r10, %r14; shl.b32 %r17, %r11, 2; add.u32 %r15, %r16, %r17; st.shared.u32 [%r15], %r13; A: ",
	"own behind":       "mov.u32 %r16, %r13; setp.lt.u32 %p1, %r11, 24; @%p1 bra A; shl.b32 %r16, %r12, 6; mul.lo.u32 %r17, %r11, 4; add.u32 %r15, %r16, %r17; add.u32 %r14, %r10, %r15; st.shared.u32 [%r14], %r15; st.shared.u32 [%r14+512], %r16; A: add.u32 %r13, %r13, %r16; ",
	"own fault":        "shl.b32 %r18, %r12, 9; setp.le.u32 %p1, %r11, 3; @%p1 bra A; shl.b32 %r17, %r11, 2; add.u32 %r15, %r18, %r17; add.u32 %r14, %r10, %r15; st.shared.u32 [%r14], %r15; add.u32 %r16, %r14, %r14; sub.u32 %r14, %r16, %r10; st.shared.u32 [%r14], %r16; A: ",
	"no lane":          "setp.gt.u32 %p1, %r9, 600; @%p1 bra A; st.global.u32 [%rd3+4096], %r13; A: ",
	"of 16 lanes":      "shr.u32 %r14, %r2, 4; shl.b32 %r14, %r14, 2; add.u32 %r15, %r10, %r14; st.shared.u32 [%r15+1024], %r13; setp.ne.u32 %p1, %r11, 3; @%p1 bra A; st.shared.u32 [%r15], %r13; A: ",
	"by threads":       "mov.u32 %r14, %tid.y; shr.u32 %r14, %r14, 1; shl.b32 %r14, %r14, 3; add.u32 %r15, %r10, %r14; st.shared.u32 [%r15], %r13; mov.u32 %r14, %tid.x; shr.u32 %r14, %r14, 3; shl.b32 %r14, %r14, 2; add.u32 %r15, %r10, %r14; st.shared.u32 [%r15+4], %r13; ",
}

const inlineFirst = ".shared .align 4 .b8 smem[4096]; mov.u32 %r10, smem; and.b32 %r11, %r2, 31; shr.u32 %r12, %r2, 5; bar.sync 0; ld.global.u32 %r13, [%rd3];\n"
const inlineLast = "bar.sync 0; and.b32 %r19, %r2, 15; shl.b32 %r19, %r19, 2; add.u32 %r19, %r10, %r19; ld.shared.u32 %r20, [%r19]; ld.shared.u32 %r21, [%r19+1024]; xor.b32 %r20, %r20, %r21; add.u32 %r13, %r13, %r20; st.global.u32 [%rd3], %r13; ret;"

// TestInline compares short blocks of some lanes with the interpreter's, with their faults: behind a barrier and from the first
// instruction on, where lanes are sent back at every access, too.
func TestInline(t *testing.T) {
	never := func(int32) bool { return true }
	ways := []jit.Options{{Vectors: jit.AVX2}, {Vectors: jit.AVX512}, jit.Missing(jit.Options{Vectors: jit.AVX2}, never), jit.Missing(jit.Options{Vectors: jit.AVX512}, never)}
	for name, body := range inlineBodies {
		t.Run(name, func(t *testing.T) {
			for _, first := range []string{inlineFirst, strings.Replace(inlineFirst, "bar.sync 0; ", "", 1)} {
				for _, block := range [][3]uint32{{256, 1, 1}, {32, 1, 1}, {16, 16, 1}, {8, 8, 4}, {33, 1, 1}, {1, 1, 1}} {
					compareBy(t, ways, sweepHeader+first+body+inlineLast+"\n}\n", 1<<16, 1<<15, [3]uint32{3, 1, 1}, block, uint32(600))
				}
			}
		})
	}
}

// TestInlined holds which blocks are executed where all lanes are, and that the number of a warp is one.
func TestInlined(t *testing.T) {
	not := map[string]bool{"no lane": true, "anywhere": true, "by threads": true, "own behind": true} // the last: a number that is read behind the block
	for name, body := range inlineBodies {
		list := sweepListing(t, inlineFirst+body+inlineLast, jit.AVX512)
		if strings.Contains(list, "some of all lanes") == not[name] {
			t.Errorf("%s: in code for all lanes: %v", name, not[name])
		}
		part, _, _ := strings.Cut(list[strings.Index(list, "# all lanes, from 0"):], "# some lanes")
		if name == "one lane" && strings.Contains(part, "vpsrld") {
			t.Error("the number of a warp is a row")
		}
	}
}

// sweepListing is the code of a kernel behind sweepHeader, for blocks of 256 threads.
func sweepListing(t *testing.T, body string, v jit.Vectors) string {
	t.Helper()
	return listing(t, sweepHeader+body+"\n}\n", 256, v)
}

// listing is the code of kernel k of a module, for blocks of some threads.
func listing(t *testing.T, text string, threads int32, v jit.Vectors) string {
	t.Helper()
	l := newLaboratory(t, "k.ptx", text)
	f := l.m.Func("k")
	p, err := decode.New(l.m, l).Kernel(f, ir.LaunchShape{BlockX: threads, BlockY: 1, BlockZ: 1}, sizes.Of(90), uint32(f.SharedBytes), assume.Set{})
	if err != nil {
		t.Fatal(err)
	}
	out, err := jit.Compile(p.Entry, f, jit.Options{Vectors: v, List: true})
	if err != nil {
		t.Fatal(err)
	}
	return out.Listing
}
