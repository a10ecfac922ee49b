package lower

// This file lays out static shared memory. A variable has one offset in the whole module,
// so that a function decodes alike for every kernel that reaches it, and a kernel pays
// only for what it reaches: variables of different kernels may overlap.

import (
	"slices"

	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/quota"
)

// layoutShared gives shared variables their offsets and kernels their Shared and SharedBytes.
func layoutShared(q *quota.Quota, m *ir.Module) {
	u := sharedUse{quota: q, own: map[*ir.Func][]*ir.Var{}, calls: map[*ir.Func][]*ir.Func{}, any: &ir.Func{}}
	u.calls[u.any] = addressTaken(m)
	for _, f := range m.Funcs {
		u.scan(f)
	}
	users := map[*ir.Var][]*ir.Func{}
	for _, f := range m.Funcs {
		if !f.Entry || !f.Defined {
			continue
		}
		f.Shared, f.SharedBytes = u.reach(f), 0
		for _, v := range f.Shared {
			users[v] = append(users[v], f)
		}
	}
	for _, v := range sharedOrder(m, users) {
		placeShared(v, users[v])
	}
}

// sharedOrder lists variables with many users first: they fix the offsets of all of them.
// Within that, the largest alignment comes first, which wastes least.
func sharedOrder(m *ir.Module, users map[*ir.Var][]*ir.Func) []*ir.Var {
	var vars []*ir.Var
	for _, v := range m.Vars {
		if v.Space == ir.SpaceShared && !v.Dynamic {
			vars = append(vars, v)
		}
	}
	slices.SortStableFunc(vars, func(a, b *ir.Var) int {
		if n := len(users[b]) - len(users[a]); n != 0 {
			return n
		}
		return b.Align - a.Align
	})
	return vars
}

func placeShared(v *ir.Var, users []*ir.Func) {
	top := int64(0)
	for _, f := range users {
		top = max(top, f.SharedBytes)
	}
	v.Offset = alignUp(top, int64(v.Align))
	for _, f := range users {
		f.SharedBytes = v.Offset + v.Size
	}
}

// sharedUse knows what functions use and call directly.
type sharedUse struct {
	quota *quota.Quota
	own   map[*ir.Func][]*ir.Var
	calls map[*ir.Func][]*ir.Func
	any   *ir.Func // stands for what an indirect call may reach
}

func (u *sharedUse) scan(f *ir.Func) {
	seenVar, seenFunc := map[*ir.Var]bool{}, map[*ir.Func]bool{}
	eachSymbol(f, func(_ *ir.Inst, v *ir.Var, g *ir.Func) {
		switch {
		case v != nil && v.Space == ir.SpaceShared && !seenVar[v]:
			seenVar[v] = true
			u.own[f] = append(u.own[f], v)
		case g != nil && !seenFunc[g]:
			seenFunc[g] = true
			u.calls[f] = append(u.calls[f], g)
		}
	})
	for i := range f.Insts {
		if c := f.Insts[i].Call; c != nil && c.Callee == nil && c.Table == nil {
			u.calls[f] = append(u.calls[f], u.any)
			return
		}
	}
}

// reachSteps is about what looking at a function or variable takes, in steps of a quota.
const reachSteps = 32

// reach collects the shared variables of everything a kernel may call.
func (u *sharedUse) reach(kernel *ir.Func) []*ir.Var {
	var vars []*ir.Var
	has, seen := map[*ir.Var]bool{}, map[*ir.Func]bool{kernel: true}
	for work := []*ir.Func{kernel}; len(work) > 0; {
		f := work[len(work)-1]
		work = work[:len(work)-1]
		u.quota.Spend(reachSteps * (1 + len(u.own[f]) + len(u.calls[f])))
		for _, v := range u.own[f] {
			if !has[v] {
				has[v] = true
				vars = append(vars, v)
			}
		}
		for _, g := range u.calls[f] {
			if !seen[g] {
				seen[g] = true
				work = append(work, g)
			}
		}
	}
	return vars
}

// addressTaken lists the functions whose address some code or initialiser takes.
func addressTaken(m *ir.Module) []*ir.Func {
	var out []*ir.Func
	seen := map[*ir.Func]bool{}
	add := func(g *ir.Func) {
		if g != nil && !seen[g] {
			seen[g] = true
			out = append(out, g)
		}
	}
	for _, f := range m.Funcs {
		eachSymbol(f, func(in *ir.Inst, _ *ir.Var, g *ir.Func) {
			if in.Call == nil || in.Call.Callee != g {
				add(g)
			}
		})
	}
	for _, v := range m.Vars {
		for _, r := range v.Relocs {
			add(r.Func)
		}
	}
	return out
}
