package host

import (
	"runtime"
	"testing"
	"time"

	"ptxvm.invalid/ptxvm/internal/machine"
)

// helped is a launch of a kernel that adds 1 to word 0 in each CTA, which a helper works on.
func helped(t *testing.T, ctas uint32) (*testMachine, *crew, *grid) {
	t.Helper()
	m := newMachine(t, 200)
	c := code(op(hImm, r(1), 0, 1), op(hAto, r(2), r(1), 0), exit)
	g, err := new(crew).newGrid(launchOf(c, ctas, 1, 2))
	if err != nil {
		t.Fatal(err)
	}
	crew, err := m.hire(2)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.dismiss(crew) })
	g.sched.share(make([]part, 2), 0)
	return m, crew, g
}

// reaches waits until a helper is in a state.
func (h *helper) reaches(t *testing.T, state uint32) {
	t.Helper()
	for began := time.Now(); h.state.Load() != state; runtime.Gosched() {
		if time.Since(began) > 10*time.Second {
			t.Fatalf("state %d, want %d", h.state.Load(), state)
		}
	}
}

// TestHelper calls a helper that runs all of a launch, awake or asleep when it is called and the caller awake or
// asleep when it ends.
func TestHelper(t *testing.T) {
	for _, lookout := range []time.Duration{0, leastLookout} {
		for _, awake := range []bool{false, true} {
			m, crew, g := helped(t, 100)
			h := crew.helpers[0]
			for i := range uint32(20) {
				g.sched = schedule{total: 100, room: 100}
				g.sched.share(make([]part, 2), 0)
				h.call(g, lookout)
				for h.state.Load() == called {
					runtime.Gosched()
				}
				until := time.Now()
				if awake {
					until = until.Add(time.Second)
				}
				h.wait(until)
				if m.words[0] != 100*(i+1) {
					t.Fatalf("lookout %v, awake %v: %d CTAs, want %d", lookout, awake, m.words[0], 100*(i+1))
				}
				if s := h.state.Load(); s != away && (s != ready || lookout == 0) {
					t.Fatalf("lookout %v: state %d behind a launch", lookout, s)
				}
			}
			h.reaches(t, away)
		}
	}
}

// TestHelperCalledBack: a helper that has not begun when everything is done does not begin, is what it was before, and
// comes when it is called again.
func TestHelperCalledBack(t *testing.T) {
	m, crew, g := helped(t, 1)
	h := crew.helpers[0]
	for _, before := range []uint32{away, ready} {
		h.state.Store(before)
		h.coming.Store(true) // no goroutine starts
		h.call(g, 0)
		h.wait(awakeUntil(time.Now()))
		if h.state.Load() != before || m.words[0] != 0 {
			t.Fatalf("state %d, %d CTAs; want %d and none", h.state.Load(), m.words[0], before)
		}
	}
	h.lookout.Store(int64(leastLookout))
	h.state.Store(away)
	began := time.Now()
	if h.run(); h.state.Load() != away || time.Since(began) < leastLookout { // it comes between two launches
		t.Errorf("looked out for %v, state %d", time.Since(began), h.state.Load())
	}
	h.call(g, 0)
	h.reaches(t, away)
	h.wait(awakeUntil(time.Now()))
	if m.words[0] != 1 {
		t.Errorf("%d CTAs, want 1", m.words[0])
	}
}

// TestHelperEnds: a helper whose goroutine ends while it works wakes its caller.
func TestHelperEnds(t *testing.T) {
	_, crew, g := helped(t, 1)
	g.Entry = code(op(func(*machine.Warp, *machine.Inst) machine.State {
		time.Sleep(time.Millisecond)
		runtime.Goexit()
		return machine.Next
	}, 0, 0, 0), exit)
	h := crew.helpers[0]
	h.call(g, leastLookout)
	for h.state.Load() == called {
		runtime.Gosched()
	}
	h.wait(awakeUntil(time.Now()))
	if s := h.state.Load(); s != away {
		t.Errorf("state %d, want away", s)
	}
}

// TestAwakeUntil: a caller waits awake for 20 µs, or longer when it has worked long.
func TestAwakeUntil(t *testing.T) {
	if !spinning() {
		t.Skip("one processor")
	}
	const us = time.Microsecond
	for _, c := range []struct{ worked, least, most time.Duration }{
		{0, 20 * us, 40 * us}, {40 * us, 20 * us, 40 * us}, {400 * us, 100 * us, 120 * us}, {time.Second, time.Millisecond, time.Millisecond},
	} {
		patient := false
		for try := 0; try < 100 && !patient; try++ { // others may have the processor in between
			now := time.Now()
			wait := awakeUntil(now.Add(-c.worked)).Sub(now)
			if wait < c.least {
				t.Fatalf("behind %v it waits for %v", c.worked, wait)
			}
			patient = wait-time.Since(now) <= c.most
		}
		if !patient {
			t.Errorf("behind %v it waits for longer than %v", c.worked, c.most)
		}
	}
}

// TestMoveFrom: a thread that moves is on another processor, and may go back.
func TestMoveFrom(t *testing.T) {
	if processor() < 0 || runtime.NumCPU() < 2 {
		t.Skip("one processor, or it is not known which")
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	seen, moved := map[int32]bool{}, false
	for try := 0; try < 200 && (!moved || len(seen) < 2); try++ {
		from := processor()
		moveFrom(from)
		to := processor()
		moved = moved || from != to
		seen[from], seen[to] = true, true
	}
	if !moved || len(seen) < 2 {
		t.Errorf("never moved; was on %v", seen)
	}
}
