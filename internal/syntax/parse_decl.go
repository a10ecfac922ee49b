package syntax

// This file parses declarations of variables and parameters (5.4).

import "ptxvm.invalid/ptxvm/diag"

// variables = specifiers [declarator {"," declarator}] ";". ptxas takes a declaration of
// nothing, too.
func (p *parser) variables(first, linkage TokenID) Stmt {
	n := &Variables{Linkage: linkage}
	p.specifiers(n)
	for !p.failed && (p.kind != Semicolon || len(n.Vars) > 0) {
		n.Vars = append(n.Vars, p.declarator())
		if !p.accept(Comma) {
			break
		}
	}
	p.semicolon()
	n.Range = p.since(first)
	return n
}

// parameter = specifiers declarator.
func (p *parser) parameter() Variables {
	first := p.tok
	var n Variables
	p.inParameter = true
	p.specifiers(&n)
	p.inParameter = false
	if !p.failed {
		n.Vars = []Declarator{p.declarator()}
	}
	n.Range = p.since(first)
	return n
}

// specifiers = {space | .align | .attribute} [vector] type [ptr].
func (p *parser) specifiers(n *Variables) {
	for p.kind == DotWord && !p.failed {
		p.specifier(n)
	}
	if n.Space == NoToken && !p.failed {
		p.errorExpected("a state space", "in the declaration")
	}
	if n.Type == NoToken && !p.failed {
		p.errorAt(p.f.TokenSpan(p.prev), diag.MissingType, "expected a type after %s", quote(p.f.Text(p.prev)))
	}
}

func (p *parser) specifier(n *Variables) {
	switch r := roleOf(p.word); {
	case r == roleSpace:
		p.once(&n.Space, n)
		if n.Bank = p.bank(n.Space); n.Bank != NoToken && !p.failed {
			p.together(n)
		}
	case p.word == WordAlign && p.inParameter && n.Type != NoToken && n.Ptr == nil:
		n.Ptr = p.ptr(p.tok)
	case p.word == WordAlign:
		p.early(n)
		p.next()
		if n.Align == NoToken {
			n.Align = p.count("after .align")
		} else {
			n.MoreAligns = append(n.MoreAligns, p.count("after .align"))
		}
	case p.word == WordAttribute:
		p.early(n)
		n.Attributes = append(n.Attributes, p.attributes()...)
	case r == roleVector:
		p.once(&n.Vector, n)
	case p.word == WordPtr:
		if n.Ptr != nil {
			p.repeated(p.tok)
		}
		n.Ptr = p.ptr(p.take())
	default:
		p.once(&n.Type, n)
	}
}

// once sets a specifier that may stand once; all but the type itself stand before the type.
func (p *parser) once(field *TokenID, n *Variables) {
	if *field != NoToken {
		p.repeated(p.tok)
	}
	p.beforeType(n)
	*field = p.take()
}

func (p *parser) repeated(at TokenID) {
	p.errorAt(p.f.TokenSpan(at), diag.RepeatedSpecifier, "%s is one specifier too many", quote(p.f.Text(at)))
}

// early checks that alignment and attributes stand before vector and type.
func (p *parser) early(n *Variables) {
	if n.Vector != NoToken {
		p.order(n.Vector)
	}
	p.beforeType(n)
}

func (p *parser) beforeType(n *Variables) {
	if n.Type != NoToken {
		p.order(n.Type)
	}
}

func (p *parser) order(before TokenID) {
	p.errorAt(p.f.TokenSpan(p.tok), diag.SpecifierOrder, "%s must stand before %s", p.found(), quote(p.f.Text(before)))
}

// together: no blanks stand in .const[n] of a declaration (ptxas 13.5).
func (p *parser) together(n *Variables) {
	space, bank := p.f.TokenSpan(n.Space), p.f.TokenSpan(n.Bank)
	if bank.Start != space.End+1 || p.f.TokenSpan(p.prev).Start != bank.End {
		p.errorAt(bank, diag.Expected, "a bank is written without blanks: .const[%s]", p.f.Text(n.Bank))
	}
}

// bank = "[" int "]", after .const.
func (p *parser) bank(space TokenID) TokenID {
	if p.kind != LBracket || p.f.Word(space) != WordConst {
		return NoToken
	}
	p.next()
	n := p.expect(Int, "as bank")
	p.expect(RBracket, "")
	return n
}

// attributes = ".attribute" "(" attribute {"," attribute} ")".
func (p *parser) attributes() []Attribute {
	var list []Attribute
	p.next()
	p.expect(LParen, "after .attribute")
	for !p.failed {
		list = append(list, p.attribute())
		if !p.accept(Comma) {
			break
		}
	}
	p.expect(RParen, "")
	return list
}

// attribute = word ["(" int {"," int} ")"].
func (p *parser) attribute() Attribute {
	first := p.tok
	a := Attribute{Name: p.expect(DotWord, "as attribute")}
	if p.accept(LParen) {
		for {
			a.Args = append(a.Args, p.expect(Int, "as argument of the attribute"))
			if !p.accept(Comma) {
				break
			}
		}
		p.expect(RParen, "")
	}
	a.Range = p.since(first)
	return a
}

// ptr = ".ptr" [space] [".align" int]. ptxas takes the alignment alone, too.
func (p *parser) ptr(first TokenID) *Ptr {
	n := &Ptr{}
	if roleOf(p.word) == roleSpace {
		n.Space = p.take()
	}
	if p.word == WordAlign {
		p.next()
		n.Align = p.count("after .align")
	}
	n.Range = p.since(first)
	return n
}

// declarator = name ["<" int ">"] {"[" [expr] "]"} ["=" init].
func (p *parser) declarator() Declarator {
	first := p.tok
	if p.kind != Ident && p.kind != BadToken {
		p.errorAt(p.f.TokenSpan(p.tok), diag.MissingName, "expected a name, found %s", p.found())
	}
	d := Declarator{Name: p.expect(Ident, "")}
	if p.accept(Less) {
		d.Count = p.count("as number of names")
		p.expect(Greater, "")
		p.family()
	}
	for p.kind == LBracket && !p.failed {
		d.Dims = append(d.Dims, p.dim())
	}
	if p.accept(Assign) {
		init := p.init()
		d.Init = &init
	}
	d.Range = p.since(first)
	return d
}

// count = int | "WARP_SZ".
func (p *parser) count(where string) TokenID {
	if p.kind == Ident && p.word == WordWarpSize {
		return p.take()
	}
	return p.expect(Int, where)
}

// family checks that a family of names is no array and has no initialiser (5.4.6).
func (p *parser) family() {
	if p.kind == LBracket || p.kind == Assign {
		p.errorAt(p.f.TokenSpan(p.tok), diag.BadParameterRange, "a family of names is no array and takes no initialiser")
	}
}

func (p *parser) dim() Dim {
	first := p.take()
	var d Dim
	if p.kind != RBracket {
		d.Size = p.expr()
	}
	p.expect(RBracket, "")
	d.Range = p.since(first)
	return d
}

// init = "{" [init {"," init}] "}" | [name "="] expr.
func (p *parser) init() Init {
	first := p.tok
	var n Init
	if p.kind == LBrace {
		n.List = p.initList()
		n.Range = p.since(first)
		return n
	}
	if p.kind == Ident && p.peekKind() == Assign {
		n.Field = p.take()
		p.next()
	}
	n.Expr = p.expr()
	n.Range = p.since(first)
	return n
}

func (p *parser) initList() []Init {
	if !p.nest() {
		return nil
	}
	defer p.unnest()
	p.next()
	mark := len(p.initStack)
	for p.kind != RBrace && !p.failed {
		p.initStack = append(p.initStack, p.init())
		if p.kind == RBrace {
			break
		}
		p.expect(Comma, "or '}' in the initialiser")
		if p.kind == RBrace && !p.failed {
			p.errorExpected("a value", "after ','")
		}
	}
	p.expect(RBrace, "")
	list := p.inits.keep(p.initStack[mark:])
	p.initStack = p.initStack[:mark]
	return list
}
