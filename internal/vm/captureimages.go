package vm

// This file captures what handles of surfaces, textures and samplers mean, and restores it.

import (
	"fmt"

	"ptxvm.invalid/ptxvm/internal/capture"
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/machine/images"
	"ptxvm.invalid/ptxvm/internal/tex"
)

// rememberHandles puts the device's handles into a capture.
func (p *Program) rememberHandles(m *capture.Memory) error {
	handles := p.d.machine.Handles()
	if len(handles) > images.MaxRestored {
		return fmt.Errorf("captures hold %d handles of surfaces, textures and samplers; the device has given out %d", images.MaxRestored, len(handles))
	}
	for i := range handles {
		kept, err := rememberHandle(&handles[i])
		if err != nil {
			return fmt.Errorf("captures cannot hold the %v %s: %w", handles[i].Kind, handles[i].Name, err)
		}
		m.Handles = append(m.Handles, kept)
	}
	return nil
}

// rememberHandle says what a handle means.
func rememberHandle(h *images.Handle) (kept capture.Handle, err error) {
	kept = capture.Handle{Handle: capture.Address(h.Number), Kind: h.Kind.String(), Name: h.Name, Freed: h.Ended}
	var levels []*images.Image
	if h.Image != nil {
		levels = append(levels, h.Image)
	}
	if t := h.Texture; t != nil {
		kept.Texture = rememberTexture(t)
		for i := range t.Levels {
			if !kept.Texture.Freed {
				levels = append(levels, &images.Image{Image: *t.Levels[i].Image, Base: t.Levels[i].Base})
			}
		}
	}
	for _, im := range levels {
		one := capture.Image{
			Geometry: im.Geometry.String(), Size: im.Size(), Format: im.Format.String(), Linear: im.Linear, Pitch: im.Pitch, Bytes: im.Bytes(), Address: capture.Address(im.Base),
		}
		// A form that comes back otherwise is one that the words have not.
		if again, err := imageOf(&one); err != nil || again != im.Image {
			return kept, fmt.Errorf("its image, %v, has rows of %d bytes and slices of %d", &im.Image, im.Pitch, im.Slice)
		}
		kept.Images = append(kept.Images, one)
	}
	return kept, nil
}

// rememberTexture says how a texture is read, or a sampler samples.
func rememberTexture(t *images.Texture) *capture.Texture {
	s := t.Sampler
	return &capture.Texture{
		Normalized: t.Normalized, Float: t.Float, SRGB: t.SRGB, Mipmapped: t.Mipmapped, Freed: t.Gone != nil && t.Gone(),
		Sampler: &capture.Sampler{
			Linear: s.Linear, MipLinear: s.MipLinear, Unnormalized: s.ForceUnnormalized, Seamless: s.Seamless,
			Address: [3]string{s.Address[0].String(), s.Address[1].String(), s.Address[2].String()}, Border: s.Border,
			Bias: s.Bias, MinLOD: s.MinLOD, MaxLOD: s.MaxLOD, Compare: s.Compare.String(), MaxAnisotropy: s.MaxAnisotropy,
		},
	}
}

// restoreHandles makes the handles of a captured launch, whose allocations are there.
func (d *Device) restoreHandles(m *capture.Memory) error {
	var list []images.Handle
	for i := range m.Handles {
		h, err := d.restoredHandle(&m.Handles[i])
		if err != nil {
			return fmt.Errorf("handle %#x: %w", uint64(m.Handles[i].Handle), err)
		}
		list = append(list, h)
	}
	return d.machine.Restore(list)
}

// restoredHandle is a handle with what it means.
func (d *Device) restoredHandle(kept *capture.Handle) (h images.Handle, err error) {
	h = images.Handle{Number: uint64(kept.Handle), Name: kept.Name, Ended: kept.Freed}
	if h.Kind, err = images.ParseHandleKind(kept.Kind); err != nil {
		return h, err
	}
	var levels []tex.Level
	for i := range kept.Images {
		im, err := imageOf(&kept.Images[i])
		if err != nil {
			return h, err
		}
		level := tex.Level{Image: &im, Base: uint64(kept.Images[i].Address)}
		if level.Bytes = d.machine.Arena.Bytes(level.Base, im.Bytes()); level.Bytes == nil {
			return h, fmt.Errorf("no allocation holds its image, %d bytes at %#x", im.Bytes(), level.Base)
		}
		levels = append(levels, level)
	}
	switch {
	case !fits(h.Kind, kept.Texture, len(levels)):
		return h, fmt.Errorf("%d images do not make a %v", len(levels), h.Kind)
	case kept.Texture != nil:
		h.Texture, err = textureOf(kept, levels)
	case len(levels) == 1:
		h.Image = &images.Image{Image: *levels[0].Image, Name: h.Name, Base: levels[0].Base}
	}
	return h, err
}

// fits reports whether a handle of a kind can mean a texture, or none, and so many images.
func fits(kind images.HandleKind, t *capture.Texture, n int) bool {
	switch {
	case kind == images.SurfaceHandle:
		return t == nil && n <= 1
	case t == nil:
		return n == 0
	case kind == images.SamplerHandle:
		return t.Sampler != nil && n == 0
	}
	return t.Sampler != nil && t.Freed == (n == 0)
}

// imageOf makes an image from its words.
func imageOf(kept *capture.Image) (im tex.Image, err error) {
	g, err := tex.ParseGeometry(kept.Geometry)
	if err != nil {
		return im, err
	}
	f, err := tex.ParseFormat(kept.Format)
	if err != nil {
		return im, err
	}
	if im, err = tex.New(g, kept.Size, f); err != nil {
		return im, err
	}
	if im.Linear = kept.Linear; im.Linear && (im.Pitch != kept.Pitch || im.Bytes() != kept.Bytes) && kept.Pitch < 1<<31 && (g == tex.D1 || g == tex.D2) {
		height := 0
		if g == tex.D2 {
			height = kept.Size[1]
		}
		if im, err = tex.NewLinear(kept.Size[0], height, int(kept.Pitch), f); err != nil { // of a buffer
			return im, err
		}
	}
	if im.Pitch != kept.Pitch || im.Bytes() != kept.Bytes {
		return im, fmt.Errorf("%v has rows %d bytes apart and %d bytes in all, not %d and %d", &im, im.Pitch, im.Bytes(), kept.Pitch, kept.Bytes)
	}
	return im, nil
}

// textureOf makes a texture, or a sampler, of what is kept.
func textureOf(kept *capture.Handle, levels []tex.Level) (*images.Texture, error) {
	t, s := kept.Texture, kept.Texture.Sampler
	out := &tex.Sampler{
		Linear: s.Linear, MipLinear: s.MipLinear, ForceUnnormalized: s.Unnormalized, Seamless: s.Seamless, Border: s.Border,
		Bias: s.Bias, MinLOD: s.MinLOD, MaxLOD: s.MaxLOD, MaxAnisotropy: s.MaxAnisotropy,
	}
	var err error
	for i, word := range s.Address {
		if out.Address[i], err = tex.ParseAddress(word); err != nil {
			return nil, err
		}
	}
	if out.Compare, err = tex.ParseCompare(s.Compare); err != nil {
		return nil, err
	}
	if s.MaxAnisotropy < 0 || s.MaxAnisotropy > tex.MaxAnisotropy {
		return nil, fmt.Errorf("an anisotropy of %d: want at most %d samples", s.MaxAnisotropy, tex.MaxAnisotropy)
	}
	made := &images.Texture{Name: kept.Name, Texture: tex.Texture{
		Read: tex.Read{Normalized: t.Normalized, Float: t.Float, SRGB: t.SRGB}, Sampler: out, Levels: levels, Mipmapped: t.Mipmapped,
	}}
	if t.Freed {
		made.Gone = func() bool { return true }
	}
	if len(levels) == 0 {
		return made, nil
	}
	if g := levels[0].Image.Geometry; s.Seamless && g != tex.Cube && g != tex.CubeLayered {
		return nil, fmt.Errorf("%v has no edges between faces", levels[0].Image)
	}
	for _, level := range levels[1:] {
		if level.Image.Geometry != levels[0].Image.Geometry || level.Image.Format != levels[0].Image.Format {
			return nil, fmt.Errorf("%v and %v are no levels of one texture", levels[0].Image, level.Image)
		}
	}
	return made, made.Check(levels[0].Image.Format)
}

// bindPlaced keeps what the references of a captured launch are bound to.
func (p *Program) bindPlaced(placed map[string]capture.Variable) {
	for _, v := range p.refs {
		_, found := placed[v.Name]
		if at := p.image.vars[v]; found && (p.d.machine.ImageOf(at) != nil || p.d.machine.TextureOf(at) != nil) {
			p.bound.Store(v, p.placedBinding(v))
		}
	}
}

// placedBinding is what a reference means, bound to itself.
func (p *Program) placedBinding(v *ir.Var) any {
	of, handle := &lifetime{d: p.d}, p.image.vars[v]
	switch handleKind(v) {
	case images.SurfaceHandle:
		return Surface{of: of, handle: handle}
	case images.SamplerHandle:
		return Sampler{of: of, handle: handle}
	}
	return Texture{of: of, handle: handle}
}
