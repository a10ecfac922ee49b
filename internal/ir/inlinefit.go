package ir

// This file says which functions may stand in place of their calls.

import (
	"slices"

	"ptxvm.invalid/ptxvm/internal/isa"
)

// inlines reports whether the callee of a call that stands in the body of a site, or in the kernel, is put in place.
func (x *inliner) inlines(site int, in *Inst) bool {
	c := in.Call
	f := c.Callee
	if f == nil || in.Guard.Reg != NoReg || x.refused[f] || len(c.Args) != len(f.Params) || len(c.Rets) != len(f.Rets) || !x.fit(f) {
		return false
	}
	for i := range c.Args {
		if c.Args[i].Kind != OpMem || c.Args[i].Var == nil || c.Args[i].Var.Kernel || slices.ContainsFunc(c.Rets, func(r Operand) bool { return r.Var == c.Args[i].Var }) {
			return false
		}
	}
	for i := range c.Rets {
		if r := &c.Rets[i]; r.Kind != OpSink && (r.Kind != OpMem || r.Var == nil) {
			return false
		}
	}
	return site >= 0 || x.size+x.fits[f] <= maxInlinedAll
}

// fit reports whether a function can be put in place, with all that it calls.
func (x *inliner) fit(f *Func) bool {
	if _, known := x.fits[f]; !known {
		x.fits[f] = 0 // if it calls itself
		if f.Defined && !f.Entry && !f.Variadic && f.LocalBytes == 0 && !f.hasStack() && f.CC == NoReg && len(f.EntryLive()) == 0 && f.passesMemory() {
			x.fits[f] = x.onlyComputes(f)
		}
	}
	return x.fits[f] != 0
}

// passesMemory reports whether all parameters and results are in memory, of which the function loads the ones and stores the others.
func (f *Func) passesMemory() bool {
	mine := map[*Var]isa.ID{}
	for _, p := range f.Params {
		mine[&p.Var] = isa.Ld
	}
	for _, p := range f.Rets {
		mine[&p.Var] = isa.St
	}
	for _, p := range slices.Concat(f.Params, f.Rets) {
		if p.Reg != NoReg {
			return false
		}
	}
	for _, v := range f.Locals {
		if v.Space != SpaceParam {
			return false
		}
	}
	ok := true
	for pc := range f.Insts {
		in := &f.Insts[pc]
		eachVar(in.Ops, func(o *Operand) {
			if id, is := mine[o.Var]; is {
				ok = ok && o.Kind == OpMem && in.Sel.ID() == id
			}
		})
	}
	return ok
}

func eachVar(ops []Operand, visit func(*Operand)) {
	for i := range ops {
		if ops[i].Var != nil {
			visit(&ops[i])
		}
		eachVar(ops[i].Elems, visit)
	}
}

// onlyComputes is how many instructions a function has, with those that it calls, which all fit; 0 if any of them waits, can be waited
// for or ends lanes, or if they are too many.
func (x *inliner) onlyComputes(f *Func) (size int) {
	size = len(f.Insts)
	for pc := range f.Insts {
		in := &f.Insts[pc]
		switch flow := in.flow(); {
		case flow == flowCall && x.inlines(0, in):
			size += x.fits[in.Call.Callee]
		case flow == flowCall, flow == flowExit, flow == flowTrap, in.Waits():
			return 0
		}
	}
	if size > maxInlined {
		return 0
	}
	return size
}

// Waits reports whether an instruction may be part of waiting for another thread, or ends or parts more than its own lanes.
func (in *Inst) Waits() bool {
	if in.Inlined {
		return false
	}
	if in.IsCall() || in.Sel.Has(isa.M_volatile) || in.Sel.Has(isa.M_mmio) || in.Sel.Get(isa.C_sem) != 0 {
		return true
	}
	return in.Sel.Entry.Effects.Has(^Quiet)
}

// Quiet are the effects of instructions that wait for no other thread and tell it nothing that it could wait for.
const Quiet = isa.Reads | isa.Writes | isa.WritesOnce | isa.Faults | isa.Branches | isa.Returns | isa.Exits | isa.Hints
