package build

import (
	"slices"

	"ptxvm.invalid/ptxvm/internal/jit/ssa"
	"ptxvm.invalid/ptxvm/internal/machine"
)

// This file makes stores of some lanes to shared memory stores of all: the others store what is there. No other warp of the CTA runs
// meanwhile, and nothing outside of it writes there, so that no code can tell. For instance
//
//	if (s[i] > s[j]) { x = s[i]; s[i] = s[j]; s[j] = x; }
//
// is two loads, a minimum and a maximum by masks, and two stores without masks.

// words are what is known to be in shared memory where a block has come.
type words struct {
	block *ssa.Block
	list  []word
}

// word is an element of each lane, and what it holds.
type word struct {
	access ssa.Access // of one element
	value  ssa.Value
}

// inBlock are those that are known where the path is.
func (p *path) inBlock() []word {
	if p.words.block != p.block {
		return nil
	}
	return p.words.list
}

// goesOn takes what is known along to a block to which this one alone leads.
func (p *path) goesOn(from, to *ssa.Block) {
	if p.words.block == from {
		p.words.block = to
	}
}

// element is element k of an access, of all lanes.
func element(a *ssa.Access, k int) ssa.Access {
	return ssa.Access{Elem: a.Elem, Count: 1, Signed: a.Signed, Base: a.Base, Index: a.Index, Step: a.Step, Disp: a.Disp + int64(k)*int64(a.Elem), Bounds: a.Bounds}
}

// same tells whether two elements are the same bytes of memory in each lane.
func same(a, b *ssa.Access) bool {
	return a.Elem == b.Elem && a.Signed == b.Signed && a.Base == b.Base && a.Index == b.Index && a.Step == b.Step && a.Disp == b.Disp && a.Bounds == b.Bounds
}

// note notes what an access has found, or left.
func (p *path) note(e *ssa.Effect, m machine.Space, values []ssa.Value) {
	list := slices.Clone(p.inBlock())
	if a := e.Access; e.Stores() && a.Bounds != p.shared-1 && m != machine.Global {
		list = nil // it may be to shared memory
	} else if e.Stores() {
		list = slices.DeleteFunc(list, func(w word) bool { return p.overlap(&w.access, a) })
	}
	if e.Access.Bounds == p.shared-1 && p.isFull(e.Mask) {
		for k, v := range values {
			if e.Kind == ssa.Load && e.Access.Bits[k] == 0 {
				continue // it is not loaded
			}
			list = append(list, word{element(e.Access, k), v})
		}
	}
	p.words = words{p.block, list}
}

// overlap tells whether a lane of one access may touch what a lane of another does.
func (p *path) overlap(a, b *ssa.Access) bool {
	x, ok := p.offsets(a)
	y, also := p.offsets(b)
	if !ok || !also || a.Base != b.Base || a.Bounds != b.Bounds {
		return a.Bounds == b.Bounds
	}
	for _, i := range x {
		for _, j := range y {
			if i < j+b.Bytes() && j < i+a.Bytes() {
				return true
			}
		}
	}
	return false
}

// offsets are where an access's lanes are behind its base, if that is known.
func (p *path) offsets(a *ssa.Access) (list []int64, ok bool) {
	table := p.Table(a.Index)
	if a.Index != 0 && table == nil {
		return nil, false
	}
	for i := range p.last() + 1 {
		at := a.Disp + i*a.Step
		if table != nil {
			at += int64(table[i])
		}
		list = append(list, at)
	}
	return list, true
}

// apartLanes tells whether each lane of an access has bytes of its own.
func (p *path) apartLanes(a *ssa.Access) bool {
	list, ok := p.offsets(a)
	slices.Sort(list)
	for i := 1; i < len(list); i++ {
		ok = ok && list[i]-list[i-1] >= a.Bytes()
	}
	return ok
}

// storeAll makes a store of some lanes, of which a test in front has all lanes inside, one of all.
func (p *path) storeAll(e *ssa.Effect) {
	a := e.Access
	if e.Kind != ssa.Store || p.shared == 0 || a.Bounds != p.shared-1 || a.Check == 0 || p.IsNum(e.Mask) || p.opt.Without["stores of all lanes"] || !p.apartLanes(a) ||
		slices.ContainsFunc(e.Args, func(v ssa.Value) bool { return p.TypeOf(v).Bits() != 8*int(a.Elem) }) {
		return
	}
	old := p.there(e)
	for k, v := range e.Args {
		e.Args[k] = p.Sel(e.Mask, v, old[k])
	}
	e.Mask = p.Truth(true)
}

// there is what is in memory where a store goes: known, or loaded.
func (p *path) there(e *ssa.Effect) (old []ssa.Value) {
	for k := range e.Args {
		at := element(e.Access, k)
		if i := slices.IndexFunc(p.inBlock(), func(w word) bool { return same(&w.access, &at) }); i >= 0 {
			old = append(old, p.inBlock()[i].value)
		}
	}
	if len(old) == len(e.Args) {
		return old
	}
	a := *e.Access
	load := p.block.Add(&ssa.Effect{Kind: ssa.Load, Access: &a, PC: e.PC, Mask: p.Truth(true)})
	old = nil
	for _, v := range e.Args {
		old = append(old, p.NewResult(p.block, load, p.TypeOf(v), false))
	}
	return old
}
