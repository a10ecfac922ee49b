package image

// Textures, 9.7.10: queries.

import (
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/images"
	"ptxvm.invalid/ptxvm/internal/sem"
	"ptxvm.invalid/ptxvm/internal/tex"
	"ptxvm.invalid/ptxvm/internal/uop"
)

// textureQuery is the decode-time constant of txq and istypep.
type textureQuery struct {
	uop.Private
	name  string
	of    reference
	get   func(t *images.Texture, level uint32) uint32
	kinds []images.HandleKind // that have the property; istypep: the one asked for
	level uint32              // a row
}

var (
	ofTexture = []images.HandleKind{images.TextureHandle}
	ofSampler = []images.HandleKind{images.SamplerHandle}
	ofBoth    = []images.HandleKind{images.TextureHandle, images.SamplerHandle} // by texturing mode
)

// textureQueries are the properties (9.7.10.5).
var textureQueries = map[isa.Mod]struct {
	kinds []images.HandleKind
	get   func(t *images.Texture, level uint32) uint32
}{
	isa.M_width:  {ofTexture, func(t *images.Texture, l uint32) uint32 { return levelExtent(t, l, 1, t.Levels[0].Width) }},
	isa.M_height: {ofTexture, func(t *images.Texture, l uint32) uint32 { return levelExtent(t, l, 2, t.Levels[0].Height) }},
	isa.M_depth:  {ofTexture, func(t *images.Texture, l uint32) uint32 { return levelExtent(t, l, 3, t.Levels[0].Slices) }},
	isa.M_channel_data_type: {ofTexture, func(t *images.Texture, _ uint32) uint32 {
		return t.Levels[0].Format.Channel.OpenCL()
	}},
	isa.M_channel_order:     {ofTexture, func(t *images.Texture, _ uint32) uint32 { return t.Levels[0].Format.Order.OpenCL() }},
	isa.M_normalized_coords: {ofTexture, func(t *images.Texture, _ uint32) uint32 { return sem.Bit(t.Normalized) }},
	isa.M_array_size:        {ofTexture, func(t *images.Texture, _ uint32) uint32 { return t.Levels[0].Layers() }},
	isa.M_num_mipmap_levels: {ofTexture, func(t *images.Texture, _ uint32) uint32 {
		return uint32(len(t.Levels)) * sem.Bit(t.Mipmapped)
	}},
	isa.M_num_samples:               {ofTexture, func(t *images.Texture, _ uint32) uint32 { return t.Levels[0].Samples }},
	isa.M_force_unnormalized_coords: {ofSampler, func(t *images.Texture, _ uint32) uint32 { return sem.Bit(t.ForceUnnormalized) }},
	isa.M_filter_mode:               {ofBoth, func(t *images.Texture, _ uint32) uint32 { return sem.Bit(t.Linear) }},
	isa.M_addr_mode_0:               {ofBoth, func(t *images.Texture, _ uint32) uint32 { return uint32(t.Address[0]) }},
	isa.M_addr_mode_1:               {ofBoth, func(t *images.Texture, _ uint32) uint32 { return uint32(t.Address[1]) }},
	isa.M_addr_mode_2:               {ofBoth, func(t *images.Texture, _ uint32) uint32 { return uint32(t.Address[2]) }},
}

// levelExtent is an extent of a level: 0 of a dimension that the geometry lacks, or of a level beyond the
// last one.
func levelExtent(t *images.Texture, level uint32, dimension int, n uint32) uint32 {
	if t.Levels[0].Geometry.Extents() < dimension || level >= uint32(len(t.Levels)) {
		return 0
	}
	return tex.LevelSize(n, int(level))
}

// planTextureQuery sets up d = a property of a.
func planTextureQuery(b *sem.Build) {
	m := b.Sel.Get(isa.C_query)
	if m == 0 {
		m = b.Sel.Get(isa.C_lquery)
	}
	q := textureQueries[m]
	b.Ext().Data = &textureQuery{name: b.Sel.Entry.Name, of: newReference(b, b.In.Op(isa.R_a)), get: q.get, kinds: q.kinds, level: orZero(b, isa.R_lod)}
	b.Out.D = b.Dst(&b.In.Ops[0], 32)
	b.Does(uop.TextureQuery)
}

// queryTexture answers for each lane.
func queryTexture(w *machine.Warp, in *machine.Inst) machine.State {
	o := in.Ext.Data.(*textureQuery)
	one, row := o.of.of(w, in)
	var answers [32]uint32
	for rest := w.Mask; rest != 0; {
		group := rest
		if row != nil {
			one, group = sameHandle(row, rest)
		}
		rest &^= group
		kind := o.kinds[0]
		if have, ok := w.Images().KindOf(one); ok && len(o.kinds) > 1 && have == o.kinds[1] {
			kind = have
		}
		t, why := w.Images().Texture(one, kind)
		if t == nil || t.Sampler == nil && kind == images.TextureHandle && len(o.kinds) > 1 {
			return missingTexture(w, in, o.name, one, group, why)
		}
		sem.Each(group, func(i int) { answers[i] = o.get(t, w.R32(o.level)[i]) })
	}
	sem.StoreLanes(w.R32(in.D), &answers, w.Mask)
	return machine.Next
}

var handleKinds = map[isa.Mod]images.HandleKind{
	isa.M_surfref: images.SurfaceHandle, isa.M_texref: images.TextureHandle, isa.M_samplerref: images.SamplerHandle,
}

// planIsType sets up p = a is a handle of the type (9.7.10.6).
func planIsType(b *sem.Build) {
	ops := b.In.Ops
	b.Ext().Data = &textureQuery{of: newReference(b, &ops[1]), kinds: []images.HandleKind{handleKinds[b.Sel.Get(isa.C_type)]}}
	b.Out.D = b.Dst(&ops[0], 1)
	b.Does(uop.IsReference)
}

// isReference is the handler of istypep: nothing is wrong with an address of something else.
func isReference(w *machine.Warp, in *machine.Inst) machine.State {
	o := in.Ext.Data.(*textureQuery)
	one, row := o.of.of(w, in)
	found := uint32(0)
	sem.Each(w.Mask, func(i int) {
		if row != nil {
			one = row[i]
		}
		kind, ok := w.Images().KindOf(one)
		found |= sem.Bit(ok && kind == o.kinds[0]) << i
	})
	sem.SetMask(w, in.D, found)
	return machine.Next
}
