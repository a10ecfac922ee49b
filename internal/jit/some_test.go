package jit_test

import (
	"fmt"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/internal/jit"
)

// someBodies are accesses of some lanes that follow each other, at D bytes from the place of lane 0: %r15 in shared memory of 64
// bytes, %rd5 64 bytes before the end of the buffer; those of 8 bytes have %r16 and %rd6. %r11 is the lane, %r13 what memory held.
var someBodies = map[string]string{
	"shared":      "st.shared.u32 [%r15+D], %r13; ld.shared.u32 %r14, [%r15+D];",
	"shared wide": "cvt.u64.u32 %rd7, %r13; st.shared.u64 [%r16+D], %rd7; ld.shared.u64 %rd8, [%r16+D]; cvt.u32.u64 %r14, %rd8;",
	"global":      "ld.global.u32 %r14, [%rd5+D]; add.u32 %r13, %r13, 1; st.global.u32 [%rd5+D], %r13;",
	"global wide": "ld.global.u64 %rd7, [%rd6+D]; add.u64 %rd7, %rd7, 7; st.global.u64 [%rd6+D], %rd7; cvt.u32.u64 %r14, %rd7;",
	"narrow":      "ld.shared.u8 %r14, [%r17+D]; st.shared.u16 [%r18+D], %r13;",
}

const (
	someFirst = ".shared .align 16 .b8 smem[64]; mov.u32 %r10, smem; and.b32 %r11, %r2, 31; bar.sync 0; ld.global.u32 %r13, [%rd3]; mov.u32 %r14, 9;\n" +
		"shl.b32 %r15, %r11, 2; add.u32 %r15, %r10, %r15; shl.b32 %r16, %r11, 3; add.u32 %r16, %r10, %r16; add.u32 %r17, %r10, %r11; shl.b32 %r18, %r11, 1; add.u32 %r18, %r18, %r10;\n" +
		"mul.wide.u32 %rd4, %r11, 4; add.u64 %rd5, %rd1, %rd4; add.u64 %rd5, %rd5, 32704; mul.wide.u32 %rd4, %r11, 8; add.u64 %rd6, %rd1, %rd4; add.u64 %rd6, %rd6, 32704;\n"
	someLast = " add.u32 %r13, %r13, 2; A: bar.sync 0; ld.shared.u32 %r19, [smem+12]; ld.shared.u32 %r20, [smem+60]; xor.b32 %r19, %r19, %r20; xor.b32 %r19, %r19, %r14; add.u32 %r13, %r13, %r19; st.global.u32 [%rd3+8192], %r13; ret;"
)

// TestSome compares accesses of lanes from LOW to HIGH, the room of others of which lies outside, with the interpreter's, with
// their faults at either end.
func TestSome(t *testing.T) {
	for name, body := range someBodies {
		t.Run(name, func(t *testing.T) {
			for _, lanes := range [][2]int{{0, 15}, {0, 7}, {0, 16}, {3, 9}, {8, 15}, {16, 31}, {5, 5}, {0, 30}} {
				for _, d := range []int{0, 4, -4, 8, -12, -64, -32, 2} {
					for _, more := range []string{"shr.u32 %r22, %r13, 31; add.u32 %r21, %r21, %r22; ", ""} { // or the lanes are known
						guard := fmt.Sprintf("sub.u32 %%r21, %%r11, %d; %ssetp.gt.u32 %%p1, %%r21, %d; @%%p1 bra A; add.u32 %%r13, %%r13, 1; ", lanes[0], more, lanes[1]-lanes[0])
						compareKernel(t, someFirst+guard+strings.ReplaceAll(body, "D", fmt.Sprint(d))+someLast, [3]uint32{2, 1, 1}, [3]uint32{64, 1, 1}, 0)
					}
				}
			}
		})
	}
}

// TestSomeCode holds that such lanes are loaded and stored under their mask, and nothing behind them.
func TestSomeCode(t *testing.T) {
	for v, ops := range map[jit.Vectors][2]string{jit.AVX2: {"vpmaskmovd ymm", "vpmaskmovd ymmword ptr [rax+96]"}, jit.AVX512: {"{z}, zmmword ptr [rax+64]", "vmovdqu32 zmmword ptr [rax+64] {k2}"}} {
		list := kernelListing(t, someFirst+"setp.gt.u32 %p1, %r13, 5; @%p1 bra A; add.u32 %r13, %r13, 1; "+strings.ReplaceAll(someBodies["shared"], "D", "0")+someLast, v)
		_, part, _ := strings.Cut(list, "# some lanes")
		for _, op := range ops {
			if !strings.Contains(part, op) {
				t.Errorf("%v: no %s:\n%s", v, op, part)
			}
		}
	}
}
