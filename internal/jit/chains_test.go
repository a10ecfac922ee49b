package jit_test

import "testing"

// chainLoop slides two numbers by all values of two patterns, and has the chain in the middle; a turn
// that goes by it counts in %r20, one that does not in %r21.
func chainLoop(chain string) string {
	return decideHeader + `mov.u32 %r10, -3; mov.u32 %r11, -20; mov.u32 %r20, 0; mov.u32 %r21, 0; mov.u32 %r13, 0;
L:	` + chain + `
	add.u32 %r20, %r20, 1;
A:	add.u32 %r21, %r21, 0x100; add.s32 %r10, %r10, 9; add.s32 %r11, %r11, 1; add.u32 %r13, %r13, 1;
	setp.lt.u32 %q1, %r13, 40; @%q1 bra L;
	mad.lo.u32 %r20, %r20, 0x10000, %r21; st.global.u32 [%rd15], %r20;`
}

// chainCases are comparisons that decide together, and some that only seem to.
var chainCases = map[string]string{
	"or":              chainLoop("setp.ge.s32 %p1, %r2, %r10; setp.ge.s32 %p2, %r3, %r11; or.pred %p3, %p1, %p2; @%p3 bra A;"),
	"or of ors":       chainLoop("setp.lt.s32 %p1, %r2, 1; setp.ge.s32 %p2, %r3, %r11; or.pred %p3, %p1, %p2; setp.lt.s32 %q2, %r3, 1; or.pred %p3, %q2, %p3; setp.ge.s32 %q1, %r2, %r10; or.pred %p1, %p3, %q1; @%p1 bra A;"),
	"and":             chainLoop("setp.lt.s32 %p1, %r2, %r10; setp.lt.s32 %p2, %r3, %r11; and.pred %p3, %p1, %p2; @!%p3 bra A;"),
	"not":             chainLoop("setp.lt.s32 %p1, %r2, %r10; not.pred %p1, %p1; setp.ge.s32 %p2, %r3, %r11; or.pred %p3, %p1, %p2; @%p3 bra A;"),
	"and, taken":      chainLoop("setp.lt.s32 %p1, %r2, %r10; setp.lt.s32 %p2, %r3, %r11; and.pred %p3, %p1, %p2; @%p3 bra A;"),
	"numbers":         chainLoop("setp.gt.s32 %p1, %r10, 30; setp.lt.s32 %p2, %r11, 0; or.pred %p3, %p1, %p2; @%p3 bra A;"),
	"kept":            chainLoop("setp.ge.s32 %p1, %r2, %r10; setp.ge.s32 %p2, %r3, %r11; or.pred %p3, %p1, %p2; @%p3 bra A; selp.u32 %r14, 5, 7, %p3; add.u32 %r20, %r20, %r14;"),
	"part kept":       chainLoop("setp.ge.s32 %p1, %r2, %r10; setp.ge.s32 %p2, %r3, %r11; or.pred %p3, %p1, %p2; @%p3 bra A; selp.u32 %r14, 5, 7, %p2; add.u32 %r20, %r20, %r14;"),
	"used inside":     chainLoop("setp.ge.s32 %p1, %r2, %r10; setp.ge.s32 %p2, %r3, %r11; selp.u32 %r14, 5, 7, %p2; or.pred %p3, %p1, %p2; add.u32 %r21, %r21, %r14; @%p3 bra A;"),
	"twice":           chainLoop("setp.ge.s32 %p1, %r2, %r10; setp.ge.s32 %p2, %r3, %r11; or.pred %p3, %p1, %p2; or.pred %p3, %p3, %p1; @%p3 bra A;"),
	"changed":         chainLoop("setp.ge.s32 %p1, %r2, %r10; add.s32 %r10, %r10, 1; setp.ge.s32 %p2, %r3, %r11; or.pred %p3, %p1, %p2; @%p3 bra A;"),
	"with a load":     chainLoop("setp.ge.s32 %p1, %r2, %r10; ld.global.u32 %r14, [%rd15+4]; setp.ge.s32 %p2, %r3, %r11; or.pred %p3, %p1, %p2; @%p3 bra A; add.u32 %r20, %r20, %r14;"),
	"with a row":      chainLoop("xor.b32 %r14, %r27, 5; setp.ge.s32 %p1, %r2, %r10; setp.ge.s32 %p2, %r14, 3; or.pred %p3, %p1, %p2; @%p3 bra A;"),
	"with arithmetic": chainLoop("setp.ge.s32 %p1, %r2, %r10; mul.lo.u32 %r14, %r27, %r27; setp.ge.s32 %p2, %r3, %r11; or.pred %p3, %p1, %p2; xor.b32 %r14, %r14, 3; @%p3 bra A; add.u32 %r20, %r20, %r14;"),
	"exit":            decideHeader + "setp.ge.u32 %p1, %r2, 30; setp.ge.u32 %p2, %r3, 14; or.pred %p3, %p1, %p2; @%p3 exit; st.global.u32 [%rd15], %r27; setp.lt.u32 %p1, %r2, 3; setp.lt.u32 %p2, %r3, 2; and.pred %p1, %p2, %p1; @!%p1 exit; st.global.u32 [%rd15+4096], %r27;",
}

// TestChains holds branches and exits that several comparisons decide to the interpreter.
func TestChains(t *testing.T) {
	for name, body := range chainCases {
		t.Run(name, func(t *testing.T) {
			if compareBlocks(t, body, nil) == 0 {
				t.Error("nothing ran in compiled code")
			}
			for way := range int32(3) {
				compareBlocks(t, body, func(pc int32) bool { return pc%3 == way })
			}
		})
	}
}
