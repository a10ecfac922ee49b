package jit

// Operations on integers and predicates, evaluated when compiled.

import "math/bits"

// signed is an element as a signed number.
func (t typ) signed(x uint64) int64 {
	if t == tX {
		return int64(x)
	}
	return int64(int32(uint32(x)))
}

// evaluateLane is an operation on one lane's elements, whose first source is of type from.
func evaluateLane(o *operation, from typ, x, y, z uint64) (v uint64, ok bool) {
	width := uint64(o.typ.bits())
	switch o.code {
	case cConst:
		return o.imm, true
	case cAdd:
		return x + y, true
	case cSub:
		return x - y, true
	case cMul:
		return x * y, true
	case cAnd, cMAnd:
		return x & y, true
	case cOr, cMOr:
		return x | y, true
	case cXor, cMXor:
		return x ^ y, true
	case cMNot:
		return ^x, true
	case cAndn:
		return ^x & y, true
	case cMinS:
		return uint64(min(o.typ.signed(x), o.typ.signed(y))), true
	case cMaxS:
		return uint64(max(o.typ.signed(x), o.typ.signed(y))), true
	case cMinU:
		return min(x, y), true
	case cMaxU:
		return max(x, y), true
	case cShlI:
		return x << o.imm, true
	case cShrI:
		return x >> o.imm, true
	case cSarI:
		return uint64(o.typ.signed(x) >> o.imm), true
	case cShl:
		return x << y, true
	case cShr:
		return x >> y, true
	case cSar:
		return uint64(o.typ.signed(x) >> min(y, width-1)), true
	case cRotI:
		return x<<o.imm | x>>(width-o.imm), true
	case cMulHiU:
		return x * y >> 32, true
	case cMulHiS:
		return uint64(tW.signed(x) * tW.signed(y) >> 32), true
	case cMulLU:
		return x & (1<<32 - 1) * (y & (1<<32 - 1)), true
	case cMulLS:
		return uint64(tW.signed(x) * tW.signed(y)), true
	case cPopc:
		return uint64(bits.OnesCount64(x)), true
	case cZext, cTrunc:
		return x, true
	case cSext:
		return uint64(tW.signed(x)), true
	case cCmp:
		return uint64(bit(compareLane(o.imm, from, x, y))), true
	case cSel:
		if x != 0 {
			return y, true
		}
		return z, true
	}
	return 0, false
}

// compareLane compares two elements.
func compareLane(how uint64, t typ, x, y uint64) bool {
	switch how {
	case cmpEQ:
		return x == y
	case cmpNE:
		return x != y
	case cmpLTS:
		return t.signed(x) < t.signed(y)
	case cmpLES:
		return t.signed(x) <= t.signed(y)
	case cmpLTU:
		return x < y
	}
	return x <= y
}
