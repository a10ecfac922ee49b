package mem

import (
	"errors"
	"runtime"
	"testing"
)

// TestForeign puts back what a program's host memory was: bytes of two pages, neighbours in one, and far from the arena.
func TestForeign(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("memory of another process is put back on Linux")
	}
	list := []Range{{0x5555_0000_1234, 100}, {0x5555_0000_1300, 8}, {0x7f12_0000_0ff0, 50}}
	arenas, err := NewArenas(Config{Limits: []uint64{1 << 20}, Base: HostBase + HostStep, Foreign: list})
	if err != nil {
		t.Fatal(err)
	}
	a := arenas[0]
	own, err := a.Alloc(16, Info{})
	if err != nil || own != HostBase+HostStep {
		t.Fatalf("%#x, %v", own, err)
	}
	for i, r := range list {
		if err := a.AdoptAt(r.Start, r.Size, Info{Label: "x"}); err != nil {
			t.Fatal(err)
		}
		b := a.Bytes(r.Start, r.Size)
		for k := range b {
			if b[k] != 0 {
				t.Fatalf("byte %d of range %d is %d", k, i, b[k])
			}
			b[k] = byte(i + 1)
		}
		if got, ok := a.Find(r.Start + r.Size - 1); !ok || !got.Adopted || got.End != r.Start+r.Size {
			t.Errorf("%+v, %v", got, ok)
		}
	}
	for i, r := range list {
		for _, v := range a.Bytes(r.Start, r.Size) {
			if v != byte(i+1) {
				t.Fatalf("range %d holds %d", i, v)
			}
		}
		// A device address and its host address differ everywhere by the same number: compiled code relies on it.
		if host := uint64(uintptrOf(a.Bytes(r.Start, 1))); host-r.Start != uint64(uintptrOf(a.Bytes(own, 1)))-own {
			t.Errorf("%#x lies at %#x, %#x at %#x", r.Start, host, own, uintptrOf(a.Bytes(own, 1)))
		}
	}
	if err := a.AdoptAt(list[0].Start+4, 4, Info{}); !errors.Is(err, ErrOverlap) {
		t.Errorf("twice: %v", err)
	}
	for _, r := range []Range{{0x5555_0000_1ff0, 17}, {0x6000_0000_0000, 1}, {own, 1}, {list[0].Start, 0}, {0x7f12_0000_0ff0 - 0x1000, 1}} {
		if err := a.AdoptAt(r.Start, r.Size, Info{}); !errors.Is(err, ErrForeign) {
			t.Errorf("%d bytes at %#x: %v", r.Size, r.Start, err)
		}
	}
	if err := a.Close(); err != nil {
		t.Error(err)
	}
	// Addresses at both ends of what processes have leave no room to move.
	if _, err := NewArenas(Config{Limits: []uint64{1 << 20}, Base: HostBase, Foreign: []Range{{4096, 1}, {foreignMost - 1, 1}}}); !errors.Is(err, ErrForeign) {
		t.Errorf("from end to end: %v", err)
	}
}
