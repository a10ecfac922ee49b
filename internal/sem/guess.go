package sem

// Lines that depend on a guess about hardware (package assume).

import (
	"slices"

	"ptxvm.invalid/ptxvm/internal/assume"
	"ptxvm.invalid/ptxvm/internal/isa"
)

// guesser is a Do that depends on guesses.
type guesser interface{ guesses() []assume.Guess }

// limited is a Do that executes some statements of its line only.
type limited interface{ supports(*isa.Sel) bool }

// guessDo executes a statement as the launch's position of one guess says.
type guessDo struct {
	g  assume.Guess
	do []Do // by position
}

// guess names what executes a statement for each position of a guess, the default first.
func guess(g assume.Guess, do ...Do) guessDo {
	if len(do) != len(assume.Table[g].Positions) {
		panic("sem: guess " + g.String() + " wants one Do for each position")
	}
	return guessDo{g, do}
}

func (d guessDo) Plan(b *Build) {
	d.do[b.Guesses.At(d.g)].Plan(b)
}

func (d guessDo) Reads(sel *isa.Sel, m isa.Mod) bool {
	return slices.ContainsFunc(d.do, func(do Do) bool { return do.Reads(sel, m) })
}

func (d guessDo) Scalar() bool {
	return !slices.ContainsFunc(d.do, func(do Do) bool { return !do.Scalar() })
}

func (d guessDo) supports(sel *isa.Sel) bool {
	return !slices.ContainsFunc(d.do, func(do Do) bool {
		l, ok := do.(limited)
		return ok && !l.supports(sel)
	})
}

func (d guessDo) guesses() []assume.Guess {
	list := []assume.Guess{d.g}
	for _, do := range d.do {
		list = append(list, guessesOf(do)...)
	}
	return list
}

func guessesOf(do Do) []assume.Guess {
	if d, ok := do.(guesser); ok {
		return d.guesses()
	}
	return nil
}

// Guesses lists the guesses that the line depends on.
func (l *Line) Guesses() []assume.Guess { return guessesOf(l.Do) }

// assuming says which guesses the function asks b.Assume for.
func (p planDo) assuming(g ...assume.Guess) planDo {
	p.asks = g
	return p
}

func (p planDo) guesses() []assume.Guess { return p.asks }

// Assume returns the launch's position of a guess that the line has declared with assuming.
func (b *Build) Assume(g assume.Guess) int {
	if !slices.Contains(b.asks, g) {
		b.fail("BUG: the line does not declare guess %v", g)
	}
	return b.Guesses.At(g)
}

// GuessedForms lists the forms whose execution depends on a guess, in the table's order;
// none means that nothing that is executed asks it.
func GuessedForms(g assume.Guess) (forms []isa.ID) {
	for _, chapter := range chapters() {
		for i := range chapter {
			if l := &chapter[i]; slices.Contains(l.Guesses(), g) && !slices.Contains(forms, l.ID) {
				forms = append(forms, l.ID)
			}
		}
	}
	return forms
}
