package machine

import (
	"context"
	"errors"
	"runtime"
	"testing"

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
	exit := op(hExit, 0, 0, 0, 0)
	launch := func(c *Code) (s Stats, err error, returned bool) {
		done := make(chan bool)
		go func() {
			defer close(done)
			s, err = d.Launch(context.Background(), &Launch{
				Entry: c, Grid: [3]uint32{4, 1, 1}, Block: [3]uint32{1, 1, 1}, Cluster: [3]uint32{1, 1, 1}, Target: TargetOf(90),
			})
			returned = true
		}()
		<-done
		return s, err, returned
	}
	ends := code(op(func(*Warp, *Inst) State { runtime.Goexit(); return Next }, 0, 0, 0, 0), exit)
	if _, _, returned := launch(ends); returned {
		t.Error("a launch whose goroutine has been ended has returned")
	}
	ofHelper := code(op(func(w *Warp, _ *Inst) State {
		if w.wk == w.cta.grid.helpers.list[0].worker {
			runtime.Goexit()
		}
		for !w.cta.grid.stopped.Load() {
			runtime.Gosched() // until the helper has ended
		}
		return Next
	}, 0, 0, 0, 0), exit)
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
