package check

// This file says whose verdict a rejection is where ptxas and the manual differ.

import (
	"fmt"

	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/syntax"
)

// otherJudge adds to a rejection that the other judge accepts the statement, and why the two
// differ, if the data says so.
func (c *checker) otherJudge(d *diag.Diagnostic, s *syntax.Instruction, m *isa.Mismatch) {
	sel, fails := isa.Of(c.opt.Judge.Other()).Match(&c.query)
	if fails != nil {
		return
	}
	if m.Kind == isa.WrongOrder && c.opt.Judge == isa.Manual {
		d.Code, d.Msg = diag.NotAllowedWith, "the modifiers stand in another order than in the manual's form"
		d.Fixes = []diag.Fix{{Label: "write " + sel.Text(), Mechanical: true, Edits: c.reorder(s, sel)}}
	}
	manual := fmt.Sprintf("the manual (%s)", section(sel.Entry))
	if c.opt.Judge == isa.Ptxas {
		d.Msg += fmt.Sprintf("; ptxas 13.5 rejects this, %s allows it", manual)
	} else {
		d.Msg += fmt.Sprintf("; %s rejects this, ptxas 13.5 accepts it", manual)
	}
	if why := sel.Why(m); why != "" {
		d.Msg += ": " + why
	}
}

// reorder writes the modifiers as the form has them, word by word: what stands between the
// words stays. It gives nothing if a modifier is written twice or means nothing.
func (c *checker) reorder(s *syntax.Instruction, sel *isa.Sel) []diag.Edit {
	words := FormOrder(sel)
	if len(words) != len(s.Mods) {
		return nil
	}
	var edits []diag.Edit
	for i, t := range s.Mods {
		if c.text(t) != words[i] {
			edits = append(edits, diag.Edit{Span: c.at(t), New: words[i]})
		}
	}
	return edits
}

// FormOrder lists the words behind the opcode in the order in which the form of a statement
// has them, and the suffix of an operand where that stands.
func FormOrder(sel *isa.Sel) []string {
	words := append([]string(nil), sel.Entry.Opcode[1:]...)
	for _, m := range sel.Mods() {
		words = append(words, m.String())
	}
	return words
}
