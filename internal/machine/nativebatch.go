package machine

// This file runs batches: compiled code that goes on by itself from a warp that has exited, or that
// waits at a barrier, to the next one of its CTA, and from a CTA whose warps have all exited to the
// next CTA of the core's. It keeps the order of CTA.pass: in each pass the warps that can run, in
// ascending order, until they wait or exit; the warp that completes a barrier goes on.
//
// Every warp of a batch is one fragment of its living lanes, in the kernel's own converged frame.
// The first thing that is unlike that, and every instruction that compiled code does not know,
// ends the batch: the running warp stands where its Places say, the others where their abi.Warp
// says, and the pass goes on behind it.

import (
	"math"
	"math/bits"

	"ptxvm.invalid/ptxvm/internal/machine/abi"
	"ptxvm.invalid/ptxvm/internal/machine/barriers"
	"ptxvm.invalid/ptxvm/internal/machine/shape"
	"ptxvm.invalid/ptxvm/internal/machine/waits"
)

// Compiled code returns after so many steps so that Go can collect garbage and the launch be stopped:
// from between two CTAs of a batch after nativeRest, some 100 µs; from between two warps and from back
// edges, where all rows of a CTA are to be written, only after nativeSlice.
const (
	nativeRest  = 1 << 15
	nativeSlice = 1 << 17
)

// quickSlice is nativeSlice for code that is Quick, so that it gives way to better code in time.
const quickSlice = 1 << 13

// batchEnd says where a batch has ended.
type batchEnd struct {
	warp    int  // the last that ran in this pass, -1 if none has
	current bool // it stands where compiled code has left it
	native  *installed
}

// batch runs a batch that begins with a warp, if there can be one.
func (c *CTA) batch(first int, moved *bool) (end batchEnd, ran bool) {
	g, core := c.grid, c.cluster.core
	if !g.Native || g.Seed != 0 || len(c.cluster.ctas) != 1 {
		return end, false
	}
	n := g.Entry.batching()
	if n == nil || n.Batch == 0 {
		return end, false
	}
	t := core.nativeTable(n)
	if t.pause > 0 {
		t.pause--
		return end, false
	}
	s := core.nativeState()
	if c.resting && n.begins(g.threads) {
		c.fillResting(n, s)
	} else if c.rouse(); !c.warps[first].standsAt(n) || !c.fillBatch(n, s, first) {
		return end, false
	}
	t.refresh(core, n, c)
	c.fillNative(s, t)
	s.PollFuel = pollCost
	b := &s.Batch
	if *moved {
		b.Moved = 1
	}
	c.callHelping(n, t, s, nil, c.batchEntry(n, b))
	b.Warp = 0
	switch {
	case s.Help.Gone:
	case s.Help.Alone:
		c.current(s).took(n, s)
	default:
		c.takeBatch(n, s)
	}
	*moved = b.Moved != 0
	if t.alone = min(2*t.alone+1, 63); b.Done != 0 || b.Current != 1<<first || s.HasPolled() {
		t.alone = 0 // a batch that ends where its first warp has left at once is not worth while
	}
	t.pause = t.alone
	switch {
	case b.Current != 0:
		return batchEnd{bits.TrailingZeros32(b.Current), true, n}, true
	case b.Later != 0:
		return batchEnd{bits.TrailingZeros32(b.Later) - 1, false, n}, true
	}
	return batchEnd{len(c.warps) - 1, false, n}, true
}

// batchEntry is where a batch starts.
func (c *CTA) batchEntry(n *installed, b *abi.Batch) uintptr {
	if n.Begin == 0 {
		return n.Batch
	}
	for _, w := range c.warps {
		if !c.resting && (!w.stale || w.Live == 0) {
			return n.Batch
		}
	}
	b.Alive = 0
	return n.Begin
}

// standsAt reports whether compiled code can go on where a warp stands.
func (w *Warp) standsAt(n *installed) bool {
	f := &w.frags[first(w.used)]
	if f.frame != w.root || !n.Runs(f.mask) {
		return false
	}
	if f.woken {
		return n.Resumes[f.pc] != 0
	}
	return n.Warps[f.pc] != 0
}

// fillBatch describes the CTA to compiled code; false if it has a warp that no batch can have.
func (c *CTA) fillBatch(n *installed, s *abi.State, first int) bool {
	core := c.cluster.core
	if len(c.async.Open()) != 0 || len(c.cluster.sleepers) != 0 {
		return false
	}
	warps, b := core.batchWarps(), &s.Batch
	c.startBatch(b)
	b.Later = uint32(c.runnable) &^ (1<<first - 1)
	for i, w := range c.warps {
		if !w.fillBatch(n, b, &warps[i]) {
			return false
		}
	}
	if !c.onlyBarrier(b) {
		return false
	}
	fillWarps(b, warps)
	if n.Start != 0 && c.untouched() {
		b.CTAs = uint32(min(core.host.Reserve(c.rank), 1<<30))
	}
	return true
}

// startBatch describes what is the same for all warps of the CTA.
func (c *CTA) startBatch(b *abi.Batch) {
	g := c.grid
	*b = abi.Batch{
		Budget: nativeSlice, Rest: nativeRest, Passed: int32(c.cluster.passed), All: uint32(1<<len(c.warps) - 1), Turn: turn, Slice: ctaSlice,
		Alive: uint32(c.alive),
		Place: [5]uint64{uint64(c.id[0]), uint64(c.id[1]), uint64(c.id[2]), c.rank % uint64(g.Target.SMs)},
		Grid:  [2]uint64{uint64(g.Grid[0]), uint64(g.Grid[1])}, SMs: uint64(g.Target.SMs),
	}
	b.PassLimit = c.passLimit(b.Passed)
}

// passLimit is the pass behind which a batch ends so that others can have the core.
func (c *CTA) passLimit(passed int32) int32 {
	switch {
	case c.cluster.core.host.Last():
		return math.MaxInt32
	case passed > ctaSlice: // no other has asked for it in this pass
		return passed + ctaSlice
	}
	return ctaSlice
}

// fillBatch describes a warp.
func (w *Warp) fillBatch(n *installed, b *abi.Batch, r *abi.Warp) bool {
	*r = abi.Warp{Regs: regsOf(w.root), At: n.Out, Lanes: shape.Lanes(w.cta.grid.threads, int(w.index))}
	if w.Live == 0 { // it begins in the next CTA
		r.At, r.Mask, r.Fuel = n.Again, r.Lanes, turn
		return true
	}
	f := &w.frags[first(w.used)]
	if w.used&(w.used-1) != 0 || f.frame != w.root || f.mask != w.Live || f.region != nil || w.root.variant != converged ||
		w.watched|w.yielded|w.patient|uint32(w.hurry) != 0 || len(w.bars)+len(w.gathers) != 0 || w.root.moved {
		return false
	}
	r.PC, r.Fuel, r.Mask = f.pc, f.fuel, f.mask
	at := n.Warps[f.pc]
	switch {
	case f.wait == waits.CTA:
		if at = n.Resumes[f.pc]; at == 0 || !n.Runs(f.mask) || f.kind != barriers.Sync || b.Waiting != 0 && b.Barrier != int32(f.id) {
			return false
		}
		b.Waiting, b.Barrier = b.Waiting|1<<w.index, int32(f.id)
	case f.wait != waits.Nothing:
		return false
	case f.woken:
		at = n.Resumes[f.pc]
	}
	switch {
	case at == 0 || !n.Runs(f.mask):
	case w.stale && n.Start != 0:
		r.At = n.Start
	default:
		w.prepare()
		r.At = at
	}
	return true
}

// onlyBarrier reports whether only the waiting warps have arrived at a barrier.
func (c *CTA) onlyBarrier(b *abi.Batch) bool {
	if b.Waiting == 0 {
		return c.pending == 0
	}
	bar := &c.bars[b.Barrier]
	return c.pending == 1<<b.Barrier && bar.Count == 0 && bar.Arrived == 32*uint32(bits.OnesCount32(b.Waiting))
}

// untouched reports whether a CTA holds nothing that its end would have to look at.
func (c *CTA) untouched() bool {
	if !c.mbarriers.Untouched() || c.clusterBar != (barriers.Cluster{}) || !c.tensor.Untouched() || c.grid.ShowTensor != nil {
		return false
	}
	return true
}

// takeBatch brings the CTA to where compiled code has come.
func (c *CTA) takeBatch(n *installed, s *abi.State) {
	b, stats, warps := &s.Batch, &c.cluster.core.stats, c.cluster.core.batchWarps()
	stats.Steps += s.Steps
	stats.LaneOps += s.Ops
	stats.NativeOps += s.Ops - s.Help.HandlerOps
	if n.New {
		stats.NewOps += s.Ops
	}
	c.grid.charge(s.Steps)
	c.cluster.changed++
	c.cycles += s.Steps
	if b.Done != 0 {
		c.advance(b)
		c.cycles = s.Steps - b.Began
	}
	for i, w := range c.warps {
		switch begun := warps[i].At != n.Start && warps[i].At != n.Again || b.Current>>i&1 != 0; {
		case b.Alive>>i&1 == 0:
			w.clearLocal()
		case begun && w.root.code.LocalRoom != 0:
			w.localOf = c.rank // and it is clear but for what the warp has written since
		default:
			w.ownLocal()
		}
	}
	if c.alive, c.runnable = uint64(b.Alive), uint64(b.Alive&^b.Waiting); c.clusterBar.Arrived != 0 {
		c.cluster.completeBarrier() // no warp waits there, but some have exited that it expected
	}
	c.cluster.passed = int(b.Passed)
	c.clearBarriers() // the one at which warps waited when the batch began, too
	if c.resting && b.Alive|b.Current == 0 {
		return
	}
	c.rouse()
	for i, w := range c.warps {
		switch r := &warps[i]; {
		case b.Alive>>i&1 == 0:
			w.gone()
		case r.At == n.Out:
		case (r.At == n.Start || r.At == n.Again) && b.Current>>i&1 == 0:
			if b.Done != 0 { // else it still is to begin
				w.begin(r.Lanes)
			}
		default:
			w.stand(n, b, r)
		}
	}
	if Checked {
		c.checkBatch(n, b)
	}
}

// advance makes the CTA the one that compiled code has come to.
func (c *CTA) advance(b *abi.Batch) {
	cl, core, done := c.cluster, c.cluster.core, uint64(b.Done)
	core.stats.CTAs += done
	core.publish(c.grid, done)
	core.host.Begun(done)
	cl.rank += done
	cl.changed, cl.seen, cl.rounds = 0, 0, 0
	c.id, c.rank = c.grid.Place(cl.rank, 0)
	cl.startOps(c.rank)
}

// gone makes a warp one whose lanes have all exited.
func (w *Warp) gone() {
	w.Live, w.root.lanes = 0, 0
	w.used, w.ready, w.joining, w.arriving = 0, 0, 0, 0
}

// stand makes a warp one fragment where compiled code has left it, or the machine before. Of what it was in the CTA
// before, which may have ended parted, nothing stays.
func (w *Warp) stand(n *installed, b *abi.Batch, r *abi.Warp) {
	root, bit := w.root, uint32(1)<<w.index
	if b.Done != 0 {
		w.renew()
	}
	f := w.alone(r.Mask, r.PC, r.Fuel)
	f.woken = (r.At == n.Resumes[r.PC] || r.At == n.Wholes[r.PC]) && b.Current != bit
	root.variant, w.stale = converged, false
	if b.Current != bit {
		root.spreadAll(r.PC)
	}
	if b.Waiting&bit != 0 {
		f.wait, f.id, f.woken, w.ready = waits.CTA, uint8(b.Barrier), false, 0
		w.cta.pending = 1 << b.Barrier
		w.cta.bars[b.Barrier].Arrive(w.index, &barriers.Gather{Lanes: r.Mask})
	}
}

// spreadAll writes the rows of slots that instructions read as rows.
func (f *Frame) spreadAll(pc int32) {
	for s := range f.code.scalarsAt(pc) {
		if s.Spread {
			f.regs.Spread(s, f.lanes)
		}
	}
}

// behindBatch goes on with the warp that compiled code was running when the batch ended.
func (c *CTA) behindBatch(i int, n *installed) outcome {
	w, core := c.warps[i], c.cluster.core
	f, s := &w.frags[0], core.native
	w.polled = s.Looped == 0 && (w.polled || !s.Help.Alone)
	st := State(s.Help.Then)
	if !s.Help.Gone {
		w.enterFragment(f)
		st = w.placed(f, n, core.nativeTable(n), s)
	}
	switch st {
	case Exited:
		return done
	case Faulted:
		return failed
	}
	return w.goOn()
}
