package abi

import "testing"

// TestWays: lanes that two branches have parted meet where the branches do, and those of one way come together before.
func TestWays(t *testing.T) {
	// 0 branches to 1 and 4, which meet at 6; 1 branches to 2 and 3, which meet at 5.
	n := &Native{Meets: []int32{6, 5, 5, 5, 6, 6, -1}}
	places := []Place{{PC: 2, Mask: 1}, {PC: 4, Mask: 2}, {PC: 3, Mask: 4}}
	meet := n.Meet(n.Meets[2], places)
	if meet != 6 {
		t.Fatalf("all meet at %d", meet)
	}
	k, lanes := n.SameWay(places, meet)
	if k != 2 || lanes != 5 {
		t.Errorf("%d places with lanes %x go the way of the first, want 2 with lanes 5: %v", k, lanes, places)
	}
	if near := n.Meet(places[0].PC, places[:k]); near != 5 {
		t.Errorf("those meet at %d, want 5", near)
	}
	if none := (&Native{Meets: []int32{-1, -1}}).Meet(0, []Place{{PC: 0}, {PC: 1}}); none != -1 {
		t.Errorf("ways that end apart meet at %d", none)
	}
}
