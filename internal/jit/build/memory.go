package build

import (
	"slices"

	"ptxvm.invalid/ptxvm/internal/jit/lane"
	"ptxvm.invalid/ptxvm/internal/jit/ssa"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/sem"
	"ptxvm.invalid/ptxvm/internal/uop"
)

// This file has loads and stores of global memory, and loads of parameters.

// memory builds a load or store.
func (p *path) memory(pc int32, op *sem.Operation, guard ssa.Value) {
	m := &op.Memory
	in := &p.code.Insts[pc]
	switch {
	case m.By == sem.ByKernel && op.Kind == sem.OpLoad:
		p.parameter(in, m, guard)
		return
	case m.Space == machine.Local || len(m.At) > 4 || m.By == sem.ByKernel:
		refuse("memory of another kind")
	case slices.ContainsFunc(m.At, func(off uint32) bool { return p.wide[off] }):
		refuse("registers of 128 bits")
	}
	a := &ssa.Access{Elem: uint8(m.Elem), Count: uint8(len(m.At)), Align: uint8(m.Align), Signed: m.Signed, Disp: int64(in.Imm)}
	e := &ssa.Effect{Kind: ssa.Load, Access: a, PC: pc, Mask: p.And(p.mask, guard)}
	for k, bits := range m.Bits {
		if a.Bits = append(a.Bits, uint8(bits)); bits > 64 {
			refuse("registers of %d bits", bits)
		}
		if op.Kind == sem.OpStore {
			v := p.read(pc, m.At[k], lane.TypeOf(bits), op.Scalar)
			if bits > 32 && m.Elem < 8 {
				v = p.Make(ssa.Trunc, ssa.W, 0, v)
			}
			e.Args = append(e.Args, v)
		}
	}
	if op.Kind == sem.OpStore {
		e.Kind = ssa.Store
	}
	p.addressOf(pc, a, m)
	p.noteAccess(e)
	if m.Strong { // processors keep loads and stores in order, so it is enough that the code does
		p.fence(false)
	}
	p.access(e)
	if m.Strong {
		p.fence(false)
	}
	if op.Kind == sem.OpLoad {
		p.results(e, m, guard)
		p.note(e, m.Space, e.Results)
	} else {
		p.note(e, m.Space, e.Args)
	}
}

// fence has no access pass: none of the code, or none as others see them either.
func (p *path) fence(others bool) {
	e := p.block.Add(&ssa.Effect{Kind: ssa.Fence})
	if others {
		e.N = 1
	}
}

// access adds an access: covered by a test in front, or with a state where it leaves.
func (p *path) access(e *ssa.Effect) {
	pc := e.PC
	if p.opt.Leave != nil && p.opt.Leave(pc) {
		if p.group != nil {
			p.wholeWarp()
		}
		p.block.Add(&ssa.Effect{Kind: ssa.Leave, Mask: p.mask, State: p.state(pc), PC: pc})
	}
	if !p.front.cover(p.builder, e, p.block.Level) {
		if p.group != nil {
			p.wholeWarp()
		}
		e.State = p.stateOfAccess(pc)
	}
	p.storeAll(e)
	p.apart(e)
	p.block.Add(e)
}

// addressOf finds the address of an access and its bounds.
func (p *path) addressOf(pc int32, a *ssa.Access, m *sem.MemoryUse) {
	in := &p.code.Insts[pc]
	switch m.By {
	case sem.ByConst: // near addresses have one base
		a.Base, a.Disp = p.Wide(in.Imm&^0xfff), int64(in.Imm&0xfff)
	case sem.ByRow64, sem.BySlot64:
		p.address(a, p.read(pc, in.A, ssa.X, m.By == sem.BySlot64))
	default:
		if m.Space != machine.Shared { // where a sum of 32 bits wraps it is no address; elsewhere it may be another one
			refuse("addresses of 32 bits")
		}
		p.address(a, p.Make(ssa.Zext, ssa.X, 0, p.read(pc, in.A, ssa.W, m.By == sem.BySlot32)))
	}
	if m.Space != machine.Shared {
		a.Bounds = p.boundsOf(pc, a)
		return
	}
	p.inShared(a)
}

// inShared makes an address in shared memory one that counts from where global memory begins in the host, as all do for the back ends.
func (p *path) inShared(a *ssa.Access) {
	if p.shared == 0 {
		p.numBounds++
		p.shared = p.numBounds
	}
	a.Bounds = p.shared - 1
	off := p.Bin(ssa.Sub, p.Make(ssa.Field, ssa.X, uint64(sharedAt)), p.Make(ssa.Field, ssa.X, uint64(globalAt)))
	a.Base = p.Bin(ssa.Add, a.Base, off)
	p.constantOut(a)
}

// stateOfAccess is what leaving before an access needs. Where nothing has been stored so far the warp begins once more: that needs
// nothing, and there are many loads in front of the first store.
func (p *path) stateOfAccess(pc int32) ssa.StateID {
	if p.resumed || !p.untouched(pc) || p.opt.Without["restart"] {
		return p.state(pc)
	}
	s := ssa.State{Mask: p.Truth(true), Restart: true}
	start := path{builder: p.builder, env: map[uint32]ssa.Value{}}
	start.specials()
	s.Homes = start.homes([]int32{0})
	p.States = append(p.States, s)
	return ssa.StateID(len(p.States) - 1)
}

// untouched tells whether a warp that comes to an instruction has stored nothing.
func (p *path) untouched(pc int32) bool {
	first, last := int32(0), pc
	for id := range p.fn.Blocks {
		b := &p.fn.Blocks[id]
		for _, q := range b.Preds {
			if end := p.fn.Blocks[q].End; int(q) >= id && b.First <= pc && pc < end {
				last = max(last, end)
			}
		}
	}
	for at := first; at < last; at++ {
		if touches(&p.code.Insts[at]) {
			return false
		}
	}
	return true
}

// touches tells whether an instruction changes anything but variables, or must not be executed twice.
func touches(in *machine.Inst) bool {
	switch sem.OperationOf(in).Kind {
	case sem.OpLoad, sem.OpVote, sem.OpBallot, sem.OpElect, sem.OpWarpSync, sem.OpBranch, sem.OpExit, sem.OpReturn:
		return false
	}
	return in.Op.Reach() > uop.ReachRows && !isTable(in)
}

// results writes what a load has loaded.
func (p *path) results(e *ssa.Effect, m *sem.MemoryUse, guard ssa.Value) {
	a := e.Access
	one := a.Index == 0 && a.Step == 0
	for k, bits := range m.Bits {
		t := ssa.W
		if a.Elem == 8 {
			t = ssa.X
		}
		v := p.NewResult(p.block, e, t, one)
		if bits == 0 {
			continue
		}
		p.put(m.At[k], p.loadedAs(v, m, bits), guard)
	}
}

// loadedAs is an element that was loaded, extended to a word if it is narrower, as a register of so many bits.
func (p *path) loadedAs(v ssa.Value, m *sem.MemoryUse, bits int) ssa.Value {
	switch t := p.TypeOf(v); {
	case t == ssa.X && bits <= 32:
		v = p.Make(ssa.Trunc, ssa.W, 0, v)
	case t == ssa.W && bits > 32 && m.Signed:
		v = p.Make(ssa.Sext, ssa.X, 0, v)
	case t == ssa.W && bits > 32:
		v = p.Make(ssa.Zext, ssa.X, 0, v)
	}
	if m.Signed && bits < 32 && int(m.Elem)*8 < bits {
		v = p.Bin(ssa.And, v, p.Word(1<<bits-1))
	}
	return v
}

// parameter loads parameters of the kernel.
func (p *path) parameter(in *machine.Inst, m *sem.MemoryUse, guard ssa.Value) {
	for i, off := range m.At {
		if off == machine.NoGuard || m.Bits[i] == 0 {
			continue
		}
		at := in.Imm + uint64(i)*uint64(m.Elem)
		if m.Elem == 8 {
			p.put(off, p.loadedAs(p.Make(ssa.Arg, ssa.X, at), m, m.Bits[i]), guard)
			continue
		}
		word := p.Bin(ssa.Shr, p.Make(ssa.Arg, ssa.W, at&^3), p.Word(uint32(8*(at&3)))) // parameters begin at a multiple of 4
		p.put(off, p.loadedAs(lane.Extended(p.Func, word, 8*int(m.Elem), m.Signed), m, m.Bits[i]), guard)
	}
}

// address parts an address into a number, lanes or a step, and a constant.
func (p *path) address(a *ssa.Access, v ssa.Value) {
	if o := p.Ops[v]; o.Code == ssa.Add {
		if k, ok := p.Known(o.B); ok {
			a.Disp += int64(k)
			v = o.A
		}
	}
	base, step, ok := p.AsStrided(v)
	if !ok {
		a.Base, a.Index = p.parted(a, v)
		p.partIndex(a)
		return
	}
	a.Base, a.Step = base, step
	p.constantOut(a)
}

// parted takes the numbers out of a sum of lanes.
func (p *path) parted(a *ssa.Access, v ssa.Value) (base, index ssa.Value) {
	base = p.Wide(0)
	for {
		o := p.Ops[v]
		if o.Code != ssa.Add {
			return base, v
		}
		x, y := o.A, o.B
		if p.Ops[x].Code == ssa.Bcast {
			x, y = y, x
		}
		if k, ok := p.Known(y); ok {
			a.Disp += int64(k)
		} else if i := p.Ops[y]; i.Code == ssa.Bcast {
			base = p.Bin(ssa.Add, base, i.A)
		} else {
			return base, v
		}
		v = x
	}
}

// boundsOf is the entry of the table of bounds for an access: those by one pointer among the parameters share one, and those
// of one base.
func (p *path) boundsOf(pc int32, a *ssa.Access) int32 {
	if k := p.boundsAt[pc]; k >= 0 {
		return k
	}
	roots, base := map[ssa.Value]bool{}, a.Base
	switch p.pointers(base, roots); {
	case base == p.Wide(0): // all of the address is an index
		base = p.entersAs(a.Index)
		p.pointers(base, roots)
	case len(roots) == 0: // the base grows from turn to turn
		p.pointers(p.entersAs(base), roots)
	}
	if len(roots) == 0 {
		roots[base] = true
	}
	k := p.numBounds
	if len(roots) == 1 {
		for r := range roots {
			if old, ok := p.byRoot[r]; ok {
				k = old
			}
			p.byRoot[r] = k
		}
	}
	p.boundsAt[pc], p.numBounds = k, max(p.numBounds, k+1)
	return k
}

// chosen are the bounds of accesses by pointers that no one parameter or constant gives: they may have been chosen, and lead now here, now there.
func (b *builder) chosen() (list []int32) {
	given := map[int32]bool{b.shared - 1: true}
	for r, k := range b.byRoot {
		if c := b.Ops[r].Code; c == ssa.Arg || c == ssa.Const {
			given[k] = true
		}
	}
	for k := range b.numBounds {
		if !given[k] {
			list = append(list, k)
		}
	}
	return list
}

// leastAddress is below what any constant is that is the address of something in global memory.
const leastAddress = 1 << 20

// pointers are the parameters of 64 bits and the constants among the terms of a sum.
func (p *path) pointers(v ssa.Value, found map[ssa.Value]bool) {
	switch o := &p.Ops[v]; o.Code {
	case ssa.Arg:
		found[v] = true
	case ssa.Const:
		if o.Imm >= leastAddress {
			found[v] = true
		}
	case ssa.Add:
		p.pointers(o.A, found)
		p.pointers(o.B, found)
	case ssa.Bcast, ssa.Strided:
		p.pointers(o.A, found)
	case ssa.Select:
		p.pointers(o.B, found)
		p.pointers(o.C, found)
	}
}

// entersAs is what a parameter of a block is on the first way to it; any other value is itself.
func (b *builder) entersAs(v ssa.Value) ssa.Value {
	if b.Ops[v].Code != ssa.Param {
		return v
	}
	to := b.Blocks[b.Info[v].Block]
	for _, from := range b.Blocks {
		for _, e := range from.Out {
			if e.To == to {
				return e.Args[slices.Index(to.Params, v)]
			}
		}
	}
	return v
}
