package debug

// This file computes with values.

import (
	"errors"
	"math"

	"ptxvm.invalid/ptxvm/internal/value"
)

// What arithmetic answers, in gdb's words.
var (
	errDivision = errors.New("Division by zero")
	errNoNumber = errors.New("Argument to arithmetic operation not a number or boolean.")
	errShift    = errors.New("Argument to shift operation not an integer.")
)

// eval of an operator with two operands.
func (b *binaryOp) eval(c *evaluation) (Value, error) {
	l, err := b.l.eval(c)
	if err != nil {
		return Value{}, err
	}
	switch {
	case b.op == "&&" && !l.True(), b.op == "||" && l.True():
		return truth(b.op == "||"), nil
	}
	r, err := b.r.eval(c)
	if err != nil {
		return Value{}, err
	}
	if l.compound() || r.compound() {
		return Value{}, errNoNumber
	}
	switch b.op {
	case "&&", "||":
		return truth(r.True()), nil
	case "<<", ">>":
		return shift(b.op, &l, &r)
	}
	t := common(&l, &r)
	if t.Float() {
		return floatOp(b.op, l.float(), r.float(), t, l.literal && r.literal)
	}
	x, err := l.converted(t)
	if err != nil {
		return Value{}, err
	}
	y, err := r.converted(t)
	if err != nil {
		return Value{}, err
	}
	out, err := integerOp(b.op, &x, &y, t)
	out.literal = l.literal && r.literal && !out.boolean()
	return out, err
}

// shift keeps the type of the left operand.
func shift(op string, l, r *Value) (Value, error) {
	if l.Type.Float() || r.Type.Float() {
		return Value{}, errShift
	}
	n, t := uint64(r.integer()), l.number()
	x := l.integer()
	switch {
	case op == "<<":
		return withLiteral(cut(uint64(x)<<min(n, 64), t), l.literal), nil
	case signed(t):
		return withLiteral(cut(uint64(x>>min(n, 63)), t), l.literal), nil
	}
	return withLiteral(cut(uint64(x)>>min(n, 64), t), l.literal), nil
}

func withLiteral(v Value, literal bool) Value {
	v.literal = literal
	return v
}

// integerOp computes with operands of one type.
func integerOp(op string, x, y *Value, t value.Type) (Value, error) {
	a, b := x.integer(), y.integer()
	u, w := uint64(a), uint64(b)
	less := u < w
	if signed(t) {
		less = a < b
	}
	same := a == b && x.High == y.High
	switch op {
	case "==":
		return truth(same), nil
	case "!=":
		return truth(!same), nil
	case "<":
		return truth(less), nil
	case "<=":
		return truth(less || same), nil
	case ">":
		return truth(!less && !same), nil
	case ">=":
		return truth(!less), nil
	case "+":
		u += w
	case "-":
		u -= w
	case "*":
		u *= w
	case "&":
		u &= w
	case "|":
		u |= w
	case "^":
		u ^= w
	case "&^":
		u &^= w
	case "/", "%":
		return quotient(op, a, b, t)
	}
	return cut(u, t), nil
}

func quotient(op string, a, b int64, t value.Type) (Value, error) {
	switch {
	case b == 0:
		return Value{}, errDivision
	case !signed(t) && op == "/":
		return cut(uint64(a)/uint64(b), t), nil
	case !signed(t):
		return cut(uint64(a)%uint64(b), t), nil
	case b == -1 && op == "/": // the lowest number has no opposite
		return cut(uint64(-a), t), nil
	case b == -1:
		return cut(0, t), nil
	case op == "/":
		return cut(uint64(a/b), t), nil
	}
	return cut(uint64(a%b), t), nil
}

// floatOp computes in float64 and rounds to the type.
func floatOp(op string, a, b float64, t value.Type, literal bool) (Value, error) {
	var f float64
	switch op {
	case "==":
		return truth(a == b), nil
	case "!=":
		return truth(a != b), nil
	case "<":
		return truth(a < b), nil
	case "<=":
		return truth(a <= b), nil
	case ">":
		return truth(a > b), nil
	case ">=":
		return truth(a >= b), nil
	case "+":
		f = a + b
	case "-":
		f = a - b
	case "*":
		f = a * b
	case "/":
		f = a / b
	default:
		return Value{}, errNoNumber
	}
	v := Value{Low: math.Float64bits(f), Type: typeF64}
	out, err := v.converted(t)
	out.literal = literal
	return out, err
}

// eval of an operator with one operand.
func (u *unaryOp) eval(c *evaluation) (Value, error) {
	if u.op == "&" {
		return c.addressOf(u.of)
	}
	v, err := u.of.eval(c)
	if err != nil {
		return Value{}, err
	}
	switch {
	case u.op == "*":
		return c.deref(&v)
	case u.op == "!":
		return truth(!v.True()), nil
	case v.compound():
		return Value{}, errNoNumber
	case v.Type.Float() && u.op == "-":
		return floatOp("-", math.Copysign(0, -1), v.float(), v.Type, v.literal)
	case u.op == "+":
		return withLiteral(Value{Low: v.Low, High: v.High, Type: v.Type}, v.literal), nil
	case v.Type.Float():
		return Value{}, errNoNumber
	case u.op == "-":
		return withLiteral(cut(-uint64(v.integer()), v.number()), v.literal), nil
	}
	return withLiteral(cut(^uint64(v.integer()), v.number()), v.literal), nil // ^ and ~
}
