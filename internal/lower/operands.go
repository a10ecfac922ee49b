package lower

// This file lowers instructions and their operands.

import (
	"ptxvm.invalid/ptxvm/internal/check"
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/num"
	"ptxvm.invalid/ptxvm/internal/syntax"
)

// instruction lowers one statement.
func (b *bodyLowerer) instruction(s *syntax.Instruction) {
	in := ir.Inst{Sel: b.info.Sel(s).Implied(b.info.Version, b.info.Target), Guard: ir.Unguarded, Pos: b.file.Span(s.Range).Start, Loc: b.loc}
	if s.Guard != syntax.NoToken {
		in.Guard = ir.Guard{Reg: b.registerAt(s.Guard, 0), Neg: s.GuardNot}
	}
	b.pos = in.Pos
	switch {
	case in.IsCall():
		in.Call = b.call(s, in.Guard)
		in.Annotate(b.f.Regs)
	case in.IsBranch():
		b.branch(&in, s)
	default:
		in.Ops = b.operands(s.Operands)
		accessElements(&in, s.Operands)
		in.Annotate(b.f.Regs)
		b.immediates(&in, s.Operands, in.Ops)
		b.elements(in.Ops)
		b.told(&in)
		b.predicates(&in)
		b.lone(&in)
		b.narrowConstants(&in)
		b.narrowElements(&in, s.Operands)
	}
	if in.IsReturn() && b.f.Entry {
		in.LeaveKernel()
	}
	b.body.Insts = append(append(b.body.Insts, in), b.behind...)
	b.settle(&in)
	b.behind = nil
	if b.refused != 0 {
		b.f.Refused = append(b.f.Refused, ir.Refusal{Sel: in.Sel, Pos: in.Pos, Odd: b.refused})
		b.refused = 0
	}
}

// branch splits the operands of bra and brx.idx into targets and the rest.
func (b *bodyLowerer) branch(in *ir.Inst, s *syntax.Instruction) {
	last := len(s.Operands) - 1
	in.Ops = b.operands(s.Operands[:last])
	in.Annotate(b.f.Regs)
	u, _ := b.info.Use(s.Operands[last].Name)
	if u.Object == nil {
		return
	}
	if u.Object.Kind == check.Label {
		in.Targets = []ir.BlockID{b.labelOf(u.Object)}
	}
	for _, t := range u.Object.List {
		in.Targets = append(in.Targets, b.labelOf(t))
	}
}

func (b *bodyLowerer) operands(list []syntax.Operand) []ir.Operand {
	out := b.ops.cut(len(list))
	for i := range list {
		b.operand(&list[i], &out[i])
	}
	return out
}

func (b *bodyLowerer) operand(s *syntax.Operand, o *ir.Operand) {
	switch s.Kind {
	case syntax.OperandName:
		b.name(s, o)
	case syntax.OperandConstant:
		o.Kind = ir.OpImm // its bits follow when the form has given it a type
	case syntax.OperandVector:
		o.Kind, o.Elems = ir.OpVec, b.operands(s.Elems)
	case syntax.OperandPair:
		o.Kind, o.Elems = ir.OpPair, b.operands(s.Elems)
	case syntax.OperandAddress:
		b.address(s.Elems, o)
	case syntax.OperandIndex:
		b.element(s, o)
	case syntax.OperandList:
		if len(s.Elems) == 1 {
			b.operand(&s.Elems[0], o)
		}
	}
}

// name lowers a name: register, special register, symbol, sink or WARP_SZ.
func (b *bodyLowerer) name(s *syntax.Operand, o *ir.Operand) {
	switch b.file.Word(s.Name) {
	case syntax.WordSink:
		o.Kind = ir.OpSink
		return
	case syntax.WordWarpSize:
		o.Kind, o.Imm, o.Neg = ir.OpImm, warpSize, s.Not
		return
	}
	u, _ := b.info.Use(s.Name)
	switch {
	case u.Object == nil:
		b.special(u.Special, s, o)
		b.add(s, o)
	case u.Object.Kind == check.Register:
		b.registerOperand(u, s, o)
		b.add(s, o)
	default:
		b.symbol(u.Object, o)
		o.Imm = b.displacement(s.Expr)
	}
}

const warpSize = 32 // 4.5.1

// special lowers a special register; one that is a vector, without a component, is the vector of its components.
func (b *bodyLowerer) special(sp isa.Special, s *syntax.Operand, o *ir.Operand) {
	lanes := sp.Info().Lanes
	if lanes == 1 || s.Field != syntax.NoToken {
		o.Kind, o.Special, o.Comp = ir.OpSpec, sp, b.component(s.Field)
		return
	}
	o.Kind, o.Elems = ir.OpVec, b.ops.cut(lanes)
	for i := range o.Elems {
		o.Elems[i] = ir.Operand{Kind: ir.OpSpec, Special: sp, Comp: uint8(i)}
	}
}

// component reads .x .y .z .w, also spelled .r .g .b .a; 0 without one.
func (b *bodyLowerer) component(field syntax.TokenID) uint8 {
	if field == syntax.NoToken {
		return 0
	}
	return componentOf[b.file.Text(field)]
}

var componentOf = map[string]uint8{".x": 0, ".y": 1, ".z": 2, ".w": 3, ".r": 0, ".g": 1, ".b": 2, ".a": 3}

// registerOperand lowers a register; a vector register without a component is the vector
// of its components.
func (b *bodyLowerer) registerOperand(u check.Use, s *syntax.Operand, o *ir.Operand) {
	if u.Object.Vector > 1 && s.Field == syntax.NoToken {
		o.Kind, o.Elems = ir.OpVec, b.ops.cut(int(u.Object.Vector))
		for i := range o.Elems {
			o.Elems[i] = ir.Operand{Kind: ir.OpReg, Reg: b.register(regKey{u.Object, u.Index, int8(i)})}
		}
		return
	}
	o.Kind, o.Neg = ir.OpReg, s.Not || s.Neg
	if s.Field != syntax.NoToken && u.Object.Vector < 2 {
		o.Reg, o.Selector = b.registerAt(s.Name, 0), b.file.Text(s.Field)
		return
	}
	o.Reg = b.registerAt(s.Name, b.component(s.Field))
}

// registerAt returns the register that a name stands for, by way of the last answer for
// the same word.
func (b *bodyLowerer) registerAt(name syntax.TokenID, comp uint8) ir.Reg {
	u, _ := b.info.Use(name)
	k := regKey{u.Object, u.Index, int8(comp)}
	c := &b.cached[b.file.Word(name)]
	if c.regKey != k || ofModule(u.Object) { // which has another register in each function
		*c = cachedReg{k, b.register(k)}
	}
	return c.reg
}

// symbol lowers the name of a variable, parameter or function.
func (b *bodyLowerer) symbol(obj *check.Object, o *ir.Operand) {
	o.Kind, o.Reg = ir.OpSym, ir.NoReg
	if obj.Kind == check.Function || obj.Kind == check.AliasName {
		o.Func = b.callee(obj)
	} else if obj.Space == check.Local && ofModule(obj) && !b.shares {
		o.Var = b.sharedLocal(obj)
	} else {
		o.Var = b.vars[obj.ID]
	}
}

// ofModule tells what stands at module scope. Functions share its registers and local memory (7.1.1); where a module has
// kernels alone, each has its own.
func ofModule(o *check.Object) bool { return o.Func == nil }

// sharedLocal places a .local variable of the module in the kernel's frame.
func (b *bodyLowerer) sharedLocal(o *check.Object) *ir.Var {
	v := b.locally[o]
	if v == nil {
		v = b.newVar(o)
		v.Name, v.Func = unique(b.names, v.Name), b.f
		b.locals.place(v)
		b.locally[o] = v
		b.f.Locals = append(b.f.Locals, v)
	}
	return v
}

// callee is the function that an object names, through aliases.
func (l *lowerer) callee(o *check.Object) *ir.Func {
	for o.Alias != nil {
		o = o.Alias
	}
	return l.funcs[o.ID]
}

// displacement evaluates what is added to a name; nil is 0.
func (b *bodyLowerer) displacement(e *syntax.Expr) uint64 {
	if e == nil {
		return 0
	}
	v, _ := b.file.Eval(e)
	return v.Bits
}

// address lowers [a], [a+4], [8] and [a, b, …].
func (b *bodyLowerer) address(elems []syntax.Operand, o *ir.Operand) {
	o.Kind, o.Reg = ir.OpMem, ir.NoReg
	if len(elems) == 0 {
		return
	}
	switch base := &elems[0]; base.Kind {
	case syntax.OperandName:
		b.base(base, o)
	case syntax.OperandConstant:
		o.Imm = b.displacement(base.Expr)
	}
	o.Elems = b.operands(elems[1:])
}

func (b *bodyLowerer) base(s *syntax.Operand, o *ir.Operand) {
	u, _ := b.info.Use(s.Name)
	switch {
	case u.Object == nil:
		b.refused = isa.SpecialAddress
	case u.Object.Kind == check.Register:
		o.Reg = b.registerAt(s.Name, b.component(s.Field))
		if t := u.Object.Type; !t.Kind().Integer() || t.Bits() > 64 {
			b.refused = isa.FractionAddress
		}
	default:
		b.symbol(u.Object, o)
		o.Kind = ir.OpMem
	}
	o.Imm = b.displacement(s.Expr)
}

// immediates gives constants their bits, now that their operand types are known.
func (b *bodyLowerer) immediates(in *ir.Inst, list []syntax.Operand, ops []ir.Operand) {
	for i := range list {
		s, o := &list[i], &ops[i]
		if s.Kind == syntax.OperandList && len(s.Elems) == 1 {
			s = &s.Elems[0]
		}
		switch {
		case s.Kind == syntax.OperandConstant:
			if v, err := b.file.Eval(s.Expr); err == nil {
				o.Imm = constantBits(v, o.Type)
			}
			if s.Not {
				o.Neg = true
			}
		case s.Kind == syntax.OperandAddress && len(s.Elems) > 0:
			b.immediates(in, s.Elems[1:], o.Elems)
		case len(s.Elems) == len(o.Elems):
			b.immediates(in, s.Elems, o.Elems)
			if o.Kind == ir.OpVec {
				b.constantsBeside(s.Elems, o.Elems)
			}
		}
	}
}

// constantsBeside refuses constants of another kind than the vector's elements: ptxas takes them beside
// untyped registers, and what it stores then is none of the values that one could mean (seen in its machine code).
func (b *bodyLowerer) constantsBeside(list []syntax.Operand, ops []ir.Operand) {
	for i := range list {
		if ops[i].Kind != ir.OpImm {
			continue
		}
		var v syntax.Value // WARP_SZ is a whole number
		if list[i].Kind == syntax.OperandConstant {
			v, _ = b.file.Eval(list[i].Expr)
		}
		if !sameKind(v, ops[i].Type) {
			b.refused = isa.OtherKindBeside
		}
	}
}

// told refuses asynchronous stores and reductions whose mbarrier is missing, as ptxas allows.
func (b *bodyLowerer) told(in *ir.Inst) {
	if in.Sel.Has(isa.M_mbarrier_complete_tx_bytes) && in.Op(isa.R_mbar) == nil && in.Op(isa.R_bar) == nil {
		b.refused = isa.MissingMbarrier
	}
}

// lone refuses a constant where the statement has a vector: ptxas takes one, and nothing says what it stores.
func (b *bodyLowerer) lone(in *ir.Inst) {
	for i := range in.Sel.Roles {
		at := &in.Sel.Roles[i]
		value := at.Part < 0 && (at.Role == isa.R_b || at.Role == isa.R_c)
		if value && in.Sel.Get(isa.C_vec) != 0 && in.Ops[at.Op].Kind == ir.OpImm {
			b.refused = isa.LoneConstant
		}
	}
}

// predicates refuses packed registers, which ptxas takes where an instruction is about predicates.
func (b *bodyLowerer) predicates(in *ir.Inst) {
	for i := range in.Ops {
		if o := &in.Ops[i]; o.Kind == ir.OpReg && in.Sel.Has(isa.M_pred) && b.f.Regs[o.Reg].Type.Kind() == isa.Packed {
			b.refused = isa.PackedPredicate
		}
	}
}

// elements refuses what ptxas takes as elements of a vector, though nothing says what they mean there.
func (b *bodyLowerer) elements(ops []ir.Operand) {
	for i := range ops {
		o := &ops[i]
		if o.Kind != ir.OpVec {
			continue
		}
		for j := range o.Elems {
			if why := oddElement(&o.Elems[0], &o.Elems[j]); why != 0 {
				b.refused = why
			}
		}
	}
}

// oddElement says why an element is not executed, 0 if it is: special registers are read-only, predicates have no
// room for an element and sinks no value; behind a constant ptxas takes registers of any width.
func oddElement(first, e *ir.Operand) isa.Oddity {
	read := e.Access == ir.OnlyRead
	switch {
	case e.Kind == ir.OpSpec && !read:
		return isa.SpecialResult
	case e.Type == isa.PredType() && (e.Kind == ir.OpReg || e.Kind == ir.OpSpec):
		return isa.PredicateElement
	case e.Kind == ir.OpSink && read:
		return isa.SinkRead
	case first.Kind == ir.OpImm && (e.Kind == ir.OpReg || e.Kind == ir.OpSpec) && e.Type.Bits() < first.Type.Bits():
		return isa.NarrowElement
	}
	return 0
}

// sameKind reports whether a literal spells a value of a type: a float of at least 32 bits, the bits of
// an untyped one, a whole number.
func sameKind(v syntax.Value, t isa.Type) bool {
	float := v.Kind == syntax.Single || v.Kind == syntax.Double
	switch t.Kind() {
	case isa.Float:
		return float && t.Bits() >= 32
	case isa.Bits:
		return !float || v.Kind == syntax.Single && t.Bits() == 32 || v.Kind == syntax.Double && t.Bits() == 64
	}
	return !float
}

// constantBits turns a constant into the bits of an operand of type t. Integers are cut;
// a double given for a narrower float is rounded (4.5.2).
func constantBits(v syntax.Value, t isa.Type) uint64 {
	if v.Kind == syntax.Double && (t.Kind() == isa.Float) && t.Bits() == 32 {
		return uint64(num.CvtF32F64(v.Bits))
	}
	if n := t.Bits(); n < 64 && n > 0 {
		return v.Bits & (1<<n - 1)
	}
	return v.Bits
}
