package main

import (
	"errors"
	"os/exec"
	"slices"
	"testing"
	"time"

	"ptxvm.invalid/ptxvm/internal/testkit/corpus"
)

// TestTypical: the lower quartile of the rounds that had their processors, by hand.
func TestTypical(t *testing.T) {
	us := func(wall, cpu time.Duration) spent {
		return spent{cpu: cpu * time.Microsecond, wall: wall * time.Microsecond}
	}
	for _, c := range []struct {
		name    string
		x       contender
		want    time.Duration // in µs
		counted int
	}{
		{"the second least of four to seven", contender{workers: 1, rounds: []spent{us(40, 40), us(10, 10), us(30, 30), us(20, 20)}}, 20, 4},
		{"the least of three", contender{workers: 1, rounds: []spent{us(30, 30), us(10, 10), us(20, 20)}}, 10, 3},
		{"a tenth less of the processor is just enough", contender{workers: 1, rounds: []spent{us(10, 9), us(5, 4)}}, 10, 1},
		{"both processors are wanted", contender{workers: 2, rounds: []spent{us(10, 17), us(20, 36), us(5, 5)}}, 20, 1},
		{"all, where none had its processor", contender{workers: 1, rounds: []spent{us(30, 10), us(20, 10), us(10, 2), us(40, 20)}}, 20, 0},
		{"workers that wait have what a tenth of the rounds have", contender{workers: 2, waits: true, rounds: []spent{us(10, 15), us(20, 30), us(30, 45), us(5, 5)}}, 10, 3},
		{"a lucky round of theirs in twelve is no measure", contender{workers: 2, waits: true, rounds: append(slices.Repeat([]spent{us(20, 30)}, 11), us(10, 20))}, 20, 12},
		{"two in twelve are", contender{workers: 2, waits: true, rounds: append(slices.Repeat([]spent{us(20, 30)}, 10), us(10, 20), us(11, 22))}, 10, 2},
		{"nor more processors than workers", contender{workers: 2, waits: true, rounds: []spent{us(10, 30), us(20, 37), us(30, 90), us(40, 120)}}, 20, 4},
	} {
		wall, counted := c.x.typical()
		if wall != c.want*time.Microsecond || counted != c.counted {
			t.Errorf("%s: %v of %d, want %dµs of %d", c.name, wall, counted, c.want, c.counted)
		}
	}
}

// TestGainGoal: what is above twice as fast is noise.
func TestGainGoal(t *testing.T) {
	for _, c := range []struct {
		bound     bool
		ofC, want float64
	}{{true, 1.5, 1.9}, {true, 2.5, 1.9}, {false, 1.5, 1.35}, {false, 2, 1.8}, {false, 2.7, 1.8}} {
		if have := (&workload{bound: c.bound}).gainGoal(c.ofC); have < c.want-1e-9 || have > c.want+1e-9 {
			t.Errorf("bound %v, C %v: %v, want %v", c.bound, c.ofC, have, c.want)
		}
	}
}

// TestTakeTurns: everybody in order, the first turns do not count, and an error ends it.
func TestTakeTurns(t *testing.T) {
	var order []int
	var list []*contender
	for i := range 3 {
		list = append(list, &contender{turn: func(time.Duration) ([]spent, error) {
			order = append(order, i)
			return []spent{{wall: time.Duration(len(order))}}, nil
		}})
	}
	if err := takeTurns(list, 0); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(order[:6], []int{0, 1, 2, 0, 1, 2}) {
		t.Errorf("order %v", order)
	}
	if x := list[1]; len(x.rounds) != leastTurns || x.rounds[0].wall != 5 {
		t.Errorf("%v, want %d rounds from the fifth turn on", x.rounds, leastTurns)
	}
	failed := errors.New("failed")
	list[2].turn = func(time.Duration) ([]spent, error) { return nil, failed }
	if err := takeTurns(list, time.Hour); err != failed {
		t.Errorf("%v, want %v", err, failed)
	}
}

// TestPair: C takes turns alone and as two, ends when it is told, and has computed the right thing.
func TestPair(t *testing.T) {
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip(err)
	}
	top, err := root()
	if err != nil {
		t.Fatal(err)
	}
	s := &series{top: top, dir: t.TempDir()}
	w := &workloads[slices.IndexFunc(workloads, func(w workload) bool { return w.name == "saxpy" })]
	r := w.make(corpus.Target{Arch: 90})
	p, err := w.startPair(s, r)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{1, 2, 2, 1} {
		rounds, err := p.turns(n)(time.Millisecond)
		if err != nil || len(rounds) == 0 {
			t.Fatalf("%d processes: %d rounds, %v", n, len(rounds), err)
		}
		for _, x := range rounds {
			if x.cpu < 0 || x.processors() > float64(n)*1.5 {
				t.Errorf("%d processes: %v of processor time in %v", n, x.cpu, x.wall)
			}
		}
	}
	if err := errors.Join(p.close(), checkFiles(s.dir, r)); err != nil {
		t.Error(err)
	}
}
