package ssa

import (
	"math/bits"
	"slices"
)

// This file has the rules by which operations are simplified as they are made.

// rule makes a simpler value of an operation, if it applies. One with a name can be left out.
type rule struct {
	name  string
	apply func(f *Func, o *Op) (Value, bool)
}

// rules are tried in order.
var rules []rule

func init() {
	rules = []rule{{"", fold}, {"", identity}, {"", sameOperands}, {"lanes", ofLanes}, {"reassociate", reassociate}, {"powers of two", powerOfTwo}, {"perm", ofPerm}, {"bits", ofBits}, {"ranges", ofRanges},
		{"strided sums", strideSum}, {"strided products", strideScale}, {"strided extensions", strideExtend}, {"extended sums", extendSum}, {"", extend}, {"", ofSelect}, {"masks", ofMasks},
		{"", ofNot}, {"NaN payloads", ofFloats}, {"", ofCanon}, {"any", ofAny}, {"all", ofAll}, {"", ofBallot}}
}

// Rules are the names of those that can be left out.
func Rules() (names []string) {
	for _, r := range rules {
		if r.name != "" {
			names = append(names, r.name)
		}
	}
	return names
}

// Without leaves rules out from now on.
func (f *Func) Without(off map[string]bool) {
	f.rules = slices.DeleteFunc(slices.Clone(f.rules), func(r rule) bool { return r.name != "" && off[r.name] })
}

func (f *Func) simplify(o Op) Value {
	if o.Code.commutes() && f.rank(o.A) > f.rank(o.B) {
		o.A, o.B = o.B, o.A
	}
	for _, r := range f.rules {
		if v, ok := r.apply(f, &o); ok {
			return v
		}
	}
	return f.add(o)
}

// rank orders operands: constants last.
func (f *Func) rank(v Value) uint64 {
	if f.Ops[v].Code == Const {
		return uint64(v) | 1<<32
	}
	return uint64(v)
}

// fold computes what is known, but for a NaN of which the payload is not.
func fold(f *Func, o *Op) (Value, bool) {
	if o.N == 0 || !o.Code.Evaluates() {
		return 0, false
	}
	var k [3]uint64
	for i, v := range o.Operands() {
		var ok bool
		if k[i], ok = f.Known(v); !ok {
			return 0, false
		}
	}
	v := f.Evaluate(o, k[0], k[1], k[2])
	if o.AnyPayload() && NaN(o.Type, v) {
		return 0, false
	}
	return f.Const(o.Type, v), true
}

// identity: x+0, x|0, x·1, x<<0, x·0, x&0, x&~0, and x-k as x+(-k).
func identity(f *Func, o *Op) (Value, bool) {
	if o.N != 2 {
		return 0, false
	}
	k, ok := f.Known(o.B)
	if !ok {
		return 0, false
	}
	switch ones := cut(o.Type, ^uint64(0)); o.Code {
	case Add, Or, Xor, Shl, Shr, Sar:
		if k == 0 {
			return o.A, true
		}
		return o.B, o.Code == Or && k == ones
	case Sub:
		return f.Bin(Add, o.A, f.Const(o.Type, -k)), true
	case Mul:
		if k == 1 {
			return o.A, true
		}
		return o.B, k == 0
	case And:
		if k == ones {
			return o.A, true
		}
		return o.B, k == 0
	}
	return 0, false
}

// sameOperands: x&x, x|x, min and max of x and x, and comparisons with itself.
func sameOperands(f *Func, o *Op) (Value, bool) {
	if o.N != 2 || o.A != o.B {
		return 0, false
	}
	switch o.Code {
	case And, Or, MinS, MaxS, MinU, MaxU:
		return o.A, true
	case Sub, Xor:
		return f.Const(o.Type, 0), true
	case Eq, LeS, LeU:
		return f.Truth(true), true
	case Ne, LtS, LtU:
		return f.Truth(false), true
	}
	return 0, false
}

// reassociate brings constants of sums outside: (x+k)+y is (x+y)+k, and (x+k)·c, (x+k)<<c likewise.
func reassociate(f *Func, o *Op) (Value, bool) {
	plus := func(v Value) (Value, Value, bool) {
		i := &f.Ops[v]
		if i.Code != Add {
			return 0, 0, false
		}
		_, ok := f.Known(i.B)
		return i.A, i.B, ok
	}
	switch o.Code {
	case Add:
		if x, k, ok := plus(o.A); ok {
			if _, known := f.Known(o.B); known {
				return f.Bin(Add, x, f.Bin(Add, k, o.B)), true
			}
			return f.Bin(Add, f.Bin(Add, x, o.B), k), true
		}
		if x, k, ok := plus(o.B); ok {
			return f.Bin(Add, f.Bin(Add, o.A, x), k), true
		}
	case Sub:
		if x, k, ok := plus(o.A); ok {
			return f.Bin(Add, f.Bin(Sub, x, o.B), k), true
		}
		if x, k, ok := plus(o.B); ok {
			return f.Bin(Sub, f.Bin(Sub, o.A, x), k), true
		}
	case Mul, Shl:
		if _, known := f.Known(o.B); !known {
			break
		}
		if x, k, ok := plus(o.A); ok {
			return f.Bin(Add, f.Bin(o.Code, x, o.B), f.Bin(o.Code, k, o.B)), true
		}
	}
	return 0, false
}

// powerOfTwo makes shifts of products.
func powerOfTwo(f *Func, o *Op) (Value, bool) {
	k, ok := f.Known(o.B)
	if o.Code != Mul || !ok || bits.OnesCount64(k) != 1 {
		return 0, false
	}
	return f.Bin(Shl, o.A, f.Const(o.Type, uint64(bits.TrailingZeros64(k)))), true
}

// strideSum: sums of strided values are strided.
func strideSum(f *Func, o *Op) (Value, bool) {
	if o.Code != Add && o.Code != Sub {
		return 0, false
	}
	a, s, ok := f.AsStrided(o.A)
	b, t, also := f.AsStrided(o.B)
	if !ok || !also || s == 0 && t == 0 {
		return 0, false
	}
	if o.Code == Sub {
		t = -t
	}
	return f.Strided(f.Bin(o.Code, a, b), s+t), true
}

// strideScale: a strided value times a constant is strided, and its low half.
func strideScale(f *Func, o *Op) (Value, bool) {
	a, s, ok := f.AsStrided(o.A)
	if !ok || s == 0 {
		return 0, false
	}
	switch o.Code {
	case Mul, Shl:
		k, known := f.Known(o.B)
		if !known {
			return 0, false
		}
		if o.Code == Shl {
			k = shl(o.Type, 1, k)
		}
		return f.Strided(f.Make(o.Code, o.Type, 0, a, o.B), s*int64(k)), true
	case Trunc:
		return f.Strided(f.Make(Trunc, W, 0, a), s), true
	}
	return 0, false
}

// strideExtend: a strided value stays strided where it is known that its lanes do not wrap.
func strideExtend(f *Func, o *Op) (Value, bool) {
	if o.Code != Sext && o.Code != Zext || f.NoWrap == nil {
		return 0, false
	}
	a, s, ok := f.AsStrided(o.A)
	if !ok || s == 0 || !f.NoWrap(a, s, o.Code == Sext) {
		return 0, false
	}
	return f.Strided(f.Make(o.Code, X, 0, a), s), true
}

// extend: of what was extended the low half is what it was.
func extend(f *Func, o *Op) (Value, bool) {
	if i := &f.Ops[o.A]; o.Code == Trunc && (i.Code == Sext || i.Code == Zext) {
		return i.A, true
	}
	return 0, false
}

func ofSelect(f *Func, o *Op) (Value, bool) {
	if o.Code != Select {
		return 0, false
	}
	if k, ok := f.Known(o.A); ok {
		if k != 0 {
			return o.B, true
		}
		return o.C, true
	}
	if o.B == o.C {
		return o.B, true
	}
	if i := &f.Ops[o.A]; i.Code == Not {
		return f.Sel(i.A, o.C, o.B), true
	}
	if o.Type == M {
		return f.Or(f.And(o.A, o.B), f.AndNot(o.C, o.A)), true
	}
	return 0, false
}

// ofMasks: (m&p)|(m&~p) is m, m&~m is nothing, m|~m everything.
func ofMasks(f *Func, o *Op) (Value, bool) {
	if o.Type != M || o.Code != And && o.Code != Or {
		return 0, false
	}
	for _, p := range [2][2]Value{{o.A, o.B}, {o.B, o.A}} {
		i, j := &f.Ops[p[0]], &f.Ops[p[1]]
		if i.Code == Not && i.A == p[1] {
			return f.Truth(o.Code == Or), true
		}
		if o.Code != Or || i.Code != And || j.Code != And {
			continue
		}
		for _, q := range [2][2]Value{{i.A, i.B}, {i.B, i.A}} {
			if n := f.Not(q[1]); j.A == q[0] && j.B == n || j.B == q[0] && j.A == n {
				return q[0], true
			}
		}
	}
	return 0, false
}

// ofNot: twice is not at all, nor is unequal; of numbers it goes into what it is of.
func ofNot(f *Func, o *Op) (Value, bool) {
	if o.Code != Not {
		return 0, false
	}
	i := f.Ops[o.A]
	if i.Code == Not {
		return i.A, true
	}
	if !f.Info[o.A].Num {
		if i.Code == Ne {
			return f.Cmp(Eq, i.A, i.B), true
		}
		return 0, false
	}
	switch i.Code {
	case Or:
		return f.And(f.Not(i.A), f.Not(i.B)), true
	case And:
		return f.Or(f.Not(i.A), f.Not(i.B)), true
	case Eq, Ne:
		return f.Cmp(Eq+Ne-i.Code, i.A, i.B), true
	case LtS, LeS:
		return f.Cmp(LtS+LeS-i.Code, i.B, i.A), true
	case LtU, LeU:
		return f.Cmp(LtU+LeU-i.Code, i.B, i.A), true
	}
	return 0, false
}

// ofFloats: arithmetic does not look at the payload of NaNs.
func ofFloats(f *Func, o *Op) (Value, bool) {
	canon := Canon
	if o.Code >= FAdd2 && o.Code <= FFma2 {
		canon = Canon2
	} else if !o.Code.isFloat() {
		return 0, false
	}
	bare := o.Map(func(v Value) Value {
		switch x := f.Ops[v]; {
		case x.Code == canon:
			return x.A
		case x.Code == Shuffle && f.Ops[x.A].Code == canon: // of a reduction: nothing else looks at what came from another lane
			x.A = f.Ops[x.A].A
			return f.add(x)
		}
		return v
	})
	return f.add(bare), bare != *o
}

// ofCanon: what is canonical already, and constants.
func ofCanon(f *Func, o *Op) (Value, bool) {
	if o.Code != Canon {
		return 0, false
	}
	if k, ok := f.Known(o.A); ok {
		if k&0x7fffffff > 0x7f800000 {
			k = 0x7fffffff
		}
		return f.Word(uint32(k)), true
	}
	c := f.Ops[o.A].Code
	return o.A, c == Canon || c == I2F || c == U2F
}
