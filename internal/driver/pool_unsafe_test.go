package driver

import "testing"

// TestPools: what pools have given out counts until it is freed, in whatever way.
func TestPools(t *testing.T) {
	r := newRig(t, Config{})
	want := func(pool, used, high uint64) {
		t.Helper()
		if u, h := r.PoolUse(pool, false); u != used || h != high {
			t.Errorf("pool %d: %d used, %d at most; want %d and %d", pool, u, h, used, high)
		}
	}
	want(1, 0, 0)
	a, b, c := r.alloc(100), r.alloc(1000), r.alloc(10000)
	r.want(r.PoolTake(1, a), Success)
	r.want(r.PoolTake(1, b), Success)
	r.want(r.PoolTake(2, c), Success)
	r.want(r.PoolTake(2, a), Success) // it is of one already
	r.want(r.PoolTake(1, a+4), InvalidValue)
	want(1, 1100, 1100)
	want(2, 10000, 10000)
	if of := r.PoolOf(b + 7); of != 1 {
		t.Errorf("the pool is %d, want 1", of)
	}
	r.want(r.Free(a, false), Success)
	r.want(r.FreeIn(0, 0, c), Success)
	r.want(r.Synchronize(0), Success)
	want(1, 1000, 1100)
	want(2, 0, 10000)
	if u, h := r.PoolUse(1, true); u != 1000 || h != 1000 {
		t.Errorf("%d used, %d at most; want 1000", u, h)
	}
	r.want(r.Reset(0), Success)
	want(1, 0, 1000)
	if of := r.PoolOf(b); of != 0 {
		t.Errorf("freed memory is of pool %d", of)
	}
}
