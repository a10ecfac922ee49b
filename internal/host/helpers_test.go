package host

import "testing"

// TestBrief launches what takes a worker next to no time: at first by two workers, then by one. What was thought
// to be brief and is not is shared, and each of its CTAs runs once.
func TestBrief(t *testing.T) {
	m := newMachine(t, 200)
	c := code(
		op(hImm, r(1), 0, 1),
		op(hAto, r(2), r(1), 0),
		op(hAto, r(2), r(1), 1), // 2
		op(hLtI, 0, r(2), 40000),
		bra(2, 5),
		op(hAto, r(2), r(1), 2),
		exit,
	)
	run := func(polls uint32, each func(p *record)) (shared bool) {
		t.Helper()
		const ctas = 6
		clear(m.words)
		m.words[1] = 40000 - polls
		g, err := new(crew).newGrid(launchOf(c, ctas, 1, 2))
		if err != nil {
			t.Fatal(err)
		}
		crew, err := m.hire(2)
		if err != nil {
			t.Fatal(err)
		}
		defer m.dismiss(crew)
		each(crew.workers[0].of(c))
		crew.run(g)
		stats := crew.collect()
		if err := g.Outcome(&stats); err != nil || stats.CTAs != ctas || m.words[0] != ctas || m.words[2] != ctas {
			t.Fatalf("%v: %d CTAs, begun %d, ended %d, want %d", err, stats.CTAs, m.words[0], m.words[2], ctas)
		}
		return g.helpers.awake.Load()
	}
	as := func(*record) {}
	if !run(0, as) {
		t.Error("a launch of which nothing is known was not shared")
	}
	alone := false
	for try := 0; try < 200 && !alone; try++ {
		alone = !run(0, as)
	}
	if !alone {
		t.Error("brief launches were always shared")
	}
	if !run(39000, func(p *record) { p.pace = pace{alone: recent{1}} }) {
		t.Error("a launch that was not brief was not shared")
	}
	if !run(39000, as) {
		t.Error("a launch whose predecessor was not brief was not shared")
	}
}

// TestNoneCame: a launch that was to be shared and for which no helper came is one of one worker.
func TestNoneCame(t *testing.T) {
	m, crew, g := helped(t, 6)
	crew.helpers[0].coming.Store(true) // no goroutine starts
	g.sched = schedule{total: 6, room: 6}
	crew.run(g)
	p := &crew.workers[0].of(g.Entry).pace
	if m.words[0] != 6 || p.alone == (recent{}) || p.shared != (recent{}) {
		t.Errorf("%d CTAs, want 6; %v alone, %v shared, want only alone", m.words[0], p.alone, p.shared)
	}
}

// TestGiveBack shares what one worker has taken.
func TestGiveBack(t *testing.T) {
	parts, g := make([]part, 1), &grid{}
	wk := &worker{grid: g}
	g.sched.total = 10
	g.sched.share(parts, 0)
	from, to := g.sched.take(0, g.sched.several)
	wk.keep(g, from, to)
	wk.Begun(3)
	g.sched.giveBack(wk.mine, wk.mineEnd)
	if from != 0 || to != 10 || g.sched.taken.Load() != 0 || g.sched.parts[0].left() != 7 {
		t.Errorf("took %d to %d, gave back all but 3: %d left, %d workers have some; want 0 to 10, 7, none", from, to, g.sched.parts[0].left(), g.sched.taken.Load())
	}
}
