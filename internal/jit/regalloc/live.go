package regalloc

import (
	"math/bits"
	"slices"
	"sort"

	"ptxvm.invalid/ptxvm/internal/jit/isel"
)

// This file finds what lives where, and where it is used next.

// set is a set of virtual registers.
type set []uint64

func (s set) has(v isel.VReg) bool { return s[v>>6]>>(v&63)&1 != 0 }
func (s set) add(v isel.VReg)      { s[v>>6] |= 1 << (v & 63) }
func (s set) remove(v isel.VReg)   { s[v>>6] &^= 1 << (v & 63) }

// flow is what is known of values before they have places. Positions count instructions in the order of the code, and
// one for the end of each block.
type flow struct {
	f        *isel.Func
	constant []bool      // by virtual register
	lead     []set       // by block: what it reads of what was there before it; constants live nowhere
	wants    []bool      // by virtual register: a parameter that its block reads
	first    []int       // by block: position of its first instruction; behind the last the end of all
	preds    []int       // by block: edges that lead there
	loop     []int       // by block: position of the last instruction that leads back there; 0: none does
	wanted   []isel.VReg // by virtual register: a parameter that an edge gives it to
	from     []int32     // by virtual register: where its uses begin
	uses     []int32     // positions, ascending by register
	next     []int32     // by virtual register: which of its uses is the next one from pos on
	deaths   []isel.VReg // of the running block: what an instruction is the last to use
	died     []int32     // by instruction: where its deaths end, the last instruction first
	now      set
	sets     set // all others
	pos      int // of the running instruction
	operands int // of all instructions
}

// prepare makes room for all that is found.
func (a *flow) prepare(f *isel.Func) {
	n, blocks := f.NumRegs(), len(f.Blocks)
	a.f = f
	a.constant, a.wants = again(a.constant, n), again(a.wants, n)
	for v := range n {
		a.constant[v] = f.IsConst(isel.VReg(v))
	}
	a.preds, a.loop, a.first = again(a.preds, blocks), again(a.loop, blocks), again(a.first, blocks+1)
	a.wanted, a.from, a.lead = again(a.wanted, n), again(a.from, n+1), again(a.lead, blocks)
	a.next, a.now = again(a.next, n), again(a.now, n/64+1)
	a.pos, a.operands = 0, 0
}

// findLiveness finds what each block reads of what was there before it. Each virtual register is defined once, in front
// of its uses: what a block that is led to reads, and the leading one defines, it has defined before.
func (a *flow) findLiveness() {
	words := a.f.NumRegs()/64 + 1
	a.sets = again(a.sets, 3*words*len(a.f.Blocks))
	room := a.sets
	cut := func() set {
		s := room[:words:words]
		room = room[words:]
		return s
	}
	reads, defs, at := make([]set, len(a.f.Blocks)), make([]set, len(a.f.Blocks)), 0
	for _, b := range a.f.Blocks {
		a.first[b.ID] = at
		at += len(b.Insts) + 1
		a.lead[b.ID], reads[b.ID], defs[b.ID] = cut(), cut(), cut()
		a.local(b, reads[b.ID], defs[b.ID])
	}
	a.first[len(a.f.Blocks)] = at
	for changed := true; changed; {
		changed = false
		for i := len(a.f.Blocks) - 1; i >= 0; i-- {
			changed = a.flowInto(a.f.Blocks[i], reads[i], defs[i]) || changed
		}
	}
}

// local finds what a block reads and defines itself, and notes its edges.
func (a *flow) local(b *isel.Block, reads, defs set) {
	for _, p := range b.Params {
		defs.add(p)
	}
	for i, inst := range b.Insts {
		a.operands += len(inst.Defs) + len(inst.Uses) + len(inst.Temps)
		for _, v := range inst.Uses {
			if !a.constant[v] {
				reads.add(v)
			}
		}
		for _, d := range inst.Defs {
			defs.add(d)
		}
		to := inst.To
		if to == nil {
			continue
		}
		if a.preds[to.ID]++; to.ID <= b.ID && !b.Cold {
			a.loop[to.ID] = max(a.loop[to.ID], a.first[b.ID]+i)
		}
		for k, p := range to.Params {
			if a.wanted[inst.Args[k]] == 0 {
				a.wanted[inst.Args[k]] = p
			}
		}
	}
}

// flowInto adds what the blocks read that a block leads to.
func (a *flow) flowInto(b *isel.Block, reads, defs set) (changed bool) {
	for _, inst := range b.Insts {
		if inst.To == nil {
			continue
		}
		for w, x := range a.lead[inst.To.ID] {
			reads[w] |= x
		}
		for i, p := range inst.To.Params {
			if v := inst.Args[i]; a.wants[p] && !a.constant[v] {
				reads.add(v)
			}
		}
	}
	for _, p := range b.Params {
		if reads.has(p) && !a.wants[p] {
			a.wants[p], changed = true, true
		}
	}
	lead := a.lead[b.ID]
	for w, x := range reads {
		if x &^= defs[w]; x&^lead[w] != 0 {
			lead[w], changed = lead[w]|x, true
		}
	}
	return changed
}

// leading visits what a block reads of what was there before it.
func (a *flow) leading(to *isel.Block, visit func(isel.VReg)) {
	for i, w := range a.lead[to.ID] {
		for ; w != 0; w &= w - 1 {
			visit(isel.VReg(i<<6 + bits.TrailingZeros64(w)))
		}
	}
}

// findDeaths finds what each instruction of a block is the last to use.
func (a *flow) findDeaths(b *isel.Block) {
	a.deaths = a.deaths[:0]
	a.died = slices.Grow(a.died[:0], len(b.Insts))[:len(b.Insts)]
	clear(a.now)
	for i := len(b.Insts) - 1; i >= 0; i-- {
		inst := b.Insts[i]
		for _, d := range inst.Defs {
			a.now.remove(d)
		}
		if to := inst.To; to != nil {
			for k, p := range to.Params {
				if a.wants[p] {
					a.dies(inst.Args[k])
				}
			}
			a.leadDies(to)
		}
		for _, v := range inst.Uses {
			a.dies(v)
		}
		a.died[i] = int32(len(a.deaths))
	}
}

// dies notes a use that no other follows.
func (a *flow) dies(v isel.VReg) {
	if !a.constant[v] && !a.now.has(v) {
		a.now.add(v)
		a.deaths = append(a.deaths, v)
	}
}

func (a *flow) leadDies(to *isel.Block) {
	for i, w := range a.lead[to.ID] {
		w &^= a.now[i]
		for a.now[i] |= w; w != 0; w &= w - 1 {
			a.deaths = append(a.deaths, isel.VReg(i<<6+bits.TrailingZeros64(w)))
		}
	}
}

// deathsOf is what instruction i of the running block is the last to use.
func (a *flow) deathsOf(i int) []isel.VReg {
	from := int32(0)
	if i+1 < len(a.died) {
		from = a.died[i+1]
	}
	return a.deaths[from:a.died[i]]
}

// findUses notes where each value is used. What lives round a loop and is used in it is used at its end, too.
func (a *flow) findUses() {
	a.list(nil)
	var again [][2]int32 // which register, where
	for id, end := range a.loop {
		if end == 0 {
			continue
		}
		look := func(v isel.VReg) {
			if a.nextUse(v, a.first[id]) <= end {
				again = append(again, [2]int32{int32(v), int32(end)})
			}
		}
		a.leading(a.f.Blocks[id], look)
		for v, is := range a.constant {
			if is {
				look(isel.VReg(v))
			}
		}
	}
	if len(again) > 0 {
		a.list(again)
	}
}

// list makes the lists of uses: those by instructions, and others.
func (a *flow) list(others [][2]int32) {
	clear(a.from)
	each := func(visit func(v isel.VReg, at int32)) {
		for _, b := range a.f.Blocks {
			for i, inst := range b.Insts {
				at := int32(a.first[b.ID] + i)
				for _, v := range inst.Uses {
					visit(v, at)
				}
				for _, v := range inst.Args {
					visit(v, at)
				}
			}
		}
	}
	each(func(v isel.VReg, at int32) { a.from[v]++ })
	for _, o := range others {
		a.from[o[0]]++
	}
	sum := int32(0)
	for v, n := range a.from {
		a.from[v] = sum
		sum += n
	}
	a.uses = slices.Grow(a.uses[:0], int(sum))[:sum]
	copy(a.next, a.from)
	put := func(v isel.VReg, at int32) {
		a.uses[a.next[v]] = at
		a.next[v]++
	}
	each(put)
	for _, o := range others {
		v := isel.VReg(o[0])
		put(v, o[1])
		slices.Sort(a.uses[a.from[v]:a.next[v]])
	}
	copy(a.next, a.from)
}

// used tells whether a value has uses at all.
func (a *flow) used(v isel.VReg) bool { return a.from[v] < a.from[v+1] }

// nextUse is the position of the first use from one on, which is not in front of the running instruction.
func (a *flow) nextUse(v isel.VReg, from int) int {
	i, end := a.next[v], a.from[v+1]
	for i < end && int(a.uses[i]) < a.pos {
		i++
	}
	a.next[v] = i
	if list := a.uses[i:end]; from > a.pos {
		i += int32(sort.Search(len(list), func(k int) bool { return int(list[k]) >= from }))
	}
	if i == end {
		return infinite
	}
	return int(a.uses[i])
}

// usedBetween tells whether a value has a use between two positions.
func (a *flow) usedBetween(v isel.VReg, from, to int) bool {
	list := a.uses[a.from[v]:a.from[v+1]]
	i := sort.Search(len(list), func(k int) bool { return int(list[k]) >= from })
	return i < len(list) && int(list[i]) <= to
}
