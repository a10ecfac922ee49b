package host

import (
	"sync"
	"testing"

	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/mem"
)

// TestShare: parts that follow each other and have all clusters, as many as the others or one more.
func TestShare(t *testing.T) {
	for _, c := range []struct {
		total, from uint64
		n           int
		want        []uint64 // where parts end
	}{
		{10, 0, 1, []uint64{10}}, {10, 0, 2, []uint64{5, 10}}, {11, 0, 3, []uint64{4, 8, 11}}, {2, 0, 3, []uint64{1, 2, 2}},
		{10, 5, 2, []uint64{8, 10}}, {10, 10, 2, []uint64{10, 10}}, {1 << 40, 1 << 39, 2, []uint64{3 << 38, 1 << 40}},
	} {
		s := schedule{total: c.total}
		s.share(make([]part, c.n), c.from)
		next := c.from
		for i := range s.parts {
			p := &s.parts[i]
			if p.next.Load() != next || p.end.Load() != c.want[i] {
				t.Errorf("%+v: part %d is %d to %d", c, i, p.next.Load(), p.end.Load())
			}
			next = p.end.Load()
		}
	}
}

// TestTake: a worker takes its own part from the front, a quarter at a time but what is worth it; then the end of the part
// with the most; where clusters wait for others, the first ones that there are.
func TestTake(t *testing.T) {
	type piece struct{ from, to uint64 }
	for _, c := range []struct {
		name    string
		least   uint64
		n       int
		ordered bool
		worker  int
		want    []piece
	}{
		{"quarters", 0, 2, false, 1, []piece{{8, 10}, {10, 11}, {11, 12}, {12, 13}, {13, 14}, {14, 15}, {15, 16}, {6, 8}, {5, 6}}},
		{"what is worth it", 3, 2, false, 0, []piece{{0, 3}, {3, 6}, {6, 8}, {13, 16}, {10, 13}, {8, 10}, {0, 0}}},
		{"all at once where it is worth it", 100, 2, false, 0, []piece{{0, 8}, {8, 16}, {0, 0}}},
		{"the part with the most", 4, 4, false, 3, []piece{{12, 16}, {0, 4}, {4, 8}, {8, 12}, {0, 0}}},
		{"alone", 0, 1, false, 0, []piece{{0, 16}, {0, 0}}},
		{"in order", 3, 2, true, 1, []piece{{0, 3}, {3, 6}, {6, 8}, {8, 11}, {11, 14}, {14, 16}, {0, 0}}},
	} {
		s := schedule{total: 16, least: c.least}
		s.share(make([]part, c.n), 0)
		s.ordered.Store(c.ordered)
		for i, want := range c.want {
			if from, to := s.take(c.worker, s.several); from != to && (piece{from, to}) != want || from == to && want.from != want.to {
				t.Errorf("%s: piece %d is %d to %d, want %v", c.name, i, from, to, want)
			}
		}
	}
}

// TestTakeTogether: each cluster is taken once, however many take at once.
func TestTakeTogether(t *testing.T) {
	const total, workers = 5000, 4
	for _, ordered := range []bool{false, true} {
		for _, least := range []uint64{0, 7} {
			s := schedule{total: total, least: least}
			s.share(make([]part, workers), 0)
			s.ordered.Store(ordered)
			var seen [total]uint8
			var mu sync.Mutex
			var all sync.WaitGroup
			for w := range workers {
				all.Go(func() {
					for s.left() {
						n := one
						if w%2 == 0 {
							n = s.several
						}
						from, to := s.take(w, n)
						if w == 0 && from < to {
							again, end := s.more(w)
							mu.Lock()
							for i := again; i < end; i++ {
								seen[i]++
							}
							mu.Unlock()
						}
						mu.Lock()
						for i := from; i < to; i++ {
							seen[i]++
						}
						mu.Unlock()
					}
				})
			}
			all.Wait()
			for i, n := range seen {
				if n != 1 {
					t.Fatalf("ordered %v, pieces of %d: cluster %d was taken %d times", ordered, least, i, n)
				}
			}
		}
	}
}

// TestTurns: clusters that wait for all those before them, more than the device has room for, while a worker begins with
// the second half of them.
func TestTurns(t *testing.T) {
	m := newMachine(t, 200)
	c := code(
		op(lanes(func(w *machine.Warp, in *machine.Inst, i int) {
			w.R32(in.D)[i] = 0
			if uint64(mem.Load32(word(w, 0))) == w.Rank() {
				w.R32(in.D)[i] = 1
			}
		}), r(1), 0, 0),
		op(hLtI, 0, r(1), 1),
		bra(0, 3),
		op(hImm, r(1), 0, 1),
		op(hAto, r(2), r(1), 0),
		exit,
	)
	const most = 100 << 10 // bytes of shared memory of a CTA: two fit a multiprocessor, so that there is room for few CTAs
	one := launchOf(c, 1, 1, 2)
	one.Shared = most
	probe, err := new(crew).newGrid(one)
	if err != nil {
		t.Fatal(err)
	}
	ctas := uint32(probe.Room()) + 100
	stats, err := m.launch(c, ctas, 1, func(l *Launch) { l.Workers, l.Shared = 2, most })
	if err != nil || stats.CTAs != uint64(ctas) || m.words[0] != ctas {
		t.Errorf("%v: %d CTAs, %d turns, want %d", err, stats.CTAs, m.words[0], ctas)
	}
}
