package jit_test

import "testing"

// TestTurned: opposites of comparisons, by AVX2 most of them, as predicates, under other predicates and in selections, also
// of which one side is zero.
func TestTurned(t *testing.T) {
	for k, op := range []string{
		"setp.lt.u32 %p5, %r2, %r3; selp.b32 %r10, %r2, 0, %p5; selp.b32 %r11, 0, %r3, %p5;",
		"setp.ne.s32 %p5, %r2, %r3; selp.b32 %r10, %r2, %r3, %p5; selp.b32 %r11, 0, 7, %p5;",
		"setp.ge.s32 %p5|%p6, %r2, %r3; selp.b32 %r10, %r2, 0, %p6; selp.b32 %r11, 3, 0, %p5;",
		"setp.gt.u32 %p6, %r2, %r3; setp.ne.and.s32 %p5, %r2, 5, %p6; selp.b32 %r10, 0, %r2, %p5; selp.b32 %r11, %r1, %r2, %p6;",
		"setp.lt.u64 %p5, %rd8, %rd3; selp.b64 %rd8, %rd8, 0, %p5; mov.b64 {%r10, %r11}, %rd8;",
	} {
		t.Run(op, func(t *testing.T) { compareOp(t, opHeader+op+opFooter, shapesOf(k), misses) })
	}
}
