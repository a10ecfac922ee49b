package check

// This file checks one instruction: its guard, its operands' names, its form.

import (
	"slices"
	"strings"

	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/syntax"
)

// instruction checks s and records the chosen form. At most one error is reported for
// the form; names are reported each.
func (c *checker) instruction(s *syntax.Instruction) {
	c.arena = c.arena[:0]
	ok := c.guard(s)
	forms := c.spelling(s)
	c.spelled = &forms.spelled
	var outline outline
	outlined := false
	if ok && forms.steady && !c.opt.slow {
		if outline, outlined = c.outline(s); outlined {
			if sel := forms.accepted.find(&outline); sel != nil {
				c.record(s, sel)
				return
			}
		}
	}
	shapes, named := c.shapes(s.Operands)
	if !ok || !named {
		return
	}
	q := &c.query
	q.Tokens, q.Operands, q.Suffix = c.tokens, shapes, c.suffix
	q.Version, q.Target = c.info.Version, c.info.Target
	q.Entry, q.Guarded, q.Independent = c.fn.Entry, s.Guard != syntax.NoToken, c.info.Independent
	q.Unexplained = c.kept[diag.Error] >= maxDiagnostics && !c.lenient
	sel, fails := c.readings.Match(c.isa, q)
	if fails != nil && q.Unexplained {
		c.unlisted++ // hostile input has millions, and an explanation takes a hundred times as long as a match
		return
	}
	if fails != nil {
		c.mismatch(s, fails)
		return
	}
	c.record(s, sel)
	c.deprecated(s, sel)
	c.afterMatch(s, sel)
	if outlined && c.plainSel(sel) {
		forms.accepted.add(&outline, sel)
	}
}

// record enters the chosen form into the side table.
func (c *checker) record(s *syntax.Instruction, sel *isa.Sel) {
	c.info.sels = append(c.info.sels, sel)
	c.info.byToken[s.Opcode] = -int32(len(c.info.sels))
	c.noteMove(s, sel)
}

// deprecated warns of a form that a later minor version or target drops.
func (c *checker) deprecated(s *syntax.Instruction, sel *isa.Sel) {
	for _, alt := range sel.Entry.Until() {
		if alt.Version/10 == c.info.Version/10 {
			d := c.warnf(diag.Deprecated, c.at(s.Opcode), "%s goes with .version %v", strings.Join(c.tokens, ""), alt)
			d.Spec = section(sel.Entry)
		}
	}
}

// guard checks @p: a predicate register.
func (c *checker) guard(s *syntax.Instruction) bool {
	if s.Guard == syntax.NoToken {
		return true
	}
	u, ok := c.use(s.Guard)
	if !ok {
		c.undeclared(s.Guard)
		return false
	}
	if u.poisoned() {
		return false
	}
	if u.Object == nil || u.Object.Kind != Register || u.Object.Type != isa.PredType() {
		c.errorf(diag.OperandType, c.at(s.Guard), "the guard %s is no predicate register", c.text(s.Guard))
		return false
	}
	return true
}

// afterMatch checks what needs declarations: calls, .param space, and what all
// instructions of one function must agree on.
func (c *checker) afterMatch(s *syntax.Instruction, sel *isa.Sel) {
	if c.inCall {
		c.call(s)
	}
	if c.inCall || c.inBranch {
		c.listOperands(s)
	}
	c.symbolOperands(s, c.query.Operands)
	for _, at := range sel.Roles {
		if at.Space == isa.ParamSpace && at.Op < len(s.Operands) {
			c.paramOperand(s, &s.Operands[at.Op], isStore(sel))
		}
	}
	for _, class := range sel.Entry.Unique() {
		c.agree(s, sel, class)
	}
}

// symbolOperands checks variables whose address is an operand: a global one has 64 bits,
// and memory that passes arguments has no address (ptxas 13.5).
func (c *checker) symbolOperands(s *syntax.Instruction, shapes []isa.Shape) {
	for i := range shapes {
		if shapes[i].Kind != isa.ShapeSym {
			continue
		}
		o := &s.Operands[i]
		u, ok := c.use(o.Name)
		switch {
		case !ok || u.Object == nil:
		case u.Object.Kind == Variable && u.Object.Space == Param:
			c.errorf(diag.OperandKind, c.file.Span(o.Range), "%s passes an argument or result of a call; its address cannot be taken", u.Object.Name)
		case u.Object.Space == Global && shapes[0].Type.Bits() == 32 && o.Expr == nil:
			d := c.errorf(diag.AddressWidth, c.file.Span(o.Range), "the address of %s has 64 bits, %s has 32", u.Object.Name, c.text(s.Operands[0].Name))
			c.declaredHere(d, u.Object)
		}
	}
}

// isStore tells from the effects whether an instruction writes memory.
func isStore(sel *isa.Sel) bool { return sel.Entry.Effects.Has(isa.Writes) }

// chosen is a value of a class that all instructions of a function share, and where it stands.
type chosen struct {
	mod isa.Mod
	at  diag.Span
}

// agree holds the instructions of one function to one value of a class (.cta_group).
func (c *checker) agree(s *syntax.Instruction, sel *isa.Sel, class isa.Class) {
	m := chosen{mod: sel.Get(class), at: c.file.Span(s.Range)}
	if m.mod == 0 {
		return
	}
	if i := slices.IndexFunc(s.Mods, func(t syntax.TokenID) bool { return c.text(t) == m.mod.String() }); i >= 0 {
		m.at = c.at(s.Mods[i])
	}
	if c.unique == nil {
		c.unique = map[isa.Class]chosen{}
	}
	if old, seen := c.unique[class]; seen && old.mod != m.mod {
		d := c.errorf(diag.NotAllowedWith, m.at, "%v here, but %v before in this function; all must agree", m.mod, old.mod)
		d.Spec = sel.Entry.Section
		d.Related = append(d.Related, diag.Note{Source: c.file.Source, Span: old.at, Msg: old.mod.String() + " here"})
		return
	}
	c.unique[class] = m
}

// paramOperand checks an address in .param space.
func (c *checker) paramOperand(s *syntax.Instruction, o *syntax.Operand, store bool) {
	if o.Kind != syntax.OperandAddress || len(o.Elems) == 0 || o.Elems[0].Kind != syntax.OperandName {
		return
	}
	if u, ok := c.use(o.Elems[0].Name); ok && u.Object != nil && u.Object.Space == Param {
		c.paramAccess(s, u.Object, o.Elems[0].Name, store)
	}
}
