package forms

import (
	"strings"
	"testing"
	"time"

	"ptxvm.invalid/ptxvm"
)

func TestProgressText(t *testing.T) {
	for _, c := range []struct {
		p    ptxvm.Progress
		want string
	}{
		{ptxvm.Progress{CTAs: 40, CTAsDone: 10, LaneOps: 3e9, Elapsed: 3 * time.Second},
			"━━━━━───────────────  CTAs 10 / 40  1.00 Glane-ops/s  3s, 9s to go"},
		{ptxvm.Progress{CTAs: 1, LaneOps: 5e6, Elapsed: 2500 * time.Millisecond}, // one CTA: no estimate
			"────────────────────  CTAs 0 / 1  2.00 Mlane-ops/s  2s"},
		{ptxvm.Progress{CTAs: 4, CTAsDone: 4, LaneOps: 4000, Elapsed: time.Second},
			"━━━━━━━━━━━━━━━━━━━━  CTAs 4 / 4  4.00 klane-ops/s  1s, 0s to go"},
	} {
		if got := progressText(c.p); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}

// TestProgressLine: a shorter line leaves nothing of a longer one, a terminal's last column stays free, and at the end
// nothing stands there.
func TestProgressLine(t *testing.T) {
	var out strings.Builder
	p := &Progress{To: &out, Width: func() int { return 14 }}
	p.Done()
	p.draw("a longer line")
	p.draw("short")
	p.Done()
	p.Done()
	if want := "\ra longer li\rshort      \r       \r"; out.String() != want { // two more for the ^C of a terminal
		t.Errorf("got %q, want %q", out.String(), want)
	}
	nothing := &Progress{}
	nothing.Done()
	if nothing.Report() != nil {
		t.Error("launches report although nothing is shown")
	}
}

// TestProgressBeside: what the kernel prints takes the place of the line, which waits for the end of the kernel's; behind
// the end of a run nothing is drawn.
func TestProgressBeside(t *testing.T) {
	var out strings.Builder
	p := &Progress{To: &out, Width: func() int { return 80 }}
	kernel := p.Beside(&out)
	p.draw("one")
	for _, text := range []string{"hel", "", "lo\n"} {
		if _, err := kernel.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
		p.draw("two")
	}
	p.End()
	p.draw("three")
	if want := "\rone\r     \rhello\n\rtwo\r     \r"; out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
}
