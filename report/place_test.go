package report

import "testing"

// TestIndex3: a place counts from 0, so the first one is no extent.
func TestIndex3(t *testing.T) {
	if s := (Index3{}).String(); s != "(0,0,0)" {
		t.Error(s)
	}
	if i := (Index3{1, 0, 2}); i.String() != "(1,0,2)" || i.Array() != [3]uint32{1, 0, 2} {
		t.Error(i, i.Array())
	}
}
