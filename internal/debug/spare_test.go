package debug_test

import (
	"testing"

	"ptxvm.invalid/ptxvm/internal/debug"
	"ptxvm.invalid/ptxvm/internal/testkit/stepping"
	"ptxvm.invalid/ptxvm/internal/vm"
)

// TestSpare goes back near the end of a launch that is long enough for a spare run: the states are those of a session without one.
func TestSpare(t *testing.T) {
	shape := vm.Launch{Block: vm.Dim3{X: 32}}
	s := stepping.Open(t, stepping.Target(t, long, "long", shape, 1024))
	fresh := stepping.Open(t, stepping.Target(t, long, "long", shape, 1024))
	at := uint64(300_000)
	for _, back := range []uint64{0, 1, 2, 1, 1000, 20_000, 60_000, 100_000} {
		at -= back
		if _, err := s.Goto(at); err != nil || s.Moment() != at {
			t.Fatal(s.Moment(), err)
		}
		if _, err := s.ReverseStepInstruction(false); err != nil {
			t.Fatal(err)
		}
		at--
		if _, err := fresh.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := fresh.Goto(at); err != nil {
			t.Fatal(err)
		}
		if have, want := hash(t, s), hash(t, fresh); have != want || s.Moment() != at {
			t.Errorf("moment %d, backwards %d, is %s, forwards %s", at, s.Moment(), have, want)
		}
	}
	if _, err := s.Restart(5); err != nil {
		t.Fatal(err)
	}
	if stop, err := s.Goto(at); err != nil || stop.Why != debug.Stepped {
		t.Error(stop, err)
	}
}
