package jit_test

import (
	"fmt"
	"testing"
)

// decideHeader has the thread's number in %r27 and the place of its word in %rd15: each has one
// definition, so that it is a pattern behind its segment, too.
const decideHeader = `	.reg .pred %q<4>;
	mad.lo.u32 %r26, %r4, %r6, %r3; mad.lo.u32 %r27, %r26, %r5, %r2;
	mul.wide.u32 %rd14, %r27, 4; add.u64 %rd15, %rd1, %rd14;
`

// decideBody compares a pattern, which wraps for some lanes, with a number that passes by all its
// values: as the left and the right side, for branches forward, with the predicate read behind one.
const decideBody = `
	add.u32 %%r11, %%r27, %[2]d; sub.u32 %%r12, %%r11, %[2]d; mul.wide.u32 %%rd3, %%r12, 4; add.u64 %%rd3, %%rd1, %%rd3;
	mov.u32 %%r10, %[2]d; sub.u32 %%r10, %%r10, 11; mov.u32 %%r13, 0; mov.u32 %%r20, 0;
L:	setp.%[1]s %%p1, %%r11, %%r10; @%%p1 bra A; add.u32 %%r20, %%r20, 1;
A:	setp.%[1]s %%p2, %%r10, %%r11; @!%%p2 bra B; add.u32 %%r20, %%r20, 256;
B:	selp.u32 %%r21, 65536, 0, %%p2; add.u32 %%r20, %%r20, %%r21;
	setp.%[1]s %%p3, %%r10, %%r13; @%%p3 bra C; add.u32 %%r20, %%r20, 0x1000000;
C:	add.u32 %%r10, %%r10, 9; add.u32 %%r13, %%r13, 1; setp.lt.u32 %%q1, %%r13, 33; @%%q1 bra L;
	st.global.u32 [%%rd3], %%r20;`

// TestDecisions holds branches that one lane decides for all to the interpreter.
func TestDecisions(t *testing.T) {
	for _, op := range []string{"lt.s32", "le.s32", "gt.s32", "ge.s32", "lt.u32", "le.u32", "gt.u32", "ge.u32", "eq.u32", "ne.s32"} {
		for _, first := range []uint32{0, 0x7fffff8a, 0xffffff8a} {
			t.Run(fmt.Sprintf("%s from %#x", op, first), func(t *testing.T) {
				if compareBlocks(t, decideHeader+fmt.Sprintf(decideBody, op, first), nil) == 0 {
					t.Error("nothing ran in compiled code")
				}
			})
		}
	}
}

// TestDecisionPlaces has decisions where warps leave, part and come together.
func TestDecisionPlaces(t *testing.T) {
	for name, body := range map[string]string{
		"exit":       "setp.ge.u32 %p1, %r27, %r9; @%p1 exit; st.global.u32 [%rd15], %r27;",
		"no exit":    "setp.ge.u32 %p1, %r27, 1000; @%p1 exit; st.global.u32 [%rd15], %r27;",
		"all exit":   "setp.lt.u32 %p1, %r27, 1000; @%p1 exit; st.global.u32 [%rd15], %r27;",
		"64 bits":    "add.u64 %rd4, %rd1, 96; setp.lt.u64 %p1, %rd15, %rd4; @%p1 bra A; st.global.u32 [%rd15], %r27; A: setp.ge.s64 %p2, %rd15, %rd4; @%p2 ret; st.global.u32 [%rd15+4096], %r27;",
		"grid loop":  "mov.u32 %r10, %r27; mov.u32 %r11, 0;\nL: mul.wide.s32 %rd3, %r10, 4; add.s64 %rd3, %rd1, %rd3; ld.global.u32 %r12, [%rd3]; add.u32 %r11, %r11, %r12; add.u32 %r10, %r10, %r5; setp.lt.s32 %p1, %r10, 700; @%p1 bra L; st.global.u32 [%rd15+4096], %r11;",
		"count kept": "mov.u32 %r10, %r27; mov.u32 %r11, 0;\nL: mul.wide.s32 %rd3, %r10, 4; add.s64 %rd3, %rd1, %rd3; ld.global.u32 %r12, [%rd3]; add.u32 %r11, %r11, %r12; add.u32 %r10, %r10, %r5; setp.lt.s32 %p1, %r10, 700; @%p1 bra L; mul.wide.s32 %rd3, %r10, 4; add.s64 %rd3, %rd1, %rd3; ld.global.u32 %r12, [%rd3]; add.u32 %r11, %r11, %r12; st.global.u32 [%rd15+8192], %r11;",
		"arms":       "mov.u64 %rd3, %rd15; setp.gt.u32 %p1, %r2, 9; @%p1 bra A; add.u64 %rd3, %rd3, 128; bra.uni B; A: add.u64 %rd3, %rd3, 4096; B: ld.global.u32 %r10, [%rd3]; st.global.u32 [%rd3+4], %r10;",
		"changed":    "mov.u32 %r10, 3; setp.lt.u32 %p1, %r10, %r9; add.u32 %r10, %r10, 40; @%p1 bra A; st.global.u32 [%rd15], %r10; A: setp.lt.u32 %p2, %r27, %r10; add.u32 %r10, %r10, 1000; @!%p2 bra B; st.global.u32 [%rd15+1024], %r10; B: mov.u32 %r11, %r27; setp.lt.u32 %p3, %r11, 60; add.u32 %r11, %r11, 64; @%p3 bra C; mul.wide.u32 %rd3, %r11, 4; add.u64 %rd3, %rd1, %rd3; st.global.u32 [%rd3+2048], %r10; C:",
		"read twice": "setp.lt.u32 %p1, %r27, 40; not.pred %p2, %p1; @%p1 bra A; st.global.u32 [%rd15], %r27; A: @%p2 bra B; st.global.u32 [%rd15+4096], %r27; B:",
		"atomic":     "setp.lt.u32 %p1, %r27, 40; atom.global.add.u32 %r10, [%rd15], 1; @%p1 bra A; st.global.u32 [%rd15+1024], %r10; A:",
	} {
		t.Run(name, func(t *testing.T) {
			if compareBlocks(t, decideHeader+body, nil) == 0 {
				t.Error("nothing ran in compiled code")
			}
			for way := range int32(3) {
				compareBlocks(t, decideHeader+body, func(pc int32) bool { return pc%3 == way })
			}
		})
	}
}
