package sem

// What the tests of the whole table, which know the wings, look at.

import (
	"strings"

	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/uop"
)

// Pick returns the most specific line that holds for a statement, and whether another is as specific.
func (t *Table) Pick(sel *isa.Sel) (best *Line, tie bool) { return pick(t.byID[sel.ID()], sel) }

// LinesOf are the lines of a form.
func (t *Table) LinesOf(id isa.ID) []*Line { return t.byID[id] }

// Executes reports whether an operation has a handler, or is a function that others apply.
func (t *Table) Executes(op uop.Op) bool {
	return t.handlersOf(op).full != nil || op.IsLane() && stamps[op].fn != nil
}

// Unstamped lists the forms a function of whose lines has no loops.
func (t *Table) Unstamped() (forms []isa.ID) {
	for i := range t.lines {
		for _, do := range lanesOf(t.lines[i].Do) {
			if stamps[do.op].full == nil {
				forms = append(forms, t.lines[i].ID)
			}
		}
	}
	return forms
}

// lanesOf returns the lane functions inside an executor of the table.
func lanesOf(do Do) []laneDo {
	switch d := do.(type) {
	case laneDo:
		return []laneDo{d}
	case carryDo:
		return []laneDo{d.laneDo}
	case setpDo:
		return []laneDo{d.laneDo}
	case setDo:
		return []laneDo{d.laneDo}
	case assumptionDo:
		var all []laneDo
		for _, do := range d.do {
			all = append(all, lanesOf(do)...)
		}
		return all
	}
	return nil
}

// Positions lists the lines that an assumption chooses for, and the function of each of its positions.
func (t *Table) Positions() (lines []*Line, functions [][]uop.Op) {
	for i := range t.lines {
		d, ok := t.lines[i].Do.(assumptionDo)
		if !ok {
			continue
		}
		var ops []uop.Op
		for _, do := range d.do {
			for _, l := range lanesOf(do) {
				ops = append(ops, l.op)
			}
		}
		if len(ops) == len(d.do) {
			lines, functions = append(lines, &t.lines[i]), append(functions, ops)
		}
	}
	return lines, functions
}

// String names the conditions.
func (c Cond) String() string {
	var words []string
	for _, t := range c {
		var any []string
		for _, m := range t.any {
			any = append(any, m.String())
		}
		words = append(words, t.class.String()+"="+strings.Join(any, "|"))
	}
	return strings.Join(words, " and ")
}
