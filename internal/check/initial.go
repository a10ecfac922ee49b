package check

// This file checks initialisers: constants, nested lists, addresses (5.4.4).

import (
	"math/bits"

	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/syntax"
)

// initialiser checks the initial value of one variable.
func (c *checker) initialiser(v *syntax.Declarator, o *Object) {
	span := c.file.Span(v.Init.Range)
	switch {
	case o.Space != Global && o.Space != Const && o.Space != Tex:
		c.errorf(diag.BadInitializer, span, "%s is in .%v; only .global and .const variables have initial values", o.Name, o.Space)
	case o.Linkage == syntax.WordExtern:
		c.errorf(diag.BadInitializer, span, "%s is .extern; its initial value belongs to its definition", o.Name)
	case o.Type.Opaque():
		c.opaqueInit(v.Init)
	case !initialisable(o.Type):
		c.errorf(diag.BadInitializer, span, "%v variables take no initial value; declare .b16 or .b32", o.Type)
	default:
		c.initLevel(v.Init, o, initShape(o))
	}
}

// initialisable tells the types that take initial values: .f16 and packed types do not (ptxas 13.5).
func initialisable(t isa.Type) bool {
	switch t.Kind() {
	case isa.Bits, isa.Unsigned, isa.Signed:
		return true
	case isa.Float:
		return t.Bits() >= 32
	}
	return false
}

// initShape lists the lengths that nested lists must not exceed: the dimensions, then the vector.
func initShape(o *Object) []int64 {
	shape := o.Dims
	if o.Vector > 1 {
		shape = append(shape[:len(shape):len(shape)], int64(o.Vector))
	}
	return shape
}

// initLevel checks one level of nesting. Lists may be short; the rest is zero.
func (c *checker) initLevel(init *syntax.Init, o *Object, shape []int64) {
	span := c.file.Span(init.Range)
	switch {
	case init.Field != syntax.NoToken:
		c.errorf(diag.BadInitializer, span, "fields are for textures, samplers and surfaces")
	case init.Expr == nil && len(shape) == 0:
		c.errorf(diag.BadInitializer, span, "%s is a scalar; its initial value has no braces", o.Name)
	case init.Expr == nil:
		if len(shape) == 1 && o.Vector > 1 && len(init.List) != int(o.Vector) {
			c.errorf(diag.BadInitializer, span, "%d values for a vector of %d", len(init.List), o.Vector)
			return
		}
		if int64(len(init.List)) > shape[0] {
			c.errorf(diag.BadInitializer, span, "%d values for %d elements", len(init.List), shape[0])
			return
		}
		for i := range init.List {
			c.initLevel(&init.List[i], o, shape[1:])
		}
	case len(shape) > 0:
		c.errorf(diag.BadInitializer, span, "%s is an array; write its values in braces", o.Name)
	default:
		c.initValue(init.Expr, o)
	}
}

// initValue checks one element: a constant of the right kind, or an address.
func (c *checker) initValue(e *syntax.Expr, o *Object) {
	val, err := c.file.EvalInit(e)
	switch {
	case err != nil:
		c.add(*err)
	case val.Symbol != syntax.NoToken:
		c.initAddress(e, val, o)
	case e.Kind == syntax.ExprFloat && !val.Value.Exact && val.Value.Bits == infinity:
		c.errorf(diag.ConstantOverflow, c.file.Span(e.Range), "%s does not fit into .f64", c.file.RangeText(e.Range))
	case o.Type.Kind() != isa.Bits && val.Value.Integer() == (o.Type.Kind() == isa.Float):
		c.errorf(diag.BadInitializer, c.file.Span(e.Range), "%s is %v, its initial value has to be %s", o.Name, o.Type, constantWord(o.Type))
	}
}

// constantWord says what kind of constant a type takes.
func constantWord(t isa.Type) string {
	if t.Kind() == isa.Float {
		return "a floating-point constant"
	}
	return "an integer"
}

// initAddress checks an address: of a variable in .global or .const, or of a function.
func (c *checker) initAddress(e *syntax.Expr, val syntax.InitValue, o *Object) {
	u, ok := c.use(val.Symbol)
	if ok && u.Object != nil && o.Func == nil {
		c.refer(u.Object, val.Symbol)
		if u.Object.Kind == Function {
			o.List = append(o.List, u.Object)
		}
	}
	c.initParts(val, u)
	switch {
	case !ok:
		c.undeclared(val.Symbol)
	case u.poisoned():
	case !c.plainAddress(e):
		c.errorf(diag.BadInitializer, c.file.Span(e.Range), "an address is written name, name+bytes, generic(name) or generic(name)+bytes")
	case val.Mask != 0 && !byteMask(val.Mask):
		c.errorf(diag.BadInitializer, c.file.Span(e.Range), "a mask is one byte of the address: 0xff, 0xff00 and so on")
	case u.Object == nil || (u.Object.Kind != Variable && u.Object.Kind != Function):
		c.errorf(diag.BadInitializer, c.at(val.Symbol), "%s has no address", c.text(val.Symbol))
	case u.Object.Kind == Function && e.Kind == syntax.ExprBinary:
		c.errorf(diag.BadInitializer, c.file.Span(e.Range), "nothing can be added to the address of a function")
	case u.Object.Kind == Function && val.Generic:
		c.errorf(diag.BadInitializer, c.file.Span(e.Range), "generic() is for variables; a function's address needs none")
	case u.Object.Kind == Variable && u.Object.Space != Global && u.Object.Space != Const:
		c.errorf(diag.BadInitializer, c.at(val.Symbol), "%s is in .%v; only addresses in .global and .const are known before a launch",
			u.Object.Name, u.Object.Space)
	case o.Type.Kind() != isa.Unsigned || val.Mask == 0 && o.Type.Bits() < 32 || val.Mask != 0 && o.Type.Bits() == 16:
		c.errorf(diag.BadInitializer, c.file.Span(e.Range), "%s is %v; an address is .u64 or .u32, or a byte of it 0xff(name)", o.Name, o.Type)
	}
}

// initParts judges the gates of the ways to write an address.
func (c *checker) initParts(val syntax.InitValue, u Use) {
	part := "address"
	switch {
	case u.Object != nil && u.Object.Kind == Function:
		part = "function"
	case val.Mask != 0:
		part = "byte"
	case val.Generic:
		part = "generic"
	}
	c.admitPart(val.Symbol, "initialiser", part)
}

// plainAddress tells the ways to write an address from other sums (ptxas 13.5).
func (c *checker) plainAddress(e *syntax.Expr) bool {
	if e.Kind == syntax.ExprMask {
		e = e.X
	}
	for e.Kind == syntax.ExprBinary { // name + bytes, where bytes may be a sum
		plus := c.file.Kind(e.Token) == syntax.Plus
		sum := plus || c.file.Kind(e.Token) == syntax.Minus
		e = e.X
		if !sum || !plus && e.Kind != syntax.ExprBinary {
			return false
		}
	}
	return e.Kind == syntax.ExprName || e.Kind == syntax.ExprCall && e.X.Kind == syntax.ExprName
}

func byteMask(m uint64) bool { return m>>(bits.TrailingZeros64(m)&^7) == 0xff }

// opaqueInit checks the fields of a texture, sampler or surface (5.3).
func (c *checker) opaqueInit(init *syntax.Init) {
	if init.Expr != nil {
		c.errorf(diag.BadInitializer, c.file.Span(init.Range), "want {field = value, …}")
	}
	for i := range init.List {
		f := &init.List[i]
		if f.Field == syntax.NoToken || !opaqueFields[c.text(f.Field)] {
			c.errorf(diag.BadInitializer, c.file.Span(f.Range), "want field = value, with a field such as width or addr_mode_0")
		}
	}
}

// opaqueFields are the members that can be initialised (Table 5.3).
var opaqueFields = map[string]bool{
	"width": true, "height": true, "depth": true, "channel_data_type": true, "channel_order": true,
	"normalized_coords": true, "filter_mode": true, "addr_mode_0": true, "addr_mode_1": true, "addr_mode_2": true,
	"force_unnormalized_coords": true, "array_size": true, "num_mipmap_levels": true, "num_samples": true,
}

// constant evaluates an expression and reports what is wrong with it.
func (c *checker) constant(e *syntax.Expr) (syntax.Value, bool) {
	if e.Kind == syntax.ExprInt {
		if n, ok := c.file.Tokens[e.Token].Small(); ok {
			return syntax.Value{Kind: syntax.Signed, Bits: uint64(n)}, true
		}
	}
	val, err := c.file.Eval(e)
	if err != nil {
		c.add(*err)
		return val, false
	}
	if e.Kind == syntax.ExprFloat && !val.Exact && val.Bits == infinity {
		c.errorf(diag.ConstantOverflow, c.file.Span(e.Range), "%s does not fit into .f64", c.file.RangeText(e.Range))
		return val, false
	}
	return val, true
}

// infinity is what a literal beyond the range of .f64 evaluates to.
const infinity = 0x7ff << 52
