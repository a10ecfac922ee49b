package programs

import (
	"flag"
	"testing"
	"time"

	"ptxvm/internal/ptxtest/generate"
)

var (
	full  = flag.Bool("full", false, "run programs for ten minutes")
	seed  = flag.Uint64("seed", 1, "seed of the first program")
	count = flag.Int("programs", 100, "programs to run")
)

// TestPrograms: what a program computes does not depend on the shape of blocks, on the workers,
// nor on whether lanes share scalar code.
func TestPrograms(t *testing.T) {
	deadline := time.Now().Add(time.Hour)
	n := *count
	if *full {
		n, deadline = 1<<30, time.Now().Add(10*time.Minute)
	}
	nodes, refused := 0, 0
	for i := 0; i < n && time.Now().Before(deadline); i++ {
		s := *seed + uint64(i)
		p := generate.NewProgram(s, Executed)
		n, err := Supported(p)
		if err != nil {
			t.Errorf("seed %d: %v\n%s", s, err, p)
			continue
		}
		refused += n
		nodes += p.Size()
		if err := Compare(p, NewInput(s)); err != nil {
			p.Minimise(func() bool { return Compare(p, NewInput(s)) != nil })
			t.Errorf("seed %d: %v\nleast program, with %v:\n%s", s, err, Compare(p, NewInput(s)), p)
		}
	}
	t.Logf("%d nodes; %d statements dropped that are refused", nodes, refused)
	if refused*20 > nodes {
		t.Error("too many statements are refused")
	}
}
