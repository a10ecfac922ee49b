package ssa

import "slices"

// This file has rules for masks that follow from numbers: whether some or all lanes of a comparison of strided values hold is a
// comparison of numbers.

func ofAny(f *Func, o *Op) (Value, bool) {
	if o.Code != Any {
		return 0, false
	}
	i := f.Ops[o.A]
	switch {
	case f.Info[o.A].Num:
		return o.A, true
	case i.Code == Bcast:
		return i.A, true
	case i.Code == Each:
		return f.Truth(slices.Contains(f.Table(o.A), 1)), true
	case i.Code == Not:
		return f.Not(f.All(i.A)), true
	case i.Code == Or:
		return f.Or(f.Any(i.A), f.Any(i.B)), true
	case i.Code == And:
		if m, n, ok := f.withNumber(&i); ok {
			return f.And(f.Any(m), n), true
		}
	case i.Code.Comparison():
		return f.strideCompare(&i, false)
	}
	return 0, false
}

func ofAll(f *Func, o *Op) (Value, bool) {
	if o.Code != All {
		return 0, false
	}
	i := f.Ops[o.A]
	switch {
	case f.Info[o.A].Num:
		return o.A, true
	case i.Code == Bcast:
		return i.A, true
	case i.Code == Each:
		return f.Truth(!slices.Contains(f.Table(o.A), 0)), true
	case i.Code == Not:
		return f.Not(f.Any(i.A)), true
	case i.Code == And:
		return f.And(f.All(i.A), f.All(i.B)), true
	case i.Code == Or:
		if m, n, ok := f.withNumber(&i); ok {
			return f.Or(f.All(m), n), true
		}
	case i.Code.Comparison():
		return f.strideCompare(&i, true)
	}
	return 0, false
}

// ofBallot: the ballot of all lanes, or of none, is known; whether one is 0 is whether there are lanes.
func ofBallot(f *Func, o *Op) (Value, bool) {
	if o.Code == Ballot {
		if t := f.Table(o.A); t != nil {
			return f.Word(ballot(t)), true
		}
		k, known := f.Known(o.A)
		return f.Word(uint32(-k)), known
	}
	if k, known := f.Known(o.B); (o.Code == Eq || o.Code == Ne) && known && k == 0 && f.Ops[o.A].Code == Ballot {
		if some := f.Any(f.Ops[o.A].A); o.Code == Ne {
			return some, true
		} else {
			return f.Not(some), true
		}
	}
	return 0, false
}

// ballot has a bit for each lane.
func ballot(table []uint64) (k uint32) {
	for i, v := range table {
		k |= uint32(v) << i
	}
	return k
}

// Surely is a number that does not hold where a mask lacks a lane; it may fail to hold where it has all, if that is not easily told.
func (f *Func) Surely(m Value) Value {
	if o := f.Ops[m]; o.Code == Or && !f.Info[m].Num {
		return f.Or(f.Surely(o.A), f.Surely(o.B))
	}
	return f.All(m)
}

// Maybe is a number that holds where a mask has a lane; it may hold where it has none.
func (f *Func) Maybe(m Value) Value {
	if o := f.Ops[m]; o.Code == And && !f.Info[m].Num {
		return f.And(f.Maybe(o.A), f.Maybe(o.B))
	}
	return f.Any(m)
}

// withNumber parts an operation on masks one of which is a number in every lane.
func (f *Func) withNumber(o *Op) (mask, num Value, ok bool) {
	for _, p := range [2][2]Value{{o.A, o.B}, {o.B, o.A}} {
		if b := &f.Ops[p[1]]; b.Code == Bcast {
			return p[0], b.A, true
		}
	}
	return 0, 0, false
}

// unvec is what lanes are, as a number and a step.
func (f *Func) unvec(v Value) (base Value, step int64, ok bool) {
	if o := &f.Ops[v]; o.Code == Bcast {
		return o.A, 0, true
	}
	return f.AsStrided(v)
}

// strideCompare tells of a comparison of strided values whether it holds in all lanes, or in some. One side must be the same in
// all lanes, and the other must not wrap.
func (f *Func) strideCompare(o *Op, all bool) (Value, bool) {
	a, s, ok := f.unvec(o.A)
	b, t, also := f.unvec(o.B)
	if !ok || !also || s != 0 && t != 0 {
		return 0, false
	}
	if s == 0 && t == 0 {
		if !defs[o.Code].num { // of floats: vector registers compute it, and any lane tells
			return 0, false
		}
		return f.Cmp(o.Code, a, b), true
	}
	last := int64(f.Copies[f.Copy].Lanes - 1)
	switch o.Code {
	case Eq, Ne:
		return f.strideEqual(a, b, s-t, o.Code == Ne, all)
	case LtS, LeS, LtU, LeU:
	default:
		return 0, false
	}
	if o.Code == LtU || o.Code == LeU || f.NoWrap == nil {
		return 0, false
	}
	at := func(v Value, step int64) Value { return f.Bin(Add, v, f.Const(f.TypeOf(v), uint64(last*step))) }
	base, step := a, s
	if s == 0 {
		base, step = b, t
	}
	if !f.NoWrap(base, step, true) {
		return 0, false
	}
	// the lane that decides: of a < b with all lanes the one with the largest a, or the least b
	end := at(base, step)
	if (step > 0) == (all == (s != 0)) {
		base = end
	}
	if s != 0 {
		return f.Cmp(o.Code, base, b), true
	}
	return f.Cmp(o.Code, a, base), true
}

// strideEqual: a + lane·step equals b in some lane if b-a is one of the multiples; in all lanes it never does.
func (f *Func) strideEqual(a, b Value, step int64, not, all bool) (Value, bool) {
	last := f.Copies[f.Copy].Lanes - 1
	if not != all { // some lane is different; all lanes are equal
		return f.Truth(not), true
	}
	if step == -1 {
		a, b, step = b, a, 1
	}
	if step != 1 {
		return 0, false
	}
	in := f.Cmp(LeU, f.Bin(Sub, b, a), f.Const(f.TypeOf(a), uint64(last)))
	if not {
		return f.Not(in), true
	}
	return in, true
}
