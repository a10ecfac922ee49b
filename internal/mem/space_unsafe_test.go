package mem

import (
	"errors"
	"runtime"
	"testing"
	"unsafe"
)

func newArenas(t *testing.T, cfg Config) []*Arena {
	t.Helper()
	arenas, err := NewArenas(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, a := range arenas {
			a.Close()
		}
	})
	return arenas
}

// Devices of one machine share addresses; limits and what may be freed are each one's own.
func TestDevicesShareASpace(t *testing.T) {
	arenas := newArenas(t, Config{Limits: []uint64{1 << 20, 1 << 10}})
	a, b := arenas[0], arenas[1]
	p, err := a.Alloc(1000, Info{})
	if err != nil {
		t.Fatal(err)
	}
	q, err := b.Alloc(1000, Info{})
	if err != nil {
		t.Fatal(err)
	}
	if v, ok := a.Find(q); !ok || v.Device != 1 || v.Start != q {
		t.Errorf("device 0 finds %+v, %v at device 1's allocation %#x", v, ok, q)
	}
	if _, err := b.Alloc(100, Info{}); !errors.Is(err, ErrOutOfMemory) {
		t.Errorf("device 1 allocates beyond its limit: %v", err)
	}
	if err := b.Free(p); !errors.Is(err, ErrNotAllocated) {
		t.Errorf("device 1 frees device 0's allocation: %v", err)
	}
	epoch := a.Epoch()
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if _, ok := a.Find(q); ok || a.Epoch() == epoch {
		t.Error("an allocation outlives its device")
	}
	if u := a.Usage(); u.Count != 1 || u.Bytes != 1000 {
		t.Errorf("usage of device 0 is %+v", u)
	}
	a.Bytes(p, 1000)[999] = 1
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if err := a.Close(); err != nil {
		t.Errorf("closing again: %v", err)
	}
}

// With Identity a device address is the host address, in each of several spaces.
func TestIdentity(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("on Linux only")
	}
	for i := range 3 {
		a := newArenas(t, Config{Limits: []uint64{1 << 20}, Identity: true})[0]
		if want := HostBase + uint64(i)*HostStep; a.First() != want {
			t.Errorf("space %d begins at %#x, want %#x", i, a.First(), want)
		}
		if uint64(uintptr(a.Base())) != a.First() {
			t.Errorf("device address %#x lies at %p", a.First(), a.Base())
		}
		p, err := a.Alloc(64, Info{})
		if err != nil {
			t.Fatal(err)
		}
		if host := uint64(uintptr(unsafe.Pointer(&a.Bytes(p, 64)[63]))); host != p+63 {
			t.Errorf("byte %#x lies at %#x", p+63, host)
		}
	}
}
