package jit_test

import (
	"fmt"
	"testing"
)

// narrowBodies follow kernelHeader: bytes and halves of lanes at a constant distance, one and several of a lane, with all lanes and
// with some, up to the last byte of the allocation and beyond it, and words that are made of them.
func narrowBodies() map[string]string {
	bodies := map[string]string{}
	const sum = "cvt.u32.u16 %r11, %h1; cvt.u32.u16 %r12, %h2; mad.lo.u32 %r10, %r11, 3, %r12; cvt.u32.u16 %r11, %h3; cvt.u32.u16 %r12, %h4; mad.lo.u32 %r11, %r11, 5, %r12; mad.lo.u32 %r10, %r10, 77, %r11; "
	const keep = "mul.wide.u32 %rd6, %r1, 4; add.u64 %rd6, %rd1, %rd6; st.global.u32 [%rd6+16384], %r10; "
	for _, step := range []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 12, -3} {
		at := fmt.Sprintf("mul.wide.s32 %%rd4, %%r1, %d; add.u64 %%rd5, %%rd1, %%rd4; ", step)
		for name, load := range map[string]string{
			"u8": "ld.global.u8 %r10, [%rd5+1]; ld.global.u8 %r11, [%rd5+2]; mad.lo.u32 %r10, %r10, 3, %r11; ", "s8": "ld.global.s8 %r10, [%rd5]; ",
			"v2.u8": "ld.global.v2.u8 {%h1, %h2}, [%rd5]; mov.u16 %h3, 3; mov.u16 %h4, 4; " + sum, "v4.u8": "ld.global.v4.u8 {%h1, %h2, %h3, %h4}, [%rd5]; " + sum,
			"v4.s8": "ld.global.v4.s8 {%r10, %r11, _, %r12}, [%rd5]; mad.lo.u32 %r10, %r10, 3, %r11; xor.b32 %r10, %r10, %r12; ",
			"u16":   "ld.global.u16 %r10, [%rd5+2]; ", "s16": "ld.global.s16 %r10, [%rd5]; ", "v2.u16": "ld.global.v2.u16 {%h1, %h2}, [%rd5]; mov.u16 %h3, 3; mov.u16 %h4, 4; " + sum,
			"v4.u16": "ld.global.v4.u16 {%h1, %h2, %h3, %h4}, [%rd5]; " + sum,
		} {
			bodies[fmt.Sprintf("%d, %s, straight", step, name)] = at + load + keep + "ret;"
			bodies[fmt.Sprintf("%d, %s, some", step, name)] = "setp.gt.u32 %p2, %r2, 40; " + at + load + "bar.sync 0; @%p2 " + load + keep + "ret;"
		}
		data := "mul.lo.u32 %r10, %r1, 0x9e3779b1; cvt.u16.u32 %h1, %r10; shr.u32 %r11, %r10, 7; cvt.u16.u32 %h2, %r11; shr.u32 %r11, %r10, 13; cvt.u16.u32 %h3, %r11; not.b16 %h4, %h1; "
		for name, store := range map[string]string{
			"u8": "st.global.u8 [%rd5+1], %r10; ", "u16": "st.global.u16 [%rd5+2], %h1; ", "v2.u8": "st.global.v2.u8 [%rd5], {%h1, %h2}; ", "v4.u8": "st.global.v4.u8 [%rd5+4], {%h1, %h2, 9, %h4}; ",
			"v2.u16": "st.global.v2.u16 [%rd5], {%h1, %h2}; ", "v4.u16": "st.global.v4.u16 [%rd5], {%h1, %h2, %h3, %h4}; ",
		} {
			bodies[fmt.Sprintf("%d, %s, stored", step, name)] = at + data + store + "ret;"
			bodies[fmt.Sprintf("%d, %s, some stored", step, name)] = "setp.gt.u32 %p2, %r2, 40; " + at + data + "bar.sync 0; @%p2 " + store + "ret;"
		}
		last := 1<<15 - 1279*max(step, 0) - 1
		for name, off := range map[string]int{"end": last, "beyond": last + 1, "begin": min(step, 0) * -1279, "before": min(step, 0)*-1279 - 1} {
			bodies[fmt.Sprint(step, ", ", name)] = at + fmt.Sprintf("bar.sync 0; ld.global.u8 %%r10, [%%rd5+%d]; st.global.u8 [%%rd5+%d], %%r10; ret;", off, off)
		}
	}
	return bodies
}

// TestNarrowLanes compares loads and stores of bytes and halves at constant distances with the interpreter's.
func TestNarrowLanes(t *testing.T) {
	for name, body := range narrowBodies() {
		t.Run(name, func(t *testing.T) {
			for _, block := range [][3]uint32{{256, 1, 1}, {32, 1, 1}, {16, 16, 1}, {8, 8, 4}, {33, 1, 1}, {1, 1, 1}} {
				compareKernel(t, body, [3]uint32{5, 1, 1}, block, 1)
			}
		})
	}
}
