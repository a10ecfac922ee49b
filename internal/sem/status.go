package sem

// What users are told about each form: derived from the table, never written down.

import (
	"errors"
	"hash/fnv"
	"math/rand/v2"
	"slices"

	"ptxvm.invalid/ptxvm/internal/isa"
)

// The states of a form.
const (
	Done         = "done"         // every statement that a manual describes is executed
	Undocumented = "undocumented" // ptxas takes it, no manual describes it, and it is not executed
	Partial      = "partial"      // some statements or effects are not executed; the notes say which
	Todo         = "todo"         // none is executed
)

// Coverage says how much of an entry is executed.
type Coverage struct {
	Status       string
	Notes        []string // what is not executed
	Undocumented []string // of what is not executed, what no manual describes, with an example each
}

// Status says whether the statements of an entry are executed, with what is missing.
func (t *Table) Status(e *isa.Entry) Coverage {
	var c Coverage
	executed, missing, silent := 0, 0, map[string]bool{}
	note := func(s string) {
		if s != "" && !slices.Contains(c.Notes, s) {
			c.Notes = append(c.Notes, s)
		}
	}
	EachSample(e, 2, func(s *isa.Sample) {
		l, err := t.Lookup(s.Sel)
		var unknown *UndocumentedError
		switch {
		case errors.As(err, &unknown):
			if !silent[unknown.What] {
				c.Undocumented = append(c.Undocumented, unknown.What+" (`"+s.Sel.Text()+"`)")
			}
			silent[unknown.What] = true
		case err != nil:
			missing++
			note(s.Sel.Text() + ": " + err.Error())
		default:
			executed++
			note(l.Note)
		}
	})
	c.Notes = cut(c.Notes)
	switch {
	case executed == 0 && missing == 0:
		c.Status = Undocumented
	case executed == 0:
		c.Status, c.Notes = Todo, nil
	case missing > 0 || len(c.Notes) > 0:
		c.Status = Partial
	default:
		c.Status = Done
	}
	return c
}

// maxNotes bounds the notes of one form.
const maxNotes = 6

func cut(notes []string) []string {
	if len(notes) > maxNotes {
		return append(notes[:maxNotes:maxNotes], "and more")
	}
	return notes
}

// EachSample visits n legal statements for every form, table row and modifier value of an
// entry, the same ones in every run.
func EachSample(e *isa.Entry, n int, visit func(*isa.Sample)) {
	name := fnv.New64a()
	name.Write([]byte(e.ID.String())) // not the number, which a new entry elsewhere shifts
	r := rand.New(rand.NewPCG(1, name.Sum64()))
	for _, c := range e.Choices() {
		for range n {
			if s := e.Sample(r, c); s != nil {
				visit(s)
			}
		}
	}
}
