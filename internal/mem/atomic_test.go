package mem

import (
	"sync"
	"testing"
)

// TestNarrowNeighbours lets goroutines write neighbouring bytes, halves and words; none may
// lose an update.
func TestNarrowNeighbours(t *testing.T) {
	var s Slab
	defer s.Close()
	const rounds = 20000
	p := s.Get(64)
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			q := at(p, i)
			for k := range rounds {
				if got := Exchange8(q, uint8(k+1)); got != uint8(k) {
					t.Errorf("byte %d: got %d in round %d", i, got, k)
					return
				}
			}
		})
	}
	for i := range 2 {
		wg.Go(func() {
			q := at(p, 8+2*i)
			for k := range rounds {
				if was := CAS16(q, uint16(k), uint16(k+1)); was != uint16(k) {
					t.Errorf("half %d: got %d in round %d", i, was, k)
					return
				}
			}
		})
	}
	wg.Wait()
	if Load8(at(p, 2)) != uint8(rounds%256) || Load16(at(p, 10)) != rounds {
		t.Error("final values differ")
	}
	if CAS8(at(p, 1), 7, 9) == 7 || CAS32(p, 1, 2) == 1 || CAS64(p, 1, 2) == 1 {
		t.Error("compare-and-swap with a wrong value succeeded")
	}
}

// TestCAS128 counts in both halves; a torn access would let them differ.
func TestCAS128(t *testing.T) {
	var s Slab
	defer s.Close()
	p := s.Get(64)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 5000 {
				old := Load128(p)
				for {
					if old.Hi != ^old.Lo && old.Hi|old.Lo != 0 {
						t.Error("torn")
						return
					}
					was := CAS128(p, old, Uint128{old.Lo + 1, ^(old.Lo + 1)})
					if was == old {
						break
					}
					old = was
				}
			}
		})
	}
	wg.Wait()
	if v := Exchange128(p, Uint128{1, 2}); v.Lo != 20000 {
		t.Errorf("counted %d", v.Lo)
	}
	if v := Load128(p); v != (Uint128{1, 2}) {
		t.Errorf("exchange stored %v", v)
	}
}
