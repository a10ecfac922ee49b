package tex

// This file holds extents and layout.

import (
	"fmt"
	"strings"
)

// Geometry is the shape of an image, as CUDA's arrays have it.
type Geometry uint8

// The geometries.
const (
	D1 Geometry = iota
	D2
	D3
	D1Layered
	D2Layered
	Cube        // six square layers, one a face
	CubeLayered // six for each cube
	D2MS        // several samples each texel: textures alone
	D2MSLayered
)

// geometries are the facts of each: the words of its size, and how instructions reach it.
var geometries = [...]struct {
	name, size string
	reach      Reach // of surfaces
	texture    Reach
}{
	D1: {"1d", "W", Reach1D, Reach1D}, D2: {"2d", "WxH", Reach2D, Reach2D}, D3: {"3d", "WxHxD", Reach3D, Reach3D},
	D1Layered: {"1dlayered", "WxL", ReachA1D, ReachA1D}, D2Layered: {"2dlayered", "WxHxL", ReachA2D, ReachA2D},
	Cube: {"cube", "WxW", ReachA2D, ReachCube}, CubeLayered: {"cubelayered", "WxWxL", ReachA2D, ReachACube},
	D2MS: {"2dms", "WxHxS", Reach2DMS, Reach2DMS}, D2MSLayered: {"2dmslayered", "WxHxLxS", ReachA2DMS, ReachA2DMS},
}

// String is the name that the command line takes.
func (g Geometry) String() string { return geometries[g].name }

// Valid reports whether the geometry exists.
func (g Geometry) Valid() bool { return int(g) < len(geometries) }

// Reach is the geometry that surface instructions name to reach the image.
func (g Geometry) Reach() Reach { return geometries[g].reach }

// TextureReach is the geometry that texture instructions name.
func (g Geometry) TextureReach() Reach { return geometries[g].texture }

// ParseGeometry reads what String writes.
func ParseGeometry(text string) (Geometry, error) {
	var names []string
	for g := range geometries {
		if geometries[g].name == text {
			return Geometry(g), nil
		}
		names = append(names, geometries[g].name)
	}
	return 0, fmt.Errorf("%q is no geometry: want %s", text, strings.Join(names, ", "))
}

// Image is extents, format and layout of an image. Rows lie Pitch bytes apart, slices of a
// volume and layers Slice bytes.
type Image struct {
	Geometry Geometry
	Format   Format
	Linear   bool // memory_layout says linear

	Width, Height uint32 // samples; Height is 1 without a second dimension
	Slices        uint32 // of a volume, layers of an array, faces of cubes; else 1; times Samples
	Samples       uint32 // of a texel: 0 unless there are several (2dms)
	Pitch, Slice  uint64 // bytes
}

// rowAlign is what rows begin at a multiple of: the widest access (9.7.11.1).
const rowAlign = 16

// maxRow bounds the bytes of a row, which coordinates count, and maxExtent the other extents.
const maxRow, maxExtent = 1 << 30, 1 << 27

// maxSamples bounds the samples of a texel.
const maxSamples = 64

// New makes an image of a size as the geometry writes it: width, then height, then depth or
// layers, each where there is one.
func New(g Geometry, size []int, f Format) (Image, error) {
	if !g.Valid() || !f.Valid() {
		return Image{}, fmt.Errorf("there is no geometry %d or format %d", g, f)
	}
	words := strings.Split(geometries[g].size, "x")
	if len(size) != len(words) {
		return Image{}, fmt.Errorf("a %v image has a size %s, not %s", g, geometries[g].size, SizeText(size))
	}
	im := Image{Geometry: g, Format: f, Height: 1, Slices: 1}
	for i, n := range size {
		if n < 1 || n > maxExtent {
			return Image{}, fmt.Errorf("an extent of %d in %s: want 1 to %d", n, SizeText(size), maxExtent)
		}
		switch {
		case i == 0:
			im.Width = uint32(n)
		case words[i] == "S":
			im.Samples = uint32(n)
		case words[i] == "D" || words[i] == "L":
			im.Slices = uint32(n)
		default:
			im.Height = uint32(n)
		}
	}
	return im.laidOut(size)
}

// laidOut places rows and slices.
func (im Image) laidOut(size []int) (Image, error) {
	if im.Geometry == Cube || im.Geometry == CubeLayered {
		if im.Width != im.Height {
			return Image{}, fmt.Errorf("the faces of a cube are squares, not %s", SizeText(size))
		}
		im.Slices *= 6
	}
	if im.Samples > maxSamples {
		return Image{}, fmt.Errorf("%d samples of a texel: want at most %d", im.Samples, maxSamples)
	}
	im.Slices *= max(im.Samples, 1)
	if im.Row() > maxRow {
		return Image{}, fmt.Errorf("rows of %d bytes: want at most %d", im.Row(), maxRow)
	}
	im.Pitch = (im.Row() + rowAlign - 1) &^ (rowAlign - 1)
	im.Slice = im.Pitch * uint64(im.Height)
	if im.Slice > maxBytes/uint64(im.Slices) {
		return Image{}, fmt.Errorf("%s samples of %v are more than any device holds", SizeText(size), im.Format)
	}
	return im, nil
}

// View is a part of the layers of an image, whose samples may be taken for others of the same size. skip is where the first
// layer begins.
func (im Image) View(f Format, first, last int) (v Image, skip uint64, err error) {
	layers, each := int(im.Layers()), uint64(1)
	if layers == 0 { // no array of them
		layers = 1
		each = uint64(im.Slices)
	} else {
		each = uint64(im.Slices) / uint64(layers)
	}
	switch {
	case f.Bytes() != im.Format.Bytes():
		return v, 0, fmt.Errorf("samples of %v are no %v: they have %d bytes, not %d", im.Format, f, im.Format.Bytes(), f.Bytes())
	case first < 0 || last < first || last >= layers:
		return v, 0, fmt.Errorf("there are no layers %d to %d of %v", first, last, &im)
	}
	v = im
	v.Format, v.Slices = f, uint32(uint64(last-first+1)*each)
	return v, uint64(first) * each * im.Slice, nil
}

// maxBytes bounds an image.
const maxBytes = 1 << 44

// Row is the bytes of the samples of a row.
func (im *Image) Row() uint64 { return uint64(im.Width) * uint64(im.Format.Bytes()) }

// Rows is the number of rows of all slices.
func (im *Image) Rows() uint64 { return uint64(im.Height) * uint64(im.Slices) }

// Bytes is the memory that the image takes, with the padding behind rows.
func (im *Image) Bytes() uint64 { return im.Slice * uint64(im.Slices) }

// Dense is the bytes of the samples alone: [slice][row][sample][channel].
func (im *Image) Dense() uint64 { return im.Row() * im.Rows() }

// Size is the size as the geometry writes it.
func (im *Image) Size() []int {
	w, h, n := int(im.Width), int(im.Height), int(im.Slices)
	switch im.Geometry {
	case D1:
		return []int{w}
	case D1Layered:
		return []int{w, n}
	case D2, Cube:
		return []int{w, h}
	case CubeLayered:
		n /= 6
	case D2MS:
		n = int(im.Samples)
	case D2MSLayered:
		return []int{w, h, n / int(im.Samples), int(im.Samples)}
	}
	return []int{w, h, n}
}

// SizeText writes a size as 64x32x4.
func SizeText(size []int) string {
	words := make([]string, len(size))
	for i, n := range size {
		words[i] = fmt.Sprint(n)
	}
	return strings.Join(words, "x")
}

// String describes the image: 2d 16x8 u8x4.
func (im *Image) String() string {
	return fmt.Sprintf("%v %s %v", im.Geometry, SizeText(im.Size()), im.Format)
}

// Layers is what suq.array_size returns: 0 unless the image is an array.
func (im *Image) Layers() uint32 {
	switch im.Geometry {
	case D1Layered, D2Layered, CubeLayered:
		return uint32(im.Size()[len(im.Size())-1])
	case D2MSLayered:
		return im.Slices / im.Samples
	}
	return 0
}
