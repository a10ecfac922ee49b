package host

import (
	"context"
	"errors"
	"testing"

	"ptxvm.invalid/ptxvm/internal/machine"
)

// TestLaunchAgain runs launches of different shapes in the memory of the ones before, and none in that of a launch which
// others may still know: the end of a context comes by itself.
func TestLaunchAgain(t *testing.T) {
	m := newMachine(t, 2000)
	nctaid := special("%nctaid")
	read := op(lanes(func(w *machine.Warp, in *machine.Inst, i int) { w.R32(in.D)[i] = uint32(w.Special(in, nctaid, 0, i)) }), r(1), 0, 0)
	prog := code(read, op(hOut, 0, r(1), 64), exit)
	spare := func() *grid { return m.ready.Load().spare }
	wants := func(n uint32) {
		t.Helper()
		for i, got := range m.words[64:96] {
			if got != n {
				t.Fatalf("thread %d read %d CTAs, want %d", i, got, n)
			}
		}
	}
	for _, n := range []uint32{1, 7, 2} {
		before := uint64(0)
		if n != 1 {
			before = spare().Number()
		}
		if s := m.mustRun(prog, n, 32, nil); s.CTAs != uint64(n) || spare() == nil || n != 1 && spare().Number() != before+1 {
			t.Errorf("%d CTAs ran as %d; kept: %v", n, s.CTAs, spare() != nil)
		}
		wants(n)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	l := launchOf(prog, 1, 1, 1)
	if _, err := m.Launch(ctx, l); err != nil || spare() != nil {
		t.Errorf("with a context that may end: %v; kept: %v", err, spare() != nil)
	}
	m.mustRun(prog, 1, 32, nil)
	if _, err := m.launch(prog, 1, 32, func(l *Launch) { l.MaxSteps = 1 }); !errors.Is(err, machine.ErrStepLimit) || spare() != nil {
		t.Errorf("beyond the limit: %v; kept: %v", err, spare() != nil)
	}
	m.mustRun(prog, 3, 32, nil)
	wants(3)
}
