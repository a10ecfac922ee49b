package jit_test

import (
	"bytes"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/internal/jit"
	"ptxvm.invalid/ptxvm/internal/mem"
)

// spanCase is an access to 8192 bytes of shared memory, by blocks of 256 threads in rows of 16.
type spanCase struct {
	body string
	sure bool // nothing is tested
}

var spanCases = map[string]spanCase{
	"by index":         {"shl.b32 %r11, %r1, 5; add.u32 %r12, %r10, %r11; st.shared.u32 [%r12+28], %r1;", true},
	"by index, above":  {"shl.b32 %r11, %r1, 5; add.u32 %r12, %r10, %r11; st.shared.u32 [%r12+32], %r1;", false},
	"by x":             {"shl.b32 %r11, %r2, 9; add.u32 %r12, %r10, %r11; st.shared.u32 [%r12+508], %r1;", true},
	"by x, above":      {"shl.b32 %r11, %r2, 9; add.u32 %r12, %r10, %r11; st.shared.u32 [%r12+512], %r1;", false},
	"by x, below":      {"shl.b32 %r11, %r2, 9; add.u32 %r12, %r10, %r11; st.shared.u32 [%r12+-4], %r1;", false},
	"by y":             {"mad.lo.u32 %r12, %r3, 512, %r10; st.shared.u32 [%r12], %r1; ld.shared.u32 %r13, [%r12+508]; st.global.u32 [%rd2], %r13;", true},
	"by y, above":      {"mad.lo.u32 %r12, %r3, 512, %r10; st.shared.u32 [%r12], %r1; ld.shared.u32 %r13, [%r12+512]; st.global.u32 [%rd2], %r13;", false},
	"not aligned":      {"mad.lo.u32 %r12, %r3, 511, %r10; st.shared.u32 [%r12], %r1;", false},
	"by both":          {"mad.lo.u32 %r11, %r3, 16, %r2; shl.b32 %r11, %r11, 5; add.u32 %r12, %r11, %r10; st.shared.v2.u32 [%r12+24], {%r1, %r2};", true},
	"upside down":      {"sub.u32 %r11, 15, %r3; shl.b32 %r11, %r11, 9; add.u32 %r12, %r10, %r11; st.shared.u32 [%r12], %r1;", true},
	"too far down":     {"sub.u32 %r11, 14, %r3; shl.b32 %r11, %r11, 9; add.u32 %r12, %r10, %r11; st.shared.u32 [%r12], %r1;", false},
	"wraps":            {"shl.b32 %r11, %r3, 28; add.u32 %r12, %r10, %r11; st.shared.u32 [%r12], %r1;", false},
	"bits":             {"and.b32 %r11, %r3, 7; or.b32 %r11, %r11, 8; shl.b32 %r11, %r11, 9; add.u32 %r12, %r10, %r11; st.shared.u32 [%r12], %r1;", true},
	"shifted down":     {"shl.b32 %r11, %r3, 11; shr.u32 %r11, %r11, 2; add.u32 %r12, %r10, %r11; st.shared.u32 [%r12], %r1;", true},
	"bytes":            {"ld.global.u8 %r11, [%rd2]; shl.b32 %r11, %r11, 5; add.u32 %r12, %r10, %r11; st.shared.u32 [%r12+28], %r1; atom.shared.add.u32 %r13, [%r12+28], 1; st.global.u32 [%rd2], %r13;", true},
	"bytes, above":     {"ld.global.u8 %r11, [%rd2]; shl.b32 %r11, %r11, 5; add.u32 %r12, %r10, %r11; st.shared.u32 [%r12+32], %r1;", false},
	"signed bytes":     {"ld.global.s8 %r11, [%rd2]; shl.b32 %r11, %r11, 2; add.u32 %r12, %r10, %r11; st.shared.u32 [%r12+28], %r1;", false},
	"high bits":        {"ld.global.u32 %r11, [%rd2]; shr.u32 %r11, %r11, 24; mad.lo.u32 %r12, %r11, 32, %r10; st.shared.u32 [%r12+28], %r1;", true},
	"high bits, above": {"ld.global.u32 %r11, [%rd2]; shr.u32 %r11, %r11, 23; mad.lo.u32 %r12, %r11, 32, %r10; st.shared.u32 [%r12], %r1;", false},
	"some of them":     {"setp.ne.u32 %p1, %r2, 3; shl.b32 %r11, %r2, 9; add.u32 %r12, %r10, %r11; @%p1 st.shared.u32 [%r12+508], %r1;", true},
	"extents":          {"mul.lo.u32 %r11, %r5, 508; add.u32 %r12, %r10, %r11; st.shared.u32 [%r12+60], %r1;", true},
	"lane":             {"mov.u32 %r11, %laneid; shl.b32 %r11, %r11, 2; add.u32 %r12, %r10, %r11; st.shared.u32 [%r12+8064], %r1;", true},
	"two ways":         {"mov.u32 %r11, 512; setp.gt.u32 %p1, %r9, 3; @%p1 mov.u32 %r11, 8192; add.u32 %r12, %r10, %r11; st.shared.u32 [%r12], %r1;", false},
	"changed":          {"shl.b32 %r11, %r3, 9; add.u32 %r11, %r11, %r9; add.u32 %r12, %r10, %r11; st.shared.u32 [%r12], %r1;", false},
	"changes later":    {"mov.u32 %r20, 0; mov.u32 %r22, %r3; shl.b32 %r11, %r22, 9; add.u32 %r12, %r10, %r11;\nL: st.shared.u32 [%r12], %r22; add.u32 %r22, %r22, 16; add.u32 %r20, %r20, 1; setp.lt.u32 %p1, %r20, %r9; @%p1 bra L;", true},
	"goes on":          {"mov.u32 %r20, 0; mov.u32 %r12, %r10;\nL: st.shared.u32 [%r12], %r20; add.u32 %r12, %r12, 512; add.u32 %r20, %r20, 1; setp.lt.u32 %p1, %r20, %r9; @%p1 bra L;", false},
	"another way":      {"setp.gt.u32 %p1, %r3, 20; mov.u32 %r11, %r3; @%p1 bra A; mov.u32 %r11, %r9;\nA: shl.b32 %r11, %r11, 9; add.u32 %r12, %r10, %r11; st.shared.u32 [%r12], %r1;", false},
}

// TestSpans: accesses to shared memory of which the compiler knows that they are inside are not tested, all others are, and
// fault as in the interpreter.
func TestSpans(t *testing.T) {
	const tested = "qword ptr [rdi+32]" // how much shared memory there is
	for name, k := range spanCases {
		t.Run(name, func(t *testing.T) {
			body := "mov.u32 %r10, smem;" + k.body + " st.shared.u32 [%r10], %r1; bar.sync 0; mad.lo.u32 %r14, %r2, 512, %r10; ld.shared.u32 %r15, [%r14]; st.global.u32 [%rd2], %r15;"
			l := newLaboratory(t, "k.ptx", patternHeader+body+"\n\tret;\n}\n")
			const size = 4096
			buf, _ := l.arena.Alloc(size, mem.Info{Label: "buf"})
			all := l.arena.Bytes(buf, size)
			block := [3]uint32{16, 16, 1}
			want := l.fault(t, block, nil, buf)
			memory := bytes.Clone(all)
			for _, v := range []jit.Vectors{jit.AVX2, jit.AVX512} {
				clear(all)
				if got := l.fault(t, block, engine(t, jit.Options{Vectors: v}).Install, buf); got != want || !bytes.Equal(all, memory) {
					t.Errorf("%d: %s; the interpreter: %s", v, got, want)
				}
			}
			if k.sure && want != "<nil>" {
				t.Errorf("%s", want)
			}
			listing, _, _ := strings.Cut(listingIn(t, block, "mov.u32 %r10, smem;"+k.body, jit.AVX512), "# some lanes")
			if at := strings.Index(listing, tested); (at >= 0) == k.sure {
				t.Errorf("tested: %v\n%s", at >= 0, listing[max(at-1500, 0):max(at, 0)])
			}
		})
	}
}
