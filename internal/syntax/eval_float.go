package syntax

// This file evaluates float constants (4.5.2). It works on bits and on exact rationals
// that are rounded once, so that no result depends on the host's floating point.

import (
	"math"
	"math/big"
	"strconv"

	"ptxvm.invalid/ptxvm/diag"
)

const (
	signBit     = 1 << 63
	exponentAll = 0x7ff << 52
)

// floatLiteral reads a decimal float, or the bits of an exact one.
func (ev *evaluator) floatLiteral(e *Expr) Value {
	text := ev.f.Text(e.Token)
	if ev.f.Kind(e.Token) == HexFloat {
		bits, _ := strconv.ParseUint(text[2:], 16, 64) // the scanner reported malformed ones
		kind := Double
		if text[1]|0x20 == 'f' {
			kind = Single
		}
		return Value{Kind: kind, Exact: true, Bits: bits}
	}
	v, err := strconv.ParseFloat(text, 64) // rounds to nearest even; too large gives infinity
	if err != nil && v == 0 {
		ev.errorf(e, diag.BadNumber, "malformed number %s", quote(text))
	}
	return Value{Kind: Double, Bits: math.Float64bits(v)}
}

// floatOp applies an operator to two doubles, given by their bits.
func (ev *evaluator) floatOp(e *Expr, op Kind, x, y uint64) Value {
	if !finite(x) || !finite(y) {
		ev.errorf(e, diag.ConstantOverflow, "a float constant is too large")
		return Value{Kind: Double}
	}
	a, b := rational(x), rational(y)
	switch op {
	case Less, Greater, LessEqual, GreaterEqual, Equal, NotEqual:
		return truth(holds(op, a.Cmp(b)))
	case Slash:
		if b.Sign() == 0 {
			ev.errorf(e, diag.ConstantDivision, "division by zero")
			return Value{Kind: Double}
		}
		a.Quo(a, b)
	case Star:
		a.Mul(a, b)
	case Plus:
		a.Add(a, b)
	case Minus:
		a.Sub(a, b)
	default:
		ev.errorf(e, diag.ConstantTypes, "operator %s needs integers", quote(op.String()))
	}
	return Value{Kind: Double, Bits: roundRational(a, zeroSign(op, x, y))}
}

func finite(bits uint64) bool { return bits&exponentAll != exponentAll }

func rational(bits uint64) *big.Rat {
	return new(big.Rat).SetFloat64(math.Float64frombits(bits))
}

// roundRational rounds to the nearest double, ties to even; zero takes the given sign.
func roundRational(r *big.Rat, zero uint64) uint64 {
	v, _ := r.Float64()
	bits := math.Float64bits(v)
	if r.Sign() == 0 {
		return zero
	}
	return bits
}

// zeroSign is the sign that IEEE 754 gives an exact zero of x op y in round to nearest.
func zeroSign(op Kind, x, y uint64) uint64 {
	switch op {
	case Plus:
		return x & y & signBit
	case Minus:
		return x &^ y & signBit
	}
	return (x ^ y) & signBit
}
