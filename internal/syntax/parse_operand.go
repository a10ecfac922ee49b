package syntax

// This file parses operands of instructions (chapter 6).

import "ptxvm.invalid/ptxvm/diag"

// operandsUntil = operand {"," operand}; end is the bracket that must follow, which the
// caller consumes.
func (p *parser) operandsUntil(end Kind) []Operand {
	mark := len(p.operandStack)
	for !p.failed {
		if len(p.operandStack)-mark == maxOperands {
			p.errorAt(p.f.TokenSpan(p.tok), diag.NestingTooDeep, "more than %d operands stand side by side", maxOperands)
			break
		}
		if !p.plain(end) {
			p.operandStack = append(p.operandStack, p.operand())
		}
		if !p.accept(Comma) {
			break
		}
	}
	list := p.operands.keep(p.operandStack[mark:])
	p.operandStack = p.operandStack[:mark]
	if end != Semicolon && !p.failed && p.kind != end {
		p.errorExpected("',' or '"+end.String()+"'", "")
		p.missingComma()
	}
	return list
}

// plain parses an operand that is a single name or whole number, if it is one, as operand does: most are.
func (p *parser) plain(end Kind) bool {
	if p.kind != Int && (p.kind != Ident || p.word == WordWarpSize) {
		return false
	}
	t := p.tok
	if k := p.f.Kind(t + 1); k != Comma && k != end {
		return false
	}
	o := Operand{Range: Range{t, t}, Kind: OperandName, Name: t}
	if p.kind == Int {
		o.Kind, o.Name, o.Expr = OperandConstant, NoToken, p.newExpr(ExprInt, t, t)
	}
	p.operandStack = append(p.operandStack, o)
	p.prev = t
	p.start(t + 1)
	return true
}

// operand = name … | constant | vector ["|" operand] | address | list.
func (p *parser) operand() Operand {
	switch p.kind {
	case Ident:
		if p.word != WordWarpSize {
			return p.nameOperand(Operand{Range: Range{p.tok, p.tok}})
		}
	case LBrace:
		v := p.enclosed(OperandVector, RBrace)
		if p.kind == Or && !p.failed { // tex {…}|p
			return p.pair(v)
		}
		return v
	case LBracket:
		return p.address()
	case LParen:
		if p.peekKind() != DotWord { // else a cast
			return p.list()
		}
	case Not, Minus:
		if next := p.peek(); p.f.Kind(next) == Ident && p.f.Word(next) != WordWarpSize {
			return p.signed()
		}
	}
	return p.constant()
}

// signed = ("!" | "-") name ….
func (p *parser) signed() Operand {
	o := Operand{Range: Range{p.tok, p.tok}, Not: p.kind == Not, Neg: p.kind == Minus}
	p.next()
	return p.nameOperand(o)
}

// nameOperand = name [field] ["[" operand "]"] ["+" expr] ["|" operand].
func (p *parser) nameOperand(o Operand) Operand {
	o.Kind, o.Name = OperandName, p.take()
	if p.kind == DotWord {
		o.Field = p.take()
	}
	switch p.kind {
	case LBracket:
		in := p.enclosed(OperandIndex, RBracket)
		o.Kind, o.Elems = OperandIndex, in.Elems
	case Plus:
		p.next()
		o.Expr = p.expr()
	case Minus:
		o.Expr = p.subtracted()
	}
	o.Last = p.prev
	if p.kind == Or {
		return p.pair(o)
	}
	return o
}

// subtracted parses base-expr, which the grammar does not have, to say so.
func (p *parser) subtracted() *Expr {
	at := p.f.TokenSpan(p.tok)
	p.next()
	e := p.expr()
	if !p.failed {
		d := newError(p.f.Source, at, diag.SubtractedOffset, "an offset is added, never subtracted: write +-")
		d.Fixes = []diag.Fix{{Label: "replace - by +-", Mechanical: true, Edits: []diag.Edit{{Span: at, New: "+-"}}}}
		p.report(d)
	}
	return e
}

// pair = (name | vector) "|" operand.
func (p *parser) pair(left Operand) Operand {
	p.next()
	right := p.operand()
	if right.Kind != OperandName && !p.failed {
		p.errorAt(p.f.Span(right.Range), diag.Expected, "expected a name after '|', found %s", right.Kind)
	}
	mark := len(p.operandStack)
	p.operandStack = append(p.operandStack, left, right)
	both := p.operands.keep(p.operandStack[mark:])
	p.operandStack = p.operandStack[:mark]
	return Operand{Range: p.since(left.First), Kind: OperandPair, Elems: both}
}

// enclosed parses a list in brackets, the current token being the opening one.
func (p *parser) enclosed(kind OperandKind, end Kind) Operand {
	o := Operand{Range: Range{p.tok, p.tok}, Kind: kind}
	if !p.nest() {
		return o
	}
	defer p.unnest()
	p.next()
	if p.kind != end {
		o.Elems = p.operandsUntil(end)
	}
	p.expect(end, "")
	o.Last = p.prev
	return o
}

// address = "[" operand {"," operand} "]" [word].
func (p *parser) address() Operand {
	o := p.enclosed(OperandAddress, RBracket)
	if len(o.Elems) == 0 && !p.failed {
		p.errorAt(p.f.Span(o.Range), diag.Expected, "expected an address between the brackets")
	}
	if p.kind == DotWord && !p.lineStart() {
		o.Field = p.take()
		o.Last = p.prev
		if p.suffix == NoToken {
			p.suffix = o.Field
		}
	}
	return o
}

// list = "(" [operand {"," operand}] ")", or a constant expression that begins with one.
func (p *parser) list() Operand {
	o := p.enclosed(OperandList, RParen)
	if p.failed || len(o.Elems) != 1 || !p.continuesExpr() {
		return o
	}
	value := o.Constant()
	if value == nil {
		return o
	}
	left := p.newExpr(ExprParen, o.First, o.First)
	left.X = value
	left.Last = o.Last
	return Operand{Kind: OperandConstant, Expr: p.continueExpr(left), Range: p.since(o.First)}
}

func (p *parser) constant() Operand {
	first := p.tok
	if !p.beginsExpr() {
		p.errorExpected("an operand", "")
		return Operand{Range: Range{first, first}}
	}
	e := p.expr()
	return Operand{Range: p.since(first), Kind: OperandConstant, Expr: e}
}
