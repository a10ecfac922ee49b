package machine

// This file tells what a CTA leaves behind when its threads have exited (WantsLeft): tensor memory, and mbarriers
// that still expect bytes. Launches that do not ask test one bit.

import "ptxvm.invalid/ptxvm/internal/machine/events"

// Leaks reports whether the launch wants to know what is left behind.
func (w *Warp) Leaks() bool { return w.cta.grid.wants(events.WantsLeft) }

// Asked tells where the object is told of bytes to come in its current phase, if that has not completed by it.
func (w *Warp) Asked(in *Inst, b Mbarrier) {
	if o, ok := b.cta.mbarriers.Living(b.at.Addr); ok && o.Word.Tx() != 0 {
		w.Observe(in, Event{What: events.BytesAsked, Lanes: w.Mask, Phase: o.Phase, Extent: b.extent()})
	}
}

// extent is the object in shared memory.
func (b Mbarrier) extent() *Extent { return b.cta.mbarrierExtent(b.at.Addr) }

// Remains is what is there of a CTA whose lanes, and those of its cluster, have all exited.
type Remains struct {
	Quiet     bool        // nothing will signal any more
	Last      bool        // of the CTAs of the cluster
	Tensor    []Place     // where columns were allocated that are still there
	Mbarriers []Expecting // those whose tx-count is not 0
	Extents   []Extent    // of Tensor
}

// Expecting is an mbarrier that waits for bytes.
type Expecting struct {
	Extent Extent
	Phase  uint64
	Bytes  int32
}

// finished tells that all lanes of the cluster have exited.
func (c *CTA) finished(quiet, last bool) {
	if !c.grid.wants(events.WantsLeft | events.WantsUse | events.WantsOwed) {
		return
	}
	left := Remains{Quiet: quiet, Last: last}
	if c.grid.wants(events.WantsLeft) {
		for a := range c.tensor.Allocations() {
			left.Tensor, left.Extents = append(left.Tensor, a.Made.(Place)), append(left.Extents, TensorExtent(&c.tensor, 0, 128, int(a.Column), int(a.Columns)))
		}
		for addr, o := range c.mbarriers.All() {
			if tx := o.Word.Tx(); tx != 0 {
				left.Mbarriers = append(left.Mbarriers, Expecting{*c.mbarrierExtent(addr), o.Phase, tx})
			}
		}
	}
	c.tellUse(Event{What: events.CTAFinished, About: &left})
}
