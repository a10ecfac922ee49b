package san

import (
	"slices"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/events"
	"ptxvm.invalid/ptxvm/internal/machine/queue"
	"ptxvm.invalid/ptxvm/internal/machine/shape"
)

// TestChecks: every check is in All or Apart, has codes of its own and someone who looks; each of its options is a bit of its own.
func TestChecks(t *testing.T) {
	var all, seen Set
	codes := map[diag.Code]bool{}
	for i := range Checks {
		c := &Checks[i]
		all |= c.Set
		for _, set := range append([]Set{c.Set}, optionSets(c)...) {
			if set == 0 || set&(set-1) != 0 || seen&set != 0 {
				t.Errorf("%s: %#x is no bit of its own", c.Name, set)
			}
			seen |= set
			if !slices.ContainsFunc(c.detectors, func(d *detector) bool { return d.of&set != 0 }) && set != RaceStrict {
				t.Errorf("%s: nobody looks for %#x", c.Name, set)
			}
		}
		for _, code := range c.Codes {
			if codes[code] || CheckOf(code) != c.Name {
				t.Errorf("%s: code %v is that of %s", c.Name, code, CheckOf(code))
			}
			codes[code] = true
		}
	}
	if all != All|Apart || All&Apart != 0 {
		t.Errorf("the checks are %#x, All is %#x and Apart %#x", all, All, Apart)
	}
	for _, e := range diag.Catalog() {
		if e.Code >= diag.UninitializedRead && !codes[e.Code] {
			t.Errorf("no check has code %v", e.Code)
		}
	}
}

func optionSets(c *Check) (sets []Set) {
	for _, o := range c.Options {
		sets = append(sets, o.Set)
	}
	return sets
}

// TestParse: lists of names, and what the error of a wrong one says.
func TestParse(t *testing.T) {
	for list, want := range map[string]Set{
		"": 0, "mem": Mem, "all": All, "init,race:strict": Init | Race | RaceStrict, "init:loads": InitLoads, "leak:unused,sync": Leak | LeakUnused | Sync,
	} {
		if got, err := Parse(list); got != want || err != nil {
			t.Errorf("%s: %#x, %v; want %#x", list, got, err, want)
		}
	}
	for list, want := range map[string]string{
		"races": "want all, mem, ", "memcheck": "it is mem here", "init,racecheck": "it is race here", "sync:x": "it has none", "race:x": "want race:strict",
	} {
		if _, err := Parse(list); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", list, err, want)
		}
	}
}

// TestPlan: who looks depends on the checks and on what the code can do; what one check wants another does not pay for.
func TestPlan(t *testing.T) {
	one, two := [3]uint32{1, 1, 1}, [3]uint32{2, 1, 1}
	for _, c := range []struct {
		set   Set
		facts Facts
		who   []*detector
		wants events.Wants
	}{
		{set: 0},
		{set: Async | AsyncFences},
		{set: Async, facts: Facts{StartsAsync: true}, who: []*detector{operations, shadows}, wants: events.WantsAll | events.WantsOwed},
		{set: Sync, who: []*detector{uses}, wants: events.WantsUse | events.WantsLoops},
		{set: Sync | Async, who: []*detector{uses}, wants: events.WantsUse | events.WantsLoops | events.WantsAccesses},
		{set: Sync, facts: Facts{Launch: &machine.Launch{Shape: shape.Shape{Cluster: two}}, Alone: true}, who: []*detector{uses, peers}, wants: events.WantsUse | events.WantsLoops | events.WantsAlone | ordered},
		{set: Sync, facts: Facts{Multiplies: true}, who: []*detector{uses}, wants: events.WantsUse | events.WantsLoops | events.WantsRows},
		{set: Sync | Race, facts: Facts{Launch: &machine.Launch{Shape: shape.Shape{Cluster: two}}}, who: []*detector{uses, races}, wants: events.WantsUse | events.WantsLoops | ordered},
		{set: Leak, who: []*detector{operations}, wants: events.WantsLeft},
		{set: Mem, who: []*detector{values}, wants: events.WantsOthers},
		{set: Init, facts: Facts{StartsAsync: true}, who: []*detector{shadows, values}, wants: events.WantsOthers},
		{set: InitLoads, who: []*detector{shadows}, wants: events.WantsAccesses},
		{facts: Facts{Launch: &machine.Launch{Shape: shape.Shape{Cluster: one}, Async: queue.Lazy}, StartsAsync: true}, who: []*detector{operations, shadows}, wants: events.WantsAll | events.WantsOwed},
	} {
		if c.facts.Launch == nil {
			c.facts.Launch = &machine.Launch{Shape: shape.Shape{Cluster: one}}
		}
		shadows := NewShadows(c.set, 1<<20, nil)
		c.facts.Memory, c.facts.Took = &shadows, shadows.Launch()
		c.facts.Launch.Grid, c.facts.Launch.Block = c.facts.Launch.Cluster, one
		p := Plan(c.set, c.facts)
		if p == nil {
			if c.who != nil {
				t.Errorf("%#x: nobody looks", c.set)
			}
			continue
		}
		if who := p.detectors(); !slices.Equal(who, c.who) || p.wants != c.wants {
			t.Errorf("%#x: %d detectors want %#x; want %d, %#x", c.set, len(who), p.wants, len(c.who), c.wants)
		}
	}
}
