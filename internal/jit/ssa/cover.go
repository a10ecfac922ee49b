package ssa

// This file recomputes whether a test in front covers an access: nothing that built the test is trusted.

// covered tells whether an access lies in what its check has found to be inside. The check holds on an edge that dominates the
// access: it is one of the terms of the condition of that edge.
func (v *verifier) covered(b *Block, e *Effect) bool {
	if int(e.Access.Check) >= len(v.f.Checks) {
		return false
	}
	c := &v.f.Checks[e.Access.Check]
	for at := b; at != nil; at = v.dom.Above(at) {
		from := v.dom.Above(at)
		if from == nil || from.Cond == 0 || from.Out[0].To != at || len(v.dom.Preds[at.ID]) != 1 {
			continue
		}
		for _, base := range v.addresses(from.Cond, e.Access.Check) {
			if v.contains(b, c, base, e) {
				return true
			}
		}
	}
	return false
}

// addresses are those that a condition tests by a check.
func (v *verifier) addresses(cond Value, id CheckID) []Value {
	o := &v.f.Ops[cond]
	switch {
	case o.Code == Inside && CheckID(o.Imm) == id:
		return []Value{o.A}
	case o.Code == And:
		return append(v.addresses(o.A, id), v.addresses(o.B, id)...)
	}
	return nil
}

// contains holds the range, the rights and the alignment of a check of an address to those of all lanes of an access.
func (v *verifier) contains(_ *Block, c *Check, base Value, e *Effect) bool {
	a := e.Access
	if a.Index != 0 || a.Base != base || a.Bounds != c.Bounds || e.Kind == Store && !c.Store {
		return false
	}
	lanes := int64(32)
	for _, x := range append(e.Reads(), e.Results...) {
		if !v.f.IsNum(x) {
			lanes = int64(v.f.LanesOf(x))
		}
	}
	span := (lanes - 1) * a.Step
	lo, hi := a.Disp+min(span, 0), a.Disp+max(span, 0)+a.Bytes()
	const most = 1 << 40 // far from wrapping
	if c.Lo > lo || c.Hi < hi || c.Lo < -most || c.Hi > most || a.Step > most || a.Step < -most {
		return false
	}
	align := int64(max(a.Align, 1))
	return int64(c.Align)%align == 0 && a.Step%align == 0 && a.Disp%align == 0
}
