package machine

import (
	"context"
	"errors"
	"testing"
)

// TestLaunchAgain runs launches of different shapes in the memory of the ones before, and none in that of a launch which
// others may still know: the end of a context comes by itself.
func TestLaunchAgain(t *testing.T) {
	m := newMachine(t, 2000)
	grid := specialNamed("%nctaid")
	read := op(lanes(func(w *Warp, in *Inst, i int) { w.R32(in.D)[i] = uint32(w.Special(in, grid, 0, i)) }), r(1), 0, 0, 0)
	prog := code(read, op(hOut, 0, r(1), 0, 64), op(hExit, 0, 0, 0, 0))
	spare := func() *Grid { return m.ready.Load().spare }
	for _, n := range []uint32{1, 7, 2} {
		before := uint64(0)
		if n != 1 {
			before = spare().number
		}
		if s := m.mustRun(prog, n, 32, nil); s.CTAs != uint64(n) || spare() == nil || n != 1 && spare().number != before+1 {
			t.Errorf("%d CTAs ran as %d; kept: %v", n, s.CTAs, spare() != nil)
		}
		m.want(32, func(int) uint32 { return n })
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	l := &Launch{Entry: prog, Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{1, 1, 1}, Cluster: [3]uint32{1, 1, 1}, Target: TargetOf(90), Workers: 1}
	if _, err := m.Launch(ctx, l); err != nil || spare() != nil {
		t.Errorf("with a context that may end: %v; kept: %v", err, spare() != nil)
	}
	m.mustRun(prog, 1, 32, nil)
	if _, err := m.launch(prog, 1, 32, func(l *Launch) { l.MaxSteps = 1 }); !errors.Is(err, ErrStepLimit) || spare() != nil {
		t.Errorf("beyond the limit: %v; kept: %v", err, spare() != nil)
	}
	m.mustRun(prog, 3, 32, nil)
	m.want(32, func(int) uint32 { return 3 })
}
