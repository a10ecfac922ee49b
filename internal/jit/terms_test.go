package jit_test

import "testing"

// termsBodies add several terms: chains and trees, terms that come late or twice, sums that somebody else reads, in loops, in 64 bits and where some
// lanes run.
var termsBodies = map[string]string{
	"chain":       "shf.l.wrap.b32 %r12, %r10, %r10, 5; add.u32 %r12, %r12, %r11; xor.b32 %r13, %r10, %r11; add.u32 %r12, %r12, %r13; add.u32 %r13, %r12, 0x5a827999;",
	"late first":  "mul.lo.u32 %r12, %r10, %r11; mul.lo.u32 %r12, %r12, %r10; add.u32 %r13, %r12, %r11; add.u32 %r13, %r13, %r10; add.u32 %r13, %r13, %r1;",
	"tree":        "add.u32 %r12, %r10, %r11; mul.lo.u32 %r14, %r10, %r10; add.u32 %r15, %r14, %r1; add.u32 %r13, %r12, %r15; xor.b32 %r14, %r14, %r11; add.u32 %r13, %r13, %r14;",
	"twice":       "add.u32 %r12, %r10, %r10; add.u32 %r12, %r12, %r11; add.u32 %r12, %r12, %r11; add.u32 %r13, %r12, %r10;",
	"doubled":     "add.u32 %r12, %r10, %r11; add.u32 %r12, %r12, %r12; add.u32 %r12, %r12, %r12; add.u32 %r13, %r12, 3; add.u32 %r13, %r13, %r10;",
	"read too":    "add.u32 %r12, %r10, %r11; add.u32 %r14, %r12, %r1; add.u32 %r13, %r14, 9; xor.b32 %r13, %r13, %r12; add.u32 %r15, %r14, %r10; add.u32 %r13, %r13, %r15;",
	"constants":   "add.u32 %r12, %r10, 7; mul.lo.u32 %r14, %r12, %r11; add.u32 %r14, %r14, -5; add.u32 %r14, %r14, %r10; add.u32 %r13, %r14, 0x80000000;",
	"differences": "sub.u32 %r12, %r10, %r11; add.u32 %r12, %r12, %r1; sub.u32 %r13, %r12, %r10; add.u32 %r13, %r13, %r11; add.u32 %r13, %r13, %r12;",
	"64 bits":     "mul.wide.u32 %rd5, %r10, %r11; mul.wide.u32 %rd6, %r11, %r11; add.u64 %rd7, %rd5, %rd6; add.u64 %rd7, %rd7, %rd2; add.u64 %rd7, %rd7, 0x123456789abcdef; cvt.u32.u64 %r13, %rd7; shr.u64 %rd7, %rd7, 32; cvt.u32.u64 %r14, %rd7; add.u32 %r14, %r14, %r10; add.u32 %r13, %r13, %r14;",
	"loop":        "mov.u32 %r13, 0; mov.u32 %r14, 9; mov.u32 %r12, %r10;\nL: shf.l.wrap.b32 %r15, %r12, %r12, 7; add.u32 %r15, %r15, %r13; xor.b32 %r16, %r12, %r11; add.u32 %r15, %r15, %r16; mov.u32 %r13, %r12; add.u32 %r12, %r15, 0x6ed9eba1; sub.u32 %r14, %r14, 1; setp.ne.u32 %p2, %r14, 0; @%p2 bra L;\nadd.u32 %r13, %r13, %r12;",
	"some lanes":  "and.b32 %r14, %r10, 3; mov.u32 %r13, 5; setp.eq.u32 %p3, %r14, 1; @%p3 bra A; mul.lo.u32 %r12, %r10, %r11; add.u32 %r12, %r12, %r13; add.u32 %r12, %r12, %r10; add.u32 %r13, %r12, %r1; st.global.u32 [%rd2+4096], %r13; st.global.u32 [%rd2+8192], %r12;\nA:",
	"under mask":  "setp.lt.u32 %p1, %r10, 9; selp.b32 %r12, %r11, 0, %p1; mul.lo.u32 %r14, %r11, %r11; add.u32 %r15, %r14, %r10; add.u32 %r15, %r15, %r12; add.u32 %r13, %r15, %r1;",
}

// TestTerms compares sums of several terms with the interpreter's.
func TestTerms(t *testing.T) {
	compareBodies(t, "ld.global.u8 %r10, [%rd2+4]; ld.global.u32 %r11, [%rd2+12]; ", termsBodies)
}
