package ir

// This file makes registers of what is passed to functions in place of their calls.

import (
	"fmt"
	"slices"
	"sync"

	"ptxvm.invalid/ptxvm/internal/isa"
)

// piece is a part of a variable that is accessed at once.
type piece struct{ off, bytes int64 }

// passed is how variables are accessed that are passed to bodies.
type passed struct {
	pieces map[*Var]map[int64]int64 // bytes, by offset
	kept   map[*Var]bool            // stay in memory
}

// promote makes registers of the variables that are passed to bodies, where all that is done to one is to load and store it in pieces of
// 32 or 64 bits. It returns the function of the first body one of whose own variables is no such one; nil: all are.
func (x *inliner) promote() *Func {
	p := x.findPassed()
	bad := map[*Func]bool{}
	for v, f := range x.made {
		bad[f] = bad[f] || p.kept[v]
	}
	for _, s := range x.sites {
		if bad[s.Callee] {
			return s.Callee
		}
	}
	regs := map[*Var]map[int64]Reg{}
	for pc := range x.out.Insts {
		in := &x.out.Insts[pc]
		eachVar(in.Ops, func(o *Operand) {
			if x.linked[o.Var] && !p.kept[o.Var] {
				x.out.move(in, x.pieceRegister(regs, o, p.pieces[o.Var][o.Disp()]))
			}
		})
	}
	return nil
}

// findPassed looks at all accesses to variables.
func (x *inliner) findPassed() *passed {
	p := &passed{map[*Var]map[int64]int64{}, map[*Var]bool{}}
	for pc := range x.out.Insts {
		in := &x.out.Insts[pc]
		if c := in.Call; c != nil {
			eachVar(slices.Concat(c.Args, c.Rets), func(o *Operand) { p.kept[o.Var] = true })
		}
		eachVar(in.Ops, func(o *Operand) { p.access(x.out, in, o) })
	}
	for v, list := range p.pieces {
		p.kept[v] = p.kept[v] || overlaps(list)
	}
	return p
}

// access notes how an instruction accesses a variable.
func (p *passed) access(f *Func, in *Inst, o *Operand) {
	at, ok := f.pieceOf(in, o)
	if !ok {
		p.kept[o.Var] = true
		return
	}
	if p.pieces[o.Var] == nil {
		p.pieces[o.Var] = map[int64]int64{}
	}
	if old, seen := p.pieces[o.Var][at.off]; seen && old != at.bytes {
		p.kept[o.Var] = true
	}
	p.pieces[o.Var][at.off] = at.bytes
}

// pieceRegister is the register for a piece of a variable.
func (x *inliner) pieceRegister(regs map[*Var]map[int64]Reg, o *Operand, bytes int64) Reg {
	if regs[o.Var] == nil {
		regs[o.Var] = map[int64]Reg{}
	}
	r, made := regs[o.Var][o.Disp()]
	if !made {
		r = x.register(fmt.Sprintf("%s+%d", o.Var.Name, o.Disp()), bitsOf(bytes))
		regs[o.Var][o.Disp()] = r
	}
	return r
}

// overlaps reports whether pieces overlap.
func overlaps(pieces map[int64]int64) bool {
	for a, n := range pieces {
		for b := range pieces {
			if a < b && b < a+n {
				return true
			}
		}
	}
	return false
}

// pieceOf is the piece of a variable that an instruction loads to or stores from a register of its size.
func (f *Func) pieceOf(in *Inst, at *Operand) (p piece, ok bool) {
	id := in.Sel.ID()
	if at.Kind != OpMem || len(at.Elems) != 0 || at.Reg != NoReg || at.Var.Space != SpaceParam || len(in.Ops) != 2 || id != isa.Ld && id != isa.St || in.Waits() {
		return p, false
	}
	value := &in.Ops[0]
	if id == isa.St {
		value = &in.Ops[1]
	}
	bits := in.Sel.Type(isa.C_type).Bits()
	switch {
	case bits != 32 && bits != 64:
		return p, false
	case value.Kind == OpReg && value.Selector == "" && !value.Neg && int(f.Regs[value.Reg].Bits) == bits:
	case value.Kind == OpImm && id == isa.St:
	default:
		return p, false
	}
	return piece{at.Disp(), int64(bits) / 8}, true
}

// bitsOf is the untyped type of some bytes.
func bitsOf(bytes int64) isa.Type {
	t, _ := isa.LookupType(fmt.Sprintf(".b%d", 8*bytes))
	return t
}

// move makes a move of the load or store of a variable for which a register stands.
func (f *Func) move(in *Inst, r Reg) {
	reg := Operand{Kind: OpReg, Reg: r, Type: f.Regs[r].Type}
	ops := []Operand{in.Ops[0], reg}
	if in.Sel.ID() == isa.St {
		ops = []Operand{reg, in.Ops[1]}
	}
	ops[0].Access, ops[1].Access = OnlyWrite, OnlyRead
	in.Sel, in.Ops = movSels[f.Regs[r].Bits/64](), ops
	in.Annotate(f.Regs)
}

// movSels are mov.b32 and mov.b64.
var movSels = [2]func() *isa.Sel{sync.OnceValue(func() *isa.Sel { return movSel(".b32") }), sync.OnceValue(func() *isa.Sel { return movSel(".b64") })}

func movSel(name string) *isa.Sel {
	t, _ := isa.LookupType(name)
	reg := isa.Shape{Kind: isa.ShapeReg, Type: t}
	sel, fails := isa.Table().Match(&isa.Query{Tokens: []string{"mov", name}, Operands: []isa.Shape{reg, reg}, Version: isa.Latest, Target: isa.MustTarget("sm_90")})
	if sel == nil {
		panic(fmt.Sprintf("BUG: no mov%s: %v", name, fails))
	}
	return sel
}
