package vm

// This file holds arrays, images in device memory, and surfaces, the handles by which kernels reach them.

import (
	"fmt"
	"io"
	"slices"
	"sync"

	"ptxvm.invalid/ptxvm/internal/machine/images"
	"ptxvm.invalid/ptxvm/internal/mem"
	"ptxvm.invalid/ptxvm/internal/tex"
)

// Geometry is the shape of an array, as CUDA has it.
type Geometry uint8

// The geometries, with the extents of each.
const (
	Array1D          Geometry = iota // width
	Array2D                          // width, height
	Array3D                          // width, height, depth
	Array1DLayered                   // width, layers
	Array2DLayered                   // width, height, layers
	ArrayCube                        // width, width: six faces
	ArrayCubeLayered                 // width, width, cubes
	Array2DMS                        // width, height, samples of a texel: for textures alone
	Array2DMSLayered                 // width, height, layers, samples
)

// String is the geometry as the command line takes it: 2dlayered.
func (g Geometry) String() string { return tex.Geometry(g).String() }

// ParseGeometry knows 1d, 2d, 3d, 1dlayered, 2dlayered, cube, cubelayered, 2dms and 2dmslayered.
func ParseGeometry(text string) (Geometry, error) {
	g, err := tex.ParseGeometry(text)
	return Geometry(g), err
}

// SampleFormat is the format of one sample of an array: the type of its channels, and which
// channels there are. The zero value is u8x1.
type SampleFormat struct{ f tex.Format }

// ParseSampleFormat reads u8, u16, u32, s8, s16, s32, f16, f32, unorm8, unorm16, snorm8 or
// snorm16, then x1, x2 or x4 channels; or a dot and the channels in the order of memory, which
// are r, a, rg, ra, rgb, rgba, bgra or argb.
func ParseSampleFormat(text string) (SampleFormat, error) {
	f, err := tex.ParseFormat(text)
	return SampleFormat{f}, err
}

// String is what ParseSampleFormat reads.
func (f SampleFormat) String() string { return f.f.String() }

// Channel is the type of a channel in the words of the command line: unorm8.
func (f SampleFormat) Channel() string { return f.f.Channel.String() }

// Channels is the number of channels.
func (f SampleFormat) Channels() int { return f.f.Order.Channels() }

// Bytes is the size of a sample.
func (f SampleFormat) Bytes() int { return f.f.Bytes() }

// ArrayDesc describes an array.
type ArrayDesc struct {
	Name     string // a module's .surfref of this name is bound to it; may be empty
	Geometry Geometry
	Size     []int // extents in samples, as the geometry has them
	Format   SampleFormat
	Linear   bool // suq.memory_layout says linear
	Levels   int  // of detail, each half the size of the one before (9.7.10.2); 0 and 1: one
}

// Array is an image in device memory. It is a small value; copies mean the same memory.
type Array struct {
	of     *lifetime
	desc   ArrayDesc
	image  *images.Image   // level 0
	levels []*images.Image // all
	handle uint64
	part   bool // a level of another, which ends it
}

// NewArray makes an array of zeros.
func (d *Device) NewArray(desc ArrayDesc) (Array, error) {
	im, err := tex.New(tex.Geometry(desc.Geometry), desc.Size, desc.Format.f)
	if err != nil {
		return Array{}, fmt.Errorf("ptxvm: %w", err)
	}
	im.Linear = desc.Linear
	desc.Size = im.Size()
	a := Array{of: &lifetime{d: d}, desc: desc}
	size, err := a.chain(&im)
	if err != nil {
		return Array{}, fmt.Errorf("ptxvm: %w", err)
	}
	err = d.use(func() error {
		base, err := d.machine.Arena.Alloc(size, mem.Info{Label: desc.Name})
		for _, level := range a.levels {
			level.Base += base
		}
		return err
	})
	if err != nil {
		return Array{}, d.outOfMemory(err, int(size))
	}
	a.handle = d.machine.AddHandles(images.SurfaceHandle, arrayName(desc.Name), len(a.levels))
	for i, level := range a.levels {
		d.machine.SetImage(a.handle+uint64(i)*mem.ImageStep, level)
	}
	d.arrays.add(a)
	return a, nil
}

// chain makes the levels and places them one behind another, each where an allocation could begin.
func (a *Array) chain(im *tex.Image) (size uint64, err error) {
	const align = 256
	for i := range max(a.desc.Levels, 1) {
		level, err := im.Level(i)
		if err != nil {
			return 0, err
		}
		a.levels = append(a.levels, &images.Image{Image: level, Name: a.desc.Name, Base: size})
		size = (size + level.Bytes() + align - 1) &^ (align - 1)
	}
	a.image = a.levels[0]
	return size, nil
}

// arrayName is what reports call an array.
func arrayName(name string) string {
	if name == "" {
		return "an array"
	}
	return name
}

// Desc describes the array.
func (a Array) Desc() ArrayDesc { return a.desc }

// Level is level i of detail as an array: its memory is the array's, whose Free ends it. Its own does nothing.
func (a Array) Level(i int) (Array, error) {
	if i < 0 || i >= len(a.levels) {
		return Array{}, fmt.Errorf("ptxvm: an array of %d levels has no level %d", len(a.levels), i)
	}
	a.image, a.levels = a.levels[i], a.levels[i:i+1]
	a.handle += uint64(i) * mem.ImageStep
	a.desc.Size, a.desc.Levels, a.part = a.image.Size(), 1, true
	return a, nil
}

// Memory is the device address of the first sample and the bytes from row to row. Rows of slices, layers and faces
// follow one another.
func (a Array) Memory() (addr uint64, pitch int) {
	if a.image == nil {
		return 0, 0
	}
	return a.image.Base, int(a.image.Pitch)
}

// Len is the bytes of its samples: [slice or layer][row][sample][channel], without gaps.
func (a Array) Len() int {
	if a.image == nil {
		return 0
	}
	return int(a.image.Dense())
}

// Surface is the handle that kernels get as an argument.
func (a Array) Surface() Surface { return Surface{of: a.of, handle: a.handle} }

// Write copies Len bytes into the array.
func (a Array) Write(data []byte) error {
	if len(data) != a.Len() {
		return fmt.Errorf("ptxvm: %d bytes for an array of %d: %w", len(data), a.Len(), io.ErrShortWrite)
	}
	return a.rows(a.image, func(row, device []byte) { copy(device, row) }, data)
}

// LevelLen is the bytes of a level's samples, 0 if there is no such level.
func (a Array) LevelLen(level int) int {
	if level < 0 || level >= len(a.levels) {
		return 0
	}
	return int(a.levels[level].Dense())
}

// WriteLevel copies LevelLen bytes into a level. Surfaces are level 0, which Write writes, too.
func (a Array) WriteLevel(level int, data []byte) error {
	if n := a.LevelLen(level); len(data) != n || n == 0 {
		return fmt.Errorf("ptxvm: %d bytes for level %d, which has %d: %w", len(data), level, n, io.ErrShortWrite)
	}
	return a.rows(a.levels[level], func(row, device []byte) { copy(device, row) }, data)
}

// Read copies all of the array into data, which has Len bytes.
func (a Array) Read(data []byte) error {
	if len(data) != a.Len() {
		return fmt.Errorf("ptxvm: an array of %d bytes does not fit %d", a.Len(), len(data))
	}
	return a.rows(a.image, func(row, device []byte) { copy(row, device) }, data)
}

// rows visits the rows of dense data with their places on the device.
func (a Array) rows(im *images.Image, move func(row, device []byte), data []byte) error {
	return a.of.use(func() error {
		memory := a.of.d.machine.Arena.Bytes(im.Base, im.Bytes())
		n := int(im.Row())
		for i := range int(im.Rows()) {
			move(data[i*n:(i+1)*n], memory[i*int(im.Pitch):])
		}
		return nil
	})
}

// Free ends the array. It is idempotent; kernels that use a handle of it afterwards fault.
func (a Array) Free() error {
	if a.of == nil || a.part {
		return nil
	}
	return a.of.end(func() error {
		d := a.of.d
		d.arrays.remove(a)
		d.machine.DropHandles(a.handle, len(a.levels))
		return d.machine.Arena.Free(a.image.Base)
	})
}

// Surface is a handle of an array, a 64-bit argument of kernels. A kernel may keep it in memory
// and hand it to suld, sust, sured and suq, like the address of a .surfref variable.
type Surface struct {
	of     *lifetime
	handle uint64
}

// Handle is the number that a kernel sees; it may be stored in buffers that kernels read.
func (s Surface) Handle() uint64 { return s.handle }

// namedArrays are the arrays of a device that have names; the last of a name counts.
type namedArrays struct {
	mu   sync.Mutex
	list []Array
}

func (n *namedArrays) add(a Array) {
	if a.desc.Name == "" {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.list = append(n.list, a)
}

func (n *namedArrays) remove(a Array) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.list = slices.DeleteFunc(n.list, func(b Array) bool { return b.handle == a.handle })
}

// find returns the image of a name, nil if there is none.
func (n *namedArrays) find(name string) *images.Image {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, a := range slices.Backward(n.list) {
		if a.desc.Name == name {
			return a.image
		}
	}
	return nil
}
