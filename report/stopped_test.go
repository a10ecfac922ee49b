package report

import "testing"

// TestDeadlockDetail: warps that wait at one place for the same are one item, each item has its statement.
func TestDeadlockDetail(t *testing.T) {
	waiter := func(cta uint32, warp int, lanes uint32, line int, reason string) Waiter {
		return Waiter{CTA: Index3{X: cta}, Warp: warp, Lanes: lanes, Reason: reason, PTX: Location{File: "k.ptx", Line: line, Col: 2}, Text: "bar.sync 0;"}
	}
	e := &DeadlockError{Kernel: "k", Waiters: []Waiter{
		waiter(0, 0, ^uint32(0), 7, "wait"), waiter(0, 1, ^uint32(0), 7, "wait"), waiter(0, 2, 0xffff, 7, "wait"), waiter(0, 2, 0xffff0000, 9, "wait"),
		waiter(0, 3, ^uint32(0), 7, "wait"), waiter(0, 5, ^uint32(0), 7, "wait longer"),
	}}
	want := `deadlock: no thread of CTA (0,0,0) of kernel k can go on
  warps 0-1, 3 lanes ffffffff at k.ptx:7:2: wait
    ptx:  k.ptx:7:2  bar.sync 0;
  warp 2 lanes 0000ffff at k.ptx:7:2: wait
    ptx:  k.ptx:7:2  bar.sync 0;
  warp 2 lanes ffff0000 at k.ptx:9:2: wait
    ptx:  k.ptx:9:2  bar.sync 0;
  warp 5 lanes ffffffff at k.ptx:7:2: wait longer
    ptx:  k.ptx:7:2  bar.sync 0;
  help:  ptxvm explain P7008`
	if have := e.Detail(); have != want {
		t.Errorf("have\n%s\nwant\n%s", have, want)
	}
	e = &DeadlockError{Kernel: "k", Cluster: true, Waiters: []Waiter{waiter(0, 0, 1, 7, "wait"), waiter(1, 0, 1, 7, "wait")}}
	want = `deadlock: no thread of the cluster of CTA (0,0,0) of kernel k can go on
  CTA (0,0,0) warp 0 lanes 00000001 at k.ptx:7:2: wait
    ptx:  k.ptx:7:2  bar.sync 0;
  CTA (1,0,0) warp 0 lanes 00000001 at k.ptx:7:2: wait
    ptx:  k.ptx:7:2  bar.sync 0;
  help:  ptxvm explain P7008`
	if have := e.Detail(); have != want {
		t.Errorf("have\n%s\nwant\n%s", have, want)
	}
}
