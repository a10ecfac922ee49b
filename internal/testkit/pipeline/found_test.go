package pipeline

// This file runs again the random kernels that have found something.

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"ptxvm.invalid/ptxvm/internal/jit"
)

// TestFound holds the kernels of testdata to the interpreter, compiled in each way.
func TestFound(t *testing.T) {
	files, err := filepath.Glob("testdata/*.ptx")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	backEnds(t, func(t *testing.T, b backEnd) {
		for _, name := range files {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			l := &randomLaunch{}
			if _, err := fmt.Sscanf(string(text), randomLine, &l.seed, &l.block[0], &l.block[1], &l.block[2], &l.n, &l.s); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			want := run(t, string(text), l.run(), 1, nil)
			for i, c := range randomWays() {
				if !b.own && i > 0 && !*full {
					continue // each way takes the C compiler a second
				}
				compiled := b.compareRandom(t, string(text), l, &want[0], &c)
				if compiled == 0 && i == 0 {
					t.Errorf("%s is not compiled", name)
				}
			}
		}
	})
}

// compareRandom runs a random kernel three times, compiled in some way; it returns how many lane operations were compiled code's.
func (b backEnd) compareRandom(t *testing.T, text string, l *randomLaunch, want *outcome, c *jit.PipelineC) uint64 {
	t.Helper()
	refused := map[string]error{}
	got := run(t, text, l.run(), 3, b.with(c, refused))
	for k := range got {
		if c.Turn != 0 && want.err != "" && got[k].err != "" {
			continue // turns decide which warp faults, and how far the others come
		}
		if diff := got[k].differs(want); diff != "" {
			t.Fatalf("seed %d, run %d: %s\n%s", l.seed, k, diff, text)
		}
	}
	if refused["kernel"] != nil {
		t.Logf("seed %d: %v", l.seed, refused["kernel"])
		return 0
	}
	return got[2].compiled
}
