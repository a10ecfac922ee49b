package debug_test

import (
	"testing"

	"ptxvm.invalid/ptxvm/internal/debug"
	"ptxvm.invalid/ptxvm/internal/testkit/stepping"
	"ptxvm.invalid/ptxvm/internal/vm"
)

// watched opens a launch that stands at an instruction of which each of two warps changes a watched value.
func watched(t *testing.T, src string, sanitize string, at, what string) (*debug.Session, *debug.Breakpoint) {
	t.Helper()
	s := stepping.Open(t, stepping.Checked(t, src, "k", vm.Launch{Block: vm.Dim3{X: 64}}, 256, sanitize))
	b := &debug.Breakpoint{Location: at}
	if err := s.Break(b); err != nil {
		t.Fatal(err)
	}
	if stop, err := s.Continue(); err != nil || stop.Why != debug.AtBreak {
		t.Fatal(stop, err)
	}
	e, err := debug.ParseExpr(what)
	if err != nil {
		t.Fatal(err)
	}
	w := &debug.Breakpoint{}
	if err := s.Watch(w, e, debug.OnChange); err != nil {
		t.Fatal(err)
	}
	return s, b
}

// TestInterruptBehindChange interrupts the launch at the moment at which a watched value has changed: the change is told.
func TestInterruptBehindChange(t *testing.T) {
	s, b := watched(t, stepping.Kernels, "", "k.ptx:37", "s[0]")
	b.Disabled = true
	if err := s.Enable(true); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Goto(s.Moment() - 1); err != nil { // so that the launch comes to the breakpoint once more
		t.Fatal(err)
	}
	s.Front.Met = func(m *debug.Breakpoint, _ *debug.Scope) bool {
		if m == b {
			s.Interrupt()
		}
		return m != b
	}
	stop, err := s.Continue()
	if err != nil || stop.Why != debug.AtWatch || stop.Old != "0" || stop.New != "2" {
		t.Fatalf("stopped for %+v, %v", stop, err)
	}
	if stop, err = s.Continue(); err != nil || stop.Why != debug.Interrupted {
		t.Fatalf("the other warp: stopped for %+v, %v", stop, err)
	}
}

const racing = `.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out) {
	.reg .u32 %t;
	.shared .u32 s;
	mov.u32 %t, %tid.x;
	st.shared.u32 [s], %t;
	ret;
}
`

// TestReportBehindChange stops for a report, and then, at the same moment, for the change that the reported store has made.
func TestReportBehindChange(t *testing.T) {
	s, b := watched(t, racing, "race", "k.ptx:8", "s")
	if err := s.Delete(b.Number); err != nil {
		t.Fatal(err)
	}
	var whys []debug.Why
	var moments []uint64
	for s.Running() {
		stop, err := s.Continue()
		if err != nil {
			t.Fatal(err)
		}
		whys, moments = append(whys, stop.Why), append(moments, s.Moment())
	}
	for i, why := range whys {
		if why == debug.Reports && i+1 < len(whys) && whys[i+1] == debug.AtWatch && moments[i+1] == moments[i] {
			return
		}
	}
	t.Errorf("stopped for %v at %v: no change is told behind a report at its moment", whys, moments)
}

// TestParting stops where lanes part, forwards and backwards, and nowhere else.
func TestParting(t *testing.T) {
	s := stepping.Open(t, stepping.Target(t, stepping.Kernels, "k", vm.Launch{Block: vm.Dim3{X: 64}}, 256))
	b := &debug.Breakpoint{}
	s.CatchParting(b)
	var moments []uint64
	for {
		stop, err := s.Continue()
		if err != nil {
			t.Fatal(err)
		}
		if stop.Why == debug.Finished {
			break
		}
		if stop.Why != debug.Parted || stop.Parting.Lanes&stop.Parting.Others != 0 || stop.Parting.Lanes|stop.Parting.Others != ^uint32(0) || stop.By.Text != "@%odd bra ODD;" {
			t.Fatalf("stopped for %+v", stop)
		}
		moments = append(moments, s.Moment())
	}
	if len(moments) != 2 || b.Hits != 2 {
		t.Fatalf("two warps part at moments %d, %d hits", moments, b.Hits)
	}
	for i := 1; i >= 0; i-- {
		if stop, err := s.ReverseContinue(); err != nil || stop.Why != debug.Parted || s.Moment() != moments[i] {
			t.Errorf("back at moment %d for %+v, %v; want %d", s.Moment(), stop, err, moments[i])
		}
	}
}
