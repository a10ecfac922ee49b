package build

import (
	"slices"

	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/jit/ssa"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/barriers"
	"ptxvm.invalid/ptxvm/internal/sem"
)

// This file cuts a kernel at barriers: a warp that comes to one writes its variables to its register block and waits; the code goes on to
// another warp, and when all have come each goes on behind the barrier. What lies between two barriers is a region: straight code with
// branches and loops of its own, built as the beginning of the kernel is. A loop that has a barrier is none here: its head begins a
// region, to which the regions before it and the one at its end go.
//
// For instance
//
//	for (t = 0; t < n; t++) { tile[i] = a[t]; bar.sync 0; s += tile[i]; bar.sync 0; }
//
// has four regions: from the start to the head, by an edge; from the head to the first barrier; from there to the second; from
// the second to the end of the kernel, and by an edge back to the head.
//
// Where a region begins all variables that live are at home, in the warp's register block. What it has not changed it need not write there
// again. It takes for known what all hot ways to it have in common: that a variable is strided, or even its value, where that follows from
// the launch, the CTA and the warp (pure.go). Who comes from elsewhere, from a cold copy or from the interpreter, is asked first whether it
// is so, and is left to the interpreter if not.

// cut is where a region begins.
type cut struct {
	pc      int32      // of its first instruction
	number  int32      // of those at barriers, from 1 on; 0: code comes there by an edge
	block   *ssa.Block // where it begins
	checked *ssa.Block // where it begins for warps of which nothing is known; of those at barriers
	kept    []kept
}

// entry is the number by which a warp goes on behind a barrier, and where: one that a hot copy has left, or one of which nothing is known.
func (c *cut) entry(hot bool) (number int32, at *ssa.Block) {
	if hot {
		return 2*c.number + 1, c.block
	}
	return 2 * c.number, c.checked
}

// kept is a variable that lives where a region begins.
type kept struct {
	home  ssa.Home // without its value
	typ   ssa.Type
	known ssa.Value // what it is, in copy 0, for each way to the region; 0: it is another value
	step  int64     // else, if a number is brought: how far its lanes are apart
	param ssa.Value // the number; 0: lanes, which are at home
}

// differs is an assumption about a variable at a cut, at first that it has one value for all ways to it.
type differs uint8

const (
	known   differs = iota // of those that follow from the launch
	strided                // a number, its lanes the same step apart
	lanes
)

// findBarriers lists where warps wait.
func findBarriers(code *machine.Code) (pcs []int32) {
	for pc := range code.Insts {
		if sem.OperationOf(&code.Insts[pc]).Kind == sem.OpBarrier {
			pcs = append(pcs, int32(pc))
		}
	}
	return pcs
}

// hasBarrier reports whether warps wait between two blocks.
func (b *builder) hasBarrier(from, to ir.BlockID) bool {
	first, end := b.fn.Blocks[from].First, b.fn.Blocks[to].End
	return slices.ContainsFunc(b.barriers, func(pc int32) bool { return first <= pc && pc < end })
}

// isHead reports whether a block is the head of a loop round a barrier.
func (b *builder) isHead(id ir.BlockID) bool {
	for _, q := range b.fn.Blocks[id].Preds {
		if q >= id && b.hasBarrier(id, q) {
			return true
		}
	}
	return false
}

// barrier lets the warp wait. Where some of its lanes have exited or stand elsewhere it is the interpreter's.
func (p *path) barrier(pc int32) {
	in := &p.code.Insts[pc]
	id, ok := p.consts[in.A]
	if !ok || id.Value >= barriers.Named || in.Guard != machine.NoGuard {
		refuse("a barrier whose number is no constant, or under a guard")
	}
	if !p.isFull(p.mask) || len(p.waiting) > 0 {
		p.leaveAt(pc, p.state(pc))
		return
	}
	c, hot := p.cutAt(pc+1, true), !p.Copies[p.Copy].Cold
	homes, _, _ := p.brought(c)
	number, at := c.entry(hot)
	e := p.block.Add(&ssa.Effect{Kind: ssa.Barrier, N: int64(id.Value), PC: pc, Entry: number, State: p.state(pc),
		Homes: append(homes, p.specialsLeft()...)})
	p.block.Cond = p.NewResult(p.block, e, ssa.M, true)
	p.block.Jump(at)
	p.block.Jump(p.turn)
	p.dead = true
}

// backToHead goes back to the head of a loop round a barrier, where a guard holds.
func (p *path) backToHead(pc int32, target ir.BlockID, guard ssa.Value) {
	if !p.IsNum(guard) {
		refuse("lanes part at the end of a loop round a barrier")
	}
	back := p.clone()
	if p.isFull(guard) {
		p.dead = true
	} else {
		back.block = p.newBlock()
		next := p.newBlock()
		p.block.Cond = guard
		p.block.Jump(back.block)
		p.block.Jump(next)
		p.block = next
	}
	s := p.stateOf(ssa.State{PC: p.fn.Blocks[target].First, Mask: p.mask, FuelOut: true})
	back.block.Add(&ssa.Effect{Kind: ssa.Fuel, N: p.cost(pc), Mask: p.Any(p.mask), State: s, PC: pc})
	back.toHead(target)
}

// leaveAt leaves in front of an instruction, if lanes run there.
func (p *path) leaveAt(pc int32, s ssa.StateID) {
	p.block.Add(&ssa.Effect{Kind: ssa.Leave, Mask: p.mask, State: s, PC: pc})
	if len(p.waiting) == 0 {
		p.block.Jump(p.end)
	}
	p.mask, p.dead = p.Truth(false), true
}

// toHead goes to the head of a loop round a barrier, with all lanes.
func (p *path) toHead(id ir.BlockID) {
	if len(p.loops) > 0 || p.upTo != 0 {
		refuse("a barrier within a loop of lanes")
	}
	p.toCut(p.fn.Blocks[id].First)
}

// toCut goes to where a region begins, with all lanes.
func (p *path) toCut(pc int32) {
	if p.isFull(p.mask) && len(p.waiting) == 0 {
		c := p.cutAt(pc, false)
		if homes, args, ok := p.brought(c); ok {
			homes = append(slices.DeleteFunc(homes, func(h ssa.Home) bool { return h.Kind == ssa.Slot }), p.specialsLeft()...)
			if len(homes) > 0 {
				p.block.Add(&ssa.Effect{Kind: ssa.Keep, Homes: homes})
			}
			p.block.Jump(c.block, args...)
			p.dead = true
			return
		}
	}
	p.leaveAt(pc, p.stateOf(ssa.State{PC: pc, Mask: p.mask})) // all before it is done
}

// cutAt is the cut in front of an instruction.
func (p *path) cutAt(pc int32, waits bool) *cut {
	if i := slices.IndexFunc(p.cuts, func(c *cut) bool { return c.pc == pc && (c.number > 0) == waits }); i >= 0 {
		return p.cuts[i]
	}
	c := &cut{pc: pc, block: p.NewBlock(2)}
	p.inCopy(0, func() { p.keep(c, waits) })
	p.cuts = append(p.cuts, c)
	return c
}

// keep finds what a region knows of its variables, and brings the others there.
func (p *path) keep(c *cut, waits bool) {
	resume := &ssa.Effect{Kind: ssa.Resume}
	if waits {
		p.numbers++
		c.number = p.numbers
	}
	for _, h := range p.living(c.pc) {
		k := kept{home: ssa.Home{Kind: h.Kind, Off: h.Off}, typ: p.TypeOf(h.Value)}
		_, step, even := p.AsStrided(h.Value)
		pure, follows := p.pure[h.Off]
		switch as := p.assumed[assumed{c.pc, h.Off, true}]; {
		case as == known && follows && p.TypeOf(pure) == k.typ && p.isCheap(pure):
			k.known = pure
		case as != lanes && even && h.Kind != ssa.Pred:
			k.step = step
			k.param = p.brings(c, resume, k.home, k.typ)
		}
		c.kept = append(c.kept, k)
	}
	if len(resume.Homes) > 0 {
		c.block.Add(resume)
	}
	if waits {
		c.checked = p.checkedEntry(c)
	}
}

// checkedEntry goes to a region if the variables that it takes for known are what it takes them for.
func (p *path) checkedEntry(c *cut) *ssa.Block {
	b := p.NewBlock(2)
	b.Cold = true
	p.Copy = p.NewCopy(32, true)
	load := func(k *kept, num bool) ssa.Value { // one at a time: few registers are live
		e := b.Add(&ssa.Effect{Kind: ssa.Resume, Homes: []ssa.Home{k.home}})
		return p.NewResult(b, e, k.typ, num)
	}
	differ := p.Truth(false)
	for i := range c.kept {
		k := &c.kept[i]
		want := k.known
		if want == 0 && (k.param == 0 || k.home.Kind == ssa.Slot) {
			continue
		}
		if want == 0 {
			want = p.Strided(load(k, true), k.step)
		}
		have, other := load(k, k.home.Kind == ssa.Slot), ssa.Ne
		if k.typ == ssa.M {
			other = ssa.Xor
		}
		differ = p.Or(differ, p.Any(p.Make(other, ssa.M, 0, have, want)))
	}
	p.States = append(p.States, ssa.State{PC: c.pc, Mask: p.Truth(true)}) // variables are at home
	b.Add(&ssa.Effect{Kind: ssa.Leave, Mask: differ, State: ssa.StateID(len(p.States) - 1), PC: c.pc})
	b.Jump(c.block)
	return b
}

// brings makes the number that a variable is where a region begins.
func (p *path) brings(c *cut, resume *ssa.Effect, h ssa.Home, t ssa.Type) ssa.Value {
	if c.number == 0 {
		return p.NewParam(c.block, t, true)
	}
	resume.Homes = append(resume.Homes, h)
	return p.NewResult(c.block, resume, t, true)
}

// brought are the variables that live at a cut and are not at home yet, and the numbers that this way brings there. Of a hot way it drops
// assumptions that do not hold; ok says whether all do.
func (p *path) brought(c *cut) (list []ssa.Home, args []ssa.Value, ok bool) {
	have := map[uint32]ssa.Value{}
	for _, h := range p.living(c.pc) {
		have[h.Off] = h.Value
	}
	ok = true
	drop := retry{}
	for _, k := range c.kept {
		v := have[k.home.Off]
		if v == 0 || p.TypeOf(v) != k.typ {
			v = p.Const(k.typ, 0) // of a register that is not live
		}
		base, step, even := p.AsStrided(v)
		to, holds := strided, p.pure[k.home.Off] == k.known
		if k.known == 0 {
			to, holds = lanes, k.param == 0 || even && step == k.step
		}
		if !holds && !p.Copies[p.Copy].Cold {
			drop[assumed{c.pc, k.home.Off, true}] = to
		}
		ok = ok && holds
		if k.param != 0 {
			args = append(args, base)
		}
		if !p.isHome(k.home, v) {
			list = append(list, ssa.Home{Kind: k.home.Kind, Off: k.home.Off, Value: v})
		}
	}
	if len(drop) > 0 {
		panic(drop)
	}
	return list, args, ok
}

// isHome reports whether a variable's home has its value already.
func (p *path) isHome(h ssa.Home, v ssa.Value) bool {
	return v != 0 && p.home[h.Off] == v
}

// regions builds what begins at cuts, and the way from the next warp to where it goes on.
func (b *builder) regions() {
	for i := 0; i < len(b.cuts); i++ { // building one finds others
		c := b.cuts[i]
		b.copies, b.Copy = 0, 0
		p := b.newPath(c.block)
		p.passes, p.resumed, p.atCut, p.from = -1, true, true, c
		for _, k := range c.kept {
			if k.known != 0 {
				p.pure[k.home.Off] = k.known
			}
		}
		if c.number == 0 {
			p.head = b.fn.BlockOf(c.pc)
		}
		if b.opt.Rest {
			p.anyLanes(c.pc)
		} else {
			p.starts = true
			p.versions(c.pc, p.mask, -1, nil)
		}
	}
	b.Copy = 0
}

// dispatch goes from the block of the next warp to where it goes on.
func (b *builder) dispatch(from, start *ssa.Block, entry ssa.Value) {
	var ways []way
	for _, c := range b.cuts {
		for _, hot := range []bool{false, true} {
			if c.number > 0 {
				number, at := c.entry(hot)
				ways = append(ways, way{number, b.counted(at, hot)})
			}
		}
	}
	if len(ways) == 0 { // no warp comes to a barrier
		from.Jump(start)
		return
	}
	slices.SortFunc(ways, func(x, y way) int { return int(x.number - y.number) })
	b.oneOf(from, start, entry, ways)
}

// way is where a warp goes on by a number.
type way struct {
	number int32
	to     *ssa.Block
}

// oneOf goes one of some ways, in ascending order, by halving their number; to the start of the kernel if none has the number.
func (b *builder) oneOf(from, start *ssa.Block, entry ssa.Value, ways []way) {
	n := len(ways) / 2
	number := b.Word(uint32(ways[n].number))
	if n == 0 {
		from.Cond = b.Cmp(ssa.Eq, entry, number)
		from.Jump(ways[0].to)
		from.Jump(start)
		return
	}
	below, others := b.NewBlock(2), b.NewBlock(2)
	from.Cond = b.Cmp(ssa.LtU, entry, number)
	from.Jump(below)
	from.Jump(others)
	b.oneOf(below, start, entry, ways[:n])
	b.oneOf(others, start, entry, ways[n:])
}

// counted goes on behind a barrier: who has waited executes it once more.
func (b *builder) counted(at *ssa.Block, hot bool) *ssa.Block {
	c := b.NewBlock(2)
	c.Cold = !hot
	all := b.Truth(true)
	c.Add(&ssa.Effect{Kind: ssa.Steps, N: 1, Mask: all})
	c.Add(&ssa.Effect{Kind: ssa.Lanes, N: 1, Mask: all})
	c.Jump(at)
	return c
}

// entriesAt are the entries behind barriers, by the barriers' pcs: of warps of which nothing is known, and of those that the code has left.
func (b *builder) entriesAt() map[int32][2]int32 {
	at := map[int32][2]int32{}
	for _, c := range b.cuts {
		if c.number > 0 {
			unknown, _ := c.entry(false)
			left, _ := c.entry(true)
			at[c.pc-1] = [2]int32{unknown, left}
		}
	}
	return at
}
