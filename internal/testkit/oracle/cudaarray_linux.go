//go:build amd64 || arm64

package main

// Arrays and surfaces of the CUDA driver API. The structures have the layout of the driver's,
// which a test holds.

import (
	"errors"
	"fmt"
	"runtime"

	"ptxvm.invalid/ptxvm"
)

// arrayDescriptor is CUDA_ARRAY3D_DESCRIPTOR_v2.
type arrayDescriptor struct {
	width, height, depth uintptr
	format               uint32 // CUarray_format
	channels             uint32
	flags                uint32
}

// copySide is the half of CUDA_MEMCPY3D_v2 that says where from or where to.
type copySide struct {
	_             [4]uintptr // x, y, z, level
	memoryType    uint32     // CUmemorytype
	host          *byte
	_             uint64 // device
	array         uintptr
	_             uintptr // reserved
	pitch, height uintptr
}

// copyDescriptor is CUDA_MEMCPY3D_v2.
type copyDescriptor struct {
	from, to             copySide
	width, height, depth uintptr // width in bytes
}

// resourceDescriptor is CUDA_RESOURCE_DESC_v1 of an array; the union has 128 bytes.
type resourceDescriptor struct {
	_     uint32 // CUresourcetype: 0 is an array
	array uintptr
	_     [120]byte
	_     uint32 // flags
}

// Kinds of memory (CUmemorytype).
const (
	hostMemory  = 1
	arrayMemory = 3
)

// Flags of arrays (CUDA_ARRAY3D_…).
const (
	flagLayered = 1
	flagSurface = 2
)

// formats are CUarray_format of the channels. The normalised ones have a number for each count of
// channels: one, two, four, from the number here on.
var formats = map[string]uint32{
	"u8": 0x01, "u16": 0x02, "u32": 0x03, "s8": 0x08, "s16": 0x09, "s32": 0x0a, "f16": 0x10, "f32": 0x20,
	"unorm8": 0xc0, "unorm16": 0xc3, "snorm8": 0xc6, "snorm16": 0xc9,
}

// descriptor describes an array to the driver.
func descriptor(desc ptxvm.ArrayDesc) (*arrayDescriptor, error) {
	n := desc.Format.Channels()
	step, plain := map[int]uint32{1: 0, 2: 1, 4: 2}[n]
	format, known := formats[desc.Format.Channel()]
	if !plain || !known || desc.Format.String() != fmt.Sprintf("%sx%d", desc.Format.Channel(), n) {
		return nil, fmt.Errorf("CUDA has no arrays of %v", desc.Format)
	}
	if format >= 0xc0 {
		format += step
	}
	d := &arrayDescriptor{format: format, channels: uint32(n), flags: flagSurface}
	at := []*uintptr{&d.width, &d.height, &d.depth}
	switch desc.Geometry {
	case ptxvm.Array1D, ptxvm.Array2D, ptxvm.Array3D:
	case ptxvm.Array1DLayered:
		at, d.flags = []*uintptr{&d.width, &d.depth}, flagSurface|flagLayered
	case ptxvm.Array2DLayered:
		d.flags |= flagLayered
	default:
		return nil, fmt.Errorf("arrays of geometry %v are not asked for", desc.Geometry)
	}
	for i, extent := range desc.Size {
		*at[i] = uintptr(extent)
	}
	return d, nil
}

// cudaArray is an array with the surface object of it.
type cudaArray struct {
	c       *cuda
	handle  uintptr
	surface uint64
	row     uintptr // bytes
	d       *arrayDescriptor
}

func (c *cuda) NewArray(desc ptxvm.ArrayDesc) (Array, error) {
	d, err := descriptor(desc)
	if err != nil {
		return nil, err
	}
	a := &cudaArray{c: c, d: d, row: d.width * uintptr(desc.Format.Bytes())}
	if err := c.check("cuArray3DCreate", c.arrayCreate(&a.handle, d)); err != nil {
		return nil, err
	}
	r := &resourceDescriptor{array: a.handle}
	if err := c.check("cuSurfObjectCreate", c.surfaceCreate(&a.surface, r)); err != nil {
		return nil, errors.Join(err, c.check("cuArrayDestroy", c.arrayDestroy(a.handle)))
	}
	return a, nil
}

func (a *cudaArray) Surface() uint64 { return a.surface }

func (a *cudaArray) Free() error {
	return errors.Join(a.c.check("cuSurfObjectDestroy", a.c.surfaceDelete(a.surface)), a.c.check("cuArrayDestroy", a.c.arrayDestroy(a.handle)))
}

func (a *cudaArray) Write(data []byte) error {
	d := a.copies(data)
	d.from, d.to = d.to, d.from
	return a.copy(d, data)
}

func (a *cudaArray) Read(data []byte) error { return a.copy(a.copies(data), data) }

func (a *cudaArray) copy(d *copyDescriptor, data []byte) error {
	if want := d.width * d.height * d.depth; uintptr(len(data)) != want {
		return fmt.Errorf("%d bytes for an array of %d", len(data), want)
	}
	code := a.c.copy3D(d)
	runtime.KeepAlive(data)
	return a.c.check("cuMemcpy3D", code)
}

// copies describes the copy of a whole array to dense memory; layers count as slices.
func (a *cudaArray) copies(data []byte) *copyDescriptor {
	height, depth := max(a.d.height, 1), max(a.d.depth, 1)
	return &copyDescriptor{
		from:  copySide{memoryType: arrayMemory, array: a.handle},
		to:    copySide{memoryType: hostMemory, host: &data[0], pitch: a.row, height: height},
		width: a.row, height: height, depth: depth,
	}
}

// faults are the results of a launch that the kernel itself ended: illegal address, assertion,
// stack, illegal instruction, misaligned address, invalid address space, invalid pc, launch failed.
var faults = []int32{700, 710, 714, 715, 716, 717, 718, 719}
