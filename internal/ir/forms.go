package ir

// This file finds forms for the text form and for the instructions that Build adds.

import (
	"fmt"
	"strings"
	"sync"

	"ptxvm.invalid/ptxvm/internal/isa"
)

// plainForm matches the unmodified form of an id: what Build adds itself.
func plainForm(id isa.ID, operands ...isa.Shape) *isa.Sel {
	t := isa.Table()
	sel, fails := t.Match(&isa.Query{Tokens: t.Entry(id).Opcode, Operands: operands, Version: isa.Latest, Target: isa.MustTarget("sm_90")})
	if sel == nil {
		panic(fmt.Sprintf("BUG: no plain form of %v: %v", id, fails))
	}
	return sel
}

var (
	braSel  = sync.OnceValue(func() *isa.Sel { return plainForm(isa.Bra, isa.Shape{Kind: isa.ShapeLabel}) })
	retSel  = sync.OnceValue(func() *isa.Sel { return plainForm(isa.Ret) })
	exitSel = sync.OnceValue(func() *isa.Sel { return plainForm(isa.Exit) })
)

// choose finds the form of an instruction in the text form by its spelling and operands.
// The text was legal once, so gates do not matter.
func (p *parser) choose(in *Inst, spelling string) {
	q := isa.Query{Tokens: tokensOf(spelling), Version: p.m.Version, Target: p.m.Target, Entry: p.f.Entry, Guarded: in.Guard.Reg != NoReg}
	for i := range in.Ops {
		q.Operands = append(q.Operands, p.shape(&in.Ops[i]))
	}
	switch {
	case in.Call != nil:
		q.Operands = callShapes(p, in.Call)
	case len(in.Targets) == 1 && len(in.Ops) == 0:
		q.Operands = append(q.Operands, isa.Shape{Kind: isa.ShapeLabel})
	case len(in.Targets) > 0:
		q.Operands = append(q.Operands, isa.Shape{Kind: isa.ShapeTable})
	}
	sel, fails := isa.Table().Match(&q)
	if sel == nil {
		fail("%s: %v", spelling, fails)
	}
	in.Sel = sel
	in.Annotate(p.f.Regs)
}

// tokensOf cuts a spelling at its points: a modifier runs through its :: parts.
func tokensOf(spelling string) []string {
	parts := strings.Split(spelling, ".")
	tokens := parts[:1]
	for _, m := range parts[1:] {
		tokens = append(tokens, "."+m)
	}
	return tokens
}

func callShapes(p *parser, c *Call) []isa.Shape {
	params := func(ops []Operand) isa.Shape {
		s := isa.Shape{Kind: isa.ShapeParams}
		for i := range ops {
			s.Elems = append(s.Elems, p.shape(&ops[i]))
		}
		return s
	}
	var out []isa.Shape
	if len(c.Rets) > 0 {
		out = append(out, params(c.Rets))
	}
	if c.Callee != nil {
		out = append(out, isa.Shape{Kind: isa.ShapeFunc})
	} else {
		out = append(out, p.shape(&c.Target))
	}
	out = append(out, params(c.Args))
	switch {
	case c.Sig != nil:
		out = append(out, isa.Shape{Kind: isa.ShapeProto})
	case c.Table != nil:
		out = append(out, isa.Shape{Kind: isa.ShapeTable})
	}
	return out
}

var spaceShapes = [NumSpaces]isa.Space{
	SpaceGeneric: isa.Generic, SpaceGlobal: isa.GlobalSpace, SpaceConst: isa.ConstSpace, SpaceShared: isa.SharedSpace,
	SpaceLocal: isa.LocalSpace, SpaceParam: isa.ParamSpace, SpaceTex: isa.TexSpace,
}

// shape describes an operand to the matcher.
func (p *parser) shape(o *Operand) isa.Shape {
	s := isa.Shape{Neg: o.Neg}
	switch o.Kind {
	case OpReg:
		s.Kind, s.Type, s.Selector = isa.ShapeReg, p.f.Regs[o.Reg].Type, o.Selector
		if s.Type.Kind() != isa.Predicate {
			s.Neg, s.Minus = false, o.Neg
		}
	case OpImm:
		s.Kind, s.Value = isa.ShapeImm, int64(o.Imm)
		s.Float = o.Type.Kind() == isa.Float
		s.Hex = s.Float
		s.Double = s.Float && o.Type.Bits() == 64
	case OpSpec:
		s.Kind, s.Special, s.Type = isa.ShapeSpecial, o.Special, o.Special.Info().Type
	case OpSym:
		s = symbolShape(o)
	case OpSink:
		s.Kind = isa.ShapeSink
	case OpVec, OpPair:
		s.Kind = isa.ShapeVec
		if o.Kind == OpPair {
			s.Kind = isa.ShapePair
		}
		s.Elems = p.shapes(o.Elems)
	case OpMem:
		s.Kind = isa.ShapeAddr
		s.Elems = append([]isa.Shape{p.baseShape(o)}, p.shapes(o.Elems)...)
	}
	return s
}

func (p *parser) shapes(ops []Operand) []isa.Shape {
	var out []isa.Shape
	for i := range ops {
		out = append(out, p.shape(&ops[i]))
	}
	return out
}

func (p *parser) baseShape(o *Operand) isa.Shape {
	switch {
	case o.Var != nil:
		return symbolShape(o)
	case o.Reg != NoReg:
		return isa.Shape{Kind: isa.ShapeReg, Type: p.f.Regs[o.Reg].Type}
	}
	return isa.Shape{Kind: isa.ShapeImm, Value: o.Disp()}
}

func symbolShape(o *Operand) isa.Shape {
	if o.Func != nil {
		return isa.Shape{Kind: isa.ShapeFunc}
	}
	s := isa.Shape{Kind: isa.ShapeSym, Type: o.Var.Type, Space: spaceShapes[o.Var.Space]}
	if o.Var.Space == SpaceParam && o.Var.Func != nil {
		s.Param = o.Var.paramKind()
	}
	return s
}

// paramKind says whose parameter a .param variable is.
func (v *Var) paramKind() isa.ParamKind {
	if v.Kernel {
		return isa.KernelParam
	}
	for _, q := range v.Func.Params {
		if &q.Var == v {
			return isa.FunctionParam
		}
	}
	for _, q := range v.Func.Rets {
		if &q.Var == v {
			return isa.ReturnParam
		}
	}
	return isa.CallParam
}

// Space returns the state space of the instruction's address: what the form says, generic
// where it says nothing, and the variable's own where the form leaves it open.
func (in *Inst) Space() Space {
	mem := in.address()
	if mem == nil {
		return SpaceGeneric
	}
	if at := in.Sel.At(mem.Role); at != nil {
		for s, shape := range spaceShapes {
			if shape == at.Space {
				return Space(s)
			}
		}
	}
	return SpaceGeneric
}
