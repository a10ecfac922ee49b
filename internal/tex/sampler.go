package tex

// This file holds samplers: how texture instructions read an image (5.3.2).

import (
	"fmt"
	"slices"
	"strings"
)

// Address is what a dimension has outside of the image, numbered as txq.addr_mode_0 returns it
// (9.7.10.5).
type Address uint8

// The address modes. Wrap and Mirror need normalised coordinates; with others they clamp.
const (
	Wrap Address = iota
	Mirror
	ClampOGL
	ClampEdge
	ClampBorder
)

var addressNames = []string{"wrap", "mirror", "clamp_ogl", "clamp", "border"}

// String is the name that the command line takes.
func (a Address) String() string { return addressNames[a] }

// ParseAddress reads what String writes.
func ParseAddress(text string) (Address, error) {
	i := slices.Index(addressNames, text)
	if i < 0 {
		return 0, fmt.Errorf("%q is no address mode: want %s", text, strings.Join(addressNames, ", "))
	}
	return Address(i), nil
}

// Compare is how a depth texture compares the operand of an instruction with a texel.
type Compare uint8

// The comparisons: operand OP texel. Less or equal is what a sampler has if nothing is said.
const (
	LessEqual Compare = iota
	Less
	Equal
	Greater
	GreaterEqual
	NotEqual
	Never
	Always
)

var compareNames = []string{"le", "lt", "eq", "gt", "ge", "ne", "never", "always"}

// String is the name that the command line takes.
func (c Compare) String() string { return compareNames[c] }

// ParseCompare reads what String writes.
func ParseCompare(text string) (Compare, error) {
	i := slices.Index(compareNames, text)
	if i < 0 {
		return 0, fmt.Errorf("%q is no comparison: want %s", text, strings.Join(compareNames, ", "))
	}
	return Compare(i), nil
}

// Sampler is how texels become a result. The zero value wraps, takes the nearest texel and counts
// coordinates in texels.
type Sampler struct {
	Address           [3]Address // of x, y, z
	Linear            bool       // filters neighbouring texels
	MipLinear         bool       // filters neighbouring levels
	ForceUnnormalized bool       // overrides Read.Normalized (independent mode)
	Border            [4]uint32  // f32: red, green, blue, alpha
	Bias              uint32     // f32, added to a level of detail
	MinLOD, MaxLOD    uint32     // f32
	Compare           Compare
	MaxAnisotropy     int  // samples along the longer one of two gradients, up to MaxAnisotropy; 0 and 1: one
	Seamless          bool // linear filters of cubes go on across edges; Address does not count
}

// MaxAnisotropy is the largest one: CUDA clamps to it.
const MaxAnisotropy = 16

// Read is what belongs to the texture rather than to the sampler (table 11).
type Read struct {
	Normalized bool // coordinates from 0 to 1
	Float      bool // integers of 8 and 16 bits are read as fractions: u8 255 is 1.0
	SRGB       bool // red, green and blue of 8 bits are converted to linear f32
}

// Floats reports whether results are f32: the channels are, or are read as such.
func (r Read) Floats(f Format) bool { return f.Channel.Reads() == AsFloat || r.Float }

// Check says in words why a format cannot be read like this, nil if it can.
func (r Read) Check(f Format) error {
	switch bits := 8 * f.Channel.Bytes(); {
	case r.Float && f.Channel.Reads() != AsFloat && bits == 32:
		return fmt.Errorf("samples of %v cannot be read as normalised floats: want channels of 8 or 16 bits", f)
	case r.SRGB && (bits != 8 || f.Channel == S8 || f.Channel == Snorm8 || !r.Floats(f)):
		return fmt.Errorf("sRGB needs unorm8, or u8 that is read as normalised floats, not %v", f)
	}
	return nil
}
