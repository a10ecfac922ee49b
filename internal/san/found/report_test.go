package found

import (
	"testing"

	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/machine"
)

// TestLimits: one report for each pair of places, and no more than asked for.
func TestLimits(t *testing.T) {
	list := NewList(2, nil, nil)
	fn := &machine.FuncInfo{}
	for i := range int32(12) {
		r := &Report{Kind: ReadBeforeDone, Op: machine.Place{Site: machine.Site{Func: fn, PC: 1}}}
		r.Then = machine.Place{Site: machine.Site{Func: fn, PC: i % 4}}
		list.Report(r)
	}
	all := list.Found()
	if len(all.Reports) != 2 || all.Lost != 2 || all.Reports[0].Times != 3 {
		t.Errorf("%d reports, %d more, the first %d times; want 2, 2, 3", len(all.Reports), all.Lost, all.Reports[0].Times)
	}
}

// TestKinds: every kind has its words, and says what would mend it; no two have a name.
func TestKinds(t *testing.T) {
	seen := map[string]bool{}
	for k := range kinds {
		w := WordsOf(Kind(k))
		if _, ok := diag.Lookup(w.Code); !ok || w.Name == "" || w.Msg == "" || seen[w.Name] {
			t.Errorf("kind %d: name %q, code %v, words %q", k, w.Name, w.Code, w.Msg)
		}
		if _, fix := Order(&Report{Kind: Kind(k)}); fix == "" {
			t.Errorf("%s: nothing says what would mend it", w.Name)
		}
		seen[w.Name] = true
	}
}
