package ssa

import "math/bits"

// This file has rules for words that are put together of bytes and taken apart again: by which bits of a value are known to be 0.

// Trailing is how many of the low bits of a number, or of each lane, are known to be 0.
func (f *Func) Trailing(v Value) int { return f.trailingOf(v, mostDepth) }

func (f *Func) trailingOf(v Value, depth int) int {
	o := &f.Ops[v]
	if depth == 0 || o.Type == M {
		return 0
	}
	of := func(v Value) int { return f.trailingOf(v, depth-1) }
	n, all := 0, o.Type.Bits()
	switch k, known := f.Known(o.B); {
	case o.Code == Const:
		n = bits.TrailingZeros64(o.Imm) // of 0 all
	case o.Code == Each:
		n = all
		for _, k := range f.Tables[o.Imm] {
			n = min(n, bits.TrailingZeros64(k))
		}
	case o.Code == Bcast, o.Code == Zext && f.trailingOf(o.A, depth-1) < 32, o.Code == Trunc:
		n = of(o.A)
	case o.Code == Strided:
		n = min(of(o.A), bits.TrailingZeros64(o.Imm))
	case o.Code == Shl && known && k < 64:
		n = of(o.A) + int(k)
	case o.Code == Mul:
		n = of(o.A) + of(o.B)
	case o.Code == And:
		n = max(of(o.A), of(o.B))
	case o.Code == Or, o.Code == Xor, o.Code == Add, o.Code == Sub:
		n = min(of(o.A), of(o.B))
	}
	return min(n, all)
}

// ofBits: x & k where x has no other bits; (x|y) & k and (x|y) >> k where y has no bits that are left; and x << k >> l, where nothing
// is lost, is one shift, and none if the shift back is by as much with the sign of what has none.
func ofBits(f *Func, o *Op) (Value, bool) {
	k, known := f.Known(o.B)
	if i := f.Ops[o.A]; o.Code == Sar && known && o.Type == W && k < 31 && i.Code == Shl && i.B == o.B && f.Limit(i.A)>>(31-k) == 0 {
		return i.A, true
	}
	if !known || o.Type != W || o.Code != And && o.Code != Shr || k >= 32 && o.Code == Shr {
		return 0, false
	}
	i := f.Ops[o.A]
	if o.Code == And && f.mayBe(o.A)&^k == 0 {
		return o.A, true
	}
	if i.Code == Or {
		for _, p := range [2][2]Value{{i.A, i.B}, {i.B, i.A}} {
			if o.Code == Shr && f.Limit(p[1])>>k == 0 || o.Code == And && f.Trailing(p[1]) >= bits.Len64(k) {
				return f.Bin(o.Code, p[0], o.B), true
			}
		}
	}
	if l, ok := f.Known(i.B); o.Code == Shr && i.Code == Shl && ok && l < 32 && f.Limit(i.A)<<l>>32 == 0 {
		if l >= k {
			return f.Bin(Shl, i.A, f.Word(uint32(l-k))), true
		}
		return f.Bin(Shr, i.A, f.Word(uint32(k-l))), true
	}
	return 0, false
}

// mayBe has the bits that a word, or a lane of it, may have.
func (f *Func) mayBe(v Value) uint64 {
	limit := f.Limit(v)
	if lo, hi := f.Between(v); lo >= 0 {
		limit = min(limit, uint64(hi))
	}
	return ones(limit) &^ (1<<f.Trailing(v) - 1)
}

// ofPerm: a permutation that moves what two words have of bytes by as much each is a sum of shifts.
func ofPerm(f *Func, o *Op) (Value, bool) {
	if o.Code != Perm {
		return 0, false
	}
	sum := f.Word(0)
	for i, v := range []Value{o.A, o.B} {
		limit := f.Limit(v)
		by, mask, some := 0, uint64(0), false
		for to := range 4 {
			n := int(o.Imm>>(4*to)&7) - 4*i
			if n < 0 || n > 3 || limit>>(8*n) == 0 {
				continue
			}
			if some && by != to-n {
				return 0, false
			}
			by, some, mask = to-n, true, mask|255<<(8*to)
		}
		if !some {
			continue
		}
		code := Shl
		if by < 0 {
			code, by = Shr, -by
		}
		moved := f.Bin(code, v, f.Word(uint32(8*by)))
		if code == Shr && limit>>(8*by)&^mask != 0 || code == Shl && limit<<(8*by)&0xffffffff&^mask != 0 {
			moved = f.Bin(And, moved, f.Word(uint32(mask)))
		}
		sum = f.Bin(Or, sum, moved)
	}
	return sum, true
}
