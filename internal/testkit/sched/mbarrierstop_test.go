package sched

// What is wrong with an mbarrier is said with its counts.

import (
	"context"
	"errors"
	"testing"

	"ptxvm.invalid/ptxvm"
)

var mbarrierFaults = []struct {
	kernel string
	code   int
	msg    string
}{
	{"zero", 7023, "misuse of an mbarrier: mbarrier at 0x400: mbarrier.init with a count of 0, which is not in 1…1048575"},
	{"many", 7023, "misuse of an mbarrier: mbarrier at 0x400: mbarrier.init with a count of 1048576, which is not in 1…1048575"},
	{"manyv1", 7023, "misuse of an mbarrier: mbarrier at 0x400: mbarrier.init with a count of 512, which is not in 1…511"},
	{"never", 7023, "misuse of an mbarrier: mbarrier at 0x400: there is no mbarrier: it was not initialised, or has been invalidated"},
	{"ended", 7023, "misuse of an mbarrier: mbarrier at 0x400: there is no mbarrier, but other data: 0x0000000000000007"},
	{"data", 7023, "misuse of an mbarrier: mbarrier at 0x400: there is no mbarrier, but other data: 0x0000000000000007"},
	{"over", 7023, "misuse of an mbarrier: mbarrier at 0x400: the mbarrier was overwritten with 0x0000000000000007"},
	{"arrivals", 7023, "misuse of an mbarrier: mbarrier at 0x400: arrive of 2: more arrivals than are pending (phase 0, pending 1 of 3, tx-count 0)"},
	{"none", 7023, "misuse of an mbarrier: mbarrier at 0x400: arrive of 0: the count is 0 or exceeds what an mbarrier holds (phase 0, pending 3 of 3, tx-count 0)"},
	{"dropped", 7023, "misuse of an mbarrier: mbarrier at 0x400: arrive_drop of 3: more arrivals than later phases expect (phase 0, pending 2 of 2, tx-count 0)"},
	{"bytes", 7023, "misuse of an mbarrier: mbarrier at 0x400: expect_tx of 1: the tx-count would leave its range of ±1048575 (phase 0, pending 2 of 2, tx-count 1048575)"},
	{"below", 7023, "misuse of an mbarrier: mbarrier at 0x400: complete_tx of 1048576: the tx-count would leave its range of ±1048575 (phase 0, pending 2 of 2, tx-count 0)"},
	{"completes", 7023, "misuse of an mbarrier: mbarrier at 0x400: 2 arrivals with .noComplete would complete the phase (phase 0, pending 2 of 2, tx-count 0)"},
	{"misaligned", 7002, "misaligned address: shared atomic of 8 bytes at 0x404, which is no multiple of 8: bar+4, which has .align 8"},
	{"outside", 7004, "address outside its state space: generic atomic of 8 bytes at 0x700000000000"},
	{"remote", 7020, "own shared memory expected, address of another CTA: generic atomic of 8 bytes at 0x1000000c0000400, offset 0x400 of rank 0; the thread's own rank is 1"},
}

// TestMbarrierFaults holds each report to its line and its fields.
func TestMbarrierFaults(t *testing.T) {
	for _, c := range mbarrierFaults {
		t.Run(c.kernel, func(t *testing.T) {
			t.Parallel()
			at := lineOf(t, "mbarrierstop", c.kernel, "FAULT")
			_, k := kernel(t, ptxvm.DeviceConfig{Workers: 1}, "mbarrierstop", c.kernel)
			_, err := k.Launch(context.Background(), ptxvm.Launch{Grid: line(2), Block: line(1), Cluster: line(2)})
			var f *ptxvm.Fault
			if !errors.As(err, &f) || int(f.Code) != c.code || f.Msg != c.msg || f.PTX.Line != at {
				t.Errorf("got %v, want P%d at line %d: %s", err, c.code, at, c.msg)
			}
		})
	}
}

// TestMbarrierDeadlock: two clusters, each of whose CTAs wait for ever; the report names the
// object's counts.
func TestMbarrierDeadlock(t *testing.T) {
	onSchedules(t, func(t *testing.T, cfg ptxvm.DeviceConfig) {
		_, k := kernel(t, cfg, "mbarrierstop", "stuck")
		_, err := k.Launch(context.Background(), ptxvm.Launch{Grid: line(4), Block: line(1), Cluster: line(2)})
		var d *ptxvm.DeadlockError
		if !errors.As(err, &d) || !d.Cluster || len(d.Waiters) != 2 {
			t.Fatalf("got %v, want a deadlock with two waiters", err)
		}
		for i, w := range []waiter{
			{0, 1, 0, "WAIT phase", "wait for the mbarrier bar at 0x400, phase 0: 2 of 3 arrivals are missing, and 384 bytes that expect_tx has announced have not come (tx-count 384)"},
			{0, 1, 0, "WAIT cluster", "wait at barrier.cluster, 1 of 2 threads of the cluster have arrived"},
		} {
			if !w.in(d.Waiters[i:i+1], lineOf(t, "mbarrierstop", "stuck", w.mark)) {
				t.Errorf("%s\nwant CTA %d: %s", d.Detail(), i, w.reason)
			}
		}
	})
}
