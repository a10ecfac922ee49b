package syntax

// This file parses debugging directives (11.5), at module level and in bodies.

import (
	"slices"

	"ptxvm.invalid/ptxvm/diag"
)

// fileDirective = ".file" int string ["," int "," int].
func (p *parser) fileDirective() Stmt {
	first := p.take()
	if p.kind != Int {
		p.errorAt(p.f.TokenSpan(p.tok), diag.BadDirective, "expected .file INDEX \"name\", found %s as index", p.found())
	}
	n := &FileDirective{Index: p.take(), Name: p.expect(String, "as file name")}
	if p.accept(Comma) {
		n.Timestamp = p.expect(Int, "as timestamp")
		if p.accept(Comma) {
			n.Size = p.expect(Int, "as file size")
		}
	}
	n.Range = p.since(first)
	return n
}

// section = ".section" name "{" {line} "}".
func (p *parser) section() Stmt {
	first := p.take()
	n := &Section{Name: p.tok}
	if p.kind == Ident {
		p.next()
	} else {
		p.expect(DotWord, "as section name")
	}
	p.expect(LBrace, "")
	p.lineStack = p.lineStack[:0]
	for !p.failed && p.kind != RBrace {
		p.lineStack = append(p.lineStack, p.sectionLine())
	}
	n.Lines = slices.Clone(p.lineStack)
	p.expect(RBrace, "")
	n.Range = p.since(first)
	return n
}

// sectionLine = name ":" | type value {"," value}.
func (p *parser) sectionLine() SectionLine {
	first := p.tok
	if p.kind == Ident && p.peekKind() == Colon {
		p.next()
		p.next()
		return SectionLine{Range: p.since(first), Label: first}
	}
	typ := p.expect(DotWord, "or label in section")
	if p.accept(Data) {
		return SectionLine{Range: p.since(first), Type: typ, Packed: true}
	}
	for !p.failed {
		p.sectionValue()
		if !p.accept(Comma) {
			break
		}
	}
	return SectionLine{Range: p.since(first), Type: typ}
}

// sectionValue = ["-"] int | (name | section) ["+" ["-"] int] | name "-" name.
func (p *parser) sectionValue() {
	negative := p.accept(Minus)
	switch {
	case p.kind == Int:
		p.next()
	case !negative && (p.kind == Ident || p.kind == DotWord):
		p.next()
		p.sectionOffset()
	default:
		p.errorExpected("an integer or label", "in section")
	}
}

func (p *parser) sectionOffset() {
	switch {
	case p.accept(Plus):
		p.accept(Minus)
		p.expect(Int, "as offset")
	case p.accept(Minus):
		p.expect(Ident, "as label")
	}
}

// atDwarf reports whether @@DWARF stands here.
func (p *parser) atDwarf() bool {
	second := p.peek()
	return p.f.Kind(second) == At && p.f.Word(p.f.Next(second)) == WordDWARF
}

// dwarfLine takes the rest of the line.
func (p *parser) dwarfLine() Stmt {
	first := p.take()
	for p.kind != EOF && !p.lineStart() {
		p.next()
	}
	return &DwarfLine{p.since(first)}
}

// intermediateSource = ".nv_intermediate_source_section" "{" {block} "}".
func (p *parser) intermediateSource() Stmt {
	first := p.take()
	n := &IntermediateSource{}
	p.expect(LBrace, "")
	for !p.failed && p.kind != RBrace {
		n.Blocks = append(n.Blocks, p.codeBlock())
	}
	p.expect(RBrace, "")
	n.Range = p.since(first)
	return n
}

// codeBlock = ".code_block" "{" {field} "}".
func (p *parser) codeBlock() CodeBlock {
	first := p.tok
	var b CodeBlock
	p.expectWord(WordCodeBlock, "")
	p.expect(LBrace, "")
	for !p.failed && p.kind != RBrace {
		p.codeField(&b)
	}
	p.expect(RBrace, "")
	b.Range = p.since(first)
	return b
}

func (p *parser) codeField(b *CodeBlock) {
	switch word := p.word; word {
	case WordIRName:
		p.next()
		p.expect(Colon, "")
		b.Name = p.expect(String, "as name")
	case WordSourceFileName:
		p.next()
		p.expect(Colon, "")
		b.File = p.expect(Int, "as file index")
	case WordSourceBegin:
		p.next()
		b.Text = p.takeIf(RawText)
		p.expectWord(WordSourceEnd, "on a line of its own")
	default:
		p.errorExpected("a field of .code_block", "")
	}
}

// loc = (".loc" | ".loc_intermediate") int int int ["," inlined].
func (p *parser) loc() *Loc {
	n := p.locs.one()
	n.Keyword = p.take()
	if p.kind == LocData {
		n.Packed = &p.packedLocs[p.f.Tokens[p.take()].payload()]
		n.Range = p.since(n.Keyword)
		return n
	}
	n.File = p.expect(Int, "as file index")
	n.Line = p.expect(Int, "as line")
	n.Col = p.expect(Int, "as column")
	if p.accept(Comma) {
		n.Inlined = p.inlined()
	}
	n.Range = p.since(n.Keyword)
	return n
}

// inlined = "function_name" label ["+" int] "," "inlined_at" int int int.
func (p *parser) inlined() *Inlined {
	n := p.inlines.one()
	if p.word == WordFunctionName {
		p.inlinedFunction(n)
		p.expect(Comma, "")
	}
	p.expectWord(WordInlinedAt, "in .loc")
	n.File = p.expect(Int, "as file index")
	n.Line = p.expect(Int, "as line")
	n.Col = p.expect(Int, "as column")
	return n
}

func (p *parser) inlinedFunction(n *Inlined) {
	p.next()
	n.Function = p.tok
	if p.kind == DotWord {
		p.next()
	} else {
		p.expect(Ident, "as label of the function's name")
	}
	if p.accept(Plus) {
		n.Offset = p.expect(Int, "as offset")
	}
}
