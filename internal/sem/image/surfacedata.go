package image

// Surfaces, 9.7.11: loads, stores, reductions and queries at places that are known.

import (
	"fmt"

	"ptxvm.invalid/ptxvm/internal/assume"
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/images"
	"ptxvm.invalid/ptxvm/internal/mem"
	"ptxvm.invalid/ptxvm/internal/sem"
	"ptxvm.invalid/ptxvm/internal/tex"
	"ptxvm.invalid/ptxvm/internal/uop"
)

// planSurfaceLoad sets up d = bytes of [a, b].
func planSurfaceLoad(b *sem.Build) {
	t := b.Sel.Type(isa.C_dtype)
	ops := b.In.Ops
	o := newSurfaceOp(b, &ops[1], uint64(t.Bytes()*len(accessed(b, &ops[0]))), machine.Load)
	o.elem = uint32(t.Bytes())
	o.assumed(b, assume.SurfaceAlignment, assume.SurfaceLayer)
	b.Ext().Dst = placeData(b, &ops[0], t.Bits(), o)
	b.Does(uop.SurfaceLoad)
	b.ExtendHigh(o.wide(b.Ext().Dst), false)
}

// wide lists the destinations of 128 bits.
func (o *surfaceOp) wide(offs []uint32) (lows []uint32) {
	for i, off := range offs {
		if o.bits[i] > 64 {
			lows = append(lows, off)
		}
	}
	return lows
}

// planSurfaceStore sets up bytes of [a, b] = c.
func planSurfaceStore(b *sem.Build) {
	t := b.Sel.Type(isa.C_ctype)
	ops := b.In.Ops
	o := newSurfaceOp(b, &ops[0], uint64(t.Bytes()*len(accessed(b, &ops[1]))), machine.Store)
	o.elem = uint32(t.Bytes())
	o.assumed(b, assume.SurfaceAlignment, assume.SurfaceLayer)
	b.Ext().Src = placeData(b, &ops[1], t.Bits(), o)
	b.Does(uop.SurfaceStore)
}

// planSampleStore sets up sample of [a, b] = c, converted.
func planSampleStore(b *sem.Build) {
	ops := b.In.Ops
	o := newSurfaceOp(b, &ops[0], 0, machine.Store)
	o.Samples = true
	o.assumed(b, assume.SurfaceLayer, assume.SampleInteger)
	b.Ext().Src = placeData(b, &ops[1], 32, o)
	b.Does(uop.SampleStore)
}

// planSurfaceReduce sets up bytes of [a, b] = op(bytes, c).
func planSurfaceReduce(b *sem.Build) {
	t := b.Sel.Type(isa.C_ctype)
	o := newReduction(b, t)
	o.assumed(b, assume.SurfaceAlignment)
	o.plain, _ = sem.RmwBy(b.Sel.Get(isa.C_op), b.Sel.Get(isa.C_ctype))
	o.signed = o.plain
}

// planSampleReduce sets up the same by samples: the format says whether numbers have a sign.
func planSampleReduce(b *sem.Build) {
	t := b.Sel.Type(isa.C_ctype)
	o := newReduction(b, t)
	o.Samples, o.wants = true, wantsInteger
	op, types := b.Sel.Get(isa.C_op), [2]isa.Mod{isa.M_u32, isa.M_s32}
	switch {
	case t.Bits() == 64:
		types = [2]isa.Mod{isa.M_u64, isa.M_s64}
	case op == isa.M_and || op == isa.M_or:
		types = [2]isa.Mod{isa.M_b32, isa.M_b32}
	}
	o.plain, _ = sem.RmwBy(op, types[0])
	o.signed, _ = sem.RmwBy(op, types[1])
}

// wantsInteger: 9.7.11.3 says what formats of integers mean, and of no others.
func wantsInteger(im *images.Image) string {
	if im.Format.Channel.Reads() == tex.AsFloat {
		return fmt.Sprintf("samples of %v are no integers", im.Format)
	}
	return ""
}

func newReduction(b *sem.Build, t isa.Type) *surfaceOp {
	ops := b.In.Ops
	o := newSurfaceOp(b, &ops[0], uint64(t.Bytes()), machine.Atomic)
	b.Ext().Src = placeData(b, &ops[1], t.Bits(), o)
	b.Does(uop.SurfaceReduce)
	return o
}

func surfaceLoad(w *machine.Warp, in *machine.Inst) machine.State {
	o := in.Ext.Data.(*surfaceOp)
	var f found
	if st := o.find(w, in, &f); st != machine.Next {
		return st
	}
	for k, off := range in.Ext.Dst {
		switch {
		case off == machine.NoGuard:
		case o.bits[k] > 32:
			loadFound(w.R64(off), &f, uint32(k)*o.elem, o.elem, w.Mask)
		default:
			loadFound(w.R32(off), &f, uint32(k)*o.elem, o.elem, w.Mask)
		}
	}
	return machine.Next
}

// surfaceStore stores lane by lane: vectors of two lanes may overlap, and the highest lane wins.
func surfaceStore(w *machine.Warp, in *machine.Inst) machine.State {
	o := in.Ext.Data.(*surfaceOp)
	var f found
	if st := o.find(w, in, &f); st != machine.Next {
		return st
	}
	if src := in.Ext.Src; len(src) == 1 && o.elem == 4 && o.bits[0] == 32 {
		storeFound32(w.R32(src[0]), &f)
		return machine.Next
	}
	sem.Each(f.lanes, func(i int) {
		for k, off := range in.Ext.Src {
			mem.StorePlain(mem.Add(f.at[i], uint32(k)*o.elem), o.elem, sem.LoadElem(w, off, o.bits[k], i))
		}
	})
	return machine.Next
}

func sampleStore(w *machine.Warp, in *machine.Inst) machine.State {
	o := in.Ext.Data.(*surfaceOp)
	var f found
	if st := o.find(w, in, &f); st != machine.Next {
		return st
	}
	sem.Each(f.lanes, func(i int) {
		var c [4]uint32
		for k, off := range in.Ext.Src {
			c[k&3] = uint32(sem.LoadElem(w, off, o.bits[k], i))
		}
		format := f.image[i].Format
		s := format.Encode(c, len(in.Ext.Src), o.cut)
		storeSample(f.at[i], &s, format)
	})
	return machine.Next
}

func surfaceReduce(w *machine.Warp, in *machine.Inst) machine.State {
	o := in.Ext.Data.(*surfaceOp)
	var f found
	if st := o.find(w, in, &f); st != machine.Next {
		return st
	}
	plain, signed := o.plain.Updates(), o.signed.Updates()
	sem.Each(f.lanes, func(i int) {
		op := &plain
		if o.Samples && f.image[i].Format.Channel.Reads() == tex.AsSigned {
			op = &signed
		}
		op.Apply(f.at[i], o.elem, sem.LoadElem(w, in.Ext.Src[0], o.bits[0], i), false)
	})
	return machine.Next
}

// planSurfaceQuery sets up d = a property of a.
func planSurfaceQuery(b *sem.Build) {
	ops := b.In.Ops
	o := &surfaceOp{name: b.Sel.Entry.Name}
	o.handle = newReference(b, &ops[1])
	query := queries[b.Sel.Get(isa.C_query)]
	b.Ext().Data = &surfaceQuery{o, query, uint32(b.Assume(assume.SurfaceExtent))}
	b.Out.D = b.Dst(&ops[0], 32)
	b.Does(uop.SurfaceQuery)
}

// surfaceQuery is the decode-time constant of suq.
type surfaceQuery struct {
	*surfaceOp
	of     func(im *images.Image, absent uint32) uint32
	absent uint32 // the extent of a dimension that the geometry does not have: 0, or by an assumption 1
}

var queries = map[isa.Mod]func(im *images.Image, absent uint32) uint32{
	isa.M_width:             func(im *images.Image, _ uint32) uint32 { return im.Width },
	isa.M_height:            queryHeight,
	isa.M_depth:             queryDepth,
	isa.M_channel_data_type: func(im *images.Image, _ uint32) uint32 { return im.Format.Channel.OpenCL() },
	isa.M_channel_order:     func(im *images.Image, _ uint32) uint32 { return im.Format.Order.OpenCL() },
	isa.M_array_size:        func(im *images.Image, _ uint32) uint32 { return im.Layers() },
	isa.M_memory_layout:     func(im *images.Image, _ uint32) uint32 { return sem.Bit(im.Linear) },
}

// The height of an array of lines and the depth of one of planes is the number of its layers (an H100,
// which answers neither height nor depth from a place of its own).
func queryHeight(im *images.Image, absent uint32) uint32 {
	switch im.Geometry {
	case tex.D1:
		return absent
	case tex.D1Layered:
		return im.Slices
	}
	return im.Height
}

func queryDepth(im *images.Image, absent uint32) uint32 {
	if im.Geometry == tex.D3 || im.Geometry == tex.D2Layered {
		return im.Slices
	}
	return absent
}

// querySurface answers for each distinct handle once.
func querySurface(w *machine.Warp, in *machine.Inst) machine.State {
	o := in.Ext.Data.(*surfaceQuery)
	var answers [32]uint32
	st := o.eachImage(w, in, func(im *images.Image, group uint32) machine.State {
		v := o.of(im, o.absent)
		sem.Each(group, func(i int) { answers[i] = v })
		return machine.Next
	})
	if st == machine.Next {
		sem.StoreLanes(w.R32(in.D), &answers, w.Mask)
	}
	return st
}
