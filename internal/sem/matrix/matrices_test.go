package matrix

import (
	"slices"
	"testing"

	"ptxvm.invalid/ptxvm/internal/tensor"
)

// TestMatrixUnits holds lists of units to their addresses one by one: along K by lines, along M or N by elements of K.
func TestMatrixUnits(t *testing.T) {
	d, err := tensor.DecodeWgmma(64 | 8<<16 | 24<<32)
	if err != nil {
		t.Fatal(err)
	}
	var want []uint32
	for line := range uint32(3) {
		for b := uint32(32); b < 32+48; b += 16 {
			want = append(want, d.MNMajor(b, line))
		}
	}
	if have := matrixUnits(nil, &d, 32, 3, 48, true); !slices.Equal(have, want) {
		t.Errorf("along N: %v, want %v", have, want)
	}
	if have, want := matrixUnits(nil, &d, 32, 3, 48, false), d.KMajorUnits(nil, 32, 3, 48); !slices.Equal(have, want) || len(want) != 9 {
		t.Errorf("along K: %v, want %v", have, want)
	}
}
