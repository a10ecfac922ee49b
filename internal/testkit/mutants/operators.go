package mutants

// The mutation operators that work on expressions and conditions.

import (
	"go/ast"
	"go/token"
)

// operator makes the mutants of one kind from a node.
type operator struct {
	kind string
	find func(f *finder, n ast.Node)
}

var operators []operator

func init() { // the functions refer to their own names
	operators = []operator{
		{"boundary", boundary}, {"operator", swapOperator}, {"one side", oneSide}, {"sign", dropUnary},
		{"condition", conditions}, {"statement", dropStatement},
		{"constant", constants}, {"truth", truth}, {"rounding", rounding},
		{"arguments", swapArguments}, {"call", dropCall}, {"conversion", dropConversion},
		{"function", neighbours}, {"operand", otherOperand},
	}
}

// boundaries are the comparisons that a bound off by one confuses.
var boundaries = map[token.Token]token.Token{
	token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ, token.GEQ: token.GTR,
	token.EQL: token.NEQ, token.NEQ: token.EQL,
}

// swaps are the operators taken for each other.
var swaps = map[token.Token]token.Token{
	token.ADD: token.SUB, token.SUB: token.ADD, token.AND: token.OR, token.OR: token.AND,
	token.XOR: token.OR, token.AND_NOT: token.AND, token.SHL: token.SHR, token.SHR: token.SHL,
	token.LAND: token.LOR, token.LOR: token.LAND, token.QUO: token.REM, token.REM: token.QUO, token.MUL: token.ADD,
	token.ADD_ASSIGN: token.SUB_ASSIGN, token.SUB_ASSIGN: token.ADD_ASSIGN,
	token.AND_ASSIGN: token.OR_ASSIGN, token.OR_ASSIGN: token.AND_ASSIGN, token.XOR_ASSIGN: token.OR_ASSIGN,
	token.AND_NOT_ASSIGN: token.AND_ASSIGN, token.SHL_ASSIGN: token.SHR_ASSIGN, token.SHR_ASSIGN: token.SHL_ASSIGN,
	token.INC: token.DEC, token.DEC: token.INC,
}

func boundary(f *finder, n ast.Node) {
	if b, ok := n.(*ast.BinaryExpr); ok {
		if to, ok := boundaries[b.Op]; ok {
			f.binary("boundary", b, to)
		}
	}
}

func swapOperator(f *finder, n ast.Node) {
	switch n := n.(type) {
	case *ast.BinaryExpr:
		if to, ok := swaps[n.Op]; ok {
			f.binary("operator", n, to)
		}
	case *ast.AssignStmt:
		if to, ok := swaps[n.Tok]; ok {
			f.edit("operator", n, n.TokPos, n.TokPos+token.Pos(len(n.Tok.String())), to.String())
		}
	case *ast.IncDecStmt:
		f.edit("operator", n, n.TokPos, n.TokPos+2, swaps[n.Tok].String())
	}
}

// binary replaces the operator of b. An operator of another precedence would regroup the
// operands, so both and the whole are put in parentheses.
func (f *finder) binary(kind string, b *ast.BinaryExpr, to token.Token) {
	if to.Precedence() == b.Op.Precedence() {
		f.edit(kind, b, b.OpPos, b.OpPos+token.Pos(len(b.Op.String())), to.String())
		return
	}
	f.replace(kind, b, "(("+f.slice(b.X)+") "+to.String()+" ("+f.slice(b.Y)+"))")
}

// oneSide drops one operand of && and ||, and of the bit operators.
func oneSide(f *finder, n ast.Node) {
	b, ok := n.(*ast.BinaryExpr)
	if !ok {
		return
	}
	switch b.Op {
	case token.LAND, token.LOR, token.AND, token.OR, token.XOR, token.AND_NOT:
		if !f.onlyBounds(b) {
			f.replace("one side", b, f.slice(b.X))
		}
		f.replace("one side", b, f.slice(b.Y))
	}
}

// onlyBounds reports whether b is x & 31 where x is an index, or the number of a set bit: the
// mask is there to save a bounds check.
func (f *finder) onlyBounds(b *ast.BinaryExpr) bool {
	if lit, ok := b.Y.(*ast.BasicLit); b.Op != token.AND || !ok || lit.Value != "31" {
		return false
	}
	if call, ok := b.X.(*ast.CallExpr); ok && reference(call.Fun) == "bits.TrailingZeros32" {
		return true
	}
	index, ok := f.parent().(*ast.IndexExpr)
	return ok && index.Index == b
}

// dropUnary drops a minus, a complement or a not.
func dropUnary(f *finder, n ast.Node) {
	if u, ok := n.(*ast.UnaryExpr); ok && (u.Op == token.SUB || u.Op == token.XOR || u.Op == token.NOT) {
		f.replace("sign", u, f.slice(u.X))
	}
}

// conditions negates and disables what an if or a case tests. Of an equality the negation
// is a boundary mutant already.
func conditions(f *finder, n ast.Node) {
	for _, c := range tested(n) {
		text := f.slice(c)
		f.replace("condition", c, "false && ("+text+")")
		if b, ok := c.(*ast.BinaryExpr); !ok || b.Op != token.EQL && b.Op != token.NEQ {
			f.replace("condition", c, "!("+text+")")
		}
	}
}

// tested returns the conditions of an if, or of the cases of a switch without a tag.
func tested(n ast.Node) (out []ast.Expr) {
	switch n := n.(type) {
	case *ast.IfStmt:
		return []ast.Expr{n.Cond}
	case *ast.SwitchStmt:
		if n.Tag != nil {
			return nil
		}
		for _, c := range n.Body.List {
			out = append(out, c.(*ast.CaseClause).List...)
		}
	}
	return out
}

// dropStatement drops an assignment with an operator, an increment, a call, or an
// assignment of values to what exists.
func dropStatement(f *finder, n ast.Node) {
	if _, ok := f.parent().(*ast.ForStmt); ok {
		return // a loop that does not advance only costs the time limit
	}
	switch n := n.(type) {
	case *ast.AssignStmt:
		if n.Tok != token.DEFINE && !isName(n.Lhs[0], "_") {
			f.replace("statement", n, "")
		}
	case *ast.IncDecStmt:
		f.replace("statement", n, "")
	case *ast.ExprStmt:
		if c, ok := n.X.(*ast.CallExpr); !ok || !isName(c.Fun, "panic") {
			f.replace("statement", n, "")
		}
	}
}
