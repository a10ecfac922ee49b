package mem

import (
	"os"
	"runtime"
	"strings"
	"testing"
)

// protection is what the system's table says of the page at an address: r, w and - as in rw-s.
func protection(t *testing.T, addr uint64) string {
	t.Helper()
	text, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Skip(err)
	}
	for line := range strings.Lines(string(text)) {
		f := strings.Fields(line)
		lo, hi := uint64(0), uint64(0)
		for _, c := range f[0] {
			switch d := strings.IndexRune("0123456789abcdef", c); {
			case c == '-':
				lo, hi = hi, 0
			default:
				hi = hi<<4 | uint64(d)
			}
		}
		if lo <= addr && addr < hi {
			return f[1][:2]
		}
	}
	return ""
}

// TestGuard: the program reaches what is shown to it at its device address and nothing else; the machine all.
func TestGuard(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("on Linux only")
	}
	arenas, err := NewArenas(Config{Limits: []uint64{16 << 20}, Identity: true, Guard: true})
	if err != nil {
		t.Fatal(err)
	}
	a := arenas[0]
	defer a.Close()
	var kept, shown []uint64
	for i := range uint64(20) {
		k, err := a.Alloc(100+i*300, Info{})
		if err != nil {
			t.Fatal(err)
		}
		s, err := a.Alloc(50+i*700, Info{Host: true})
		if err != nil {
			t.Fatal(err)
		}
		kept, shown = append(kept, k), append(shown, s)
		if i%3 == 2 { // what is freed in between is used again
			if a.Free(kept[i-1]) != nil || a.Free(shown[i-1]) != nil {
				t.Fatal("free")
			}
			if protection(t, shown[i-1]) != "--" {
				t.Error("what was freed is still shown")
			}
		}
	}
	for i := range kept {
		if i%3 == 1 && i < 19 {
			continue
		}
		a.Bytes(kept[i], 100)[99] = 1
		a.Bytes(shown[i], 50)[49] = 2
		if p := protection(t, kept[i]); p != "--" {
			t.Errorf("device memory at %#x is %s for the program", kept[i], p)
		}
		if p := protection(t, shown[i]); p != "rw" {
			t.Fatalf("memory of both at %#x is %s for the program", shown[i], p)
		}
		if p := (*byte)(hostMemory(shown[i] + 49)); *p != 2 {
			t.Errorf("the program reads %d", *p)
		}
	}
	if uintptr(a.Base()) == uintptr(a.First()) {
		t.Error("the machine has the program's view")
	}
}
