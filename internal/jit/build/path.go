package build

import (
	"maps"
	"slices"

	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/jit/ssa"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/sem"
)

// This file goes through the blocks of the kernel in the order of their pcs, as the schedule does: of the places where lanes of a warp
// stand the least pc goes first, and lanes that come to one place go on together. While all lanes of the warp run, a branch is a
// branch; else blocks follow each other under masks.

// path is where a copy of the code has come.
type path struct {
	*builder
	block   *ssa.Block
	env     map[uint32]ssa.Value        // variables of the lanes that run
	before  map[uint32]ssa.Value        // what those that this block has written were, of lanes that wait
	mask    ssa.Value                   // lanes that run
	waiting map[ir.BlockID]ssa.Value    // lanes that wait there
	fuels   map[ir.BlockID]ssa.Value    // and their fuel, if others may have used some since (fuel.go)
	open    []ir.BlockID                // where regions end that the lanes that run are in,
	opens   map[ir.BlockID][]ir.BlockID // and those that wait (regions.go)
	meets   map[ir.BlockID]ssa.Value    // masks that lanes have again where they meet
	joins   map[ir.BlockID][]join       // edges of other ways, while all run
	loops   []*loop
	left    *loop                // that some lanes have left, and the others are in the rest of a turn of (together.go)
	front   *front               // tests in front of the copy; nil: each access tests itself
	comers  *comers              // ways that are to go on with this one, which has left a hot copy as they have; nil: it has not
	upTo    ir.BlockID           // the copy ends in front of this block; 0: with the kernel
	passes  int32                // an exit that no lane takes; -1: there is none
	segment int32                // where the running instructions end that are counted already
	head    ir.BlockID           // of a loop round a barrier, which begins here
	resumed bool                 // the path begins behind a barrier, or at such a head
	atCut   bool                 // the same of the region that the path is in: special registers are at home
	dead    bool                 // no lane runs
	next    ir.BlockID           // 1 + the block to go on with, if it is not the following one
	group   *group               // that runs; nil: the whole warp does
	from    *cut                 // where the region begins
	starts  bool                 // it begins here
	pure    map[uint32]ssa.Value // variables that follow from the launch, the CTA and the warp (pure.go)
	strict  bool                 // others are not to be read
	home    map[uint32]ssa.Value // what variables are at home
	words   words                // what is known to be in shared memory
}

// join is an edge that has no block to lead to so far.
type join struct {
	edge   *ssa.Edge
	env    map[uint32]ssa.Value
	mask   ssa.Value
	pure   map[uint32]ssa.Value
	parted *path  // on this way lanes have parted, and are together again; nil: they have not
	copy   uint16 // in which it is built, if they have
}

// begin starts at the first instruction. Where a straight beginning ends with lanes that exit, the hot copy is for warps of which
// none does.
func (p *path) begin() {
	if p.passes = -1; p.opt.Rest {
		p.anyLanes(0)
		return
	}
	b := &p.fn.Blocks[0]
	last := b.First
	for last < b.End-1 && !p.control(last) {
		last++
	}
	if in := &p.code.Insts[last]; !isExit(in) || in.Guard == machine.NoGuard || len(b.Preds) > 0 || !p.computes(last) {
		p.versions(0, p.mask, -1, nil)
		return
	}
	trial, apart := p.clone(), *p.block
	trial.starts = false
	trial.block = &apart // what it adds is not the kernel's
	for pc := range last {
		trial.instruction(pc)
	}
	whole := len(apart.Effects) == len(p.block.Effects) // what has effects is not tried
	if mask := p.Not(trial.guard(last)); whole && !p.IsNum(mask) && !p.isNone(p.All(mask)) {
		p.versions(0, mask, last, nil)
		return
	}
	p.versions(0, p.mask, -1, nil)
}

// anyLanes goes on at an instruction with the copy for any lanes alone.
func (p *path) anyLanes(pc int32) {
	p.Copy = p.NewCopy(32, true)
	rest := p.newBlock()
	p.block.Jump(rest)
	p.block = rest
	p.enter()
	p.run(pc)
}

// computes tells whether the instructions before one have no effects beside what they compute.
func (p *path) computes(end int32) bool {
	for pc := range end {
		op := sem.OperationOf(&p.code.Insts[pc])
		if p.control(pc) || op.Kind == sem.OpStore || op.Kind == sem.OpLoad && op.Memory.By != sem.ByKernel || p.code.Insts[pc].Guard != machine.NoGuard {
			return false
		}
	}
	return true
}

func (p *path) clone() *path {
	c := *p
	c.env, c.before, c.waiting, c.meets, c.joins = maps.Clone(p.env), maps.Clone(p.before), maps.Clone(p.waiting), maps.Clone(p.meets), maps.Clone(p.joins)
	c.opens, c.pure, c.fuels = maps.Clone(p.opens), maps.Clone(p.pure), maps.Clone(p.fuels)
	c.loops = slices.Clone(p.loops)
	return &c
}

// now is the value of a variable for all lanes: for those that wait what it was.
func (p *path) now(off uint32) (ssa.Value, bool) {
	v, ok := p.env[off]
	if old, written := p.before[off]; ok && written && p.wanted(off) {
		return p.merged(v, old), true
	}
	return v, ok
}

// merged is a value of the lanes that run, and an old one of the others.
func (p *path) merged(v, old ssa.Value) ssa.Value {
	if p.TypeOf(old) != p.TypeOf(v) {
		old = p.Const(p.TypeOf(v), 0) // of a register that is not live
	}
	return p.Sel(p.mask, v, old)
}

// wanted tells whether lanes that wait read a variable.
func (p *path) wanted(off uint32) bool {
	for id := range p.waiting {
		if p.lives(off, p.fn.Blocks[id].First) {
			return true
		}
	}
	return false
}

// write gives a variable a value for the lanes that run.
func (p *path) write(off uint32, v ssa.Value) {
	if _, written := p.before[off]; !written && !p.isFull(p.mask) {
		old, ok := p.env[off]
		if !ok {
			old = p.Const(p.TypeOf(v), 0)
		}
		if p.before == nil {
			p.before = map[uint32]ssa.Value{}
		}
		p.before[off] = old
	}
	p.env[off] = v
}

// settle gives lanes that wait what they have, at the end of a block.
func (p *path) settle() {
	for _, off := range slices.Sorted(maps.Keys(p.before)) {
		if p.wanted(off) {
			p.env[off] = p.merged(p.env[off], p.before[off])
		}
	}
	clear(p.before)
}

func (p *path) isFull(m ssa.Value) bool { k, ok := p.Known(m); return ok && k != 0 }
func (p *path) isNone(m ssa.Value) bool { k, ok := p.Known(m); return ok && k == 0 }

// level is that of loops where the path is.
func (p *path) level() int8 {
	if n := len(p.loops); n > 0 {
		return p.loops[n-1].level
	}
	return 2
}

// newBlock makes a block where the path is.
func (p *path) newBlock() *ssa.Block {
	b := p.NewBlock(p.level())
	if b.Cold = p.Copies[p.Copy].Cold; p.group != nil {
		b.Lanes = p.group.lanes
	}
	return b
}

// run goes on from an instruction to the end of the kernel, or of the copy.
func (p *path) run(pc int32) {
	id := p.fn.BlockOf(pc)
	if pc != p.fn.Blocks[id].First {
		p.instructions(pc, id)
		if id++; p.next > 0 {
			id, p.next = p.next-1, 0
		}
	}
	for ; int(id) < len(p.fn.Blocks) && (p.upTo == 0 || id < p.upTo); id++ {
		if p.arrive(id); !p.dead {
			p.instructions(p.fn.Blocks[id].First, id)
		} else if n := len(p.loops); n > 0 && p.loops[n-1].last == id && p.loops[n-1].divergent {
			refuse("a loop whose end no lane reaches")
		}
		p.leaveLoops(id)
		if p.next > 0 {
			id, p.next = p.next-2, 0
		}
	}
	switch {
	case p.upTo != 0 || p.dead:
	case p.group != nil:
		p.ends(ending{kind: endExit})
	default:
		p.block.Jump(p.end)
	}
}

// arrive brings those together who come to a block.
func (p *path) arrive(id ir.BlockID) {
	p.leaveArm(id)
	p.comes(id)
	if m, ok := p.waiting[id]; ok {
		delete(p.waiting, id)
		p.joinFuel(id)
		if p.dead {
			p.mask, p.dead = m, false
		} else {
			p.mask = p.Or(p.mask, m)
		}
		if m, ok := p.meets[id]; ok {
			p.mask = m
		}
	}
	delete(p.meets, id)
	p.joinEdges(id)
	if !p.dead {
		p.enterLoop(id)
	}
}

// joinEdges makes the block that edges have waited for.
func (p *path) joinEdges(id ir.BlockID) {
	list := append(p.joins[id], p.takeIn(id)...)
	if len(list) == 0 {
		return
	}
	if len(p.waiting) > 0 {
		refuse("ways come together while lanes wait")
	}
	delete(p.joins, id)
	p.copyBehind()
	if !p.dead {
		list = append(list, join{edge: p.block.Jump(nil), env: p.env, mask: p.mask, pure: p.pure})
	}
	list = p.apartFrom(list, id)
	j := p.newBlock()
	mask := list[0].mask
	for _, x := range list {
		if x.edge.To = j; x.mask != list[0].mask {
			mask = 0
		}
	}
	p.env, p.block, p.dead = p.mergedEnv(j, list, p.fn.Blocks[id].First), j, false
	p.pure = onAllWays(list)
	if mask == 0 { // lanes have exited on one way
		mask = p.NewParam(j, ssa.M, false)
		for _, x := range list {
			x.edge.Args = append(x.edge.Args, x.mask)
		}
	}
	p.mask = mask
}

// mergedEnv has a parameter for each variable that lives at a pc and is not the same on all ways.
func (p *path) mergedEnv(j *ssa.Block, list []join, pc int32) map[uint32]ssa.Value {
	p.writeOnAll(list, pc)
	env := map[uint32]ssa.Value{}
	for _, off := range slices.Sorted(maps.Keys(list[0].env)) {
		v := list[0].env[off]
		same, typed := true, true
		for _, x := range list {
			w, ok := x.env[off]
			same = same && w == v
			typed = typed && ok && p.TypeOf(w) == p.TypeOf(v)
		}
		switch {
		case same:
			env[off] = v
		case !typed || !p.lives(off, pc):
		default:
			step, even := p.evenly(list, off)
			env[off] = p.Strided(p.NewParam(j, p.TypeOf(v), even), step)
			for _, x := range list {
				if w := x.env[off]; even {
					w, _, _ = p.AsStrided(w)
					x.edge.Args = append(x.edge.Args, w)
				} else {
					x.edge.Args = append(x.edge.Args, w)
				}
			}
		}
	}
	return env
}

// writeOnAll gives variables that live at a pc, and that some of several ways have not written, what they begin with on these: lanes may come
// together before those that have written one read it.
func (p *path) writeOnAll(list []join, pc int32) {
	types := map[uint32]ssa.Type{}
	for _, x := range list {
		for off, v := range x.env {
			if _, seen := types[off]; !seen {
				types[off] = p.TypeOf(v)
			}
		}
	}
	for _, off := range slices.Sorted(maps.Keys(types)) {
		for _, x := range list {
			if _, ok := x.env[off]; !ok && p.lives(off, pc) {
				x.env[off] = p.Const(types[off], 0)
			}
		}
	}
}

// evenly tells whether a variable is strided on all of some ways, its lanes the same step apart.
func (p *path) evenly(list []join, off uint32) (step int64, even bool) {
	_, step, even = p.AsStrided(list[0].env[off])
	for _, x := range list[1:] {
		_, s, ok := p.AsStrided(x.env[off])
		even = even && ok && s == step
	}
	if !even {
		step = 0
	}
	return step, even
}

// count counts the instructions of a segment for the lanes that run.
func (p *path) count(n int64) {
	if g := p.group; g != nil {
		if g.first > 0 {
			return // it is one instruction of the warp
		}
		p.block.Add(&ssa.Effect{Kind: ssa.Steps, N: n, Mask: p.mask})
		p.block.Add(&ssa.Effect{Kind: ssa.Lanes, N: n * int64(32/g.lanes), Mask: p.mask})
		return
	}
	p.block.Add(&ssa.Effect{Kind: ssa.Steps, N: n, Mask: p.mask})
	p.block.Add(&ssa.Effect{Kind: ssa.Lanes, N: n, Mask: p.mask})
}

// excluded takes back the lanes that a guard excludes.
func (p *path) excluded(guard ssa.Value) {
	if m := p.And(p.mask, p.Not(guard)); !p.isNone(m) {
		p.block.Add(&ssa.Effect{Kind: ssa.Lanes, N: -1, Mask: m})
	}
}

// guard is the predicate under which an instruction executes.
func (p *path) guard(pc int32) ssa.Value {
	in := &p.code.Insts[pc]
	if in.Guard == machine.NoGuard {
		return p.Truth(true)
	}
	g := p.read(pc, in.Guard&^1, ssa.M, false)
	if in.Guard&1 != 0 {
		g = p.Not(g)
	}
	return g
}

// state is what leaving before an instruction needs, in front of which nothing of it is done.
func (p *path) state(pc int32) ssa.StateID {
	return p.stateOf(ssa.State{PC: pc, Mask: p.mask, Undo: int64(p.segment - pc)})
}

func (p *path) stateOf(s ssa.State) ssa.StateID {
	p.asMade(s.PC)
	pcs := []int32{s.PC}
	for _, id := range slices.Sorted(maps.Keys(p.waiting)) {
		first := p.fn.Blocks[id].First
		s.Places = append(s.Places, ssa.Place{PC: first, Mask: p.waiting[id], Fuel: p.fuels[id]})
		pcs = append(pcs, first)
	}
	s.Homes = p.homes(pcs)
	p.States = append(p.States, s)
	return ssa.StateID(len(p.States) - 1)
}
