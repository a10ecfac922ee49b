package lower

// This file lowers calls (9.7.12.5) and the prototypes they use.

import (
	"ptxvm.invalid/ptxvm/internal/check"
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/syntax"
)

// callParts are the operands of a call by their place:
//
//	call {(rets),} callee {, (args)} {, targets or prototype}
type callParts struct {
	rets, args   []syntax.Operand
	callee, list *syntax.Operand
}

func splitCall(ops []syntax.Operand) callParts {
	var p callParts
	for i := range ops {
		o := &ops[i]
		switch {
		case o.Kind == syntax.OperandList && p.callee == nil:
			p.rets = o.Elems
		case o.Kind == syntax.OperandList:
			p.args = o.Elems
		case p.callee == nil:
			p.callee = o
		default:
			p.list = o
		}
	}
	return p
}

func (b *bodyLowerer) call(s *syntax.Instruction, guard ir.Guard) *ir.Call {
	p := splitCall(s.Operands)
	c := &ir.Call{}
	sig := b.calleeOf(p.callee, c)
	if p.list != nil {
		if u, _ := b.info.Use(p.list.Name); u.Object != nil {
			sig = b.callList(u.Object, c, sig)
		}
	}
	for i := range p.rets {
		param := parameter(sig, i, true)
		c.Rets = append(c.Rets, b.result(b.passed(&p.rets[i], param), param, guard)...)
	}
	for i := range p.args {
		param := parameter(sig, i, false)
		c.Args = append(c.Args, b.argument(b.passed(&p.args[i], param), param)...)
	}
	return c
}

// calleeOf sets Callee or Target and returns the signature of a direct callee.
func (b *bodyLowerer) calleeOf(o *syntax.Operand, c *ir.Call) *check.Signature {
	if o == nil {
		return nil
	}
	u, _ := b.info.Use(o.Name)
	if u.Object != nil && u.Object.Kind != check.Register {
		c.Callee = b.callee(u.Object)
		return u.Object.Sig
	}
	b.operand(o, &c.Target)
	return nil
}

// callList reads the target list or prototype of an indirect call.
func (b *bodyLowerer) callList(o *check.Object, c *ir.Call, sig *check.Signature) *check.Signature {
	if o.Kind == check.Prototype {
		c.Sig = b.prototype(o)
		return o.Sig
	}
	for _, t := range o.List {
		c.Table = append(c.Table, b.callee(t))
		if sig == nil {
			sig = t.Sig
		}
	}
	return sig
}

// prototype lowers a .callprototype once per function.
func (b *bodyLowerer) prototype(o *check.Object) *ir.Sig {
	if s := b.sigs[o]; s != nil {
		return s
	}
	s := &ir.Sig{Name: unique(b.names, o.Name), Variadic: o.Sig.Variadic, NoReturn: o.Sig.NoReturn,
		Rets: b.params(o.Sig.Rets, nil), Params: b.params(o.Sig.Params, nil)}
	var frame area
	for _, p := range append(append([]*ir.Param{}, s.Rets...), s.Params...) {
		frame.placeWords(&p.Var)
	}
	b.sigs[o] = s
	b.f.Sigs = append(b.f.Sigs, s)
	return s
}

// parameter is what a signature has at a place, nil behind its end and without one.
func parameter(sig *check.Signature, i int, result bool) *check.Object {
	if sig == nil {
		return nil
	}
	list := sig.Params
	if result {
		list = sig.Rets
	}
	if i >= len(list) {
		return nil
	}
	return list[i]
}

// passed lowers an operand of a call: a .param variable is the memory it names, a constant
// has the type of the parameter.
func (b *bodyLowerer) passed(s *syntax.Operand, param *check.Object) (o ir.Operand) {
	b.operand(s, &o)
	switch {
	case o.Kind == ir.OpSym && o.Var != nil:
		o.Kind = ir.OpMem
	case o.Kind == ir.OpImm && param != nil:
		o.Type = param.Type
		if e := s.Constant(); e != nil {
			if v, err := b.file.Eval(e); err == nil {
				o.Imm = constantBits(v, param.Type)
			}
		}
	}
	return o
}
