package check

// This file checks calls and branches against what they name (9.7.12).

import (
	"ptxvm/internal/diag"
	"ptxvm/internal/syntax"
)

// call checks an instruction that matched the call form: call {(ret),} target {,(args)} {,list}.
func (c *checker) call(s *syntax.Instruction) {
	ops := s.Operands
	var rets, args []syntax.Operand
	if len(ops) > 0 && ops[0].Kind == syntax.OperandList {
		rets, ops = ops[0].Elems, ops[1:]
	}
	if len(ops) == 0 {
		return
	}
	target := &ops[0]
	if ops = ops[1:]; len(ops) > 0 && ops[0].Kind == syntax.OperandList {
		args, ops = ops[0].Elems, ops[1:]
	}
	if sig := c.callee(s, target, ops); sig != nil {
		c.callReturns(s, sig, rets)
		c.callArguments(s, sig, args)
	}
}

// callee finds the signature that a call has to agree with: of the function, of the
// prototype, or of the first function of a target list.
func (c *checker) callee(s *syntax.Instruction, target *syntax.Operand, rest []syntax.Operand) *Signature {
	u, ok := c.use(target.Name)
	switch {
	case !ok || u.Object == nil:
		return nil // reported with the operands
	case u.Object.Kind == Function && u.Object.Func.Entry:
		c.errorf(diag.CallKernel, c.at(target.Name), "%s is a kernel; only device functions can be called", u.Object.Name)
		return nil
	case u.Object.Kind == Function:
		return u.Object.Sig
	case len(rest) == 0:
		c.errorf(diag.MissingPrototype, c.file.Span(s.Range), "an indirect call needs a .callprototype or .calltargets label as its last operand")
		return nil
	}
	return c.listSignature(&rest[0])
}

func (c *checker) listSignature(o *syntax.Operand) *Signature {
	u, ok := c.use(o.Name)
	if !ok || u.Object == nil {
		return nil
	}
	switch l := u.Object; l.Kind {
	case Prototype:
		return l.Sig
	case CallTargets:
		for i, f := range l.List {
			if f.Func.Entry || signatureDiff(f.Sig, l.List[0].Sig) != "" {
				c.errorf(diag.BadTargetList, c.at(o.Name), "%s lists functions of different signatures (%s)", l.Name, l.List[i].Name)
				return nil
			}
		}
		if len(l.List) > 0 {
			return l.List[0].Sig
		}
	case Function: // an array or prototype of the function's type
		return l.Sig
	}
	return nil
}

func (c *checker) callReturns(s *syntax.Instruction, sig *Signature, rets []syntax.Operand) {
	if len(rets) != len(sig.Rets) {
		c.errorf(diag.CallReturn, c.file.Span(s.Range), "the function returns %d values, the call takes %d", len(sig.Rets), len(rets))
		return
	}
	for i := range rets {
		if why := c.argument(&rets[i], sig.Rets[i], true); why != "" {
			c.errorf(diag.CallReturn, c.file.Span(rets[i].Range), "return value %d: %s", i, why)
		}
	}
}

func (c *checker) callArguments(s *syntax.Instruction, sig *Signature, args []syntax.Operand) {
	switch {
	case len(args) == len(sig.Params):
	case sig.Variadic && len(args) == len(sig.Params)-1:
	default:
		c.errorf(diag.CallArguments, c.file.Span(s.Range), "the function takes %d arguments, the call gives %d", len(sig.Params), len(args))
		return
	}
	for i := range args {
		if why := c.argument(&args[i], sig.Params[i], false); why != "" {
			d := c.errorf(diag.CallArguments, c.file.Span(args[i].Range), "argument %d: %s", i, why)
			c.declaredHere(d, sig.Params[i])
		}
	}
}

// argument says why an operand does not fit a parameter; "" if it does. Sizes count, not
// kinds of types; memory in .param space must agree in extent and alignment.
func (c *checker) argument(op *syntax.Operand, p *Object, isReturn bool) string {
	if op.Constant() != nil {
		if isReturn {
			return "a constant cannot receive a value"
		}
		return ""
	}
	if op.Kind != syntax.OperandName || c.file.Word(op.Name) == syntax.WordSink {
		return ""
	}
	u, ok := c.use(op.Name)
	if !ok || u.Object == nil {
		return ""
	}
	o := u.Object
	open := len(p.Dims) > 0 && p.Dims[0] == 0
	switch {
	case o.Kind == Function:
		return ""
	case o.Type.Bits() != p.Type.Bits() && !open:
		return "it has type " + o.Type.String() + ", the parameter " + p.Type.String()
	case o.Kind == Register:
		return ""
	case !open && o.Size() != p.Size():
		return "its size differs from the parameter's"
	case len(p.Dims) > 0 && !open && o.Align != p.Align:
		return "its alignment differs from the parameter's"
	}
	return ""
}
