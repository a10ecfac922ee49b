package ir

// This file fills what follows from instructions and block boundaries.

// Finish fills the facts of a function whose Insts and Blocks (Label, First, End) are set
// in layout order, as Parse leaves them. Build calls it itself.
func (f *Func) Finish(opt Options) error {
	if !f.Defined {
		return nil
	}
	if err := f.verifyShape(); err != nil {
		return err
	}
	f.finish(opt)
	return nil
}

// finish computes edges, dominators, loops, liveness and rows of a function, and drops what loads bring and nothing reads,
// whose Insts and Blocks (Label, First, End) are set.
func (f *Func) finish(opt Options) {
	for _, pass := range []struct {
		name string
		run  func()
	}{
		{"edges", f.linkBlocks},
		{"dominators", f.computeDominators},
		{"liveness", func() { f.computeLiveness(opt.Quota) }},
		{"unread", f.dropUnread},
		{"rows", func() { f.colour(opt.OneRowEach) }},
	} {
		opt.Quota.Enter(pass.name)
		pass.run()
	}
}

// linkBlocks derives Succs and Preds from the last instruction of each block.
func (f *Func) linkBlocks() {
	for i := range f.Blocks {
		f.Blocks[i].Succs, f.Blocks[i].Preds = nil, nil
	}
	linked := make([]int, len(f.Blocks)) // stamp: the block, plus 1, that has an edge to this one already
	for i := range f.Blocks {
		add := func(to BlockID) {
			if linked[to] == i+1 {
				return
			}
			linked[to] = i + 1
			f.Blocks[i].Succs = append(f.Blocks[i].Succs, to)
			f.Blocks[to].Preds = append(f.Blocks[to].Preds, BlockID(i))
		}
		last := &f.Insts[f.Blocks[i].End-1]
		for _, t := range last.Targets {
			add(t)
		}
		if !last.stops() && i+1 < len(f.Blocks) {
			add(BlockID(i + 1))
		}
	}
}

// computeDominators fills IDom, IPDom, Loop and Depth.
//
// The virtual exit joins the blocks where lanes leave normally. Lanes that trap or that
// exit inside a device function never come back, and neither do those in an endless loop:
// such blocks have no way to the virtual exit and do not keep the others from meeting.
func (f *Func) computeDominators() {
	g := f.graph()
	idom := immediateDominators(g.succs, g.preds, 0)
	ipdom := immediateDominators(g.preds, g.succs, f.exits()...)
	d := search(g.succs, 0)
	l := findLoops(g, d)
	for _, i := range d.order { // headers come before their bodies
		b := &f.Blocks[i]
		b.IDom, b.IPDom, b.Loop = BlockID(idom[i]), BlockID(ipdom[i]), BlockID(l.header[i])
		if b.Depth = 0; b.Loop >= 0 {
			b.Depth = f.Blocks[b.Loop].Depth
		}
		if l.isHead[i] {
			b.Loop, b.Depth = BlockID(i), b.Depth+1
		}
	}
}

// Dominates reports whether every way from the function's start to block b passes block a.
func (f *Func) Dominates(a, b BlockID) bool {
	for b != a && b != NoBlock {
		b = f.Blocks[b].IDom
	}
	return b == a
}

func (f *Func) graph() *graph {
	g := newGraph(len(f.Blocks))
	for i := range f.Blocks {
		for _, s := range f.Blocks[i].Succs {
			g.edge(int32(i), int32(s))
		}
	}
	return g
}

// exits lists the blocks in which lanes leave the function normally.
func (f *Func) exits() []int32 {
	var returns, dies []int32
	for i := range f.Blocks {
		switch f.Insts[f.Blocks[i].End-1].flow() {
		case flowRet:
			returns = append(returns, int32(i))
		case flowExit:
			dies = append(dies, int32(i))
		}
	}
	if f.Entry || len(returns) == 0 {
		return append(returns, dies...)
	}
	return returns
}
