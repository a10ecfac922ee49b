package ir

// This file says how classes go through instructions: a rule per id, for the few ids that
// keep affine values affine, and a default for all others.

import "ptxvm.invalid/ptxvm/internal/isa"

// rule computes the class of a result.
type rule uint8

const (
	ruleDefault rule = iota // uniform from uniform operands if the form is pure, else vector
	ruleMove                // the operand's class
	ruleAdd                 // a + b or a - b, modulo 2^n
	ruleMul                 // a · b: keeps a class if the other factor is uniform
	ruleMad                 // a · b + c
	ruleMulWide             // a · b widened: holds only where no lane wraps
	ruleMadWide
	ruleShl    // a << b with uniform b
	ruleCvt    // integer to integer: cutting keeps, widening is checked
	ruleLoad   // uniform where all lanes read one place that they share
	ruleVector // always vector
)

// apply evaluates a rule for an instruction in converged code.
func (s *solver) apply(in *Inst, r rule) Class {
	arg := func(i int) Class {
		if i < len(in.Ops) {
			return s.operand(&in.Ops[i])
		}
		return Class{}
	}
	switch r {
	case ruleMove:
		return s.moved(in)
	case ruleAdd:
		if !in.wraps() {
			return s.plain(in)
		}
		return arg(1).join(arg(2))
	case ruleMul:
		return scaled(arg(1), arg(2))
	case ruleMulWide:
		return scaled(arg(1), arg(2)).checked()
	case ruleMad:
		return scaled(arg(1), arg(2)).join(arg(3))
	case ruleMadWide:
		return scaled(arg(1), arg(2)).checked().join(arg(3))
	case ruleShl:
		return shifted(arg(1), arg(2))
	case ruleCvt:
		return s.converted(in)
	case ruleLoad:
		return s.loaded(in)
	case ruleVector:
		return Class{Kind: Vector}
	}
	return s.plain(in)
}

// plain is the default: a pure function of uniform values is uniform.
func (s *solver) plain(in *Inst) Class {
	if !in.pure() {
		return Class{Kind: Vector}
	}
	all := s.all(in)
	if all.Kind != Uniform {
		return Class{Kind: Vector}
	}
	return all
}

// all joins the classes of everything that is read.
func (s *solver) all(in *Inst) Class {
	c := Class{}
	if in.Carry&CarryIn != 0 {
		c = s.out.Regs[s.f.CC]
	}
	for i := range in.Ops {
		c = c.join(s.operand(&in.Ops[i]))
	}
	return c
}

// operand is the class of what an operand contributes as a source.
func (s *solver) operand(o *Operand) Class {
	c := Class{}
	switch o.Kind {
	case OpReg:
		if o.Access != OnlyWrite {
			c = s.out.Regs[o.Reg]
		}
	case OpMem:
		if o.Reg != NoReg {
			c = s.out.Regs[o.Reg]
		}
	case OpSpec:
		c = s.shape.special(o.Special, o.Comp)
	}
	for i := range o.Elems {
		c = c.join(s.operand(&o.Elems[i]))
	}
	return c
}

// scaled is the class of a product: a sum of lanes times something uniform keeps its shape.
func scaled(a, b Class) Class {
	if a.Kind == Uniform {
		return b
	}
	if b.Kind == Uniform {
		return a
	}
	return Class{Kind: Vector}
}

func shifted(a, n Class) Class {
	if n.Kind != Uniform {
		return Class{Kind: Vector}
	}
	return a
}

// checked marks a class that was widened: it holds only if no lane wrapped before.
func (c Class) checked() Class {
	c.Checked = c.Kind == Affine || c.Kind == Periodic
	return c
}

// moved: a move of one value keeps its class; packing and unpacking do not.
func (s *solver) moved(in *Inst) Class {
	for i := range in.Ops {
		if len(in.Ops[i].Elems) > 0 {
			return s.plain(in)
		}
	}
	return s.all(in)
}

// converted: an integer is cut to the narrower of both types and then extended to the
// register. If that cuts nothing more than the register does, the class stays, modulo 2^n;
// else it is checked. Saturation clips, so it keeps only uniform.
func (s *solver) converted(in *Inst) Class {
	d, a := in.Sel.Type(isa.C_dtype), in.Sel.Type(isa.C_atype)
	if !integer(d) || !integer(a) || in.Sel.Has(isa.M_sat) {
		return s.plain(in)
	}
	if in.Ops[0].Type.Bits() > min(d.Bits(), a.Bits()) {
		return s.all(in).checked()
	}
	return s.all(in)
}

func integer(t isa.Type) bool { return t.Kind() == isa.Signed || t.Kind() == isa.Unsigned }

// wraps reports whether an addition is plain arithmetic modulo 2^n of whole registers.
func (in *Inst) wraps() bool {
	return !in.Sel.Has(isa.M_sat) && in.Sel.Type(isa.C_type).Kind() != isa.Packed
}

// loaded: one address in a space that the lanes share gives one value, since a converged
// warp reads it once for all. A generic address may be local memory, which every lane has
// its own of, and so is the .param area of a frame.
func (s *solver) loaded(in *Inst) Class {
	mem := in.address()
	if mem == nil || s.all(in).Kind != Uniform {
		return Class{Kind: Vector}
	}
	switch in.Space() {
	case SpaceGlobal, SpaceConst, SpaceShared:
		return Class{}
	case SpaceParam:
		if mem.Var != nil && mem.Var.Kernel {
			return Class{}
		}
	}
	return Class{Kind: Vector}
}

// address returns the first memory operand, nil if there is none.
func (in *Inst) address() *Operand {
	for i := range in.Ops {
		if in.Ops[i].Kind == OpMem {
			return &in.Ops[i]
		}
	}
	return nil
}
