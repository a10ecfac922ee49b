package doc

// This file judges a whole text, and keeps of that what a judgement of one function needs.

import (
	"slices"

	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/check"
	"ptxvm.invalid/ptxvm/internal/syntax"
)

// verdict is what there is to say of a text.
type verdict struct {
	diags  diag.List // of statements and declarations, sorted
	alone  diag.List // what the whole program lacks; counts if diags has no errors
	funcs  []function
	hushed bool // of undeclared names some were not reported, since a broken statement may declare them

	stmts   int  // of the module
	inlines bool // a .loc says that code is inlined
	astray  bool // statements are not where they were left out
	loose   bool // a statement of the module could not be parsed, or a body has no end: an edit may move bodies
}

// function is one with a body.
type function struct {
	head                Pos  // where its statement begins
	body                Span // the braces and what is between
	entry               bool
	open, shared, moves bool // as in check.Func

	chunks []chunk // of a long one
	names  uint64  // what stands for its declarations, if it has chunks
}

// list is what a check prints.
func (v *verdict) list(s *Snapshot) diag.List {
	list := v.diags
	if !list.HasErrors() && (s.opt.WholeProgram || s.opt.CompileOnly) && len(v.alone) > 0 {
		list = slices.Concat(v.diags, v.alone)
		list.Sort()
	}
	return list
}

// judgeWhole parses and judges all of the text.
func (s *Snapshot) judgeWhole() {
	w := &View{snapshot: s, File: syntax.Parse(s.Name, s.Text)}
	if syntax.NotPTX(w.File.Errors) {
		s.said = &verdict{diags: w.File.Errors, loose: true}
		return
	}
	v := &verdict{}
	w.Info, v.diags = check.Check(w.File, s.opt)
	v.alone, v.hushed = w.Info.Alone, w.Info.Hushed > 0
	v.inlines = w.inlines()
	v.outline(w, v.diags)
	s.said, s.whole = v, w
}

// outline notes where the bodies of a view's functions are; said is what there is to say of it, in its places.
func (v *verdict) outline(w *View, said diag.List) {
	v.stmts = len(w.File.Stmts)
	known := map[*syntax.Function]*check.Func{}
	for _, f := range w.Info.Funcs {
		known[f.Node] = f
	}
	for _, stmt := range w.File.Stmts {
		switch stmt := stmt.(type) {
		case *syntax.Bad:
			v.loose = true
		case *syntax.Function:
			if stmt.Body != nil {
				f := function{head: w.span(stmt.Range).Start, body: w.span(stmt.Body.Range),
					entry: w.File.Word(stmt.Keyword) == syntax.WordEntry}
				if k := known[stmt]; k != nil {
					f.open, f.shared, f.moves = k.Open, k.Shared, k.Moves
				}
				var aligned bool
				f.chunks, f.names, aligned = w.chunksOf(stmt, said, v.inlines)
				v.astray = v.astray || !aligned
				v.funcs = append(v.funcs, f)
				v.loose = v.loose || w.File.Kind(stmt.Body.First) != syntax.LBrace || w.File.Kind(stmt.Body.Last) != syntax.RBrace
			}
		}
	}
}

// in is the index of the function in whose body a span is, between the braces, -1 if it is in none.
func (v *verdict) in(at Span) int {
	i, found := slices.BinarySearchFunc(v.funcs, at.Start, func(f function, p Pos) int { return int(f.body.Start - p) })
	if !found {
		i--
	}
	if i < 0 || at.Start <= v.funcs[i].body.Start || at.End >= v.funcs[i].body.End {
		return -1
	}
	return i
}

// around is the index of the function in whose head or body a place is, -1 if it is in none.
func (v *verdict) around(at Pos) int {
	i, _ := slices.BinarySearchFunc(v.funcs, at, func(f function, p Pos) int { return int(f.body.End - p) })
	if i == len(v.funcs) || at < v.funcs[i].head {
		return -1
	}
	return i
}

// syntaxErrors counts the errors of the parser.
func syntaxErrors(list diag.List) (n int) {
	for i := range list {
		if list[i].Code < diag.Undeclared {
			n++
		}
	}
	return n
}

// has reports whether a list has one of some codes.
func has(list diag.List, codes ...diag.Code) bool {
	return slices.ContainsFunc(list, func(d diag.Diagnostic) bool { return slices.Contains(codes, d.Code) })
}
