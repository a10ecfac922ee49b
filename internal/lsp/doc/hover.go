package doc

// This file says what stands at a place, in Markdown. What there is to say of PTX is isainfo's.

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"ptxvm.invalid/ptxvm/internal/check"
	"ptxvm.invalid/ptxvm/internal/syntax"
	"ptxvm.invalid/ptxvm/isainfo"
)

// Hover describes what stands at a place, in Markdown; "" if there is nothing to say. The span is what it is about.
func (s *Snapshot) Hover(ctx context.Context, at Pos) (text string, span Span, err error) {
	w, err := s.View(ctx, at)
	if err != nil {
		return "", Span{}, err
	}
	t := w.token(at)
	if t == syntax.NoToken {
		return "", Span{}, nil
	}
	if sym := w.symbol(t); sym.object != nil {
		text = w.describe(sym.object, t)
		if sym.object.Kind == check.Register {
			if how := s.uniformity(ctx, at, w.File.Text(t)); how != "" {
				text += "\n" + how + "\n"
			}
		}
		return text, w.tokenSpan(t), nil
	}
	text, span = w.hoverWord(t)
	return text, span, nil
}

// HoverWord is Hover for words of PTX alone: of a name it says where it stands.
func (s *Snapshot) HoverWord(ctx context.Context, at Pos) (text string, span Span, err error) {
	w, err := s.View(ctx, at)
	if err != nil {
		return "", Span{}, err
	}
	t := w.token(at)
	switch {
	case t == syntax.NoToken:
		return "", Span{}, nil
	case w.symbol(t).object != nil:
		return "", w.tokenSpan(t), nil
	}
	text, span = w.hoverWord(t)
	return text, span, nil
}

// hoverWord describes a token that is no name.
func (w *View) hoverWord(t syntax.TokenID) (text string, span Span) {
	if in, ok := w.stmt(t).(*syntax.Instruction); ok && (t == in.Opcode || slices.Contains(in.Mods, t)) {
		last := in.Opcode
		if len(in.Mods) > 0 {
			last = in.Mods[len(in.Mods)-1]
		}
		return w.aboutInstruction(in), w.span(syntax.Range{First: in.Opcode, Last: last})
	}
	if l, ok := w.stmt(t).(*syntax.Loc); ok {
		if place, ok := w.sourceOf(l); ok {
			return fmt.Sprintf("The code that follows comes from line %d of `%s`.", place.Line, place.File),
				w.span(l.Range)
		}
	}
	return Explain(w.File.Text(t)), w.tokenSpan(t)
}

// Explain is what `ptxvm explain` says of a name, in Markdown; "" if it knows none.
func Explain(name string) string {
	text, err := isainfo.Explain(name)
	if err != nil {
		return ""
	}
	return markdown(text)
}

// marks are what Markdown would read as layout.
var marks = strings.NewReplacer("*", `\*`, "_", `\_`, "<", `\<`)

// prose keeps what is between back quotes as it is.
func prose(line string) string {
	parts := strings.Split(line, "`")
	for i := 0; i < len(parts); i += 2 {
		parts[i] = marks.Replace(parts[i])
	}
	return strings.Join(parts, "`")
}

// markdown is a text of isainfo: its lists are indented, so that they are shown as they are, and its first line is a title.
func markdown(text string) string {
	var b strings.Builder
	for i, line := range strings.Split(strings.TrimSpace(text), "\n") {
		name, title, titled := strings.Cut(line, ": ")
		switch {
		case i == 0 && titled:
			line = "**`" + name + "`** " + prose(title)
		case !strings.HasPrefix(line, "    "):
			line = prose(line)
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}

// aboutInstruction explains a statement by its opcode and modifiers; one that has no form, by as many of them as lead to one.
func (w *View) aboutInstruction(in *syntax.Instruction) string {
	tokens := []string{w.File.Text(in.Opcode)}
	for _, m := range in.Mods {
		tokens = append(tokens, w.File.Text(m))
	}
	for n := len(tokens); n > 0; n-- {
		if text := Explain(strings.Join(tokens[:n], "")); text != "" {
			return text
		}
	}
	return ""
}

// describe tells of a declared name: its declaration, where it stands, and for a register where it lives.
func (w *View) describe(o *check.Object, t syntax.TokenID) string {
	var b strings.Builder
	fmt.Fprintf(&b, "```ptx\n%s\n```\n", w.declaration(o))
	line := w.snapshot.LineOf(w.tokenSpan(o.Tok).Start) + 1
	what := o.Kind.String()
	switch {
	case o.Kind == check.Function && o.Func.Entry:
		what = "kernel"
	case o.Kind == check.Function:
		what = "device function"
	case o.Count > 0:
		what = fmt.Sprintf("one of %d registers", o.Count)
	}
	fmt.Fprintf(&b, "\n%s, declared in line %d", strings.ToUpper(what[:1])+what[1:], line)
	if o.Kind == check.Variable || o.Kind == check.Parameter {
		if size := o.Size(); size > 0 {
			fmt.Fprintf(&b, "; %d bytes in `.%v`, aligned to %d", size, o.Space, o.Align)
		}
	}
	b.WriteString(".\n")
	if local(o) {
		b.WriteString(w.life(o, w.File.Text(t)))
	}
	return b.String()
}

// maxDeclaration bounds what is quoted of a declaration, which may have a long initialiser.
const maxDeclaration = 400

// declaration quotes where a name is declared: a function without its body, a family or variable without its neighbours.
func (w *View) declaration(o *check.Object) string {
	text := o.Name
	switch {
	case o.Kind == check.Function:
		f := o.Func.Node
		last := f.Last
		if f.Body != nil {
			last = f.Body.First - 1
		}
		text = w.File.RangeText(syntax.Range{First: f.First, Last: last})
	case o.Decl != nil && o.Var != nil:
		head := syntax.Range{First: o.Decl.First, Last: o.Decl.Type}
		if o.Decl.Ptr != nil {
			head.Last = o.Decl.Ptr.Last
		}
		text = w.File.RangeText(head) + " " + w.File.RangeText(o.Var.Range)
	case o.Stmt != nil:
		text = w.File.RangeText(o.Stmt.Extent())
	}
	if len(text) > maxDeclaration {
		text = text[:maxDeclaration] + " …"
	}
	return strings.TrimSpace(text)
}

// life says in which lines a name is written and read: of a family those of the member that is asked about.
func (w *View) life(o *check.Object, name string) string {
	var writes, reads []int
	for _, m := range w.mentions(o) {
		if m.Decl || o.Count > 0 && string(w.snapshot.Text[m.Span.Start:m.Span.End]) != name {
			continue
		}
		line := w.snapshot.LineOf(m.Span.Start) + 1
		if m.Write {
			writes = append(writes, line)
		}
		if m.Read {
			reads = append(reads, line)
		}
	}
	var parts []string
	switch {
	case o.Kind != check.Register && reads != nil:
		parts = append(parts, "named in "+lines(reads))
	case o.Kind == check.Register:
		if writes != nil {
			parts = append(parts, "written in "+lines(writes))
		}
		if reads != nil {
			parts = append(parts, "read in "+lines(reads))
		}
	}
	if parts == nil {
		return "\nNothing uses it.\n"
	}
	text := strings.Join(parts, ", ")
	return "\n" + strings.ToUpper(text[:1]) + text[1:] + ".\n"
}

// someLines is how many lines are listed; of more the first and the last are named.
const someLines = 6

func lines(list []int) string {
	list = slices.Compact(list)
	if len(list) > someLines {
		return fmt.Sprintf("%d lines from %d to %d", len(list), list[0], list[len(list)-1])
	}
	words := make([]string, len(list))
	for i, n := range list {
		words[i] = fmt.Sprint(n)
	}
	if len(words) == 1 {
		return "line " + words[0]
	}
	return "lines " + strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}

// Place is a line of a source file, from 1, and a column, from 1; 0: not known.
type Place struct {
	File         string
	Line, Column int
}

// sourceOf is the place that a .loc names.
func (w *View) sourceOf(l *syntax.Loc) (Place, bool) {
	index := w.File.Text(l.File)
	for _, s := range w.File.Stmts {
		if f, ok := s.(*syntax.FileDirective); ok && w.File.Text(f.Index) == index {
			line, _ := w.File.Tokens[l.Line].Small()
			column, _ := w.File.Tokens[l.Col].Small()
			return Place{strings.Trim(w.File.Text(f.Name), `"`), int(line), int(column)}, line > 0
		}
	}
	return Place{}, false
}

// Source is the line of the program that the statement at a place comes from, by the .loc in front of it.
func (s *Snapshot) Source(ctx context.Context, at Pos) (Place, bool, error) {
	w, err := s.View(ctx, at)
	if err != nil {
		return Place{}, false, err
	}
	p := w.Part(at)
	var last *syntax.Loc
	t := syntax.TokenID(max(0, sortTokens(w.File.Tokens, p)))
	fn := w.moduleStmt(t)
	if fn == nil {
		return Place{}, false, nil
	}
	w.eachStmt(fn.Extent().First, t, func(s syntax.Stmt) {
		if l, ok := s.(*syntax.Loc); ok {
			last = l
		}
	})
	if last == nil {
		return Place{}, false, nil
	}
	place, ok := w.sourceOf(last)
	return place, ok, nil
}

// sortTokens is the last token that begins at or before a place.
func sortTokens(tokens []syntax.Token, p Pos) int {
	i, found := slices.BinarySearchFunc(tokens, p, func(t syntax.Token, p Pos) int { return cmp.Compare(t.Off, p) })
	if !found {
		i--
	}
	return i
}

// Compiled lists the statements that come from a line of a source file: from each .loc that names it up to the next.
func (s *Snapshot) Compiled(ctx context.Context, file string, line int) (spans []Span, err error) {
	w, err := s.Whole(ctx)
	if err != nil {
		return nil, err
	}
	from := (*syntax.Loc)(nil)
	end := syntax.NoToken
	flush := func() {
		if from != nil && end > from.Last {
			spans = append(spans, w.span(syntax.Range{First: from.First, Last: end}))
		}
		from = nil
	}
	w.eachStmt(1, syntax.TokenID(len(w.File.Tokens)-1), func(s syntax.Stmt) {
		switch s := s.(type) {
		case *syntax.Function:
			flush()
		case *syntax.Loc:
			flush()
			if p, ok := w.sourceOf(s); ok && p.Line == line && sameFile(p.File, file) {
				from = s
			}
		case *syntax.Instruction:
			end = s.Last
		}
	})
	flush()
	return spans, nil
}

// sameFile compares what a .file says, which may be relative to a folder that is not known, with a path.
func sameFile(said, path string) bool {
	return said == path || strings.HasSuffix(path, "/"+strings.TrimPrefix(said, "./"))
}
