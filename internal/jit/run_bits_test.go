package jit_test

import "testing"

// TestOppositePredicates compares runs that write a predicate, its opposite and the same again, of which bits are collected once.
func TestOppositePredicates(t *testing.T) {
	body := ".shared .align 4 .b8 smem[4096]; mov.u32 %r10, smem; and.b32 %r11, %r2, 31; bar.sync 0; ld.global.u32 %r13, [%rd3]; xor.b32 %r15, %r13, %r2; and.b32 %r15, %r15, 63; setp.ge.u32 %p1, %r15, 20; setp.lt.u32 %p2, %r15, 20; setp.ge.u32 %p3, %r15, 20; mov.u32 %r16, 1; @%p1 bra A; st.global.u32 [%rd3+4096], %r15; A: bar.sync 0; @%p2 add.u32 %r16, %r16, 2; @%p3 add.u32 %r16, %r16, 4; st.global.u32 [%rd3+8192], %r16; ret;"
	compareKernel(t, body, [3]uint32{2, 1, 1}, [3]uint32{96, 1, 1}, 0)
}
