package jit_test

import "testing"

// ctaHeader has the thread's place in the grid in %r1, %r2 (x, y), in its CTA in %r3, %r4, and its number there in %r5; the
// width and the height of a picture in %r8, %r9, the word at (x, y) in %rd3. The kernel's own registers begin at 10.
const ctaHeader = `.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 buf, .param .u32 width, .param .u32 height, .param .f32 scale) {
	.reg .b32 %r<60>; .reg .b64 %rd<30>; .reg .pred %p<16>; .reg .f32 %f<20>;
	.shared .align 16 .b8 smem[8192];
	ld.param.u64 %rd1, [buf]; ld.param.u32 %r8, [width]; ld.param.u32 %r9, [height]; ld.param.f32 %f9, [scale];
	mov.u32 %r3, %tid.x; mov.u32 %r4, %tid.y; mov.u32 %r50, %tid.z;
	mov.u32 %r51, %ntid.x; mov.u32 %r52, %ntid.y;
	mad.lo.u32 %r53, %r50, %r52, %r4; mad.lo.u32 %r5, %r53, %r51, %r3;
	mov.u32 %r54, %ctaid.x; mad.lo.u32 %r1, %r54, %r51, %r3;
	mov.u32 %r55, %ctaid.y; mad.lo.u32 %r2, %r55, %r52, %r4;
	mad.lo.s32 %r6, %r2, %r8, %r1; mul.wide.s32 %rd2, %r6, 4; add.s64 %rd3, %rd1, %rd2;
	mov.u32 %r7, smem; shl.b32 %r56, %r5, 2; add.u32 %r10, %r7, %r56;
`

// ctaCases are kernels whose warps do what follows from places, sizes and thread indices.
var ctaCases = map[string]string{
	"copy":       "setp.ge.s32 %p1, %r1, %r8; @%p1 exit; ld.global.f32 %f1, [%rd3]; st.shared.f32 [%r10], %f1; bar.sync 0; ld.shared.f32 %f2, [%r10]; mul.f32 %f2, %f2, %f9; st.global.f32 [%rd3+32768], %f2;",
	"turned":     "ld.global.u32 %r11, [%rd3]; st.shared.u32 [%r10], %r11; bar.sync 0; sub.u32 %r12, %r7, %r56; ld.shared.u32 %r13, [%r12+1020]; st.global.u32 [%rd3+32768], %r13;",
	"halo":       "mov.u32 %r11, %r5;\nL: setp.gt.s32 %p1, %r11, 323; @%p1 bra E; mul.hi.s32 %r12, %r11, 954437177; shr.s32 %r13, %r12, 2; mul.lo.s32 %r14, %r13, 18; sub.s32 %r15, %r11, %r14; sub.u32 %r16, %r1, %r3; add.s32 %r16, %r16, %r15; add.s32 %r16, %r16, -1; sub.u32 %r17, %r2, %r4; add.s32 %r17, %r17, %r13; add.s32 %r17, %r17, -1; or.b32 %r18, %r16, %r17; setp.lt.s32 %p2, %r18, 0; setp.ge.s32 %p3, %r16, %r8; or.pred %p4, %p2, %p3; setp.ge.s32 %p5, %r17, %r9; or.pred %p6, %p4, %p5; mov.f32 %f1, 0f00000000; @%p6 bra S; mad.lo.s32 %r19, %r17, %r8, %r16; mul.wide.s32 %rd4, %r19, 4; add.s64 %rd5, %rd1, %rd4; ld.global.f32 %f1, [%rd5];\nS: shl.b32 %r20, %r11, 2; add.u32 %r21, %r7, %r20; st.shared.f32 [%r21], %f1; add.u32 %r11, %r11, 256; bra L;\nE: bar.sync 0; setp.ge.s32 %p7, %r1, %r8; setp.ge.s32 %p8, %r2, %r9; or.pred %p9, %p7, %p8; @%p9 exit; ld.shared.f32 %f2, [%r10]; ld.shared.f32 %f3, [%r10+64]; add.f32 %f4, %f2, %f3; ld.shared.f32 %f5, [%r10+272]; fma.rn.f32 %f6, %f4, %f9, %f5; st.global.f32 [%rd3+32768], %f6;",
	"two stores": "ld.global.u32 %r11, [%rd3]; add.u32 %r12, %r11, %r1; st.global.u32 [%rd3+4], %r12; ld.global.u32 %r13, [%rd3+64]; st.global.u32 [%rd3], %r13;",
	"shifted":    "ld.global.u32 %r11, [%rd3]; st.global.u32 [%rd3+4], %r11;",
	"parts":      "setp.lt.u32 %p1, %r5, 77; @%p1 bra A; ld.global.u32 %r11, [%rd3]; bra.uni B;\nA: ld.global.u32 %r11, [%rd3+8]; add.u32 %r11, %r11, %r5;\nB: st.global.u32 [%rd3+32768], %r11; setp.gt.u32 %p2, %r3, 5; @%p2 st.shared.u32 [%r10], %r11; bar.sync 0; ld.shared.u32 %r12, [%r10]; st.global.u32 [%rd3+65536], %r12;",
	"barriers":   "ld.global.u32 %r11, [%rd3]; st.shared.u32 [%r10], %r11; bar.sync 0; xor.b32 %r12, %r56, 128; add.u32 %r13, %r7, %r12; ld.shared.u32 %r14, [%r13]; add.u32 %r15, %r14, %r11; bar.sync 1; st.shared.u32 [%r10], %r15; bar.sync 0; ld.shared.u32 %r16, [%r13]; xor.b32 %r17, %r16, %r11; st.global.u32 [%rd3+32768], %r17;",
	"races":      "shr.u32 %r11, %r56, 5; and.b32 %r11, %r11, 60; add.u32 %r12, %r7, %r11; st.shared.u32 [%r10], %r5; bar.sync 0; and.b32 %r13, %r56, 124; add.u32 %r13, %r13, %r7; st.shared.u32 [%r13], %r5; bar.sync 0; ld.shared.u32 %r14, [%r13]; st.shared.u32 [%r13+128], %r5; bar.sync 0; ld.shared.u32 %r15, [%r13+128]; mad.lo.u32 %r16, %r14, 1000, %r15; st.global.u32 [%rd3+32768], %r16;",
	"some exit":  "setp.lt.u32 %p1, %r5, 64; @%p1 exit; ld.global.u32 %r11, [%rd3]; st.shared.u32 [%r10], %r11; bar.sync 0; ld.shared.u32 %r12, [%r10+4]; st.global.u32 [%rd3+32768], %r12;",
	"nan":        "ld.global.u32 %r11, [%rd3]; or.b32 %r12, %r11, 0x7f800000; mov.b32 %f1, %r12; ld.global.f32 %f2, [%rd3+4]; add.f32 %f3, %f1, %f2; mul.f32 %f4, %f3, %f9; fma.rn.f32 %f5, %f4, %f1, %f2; st.global.f32 [%rd3+32768], %f5; st.global.f32 [%rd3+65536], %f3;",
	"values":     "add.u32 %r11, %r1, %r2; st.global.u32 [%rd3+32768], %r11; mul.lo.u32 %r12, %r4, %r8; st.global.u32 [%rd3+65536], %r12; st.global.f32 [%rd3], %f9; st.global.u32 [%rd3+4096], %r8;",
	"selected":   "setp.lt.s32 %p1, %r1, %r8; selp.u32 %r11, %r1, %r9, %p1; setp.gt.u32 %p2, %r3, 4; selp.u32 %r12, %r11, 7, %p2; ld.global.u32 %r13, [%rd3]; selp.u32 %r14, %r13, %r12, %p2; st.global.u32 [%rd3+32768], %r14;",
	"unsigned":   "setp.ge.u32 %p1, %r1, %r8; @%p1 exit; mul.wide.u32 %rd4, %r6, 4; add.u64 %rd5, %rd1, %rd4; ld.global.u32 %r11, [%rd5]; not.b32 %r12, %r11; st.global.u32 [%rd5+32768], %r12;",
	"beyond":     "add.s64 %rd4, %rd3, 130000; ld.global.u32 %r11, [%rd3]; st.global.u32 [%rd4], %r11;",
	"before":     "ld.global.u32 %r11, [%rd3+-65600]; st.global.u32 [%rd3], %r11;",
	"unaligned":  "setp.gt.u32 %p1, %r55, 1; selp.u32 %r11, 2, 0, %p1; cvt.u64.u32 %rd4, %r11; add.s64 %rd5, %rd3, %rd4; st.global.u32 [%rd5+32768], %r5;",
	"same place": "mul.wide.s32 %rd4, %r2, 4; add.s64 %rd5, %rd1, %rd4; ld.global.u32 %r11, [%rd5]; ld.shared.u32 %r12, [%r7+16]; add.u32 %r13, %r11, %r12; st.global.u32 [%rd3+32768], %r13;",
	"spilled":    "ld.global.f32 %f1, [%rd3]; ld.global.f32 %f2, [%rd3+4]; ld.global.f32 %f3, [%rd3+8]; ld.global.f32 %f4, [%rd3+12]; ld.global.f32 %f5, [%rd3+16]; add.f32 %f6, %f1, %f2; add.f32 %f7, %f3, %f4; add.f32 %f8, %f5, %f1; add.f32 %f10, %f2, %f3; add.f32 %f11, %f4, %f5; add.f32 %f12, %f1, %f3; add.f32 %f13, %f2, %f4; bar.sync 0; mul.f32 %f1, %f1, %f6; fma.rn.f32 %f1, %f7, %f8, %f1; fma.rn.f32 %f1, %f10, %f11, %f1; fma.rn.f32 %f1, %f12, %f13, %f1; fma.rn.f32 %f1, %f2, %f3, %f1; fma.rn.f32 %f1, %f4, %f5, %f1; st.global.f32 [%rd3+32768], %f1;",
	"far":        "ld.global.u32 %r11, [%rd3]; mad.lo.s32 %r12, %r2, 0x4000000, %r1; mul.wide.s32 %rd4, %r12, 4; shr.u64 %rd5, %rd4, 60; shl.b64 %rd6, %rd5, 2; add.s64 %rd7, %rd3, %rd6; st.global.u32 [%rd7+32768], %r11;",
}

// compareCTAs is compareTwice for a picture.
func compareCTAs(t *testing.T, body string, grid, block [3]uint32, width, height uint32) {
	t.Helper()
	const size = 1 << 18
	compareTwice(t, ctaHeader+body+"\nret;\n}\n", size, size/4, grid, block, width, height, uint32(0x3fc00000))
}

// TestCTA runs them in all shapes of blocks, with pictures that end in their middle.
func TestCTA(t *testing.T) {
	for name, body := range ctaCases {
		t.Run(name, func(t *testing.T) {
			for _, block := range [][3]uint32{{16, 16, 1}, {32, 8, 1}, {256, 1, 1}, {32, 1, 1}, {8, 8, 4}, {33, 1, 1}, {1, 1, 1}} {
				for _, size := range [][2]uint32{{64, 64}, {61, 50}, {80, 1 << 30}, {0xfffffff0, 64}} {
					if block[0] == 16 || size[0] == 64 || !testing.Short() && size[0] == 61 {
						compareCTAs(t, body, [3]uint32{4, 4, 1}, block, size[0], size[1])
					}
				}
			}
		})
	}
}
