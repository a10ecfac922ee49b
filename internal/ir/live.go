package ir

// This file computes which registers are live at block edges.
//
// Liveness is per lane and therefore ordinary liveness: element i of a row belongs to lane
// i, and a handler changes it only when lane i executes the instruction (or is dead). Two
// arms of a divergent branch, run one after the other, touch the elements of their own
// lanes only, so a register that lives in the lanes of one arm is not disturbed by the
// other. A guarded definition kills nothing: the
// other lanes keep the old value.

// liveBudget bounds the work of the fixpoint in set words, and liveWords the size of one
// family of sets. A function beyond them gets no sets, which means: everything is live everywhere.
const (
	liveBudget = 1 << 29
	liveWords  = 1 << 23
)

// touch is a register that a block reads before it kills it, or that it kills.
type touch struct {
	block BlockID
	reg   Reg
}

// liveness collects what blocks do to registers. A register that no block reads before killing
// it is dead at every block edge; only the others, the globals, take part in the sets.
type liveness struct {
	f            *Func
	uses, kills  []touch
	used, killed []int32 // stamp per register: the block that did so last
	block        int32
	killing      bool
}

// computeLiveness fills Globals, GlobalOf, LiveIn and LiveOut.
func (f *Func) computeLiveness() {
	w := liveness{f: f, used: filled(len(f.Regs), -1), killed: filled(len(f.Regs), -1)}
	w.scan()
	f.Globals, f.GlobalOf = nil, filled(len(f.Regs), -1)
	for _, u := range w.uses {
		if f.GlobalOf[u.reg] < 0 {
			f.GlobalOf[u.reg] = int32(len(f.Globals))
			f.Globals = append(f.Globals, u.reg)
		}
	}
	words := (len(f.Globals) + 63) / 64
	if len(f.Blocks)*words > liveWords || !w.solve(words) {
		for i := range f.Blocks {
			f.Blocks[i].LiveIn, f.Blocks[i].LiveOut = nil, nil
		}
	}
}

func (w *liveness) scan() {
	f := w.f
	for i := range f.Blocks {
		w.block = int32(i)
		for pc := f.Blocks[i].First; pc < f.Blocks[i].End; pc++ {
			in := &f.Insts[pc]
			w.killing = in.kills()
			f.EachReg(in, w.visit)
		}
	}
}

func (w *liveness) visit(r Reg, a Access) {
	switch {
	case a == Read && w.used[r] != w.block && w.killed[r] != w.block:
		w.used[r] = w.block
		w.uses = append(w.uses, touch{BlockID(w.block), r})
	case a == Write && w.killing && w.killed[r] != w.block:
		w.killed[r] = w.block
		w.kills = append(w.kills, touch{BlockID(w.block), r})
	}
}

// solve runs the backward fixpoint: in = uses | out &^ kills. It returns false when the
// budget is spent.
func (w *liveness) solve(words int) bool {
	f := w.f
	slab := make(Bits, 3*words*len(f.Blocks))
	cut := func() Bits {
		s := slab[:words:words]
		slab = slab[words:]
		return s
	}
	kill := make([]Bits, len(f.Blocks))
	for i := range f.Blocks {
		f.Blocks[i].LiveIn, f.Blocks[i].LiveOut, kill[i] = cut(), cut(), cut()
	}
	for _, u := range w.uses {
		f.Blocks[u.block].LiveIn.Set(int(f.GlobalOf[u.reg]))
	}
	for _, k := range w.kills {
		if g := f.GlobalOf[k.reg]; g >= 0 {
			kill[k.block].Set(int(g))
		}
	}
	return f.propagate(kill, words)
}

func (f *Func) propagate(kill []Bits, words int) bool {
	spent := 0
	for again := true; again; {
		again = false
		for i := len(f.Blocks) - 1; i >= 0; i-- {
			b := &f.Blocks[i]
			grown := false
			for _, s := range b.Succs {
				grown = b.LiveOut.Or(f.Blocks[s].LiveIn) || grown
			}
			if grown {
				again = b.LiveIn.orWithout(b.LiveOut, kill[i]) || again
			}
			if spent += words * (1 + len(b.Succs)); spent > liveBudget {
				return false
			}
		}
	}
	return true
}

// LiveIn tells whether a register is live at the start of a block.
func (f *Func) LiveIn(b BlockID, r Reg) bool { return f.liveAtEdge(f.Blocks[b].LiveIn, r) }

// LiveOut tells whether a register is live at the end of a block.
func (f *Func) LiveOut(b BlockID, r Reg) bool { return f.liveAtEdge(f.Blocks[b].LiveOut, r) }

func (f *Func) liveAtEdge(set Bits, r Reg) bool {
	g := f.GlobalOf[r]
	return g >= 0 && (set == nil || set.Has(int(g)))
}

// EachLiveIn calls visit for the registers that are live at the start of a block.
func (f *Func) EachLiveIn(b BlockID, visit func(Reg)) {
	for i, r := range f.Globals {
		if s := f.Blocks[b].LiveIn; s == nil || s.Has(i) {
			visit(r)
		}
	}
}

// LiveAt returns the registers, as a set over Func.Regs, that are live before the
// instruction at pc: what a fragment that stands there still needs.
func (f *Func) LiveAt(pc int32) Bits {
	b := f.BlockOf(pc)
	live := f.liveBehind(b)
	for p := f.Blocks[b].End - 1; p >= pc; p-- {
		f.passLive(&f.Insts[p], live)
	}
	return live
}

// LiveSets returns what LiveAt does for each instruction of a block.
func (f *Func) LiveSets(b BlockID) []Bits {
	blk := &f.Blocks[b]
	live := f.liveBehind(b)
	n := len(live)
	sets, all := make([]Bits, blk.End-blk.First), make(Bits, int(blk.End-blk.First)*n)
	for p := blk.End - 1; p >= blk.First; p-- {
		f.passLive(&f.Insts[p], live)
		sets[p-blk.First] = all[:n:n]
		copy(all, live)
		all = all[n:]
	}
	return sets
}

// liveBehind returns what is live behind a block.
func (f *Func) liveBehind(b BlockID) Bits {
	live := NewBits(len(f.Regs))
	for _, r := range f.Globals {
		if f.LiveOut(b, r) {
			live.Set(int(r))
		}
	}
	return live
}

// passLive makes the registers live behind an instruction those live before it.
func (f *Func) passLive(in *Inst, live Bits) {
	if in.kills() {
		f.EachReg(in, func(r Reg, a Access) {
			if a == Write {
				live.Clear(int(r))
			}
		})
	}
	f.EachReg(in, func(r Reg, a Access) {
		if a == Read {
			live.Set(int(r))
		}
	})
}
