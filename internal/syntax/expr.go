package syntax

// This file parses constant expressions (4.5.4) with C's precedence.

import "ptxvm.invalid/ptxvm/diag"

// binaryPrecedence is Table 4, lowest first; 0 marks what is no binary operator.
var binaryPrecedence = [kindCount]uint8{
	OrOr: 1, AndAnd: 2, Or: 3, Xor: 4, And: 5, Equal: 6, NotEqual: 6,
	Less: 7, Greater: 7, LessEqual: 7, GreaterEqual: 7,
	Shl: 8, Shr: 8, Plus: 9, Minus: 9, Star: 10, Slash: 10, Percent: 10,
}

// maxOperators bounds the operators of one expression, and so the depth of its tree.
const maxOperators = 4096

// beginsExpr reports whether the current token can begin an expression.
func (p *parser) beginsExpr() bool {
	switch p.kind {
	case Int, Float, HexFloat, Ident, LParen, Plus, Minus, Not, Tilde:
		return true
	}
	return false
}

// continuesExpr reports whether an operator follows a complete operand.
func (p *parser) continuesExpr() bool {
	return p.kind == Question || binaryPrecedence[p.kind] != 0
}

// expr = binary ["?" expr ":" expr]. It never returns nil.
func (p *parser) expr() *Expr {
	if !p.nest() {
		return p.newExpr(ExprBad, p.tok, p.tok)
	}
	defer p.unnest()
	return p.conditional(p.binary(p.unary(), 1))
}

// continueExpr parses the rest of an expression that begins with left.
func (p *parser) continueExpr(left *Expr) *Expr {
	return p.conditional(p.binary(left, 1))
}

func (p *parser) conditional(cond *Expr) *Expr {
	if p.kind != Question || p.failed {
		return cond
	}
	e := p.newExpr(ExprCond, p.take(), cond.First)
	e.X, e.Y = cond, p.expr()
	if p.kind != Colon && !p.failed {
		p.errorAt(p.f.TokenSpan(p.tok), diag.BadExpression, "expected ':' after '?', found %s", p.found())
	}
	p.accept(Colon)
	e.Z = p.expr()
	e.Last = p.prev
	return e
}

// binary parses operators of at least precedence low, to the right of left.
func (p *parser) binary(left *Expr, low uint8) *Expr {
	for n := 0; !p.failed; n++ {
		prec := binaryPrecedence[p.kind]
		if prec == 0 || prec < low {
			break
		}
		if n == maxOperators {
			p.errorAt(p.f.TokenSpan(p.tok), diag.NestingTooDeep, "more than %d operators in one expression", maxOperators)
			break
		}
		e := p.newExpr(ExprBinary, p.take(), left.First)
		e.X = left
		e.Y = p.operandOf(prec)
		e.Last = p.prev
		left = e
	}
	return left
}

// operandOf parses the right operand of an operator of precedence prec.
func (p *parser) operandOf(prec uint8) *Expr {
	right := p.unary()
	if binaryPrecedence[p.kind] > prec {
		right = p.binary(right, prec+1)
	}
	return right
}

// unary = {"+" | "-" | "!" | "~" | cast} primary.
func (p *parser) unary() *Expr {
	switch p.kind {
	case Plus, Minus, Not, Tilde:
		return p.prefix(ExprUnary)
	case LParen:
		if p.f.Kind(p.peek()) == DotWord {
			return p.cast()
		}
	}
	return p.primary()
}

func (p *parser) prefix(kind ExprKind) *Expr {
	if !p.nest() {
		return p.newExpr(ExprBad, p.tok, p.tok)
	}
	defer p.unnest()
	e := p.leaf(kind)
	e.X = p.unary()
	e.Last = p.prev
	return e
}

// cast = "(" word ")" unary.
func (p *parser) cast() *Expr {
	first := p.take()
	e := p.newExpr(ExprCast, p.take(), first)
	p.expect(RParen, "after the type of a cast")
	if p.failed || !p.nest() {
		return e
	}
	defer p.unnest()
	e.X = p.unary()
	e.Last = p.prev
	return e
}

// primary = int | float | int "(" expr ")" | name | "generic" "(" expr ")" | "(" expr ")".
func (p *parser) primary() *Expr {
	switch p.kind {
	case Int:
		return p.argument(p.leaf(ExprInt), ExprMask)
	case Float, HexFloat:
		return p.leaf(ExprFloat)
	case Ident:
		return p.argument(p.leaf(ExprName), ExprCall)
	case LParen:
		e := p.leaf(ExprParen)
		p.parenthesised(e)
		return e
	}
	e := p.newExpr(ExprBad, p.tok, p.tok)
	p.badExpr()
	return e
}

func (p *parser) badExpr() {
	if p.kind == BadToken {
		p.failed = true
		return
	}
	p.errorAt(p.f.TokenSpan(p.tok), diag.BadExpression, "expected a constant, found %s", p.found())
}

// argument turns a literal or name into a mask or call if an argument follows (5.4.4).
func (p *parser) argument(e *Expr, kind ExprKind) *Expr {
	if p.kind == LParen {
		e.Kind = kind
		p.next()
		p.parenthesised(e)
	}
	return e
}

func (p *parser) parenthesised(e *Expr) {
	e.X = p.expr()
	if p.kind != RParen && !p.failed {
		if p.kind == BadToken {
			p.failed = true
			return
		}
		p.errorAt(p.f.TokenSpan(p.tok), diag.BadExpression, "expected ')', found %s", p.found())
	}
	p.accept(RParen)
	e.Last = p.prev
}

// leaf consumes the current token as an expression that begins with it.
func (p *parser) leaf(kind ExprKind) *Expr {
	t := p.take()
	return p.newExpr(kind, t, t)
}

func (p *parser) newExpr(kind ExprKind, token, first TokenID) *Expr {
	e := p.exprs.one()
	*e = Expr{Range: Range{first, max(first, token)}, Kind: kind, Token: token}
	return e
}
