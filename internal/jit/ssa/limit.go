package ssa

import (
	"math/bits"
	"slices"
)

// This file bounds values: what is the largest that a word may be, as an unsigned number?

// Limit is a number that no lane of a word exceeds, unsigned.
func (f *Func) Limit(v Value) uint64 { return f.limit(v, 12) }

func (f *Func) limit(v Value, depth int) uint64 {
	o := &f.Ops[v]
	all := cut(o.Type, ^uint64(0))
	if depth == 0 || o.Code == Const {
		return map[bool]uint64{true: o.Imm, false: all}[o.Code == Const]
	}
	of := func(v Value) uint64 { return f.limit(v, depth-1) }
	k, known := f.Known(o.B)
	switch o.Code {
	case Each:
		return slices.Max(f.Tables[o.Imm])
	case Result:
		return min(all, f.limitOfResult(v))
	case Strided:
		if l, step := of(o.A), signed(o.Type, o.Imm); step > 0 {
			if last := l + uint64(step)*uint64(f.Copies[o.Copy].Lanes-1); l <= 1<<62 && step < 1<<32 && last <= all {
				return last
			}
		}
	case Bcast, Zext:
		return of(o.A)
	case Trunc:
		if l := of(o.A); l <= all {
			return l
		}
	case And, MinU:
		return min(of(o.A), of(o.B))
	case Or, Xor:
		return ones(of(o.A) | of(o.B))
	case Select:
		return max(of(o.B), of(o.C))
	case Shr:
		if known {
			return shr(o.Type, of(o.A), k)
		}
		return of(o.A)
	case Shl:
		if l := of(o.A); known && k < 64 && l <= all>>k {
			return l << k
		}
	case Add:
		if l := of(o.A) + of(o.B); o.Type == W && l <= all {
			return l
		}
	case Mul:
		if hi, l := bits.Mul64(of(o.A), of(o.B)); hi == 0 && l <= all {
			return l
		}
	case Perm:
		return f.limitOfPerm(o, of(o.A), of(o.B))
	case Popc:
		return uint64(o.Type.Bits())
	}
	return all
}

// ones has all bits up to the highest of a value.
func ones(v uint64) uint64 { return 1<<bits.Len64(v) - 1 }

// limitOfResult knows that what was loaded without a sign has the bits of its element.
func (f *Func) limitOfResult(v Value) uint64 {
	for _, e := range f.Blocks[f.Info[v].Block].Effects {
		for _, r := range e.Results {
			if r == v && e.Kind == Load && !e.Access.Signed && e.Access.Elem < 8 {
				return 1<<(8*e.Access.Elem) - 1
			}
		}
	}
	return ^uint64(0)
}

// limitOfPerm: bytes that are zero in the operands are so in the result.
func (f *Func) limitOfPerm(o *Op, a, b uint64) uint64 {
	for i := 3; i >= 0; i-- {
		n, from := o.Imm>>(4*i)&7, a
		if n > 3 {
			n, from = n-4, b
		}
		if from>>(8*n) != 0 {
			return 1<<(8*(i+1)) - 1
		}
	}
	return 0
}
