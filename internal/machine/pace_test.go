package machine

import (
	"testing"
	"time"
)

// TestPlan: what is known of launches of eight clusters, and how the next one begins on at most two workers.
func TestPlan(t *testing.T) {
	const us = time.Microsecond
	for _, c := range []struct {
		name          string
		alone, shared time.Duration // of a launch, 0: unknown
		turns         uint32        // behind the last
		awake         bool
		want          plan
	}{
		{"nothing is known", 0, 0, 20, false, plan{workers: 2}},
		{"brief", 80 * us, 10 * us, 20, false, plan{1, relief}},
		{"brief, as two together took less", 0, 40 * us, 20, false, plan{1, relief}},
		{"two together took more", 0, 41 * us, 20, false, plan{workers: 2}},
		{"not brief", 88 * us, 0, 20, false, plan{workers: 2}},
		{"not brief for workers that are awake", 8 * us, 6 * us, 40, true, plan{workers: 2}},
		{"brief for them, too", 4 * us, 1 * us, 40, true, plan{1, relief}},
		{"sharing is slower", 160 * us, 168 * us, 20, false, plan{1, 320*us + relief}},
		{"it gains too little", 160 * us, 152 * us, 20, false, plan{1, 320*us + relief}},
		{"it gains enough", 160 * us, 144 * us, 20, false, plan{workers: 2}},
		{"once it is tried alone", 160 * us, 80 * us, 7, false, plan{1, 320*us + relief}},
		{"and again", 160 * us, 80 * us, 128 + 7, false, plan{1, 320*us + relief}},
		{"but not for long", 20000 * us, 4000 * us, 7, false, plan{workers: 2}},
		{"shared it is tried", 160 * us, 168 * us, 128 - 1, false, plan{workers: 2}},
		{"four times as the others wake", 160 * us, 168 * us, 128 + 2, false, plan{workers: 2}},
		{"not five times", 160 * us, 168 * us, 128 + 3, false, plan{1, 320*us + relief}},
		{"more often if it is brief", 16 * us, 24 * us, 128 + 11, true, plan{workers: 2}},
	} {
		p := pace{turns: c.turns}
		for range 3 {
			if c.alone != 0 {
				p.learn(c.alone, 8, false, plan{workers: 1})
			}
			if c.shared != 0 {
				p.learn(c.shared, 8, true, plan{workers: 2})
			}
		}
		if have := p.plan(8, 2, c.awake); have != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, have, c.want)
		}
	}
}

// TestPlanMany: a launch wakes only as many workers as have something to do.
func TestPlanMany(t *testing.T) {
	var p pace
	p.learn(100*time.Microsecond, 64, false, plan{workers: 1})
	if have := p.plan(64, 64, false); have.workers != 26 {
		t.Errorf("%d workers for 100µs, want 26, one for each 4µs and one", have.workers)
	}
}

// TestLearn: one slow launch among others is nothing; a launch that was helped is not of one worker.
func TestLearn(t *testing.T) {
	var p pace
	for _, us := range []time.Duration{20, 10, 500, 500} {
		p.learn(us*time.Microsecond, 10, false, plan{workers: 1})
	}
	if have := p.alone.of(20); have != 20*time.Microsecond {
		t.Errorf("twenty clusters: %v, want 20µs, twice the least of the last three launches of ten", have)
	}
	p.learn(500*time.Microsecond, 10, false, plan{workers: 1})
	if have := p.alone.of(10); have != 500*time.Microsecond {
		t.Errorf("%v behind three launches of 500µs", have)
	}
	p.learn(300*time.Microsecond, 10, true, plan{workers: 1})
	if p.alone != (recent{}) || p.shared.of(10) != 300*time.Microsecond {
		t.Errorf("%v alone, %v shared; want nothing and 300µs", p.alone, p.shared.of(10))
	}
}

// TestSeries counts launches that come closely one after the other; what that is follows from those before.
func TestSeries(t *testing.T) {
	const us = time.Microsecond
	var s series
	now := time.Now()
	for i, l := range []struct {
		gap, took time.Duration
		number    int
	}{
		{time.Hour, 0, 0}, {10, 0, 1}, {50 * us, 0, 2}, {50*us + 1, 80 * us, 0}, {75 * us, 0, 1}, {60 * us, time.Second, 0},
		{300 * us, time.Second, 1},   // the last three within 300 µs: the next is expected within 450
		{450 * us, time.Second, 2},   // 675
		{675*us + 1, time.Second, 0}, // late, but of the last three
		{1000 * us, time.Second, 1}, {1000*us + 1, 400 * us, 0},
		{100*us + 1, 400 * us, 0}, {100 * us, 400 * us, 1}, {100 * us, 400 * us, 2}, // a long gap among the last three counts
		{150 * us, 400 * us, 3}, {225*us + 1, 1, 0},
	} {
		now = now.Add(l.gap)
		s.begin(now)
		now = now.Add(l.took)
		if took := s.end(now); s.number != l.number || took != l.took {
			t.Errorf("launch %d is number %d and took %v, want %d, %v", i, s.number, took, l.number, l.took)
		}
	}
}
