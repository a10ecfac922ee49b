package mem

import (
	"errors"
	"runtime"
	"testing"
	"unsafe"
)

// TestAdopt: memory of the host is found and read like an allocation, in no other's way, and ends.
func TestAdopt(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("device addresses are host addresses on Linux only")
	}
	a := newArenas(t, Config{Limits: []uint64{1 << 20}, Identity: true})[0] // else where the system puts things decides
	p, _ := a.Alloc(1000, Info{})
	host := make([]byte, 4096)
	at, err := a.Adopt(uint64(uintptr(unsafe.Pointer(unsafe.SliceData(host)))), 4096, Info{Label: "host"})
	if err != nil {
		t.Fatal(err)
	}
	host[77] = 9
	b := a.Bytes(at+70, 100)
	if len(b) != 100 || b[7] != 9 || a.Bytes(at+4000, 97) != nil {
		t.Fatalf("%d bytes", len(b))
	}
	b[8] = 5
	if host[78] != 5 || a.Usage().Count != 1 {
		t.Errorf("%d, %+v", host[78], a.Usage())
	}
	if _, err := a.Adopt(uint64(uintptr(unsafe.Pointer(&host[4000]))), 4096, Info{}); !errors.Is(err, ErrOverlap) {
		t.Errorf("twice: %v", err)
	}
	if _, err := a.Adopt(uint64(uintptr(a.Base()))+4096, 64, Info{}); !errors.Is(err, ErrOverlap) {
		t.Errorf("the arena's own: %v", err)
	}
	if err := a.Free(at); !errors.Is(err, ErrNotAllocated) {
		t.Errorf("freed: %v", err)
	}
	if err := a.Free(p); err != nil { // beside what is adopted
		t.Fatal(err)
	}
	if q, _ := a.Alloc(1000, Info{}); q != p {
		t.Errorf("%#x, want %#x", q, p)
	}
	epoch := a.Epoch()
	if err := errors.Join(a.Disown(at), a.Disown(p)); !errors.Is(err, ErrNotAllocated) || a.Epoch() == epoch {
		t.Errorf("disowned: %v", err)
	}
	if a.Bytes(at, 1) != nil {
		t.Error("it is still there")
	}
}

// TestAdoptGuarded: wherever a program may have memory, the device has an address for it, which no window and no other memory has.
func TestAdoptGuarded(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("device addresses are host addresses on Linux only")
	}
	for range 3 { // the later ones have the views of the former beside them
		a := newArenas(t, Config{Limits: []uint64{1 << 20}, Identity: true, Guard: true})[0]
		if uint64(uintptr(a.Base())) >= a.First() {
			t.Fatalf("the views are at %p and %#x", a.Base(), a.First())
		}
		seen := map[uint64]bool{}
		for _, host := range []uint64{4096, 0x400000, 0xc0_0000_0000, 1<<40 - 4096, 1 << 40, 0x5555_5555_4000, 0x7fff_ffff_e000} {
			at, err := a.Adopt(host, 4096, Info{})
			if err != nil || at+4096 > SharedWindow || at-a.First() < a.memory.size() || seen[at] {
				t.Errorf("%#x: %#x, %v", host, at, err)
			}
			seen[at] = true
		}
	}
}
