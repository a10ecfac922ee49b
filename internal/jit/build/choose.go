package build

import (
	"maps"
	"slices"

	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/jit/ssa"
)

// This file chooses how many lanes the groups of a region have. A region runs whole unless it addresses memory by an index that might be
// strided in fewer lanes: then it is built with groups of 16 and of 8 lanes, too, and of these the largest is taken that has the fewest
// such accesses; or smaller ones, where more values live than there are registers. What was built and is not taken nothing leads to.

// plan is what attempts have found out, for the next one.
type plan struct {
	lanes    map[int32]int  // of groups, by the instruction at which a region begins; startRegion is the kernel's start
	handlers bool           // a region has an instruction that its handler executes (help.go)
	idle     map[int32]bool // exits of which it is known whether no lane takes them (idle.go)
}

const startRegion = -1

// mostVectors is how many values may live in more than one vector each: two more than there are registers of AVX2.
const mostVectors = 18

// tally is what is counted while a region is built.
type tally struct {
	indexed int // accesses by an index that might be strided in fewer lanes
	vectors int // values that live, of a group
}

// region builds the hot copy of a region.
func (p *path) region(pc int32) {
	key := int32(startRegion)
	if p.from != nil {
		key = p.from.pc
	}
	lanes, chosen := p.plan.lanes[key]
	if !chosen {
		lanes = p.opt.Lanes
	}
	if lanes == 0 {
		lanes = p.choose(pc)
	} else if p.shape.Lockstep || !p.buildLanes(pc, lanes).ok {
		lanes = 32
		p.buildLanes(pc, lanes)
	}
	p.plan.lanes[key] = lanes
}

// choose builds with the number of lanes that is best, and returns it.
func (p *path) choose(pc int32) int {
	least, best := max(p.opt.Vector, 8), 32
	whole := p.buildLanes(pc, best)
	if whole.indexed == 0 || p.opt.Without["groups of lanes"] || p.shape.Lockstep {
		return best
	}
	whole.undo()
	fewest := whole.tally
	for lanes := 16; lanes >= least && fewest.indexed > 0; lanes /= 2 {
		b := p.buildLanes(pc, lanes)
		if !b.ok {
			break
		}
		if b.undo(); b.indexed < fewest.indexed {
			fewest, best = b.tally, lanes
		}
	}
	for best < 32 && best > least && fewest.vectors*best/least > mostVectors {
		best /= 2
	}
	if !p.buildLanes(pc, best).ok {
		best = 32
		p.buildLanes(pc, best)
	}
	return best
}

// built is a hot copy; undo takes it back: nothing leads to it any more.
type built struct {
	tally
	ok   bool
	undo func()
}

// buildLanes builds a hot copy in groups of so many lanes, or whole, if that can be.
func (p *path) buildLanes(pc int32, lanes int) (out built) {
	b, q := p.builder, p.clone()
	mark, before, front := b.Mark(), *b, *p.front
	before.boundsAt, before.byRoot, before.freely = slices.Clone(b.boundsAt), maps.Clone(b.byRoot), maps.Clone(b.freely)
	front.checks, front.order, front.ranges = maps.Clone(front.checks), slices.Clone(front.order), slices.Clone(front.ranges)
	out.undo = func() {
		b.Undo(mark)
		*b, *p.front = before, front
		p.block.Out, p.block.Effects, p.block.Cond = nil, nil, 0
	}
	b.tally = tally{}
	defer func() {
		switch r := recover().(type) {
		case nil:
			out.ok, out.tally = true, b.tally
		case wholeRegion:
			out.undo()
		default:
			panic(r)
		}
	}()
	if lanes < 32 {
		q.inGroups(pc, lanes)
		return out
	}
	q.enter()
	q.run(pc)
	return out
}

// noteAccess notes an access of a hot copy by what may be strided in fewer lanes.
func (p *path) noteAccess(e *ssa.Effect) {
	if p.front != nil && e.Access.Index != 0 && p.Table(e.Access.Index) == nil && (len(p.loops) > 0 || p.mayStride(e.Access.Index, mostDepth)) && (p.group == nil || p.group.first == 0) {
		p.tally.indexed++
	}
}

// mostDepth is how deep an index is looked into.
const mostDepth = 12

// mayStride tells whether bits are taken out of what is strided.
func (b *builder) mayStride(v ssa.Value, depth int) bool {
	o := &b.Ops[v]
	if depth == 0 || b.IsNum(v) {
		return false
	}
	if o.Code == ssa.And || o.Code == ssa.Shr || o.Code == ssa.Sar {
		_, known := b.Known(o.B)
		if _, step, _ := b.AsStrided(o.A); known && step != 0 {
			return true
		}
	}
	return slices.ContainsFunc(o.Operands(), func(a ssa.Value) bool { return b.mayStride(a, depth-1) })
}

// noteLiving notes how many values of lanes live in front of an instruction of a group.
func (p *path) noteLiving(pc int32) {
	n := 0
	p.liveAt(pc).Each(func(g int) {
		off := p.rowOf[g]
		if _, step, even := p.AsStrided(p.env[off]); off != noRow && p.env[off] != 0 && !(even && step != 0) && p.fn.Regs[g].Width() != ir.WPred {
			n++
		}
	})
	p.tally.vectors = max(p.tally.vectors, n)
}
