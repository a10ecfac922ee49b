package lower

// This file finishes linking: replaced symbols disappear from the tables and from every
// reference, and what no module defines is reported.

import (
	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/ir"
)

// keep drops replaced symbols and makes the names of private ones unique.
func (l *linker) keep() {
	vars, funcs := l.out.Vars, l.out.Funcs
	l.out.Vars, l.out.Funcs = nil, nil
	for name := range l.vars {
		l.names[name]++
	}
	for _, v := range vars {
		if l.varTo[v] == nil {
			if l.vars[v.Name] != v {
				v.Name = unique(l.names, v.Name)
			}
			l.out.Vars = append(l.out.Vars, v)
		}
	}
	for name := range l.funcs {
		l.names[name]++
	}
	for _, f := range funcs {
		if l.funcTo[f] == nil {
			if l.funcs[f.Name] != f {
				f.Name = unique(l.names, f.Name)
			}
			l.out.Funcs = append(l.out.Funcs, f)
		}
	}
}

func (l *linker) finalVar(v *ir.Var) *ir.Var {
	for l.varTo[v] != nil {
		v = l.varTo[v]
	}
	return v
}

func (l *linker) finalFunc(f *ir.Func) *ir.Func {
	for l.funcTo[f] != nil {
		f = l.funcTo[f]
	}
	return f
}

// retarget points every reference at the symbol that won, through aliases of other modules.
func (l *linker) retarget() {
	l.followAliases()
	if len(l.varTo)+len(l.funcTo) == 0 {
		return
	}
	for _, f := range l.out.Funcs {
		for i := range f.Insts {
			l.operands(f.Insts[i].Ops)
			if c := f.Insts[i].Call; c != nil {
				l.callSite(c)
			}
		}
	}
	for _, v := range l.out.Vars {
		for i := range v.Relocs {
			r := &v.Relocs[i]
			r.Var, r.Func = l.finalVar(r.Var), l.finalFunc(r.Func)
		}
	}
	for i := range l.out.Aliases {
		l.out.Aliases[i].To = l.finalFunc(l.out.Aliases[i].To)
	}
}

// followAliases lets a declaration be defined by an alias of the same name (11.6.5).
func (l *linker) followAliases() {
	for _, a := range l.out.Aliases {
		if f := l.funcs[a.Name]; f != nil && !f.Defined && f != a.To {
			l.funcTo[f] = a.To
		}
	}
}

func (l *linker) callSite(c *ir.Call) {
	c.Callee = l.finalFunc(c.Callee)
	for i := range c.Table {
		c.Table[i] = l.finalFunc(c.Table[i])
	}
	l.operands(c.Args)
	l.operands(c.Rets)
}

func (l *linker) operands(ops []ir.Operand) {
	for i := range ops {
		o := &ops[i]
		if o.Var != nil {
			o.Var = l.finalVar(o.Var)
		}
		if o.Func != nil {
			o.Func = l.finalFunc(o.Func)
		}
		if len(o.Elems) > 0 {
			l.operands(o.Elems)
		}
	}
}

// unresolved reports symbols that kernels or initial values reach and that neither a module nor the runtime
// defines, each once: functions that nothing reaches may lack what they need, as those of the device runtime do, which
// nvcc links to every program of several sources. An .extern variable of a module alone counts as defined there, for
// which check has a warning, as ptxas does.
func (l *linker) unresolved() {
	work := []*ir.Func{}
	seenVar, seenFunc := map[*ir.Var]bool{}, map[*ir.Func]bool{}
	reach := func(g *ir.Func, unit int, pos diag.Pos) {
		if g == nil || seenFunc[g] {
			return
		}
		seenFunc[g] = true
		if !g.Defined && !l.provided(g.Name) {
			l.missing(unit, pos, g.Name)
		}
		work = append(work, g)
	}
	for _, f := range l.out.Funcs {
		if f.Entry && f.Defined {
			reach(f, f.Unit, f.Pos)
		}
	}
	for _, v := range l.out.Vars {
		for _, r := range v.Relocs {
			reach(r.Func, l.unitOf[v], v.Pos)
		}
	}
	for len(work) > 0 {
		f := work[len(work)-1]
		work = work[:len(work)-1]
		eachSymbol(f, func(in *ir.Inst, v *ir.Var, g *ir.Func) {
			if v != nil && v.Linkage == ir.Extern && !v.Dynamic && !l.alone && !seenVar[v] {
				seenVar[v] = true
				l.missing(f.Unit, in.Pos, v.Name)
			}
			reach(g, f.Unit, in.Pos)
		})
	}
}

func (l *linker) missing(unit int, pos diag.Pos, name string) {
	l.diags.Add(diag.Diagnostic{Code: diag.Unresolved, Source: l.source(unit),
		Span: diag.Span{Start: pos, End: pos}, Msg: name + " is used but no module defines it"})
}

func (l *linker) source(unit int) *diag.Source {
	if unit < len(l.out.Sources) {
		return l.out.Sources[unit]
	}
	return nil
}

// eachSymbol visits the variables and functions that a function refers to.
func eachSymbol(f *ir.Func, visit func(in *ir.Inst, v *ir.Var, g *ir.Func)) {
	var walk func(in *ir.Inst, ops []ir.Operand)
	walk = func(in *ir.Inst, ops []ir.Operand) {
		for i := range ops {
			if ops[i].Var != nil || ops[i].Func != nil {
				visit(in, ops[i].Var, ops[i].Func)
			}
			walk(in, ops[i].Elems)
		}
	}
	for i := range f.Insts {
		in := &f.Insts[i]
		walk(in, in.Ops)
		if c := in.Call; c != nil {
			walk(in, c.Args)
			walk(in, c.Rets)
			if c.Callee != nil {
				visit(in, nil, c.Callee)
			}
			for _, g := range c.Table {
				visit(in, nil, g)
			}
		}
	}
}
