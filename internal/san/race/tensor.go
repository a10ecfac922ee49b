package race

// This file looks at tensor memory. Its operations are asynchronous (9.7.16.6): tcgen05.ld and st are over when their warp has
// waited for them, mma, cp and shift, for a thread, when it has waited for an mbarrier at which a tcgen05.commit of theirs has
// arrived. So what a thread knows of these is a time of another agent, the pipe of their warp, whose clock advances at each
// commit; of a load or store it is a time of the warp itself, from its wait on. Operations of pairs that form a pipeline
// (9.7.16.6.2) need no more than that one thread has issued the first before the other one issued the second. Those of one
// thread are the business of the machine, which knows what is open (P8005).
//
// The fences (tcgen05.fence) make relaxed synchronisation order operations, as a fence.release and a fence.acquire of the cluster
// would. That they are missing where stronger synchronisation stands is a report of its own (P8006).

import (
	"math/bits"
	"slices"

	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/events"
	"ptxvm.invalid/ptxvm/internal/machine/model"
	"ptxvm.invalid/ptxvm/internal/machine/queue"
)

// maxTensorUses is how many operations on a CTA's tensor memory are kept.
const maxTensorUses = 4096

// tensorUse is an operation on cells of a CTA's tensor memory.
type tensorUse struct {
	cells  machine.Extent
	warp   warpID // that has issued it
	lanes  uint32
	issued moment // by the warp's clock
	agent  warpID // whose clock tells when it is over
	over   moment // 0: nothing tells so far
	site   uint32
	writes bool
	pipe   queue.Pipe
	step   queue.TensorStep
}

// pipeID is the agent that runs a warp's operations.
func (w *warp) pipeID() warpID { return w.id + warpID(len(w.cta.warps)) }

// useTensor looks at an operation that is being issued, against those that have been before.
func (o *Observer) useTensor(e *machine.Event) {
	d, c := o.detector, o.detector.cta(e.CTA)
	index, ok := e.On.Mate(e.Extent.CTA)
	if c == nil || !ok {
		return
	}
	owner := d.cta(index)
	if owner == nil {
		return
	}
	w := &c.warps[e.Warp]
	u := tensorUse{
		cells: *e.Extent, warp: w.id, lanes: e.Lanes, issued: w.now, agent: w.id, writes: e.Kind != machine.Load, pipe: e.Op.Pipe, step: e.Op.Tensor,
		site: d.number(w, Site{Func: e.Func, PC: e.PC, Writes: e.Kind != machine.Load}),
	}
	if u.pipe == queue.Tensor {
		u.agent, u.over = w.pipeID(), w.pipe
	}
	for i := range owner.tensor {
		d.meet(w, &owner.tensor[i], &u)
	}
	owner.keepTensor(w, u)
}

// meet reports an operation and a later one of the warp that touch the same cells, one of them writing, if nothing orders them.
func (d *Detector) meet(w *warp, first, then *tensorUse) {
	cells, ok := common(first.cells, then.cells)
	if !ok || !first.writes && !then.writes || w.behindUse(first, then) {
		return
	}
	race := Race{
		First:   Access{*d.sites.at(first.site), first.warp.cta(), first.warp.index(), first.lanes},
		Second:  Access{*d.sites.at(then.site), w.cta.index, w.id.index(), then.lanes},
		SameCTA: first.warp.cta() == w.cta.index, SameWarp: first.warp == w.id, Tensor: &cells,
	}
	switch {
	case !then.writes:
		race.Hazard = ReadAfterWrite
	case !first.writes:
		race.Hazard = WriteAfterRead
	default:
		race.Hazard = WriteAfterWrite
	}
	d.report(race)
}

// behindUse reports whether an operation of the warp comes behind a kept one.
func (w *warp) behindUse(first, then *tensorUse) bool {
	switch {
	case first.warp == w.id && first.lanes&then.lanes != 0:
		return true // of one thread
	case first.over != 0 && w.knowsSome(then.lanes, first.agent, first.lanes, first.over):
		return true
	}
	return first.pipelines(then) && w.knowsSome(then.lanes, first.warp, first.lanes, first.issued)
}

// pipelines reports whether a later operation takes its turn behind one that has been issued.
func (u *tensorUse) pipelines(then *tensorUse) bool {
	return u.pipe == queue.Tensor && then.pipe == queue.Tensor && then.step.Follows(u.step)
}

// knowsSome reports whether some lane of the warp knows some lane of an agent up to a moment: an operation is that of all its lanes.
func (w *warp) knowsSome(lanes uint32, agent warpID, of uint32, at moment) bool {
	var last *knowledge
	for m := lanes; m != 0; m &= m - 1 {
		k := w.lanes[bits.TrailingZeros32(m)].knows
		if k == nil || k == last {
			continue
		}
		last = k
		known := k.of(agent)
		for n := of; n != 0; n &= n - 1 {
			if known.covers(n&-n, at) {
				return true
			}
		}
	}
	return false
}

// keepTensor keeps an operation. Those go whose cells it touches all, which it comes behind, and whose races it has, too.
func (c *cta) keepTensor(w *warp, u tensorUse) {
	c.tensor = slices.DeleteFunc(c.tensor, func(old tensorUse) bool {
		switch {
		case old.writes && !u.writes, !within(old.cells, u.cells):
			return false
		case old.warp == u.warp && old.lanes&u.lanes != 0 && old.pipe != u.pipe:
			return false // over at another time
		}
		return w.behindUse(&old, &u)
	})
	if len(c.tensor) == maxTensorUses {
		c.tensor = slices.Delete(c.tensor, 0, maxTensorUses/2)
	}
	c.tensor = append(c.tensor, u)
}

// common is the cells that two extents share.
func common(a, b machine.Extent) (machine.Extent, bool) {
	a.From, a.To = max(a.From, b.From), min(a.To, b.To)
	a.Row, a.End = max(a.Row, b.Row), min(a.End, b.End)
	return a, a.From < a.To && a.Row < a.End
}

// within reports whether all cells of an extent are in another one.
func within(a, b machine.Extent) bool {
	return a.From >= b.From && a.To <= b.To && a.Row >= b.Row && a.End <= b.End
}

// tensorSync is what tells that operations are over, and orders their issues.
func (o *Observer) tensorSync(e *machine.Event) {
	c := o.detector.cta(e.CTA)
	if c == nil {
		return
	}
	switch w := &c.warps[e.Warp]; e.What {
	case events.TensorWaited:
		c.waitedFor(w, e.Kind != machine.Load)
	case events.TensorCommit:
		if c.commits == nil {
			c.commits = map[uint64]*knowledge{}
		}
		var tracks *knowledge
		c.commits[e.Op.Number] = tracks.with(w.pipeID(), e.Lanes, w.pipe, c.tree, c.agents)
		w.pipe++
	case events.TensorArrive:
		o.arriveTensor(e, c)
	case events.TensorFence:
		w.tensorFence(e)
	}
}

// waitedFor ends the loads, or the stores, of a warp.
func (c *cta) waitedFor(w *warp, writes bool) {
	for i := range c.tensor {
		if u := &c.tensor[i]; u.warp == w.id && u.over == 0 && u.writes == writes {
			u.over = w.now
		}
	}
}

// arriveTensor lets those who wait for an mbarrier know of what a commit tracks.
func (o *Observer) arriveTensor(e *machine.Event, c *cta) {
	owner := o.owner(e, *e.Extent, c)
	if owner == nil {
		return
	}
	p, g := owner.sharedPage(e.Extent.From/pageSize), uint32(e.Extent.From%pageSize/granule)
	if p.places == nil {
		p.places = map[uint32]*location{}
	}
	var kept location
	if at := p.places[g]; at != nil {
		kept = slices.Clone(*at)
	}
	kept = kept.add(published{c.commits[e.Op.Number], model.ClusterScope, c.index})
	p.places[g] = &kept
}

// tensorFence is tcgen05.fence: behind before_thread_sync the lanes' relaxed operations tell of what they have issued, behind
// after_thread_sync they know what theirs have seen.
func (w *warp) tensorFence(e *machine.Event) {
	for m := e.Lanes; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m)
		l := &w.lanes[i]
		if e.Order.Releases() {
			l.early = &published{w.together(1 << i), model.ClusterScope, w.cta.index}
			continue
		}
		for _, p := range l.seen {
			if p.scope >= model.ClusterScope || p.cta == w.cta.index {
				w.learn(1<<i, p.knows)
			}
		}
	}
	if e.Order.Releases() {
		w.now++
	}
}

// freeTensor looks at tcgen05.dealloc as at a write to all that it frees: what others do to it is to be over.
func (o *Observer) freeTensor(e *machine.Event, owner *cta) {
	d, c := o.detector, o.detector.cta(e.CTA)
	if c == nil {
		return
	}
	w := &c.warps[e.Warp]
	u := tensorUse{
		cells: *e.Extent, warp: w.id, lanes: e.Lanes, issued: w.now, agent: w.id, writes: true, pipe: queue.TensorStore,
		site: d.number(w, Site{Func: e.Func, PC: e.PC, Writes: true}),
	}
	for i := range owner.tensor {
		d.meet(w, &owner.tensor[i], &u)
	}
}

// forgetTensor makes columns of a CTA's tensor memory new.
func (o *Observer) forgetTensor(e *machine.Event) {
	index, ok := e.On.Mate(e.Extent.CTA)
	owner := o.detector.cta(index)
	if !ok || owner == nil {
		return
	}
	if e.What == events.Freed {
		o.freeTensor(e, owner)
	}
	all := *e.Extent
	all.Row, all.End = 0, ^uint32(0)
	owner.tensor = slices.DeleteFunc(owner.tensor, func(u tensorUse) bool { return within(u.cells, all) })
}
