package machine

import (
	"sync"
	"testing"

	"ptxvm.invalid/ptxvm/internal/machine/events"
)

// TestSpecials reads registers by row and at run time, in a block of three dimensions.
func TestSpecials(t *testing.T) {
	m := newMachine(t, 2000)
	read := func(name string, comp uint8) Inst {
		s := specialNamed(name)
		return op(lanes(func(w *Warp, in *Inst, i int) { w.R32(in.D)[i] = uint32(w.Special(in, s, comp, i)) }), r(1), 0, 0, 0)
	}
	for _, c := range []struct {
		name string
		comp uint8
		want func(i int) uint32
	}{
		{"%tid", 0, func(i int) uint32 { return uint32(i % 5) }},
		{"%tid", 1, func(i int) uint32 { return uint32(i / 5 % 3) }},
		{"%tid", 2, func(i int) uint32 { return uint32(i / 15) }},
		{"%tid", 3, func(int) uint32 { return 0 }},
		{"%ntid", 1, func(int) uint32 { return 3 }},
		{"%laneid", 0, func(i int) uint32 { return uint32(i % 32) }},
		{"%warpid", 0, func(i int) uint32 { return uint32(i / 32) }},
		{"%ctaid", 1, func(int) uint32 { return 1 }},
		{"%nctaid", 1, func(int) uint32 { return 2 }},
		{"%lanemask_lt", 0, func(i int) uint32 { return 1<<(i%32) - 1 }},
		{"%lanemask_le", 0, func(i int) uint32 { return uint32(uint64(2)<<(i%32) - 1) }},
		{"%lanemask_gt", 0, func(i int) uint32 { return ^uint32(uint64(2)<<(i%32) - 1) }},
		{"%lanemask_ge", 0, func(i int) uint32 { return ^uint32(1<<(i%32) - 1) }},
		{"%total_smem_size", 0, func(int) uint32 { return 256 }},
		{"%nsmid", 0, func(int) uint32 { return 132 }},
	} {
		prog := code(read(c.name, c.comp), op(hOut, 0, r(1), 0, 64), op(hExit, 0, 0, 0, 0))
		m.mustRun(prog, 1, 1, func(l *Launch) {
			l.Grid, l.Block, l.Shared = [3]uint32{1, 2, 1}, [3]uint32{5, 3, 4}, 200
		})
		m.want(60, c.want)
	}
}

// TestClock reads the clock twice around two instructions and a sleep.
func TestClock(t *testing.T) {
	m := newMachine(t, 200)
	clock := specialNamed("%clock")
	read := func(d uint32) Inst {
		return op(lanes(func(w *Warp, in *Inst, i int) { w.R32(in.D)[i] = uint32(w.Special(in, clock, 0, i)) }), d, 0, 0, 0)
	}
	minus := lanes(func(w *Warp, in *Inst, i int) { w.R32(in.D)[i] = w.R32(in.A)[i] - w.R32(in.B)[i] })
	prog := code(
		read(r(1)), op(hNothing, 0, 0, 0, 0), read(r(2)),
		op(hNap, 0, 0, 0, 0), read(r(3)),
		op(minus, r(4), r(2), r(1), 0), op(minus, r(5), r(3), r(1), 0),
		op(hOut, 0, r(4), 0, 64), op(hOut, 0, r(5), 0, 65), op(hExit, 0, 0, 0, 0),
	)
	m.mustRun(prog, 1, 1, nil)
	if m.words[64] != 2 || m.words[65] != 104 {
		t.Errorf("clock advanced by %d and %d, want 2 and 104", m.words[64], m.words[65])
	}
}

// TestDeterminism demands equal statistics and memory of equal seeds with one worker.
func TestDeterminism(t *testing.T) {
	m := newMachine(t, 2000)
	c := code(
		op(hImm, r(1), 0, 0, 1),
		op(hAto, r(2), r(1), 0, 0),
		op(hOut, 0, r(2), 0, 64),
		op(hExit, 0, 0, 0, 0),
	)
	run := func(seed uint64) []uint32 {
		m.mustRun(c, 7, 96, func(l *Launch) { l.Seed = seed })
		return append([]uint32(nil), m.words...)
	}
	differ := false
	for seed := range uint64(5) {
		a, b := run(seed), run(seed)
		for i := range a {
			if a[i] != b[i] {
				t.Fatalf("seed %d: word %d differs", seed, i)
			}
		}
		first := run(0)
		for i := range a {
			differ = differ || a[i] != first[i]
		}
	}
	if !differ {
		t.Error("no seed changed the schedule")
	}
}

func TestShape(t *testing.T) {
	m := newMachine(t, 64)
	c := code(op(hExit, 0, 0, 0, 0))
	for _, block := range [][3]uint32{{0, 1, 1}, {1025, 1, 1}, {32, 33, 1}, {1 << 31, 2, 1}} {
		if _, err := m.launch(c, 1, 1, func(l *Launch) { l.Block = block }); err == nil {
			t.Errorf("block %v was launched", block)
		}
	}
}

type counting struct {
	mu     sync.Mutex
	events []Event
}

func (c *counting) Observe(e *Event) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.events = append(c.events, *e)
}

// TestObserver hears what handlers of observed code tell, and of CTAs.
func TestObserver(t *testing.T) {
	m := newMachine(t, 200)
	c := code(op(hImm, r(1), 0, 0, 1), op(hOut, 0, r(1), 0, 64), op(hExit, 0, 0, 0, 0))
	for i := range c.Split {
		in := &c.Split[i]
		in.Inner = in.Full
		in.Full = func(w *Warp, in *Inst) State {
			w.Observe(in, Event{Lanes: w.Mask})
			return in.Inner(w, in)
		}
		in.Part = in.Full
	}
	var seen counting
	m.mustRun(c, 2, 40, func(l *Launch) { l.Observer, l.Wants = &seen, events.WantsAll })
	const each = 1 + 2*(3+1) + 1 // CTABegin; of two warps three instructions and LanesEnd; CTAEnd
	if len(seen.events) != 2*each {
		t.Fatalf("%d events, want %d", len(seen.events), 2*each)
	}
	if a, b := seen.events[0].What, seen.events[each-1].What; a != events.CTABegin || b != events.CTAEnd {
		t.Errorf("events %v and %v around a CTA", a, b)
	}
	if e := seen.events[6]; e.PC != 1 || e.Lanes != 0xff || e.Warp != 1 || e.Func.Name != "f" {
		t.Errorf("%+v", e)
	}
}
