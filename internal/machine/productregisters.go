package machine

// This file has what products do to registers. Those of an open product are no other's (9.7.15.7.3). And it follows, for launches
// that look for misuse, who has touched registers of products since the warp's last wgmma.fence (9.7.15.7.1): D and an A in
// registers need one between any other access and wgmma.mma_async; only D, from product to product of one shape, needs none.

import "slices"

// rowPiece divides every row, and no piece is of two: rows begin at multiples of it. The first piece stands for the row.
const rowPiece = 64

// registerUses is who has touched the rows of a frame last. What is done in other frames it forgets.
type registerUses struct {
	frame  *Frame
	fences uint32        // of the warp so far, and one more
	rows   []registerUse // by piece
}

// registerUse is an access to a row.
type registerUse struct {
	fences uint32 // before it; 0: there was none
	pc     int32
	shape  uint32 // of the product that has D there; 0: it was something else
}

// usesOfRegisters is what is known of the running frame.
func (w *Warp) usesOfRegisters() *registerUses {
	u := &w.uses
	if f := w.frag.frame; u.frame != f {
		u.frame, u.fences = f, max(u.fences, 1)
		n := int(f.code.RegBytes+rowPiece-1) / rowPiece
		if cap(u.rows) < n {
			u.rows = make([]registerUse, n)
		}
		u.rows = u.rows[:n]
		clear(u.rows)
	}
	return u
}

// UseRows notes that an instruction other than a product touches bytes of the running frame's register block.
func (w *Warp) UseRows(in *Inst, from, to uint32) {
	u := w.usesOfRegisters()
	for i := from / rowPiece; i*rowPiece < to; i++ {
		u.rows[i] = registerUse{fences: u.fences, pc: w.PC(in)}
	}
}

// FencedProducts notes wgmma.fence.
func (w *Warp) FencedProducts() {
	w.fenced = true
	if w.Watchful() {
		w.usesOfRegisters().fences++
	}
}

// UnfencedProduct reports the first wgmma.mma_async of a warp that has executed no wgmma.fence before, and any whose
// registers something else has touched since the last.
func (w *Warp) UnfencedProduct(in *Inst, p *ProductStep) {
	if !w.Watchful() {
		return
	}
	if !w.fenced {
		w.misusedAs(ProductMisuse, in, w.Mask, "the first wgmma.mma_async of the warp, without wgmma.fence before it")
		w.fenced = true
		return
	}
	u := w.usesOfRegisters()
	if use := u.unfenced(p); use != nil {
		w.unfencedAccess(in, use)
	}
	for _, off := range p.D {
		u.rows[off/rowPiece] = registerUse{u.fences, w.PC(in), p.Shape}
	}
}

// unfenced is an access to a register of a product, nil if all are ordered before it.
func (u *registerUses) unfenced(p *ProductStep) *registerUse {
	for _, off := range p.D {
		if use := &u.rows[off/rowPiece]; use.fences == u.fences && use.shape != p.Shape {
			return use
		}
	}
	for _, off := range p.A {
		if use := &u.rows[off/rowPiece]; use.fences == u.fences && use.shape == 0 {
			return use
		}
	}
	return nil
}

// unfencedAccess reports an access that is not ordered before a product.
func (w *Warp) unfencedAccess(in *Inst, use *registerUse) {
	text := "a register of the product has been accessed since the warp's last wgmma.fence"
	if use.shape != 0 {
		text = "a product of another shape has had the accumulator since the warp's last wgmma.fence"
	}
	then := w.Place(in)
	then.Lanes, then.Thread = w.Mask, w.cta.grid.thread(w.index, first(w.Mask))
	op := then
	op.PC = use.pc
	op.Thread = w.cta.grid.thread(w.index, first(w.Mask))
	w.cta.grid.Reporter.Report(&Report{Kind: ProductMisuse, Then: then, Op: op, Text: text})
}

// ProductStep is what an operation of ProductPipe has in registers: rows of the frame that issues it.
type ProductStep struct {
	Shape uint32   // tells shapes apart; 0: none
	D, A  []uint32 // where the rows begin; A is nil if it is in shared memory
	frame *Frame
}

// ProductRows names the rows of a product of the running frame.
func (w *Warp) ProductRows(shape uint32, d, a []uint32) ProductStep {
	return ProductStep{shape, d, a, w.frag.frame}
}

// productClash is the report of a register that a product has while an earlier one of the warp may still use it; nil if there is
// none. Products of one shape have an accumulator in turns.
func productClash(o, op *Op) *Report {
	old, mine := &o.Product, &op.Product
	if old.Shape == 0 || old.frame != mine.frame {
		return nil
	}
	if old.Shape != mine.Shape && o.sure < hasWritten {
		if r := rowClash(WriteBeforeDone, o, op, old.D, mine.D); r != nil {
			return r
		}
	}
	if o.sure < hasWritten {
		if r := rowClash(ReadBeforeDone, o, op, old.D, mine.A); r != nil {
			return r
		}
	}
	if o.sure < hasRead {
		return rowClash(WriteBeforeRead, o, op, old.A, mine.D)
	}
	return nil
}

// rowClash is the report of the first of a product's rows that is among those of an earlier one.
func rowClash(kind ReportKind, o, op *Op, old, mine []uint32) *Report {
	if len(old) == 0 {
		return nil
	}
	for _, off := range mine {
		if slices.Contains(old, off) {
			x := Extent{Space: Registers, Lane: -1, From: uint64(off), To: uint64(off) + 4*32, frame: op.Product.frame}
			return &Report{Kind: kind, Extent: x, Op: o.Place, Then: op.Place}
		}
	}
	return nil
}
