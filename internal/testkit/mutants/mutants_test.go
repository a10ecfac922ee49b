package mutants

// The run itself. Without -mutants only the lists are checked.

import (
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

var (
	run  = flag.Bool("mutants", false, "run a sample of the mutants")
	full = flag.Bool("mutants.full", false, "run every mutant, and want nine of ten killed")
	size = flag.Int("mutants.n", 40, "mutants in the sample")
	seed = flag.Uint64("mutants.seed", 1, "seed of the sample")
	only = flag.String("mutants.room", "", "run these rooms alone, names with commas")
)

// fullRate is the part of the mutants that a full run must kill.
const fullRate = 0.9

func moduleRoot(t *testing.T) string {
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(root, "go.mod")); err != nil {
		t.Fatal(err)
	}
	return root
}

func enumerate(t *testing.T, room *Room) []Mutant {
	ms, err := Enumerate(moduleRoot(t), room)
	if err != nil {
		t.Fatal(err)
	}
	return ms
}

// TestMutants runs the sample, or all, room by room.
func TestMutants(t *testing.T) {
	if !*run && !*full {
		t.Skip("run with -mutants or -mutants.full")
	}
	known, err := Equivalents()
	if err != nil {
		t.Fatal(err)
	}
	rooms := chosen()
	if len(rooms) == 0 {
		t.Fatalf("there is no room %q", *only)
	}
	for _, room := range rooms {
		t.Run(room.Name, func(t *testing.T) { runRoom(t, room, known) })
	}
}

// chosen are the rooms that run.
func chosen() (list []*Room) {
	for i := range Rooms {
		if *only == "" || slices.Contains(strings.Split(*only, ","), Rooms[i].Name) {
			list = append(list, &Rooms[i])
		}
	}
	return list
}

func runRoom(t *testing.T, room *Room, known EquivalentList) {
	c := newCache(t)
	r, err := NewRunner(moduleRoot(t), room, t.TempDir(), c.env())
	if errors.Is(err, errNoTests) {
		t.Fatalf("%v: nothing can kill a mutant", err)
	} else if err != nil {
		t.Fatal(err)
	}
	c.filled = time.Now()
	var sum tally
	for batch := range batches(drawn(t, room)) {
		err := r.RunAll(batch, func(res Result) { sum.add(t, res, known) })
		if err != nil {
			t.Fatal(err)
		}
		c.trim(t)
	}
	t.Logf("%s: seed %d: %v", room.Name, *seed, &sum)
	if *full && sum.rate() < fullRate {
		t.Errorf("killed %.1f %% of the mutants that count, want %.0f %%", 100*sum.rate(), 100*fullRate)
	}
}

// drawn returns the room's part of the sample.
func drawn(t *testing.T, room *Room) []Mutant {
	ms := enumerate(t, room)
	if *full {
		return ms
	}
	shares := 0
	for _, r := range chosen() {
		shares += r.Share
	}
	n := int(math.Ceil(float64(*size*room.Share) / float64(shares)))
	return Sample(ms, n, *seed)
}

// tally counts verdicts.
type tally struct {
	killed, survived, equivalent, notCompiling int
	seconds                                    float64
}

func (s *tally) add(t *testing.T, res Result, known EquivalentList) {
	s.seconds += res.Seconds
	defer func() {
		if s.total()%50 == 0 {
			t.Logf("so far: %v", s)
		}
	}()
	listed := known.Find(&res.Mutant)
	switch {
	case res.Verdict == Killed:
		s.killed++
		if listed != nil && !listed.Pattern() {
			t.Errorf("killed, though listed as equivalent: %v (%s)", &res.Mutant, listed.Reason)
		}
	case res.Verdict == NotCompiling:
		s.notCompiling++
	case listed != nil:
		s.equivalent++
	default:
		s.survived++
		survivor := t.Errorf
		if *full {
			survivor = t.Logf
		}
		survivor("survived: %v\n%s", &res.Mutant, res.Key())
	}
}

// rate is the part killed of the mutants that compile and change the program.
func (s *tally) rate() float64 { return float64(s.killed) / float64(max(1, s.killed+s.survived)) }

func (s *tally) total() int { return s.killed + s.survived + s.equivalent + s.notCompiling }

func (s *tally) String() string {
	return fmt.Sprintf("%d mutants: %d killed, %d survived, %d equivalent, %d not compiling; %.0f s of tests",
		s.total(), s.killed, s.survived, s.equivalent, s.notCompiling, s.seconds)
}
