package judge

import (
	"slices"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/internal/isa"
)

// latestTargets are those whose forms the newest versions change.
var latestTargets = targets("sm_75 sm_80 sm_90a sm_100a sm_103a sm_107a sm_110a sm_120a")

func targets(names string) (out []isa.Target) {
	for _, name := range strings.Fields(names) {
		out = append(out, isa.MustTarget(name))
	}
	return out
}

// TestLatestVersion: no manual of the newest version is published, so ptxas says what it brought.
// Statements that differ between it and the version before have to differ here, too.
func TestLatestVersion(t *testing.T) {
	if !*full {
		t.Skip("asks ptxas for minutes; -full")
	}
	path := assembler(t)
	before := isa.Latest - 1
	now := Plan(*seed, latestTargets, *only, max(*count, 8))
	old := make([]*Case, len(now))
	for i, c := range now {
		c.Version = isa.Latest
		reference := *c
		reference.Version = before
		old[i] = &reference
	}
	if err := Ask(path, slices.Concat(now, old)); err != nil {
		t.Fatal(err)
	}
	differ := 0
	for i, c := range now {
		if (c.Ptxas == "") == (old[i].Ptxas == "") {
			continue
		}
		differ++
		if (c.Here() == "") != (c.Ptxas == "") || (old[i].Here() == "") != (old[i].Ptxas == "") {
			t.Errorf("%v\n\tptxas %s in %v, %s in %v", c, verdict(c.Ptxas), c.Version, verdict(old[i].Ptxas), before)
		}
	}
	t.Logf("%d statements, %d of them differ between %v and %v", len(now), differ, before, isa.Latest)
}
