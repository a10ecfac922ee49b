package syntax

// This file defines a parsed file: its source, tokens, words and tree.

import (
	"ptxvm/internal/diag"
)

// MaxSource is the largest accepted text, in bytes.
const MaxSource = 512 << 20

// File is a parsed module. It is not changed after Parse and may be read concurrently.
type File struct {
	Source *diag.Source
	Tokens []Token  // cover every byte; the last is EOF
	Words  []string // text of each Word
	Stmts  []Stmt   // of the module, in order

	Instructions int // how many the tree has

	Errors diag.List // lexical and syntax errors, sorted

	text string // Source.Text
}

// Text returns the bytes of a token.
func (f *File) Text(t TokenID) string {
	if int(t)+1 >= len(f.Tokens) {
		return ""
	}
	return f.text[f.Tokens[t].Off:f.Tokens[t+1].Off]
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
		end = f.Tokens[t+1].Off
	}
	return diag.Span{Start: f.Tokens[t].Off, End: end}
}

// RangeText returns the text from the first to the last token of r, trivia included.
func (f *File) RangeText(r Range) string {
	s := f.Span(r)
	return f.text[s.Start:s.End]
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
