package jit_test

import (
	"fmt"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/internal/jit"
)

// extractBody has one lane of each warp store an element of a row to shared memory, at the warp's place.
func extractBody(lane int, store string) string {
	return fmt.Sprintf(".shared .align 8 .b8 smem[64]; mov.u32 %%r10, smem; and.b32 %%r11, %%r2, 31; shr.u32 %%r12, %%r2, 5; shl.b32 %%r13, %%r12, 2; add.u32 %%r14, %%r10, %%r13; ld.global.u32 %%r15, [%%rd3]; mad.lo.u32 %%r16, %%r15, %%r15, %%r1; "+
		"setp.ne.u32 %%p1, %%r11, %d; @%%p1 bra A; %s [%%r14], %%r16;\nA: bar.sync 0; ld.shared.u32 %%r17, [%%r10]; ld.shared.u32 %%r18, [%%r14]; mad.lo.u32 %%r17, %%r17, 3, %%r18; xor.b32 %%r17, %%r17, %%r16; st.global.u32 [%%rd3], %%r17; ret;", lane, store)
}

// TestExtract compares what one lane stores with the interpreter's, for lanes of all parts of a row.
func TestExtract(t *testing.T) {
	for _, lane := range []int{0, 1, 3, 4, 6, 8, 13, 15, 16, 17, 20, 26, 28, 31} {
		for _, store := range []string{"st.shared.u32", "st.shared.u16", "st.shared.u8"} {
			for _, block := range [][3]uint32{{128, 1, 1}, {32, 1, 1}, {16, 4, 1}, {45, 1, 1}} {
				compareSweep(t, extractBody(lane, store), [3]uint32{2, 1, 1}, block, 0)
			}
		}
	}
}

// TestExtractCode holds that the row is not stored for it.
func TestExtractCode(t *testing.T) {
	for _, v := range []jit.Vectors{jit.AVX2, jit.AVX512} {
		if list := sweepListing(t, extractBody(21, "st.shared.u32"), v); !strings.Contains(list, "vmovd r8d, xmm") {
			t.Errorf("%v: no element comes out of a register", v)
		}
	}
}
