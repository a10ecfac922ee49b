package isa

import (
	"regexp"
	"strings"
	"testing"
)

// acrossLanes are the instructions whose result in one lane depends on other lanes of the warp,
// and what they need of those lanes: a list by hand, from chapters 9.7.9.5 to 9.7.9.6 and 9.7.13
// to 9.7.19 of the manual, which the effect clauses must agree with. Names are those of entries.
var acrossLanes = []struct {
	names string
	needs Effect
}{
	{`shfl|vote`, Shuffles}, // the old forms: the active lanes
	{`(shfl|vote|match\.any|match\.all|redux|elect|bar\.warp)\.sync`, Gathers | Masked},
	{`bar\.(sync|red|arrive)`, Converged},
	{`barrier\.(sync|red|arrive)`, Gathers},
	{`mma(\..*)?|wmma\..*|ldmatrix(\..*)?|stmatrix(\..*)?|movmatrix`, Converged},
	{`wgmma\..*`, Converged},
	{`tcgen05\.(alloc|dealloc|relinquish_alloc_permit|wait::(ld|st)|ld|ld\..*|st)`, Converged},
	{`tensormap\.cp_fenceproxy|setmaxnreg|fabric\.try_pullred`, Converged},
}

// TestCrossLane: each form across lanes has the effect that its chapter describes, and no other form has one.
func TestCrossLane(t *testing.T) {
	found := make([]bool, len(acrossLanes))
	for _, e := range Table().Entries() {
		var want Effect
		for i, row := range acrossLanes {
			if regexp.MustCompile(`^(` + row.names + `)$`).MatchString(e.Name) {
				want, found[i] = row.needs, true
			}
		}
		if have := e.Effects.Bits & (CrossLane | Masked); have != want {
			t.Errorf("%s:%d: %s has the effects %b across lanes, want %b", e.File, e.Line, e.Name, have, want)
		}
	}
	for i, row := range acrossLanes {
		if !found[i] {
			t.Errorf("no entry is called %s", row.names)
		}
	}
}

// TestCrossLaneNotation: what the forms themselves say of other lanes, their effects say, too.
func TestCrossLaneNotation(t *testing.T) {
	for _, e := range Table().Entries() {
		masked, aligned := false, true
		for i := range e.Alts {
			masked = masked || strings.Contains(e.Alts[i].Text, "membermask")
			aligned = aligned && strings.Contains(e.Alts[i].Text, ".aligned") && !strings.Contains(e.Alts[i].Text, "{.aligned}")
		}
		if masked != e.Effects.Has(Masked) {
			t.Errorf("%s: an operand membermask: %v, Masked: %v", e.Name, masked, e.Effects.Has(Masked))
		}
		if aligned && !e.Effects.Has(Converged|Gathers) {
			t.Errorf("%s: every form is .aligned, and it is not Converged", e.Name)
		}
	}
}

// TestEffectErrors: a clause that says nothing known is an error, never an effect less.
func TestEffectErrors(t *testing.T) {
	const entry = "= 9.7.1.1 add  A test\nadd{.scope}.u32 d, a, b;\n.scope = { .cta .gpu }\nd : reg .u32\na, b : reg .u32\nsince 1.0\neffect "
	for clause, want := range map[string]string{
		"shufle":               `there is no effect "shufle"`,
		"gather mask":          `there is no effect "gather mask"`,
		"async bulks":          `there is no group of asynchronous operations "bulks"`,
		"read":                 "an access of what? Name a class or a memory",
		"read .ss":             `".ss" is neither a class nor a modifier of this entry`,
		"sync strong .scope":   `"strong" is neither a class nor a modifier of this entry`,
		"fault;":               "an effect without a word",
		"sync acq_rel .scope":  "",
		"write global; signal": `there is no effect "signal"`,
	} {
		tab := newISA(&index{}, Ptxas)
		e, err := tab.parseEntry(entryText{"test.isa", 1, entry + clause + "\n"}, Ptxas)
		switch {
		case want == "" && (err != nil || e.Effects.Bits != Syncs || e.Effects.Sync.Scope.Class == 0 || e.Effects.Sync.Strength.Mod == 0):
			t.Errorf("effect %s: %+v, %v", clause, e, err)
		case want != "" && (err == nil || !strings.HasSuffix(err.Error(), want)):
			t.Errorf("effect %s: %v, want %s", clause, err, want)
		}
	}
}
