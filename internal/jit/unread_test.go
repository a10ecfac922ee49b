package jit_test

import (
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/internal/jit"
)

// TestUnread finds no move of a constant in code for full warps that only shuffles of its segment read, and finds it where
// a reader lies behind a branch, where the code may leave in front of one, and in code for some lanes.
func TestUnread(t *testing.T) {
	const move, use = "mov.u32 %r29, 1234567; ", "shfl.sync.up.b32 %r10|%p3, %r8, %r29, 0, -1; add.u32 %r8, %r8, %r10; "
	const head, tail = "mov.u32 %r8, %tid.x; mul.lo.u32 %r8, %r8, %r8; ", "add.u32 %r8, %r8, %r29; "
	const store = "mul.wide.u32 %rd2, %r8, 0; add.s64 %rd1, %rd1, %rd2; st.global.u32 [%rd1], %r8; "
	for _, c := range []struct {
		name, body string
		full       int // moves in code for full warps
	}{
		{"shuffles", head + move + use + use + store + "ret;", 0},
		{"another segment", head + move + use + "setp.eq.u32 %p4, %r8, 77; @%p4 bra L; " + tail + "L: " + store + "ret;", 1},
		{"a store between", head + move + use + store + use + store + "ret;", 1},
		{"a guard", head + "setp.eq.u32 %p4, %r8, 77; " + move + "@%p4 " + tail + store + "ret;", 1},
	} {
		for _, v := range []jit.Vectors{jit.AVX2, jit.AVX512} {
			full, some, ok := strings.Cut(kernelListing(t, c.body, v), "# some lanes, from ")
			if !ok {
				t.Fatalf("%s: no code for some lanes", c.name)
			}
			is := func(list string) int { return strings.Count(list, ", 1234567\n") }
			if n := is(full); n != c.full {
				t.Errorf("%s, %v: %d moves in code for full warps, not %d", c.name, v, n, c.full)
			}
			if is(some) == 0 {
				t.Errorf("%s, %v: no move in code for some lanes", c.name, v)
			}
		}
	}
}
