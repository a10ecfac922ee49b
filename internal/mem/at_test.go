package mem

import (
	"errors"
	"math/rand/v2"
	"testing"
)

// TestAllocAt makes allocations, frees some, makes those that are left in another arena at their addresses, in any order, and
// goes on there: nothing overlaps, all is zero.
func TestAllocAt(t *testing.T) {
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 1))
		firsts, err := NewArenas(Config{Limits: []uint64{64 << 20}, Base: HostBase + seed*HostStep})
		if err != nil {
			t.Fatal(err)
		}
		first := firsts[0]
		defer first.Close()
		for range 200 {
			start, err := first.Alloc(uint64(1+random.IntN(9000)), Info{Heap: random.IntN(3) == 0})
			if err != nil {
				t.Fatal(err)
			}
			if random.IntN(3) == 0 {
				if err := first.Free(start); err != nil {
					t.Fatal(err)
				}
			}
		}
		arenas, err := NewArenas(Config{Limits: []uint64{64 << 20}, Base: first.First()})
		if err != nil {
			t.Fatal(err)
		}
		second := arenas[0]
		defer second.Close()
		live := first.Live()
		random.Shuffle(len(live), func(i, j int) { live[i], live[j] = live[j], live[i] })
		for _, v := range live {
			if err := second.AllocAt(v.Start, v.End-v.Start, v.Info); err != nil {
				t.Fatal(err)
			}
			clear(second.Bytes(v.Start, v.End-v.Start))
		}
		for range 100 {
			size := uint64(1 + random.IntN(9000))
			start, err := second.Alloc(size, Info{})
			if err != nil {
				t.Fatal(err)
			}
			for i, b := range second.Bytes(start, size) {
				if b != 0 {
					t.Fatalf("byte %d of a new allocation is %d", i, b)
				}
			}
			for i := range second.Bytes(start, size) {
				second.Bytes(start, size)[i] = 1
			}
		}
		checkDisjoint(t, second.Live(), len(live)+100)
		for _, v := range live {
			for i, b := range second.Bytes(v.Start, v.End-v.Start) {
				if b != 0 {
					t.Fatalf("seed %d: byte %d at %#x was written by another allocation's owner", seed, i, v.Start)
				}
			}
		}
	}
}

// checkDisjoint holds a list of allocations to its order.
func checkDisjoint(t *testing.T, list []Allocation, n int) {
	t.Helper()
	if len(list) != n {
		t.Errorf("%d allocations; want %d", len(list), n)
	}
	for i := 1; i < len(list); i++ {
		if list[i].Start < list[i-1].End {
			t.Errorf("%#x begins before %#x", list[i].Start, list[i-1].End)
		}
	}
}

// TestAllocAtRefuses: what is taken, misaligned, outside of the arena or beyond its limit.
func TestAllocAtRefuses(t *testing.T) {
	a, err := NewArena(1 << 20)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	at := GlobalBase + 1<<16
	if err := a.AllocAt(at, 1000, Info{}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		start, size uint64
		want        error
	}{
		{at, 1, ErrOverlap}, {at + Align, 1, ErrOverlap}, {at - Align, 2 * Align, ErrOverlap}, {at - 1, 1, ErrOutOfMemory},
		{GlobalBase - Align, 1, ErrOutOfMemory}, {^uint64(0) &^ (Align - 1), 1, ErrOutOfMemory}, {0, 1, ErrOutOfMemory},
		{at + 1<<40, 1, ErrOutOfMemory}, {at + 1<<17, 1 << 20, ErrOutOfMemory}, {at + 1<<17, ^uint64(0), ErrOutOfMemory},
	} {
		if err := a.AllocAt(c.start, c.size, Info{}); !errors.Is(err, c.want) {
			t.Errorf("%d bytes at %#x: %v; want %v", c.size, c.start, err, c.want)
		}
	}
	if n := a.Usage().Count; n != 1 {
		t.Errorf("%d allocations; want 1", n)
	}
}
