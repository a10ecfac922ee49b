package mutants

// The mutation operators that work on calls, functions and operands.

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"
	"unicode"
)

// commutative functions begin with one of these words: their first two arguments swapped change
// nothing but the choice of a NaN. Of symmetric ones no two matter.
var (
	commutative = []string{"add", "mul", "min", "max", "eq", "ne", "and", "or", "xor", "num", "nan", "fma", "mad", "sad"}
	symmetric   = []string{"min3", "max3", "addc"}
)

// begins reports whether a function's name, without its package, begins with one of the words.
func begins(name string, words []string) bool {
	name = strings.ToLower(name[strings.LastIndexByte(name, '.')+1:])
	return slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(name, w) })
}

// swapArguments swaps neighbouring arguments of the same type. Of functions outside the
// room the types are not known, and the compiler decides.
func swapArguments(f *finder, n ast.Node) {
	call, ok := n.(*ast.CallExpr)
	if !ok || isConversion(call) {
		return
	}
	name := reference(call.Fun)
	known := f.known.byName[name]
	for i := range len(call.Args) - 1 {
		if i == 0 && begins(name, commutative) || begins(name, symmetric) {
			continue
		}
		if known != nil && (len(known.params) != len(call.Args) || known.params[i] != known.params[i+1]) {
			continue
		}
		if a, b := f.slice(call.Args[i]), f.slice(call.Args[i+1]); a != b && known != nil || isQualified(name) && a != b {
			f.edit("arguments", call, call.Args[i].Pos(), call.Args[i+1].End(), b+", "+a)
		}
	}
}

func isQualified(name string) bool {
	return strings.HasPrefix(name, "math.") || strings.HasPrefix(name, "bits.")
}

// dropCall replaces a call of a function from a type to itself (a flush, a saturation, a
// relu) by its argument.
func dropCall(f *finder, n ast.Node) {
	call, ok := n.(*ast.CallExpr)
	if !ok || len(call.Args) != 1 {
		return
	}
	if known := f.known.byName[reference(call.Fun)]; known != nil && known.unary() {
		f.replace("call", call, f.slice(call.Args[0]))
	}
}

// basicTypes are those of conversions.
var basicTypes = []string{
	"int8", "int16", "int32", "int64", "int", "uint8", "uint16", "uint32", "uint64", "uint", "float32", "float64",
}

func isConversion(c *ast.CallExpr) bool {
	id, ok := c.Fun.(*ast.Ident)
	return ok && slices.Contains(basicTypes, id.Name) && len(c.Args) == 1
}

// dropConversion drops the inner one of two conversions: the extension, or the truncation.
func dropConversion(f *finder, n ast.Node) {
	inner, ok := n.(*ast.CallExpr)
	if !ok || !isConversion(inner) {
		return
	}
	if outer, ok := f.parent().(*ast.CallExpr); ok && isConversion(outer) {
		f.replace("conversion", inner, f.slice(inner.Args[0]))
	}
}

// neighbours replaces a function by another of its signature: in a table by the next one
// that the table names, elsewhere by the one declared next to it.
func neighbours(f *finder, n ast.Node) {
	known := f.known.byName[reference(n)]
	if _, inside := f.parent().(*ast.SelectorExpr); known == nil || inside || f.types[known.name] != "" || isKey(f.parent(), n) {
		return
	}
	if to := f.inTable(n, known); to != nil {
		f.replace("function", n, to.name)
	} else if to := f.known.neighbour(known, f.decl); to != nil {
		f.replace("function", n, to.name)
	}
}

// isKey reports whether n names a field.
func isKey(parent, n ast.Node) bool {
	kv, ok := parent.(*ast.KeyValueExpr)
	return ok && kv.Key == n
}

// inTable returns the next function of n's signature in the table around n, the first one
// behind the last; nil if n is in no table or there is none.
func (f *finder) inTable(n ast.Node, known *function) *function {
	at := slices.IndexFunc(f.stack, func(a ast.Node) bool { _, ok := a.(*ast.CompositeLit); return ok })
	if at < 0 {
		return nil
	}
	var first *function
	for _, e := range f.entries(f.stack[at]) {
		if e.fn == known || e.fn.signature() != known.signature() {
			continue
		}
		if e.pos > n.Pos() {
			return e.fn
		}
		if first == nil {
			first = e.fn
		}
	}
	return first
}

// entry is one mention of a function in a table.
type entry struct {
	pos token.Pos
	fn  *function
}

// entries lists the functions that a table names.
func (f *finder) entries(table ast.Node) []entry {
	if f.table == table {
		return f.named
	}
	f.table, f.named = table, nil
	ast.Inspect(table, func(n ast.Node) bool {
		if g := f.known.byName[reference(n)]; g != nil {
			f.named = append(f.named, entry{n.Pos(), g})
		}
		return true
	})
	return f.named
}

// otherOperand replaces a parameter by the next one of the same type where it is returned,
// compared, combined or handed on.
func otherOperand(f *finder, n ast.Node) {
	id, ok := n.(*ast.Ident)
	if !ok || f.types[id.Name] == "" || id.Name == "_" {
		return
	}
	switch p := f.parent().(type) {
	case *ast.ReturnStmt, *ast.BinaryExpr, *ast.CallExpr, *ast.UnaryExpr:
	case *ast.IndexExpr:
		if p.Index != n {
			return
		}
	default:
		return
	}
	if to := f.otherParam(id.Name); to != "" {
		f.replace("operand", id, to)
	}
}

// otherParam returns the parameter that follows name, cyclically, in alphabetical order
// among those of its type.
func (f *finder) otherParam(name string) string {
	var same []string
	for other, t := range f.types {
		if t == f.types[name] && other != "_" && unicode.IsLetter(rune(other[0])) {
			same = append(same, other)
		}
	}
	if len(same) < 2 {
		return ""
	}
	slices.Sort(same)
	return same[(slices.Index(same, name)+1)%len(same)]
}
