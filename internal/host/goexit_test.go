package host

import (
	"context"
	"errors"
	"runtime"
	"sync/atomic"
	"testing"

	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/mem"
)

// TestGoexit: a launch whose caller's goroutine is ended lets others be launched, and the device be closed; one whose
// helper's is ended says that it is incomplete.
func TestGoexit(t *testing.T) {
	arena, err := mem.NewArena(1 << 20)
	if err != nil {
		t.Fatal(err)
	}
	d := NewDevice(arena, 2)
	launch := func(c *machine.Code) (s machine.Stats, err error, returned bool) {
		done := make(chan bool)
		go func() {
			defer close(done)
			s, err = d.Launch(context.Background(), launchOf(c, 4, 1, 2))
			returned = true
		}()
		<-done
		return s, err, returned
	}
	ends := code(op(func(*machine.Warp, *machine.Inst) machine.State { runtime.Goexit(); return machine.Next }, 0, 0, 0), exit)
	if _, _, returned := launch(ends); returned {
		t.Error("a launch whose goroutine has been ended has returned")
	}
	var ended atomic.Bool
	ofHelper := code(op(func(w *machine.Warp, _ *machine.Inst) machine.State {
		if w.Rank() >= 2 && !ended.Swap(true) { // the helper's part, while the caller waits in the first CTA
			runtime.Goexit()
		}
		for !ended.Load() {
			runtime.Gosched()
		}
		return machine.Next
	}, 0, 0, 0), exit)
	if _, err, returned := launch(ofHelper); !returned || !errors.Is(err, ErrGoexit) {
		t.Errorf("returned %v: %v, want %v", returned, err, ErrGoexit)
	}
	if s, err, returned := launch(code(exit)); !returned || err != nil || s.CTAs != 4 || s.Steps != 4 {
		t.Errorf("the next launch: returned %v, %v, %d CTAs, %d steps; want 4 and 4", returned, err, s.CTAs, s.Steps)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}
