package opt

import (
	"slices"

	"ptxvm.invalid/ptxvm/internal/jit/analysis"
	"ptxvm.invalid/ptxvm/internal/jit/ssa"
)

// This pass gives each region between barriers operations of its own for what changes from warp to warp. The block in which a warp is
// entered leads to all regions, so what two of them use would be computed there, whichever of them the warp goes on with, and kept for both.
//
//	b2: if v9 b3 else b4            b3: store base v10 …, v10 = add.x v1, v8
//	b3: store base v10 …       →    b4: load base v11 …,  v11 = add.x@1 v1, v8
//	b4: load base v10 …
//
// It does not apply to kernels without barriers, and to what is the same for all warps of a CTA: that is computed in front of them.

func regions(f *ssa.Func, c *analysis.Cache, _ *Knobs) bool {
	if !f.Waits || f.Warp == 0 {
		return false
	}
	r := &regioner{f: f, dom: c.Dominators(), entered: f.Blocks[f.Info[f.Warp].Block],
		owner: make([]*ssa.Block, len(f.Ops)), versions: map[version]ssa.Value{}, copies: map[version]uint16{}, states: map[version]ssa.StateID{}}
	for _, b := range r.dom.Blocks {
		r.root = append(r.root, r.rootOf(b))
		if root := r.root[len(r.root)-1]; root != nil {
			r.eachUse(b, func(v ssa.Value) ssa.Value { r.own(v, root); return v })
		}
	}
	for i, b := range r.dom.Blocks {
		if root := r.root[i]; root != nil {
			r.eachUse(b, func(v ssa.Value) ssa.Value { return r.of(v, root) })
			r.statesOf(b, root)
		}
	}
	return false
}

// regioner knows which region a block is of: the one that begins at its root.
type regioner struct {
	f        *ssa.Func
	dom      *ssa.Dominators
	entered  *ssa.Block   // where a warp is entered
	root     []*ssa.Block // by place in reverse post-order; nil: it is of none
	owner    []*ssa.Block // of operations, the root of the first region that uses one
	versions map[version]ssa.Value
	copies   map[version]uint16
	states   map[version]ssa.StateID
}

// version is a value, a copy or a state in a region.
type version struct {
	root *ssa.Block
	of   uint32
}

// dispatches tells whether a block goes to regions by the number with which a warp is entered.
func (r *regioner) dispatches(b *ssa.Block) bool {
	if b == r.entered {
		return true
	}
	o := &r.f.Ops[b.Cond]
	return b.Cond != 0 && o.Code == ssa.Eq && slices.Contains(r.entered.Params[1:], o.A) && len(b.Effects) == 0
}

// rootOf finds the block at which a block's region begins.
func (r *regioner) rootOf(b *ssa.Block) *ssa.Block {
	for above := r.dom.Above(b); above != nil && b != r.entered; b, above = above, r.dom.Above(above) {
		if r.dispatches(above) {
			return b
		}
	}
	return nil
}

// changes tells whether a value is computed for each warp.
func (r *regioner) changes(v ssa.Value) bool {
	return r.f.Ops[v].Code > ssa.Const && r.f.Info[v].Level >= r.entered.Level
}

// own notes the first region that uses a value.
func (r *regioner) own(v ssa.Value, root *ssa.Block) {
	if !r.changes(v) || r.owner[v] != nil {
		return
	}
	r.owner[v] = root
	for _, a := range r.f.Ops[v].Operands() {
		r.own(a, root)
	}
}

// of is a value as a region has it.
func (r *regioner) of(v ssa.Value, root *ssa.Block) ssa.Value {
	if !r.changes(v) {
		return v
	}
	key := version{root, uint32(v)}
	if x, made := r.versions[key]; made {
		return x
	}
	old := r.f.Ops[v]
	o, x := old.Map(func(a ssa.Value) ssa.Value { return r.of(a, root) }), v
	if o != old || r.owner[v] != nil && r.owner[v] != root { // what states alone use is not placed
		x = r.f.Clone(o, r.copyOf(old.Copy, root))
	}
	r.versions[key] = x
	return x
}

// copyOf is a copy as a region has it.
func (r *regioner) copyOf(copy uint16, root *ssa.Block) uint16 {
	key := version{root, uint32(copy)}
	n, made := r.copies[key]
	if !made {
		c := r.f.Copies[copy]
		n = uint16(len(r.f.Copies))
		r.f.Copies = append(r.f.Copies, ssa.Copy{Lanes: c.Lanes, Cold: c.Cold})
		r.copies[key] = n
	}
	return n
}

// eachUse replaces what a block uses, but for its states.
func (r *regioner) eachUse(b *ssa.Block, with func(ssa.Value) ssa.Value) {
	replace := func(v *ssa.Value) {
		if *v != 0 {
			*v = with(*v)
		}
	}
	for _, e := range b.Effects {
		replace(&e.Mask)
		if a := e.Access; a != nil {
			for _, v := range [...]*ssa.Value{&a.Base, &a.Index, &a.Low, &a.High, &a.Runs} {
				replace(v)
			}
		}
		for i := range e.Homes {
			replace(&e.Homes[i].Value)
		}
		for i := range e.Args {
			replace(&e.Args[i])
		}
	}
	replace(&b.Cond)
	for _, e := range b.Out {
		for i := range e.Args {
			replace(&e.Args[i])
		}
	}
}

// statesOf gives the effects of a block states of the region's values.
func (r *regioner) statesOf(b *ssa.Block, root *ssa.Block) {
	for _, e := range b.Effects {
		if e.State == 0 {
			continue
		}
		key := version{root, uint32(e.State)}
		id, made := r.states[key]
		if !made {
			s := r.f.States[e.State]
			with := func(v ssa.Value) ssa.Value { return r.of(v, root) }
			if id = e.State; s.Replace(with) {
				id = ssa.StateID(len(r.f.States))
				r.f.States = append(r.f.States, s)
			}
			r.states[key] = id
		}
		e.State = id
	}
}
