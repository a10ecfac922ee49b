package jit_test

import (
	"fmt"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/internal/jit"
)

// nearFirst fills N bytes of shared memory; %r10 is where they are, %r13 what memory holds.
const nearFirst = ".shared .align 64 .b8 smem[N]; mov.u32 %r10, smem; ld.global.u32 %r13, [%rd3]; and.b32 %r11, %r2, L; shl.b32 %r12, %r11, 2; add.u32 %r12, %r10, %r12; st.shared.u32 [%r12], %r13; bar.sync 0;\n"

// nearBodies load words that memory chooses, of one table of sixteen, of two, and at its ends.
var nearBodies = map[string]string{
	"table":      "and.b32 %r14, %r13, 60; add.u32 %r15, %r10, %r14; ld.shared.u32 %r16, [%r15];",
	"same row":   "and.b32 %r14, %r13, 60; add.u32 %r15, %r10, %r14; ld.shared.u32 %r15, [%r15]; mov.u32 %r16, %r15;",
	"half":       "and.b32 %r14, %r13, 28; add.u32 %r15, %r10, %r14; ld.shared.u32 %r16, [%r15+32];",
	"displaced":  "and.b32 %r14, %r13, 60; add.u32 %r15, %r10, %r14; ld.shared.u32 %r16, [%r15+D];",
	"two tables": "and.b32 %r14, %r13, 124; add.u32 %r15, %r10, %r14; ld.shared.u32 %r16, [%r15+D];",
	"shifted":    "and.b32 %r14, %r13, 60; add.u32 %r15, %r10, %r14; add.u32 %r15, %r15, D; ld.shared.u32 %r16, [%r15];",
	"one lane":   "and.b32 %r14, %r13, 12; setp.eq.u32 %p1, %r2, 37; selp.u32 %r14, 64, %r14, %p1; add.u32 %r15, %r10, %r14; ld.shared.u32 %r16, [%r15];",
	"some":       "and.b32 %r14, %r13, 60; add.u32 %r15, %r10, %r14; mov.u32 %r16, 3; setp.lt.u32 %p1, %r14, 40; @%p1 ld.shared.u32 %r16, [%r15];",
	"signed":     "and.b32 %r14, %r13, 60; add.u32 %r15, %r10, %r14; ld.shared.s32 %rd4, [%r15]; cvt.u32.u64 %r16, %rd4; shr.u64 %rd4, %rd4, 32; cvt.u32.u64 %r17, %rd4; add.u32 %r16, %r16, %r17;",
	"unaligned":  "and.b32 %r14, %r13, 62; add.u32 %r15, %r10, %r14; ld.shared.u32 %r16, [%r15];",
}

// TestNear compares such loads with the interpreter's, with their faults.
func TestNear(t *testing.T) {
	for name, body := range nearBodies {
		t.Run(name, func(t *testing.T) {
			for _, size := range []int{64, 128, 100, 256} {
				for _, d := range []int{0, 4, -4, 36, 60, 64, -64} {
					first := strings.NewReplacer("N", fmt.Sprint(size), "L", fmt.Sprint(min(size, 128)/4-1&^(size>>2&1))).Replace(nearFirst)
					text := first + strings.ReplaceAll(body, "D", fmt.Sprint(d)) + " xor.b32 %r16, %r16, %r14; st.global.u32 [%rd3+8192], %r16; ret;"
					compareKernel(t, text, [3]uint32{2, 1, 1}, [3]uint32{96, 1, 1}, 0)
					if !strings.Contains(body, "D") {
						break
					}
				}
			}
		})
	}
}

// TestNearCode holds that words of a table are a permutation.
func TestNearCode(t *testing.T) {
	first := strings.NewReplacer("N", "256", "L", "63").Replace(nearFirst)
	for v, n := range map[jit.Vectors]int{jit.AVX512: 2, jit.AVX2: 8} {
		if list := kernelListing(t, first+nearBodies["table"]+" st.global.u32 [%rd3+8192], %r16; ret;", v); strings.Count(list, "vpermd") < n {
			t.Errorf("%v: no permutation", v)
		}
	}
}
