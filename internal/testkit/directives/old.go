package directives

// This file puts cases into old versions of PTX and on old targets, whose rules ptxas still
// applies when it compiles them for the oldest architecture that it knows.

import (
	"math/rand/v2"
	"strings"

	"ptxvm.invalid/ptxvm/internal/isa"
)

// oldTargets and oldVersion bound what is old: before ptxas's own targets.
var oldTargets = strings.Fields("sm_10 sm_11 sm_12 sm_13 sm_20 sm_21 sm_30 sm_32 sm_35 sm_37 sm_50 sm_52 sm_53 sm_60 sm_61 sm_62 sm_70 sm_72 sm_75")

var oldVersion = isa.V(6, 5)

// oldSteps are all old versions with all old targets that they have.
func oldSteps() (steps []step) {
	for v := isa.V(1, 0); v <= oldVersion; v++ {
		for _, name := range oldTargets {
			if t := isa.MustTarget(name); v.Known() && isa.TargetSince(t) <= v {
				steps = append(steps, step{v, t})
			}
		}
	}
	return steps
}

// Old lists n cases of the others in old versions: half of them as they should be, half of them
// changed.
func Old(seed uint64, n int) []*Case {
	usual, changed := movable(All(seed, n))
	r := rand.New(rand.NewPCG(seed, 11))
	steps := oldSteps()
	var cases []*Case
	for i := range n {
		from := usual
		if i%2 == 1 {
			from = changed
		}
		c := *from[r.IntN(len(from))]
		at := steps[r.IntN(len(steps))]
		c.Version, c.Target = at.v, at.t
		c.Change = strings.TrimPrefix(c.Change+", in an old version", ", ")
		cases = append(cases, &c)
	}
	return unique(cases)
}

// movable splits cases that can stand below any header into usual and changed ones.
func movable(cases []*Case) (usual, changed []*Case) {
	seen := map[string]bool{}
	for _, c := range cases {
		body, ok := headless(c)
		if !ok || seen[body] {
			continue
		}
		seen[body] = true
		moved := *c
		moved.Head, moved.Body = "", body
		switch c.Change {
		case "":
			usual = append(usual, &moved)
		case "in another version or target":
		default:
			changed = append(changed, &moved)
		}
	}
	return usual, changed
}

// headless is a case's text without its usual header; none if it has another one.
func headless(c *Case) (string, bool) {
	header := (&Case{Version: c.Version, Target: c.Target}).head()
	return strings.CutPrefix(strings.TrimSuffix(c.Module(), "\n"), header)
}
