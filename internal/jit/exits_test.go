package jit_test

import (
	"strings"
	"testing"
)

// TestLeftRows leaves before each instruction behind arithmetic that keeps other forms than rows: NaNs with
// any payload, slots, numbers of runs. What reads them next is the interpreter.
func TestLeftRows(t *testing.T) {
	body := `
	mad.lo.u32 %r20, %r4, %r6, %r3;
	mad.lo.u32 %r21, %r20, %r5, %r2;
	and.b32 %r10, %r1, 31;
	or.b32 %r11, %r10, 0x7fa00000;
	mov.b32 %f1, %r11;
	add.rn.f32 %f2, %f1, %f1;
	fma.rn.f32 %f3, %f2, %f1, %f2;
	mul.lo.u32 %r12, %r9, 3;
	add.u32 %r13, %r12, %r2;
	mul.wide.u32 %rd8, %r21, 4;
	add.u64 %rd3, %rd8, %rd1;
	mul.wide.u32 %rd4, %r21, 8;
	add.u64 %rd5, %rd1, %rd4;
	mov.u32 %r24, smem;
	mad.lo.u32 %r22, %r21, 4, %r24;
	cvt.u64.u32 %rd6, %r12;
	st.global.f32 [%rd2], %f2;
	st.global.f32 [%rd3+4096], %f3;
	st.shared.u32 [%r22], %r21;
	st.global.u32 [%rd3+12288], %r22;
	st.global.u32 [%rd3+8192], %r13;
	st.global.u64 [%rd5+16384], %rd6;
	st.global.u64 [%rd5+20480], %rd5;
`
	first := int32(strings.Count(accessHeader, ";") - 8)
	for pc := first; pc < first+26; pc++ {
		if native := compareBlocks(t, body, func(at int32) bool { return at == pc }); native == 0 {
			t.Errorf("leaving before %d, nothing was compiled", pc)
		}
	}
}
