package machine

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestScalarsAt: the index finds what looking at every scalar finds.
func TestScalarsAt(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		c := &Code{Scalars: make([]ScalarSlot, fewScalars+1+r.IntN(200))}
		for i := range c.Scalars {
			for from := r.Int32N(100); from < 400 && r.IntN(4) != 0; from += 2 + r.Int32N(60) {
				to := from + 1 + r.Int32N(50)
				c.Scalars[i].Live = append(c.Scalars[i].Live, Range{from, to})
				from = to
			}
		}
		for pc := range int32(500) {
			got, want := map[*ScalarSlot]bool{}, map[*ScalarSlot]bool{}
			for s := range c.scalarsAt(pc) {
				if got[s] {
					t.Fatalf("a scalar twice at %d", pc)
				}
				got[s] = true
			}
			for i := range c.Scalars {
				if c.Scalars[i].LiveAt(pc) {
					want[&c.Scalars[i]] = true
				}
			}
			if len(got) != len(want) || slices.ContainsFunc(slices.Collect(c.scalarsAt(pc)), func(s *ScalarSlot) bool { return !want[s] }) {
				t.Fatalf("at %d: %d scalars, want %d", pc, len(got), len(want))
			}
		}
		for range c.scalarsAt(200) { // may be left early
			break
		}
	}
}
