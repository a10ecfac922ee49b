package vec

// Textures of the blocks: names that begin with T are .texref variables of the module, bound by name. All
// lanes have the same ones, byte i of level l being 0x80+16*l+i: TI… of u8x4, TF… of f16x4, nearest, clamped,
// with coordinates in texels.
//
//	TI1 TI2 TI3       1d 8, 2d 4x3, 3d 4x3x2
//	TIL TIA TIC TIK   1dlayered 4x3, 2dlayered 4x3x2, cube 1x1, cubelayered 1x1x2
//	TIM TIN           2dms 4x3x2, 2dmslayered 2x2x2x2
//	TI1M …            the same with two levels, all but the cubes of 1 and 2dms: 1d 8, 2d 4x4, 3d 4x4x2, 1dlayered 4x3,
//	                  2dlayered 4x4x2, cube 2x2, cubelayered 2x2x2
//	TD                2d 4x3 unorm8x1: of depths
//	TS                a sampler that forces coordinates in texels: an array of one, as unified mode wants
//	TQ                2dlayered 4x3x2 u8x2, normalised, read as floats, linear, wrapped, mirrored and with a border

import (
	"fmt"

	"ptxvm.invalid/ptxvm"
)

// textureKinds by the letters behind TI and TF.
var textureKinds = []struct {
	name     string
	geometry ptxvm.Geometry
	size     []int
	levels   int
}{
	{"1", ptxvm.Array1D, []int{8}, 1}, {"2", ptxvm.Array2D, []int{4, 3}, 1}, {"3", ptxvm.Array3D, []int{4, 3, 2}, 1},
	{"L", ptxvm.Array1DLayered, []int{4, 3}, 1}, {"A", ptxvm.Array2DLayered, []int{4, 3, 2}, 1},
	{"C", ptxvm.ArrayCube, []int{1, 1}, 1}, {"K", ptxvm.ArrayCubeLayered, []int{1, 1, 2}, 1},
	{"M", ptxvm.Array2DMS, []int{4, 3, 2}, 1}, {"N", ptxvm.Array2DMSLayered, []int{2, 2, 2, 2}, 1},
	{"1M", ptxvm.Array1D, []int{8}, 2}, {"2M", ptxvm.Array2D, []int{4, 4}, 2}, {"3M", ptxvm.Array3D, []int{4, 4, 2}, 2},
	{"LM", ptxvm.Array1DLayered, []int{4, 3}, 2}, {"AM", ptxvm.Array2DLayered, []int{4, 4, 2}, 2},
	{"CM", ptxvm.ArrayCube, []int{2, 2}, 2}, {"KM", ptxvm.ArrayCubeLayered, []int{2, 2, 2}, 2},
}

// textureDescs are all textures by name.
var textureDescs = func() map[string]*textureDesc {
	clamp := [3]ptxvm.AddressMode{ptxvm.AddressClamp, ptxvm.AddressClamp, ptxvm.AddressClamp}
	out := map[string]*textureDesc{
		"TS": {texture: ptxvm.TextureDesc{Sampler: ptxvm.SamplerDesc{ForceUnnormalized: true}}},
		"TD": {ptxvm.ArrayDesc{Geometry: ptxvm.Array2D, Size: []int{4, 3}, Format: format("unorm8x1")}, ptxvm.TextureDesc{Sampler: ptxvm.SamplerDesc{Address: clamp}}},
		"TQ": {ptxvm.ArrayDesc{Geometry: ptxvm.Array2DLayered, Size: []int{4, 3, 2}, Format: format("u8x2")}, ptxvm.TextureDesc{Normalized: true, ReadNormalized: true,
			Sampler: ptxvm.SamplerDesc{Linear: true, Address: [3]ptxvm.AddressMode{ptxvm.AddressBorder, ptxvm.AddressMirror, ptxvm.AddressClamp}}}},
	}
	for _, k := range textureKinds {
		for letter, f := range map[string]string{"I": "u8x4", "F": "f16x4"} {
			out["T"+letter+k.name] = &textureDesc{ptxvm.ArrayDesc{Geometry: k.geometry, Size: k.size, Format: format(f), Levels: k.levels},
				ptxvm.TextureDesc{Sampler: ptxvm.SamplerDesc{Address: clamp}}}
		}
	}
	return out
}()

type textureDesc struct {
	array   ptxvm.ArrayDesc
	texture ptxvm.TextureDesc
}

// sampler tells that there is no texture.
func (t *textureDesc) sampler() bool { return t.array.Size == nil }

func format(text string) ptxvm.SampleFormat {
	f, err := ptxvm.ParseSampleFormat(text)
	if err != nil {
		panic(err) // the table above is at fault
	}
	return f
}

// Textures lists the textures that the block names.
func (w *Wrapped) Textures() (names []string) {
	seen := map[string]bool{}
	for _, s := range w.Stmts {
		for _, word := range nameRE.FindAllString(s.Text, -1) {
			if _, ok := textureDescs[word]; ok && !seen[word] {
				seen[word] = true
				names = append(names, word)
			}
		}
	}
	return names
}

// textureDecls declares the textures that the block names.
func (w *Wrapped) textureDecls() (text string) {
	for _, name := range w.Textures() {
		if textureDescs[name].sampler() {
			text += ".global .samplerref " + name + "[1];\n"
		} else {
			text += ".global .texref " + name + ";\n"
		}
	}
	return text
}

// addTextures makes the textures that are not there yet.
func (d *device) addTextures(names []string) error {
	for _, name := range names {
		if d.textures[name] {
			continue
		}
		if d.textures == nil {
			d.textures = map[string]bool{}
		}
		d.textures[name] = true
		desc := *textureDescs[name]
		if desc.sampler() {
			desc.texture.Sampler.Name = name
			if _, err := d.NewSampler(desc.texture.Sampler); err != nil {
				return err
			}
			continue
		}
		a, err := d.NewArray(desc.array)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		for level := range max(desc.array.Levels, 1) {
			if err := a.WriteLevel(level, Pattern(a.LevelLen(level) + 16*level)[16*level:]); err != nil {
				return err
			}
		}
		desc.texture.Name, desc.texture.Array = name, a
		if _, err := d.NewTexture(desc.texture); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}
