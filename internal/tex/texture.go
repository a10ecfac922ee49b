package tex

// This file holds textures: an image with its smaller levels, and what they are read as.

import "fmt"

// Level is one image of a texture and its bytes, from the first sample on.
type Level struct {
	*Image
	Bytes []byte
	Base  uint64 // where the device has Bytes; of use to Reader.Fetched alone
}

// Texture is what an instruction reads.
type Texture struct {
	Read
	*Sampler
	Levels    []Level // 0 is the finest
	Mipmapped bool    // there may be several, and are counted
}

// NewLinear is the image of samples in linear memory: a line of width, or height rows, pitch bytes apart; 0: without
// gaps.
func NewLinear(width, height, pitch int, f Format) (Image, error) {
	g, size := D1, []int{width}
	if height != 0 {
		g, size = D2, []int{width, height}
	}
	im, err := New(g, size, f)
	if err != nil {
		return im, err
	}
	if pitch == 0 {
		pitch = int(im.Row())
	}
	if uint64(pitch) < im.Row() || pitch%f.Channel.Bytes() != 0 {
		return im, fmt.Errorf("rows of %d bytes do not fit a pitch of %d", im.Row(), pitch)
	}
	im.Linear, im.Pitch = true, uint64(pitch)
	im.Slice = im.Pitch*uint64(im.Height-1) + im.Row()
	return im, nil
}

// LevelSize is an extent at a level of detail (9.7.10.2).
func LevelSize(n uint32, level int) uint32 { return max(1, n>>min(level, 31)) }

// MaxLevels is the length of the whole chain of an image (9.7.10.2).
func (im *Image) MaxLevels() int {
	if im.Samples != 0 {
		return 1
	}
	most := max(im.Width, im.Height)
	if im.Geometry == D3 {
		most = max(most, im.Slices)
	}
	n := 1
	for ; most > 1; most >>= 1 {
		n++
	}
	return n
}

// Level returns the image of a smaller level.
func (im *Image) Level(level int) (Image, error) {
	if level < 0 || level >= im.MaxLevels() {
		return Image{}, fmt.Errorf("there is no level %d of %v, which has up to %d", level, im, im.MaxLevels())
	}
	size := im.Size()
	for i := range im.Geometry.Extents() {
		size[i] = int(LevelSize(uint32(size[i]), level))
	}
	out, err := New(im.Geometry, size, im.Format)
	out.Linear = im.Linear
	return out, err
}

// Extents is the number of extents of a size that levels halve: layers stay.
func (g Geometry) Extents() int {
	switch g {
	case D1, D1Layered:
		return 1
	case D3:
		return 3
	}
	return 2
}
