// Package modifiers holds the vector files to the instruction set: every form, type and
// modifier value that is executed has a vector, and every modifier value has one whose result
// changes when the value is removed or replaced (DESIGN §11).
package modifiers

import (
	"slices"
	"strings"

	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/sem"
	"ptxvm.invalid/ptxvm/internal/sem/table"
	"ptxvm.invalid/ptxvm/internal/testkit/vec"
)

// Unit is what one vector must show: a form with its types and one more modifier.
type Unit struct {
	ID    isa.ID
	Types string  // joined, .s32 or .f16.f32
	Mod   isa.Mod // 0 if the statement has none besides its types
}

func (u Unit) String() string {
	s := u.ID.String() + " " + u.Types
	if u.Mod != 0 {
		s += " " + u.Mod.String()
	}
	return strings.TrimSpace(s)
}

// unitsOf lists the units of a statement.
func unitsOf(sel *isa.Sel) (units []Unit) {
	var types strings.Builder
	var mods []isa.Mod
	for _, m := range sel.Mods() {
		switch {
		case m.Type() != 0:
			types.WriteString(m.String())
		case !sel.Fixed(m) && !slices.Contains(mods, m):
			mods = append(mods, m)
		}
	}
	units = append(units, Unit{ID: sel.ID(), Types: types.String()})
	for _, m := range mods {
		units = append(units, Unit{sel.ID(), types.String(), m})
	}
	return units
}

// samplesPerChoice is how many statements are drawn for every form, row and modifier value.
const samplesPerChoice = 12

// Executed lists the units of the statements that package sem executes.
func Executed() map[Unit]bool {
	all := map[Unit]bool{}
	for _, e := range isa.Table().Entries() {
		sem.EachSample(e, samplesPerChoice, func(s *isa.Sample) {
			if _, err := table.Whole().Lookup(s.Sel); err != nil {
				return
			}
			for _, u := range unitsOf(s.Sel) {
				all[u] = true
			}
		})
	}
	return all
}

// Covered lists the units of the vectors that run.
func Covered(vectors []*vec.Wrapped) map[Unit]bool {
	all := map[Unit]bool{}
	for _, w := range vectors {
		for _, s := range w.Stmts {
			if s.Sel == nil || w.Todo != "" {
				continue
			}
			for _, u := range unitsOf(s.Sel) {
				all[u] = true
			}
		}
	}
	return all
}
