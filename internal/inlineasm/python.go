package inlineasm

// This file finds calls of Python functions that take assembly as LLVM has it: Triton's inline_asm_elementwise, llvmlite's
// InlineAsm (numba), inline_asm of MLIR's dialect llvm (CuTe).

import (
	"strings"

	"ptxvm.invalid/ptxvm/diag"
)

// asmCalls are the functions. The first argument that is a string is the text, the second one its constraints.
var asmCalls = map[string]bool{"inline_asm_elementwise": true, "InlineAsm": true, "inline_asm": true}

// asmKeywords are the keywords of the text, 0, and its constraints, 1.
var asmKeywords = map[string]int{"asm": 0, "asm_string": 0, "constraints": 1, "constraint": 1}

// python reads Python as far as it has to be read.
type python struct{ scanner }

func findPython(source []byte) (all []Asm) {
	p := &python{scanner{source: source}}
	for !p.done() {
		start := p.pos
		word := p.word()
		switch {
		case p.string(word, nil) || word == "" && p.other():
		case asmCalls[word] && p.peek() == '(':
			p.pos++
			if a, ok := p.call(diag.Span{Start: diag.Pos(start), End: diag.Pos(start + len(word))}); ok {
				all = append(all, a)
			}
		}
	}
	return all
}

// other goes over a comment or a character.
func (p *python) other() bool {
	if p.peek() == '#' {
		p.skipTo("\n")
	} else {
		p.pos++
	}
	return true
}

// string reads a literal behind its prefix, into nothing if into is nil, and reports whether one was there.
func (p *python) string(prefix string, into *text) bool {
	if !p.isString(prefix) {
		return false
	}
	quote := string(p.peek())
	if triple := strings.Repeat(quote, 3); p.has(triple) {
		quote = triple
	}
	p.pos += len(quote)
	if into == nil {
		into = &text{}
	}
	p.literal(quote, strings.ContainsAny(prefix, "rR"), into)
	return true
}

// argument is one argument of a call.
type argument struct {
	keyword string
	text    text
	literal bool // literals alone
	format  bool // one of them is an f-string
	used    bool // there is something
}

// call reads the arguments of a call up to its closing bracket.
func (p *python) call(span diag.Span) (Asm, bool) {
	a := Asm{Span: span, language: Python}
	var given [2]*argument // the text, and its constraints
	for more := true; more; {
		var arg argument
		if arg, more = p.argument(); arg.keyword != "" {
			if i, ok := asmKeywords[arg.keyword]; ok {
				given[i] = &arg
			}
		} else if arg.literal {
			for i := range given {
				if given[i] == nil {
					given[i] = &arg
					break
				}
			}
		}
	}
	text, constraints := given[0], given[1]
	switch {
	case text == nil || !text.literal:
		a.Unknown = "its text is not written there"
	case constraints == nil || !constraints.literal || constraints.format:
		a.Unknown = "its constraints are not written there"
	case text.format:
		a.Unknown = "its text is an f-string"
	default:
		a.text = text.text
		a.constraints(string(constraints.text.bytes))
	}
	return a, true
}

// argument reads one argument, and reports whether a comma follows.
func (p *python) argument() (a argument, more bool) {
	a.literal = true
	for depth := 0; !p.done(); {
		word := p.word()
		if word != "" && !p.isString(word) {
			if !a.used && p.keyword() {
				a.keyword = word
				continue
			}
			a.literal, a.used = false, true
			continue
		}
		switch b := p.peek(); {
		case b == '"' || b == '\'':
			a.used, a.format = true, a.format || strings.ContainsAny(word, "fF")
			p.string(word, &a.text)
		case b == '(' || b == '[' || b == '{':
			depth++
			a.literal = a.literal && b == '('
			p.pos++
		case (b == ')' || b == ']' || b == '}') && depth == 0, b == ',' && depth == 0:
			a.literal = a.literal && a.used
			p.pos++
			return a, b == ','
		case b == ')' || b == ']' || b == '}':
			depth--
			p.pos++
		case b == ' ' || b == '\t' || b == '\n' || b == '\r' || b == '\\':
			p.pos++
		case b == '#':
			p.other()
		default:
			a.literal, a.used = false, true
			p.pos++
		}
	}
	a.literal = a.literal && a.used
	return a, false
}

// isString reports whether a word is the prefix of a literal that follows.
func (p *python) isString(word string) bool {
	return (p.peek() == '"' || p.peek() == '\'') && len(word) <= 2 && strings.Trim(strings.ToLower(word), "rbfut") == ""
}

// keyword goes over the = of keyword=value, and reports whether there was one.
func (p *python) keyword() bool {
	before := p.pos
	for p.peek() == ' ' {
		p.pos++
	}
	if p.peek() == '=' && p.ahead(1) != '=' {
		p.pos++
		return true
	}
	p.pos = before
	return false
}

// constraints reads LLVM's: outputs with =, inputs, clobbers with ~, by commas.
func (a *Asm) constraints(list string) {
	for c := range strings.SplitSeq(list, ",") {
		c = strings.TrimSpace(c)
		if c == "" || strings.HasPrefix(c, "~") {
			continue
		}
		a.Operands = append(a.Operands, Operand{Constraint: strings.Trim(c, "=+&* ")})
	}
	a.resolveTies()
}
