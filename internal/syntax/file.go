package syntax

// This file defines a parsed file: its source, tokens, words and tree.

import (
	"ptxvm.invalid/ptxvm/diag"
)

// MaxSource is the largest accepted text, in bytes.
const MaxSource = 512 << 20

// File is a parsed module. It is not changed after Parse and may be read concurrently.
type File struct {
	Source *diag.Source
	Tokens []Token  // with what is behind them they cover every byte; the last is EOF
	Words  []string // text of each Word
	Stmts  []Stmt   // of the module, in order

	Instructions int // how many the tree has

	Errors diag.List // lexical and syntax errors, sorted

	text   string // Source.Text
	arena  *arena // where the tree and the tokens are
	packed bool   // some tokens are whole lines
}

// Text returns the bytes of a token.
func (f *File) Text(t TokenID) string {
	if int(t)+1 >= len(f.Tokens) {
		return ""
	}
	return f.text[f.Tokens[t].Off : f.Tokens[t+1].Off-f.Tokens[t].behind()]
}

// Behind returns the white space behind a token that is no token of its own.
func (f *File) Behind(t TokenID) string {
	if int(t)+1 >= len(f.Tokens) {
		return ""
	}
	end := f.Tokens[t+1].Off
	return f.text[end-f.Tokens[t].behind() : end]
}

// Kind returns the kind of a token.
func (f *File) Kind(t TokenID) Kind { return f.Tokens[t].Kind() }

// Word returns the word of an Ident or DotWord token, WordNone for others and for NoToken.
func (f *File) Word(t TokenID) Word { return f.Tokens[t].Word() }

// Span returns the bytes from the first to the last token of r.
func (f *File) Span(r Range) diag.Span {
	return diag.Span{Start: f.Tokens[r.First].Off, End: f.TokenSpan(r.Last).End}
}

// TokenSpan returns the bytes of one token.
func (f *File) TokenSpan(t TokenID) diag.Span {
	end := diag.Pos(len(f.text))
	if int(t)+1 < len(f.Tokens) {
		end = f.Tokens[t+1].Off - f.Tokens[t].behind()
	}
	return diag.Span{Start: f.Tokens[t].Off, End: end}
}

// RangeText returns the text from the first to the last token of r, trivia included.
func (f *File) RangeText(r Range) string {
	s := f.Span(r)
	return f.text[s.Start:s.End]
}

// FirstValue returns where the first value of a line begins, NoToken for a label.
func (f *File) FirstValue(l *SectionLine) TokenID {
	if l.Type == NoToken {
		return NoToken
	}
	return f.Next(l.Type)
}

// SectionValue returns the value that begins at a token of a SectionLine, and where the next one begins: NoToken
// behind the last.
func (f *File) SectionValue(at TokenID) (v SectionValue, next TokenID) {
	k := f.Kind(at)
	if k == Minus {
		v.Neg, at = true, f.Next(at)
	}
	v.A, at = at, f.Next(at)
	if k = f.Kind(at); k == Plus || k == Minus {
		v.Op, v.B = at, f.Next(at)
		if f.Kind(v.B) == Minus {
			v.B = f.Next(v.B)
		}
		at = f.Next(v.B)
		k = f.Kind(at)
	}
	if k == Comma {
		return v, f.Next(at)
	}
	return v, NoToken
}

// Line returns the line of a token, from 1.
func (f *File) Line(t TokenID) int {
	line, _ := f.Source.Position(f.Tokens[t].Off)
	return line
}

// Next returns the first token after t that is not white space or a comment.
func (f *File) Next(t TokenID) TokenID {
	for t++; int(t) < len(f.Tokens)-1 && f.Tokens[t].trivia(); t++ {
	}
	return min(t, TokenID(len(f.Tokens)-1))
}
