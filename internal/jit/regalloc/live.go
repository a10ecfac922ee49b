package regalloc

import (
	"math/bits"
	"sort"

	"ptxvm.invalid/ptxvm/internal/jit/isel"
)

// This file finds what lives where, and where it is used next.

// set is a set of virtual registers.
type set []uint64

func (s set) has(v isel.VReg) bool { return s[v>>6]>>(v&63)&1 != 0 }
func (s set) add(v isel.VReg)      { s[v>>6] |= 1 << (v & 63) }
func (s set) remove(v isel.VReg)   { s[v>>6] &^= 1 << (v & 63) }

// each visits the elements.
func (s set) each(visit func(isel.VReg)) {
	for i, w := range s {
		for ; w != 0; w &= w - 1 {
			visit(isel.VReg(i<<6 + bits.TrailingZeros64(w)))
		}
	}
}

// findLiveness finds what lives at the start of each block, its parameters among it; constants live nowhere.
func (a *allocator) findLiveness() {
	n := 0
	for _, b := range a.f.Blocks {
		a.first[b.ID] = n
		n += len(b.Insts) + 1
		a.live[b.ID] = make(set, a.f.NumRegs()/64+1)
	}
	for _, b := range a.f.Blocks {
		for i, inst := range b.Insts {
			if inst.To == nil {
				continue
			}
			if a.preds[inst.To.ID]++; inst.To.ID <= b.ID && !b.Cold {
				a.loop[inst.To.ID] = max(a.loop[inst.To.ID], a.first[b.ID]+i)
			}
			for k, p := range inst.To.Params {
				if a.wanted[inst.Args[k]] == 0 {
					a.wanted[inst.Args[k]] = p
				}
			}
		}
	}
	now := make(set, a.f.NumRegs()/64+1)
	for changed := true; changed; {
		changed = false
		for i := len(a.f.Blocks) - 1; i >= 0; i-- {
			b := a.f.Blocks[i]
			clear(now)
			for k := len(b.Insts) - 1; k >= 0; k-- {
				a.before(b.Insts[k], now, nil)
			}
			for w, x := range now {
				if x&^a.live[b.ID][w] != 0 {
					a.live[b.ID][w] |= x
					changed = true
				}
			}
		}
	}
}

// before makes what lives behind an instruction what lives in front of it, and calls death for what it is the last to
// use.
func (a *allocator) before(inst *isel.Inst, now set, death func(isel.VReg)) {
	use := func(v isel.VReg) {
		if !a.isConst(v) && !now.has(v) {
			now.add(v)
			if death != nil {
				death(v)
			}
		}
	}
	for _, d := range inst.Defs {
		now.remove(d)
	}
	if to := inst.To; to != nil {
		for i, p := range to.Params {
			if a.live[to.ID].has(p) {
				use(inst.Args[i])
			}
		}
		a.leading(to, use)
	}
	for _, v := range inst.Uses {
		use(v)
	}
}

// leading visits what a block reads of what was there before it.
func (a *allocator) leading(to *isel.Block, visit func(isel.VReg)) {
	a.live[to.ID].each(func(v isel.VReg) {
		for _, p := range to.Params {
			if p == v {
				return
			}
		}
		visit(v)
	})
}

// findDeaths finds what each instruction of a block is the last to use.
func (a *allocator) findDeaths(b *isel.Block) {
	a.deaths = make([][]isel.VReg, len(b.Insts))
	now := make(set, a.f.NumRegs()/64+1)
	for i := len(b.Insts) - 1; i >= 0; i-- {
		a.before(b.Insts[i], now, func(v isel.VReg) { a.deaths[i] = append(a.deaths[i], v) })
	}
}

// findUses notes where each value is used. What lives round a loop and is used in it is used at its end, too.
func (a *allocator) findUses() {
	for _, b := range a.f.Blocks {
		for i, inst := range b.Insts {
			at := int32(a.first[b.ID] + i)
			for _, v := range inst.Uses {
				a.uses[v] = append(a.uses[v], at)
			}
			for _, v := range inst.Args {
				a.uses[v] = append(a.uses[v], at)
			}
		}
	}
	for id, end := range a.loop {
		if end == 0 {
			continue
		}
		again := func(v isel.VReg) {
			if n := a.nextUse(v, a.first[id]); n <= end {
				at := sort.Search(len(a.uses[v]), func(i int) bool { return a.uses[v][i] >= int32(end) })
				a.uses[v] = append(a.uses[v][:at], append([]int32{int32(end)}, a.uses[v][at:]...)...)
			}
		}
		a.leading(a.f.Blocks[id], again)
		for v := range a.f.NumRegs() {
			if a.isConst(isel.VReg(v)) {
				again(isel.VReg(v))
			}
		}
	}
}

// nextUse is the position of the first use from one on.
func (a *allocator) nextUse(v isel.VReg, from int) int {
	list := a.uses[v]
	i := sort.Search(len(list), func(i int) bool { return int(list[i]) >= from })
	if i == len(list) {
		return infinite
	}
	return int(list[i])
}
