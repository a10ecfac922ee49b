package images

import (
	"reflect"
	"testing"

	"ptxvm.invalid/ptxvm/internal/mem"
)

// TestRestoredHandles: handles mean what they meant, what was between them has ended, and later ones come behind.
func TestRestoredHandles(t *testing.T) {
	var was, now Table
	im := &Image{Name: "photo"}
	first := was.AddHandles(SurfaceHandle, "photo", 1)
	gone := was.AddHandles(TextureHandle, "gone", 2)
	last := was.AddHandles(SamplerHandle, "last", 1)
	was.SetImage(first, im)
	was.DropHandles(gone, 2)
	all := was.Handles()
	if err := now.Restore(all); err != nil || !reflect.DeepEqual(now.Handles(), all) {
		t.Errorf("%v: %+v, want %+v", err, now.Handles(), all)
	}
	if now.ImageOf(first) != im || !now.Names(last, SamplerHandle, 1) || now.Names(gone, TextureHandle, 2) || now.Names(last, SamplerHandle, 2) {
		t.Error("handles mean something else")
	}
	if next := now.AddHandles(SurfaceHandle, "next", 1); next != last+mem.ImageStep {
		t.Errorf("the next handle is %#x, behind %#x", next, last)
	}
	var some Table
	if err := some.Restore([]Handle{all[3]}); err != nil || len(some.Handles()) != 4 || !some.Handles()[0].Ended {
		t.Errorf("%v: %+v", err, some.Handles())
	}
	for _, wrong := range [][]Handle{{{Number: 0}}, {{Number: first + 1}}, {all[1], all[0]}, {all[0], all[0]}, {{Number: first + MaxRestored*mem.ImageStep}}, {{Number: first, Kind: 9}}} {
		if err := new(Table).Restore(wrong); err == nil {
			t.Errorf("%+v is restored", wrong)
		}
	}
}
