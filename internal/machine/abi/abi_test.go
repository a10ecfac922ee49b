package abi

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestLimit: an index that is let pass names bytes of the allocation, and each index of one that does, and is not near the end of
// its 32 bits, is let pass.
func TestLimit(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	passed, stopped := 0, 0
	for range 20000 {
		r := Reach{Index: Index{Shift: uint8(rng.IntN(5)), Signed: rng.IntN(2) == 0}, Size: 1 << rng.IntN(5), Align: 1 << rng.IntN(3)}
		r.Disp = int64(r.Align) * (rng.Int64N(64) - 32)
		start := uint64(1)<<40 + 256*rng.Uint64N(1<<20)
		b := Bounds{Start: start, End: start + rng.Uint64N(1<<12)}
		base := start + uint64(int64(r.Align)*(rng.Int64N(1<<10)-1<<9))
		r.Limit(&b, base, 1<<20)
		for range 20 {
			i := int64(rng.IntN(1<<11)) - 1<<10
			if !r.Signed && i < 0 {
				continue
			}
			at := base + uint64(i)<<r.Shift + uint64(r.Disp)
			inside := at >= b.Start && at+uint64(r.Size) <= b.End
			if pass := uint32(i)-b.Low < b.Count; pass != inside {
				t.Fatalf("%+v from %#x in %+v: index %d of %#x passes: %v, want %v", r, base, b, i, at, pass, inside)
			}
			if passed++; !inside {
				passed, stopped = passed-1, stopped+1
			}
		}
		if b.Count != 0 && b.Host != uintptr(base+1<<20) {
			t.Fatalf("indices count from %#x", b.Host)
		}
	}
	if passed < 1000 || stopped < 1000 {
		t.Errorf("%d indices passed, %d did not", passed, stopped)
	}
}

// TestLimitRefuses what no index can hold: far bases, bases between elements, stores to what is read alone.
func TestLimitRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		r    Reach
		base uint64
		b    Bounds
	}{
		"far":       {Reach{Size: 4, Align: 4}, 1 << 50, Bounds{Start: 1 << 40, End: 1<<40 + 64, WriteEnd: 1<<40 + 64}},
		"odd":       {Reach{Size: 4, Align: 4}, 1<<40 + 2, Bounds{Start: 1 << 40, End: 1<<40 + 64, WriteEnd: 1<<40 + 64}},
		"read only": {Reach{Size: 4, Align: 4, Store: true}, 1 << 40, Bounds{Start: 1 << 40, End: 1<<40 + 64}},
		"small":     {Reach{Size: 16, Align: 4}, 1 << 40, Bounds{Start: 1 << 40, End: 1<<40 + 8, WriteEnd: 1<<40 + 8}},
		"ends":      {Reach{Size: 4, Align: 4}, 1<<40 - math.MaxInt32, Bounds{Start: 1 << 40, End: 1<<40 + 64, WriteEnd: 1<<40 + 64}},
	} {
		if c.r.Limit(&c.b, c.base, 0); c.b.Count != 0 {
			t.Errorf("%s: %d indices from %d pass", name, c.b.Count, c.b.Low)
		}
	}
}

// TestWays: lanes that two branches have parted meet where the branches do, and those of one way come together before.
func TestWays(t *testing.T) {
	// 0 branches to 1 and 4, which meet at 6; 1 branches to 2 and 3, which meet at 5.
	n := &Native{Meets: []int32{6, 5, 5, 5, 6, 6, -1}}
	places := []Place{{PC: 2, Mask: 1}, {PC: 4, Mask: 2}, {PC: 3, Mask: 4}}
	meet := n.Meet(n.Meets[2], places)
	if meet != 6 {
		t.Fatalf("all meet at %d", meet)
	}
	k, lanes := n.SameWay(places, meet)
	if k != 2 || lanes != 5 {
		t.Errorf("%d places with lanes %x go the way of the first, want 2 with lanes 5: %v", k, lanes, places)
	}
	if near := n.Meet(places[0].PC, places[:k]); near != 5 {
		t.Errorf("those meet at %d, want 5", near)
	}
	if none := (&Native{Meets: []int32{-1, -1}}).Meet(0, []Place{{PC: 0}, {PC: 1}}); none != -1 {
		t.Errorf("ways that end apart meet at %d", none)
	}
}
