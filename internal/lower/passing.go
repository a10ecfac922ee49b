package lower

// This file passes arguments and results of calls: a vector in registers as its elements, anything that
// parameter and operand hold in another shape through memory in .param space.

import (
	"strconv"

	"ptxvm.invalid/ptxvm/internal/check"
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/isa"
)

// elements is how many registers hold an object: 0 if it is memory.
func elements(o *check.Object) int {
	if o.Kind != check.Register {
		return 0
	}
	return int(max(o.Vector, 1))
}

// registerParam is element i of a parameter in registers; in a prototype, where f is nil, of no register.
func (b *bodyLowerer) registerParam(o *check.Object, i int, f *ir.Func) *ir.Param {
	p := &ir.Param{Var: *b.newVar(o)}
	p.Space, p.Func, p.Vec, p.Size = ir.SpaceParam, f, 1, int64(o.Type.Bytes())
	if o.Vector > 1 {
		p.Name, p.Align = p.Name+componentSuffix[i], o.Type.Bytes()
	}
	if f != nil {
		p.Reg = b.register(regKey{o, 0, int8(i)})
	}
	return p
}

// argument is what a call gives for a parameter; nil: a further argument of a variadic function.
func (b *bodyLowerer) argument(o ir.Operand, param *check.Object) []ir.Operand {
	switch {
	case param == nil, elements(param) == 0 && o.Kind == ir.OpMem, b.sameShape(&o, param):
		return parts(&o)
	case o.Kind == ir.OpImm:
		if elements(param) != 1 {
			b.refused = isa.WholeConstant
		}
		return parts(&o)
	}
	at := o
	if o.Kind != ir.OpMem {
		at = b.slot(param)
		b.body.Insts = append(b.body.Insts, b.copies(isa.St, at, parts(&o), ir.Unguarded)...)
	}
	if elements(param) == 0 {
		return []ir.Operand{at}
	}
	regs := b.temporaries(param)
	b.body.Insts = append(b.body.Insts, b.copies(isa.Ld, at, regs, ir.Unguarded)...)
	return regs
}

// result is what takes a return value; what the call leaves in memory is copied behind it, under its guard.
func (b *bodyLowerer) result(o ir.Operand, param *check.Object, guard ir.Guard) []ir.Operand {
	switch {
	case param == nil, elements(param) == 0 && o.Kind == ir.OpMem, b.sameShape(&o, param):
		return parts(&o)
	case o.Kind == ir.OpSink:
		return repeat(o, max(elements(param), 1))
	}
	at := o
	if o.Kind != ir.OpMem {
		at = b.slot(param)
	}
	out := []ir.Operand{at}
	if elements(param) != 0 {
		out = b.temporaries(param)
		b.behind = append(b.behind, b.copies(isa.St, at, out, guard)...)
	}
	if o.Kind != ir.OpMem {
		b.behind = append(b.behind, b.copies(isa.Ld, at, parts(&o), guard)...)
	}
	return out
}

// parts are the elements of a vector, or the operand itself.
func parts(o *ir.Operand) []ir.Operand {
	if o.Kind == ir.OpVec {
		return o.Elems
	}
	return []ir.Operand{*o}
}

func repeat(o ir.Operand, n int) []ir.Operand {
	out := make([]ir.Operand, n)
	for i := range out {
		out[i] = o
	}
	return out
}

// sameShape reports whether registers fit those of a parameter one by one.
func (b *bodyLowerer) sameShape(o *ir.Operand, param *check.Object) bool {
	list := parts(o)
	return len(list) == elements(param) && list[0].Kind == ir.OpReg && b.f.Regs[list[0].Reg].Type.Bits() == param.Type.Bits()
}

// temporaries are new registers for the elements of a parameter.
func (b *bodyLowerer) temporaries(param *check.Object) []ir.Operand {
	b.shadow()
	out := make([]ir.Operand, elements(param))
	for i := range out {
		out[i] = ir.Operand{Kind: ir.OpReg, Reg: b.f.AddReg(unique(b.taken, "%passed"), param.Type)}
	}
	return out
}

// slot is new memory in .param space for the bytes of a parameter.
func (b *bodyLowerer) slot(param *check.Object) ir.Operand {
	v := &ir.Var{Name: unique(b.names, "passed"), Space: ir.SpaceParam, Type: bitsType(8), Vec: 1, Align: 16, Size: param.Size(), Func: b.f}
	v.Dims = []int64{v.Size}
	b.frame.placeWords(v)
	b.f.Locals = append(b.f.Locals, v)
	return ir.Operand{Kind: ir.OpMem, Reg: ir.NoReg, Var: v}
}

// copies loads or stores registers one behind the other in .param memory.
func (b *bodyLowerer) copies(id isa.ID, at ir.Operand, regs []ir.Operand, guard ir.Guard) []ir.Inst {
	var out []ir.Inst
	for _, r := range regs {
		t := b.f.Regs[r.Reg].Type
		r.Access, at.Type = ir.OperandAccess(0), at.Var.Type
		in := ir.Inst{Sel: paramAccess(id, t, at.Var.Type), Guard: guard, Pos: b.pos, Loc: b.loc, Ops: []ir.Operand{r, at}}
		if id == isa.St {
			in.Ops[0], in.Ops[1] = at, r
		}
		in.Annotate(b.f.Regs)
		out = append(out, in)
		at.Imm += uint64(t.Bytes())
	}
	return out
}

// bitsType is the untyped type of a width.
func bitsType(bits int) isa.Type {
	t, _ := isa.LookupType(".b" + strconv.Itoa(bits))
	return t
}

// paramAccess is the form of ld or st for a register and a .param variable of a body.
func paramAccess(id isa.ID, reg, variable isa.Type) *isa.Sel {
	table := isa.Table()
	ops := []isa.Shape{{Kind: isa.ShapeReg, Type: reg},
		{Kind: isa.ShapeAddr, Elems: []isa.Shape{{Kind: isa.ShapeSym, Type: variable, Space: isa.ParamSpace, Param: isa.CallParam}}}}
	if id == isa.St {
		ops[0], ops[1] = ops[1], ops[0]
	}
	sel, _ := table.Match(&isa.Query{Version: isa.Latest, Target: isa.MustTarget("sm_90"), Operands: ops,
		Tokens: []string{table.Entry(id).Opcode[0], ".param", bitsType(reg.Bits()).String()}})
	return sel
}
