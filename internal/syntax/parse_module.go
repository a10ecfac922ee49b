package syntax

// This file parses module level: its directives, and what leads to variables and functions.

import "ptxvm.invalid/ptxvm/diag"

// module = { statement }.
func (p *parser) module() {
	p.start(0)
	if p.kind == BadToken && p.f.Text(p.tok) == byteOrderMark { // reported; what follows is none the worse
		p.next()
	}
	for p.kind != EOF {
		at := p.tok
		p.failed = false
		p.quota.Spend(stmtSteps)
		s := p.moduleStmt()
		if p.failed {
			s = p.badModule(at)
		}
		if s != nil {
			p.f.Stmts = append(p.f.Stmts, s)
		}
	}
}

// badModule skips a broken statement. It always consumes something.
func (p *parser) badModule(at TokenID) Stmt {
	if p.tok == at {
		p.next()
	}
	p.skipModule(at)
	return &Bad{p.since(at)}
}

func (p *parser) moduleStmt() Stmt {
	switch p.kind {
	case DotWord:
		return p.moduleDirective()
	case At:
		if p.atDwarf() {
			return p.dwarfLine()
		}
	case Semicolon:
		p.errorAt(p.f.TokenSpan(p.tok), diag.EmptyStatement, "empty statement")
		return nil
	case RBrace:
		p.errorAt(p.f.TokenSpan(p.tok), diag.UnbalancedBrace, "'}' without '{'")
		return nil
	}
	p.outside()
	return nil
}

// outside reports what belongs into a body.
func (p *parser) outside() {
	if p.kind == BadToken {
		p.failed = true
		return
	}
	p.errorAt(p.f.TokenSpan(p.tok), diag.OutsideFunction, "%s stands outside of a function", p.found())
}

// moduleDirectives are the parsers of the directives that only a module has.
var moduleDirectives [WordCount]func(*parser) Stmt

func init() {
	moduleDirectives = [WordCount]func(*parser) Stmt{
		WordVersion:            (*parser).version,
		WordTarget:             (*parser).target,
		WordAddressSize:        (*parser).addressSize,
		WordFile:               (*parser).fileDirective,
		WordSection:            (*parser).section,
		WordPragma:             (*parser).pragma,
		WordAlias:              (*parser).alias,
		WordIntermediateSource: (*parser).intermediateSource,
	}
}

func (p *parser) moduleDirective() Stmt {
	if p.word < WordCount {
		if parse := moduleDirectives[p.word]; parse != nil {
			return parse(p)
		}
	}
	switch roleOf(p.word) {
	case roleFunction, roleLinkage, roleSpace, roleSpecifier:
		return p.declaration()
	case roleBody:
		p.outside()
		return nil
	}
	p.errorAt(p.f.TokenSpan(p.tok), diag.UnknownDirective, "unknown directive %s", p.found())
	return nil
}

// declaration = {linkage} (function | variables).
func (p *parser) declaration() Stmt {
	first := p.tok
	linkage := p.linkage()
	if roleOf(p.word) == roleFunction {
		return p.function(first, linkage)
	}
	return p.variables(first, linkage)
}

// linkage = [ .extern | .visible | .weak | .common ].
func (p *parser) linkage() TokenID {
	if roleOf(p.word) != roleLinkage {
		return NoToken
	}
	t := p.take()
	if roleOf(p.word) == roleLinkage {
		p.errorAt(p.f.TokenSpan(p.tok), diag.RepeatedSpecifier, "%s after %s: one linkage is enough", p.found(), quote(p.f.Text(t)))
	}
	return t
}

// version = ".version" number.
func (p *parser) version() Stmt {
	first := p.take()
	number := p.tok
	if !p.accept(Float) {
		number = p.expect(Int, "as version")
	}
	return &Version{p.since(first), number}
}

// target = ".target" name {"," name}.
func (p *parser) target() Stmt {
	first := p.take()
	mark := len(p.tokenStack)
	for {
		p.tokenStack = append(p.tokenStack, p.expect(Ident, "as target"))
		if !p.accept(Comma) {
			break
		}
	}
	return &Target{p.since(first), p.popTokens(mark)}
}

func (p *parser) popTokens(mark int) []TokenID {
	out := p.tokens.keep(p.tokenStack[mark:])
	p.tokenStack = p.tokenStack[:mark]
	return out
}

// addressSize = ".address_size" int.
func (p *parser) addressSize() Stmt {
	first := p.take()
	size := p.expect(Int, "as address size")
	return &AddressSize{p.since(first), size}
}

// pragma = ".pragma" string {"," string} ";".
func (p *parser) pragma() Stmt {
	first := p.take()
	mark := len(p.tokenStack)
	for {
		p.tokenStack = append(p.tokenStack, p.expect(String, "after .pragma"))
		if !p.accept(Comma) {
			break
		}
	}
	list := p.popTokens(mark)
	p.semicolon()
	return &Pragma{p.since(first), list}
}

// alias = ".alias" name "," name ";".
func (p *parser) alias() Stmt {
	first := p.take()
	name := p.expect(Ident, "as alias")
	p.expect(Comma, "")
	aliasee := p.expect(Ident, "as aliasee")
	p.semicolon()
	return &Alias{p.since(first), name, aliasee}
}
