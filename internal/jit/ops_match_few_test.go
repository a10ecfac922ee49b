package jit_test

import (
	"fmt"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/internal/jit"
)

// fewMatches match values of few bits, and such that nearly are.
func fewMatches() (list []string) {
	for _, field := range []uint32{1, 3, 7, 15, 31, 11, 0x18, 0x1e0, 0xf << 9, 0xf << 28, 7 << 29, 1 << 31, 0} {
		list = append(list, fmt.Sprintf("and.b32 %%r4, %%r3, %d; match.any.sync.b32 %%r10, %%r4, MASK;", field))
	}
	return append(list,
		"shr.u32 %r4, %r3, 28; match.all.sync.b32 %r10|%p5, %r4, MASK;",
		"and.b32 %r4, %r11, 15; match.all.sync.b32 %r10|%p5, %r4, MASK;",
		"and.b32 %r2, %r3, 15; match.any.sync.b32 %r2, %r2, MASK; mov.u32 %r10, %r2;",
		"and.b32 %r4, %r3, 7; shl.b32 %r4, %r4, 4; match.any.sync.b32 %r10, %r4, MASK;",
		"and.b32 %r4, %r3, 7; add.u32 %r4, %r4, 8; match.any.sync.b32 %r10, %r4, MASK;",
		"mov.u32 %r4, %r3; @%p1 and.b32 %r4, %r3, 15; match.any.sync.b32 %r10, %r4, MASK;")
}

// TestMatchFew compares the engines where the bits that may be set are few.
func TestMatchFew(t *testing.T) {
	for k, op := range fewMatches() {
		for place, with := range opPlaces {
			if place == "guard" {
				continue // it has one statement
			}
			t.Run(place+" "+op, func(t *testing.T) {
				compareOp(t, opHeader+with(op)+opFooter, shapesOf(k), func(text string) bool {
					return misses(text) || place == "others" || place == "rows"
				})
			})
		}
	}
}

// TestMatchFewCode holds that lanes of such values are found by permutation, and without loops.
func TestMatchFewCode(t *testing.T) {
	for v, n := range map[jit.Vectors]int{jit.AVX512: 2, jit.AVX2: 9} {
		list := sweepListing(t, inlineFirst+"and.b32 %r14, %r13, 15; match.any.sync.b32 %r15, %r14, -1; st.global.u32 [%rd3], %r15; ret;", v)
		_, part, _ := strings.Cut(list, "match.any.sync")
		part, _, _ = strings.Cut(part, "st.global")
		if strings.Count(part, "vpermd") != n || strings.Contains(part, "blsr") {
			t.Errorf("%v: not %d permutations:\n%s", v, n, part)
		}
	}
}
