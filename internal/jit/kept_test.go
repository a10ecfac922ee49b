package jit_test

import "testing"

// TestKeptBases: accesses from one base find it in a register, until it gets another value, somebody else
// takes the register, or the next instruction is come to from elsewhere.
func TestKeptBases(t *testing.T) {
	const put = `mov.u32 %r10, smem; mad.lo.u32 %r12, %r27, 4, %r10; mul.lo.u32 %r11, %r27, %r27;
	st.shared.u32 [%r12], %r27; st.shared.u32 [%r12+2048], %r11; bar.sync 0; add.u64 %rd4, %rd15, 64; ld.shared.u32 %r20, [%r12];
`
	for name, body := range map[string]string{
		"moved":  "ld.shared.u32 %r13, [%r12+4]; add.u32 %r12, %r12, 64; ld.shared.u32 %r14, [%r12]; ld.shared.u32 %r15, [%r12+2052];",
		"global": "ld.global.u32 %r13, [%rd4]; ld.global.u32 %r14, [%rd4+4]; add.u64 %rd4, %rd4, 128; ld.global.u32 %r15, [%rd4]; ld.global.u32 %r16, [%rd4+8]; add.u32 %r15, %r15, %r16;",
		"busy":   "ld.shared.u32 %r13, [%r12+4]; mul.hi.u32 %r16, %r13, 0x12345677; popc.b32 %r17, %r16; setp.lt.u32 %p1, %r17, 9; ld.shared.u32 %r14, [%r12+8]; mul.wide.u32 %rd5, %r27, 12; add.u64 %rd5, %rd5, %rd1; ld.global.u32 %r18, [%rd5]; ld.shared.u32 %r15, [%r12+12]; @%p1 add.u32 %r15, %r15, %r18;",
		"guard":  "setp.lt.u32 %p1, %r2, 5; mov.u32 %r13, 1; @%p1 ld.shared.u32 %r13, [%r12+4]; ld.shared.u32 %r14, [%r12+8]; @%p1 st.shared.u32 [%r12], %r14; ld.shared.u32 %r15, [%r12+12];",
		"bases":  "ld.shared.u32 %r13, [%r12+4]; ld.global.u32 %r14, [%rd4]; ld.global.u32 %r15, [%rd15+4]; mad.lo.u32 %r16, %r3, 4, %r10; ld.shared.u32 %r17, [%r16]; mad.lo.u32 %r18, %r2, 4, %r10; ld.shared.u32 %r19, [%r18]; ld.shared.u32 %r21, [%r12+8]; ld.global.u32 %r22, [%rd4+4]; ld.shared.u32 %r23, [%r16+4]; add.u32 %r13, %r13, %r17; xor.b32 %r14, %r14, %r19; add.u32 %r15, %r15, %r21; xor.b32 %r14, %r14, %r22; add.u32 %r15, %r15, %r23;",
		"joined": "setp.lt.u32 %p1, %r2, 5; mov.u32 %r13, 7; @%p1 bra A; ld.shared.u32 %r13, [%r12+4]; add.u32 %r12, %r12, 4;\nA: ld.shared.u32 %r14, [%r12+8]; ld.shared.u32 %r15, [%r12+12];",
	} {
		t.Run(name, func(t *testing.T) {
			body := decideHeader + put + body + "\n\txor.b32 %r20, %r20, %r13; mad.lo.u32 %r20, %r14, 77, %r20; mad.lo.u32 %r20, %r15, 7777, %r20; st.global.u32 [%rd15+16384], %r20;"
			if compareBlocks(t, body, nil) == 0 {
				t.Error("nothing ran in compiled code")
			}
			for way := range int32(3) {
				compareBlocks(t, body, func(pc int32) bool { return pc%3 == way })
			}
		})
	}
}
