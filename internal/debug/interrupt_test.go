package debug_test

import (
	"testing"
	"time"

	"ptxvm.invalid/ptxvm/internal/debug"
	"ptxvm.invalid/ptxvm/internal/testkit/stepping"
	"ptxvm.invalid/ptxvm/internal/vm"
)

// endless is a kernel that never ends by itself.
const endless = `.version 8.0
.target sm_90
.address_size 64
.visible .entry endless(.param .u64 out) {
	.reg .u64 %p;
	.reg .u32 %i;
	ld.param.u64 %p, [out];
	mov.u32 %i, 0;
LOOP:
	add.u32 %i, %i, 1;
	bra LOOP;
}
`

// TestInterrupt stops a launch that runs for ever, which can then be looked at and gone back in; and a search through it.
func TestInterrupt(t *testing.T) {
	s := stepping.Open(t, stepping.Target(t, endless, "endless", vm.Launch{Block: vm.Dim3{X: 64}}, 256))
	for range 3 {
		over := make(chan bool)
		go func() { // until it has stopped: an interrupt between two runs is lost
			for {
				select {
				case <-over:
					return
				case <-time.After(time.Millisecond):
					s.Interrupt()
				}
			}
		}()
		stop, err := s.Continue()
		close(over)
		if err != nil || stop.Why != debug.Interrupted {
			t.Fatalf("stopped for %+v, %v", stop, err)
		}
	}
	at := s.Moment()
	if have := eval(t, s, "%i"); have == "0" {
		t.Errorf("%%i is %s at moment %d", have, at)
	}
	there := hash(t, s)
	if _, err := s.Goto(at / 2); err != nil || s.Moment() != at/2 {
		t.Fatal(s.Moment(), err)
	}
	if _, err := s.Goto(at); err != nil || hash(t, s) != there {
		t.Errorf("moment %d is another state when it is reached again (%v)", at, err)
	}
}

// TestConditions holds breakpoints to their threads, conditions and counts.
func TestConditions(t *testing.T) {
	s := stepping.Open(t, stepping.Target(t, stepping.Kernels, "k", vm.Launch{Grid: vm.Dim3{X: 2}, Block: vm.Dim3{X: 64}}, 256))
	cond, err := debug.ParseExpr("%i == 2")
	if err != nil {
		t.Fatal(err)
	}
	b := &debug.Breakpoint{Location: "LOOP", Condition: cond, Thread: &debug.Threads{Block: [3]uint32{1}, Thread: [3]uint32{37}}, Ignore: 0}
	if err := s.Break(b); err != nil {
		t.Fatal(err)
	}
	stop, err := s.Continue()
	if err != nil || stop.Why != debug.AtBreak || stop.Break != b {
		t.Fatal(stop, err)
	}
	if f := s.Focus(); f != (debug.Focus{CTA: [3]uint32{1}, Warp: 1, Lane: 5}) || eval(t, s, "%i") != "2" {
		t.Errorf("stopped at %+v with %%i = %s", f, eval(t, s, "%i"))
	}
	if stop, err = s.Continue(); err != nil || stop.Why != debug.Finished || b.Hits != 1 {
		t.Errorf("%+v, %v, %d hits", stop, err, b.Hits)
	}
	b.Condition, b.Thread, b.Ignore, b.Hits = nil, nil, 15, 0
	if _, err := s.Start(); err != nil {
		t.Fatal(err)
	}
	if stop, err = s.Continue(); err != nil || stop.Why != debug.AtBreak || s.Focus().CTA[0] != 1 || b.Hits != 16 {
		t.Errorf("behind 15 of 16 crossings: %+v, %v, %d hits, %+v", stop, err, b.Hits, s.Focus())
	}
}

// TestModes steps by lane, by warp and by block.
func TestModes(t *testing.T) {
	for _, c := range []struct {
		mode  debug.Mode
		steps int
		lines string
	}{{debug.ByLane, 9, "16 17 18 19 20 21 22 23 28"}, {debug.ByWarp, 11, "16 17 18 19 20 21 22 23 25 26 28"}, {debug.ByBlock, 2, "38 38"}} {
		s := stepping.Open(t, stepping.Target(t, stepping.Kernels, "k", vm.Launch{Block: vm.Dim3{X: 64}}, 256))
		s.Mode = c.mode
		lines := ""
		for range c.steps {
			if _, err := s.StepInstruction(false); err != nil {
				t.Fatal(err)
			}
			l, err := s.Here()
			if err != nil {
				t.Fatal(err)
			}
			lines += " " + itoa(l.PTX.Line)
		}
		if lines[1:] != c.lines {
			t.Errorf("mode %d goes through lines%s, want %s", c.mode, lines, c.lines)
		}
	}
}
