package sched

// Kernels that are stopped: faults, deadlocks, limits and cancellation.

import (
	"context"
	"errors"
	"testing"
	"time"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/report"
)

// onSchedules runs a test for 1, 2 and 4 workers, with and without a seed.
func onSchedules(t *testing.T, test func(t *testing.T, cfg ptxvm.DeviceConfig)) {
	for _, cfg := range schedules() {
		test(t, cfg)
	}
}

// TestFaults: the atomic before a faulting access has happened once, the access in no lane, nothing after it.
func TestFaults(t *testing.T) {
	for _, name := range []string{"load", "store", "atomic", "arm"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			at := lineOf(t, "faults", name, "FAULT")
			onSchedules(t, func(t *testing.T, cfg ptxvm.DeviceConfig) {
				for _, from := range []uint32{0, 16, 31} {
					checkFault(t, cfg, name, from, at)
				}
			})
		})
	}
}

func checkFault(t *testing.T, cfg ptxvm.DeviceConfig, name string, from uint32, at int) {
	t.Helper()
	const bad = uint64(0x7_0000_0000)
	s := scenario{file: "faults", kernel: name, block: line(32), mem: make([]uint32, 2), args: []any{bad, from}}
	got, _, err := s.launch(t, cfg)
	var f *ptxvm.Fault
	if !errors.As(err, &f) {
		t.Fatalf("from lane %d: got %v, want a fault", from, err)
	}
	if lanes := ^uint32(0) << from; f.Lanes != lanes || f.Thread != (ptxvm.Index3{X: from}) || f.Address != bad || f.PTX.Line != at || f.Code != 7001 {
		t.Errorf("fault %v of lanes %08x at line %d, want P7001 of lanes %08x at line %d", f, f.Lanes, f.PTX.Line, lanes, at)
	}
	if got[0] != 32 || got[1] != 0 {
		t.Errorf("memory %v, want the atomic in 32 lanes and nothing else", got)
	}
}

// TestFaultIsNotSticky: the device runs on after a fault.
func TestFaultIsNotSticky(t *testing.T) {
	d, k := kernel(t, ptxvm.DeviceConfig{Workers: 2}, "faults", "load")
	b, err := ptxvm.Upload(d, make([]uint32, 2))
	if err != nil {
		t.Fatal(err)
	}
	block := ptxvm.Launch{Block: line(32)}
	if _, err := k.Launch(context.Background(), block, b, uint64(0x7_0000_0000), uint32(5)); err == nil {
		t.Fatal("no fault")
	}
	if _, err := k.Launch(context.Background(), block, b, uint64(0), uint32(32)); err != nil {
		t.Fatal(err)
	}
	got := make([]uint32, 2)
	if err := ptxvm.Download(b, got); err != nil || got[0] != 64 || got[1] != 1 {
		t.Errorf("memory %v, %v", got, err)
	}
}

// deadlocked is what a report must name.
type deadlocked struct {
	kernel  string
	threads uint32
	waiters []waiter
}

type waiter struct {
	warp           int
	lanes, missing uint32
	mark, reason   string
}

var deadlocks = []deadlocked{
	{"barriers", 32, []waiter{
		{0, 0x0000ffff, 0xffff0000, "WAIT low", "wait at barrier 1 for lanes ffff0000 of their warp"},
		{0, 0xffff0000, 0x0000ffff, "WAIT high", "wait at barrier 2 for lanes 0000ffff of their warp"}}},
	{"mask", 32, []waiter{
		{0, 0x00000008, 0xfffffff7, "WAIT low", "wait at barrier 1 for lanes fffffff7 of their warp"},
		{0, 0xfffffff7, 0x00000008, "WAIT high", "wait for lanes 00000008 of member mask ffffffff"}}},
	{"count", 64, []waiter{
		{0, 0xffffffff, 0, "WAIT low", "wait at barrier 5, 64 of 96 threads have arrived"},
		{1, 0xffffffff, 0, "WAIT low", "wait at barrier 5, 64 of 96 threads have arrived"}}},
}

// TestDeadlocks holds the report to its lanes, barriers and lines.
func TestDeadlocks(t *testing.T) {
	for _, c := range deadlocks {
		t.Run(c.kernel, func(t *testing.T) {
			t.Parallel()
			onSchedules(t, func(t *testing.T, cfg ptxvm.DeviceConfig) {
				_, k := kernel(t, cfg, "deadlock", c.kernel)
				_, err := k.Launch(context.Background(), ptxvm.Launch{Grid: line(3), Block: line(c.threads)})
				var d *ptxvm.DeadlockError
				if !errors.As(err, &d) {
					t.Fatalf("got %v, want a deadlock", err)
				}
				for _, w := range c.waiters {
					if !w.in(d.Waiters, lineOf(t, "deadlock", c.kernel, w.mark)) {
						t.Errorf("%s\nwant warp %d lanes %08x: %s", d.Detail(), w.warp, w.lanes, w.reason)
					}
				}
				if len(d.Waiters) != len(c.waiters) {
					t.Errorf("%s\nwant %d waiters", d.Detail(), len(c.waiters))
				}
			})
		})
	}
}

func (w waiter) in(all []report.Waiter, line int) bool {
	for _, v := range all {
		if v.Warp == w.warp && v.Lanes == w.lanes && v.Missing == w.missing && v.Reason == w.reason && v.PTX.Line == line {
			return true
		}
	}
	return false
}

// runaways are the kernels that spin, with whether they take the memory argument.
var runaways = map[string]bool{"loop": false, "poll": true, "half": true}

// TestStepLimit: a kernel that does not end is stopped after MaxSteps, and not long after.
func TestStepLimit(t *testing.T) {
	for name, takesMemory := range runaways {
		onSchedules(t, func(t *testing.T, cfg ptxvm.DeviceConfig) {
			cfg.MaxSteps = 200_000
			stats, err := runaway(t, context.Background(), cfg, name, takesMemory)
			if !errors.Is(err, ptxvm.ErrStepLimit) {
				t.Errorf("%s: %v, want the step limit", name, err)
			}
			if stats.WarpInsts < cfg.MaxSteps || stats.WarpInsts > 10*cfg.MaxSteps {
				t.Errorf("%s: stopped after %d steps, the limit is %d", name, stats.WarpInsts, cfg.MaxSteps)
			}
		})
	}
}

// TestTimeout: a kernel that does not end is stopped by its context.
func TestTimeout(t *testing.T) {
	for name, takesMemory := range runaways {
		for _, workers := range []int{1, 4} {
			ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
			_, err := runaway(t, ctx, ptxvm.DeviceConfig{Workers: workers}, name, takesMemory)
			cancel()
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%s: %v, want the deadline", name, err)
			}
		}
	}
}

func runaway(t *testing.T, ctx context.Context, cfg ptxvm.DeviceConfig, name string, takesMemory bool) (ptxvm.Stats, error) {
	t.Helper()
	d, k := kernel(t, cfg, "runaway", name)
	var args []any
	if takesMemory {
		b, err := ptxvm.Upload(d, make([]uint32, 1))
		if err != nil {
			t.Fatal(err)
		}
		args = append(args, b)
	}
	return k.Launch(ctx, ptxvm.Launch{Grid: line(3), Block: line(64)}, args...)
}

// TestRecursion: recursion without an end is a fault that names the call.
func TestRecursion(t *testing.T) {
	_, k := kernel(t, ptxvm.DeviceConfig{Workers: 1}, "runaway", "recursion")
	_, err := k.Launch(context.Background(), ptxvm.Launch{Block: line(32)})
	var f *ptxvm.Fault
	if !errors.As(err, &f) || f.Code != 7007 || f.Func != "endless" || f.PTX.Line != lineOf(t, "runaway", "", "FAULT") {
		t.Errorf("got %v, want a stack overflow in endless", err)
	}
}
