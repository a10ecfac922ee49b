package machine

// This file follows, for launches that look for misuse, who has touched the registers of products since the warp's last
// wgmma.fence (9.7.15.7.1): D and an A in registers need one between any other access and wgmma.mma_async; only D, from
// product to product of one shape, needs none.

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
// registers something else has touched since the last: d and a are the rows of the matrices, shape tells shapes apart and is
// not 0.
func (w *Warp) UnfencedProduct(in *Inst, d, a []uint32, shape uint32) {
	if !w.Watchful() {
		return
	}
	if !w.fenced {
		w.misusedAs(ProductMisuse, in, w.Mask, "the first wgmma.mma_async of the warp, without wgmma.fence before it")
		w.fenced = true
		return
	}
	u := w.usesOfRegisters()
	if use := u.unfenced(d, a, shape); use != nil {
		w.unfencedAccess(in, use)
	}
	for _, off := range d {
		u.rows[off/rowPiece] = registerUse{u.fences, w.PC(in), shape}
	}
}

// unfenced is an access to a register of a product, nil if all are ordered before it.
func (u *registerUses) unfenced(d, a []uint32, shape uint32) *registerUse {
	for _, off := range d {
		if use := &u.rows[off/rowPiece]; use.fences == u.fences && use.shape != shape {
			return use
		}
	}
	for _, off := range a {
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
