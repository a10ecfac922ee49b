package host

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/faults"
	"ptxvm.invalid/ptxvm/internal/mem"
)

// TestConcurrentLaunches runs launches at the same time, on crews of their own.
func TestConcurrentLaunches(t *testing.T) {
	m := newMachine(t, 2000)
	one := op(hImm, r(1), 0, 1)
	c := code(one, op(hAto, r(2), r(1), 0), op(hBar, 0, 0, 0), exit)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 20 {
				l := launchOf(c, 5, 48, 2)
				l.Params = make([]byte, 16)
				if _, err := m.Launch(context.Background(), l); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if got := m.words[0]; got != 4*20*5*48 {
		t.Errorf("%d threads ran, want %d", got, 4*20*5*48)
	}
}

func TestClosed(t *testing.T) {
	a, err := mem.NewArena(1 << 20)
	if err != nil {
		t.Fatal(err)
	}
	d := NewDevice(a, 2)
	if err := errors.Join(d.Close(), d.Close()); err != nil {
		t.Error(err)
	}
	_, err = d.Launch(context.Background(), launchOf(code(exit), 1, 1, 0))
	if !errors.Is(err, ErrClosed) {
		t.Errorf("launch on a closed device: %v", err)
	}
}

// TestPanic: a defect in a handler, of a wild access, or in the compiler ends the launch with an error, and nothing else.
func TestPanic(t *testing.T) {
	m := newMachine(t, 64)
	panics := op(func(*machine.Warp, *machine.Inst) machine.State { panic("BUG: test") }, 0, 0, 0)
	var nothing *[32]uint32
	wild := op(func(*machine.Warp, *machine.Inst) machine.State { nothing[5]++; return machine.Next }, 0, 0, 0)
	compiled := code(exit)
	compiled.Insts = compiled.Split
	for name, x := range map[string]struct {
		code    *machine.Code
		compile Compiler
		what    string
	}{
		"a handler":     {code(panics, exit), nil, "BUG: test"},
		"a wild access": {code(wild, exit), nil, "nil pointer"},
		"the compiler":  {compiled, func(*machine.Code, func() bool) { panic("BUG: test") }, "BUG: test"},
	} {
		for _, workers := range []int{1, 2} {
			_, err := m.launch(x.code, 4, 32, func(l *Launch) { l.Workers, l.Compile = workers, x.compile })
			var d *faults.Defect
			if !errors.As(err, &d) || !strings.Contains(d.What, x.what) || !strings.Contains(d.Stack, "goroutine") {
				t.Errorf("%s, %d workers: %v, want a defect with %q", name, workers, err, x.what)
			}
		}
	}
	if s, err := m.launch(code(exit), 4, 32, func(l *Launch) { l.Workers = 2 }); err != nil || s.CTAs != 4 {
		t.Errorf("the next launch: %v, %d CTAs of 4", err, s.CTAs)
	}
}

func TestOutput(t *testing.T) {
	var b bytes.Buffer
	o := NewOutput(&b, 5)
	if !o.Print([]byte("abc")) || o.Print([]byte("def")) {
		t.Error("the limit is 5 bytes")
	}
	if err := o.Close(); err != nil {
		t.Error(err)
	}
	if b.String() != "abcde" {
		t.Errorf("wrote %q", b.String())
	}
}

// TestProgress stops the last of four CTAs until a report has counted the work of three.
func TestProgress(t *testing.T) {
	m := newMachine(t, 200)
	reports, once := make(chan machine.Progress), sync.Once{}
	wait := func(w *machine.Warp, in *machine.Inst) machine.State {
		if w.Rank() == 3 {
			<-reports
		}
		return machine.Next
	}
	prog := code(op(wait, 0, 0, 0), exit)
	var seen machine.Progress
	m.mustRun(prog, 4, 32, func(l *Launch) {
		l.Progress = func(p machine.Progress) {
			if p.Done == 3 {
				once.Do(func() { seen = p; close(reports) })
			}
		}
	})
	if want := (machine.Progress{Done: 3, CTAs: 4, LaneOps: 3 * 2 * 32}); seen != want {
		t.Errorf("reported %+v, want %+v", seen, want)
	}
}

// TestLimits stops an endless loop on two workers by time and by cancellation.
func TestLimits(t *testing.T) {
	m := newMachine(t, 2000)
	for _, quiet := range []machine.Flags{0, machine.QuietLoop} {
		loop := bra(0, 1)
		loop.Flags, loop.Guard = quiet, machine.NoGuard
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
		_, err := m.Launch(ctx, launchOf(code(loop, exit), 4, 64, 2))
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("time limit: %v", err)
		}
	}
}

// TestGridSync: CTAs that spin until all are there, on any number of workers.
func TestGridSync(t *testing.T) {
	const ctas = 264
	m := newMachine(t, 64)
	c := code(
		op(hImm, r(1), 0, 1),
		op(hAto, r(2), r(1), 0),
		op(hGet, r(2), 0, 0), // 2
		op(hLtI, 0, r(2), ctas),
		bra(2, 5),
		exit,
	)
	for _, workers := range []int{1, 2, 4} {
		s := m.mustRun(c, ctas, 1, func(l *Launch) { l.Workers = workers })
		if m.words[0] != ctas || s.CTAs != ctas {
			t.Errorf("%d workers: %d arrived, %d ended", workers, m.words[0], s.CTAs)
		}
		if workers == 1 && s.Parked != ctas-1 {
			t.Errorf("parked %d times, want %d", s.Parked, ctas-1)
		}
	}
}

// BenchmarkEmptyLaunch is a launch of one warp that exits, from call to return.
func BenchmarkEmptyLaunch(b *testing.B) {
	m := newMachine(b, 64)
	c := code(exit)
	b.ReportAllocs()
	for b.Loop() {
		m.mustRun(c, 1, 32, nil)
	}
}
