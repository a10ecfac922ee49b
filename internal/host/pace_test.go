package host

import (
	"testing"
	"time"
)

// known is a pace behind three launches of eight clusters in each way, 0 for none.
func known(alone, shared time.Duration) (p pace) {
	for range 3 {
		if alone != 0 {
			p.learn(alone, 8, false, plan{workers: 1})
		}
		if shared != 0 {
			p.learn(shared, 8, true, plan{workers: 2})
		}
	}
	return p
}

// TestPlan: what is known of launches of eight clusters, and how the next one begins on at most two workers.
func TestPlan(t *testing.T) {
	const us = time.Microsecond
	for _, c := range []struct {
		name          string
		alone, shared time.Duration // of a launch, 0: unknown
		awake         bool
		want          plan
	}{
		{"nothing is known", 0, 0, false, plan{workers: 2}},
		{"brief", 80 * us, 10 * us, false, plan{1, relief}},
		{"brief, as two together took less", 0, 40 * us, false, plan{1, relief}},
		{"two together took more", 0, 41 * us, false, plan{workers: 2}},
		{"not brief", 88 * us, 0, false, plan{workers: 2}},
		{"not brief for workers that are awake", 8 * us, 6 * us, true, plan{workers: 2}},
		{"brief for them, too", 4 * us, 1 * us, true, plan{1, relief}},
		{"sharing is slower", 160 * us, 168 * us, false, plan{1, 320*us + relief}},
		{"it gains too little", 160 * us, 152 * us, false, plan{1, 320*us + relief}},
		{"it gains enough", 160 * us, 144 * us, false, plan{workers: 2}},
	} {
		p := known(c.alone, c.shared)
		if have := p.plan(8, 2, c.awake); have != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, have, c.want)
		}
	}
}

// TestPiece: the clusters that a worker takes at once are 4 µs of work, so it takes its part of a launch of 8 µs as a whole.
func TestPiece(t *testing.T) {
	const us = time.Microsecond
	for _, c := range []struct {
		alone, shared time.Duration // of eight clusters
		want          uint64
	}{{0, 0, 1}, {8 * us, 0, 4}, {0, 4 * us, 4}, {16 * us, 4 * us, 2}, {32 * us, 0, 1}, {33 * us, 0, 0}} {
		p := known(c.alone, c.shared)
		if have := p.piece(8, 2); have != c.want {
			t.Errorf("%v alone, %v shared: %d clusters at once, want %d", c.alone, c.shared, have, c.want)
		}
	}
}

// TestTries: which launches are done in the other way, behind four in the better one, then eight and so on, at last each 128.
func TestTries(t *testing.T) {
	const us = time.Microsecond
	for _, c := range []struct {
		name          string
		alone, shared time.Duration
		tries         int // at a time
	}{
		{"alone it is tried once", 160 * us, 80 * us, 1},
		{"but not what takes long", 20000 * us, 4000 * us, 0},
		{"shared it is tried four times as the others wake", 160 * us, 168 * us, 4},
		{"more often if it is brief", 16 * us, 24 * us, 13},
	} {
		p := known(c.alone, c.shared)
		better := 1
		if c.shared < c.alone {
			better = 2
		}
		for every := often; every <= 4*seldom; every *= 2 {
			for i := range min(every, seldom) {
				if p.plan(8, 2, true).workers != better {
					t.Fatalf("%s: tried behind %d launches, want %d", c.name, i, every)
				}
			}
			for i := range c.tries {
				if p.plan(8, 2, true).workers == better {
					t.Fatalf("%s: %d tries behind %d launches, want %d", c.name, i, every, c.tries)
				}
			}
		}
	}
}

// TestHopeless: what follows from a sixth launch of eight clusters that was shared, behind four in the better way and one more.
func TestHopeless(t *testing.T) {
	const us = time.Microsecond
	for _, c := range []struct {
		name          string
		alone, shared time.Duration
		took          time.Duration
		tries         bool // the next one is in the other way
	}{
		{"it may be that others woke", 160 * us, 200 * us, 320 * us, true},
		{"it took longer", 160 * us, 200 * us, 321 * us, false},
		{"a quarter of what takes long may be chance", 4000 * us, 4100 * us, 5000 * us, true},
		{"no more", 4000 * us, 4100 * us, 5001 * us, false},
		{"sharing is better: no try", 160 * us, 80 * us, 5000 * us, true},
	} {
		p := known(c.alone, c.shared)
		for range often {
			p.plan(8, 2, false)
		}
		better := 2
		if !p.shares {
			better = 1
			for i := range 2 {
				if p.plan(8, 2, false).workers != 2 {
					t.Errorf("%s: launch %d behind four is not shared", c.name, i)
				}
				if i == 0 {
					p.learn(time.Second, 8, true, plan{workers: 2})
				}
			}
		}
		p.learn(c.took, 8, true, plan{workers: 2})
		if tries := p.plan(8, 2, false).workers != better; tries != c.tries {
			t.Errorf("%s: the next one is in the other way: %t, want %t", c.name, tries, c.tries)
		}
	}
}

// world is what launches of a hundred clusters take there, by the number of the launch.
type world struct {
	alone, shared time.Duration
	lost          func(launch int) bool // a worker has no processor for a while
	absent        func(launch int) bool // no helper comes
}

// lostTime is how long a worker has none.
const lostTime = 2 * time.Millisecond

// launch returns what a launch takes beyond what it loses, and tells the pace.
func (w *world) launch(p *pace, number int) time.Duration {
	planned := p.plan(100, 2, false)
	took, helped := w.alone, planned.workers > 1
	if helped && !w.absent(number) {
		took = w.shared
	} else {
		helped = false
	}
	lost := time.Duration(0)
	if w.lost(number) {
		lost = lostTime
	}
	helped = helped || planned.workers == 1 && took+lost > planned.relief
	p.learn(took+lost, 100, helped, planned)
	return took
}

// TestPaceGains: whatever a launch takes alone and shared, all together take hardly longer than in the better way, also where
// others use the processors.
func TestPaceGains(t *testing.T) {
	const us, launches = time.Microsecond, 5000
	never := func(int) bool { return false }
	each := func(n int) func(int) bool { return func(i int) bool { return i%n < n/10+1 } }
	for _, c := range []struct {
		name  string
		world world
		most  float64 // of what the better way takes
	}{
		{"sharing loses much", world{529 * us, 819 * us, never, never}, 1.012},
		{"sharing loses all", world{100 * us, 1000 * us, never, never}, 1.17},
		{"sharing gains nothing", world{529 * us, 529 * us, never, never}, 1},
		{"sharing gains", world{529 * us, 280 * us, never, never}, 1.01},
		{"lost processors, sharing loses", world{529 * us, 819 * us, each(9), never}, 1.03},
		{"lost two at a time", world{529 * us, 819 * us, each(19), never}, 1.03},
		{"lost three at a time", world{529 * us, 819 * us, each(29), never}, 1.2},
		{"lost processors, sharing gains", world{529 * us, 280 * us, each(9), never}, 1.03},
		{"lost three at a time, sharing gains", world{529 * us, 280 * us, each(29), never}, 1.2},
		{"helpers that do not come, sharing loses", world{529 * us, 819 * us, never, each(3)}, 1.02},
		{"helpers that hardly come", world{529 * us, 819 * us, never, func(i int) bool { return i%10 != 0 }}, 1.02},
	} {
		var p pace
		var total time.Duration
		for i := range launches {
			total += c.world.launch(&p, i)
		}
		if of := float64(total) / float64(launches*min(c.world.alone, c.world.shared)); of > c.most {
			t.Errorf("%s: %.3f of the better way, want at most %.3f", c.name, of, c.most)
		}
	}
}

// TestPaceChanges: where the other way becomes the better one, it is soon taken.
func TestPaceChanges(t *testing.T) {
	const us = time.Microsecond
	never := func(int) bool { return false }
	gains, loses := world{529 * us, 280 * us, never, never}, world{529 * us, 819 * us, never, never}
	for _, c := range []struct {
		name          string
		before, after world
		most          int // launches in the wrong way
	}{
		{"gains no longer", gains, loses, 20},
		{"gains at last", loses, gains, seldom + 10},
	} {
		for launches := range 2 * seldom {
			var p pace
			for i := range launches + 50 {
				c.before.launch(&p, i)
			}
			wrong, last := 0, 0
			for i := range 600 {
				if c.after.launch(&p, i) > min(c.after.alone, c.after.shared) {
					wrong, last = wrong+1, i
				}
			}
			if wrong > c.most {
				t.Fatalf("%s behind %d launches: %d in the wrong way, the last is %d", c.name, launches, wrong, last)
			}
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
	for range 2 * mostLate { // never several one after the other
		p.learn(300*time.Microsecond, 10, true, plan{workers: 1})
		p.learn(500*time.Microsecond, 10, false, plan{workers: 1})
	}
	for late := range mostLate {
		if p.alone.of(10) == 0 || p.shared != (recent{}) {
			t.Errorf("%d launches that were helped: %v alone, %v shared", late, p.alone, p.shared)
		}
		p.learn(300*time.Microsecond, 10, true, plan{workers: 1})
	}
	if p.alone != (recent{}) || p.shared.of(10) != 300*time.Microsecond {
		t.Errorf("%v alone, %v shared; want nothing and 300µs", p.alone, p.shared.of(10))
	}
}

// TestSeries counts launches that come closely one after the other; what that is follows from those before.
func TestSeries(t *testing.T) {
	const us, ms = time.Microsecond, time.Millisecond
	var s series
	now := time.Now()
	for i, l := range []struct {
		gap, took time.Duration
		number    int
		expects   bool
	}{
		{time.Hour, 0, 0, false}, {10, 0, 1, true}, {50 * us, 0, 2, true}, // the usual gap is 50 µs: the next is expected within 75
		{75 * us, 80 * us, 3, true},
		{112*us + 501, time.Second, 0, true}, // late, but three of the last four were not
		{300 * us, time.Second, 1, true}, {300*us + 1, time.Second, 0, true},
		{450 * us, time.Second, 1, true},                                // the usual one is 300 µs
		{2 * ms, time.Second, 0, true},                                  // a break is none
		{2 * ms, time.Second, 0, false},                                 // two are
		{ms, 400 * us, 1, true},                                         // the longest lookout
		{100*us + 1, 400 * us, 0, false}, {100 * us, 400 * us, 1, true}, // two breaks are among the last four
		{100 * us, 400 * us, 2, true}, {150*us + 2, 400 * us, 0, true}, {150 * us, 0, 1, true},
	} {
		now = now.Add(l.gap)
		s.begin(now)
		expects := s.expects()
		now = now.Add(l.took)
		if took := s.end(now); s.number != l.number || took != l.took || expects != l.expects {
			t.Errorf("launch %d is number %d, expects another: %t, and took %v; want %d, %t, %v", i, s.number, expects, took, l.number, l.expects, l.took)
		}
	}
}
