package syntax

// This file recognises a label without its colon, which reads as an instruction whose operands are the next line.

import (
	"strings"

	"ptxvm.invalid/ptxvm/diag"
)

// maxLabelSearches bounds how often a file is searched for uses of what may be a label.
const maxLabelSearches = 16

// lacksColon reports whether the broken statement that begins at a token is a name alone on its line that other
// statements have as an operand.
func (p *parser) lacksColon(at TokenID) bool {
	next := p.f.Next(at)
	switch p.f.Kind(next) {
	case Ident, At, DotWord:
	default:
		return false
	}
	if p.f.Kind(at) != Ident || !p.f.beginsLine(at) || !p.f.beginsLine(next) || p.labelSearches == maxLabelSearches {
		return false
	}
	p.labelSearches++
	return p.f.isOperand(p.f.Word(at), p.body)
}

// beginsLine reports whether only white space and comments stand before a token in its line.
func (f *File) beginsLine(t TokenID) bool {
	for i := t - 1; i >= 0; i-- {
		if strings.Contains(f.Behind(i), "\n") {
			return true
		}
		if !f.Tokens[i].trivia() {
			return false
		}
		if strings.Contains(f.Text(i), "\n") {
			return true
		}
	}
	return true
}

// isOperand reports whether a word is the last operand of a statement of a function, or one of several: the name behind an
// opcode, a modifier or a comma, but not the opcode behind a guard. The function ends where another begins: labels are its own.
func (f *File) isOperand(word Word, body TokenID) bool {
	var last [2]Kind // before the token, the nearest first
	for i := body; int(i) < len(f.Tokens); i++ {
		t := f.Tokens[i]
		if t.trivia() {
			continue
		}
		if roleOf(t.Word()) == roleFunction {
			return false
		}
		if t.Kind() == Ident && t.Word() == word {
			named := last[0] == DotWord || last[0] == Comma || last[0] == Ident && last[1] != At && last[1] != Not
			if k := f.Kind(f.Next(i)); named && (k == Semicolon || k == Comma) {
				return true
			}
		}
		last = [2]Kind{t.Kind(), last[0]}
	}
	return false
}

// labelWithoutColon reports the colon that is missing, and goes on behind the label.
func (p *parser) labelWithoutColon(at TokenID) Stmt {
	p.f.Instructions--
	p.failed, p.prev = false, at
	p.start(at + 1)
	end := p.f.TokenSpan(at).End
	here := diag.Span{Start: end, End: end}
	d := newError(p.f.Source, here, diag.Expected, "missing ':' behind the label %s", quote(p.f.Text(at)))
	d.Fixes = []diag.Fix{{Label: "add :", Mechanical: true, Edits: []diag.Edit{{Span: here, New: ":"}}}}
	p.report(d)
	n := p.labels.one()
	n.Range, n.Name = p.since(at), at
	return n
}
