package isel

import "slices"

// RemoveUnused takes out instructions whose results nothing wants, unless they are to be kept or lead elsewhere.
// Selection makes some: a load in front of a store, where each of its users has read memory itself.
func (f *Func) RemoveUnused() {
	uses, maker := make([]int, f.NumRegs()), make([]*Inst, f.NumRegs())
	for _, b := range f.Blocks {
		for _, i := range b.Insts {
			for _, v := range slices.Concat(i.Uses, i.Args) {
				uses[v]++
			}
			for _, d := range i.Defs {
				maker[d] = i
			}
		}
	}
	gone := map[*Inst]bool{}
	var look func(i *Inst)
	look = func(i *Inst) {
		if i == nil || gone[i] || i.Keep || i.To != nil || len(i.Defs) == 0 || slices.ContainsFunc(i.Defs,
			func(d VReg) bool { return uses[d] > 0 }) {
			return
		}
		gone[i] = true
		for _, v := range i.Uses {
			if uses[v]--; uses[v] == 0 {
				look(maker[v])
			}
		}
	}
	for _, b := range f.Blocks {
		for _, i := range b.Insts {
			look(i)
		}
	}
	for _, b := range f.Blocks {
		b.Insts = slices.DeleteFunc(b.Insts, func(i *Inst) bool { return gone[i] })
	}
}
