package syntax

// This file prints tokens with the gaps that the layout has decided.

import "strings"

// write prints the tokens with their gaps.
func (l *layout) write() []byte {
	w := writer{l: l}
	for t := range TokenID(len(l.gaps)) {
		w.token(t)
	}
	return []byte(w.b.String())
}

type writer struct {
	l        *layout
	b        strings.Builder
	prev     TokenID // the last printed token that is not trivia; meaningless while b is empty
	trivia   TokenID // the first token of the trivia before the current token
	indent   int     // of the statement being printed
	comments bool    // the trivia hold a comment
}

// token prints what belongs into the place of t, and what stands before.
func (w *writer) token(t TokenID) {
	tok := w.l.f.Tokens[t]
	switch {
	case tok.Kind() == Comment:
		w.comments = true
		return
	case tok.trivia():
		return
	}
	printed := w.printed(t)
	w.between(t)
	w.b.WriteString(w.l.f.Text(printed))
	w.prev, w.trivia, w.comments = printed, t+1, false
}

// printed is the token in the place of t.
func (w *writer) printed(t TokenID) TokenID {
	if p, ok := w.l.print[t]; ok {
		return p
	}
	return t
}

// between prints what stands before the place t.
func (w *writer) between(t TokenID) {
	g := w.gapBefore(t)
	if g.kind == gapLine || g.kind == gapKeepLine {
		w.indent = int(g.indent)
	}
	switch {
	case g.kind == gapKeep || g.kind == gapKeepLine:
		w.verbatim(t)
	case w.comments:
		w.withComments(t, g)
	default:
		w.plain(t, g, w.breaks(w.trivia, t))
	}
}

// gapBefore resolves the default, and ends the file with a line.
func (w *writer) gapBefore(t TokenID) gap {
	g := w.l.gaps[t]
	switch {
	case g.kind != gapDefault:
	case w.l.f.Kind(t) == EOF:
		g.kind = gapLine
	default:
		g.kind = defaultGap(w.l.f.Kind(w.prev), w.l.f.Kind(w.printed(t)))
	}
	return g
}

func (w *writer) verbatim(t TokenID) {
	if w.trivia > 0 {
		w.b.WriteString(w.l.f.Behind(w.trivia - 1))
	}
	for i := w.trivia; i < t; i++ {
		w.b.WriteString(w.l.f.Text(i))
		w.b.WriteString(w.l.f.Behind(i))
	}
}

// breaks counts the line breaks in white space from behind a token to another.
func (w *writer) breaks(from, to TokenID) int {
	n := 0
	if from > 0 {
		n = strings.Count(w.l.f.Behind(from-1), "\n")
	}
	for i := from; i < to; i++ {
		if w.l.f.Kind(i) == Space {
			n += strings.Count(w.l.f.Text(i), "\n")
		}
		n += strings.Count(w.l.f.Behind(i), "\n")
	}
	return n
}

// plain prints a gap where breaks line breaks stood.
func (w *writer) plain(t TokenID, g gap, breaks int) {
	switch {
	case w.b.Len() == 0:
	case g.kind == gapLine:
		w.newLine(t, breaks, w.indent)
	case breaks > 0 && w.mayBreak(t, g):
		w.newLine(t, 1, w.continuation(t))
	case g.kind == gapSpace:
		w.b.WriteByte(' ')
	}
}

// mayBreak reports whether a line break that stood before t stays.
func (w *writer) mayBreak(t TokenID, g gap) bool {
	switch w.l.f.Kind(w.printed(t)) {
	case Comma, Semicolon, Colon:
		return false
	case LParen:
		return g.kind != gapGlue
	}
	return w.l.gaps[t].kind != gapGlue
}

// continuation is the depth of a line inside a statement; a closing bracket stands as
// deep as the statement.
func (w *writer) continuation(t TokenID) int {
	if k := w.l.f.Kind(w.printed(t)); k == RParen || k == RBrace {
		return w.indent
	}
	return w.indent + 1
}

// newLine ends the line, keeps one blank line of many but none at the ends of a block,
// and indents what follows, if anything does.
func (w *writer) newLine(t TokenID, breaks, indent int) {
	w.b.WriteByte('\n')
	kind := w.l.f.Kind(t)
	opens := w.l.f.Kind(w.prev) == LBrace && !w.comments
	if breaks > 1 && !opens && kind != RBrace && kind != EOF {
		w.b.WriteByte('\n')
	}
	if kind != EOF || w.comments {
		w.b.WriteString(strings.Repeat("\t", indent))
	}
}

// withComments prints the comments before t, each on the line it was on: behind the token
// before it, or on its own line, as deep as what follows.
func (w *writer) withComments(t TokenID, g gap) {
	line := false // the last comment ends at the end of its line
	from := w.trivia
	for i := w.trivia; i < t; i++ {
		if w.l.f.Kind(i) != Comment {
			continue
		}
		w.beforeComment(t, w.breaks(from, i), line, g)
		text := strings.TrimRight(w.l.f.Text(i), " \t\r")
		w.b.WriteString(text)
		line, from = strings.HasPrefix(text, "//"), i+1
	}
	w.afterComment(t, g, line, w.breaks(from, t))
}

func (w *writer) beforeComment(t TokenID, breaks int, line bool, g gap) {
	switch {
	case w.b.Len() == 0:
	case breaks == 0 && !line:
		w.b.WriteByte(' ')
	default:
		w.newLine(NoToken, breaks, w.commentIndent(t, g))
	}
}

func (w *writer) commentIndent(t TokenID, g gap) int {
	switch {
	case g.kind != gapLine:
		return w.indent + 1
	case w.l.f.Kind(t) == RBrace:
		return w.indent + 1
	}
	return w.indent
}

func (w *writer) afterComment(t TokenID, g gap, line bool, breaks int) {
	w.comments = false
	switch {
	case g.kind == gapLine && breaks == 0 && !line && w.l.f.Kind(t) != EOF && w.l.f.Kind(t) != RBrace:
		w.b.WriteByte(' ')
	case g.kind == gapLine:
		w.newLine(t, breaks, w.indent)
	case line || breaks > 0:
		w.newLine(t, 1, w.continuation(t))
	default:
		w.b.WriteByte(' ')
	}
}

// defaultGap is the gap between two tokens of one statement.
func defaultGap(a, b Kind) gapKind {
	switch {
	case b == Comma, b == Semicolon, b == Colon, b == RParen, b == RBracket, b == RBrace,
		a == LParen, a == LBracket, a == LBrace, a == At, a == Not, a == Tilde:
		return gapGlue
	case a == Comma, a == Assign, b == Assign, a == Colon:
		return gapSpace
	case b == LParen, b == LBracket, a >= Plus, b >= Plus:
		return gapGlue
	}
	return gapSpace
}
