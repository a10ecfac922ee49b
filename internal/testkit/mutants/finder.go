package mutants

// The walk over a file that offers every node to every operator.

import (
	"go/ast"
	"go/token"
	"strings"
)

// longText bounds the context that a mutant's text shows: a line of a table with an assumption is shown
// whole, or lines that choose the same functions would share a key.
const longText = 150

// finder collects the mutants of one file.
type finder struct {
	*source
	known functions
	decl  string            // the declaration being walked
	types map[string]string // types of the parameters of the functions around
	stack []ast.Node        // the node's ancestors, outermost first
	out   []Mutant

	table ast.Node // the table whose functions were listed last, and those
	named []entry
}

// mutate lists the mutants of a file.
func mutate(s *source, known functions) []Mutant {
	f := &finder{source: s, known: known}
	for _, d := range s.tree.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			f.decl, f.types = funcName(d), map[string]string{}
			f.declare(d.Type)
			f.walk(d.Body)
		case *ast.GenDecl:
			f.specs(d)
		}
	}
	return f.out
}

// specs walks the values of variables and constants.
func (f *finder) specs(d *ast.GenDecl) {
	for _, spec := range d.Specs {
		if v, ok := spec.(*ast.ValueSpec); ok {
			f.decl, f.types = v.Names[0].Name, nil
			for _, x := range v.Values {
				f.walk(x)
			}
		}
	}
}

// funcName is F or T.M.
func funcName(d *ast.FuncDecl) string {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return d.Name.Name
	}
	t := d.Recv.List[0].Type
	if star, ok := t.(*ast.StarExpr); ok {
		t = star.X
	}
	if id, ok := t.(*ast.Ident); ok {
		return id.Name + "." + d.Name.Name
	}
	return d.Name.Name
}

// declare records the parameters of a function.
func (f *finder) declare(t *ast.FuncType) {
	for _, field := range t.Params.List {
		for _, n := range field.Names {
			f.types[n.Name] = f.slice(field.Type)
		}
	}
}

// walk offers the nodes below root to the operators. Types hold nothing to mutate, and the
// words of a panic are no behaviour.
func (f *finder) walk(root ast.Node) {
	if b, ok := root.(*ast.BlockStmt); ok && b == nil {
		return // implemented in assembly
	}
	ast.Inspect(root, func(n ast.Node) bool {
		if n == nil {
			f.stack = f.stack[:len(f.stack)-1]
			return false
		}
		switch n := n.(type) {
		case *ast.ArrayType, *ast.StructType, *ast.FuncType, *ast.InterfaceType, *ast.MapType:
			return false
		case *ast.CallExpr:
			if isName(n.Fun, "panic") {
				return false
			}
		}
		for _, op := range operators {
			op.find(f, n)
		}
		f.stack = append(f.stack, n)
		return true
	})
}

func isName(x ast.Expr, name string) bool {
	id, ok := x.(*ast.Ident)
	return ok && id.Name == name
}

// parent returns the innermost ancestor.
func (f *finder) parent() ast.Node {
	if len(f.stack) == 0 {
		return nil
	}
	return f.stack[len(f.stack)-1]
}

// replace records a mutant: the text of n becomes repl.
func (f *finder) replace(kind string, n ast.Node, repl string) {
	f.edit(kind, n, n.Pos(), n.End(), repl)
}

// edit records a mutant that replaces the text from start to end, inside n.
func (f *finder) edit(kind string, n ast.Node, start, end token.Pos, repl string) {
	context := f.context(n)
	from, lo, hi := f.offset(context.Pos()), f.offset(start), f.offset(end)
	before := f.slice(context)
	after := before[:lo-from] + repl + before[hi-from:]
	f.out = append(f.out, Mutant{
		File: f.name, Line: f.fset.Position(start).Line, Func: f.decl, Kind: kind,
		Text:  oneLine(before) + " => " + oneLine(after),
		start: lo, end: hi, repl: repl,
	})
}

// context returns the largest expression around n that is short enough to show.
func (f *finder) context(n ast.Node) ast.Node {
	for i := len(f.stack) - 1; i >= 0; i-- {
		switch x := f.stack[i].(type) {
		case *ast.BinaryExpr, *ast.CallExpr, *ast.ParenExpr, *ast.UnaryExpr, *ast.IndexExpr, *ast.SelectorExpr,
			*ast.KeyValueExpr, *ast.CompositeLit, *ast.AssignStmt, *ast.ReturnStmt:
			if len(f.slice(x)) > longText {
				return n
			}
			n = x
		default:
			return n
		}
	}
	return n
}

// oneLine collapses white space; text that is still long is cut in the middle.
func oneLine(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > 2*longText {
		s = s[:longText] + " … " + s[len(s)-longText:]
	}
	if s == "" {
		return "nothing"
	}
	return s
}
