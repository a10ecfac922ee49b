package isel

import "slices"

// RemoveUnused takes out instructions whose results nothing wants, unless they are to be kept or lead elsewhere.
// Selection makes some: a load in front of a store, where each of its users has read memory itself.
func (f *Func) RemoveUnused() {
	u := unused{uses: make([]int32, f.NumRegs()), maker: make([]*Inst, f.NumRegs())}
	for _, b := range f.Blocks {
		for _, i := range b.Insts {
			for _, v := range i.Uses {
				u.uses[v]++
			}
			for _, v := range i.Args {
				u.uses[v]++
			}
			for _, d := range i.Defs {
				u.maker[d] = i
			}
		}
	}
	for _, b := range f.Blocks {
		for _, i := range b.Insts {
			u.look(i)
		}
	}
	if !u.some {
		return
	}
	for _, b := range f.Blocks {
		b.Insts = slices.DeleteFunc(b.Insts, func(i *Inst) bool { return i.gone })
	}
}

type unused struct {
	uses  []int32 // by register
	maker []*Inst
	some  bool
}

// look takes an instruction out, and what it alone has used.
func (u *unused) look(i *Inst) {
	if i == nil || i.gone || i.Keep || i.To != nil || len(i.Defs) == 0 {
		return
	}
	for _, d := range i.Defs {
		if u.uses[d] > 0 {
			return
		}
	}
	i.gone, u.some = true, true
	for _, v := range i.Uses {
		if u.uses[v]--; u.uses[v] == 0 {
			u.look(u.maker[v])
		}
	}
}
