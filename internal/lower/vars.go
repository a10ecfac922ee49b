package lower

// This file lays out variables and parameters (5.1, 5.4).

import (
	"ptxvm.invalid/ptxvm/internal/check"
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/syntax"
)

var spaces = map[check.Space]ir.Space{
	check.Global: ir.SpaceGlobal, check.Const: ir.SpaceConst, check.Shared: ir.SpaceShared,
	check.Local: ir.SpaceLocal, check.Param: ir.SpaceParam, check.Tex: ir.SpaceTex,
}

// moduleVar makes a variable of module scope. One that a function declares (shared, or
// global in old code) is hoisted; its name is made unique.
func (l *lowerer) moduleVar(o *check.Object) {
	v := l.newVar(o)
	v.Name = unique(l.names, o.Name)
	// With a size it is a variable of another module, and of this one if it is alone.
	v.Dynamic = o.Space == check.Shared && o.Linkage == syntax.WordExtern && v.Size == 0
	if o.Func != nil {
		v.Func = nil // its function is known by use; the frame does not hold it
	}
	l.vars[o.ID] = v
	l.m.Vars = append(l.m.Vars, v)
}

func (l *lowerer) newVar(o *check.Object) *ir.Var {
	v := &ir.Var{
		Name: o.Name, Space: spaces[o.Space], Linkage: linkages[o.Linkage], Bank: o.Bank,
		Type: o.Type, Vec: max(o.Vector, 1), Dims: o.Dims, Align: int(max(o.Align, 1)), Size: o.Size(),
		Managed: o.Managed, Unified: o.Unified,
	}
	if o.Tok != syntax.NoToken {
		v.Pos = l.at(o.Tok)
	}
	return v
}

// area places variables one behind another.
type area struct{ size int64 }

func (a *area) place(v *ir.Var) {
	v.Offset = alignUp(a.size, int64(v.Align))
	a.size = v.Offset + v.Size
}

// placeWords is place for a variable of a call's .param area: it begins at a word, since calls copy words.
func (a *area) placeWords(v *ir.Var) {
	a.size = alignUp(a.size, 4)
	a.place(v)
}

func alignUp(n, align int64) int64 { return (n + align - 1) &^ (align - 1) }
