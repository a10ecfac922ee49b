package regs

import (
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"
)

// TestLive: the index finds what looking at every scalar finds.
func TestLive(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		list := make([]Scalar, fewScalars+1+r.IntN(200))
		var index atomic.Pointer[Index]
		for i := range list {
			for from := r.Int32N(100); from < 400 && r.IntN(4) != 0; from += 2 + r.Int32N(60) {
				to := from + 1 + r.Int32N(50)
				list[i].Live = append(list[i].Live, Range{from, to})
				from = to
			}
		}
		for pc := range int32(500) {
			got, want := map[*Scalar]bool{}, map[*Scalar]bool{}
			for s := range Live(list, &index, pc) {
				if got[s] {
					t.Fatalf("a scalar twice at %d", pc)
				}
				got[s] = true
			}
			for i := range list {
				if list[i].LiveAt(pc) {
					want[&list[i]] = true
				}
			}
			if len(got) != len(want) || slices.ContainsFunc(slices.Collect(Live(list, &index, pc)), func(s *Scalar) bool { return !want[s] }) {
				t.Fatalf("at %d: %d scalars, want %d", pc, len(got), len(want))
			}
		}
		for range Live(list, &index, 200) { // may be left early
			break
		}
	}
}
