package check

// This file describes operands to the matcher: what each is, not what it is called.

import (
	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/syntax"
)

// shapes describes a list of operands in the arena; ok is false after an error.
func (c *checker) shapes(list []syntax.Operand) ([]isa.Shape, bool) {
	out := c.cut(len(list))
	ok := true
	for i := range list {
		ok = c.shape(&list[i], &out[i]) && ok
	}
	return out, ok
}

// cut takes n shapes from the arena, which is reset for every instruction.
func (c *checker) cut(n int) []isa.Shape {
	if len(c.arena)+n > cap(c.arena) {
		c.arena = make([]isa.Shape, 0, max(2*cap(c.arena), 64, n))
	}
	at := len(c.arena)
	c.arena = c.arena[:at+n]
	out := c.arena[at : at+n : at+n]
	clear(out)
	return out
}

// shape describes one operand. Errors are those of names; everything else the matcher judges.
func (c *checker) shape(o *syntax.Operand, s *isa.Shape) bool {
	switch o.Kind {
	case syntax.OperandName:
		return c.nameShape(o, s)
	case syntax.OperandConstant:
		return c.constantShape(o.Expr, s)
	case syntax.OperandVector:
		return c.unsigned(o) && c.listShape(isa.ShapeVec, o.Elems, s)
	case syntax.OperandAddress:
		return c.listShape(isa.ShapeAddr, o.Elems, s) && c.plainBase(o)
	case syntax.OperandPair:
		return c.listShape(isa.ShapePair, o.Elems, s)
	case syntax.OperandList:
		if e := o.Constant(); e != nil && !c.inCall {
			return c.constantShape(e, s)
		}
		return c.unsigned(o) && c.listShape(isa.ShapeParams, o.Elems, s)
	case syntax.OperandIndex:
		return c.indexShape(o, s)
	}
	return false
}

// unsigned: names in lists have neither ! nor - before them (ptxas 13.5).
func (c *checker) unsigned(list *syntax.Operand) bool {
	for i := range list.Elems {
		if e := &list.Elems[i]; e.Not || e.Neg {
			c.citing(c.errorf(diag.NegationNotAllowed, c.file.Span(e.Range), "an element of a list cannot be negated"))
			return false
		}
	}
	return true
}

// plainBase: the base of an address is neither negated nor an array element (ptxas 13.5).
func (c *checker) plainBase(o *syntax.Operand) bool {
	if len(o.Elems) == 0 {
		return true
	}
	switch base := &o.Elems[0]; {
	case base.Not:
		c.citing(c.errorf(diag.NegationNotAllowed, c.file.Span(base.Range), "an address cannot be negated"))
		return false
	case base.Kind == syntax.OperandIndex:
		c.errorf(diag.OperandKind, c.file.Span(base.Range), "an array element stands without brackets around it; else write [name+bytes]")
		return false
	}
	return true
}

func (c *checker) listShape(kind isa.ShapeKind, elems []syntax.Operand, s *isa.Shape) bool {
	s.Kind = kind
	var ok bool
	s.Elems, ok = c.shapes(elems)
	return ok
}

func (c *checker) constantShape(e *syntax.Expr, s *isa.Shape) bool {
	val, ok := c.constant(e)
	s.Kind, s.Float, s.Hex, s.Value = isa.ShapeImm, !val.Integer(), val.Exact, int64(val.Bits)
	s.Double = val.Exact && val.Kind == syntax.Double
	s.Neg = e.Kind == syntax.ExprUnary && c.file.Kind(e.Token) == syntax.Not
	return ok
}

// indexShape is name[i]: the address of element i (6.4.2).
func (c *checker) indexShape(o *syntax.Operand, s *isa.Shape) bool {
	u, ok := c.use(o.Name)
	if !ok {
		c.undeclared(o.Name)
		return false
	}
	if u.poisoned() {
		return false
	}
	if u.Object == nil || u.Object.Kind != Variable && u.Object.Kind != Parameter || len(u.Object.Dims) == 0 {
		c.errorf(diag.OperandKind, c.file.Span(o.Range), "%s is no array", c.text(o.Name))
		return false
	}
	if len(o.Elems) != 1 {
		c.errorf(diag.OperandKind, c.file.Span(o.Range), "%s takes one index, whatever its dimensions", c.text(o.Name))
		return false
	}
	c.refer(u.Object, o.Name)
	if c.inMemory { // ld and st take it without brackets
		s.Kind, s.Elems = isa.ShapeAddr, c.cut(1)
		s = &s.Elems[0]
	}
	c.objectShape(u.Object, s)
	return c.index(o)
}

// index checks what chooses an element: a constant, or a register of whole numbers, to which a constant may be added.
func (c *checker) index(array *syntax.Operand) bool {
	i := &array.Elems[0]
	if e := i.Constant(); e != nil {
		return c.displacement(e)
	}
	var s isa.Shape
	if i.Kind == syntax.OperandName && i.Field == syntax.NoToken && !i.Not && !i.Neg {
		if !c.nameShape(i, &s) {
			return false
		}
	}
	if s.Kind != isa.ShapeReg || s.Lanes > 1 || !s.Type.Kind().Integer() || s.Type.Bits() > 64 {
		c.errorf(diag.OperandKind, c.file.Span(i.Range), "the index of %s must be a constant, or a register of whole numbers and a constant that is added", c.text(array.Name))
		return false
	}
	return true
}

// displacement checks what is added to an address: a whole number.
func (c *checker) displacement(e *syntax.Expr) bool {
	if e == nil {
		return true
	}
	val, ok := c.constant(e)
	if ok && !val.Integer() {
		c.errorf(diag.FloatConstant, c.file.Span(e.Range), "want a whole number, have %s", c.file.RangeText(e.Range))
		return false
	}
	return ok
}

// nameShape describes a name: sink, WARP_SZ, register, variable, function, label or special register.
func (c *checker) nameShape(o *syntax.Operand, s *isa.Shape) bool {
	switch c.file.Word(o.Name) {
	case syntax.WordSink:
		if o.Not || o.Neg {
			c.citing(c.errorf(diag.NegationNotAllowed, c.file.Span(o.Range), "_ cannot be negated; it drops a result"))
			return false
		}
		s.Kind = isa.ShapeSink
		return true
	case syntax.WordWarpSize:
		s.Kind, s.Value = isa.ShapeImm, 32 // 4.5.1
		return true
	}
	u, ok := c.use(o.Name)
	if !ok {
		c.undeclaredOperand(o.Name)
		return false
	}
	if u.poisoned() {
		return false
	}
	if o.Neg && !c.isa.TakesSelectors(c.tokens) { // negatives stand where selectors do (9.7.18)
		c.citing(c.errorf(diag.NegationNotAllowed, c.file.Span(o.Range), "an operand takes no minus; use neg"))
		return false
	}
	s.Neg, s.Minus = o.Not, o.Neg
	if o.Not && !c.negatable(u) {
		c.citing(c.errorf(diag.NegationNotAllowed, c.file.Span(o.Range), "%s cannot be negated; ! is for predicates", c.text(o.Name)))
		return false
	}
	if u.Object == nil {
		return c.specialShape(o, u.Special, s)
	}
	c.refer(u.Object, o.Name)
	c.objectShape(u.Object, s)
	if o.Expr != nil && !c.displaced(o, u.Object, s) {
		return false
	}
	if o.Field != syntax.NoToken {
		return c.component(o, u.Object, s)
	}
	return true
}

// negatable tells what ! may stand before: a predicate, or a register, of which the matcher judges the type.
func (c *checker) negatable(u Use) bool {
	if u.Object == nil {
		return u.Special.Info().Type == isa.PredType()
	}
	return u.Object.Kind == Register
}

// displaced checks name+constant: an address, or in brackets a register that holds one.
func (c *checker) displaced(o *syntax.Operand, obj *Object, s *isa.Shape) bool {
	switch obj.Kind {
	case Register, Variable, Parameter:
		s.Offset = true
		return c.displacement(o.Expr)
	}
	c.errorf(diag.OperandKind, c.file.Span(o.Range), "nothing can be added to a %v", obj.Kind)
	return false
}

// components are the selectors of a vector (6.4.3).
var components = map[string]uint8{".x": 0, ".y": 1, ".z": 2, ".w": 3, ".r": 0, ".g": 1, ".b": 2, ".a": 3}

// component describes one element of a vector register.
func (c *checker) component(o *syntax.Operand, obj *Object, s *isa.Shape) bool {
	if obj.Kind == Register && obj.Vector < 2 && c.isa.TakesSelectors(c.tokens) {
		s.Selector = c.text(o.Field)
		return true
	}
	n, known := components[c.text(o.Field)]
	if obj.Kind != Register || !known || n >= obj.Vector || obj.Vector < 2 {
		c.errorf(diag.BadComponent, c.at(o.Field), "%s has no component %s", obj.Name, c.text(o.Field))
		return false
	}
	s.Lanes, s.Part = 0, true
	return true
}

// specialShape describes a special register or one component of it, and checks its gate.
func (c *checker) specialShape(o *syntax.Operand, sp isa.Special, s *isa.Shape) bool {
	info := sp.Info()
	if s.Offset = o.Expr != nil; s.Offset && o.Field != syntax.NoToken {
		c.errorf(diag.OperandKind, c.file.Span(o.Range), "nothing can be added to a component of a special register; move it into a register first")
		return false
	} else if s.Offset && !c.displacement(o.Expr) {
		return false
	}
	s.Kind, s.Special, s.Type = isa.ShapeSpecial, sp, info.Type
	if info.Lanes > 1 && o.Field == syntax.NoToken {
		s.Lanes = uint8(info.Lanes)
	}
	if o.Field != syntax.NoToken {
		if n, known := components[c.text(o.Field)]; !known || info.Lanes == 1 || int(n) >= 4 {
			c.errorf(diag.BadComponent, c.at(o.Field), "%s has no component %s", info.Name, c.text(o.Field))
			return false
		}
	}
	if !info.Since.Passes(c.info.Version, c.info.Target) {
		d := c.errorf(diag.NeedsVersion, c.at(o.Name), "%s needs %v; the module has .version %v and %v",
			info.Name, info.Since, c.written, c.info.Target)
		d.Spec = info.Section
		return false
	}
	return c.promised(o, info)
}

// promised: some special registers need a directive of the kernel, with a value that is not zero (9.4: 11.4.10). A device
// function is not asked.
func (c *checker) promised(o *syntax.Operand, info *isa.SpecialInfo) bool {
	if info.Needs == "" || !c.fn.Entry {
		return true
	}
	for _, d := range c.fn.Node.Directives {
		if c.text(d.Keyword) == info.Needs && len(d.Args) > 0 {
			if n, ok := c.literal(d.Args[0]); !ok || n != 0 {
				return true
			}
		}
	}
	d := c.errorf(diag.BadPerformanceDirective, c.at(o.Name), "%s needs %s with a value above 0 in the head of the kernel", info.Name, info.Needs)
	d.Spec = info.Section
	return false
}

// objectShape describes a declared name.
func (c *checker) objectShape(o *Object, s *isa.Shape) {
	o.describe(s)
	if c.inCall && s.Kind == isa.ShapeSym && len(o.List) > 0 {
		s.Kind = isa.ShapeTable
	}
}

// Shape is how the matcher sees the name alone as an operand.
func (o *Object) Shape() (s isa.Shape) {
	o.describe(&s)
	return s
}

func (o *Object) describe(s *isa.Shape) {
	s.Type = o.Type
	switch o.Kind {
	case Register:
		s.Kind = isa.ShapeReg
		if o.Vector > 1 {
			s.Lanes = o.Vector
		}
	case Variable, Parameter:
		o.describeVariable(s)
	case Function, AliasName:
		s.Kind = isa.ShapeFunc
	case Label:
		s.Kind = isa.ShapeLabel
	case BranchTargets, CallTargets:
		s.Kind = isa.ShapeTable
	case Prototype:
		s.Kind = isa.ShapeProto
	}
}

// opaqueShapes are the kinds of opaque variables (5.3).
var opaqueShapes = map[string]isa.ShapeKind{
	".texref": isa.ShapeTexref, ".samplerref": isa.ShapeSamplerref, ".surfref": isa.ShapeSurfref,
}

func (o *Object) describeVariable(s *isa.Shape) {
	s.Kind, s.Space, s.Unified, s.Param = isa.ShapeSym, o.Space, o.Unified, paramKind(o)
	if kind, ok := opaqueShapes[o.Type.String()]; ok {
		s.Kind = kind
	}
	if o.Space == Tex { // 5.3: the old .tex space
		s.Kind = isa.ShapeTexref
	}
}

// paramKind says whose parameter a .param variable is.
func paramKind(o *Object) isa.ParamKind {
	switch {
	case o.Space != Param:
		return isa.NotParam
	case o.Kind == Variable:
		return isa.CallParam
	case o.Func != nil && o.Func.Entry:
		return isa.KernelParam
	case isInput(o):
		return isa.FunctionParam
	}
	return isa.ReturnParam
}
