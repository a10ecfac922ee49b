package jit_test

import "testing"

// constantCases are kernels in which registers hold constants, or seem to; the result is in %r10 and %rd5.
var constantCases = map[string]string{
	"shuffles":      "mov.u32 %r11, 3; mov.u32 %r12, 31; mov.u32 %r13, -1; activemask.b32 %r14; shfl.sync.bfly.b32 %r10, %r1, %r11, %r12, %r14; mov.u32 %r15, 0; shfl.sync.up.b32 %r16|%p1, %r10, %r11, %r15, %r14; selp.u32 %r10, %r16, 77, %p1; and.b32 %r10, %r10, %r13;",
	"products":      "mov.u32 %r11, 16; mul.lo.u32 %r10, %r1, %r11; mov.u32 %r12, 0x80000000; mad.lo.u32 %r10, %r8, %r12, %r10; mul.wide.s32 %rd5, %r8, %r12; mul.wide.u32 %rd6, %r8, %r12; add.u64 %rd5, %rd5, %rd6; mul.lo.u64 %rd7, %rd2, 0x8000000000000000; add.u64 %rd5, %rd5, %rd7; neg.s32 %r13, %r1; mul.wide.s32 %rd8, %r13, 64; mul.wide.u32 %rd9, %r13, 1; sub.u64 %rd8, %rd8, %rd9; add.u64 %rd5, %rd5, %rd8; mul.lo.u64 %rd10, %rd8, 256; xor.b64 %rd5, %rd5, %rd10; mul.hi.u32 %r14, %r13, %r12; add.u32 %r10, %r10, %r14; mul.lo.u32 %r15, %r13, 1; xor.b32 %r10, %r10, %r15;",
	"written twice": "mov.u32 %r11, 5; add.u32 %r10, %r1, %r11; mov.u32 %r11, 9; mad.lo.u32 %r10, %r10, %r11, %r11; cvt.u64.u32 %rd5, %r10;",
	"under a guard": "setp.gt.u32 %p1, %r9, 100; mov.u32 %r10, %r1; @%p1 mov.u32 %r11, 9; add.u32 %r10, %r10, %r11; setp.lt.u32 %p2, %r9, 100; @%p2 mov.u32 %r12, 7; add.u32 %r10, %r10, %r12;",
	"before it is":  "mov.u32 %r10, 0; mov.u32 %r13, 0;\nL: mad.lo.u32 %r10, %r10, 3, %r11; mov.u32 %r11, 7; add.u32 %r13, %r13, 1; setp.lt.u32 %p1, %r13, 4; @%p1 bra L; add.u32 %r10, %r10, %r1;",
	"past a branch": "mov.u32 %r10, 1; setp.gt.u32 %p1, %r9, 3; @%p1 bra A; mov.u32 %r11, 6; bra.uni B;\nA: mov.u32 %r12, 8; add.u32 %r10, %r10, %r12;\nB: add.u32 %r10, %r10, %r11; and.b32 %r13, %r1, 1; setp.eq.u32 %p2, %r13, 1; @%p2 bra C; mov.u32 %r14, 4; add.u32 %r10, %r10, %r14;\nC: mad.lo.u32 %r10, %r10, %r1, %r14;",
	"64 bits":       "mov.u64 %rd6, 0x123456789abc; add.u64 %rd5, %rd2, %rd6; mul.lo.u64 %rd5, %rd5, %rd6; cvt.u32.u64 %r10, %rd6; add.u32 %r10, %r10, %r1;",
	"as an address": "mov.u64 %rd6, 32; add.u64 %rd7, %rd1, %rd6; ld.global.u32 %r10, [%rd7]; mov.u32 %r11, smem; st.shared.u32 [%r11], %r1; bar.sync 0; ld.shared.u32 %r12, [%r11]; add.u32 %r10, %r10, %r12;",
}

// TestConstants compares the engines where slots are constants, and where only some definitions are.
func TestConstants(t *testing.T) {
	for name, body := range constantCases {
		t.Run(name, func(t *testing.T) {
			body += "\nmul.wide.u32 %rd3, %r1, 8; add.u64 %rd3, %rd3, %rd1; st.global.u32 [%rd2+-16384], %r10; st.global.u64 [%rd3+16384], %rd5;"
			if compareBlocks(t, body, nil) == 0 {
				t.Error("nothing ran in compiled code")
			}
			compareBlocks(t, body, func(pc int32) bool { return pc%3 == 1 })
		})
	}
}
