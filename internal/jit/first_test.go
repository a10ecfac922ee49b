package jit_test

import (
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/internal/jit"
)

// firstBodies are blocks of one lane, between soloFirst and soloLast, that compute: in elements of 32 and 64 bits, with
// predicates, in loops and with branches of their own.
var firstBodies = map[string]string{
	"wide":     "cvt.u64.u32 %rd6, %r13; or.b64 %rd6, %rd6, 0x200000000; mul.wide.s32 %rd7, %r13, 8; add.u64 %rd6, %rd6, %rd7; shr.u64 %rd6, %rd6, 3; cvt.u32.u64 %r17, %rd6;",
	"selected": "cvt.s64.s32 %rd6, %r13; setp.gt.s64 %p2, %rd6, 77; selp.b32 %r16, %r13, %r11, %p2; @%p2 add.u32 %r17, %r11, 7;",
	"carry":    "add.cc.u32 %r16, %r13, %r13; addc.u32 %r17, %r16, 5;",
	"loop":     "and.b32 %r18, %r13, 7; L: add.u32 %r16, %r16, %r18; ld.volatile.global.u32 %r17, [%rd4]; add.u32 %r16, %r16, %r17; sub.s32 %r18, %r18, 1; setp.gt.s32 %p2, %r18, 0; @%p2 bra L; mov.u32 %r17, %r18;",
	"forks":    "setp.lt.s32 %p2, %r13, 0; @%p2 bra L; add.u32 %r16, %r13, 3; mul.lo.u32 %r17, %r16, %r13; bra.uni M; L: shl.b32 %r16, %r13, 2; M: xor.b32 %r17, %r17, %r16;",
	"leaves":   "xor.b32 %r16, %r13, %r11; setp.ne.u32 %p2, %r13, 5; @%p2 exit;",
	"floats":   "cvt.rn.f32.u32 %f1, %r13; fma.rn.f32 %f1, %f1, %f1, %f1; mov.b32 %r16, %f1; rcp.approx.f32 %f2, %f1; mov.b32 %r17, %f2;",
	"faults":   "mul.wide.u32 %rd6, %r13, 8; add.u64 %rd6, %rd6, %rd4; st.global.u64 [%rd6], %rd5; mov.u32 %r17, %r11;",
}

// firstGuards let one lane go by: each of the first ones, and those behind the first register; and more than one.
var firstGuards = map[string]string{
	"first":    "setp.ne.u32 %p1, %r2, 0; @%p1 bra A; ",
	"turned":   "setp.eq.u32 %p1, %r2, 3; @!%p1 bra A; ",
	"fifth":    "setp.ne.u32 %p1, %r2, 4; @%p1 bra A; ",
	"eighth":   "setp.ne.u32 %p1, %r2, 7; @%p1 bra A; ",
	"ninth":    "setp.ne.u32 %p1, %r2, 8; @%p1 bra A; ",
	"later":    "setp.ne.u32 %p1, %r2, 49; @%p1 bra A; ",
	"by data":  "and.b32 %r12, %r13, 31; setp.ne.u32 %p1, %r2, %r12; @%p1 bra A; ",
	"by few":   "ld.global.u32 %r12, [%rd1]; and.b32 %r12, %r12, 11; setp.ne.u32 %p1, %r2, %r12; @%p1 bra A; ",
	"two":      "and.b32 %r12, %r2, 15; setp.ne.u32 %p1, %r12, 3; @%p1 bra A; ",
	"or other": "setp.eq.u32 %p1, %r2, 2; @%p1 bra B; setp.gt.u32 %p1, %r13, 9; @%p1 bra A; B: ",
}

// TestFirst compares blocks of one lane with the interpreter's.
func TestFirst(t *testing.T) {
	for name, body := range firstBodies {
		t.Run(name, func(t *testing.T) {
			for _, guard := range firstGuards {
				for _, block := range [][3]uint32{{64, 1, 1}, {8, 8, 2}, {33, 1, 1}, {1, 1, 1}} {
					compareSweep(t, soloFirst+guard+body+soloLast, [3]uint32{2, 1, 1}, block, 0)
				}
			}
		})
	}
}

// TestFirstCode holds that only the first register is computed where one lane goes by, and that the block of more has no
// such version.
func TestFirstCode(t *testing.T) {
	for _, v := range []jit.Vectors{jit.AVX2, jit.AVX512} {
		list := sweepListing(t, soloFirst+firstGuards["turned"]+firstBodies["wide"]+soloLast, v)
		_, some, ok := strings.Cut(list, "# lane 0")
		if !ok {
			t.Fatalf("%v: no code for lane 0:\n%s", v, list)
		}
		some, _, _ = strings.Cut(some, "\n# aside")
		if n := strings.Count(some, "vpsllq"); n != 1 {
			t.Errorf("%v: %d registers are shifted:\n%s", v, n, some)
		}
		if list := sweepListing(t, soloFirst+"setp.gt.u32 %p1, %r2, 3; @%p1 bra A; "+firstBodies["wide"]+soloLast, v); strings.Contains(list, "# lane 0") {
			t.Errorf("%v: code for lane 0 where more go by", v)
		}
	}
}
