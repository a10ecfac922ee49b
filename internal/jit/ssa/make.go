package ssa

// This file makes operations: folded, in one order, each once.

// Make returns the value of an operation. Operands of what general registers do not compute are brought into lanes.
func (f *Func) Make(c Code, t Type, imm uint64, operands ...Value) Value {
	o := Op{Code: c, Type: t, N: uint8(len(operands)), Imm: imm}
	for i, p := range []*Value{&o.A, &o.B, &o.C}[:len(operands)] {
		*p = operands[i]
	}
	return f.simplify(o)
}

// Const is a constant.
func (f *Func) Const(t Type, v uint64) Value { return f.add(Op{Code: Const, Type: t, Imm: cut(t, v)}) }

// Word, Wide and Truth are constants of a type.
func (f *Func) Word(v uint32) Value { return f.Const(W, uint64(v)) }

// Wide is a constant of 64 bits.
func (f *Func) Wide(v uint64) Value { return f.Const(X, v) }

// Truth is a constant truth value; as a mask it is all lanes or none.
func (f *Func) Truth(v bool) Value { return f.Const(M, bit(v)) }

// Bin is an operation of two operands of the result's type.
func (f *Func) Bin(c Code, a, b Value) Value { return f.Make(c, f.TypeOf(a), 0, a, b) }

// Cmp compares two values.
func (f *Func) Cmp(c Code, a, b Value) Value { return f.Make(c, M, 0, a, b) }

// Sel is a where m holds, else b.
func (f *Func) Sel(m, a, b Value) Value { return f.Make(Select, f.TypeOf(a), 0, m, a, b) }

// Not is where m does not hold.
func (f *Func) Not(m Value) Value { return f.Make(Not, M, 0, m) }

// And, AndNot and Or are of truth values.
func (f *Func) And(a, b Value) Value { return f.Bin(And, a, b) }

// AndNot is where a holds and b does not.
func (f *Func) AndNot(a, b Value) Value { return f.And(a, f.Not(b)) }

// Or is where one of two holds.
func (f *Func) Or(a, b Value) Value { return f.Bin(Or, a, b) }

// Any is the number that tells whether a mask has a lane.
func (f *Func) Any(m Value) Value { return f.Make(Any, M, 0, m) }

// All is the number that tells whether a mask has all lanes.
func (f *Func) All(m Value) Value { return f.Make(All, M, 0, m) }

// Strided is a number plus lane·step.
func (f *Func) Strided(base Value, step int64) Value {
	t := f.TypeOf(base)
	if step = signed(t, cut(t, uint64(step))); step == 0 {
		return base
	}
	return f.add(Op{Code: Strided, Type: t, N: 1, A: base, Imm: uint64(step)})
}

// AsStrided is a value as a number and a step, if it is that.
func (f *Func) AsStrided(v Value) (base Value, step int64, ok bool) {
	if o := &f.Ops[v]; o.Code == Strided {
		return o.A, int64(o.Imm), true
	}
	return v, 0, f.Info[v].Num
}

// add looks an operation up, or appends it.
func (f *Func) add(o Op) Value {
	if f.inLanes(&o); o.Code != Const && o.Code != Field && o.Code != Arg {
		o.Copy = f.Copy
	}
	if v := f.index.find(f.Ops, &o); v != 0 {
		return v
	}
	if c := &f.Copies[o.Copy]; c.From != 0 {
		before := o.in(c.Of)
		if v := f.index.find(f.Ops, &before); v != 0 && v < c.From && (f.Info[v].Num || c.Lanes == f.Copies[c.Of].Lanes) {
			return v // code in front of the copy has computed it
		}
	}
	if f.lookUp {
		return 0
	}
	v := Value(len(f.Ops))
	f.Ops, f.Info = append(f.Ops, o), append(f.Info, f.infoOf(&o))
	f.index.add(f.Ops, v)
	return v
}

// Clone is an operation in a copy, as it is.
func (f *Func) Clone(o Op, copy uint16) Value {
	running := f.Copy
	f.Copy = copy
	v := f.add(o)
	f.Copy = running
	return v
}

// in is the operation in another copy.
func (o Op) in(n uint16) Op {
	o.Copy = n
	return o
}

// inLanes gives lanes to the operands of an operation that is no number.
func (f *Func) inLanes(o *Op) {
	if o.Code == Strided || o.Code == Bcast || o.N == 0 {
		return
	}
	num := defs[o.Code].num
	for _, v := range o.Operands() {
		num = num && f.Info[v].Num
	}
	if num || o.Code.reduces() {
		return
	}
	*o = o.Map(f.Vec)
}

// Vec is a value as lanes; a constant is both.
func (f *Func) Vec(v Value) Value {
	if f.Ops[v].Code == Const || !f.Info[v].Num {
		return v
	}
	return f.add(Op{Code: Bcast, Type: f.TypeOf(v), N: 1, A: v})
}

func (f *Func) infoOf(o *Op) Info {
	i := Info{Uni: true, Num: defs[o.Code].num, Block: -1}
	for _, v := range o.Operands() {
		x := &f.Info[v]
		i.Uni, i.Num, i.Level = i.Uni && x.Uni, i.Num && x.Num, max(i.Level, x.Level)
	}
	switch {
	case o.Code == Strided, o.Code == Each:
		i.Uni = false
	case o.Code == Shuffle:
		i.Uni = f.Info[o.B].Uni
	case o.Code.reduces():
		i.Uni, i.Num = true, true
	}
	return i
}
