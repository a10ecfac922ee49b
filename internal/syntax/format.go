package syntax

// This file lays a module out: one statement a line, tabs for depth, one space where
// tokens are separated, specifiers and modifiers in one order. Comments, blank lines and
// line breaks inside statements stay.

// FormatOptions adjusts Format; its zero value leaves modifiers in their order.
type FormatOptions struct {
	// Modifiers returns the modifiers of an instruction in the order to print them: the
	// same tokens, permuted. Package syntax knows no instruction, so others supply it.
	Modifiers func(in *Instruction) []TokenID
}

// Format returns the text of a module in the canonical layout. Formatting the result
// changes nothing. Statements with errors stay as they are, byte for byte, with the white
// space around them.
func Format(f *File, opt FormatOptions) []byte {
	if len(f.Errors) >= maxErrors || len(f.Errors) > 0 && len(f.Stmts) == 0 {
		return []byte(f.text) // not all that is broken is known, or nothing else is there
	}
	l := &layout{f: f, opt: opt, gaps: make([]gap, len(f.Tokens)), print: map[TokenID]TokenID{}}
	l.stmts(f.Stmts, 0)
	l.keepErrors()
	return l.write()
}

// gap is what stands before a token.
type gap struct {
	kind   gapKind
	indent uint8 // of a statement that begins here; nesting is bounded by maxNesting
}

type gapKind uint8

const (
	gapDefault  gapKind = iota // as the pair of tokens needs
	gapGlue                    // nothing
	gapSpace                   // one space, or the line break that stood there
	gapLine                    // a new line
	gapKeep                    // as it was
	gapKeepLine                // as it was, and a statement begins
)

// layout decides the gap before each token from the tree.
type layout struct {
	f     *File
	opt   FormatOptions
	gaps  []gap
	print map[TokenID]TokenID // tokens printed in the place of others
	kept  []TokenID           // what stands before them stays, too
}

func (l *layout) set(t TokenID, k gapKind) { l.gaps[t] = gap{kind: k} }

// line begins a line with token t.
func (l *layout) line(t TokenID, depth int) { l.gaps[t] = gap{gapLine, uint8(max(0, depth))} }

// keep leaves what stands between the tokens of r as it is.
func (l *layout) keep(r Range) {
	for t := r.First + 1; t <= r.Last; t++ {
		l.set(t, gapKeep)
	}
}

// stmts lays out the statements of a module or block.
func (l *layout) stmts(list []Stmt, depth int) {
	for _, s := range list {
		l.stmt(s, depth)
	}
}

func (l *layout) stmt(s Stmt, depth int) {
	l.line(s.Extent().First, depth)
	switch s := s.(type) {
	case *Function:
		l.function(s, depth)
		return
	case *Block:
		l.block(s, depth)
		return
	}
	if _, bad := s.(*Bad); bad || l.broken(s.Extent()) {
		l.untouched(s.Extent())
		return
	}
	switch s := s.(type) {
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
	l.stmts(b.Stmts, depth+1)
	if l.closed(b) {
		l.line(b.Last, depth)
	}
}

// closed reports whether a block has its closing brace.
func (l *layout) closed(b *Block) bool {
	last := b.First
	if n := len(b.Stmts); n > 0 {
		last = b.Stmts[n-1].Extent().Last
	}
	return b.Last != last && l.f.Kind(b.Last) == RBrace
}

func (l *layout) function(fn *Function, depth int) {
	if fn.Returns != nil {
		l.set(fn.Returns.First, gapSpace)
		l.params(fn.Returns)
		l.set(fn.Name, gapSpace)
	}
	l.params(fn.Params)
	head := fn.Range
	if fn.Body != nil {
		l.block(fn.Body, depth)
		head.Last = fn.Body.First
	}
	if l.broken(head) {
		l.untouched(head)
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
	l.specifiers(v)
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
		l.modifiers(in, l.opt.Modifiers(in))
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
