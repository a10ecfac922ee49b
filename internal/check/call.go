package check

// This file checks calls and branches against what they name (9.7.12).

import (
	"strconv"

	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/syntax"
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
		c.callArguments(s, sig, args, s.Operands[len(s.Operands)-1].Kind == syntax.OperandList)
	}
}

// listOperands: a call takes a list of call targets or a prototype, a branch a list of
// branch targets, and each stands before its use (ptxas 13.5).
func (c *checker) listOperands(s *syntax.Instruction) {
	for i := range s.Operands {
		o := &s.Operands[i]
		if o.Kind != syntax.OperandName {
			continue
		}
		u, ok := c.use(o.Name)
		if !ok || u.Object == nil {
			continue
		}
		switch l := u.Object; {
		case l.Kind == CallTargets && c.inBranch, l.Kind == BranchTargets && c.inCall:
			d := c.errorf(diag.BadTargetList, c.at(o.Name), "%s is a %v", l.Name, l.Kind)
			c.declaredHere(d, l)
		case (l.Kind == CallTargets || l.Kind == BranchTargets || l.Kind == Prototype) && l.Tok > o.Name:
			d := c.errorf(diag.Undeclared, c.at(o.Name), "%s is declared further down; a %v stands before its use", l.Name, l.Kind)
			c.declaredHere(d, l)
		}
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
		c.calling(target.Name)
		return u.Object.Sig
	case len(rest) == 0:
		c.errorf(diag.MissingPrototype, c.file.Span(s.Range), "an indirect call needs a .callprototype or .calltargets label as its last operand")
		return nil
	}
	c.move().indirect = true
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
	case CallTargets, Variable:
		if l.Sig == nil && len(l.List) > 0 {
			if f := misfit(l.List); f != nil {
				c.errorf(diag.BadTargetList, c.at(o.Name), "%s lists functions of different signatures (%s)", l.Name, f.Name)
				l.Kind = poisoned
				return nil
			}
			l.Sig = l.List[0].Sig // compared once, however many calls name the list
		}
		return l.Sig
	case Function: // an array or prototype of the function's type
		return l.Sig
	}
	return nil
}

// misfit finds a function that cannot be called as the first one of a list, nil if all can.
func misfit(list []*Object) *Object {
	compared := map[*Object]bool{}
	for _, f := range list {
		if compared[f] {
			continue
		}
		compared[f] = true
		if f.Func.Entry || signatureDiff(f.Sig, list[0].Sig) != "" {
			return f
		}
	}
	return nil
}

// count writes a number of things.
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return strconv.Itoa(n) + " " + thing + "s"
}

func (c *checker) callReturns(s *syntax.Instruction, sig *Signature, rets []syntax.Operand) {
	if len(rets) != len(sig.Rets) {
		c.errorf(diag.CallReturn, c.file.Span(s.Range), "the function returns %s, the call takes %d", count(len(sig.Rets), "value"), len(rets))
		return
	}
	for i := range rets {
		c.fills(&rets[i])
		if why := c.argument(&rets[i], sig.Rets[i], true); why != "" {
			c.errorf(diag.CallReturn, c.file.Span(rets[i].Range), "return value %d: %s", i+1, why)
		}
	}
}

// fills notes that a call stores its result in a .param variable, which can be read from then on.
func (c *checker) fills(o *syntax.Operand) {
	if u, ok := c.use(o.Name); o.Kind == syntax.OperandName && ok && u.Object != nil {
		c.returned[u.Object] = true
	}
}

// callArguments compares arguments with parameters. With a list, even an empty one, a
// variadic function may lack its last one.
func (c *checker) callArguments(s *syntax.Instruction, sig *Signature, args []syntax.Operand, list bool) {
	switch {
	case len(args) == len(sig.Params):
	case sig.Variadic && len(args) == len(sig.Params)-1 && (list || len(args) > 0):
	default:
		c.errorf(diag.CallArguments, c.file.Span(s.Range), "the function takes %s, the call gives %d", count(len(sig.Params), "argument"), len(args))
		return
	}
	for i := range args {
		if why := c.argument(&args[i], sig.Params[i], false); why != "" {
			d := c.errorf(diag.CallArguments, c.file.Span(args[i].Range), "argument %d: %s", i+1, why)
			c.declaredHere(d, sig.Params[i])
		}
	}
}

// argument says why an operand does not fit a parameter; "" if it does. Memory in .param
// space must agree in extent and alignment.
func (c *checker) argument(op *syntax.Operand, p *Object, isReturn bool) string {
	switch {
	case p.Kind == Register && p.Vector < 2 && p.Type.Bits() < 32:
		return "registers below 32 bits and predicates cannot be passed; use .param space"
	case op.Constant() != nil:
		return c.constantArgument(op.Constant(), p, isReturn)
	case op.Kind != syntax.OperandName:
		return "want a name or a constant"
	case c.file.Word(op.Name) == syntax.WordSink:
		if isReturn {
			return ""
		}
		return "_ has no value"
	}
	u, ok := c.use(op.Name)
	switch {
	case !ok || op.Name == syntax.NoToken:
		return ""
	case u.Object == nil:
		return "a special register cannot be passed; move it into a register"
	case u.Object.Kind != Register && u.Object.Space != Param:
		return "an address cannot be passed; move it into a register"
	case op.Field != syntax.NoToken:
		return "a part of a register cannot be passed; move it into a register"
	case op.Expr != nil:
		return "a sum cannot be passed; add into a register"
	}
	return objectArgument(u.Object, p, isReturn)
}

// constantArgument: literals have to be of the parameter's kind; of a vector, all 64 bits (ptxas 13.5).
func (c *checker) constantArgument(e *syntax.Expr, p *Object, isReturn bool) string {
	val, ok := c.constant(e)
	switch kind := p.Type.Kind(); {
	case isReturn:
		return "a constant cannot receive a value"
	case p.Vector > 1 && p.Size() != 8:
		return "a constant for a vector of " + strconv.Itoa(int(p.Size())) + " bytes; it has 8"
	case !ok || kind == isa.Bits || p.Vector > 1:
		return ""
	case val.Integer() && kind == isa.Float:
		return "a whole number for a " + p.Type.String() + " parameter; write 1.0"
	case !val.Integer() && (kind == isa.Signed || kind == isa.Unsigned):
		return "a floating-point constant for a " + p.Type.String() + " parameter"
	}
	return ""
}

func objectArgument(o, p *Object, isReturn bool) string {
	open := len(p.Dims) > 0 && p.Dims[0] == 0
	switch {
	case !open && (o.Vector > 1 || p.Vector > 1) && len(o.Dims) == 0 && len(p.Dims) == 0:
		return vectorArgument(o, p, isReturn)
	case !open && !goTogether(o.Type, p.Type):
		return "it has type " + o.Type.String() + ", the parameter " + p.Type.String()
	case open && o.Kind != Register:
		return ""
	case len(o.Dims) != len(p.Dims):
		return "one of it and the parameter is an array"
	case o.Kind == Register:
		return ""
	case o.Size() != p.Size():
		return "its size differs from the parameter's"
	case len(p.Dims) > 0 && o.Align != p.Align:
		return "its alignment differs from the parameter's"
	}
	return ""
}

// vectorArgument: a vector in registers goes with whatever has as many bits, but not with more registers
// than give it its value (seen in ptxas 13.5, which crashes there).
func vectorArgument(o, p *Object, isReturn bool) string {
	from, to := o, p
	if isReturn {
		from, to = p, o
	}
	switch {
	case o.Size() != p.Size():
		return "it has " + strconv.Itoa(int(o.Size())) + " bytes, the parameter " + strconv.Itoa(int(p.Size()))
	case from.Kind == Register && to.Kind == Register && from.Vector < to.Vector && (p.Vector > 1 || !isReturn):
		return "it has another number of elements than the parameter"
	}
	return ""
}

// goTogether: types of one width, alike or one of them untyped.
func goTogether(a, b isa.Type) bool {
	whole := func(t isa.Type) bool { return t.Kind() == isa.Signed || t.Kind() == isa.Unsigned }
	return a == b || a.Bits() == b.Bits() && (a.Kind() == isa.Bits || b.Kind() == isa.Bits || whole(a) && whole(b))
}
