package vm

// This file shows what handles of surfaces, textures and samplers mean, for debuggers.

import (
	"fmt"
	"math"
	"strings"

	"ptxvm.invalid/ptxvm/internal/machine/images"
	"ptxvm.invalid/ptxvm/internal/tex"
)

// ImageView is a surface, a texture or a sampler.
//
//face:inside
type ImageView struct {
	Handle   uint64
	Kind     string      // "surface", "texture" or "sampler"
	Text     string      // what it is, in words
	Axes     []ImageAxis // of the coordinates of a texel, in the order in which CUDA's functions take them
	Channel  string      // type of a channel in memory: "u8", "f32"
	Channels int
	levels   []tex.Level
}

// ImageAxis is a coordinate and how many values it has at a level.
//
//face:inside
type ImageAxis struct {
	Name string
	Size func(level int) uint32
}

// Levels is how many levels of detail there are.
func (v *ImageView) Levels() int { return len(v.levels) }

// Address is where a texel of a level lies, whose coordinates are inside.
func (v *ImageView) Address(level int, at []uint32) uint64 {
	im, place := v.levels[level], [3]uint64{}
	for i, x := range at {
		axis := i
		if v.Axes[i].Name != axisNames[i] {
			axis = 2 // of a layer, a face or a sample
		}
		place[axis] = uint64(x)
	}
	return im.Base + place[0]*uint64(im.Format.Bytes()) + place[1]*im.Pitch + place[2]*im.Slice
}

// axisNames are the coordinates of a volume.
var axisNames = []string{"x", "y", "z"}

// ImageView shows what a handle means; an error says why it means nothing.
func (p *Parts) ImageView(handle uint64) (*ImageView, error) {
	kind, ok := p.images.KindOf(handle)
	if !ok {
		return nil, fmt.Errorf("%#x is no handle of a texture, a surface or a sampler", handle)
	}
	if kind == images.SurfaceHandle {
		im, why := p.images.Surface(handle)
		if im == nil {
			return nil, fmt.Errorf("%#x: %s", handle, why)
		}
		v := viewOf([]tex.Level{{Image: &im.Image, Base: im.Base}})
		v.Handle, v.Kind, v.Text = handle, "surface", fmt.Sprintf("surface %s: %s", im.Name, v.Text)
		return v, nil
	}
	t, why := p.images.Texture(handle, kind)
	if t == nil {
		return nil, fmt.Errorf("%#x: %s", handle, why)
	}
	v := viewOf(t.Levels)
	v.Handle, v.Kind = handle, kind.String()
	v.Text = fmt.Sprintf("%s %s: %s", v.Kind, t.Name, strings.TrimPrefix(v.Text+", "+readText(t, len(v.Axes)), ", "))
	return v, nil
}

// ImageViews shows all handles that mean something.
func (p *Parts) ImageViews() (list []*ImageView) {
	for _, h := range p.images.Handles() {
		if v, err := p.ImageView(h.Number); err == nil {
			list = append(list, v)
		}
	}
	return list
}

// viewOf shows images, the levels of one.
func viewOf(levels []tex.Level) *ImageView {
	v := &ImageView{levels: levels}
	if len(levels) == 0 {
		return v
	}
	first := levels[0].Image
	v.Channel, v.Channels = strings.NewReplacer("unorm", "u", "snorm", "s").Replace(first.Format.Channel.String()), first.Format.Order.Channels()
	v.Text = fmt.Sprintf("%v at %#x", first, levels[0].Base)
	if len(levels) > 1 {
		v.Text += fmt.Sprintf(", %d levels", len(levels))
	}
	axis := func(name string, size func(*tex.Image) uint32) {
		v.Axes = append(v.Axes, ImageAxis{name, func(level int) uint32 { return size(v.levels[level].Image) }})
	}
	axis("x", func(im *tex.Image) uint32 { return im.Width })
	third := map[tex.Geometry]string{
		tex.D3: "z", tex.D1Layered: "layer", tex.D2Layered: "layer", tex.Cube: "face", tex.CubeLayered: "face", tex.D2MS: "sample", tex.D2MSLayered: "sample",
	}[first.Geometry]
	if first.Geometry != tex.D1 && first.Geometry != tex.D1Layered {
		axis("y", func(im *tex.Image) uint32 { return im.Height })
	}
	if third != "" {
		axis(third, func(im *tex.Image) uint32 { return im.Slices })
	}
	return v
}

// readText says how a texture of so many axes is read; of a sampler, which has none, all three count.
func readText(t *images.Texture, axes int) string {
	s, coordinates := t.Sampler, "coordinates in texels"
	if t.Normalized && !s.ForceUnnormalized {
		coordinates = "coordinates from 0 to 1"
	}
	if axes == 0 {
		axes = len(s.Address)
	}
	var modes []string
	for _, a := range s.Address[:min(axes, len(s.Address))] {
		modes = append(modes, a.String())
	}
	words := []string{coordinates, "address mode " + strings.Join(modes, " "), "filter " + filterName(s.Linear)}
	add := func(yes bool, format string, args ...any) {
		if yes {
			words = append(words, fmt.Sprintf(format, args...))
		}
	}
	lod := math.Float32frombits
	add(s.MipLinear || len(t.Levels) > 1, "between levels %s", filterName(s.MipLinear))
	add(len(t.Levels) > 1, "level of detail %v to %v, bias %v", lod(s.MinLOD), lod(s.MaxLOD), lod(s.Bias))
	add(s.MaxAnisotropy > 1, "anisotropy %d", s.MaxAnisotropy)
	add(s.Seamless, "seamless")
	add(s.Border != [4]uint32{}, "border %v %v %v %v", lod(s.Border[0]), lod(s.Border[1]), lod(s.Border[2]), lod(s.Border[3]))
	add(t.Float, "read as fractions")
	add(t.SRGB, "sRGB")
	return strings.Join(words, ", ")
}

func filterName(linear bool) string {
	if linear {
		return "linear"
	}
	return "point"
}
