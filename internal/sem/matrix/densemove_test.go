package matrix

import "testing"

// TestRowMoves compares the moves of regular orders with moves word by word, there and back.
func TestRowMoves(t *testing.T) {
	orders := map[rowWay]func(lane int) int{
		anyPlaces: func(lane int) int { return 32*lane ^ 5 },
		stripes:   func(lane int) int { return 16*(lane&3) + lane>>2 + 960 - 16*8 },
		runs:      func(lane int) int { return 24*(lane>>2) + lane&3 + 800 },
	}
	for way, place := range orders {
		var places [32]uint16
		var row, back [32]uint32
		for lane := range places {
			places[lane], row[lane] = uint16(place(lane)), uint32(lane+1)
		}
		m := newRowMove(places[:])
		if m.way != way {
			t.Fatalf("order %d was taken for %d", way, m.way)
		}
		var fast, slow [denseMost]uint32
		m.scatter(&row, &fast)
		each := rowMove{places: places}
		each.scatter(&row, &slow)
		if fast != slow {
			t.Errorf("order %d: other places than word by word", way)
		}
		if m.gather(&back, &slow); back != row {
			t.Errorf("order %d: %v comes back", way, back)
		}
	}
}
