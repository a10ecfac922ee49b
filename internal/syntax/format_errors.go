package syntax

// This file finds what the formatter leaves alone in a file with errors.

import (
	"cmp"
	"slices"

	"ptxvm.invalid/ptxvm/diag"
)

// broken reports whether an error lies in r or touches it.
func (l *layout) broken(r Range) bool {
	span := l.f.Span(r)
	i, _ := slices.BinarySearchFunc(l.f.Errors, span.Start, func(d diag.Diagnostic, start diag.Pos) int {
		return cmp.Compare(d.Span.Start, start)
	})
	if i > 0 && l.f.Errors[i-1].Span.End >= span.Start {
		return true
	}
	return i < len(l.f.Errors) && l.f.Errors[i].Span.Start <= span.End
}

// untouched leaves a statement, or the head of a function, as it is, with the white space around it:
// recovery from errors looks at lines.
func (l *layout) untouched(r Range) {
	l.keep(r)
	l.kept = append(l.kept, r.First, l.f.Next(r.Last))
}

// keepErrors keeps the gaps around broken statements, and those that hold an error themselves.
func (l *layout) keepErrors() {
	for i := range l.f.Errors {
		at := l.f.Errors[i].Span.Start
		if t := l.tokenAt(at); l.f.Tokens[t].trivia() || at >= l.f.TokenSpan(t).End {
			l.kept = append(l.kept, l.f.Next(t))
		}
	}
	for _, t := range l.kept {
		switch g := &l.gaps[t]; g.kind {
		case gapKeepLine:
		case gapLine:
			g.kind = gapKeepLine
		default:
			g.kind = gapKeep
		}
	}
}

// tokenAt returns the token that a byte belongs to, or is behind.
func (l *layout) tokenAt(at diag.Pos) TokenID {
	i, _ := slices.BinarySearchFunc(l.f.Tokens, at+1, func(t Token, at diag.Pos) int { return cmp.Compare(t.Off, at) })
	return TokenID(i - 1)
}
