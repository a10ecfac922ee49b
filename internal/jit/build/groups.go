package build

import (
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/jit/ssa"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/sem"
)

// This file runs a region in groups of fewer lanes than a warp has: its hot copy once for each group, one behind the other. For instance
// a[x & 15][x >> 4] is strided in a group of 16 lanes, and what a thread keeps in 16 registers has as many registers in a group of 8.
//
// All groups go the same way: each branch is by a number that is the same value in all of them, a loop is taken apart into its turns,
// whose number is known, and nothing leaves. So all of them are where the region ends, or none, and the counts are those of one of them.
// What lives there is at home (barrier.go), and the warp goes on as a whole. Where one of these does not hold the region is run whole.
//
// What lanes of a group store the next group finds: lanes that exchange words without a barrier are no groups' (apart). Below sm_70, where an
// instruction orders the lanes of its warp, nothing runs in groups.

// firstLane is the lane at which the running group begins.
func (p *path) firstLane() int {
	if p.group == nil {
		return 0
	}
	return p.group.first
}

// group is the one that runs.
type group struct {
	lanes  int
	first  int         // lane of the warp
	ways   []ssa.Value // by which it has branched so far
	way    int         // how many of them this group has come by
	ending *ending     // how the region ends
	ended  *path       // and this group
	fuel   int64       // back edges
	built  int         // instructions
	access []*ssa.Effect
	rows   map[uint32][]ssa.Value // variables at the end, by group
	order  []ssa.Home
}

// ending is how a region ends.
type ending struct {
	kind   ends
	pc     int32 // of the instruction
	target ir.BlockID
	guard  ssa.Value // of a back edge
}

type ends uint8

const (
	endExit ends = iota
	endBarrier
	endHead // goes to the head of a loop round a barrier
	endBack // or back there
)

// wholeRegion says that a region is run whole.
type wholeRegion struct{}

// wholeWarp gives a region up in groups.
func (p *path) wholeWarp() { panic(wholeRegion{}) }

// mostBuilt is how many instructions a group may have, loops taken apart.
const mostBuilt = 2000

// inGroups builds a hot copy in groups.
func (p *path) inGroups(pc int32, lanes int) {
	outer, of := p.Copy, p.NewCopy(lanes, false)
	g := &group{lanes: lanes, rows: map[uint32][]ssa.Value{}}
	block, pure := p.block, p.pure
	for g.first = 0; g.first < 32; g.first += lanes {
		q := p.clone()
		q.group, q.block = g, p.NewBlock(2)
		q.block.Lanes = lanes
		block.Jump(q.block)
		p.Copy, g.way, g.ended, g.access = of, 0, nil, nil
		q.enter()
		q.run(pc)
		if g.ended == nil || len(g.ended.joins) > 0 {
			q.wholeWarp()
		}
		if g.first == 0 {
			pure = q.pure
		}
		block = g.ended.block
		g.ended.keepGroup()
	}
	p.front.spare = g.fuel
	p.Copy = outer
	out := p.newPath(p.NewBlock(2))
	block.Jump(out.block)
	out.pure, out.passes, out.resumed, out.atCut, out.home = pure, -1, true, p.atCut, map[uint32]ssa.Value{}
	out.together(g)
	if g.fuel > 0 {
		out.block.Add(&ssa.Effect{Kind: ssa.Spend, N: g.fuel})
	}
	out.endRegion(g.ending)
}

// ends ends the region for the running group.
func (p *path) ends(e ending) {
	g := p.group
	if g.first == 0 && g.ending == nil {
		g.ending = &e
	}
	if g.ended != nil || *g.ending != e || !p.isFull(p.mask) || len(p.loops) > 0 {
		p.wholeWarp()
	}
	g.ended = p.clone()
	p.dead = true
}

// endRegion ends it for the warp.
func (p *path) endRegion(e *ending) {
	p.segment = e.pc + 1
	switch e.kind {
	case endExit:
		p.block.Jump(p.end)
	case endBarrier:
		p.barrier(e.pc)
	case endHead:
		p.toHead(e.target)
	case endBack:
		p.backToHead(e.pc, e.target, e.guard)
		if !p.dead {
			p.toCut(e.pc + 1)
		}
	}
}

// livesAt is where variables live that the region leaves behind.
func (p *path) livesAt(e *ending) []int32 {
	switch e.kind {
	case endExit:
		return nil
	case endHead:
		return []int32{p.fn.Blocks[e.target].First}
	case endBack:
		return []int32{p.fn.Blocks[e.target].First, e.pc + 1}
	}
	return []int32{e.pc + 1}
}

// keepGroup writes what lives behind the region home, as far as it is not there, and notes what it is.
func (p *path) keepGroup() {
	g := p.group
	pcs := p.livesAt(g.ending)
	if pcs == nil {
		return
	}
	keep := &ssa.Effect{Kind: ssa.Keep, N: int64(g.first)}
	for _, h := range p.living(pcs...) {
		if g.first == 0 {
			g.order = append(g.order, ssa.Home{Kind: h.Kind, Off: h.Off, Value: h.Value})
		}
		g.rows[h.Off] = append(g.rows[h.Off], h.Value)
		switch there := p.home[h.Off] == h.Value; {
		case h.Kind == ssa.Row && !there:
			keep.Homes = append(keep.Homes, h)
		case h.Kind == ssa.Pred && !there && !p.IsNum(h.Value), h.Kind != ssa.Row && p.IsNum(h.Value) && g.rows[h.Off][0] != h.Value:
			p.wholeWarp()
		}
	}
	if len(keep.Homes) > 0 {
		p.block.Add(keep)
	}
}

// together makes what variables are for the warp behind its groups: numbers, and what is strided through all of them. Of others it is
// known that they are at home.
func (p *path) together(g *group) {
	nowhere := p.NewBlock(0) // nothing leads there
	for _, h := range g.order {
		list := g.rows[h.Off]
		base, step, even := p.AsStrided(list[0])
		for i, v := range list {
			b, s, also := p.AsStrided(v)
			even = even && also && s == step && b == p.Bin(ssa.Add, base, p.Const(p.TypeOf(base), uint64(step*int64(i*g.lanes))))
		}
		if even {
			p.env[h.Off] = p.Strided(base, step)
		} else {
			p.env[h.Off] = p.NewParam(nowhere, p.TypeOf(h.Value), false)
		}
		if h.Kind == ssa.Row || h.Kind == ssa.Pred && !even {
			p.home[h.Off] = p.env[h.Off]
		}
	}
}

// sameWay holds the running group to the way that the first one has gone.
func (p *path) sameWay(guard ssa.Value) {
	g := p.group
	if g == nil {
		return
	}
	if g.first == 0 {
		g.ways = append(g.ways, guard)
	}
	if g.way >= len(g.ways) || g.ways[g.way] != guard {
		p.wholeWarp()
	}
	g.way++
}

// nextTurn goes round a loop again, of which it is known that it does.
func (p *path) nextTurn(pc int32, target ir.BlockID, guard ssa.Value) {
	if p.isNone(guard) {
		return
	}
	if !p.isFull(guard) || len(p.joins) > 0 || p.cost(pc) == 0 {
		p.wholeWarp()
	}
	if p.group.first == 0 {
		p.group.fuel++
	}
	p.endTurn(target)
	p.next = target + 1
}

// endTurn has all computed that goes round: else what the first turn has loaded lives until the last has used what it makes of it.
func (p *path) endTurn(target ir.BlockID) {
	ready := &ssa.Effect{Kind: ssa.Ready}
	for _, h := range p.living(p.fn.Blocks[target].First) {
		if _, _, even := p.AsStrided(h.Value); !even && h.Kind == ssa.Row && p.Ops[h.Value].Code > ssa.Bcast {
			ready.Args = append(ready.Args, h.Value)
		}
	}
	if len(ready.Args) > 0 {
		p.block.Add(ready)
	}
}

// mayRun tells of an instruction that a group may execute it: it is of a lane alone, or of its memory.
func (p *path) mayRun(op *sem.Operation) {
	if p.group == nil {
		return
	}
	switch op.Kind {
	case sem.OpNothing, sem.OpLane, sem.OpCompare, sem.OpMove, sem.OpLogic, sem.OpSelect, sem.OpUnpack:
	case sem.OpLoad, sem.OpStore:
		if m := &op.Memory; m.Strong || m.Space == machine.Local {
			p.wholeWarp()
		}
	default:
		p.wholeWarp()
	}
	if p.group.first == 0 {
		p.noteLiving(p.at)
	}
	if p.group.built++; p.group.built > mostBuilt {
		p.wholeWarp()
	}
}

// apart holds an access to those before it: where lanes may load what others store, or have stored, they run together.
func (p *path) apart(e *ssa.Effect) {
	g := p.group
	if g == nil {
		return
	}
	a := e.Access
	own := a.Index == 0 && max(a.Step, -a.Step) >= a.Bytes() // each lane has bytes of its own
	for _, x := range g.access {
		b := x.Access
		same := a.Base == b.Base && a.Step == b.Step && a.Disp == b.Disp && a.Bytes() == b.Bytes() && b.Index == 0
		if (x.Kind == ssa.Store) != (e.Kind == ssa.Store) && a.Bounds == b.Bounds && !(own && same) {
			p.wholeWarp()
		}
	}
	g.access = append(g.access, e)
}
