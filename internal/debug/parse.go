package debug

// This file reads expressions: Go's operators and literals over registers, parameters, variables and memory of PTX.
//
//	expr    = binary of Go's operators over unary
//	unary   = ("-" | "+" | "!" | "^" | "~" | "&" | "*") unary | postfix
//	postfix = primary { "[" expr "]" | "@" (NUMBER | "warp") | ":" TYPE }
//	object  = ("texture" | "surface" | "sampler" | "tensormap") "(" expr ["," expr] ")"
//	primary = object | NUMBER | %REGISTER["."COMPONENT] | NAME | $[N] | TYPE "(" expr ")" | "(" TYPE ")" unary | "(" expr ")" | "[" [SPACE] expr "]"

import (
	"fmt"
	"slices"

	"ptxvm.invalid/ptxvm/internal/value"
)

// Expr is an expression that has been read. It is evaluated in a Scope.
type Expr struct {
	Text string
	root node
	warp bool // it has @warp in it: a value for each lane
}

// node is a part of an expression.
type node interface {
	eval(c *evaluation) (Value, error)
}

// The nodes.
type (
	literal  struct{ value Value }
	register struct {
		name string
		comp string // of a special register: x, y, z, w
	}
	named   struct{ name string }
	history struct{ n int } // $n; 0: the last
	atLane  struct {
		of   node
		lane int // -1: each lane of the warp
	}
	viewed struct { // :TYPE, the same bits
		of  node
		typ value.Type
	}
	cast struct { // TYPE(x), the value converted
		of  node
		typ value.Type
	}
	memory struct { // [space address]
		space string
		at    node
	}
	index   struct{ of, at node }
	unaryOp struct {
		op string
		of node
	}
	binaryOp struct {
		op   string
		l, r node
	}
)

// visit shows all parts of an expression.
func visit(n node, see func(node)) {
	see(n)
	switch n := n.(type) {
	case *atLane:
		visit(n.of, see)
	case *viewed:
		visit(n.of, see)
	case *cast:
		visit(n.of, see)
	case *memory:
		visit(n.at, see)
	case *index:
		visit(n.of, see)
		visit(n.at, see)
	case *unaryOp:
		visit(n.of, see)
	case *binaryOp:
		visit(n.l, see)
		visit(n.r, see)
	case *object:
		visit(n.of, see)
		if n.level != nil {
			visit(n.level, see)
		}
	}
}

// spaces are the state spaces that an address in brackets may name (5.1), and tensor memory.
var spaces = []string{"generic", "global", "const", "shared", "local", "param", tensorSpace}

// maxNesting bounds how deep an expression may be, maxExpr its length: they come from scripts and protocols.
const maxNesting, maxExpr = 100, 4096

// ParseExpr reads an expression.
func ParseExpr(text string) (*Expr, error) {
	p, err := newParser(text)
	if err != nil {
		return nil, err
	}
	e := &Expr{Text: text}
	if e.root, err = p.binary(0); err != nil {
		return nil, err
	}
	if t := p.peek(); t.kind != tokenEnd {
		return nil, p.fail(t)
	}
	e.warp = p.warp
	return e, nil
}

// parser goes through the tokens of an expression.
type parser struct {
	text   string
	tokens []token
	at     int
	deep   int
	warp   bool
}

func newParser(text string) (*parser, error) {
	if len(text) > maxExpr {
		return nil, &SyntaxError{Text: text, Msg: "The expression is too long."}
	}
	tokens, err := scan(text)
	return &parser{text: text, tokens: tokens}, err
}

func (p *parser) peek() token { return p.tokens[p.at] }

// take goes past an operator if it stands there.
func (p *parser) take(op string) bool {
	if t := p.peek(); t.kind != tokenOperator || t.text != op {
		return false
	}
	p.at++
	return true
}

// fail says that a token must not stand where it does, as gdb does.
func (p *parser) fail(t token) error {
	return &SyntaxError{Text: p.text, At: t.at, Msg: fmt.Sprintf("A syntax error in expression, near `%s'.", p.text[t.at:])}
}

// levels are Go's binary operators from the loosest to the tightest.
var levels = [][]string{{"||"}, {"&&"}, {"==", "!=", "<=", ">=", "<", ">"}, {"+", "-", "|", "^"}, {"*", "/", "%", "<<", ">>", "&^", "&"}}

func (p *parser) binary(level int) (node, error) {
	if level == len(levels) {
		return p.unary()
	}
	l, err := p.binary(level + 1)
	for err == nil {
		t := p.peek()
		if t.kind != tokenOperator || !slices.Contains(levels[level], t.text) {
			return l, nil
		}
		p.at++
		var r node
		if r, err = p.binary(level + 1); err == nil {
			l = &binaryOp{t.text, l, r}
		}
	}
	return nil, err
}

func (p *parser) unary() (node, error) {
	t := p.peek()
	if t.kind != tokenOperator || !slices.Contains([]string{"-", "+", "!", "^", "~", "&", "*"}, t.text) {
		return p.postfix()
	}
	if p.deep++; p.deep > maxNesting {
		return nil, &SyntaxError{Text: p.text, At: t.at, Msg: "The expression is nested too deeply."}
	}
	defer func() { p.deep-- }()
	p.at++
	of, err := p.unary()
	return &unaryOp{t.text, of}, err
}

func (p *parser) postfix() (node, error) {
	n, err := p.primary()
	for err == nil {
		switch {
		case p.take("["):
			var at node
			if at, err = p.closed("]"); err == nil {
				n = &index{n, at}
			}
		case p.take("@"):
			n, err = p.lane(n)
		case p.take(":"):
			var typ value.Type
			if typ, err = p.typeName(); err == nil {
				n = &viewed{n, typ}
			}
		default:
			return n, nil
		}
	}
	return nil, err
}

// lane reads what stands behind @.
func (p *parser) lane(of node) (node, error) {
	t := p.peek()
	p.at++
	if t.kind == tokenName && t.text == "warp" {
		p.warp = true
		return &atLane{of, -1}, nil
	}
	var n int
	if _, err := fmt.Sscanf(t.text, "%d", &n); t.kind != tokenNumber || err != nil || n < 0 || n > 31 {
		p.at--
		return nil, &SyntaxError{Text: p.text, At: t.at, Msg: "Want a lane from 0 to 31, or warp, behind @."}
	}
	return &atLane{of, n}, nil
}

// typeName reads a type of PTX.
func (p *parser) typeName() (value.Type, error) {
	p.take(".")
	t := p.peek()
	typ, err := value.ParseType(t.text)
	if t.kind != tokenName || err != nil {
		return typ, &SyntaxError{Text: p.text, At: t.at, Msg: fmt.Sprintf("No type \"%s\": want one of PTX, such as u32, b64 or f16.", t.text)}
	}
	p.at++
	return typ, nil
}

// closed reads an expression up to the bracket that ends it.
func (p *parser) closed(end string) (node, error) {
	if p.deep++; p.deep > maxNesting {
		return nil, &SyntaxError{Text: p.text, At: p.peek().at, Msg: "The expression is nested too deeply."}
	}
	defer func() { p.deep-- }()
	n, err := p.binary(0)
	if err == nil && !p.take(end) {
		err = p.fail(p.peek())
	}
	return n, err
}

func (p *parser) primary() (node, error) {
	t := p.peek()
	if t.kind == tokenEnd {
		return nil, p.fail(t)
	}
	p.at++
	switch t.kind {
	case tokenNumber:
		v, err := parseNumber(t.text)
		if err != nil {
			return nil, &SyntaxError{Text: p.text, At: t.at, Msg: fmt.Sprintf("Invalid number \"%s\".", t.text)}
		}
		return &literal{v}, nil
	case tokenRegister:
		return p.register(t)
	case tokenHistory:
		n := 0
		_, _ = fmt.Sscanf(t.text, "$%d", &n) // without a number it is the last one
		return &history{n}, nil
	case tokenName:
		return p.name(t)
	}
	switch t.text {
	case "(":
		return p.parenthesis()
	case "[":
		m := &memory{space: "generic"}
		if s := p.peek(); s.kind == tokenName && slices.Contains(spaces, s.text) && !p.operatorBehind() {
			m.space = s.text
			p.at++
		} else if s.kind == tokenName || s.kind == tokenOperator && s.text == "&" {
			m.space = "" // that of the variable
		}
		at, err := p.closed("]")
		m.at = at
		return m, err
	}
	p.at--
	return nil, p.fail(t)
}

// operatorBehind reports whether the token behind the next one is an operator or the end: then that is a name.
func (p *parser) operatorBehind() bool {
	t := p.tokens[min(p.at+1, len(p.tokens)-1)]
	return t.kind == tokenEnd || t.kind == tokenOperator && t.text != "(" && t.text != "&" && t.text != "["
}

// register reads %r1, or %tid.x.
func (p *parser) register(t token) (node, error) {
	r := &register{name: t.text}
	if p.peek().text == "." && p.peek().kind == tokenOperator {
		p.at++
		c := p.peek()
		if c.kind != tokenName || !slices.Contains([]string{"x", "y", "z", "w"}, c.text) {
			return nil, p.fail(c)
		}
		p.at++
		r.comp = c.text
	}
	return r, nil
}

// name reads a variable, a conversion, or true and false.
func (p *parser) name(t token) (node, error) {
	switch t.text {
	case "true", "false":
		return &literal{truth(t.text == "true")}, nil
	}
	if typ, err := value.ParseType(t.text); err == nil && p.take("(") {
		of, err := p.closed(")")
		return &cast{of, typ}, err
	}
	if slices.Contains(objectKinds, t.text) && p.take("(") {
		return p.object(t.text)
	}
	return &named{t.text}, nil
}

// object reads what stands behind texture( and the like.
func (p *parser) object(kind string) (node, error) {
	o := &object{kind: kind}
	if p.deep++; p.deep > maxNesting {
		return nil, &SyntaxError{Text: p.text, At: p.peek().at, Msg: "The expression is nested too deeply."}
	}
	defer func() { p.deep-- }()
	var err error
	if o.of, err = p.binary(0); err != nil {
		return nil, err
	}
	if p.take(",") {
		o.level, err = p.closed(")")
		return o, err
	}
	if !p.take(")") {
		return nil, p.fail(p.peek())
	}
	return o, nil
}

// parenthesis reads a conversion as C writes it, or an expression.
func (p *parser) parenthesis() (node, error) {
	if t := p.peek(); t.kind == tokenName && p.tokens[p.at+1].text == ")" {
		if typ, err := value.ParseType(t.text); err == nil {
			p.at += 2
			of, err := p.unary()
			return &cast{of, typ}, err
		}
	}
	return p.closed(")")
}
