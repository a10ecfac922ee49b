package ssa

import (
	"math/bits"
	"slices"
)

// This file turns a condition on numbers that one parameter is among into one that holds for every value of the parameter: what is
// tested for each warp of a CTA is tested once. It looks at the first value of the parameter and at the last: between them a number
// that is linear goes evenly, if nothing wraps on the way, which is tested, too. Where it is known how far the last is from the first
// one test of the first has both.

// Throughout returns a number that holds only if cond does for every value of param from 0 to n-1; 0 if it finds none.
func (f *Func) Throughout(cond, param Value, n int) Value {
	s := &throughout{f: f, param: param, n: uint64(n), on: map[Value]bool{}, replaced: map[replacement]map[Value]Value{}}
	return s.all(cond)
}

type throughout struct {
	f     *Func
	param Value
	n     uint64
	on    map[Value]bool
	conds []Value // on which linear numbers are so

	replaced map[replacement]map[Value]Value // what came of values
}

// replacement is a value in place of another one.
type replacement struct{ part, by Value }

// depends tells whether a value is another one for each value of the parameter.
func (s *throughout) depends(v Value) bool {
	if v == s.param {
		return true
	}
	d, known := s.on[v]
	if !known {
		for _, a := range s.f.Ops[v].Operands() {
			d = s.depends(a) || d
		}
		s.on[v] = d
	}
	return d
}

// with is a value with another one in place of a part of it.
func (s *throughout) with(v, part, by Value) Value {
	key := replacement{part, by}
	made := s.replaced[key]
	if made == nil {
		made = map[Value]Value{part: by}
		s.replaced[key] = made
	}
	return s.replace(v, made)
}

func (s *throughout) replace(v Value, made map[Value]Value) Value {
	if r, ok := made[v]; ok {
		return r
	}
	if v == 0 || v == s.param || !s.depends(v) {
		return v
	}
	o := s.f.Ops[v].Map(func(a Value) Value { return s.replace(a, made) })
	r := s.f.Make(o.Code, o.Type, o.Imm, o.Operands()...)
	made[v] = r
	return r
}

// at is a value for one value of the parameter.
func (s *throughout) at(v Value, k uint64) Value {
	return s.with(v, s.param, s.f.Const(s.f.TypeOf(s.param), k))
}

// ends is a condition for the first and the last value of the parameter, or for the last alone, with what else has to hold.
func (s *throughout) ends(cond Value, last bool) Value {
	all := s.at(cond, s.n-1)
	if !last {
		all = s.f.And(s.at(cond, 0), all)
	}
	return s.andConds(all)
}

// andConds is a condition with what else has to hold.
func (s *throughout) andConds(all Value) Value {
	for _, c := range s.conds {
		all = s.f.And(all, c)
	}
	return all
}

// below is the condition for a word that grows to be at most a constant, with which it does not wrap either: the first is as much below as it
// grows. 0: it is no such condition.
func (s *throughout) below(o *Op) Value {
	most, known := s.f.Known(o.B)
	if o.Code != LeS || !known || s.f.TypeOf(o.A) != W || !s.linear(o.A) {
		return 0
	}
	k := s.step(o.A)
	low := signed(W, most) - k*int64(s.n-1)
	if k < 0 || k >= 1<<24 || low < -1<<31 {
		return 0
	}
	return s.f.Cmp(LeS, s.at(o.A, 0), s.f.Word(uint32(low)))
}

// span is how far the last value of a linear number is from the first, if that is known and not far.
func (s *throughout) span(v Value) (int64, bool) {
	k, known := s.f.Known(s.delta(v))
	d := signed(X, k)
	return d * int64(s.n-1), known && d > -1<<20 && d < 1<<20
}

// inside is one test of all that is between the first and the last address, which are so far apart.
func (s *throughout) inside(o *Op, span int64) Value {
	c := s.f.Checks[o.Imm]
	c.Lo, c.Hi = c.Lo+min(span, 0), c.Hi+max(span, 0)
	id := slices.Index(s.f.Checks, c)
	if id < 0 {
		if s.f.lookUp {
			return 0
		}
		s.f.Checks, id = append(s.f.Checks, c), len(s.f.Checks)
	}
	return s.andConds(s.f.Make(Inside, M, uint64(id), s.at(o.A, 0)))
}

func (s *throughout) all(cond Value) Value {
	o := s.f.Ops[cond]
	switch {
	case !s.depends(cond):
		return cond
	case o.Code == And || o.Code == Or:
		a, b := s.all(o.A), s.all(o.B)
		if a == 0 || b == 0 {
			return 0
		}
		return s.f.Bin(o.Code, a, b)
	}
	return s.term(cond, 3)
}

// term is all for what is neither; it may look at so many selects in both ways.
func (s *throughout) term(cond Value, choices int) Value {
	o := s.f.Ops[cond]
	if !s.depends(cond) {
		return cond
	}
	if c := s.choice(cond); c != 0 {
		if choices == 0 {
			return 0
		}
		i := s.f.Ops[c]
		a, b := s.term(s.with(cond, c, i.B), choices-1), s.term(s.with(cond, c, i.C), choices-1)
		if a == 0 || b == 0 {
			return 0
		}
		return s.f.And(a, b)
	}
	s.conds = nil
	ok, last := false, false
	switch o.Code {
	case LtS, LeS:
		if low := s.below(&o); low != 0 {
			return s.andConds(low)
		}
		ok = s.exact(o.A) && s.exact(o.B)
		last = ok && s.step(o.A) >= 0 && !s.depends(o.B)
	case Inside:
		if ok = s.linear(o.A) && s.small(s.delta(o.A), s.f.Checks[o.Imm].Align); ok {
			if span, known := s.span(o.A); known {
				return s.inside(&o, span)
			}
		}
	}
	if !ok {
		return 0
	}
	return s.ends(cond, last)
}

// choice finds a select that depends on the parameter.
func (s *throughout) choice(v Value) Value {
	o := &s.f.Ops[v]
	if o.Code == Select && s.f.IsNum(v) && s.depends(v) {
		return v
	}
	for _, a := range o.Operands() {
		if s.depends(a) {
			if c := s.choice(a); c != 0 {
				return c
			}
		}
	}
	return 0
}

// linear tells whether a number is one modulo its width, on conditions.
func (s *throughout) linear(v Value) bool {
	o := s.f.Ops[v]
	switch {
	case !s.depends(v) || v == s.param:
		return true
	case o.Code == Add || o.Code == Sub:
		return s.linear(o.A) && s.linear(o.B)
	case o.Code == Mul:
		return s.linear(o.A) && s.linear(o.B) && !(s.depends(o.A) && s.depends(o.B))
	case o.Code == Shl:
		_, known := s.f.Known(o.B)
		return known && s.linear(o.A)
	case o.Code == Sext:
		return s.exact(o.A)
	}
	return false
}

// delta is how much larger a linear number becomes with each value of the parameter.
func (s *throughout) delta(v Value) Value {
	o := s.f.Ops[v]
	switch {
	case !s.depends(v):
		return s.f.Const(o.Type, 0)
	case v == s.param:
		return s.f.Const(o.Type, 1)
	case o.Code == Sext:
		return s.f.Make(Sext, X, 0, s.delta(o.A))
	case o.Code == Mul && s.depends(o.A) || o.Code == Shl:
		return s.f.Bin(o.Code, s.delta(o.A), o.B)
	case o.Code == Mul:
		return s.f.Bin(Mul, o.A, s.delta(o.B))
	}
	return s.f.Bin(o.Code, s.delta(o.A), s.delta(o.B))
}

// exact tells whether a linear number, as a signed one, never wraps. Of words that is tested: the last value is what the first and the steps
// come to in 64 bits. Of 64 bits it follows from what they are made of.
func (s *throughout) exact(v Value) bool {
	if !s.depends(v) {
		return true
	}
	if !s.linear(v) {
		return false
	}
	if s.f.TypeOf(v) == X {
		return s.f.bitsOf(v) < 50 && s.f.bitsOf(s.delta(v)) < 50
	}
	if k := s.step(v); k >= 0 && k < 1<<24 {
		s.conds = append(s.conds, s.f.Cmp(LeS, s.at(v, 0), s.f.Word(uint32(1<<31-1-k*int64(s.n-1)))))
		return true
	}
	wide := func(v Value) Value { return s.f.Make(Sext, X, 0, v) }
	last := s.f.Bin(Add, wide(s.at(v, 0)), s.f.Bin(Mul, wide(s.delta(v)), s.f.Wide(s.n-1)))
	s.conds = append(s.conds, s.f.Cmp(Eq, wide(s.f.Make(Trunc, W, 0, last)), last))
	return true
}

// step is by how much a linear number grows, if that is known; else -1.
func (s *throughout) step(v Value) int64 {
	d := s.delta(v)
	if k, known := s.f.Known(d); known {
		return signed(s.f.TypeOf(d), k)
	}
	return -1
}

// small tells whether steps are small beside the address space; they are to keep an alignment.
func (s *throughout) small(delta Value, align uint8) bool {
	if align > 1 {
		s.conds = append(s.conds, s.f.Cmp(Eq, s.f.Bin(And, delta, s.f.Wide(uint64(align)-1)), s.f.Wide(0)))
	}
	return s.f.bitsOf(delta) < 50
}

// bitsOf bounds how many bits a number of 64 bits has as a signed one.
func (f *Func) bitsOf(v Value) int {
	o := &f.Ops[v]
	switch o.Code {
	case Const:
		return 65 - max(bits.LeadingZeros64(o.Imm), bits.LeadingZeros64(^o.Imm))
	case Sext:
		return 32
	case Zext:
		return 33
	case Add, Sub:
		return min(64, max(f.bitsOf(o.A), f.bitsOf(o.B))+1)
	case Mul:
		return min(64, f.bitsOf(o.A)+f.bitsOf(o.B))
	case Shl:
		if k, ok := f.Known(o.B); ok && k < 64 {
			return min(64, f.bitsOf(o.A)+int(k))
		}
	}
	return 64
}
