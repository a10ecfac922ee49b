package syntax

// This file parses the statements of a body (4.3).

import "ptxvm.invalid/ptxvm/diag"

// bodyStmt parses one statement; a broken one is skipped and becomes Bad.
func (p *parser) bodyStmt() Stmt {
	p.quota.Spend(stmtSteps)
	at, before := p.tok, len(p.f.Errors)
	p.failed = false
	s := p.statement()
	if len(p.f.Errors) > before && p.lacksColon(at) {
		p.f.Errors = p.f.Errors[:before]
		return p.labelWithoutColon(at)
	}
	if !p.failed {
		return s
	}
	if p.tok == at {
		p.next()
	}
	p.skipStatement(at)
	p.failed = false
	return &Bad{p.since(at)}
}

func (p *parser) statement() Stmt {
	switch p.kind {
	case Ident:
		if p.peekKind() == Colon {
			return p.labelled()
		}
		return p.instruction()
	case At:
		if p.atDwarf() {
			return p.dwarfLine()
		}
		return p.instruction()
	case DotWord:
		return p.bodyDirective(NoToken)
	case LBrace:
		return p.block(false)
	case Semicolon:
		p.errorAt(p.f.TokenSpan(p.tok), diag.EmptyStatement, "empty statement")
		return nil
	}
	p.errorExpected("a statement", "")
	return nil
}

// labelled = name ":" [directive with a label].
func (p *parser) labelled() Stmt {
	first := p.take()
	p.next()
	switch p.word {
	case WordBranchTargets, WordCallTargets, WordCallPrototype:
		return p.bodyDirective(first)
	}
	n := p.labels.one()
	n.Range, n.Name = p.since(first), first
	return n
}

func (p *parser) bodyDirective(label TokenID) Stmt {
	switch p.word {
	case WordLoc, WordLocIntermediate:
		return p.loc()
	case WordPragma:
		return p.pragma()
	case WordBranchTargets, WordCallTargets:
		return p.targets(label)
	case WordCallPrototype:
		return p.prototype(label)
	}
	switch roleOf(p.word) {
	case roleSpace, roleSpecifier:
		return p.variables(p.tok, NoToken)
	case roleModule, roleFunction, roleLinkage:
		p.errorAt(p.f.TokenSpan(p.tok), diag.InsideFunction, "%s is not allowed inside a function", p.found())
		return nil
	}
	p.errorAt(p.f.TokenSpan(p.tok), diag.UnknownDirective, "unknown directive %s", p.found())
	return nil
}

// needLabel returns where a directive begins that must have a label.
func (p *parser) needLabel(label TokenID) TokenID {
	if label == NoToken {
		p.errorAt(p.f.TokenSpan(p.tok), diag.MissingLabel, "%s needs a label", p.found())
		return p.tok
	}
	return label
}

// targets = label ":" (".branchtargets" | ".calltargets") target {"," target} ";".
func (p *parser) targets(label TokenID) Stmt {
	first := p.needLabel(label)
	n := &Targets{Label: label, Keyword: p.take()}
	for {
		t := TargetName{Name: p.expect(Ident, "as target")}
		if p.accept(Less) {
			t.Count = p.expect(Int, "as number of targets")
			p.expect(Greater, "")
		}
		n.Names = append(n.Names, t)
		if !p.accept(Comma) {
			break
		}
	}
	p.semicolon()
	n.Range = p.since(first)
	return n
}

// prototype = label ":" ".callprototype" [params] "_" [params] {directive} ";".
func (p *parser) prototype(label TokenID) Stmt {
	first := p.needLabel(label)
	n := &Prototype{Label: label, Keyword: p.take()}
	if p.kind == LParen {
		n.Returns = p.params()
	}
	p.expectWord(WordSink, "in .callprototype")
	if p.kind == LParen {
		n.Params = p.params()
	}
	n.Directives = p.directives()
	p.semicolon()
	n.Range = p.since(first)
	return n
}

// instruction = ["@" ["!"] name] name {word} [operand {"," operand}] ";".
func (p *parser) instruction() Stmt {
	n := p.instructions.one()
	p.f.Instructions++
	p.suffix = NoToken
	first := p.tok
	if p.accept(At) {
		n.GuardNot = p.accept(Not)
		n.Guard = p.expect(Ident, "as guard")
	}
	n.Opcode = p.expect(Ident, "as instruction")
	p.modifiers(n)
	p.numberedModifier(n)
	if p.kind != Semicolon && !p.failed && !p.endsEarly() {
		n.Operands = p.operandsUntil(Semicolon)
		n.Suffix = p.suffix
	}
	p.semicolon()
	n.Range = p.since(first)
	return n
}

// endsEarly reports whether the statement has no operands and no semicolon either.
func (p *parser) endsEarly() bool {
	return p.kind == RBrace || p.kind == EOF || p.beginsStatement()
}

// modifiers = {word ["[" int "]"]}; a bank follows .const only (5.1.3.1).
func (p *parser) modifiers(n *Instruction) {
	mark := len(p.tokenStack)
	for p.kind == DotWord && !p.beginsStatement() {
		word := p.word
		p.tokenStack = append(p.tokenStack, p.take())
		if word == WordConst && p.atBank() {
			n.Bank = p.bank(p.prev)
		}
	}
	n.Mods = p.popTokens(mark)
}

// numberedModifier reports .32 for .b32, which scans as a number.
func (p *parser) numberedModifier(n *Instruction) {
	if p.kind == Float && p.tok == p.prev+1 && p.f.Behind(p.prev) == "" {
		p.errorAt(p.f.TokenSpan(p.tok), diag.Expected, "%s is a number; want a modifier such as .b32", p.found())
	}
}

// atBank reports whether [int] and another modifier stand here; without the modifier
// it is an address.
func (p *parser) atBank() bool {
	if p.kind != LBracket {
		return false
	}
	number := p.peek()
	end := p.f.Next(number)
	return p.f.Kind(number) == Int && p.f.Kind(end) == RBracket && p.f.Kind(p.f.Next(end)) == DotWord
}
