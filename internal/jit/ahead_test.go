package jit_test

import (
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/internal/jit"
)

// TestAhead counts the lines that are asked for a CTA's bytes ahead: eight of each stretch of four words, four of
// two, none of shared memory or in loops.
func TestAhead(t *testing.T) {
	up := []int{0, 1, 2, 3}
	four := stretchBody(4, 0, "ge.s32", up, "", "")
	for _, c := range []struct {
		name, body    string
		reads, writes int
		far           string // of the first line that is read
	}{
		{"four words", four, 8, 8, "+4096]"},
		{"two words", stretchBody(2, 0, "ge.s32", up[:2], "", ""), 4, 4, "+2048]"},
		{"shared memory", stretchBodies()["shared"], 0, 0, ""},
		{"a loop", "mov.u32 %r29, 0; L: " + strings.TrimSuffix(four, "ret;") + "add.u32 %r29, %r29, 1; setp.lt.u32 %p8, %r29, 3; @%p8 bra L; ret;", 0, 0, ""},
	} {
		for _, v := range []jit.Vectors{jit.AVX2, jit.AVX512} {
			list := sweepListing(t, c.body, v)
			if !strings.Contains(list, "all lanes, from ") {
				t.Fatalf("%s: no code for full warps", c.name)
			}
			r, w := strings.Count(list, "prefetcht0"), strings.Count(list, "prefetchw")
			if r != c.reads || w != c.writes {
				t.Errorf("%s, %v: %d lines to be read and %d to be written, not %d and %d", c.name, v, r, w, c.reads, c.writes)
			}
			if _, first, _ := strings.Cut(list, "prefetcht0"); !strings.Contains(strings.SplitN(first, "\n", 2)[0], c.far) {
				t.Errorf("%s, %v: the first line is not at %s", c.name, v, c.far)
			}
		}
	}
}
