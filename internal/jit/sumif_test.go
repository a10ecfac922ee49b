package jit_test

import "testing"

// sumIfBodies add a value or zero, or keep what another has not, by comparisons that others look at or not, in place, to itself, to what is read again,
// to numbers and constants, in 64 bits, in loops, and where some lanes run.
var sumIfBodies = map[string]string{
	"zero first":  "setp.lt.u32 %p1, %r10, 9; selp.b32 %r12, 0, %r11, %p1; add.u32 %r13, %r12, %r10; xor.b32 %r13, %r13, %r11;",
	"zero last":   "setp.lt.u32 %p1, %r10, 9; selp.b32 %r12, %r11, 0, %p1; add.u32 %r13, %r10, %r12; xor.b32 %r13, %r13, %r11;",
	"chain":       "setp.eq.u32 %p1, %r10, 9; selp.b32 %r12, 0, %r11, %p1; add.u32 %r13, %r12, %r10; setp.gt.s32 %p2, %r13, %r11; selp.b32 %r14, %r10, 0, %p2; add.u32 %r13, %r13, %r14;",
	"to itself":   "setp.lt.u32 %p1, %r10, 9; selp.b32 %r12, %r11, 0, %p1; add.u32 %r13, %r12, %r11; setp.ge.u32 %p2, %r10, %r11; selp.b32 %r14, 0, %r13, %p2; add.u32 %r13, %r13, %r14;",
	"read again":  "setp.lt.u32 %p1, %r10, 9; selp.b32 %r12, 0, %r11, %p1; add.u32 %r13, %r12, %r10; selp.b32 %r14, %r13, %r10, %p1; mad.lo.u32 %r13, %r13, %r10, %r14;",
	"both":        "setp.lt.u32 %p1, %r10, 9; selp.b32 %r12, 0, %r11, %p1; selp.b32 %r14, %r10, 0, %p1; add.u32 %r13, %r12, %r14;",
	"twice":       "setp.lt.u32 %p1, %r10, 9; selp.b32 %r12, 0, %r11, %p1; add.u32 %r13, %r12, %r10; add.u32 %r13, %r13, %r12;",
	"kept":        "setp.lt.u32 %p1, %r10, 9; selp.b32 %r12, 0, %r11, %p1; add.u32 %r13, %r12, %r10; @%p1 add.u32 %r13, %r13, 1;",
	"constants":   "setp.lt.u32 %p1, %r10, 9; selp.b32 %r12, 0, 5, %p1; add.u32 %r13, %r12, %r11; setp.gt.u32 %p2, %r10, 3; selp.b32 %r14, %r9, 0, %p2; add.u32 %r13, %r13, %r14; selp.b32 %r15, 7, 0, %p2; add.u32 %r16, %r15, 100; xor.b32 %r13, %r13, %r16;",
	"bits":        "and.b32 %r14, %r11, 4; setp.eq.u32 %p1, %r14, 0; selp.b32 %r12, 0, %r11, %p1; add.u32 %r13, %r12, %r10;",
	"floats":      "setp.lt.f32 %p1, %f1, %f2; selp.b32 %r12, 0, %r11, %p1; add.u32 %r13, %r12, %r10; setp.leu.f32 %p2, %f2, %f1; selp.b32 %r12, 0, %r10, %p2; add.u32 %r13, %r12, %r13;",
	"64 bits":     "mul.wide.u32 %rd5, %r10, %r11; mul.wide.u32 %rd6, %r11, %r11; setp.lt.u64 %p1, %rd5, %rd6; selp.b64 %rd7, 0, %rd6, %p1; add.u64 %rd7, %rd7, %rd5; selp.b64 %rd8, %rd5, 0, %p1; add.u64 %rd7, %rd7, %rd8; cvt.u32.u64 %r13, %rd7; shr.u64 %rd7, %rd7, 32; cvt.u32.u64 %r14, %rd7; xor.b32 %r13, %r13, %r14;",
	"predicates":  "setp.lt.u32 %p1, %r10, 9; setp.gt.and.u32 %p2, %r11, 77, %p1; selp.b32 %r12, 0, %r11, %p2; add.u32 %r13, %r12, %r10;",
	"loop":        "mov.u32 %r13, 0; mov.u32 %r14, %r10;\nL: setp.gt.u32 %p1, %r14, %r11; selp.b32 %r12, 0, %r14, %p1; add.u32 %r13, %r13, %r12; add.u32 %r14, %r14, 7; and.b32 %r14, %r14, 255; setp.ne.u32 %p2, %r14, 3; @%p2 bra L;",
	"some lanes":  "and.b32 %r14, %r10, 3; mov.u32 %r13, 5; setp.eq.u32 %p3, %r14, 1; @%p3 bra A; setp.lt.u32 %p1, %r10, 9; selp.b32 %r12, 0, %r11, %p1; add.u32 %r13, %r12, %r10; mul.lo.u32 %r13, %r13, %r14; st.global.u32 [%rd2+4096], %r13; st.global.u32 [%rd2+8192], %r12;\nA:",
	"and not":     "not.b32 %r12, %r11; and.b32 %r13, %r10, %r12; not.b32 %r14, %r10; and.b32 %r14, %r14, %r11; xor.b32 %r13, %r13, %r12; mad.lo.u32 %r13, %r13, 5, %r14; and.b32 %r14, %r13, %r12; add.u32 %r13, %r13, %r14;",
	"by shuffles": "shfl.sync.up.b32 %r12|%p3, %r10, 1, 0, -1; and.b32 %r14, %r1, 31; setp.eq.u32 %p1, %r14, 0; selp.b32 %r12, 0, %r12, %p1; add.u32 %r13, %r12, %r10; shfl.sync.up.b32 %r12|%p3, %r13, 2, 0, -1; setp.lt.u32 %p1, %r14, 2; selp.b32 %r12, 0, %r12, %p1; add.u32 %r13, %r12, %r13; selp.b32 %r14, 1, 0, %p3; add.u32 %r13, %r13, %r14;",
}

// TestSumIf compares sums under masks with the interpreter's.
func TestSumIf(t *testing.T) {
	compareBodies(t, "ld.global.u8 %r10, [%rd2+4]; ld.global.u8 %r11, [%rd2+9]; cvt.rn.f32.u32 %f1, %r10; ld.global.f32 %f2, [%rd2]; ", sumIfBodies)
}

// compareBodies compares with the interpreter what bodies make in %r13 of what is loaded in front of them.
func compareBodies(t *testing.T, load string, bodies map[string]string) {
	for name, body := range bodies {
		t.Run(name, func(t *testing.T) {
			if compareBlocks(t, load+body+" st.global.u32 [%rd2+16384], %r13;", nil) == 0 {
				t.Error("nothing ran in compiled code")
			}
		})
	}
}
