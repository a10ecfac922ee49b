package main

// This file measures what a second core gains, by wall time: two workers against one, and beside it two processes of
// the same work in C at once against one alone, which is all that the machine gives. The four take short turns, so that
// what others do to the machine meanwhile is done to all of them.

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"ptxvm.invalid/ptxvm/internal/testkit/corpus"
)

// boundGain is what kernels are to gain that are bound by computing; others shareGain of what C gains, of which what is
// above mostGain is noise: two processes that know nothing of each other cannot do more than twice the work of one.
const boundGain, shareGain, mostGain = 1.9, 0.9, 2

// turnTime is how long one of the four runs before the next, and leastTurns how often each has its turn.
const turnTime, leastTurns = 10 * time.Millisecond, 5

// coresTable prints a line for each workload.
func coresTable(s *series) error {
	if runtime.NumCPU() < 2 {
		return errors.New("this machine has one core")
	}
	fmt.Printf("Machine: %s, vectors of %d bits, load %s.\n\n| Kernel | One worker | Two | Gain | C gains | Goal | Processors of two | Rounds that counted: one, two, C, two of C |\n|---|---|---|---|---|---|---|---|\n", machine(), vectorBits(), load1())
	return s.each(func(w *workload) error { return w.cores(s) })
}

// load1 is how many others want the cores.
func load1() string {
	var load string
	if text, err := os.ReadFile("/proc/loadavg"); err == nil {
		fmt.Sscan(string(text), &load)
	}
	return load
}

// cores measures one workload and prints its line.
func (w *workload) cores(s *series) error {
	makes := w.make
	if w.large != nil {
		makes = w.large
	}
	four, err := w.four(s, makes(corpus.Target{Arch: 90}))
	if err != nil {
		return err
	}
	var typical [4]time.Duration
	var counts [4]string
	for i, x := range four {
		var counted int
		typical[i], counted = x.typical()
		counts[i] = fmt.Sprintf("%d/%d", counted, len(x.rounds))
	}
	gain, gainC := gainOf(typical[0], typical[1]), 2*gainOf(typical[2], typical[3]) // two of C do twice the work
	fmt.Printf("| %s | %.0f µs | %.0f µs | %.2f | %.2f | %.2f | %.2f | %s |\n", w.name, micros(typical[0]), micros(typical[1]), gain, gainC, w.gainGoal(gainC), four[1].processors(), strings.Join(counts[:], " "))
	return nil
}

func gainOf(one, two time.Duration) float64 { return one.Seconds() / two.Seconds() }

// gainGoal is what two workers are to gain where two processes of C gain so much.
func (w *workload) gainGoal(ofC float64) float64 {
	if w.bound {
		return boundGain
	}
	return shareGain * min(ofC, mostGain)
}

// contender is one of the four that take turns.
type contender struct {
	workers int
	waits   bool // workers may have to wait for each other
	turn    func(time.Duration) ([]spent, error)
	rounds  []spent
}

// four lets one worker, two workers, C and two of C take turns, and holds their results to the corpus.
func (w *workload) four(s *series, r *corpus.Run) (list []*contender, err error) {
	c, err := w.startPair(s, r)
	if err != nil {
		return nil, err
	}
	defer c.close()
	var with [2]*running
	for i := range with {
		if with[i], err = w.start(s.top, r, s.engine, i+1); err != nil {
			return nil, err
		}
		defer with[i].device.Close()
		with[i].byWall = true
	}
	list = []*contender{
		{workers: 1, turn: with[0].turns(r)},
		{workers: 2, turn: with[1].turns(r), waits: true},
		{workers: 1, turn: c.turns(1)},
		{workers: 2, turn: c.turns(2)},
	}
	if err := takeTurns(list, 4*s.span); err != nil {
		return nil, err
	}
	return list, errors.Join(checkFiles(s.dir, r), with[0].check(r), with[1].check(r))
}

// takeTurns goes around for a time. The first turns do not count: compilers run, pages are new.
func takeTurns(list []*contender, span time.Duration) error {
	start := time.Now()
	for n := 0; n <= leastTurns || time.Since(start) < span; n++ {
		for _, x := range list {
			rounds, err := x.turn(turnTime)
			if err != nil {
				return err
			}
			if n > 0 {
				x.rounds = append(x.rounds, rounds...)
			}
		}
		if n == 0 {
			start = time.Now()
		}
	}
	return nil
}

// turns makes turns of launches, by the clocks of the threads that there are when a turn begins.
func (x *running) turns(r *corpus.Run) func(time.Duration) ([]spent, error) {
	return func(span time.Duration) (list []spent, err error) {
		if x.clock, err = threadsTime(); err != nil {
			return nil, err
		}
		for start := time.Now(); len(list) == 0 || time.Since(start) < span; {
			took, _, err := x.round(r, nil)
			if err != nil {
				return nil, err
			}
			list = append(list, took)
		}
		return list, nil
	}
}

// typical is the wall time that a quarter of the rounds that count are within, and how many count: those that had the
// workers' processors nearly all the time. If there are none, all rounds are taken.
func (x *contender) typical() (wall time.Duration, counted int) {
	had := x.processors()
	whole := slices.DeleteFunc(slices.Clone(x.rounds), func(s spent) bool { return 10*s.processors() < 9*had })
	counted = len(whole)
	if counted == 0 {
		whole = slices.Clone(x.rounds)
	}
	slices.SortFunc(whole, func(a, b spent) int { return cmp.Compare(a.wall, b.wall) })
	return whole[len(whole)/4].wall, counted
}

// processors is how many a round has that is not disturbed. Workers that wait for each other never have all: theirs is
// what a tenth of the rounds have, lest only those few count that had to wait least. It is printed, as it is also less on
// a machine that others use all the time.
func (x *contender) processors() float64 {
	all := float64(x.workers)
	if !x.waits {
		return all
	}
	had := make([]float64, len(x.rounds))
	for i, s := range x.rounds {
		had[i] = s.processors()
	}
	slices.Sort(had)
	return min(all, had[len(had)*9/10])
}
