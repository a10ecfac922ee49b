package sem

// Lines that depend on an assumption about hardware (package assume).

import (
	"slices"

	"ptxvm.invalid/ptxvm/internal/assume"
	"ptxvm.invalid/ptxvm/internal/isa"
)

// assumer is a Do that depends on assumptions.
type assumer interface{ assumptions() []assume.Assumption }

// limited is a Do that executes some statements of its line only.
type limited interface{ supports(*isa.Sel) bool }

// assumptionDo executes a statement as the launch's position of one assumption says.
type assumptionDo struct {
	g  assume.Assumption
	do []Do // by position
}

// assumption names what executes a statement for each position of an assumption, the default first.
func assumption(g assume.Assumption, do ...Do) assumptionDo {
	if len(do) != len(assume.Table[g].Positions) {
		panic("sem: assumption " + g.String() + " wants one Do for each position")
	}
	return assumptionDo{g, do}
}

func (d assumptionDo) Plan(b *Build) {
	d.do[b.Assumptions.At(d.g)].Plan(b)
}

func (d assumptionDo) Reads(sel *isa.Sel, m isa.Mod) bool {
	return slices.ContainsFunc(d.do, func(do Do) bool { return do.Reads(sel, m) })
}

func (d assumptionDo) Scalar() bool {
	return !slices.ContainsFunc(d.do, func(do Do) bool { return !do.Scalar() })
}

func (d assumptionDo) supports(sel *isa.Sel) bool {
	return !slices.ContainsFunc(d.do, func(do Do) bool {
		l, ok := do.(limited)
		return ok && !l.supports(sel)
	})
}

func (d assumptionDo) assumptions() []assume.Assumption {
	list := []assume.Assumption{d.g}
	for _, do := range d.do {
		list = append(list, assumptionsOf(do)...)
	}
	return list
}

func assumptionsOf(do Do) []assume.Assumption {
	if d, ok := do.(assumer); ok {
		return d.assumptions()
	}
	return nil
}

// Assumptions lists the assumptions that every statement of the line depends on.
func (l *Line) Assumptions() []assume.Assumption { return assumptionsOf(l.Do) }

// mayAssume reports whether statements of the line depend on an assumption.
func (l *Line) mayAssume(g assume.Assumption) bool {
	p, ok := l.Do.(Planned)
	return slices.Contains(l.Assumptions(), g) || ok && slices.Contains(p.sometimes, g)
}

// sometimesAssuming says which assumptions some statements of the line depend on: those for which the function calls b.Depend.
func (p Planned) sometimesAssuming(g ...assume.Assumption) Planned {
	p.sometimes = g
	return p
}

// Depend says that the statement depends on an assumption that the line has declared with sometimesAssuming.
func (b *Build) Depend(g assume.Assumption) {
	if !slices.Contains(b.sometimes, g) {
		b.Fail("BUG: the line does not declare assumption %v", g)
	}
	b.Depends = append(b.Depends, g)
}

// Assuming says which assumptions the function asks b.Assume for.
func (p Planned) Assuming(g ...assume.Assumption) Planned {
	p.asks = g
	return p
}

func (p Planned) assumptions() []assume.Assumption { return p.asks }

// Assume returns the launch's position of an assumption that the line has declared with assuming.
func (b *Build) Assume(g assume.Assumption) int {
	if !slices.Contains(b.asks, g) {
		b.Fail("BUG: the line does not declare assumption %v", g)
	}
	return b.Assumptions.At(g)
}

// AssumedForms lists the forms whose execution depends on an assumption, in the table's order;
// none means that nothing that is executed asks it.
func (t *Table) AssumedForms(g assume.Assumption) (forms []isa.ID) {
	for i := range t.lines {
		if l := &t.lines[i]; l.mayAssume(g) && !slices.Contains(forms, l.ID) {
			forms = append(forms, l.ID)
		}
	}
	return forms
}
