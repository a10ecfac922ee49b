package mem

import (
	"errors"
	"testing"
)

// TestMulticast makes, finds and ends ranges over two devices; room is used again.
func TestMulticast(t *testing.T) {
	arenas, err := NewArenas(Config{Limits: []uint64{1 << 20, 1 << 20}})
	if err != nil {
		t.Fatal(err)
	}
	defer arenas[0].Close()
	defer arenas[1].Close()
	var copies []uint64
	for _, a := range arenas {
		at, err := a.Alloc(1000, Info{})
		if err != nil {
			t.Fatal(err)
		}
		copies = append(copies, at)
	}
	s := arenas[0].Space
	if _, err := s.NewMulticast(1001, copies); !errors.Is(err, ErrNotAllocated) {
		t.Errorf("a range longer than its copies: %v", err)
	}
	first, err1 := s.NewMulticast(1000, copies)
	second, err2 := s.NewMulticast(600, copies)
	if err1 != nil || err2 != nil || first != MulticastBase || second < first+1000 || second%Align != 0 {
		t.Fatalf("ranges at %#x and %#x, %v, %v", first, second, err1, err2)
	}
	for _, v := range []struct {
		addr, n uint64
		start   uint64 // 0: none
	}{{first, 1000, first}, {first + 999, 1, first}, {first + 999, 2, 0}, {first - 1, 1, 0}, {second + 8, 8, second}, {second + 600, 1, 0}, {copies[0], 1, 0}} {
		m := s.Multicast(v.addr, v.n)
		if (m == nil) != (v.start == 0) || m != nil && (m.Start != v.start || m.Copies[1] != copies[1]) {
			t.Errorf("%d bytes at %#x: %+v", v.n, v.addr, m)
		}
	}
	if err := s.EndMulticast(first); err != nil || s.Multicast(first, 1) != nil {
		t.Errorf("the first range has not ended: %v", err)
	}
	if err := s.EndMulticast(first); !errors.Is(err, ErrNotAllocated) {
		t.Errorf("it ends twice: %v", err)
	}
	if again, err := s.NewMulticast(10, copies[:1]); again != first || err != nil {
		t.Errorf("the room of the first is not used again: %#x, %v", again, err)
	}
	if behind, err := s.NewMulticast(1000, copies); behind <= second || err != nil {
		t.Errorf("a range that does not fit lies at %#x, %v", behind, err)
	}
}
