package sem

// What users are told about each form: derived from the table, never written down.

import (
	"hash/fnv"
	"math/rand/v2"
	"slices"

	"ptxvm.invalid/ptxvm/internal/isa"
)

// The states of a form.
const (
	Done    = "done"    // every statement is executed
	Partial = "partial" // some statements or effects are not; the notes say which
	Todo    = "todo"    // none is executed
)

// Status says whether the statements of an entry are executed, with what is missing.
func Status(e *isa.Entry) (status string, notes []string) {
	executed, missing := 0, 0
	note := func(s string) {
		if s != "" && !slices.Contains(notes, s) {
			notes = append(notes, s)
		}
	}
	EachSample(e, 2, func(s *isa.Sample) {
		l, err := Lookup(s.Sel)
		if err != nil {
			missing++
			note(s.Sel.Text() + ": " + err.Error())
			return
		}
		executed++
		note(l.Note)
	})
	switch {
	case executed == 0:
		return Todo, nil
	case missing > 0 || len(notes) > 0:
		return Partial, cut(notes)
	}
	return Done, nil
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
