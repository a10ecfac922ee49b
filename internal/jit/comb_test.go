package jit_test

import (
	"fmt"
	"testing"
)

// combBodies follow kernelHeader: lanes at a constant distance, in straight code and behind a barrier, with all lanes and with
// some, up to the last byte of the allocation and beyond it.
func combBodies() map[string]string {
	bodies := map[string]string{
		"pairs":   "mul.wide.u32 %rd4, %r1, 8; add.u64 %rd5, %rd1, %rd4; ld.global.v2.u32 {%r10, %r11}, [%rd5+8]; add.u32 %r10, %r10, %r1; st.global.v2.u32 [%rd5+8], {%r11, %r10}; ret;",
		"fours":   "mul.wide.u32 %rd4, %r1, 16; add.u64 %rd5, %rd1, %rd4; ld.global.v4.u32 {%r10, %r11, %r12, %r13}, [%rd5]; add.u32 %r10, %r10, %r1; mad.lo.u32 %r12, %r12, 3, %r10; st.global.v4.u32 [%rd5], {%r13, %r12, %r11, %r10}; ret;",
		"of rows": "mov.u32 %r10, %tid.y; mad.lo.u32 %r11, %r10, 48, %r1; mul.wide.u32 %rd4, %r11, 12; add.u64 %rd5, %rd1, %rd4; ld.global.u32 %r12, [%rd5]; bar.sync 0; st.global.u32 [%rd5+4], %r12; ret;",
	}
	for _, step := range []int{8, 12, 16, 20, 24, -8} {
		for _, off := range []int{0, 4, step - 4} {
			move := fmt.Sprintf("mul.wide.s32 %%rd4, %%r1, %d; add.u64 %%rd5, %%rd1, %%rd4; ld.global.u32 %%r10, [%%rd5+%d]; mad.lo.u32 %%r10, %%r10, 3, %%r1; ", step, off)
			store := fmt.Sprintf("st.global.u32 [%%rd5+%d], %%r10; ret;", off)
			name := fmt.Sprintf("%d, %d: ", step, off)
			bodies[name+"straight"] = move + store
			bodies[name+"barrier"] = move + "bar.sync 0; " + store
			bodies[name+"some"] = "setp.gt.u32 %p2, %r2, 40; " + move + "bar.sync 0; @%p2 " + store + " ret;"
		}
		end := fmt.Sprintf("mul.wide.s32 %%rd4, %%r1, %d; add.u64 %%rd5, %%rd1, %%rd4; bar.sync 0; ld.global.u32 %%r10, [%%rd5+%d]; st.global.u32 [%%rd5+%d], %%r10; ret;", step, 1<<15-1279*step-4, 1<<15-1279*step-4)
		bodies[fmt.Sprint(step, ", end")] = end
		bodies[fmt.Sprint(step, ", beyond")] = "add.u64 %rd1, %rd1, 4; " + end
	}
	return bodies
}

// TestComb compares loads and stores at constant distances with the interpreter's.
func TestComb(t *testing.T) {
	for name, body := range combBodies() {
		t.Run(name, func(t *testing.T) {
			for _, block := range [][3]uint32{{256, 1, 1}, {32, 1, 1}, {16, 16, 1}, {8, 8, 4}, {33, 1, 1}, {1, 1, 1}} {
				compareKernel(t, body, [3]uint32{5, 1, 1}, block, 1)
			}
		})
	}
}
