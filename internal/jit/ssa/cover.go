package ssa

import "slices"

// This file recomputes whether tests cover an access: nothing that built the tests is trusted.

// covered tells whether an access lies in what its checks have found to be inside: between two addresses that follow each other by
// less than half of the address space, both of which are inside of one allocation, all is.
func (v *verifier) covered(b *Block, at int, e *Effect) bool {
	a := e.Access
	if a.Upto != 0 {
		word, _, signed := v.f.Extended(a.Index)
		return signed && v.corner(a, a.Low, Least, word) && v.corner(a, a.High, Most, word) && v.within(e, a.Check, 0, 0) && v.within(e, a.Upto, 0, 0) &&
			v.runs(a, word) && v.holds(b, at, a.Check, a.Low, nil) && v.holds(b, at, a.Upto, a.High, nil)
	}
	span := int64(v.f.LanesIn(b)-1) * a.Step
	if v.f.Table(a.Index) != nil {
		least, most := v.f.Ends(a.Index)
		if a.Bounds == LocalBounds {
			return least >= 0 && v.inLocal(e, most)
		}
		return a.Runs == 0 && v.within(e, a.Check, least, most) && v.holds(b, at, a.Check, a.Base, nil)
	}
	if a.Index != 0 {
		word, shift, _ := v.f.Extended(a.Index)
		if word == 0 {
			return false
		}
		limit := v.f.Limit(word)
		if span = int64(limit << shift); limit >= 1<<31 {
			return false
		}
	}
	if a.Bounds == LocalBounds {
		return v.inLocal(e, span)
	}
	return a.Runs == 0 && v.within(e, a.Check, min(span, 0), max(span, 0)) && v.holds(b, at, a.Check, a.Base, nil)
}

// inLocal tells whether an access is in the running warp's local memory whatever its addresses are: these are bounded.
func (v *verifier) inLocal(e *Effect, span int64) bool {
	rows, plus := v.f.LocalBase(e.Access.Base)
	if rows == 0 || v.f.Ops[rows].A != v.f.Warp || span < 0 || e.Access.Runs != 0 {
		return false
	}
	if plus != 0 {
		limit := v.f.Limit(plus)
		if limit >= 1<<31 || 1<<v.f.Trailing(plus) < uint64(e.Access.Align) {
			return false
		}
		span += int64(limit)
	}
	return v.within(e, e.Access.Check, 0, span)
}

// within holds the range, the rights and the alignment of a check of an address to those of all lanes of an access, which are from lo to hi
// behind it.
func (v *verifier) within(e *Effect, id CheckID, lo, hi int64) bool {
	if id <= 0 || int(id) >= len(v.f.Checks) {
		return false
	}
	const most = 1 << 40 // far from wrapping
	a, c := e.Access, &v.f.Checks[id]
	if a.Bounds != c.Bounds || e.Stores() && !c.Store || c.Lo > a.Disp+lo || c.Hi < a.Disp+hi+a.Bytes() ||
		c.Lo < -most || c.Hi > most || a.Step > most || a.Step < -most {
		return false
	}
	align := int64(max(a.Align, 1))
	if v.f.Table(a.Index) != nil {
		return int64(c.Align)%align == 0 && a.Disp%align == 0 && 1<<v.f.Trailing(a.Index) >= align
	}
	if a.Index != 0 {
		_, shift, _ := v.f.Extended(a.Index)
		return 1<<shift%align == 0 && int64(c.Align)%align == 0 && a.Disp%align == 0
	}
	return int64(c.Align)%align == 0 && a.Step%align == 0 && a.Disp%align == 0
}

// corner tells whether a value is the base of an access plus its index in the least or in the most lane.
func (v *verifier) corner(a *Access, at Value, code Code, word Value) bool {
	_, shift, _ := v.f.Extended(a.Index)
	is := func(x Value) bool {
		o := &v.f.Ops[x]
		if k, known := v.f.Known(o.B); shift > 0 {
			if o.Code != Shl || !known || k != uint64(shift) {
				return false
			}
			o = &v.f.Ops[o.A]
		}
		i := &v.f.Ops[o.A]
		return o.Code == Sext && i.Code == code && i.A == word
	}
	o := &v.f.Ops[at]
	if k, known := v.f.Known(a.Base); known && k == 0 {
		return is(at)
	}
	return o.Code == Add && (o.A == a.Base && is(o.B) || o.B == a.Base && is(o.A))
}

// runs tells whether what an access says of its lanes' following each other is about its index.
func (v *verifier) runs(a *Access, word Value) bool {
	_, shift, _ := v.f.Extended(a.Index)
	o := &v.f.Ops[a.Runs]
	return a.Runs == 0 || o.Code == Runs && o.A == word && 1<<shift == int(a.Elem) && a.Count == 1
}

// holds tells whether a check holds of an address in front of place at of a block: an effect before it leaves where it does not, or
// each way to it has found that it does.
func (v *verifier) holds(b *Block, at int, id CheckID, addr Value, seen map[*Block]bool) bool {
	for _, item := range b.Items()[:at] {
		if e := item.Effect; e != nil && e.Kind == Leave && v.f.Ops[e.Mask].Code == Not && v.implies(v.f.Ops[e.Mask].A, id, addr) {
			return true
		}
	}
	if seen[b] {
		return false // round a loop
	}
	if seen == nil {
		seen = map[*Block]bool{}
	}
	seen[b] = true
	preds := v.dom.Preds[b.ID]
	if above := v.dom.Above(b); above != nil && (len(preds) != 1 || preds[0] != above) && v.holds(above, len(above.Items()), id, addr, seen) {
		return true
	}
	for _, p := range preds {
		if p.Cond != 0 && p.Out[0].To == b && p.Out[1].To != b && (v.implies(p.Cond, id, addr) || v.throughout(p.Cond, id, addr)) {
			continue
		}
		if !v.holds(p, len(p.Items()), id, addr, seen) {
			return false
		}
	}
	return len(preds) > 0
}

// implies tells whether a check holds of an address where a condition does.
func (v *verifier) implies(cond Value, id CheckID, addr Value) bool {
	switch o := &v.f.Ops[cond]; o.Code {
	case Inside:
		return o.A == addr && CheckID(o.Imm) == id
	case And:
		return v.implies(o.A, id, addr) || v.implies(o.B, id, addr)
	case Or:
		return v.implies(o.A, id, addr) && v.implies(o.B, id, addr)
	case Const:
		return o.Imm == 0 // no lane comes there
	case Param:
		if c := v.decided(cond); c != 0 {
			return v.implies(c, id, addr)
		}
	}
	return false
}

// decided is the condition on which a parameter holds, if each way to its block says whether it does, and one alone that it does; else 0.
func (v *verifier) decided(param Value) (cond Value) {
	b := v.f.Blocks[v.f.Info[param].Block]
	n := slices.Index(b.Params, param)
	for _, p := range v.dom.Preds[b.ID] {
		for i, e := range p.Out {
			k, known := uint64(0), false
			if e.To == b {
				k, known = v.f.Known(e.Args[n])
			}
			switch {
			case e.To != b || known && k == 0:
			case !known || cond != 0 || i != 0 || p.Cond == 0 || p.Out[1].To == b:
				return 0
			default:
				cond = p.Cond
			}
		}
	}
	return cond
}

// throughout tells whether a condition has all that a check of an address for every warp of the CTA takes.
func (v *verifier) throughout(cond Value, id CheckID, addr Value) bool {
	if v.f.Warps == 0 {
		return false
	}
	v.f.lookUp = true
	defer func() { v.f.lookUp = false }()
	inside := v.inside(id, addr)
	v.f.Copy = 0
	all := v.f.Throughout(inside, v.f.Warp, v.f.Warps)
	if all == 0 || all == inside {
		return false
	}
	has := v.terms(cond)
	for _, t := range v.f.Terms(all) {
		if !slices.ContainsFunc(has, func(by Value) bool { return v.f.follows(t, by) }) {
			return false
		}
	}
	return true
}

// inside is what a check says of an address, in the copy of the address or in one that this is part of; 0 if nothing asks for it. The tests
// in front of a group's code are not the group's.
func (v *verifier) inside(id CheckID, addr Value) Value {
	for c := v.f.Ops[addr].Copy; ; c = v.f.Copies[c].Of {
		v.f.Copy = c
		if x := v.f.Make(Inside, M, uint64(id), addr); x != 0 || c == 0 {
			return x
		}
	}
}

// terms are those of a condition, and of what decides it.
func (v *verifier) terms(cond Value) (list []Value) {
	for _, t := range v.f.Terms(cond) {
		if v.f.Ops[t].Code == Param {
			if c := v.decided(t); c != 0 {
				list = append(list, v.f.Terms(c)...)
			}
		}
		list = append(list, t)
	}
	return list
}

// Terms are what a conjunction consists of: without what follows from another one.
func (f *Func) Terms(v Value) (list []Value) {
	for _, t := range f.conjuncts(v, nil) {
		if slices.ContainsFunc(list, func(by Value) bool { return f.follows(t, by) }) {
			continue
		}
		list = append(slices.DeleteFunc(list, func(old Value) bool { return f.follows(old, t) }), t)
	}
	return list
}

func (f *Func) conjuncts(v Value, list []Value) []Value {
	if o := &f.Ops[v]; o.Code == And {
		return f.conjuncts(o.B, f.conjuncts(o.A, list))
	}
	return append(list, v)
}

// follows tells whether a term holds where another does: they are the same, or compare a number with constants.
func (f *Func) follows(t, by Value) bool {
	o, p := &f.Ops[t], &f.Ops[by]
	k, known := f.Known(o.B)
	l, knownBy := f.Known(p.B)
	return t == by || o.Code == LeS && p.Code == LeS && o.A == p.A && known && knownBy && signed(f.TypeOf(o.A), l) <= signed(f.TypeOf(o.A), k)
}
