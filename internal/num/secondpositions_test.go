package num

// Functions that only another position of an assumption uses.

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestLog2Exact wants what the comment of log2 promises, also next to both ends of the reduced
// range.
func TestLog2Exact(t *testing.T) {
	for x := 0.501; x < 4; x += 0.0037 {
		if got, want := log2(x), math.Log2(x); math.Abs(got-want) > 4e-15 {
			t.Fatalf("log2 of %v is %v, want %v", x, got, want)
		}
	}
}

// TestFmaOobFactorsPacked wants the two elements of the packed forms to be those of the scalar ones.
func TestFmaOobFactorsPacked(t *testing.T) {
	r := rand.New(rand.NewPCG(27, 27))
	forms := []struct {
		packed, single func(a, b, c uint32) uint32
	}{
		{FmaOobFactorsF16x2, FmaOobFactorsF16},
		{FmaOobFactorsSatF16x2, FmaOobFactorsSatF16},
		{FmaOobFactorsReluF16x2, FmaOobFactorsReluF16},
		{FmaOobFactorsBF16x2, FmaOobFactorsBF16},
		{FmaOobFactorsReluBF16x2, FmaOobFactorsReluBF16},
	}
	for range scale(2000) {
		a, b, c := r.Uint32(), r.Uint32(), r.Uint32()
		for i, f := range forms {
			want := f.single(a&0xffff, b&0xffff, c&0xffff) | f.single(a>>16, b>>16, c>>16)<<16
			if got := f.packed(a, b, c); got != want {
				t.Fatalf("form %d of %#x %#x %#x is %#x, want %#x", i, a, b, c, got, want)
			}
		}
	}
}
