package jit_test

import (
	"regexp"
	"testing"

	"ptxvm.invalid/ptxvm/internal/jit"
)

// laneBitsBodies follow sweepHeader: addresses of bits of the thread index, of the thread's number in the grid, of what a loop adds
// up, and signed divisions of them.
var laneBitsBodies = map[string]string{
	"tile":        "and.b32 %r10, %r2, 15; shr.u32 %r11, %r2, 4; and.b32 %r16, %r11, 15; mad.lo.u32 %r12, %r16, 64, %r10; shl.b32 %r17, %r12, 2; cvt.u64.u32 %rd4, %r17; add.u64 %rd5, %rd1, %rd4; ld.global.u32 %r13, [%rd5]; st.global.u32 [%rd3], %r13; ret;",
	"signed tile": "shr.s32 %r18, %r2, 31; shr.u32 %r10, %r18, 28; add.s32 %r11, %r2, %r10; shr.s32 %r12, %r11, 4; and.b32 %r19, %r11, -16; sub.s32 %r13, %r2, %r19; and.b32 %r16, %r12, 15; mad.lo.s32 %r14, %r16, 64, %r13; shl.b32 %r17, %r14, 2; cvt.u64.u32 %rd4, %r17; add.u64 %rd5, %rd1, %rd4; ld.global.u32 %r15, [%rd5]; st.global.u32 [%rd3], %r15; ret;",
	"turned":      "xor.b32 %r10, %r2, 5; or.b32 %r11, %r2, 6; shl.b32 %r10, %r10, 2; shl.b32 %r11, %r11, 2; cvt.u64.u32 %rd4, %r10; add.u64 %rd5, %rd1, %rd4; cvt.u64.u32 %rd4, %r11; add.u64 %rd6, %rd1, %rd4; ld.global.u32 %r13, [%rd5]; ld.global.u32 %r14, [%rd6]; mad.lo.u32 %r13, %r13, 3, %r14; st.global.u32 [%rd3], %r13; ret;",
	"grid":        "and.b32 %r10, %r1, 31; shr.u32 %r11, %r1, 5; shl.b32 %r11, %r11, 5; or.b32 %r10, %r10, %r11; mul.wide.u32 %rd4, %r10, 4; add.u64 %rd5, %rd1, %rd4; ld.global.u32 %r13, [%rd5]; and.b32 %r14, %r1, -8; mul.wide.s32 %rd4, %r14, 4; add.u64 %rd5, %rd1, %rd4; ld.global.u32 %r15, [%rd5+28]; add.u32 %r13, %r13, %r15; st.global.u32 [%rd3], %r13; ret;",
	"signed": ".shared .align 4 .b8 s[16384]; mov.u32 %r20, s; shr.s32 %r10, %r2, 31; shr.u32 %r10, %r10, 28; add.s32 %r11, %r2, %r10; shr.s32 %r12, %r11, 4; and.b32 %r13, %r11, -16; sub.s32 %r13, %r2, %r13; shl.b32 %r14, %r13, 8; add.s32 %r14, %r20, %r14; shl.b32 %r15, %r12, 2; add.s32 %r14, %r14, %r15; st.shared.u32 [%r14], %r1; bar.sync 0; " +
		"shl.b32 %r16, %r2, 2; and.b32 %r16, %r16, 124; add.u32 %r16, %r16, %r20; ld.shared.u32 %r17, [%r16]; ld.shared.u32 %r18, [%r14]; xor.b32 %r17, %r17, %r18; st.global.u32 [%rd3], %r17; ret;",
	"loop":   ".shared .align 4 .b8 s[16384]; mov.u32 %r20, s; shl.b32 %r10, %r2, 2; and.b32 %r11, %r10, 60; add.u32 %r11, %r11, %r20; add.u32 %r12, %r10, %r20; st.shared.u32 [%r12], %r1; bar.sync 0; mov.u32 %r13, 0; mov.u32 %r14, 0; A: and.b32 %r15, %r14, 3; add.u32 %r16, %r11, %r14; ld.shared.u32 %r17, [%r16]; ld.shared.u32 %r18, [%r16+4]; mad.lo.u32 %r13, %r17, %r18, %r13; add.u32 %r14, %r14, 4; setp.lt.u32 %p1, %r14, 32; @%p1 bra A; st.global.u32 [%rd3], %r13; ret;",
	"parted": "mov.u32 %r10, %r2; and.b32 %r11, %r1, 3; setp.eq.u32 %p1, %r11, 1; A: add.u32 %r10, %r10, 64; @%p1 bra B; add.u32 %r11, %r11, 1; setp.lt.u32 %p2, %r11, 5; @%p2 bra A; B: bar.warp.sync -1; and.b32 %r12, %r10, 15; shl.b32 %r12, %r12, 2; cvt.u64.u32 %rd4, %r12; add.u64 %rd5, %rd1, %rd4; ld.global.u32 %r13, [%rd5]; shr.u32 %r14, %r10, 4; mad.lo.u32 %r13, %r13, 3, %r14; st.global.u32 [%rd3], %r13; ret;",
}

// TestLaneBitsRun compares accesses at bits of the lane with the interpreter's, in blocks whose rows are tiles, and not.
func TestLaneBitsRun(t *testing.T) {
	for name, body := range laneBitsBodies {
		t.Run(name, func(t *testing.T) {
			for _, block := range [][3]uint32{{256, 1, 1}, {32, 1, 1}, {16, 16, 1}, {8, 8, 4}, {24, 4, 1}, {40, 2, 1}, {33, 1, 1}, {1, 1, 1}} {
				compareSweep(t, body, [3]uint32{3, 1, 1}, block, 1<<20)
			}
		})
	}
}

// TestLaneBitsAre holds that a tile's words are read at known distances, not gathered.
func TestLaneBitsAre(t *testing.T) {
	for _, v := range []jit.Vectors{jit.AVX2, jit.AVX512} {
		for _, name := range []string{"tile", "signed tile", "grid", "loop"} {
			if list := sweepListing(t, laneBitsBodies[name], v); regexp.MustCompile(`(?s)# all lanes, from 0.*?# some lanes`).FindString(list) == "" || regexp.MustCompile(`vpgather`).MatchString(regexp.MustCompile(`(?s)# all lanes, from 0.*?# some lanes`).FindString(list)) {
				t.Errorf("%s, %v: gathers", name, v)
			}
		}
	}
}
