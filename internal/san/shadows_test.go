package san

import (
	"reflect"
	"testing"
)

// TestUnwritten: what is known to be unwritten begins as it ended, whichever sanitizer looked; without one nothing is known.
func TestUnwritten(t *testing.T) {
	const start, size = 0x7000_0000_0100, 70000
	for _, set := range []Set{Init, InitLoads} {
		s := NewShadows(set, 1<<30, nil)
		s.Track(start-0x100, 16) // a neighbour on the same page
		s.Track(start, size)
		s.Written(start, 3)
		s.Written(start+100, 5000)
		s.Written(start+40000, 1)
		s.Written(start+size-1, 1)
		want := [][2]uint64{{start + 3, 97}, {start + 5100, 34900}, {start + 40001, size - 40002}}
		if got := s.Unwritten(set, start, size); !reflect.DeepEqual(got, want) {
			t.Errorf("%b: %x, want %x", set, got, want)
		}
		again := NewShadows(set, 1<<30, nil)
		again.Begin(start, size, want)
		if got := again.Unwritten(set, start, size); !reflect.DeepEqual(got, want) {
			t.Errorf("%b: begun as %x, want %x", set, got, want)
		}
		again.Begin(start+size+4096, 64, nil)
		if got := again.Unwritten(set, start+size+4096, 64); got != nil {
			t.Errorf("%b: %x of what has been written", set, got)
		}
		fresh := NewShadows(set, 1<<30, nil)
		fresh.Track(start, size)
		if got := fresh.Unwritten(set, start, size); !reflect.DeepEqual(got, [][2]uint64{{start, size}}) {
			t.Errorf("%b: %x of a new allocation", set, got)
		}
	}
	none := NewShadows(Race, 1<<30, nil)
	none.Track(start, size)
	if got := none.Unwritten(Race, start, size); got != nil {
		t.Errorf("without a sanitizer that looks: %x", got)
	}
}
