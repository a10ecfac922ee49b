package doc

// This file lists what a module declares, what folds, and what encloses a place.

import (
	"context"
	"strings"

	"ptxvm.invalid/ptxvm/internal/syntax"
)

// SymbolKind says what a symbol of an outline is.
type SymbolKind uint8

// The kinds of symbols of an outline.
const (
	KernelSymbol SymbolKind = iota
	FunctionSymbol
	VariableSymbol
	LabelSymbol
)

// Outline is a symbol with what it holds.
type Outline struct {
	Name, Detail string
	Kind         SymbolKind
	Span, Head   Span // of all of it, and of its name
	Inner        []Outline
}

// Outline lists functions with their labels and variables, and the variables of the module.
func (s *Snapshot) Outline(ctx context.Context) (list []Outline, err error) {
	w, err := s.Whole(ctx)
	if err != nil {
		return nil, err
	}
	for _, stmt := range w.File.Stmts {
		switch stmt := stmt.(type) {
		case *syntax.Variables:
			list = append(list, w.variables(stmt)...)
		case *syntax.Function:
			o := Outline{Name: w.File.Text(stmt.Name), Kind: FunctionSymbol, Detail: "device function",
				Span: w.span(stmt.Range), Head: w.tokenSpan(stmt.Name)}
			if w.File.Word(stmt.Keyword) == syntax.WordEntry {
				o.Kind, o.Detail = KernelSymbol, "kernel"
			}
			if stmt.Body != nil {
				o.Inner = w.inner(stmt.Body)
			}
			if stmt.Name != syntax.NoToken {
				list = append(list, o)
			}
		}
	}
	return list, nil
}

func (w *View) variables(v *syntax.Variables) (list []Outline) {
	for i := range v.Vars {
		d := &v.Vars[i]
		if d.Name != syntax.NoToken {
			list = append(list, Outline{Name: w.File.Text(d.Name), Kind: VariableSymbol,
				Detail: w.File.RangeText(syntax.Range{First: v.First, Last: v.Type}),
				Span:   w.span(v.Range), Head: w.tokenSpan(d.Name)})
		}
	}
	return list
}

// inner lists labels, and variables that are no registers.
func (w *View) inner(b *syntax.Block) (list []Outline) {
	for _, stmt := range b.Stmts {
		switch stmt := stmt.(type) {
		case *syntax.Label:
			list = append(list, Outline{Name: w.File.Text(stmt.Name), Kind: LabelSymbol, Span: w.span(stmt.Range),
				Head: w.tokenSpan(stmt.Name)})
		case *syntax.Variables:
			if w.File.Word(stmt.Space) != syntax.WordReg {
				list = append(list, w.variables(stmt)...)
			}
		case *syntax.Block:
			list = append(list, w.inner(stmt)...)
		}
	}
	return list
}

// Fold is a range of lines, from 0, of which the first stays.
type Fold struct {
	First, Last int
	Comment     bool
}

// Folds lists what folds: bodies, blocks, sections, comments of several lines.
func (s *Snapshot) Folds(ctx context.Context) (list []Fold, err error) {
	w, err := s.Whole(ctx)
	if err != nil {
		return nil, err
	}
	add := func(span Span, comment bool) {
		if first, last := s.LineOf(span.Start), s.LineOf(max(span.End-1, span.Start)); last > first {
			list = append(list, Fold{first, last, comment})
		}
	}
	w.eachStmt(1, syntax.TokenID(len(w.File.Tokens)-1), func(stmt syntax.Stmt) {
		switch stmt := stmt.(type) {
		case *syntax.Function:
			if stmt.Body != nil {
				add(w.span(stmt.Body.Range), false)
			}
		case *syntax.Block, *syntax.Section, *syntax.IntermediateSource:
			add(w.span(stmt.Extent()), false)
		}
	})
	for i := range w.File.Tokens {
		if t := syntax.TokenID(i); w.File.Kind(t) == syntax.Comment && strings.HasPrefix(w.File.Text(t), "/*") {
			add(w.tokenSpan(t), true)
		}
	}
	return list, nil
}

// Enclosing lists what is around a place, the innermost first: the word, the operand, the statement, blocks, the function, the text.
func (s *Snapshot) Enclosing(ctx context.Context, at Pos) (list []Span, err error) {
	w, err := s.View(ctx, at)
	if err != nil {
		return nil, err
	}
	add := func(span Span) {
		if n := len(list); span.Start <= at && at <= span.End && (n == 0 || span != list[n-1] &&
			span.Start <= list[n-1].Start && list[n-1].End <= span.End) {
			list = append(list, span)
		}
	}
	if t := w.token(at); t != syntax.NoToken {
		add(w.tokenSpan(t))
		stmt := w.stmt(t)
		if in, ok := stmt.(*syntax.Instruction); ok {
			w.operandsAround(in.Operands, t, add)
		}
		if stmt != nil {
			add(w.span(stmt.Extent()))
		}
		fn, blocks := w.blocksAround(t)
		for i := len(blocks) - 1; i >= 0; i-- {
			add(w.span(blocks[i].Range))
		}
		if fn != nil {
			add(w.span(fn.Range))
		}
	}
	add(Span{End: Pos(len(s.Text))})
	return list, nil
}

// operandsAround adds the operands that a token is in, inner ones first.
func (w *View) operandsAround(list []syntax.Operand, t syntax.TokenID, add func(Span)) {
	for i := range list {
		if o := &list[i]; o.First <= t && t <= o.Last {
			w.operandsAround(o.Elems, t, add)
			add(w.span(o.Range))
		}
	}
}

// Kernel is a kernel with a body, and where its name stands.
type Kernel struct {
	Name string
	Head Span
}

// Kernels lists the kernels that can be launched.
func (s *Snapshot) Kernels(ctx context.Context) (list []Kernel, err error) {
	w, err := s.Whole(ctx)
	if err != nil {
		return nil, err
	}
	for _, f := range w.Info.Funcs {
		if f.Entry && f.Node.Body != nil {
			list = append(list, Kernel{f.Object.Name, w.tokenSpan(f.Node.Name)})
		}
	}
	return list, nil
}

// between are the first and the last token of a part of the text.
func (w *View) between(within Span) (first, last syntax.TokenID) {
	tokens := w.File.Tokens
	return syntax.TokenID(max(1, sortTokens(tokens, w.Part(within.Start)))), syntax.TokenID(max(1,
		sortTokens(tokens, w.Part(within.End))))
}

// File is a file that the module names, and where.
type File struct {
	Name string
	Span Span
}

// Files lists the files that .file names.
func (s *Snapshot) Files(ctx context.Context) (list []File, err error) {
	w, err := s.Whole(ctx)
	if err != nil {
		return nil, err
	}
	for _, stmt := range w.File.Stmts {
		if f, ok := stmt.(*syntax.FileDirective); ok && f.Name != syntax.NoToken {
			list = append(list, File{strings.Trim(w.File.Text(f.Name), `"`), w.tokenSpan(f.Name)})
		}
	}
	return list, nil
}
