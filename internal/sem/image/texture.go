package image

// Textures, 9.7.10: what a statement reads and where its lanes have coordinates. All lanes' textures
// are looked at before any result is written, so an instruction that faults has no effect.

import (
	"fmt"
	"math/bits"
	"slices"
	"sync"

	"ptxvm.invalid/ptxvm/internal/assume"
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/events"
	"ptxvm.invalid/ptxvm/internal/machine/faults"
	"ptxvm.invalid/ptxvm/internal/machine/images"
	"ptxvm.invalid/ptxvm/internal/machine/model"
	"ptxvm.invalid/ptxvm/internal/num"
	"ptxvm.invalid/ptxvm/internal/sem"
	"ptxvm.invalid/ptxvm/internal/tex"
	"ptxvm.invalid/ptxvm/internal/uop"
)

// filterAssumptions are what every lookup depends on.
var filterAssumptions = []assume.Assumption{assume.TextureFraction, assume.TextureSum, assume.TextureNaN,
	assume.TextureAlpha, assume.TextureBorder, assume.TextureOffset, assume.TextureTies}

// cubeAssumptions are what lookups of cubes depend on beside, and anisotropyAssumptions those with gradients.
var (
	cubeAssumptions       = []assume.Assumption{assume.CubeCorner, assume.CubeAddress}
	anisotropyAssumptions = []assume.Assumption{assume.AnisotropyAxes, assume.AnisotropyCount, assume.AnisotropyPlaces, assume.AnisotropyPoint}
)

func textureLines() []sem.Line {
	gather := slices.Concat(filterAssumptions, cubeAssumptions)
	tex := append(slices.Concat(gather, anisotropyAssumptions), assume.TextureLevel, assume.TextureHalf, assume.TextureLayers, assume.IntegerFilter)
	return []sem.Line{
		{ID: isa.Tex, Do: sem.Plan(planTexture, isa.C_geom, isa.C_mip, isa.C_dtype, isa.C_ctype).Assuming(tex...)},
		{ID: isa.Tld4, Do: sem.Plan(planGather, isa.C_geom, isa.C_comp, isa.C_dtype).Assuming(gather...)},
		{ID: isa.Txq, Do: sem.Plan(planTextureQuery, isa.C_query, isa.C_lquery).Sees(isa.M_level)},
		{ID: isa.Istypep, Do: sem.Plan(planIsType, isa.C_type)},
	}
}

// textureOp is the decode-time constant of tex and tld4.
type textureOp struct {
	uop.Private
	tex.Lookup
	name     string
	texture  reference
	sampler  *reference // nil: the texture has it
	at       [3]uint32  // rows of coordinates
	layer    uint32     // rows of the others
	sample   uint32
	level    uint32
	dx, dy   [3]uint32
	offset   [3]uint32
	depth    uint32
	resident uint32 // the predicate
	result   textureResult
	cutHalf  bool
}

// textureResult is what registers get of a texel.
type textureResult uint8

const (
	resultFloat textureResult = iota
	resultInteger
	resultHalf    // a register for each component
	resultHalfTwo // two registers
)

var textureResults = map[isa.Mod]textureResult{
	isa.M_f32: resultFloat, isa.M_u32: resultInteger, isa.M_s32: resultInteger, isa.M_f16: resultHalf, isa.M_f16x2: resultHalfTwo,
}

func init() {
	reaches[isa.M_cube], reaches[isa.M_acube] = tex.ReachCube, tex.ReachACube
	reaches[isa.M_2dms], reaches[isa.M_a2dms] = tex.Reach2DMS, tex.ReachA2DMS
}

// planTexture sets up d|p = a texel of [a, b, c].
func planTexture(b *sem.Build) {
	o := newTextureOp(b)
	o.Integer = b.Sel.Get(isa.C_ctype) == isa.M_s32
	o.Mip = map[isa.Mod]tex.Mip{isa.M_level: tex.MipLevel, isa.M_grad: tex.MipGradient}[b.Sel.Get(isa.C_mip)]
	if o.Mip == tex.MipGradient {
		readAnisotropy(b, o)
	}
	o.CutLevel = b.Assume(assume.TextureLevel) == 1
	o.cutHalf = b.Assume(assume.TextureHalf) == 1
	o.IntegerSum = b.Assume(assume.IntegerFilter) == 1
	if o.Reach == tex.ReachA2DMS && b.Assume(assume.TextureLayers) == 1 {
		o.layer, o.sample = o.sample, o.layer
	}
	b.Does(uop.Texture)
}

// planGather sets up d|p = a component of four texels of [a, b, c].
func planGather(b *sem.Build) {
	o := newTextureOp(b)
	o.Gather = map[isa.Mod]int{isa.M_r: 1, isa.M_g: 2, isa.M_b: 3, isa.M_a: 4}[b.Sel.Get(isa.C_comp)]
	b.Does(uop.Texture)
}

// newTextureOp places the operands that both have.
func newTextureOp(b *sem.Build) *textureOp {
	o := &textureOp{name: b.Sel.Entry.Name, resident: machine.NoGuard, result: textureResults[b.Sel.Get(isa.C_dtype)]}
	o.Reach = reaches[b.Sel.Get(isa.C_geom)]
	o.texture = newReference(b, b.In.Op(isa.R_a))
	if s := b.In.Op(isa.R_b); s != nil {
		r := newReference(b, s)
		o.sampler = &r
	}
	textureCoordinates(b, o)
	o.level = orZero(b, isa.R_lod)
	o.dx, o.dy, o.offset = triple(b, isa.R_dpdx, 0), triple(b, isa.R_dpdy, 0), triple(b, isa.R_e, 0)
	o.Compare = b.In.Op(isa.R_f) != nil
	o.depth = orZero(b, isa.R_f)
	placeResults(b, o)
	readFilter(b, o)
	if o.Reach.Cube() {
		o.CornerEdge, o.FaceClamp = b.Assume(assume.CubeCorner) == 1, b.Assume(assume.CubeAddress) == 1
	}
	b.Ext().Data = o
	return o
}

// textureCoordinates places what c has: layer or sample, then as many coordinates as the geometry
// has. One register for several is the first of them, as for surfaces.
func textureCoordinates(b *sem.Build, o *textureOp) {
	list := sem.Elements(b.In.Op(isa.R_c))
	at := func(i int) uint32 {
		if i >= len(list) {
			return b.Constant(0, 32)
		}
		return b.Src(&list[i], 32)
	}
	first := 0
	zero := b.Constant(0, 32)
	o.layer, o.sample = zero, zero
	switch o.Reach {
	case tex.ReachA1D, tex.ReachA2D, tex.ReachACube:
		o.layer, first = at(0), 1
	case tex.Reach2DMS:
		o.sample, first = at(0), 1
	case tex.ReachA2DMS: // "the first element selects the texture", 9.7.10.3, which also says otherwise
		o.layer, o.sample, first = at(0), at(1), 2
	}
	o.at = triple(b, isa.R_c, first)
}

// triple places up to three elements of an operand from the first one on; what is not there is 0.
func triple(b *sem.Build, role isa.Role, first int) (rows [3]uint32) {
	var list []ir.Operand
	if op := b.In.Op(role); op != nil {
		list = sem.Elements(op)
	}
	for i := range rows {
		if rows[i] = b.Constant(0, 32); first+i < len(list) {
			rows[i] = b.Src(&list[first+i], 32)
		}
	}
	return rows
}

// orZero places an operand that need not be there.
func orZero(b *sem.Build, role isa.Role) uint32 {
	if op := b.In.Op(role); op != nil {
		return b.Src(op, 32)
	}
	return b.Constant(0, 32)
}

// placeResults places destinations and the predicate of residency.
func placeResults(b *sem.Build, o *textureOp) {
	d := &b.In.Ops[0]
	if d.Kind == ir.OpPair {
		o.resident = b.Dst(&d.Elems[1], 1)
		d = &d.Elems[0]
	}
	for _, e := range sem.Elements(d) {
		off := uint32(machine.NoGuard)
		if e.Kind != ir.OpSink {
			off = b.Src(&e, 32)
		}
		b.Ext().Dst = append(b.Ext().Dst, off)
	}
}

// readFilter reads the launch's positions.
func readFilter(b *sem.Build, o *textureOp) {
	for _, g := range filterAssumptions {
		on := b.Assume(g) == 1
		switch g {
		case assume.TextureFraction:
			o.CutFraction = on
		case assume.TextureSum:
			o.WideSum = on
		case assume.TextureNaN:
			o.NaNOutside = on
		case assume.TextureAlpha:
			o.MissingZero = on
		case assume.TextureBorder:
			o.BorderBits = on
		case assume.TextureOffset:
			o.WholeOffset = on
		case assume.TextureTies:
			o.LateTies = on
		}
	}
}

// readAnisotropy reads the launch's positions.
func readAnisotropy(b *sem.Build, o *textureOp) {
	o.Footprints = num.Footprints{Ellipse: b.Assume(assume.AnisotropyAxes) == 1, Even: b.Assume(assume.AnisotropyPlaces) == 1,
		Count: num.Count(b.Assume(assume.AnisotropyCount))}
	o.PointProbes = b.Assume(assume.AnisotropyPoint) == 1
}

// readTexture is the handler of tex and tld4.
func readTexture(w *machine.Warp, in *machine.Inst) machine.State {
	o := in.Ext.Data.(*textureOp)
	var out [4][32]uint32
	for rest := w.Mask; rest != 0; {
		t, s, group, st := o.next(w, in, rest)
		if st != machine.Next {
			return st
		}
		rest &^= group
		o.read(w, in, t, s, group, &out)
	}
	for k, off := range in.Ext.Dst {
		if off != machine.NoGuard {
			sem.StoreLanes(w.R32(off), &out[k&3], w.Mask)
		}
	}
	if o.resident != machine.NoGuard { // all memory of a texture is there
		*w.P(o.resident) |= w.Mask
	}
	return machine.Next
}

// next finds the texture and the sampler of the first lane that is left, and the lanes that have
// them, too.
func (o *textureOp) next(w *machine.Warp, in *machine.Inst, rest uint32) (t, s *images.Texture, group uint32, st machine.State) {
	group = rest
	handle, row := o.texture.of(w, in)
	if row != nil {
		handle, group = sameHandle(row, group)
	}
	t, why := w.Images().Texture(handle, images.TextureHandle)
	if t == nil {
		return nil, nil, 0, missingTexture(w, in, o.name, handle, group, why)
	}
	if s = t; o.sampler != nil {
		handle, row := o.sampler.of(w, in)
		if row != nil {
			handle, group = sameHandle(row, group)
		}
		if s, why = w.Images().Texture(handle, images.SamplerHandle); s == nil {
			return nil, nil, 0, missingTexture(w, in, o.name, handle, group, why)
		}
	}
	if why := o.unsuited(t, s); why != "" {
		return nil, nil, 0, w.Fault(in, &machine.Fault{Kind: faults.WrongTexture, Lanes: group,
			Text: fmt.Sprintf("%s.%v of %s: %s", o.name, o.Reach, textureName(t), why)})
	}
	return t, s, group, machine.Next
}

// missingTexture is the fault of a handle that names no texture or sampler.
func missingTexture(w *machine.Warp, in *machine.Inst, name string, handle uint64, lanes uint32, why string) machine.State {
	return w.Fault(in, &machine.Fault{Kind: faults.NoTexture, Lanes: lanes, Addr: handle, Text: fmt.Sprintf("%s of %#x: %s", name, handle, why)})
}

// textureName describes a texture for faults: texture photo (2d 64x48 u8x4).
func textureName(t *images.Texture) string {
	if t.Name == "" {
		return fmt.Sprintf("a texture (%v)", t.Levels[0].Image)
	}
	return fmt.Sprintf("texture %s (%v)", t.Name, t.Levels[0].Image)
}

// unsuited says why a texture and a sampler are not what the instruction wants; "" if they are.
func (o *textureOp) unsuited(t, s *images.Texture) string {
	im := t.Levels[0].Image
	floats := t.Floats(im.Format)
	switch {
	case t.Sampler == nil && o.sampler == nil:
		return "it has no sampler"
	case im.Geometry.TextureReach() != o.Reach && !(o.Reach == tex.Reach1D && im.Geometry == tex.D2 && im.Height == 1): // a line, too
		return fmt.Sprintf("its geometry wants .%v", im.Geometry.TextureReach())
	case im.Linear && im.Geometry == tex.D1 && !o.Integer:
		return "a line of linear memory is read by .s32 coordinates"
	case floats && o.result == resultInteger:
		return fmt.Sprintf("samples of %v are read as floats: want .f32, or read mode element", im.Format)
	case !floats && o.result != resultInteger:
		return fmt.Sprintf("samples of %v are read as integers: want .u32 or .s32, or read mode normalized", im.Format)
	case o.Compare && !floats:
		return fmt.Sprintf("samples of %v are integers, which no depth is compared with", im.Format)
	}
	return ""
}

// readerPool has readers that are used again.
var readerPool = sync.Pool{New: func() any { return new(tex.Reader) }}

// read looks the lanes of one texture up.
func (o *textureOp) read(w *machine.Warp, in *machine.Inst, t, s *images.Texture, lanes uint32, out *[4][32]uint32) {
	both, r := tex.Texture{Read: t.Read, Sampler: s.Sampler, Levels: t.Levels}, readerPool.Get().(*tex.Reader)
	o.SetReader(r, &both)
	if w.Observing() {
		o.readTold(w, in, r, lanes, out)
	} else {
		o.readLanes(w, r, lanes, out)
	}
	r.Texture = tex.Texture{} // whose memory may go
	readerPool.Put(r)
}

// readTold looks lanes up and tells observers of the texels: the first ones of all lanes, the second ones, and so on. Nothing
// comes between the two: it is one instruction of a warp.
func (o *textureOp) readTold(w *machine.Warp, in *machine.Inst, r *tex.Reader, lanes uint32, out *[4][32]uint32) {
	var rows []*[32]uint64
	var has []uint32
	r.Inner = false
	sem.Each(lanes, func(i int) {
		n := 0
		r.Fetched = func(addr uint64) {
			if n == len(rows) {
				rows, has = append(rows, new([32]uint64)), append(has, 0)
			}
			rows[n][i] = addr
			has[n] |= 1 << i
			n++
		}
		o.readLanes(w, r, 1<<i, out)
	})
	size := uint32(r.Levels[0].Format.Bytes())
	for n, row := range rows {
		w.Observe(in, machine.Event{What: events.ImageTouched, Space: machine.Global, Proxy: model.TextureProxy, Kind: machine.Load,
			Size: size, Lanes: has[n], Addr: row})
	}
}

// readLanes looks lanes up.
func (o *textureOp) readLanes(w *machine.Warp, r *tex.Reader, lanes uint32, out *[4][32]uint32) {
	if r.Inner {
		if lanes = o.readInside(w, r, lanes, out); lanes == 0 {
			return
		}
	}
	layer, sample, level, depth := w.R32(o.layer), w.R32(o.sample), w.R32(o.level), w.R32(o.depth)
	var p tex.Place
	for m := lanes; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		p.Layer, p.Sample, p.Level, p.Depth = layer[i], sample[i], level[i], depth[i]
		for d := range p.At {
			p.At[d], p.Offset[d] = w.R32(o.at[d])[i], int32(w.R32(o.offset[d])[i])
		}
		if o.Mip == tex.MipGradient {
			for d := range p.Dx {
				p.Dx[d], p.Dy[d] = w.R32(o.dx[d])[i], w.R32(o.dy[d])[i]
			}
		}
		v := o.packed(r.Texel(&p))
		for k := range v {
			out[k][i] = v[k]
		}
	}
}

// readInside looks up those of the lanes whose places are usual, and returns the others.
func (o *textureOp) readInside(w *machine.Warp, r *tex.Reader, lanes uint32, out *[4][32]uint32) (left uint32) {
	left = r.Inside(lanes, w.R32(o.at[0]), w.R32(o.at[1]), w.R32(o.offset[0]), w.R32(o.offset[1]), out)
	if o.result < resultHalf {
		return left
	}
	sem.Each(lanes&^left, func(i int) {
		v := o.packed(tex.Texel{out[0][i], out[1][i], out[2][i], out[3][i]})
		out[0][i], out[1][i], out[2][i], out[3][i] = v[0], v[1], v[2], v[3]
	})
	return left
}

// packed converts a texel to the registers' type.
func (o *textureOp) packed(t tex.Texel) tex.Texel {
	if o.result < resultHalf {
		return t
	}
	half := num.CvtF16F32
	if o.cutHalf {
		half = num.CutF16
	}
	for k := range t {
		t[k] = half(t[k])
	}
	if o.result == resultHalfTwo {
		t[0], t[1] = t[0]|t[1]<<16, t[2]|t[3]<<16
	}
	return t
}
