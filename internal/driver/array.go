package driver

// This file holds arrays, and texture and surface objects of them.

import (
	"fmt"

	"ptxvm.invalid/ptxvm/internal/vm"
)

// ArrayFlag says what an array is for, with CUDA's numbers (cudaArrayLayered and its kin).
type ArrayFlag uint32

// The flags. What they allow is allowed to all arrays; those that change the geometry count.
const (
	ArrayLayered   ArrayFlag = 1
	ArraySurface   ArrayFlag = 2
	ArrayCubemap   ArrayFlag = 4
	ArrayGather    ArrayFlag = 8
	arrayFlagsDone           = ArrayLayered | ArraySurface | ArrayCubemap | ArrayGather
)

// ArrayShape is an array as CUDA describes it: an extent of 0 is a dimension that there is not; Depth also counts
// layers, and faces of cubes.
type ArrayShape struct {
	Width, Height, Depth int
	Format               string // of a channel, in the words of vm.ParseSampleFormat: u8, f32, unorm16
	Channels             int
	Flags                ArrayFlag
	Levels               int
}

// ArrayInfo is where the samples of an array are.
type ArrayInfo struct {
	ArrayShape
	Addr, Pitch, Rows uint64 // rows of a slice, layer or face; slices follow one another
	Element           int    // bytes of a sample
}

type array struct {
	dev   *device
	shape ArrayShape
	image vm.Array
	whole *array   // of a level; nil: it is the whole
	level []uint64 // handles of levels that were asked for
}

// desc is the array as the machine describes it.
func (s *ArrayShape) desc() (vm.ArrayDesc, error) {
	f, err := vm.ParseSampleFormat(fmt.Sprintf("%sx%d", s.Format, s.Channels))
	d := vm.ArrayDesc{Format: f, Levels: s.Levels}
	layered, cube := s.Flags&ArrayLayered != 0, s.Flags&ArrayCubemap != 0
	w, h, n := s.Width, s.Height, s.Depth
	switch {
	case err != nil:
	case s.Flags&^arrayFlagsDone != 0:
		err = fmt.Errorf("an array with the flags %#x", uint32(s.Flags))
	case cube && (w != h || n == 0 || n%6 != 0 || !layered && n != 6):
		err = fmt.Errorf("a cube map of %dx%dx%d", w, h, n)
	case cube && layered:
		d.Geometry, d.Size = vm.ArrayCubeLayered, []int{w, h, n / 6}
	case cube:
		d.Geometry, d.Size = vm.ArrayCube, []int{w, h}
	case layered && h == 0:
		d.Geometry, d.Size = vm.Array1DLayered, []int{w, n}
	case layered:
		d.Geometry, d.Size = vm.Array2DLayered, []int{w, h, n}
	case n != 0:
		d.Geometry, d.Size = vm.Array3D, []int{w, h, n}
	case h != 0:
		d.Geometry, d.Size = vm.Array2D, []int{w, h}
	default:
		d.Geometry, d.Size = vm.Array1D, []int{w}
	}
	return d, err
}

// ArrayCreate makes an array.
func (d *Driver) ArrayCreate(dev int, shape ArrayShape) (h uint64, code Code) {
	defer d.defect(&code)
	v, code := d.outsideCaptures(dev)
	if code != Success {
		return 0, code
	}
	desc, err := shape.desc()
	if err != nil {
		d.warn("an array cannot be made: %v", err)
		return 0, InvalidValue
	}
	image, err := v.vm.NewArray(desc)
	if err != nil {
		if code, _ = codeOf(err); code == Unknown {
			d.warn("an array cannot be made: %v", err)
			code = InvalidValue
		}
		return 0, code
	}
	return d.register(&array{dev: v, shape: shape, image: image}), Success
}

// ArrayDestroy ends an array after all work.
func (d *Driver) ArrayDestroy(h uint64) (code Code) {
	defer d.defect(&code)
	if h == 0 {
		return d.Sticky()
	}
	a, ok := lookup[*array](d, h)
	if !ok || a.whole != nil {
		return InvalidHandle
	}
	if code := d.unsafeInCapture(); code != Success {
		return code
	}
	a.dev.synchronize()
	if _, ok = forget[*array](d, h); !ok {
		return InvalidHandle
	}
	for _, level := range a.level {
		forget[*array](d, level)
	}
	code, _ = codeOf(a.image.Free())
	return code
}

// ArrayLevel is a level of detail as an array; the same one twice has one handle.
func (d *Driver) ArrayLevel(h uint64, level int) (l uint64, code Code) {
	defer d.defect(&code)
	a, ok := lookup[*array](d, h)
	if !ok {
		return 0, InvalidHandle
	}
	image, err := a.image.Level(level)
	if err != nil {
		return 0, InvalidValue
	}
	d.graphs.Lock()
	defer d.graphs.Unlock()
	if a.level == nil {
		a.level = make([]uint64, max(a.shape.Levels, 1))
	}
	if a.level[level] == 0 {
		part := a.shape
		part.Levels = 1
		for _, n := range []*int{&part.Width, &part.Height} {
			*n = halved(*n, level)
		}
		if part.Flags&(ArrayLayered|ArrayCubemap) == 0 {
			part.Depth = halved(part.Depth, level)
		}
		a.level[level] = d.register(&array{dev: a.dev, shape: part, image: image, whole: a})
	}
	return a.level[level], Success
}

// halved is an extent at a level; one that there is not stays so.
func halved(n, level int) int {
	if n == 0 {
		return 0
	}
	return max(n>>level, 1)
}

// ArrayInfo describes an array.
func (d *Driver) ArrayInfo(h uint64) (info ArrayInfo, code Code) {
	a, ok := lookup[*array](d, h)
	if !ok {
		return info, InvalidHandle
	}
	addr, pitch := a.image.Memory()
	return ArrayInfo{ArrayShape: a.shape, Addr: addr, Pitch: uint64(pitch), Rows: uint64(max(a.shape.Height, 1)),
		Element: a.image.Desc().Format.Bytes()}, Success
}

// TextureShape is a texture object: of an array, or of samples at an address.
type TextureShape struct {
	Array         uint64 // 0: Addr
	Addr          uint64
	Width, Height int // samples; Height 0: a line
	Pitch         int
	Format        string
	Channels      int
	View          *ViewShape // of an array; nil: all of it

	Address        [3]uint32 // cudaTextureAddressMode
	Linear         bool
	ReadNormalized bool
	SRGB           bool
	Border         [4]float32
	Normalized     bool
	MipLinear      bool
	Bias, Min, Max float32
	Anisotropy     uint32 // clamped to 1 to 16
	Seamless       bool   // of cubes alone
}

// ViewShape is how much of an array a texture shows, and as what (cudaResourceViewDesc).
type ViewShape struct {
	Width, Height, Depth int
	Format               string // empty: the array's
	Channels             int
	Levels, Layers       [2]int // the first and the last
}

// desc is the view as the machine describes it. The extents of arrays and layers are their own: only block formats change them.
func (v *ViewShape) desc(a *array) (view *vm.ArrayView, err error) {
	if v.Width != a.shape.Width || v.Height != a.shape.Height || v.Depth != a.shape.Depth && (v.Depth != 0 || a.shape.Flags&ArrayLayered == 0) {
		return nil, fmt.Errorf("a view of %dx%dx%d samples of an array of %dx%dx%d", v.Width, v.Height, v.Depth, a.shape.Width, a.shape.Height, a.shape.Depth)
	}
	view = &vm.ArrayView{Format: a.image.Desc().Format, FirstLevel: v.Levels[0], LastLevel: v.Levels[1], FirstLayer: v.Layers[0], LastLayer: v.Layers[1]}
	if v.Format != "" {
		view.Format, err = vm.ParseSampleFormat(fmt.Sprintf("%sx%d", v.Format, v.Channels))
	}
	return view, err
}

type texture struct {
	dev    *device
	shape  TextureShape
	object vm.Texture
}

// maxAnisotropy is what CUDA clamps to.
const maxAnisotropy = 16

// addressModes are CUDA's numbers (cudaTextureAddressMode).
var addressModes = [4]vm.AddressMode{vm.AddressWrap, vm.AddressClamp, vm.AddressMirror, vm.AddressBorder}

func (t *TextureShape) sampler() (s vm.SamplerDesc, err error) {
	s = vm.SamplerDesc{Linear: t.Linear, MipLinear: t.MipLinear, Border: t.Border, LODBias: t.Bias, MinLOD: t.Min, MaxLOD: t.Max}
	s.MaxAnisotropy, s.Seamless = int(min(max(t.Anisotropy, 1), maxAnisotropy)), t.Seamless
	for i, m := range t.Address {
		if int(m) >= len(addressModes) {
			return s, fmt.Errorf("there is no address mode %d", m)
		}
		s.Address[i] = addressModes[m]
	}
	return s, nil
}

func (d *Driver) textureDesc(dev *device, t *TextureShape) (desc vm.TextureDesc, code Code, err error) {
	desc = vm.TextureDesc{Normalized: t.Normalized, ReadNormalized: t.ReadNormalized, SRGB: t.SRGB}
	if desc.Sampler, err = t.sampler(); err != nil {
		return desc, InvalidValue, err
	}
	if t.Array != 0 {
		a, ok := lookup[*array](d, t.Array)
		if !ok {
			return desc, InvalidHandle, nil
		}
		desc.Array = a.image
		if t.View != nil {
			if desc.View, err = t.View.desc(a); err != nil {
				return desc, InvalidValue, err
			}
		}
		return desc, Success, nil
	}
	if t.View != nil {
		return desc, InvalidValue, fmt.Errorf("a view of what is no array")
	}
	if desc.Format, err = vm.ParseSampleFormat(fmt.Sprintf("%sx%d", t.Format, t.Channels)); err != nil {
		return desc, InvalidValue, err
	}
	if t.Width <= 0 || t.Height < 0 || t.Pitch < 0 || t.Addr%textureAlign != 0 {
		return desc, InvalidValue, fmt.Errorf("a texture of %dx%d samples, rows of %d bytes, at %#x: want an address that is a multiple of %d", t.Width, t.Height, t.Pitch, t.Addr, textureAlign)
	}
	desc.Width, desc.Height, desc.Pitch = t.Width, t.Height, t.Pitch
	size := t.Width * desc.Format.Bytes()
	if t.Height > 0 && t.Pitch > 0 {
		size += (t.Height - 1) * t.Pitch
	}
	if desc.Buffer, err = dev.vm.At(t.Addr, size); err != nil {
		return desc, InvalidValue, err
	}
	return desc, Success, nil
}

// TextureCreate makes a texture object: the number that kernels get.
func (d *Driver) TextureCreate(dev int, shape TextureShape) (h uint64, code Code) {
	defer d.defect(&code)
	v, code := d.device(dev)
	if code != Success {
		return 0, code
	}
	desc, code, err := d.textureDesc(v, &shape)
	if code == Success {
		var object vm.Texture
		if object, err = v.vm.NewTexture(desc); err == nil {
			d.objects.Store(object.Handle(), &texture{v, shape, object})
			return object.Handle(), Success
		}
		code = InvalidValue
	}
	if err != nil {
		d.warn("a texture object cannot be made: %v", err)
	}
	return 0, code
}

// TextureDestroy ends a texture object, not its memory: for what is enqueued by now it is there as long as that needs it.
func (d *Driver) TextureDestroy(h uint64) (code Code) {
	defer d.defect(&code)
	t, ok := d.objects.Load(h)
	tex, is := t.(*texture)
	if !ok || !is || !d.objects.CompareAndDelete(h, t) {
		return InvalidValue
	}
	tex.dev.whenIdle(func() {
		if err := tex.object.Free(); err != nil {
			d.warn("a texture object cannot be ended: %v", err)
		}
	})
	return d.Sticky()
}

// TextureGet describes a texture object.
func (d *Driver) TextureGet(h uint64) (TextureShape, Code) {
	if t, ok := d.objects.Load(h); ok {
		if tex, is := t.(*texture); is {
			return tex.shape, Success
		}
	}
	return TextureShape{}, InvalidValue
}

// surface is a surface object; several of one array share its number.
type surface struct {
	array uint64
	made  int
}

// SurfaceCreate makes a surface object of an array: the number that kernels get.
func (d *Driver) SurfaceCreate(h uint64) (object uint64, code Code) {
	defer d.defect(&code)
	a, ok := lookup[*array](d, h)
	if !ok {
		return 0, InvalidHandle
	}
	object = a.image.Surface().Handle()
	d.graphs.Lock()
	defer d.graphs.Unlock()
	s, _ := d.objects.LoadOrStore(object, &surface{array: h})
	s.(*surface).array = h
	s.(*surface).made++
	return object, Success
}

// SurfaceDestroy ends a surface object, not its array.
func (d *Driver) SurfaceDestroy(object uint64) (code Code) {
	defer d.defect(&code)
	d.graphs.Lock()
	defer d.graphs.Unlock()
	v, _ := d.objects.Load(object)
	s, ok := v.(*surface)
	if !ok {
		return InvalidValue
	}
	if s.made--; s.made == 0 {
		d.objects.Delete(object)
	}
	return Success
}

// SurfaceGet is the array of a surface object.
func (d *Driver) SurfaceGet(object uint64) (array uint64, code Code) {
	v, _ := d.objects.Load(object)
	s, ok := v.(*surface)
	if !ok {
		return 0, InvalidValue
	}
	return s.array, Success
}
