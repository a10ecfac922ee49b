package check

// This file says whose verdict a rejection is where ptxas and the manual differ.

import (
	"fmt"

	"ptxvm/internal/diag"
	"ptxvm/internal/isa"
)

// otherJudge adds to a rejection that the other judge accepts the statement, and why the two
// differ, if the data says so.
func (c *checker) otherJudge(d *diag.Diagnostic, m *isa.Mismatch) {
	sel, fails := isa.Of(c.opt.Judge.Other()).Match(&c.query)
	if fails != nil {
		return
	}
	if m.Kind == isa.WrongOrder && c.opt.Judge == isa.Manual {
		d.Code, d.Msg = diag.NotAllowedWith, "the modifiers stand in another order than in the manual's form"
		d.Fixes = []diag.Fix{{Label: "write " + sel.Text()}}
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
