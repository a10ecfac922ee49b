package corpus

import (
	"math"
	"testing"
)

// TestTensorSumsAreExact: the least product divides every other, and no sum needs more than 24 bits of it.
func TestTensorSumsAreExact(t *testing.T) {
	for name, kind := range tensorKinds {
		least, largest := kind.elements()
		if sum := largest * largest * 1248; sum/(least*least) >= 1<<24 {
			t.Errorf("%s: sums to %g in steps of %g", name, sum, least*least)
		}
	}
}

// elements are the least and the largest element, times its factor.
func (kind *tensorKind) elements() (least, largest float64) {
	factors := kind.factors
	if kind.block == 0 {
		factors = []float64{1}
	}
	least = math.Inf(1)
	for _, v := range kind.values {
		for _, f := range factors {
			if p := math.Abs(v * f); p != 0 {
				least, largest = min(least, p), max(largest, p)
			}
		}
	}
	return least, largest
}
