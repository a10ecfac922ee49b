package machine

// This file tells what products do: to registers (9.7.15.7), as warps of a warpgroup (9.7.15.5), and with the
// collector buffers of a CTA's tensor core (9.7.16.10.3).

import "ptxvm.invalid/ptxvm/internal/machine/events"

// RowUse is the bytes of a register block that an instruction reads or writes.
type RowUse struct {
	From, To uint32
	Kind     AccessKind // Load or Store
}

// UseRows tells which bytes of the running frame's register block an instruction touches that is no product.
func (w *Warp) UseRows(in *Inst, rows []RowUse) {
	if w.cta.grid.wants(events.WantsUse | events.WantsOwed) {
		w.Observe(in, Event{What: events.RowsUsed, Lanes: w.Mask, About: rows})
	}
}

// FencedProducts tells of wgmma.fence.
func (w *Warp) FencedProducts(in *Inst) {
	if w.Watchful() {
		w.Observe(in, Event{What: events.ProductFence, Lanes: w.Mask})
	}
}

// ProductStep is what an operation of queue.Product has in registers: rows of the frame that issues it.
type ProductStep struct {
	Shape uint32   // tells shapes apart; 0: none
	D, A  []uint32 // where the rows begin; A is nil if it is in shared memory
	Frame *Frame
}

// ProductRows names the rows of a product of the running frame.
func (w *Warp) ProductRows(shape uint32, d, a []uint32) ProductStep {
	return ProductStep{shape, d, a, w.frag.frame}
}

// UnfencedProduct tells of a wgmma.mma_async, before anything else of it.
func (w *Warp) UnfencedProduct(in *Inst, p *ProductStep) {
	if w.Watchful() {
		mine := *p
		w.Observe(in, Event{What: events.ProductBegins, Lanes: w.Mask, About: &mine})
	}
}

// Running is the frame of the running lanes.
func (w *Warp) Running() *Frame { return w.frag.frame }

// GroupStep is an instruction that the four warps of a warpgroup make as one.
type GroupStep struct {
	Registers bool   // setmaxnreg, else a product
	A, B      uint64 // of products descriptors, A is 0 of a matrix in registers; of registers their number
}

// GroupProduct tells of a wgmma.mma_async and of its descriptors.
func (w *Warp) GroupProduct(in *Inst, a, b uint64) {
	if w.Watchful() {
		w.Observe(in, Event{What: events.GroupSteps, Lanes: w.Mask, About: &GroupStep{false, a, b}})
	}
}

// CollectorUse is what a product does with a buffer.
type CollectorUse uint8

// The uses.
const (
	CollectorDiscard CollectorUse = iota
	CollectorFill
	CollectorReuse   // ::use
	CollectorLastUse // and what follows may not use it again
)

// CollectorStep is a product's use of one buffer.
type CollectorStep struct {
	Buffer string // as the modifier names it: a, b, b0 to b3
	Use    CollectorUse
	Matrix string // where the matrix lies
}

// Collect tells what a product of a lane does with a buffer, in a launch that is Watchful.
func (w *Warp) Collect(in *Inst, lane int, s *CollectorStep) {
	w.Observe(in, Event{What: events.Collects, Lanes: 1 << lane, About: s})
}
