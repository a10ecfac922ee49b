package isa

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// drawsPerChoice bounds the tries to reach one choice. Rules that seldom hold need many.
const drawsPerChoice = 20000

// TestReachable: every form, table row and modifier value of the data is part of a legal
// statement, and every statement that is drawn matches its own id alone.
func TestReachable(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, e := range Table().Entries() {
		reached := map[string]bool{}
		for _, c := range e.Choices() {
			names := e.choiceNames(c)
			if !slices.ContainsFunc(names, func(n string) bool { return !reached[n] }) {
				continue
			}
			s := reach(e, r, c)
			for _, name := range names {
				reached[name] = reached[name] || s != nil
			}
			if s != nil {
				checkShuffled(t, r, s)
				checkDisjoint(t, s)
			}
		}
		for name, ok := range reached {
			if !ok {
				t.Errorf("%s:%d: no statement of %s has %s", e.File, e.Line, e.Name, name)
			}
		}
	}
}

func reach(e *Entry, r *rand.Rand, c Choice) *Sample {
	for range drawsPerChoice {
		if s := e.Sample(r, c); s != nil {
			return s
		}
	}
	return nil
}

// choiceNames names what a choice fixes. A value of a class is the same in all forms; one
// with several numbers in it (.m64n88k256) stands for each of them, since rules may exclude
// the combination.
func (e *Entry) choiceNames(c Choice) []string {
	switch {
	case c.Table >= 0:
		return []string{fmt.Sprintf("the row in line %d", e.tables[c.Table].rows[c.Row].line)}
	case c.Slot < 0:
		return []string{e.Alts[c.Alt].Text}
	}
	d := dealer{e: e, alt: &e.Alts[c.Alt]}
	m, class := d.values(c.Slot)[c.Value], d.alt.slots[c.Slot].class
	if class >= 0 && len(e.classes[class].bindings(m)) > 1 {
		var names []string
		for _, b := range e.classes[class].bindings(m) {
			names = append(names, fmt.Sprintf("%s = %d", e.captures[b.capture], b.value))
		}
		return names
	}
	if class >= 0 {
		return []string{fmt.Sprintf("%v as %v", m, e.classes[class].id)}
	}
	return []string{m.String()}
}

// checkShuffled: modifiers in another order, but for those that share values, read the same.
func checkShuffled(t *testing.T, r *rand.Rand, s *Sample) {
	t.Helper()
	e := s.Sel.Entry
	mods := slices.Clone(s.Sel.mods)
	if i := slices.Index(mods, s.Suffix); s.Suffix != 0 && i >= 0 {
		mods = slices.Delete(mods, i, i+1)
	}
	shuffleFree(e, s.Sel.Alt, mods, r)
	for _, p := range e.plans(s.Sel.Alt, mods, s.Suffix) {
		if slices.Equal(p.sel.chosen, s.Sel.chosen) {
			return
		}
	}
	t.Errorf("%s: %v reads differently from %s", e.Name, mods, s.Sel.Text())
}

// shuffleFree swaps neighbours that belong to different families of slots.
func shuffleFree(e *Entry, alt int, mods []Mod, r *rand.Rand) {
	d := dealer{e: e, alt: &e.Alts[alt]}
	d.link()
	families := func(m Mod) (out []int) {
		for i := range d.alt.slots {
			if d.alt.slots[i].accepts(e, m) {
				out = append(out, d.family[i])
			}
		}
		return out
	}
	for range 4 * len(mods) {
		i := r.IntN(len(mods))
		if i+1 < len(mods) && !e.leads(mods[i]) && !e.leads(mods[i+1]) && !slices.ContainsFunc(families(mods[i]), func(f int) bool { return slices.Contains(families(mods[i+1]), f) }) {
			mods[i], mods[i+1] = mods[i+1], mods[i]
		}
	}
}

// leads reports whether m is one of the modifiers whose place is fixed.
func (e *Entry) leads(m Mod) bool {
	return slices.ContainsFunc(e.first, func(r valueRef) bool { return r.mod == m || r.class >= 0 && e.classes[r.class].has(m) })
}

// checkDisjoint: no other id of the opcode reads the modifiers with operands alike.
func checkDisjoint(t *testing.T, s *Sample) {
	t.Helper()
	tokens := slices.Clone(s.Sel.Entry.Opcode)
	for _, m := range s.Sel.mods {
		if m != s.Suffix {
			tokens = append(tokens, m.String())
		}
	}
	suffix := ""
	if s.Suffix != 0 {
		suffix = s.Suffix.String()
	}
	found := false
	for _, p := range Table().Forms(tokens, suffix).plans {
		found = found || p.sel.Entry == s.Sel.Entry
		if p.sel.Entry != s.Sel.Entry && sameOperands(p.sample(0).Operands, s.Operands) {
			t.Errorf("%s is both %s and %s", s.Sel.Text(), s.Sel.Entry.Name, p.sel.Entry.Name)
		}
	}
	if !found {
		t.Errorf("%s, drawn from %s, does not match it", s.Sel.Text(), s.Sel.Entry.Name)
	}
}

// sameOperands reports whether two lists of operands can be the same text: in each place the
// same bracket and a kind in common.
func sameOperands(a, b []OperandSpec) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].Bracket != b[i].Bracket || len(a[i].Parts) != len(b[i].Parts) {
			return false
		}
		for j := range a[i].Parts {
			if !overlap(a[i].Parts[j].Kinds, b[i].Parts[j].Kinds) {
				return false
			}
		}
	}
	return true
}

func overlap(a, b []KindSpec) bool {
	for _, x := range a {
		for _, y := range b {
			shared := slices.ContainsFunc(x.Kinds, func(k ShapeKind) bool { return slices.Contains(y.Kinds, k) })
			if shared && x.Vector == y.Vector && x.Pred == y.Pred && (x.Type == 0 || y.Type == 0 || x.Type.Bits() == y.Type.Bits()) {
				return true
			}
		}
	}
	return false
}
