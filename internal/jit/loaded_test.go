package jit_test

import "testing"

// loadedBodies follow kernelHeader: values that are loaded once for all lanes into registers that lanes write, too.
var loadedBodies = map[string]string{
	"index": `ld.global.u32 %r10, [%rd1]; and.b32 %r10, %r10, 511; add.u32 %r11, %r10, %r1; mul.wide.s32 %rd4, %r11, 4; add.u64 %rd5, %rd1, %rd4; ld.global.u32 %r12, [%rd5+4];
	setp.gt.u32 %p1, %r2, 20; @%p1 bra A; add.u32 %r10, %r10, %r12; A: bar.sync 0; mad.lo.u32 %r12, %r12, 3, %r10; st.global.u32 [%rd5+16384], %r12; ret;`,
	"guard": `ld.global.u32 %r10, [%rd1]; add.u32 %r11, %r1, 3; mul.wide.u32 %rd4, %r11, 4; add.u64 %rd5, %rd1, %rd4; setp.ge.s32 %p1, %r11, %r10; @%p1 bra A; ld.global.u32 %r12, [%rd5];
A:	add.u32 %r13, %r11, 1; setp.lt.s32 %p2, %r13, %r9; @!%p2 bra B; add.u32 %r12, %r12, %r13; mov.u32 %r10, %r12;
B:	bar.sync 0; add.u32 %r12, %r12, %r10; st.global.u32 [%rd5+16384], %r12; @%p2 bra C; st.global.u32 [%rd5+20480], %r13; C: ret;`,
	"pointer": `ld.global.u16 %r10, [%rd1]; cvt.u64.u32 %rd6, %r10; and.b64 %rd6, %rd6, 1020; add.u64 %rd6, %rd6, %rd1; st.global.u64 [%rd1+24576], %rd6; ld.global.u64 %rd4, [%rd1+24576]; cvt.u64.u32 %rd7, %r2; shl.b64 %rd7, %rd7, 2;
	add.u64 %rd5, %rd4, %rd7; ld.global.u32 %r11, [%rd5]; setp.gt.u32 %p1, %r2, 20; @%p1 bra A; add.u64 %rd4, %rd4, %rd7; A: bar.sync 0; cvt.u32.u64 %r12, %rd4; add.u32 %r11, %r11, %r12; st.global.u32 [%rd3+8192], %r11; ret;`,
	"loop": `mov.u32 %r14, 0; L: ld.global.s16 %r10, [%rd1+2]; and.b32 %r10, %r10, 255; add.u32 %r11, %r10, %r2; mul.wide.u32 %rd4, %r11, 4; add.u64 %rd5, %rd1, %rd4; ld.global.u32 %r12, [%rd5+64]; add.u32 %r15, %r15, %r12;
	setp.gt.u32 %p1, %r2, 5; @%p1 bra A; mov.u32 %r10, %r12; A: add.u32 %r15, %r15, %r10; add.u32 %r14, %r14, 1; setp.lt.u32 %p2, %r14, 4; @%p2 bra L; st.global.u32 [%rd3+8192], %r15; ret;`,
	"twice": `ld.global.u32 %r10, [%rd1]; and.b32 %r10, %r10, 255; add.u32 %r11, %r10, %r1; ld.global.u32 %r10, [%rd1+4]; and.b32 %r10, %r10, 127; mul.wide.u32 %rd4, %r11, 4; add.u64 %rd5, %rd1, %rd4; add.u32 %r12, %r10, %r1; mul.wide.u32 %rd6, %r12, 4;
	add.u64 %rd7, %rd1, %rd6; ld.global.u32 %r13, [%rd5]; ld.global.u32 %r14, [%rd7]; setp.gt.u32 %p1, %r2, 5; @%p1 bra A; mov.u32 %r10, %r13; A: bar.sync 0; add.u32 %r13, %r13, %r14; add.u32 %r13, %r13, %r10; st.global.u32 [%rd3+8192], %r13; ret;`,
	"guarded": `ld.global.u32 %r10, [%rd1]; and.b32 %r10, %r10, 255; setp.gt.u32 %p1, %r2, 5; @%p1 ld.global.u32 %r10, [%rd1+8]; and.b32 %r10, %r10, 255; add.u32 %r11, %r10, %r1; mul.wide.u32 %rd4, %r11, 4; add.u64 %rd5, %rd1, %rd4; ld.global.u32 %r12, [%rd5]; bar.sync 0;
	st.global.u32 [%rd3+8192], %r12; ret;`,
	"outside": `ld.global.u32 %r10, [%rd1]; shl.b32 %r10, %r10, 9; add.u32 %r11, %r10, %r1; mul.wide.s32 %rd4, %r11, 4; add.u64 %rd5, %rd1, %rd4; ld.global.u32 %r12, [%rd5]; setp.gt.u32 %p1, %r2, 5; @%p1 bra A; mov.u32 %r10, %r12; A: bar.sync 0; st.global.u32 [%rd3+8192], %r10; ret;`,
	"wraps": `ld.global.u32 %r10, [%rd1]; or.b32 %r10, %r10, 0x7ffffff0; and.b32 %r10, %r10, 0x7ffffff0; add.u32 %r11, %r10, %r2; mul.wide.s32 %rd4, %r11, 4; shr.s64 %rd6, %rd4, 40; add.u64 %rd5, %rd1, %rd6; ld.global.u8 %r12, [%rd5+100]; setp.gt.u32 %p1, %r2, 5; @%p1 bra A; mov.u32 %r10, %r12;
A:	bar.sync 0; add.u32 %r12, %r12, %r10; st.global.u32 [%rd3+8192], %r12; ret;`,
}

// TestLoaded compares them with the interpreter.
func TestLoaded(t *testing.T) {
	for name, body := range loadedBodies {
		t.Run(name, func(t *testing.T) {
			for _, block := range [][3]uint32{{256, 1, 1}, {32, 1, 1}, {16, 16, 1}, {8, 8, 4}, {33, 1, 1}, {1, 1, 1}} {
				for _, n := range []uint32{0, 650, 1 << 20} {
					compareKernel(t, body, [3]uint32{5, 1, 1}, block, n)
				}
			}
		})
	}
}
