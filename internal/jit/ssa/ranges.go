package ssa

// This file bounds values as signed numbers: a thread's number in its block is not negative and less than the block's size, so a comparison
// with that size is known, and what a compiler writes for negative numbers (a quotient by a power of two rounds towards 0) is nothing.

// mostDepth is how deep the operands of a value are looked at.
const mostDepth = 8

// Between bounds all lanes of a word, as signed numbers.
func (f *Func) Between(v Value) (lo, hi int64) { return f.rangeOf(v, mostDepth) }

const (
	leastWord = -1 << 31
	mostWord  = 1<<31 - 1
)

func (f *Func) rangeOf(v Value, depth int) (lo, hi int64) {
	o := &f.Ops[v]
	lo, hi = leastWord, mostWord
	if o.Type != W || depth == 0 {
		return lo, hi
	}
	of := func(v Value) (int64, int64) { return f.rangeOf(v, depth-1) }
	k, known := f.Known(o.B)
	switch o.Code {
	case Each:
		return f.Ends(v)
	case Const:
		return signed(W, o.Imm), signed(W, o.Imm)
	case Param:
		if v == f.Warp && f.Warps > 0 {
			return 0, int64(f.Warps - 1)
		}
	case Bcast:
		return of(o.A)
	case Strided:
		lo, hi = of(o.A)
		last := int64(f.Copies[o.Copy].Lanes-1) * signed(W, o.Imm)
		lo, hi = lo+min(last, 0), hi+max(last, 0)
	case Add, Sub:
		lo, hi = of(o.A)
		l, h := of(o.B)
		if o.Code == Sub {
			l, h = -h, -l
		}
		lo, hi = lo+l, hi+h
	case Shl:
		if l, h := of(o.A); known && k < 32 {
			lo, hi = l<<k, h<<k
		}
	case Sar, Shr:
		if l, h := of(o.A); known && k < 32 && (o.Code == Sar || l >= 0) {
			lo, hi = l>>k, h>>k
		}
	case MinS, MaxS:
		l, h := of(o.A)
		m, n := of(o.B)
		if lo, hi = min(l, m), min(h, n); o.Code == MaxS {
			lo, hi = max(l, m), max(h, n)
		}
	case Select:
		l, h := of(o.B)
		m, n := of(o.C)
		lo, hi = min(l, m), max(h, n)
	}
	if lo < leastWord || hi > mostWord { // it may wrap
		lo, hi = leastWord, mostWord
	}
	if limit := f.limit(v, depth); limit <= mostWord {
		lo, hi = max(lo, 0), min(hi, int64(limit))
	}
	return lo, hi
}

// ofRanges: comparisons, extremes and shifts that are the same whatever their operands are between their bounds.
func ofRanges(f *Func, o *Op) (Value, bool) {
	if o.N != 2 || f.TypeOf(o.A) != W {
		return 0, false
	}
	switch o.Code {
	case Eq, Ne, LtS, LeS, LtU, LeU:
		return f.compareRanges(o)
	case MinS, MaxS:
		l, h := f.Between(o.A)
		m, n := f.Between(o.B)
		if first := o.Code == MinS; h <= m {
			return map[bool]Value{true: o.A, false: o.B}[first], true
		} else if n <= l {
			return map[bool]Value{true: o.B, false: o.A}[first], true
		}
	case Sar, Shr:
		k, known := f.Known(o.B)
		l, h := f.Between(o.A)
		if known && k < 32 && (o.Code == Sar || l >= 0) && l>>k == h>>k {
			return f.Word(uint32(l >> k)), true
		}
	}
	return 0, false
}

func (f *Func) compareRanges(o *Op) (Value, bool) {
	l, h := f.Between(o.A)
	m, n := f.Between(o.B)
	if (o.Code == LtU || o.Code == LeU) && (l < 0 || m < 0) {
		return 0, false
	}
	switch o.Code {
	case Eq, Ne:
		return f.Truth(o.Code == Ne), h < m || n < l
	case LtS, LtU:
		return f.Truth(h < m), h < m || n <= l
	}
	return f.Truth(h <= m), h <= m || n < l
}

// extendSum: a constant comes out of a sum that is extended, where it is known not to wrap: addresses then differ by what is known.
func extendSum(f *Func, o *Op) (Value, bool) {
	i := &f.Ops[o.A]
	k, known := f.Known(i.B)
	if o.Code != Sext && o.Code != Zext || i.Code != Add || !known {
		return 0, false
	}
	x := i.A
	lo, hi := f.Between(x)
	add := signed(W, k)
	if lo+add < leastWord || hi+add > mostWord || o.Code == Zext && (lo < 0 || lo+add < 0) {
		return 0, false
	}
	return f.Bin(Add, f.Make(o.Code, X, 0, x), f.Wide(uint64(add))), true
}
