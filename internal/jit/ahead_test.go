package jit_test

import (
	"strings"
	"testing"

	"ptxvm/internal/jit"
)

// TestAhead counts the lines that are asked for a CTA's bytes ahead: eight of each stretch of four words, four of
// two, none of shared memory or in loops; those to be written only for processors that need it.
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
			other := sweepListingOf(t, c.body, jit.Options{Vectors: v, Against: jit.WritesAhead})
			if a, b := strings.Count(list, "prefetcht0"), strings.Count(other, "prefetcht0"); a != c.reads || b != c.reads {
				t.Errorf("%s, %v: %d lines to be read, for other processors %d, not %d", c.name, v, a, b, c.reads)
			}
			if a, b := strings.Count(list, "prefetchw"), strings.Count(other, "prefetchw"); min(a, b) != 0 || max(a, b) != c.writes {
				t.Errorf("%s, %v: %d lines to be written, for other processors %d, not %d and none", c.name, v, a, b, c.writes)
			}
			if _, first, _ := strings.Cut(list, "prefetcht0"); !strings.Contains(strings.SplitN(first, "\n", 2)[0], c.far) {
				t.Errorf("%s, %v: the first line is not at %s", c.name, v, c.far)
			}
		}
	}
}
