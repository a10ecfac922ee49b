package syntax

// This file parses functions: heads, parameters, attached directives and bodies (11.2).

import "ptxvm.invalid/ptxvm/diag"

// function = (".entry" | ".func") [attributes] [returns] name [params] {directive} (body | ";").
func (p *parser) function(first, linkage TokenID) Stmt {
	n := &Function{Linkage: linkage, Keyword: p.take()}
	if p.word == WordAttribute {
		n.Attributes = p.attributes()
	}
	if p.kind == LParen {
		n.Returns = p.params()
	}
	if p.kind != Ident && p.kind != BadToken {
		p.errorAt(p.f.TokenSpan(p.tok), diag.MissingName, "expected the name of the function, found %s", p.found())
	}
	n.Name = p.expect(Ident, "")
	if p.kind == LParen {
		n.Params = p.params()
	}
	if !p.endsPrototype(n) {
		n.Directives = p.directives()
	}
	p.functionEnd(n)
	n.Range = p.since(first)
	return n
}

func (p *parser) functionEnd(n *Function) {
	switch {
	case p.failed:
	case p.kind == LBrace:
		p.body = p.tok
		n.Body = p.block(true)
	case p.kind == Semicolon:
		p.next()
	case p.endsPrototype(n):
	default:
		p.errorExpected("'{' or ';'", "after the head of the function")
	}
}

// endsPrototype reports whether another statement of the module begins: the semicolon behind the
// declaration of a device function may be missing (ptxas 13.5).
func (p *parser) endsPrototype(n *Function) bool {
	if p.f.Word(n.Keyword) != WordFunc {
		return false
	}
	switch roleOf(p.word) {
	case roleModule, roleFunction, roleLinkage, roleSpace:
		return true
	}
	return p.word == WordPragma
}

// params = "(" [parameter {"," parameter}] ")".
func (p *parser) params() *Params {
	first := p.take()
	n := &Params{}
	for p.kind != RParen && !p.failed {
		n.List = append(n.List, p.parameter())
		if p.kind != RParen {
			p.expect(Comma, "or ')' after the parameter")
		}
	}
	p.expect(RParen, "")
	n.Range = p.since(first)
	return n
}

// directives = {directive}.
func (p *parser) directives() []Directive {
	var list []Directive
	for p.kind == DotWord && !p.failed {
		list = append(list, p.directive())
	}
	return list
}

// directive = word [arg {"," arg}] | ".pragma" string {"," string} ";".
func (p *parser) directive() Directive {
	first, word := p.tok, p.word
	if roleOf(word) != roleAttachment && word != WordPragma {
		p.errorAt(p.f.TokenSpan(first), diag.UnknownDirective, "%s is no directive of a function's head", p.found())
		return Directive{Keyword: first, Range: Range{first, first}}
	}
	p.next()
	d := Directive{Keyword: first, Args: p.directiveArgs()}
	if word == WordPragma {
		p.semicolon()
	}
	d.Range = p.since(first)
	return d
}

// directiveArgs = [value {"," value}]. How many, and of which kind, package check knows.
func (p *parser) directiveArgs() []TokenID {
	if !p.atValue() {
		return nil
	}
	mark := len(p.tokenStack)
	for {
		if !p.atValue() {
			p.errorExpected("a number", "after ','")
			break
		}
		p.tokenStack = append(p.tokenStack, p.take())
		if !p.accept(Comma) {
			break
		}
	}
	return p.popTokens(mark)
}

// atValue reports whether a number or string stands here.
func (p *parser) atValue() bool {
	return p.kind == Int || p.kind == String || p.kind == Ident && p.word == WordWarpSize
}

// block = "{" {statement} "}". The body of a function ends also where a statement of
// module level begins, so that one missing brace is one error.
func (p *parser) block(body bool) *Block {
	first := p.tok
	n := &Block{}
	if !p.nest() {
		return n
	}
	defer p.unnest()
	p.next()
	mark := len(p.stmtStack)
	for p.kind != RBrace {
		if p.kind == EOF || p.beginsModule() && p.endsBody() {
			p.unclosed(first, body)
			break
		}
		if s := p.bodyStmt(); s != nil {
			p.stmtStack = append(p.stmtStack, s)
		}
	}
	n.Stmts = p.stmts.keep(p.stmtStack[mark:])
	p.stmtStack = p.stmtStack[:mark]
	p.accept(RBrace)
	n.Range = p.since(first)
	return n
}

// endsBody reports whether the current directive cannot stand in a body.
func (p *parser) endsBody() bool {
	switch roleOf(p.word) {
	case roleFunction:
		return true
	case roleLinkage:
		return roleOf(p.f.Word(p.peek())) == roleFunction
	}
	return false
}

// unclosed reports the outermost block that has no closing brace.
func (p *parser) unclosed(open TokenID, body bool) {
	if body {
		p.failed = false
		p.errorAt(p.f.TokenSpan(open), diag.UnbalancedBrace, "'{' has no '}'")
		p.failed = false
	}
}
