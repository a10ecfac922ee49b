package syntax

// This file lays a module out: one statement a line, tabs for depth, one space where
// tokens are separated. Comments, blank lines and line breaks inside statements stay.

import (
	"strings"
)

// FormatOptions adjusts Format; the zero value changes white space alone.
type FormatOptions struct {
	// Modifiers returns the modifiers of an instruction in the order to print them: the
	// same tokens, permuted. Package syntax knows no instruction, so others supply it.
	Modifiers func(f *File, in *Instruction) []TokenID
}

// Format returns the text of a module in the canonical layout. Formatting the result
// changes nothing. A file with errors is not formatted; they are returned.
func Format(f *File, opt FormatOptions) ([]byte, error) {
	if err := f.Errors.Err(); err != nil {
		return nil, err
	}
	l := &layout{f: f, opt: opt, gaps: make([]gap, len(f.Tokens)), print: map[TokenID]TokenID{}}
	for _, s := range f.Stmts {
		l.stmt(s, 0)
	}
	return l.write(), nil
}

// gap is what stands before a token.
type gap struct {
	kind   gapKind
	indent uint8 // for gapLine; nesting is bounded by maxNesting
}

type gapKind uint8

const (
	gapDefault gapKind = iota // as the pair of tokens needs
	gapGlue                   // nothing
	gapSpace                  // one space, or the line break that stood there
	gapLine                   // a new line
	gapKeep                   // as it was
)

// layout decides the gap before each token from the tree.
type layout struct {
	f     *File
	opt   FormatOptions
	gaps  []gap
	print map[TokenID]TokenID // tokens printed in the place of others
}

func (l *layout) set(t TokenID, k gapKind) { l.gaps[t] = gap{kind: k} }

// line begins a line with token t.
func (l *layout) line(t TokenID, depth int) { l.gaps[t] = gap{gapLine, uint8(max(0, depth))} }

// keep leaves the tokens after the first of r as they are.
func (l *layout) keep(r Range) {
	for t := r.First + 1; t <= r.Last; t++ {
		l.set(t, gapKeep)
	}
}

func (l *layout) stmt(s Stmt, depth int) {
	l.line(s.Extent().First, depth)
	switch s := s.(type) {
	case *Function:
		l.function(s, depth)
	case *Block:
		l.block(s, depth)
	case *Variables:
		l.variables(s)
	case *Instruction:
		l.instruction(s)
	case *Label:
		l.line(s.First, depth-1)
	case *Targets:
		l.line(s.First, depth-1)
	case *Prototype:
		l.line(s.First, depth-1)
		l.prototype(s)
	case *Section:
		l.section(s, depth)
	case *DwarfLine:
		l.keep(s.Range)
	case *IntermediateSource:
		l.keep(s.Range)
	}
}

func (l *layout) block(b *Block, depth int) {
	l.line(b.First, depth)
	for _, s := range b.Stmts {
		l.stmt(s, depth+1)
	}
	l.line(b.Last, depth)
}

func (l *layout) function(fn *Function, depth int) {
	if fn.Returns != nil {
		l.set(fn.Returns.First, gapSpace)
		l.params(fn.Returns)
		l.set(fn.Name, gapSpace)
	}
	l.params(fn.Params)
	if fn.Body != nil {
		l.block(fn.Body, depth)
	}
}

func (l *layout) params(p *Params) {
	if p == nil {
		return
	}
	for i := range p.List {
		l.variables(&p.List[i])
	}
}

func (l *layout) prototype(p *Prototype) {
	l.params(p.Returns)
	l.params(p.Params)
	for _, list := range []*Params{p.Returns, p.Params} {
		if list != nil {
			l.set(list.First, gapSpace)
		}
	}
}

func (l *layout) variables(v *Variables) {
	for i := range v.Vars {
		d := &v.Vars[i]
		for _, dim := range d.Dims {
			l.expr(dim.Size)
		}
		if d.Init != nil {
			l.init(d.Init)
		}
	}
}

func (l *layout) init(n *Init) {
	l.expr(n.Expr)
	for i := range n.List {
		l.init(&n.List[i])
	}
}

func (l *layout) section(s *Section, depth int) {
	l.line(l.f.Next(s.Name), depth)
	for i := range s.Lines {
		n := &s.Lines[i]
		if n.Label != NoToken {
			l.line(n.First, depth)
			continue
		}
		l.line(n.First, depth+1)
		l.set(l.f.Next(n.Type), gapSpace)
	}
	l.line(s.Last, depth)
}

func (l *layout) instruction(in *Instruction) {
	for _, m := range in.Mods {
		l.set(m, gapGlue)
	}
	if l.opt.Modifiers != nil {
		for i, m := range l.opt.Modifiers(l.f, in) {
			l.print[in.Mods[i]] = m
		}
	}
	for i := range in.Operands {
		o := &in.Operands[i]
		l.operand(o)
		l.set(o.First, gapSpace)
	}
}

func (l *layout) operand(o *Operand) {
	if o.Field != NoToken {
		l.set(o.Field, gapGlue)
	}
	l.expr(o.Expr)
	for i := range o.Elems {
		l.operand(&o.Elems[i])
	}
}

// expr puts spaces around what would change meaning or be hard to read without.
func (l *layout) expr(e *Expr) {
	if e == nil {
		return
	}
	switch {
	case e.Kind == ExprCond:
		l.set(e.Token, gapSpace)
		l.set(e.Y.First, gapSpace)
		l.set(l.f.Next(e.Y.Last), gapSpace)
		l.set(e.Z.First, gapSpace)
	case e.Kind == ExprBinary && l.f.Kind(e.Token) == Percent: // 5%3 would hold the name %3
		l.set(e.Token, gapSpace)
		l.set(e.Y.First, gapSpace)
	case e.Kind == ExprCast:
		l.set(e.X.First, gapGlue)
	}
	l.expr(e.X)
	l.expr(e.Y)
	l.expr(e.Z)
}

// ---- writing

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

func (w *writer) token(t TokenID) {
	tok := w.l.f.Tokens[t]
	switch {
	case tok.Kind() == Comment:
		w.comments = true
		return
	case tok.trivia():
		return
	}
	w.between(t)
	if p, ok := w.l.print[t]; ok {
		t = p
	}
	w.b.WriteString(w.l.f.Text(t))
	w.prev, w.trivia, w.comments = t, t+1, false
}

// between prints what stands before token t.
func (w *writer) between(t TokenID) {
	g := w.gapBefore(t)
	switch {
	case g.kind == gapKeep:
		w.verbatim(t)
		return
	case g.kind == gapLine:
		w.indent = int(g.indent)
	}
	if w.comments {
		w.withComments(t, g)
		return
	}
	w.plain(t, g, w.breaks(w.trivia, t))
}

// gapBefore resolves the default, and ends the file with a line.
func (w *writer) gapBefore(t TokenID) gap {
	g := w.l.gaps[t]
	switch {
	case w.l.f.Kind(t) == EOF:
		return gap{kind: gapLine}
	case g.kind == gapDefault:
		g.kind = defaultGap(w.l.f.Kind(w.prev), w.l.f.Kind(t))
	}
	return g
}

func (w *writer) verbatim(t TokenID) {
	for i := w.trivia; i < t; i++ {
		w.b.WriteString(w.l.f.Text(i))
	}
}

// breaks counts the line breaks in the trivia from one token to another.
func (w *writer) breaks(from, to TokenID) int {
	n := 0
	for i := from; i < to; i++ {
		if w.l.f.Kind(i) == Space {
			n += strings.Count(w.l.f.Text(i), "\n")
		}
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
	switch w.l.f.Kind(t) {
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
	if k := w.l.f.Kind(t); k == RParen || k == RBrace {
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
