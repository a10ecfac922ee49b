package jit_test

import (
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/internal/jit"
)

// product multiplies rows by columns in shared memory: by blocks of 16 × 16 all parts of a row read the same of %r12, by others
// of %r11.
const product = "mov.u32 %r10, smem; mad.lo.u32 %r11, %r25, 4, %r10; cvt.rn.f32.u32 %f1, %r1; st.shared.f32 [%r11], %f1; bar.sync 0; mad.lo.u32 %r12, %r2, 4, %r10; mad.lo.u32 %r11, %r3, 64, %r10; ld.shared.f32 %f1, [%r11]; ld.shared.f32 %f2, [%r12]; fma.rn.f32 %f3, %f1, %f2, %f2; ld.shared.f32 %f1, [%r11+4]; ld.shared.f32 %f2, [%r12+64]; fma.rn.f32 %f3, %f1, %f2, %f3; ld.shared.f32 %f1, [%r11+8]; ld.shared.f32 %f2, [%r12+128]; fma.rn.f32 %f3, %f2, %f1, %f3; st.global.f32 [%rd7], %f3;"

// fetchCases are loads among instructions that compute; %rd7 is a row of addresses, %rd8 one for each y.
var fetchCases = map[string]string{
	"twice":          "ld.global.u32 %r10, [%rd8]; mul.lo.u32 %r12, %r10, %r1; ld.global.u32 %r10, [%rd8+4]; mad.lo.u32 %r12, %r10, %r2, %r12; xor.b32 %r12, %r12, %r10; st.global.u32 [%rd7], %r12; st.global.u32 [%rd7+4096], %r10;",
	"one place":      "ld.global.u32 %r10, [%rd1+64]; mul.lo.u32 %r12, %r10, %r1; ld.global.u32 %r10, [%rd1+68]; mad.lo.u32 %r12, %r10, %r2, %r12; add.u32 %r13, %r10, 7; xor.b32 %r12, %r12, %r13; st.global.u32 [%rd7], %r12; st.global.u32 [%rd7+4096], %r13;",
	"old value":      "mul.lo.u32 %r10, %r1, 77; add.u32 %r11, %r10, 5; ld.global.u32 %r10, [%rd7]; xor.b32 %r11, %r11, %r10; mul.lo.u32 %r12, %r11, %r10; st.global.u32 [%rd7], %r12; st.global.u32 [%rd7+4096], %r10;",
	"own address":    "ld.global.u32 %r10, [%rd7]; xor.b32 %r11, %r10, %r1; cvt.u64.u32 %rd9, %r1; ld.global.u64 %rd9, [%rd1+8]; add.u64 %rd9, %rd9, %rd7; mul.wide.u32 %rd10, %r1, 8; add.u64 %rd10, %rd10, %rd1; st.global.u64 [%rd10+8192], %rd9; st.global.u32 [%rd7], %r11;",
	"moved":          "ld.global.u32 %r10, [%rd7]; xor.b32 %r12, %r10, %r1; add.u64 %rd7, %rd7, 4; ld.global.u32 %r11, [%rd7]; mad.lo.u32 %r12, %r11, %r10, %r12; add.u64 %rd7, %rd7, -12; ld.global.u32 %r11, [%rd7+4]; add.u32 %r12, %r12, %r11; st.global.u32 [%rd7+4096], %r12;",
	"two bases":      "ld.global.u32 %r10, [%rd7]; xor.b32 %r12, %r10, %r1; ld.global.u32 %r11, [%rd8+8192]; mad.lo.u32 %r12, %r11, %r10, %r12; ld.global.v2.u32 {%r13, %r14}, [%rd1+16]; ld.global.u32 %r15, [%rd7+4]; mad.lo.u32 %r12, %r13, %r14, %r12; xor.b32 %r12, %r12, %r15; st.global.u32 [%rd7+4096], %r12;",
	"behind a store": "ld.global.u32 %r10, [%rd7]; add.u32 %r11, %r10, %r1; st.global.u32 [%rd7], %r11; ld.global.u32 %r10, [%rd7]; add.u32 %r12, %r10, %r11; mul.lo.u32 %r12, %r12, %r10; st.global.u32 [%rd7+4096], %r12;",
	"many readers":   "ld.global.f32 %f1, [%rd7]; ld.global.f32 %f2, [%rd8]; fma.rn.f32 %f3, %f1, %f2, %f1; fma.rn.f32 %f4, %f2, %f1, %f3; mul.f32 %f5, %f1, %f1; min.f32 %f6, %f5, %f2; add.f32 %f4, %f4, %f6; st.global.f32 [%rd7+4096], %f4;",
	"shared":         "mov.u32 %r10, smem; mad.lo.u32 %r11, %r25, 4, %r10; st.shared.u32 [%r11], %r1; bar.sync 0; mad.lo.u32 %r12, %r3, 4, %r10; ld.shared.u32 %r13, [%r10]; ld.shared.u32 %r14, [%r12+4]; mad.lo.u32 %r15, %r13, %r14, %r1; ld.shared.u32 %r16, [%r11]; ld.shared.u32 %r13, [%r10+12]; mad.lo.u32 %r15, %r16, %r13, %r15; st.global.u32 [%rd7], %r15;",
	"kept bits":      "mov.u32 %r10, smem; mad.lo.u32 %r11, %r25, 4, %r10; st.shared.u32 [%r11], %r1; bar.sync 0; ld.shared.u32 %r13, [%r11]; setp.gt.u32 %p1, %r1, 5; setp.lt.u32 %p2, %r2, 29; setp.ne.u32 %p3, %r1, 17; ld.shared.u32 %r14, [%r10+8]; mad.lo.u32 %r12, %r13, %r14, %r1; bar.sync 0; selp.u32 %r15, 3, 5, %p1; selp.u32 %r16, 7, %r15, %p2; selp.u32 %r15, 11, %r13, %p3; mad.lo.u32 %r13, %r16, %r12, %r15; st.global.u32 [%rd7], %r13;",
	"rows":           product,
	"predicates":     "ld.global.u32 %r10, [%rd7]; setp.gt.s32 %p1, %r10, 0; ld.global.u32 %r11, [%rd7+64]; selp.u32 %r12, %r11, %r10, %p1; @%p1 add.u32 %r12, %r12, 3; st.global.u32 [%rd7+4096], %r12;",
}

const fetchAddresses = "mad.lo.u32 %r25, %r3, %r5, %r2; mul.wide.u32 %rd6, %r25, 4; add.u64 %rd7, %rd1, %rd6; mul.wide.u32 %rd5, %r3, 4; add.u64 %rd8, %rd1, %rd5;\n"

// TestFetches holds loads inside runs to the interpreter, as they come and leaving at some instructions.
func TestFetches(t *testing.T) {
	for name, body := range fetchCases {
		t.Run(name, func(t *testing.T) {
			if compareBlocks(t, fetchAddresses+body, nil) == 0 {
				t.Error("nothing ran in compiled code")
			}
			for way := range int32(2) {
				compareBlocks(t, fetchAddresses+body, func(pc int32) bool { return pc%4 == 1+way })
			}
		})
	}
}

// TestOnce: what all parts of a row read is loaded once, and of two operands in memory the other one stays there.
func TestOnce(t *testing.T) {
	for block, want := range map[[3]uint32]string{{16, 16, 1}: "{1to16}", {32, 8, 1}: "zmmword ptr [r"} {
		code, _, _ := strings.Cut(listingIn(t, block, fetchAddresses+product, jit.AVX512), "# some lanes")
		folded, loads := 0, 0
		for line := range strings.Lines(code) {
			if strings.Contains(line, "vfmadd") && strings.Contains(line, want) {
				folded++
			}
			if _, by, ok := strings.Cut(line, "vpbroadcastd zmm"); ok && strings.Contains(by, "dword ptr [r1") {
				loads++
			}
			if _, by, ok := strings.Cut(line, "vmovups zmm"); ok && strings.Contains(by, ", zmmword ptr [r1") {
				loads++
			}
		}
		if folded < 4 || loads > 4 {
			t.Errorf("%v: %d of 6 fma read %s, %d loads", block, folded, want, loads)
		}
	}
}
