package vec

// Wrapping a block into a kernel: registers for its names, loads and stores around it.

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"ptxvm/internal/isa"
)

// operand is a name of a block.
type operand struct {
	name   string
	typ    string // register type with its dot
	result bool
}

// bits is the width of the register.
func (o *operand) bits() int {
	t, _ := isa.LookupType(o.typ)
	return t.Bits()
}

// wrapped is a block ready to be printed as PTX.
type wrapped struct {
	*Block
	target  isa.Target
	stmts   []string
	names   []*operand
	in, out []*operand
}

var nameRE = regexp.MustCompile(`\b([a-z]\w*)(?::(\w+))?\b`)

// wrap finds the names and their register types.
func wrap(b *Block) (*wrapped, error) {
	w := &wrapped{Block: b}
	for _, s := range strings.Split(b.Text, ";") {
		if s = strings.TrimSpace(s); s != "" {
			w.addNames(s)
			w.stmts = append(w.stmts, nameRE.ReplaceAllStringFunc(s, stripType))
		}
	}
	if err := w.chooseTypes(); err != nil {
		return nil, fmt.Errorf("%s:%d: %s: %w", b.File, b.Line, b.Text, err)
	}
	for _, o := range w.names {
		if o.result {
			w.out = append(w.out, o)
		} else {
			w.in = append(w.in, o)
		}
	}
	return w, nil
}

func stripType(s string) string {
	name, _, _ := strings.Cut(s, ":")
	return name
}

// split returns opcode and operands of a statement.
func split(stmt string) (opcode, operands string) {
	opcode, operands, _ = strings.Cut(stmt, " ")
	return opcode, strings.TrimSpace(operands)
}

func (w *wrapped) addNames(stmt string) {
	_, operands := split(stmt)
	first := operands
	depth := 0
	for i, c := range operands { // the first operand ends at the first comma outside braces
		if c == '{' {
			depth++
		} else if c == '}' {
			depth--
		} else if c == ',' && depth == 0 {
			first = operands[:i]
			break
		}
	}
	for _, m := range nameRE.FindAllStringSubmatchIndex(operands, -1) {
		name, typ := operands[m[2]:m[3]], ""
		if m[4] >= 0 {
			typ = "." + operands[m[4]:m[5]]
		}
		if !slices.ContainsFunc(w.names, func(o *operand) bool { return o.name == name }) {
			w.names = append(w.names, &operand{name: name, typ: typ, result: m[2] < len(first)})
		}
	}
}

// targets are tried in turn until one has the form.
var targets = []string{"sm_90a", "sm_100a", "sm_103a", "sm_120a", "sm_60"}

// chooseTypes gives every name without a type the register type of its operand.
func (w *wrapped) chooseTypes() error {
	try := targets
	if w.Arch != "" {
		try = []string{w.Arch}
	}
	var failed error
	for _, name := range try {
		if w.target, failed = isa.ParseTarget(name); failed != nil {
			return failed
		}
		failed = nil
		for _, s := range w.stmts {
			if err := w.typesOf(s); err != nil {
				failed = err
			}
		}
		if failed == nil {
			return nil
		}
	}
	return failed
}

// candidates are the register types that are tried, in this order.
var candidates = []string{".b32", ".b16", ".b64", ".pred", ".f32", ".b128", ".u32", ".u64", ".u16"}

// typesOf matches one statement with every combination of types for the names that have none
// yet, and takes the one whose registers are as wide as the form's types.
func (w *wrapped) typesOf(stmt string) error {
	opcode, operands := split(stmt)
	tokens := strings.Split(opcode, ".")
	for i := 1; i < len(tokens); i++ {
		tokens[i] = "." + tokens[i]
	}
	var open []*operand
	for _, m := range nameRE.FindAllStringSubmatch(operands, -1) {
		if o := w.operand(m[1]); o.typ == "" && !slices.Contains(open, o) {
			open = append(open, o)
		}
	}
	var last error
	if w.assign(open, func() bool {
		last = w.match(tokens, operands)
		return last == nil
	}) {
		return nil
	}
	return last
}

func (w *wrapped) operand(name string) *operand {
	for _, o := range w.names {
		if o.name == name {
			return o
		}
	}
	return nil
}

// assign tries all types of the open names until ok.
func (w *wrapped) assign(open []*operand, ok func() bool) bool {
	if len(open) == 0 {
		return ok()
	}
	for _, t := range candidates {
		open[0].typ = t
		if w.assign(open[1:], ok) {
			return true
		}
	}
	open[0].typ = ""
	return false
}

func (w *wrapped) match(tokens []string, operands string) error {
	q := &isa.Query{Tokens: tokens, Operands: w.shapes(operands), Version: isa.Latest, Target: w.target, Entry: true}
	sel, fails := isa.Table().Match(q)
	if len(fails) > 0 || sel == nil {
		return fmt.Errorf("no form: %v", fails)
	}
	for i := range sel.Roles {
		at := &sel.Roles[i]
		if o := w.at(q.Operands, operands, at); o != nil && at.Type != 0 && at.Type.Storage().Bits() != o.bits() && at.Type.Bits() >= 16 {
			return fmt.Errorf("%s is wider than its type", o.name)
		}
	}
	return nil
}

// at returns the name that stands at a role, nil if none does alone.
func (w *wrapped) at(shapes []isa.Shape, operands string, at *isa.RoleAt) *operand {
	parts := splitOperands(operands)
	if at.Op >= len(parts) || shapes[at.Op].Kind != isa.ShapeReg {
		return nil
	}
	return w.operand(strings.TrimLeft(parts[at.Op], "!"))
}

// splitOperands cuts at commas outside braces.
func splitOperands(s string) (parts []string) {
	depth, from := 0, 0
	for i, c := range s {
		switch {
		case c == '{':
			depth++
		case c == '}':
			depth--
		case c == ',' && depth == 0:
			parts = append(parts, strings.TrimSpace(s[from:i]))
			from = i + 1
		}
	}
	if rest := strings.TrimSpace(s[from:]); rest != "" {
		parts = append(parts, rest)
	}
	return parts
}

func (w *wrapped) shapes(operands string) (list []isa.Shape) {
	for _, p := range splitOperands(operands) {
		list = append(list, w.shape(p))
	}
	return list
}

func (w *wrapped) shape(p string) isa.Shape {
	if a, b, ok := strings.Cut(p, "|"); ok {
		return isa.Shape{Kind: isa.ShapePair, Elems: []isa.Shape{w.shape(a), w.shape(b)}}
	}
	switch {
	case strings.HasPrefix(p, "{"):
		return isa.Shape{Kind: isa.ShapeVec, Elems: w.shapes(strings.Trim(p, "{}"))}
	case p == "_":
		return isa.Shape{Kind: isa.ShapeSink}
	}
	name := strings.TrimPrefix(p, "!")
	if o := w.operand(name); o != nil {
		t, _ := isa.LookupType(o.typ)
		return isa.Shape{Kind: isa.ShapeReg, Type: t, Neg: name != p}
	}
	return isa.Shape{Kind: isa.ShapeImm}
}
