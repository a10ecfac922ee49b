package modifiers

import (
	"slices"

	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/sem"
	"ptxvm.invalid/ptxvm/internal/testkit/vec"
)

// Value is a modifier value of a form, types included.
type Value struct {
	ID  isa.ID
	Mod isa.Mod
}

func (v Value) String() string { return v.ID.String() + " " + v.Mod.String() }

// verdict is what became of removing or replacing a value.
type verdict uint8

const (
	illegal verdict = iota // no other statement is legal there: the checker tells
	blind                  // other statements are legal, and no result changes
	seen                   // a result changes
)

// trial is the search for vectors that see each value.
type trial struct {
	r     *vec.Runner
	skip  func(Value) bool
	found map[Value]verdict
}

// Sensitivity tells for every modifier value of the vectors, but those to skip, what happens
// without it.
func Sensitivity(vectors []*vec.Wrapped, skip func(Value) bool) map[Value]verdict {
	t := trial{vec.NewRunner(), skip, map[Value]verdict{}}
	defer t.r.Close()
	for _, w := range vectors {
		if w.Todo != "" {
			continue
		}
		for i, s := range w.Stmts {
			if s.Sel != nil {
				t.alter(w, i)
			}
		}
	}
	return t.found
}

// alter tries what has not been seen yet of one statement's modifiers.
func (t *trial) alter(w *vec.Wrapped, i int) {
	s := w.Stmts[i]
	for _, m := range s.Sel.Mods() {
		v := Value{s.Sel.ID(), m}
		at := slices.Index(s.Tokens, m.String())
		if t.found[v] == seen || at < 0 || s.Sel.Fixed(m) || sem.HasNoEffect(m) || t.skip(v) {
			continue
		}
		t.found[v] = max(t.found[v], illegal)
		for _, tokens := range without(s, at) {
			differs, err := t.r.Differs(w, i, s.With(tokens, s.Suffix))
			if err != nil {
				continue
			}
			t.found[v] = max(t.found[v], blind)
			if differs {
				t.found[v] = seen
				break
			}
		}
	}
}

// without lists the statement's tokens with one removed, and replaced by each of the form's
// other modifiers.
func without(s *vec.Statement, at int) (list [][]string) {
	list = append(list, slices.Delete(slices.Clone(s.Tokens), at, at+1))
	for _, m := range s.Sel.Entry.Modifiers() {
		if name := m.String(); !slices.Contains(s.Tokens, name) {
			tokens := slices.Clone(s.Tokens)
			tokens[at] = name
			list = append(list, tokens)
		}
	}
	return list
}
