package machine

import (
	"errors"
	"testing"
)

// TestBarrier lets every warp read behind a barrier what all wrote before it.
func TestBarrier(t *testing.T) {
	m := newMachine(t, 2000)
	one := op(hImm, r(1), 0, 0, 1)
	c := code(
		one,
		op(hAto, r(2), r(1), 0, 0),
		op(hBar, 0, 0, 0, 0),
		op(hGet, r(3), 0, 0, 0),
		op(hOut, 0, r(3), 0, 64),
		op(hExit, 0, 0, 0, 0),
	)
	for _, block := range []uint32{1, 32, 33, 96, 1024} {
		m.mustRun(c, 3, block, func(l *Launch) { l.Grid[0] = 1 })
		m.want(int(block), func(int) uint32 { return block })
	}
}

// TestBarrierReduce counts predicates over 33 threads.
func TestBarrierReduce(t *testing.T) {
	m := newMachine(t, 2000)
	c := code(
		op(hLtI, p(0), tid, 0, 5),
		op(hPopc, r(1), p(0), 0, 0),
		op(hPopc, r(2), p(0), 0, 0),
		op(hAdd, r(1), r(1), r(2), 0),
		op(hOut, 0, r(1), 0, 64),
		op(hExit, 0, 0, 0, 0),
	)
	m.mustRun(c, 1, 33, nil)
	m.want(33, func(int) uint32 { return 10 })
}

// TestProducerConsumer has warp 0 arrive and warp 1 sync at barrier 1 with a count of 64.
func TestProducerConsumer(t *testing.T) {
	m := newMachine(t, 2000)
	c := code(
		op(hLtI, p(0), tid, 0, 32), // 0
		bra(5, 7).when(p(0)),       // 1
		op(hBarC, 0, 1, 0, 64),     // 2: consumer
		op(hGet, r(1), 0, 0, 0),    // 3
		bra(7, 7),                  // 4
		op(hXch, r(1), tid, 0, 0),  // 5: producer: the last lane writes 31
		op(hArrC, 0, 1, 0, 64),     // 6
		op(hOut, 0, r(1), 0, 64),   // 7
		op(hExit, 0, 0, 0, 0),
	)
	m.mustRun(c, 1, 64, nil)
	if got := m.words[64+40]; got != 31 {
		t.Errorf("consumer read %d, want 31", got)
	}
}

// TestBarrierInBothArms lets half a warp wait at one pc and half at another.
func TestBarrierInBothArms(t *testing.T) {
	m := newMachine(t, 2000)
	c := code(
		op(hImm, r(1), 0, 0, 1),
		op(hLtI, p(0), tid, 0, 16),
		bra(6, 8).when(p(0)),
		op(hAto, r(2), r(1), 0, 0),
		op(hBar, 0, 0, 0, 0),
		bra(8, 8),
		op(hAto, r(2), r(1), 0, 0), // 6
		op(hBar, 0, 0, 0, 0),
		op(hGet, r(3), 0, 0, 0), // 8
		op(hOut, 0, r(3), 0, 64),
		op(hExit, 0, 0, 0, 0),
	)
	m.mustRun(c, 1, 32, nil)
	m.want(32, func(int) uint32 { return 32 })
}

// TestExitBeforeSync ends half a warp before a full-mask gather and a barrier.
func TestExitBeforeSync(t *testing.T) {
	m := newMachine(t, 2000)
	c := code(
		op(hImm, r(1), 0, 0, ^uint64(0)),
		op(hLtI, p(0), tid, 0, 16),
		op(hExit, 0, 0, 0, 0).when(p(0)),
		op(hSum, r(2), tid, r(1), 0),
		op(hBar, 0, 0, 0, 0),
		op(hOut, 0, r(2), 0, 64),
		op(hExit, 0, 0, 0, 0),
	)
	m.mustRun(c, 1, 64, nil)
	if got := m.words[64+20]; got != (16+31)*16/2 {
		t.Errorf("sum %d", got)
	}
	if got := m.words[64+40]; got != (32+63)*32/2 {
		t.Errorf("sum of the whole warp %d", got)
	}
}

// TestExitWhileOthersWait ends the lower lanes after the upper ones wait for them.
func TestExitWhileOthersWait(t *testing.T) {
	m := newMachine(t, 2000)
	c := code(
		op(hImm, r(1), 0, 0, ^uint64(0)), // 0
		op(hLtI, p(0), tid, 0, 16),       // 1
		bra(5, -1).when(p(0)),            // 2
		op(hSum, r(2), tid, r(1), 0),     // 3: upper lanes, smaller pc, wait first
		bra(6, -1),                       // 4
		op(hExit, 0, 0, 0, 0),            // 5
		op(hOut, 0, r(2), 0, 64),         // 6
		op(hExit, 0, 0, 0, 0),
	)
	m.mustRun(c, 1, 32, nil)
	if got := m.words[64+20]; got != (16+31)*16/2 {
		t.Errorf("sum %d", got)
	}
}

// TestGatherAcrossPCs sums over lanes that reach the .sync form at two pcs, and over member
// masks that differ by lane in one instruction.
func TestGatherAcrossPCs(t *testing.T) {
	m := newMachine(t, 2000)
	c := code(
		op(hImm, r(1), 0, 0, ^uint64(0)),
		op(hLtI, p(0), tid, 0, 10),
		bra(5, 6).when(p(0)),
		op(hSum, r(2), tid, r(1), 0),
		bra(6, 6),
		op(hSum, r(2), tid, r(1), 0),
		op(hOut, 0, r(2), 0, 64),
		op(hExit, 0, 0, 0, 0),
	)
	m.mustRun(c, 1, 32, nil)
	m.want(32, func(int) uint32 { return 31 * 16 })

	halves := lanes(func(w *Warp, in *Inst, i int) { w.R32(in.D)[i] = 0xffff << (i / 16 * 16) })
	c = code(op(halves, r(1), 0, 0, 0), op(hSum, r(2), tid, r(1), 0), op(hOut, 0, r(2), 0, 64), op(hExit, 0, 0, 0, 0))
	m.mustRun(c, 1, 32, nil)
	m.want(32, func(i int) uint32 { return []uint32{15 * 8, 47 * 8}[i/16] })

	// Lanes 8 to 15 come later; lanes 16 to 31 wait for none.
	c = code(
		op(halves, r(1), 0, 0, 0),
		op(hLtI, p(0), tid, 0, 8),
		op(hAnI, r(4), tid, 0, 24),
		op(hEqI, p(1), r(4), 0, 8),
		bra(6, 7).when(p(1)),
		op(hSum, r(2), tid, r(1), 0),            // 5
		op(hSum, r(2), tid, r(1), 0).when(p(1)), // 6
		op(hOut, 0, r(2), 0, 64),
		op(hExit, 0, 0, 0, 0),
	)
	m.mustRun(c, 1, 32, nil)
	m.want(32, func(i int) uint32 { return []uint32{15 * 8, 47 * 8}[i/16] })
}

// gridSync counts CTAs in word 0 and spins until all are there.
func gridSync(ctas uint64) *Code {
	return code(
		op(hEqI, p(0), tid, 0, 0),     // 0
		bra(7, 7).unless(p(0)),        // 1
		op(hImm, r(1), 0, 0, 1),       // 2
		op(hAto, r(2), r(1), 0, 0),    // 3
		op(hGet, r(2), 0, 0, 0),       // 4
		op(hLtI, p(1), r(2), 0, ctas), // 5
		bra(4, 7).when(p(1)),          // 6
		op(hBar, 0, 0, 0, 0),          // 7
		op(hExit, 0, 0, 0, 0),
	)
}

func TestGridSync(t *testing.T) {
	m := newMachine(t, 2000)
	if s := m.mustRun(gridSync(264), 264, 64, nil); m.words[0] != 264 || s.CTAs != 264 || s.Parked != 263 {
		t.Errorf("%d arrived, %d ended, parked %d times; want 264, 264, 263", m.words[0], s.CTAs, s.Parked)
	}
}

func TestDeadlock(t *testing.T) {
	m := newMachine(t, 2000)
	c := code(
		op(hLtI, p(0), tid, 0, 32),
		op(hBarC, 0, 3, 0, 96).when(p(0)),
		op(hExit, 0, 0, 0, 0),
	)
	_, err := m.launch(c, 1, 64, nil)
	var d *DeadlockError
	if !errors.As(err, &d) {
		t.Fatalf("no deadlock: %v", err)
	}
	if len(d.Waiters) != 1 {
		t.Fatalf("%v", d)
	}
	if v := d.Waiters[0]; v.Barrier != 3 || v.PC != 1 || v.Arrived != 32 || v.Want != 96 || v.Lanes != ^uint32(0) {
		t.Errorf("%+v", v)
	}
	c = code(
		op(hImm, r(1), 0, 0, ^uint64(0)),
		op(hLtI, p(0), tid, 0, 8),
		bra(5, -1).when(p(0)),
		op(hSum, r(2), tid, r(1), 0),
		op(hExit, 0, 0, 0, 0),
		op(hBar, 0, 0, 0, 0),
		op(hExit, 0, 0, 0, 0),
	)
	_, err = m.launch(c, 1, 32, nil)
	if !errors.As(err, &d) || len(d.Waiters) != 2 {
		t.Fatalf("no deadlock: %v", err)
	}
	m.mustRun(gridSync(4), 4, 32, nil) // the core is usable after a deadlock
}

// TestLimits stops an endless loop by steps.
func TestLimits(t *testing.T) {
	m := newMachine(t, 2000)
	for _, quiet := range []Flags{0, QuietLoop} {
		loop := bra(0, 1)
		loop.Flags = quiet
		c := code(loop, op(hExit, 0, 0, 0, 0))
		if _, err := m.launch(c, 4, 64, func(l *Launch) { l.MaxSteps = 5000 }); !errors.Is(err, ErrStepLimit) {
			t.Errorf("step limit: %v", err)
		}
	}
	if _, err := m.launch(code(op(hExit, 0, 0, 0, 0)), 4, 64, func(l *Launch) { l.MaxSteps = 7 }); !errors.Is(err, ErrStepLimit) {
		t.Errorf("limit below the length of the kernel: %v", err)
	}
}

// TestSleep lets lane 0 sleep until lane 1 has written.
func TestSleep(t *testing.T) {
	m := newMachine(t, 2000)
	c := code(
		op(hEqI, p(0), tid, 0, 0),  // 0
		bra(6, 7).unless(p(0)),     // 1
		op(hNap, 0, 0, 0, 0),       // 2
		op(hGet, r(1), 0, 0, 0),    // 3
		op(hEqI, p(1), r(1), 0, 0), // 4
		bra(2, 7).when(p(1)),       // 5 (falls to 6: lane 0 writes as well)
		op(hXch, r(2), tid, 0, 0),  // 6
		op(hOut, 0, r(1), 0, 64),   // 7
		op(hExit, 0, 0, 0, 0),
	)
	m.mustRun(c, 1, 32, nil)
	if m.words[64] != 31 {
		t.Errorf("lane 0 read %d", m.words[64])
	}
}
