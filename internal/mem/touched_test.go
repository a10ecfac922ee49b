//go:build linux || darwin

package mem

import (
	"runtime"
	"testing"
)

// TestTouched: memory that is mapped twice tells which of its pages hold something, and the program may close the file.
func TestTouched(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("on Linux only")
	}
	arenas, err := NewArenas(Config{Limits: []uint64{64 << 20}, Identity: true, Guard: true})
	if err != nil {
		t.Fatal(err)
	}
	a := arenas[0]
	defer a.Close()
	if a.memory.file.ino == 0 {
		t.Skip("the memory is not mapped twice here")
	}
	const size = 32 << 20
	at, err := a.Alloc(size, Info{})
	if err != nil {
		t.Fatal(err)
	}
	if got := a.Touched(at, size); got != nil {
		t.Errorf("new memory: %x", got)
	}
	a.Bytes(at, size)[5<<20] = 1
	a.Bytes(at, size)[size-1] = 1
	parts := a.Touched(at, size)
	sum := uint64(0)
	for _, p := range parts {
		sum += p[1]
	}
	holds := func(addr uint64) bool {
		for _, p := range parts {
			if p[0] <= addr && addr-p[0] < p[1] {
				return true
			}
		}
		return false
	}
	if !holds(at+5<<20) || !holds(at+size-1) || sum > 8<<20 {
		t.Errorf("two bytes written: %x", parts)
	}
	file := a.memory.file
	a.memory.file.ino++ // as if another file had taken the number
	if got := a.Touched(at, size); len(got) != 1 || got[0] != [2]uint64{at, size} {
		t.Errorf("a file that is another: %x", got)
	}
	a.memory.file = file
}
