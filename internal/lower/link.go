package lower

// This file links modules: symbols with linkage become one, everything else is put side by
// side (11.6). A single module is linked, too: that resolves what the runtime provides and
// lays out shared memory.

import (
	"fmt"
	"slices"

	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/quota"
)

// Link merges modules into the first, which it changes, with the others. provided tells
// which external functions the runtime supplies; they stay declarations.
func Link(mods []*ir.Module, provided func(name string) bool) (*ir.Module, diag.List) {
	return LinkWithin(nil, mods, provided)
}

// LinkWithin is Link with limits.
func LinkWithin(q *quota.Quota, mods []*ir.Module, provided func(name string) bool) (*ir.Module, diag.List) {
	q.Prepare("module", mods[0].Name)
	q.Enter("link")
	l := &linker{provided: provided, out: mods[0], alone: len(mods) == 1, vars: map[string]*ir.Var{}, funcs: map[string]*ir.Func{},
		varTo: map[*ir.Var]*ir.Var{}, funcTo: map[*ir.Func]*ir.Func{}, unitOf: map[*ir.Var]int{}, names: map[string]int{}}
	joinThreads(mods)
	for i, m := range mods {
		l.unit = len(l.out.Sources)
		if i == 0 {
			l.unit = 0
		}
		if i > 0 {
			l.out.Sources = append(l.out.Sources, m.Sources...)
		}
		l.symbols(m, i > 0)
	}
	l.names = map[string]int{}
	l.keep()
	l.retarget()
	l.unresolved()
	layoutShared(q, l.out)
	l.limits()
	l.diags.Sort()
	return l.out, l.diags
}

type linker struct {
	provided func(string) bool
	out      *ir.Module
	alone    bool // nothing is linked to it
	unit     int  // of the module being read
	vars     map[string]*ir.Var
	funcs    map[string]*ir.Func
	varTo    map[*ir.Var]*ir.Var // replaced symbols
	funcTo   map[*ir.Func]*ir.Func
	unitOf   map[*ir.Var]int
	names    map[string]int
	diags    diag.List
}

// symbols reads one module: appends its tables to the first's and decides which module defines what.
func (l *linker) symbols(m *ir.Module, appended bool) {
	for _, v := range m.Vars {
		l.unitOf[v] = l.unit
		l.variable(v)
	}
	for _, f := range m.Funcs {
		l.function(f)
	}
	if appended {
		l.append(m)
	}
}

// append moves the tables of m behind those of the first module.
func (l *linker) append(m *ir.Module) {
	locs, files := ir.LocID(len(l.out.Locs)-1), int32(len(l.out.Files))
	for _, loc := range m.Locs[1:] {
		if loc.File >= 0 {
			loc.File += files
		}
		if loc.InlinedAt > 0 {
			loc.InlinedAt += locs
		}
		l.out.Locs = append(l.out.Locs, loc)
	}
	for _, f := range m.Funcs {
		f.Unit = l.unit
		for i := range f.Insts {
			if f.Insts[i].Loc > 0 {
				f.Insts[i].Loc += locs
			}
		}
	}
	if l.out.Version.Before(m.Version) {
		l.out.Version = m.Version
	}
	l.out.Files = append(l.out.Files, m.Files...)
	l.out.Pragmas = append(l.out.Pragmas, m.Pragmas...)
	l.out.Aliases = append(l.out.Aliases, m.Aliases...)
	l.out.Vars = append(l.out.Vars, m.Vars...)
	l.out.Funcs = append(l.out.Funcs, m.Funcs...)
}

// strength orders the claims of two symbols of one name: the higher one defines it.
func strength(link ir.Linkage, defined bool) int {
	switch {
	case !defined || link == ir.Extern:
		return 0
	case link == ir.Common:
		return 1
	case link == ir.Weak:
		return 2
	}
	return 3
}

func (l *linker) variable(v *ir.Var) {
	if v.Linkage == ir.Private || v.Dynamic {
		return
	}
	old := l.vars[v.Name]
	if old == nil {
		l.vars[v.Name] = v
		return
	}
	if why := varDiff(old, v); why != "" {
		l.report(diag.LinkMismatch, v.Pos, l.unit, fmt.Sprintf("%s was declared with another %s", v.Name, why), old.Pos, l.unitOf[old])
		l.varTo[v] = old
		return
	}
	a, b := strength(old.Linkage, true), strength(v.Linkage, true)
	switch {
	case a == 3 && b == 3:
		l.varTo[v] = old
		l.report(diag.DuplicateDefinition, v.Pos, l.unit, v.Name+" is defined twice", old.Pos, l.unitOf[old])
	case b > a, a == 1 && b == 1 && v.Size > old.Size: // the largest .common wins
		l.vars[v.Name], l.varTo[old] = v, v
	default:
		l.varTo[v] = old
	}
}

// varDiff says in what two declarations of a variable differ that matters: NVIDIA's linker knows of spaces and sizes, and
// nvcc declares a pointer .b64 and defines it .u64. An open array fits any length, and so does .common.
func varDiff(a, b *ir.Var) string {
	switch {
	case a.Space != b.Space:
		return "state space"
	case a.Size != b.Size && a.Size != 0 && b.Size != 0 && (a.Linkage != ir.Common || b.Linkage != ir.Common):
		return "size"
	}
	return ""
}

func (l *linker) function(f *ir.Func) {
	f.Unit = l.unit
	if f.Linkage == ir.Private && !f.Entry && f.Defined {
		return
	}
	old := l.funcs[f.Name]
	if old == nil {
		l.funcs[f.Name] = f
		return
	}
	if why := funcDiff(old, f); why != "" {
		l.report(diag.LinkMismatch, f.Pos, l.unit, fmt.Sprintf("%s was declared with %s", f.Name, why), old.Pos, old.Unit)
		l.funcTo[f] = old
		return
	}
	a, b := strength(old.Linkage, old.Defined), strength(f.Linkage, f.Defined)
	switch {
	case a == 3 && b == 3:
		l.funcTo[f] = old
		l.report(diag.DuplicateDefinition, f.Pos, l.unit, f.Name+" is defined twice", old.Pos, old.Unit)
	case b > a:
		l.funcs[f.Name], l.funcTo[old] = f, f
	default:
		l.funcTo[f] = old
	}
}

// funcDiff says how two signatures differ; "" if they agree.
func funcDiff(a, b *ir.Func) string {
	same := func(x, y *ir.Param) bool {
		return x.Size == y.Size && x.Type.Bits() == y.Type.Bits() && (x.Reg == ir.NoReg) == (y.Reg == ir.NoReg)
	}
	switch {
	case a.Entry != b.Entry:
		return "another kind"
	case !slices.EqualFunc(a.Rets, b.Rets, same):
		return "another return type"
	case !slices.EqualFunc(a.Params, b.Params, same):
		return "other parameters"
	}
	return ""
}

// report adds an error at one declaration with a note at the other.
func (l *linker) report(code diag.Code, pos diag.Pos, unit int, msg string, other diag.Pos, otherUnit int) {
	d := diag.Diagnostic{Code: code, Source: l.source(unit), Span: diag.Span{Start: pos, End: pos}, Msg: msg}
	d.Related = []diag.Note{{Source: l.source(otherUnit), Span: diag.Span{Start: other, End: other}, Msg: "the other declaration"}}
	l.diags.Add(d)
}
