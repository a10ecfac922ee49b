package doc

// This file says what names stand for: where they are declared, and where they are used.

import (
	"cmp"
	"slices"

	"ptxvm.invalid/ptxvm/internal/check"
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/syntax"
)

// symbol is what a name stands for: an object, or a special register.
type symbol struct {
	object  *check.Object
	special isa.Special
}

func (s symbol) ok() bool { return s.object != nil || s.special != 0 }

// symbol resolves the name at a token; the zero symbol is none.
func (w *View) symbol(t syntax.TokenID) symbol {
	if k := w.File.Kind(t); t == syntax.NoToken || k != syntax.Ident {
		return symbol{}
	}
	if u, ok := w.Info.Use(t); ok {
		return symbol{u.Object, u.Special}
	}
	if o := w.declared()[t]; o != nil {
		return symbol{object: o}
	}
	if s, ok := isa.LookupSpecial(w.File.Text(t)); ok {
		return symbol{special: s}
	}
	return symbol{}
}

// declared are the objects by the tokens that declare them: of a function those of its declarations, too.
func (w *View) declared() map[syntax.TokenID]*check.Object {
	w.once.Do(func() {
		w.decls = make(map[syntax.TokenID]*check.Object, len(w.Info.Objects))
		functions := map[syntax.Word]*check.Object{}
		for _, o := range w.Info.Objects {
			w.decls[o.Tok] = o
			if o.Kind == check.Function {
				functions[w.File.Word(o.Tok)] = o
			}
		}
		for _, s := range w.File.Stmts {
			if f, ok := s.(*syntax.Function); ok {
				if o := functions[w.File.Word(f.Name)]; o != nil {
					w.decls[f.Name] = o
				}
			}
		}
	})
	return w.decls
}

// local reports whether an object is visible in one function only.
func local(o *check.Object) bool { return o.Func != nil && o.Kind != check.Function }

// Mention is a place where a name stands.
type Mention struct {
	Span  Span
	Decl  bool
	Write bool // the statement writes it
	Read  bool
}

// mentions lists where the view has an object, in written order. Names in statements that could not be parsed count by their spelling.
func (w *View) mentions(o *check.Object) (list []Mention) {
	first, last := syntax.TokenID(1), syntax.TokenID(len(w.File.Tokens)-1)
	if local(o) {
		if r, ok := w.around(o); ok {
			first, last = r.First, r.Last
		}
	}
	roles := w.roles(first, last)
	broken := w.broken(first, last)
	for t := first; t <= last; t++ {
		if w.File.Kind(t) != syntax.Ident {
			continue
		}
		decl := w.declared()[t] == o
		u, used := w.Info.Use(t)
		if !decl && !(used && u.Object == o) && !(!used && broken(t) && w.spells(t, o)) {
			continue
		}
		m := Mention{Span: w.tokenSpan(t), Decl: decl}
		if !decl {
			role, known := roles[t]
			m.Write, m.Read = known && role != ir.OnlyRead, !known || role != ir.OnlyWrite
		}
		list = append(list, m)
	}
	return list
}

// around is the statement of the module that an object of a function is in.
func (w *View) around(o *check.Object) (syntax.Range, bool) {
	s := w.moduleStmt(o.Tok)
	if s == nil {
		return syntax.Range{}, false
	}
	return s.Extent(), true
}

// moduleStmt is the statement of the module that a token is in, nil if it is between them.
func (w *View) moduleStmt(t syntax.TokenID) syntax.Stmt { return stmtAt(w.File.Stmts, t) }

func stmtAt(list []syntax.Stmt, t syntax.TokenID) syntax.Stmt {
	i, found := slices.BinarySearchFunc(list, t, func(s syntax.Stmt,
		t syntax.TokenID) int {
		return cmp.Compare(s.Extent().First, t)
	})
	if !found {
		i--
	}
	if i < 0 || list[i].Extent().Last < t {
		return nil
	}
	return list[i]
}

// roles says how statements touch the names among their operands, of those that write some.
func (w *View) roles(first, last syntax.TokenID) map[syntax.TokenID]ir.OperandAccess {
	roles := map[syntax.TokenID]ir.OperandAccess{}
	w.eachInstruction(first, last, func(in *syntax.Instruction) {
		sel := w.Info.Sel(in)
		if sel == nil {
			return
		}
		for i := range in.Operands {
			access := ir.AccessOf(sel, i)
			if i == 0 && sel.ID() == isa.Call && in.Operands[0].Kind != syntax.OperandList {
				access = ir.OnlyRead
			}
			if access != ir.OnlyRead {
				addRoles(roles, &in.Operands[i], access)
			}
		}
	})
	return roles
}

func addRoles(roles map[syntax.TokenID]ir.OperandAccess, o *syntax.Operand, access ir.OperandAccess) {
	switch o.Kind {
	case syntax.OperandName:
		roles[o.Name] = access
	case syntax.OperandVector, syntax.OperandPair, syntax.OperandList:
		for i := range o.Elems {
			addRoles(roles, &o.Elems[i], access)
		}
	}
}

// broken tells tokens of statements that could not be parsed.
func (w *View) broken(first, last syntax.TokenID) func(syntax.TokenID) bool {
	var bad []syntax.Range
	if len(w.File.Errors) > 0 {
		w.eachStmt(first, last, func(s syntax.Stmt) {
			if b, ok := s.(*syntax.Bad); ok {
				bad = append(bad, b.Range)
			}
		})
	}
	return func(t syntax.TokenID) bool {
		return slices.ContainsFunc(bad, func(r syntax.Range) bool { return r.First <= t && t <= r.Last })
	}
}

// spells reports whether a token has the name of an object, or of a member of a family.
func (w *View) spells(t syntax.TokenID, o *check.Object) bool {
	text := w.File.Text(t)
	if o.Count == 0 {
		return text == o.Name
	}
	_, ok := member(text, o)
	return ok
}

// eachStmt visits the statements that begin in a range of tokens, those in blocks and bodies, too.
func (w *View) eachStmt(first, last syntax.TokenID, visit func(syntax.Stmt)) {
	eachIn(w.File.Stmts, first, last, visit)
}

func eachIn(list []syntax.Stmt, first, last syntax.TokenID, visit func(syntax.Stmt)) {
	from, _ := slices.BinarySearchFunc(list, first, func(s syntax.Stmt,
		t syntax.TokenID) int {
		return cmp.Compare(s.Extent().Last, t)
	})
	for _, s := range list[from:] {
		if s.Extent().First > last {
			return
		}
		visit(s)
		switch s := s.(type) {
		case *syntax.Block:
			eachIn(s.Stmts, first, last, visit)
		case *syntax.Function:
			if s.Body != nil {
				eachIn(s.Body.Stmts, first, last, visit)
			}
		}
	}
}

func (w *View) eachInstruction(first, last syntax.TokenID, visit func(*syntax.Instruction)) {
	w.eachStmt(first, last, func(s syntax.Stmt) {
		if in, ok := s.(*syntax.Instruction); ok {
			visit(in)
		}
	})
}

// blocksAround are the statement lists that a token is in, the outermost first: of the body, and of blocks. fn is the function.
func (w *View) blocksAround(t syntax.TokenID) (fn *syntax.Function, blocks []*syntax.Block) {
	fn, _ = w.moduleStmt(t).(*syntax.Function)
	if fn == nil || fn.Body == nil || t < fn.Body.First {
		return fn, nil
	}
	for b := fn.Body; b != nil; {
		blocks = append(blocks, b)
		b, _ = stmtAt(b.Stmts, t).(*syntax.Block)
	}
	return fn, blocks
}

// stmt is the innermost statement at a token, nil if there is none.
func (w *View) stmt(t syntax.TokenID) syntax.Stmt {
	_, blocks := w.blocksAround(t)
	if len(blocks) == 0 {
		return w.moduleStmt(t)
	}
	return stmtAt(blocks[len(blocks)-1].Stmts, t)
}
