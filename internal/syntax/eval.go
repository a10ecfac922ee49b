package syntax

// This file evaluates constant expressions and initialisers (4.5.4 to 4.5.6, 5.4.4).
// Where the manual and ptxas differ, it does as ptxas does; the comments say where.

import (
	"ptxvm.invalid/ptxvm/diag"
)

// ValueKind is the type of a constant.
type ValueKind uint8

// The types of constants. Integers are 64 bits wide (4.5.1); an exact 32-bit float
// stays one and takes part in no arithmetic (4.5.2).
const (
	Signed   ValueKind = iota // .s64
	Unsigned                  // .u64
	Double                    // .f64
	Single                    // .f32, from 0f…
)

// Value is a constant: the bits of an integer or float.
type Value struct {
	Kind  ValueKind
	Exact bool // written as 0f… or 0d…
	Bits  uint64
}

// Integer reports whether v is .s64 or .u64.
func (v Value) Integer() bool { return v.Kind <= Unsigned }

// InitValue is what an initialiser stands for: a constant, or an address and an offset.
type InitValue struct {
	Value   Value   // the constant, or the offset from Symbol
	Symbol  TokenID // a variable or function, NoToken for a constant
	Generic bool    // generic(Symbol)
	Mask    uint64  // of 0xff00(…); 0 if there is none
}

// warpSize is the value of WARP_SZ on every target to date (4.5.1).
const warpSize = 32

// Eval returns the value of a constant expression. A nil diagnostic means success;
// names other than WARP_SZ, generic() and masks are no constants.
func (f *File) Eval(e *Expr) (Value, *diag.Diagnostic) {
	ev := evaluator{f: f}
	v := ev.value(e)
	return v, ev.err
}

// EvalInit returns the value of an initialiser, in which symbols stand for addresses.
func (f *File) EvalInit(e *Expr) (InitValue, *diag.Diagnostic) {
	ev := evaluator{f: f}
	v := ev.initial(e)
	return v, ev.err
}

type evaluator struct {
	f   *File
	err *diag.Diagnostic // the first error
}

func (ev *evaluator) errorf(e *Expr, code diag.Code, format string, args ...any) {
	if ev.err == nil {
		d := newError(ev.f.Source, ev.f.Span(e.Range), code, format, args...)
		ev.err = &d
	}
}

func (ev *evaluator) value(e *Expr) Value {
	switch e.Kind {
	case ExprInt:
		return ev.literal(e)
	case ExprFloat:
		return ev.floatLiteral(e)
	case ExprParen:
		return ev.value(e.X)
	case ExprUnary:
		return ev.unary(e)
	case ExprBinary:
		return ev.binary(e)
	case ExprCond:
		return ev.cond(e)
	case ExprCast:
		return ev.cast(e)
	case ExprName:
		if ev.f.Word(e.Token) == WordWarpSize {
			return signed(warpSize)
		}
	}
	ev.errorf(e, diag.NotConstant, "%s is not a constant", quote(ev.f.RangeText(e.Range)))
	return Value{}
}

func signed(n int64) Value { return Value{Kind: Signed, Bits: uint64(n)} }

func truth(b bool) Value {
	if b {
		return signed(1)
	}
	return signed(0)
}

// literal reads an integer. It is unsigned if it has the suffix U or does not fit .s64
// (4.5.1). ptxas finds an overflow only if bit 63 is set before the last digit, and
// else keeps the low 64 bits.
func (ev *evaluator) literal(e *Expr) Value {
	if n, ok := ev.f.Tokens[e.Token].Small(); ok {
		return signed(n)
	}
	digits, base := radix(ev.f.Text(e.Token))
	v := Value{Kind: Signed}
	for i := 0; i < len(digits); i++ {
		if digits[i] == 'U' {
			v.Kind = Unsigned
			break
		}
		if int64(v.Bits) < 0 {
			ev.errorf(e, diag.ConstantOverflow, "%s does not fit into 64 bits", quote(ev.f.Text(e.Token)))
			break
		}
		v.Bits = v.Bits*base + uint64(digitValue(digits[i]))
	}
	if int64(v.Bits) < 0 {
		v.Kind = Unsigned
	}
	return v
}

func radix(text string) (digits string, base uint64) {
	if text[0] != '0' || len(text) == 1 {
		return text, 10
	}
	switch text[1] | 0x20 {
	case 'x':
		return text[2:], 16
	case 'b':
		return text[2:], 2
	}
	return text[1:], 8
}

func digitValue(c byte) byte {
	if c <= '9' {
		return c - '0'
	}
	return c&^0x20 - 'A' + 10
}

func (ev *evaluator) unary(e *Expr) Value {
	v := ev.value(e.X)
	op := ev.f.Kind(e.Token)
	if v.Exact {
		ev.errorf(e, diag.ConstantTypes, "an exact float takes no operator")
		return v
	}
	switch {
	case op == Plus:
	case op == Minus && v.Kind == Double:
		v.Bits ^= signBit
	case !v.Integer():
		ev.errorf(e, diag.ConstantTypes, "operator %s needs an integer", quote(op.String()))
	case op == Minus:
		v.Bits = -v.Bits
	case op == Not:
		return truth(v.Bits == 0)
	case op == Tilde: // 4.5.5: the result is unsigned
		return Value{Kind: Unsigned, Bits: ^v.Bits}
	}
	return v
}

func (ev *evaluator) cast(e *Expr) Value {
	if e.X == nil {
		return Value{}
	}
	v := ev.value(e.X)
	kind, ok := map[Word]ValueKind{WordS64: Signed, WordU64: Unsigned}[ev.f.Word(e.Token)]
	switch {
	case !ok:
		ev.errorf(e, diag.BadExpression, "constants can be cast to .s64 and .u64 only, not to %s", quote(ev.f.Text(e.Token)))
	case !v.Integer():
		ev.errorf(e, diag.ConstantTypes, "only integers can be cast")
	}
	v.Kind = kind
	return v
}

// cond evaluates both arms, so that an error in either is found. ptxas does not convert
// the arms to a common type, and takes integers only; Table 5 says otherwise.
func (ev *evaluator) cond(e *Expr) Value {
	c, x, y := ev.value(e.X), ev.value(e.Y), ev.value(e.Z)
	if !c.Integer() || !x.Integer() || !y.Integer() {
		ev.errorf(e, diag.ConstantTypes, "operator '?:' needs integers")
	}
	if c.Bits != 0 {
		return x
	}
	return y
}

func (ev *evaluator) binary(e *Expr) Value {
	return ev.join(e, ev.value(e.X), ev.value(e.Y))
}

// join applies the operator of e to the values of its operands.
func (ev *evaluator) join(e *Expr, x, y Value) Value {
	op := ev.f.Kind(e.Token)
	switch {
	case ev.err != nil:
		return x
	case x.Exact || y.Exact:
		ev.errorf(e, diag.ConstantTypes, "an exact float takes no operator")
	case x.Integer() != y.Integer():
		ev.errorf(e, diag.ConstantTypes, "operator %s joins an integer and a float", quote(op.String()))
	case !x.Integer():
		return ev.floatOp(e, op, x.Bits, y.Bits)
	case (op == Slash || op == Percent) && y.Bits == 0:
		ev.errorf(e, diag.ConstantDivision, "division by zero")
	default:
		return integerOp(op, x, y)
	}
	return x
}

// integerOp is Table 5 for integers, except that % gives an unsigned result and & ^ |
// use the usual conversions, as 4.5.5 and ptxas have it.
func integerOp(op Kind, x, y Value) Value {
	kind := max(x.Kind, y.Kind) // the usual arithmetic conversions
	switch op {
	case Slash:
		return Value{Kind: kind, Bits: divide(kind, x.Bits, y.Bits)}
	case Percent:
		return Value{Kind: Unsigned, Bits: x.Bits % y.Bits}
	case Shl:
		return Value{Kind: x.Kind, Bits: x.Bits << (y.Bits & 63)}
	case Shr:
		return Value{Kind: x.Kind, Bits: shiftRight(x, y.Bits&63)}
	case AndAnd:
		return truth(x.Bits != 0 && y.Bits != 0)
	case OrOr:
		return truth(x.Bits != 0 || y.Bits != 0)
	case Less, Greater, LessEqual, GreaterEqual, Equal, NotEqual:
		return truth(holds(op, compareInt(kind, x.Bits, y.Bits)))
	}
	return Value{Kind: kind, Bits: wordOp(op, x.Bits, y.Bits)}
}

// wordOp is the operators that do not depend on the sign.
func wordOp(op Kind, x, y uint64) uint64 {
	switch op {
	case Plus:
		return x + y
	case Minus:
		return x - y
	case Star:
		return x * y
	case And:
		return x & y
	case Or:
		return x | y
	case Xor:
		return x ^ y
	}
	panic("BUG: operator " + op.String() + " has no meaning")
}

func divide(kind ValueKind, x, y uint64) uint64 {
	if kind == Unsigned {
		return x / y
	}
	return uint64(int64(x) / int64(y)) // Go: the lowest value / -1 is itself
}

func shiftRight(x Value, n uint64) uint64 {
	if x.Kind == Unsigned {
		return x.Bits >> n
	}
	return uint64(int64(x.Bits) >> n)
}

func compareInt(kind ValueKind, x, y uint64) int {
	if kind == Signed {
		x, y = x^signBit, y^signBit
	}
	switch {
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return 0
}

// holds applies a comparison to the sign of x-y.
func holds(op Kind, c int) bool {
	switch op {
	case Less:
		return c < 0
	case Greater:
		return c > 0
	case LessEqual:
		return c <= 0
	case GreaterEqual:
		return c >= 0
	case Equal:
		return c == 0
	}
	return c != 0
}

// ---- initialisers

// initial evaluates mask(expr), or else an address.
func (ev *evaluator) initial(e *Expr) InitValue {
	if e.Kind != ExprMask {
		return ev.address(e)
	}
	mask := *e
	mask.Kind, mask.Range = ExprInt, Range{e.Token, e.Token}
	v := ev.address(e.X)
	v.Mask = ev.literal(&mask).Bits
	if v.Mask == 0 {
		ev.errorf(e, diag.BadInitializer, "a mask of 0 selects nothing")
	}
	return v
}

// address evaluates {generic(}symbol{)} plus or minus constants, or a constant.
func (ev *evaluator) address(e *Expr) InitValue {
	switch {
	case e.Kind == ExprName && ev.f.Word(e.Token) != WordWarpSize:
		return InitValue{Symbol: e.Token}
	case e.Kind == ExprParen:
		return ev.address(e.X)
	case e.Kind == ExprCall:
		return ev.generic(e)
	case e.Kind == ExprBinary:
		return ev.offset(e)
	}
	return InitValue{Value: ev.value(e)}
}

func (ev *evaluator) generic(e *Expr) InitValue {
	v := ev.address(e.X)
	if ev.f.Word(e.Token) != WordGeneric || v.Symbol == NoToken || v.Generic {
		ev.errorf(e, diag.NotConstant, "expected generic(variable), found %s", quote(ev.f.RangeText(e.Range)))
	}
	v.Generic = true
	return v
}

func (ev *evaluator) offset(e *Expr) InitValue {
	x, y := ev.address(e.X), ev.address(e.Y)
	op := ev.f.Kind(e.Token)
	switch {
	case x.Symbol == NoToken && y.Symbol == NoToken:
		return InitValue{Value: ev.join(e, x.Value, y.Value)}
	case op == Plus && x.Symbol == NoToken:
		x, y = y, x
	case y.Symbol != NoToken || op != Plus && op != Minus:
		ev.errorf(e, diag.NotConstant, "expected address + constant, found %s", quote(ev.f.RangeText(e.Range)))
	}
	if !x.Value.Integer() || !y.Value.Integer() {
		ev.errorf(e, diag.ConstantTypes, "an offset is an integer")
		return x
	}
	x.Value = signed(int64(wordOp(addOr(op), x.Value.Bits, y.Value.Bits)))
	return x
}

// addOr returns Minus for Minus, else Plus; other operators were reported.
func addOr(op Kind) Kind {
	if op == Minus {
		return Minus
	}
	return Plus
}
