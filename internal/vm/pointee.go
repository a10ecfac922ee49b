package vm

// This file finds out what pointers most likely point to, for examples of arguments.

import (
	"strings"

	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/isa"
)

// pointees follows parameters through a kernel once, in the order of its text: each gets the type of the first access at an address
// that is computed from it, "" if there is none.
func pointees(f *ir.Func) []string {
	types := make([]string, len(f.Params))
	from := map[ir.Reg]int{}                 // the parameter that a register is made of, counted from 1
	pointer := make([]bool, len(f.Params)+1) // those that cvta takes: a sum of one and a number is an address of the former
	either := func(p, q int) int {
		if p == 0 || pointer[q] && !pointer[p] {
			return q
		}
		return p
	}
	for i := range f.Insts {
		in := &f.Insts[i]
		p, at := 0, 0
		eachOperand(in.Ops, func(o *ir.Operand) {
			switch {
			case o.Kind == ir.OpMem && o.Var != nil:
				p = either(p, paramOf(f, o.Var))
			case o.Kind == ir.OpMem && o.Reg != ir.NoReg:
				at = either(at, from[o.Reg])
			case o.Kind == ir.OpReg && o.Access != ir.OnlyWrite:
				p = either(p, from[o.Reg])
			}
		})
		if id := in.Sel.ID(); p > 0 && (id == isa.Cvta || id == isa.CvtaTo) {
			pointer[p] = true
		}
		if at > 0 && types[at-1] == "" {
			types[at-1] = accessed(in)
		}
		eachOperand(in.Ops, func(o *ir.Operand) {
			if o.Kind == ir.OpReg && o.Access != ir.OnlyRead {
				from[o.Reg] = p // what is loaded at an address is no address of the same thing
			}
		})
	}
	return types
}

func eachOperand(ops []ir.Operand, visit func(o *ir.Operand)) {
	for i := range ops {
		visit(&ops[i])
		eachOperand(ops[i].Elems, visit)
	}
}

// paramOf is the number of a parameter, counted from 1, 0 for another variable.
func paramOf(f *ir.Func, v *ir.Var) int {
	for i, p := range f.Params {
		if &p.Var == v {
			return i + 1
		}
	}
	return 0
}

// accessed is the type of what an instruction loads, stores or updates, as --arg names it: bits are unsigned integers.
func accessed(in *ir.Inst) string {
	for i := range in.Sel.Roles {
		r := &in.Sel.Roles[i]
		if r.Type == 0 || r.Align != 0 || r.Type == isa.PredType() {
			continue
		}
		name := strings.TrimPrefix(r.Type.String(), ".")
		if r.Type.Bits() > 64 || strings.Contains(name, "x") {
			return ""
		}
		if name[0] == 'b' && name[1] != 'f' {
			name = "u" + name[1:]
		}
		return name
	}
	return ""
}
