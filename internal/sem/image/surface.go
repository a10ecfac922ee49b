package image

// Surfaces, 9.7.11: what a statement accesses, and where its lanes find it. All lanes are looked
// at before any of them accesses memory, so an instruction that faults has no effect.

import (
	"fmt"
	"math/bits"

	"ptxvm.invalid/ptxvm/internal/assume"
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/events"
	"ptxvm.invalid/ptxvm/internal/machine/faults"
	"ptxvm.invalid/ptxvm/internal/machine/images"
	"ptxvm.invalid/ptxvm/internal/machine/model"
	"ptxvm.invalid/ptxvm/internal/mem"
	"ptxvm.invalid/ptxvm/internal/sem"
	"ptxvm.invalid/ptxvm/internal/tex"
	"ptxvm.invalid/ptxvm/internal/uop"
)

func surfaceLines() []sem.Line {
	return []sem.Line{
		{ID: isa.SuldB, Do: sem.Plan(planSurfaceLoad, isa.C_geom, isa.C_vec, isa.C_dtype, isa.C_bounds).Assuming(assume.SurfaceAlignment, assume.SurfaceLayer)},
		{ID: isa.SustB, Do: sem.Plan(planSurfaceStore, isa.C_geom, isa.C_vec, isa.C_ctype, isa.C_bounds).Assuming(assume.SurfaceAlignment, assume.SurfaceLayer)},
		{ID: isa.SustP, Do: sem.Plan(planSampleStore, isa.C_geom, isa.C_vec, isa.C_bounds).Assuming(assume.SurfaceLayer, assume.SampleInteger)},
		{ID: isa.SuredB, Do: sem.Plan(planSurfaceReduce, isa.C_geom, isa.C_op, isa.C_ctype, isa.C_bounds).Assuming(assume.SurfaceAlignment)},
		{ID: isa.SuredP, Do: sem.Plan(planSampleReduce, isa.C_geom, isa.C_op, isa.C_ctype, isa.C_bounds)},
		{ID: isa.Suq, Do: sem.Plan(planSurfaceQuery, isa.C_query).Assuming(assume.SurfaceExtent)},
	}
}

// surfaceOp is the decode-time constant of a surface instruction.
type surfaceOp struct {
	uop.Private
	tex.Access
	handle  reference
	x, y, k uint32 // rows of coordinates
	elem    uint32 // bytes of an element
	kind    machine.AccessKind
	bits    []int                         // of the registers of each element; 0: the sink
	name    string                        // of the form, for faults
	wants   func(im *images.Image) string // why the format does not do; nil: any does
	cut     bool                          // sust.p: integers lose high bits
	signed  sem.Rmw                       // sured: on numbers with a sign
	plain   sem.Rmw                       // sured: on others
}

// found is where the lanes of an instruction access memory.
type found struct {
	at    [32]mem.Pointer
	image [32]*images.Image // of each lane that has a place
	lanes uint32            // those that access memory; the others of the mask are dropped
}

var reaches = map[isa.Mod]tex.Reach{
	isa.M_1d: tex.Reach1D, isa.M_2d: tex.Reach2D, isa.M_3d: tex.Reach3D, isa.M_a1d: tex.ReachA1D, isa.M_a2d: tex.ReachA2D,
}

var boundsModes = map[isa.Mod]tex.Bounds{isa.M_trap: tex.Trap, isa.M_clamp: tex.Clamp, isa.M_zero: tex.Zero}

// newSurfaceOp reads what a statement accesses and places surface and coordinates; a is the operand
// with both.
func newSurfaceOp(b *sem.Build, a *ir.Operand, size uint64, kind machine.AccessKind) *surfaceOp {
	o := &surfaceOp{name: b.Sel.Entry.Name, elem: uint32(size), kind: kind}
	o.Reach, o.Bounds, o.Size = reaches[b.Sel.Get(isa.C_geom)], boundsModes[b.Sel.Get(isa.C_bounds)], size
	o.handle = newReference(b, a)
	surfaceCoordinates(b, &a.Elems[0], o)
	b.Ext().Data = o
	return o
}

// surfaceCoordinates places x, y and k. One register for several coordinates is the first of them, the
// others are 0 (as ptxas 13.5 compiles it); what a vector has more than the geometry is ignored.
func surfaceCoordinates(b *sem.Build, c *ir.Operand, o *surfaceOp) {
	list := sem.Elements(c)
	at := func(i int) uint32 {
		if i < 0 || i >= len(list) {
			return b.Constant(0, 32)
		}
		return b.Src(&list[i], 32)
	}
	order := map[tex.Reach][3]int{
		tex.Reach1D: {0, -1, -1}, tex.Reach2D: {0, 1, -1}, tex.Reach3D: {0, 1, 2}, tex.ReachA1D: {1, -1, 0}, tex.ReachA2D: {1, 2, 0},
	}[o.Reach]
	o.x, o.y, o.k = at(order[0]), at(order[1]), at(order[2])
}

// assumed reads the launch's positions of the assumptions that the line depends on.
func (o *surfaceOp) assumed(b *sem.Build, asked ...assume.Assumption) {
	for _, g := range asked {
		on := b.Assume(g) == 1
		switch g {
		case assume.SurfaceAlignment:
			o.Mask = on
		case assume.SurfaceLayer:
			o.AnyMode = on
		case assume.SampleInteger:
			o.cut = on
		}
	}
}

// accessed lists the elements of a destination or source that an instruction accesses: without
// .v2 or .v4 the first of them (as ptxas 13.5 compiles it).
func accessed(b *sem.Build, d *ir.Operand) []ir.Operand {
	list := sem.Elements(d)
	if b.Sel.Get(isa.C_vec) == 0 {
		return list[:1]
	}
	return list
}

// placeData places the elements of a destination or source and returns their offsets.
func placeData(b *sem.Build, d *ir.Operand, typeBits int, o *surfaceOp) (offs []uint32) {
	list := accessed(b, d)
	for i := range list {
		if list[i].Kind == ir.OpSink {
			o.bits = append(o.bits, 0)
			offs = append(offs, machine.NoGuard)
			continue
		}
		width := b.OperandBits(&list[i], typeBits)
		o.bits = append(o.bits, width)
		if width > 64 { // 9.4.1: the low half is what is accessed
			lo, _ := b.Halves(&list[i])
			offs = append(offs, lo)
			continue
		}
		offs = append(offs, b.Src(&list[i], width))
	}
	return offs
}

// eachImage visits the images that the running lanes name, each once with its lanes, until a visit
// does not end with Next; a handle of no image is a fault.
func (o *surfaceOp) eachImage(w *machine.Warp, in *machine.Inst, visit func(im *images.Image, group uint32) machine.State) machine.State {
	one, row := o.handle.of(w, in)
	for rest := w.Mask; rest != 0; {
		group := rest
		if row != nil {
			one, group = sameHandle(row, rest)
		}
		rest &^= group
		im, why := w.Images().Surface(one)
		if im == nil {
			return o.missing(w, in, one, group, why)
		}
		if st := visit(im, group); st != machine.Next {
			return st
		}
	}
	return machine.Next
}

// find locates the lanes of an instruction.
func (o *surfaceOp) find(w *machine.Warp, in *machine.Inst, f *found) machine.State {
	f.lanes = 0
	st := o.eachImage(w, in, func(im *images.Image, group uint32) machine.State {
		return o.locate(w, in, im, group, f)
	})
	if st == machine.Next && w.Observing() {
		o.tell(w, in, f)
	}
	return st
}

// tell tells observers what the lanes are about to access, format by format. Reductions are atomic.
func (o *surfaceOp) tell(w *machine.Warp, in *machine.Inst, f *found) {
	e := machine.Event{What: events.ImageTouched, Space: machine.Global, Proxy: model.SurfaceProxy, Kind: o.kind}
	if o.kind == machine.Atomic {
		e.Order, e.Scope = model.Relaxed, model.GPUScope
	}
	var addr [32]uint64
	for rest := f.lanes; rest != 0; rest &^= e.Lanes {
		im := f.image[sem.Lowest(rest)]
		e.Lanes, e.Size, e.Addr = 0, o.bytesOf(im), &addr
		sem.Each(rest, func(i int) {
			if f.image[i] == im {
				addr[i] = im.Base + distance(w.GlobalAt(im, 0), f.at[i])
				e.Lanes |= 1 << i
			}
		})
		w.Observe(in, e)
	}
}

// bytesOf is what a lane accesses of an image.
func (o *surfaceOp) bytesOf(im *images.Image) uint32 {
	if o.Size != 0 {
		return uint32(o.Size)
	}
	return uint32(im.Format.Bytes())
}

// missing is the fault of a handle that names no surface.
func (o *surfaceOp) missing(w *machine.Warp, in *machine.Inst, handle uint64, lanes uint32, why string) machine.State {
	return w.Fault(in, &machine.Fault{Kind: faults.NoSurface, Lanes: lanes, Addr: handle, Text: fmt.Sprintf("%s of %#x: %s", o.name, handle, why)})
}

// sameHandle returns the handle of the first lane, and the lanes that have it.
func sameHandle(row *[32]uint64, lanes uint32) (one uint64, group uint32) {
	one = row[bits.TrailingZeros32(lanes)&31]
	for m := lanes; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		group |= sem.Bit(row[i] == one) << i
	}
	return one, group
}

// locate finds the lanes of one surface: those that are plainly inside by Window, the others one
// by one.
func (o *surfaceOp) locate(w *machine.Warp, in *machine.Inst, im *images.Image, lanes uint32, f *found) machine.State {
	v := o.Window(&im.Image)
	if st := o.suits(w, in, im, lanes, &v); st != machine.Next {
		return st
	}
	x, y, k := w.R32(o.x), w.R32(o.y), w.R32(o.k)
	slow := uint32(0)
	base := w.GlobalAt(im, 0)
	for m := lanes; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		off, ok := v.Inside(x[i], y[i], k[i])
		f.at[i], f.image[i] = addLong(base, off), im
		slow |= sem.Bit(!ok) << i
	}
	f.lanes |= lanes
	if slow == 0 {
		return machine.Next
	}
	return o.locateSlow(w, in, im, slow, f)
}

func (o *surfaceOp) locateSlow(w *machine.Warp, in *machine.Inst, im *images.Image, lanes uint32, f *found) machine.State {
	var first tex.Outcome
	bad := uint32(0)
	for m := lanes; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		off, out := o.Locate(&im.Image, o.point(w, i))
		switch {
		case out == tex.Inside:
			f.at[i] = w.GlobalAt(im, off)
		case out == tex.Dropped:
			f.lanes &^= 1 << i
		case bad == 0:
			first = out
			fallthrough
		case out == first:
			bad |= 1 << i
		}
	}
	if bad == 0 {
		return machine.Next
	}
	return o.outside(w, in, im, bad, first)
}

func (o *surfaceOp) point(w *machine.Warp, i int) tex.Point {
	return tex.Point{X: int32(w.R32(o.x)[i]), Y: int32(w.R32(o.y)[i]), K: w.R32(o.k)[i]}
}

// outside is the fault of lanes that do not find a place.
func (o *surfaceOp) outside(w *machine.Warp, in *machine.Inst, im *images.Image, lanes uint32, out tex.Outcome) machine.State {
	kind := faults.SurfaceBounds
	if out == tex.Misaligned {
		kind = faults.SurfaceAlignment
	}
	p := o.point(w, bits.TrailingZeros32(lanes)&31)
	return w.Fault(in, &machine.Fault{Kind: kind, Lanes: lanes, Text: fmt.Sprintf("%s.%v of %d bytes at %s of %s: %s",
		o.name, o.Reach, o.bytesOf(im), o.Point(p), named(im), o.Why(&im.Image, p, out))})
}

// named describes an image for faults: surface photo (2d 64x48 u8x4).
func named(im *images.Image) string {
	if im.Name == "" {
		return fmt.Sprintf("a surface (%v)", &im.Image)
	}
	return fmt.Sprintf("surface %s (%v)", im.Name, &im.Image)
}

// suits faults where the surface is not of the kind that the instruction wants.
func (o *surfaceOp) suits(w *machine.Warp, in *machine.Inst, im *images.Image, lanes uint32, v *tex.Window) machine.State {
	why := ""
	switch {
	case !v.Accessible:
		why = fmt.Sprintf("its geometry wants .%v", im.Geometry.Reach())
	case o.wants != nil:
		why = o.wants(im)
	}
	if why == "" {
		return machine.Next
	}
	return w.Fault(in, &machine.Fault{Kind: faults.WrongSurface, Lanes: lanes, Text: fmt.Sprintf("%s.%v of %s: %s", o.name, o.Reach, named(im), why)})
}
