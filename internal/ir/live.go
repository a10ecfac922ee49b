package ir

// This file computes which registers are live at block edges.
//
// Liveness is per lane and therefore ordinary liveness: element i of a row belongs to lane
// i, and a handler changes it only when lane i executes the instruction (or is dead). Two
// arms of a divergent branch, run one after the other, touch the elements of their own
// lanes only, so a register that lives in the lanes of one arm is not disturbed by the
// other. A guarded definition kills nothing: the
// other lanes keep the old value.

import "ptxvm.invalid/ptxvm/internal/quota"

// liveBudget bounds the work of the fixpoint, in parts of sets that it looks at, and liveBytes the memory of the sets. In a
// function beyond them every register that lives at some edge counts as live at all of them.
const (
	liveBudget = 1 << 27
	liveBytes  = 1 << 28
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
	quota        *quota.Quota
	uses, kills  []touch // in the order of blocks
	used, killed []int32 // stamp per register: the block that did so last
	block        int32
	killing      bool
	spent, taken int // of the quota
}

// computeLiveness fills Globals, GlobalOf and what lives at the edges of blocks.
func (f *Func) computeLiveness(q *quota.Quota) {
	w := liveness{f: f, quota: q, used: filled(len(f.Regs), -1), killed: filled(len(f.Regs), -1)}
	w.scan()
	f.Globals, f.GlobalOf = nil, filled(len(f.Regs), -1)
	for _, u := range w.uses {
		if f.GlobalOf[u.reg] < 0 {
			f.GlobalOf[u.reg] = int32(len(f.Globals))
			f.Globals = append(f.Globals, u.reg)
		}
	}
	if f.edges = newSets(len(f.Globals)); !w.solve(liveBudget) {
		f.liveEverywhere()
	}
	f.edges.finish()
}

// liveEverywhere lets every global live at all edges.
func (f *Func) liveEverywhere() {
	f.edges = newSets(len(f.Globals))
	all := f.edges.full(len(f.Globals))
	for i := range f.Blocks {
		f.Blocks[i].liveIn, f.Blocks[i].liveOut = all, all
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

// solve runs the backward fixpoint: in = uses | out &^ kills. Blocks whose successors' sets have grown are taken in post-order,
// the inner ones of loops first, in as many rounds as there are back edges behind each other on a way. It returns false when the
// budget is spent.
func (w *liveness) solve(budget int) bool {
	f := w.f
	uses, kills := starts(w.uses, len(f.Blocks)), starts(w.kills, len(f.Blocks))
	order, at := f.postOrder()
	todo := NewBits(len(order))
	for i := range order {
		todo.Set(i)
	}
	for i := todo.next(0); i >= 0; {
		todo.Clear(i)
		b := order[i]
		if w.take(b, w.uses[uses[b]:uses[b+1]], w.kills[kills[b]:kills[b+1]]) {
			for _, p := range f.Blocks[b].Preds {
				todo.Set(int(at[p]))
			}
		}
		w.count(1 + len(f.Blocks[b].Succs))
		if f.edges.visits > budget || f.edges.size() > liveBytes {
			return false
		}
		if i = todo.next(i); i < 0 {
			i = todo.next(0)
		}
	}
	return true
}

// count counts what has been done since the last time, and some more.
func (w *liveness) count(more int) {
	s := w.f.edges
	s.visits += more
	w.quota.Spend(s.visits - w.spent)
	w.quota.Take(s.size() - w.taken)
	w.spent, w.taken = s.visits, s.size()
}

// take computes what lives at the edges of a block from its successors, and reports whether more lives at its start than before.
func (w *liveness) take(id BlockID, uses, kills []touch) bool {
	f, b := w.f, &w.f.Blocks[id]
	for _, s := range b.Succs {
		b.liveOut = f.edges.join(b.liveOut, f.Blocks[s].liveIn)
	}
	in := b.liveOut
	f.edges.finish()
	for _, k := range kills {
		if g := f.GlobalOf[k.reg]; g >= 0 {
			in = f.edges.put(in, int(g), false)
		}
	}
	for _, u := range uses {
		in = f.edges.put(in, int(f.GlobalOf[u.reg]), true)
	}
	f.edges.finish()
	was := b.liveIn
	b.liveIn = f.edges.join(was, in)
	return b.liveIn != was
}

// starts is where the touches of each block begin, and one more.
func starts(list []touch, blocks int) []int32 {
	at := make([]int32, blocks+1)
	for _, t := range list {
		at[t.block+1]++
	}
	for b := range blocks {
		at[b+1] += at[b]
	}
	return at
}

// postOrder lists the blocks in post-order, those that nothing reaches last, and says where in the list each is.
func (f *Func) postOrder() (order []BlockID, at []int32) {
	next := make([][]int32, len(f.Blocks))
	roots := make([]int32, len(f.Blocks))
	for b := range f.Blocks {
		roots[b] = int32(b)
		for _, s := range f.Blocks[b].Succs {
			next[b] = append(next[b], int32(s))
		}
	}
	at = make([]int32, len(f.Blocks))
	for i, v := range search(next, roots...).post {
		order, at[v] = append(order, BlockID(v)), int32(i)
	}
	return order, at
}

// LiveIn reports whether a register is live at the start of a block.
func (f *Func) LiveIn(b BlockID, r Reg) bool { return f.liveAtEdge(f.Blocks[b].liveIn, r) }

// LiveOut reports whether a register is live at the end of a block.
func (f *Func) LiveOut(b BlockID, r Reg) bool { return f.liveAtEdge(f.Blocks[b].liveOut, r) }

func (f *Func) liveAtEdge(at set, r Reg) bool {
	g := f.GlobalOf[r]
	return g >= 0 && f.edges.has(at, int(g))
}

// EachLiveIn calls visit for the registers that are live at the start of a block.
func (f *Func) EachLiveIn(b BlockID, visit func(Reg)) { f.eachChange(f.Blocks[b].liveIn, 0, visit) }

// EachLiveOut calls visit for the registers that are live at the end of a block.
func (f *Func) EachLiveOut(b BlockID, visit func(Reg)) { f.eachChange(f.Blocks[b].liveOut, 0, visit) }

// LiveAtStarts counts the registers that are live at the starts of blocks, those of all blocks together, as far as some number.
func (f *Func) LiveAtStarts(enough int) (n int) {
	for b := range f.Blocks {
		if n += f.edges.count(f.Blocks[b].liveIn); n > enough {
			break
		}
	}
	return n
}

// EachLiveChange calls visit for the registers that live either at the end of a block or at the start of the one that is laid
// out behind it, and not at both. Nothing lives behind the last block.
func (f *Func) EachLiveChange(b BlockID, visit func(Reg)) {
	behind := set(0)
	if int(b)+1 < len(f.Blocks) {
		behind = f.Blocks[b+1].liveIn
	}
	f.eachChange(f.Blocks[b].liveOut, behind, visit)
}

func (f *Func) eachChange(a, b set, visit func(Reg)) {
	f.edges.differ(a, b, func(g int) { visit(f.Globals[g]) })
}

// LiveAt returns the registers, as a set over Func.Regs, that are live before the
// instruction at pc: what a fragment that stands there still needs.
func (f *Func) LiveAt(pc int32) Bits {
	b := f.BlockOf(pc)
	live := NewBits(len(f.Regs))
	f.EachLiveOut(b, func(r Reg) { live.Set(int(r)) })
	for p := f.Blocks[b].End - 1; p >= pc; p-- {
		f.passLive(&f.Insts[p], func(r Reg, lives bool) {
			if lives {
				live.Set(int(r))
			} else {
				live.Clear(int(r))
			}
		})
	}
	return live
}

// passLive tells which registers an instruction lets live before it, and which die that lived behind it.
func (f *Func) passLive(in *Inst, put func(r Reg, lives bool)) {
	if in.kills() {
		f.EachReg(in, func(r Reg, a Access) {
			if a == Write {
				put(r, false)
			}
		})
	}
	f.EachReg(in, func(r Reg, a Access) {
		if a == Read {
			put(r, true)
		}
	})
}

// liveCursor goes backward through blocks and knows what lives where it is. It notes only what the instructions passed have
// changed, so that entering a block costs nothing.
type liveCursor struct {
	f     *Func
	block BlockID
	known []liveNote // by register
}

// liveNote is whether a register lives, as it was in a block; block is one more than its id.
type liveNote struct {
	block BlockID
	lives bool
}

func (c *liveCursor) enter(b BlockID) { c.block = b }

func (c *liveCursor) pass(in *Inst) {
	c.f.passLive(in, func(r Reg, lives bool) { c.known[r] = liveNote{c.block + 1, lives} })
}

func (c *liveCursor) has(r Reg) bool {
	if n := c.known[r]; n.block == c.block+1 {
		return n.lives
	}
	return c.f.LiveOut(c.block, r)
}
