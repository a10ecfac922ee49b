package misuse

// This file follows who has touched registers of products since the warp's last wgmma.fence (9.7.15.7.1): D and an A
// in registers need one between any other access and wgmma.mma_async; only D, from product to product of one shape,
// needs none.

import (
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/san/found"
)

// rowPiece divides every row, and no piece is of two: rows begin at multiples of it. The first piece stands for the
// row.
const rowPiece = 64

// registerUses is who has touched the rows of a frame last. What is done in other frames it forgets.
type registerUses struct {
	frame  *machine.Frame
	fences uint32        // of the warp so far, and one more
	rows   []registerUse // by piece
}

// registerUse is an access to a row.
type registerUse struct {
	fences uint32 // before it; 0: there was none
	pc     int32
	shape  uint32 // of the product that has D there; 0: it was something else
}

// usesOf is what is known of a frame.
func (w *warp) usesOf(f *machine.Frame) *registerUses {
	u := &w.uses
	if u.frame != f {
		u.frame, u.fences, u.rows = f, max(u.fences, 1), u.rows[:0]
	}
	return u
}

// row is the use of a piece.
func (u *registerUses) row(piece uint32) *registerUse {
	for uint32(len(u.rows)) <= piece {
		u.rows = append(u.rows, registerUse{})
	}
	return &u.rows[piece]
}

// rows notes that an instruction other than a product touches registers.
func (o *Observer) rows(e *machine.Event, rows []machine.RowUse) {
	u := o.warp(e).usesOf(e.On.Running())
	for _, r := range rows {
		for i := r.From / rowPiece; i*rowPiece < r.To; i++ {
			*u.row(i) = registerUse{fences: u.fences, pc: e.PC}
		}
	}
}

// gone forgets a frame, whose memory another may have.
func (o *Observer) gone(e *machine.Event, f *machine.Frame) {
	if of := o.running.Of(e.Cluster); of != nil && of.ctas[e.CTA] != nil {
		for _, w := range of.ctas[e.CTA].warps {
			if w.uses.frame == f {
				w.uses.frame = nil
			}
		}
	}
}

// product reports the first wgmma.mma_async of a warp that has executed no wgmma.fence before, and any whose
// registers something else has touched since the last.
func (o *Observer) product(e *machine.Event, p *machine.ProductStep) {
	w := o.warp(e)
	if !w.fenced {
		o.misusedBeside(e, machine.Place{}, found.ProductMisuse, e.Lanes, "the first wgmma.mma_async of the warp, without wgmma.fence before it")
		w.fenced = true
		return
	}
	u := w.usesOf(p.Frame)
	if use := u.unfenced(p); use != nil {
		o.unfencedAccess(e, use)
	}
	for _, off := range p.D {
		*u.row(off / rowPiece) = registerUse{u.fences, e.PC, p.Shape}
	}
}

// unfenced is an access to a register of a product, nil if all are ordered before it.
func (u *registerUses) unfenced(p *machine.ProductStep) *registerUse {
	for _, off := range p.D {
		if use := u.row(off / rowPiece); use.fences == u.fences && use.shape != p.Shape {
			return use
		}
	}
	for _, off := range p.A {
		if use := u.row(off / rowPiece); use.fences == u.fences && use.shape == 0 {
			return use
		}
	}
	return nil
}

// unfencedAccess reports an access that is not ordered before a product.
func (o *Observer) unfencedAccess(e *machine.Event, use *registerUse) {
	text := "a register of the product has been accessed since the warp's last wgmma.fence"
	if use.shape != 0 {
		text = "a product of another shape has had the accumulator since the warp's last wgmma.fence"
	}
	o.misusedBeside(e, e.On.PlaceAt(use.pc, e.Lanes), found.ProductMisuse, e.Lanes, "%s", text)
}
