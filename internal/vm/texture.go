package vm

// This file holds textures and samplers: how texture instructions read arrays and buffers.

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/machine/images"
	"ptxvm.invalid/ptxvm/internal/tex"
)

// AddressMode is what a dimension has outside of a texture.
type AddressMode uint8

// The address modes. Wrap and mirror need normalised coordinates; with others they clamp.
const (
	AddressWrap AddressMode = iota
	AddressMirror
	_ // PTX's clamp_ogl, which no API sets
	AddressClamp
	AddressBorder
)

// The numbers are those of the rooms below: another index would not compile.
var (
	_ = [1]bool{}[AddressBorder-AddressMode(tex.ClampBorder)]
	_ = [1]bool{}[Array2DMSLayered-Geometry(tex.D2MSLayered)]
	_ = [1]bool{}[JudgeManual-Judge(isa.Manual)]
)

// String is the mode as the command line takes it.
func (m AddressMode) String() string { return tex.Address(m).String() }

// ParseAddressMode knows wrap, mirror, clamp and border.
func ParseAddressMode(text string) (AddressMode, error) {
	m, err := tex.ParseAddress(text)
	return AddressMode(m), err
}

// CompareMode is how an instruction's depth is compared with a texel of a depth texture: depth OP texel. The zero
// value is less or equal.
type CompareMode uint8

// String is the comparison as the command line takes it.
func (c CompareMode) String() string { return tex.Compare(c).String() }

// ParseCompareMode knows le, lt, eq, gt, ge, ne, never and always.
func ParseCompareMode(text string) (CompareMode, error) {
	c, err := tex.ParseCompare(text)
	return CompareMode(c), err
}

// SamplerDesc is how texels become a result (5.3.2). The zero value takes the nearest texel, wraps, and knows all
// levels.
type SamplerDesc struct {
	Name              string // a module's .samplerref of this name is bound to it; may be empty
	Linear            bool   // filters neighbouring texels with weights of 1/256
	MipLinear         bool   // filters neighbouring levels
	Address           [3]AddressMode
	Border            [4]float32 // red, green, blue, alpha, of AddressBorder
	LODBias           float32
	MinLOD, MaxLOD    float32 // MaxLOD 0: no limit
	Compare           CompareMode
	ForceUnnormalized bool // independent mode: overrides TextureDesc.Normalized
	MaxAnisotropy     int  // samples along the longer one of two gradients of tex.grad, with Linear; up to 16; 0 and 1: one
	Seamless          bool // linear filters of cubes take texels of the faces beside; Address does not count
}

// state is what the machine reads.
func (s SamplerDesc) state() *tex.Sampler {
	out := &tex.Sampler{Linear: s.Linear, MipLinear: s.MipLinear, ForceUnnormalized: s.ForceUnnormalized,
		Bias: math.Float32bits(s.LODBias), MinLOD: math.Float32bits(s.MinLOD), MaxLOD: math.Float32bits(s.MaxLOD), Compare: tex.Compare(s.Compare),
		MaxAnisotropy: s.MaxAnisotropy, Seamless: s.Seamless}
	if s.MaxLOD == 0 {
		out.MaxLOD = math.Float32bits(math.MaxFloat32)
	}
	for i := range s.Address {
		out.Address[i] = tex.Address(s.Address[i])
	}
	for i, v := range s.Border {
		out.Border[i] = math.Float32bits(v)
	}
	return out
}

// check refuses numbers that mean nothing.
func (s SamplerDesc) check() error {
	for _, m := range s.Address {
		if m > AddressBorder {
			return fmt.Errorf("there is no address mode %d", m)
		}
	}
	if tex.Compare(s.Compare) > tex.Always {
		return fmt.Errorf("there is no comparison %d", s.Compare)
	}
	if s.MaxAnisotropy < 0 || s.MaxAnisotropy > tex.MaxAnisotropy {
		return fmt.Errorf("an anisotropy of %d: want at most %d samples", s.MaxAnisotropy, tex.MaxAnisotropy)
	}
	return nil
}

// TextureDesc describes a texture: an Array, or samples in a Buffer, and how they are read.
type TextureDesc struct {
	Name  string // a module's .texref of this name is bound to it; may be empty
	Array Array
	View  *ArrayView // how much of the array, and as what; nil: all, as it is

	Buffer        Buffer // linear memory: Width samples, or Height rows of them
	Format        SampleFormat
	Width, Height int // Height 0: a line, which integer coordinates read
	Pitch         int // bytes from row to row; 0: no gaps

	Normalized     bool // coordinates from 0 to 1
	ReadNormalized bool // integers of 8 and 16 bits are read as floats from 0 (or -1) to 1
	SRGB           bool // 8-bit red, green and blue are converted to linear floats
	Sampler        SamplerDesc
}

// ArrayView is a part of an array: levels of detail, and layers as instructions count them, both included; 0 of what the array
// does not have. MinLOD and MaxLOD count from the first level.
type ArrayView struct {
	Format                SampleFormat // samples have as many bytes as those of the array
	FirstLevel, LastLevel int
	FirstLayer, LastLayer int
}

// of lists the levels.
func (v *ArrayView) of(levels []*images.Image) (list []*images.Image, err error) {
	if v.FirstLevel < 0 || v.LastLevel < v.FirstLevel || v.LastLevel >= len(levels) {
		return nil, fmt.Errorf("there are no levels %d to %d of %d", v.FirstLevel, v.LastLevel, len(levels))
	}
	for _, level := range levels[v.FirstLevel : v.LastLevel+1] {
		im, skip, err := level.View(v.Format.f, v.FirstLayer, v.LastLayer)
		if err != nil {
			return nil, err
		}
		list = append(list, &images.Image{Image: im, Name: level.Name, Base: level.Base + skip})
	}
	return list, nil
}

// Texture is a handle of a texture, a 64-bit argument of kernels.
type Texture struct {
	of     *lifetime
	handle uint64
}

// Handle is the number that a kernel sees; it may be stored in buffers that kernels read.
func (t Texture) Handle() uint64 { return t.handle }

// Sampler is a handle of a sampler, for .target texmode_independent.
type Sampler struct {
	of     *lifetime
	handle uint64
}

// Handle is the number that a kernel sees.
func (s Sampler) Handle() uint64 { return s.handle }

// namedTextures are the textures or samplers of a device that have names; the last of a name counts.
type namedTextures struct {
	mu   sync.Mutex
	list []*images.Texture
}

func (n *namedTextures) add(t *images.Texture) {
	if t.Name == "" {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.list = append(n.list, t)
}

func (n *namedTextures) remove(t *images.Texture) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.list = slices.DeleteFunc(n.list, func(o *images.Texture) bool { return o == t })
}

// find returns the one of a name, nil if there is none.
func (n *namedTextures) find(name string) *images.Texture {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, t := range slices.Backward(n.list) {
		if t.Name == name {
			return t
		}
	}
	return nil
}

// NewTexture makes a texture of an array or a buffer, whose memory it does not own: a kernel that reads it after
// that has been freed faults.
func (d *Device) NewTexture(desc TextureDesc) (Texture, error) {
	levels, memory, err := desc.images()
	if err != nil {
		return Texture{}, fmt.Errorf("ptxvm: %w", err)
	}
	if memory.d != d {
		return Texture{}, fmt.Errorf("ptxvm: the memory of the texture is of another device")
	}
	t := &images.Texture{Name: desc.Name, Gone: memory.over, Texture: tex.Texture{
		Read: desc.read(), Sampler: desc.Sampler.state(), Mipmapped: len(levels) > 1}}
	err = memory.use(func() error {
		for _, im := range levels {
			t.Levels = append(t.Levels, tex.Level{Image: &im.Image, Bytes: d.machine.Arena.Bytes(im.Base, im.Bytes()), Base: im.Base})
		}
		return nil
	})
	if err != nil {
		return Texture{}, err
	}
	out := Texture{of: &lifetime{d: d}, handle: d.machine.AddHandles(images.TextureHandle, textureName(desc.Name, "a texture"), 1)}
	d.machine.SetTexture(out.handle, t)
	d.textures.add(t)
	return out, nil
}

func textureName(name, otherwise string) string {
	if name == "" {
		return otherwise
	}
	return name
}

func (desc *TextureDesc) read() tex.Read {
	return tex.Read{Normalized: desc.Normalized, Float: desc.ReadNormalized, SRGB: desc.SRGB}
}

// images are the levels of a texture with the lifetime of their memory.
func (desc *TextureDesc) images() ([]*images.Image, *lifetime, error) {
	if err := desc.Sampler.check(); err != nil {
		return nil, nil, err
	}
	levels, of := desc.Array.levels, desc.Array.of
	switch {
	case desc.Buffer.of != nil && of != nil:
		return nil, nil, fmt.Errorf("a texture has an array or a buffer, not both")
	case desc.Buffer.of != nil:
		im, err := desc.linear()
		if err != nil {
			return nil, nil, err
		}
		levels, of = []*images.Image{im}, desc.Buffer.of
	case of == nil:
		return nil, nil, fmt.Errorf("a texture needs an array or a buffer")
	}
	if desc.View != nil {
		var err error
		if levels, err = desc.View.of(levels); err != nil || desc.Array.of == nil {
			return nil, nil, cmp.Or(err, errors.New("a view is one of an array"))
		}
	}
	if g := levels[0].Geometry; desc.Sampler.Seamless && g != tex.Cube && g != tex.CubeLayered {
		return nil, nil, fmt.Errorf("%v has no edges between faces, which a seamless filter goes across: want a cube", &levels[0].Image)
	}
	f, r := levels[0].Format, desc.read()
	if err := r.Check(f); err != nil {
		return nil, nil, err
	}
	return levels, of, nil
}

// linear is the image of a buffer.
func (desc *TextureDesc) linear() (*images.Image, error) {
	im, err := tex.NewLinear(desc.Width, desc.Height, desc.Pitch, desc.Format.f)
	if err != nil {
		return nil, err
	}
	if need := im.Bytes(); need > uint64(desc.Buffer.Len()) {
		return nil, fmt.Errorf("%v takes %d bytes; the buffer has %d", &im, need, desc.Buffer.Len())
	}
	return &images.Image{Image: im, Name: desc.Name, Base: desc.Buffer.addr}, nil
}

// Free ends the texture, not its memory. It is idempotent; kernels that use the handle afterwards fault.
func (t Texture) Free() error {
	if t.of == nil {
		return nil
	}
	return t.of.end(func() error {
		t.of.d.textures.remove(t.of.d.machine.TextureOf(t.handle))
		t.of.d.machine.DropHandles(t.handle, 1)
		return nil
	})
}

// NewSampler makes a sampler for kernels of .target texmode_independent.
func (d *Device) NewSampler(desc SamplerDesc) (Sampler, error) {
	if err := desc.check(); err != nil {
		return Sampler{}, fmt.Errorf("ptxvm: %w", err)
	}
	t := &images.Texture{Name: desc.Name, Texture: tex.Texture{Sampler: desc.state()}}
	s := Sampler{of: &lifetime{d: d}, handle: d.machine.AddHandles(images.SamplerHandle, textureName(desc.Name, "a sampler"), 1)}
	d.machine.SetTexture(s.handle, t)
	d.samplers.add(t)
	return s, nil
}

// Free ends the sampler. It is idempotent.
func (s Sampler) Free() error {
	if s.of == nil {
		return nil
	}
	return s.of.end(func() error {
		s.of.d.samplers.remove(s.of.d.machine.TextureOf(s.handle))
		s.of.d.machine.DropHandles(s.handle, 1)
		return nil
	})
}
