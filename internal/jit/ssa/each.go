package ssa

import (
	"math/bits"
	"slices"
)

// This file has values of which each lane is known but for a number that all lanes have in common. Of a warp's threads the low five bits
// are the lanes' own: t & 3, 2*t - (t & 3) and t ^ 1 are a number plus a constant for each lane, whatever the warp is. What is so has one
// form: a number alone, a strided value, a table (Each), or the sum of a table and a number.

// lanesOf is a value in that form: no table means that each lane is the number.
type lanesOf struct {
	base  Value
	table []uint64
}

// Table is the table of lanes of a value that is one.
func (f *Func) Table(v Value) []uint64 {
	if o := &f.Ops[v]; o.Code == Each {
		return f.Tables[o.Imm]
	}
	return nil
}

// asLanes takes a value apart, if it is of the running copy's lanes.
func (f *Func) asLanes(v Value) (l lanesOf, ok bool) {
	o := &f.Ops[v]
	n := f.Copies[f.Copy].Lanes
	switch {
	case f.Info[v].Num:
		return lanesOf{v, nil}, true
	case o.Code == Bcast:
		return lanesOf{o.A, nil}, true
	case f.LanesOf(v) != n:
		return lanesOf{}, false
	case o.Code == Each:
		return lanesOf{f.Const(o.Type, 0), f.Tables[o.Imm]}, true
	case o.Code == Strided:
		table := make([]uint64, n)
		for i := range table {
			table[i] = cut(o.Type, uint64(i)*o.Imm)
		}
		return lanesOf{o.A, table}, true
	}
	return f.sumOf(o)
}

// sumOf takes a sum of a table and a number apart.
func (f *Func) sumOf(o *Op) (l lanesOf, ok bool) {
	if o.Code != Add {
		return lanesOf{}, false
	}
	for _, p := range [2][2]Value{{o.A, o.B}, {o.B, o.A}} {
		switch t, number := f.Table(p[0]), p[1]; {
		case t == nil:
		case f.Info[number].Num:
			return lanesOf{number, t}, true
		case f.Ops[number].Code == Bcast:
			return lanesOf{f.Ops[number].A, t}, true
		}
	}
	return lanesOf{}, false
}

// lane is the entry of a lane.
func (l *lanesOf) lane(i int) uint64 {
	if l.table == nil {
		return 0
	}
	return l.table[i]
}

// bounds are the least and the largest entry of a table as signed numbers.
func (l *lanesOf) bounds(t Type) (least, most int64) {
	for i, k := range l.table {
		if v := signed(t, k); i == 0 {
			least, most = v, v
		} else {
			least, most = min(least, v), max(most, v)
		}
	}
	return least, most
}

// Ends are the least and the largest lane of a table, as signed numbers.
func (f *Func) Ends(v Value) (least, most int64) {
	l := lanesOf{table: f.Table(v)}
	return l.bounds(f.TypeOf(v))
}

// ofLanes: operations on values whose lanes are known make one.
func ofLanes(f *Func, o *Op) (Value, bool) {
	if o.N == 0 || !o.Code.Evaluates() || o.Code >= FAdd {
		return 0, false
	}
	var list [3]lanesOf
	tables, constant := false, true
	_, inForm := f.sumOf(o)
	for i, v := range o.Operands() {
		l, ok := f.asLanes(v)
		if !ok {
			return 0, false
		}
		_, known := f.Known(l.base)
		list[i], tables, constant = l, tables || l.table != nil, constant && known
	}
	switch {
	case !tables, o.Code.linear() && !slices.ContainsFunc(o.Operands(), f.hasTable):
		return 0, false // strided values stay so
	case constant:
		return f.evaluated(o, &list), true
	case o.Type == M:
		return 0, false
	case inForm:
		return f.add(*o), true
	}
	return f.apart(o, &list)
}

// evaluated computes each lane.
func (f *Func) evaluated(o *Op, list *[3]lanesOf) Value {
	table := make([]uint64, f.Copies[f.Copy].Lanes)
	for i := range table {
		var x [3]uint64
		for k, v := range o.Operands() {
			n, _ := f.Known(list[k].base)
			x[k] = cut(f.TypeOf(v), n+list[k].lane(i))
		}
		table[i] = f.Evaluate(o, x[0], x[1], x[2])
	}
	return f.inForm(f.Const(o.Type, 0), table)
}

// apart computes the number and the tables apart from each other, if that is what the operation does.
func (f *Func) apart(o *Op, list *[3]lanesOf) (Value, bool) {
	a, b := &list[0], &list[1]
	k, known := f.Known(b.base)
	known = known && b.table == nil
	scales := o.Code == Shl || o.Code == Mul || o.Code == Shr || o.Code == Sar // by a constant
	switch o.Code {
	case Add, Sub, Trunc:
	case And, Or, Xor:
		if w := min(f.Trailing(a.base), f.Trailing(b.base)); !f.within(o.Type, a, w) || !f.within(o.Type, b, w) {
			return f.withBits(o, a, b)
		}
	case Shl, Mul:
		if !known {
			return 0, false
		}
	case Shr, Sar:
		if !known || k >= uint64(o.Type.Bits()) || !f.within(o.Type, a, f.Trailing(a.base)) {
			return 0, false
		}
	case Zext, Sext:
		return f.extended(o, a)
	default:
		return 0, false
	}
	base := f.Make(o.Code, o.Type, o.Imm, []Value{a.base, b.base}[:o.N]...)
	table := make([]uint64, f.Copies[f.Copy].Lanes)
	for i := range table {
		y := b.lane(i)
		if scales {
			y = k
		}
		table[i] = f.Evaluate(o, a.lane(i), y, 0)
	}
	return f.inForm(base, table), true
}

// extended: the number and the table are extended apart from each other where no lane wraps.
func (f *Func) extended(o *Op, a *lanesOf) (Value, bool) {
	lo, hi := f.Between(a.base)
	least, most := a.bounds(W)
	first := f.Bin(Add, a.base, f.Word(uint32(least)))
	if lo+least < leastWord || hi+most > mostWord || o.Code == Zext && lo+least < 0 {
		last := int64(len(a.table) - 1)
		if f.NoWrap == nil || !f.NoWrap(first, (most-least+last-1)/last, o.Code == Sext) {
			return 0, false
		}
	}
	table := make([]uint64, len(a.table))
	for i, k := range a.table {
		table[i] = uint64(signed(W, k) - least)
	}
	return f.inForm(f.Make(o.Code, X, 0, first), table), true
}

// withBits: with a constant, of which the low bits are the lanes', the high ones the number's.
func (f *Func) withBits(o *Op, a, b *lanesOf) (Value, bool) {
	k, known := f.Known(b.base)
	w := f.Trailing(a.base)
	if !known || b.table != nil || !f.within(o.Type, a, w) {
		return 0, false
	}
	low := uint64(1)<<w - 1
	base := f.Bin(o.Code, a.base, f.Const(o.Type, k&^low))
	table := make([]uint64, len(a.table))
	for i := range table {
		table[i] = f.Evaluate(o, a.table[i], k&low, 0)
	}
	return f.inForm(base, table), true
}

// within tells whether all lanes of a table are below 1<<w.
func (f *Func) within(t Type, l *lanesOf, w int) bool {
	return !slices.ContainsFunc(l.table, func(k uint64) bool { return bits.Len64(k) > min(w, t.Bits()-1) })
}

// linear tells of an operation that it makes strided values of strided ones.
func (c Code) linear() bool {
	switch c {
	case Add, Sub, Mul, Shl, Zext, Sext, Trunc:
		return true
	}
	return false
}

// hasTable tells whether a value is a table, or a number and one.
func (f *Func) hasTable(v Value) bool {
	_, sum := f.sumOf(&f.Ops[v])
	return sum || f.Table(v) != nil
}

// Lanes is a value that has these in the running copy's lanes.
func (f *Func) Lanes(t Type, table []uint64) Value {
	return f.inForm(f.Const(t, 0), slices.Clone(table))
}

// inForm makes the value of a number and a table.
func (f *Func) inForm(base Value, table []uint64) Value {
	t := f.TypeOf(base)
	k, known := f.Known(base)
	if known {
		base = f.Const(t, 0)
	} else {
		k = 0
	}
	for i := range table {
		table[i] = cut(t, table[i]+k)
	}
	if step, even := stepOf(t, table); even && (t != M || step == 0) {
		first := f.Const(t, table[0])
		if t != M {
			first = f.Bin(Add, base, first)
		}
		if step == 0 {
			return first
		}
		return f.Strided(first, step)
	}
	each := f.add(Op{Code: Each, Type: t, Imm: f.tableOf(table)})
	if known {
		return each
	}
	return f.Bin(Add, base, each)
}

// stepOf is how far lanes are apart, if all are as far.
func stepOf(t Type, table []uint64) (int64, bool) {
	step := signed(t, cut(t, table[1]-table[0]))
	for i, k := range table {
		if k != cut(t, table[0]+uint64(i)*uint64(step)) {
			return 0, false
		}
	}
	return step, true
}

// tableOf is the index of a table, which is added if it is not there.
func (f *Func) tableOf(table []uint64) uint64 {
	for i, t := range f.Tables {
		if slices.Equal(t, table) {
			return uint64(i)
		}
	}
	f.Tables = append(f.Tables, table)
	return uint64(len(f.Tables) - 1)
}
