package jit_test

import (
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/internal/jit"
)

// soloBodies follow soloFirst: one lane of a warp, which one differs, and blocks of more lanes through the same code.
// %r11 is the lane, %r13 something that memory holds, %rd4 a place of its own.
var soloBodies = map[string]string{
	"atom":       "atom.global.add.u32 %r16, [%rd4], 3;",
	"atom far":   "atom.global.max.u64 %rd6, [%rd4+4096], %rd3; cvt.u32.u64 %r16, %rd6;",
	"volatile":   "ld.volatile.global.u64 %rd6, [%rd4]; add.u64 %rd6, %rd6, 5; st.volatile.global.u64 [%rd4+8192], %rd6;",
	"vector":     "ld.global.v2.u32 {%r16, %r17}, [%rd4]; st.global.v2.u32 [%rd4+8192], {%r17, %r16};",
	"shared":     "atom.shared.add.u32 %r16, [%r15], %r13; ld.volatile.shared.u32 %r17, [%r15+128]; add.u32 %r16, %r16, %r17;",
	"outside":    "st.volatile.global.u64 [%rd4+40000], %rd3;",
	"below":      "ld.volatile.global.u64 %rd6, [%rd4+-40000]; cvt.u32.u64 %r16, %rd6;",
	"unaligned":  "st.volatile.global.u32 [%rd4+2], %r13;",
	"far window": "atom.shared.exch.b32 %r16, [%r15+8192], %r13;",
}

const soloFirst = ".shared .align 8 .b8 smem[4096]; mov.u32 %r10, smem; and.b32 %r11, %r2, 31; ld.global.u32 %r13, [%rd3]; mov.u32 %r16, 1; and.b32 %r14, %r13, 7; shl.b32 %r14, %r14, 3; add.u32 %r15, %r10, %r14; cvt.u64.u32 %rd5, %r14; add.u64 %rd4, %rd1, %rd5; mov.u32 %r17, 0;\n"
const soloLast = "\nA: bar.sync 0; xor.b32 %r13, %r13, %r16; xor.b32 %r13, %r13, %r17; st.global.u32 [%rd3], %r13; ret;"

var soloGuards = map[string]string{
	"first":   "setp.ne.u32 %p1, %r2, 0; @%p1 bra A; ",
	"last":    "setp.ne.u32 %p1, %r11, 31; @%p1 bra A; ",
	"by data": "and.b32 %r12, %r13, 31; setp.ne.u32 %p1, %r11, %r12; @%p1 bra A; ",
	"two":     "and.b32 %r12, %r11, 15; setp.ne.u32 %p1, %r12, 3; @%p1 bra A; ",
}

// TestSolo compares accesses of one lane with the interpreter's, with their faults.
func TestSolo(t *testing.T) {
	for name, body := range soloBodies {
		t.Run(name, func(t *testing.T) {
			for _, guard := range soloGuards {
				for _, block := range [][3]uint32{{64, 1, 1}, {16, 4, 1}, {8, 8, 2}, {33, 1, 1}, {1, 1, 1}} {
					compareKernel(t, soloFirst+guard+body+soloLast, [3]uint32{2, 1, 1}, block, 0)
				}
			}
		})
	}
}

// TestWindow touches both ends of the window of shared memory at known places, and what lies beyond.
func TestWindow(t *testing.T) {
	for _, place := range []string{"smem", "smem+4092", "smem+4096", "smem+4093", "smem+1000000", "smem+-4", "smem+-2", "smem+-1024", "smem+-1025", "smem+16777212"} {
		for _, access := range []string{"ld.shared.u32 %r11, [P];", "st.shared.u32 [P], %r1;", "ld.shared.u32 %r11, [smem+16]; st.shared.u32 [P], %r1; st.shared.u32 [smem+4], %r2;", "setp.ne.u32 %p1, %r2, 3; @%p1 bra A; st.shared.u32 [P], %r2; A: "} {
			body := ".shared .align 4 .b8 smem[4096]; mov.u32 %r11, 5; " + strings.ReplaceAll(access, "P", place) + " bar.sync 0; ld.shared.u32 %r12, [smem+12]; add.u32 %r11, %r11, %r12; st.global.u32 [%rd3], %r11; ret;"
			for _, block := range [][3]uint32{{64, 1, 1}, {33, 1, 1}} {
				compareKernel(t, body, [3]uint32{2, 1, 1}, block, 0)
			}
		}
	}
}

// TestSoloCode holds that one lane's address is tested as a number.
func TestSoloCode(t *testing.T) {
	for _, v := range []jit.Vectors{jit.AVX2, jit.AVX512} {
		list := kernelListing(t, soloFirst+soloGuards["by data"]+soloBodies["volatile"]+soloLast, v)
		_, part, _ := strings.Cut(list, "# some lanes")
		_, load, _ := strings.Cut(part, " ld.volatile")
		load, _, _ = strings.Cut(load, "\n#")
		if n := strings.Count(load, "\n"); !strings.Contains(load, "blsr") || n > 32 {
			t.Errorf("%v: %d lines:\n%s", v, n, load)
		}
	}
}
